"""Figures of each interval of simulated time."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, overload

from rewear.frames import Frames


@dataclass(frozen=True, slots=True)
class SeriesInterval:
    """One interval, by the arrival of requests. Pages are physical pages unless the name says `host`."""

    start_ns: int
    """Begin of the interval in simulated nanoseconds."""
    reads: int
    """Read requests that arrived."""
    writes: int
    """Write requests that arrived."""
    read_mean_ns: float | None
    """Mean response time of these reads; `None` if there was none."""
    write_mean_ns: float | None
    """Mean response time of these writes; `None` if there was none."""
    read_max_ns: int
    """Longest response time of a read; 0 if there was none."""
    write_max_ns: int
    """Longest response time of a write; 0 if there was none."""
    host_pages_written: int
    """Logical pages that the host wrote."""
    pages_programmed: int
    """Pages programmed, for whatever cause."""
    pages_moved: int
    """Logical pages that cleaning moved."""
    erases: int
    """Blocks erased."""


class Series(Frames, Sequence[SeriesInterval]):
    """The intervals of a replay in the order of time, those in which nothing arrived left out.

    A row each in `to_arrow()`, `to_pandas()` and `to_polars()`; the columns are the fields of `SeriesInterval`.
    """

    __slots__ = ("_intervals",)

    def __init__(self, intervals: Sequence[Mapping[str, Any]]) -> None:
        """Wraps `report["series"]`; keys that a later version adds are left out."""
        names = [field.name for field in fields(SeriesInterval)]
        self._intervals = tuple(SeriesInterval(*(interval[name] for name in names)) for interval in intervals)

    @overload
    def __getitem__(self, index: int) -> SeriesInterval: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[SeriesInterval]: ...
    def __getitem__(self, index: int | slice) -> SeriesInterval | Sequence[SeriesInterval]:
        return self._intervals[index]

    def __len__(self) -> int:
        return len(self._intervals)

    def __iter__(self) -> Iterator[SeriesInterval]:
        return iter(self._intervals)

    def records(self) -> list[dict[str, Any]]:
        """A row an interval: the fields of `SeriesInterval`."""
        return [asdict(interval) for interval in self._intervals]

    def __repr__(self) -> str:
        return f"<rewear.Series of {len(self)} intervals>"
