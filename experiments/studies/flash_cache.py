"""Write amplification of a PM9D3 under a flash cache, with and without placement identifiers, against the model's.

    python experiments/studies/flash_cache.py [--drive-writes 24]

Nothing published says which part of the bytes goes to small objects, nor how much spare flash the drive has. The script
finds both by two of the points and predicts the others, with moved pages together with the host's. It prints a table of
docs/notebook/twins.md.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rewear.reproduce.computation import study_module

twins = study_module("twins", Path(__file__).parents[1] / "twins" / "studies")


@dataclass(frozen=True)
class Point:
    """A published measurement of write amplification.

    `small` is the part of the cache that holds small objects, `apart` whether they had a reclaim unit handle of their
    own, `used` the part of the drive that the cache takes up.
    """

    name: str
    small: float
    apart: bool
    used: float
    measured: float


# "Towards Efficient Flash Caches with Emerging NVMe Flexible Data Placement SSDs" (EuroSys 2025), KV cache.
PM9D3 = (
    Point("PM9D3, whole drive", 0.04, False, 1.0, 3.5),
    Point("PM9D3, half of it", 0.04, False, 0.5, 1.3),
    Point("PM9D3, whole drive, FDP", 0.04, True, 1.0, 1.03),
    Point("PM9D3, half of it, FDP", 0.04, True, 0.5, 1.03),
)


def write_amplification(point: Point, spare: float, share: float, drive_writes: float) -> float:
    """Bytes that the model writes for a byte of the cache in the second half."""
    settings = {"ftl.over_provisioning": spare}
    return twins.flash_cache_amplification(point.small, point.apart, point.used, settings, share, drive_writes)


def share_that_explains(point: Point, spare: float, drive_writes: float) -> float:
    """The part of the bytes that goes to small objects with which the model has the point, to a hundredth."""
    least, most = 0.05, 1.0
    while most - least > 0.01:
        middle = (least + most) / 2
        if write_amplification(point, spare, middle, drive_writes) < point.measured:
            least = middle
        else:
            most = middle
    return (least + most) / 2


def explanation(first: Point, second: Point, drive_writes: float) -> tuple[float, float]:
    """Spare flash, of steps of 2%, and the share that have the first point and come closest to the second."""

    def miss(pair: tuple[float, float]) -> float:
        return abs(write_amplification(second, *pair, drive_writes) - second.measured)

    spares = [step / 100 for step in range(12, 30, 2)]
    return min(((spare, share_that_explains(first, spare, drive_writes)) for spare in spares), key=miss)


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--drive-writes", type=float, default=24)
    writes = parser.parse_args(arguments).drive_writes
    print("| | measured | model | |\n|---|--:|--:|---|")
    spare, share = explanation(PM9D3[0], PM9D3[1], writes)
    print(f"| spare flash {spare:.0%}, {share:.0%} of the bytes small | | | |")
    for index, point in enumerate(PM9D3):
        model = write_amplification(point, spare, share, writes)
        print(f"| {point.name} | {point.measured} | {model:.2f} | {'fitted' if index < 2 else 'predicted'} |")


if __name__ == "__main__":
    main()
