"""Blocks of any data in the code of Rivest and Shamir: erases with and without the overwrite command, and without code.

Some blocks are rewritten with random data. In the code every other write only clears bits; the price is half as much
space again. Beside them an ordinary file is rewritten at random. The drive is that of the OpenSSD board, scaled down.

    .venv/bin/python examples/wom_store.py
"""

import random

import rewear
from rewear.producers import WomStore

DRIVE = {
    "reuse.scheme": "seal",
    # Most blocks of the file are full of valid pages, and the policy `seal` would give up high pages for them at once.
    "reuse.victims": "seal-preserve",
    "flash.channels": 2,
    "flash.dies_per_channel": 1,
    "flash.blocks_per_plane": 36,
    "flash.page_bytes": 4096,
}
DATA_BYTES = 1 << 20
WRITTEN_BYTES = 48 << 20


def run(code: bool, overwrite: bool) -> tuple[rewear.DeviceStatistics, int]:
    """The same volume of data, in the code or as it is; also the pages that the data takes."""
    device = rewear.Device("openssd", set=DRIVE)
    page_bytes, pages = device.page_bytes, device.exported_bytes // device.page_bytes
    chance = random.Random(1)
    block_bytes = WomStore(device, 0, 1).block_bytes if code else page_bytes
    blocks = -(-DATA_BYTES // block_bytes)
    store = WomStore(device, 0, blocks, overwrite=overwrite)
    held = [b""] * blocks
    # The file takes the same part of the drive whichever way the blocks are stored.
    first = 2 * DATA_BYTES // page_bytes
    file = range(first, first + (pages - first) * 2 // 3)
    for page in file:
        device.write(page * page_bytes, chance.randbytes(page_bytes))
    for number in range(WRITTEN_BYTES // block_bytes):
        block, data = chance.randrange(blocks), chance.randbytes(block_bytes)
        if code:
            store.write(block, data)
        else:
            device.write(block * page_bytes, data)
        held[block] = data
        if number % 4 == 0:
            device.write(chance.choice(file) * page_bytes, chance.randbytes(page_bytes))
    for block, data in enumerate(held):
        assert not data or (store.read(block) if code else device.read(block * page_bytes, block_bytes)) == data
    return device.statistics, blocks


def main() -> None:
    """Prints what each way costs."""
    plain, *coded = run(False, False), run(True, False), run(True, True)
    print(f"{WRITTEN_BYTES >> 20} MiB of random data onto {DATA_BYTES >> 20} MiB")
    for name, (statistics, blocks) in zip(
        ("no code, write", "code, write", "code, overwrite"), (plain, *coded), strict=True
    ):
        print(
            f"{name:>15}: {statistics.erases:5} erases, {statistics.reprograms:6} pages programmed in place, "
            f"{statistics.pages_moved:6} pages moved, {blocks} pages taken"
        )
    for name, (reference, _) in (("no code", plain), ("the code without overwrite", coded[0])):
        print(f"erases against {name}: {100 * (coded[1][0].erases / reference.erases - 1):+.0f}%")


if __name__ == "__main__":
    main()
