"""Lives under random writes over a full drive: what is decided though a recording tells too little."""

from dataclasses import dataclass
from typing import Final

from rewear.advice.row import Row
from rewear.advice.traits import Traits
from rewear.core.trace_proposals import PAGE_BYTES
from rewear.core.workload import Region, Workload

_PAGES = 65_536
"""Pages of 4 KiB that random writes go to, all of them live; a drive of 256 MiB is steady in a second."""
WORSE: Final = 1.25
"""Wear of the worst workload over that of random writes. Greedy cleaning moves more where hot and cold data lie in one
unit: 13% more with a tenth that takes 90% of the writes, 9% more under JESD219 (docs/notebook/advice.md). This is twice
the larger one, set before any drive was judged by it.
"""


@dataclass(frozen=True, slots=True)
class Sure:
    """A drive that lives long enough wherever the recorded bytes go."""

    label: str
    years: float
    """Least life: random writes over the full drive, fewest published P/E cycles, over `WORSE`."""


def random_writes() -> Workload:
    """Random writes of a page over a full drive."""
    return Workload("uniform:read=0").on_region(Region(_PAGES, PAGE_BYTES, 1))


def page_rate(traits: Traits) -> float | None:
    """Bytes of whole pages written a second, which a drive programs at least; `None` without times."""
    return traits.pages_written * PAGE_BYTES / (traits.duration_ns / 1e9) if traits.duration_ns else None


def sure_of(worst: tuple[Row, ...], years: float) -> tuple[Sure, ...]:
    """The drives that live `years` in the worst case, the fewest cells first; `worst` are their rows under it."""
    found = [
        Sure(row.label, row.years.low / WORSE) for row in worst if row.steady and row.follows and row.years is not None
    ]
    return tuple(each for each in found if each.years >= years)
