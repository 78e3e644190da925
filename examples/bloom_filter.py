"""A Bloom filter that remembers what a program has seen: erases with and without the overwrite command.

Keys come in small batches; after each batch the filter is made durable, so that a page of it is written again and
again with a few bits cleared. Beside it an ordinary file is rewritten at random. The drive is that of the OpenSSD
board, scaled down.

    .venv/bin/python examples/bloom_filter.py
"""

import random

import rewear
from rewear.producers import BloomFilter

DRIVE = {
    "reuse.scheme": "seal",
    "flash.channels": 2,
    "flash.dies_per_channel": 1,
    "flash.blocks_per_plane": 36,
    "flash.page_bytes": 4096,
}
FILTER_PAGES = 64
BATCHES = 4000
KEYS_PER_BATCH = 4


def run(overwrite: bool) -> rewear.DeviceStatistics:
    """The same keys with one command or the other."""
    device = rewear.Device("openssd", set=DRIVE)
    pages = device.exported_bytes // device.page_bytes
    chance = random.Random(1)
    file = range(FILTER_PAGES, FILTER_PAGES + (pages - FILTER_PAGES) * 2 // 3)
    for page in file:
        device.write(page * device.page_bytes, chance.randbytes(device.page_bytes))
    seen = BloomFilter(device, first_page=0, pages=FILTER_PAGES, hashes=6, overwrite=overwrite)
    for batch in range(BATCHES):
        for number in range(KEYS_PER_BATCH):
            seen.add(b"key %d %d" % (batch, number))
        seen.flush()
        for _ in range(2):
            device.write(chance.choice(file) * device.page_bytes, chance.randbytes(device.page_bytes))
    # As it lies on the device: it never forgets, and hardly ever errs.
    stored = BloomFilter(device, first_page=0, pages=FILTER_PAGES, hashes=6, create=False)
    assert all(b"key %d %d" % (batch, number) in stored for batch in range(BATCHES) for number in range(KEYS_PER_BATCH))
    strangers = sum(b"stranger %d" % number in stored for number in range(10_000))
    print(f"{100 * stored.fill:.1f}% of the bits cleared, {strangers} of 10000 strangers taken for keys")
    return device.statistics


def main() -> None:
    """Prints what each way costs."""
    plain, overwritten = run(overwrite=False), run(overwrite=True)
    print(f"{BATCHES} batches of {KEYS_PER_BATCH} keys into {FILTER_PAGES} pages")
    for name, statistics in (("write", plain), ("overwrite", overwritten)):
        print(
            f"{name:>9}: {statistics.erases:5} erases, {statistics.reprograms:6} pages programmed in place, "
            f"{statistics.pages_moved:6} pages moved"
        )
    print(f"erases: {100 * (overwritten.erases / plain.erases - 1):+.0f}%")


if __name__ == "__main__":
    main()
