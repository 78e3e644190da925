"""Leaves of a log-structured B-tree on a modelled SSD: erases with and without the overwrite command.

A small key-value store appends records to nodes, each a page; a full node is rewritten with what is alive. Beside it
an ordinary file is rewritten at random, as other data of the same drive. The drive is that of the OpenSSD board,
scaled down.

    .venv/bin/python examples/append_nodes.py
"""

import random

import rewear
from rewear.producers import AppendNode, NodeFullError

DRIVE = {
    "reuse.scheme": "seal",
    "flash.channels": 2,
    "flash.dies_per_channel": 1,
    "flash.blocks_per_plane": 36,
    "flash.page_bytes": 4096,
}
NODES = 300
KEYS = 6000
OPERATIONS = 60_000


def run(overwrite: bool) -> rewear.DeviceStatistics:
    """The same operations with one command or the other."""
    device = rewear.Device("openssd", set=DRIVE)
    pages = device.exported_bytes // device.page_bytes
    chance = random.Random(1)
    # The file takes two thirds of what is left and is never compatible with what it was.
    file = range(NODES, NODES + (pages - NODES) * 2 // 3)
    for page in file:
        device.write(page * device.page_bytes, chance.randbytes(device.page_bytes))
    nodes = [AppendNode(device, page, overwrite=overwrite) for page in range(NODES)]
    expected: dict[bytes, bytes] = {}
    for _ in range(OPERATIONS):
        if chance.random() < 0.25:
            device.write(chance.choice(file) * device.page_bytes, chance.randbytes(device.page_bytes))
            continue
        key, value = b"key %d" % chance.randrange(KEYS), chance.randbytes(32)
        node = nodes[int(key[4:]) % NODES]
        try:
            node.put(key, value)
        except NodeFullError:
            node.rewrite([*((old, data) for old, data in node.items() if old != key), (key, value)])
        expected[key] = value
    for key, value in expected.items():
        # Not from the memory of the program: the device is read again.
        assert AppendNode(device, int(key[4:]) % NODES, create=False).get(key) == value
    return device.statistics


def main() -> None:
    """Prints what each way costs."""
    plain, overwritten = run(overwrite=False), run(overwrite=True)
    print(f"{OPERATIONS} operations on {NODES} nodes of {KEYS} keys")
    for name, statistics in (("write", plain), ("overwrite", overwritten)):
        print(
            f"{name:>9}: {statistics.erases:5} erases, {statistics.reprograms:6} pages programmed in place, "
            f"{statistics.pages_moved:6} pages moved"
        )
    print(f"erases: {100 * (overwritten.erases / plain.erases - 1):+.0f}%")


if __name__ == "__main__":
    main()
