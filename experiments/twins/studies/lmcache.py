"""Nine LMCache writers on a drive with and without placement identifiers, as LMCache's pull request 4016 has them.

A page stands for 1 MiB. So 983,040 pages are the 960 GiB of the test, and a reclaim unit of 16 GiB has 16,384 pages.
"""

import random
import tempfile
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

from rewear.core.drive import Drive
from rewear.core.trace import Trace

_GIB = 1024
"""Pages of a GiB."""
_CAPACITY_GIB = 960
_CAPACITY_WRITES = 4
_UNIT_GIB = 16


@dataclass(frozen=True)
class Worker:
    """A worker: the identifier of its class, the size of its objects and of its span, in pages of 1 MiB."""

    identifier: int
    object_pages: int
    span_pages: int

    @property
    def objects(self) -> int:
        """Objects that the span holds."""
        return self.span_pages // self.object_pages


WORKERS = (
    *[Worker(0, 4, 90 * _GIB)] * 2,  # chat, churn
    Worker(1, 32, 180 * _GIB),  # long context
    *[Worker(2, 16, 90 * _GIB)] * 2,  # shared prefixes
    *[Worker(3, 2, 90 * _GIB)] * 3,  # random prompts, low reuse
    Worker(4, 1, 45 * _GIB),  # metadata
)
"""The nine workers, which span 855 GiB together."""


def _anywhere(worker: Worker, draws: random.Random) -> Iterator[int]:
    while True:
        yield int(draws.random() * worker.objects)


def _in_order(worker: Worker, _: random.Random) -> Iterator[int]:
    while True:
        yield from range(worker.objects)


def _least_recent(worker: Worker, draws: random.Random) -> Iterator[int]:
    """The object that was used longest ago, where a hit on any object precedes each replacement."""
    used = OrderedDict.fromkeys(range(worker.objects))
    while True:
        used.move_to_end(int(draws.random() * worker.objects))
        oldest = next(iter(used))
        used.move_to_end(oldest)
        yield oldest


REPLACEMENTS: Mapping[str, Callable[[Worker, random.Random], Iterator[int]]] = {
    "random": _anywhere,
    "in order": _in_order,
    "LRU": _least_recent,
}
"""Which object of its span a worker writes next: not published."""

RATES: Mapping[str, Callable[[Worker], float]] = {
    "bytes": lambda worker: 1 / worker.object_pages,
    "objects": lambda _: 1.0,
    "spans": lambda worker: worker.span_pages / worker.object_pages,
}
"""Objects that a worker writes in a time, so that workers write equal bytes, equal objects, or bytes as their spans are
large: not published."""


def _requests(replacement: str, rates: str, pages: int, seed: int) -> Iterator[tuple[int, Worker]]:
    """First page and worker of each object written, until `pages` are."""
    draws = random.Random(seed)
    begins = [0, *accumulate(worker.span_pages for worker in WORKERS)]
    objects = [REPLACEMENTS[replacement](worker, random.Random(f"{seed} {n}")) for n, worker in enumerate(WORKERS)]
    weights = list(accumulate(RATES[rates](worker) for worker in WORKERS))
    while pages > 0:
        (n,) = draws.choices(range(len(WORKERS)), cum_weights=weights)
        worker = WORKERS[n]
        yield begins[n] + next(objects[n]) * worker.object_pages, worker
        pages -= worker.object_pages


def written(
    replacement: str,
    rates: str,
    units: int,
    apart: bool,
    capacity_writes: float = _CAPACITY_WRITES,
    unit_gib: int = _UNIT_GIB,
    seed: int = 1,
) -> tuple[float, float]:
    """Write amplification of the nine workers, over all that they write and over its second half.

    The capacity is written in order first, which is not counted.

    Args:
        replacement: One of `REPLACEMENTS`.
        rates: One of `RATES`.
        units: Reclaim units that the flash has; the capacity has 60 of 16 GiB.
        apart: Whether each of the five classes has an initially isolated reclaim unit handle of its own.
        capacity_writes: Bytes written, in capacities.
        unit_gib: Size of a reclaim unit; the capacity has a whole number of them.
        seed: Seed of the order.

    Raises:
        ConfigurationError: The flash is too small for the open reclaim units.
    """
    settings: dict[str, Any] = {
        "flash.blocks_per_plane": units,
        "ftl.over_provisioning": units * unit_gib / _CAPACITY_GIB - 1,
    }
    if apart:
        handles = len({worker.identifier for worker in WORKERS})
        settings |= {"ftl.streams.scheme": "host", "ftl.streams.handles": handles, "ftl.streams.isolation": "initial"}
    # Eight dies of one plane: their blocks are an erase unit.
    drive = Drive("warp-ssd-a", set={"flash.pages_per_block": unit_gib * _GIB // 8, **settings})
    page = drive.logical_page_bytes
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "writers.csv"
        with path.open("w") as file:
            pages = int(capacity_writes * _CAPACITY_GIB * _GIB)
            for first, worker in _requests(replacement, rates, pages, seed):
                file.write(f"0,write,{first * page},{worker.object_pages * page},{worker.identifier}\n")
        report = drive.replay(Trace(path, format="csv"), precondition="fill", no_time=True)
    whole = report.write_amplification
    assert whole is not None, "the workers wrote"
    # A trial is too short to have a second half.
    return whole, float(report["long_run"]["write_amplification"]) if report["long_run"] else whole


def nine_writers(
    points: Mapping[str, Mapping[str, Any]], capacity_writes: float = _CAPACITY_WRITES
) -> dict[str, dict[str, float]]:
    """Write amplification under the nine workers, by label of the points.

    Args:
        points: Label -> the arguments `replacement`, `rates`, `units` and `apart` of `written`.
        capacity_writes: Bytes written, in capacities.
    """
    found = {label: written(**point, capacity_writes=capacity_writes) for label, point in points.items()}
    return {
        "write_amplification": {label: whole for label, (whole, _) in found.items()},
        "second_half": {label: late for label, (_, late) in found.items()},
    }
