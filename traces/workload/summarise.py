#!/usr/bin/env python3
"""Reads the log of nbdkit's log filter: counts by phase, and optionally a plain csv.

A line is `DATE TIME.MICROSECONDS connection=N Operation id=N offset=0x.. count=0x.. flags ...`; the completion of a request
begins with three dots and carries no address. A request's time is that of its beginning. `Zero` is what the kernel's
write-zeroes became; with trim=1 the device may unmap the range, and it counts as a trim.
"""

import argparse
import csv
import datetime
import pathlib
import re
from collections.abc import Iterator

PAGE_BYTES = 4096
REQUEST = re.compile(
    r"^(\S+ \S+) connection=\d+ (Read|Write|Trim|Zero|Flush) id=\d+"
    r"(?: offset=0x([0-9a-f]+) count=0x([0-9a-f]+))?(.*) \.\.\.$"
)
COLUMNS = ["requests", "reads", "writes", "trims", "flushes", "read_bytes", "written_bytes", "trimmed_bytes", "pages"]


def microseconds(stamp: str) -> int:
    moment = datetime.datetime.strptime(stamp, "%Y-%m-%d %H:%M:%S.%f").replace(tzinfo=datetime.timezone.utc)
    return int(moment.timestamp()) * 1_000_000 + moment.microsecond


def operation(name: str, flags: str) -> str:
    if name == "Zero":
        return "trim" if "trim=1" in flags else "write"
    return name.lower()


def requests(log: pathlib.Path) -> Iterator[tuple[int, str, int, int]]:
    """Yields time in microseconds, operation, offset and length in bytes, in the log's order."""
    with log.open() as lines:
        for line in lines:
            if found := REQUEST.match(line):
                stamp, name, offset, count, flags = found.groups()
                yield microseconds(stamp), operation(name, flags), int(offset or "0", 16), int(count or "0", 16)


class Counts:
    """Counts of one phase, or of all of them."""

    def __init__(self) -> None:
        self.number = dict.fromkeys(COLUMNS, 0)
        self.written_pages: set[int] = set()
        self.begin = self.end = 0

    def add(self, time: int, kind: str, offset: int, length: int) -> None:
        self.begin = self.begin or time
        self.end = time
        self.number["requests"] += 1
        self.number["flushes" if kind == "flush" else kind + "s"] += 1
        if kind != "flush":
            self.number[{"read": "read_bytes", "write": "written_bytes", "trim": "trimmed_bytes"}[kind]] += length
        if kind == "write":
            self.written_pages.update(range(offset // PAGE_BYTES, (offset + length - 1) // PAGE_BYTES + 1))
            self.number["pages"] = len(self.written_pages)

    def row(self, name: str) -> str:
        numbers = " | ".join(f"{self.number[column]:,}" for column in COLUMNS)
        return f"| {name} | {(self.end - self.begin) / 1e6:.1f} | {numbers} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("log", type=pathlib.Path)
    parser.add_argument("phases", type=pathlib.Path, help="lines of: DATE TIME NAME")
    parser.add_argument("--csv", type=pathlib.Path, help="write time_ns, operation, offset_bytes, length_bytes here")
    args = parser.parse_args()
    marks = [line.rsplit(" ", 1) for line in args.phases.read_text().splitlines()]
    begins = [(microseconds(stamp), name) for stamp, name in marks]
    # Several threads write the log: neighbours may be out of order by microseconds.
    trace = sorted(requests(args.log), key=lambda request: request[0])
    total, by_phase = Counts(), {name: Counts() for _, name in begins}
    current = 0
    for request in trace:
        while current + 1 < len(begins) and request[0] >= begins[current + 1][0]:
            current += 1
        by_phase[begins[current][1]].add(*request)
        total.add(*request)
    print(f"| phase | seconds | {' | '.join(COLUMNS)} |\n|{' --- |' * (len(COLUMNS) + 2)}")
    for name, counts in [*by_phase.items(), ("all", total)]:
        print(counts.row(name))
    if args.csv:
        with args.csv.open("w", newline="") as out:
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(["time_ns", "operation", "offset_bytes", "length_bytes"])
            start = trace[0][0] if trace else 0
            writer.writerows(((time - start) * 1000, kind, offset, length) for time, kind, offset, length in trace)


if __name__ == "__main__":
    main()
