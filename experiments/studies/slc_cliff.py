"""Throughput while an empty client drive with a cache is written in order: how fast, how far, and how fast behind that.

    python experiments/studies/slc_cliff.py [--drive intel-660p]

The preset is a thirty-second of the drive, so what is written is given as a part of the capacity too. Writes have 128
KiB, 32 of them in flight. Prints the rate over a tenth of the capacity at a time, and where it falls.
"""

import argparse
from statistics import median

from rewear import Drive, Workload

_REQUEST_BYTES = 128 << 10
_IN_FLIGHT = 32
_INTERVAL_S = 0.1
_ROWS = 10


def curve(drive: Drive) -> list[tuple[float, float]]:
    """Bytes that the host has written, and MB/s, at the end of each interval."""
    requests = drive.exported_bytes // _REQUEST_BYTES
    workload = Workload(f"sequential:requests={requests},size={_REQUEST_BYTES}")
    report = drive.replay(
        workload, precondition="none", arrival="closed", queue_depth=_IN_FLIGHT, interval_s=_INTERVAL_S
    )
    written = 0
    points: list[tuple[float, float]] = []
    for interval in (report.series or ())[:-1]:
        step = interval["host_pages_written"] * drive.logical_page_bytes
        written += step
        points.append((written, step / _INTERVAL_S / 1e6))
    return points


def main() -> None:
    """Prints the cliff and the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--drive", default="intel-660p")
    drive = Drive(parser.parse_args().drive)
    points, capacity = curve(drive), drive.exported_bytes
    # A single interval may be slow; the cache has ended where the next second is.
    second = round(1 / _INTERVAL_S)
    rates = [rate for _, rate in points]
    first = median(rates[:second])
    cliff = next(place for place in range(len(rates)) if median(rates[place : place + second]) < first / 2)
    end = points[cliff][0]
    print(f"{first:,.0f} MB/s until {end / 1e9:.2f} GB ({end / capacity:.1%}), {median(rates[cliff:]):,.0f} behind")
    print("\n| written | MB/s |\n|--:|--:|")
    for row in range(_ROWS):
        low, high = (capacity * each / _ROWS for each in (row, row + 1))
        inside = [rate for written, rate in points if low < written <= high]
        print(f"| {high / capacity:.0%} | {len(inside) and sum(inside) / len(inside):,.0f} |")


if __name__ == "__main__":
    main()
