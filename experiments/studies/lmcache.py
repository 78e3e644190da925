"""Write amplification of nine LMCache writers under every reading of what was not published, as a table.

    python experiments/studies/lmcache.py [--capacity-writes 4] [--unit-gib 16]

LMCache's pull request 4016 says how large the objects and spans of the workers are. It does not say which object of
its span a worker writes next, how fast each worker is, and how much spare flash the drive has. The script runs every
reading, without identifiers and with one for each class. It prints the table of docs/notebook/twins.md.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from rewear.core.errors import ConfigurationError
from rewear.reproduce.computation import study_module

writers = study_module("lmcache", Path(__file__).parents[1] / "twins" / "studies")

# For 960 GiB of capacity: the spare flash of the twin of a PM9D3, about the least with which the model keeps five
# handles whose units have 16 GiB, and 1 TiB.
FLASH_GIB = (1216, 1088, 1024)


def cell(replacement: str, rates: str, flash_gib: int, apart: bool, capacity_writes: float, unit_gib: int) -> str:
    """The write amplification of a reading, over all that is written and over its second half."""
    try:
        whole, late = writers.written(replacement, rates, flash_gib // unit_gib, apart, capacity_writes, unit_gib)
    except ConfigurationError:
        return "no room"
    return f"{whole:.2f} ({late:.2f})"


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--capacity-writes", type=float, default=4)
    parser.add_argument("--unit-gib", type=int, default=16, choices=(1, 2, 4, 8, 16), help="size of a reclaim unit")
    given = parser.parse_args(arguments)
    drives = [(flash_gib, apart) for flash_gib in FLASH_GIB for apart in (False, True)]
    heads = [f"{flash_gib / 960 - 1:.1%}{', FDP' if apart else ''}" for flash_gib, apart in drives]
    print(f"| replaced | equal | {' | '.join(heads)} |")
    print("|---|---|" + "--:|" * len(heads))
    for replacement in writers.REPLACEMENTS:
        for rates in writers.RATES:
            cells = [cell(replacement, rates, *drive, given.capacity_writes, given.unit_gib) for drive in drives]
            print(f"| {replacement} | {rates} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
