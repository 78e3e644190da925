"""The result of one replay."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, TypedDict

from rewear.core.ask import ask
from rewear.core.errors import ReplayError
from rewear.figures.frames import Frames, html_table


class Report(Frames):
    """Statistics of one replay, in the one schema of Rewear.

    Every top-level key of the schema is an attribute (`report.erases`), `None` where the replay has none. `figure`
    reads any figure of `rewear.figures.metrics.BOOK` by its key, `at` whatever stands at a dotted path.
    `rewear.ask("schema.report")` describes the keys. `to_dict()` and `to_json()` have the drive's full configuration,
    its derived quantities and the seed, so a report can be repeated from itself. Pages are physical pages unless the
    name says `host`; times are integer nanoseconds of simulated time.
    """

    __slots__ = ("_data",)

    def __init__(self, data: Mapping[str, Any]) -> None:
        """Wraps statistics that `Drive.replay` or `rewear run --json` produced."""
        self._data = dict(data)

    @classmethod
    def from_json(cls, text: str) -> "Report":
        """Reads what `to_json()` or `rewear run --json` wrote."""
        return cls(json.loads(text))

    def to_dict(self) -> dict[str, Any]:
        """Everything, as plain dictionaries, lists and numbers (a copy)."""
        copy: dict[str, Any] = json.loads(json.dumps(self._data))
        return copy

    def to_json(self, indent: int | None = 2) -> str:
        """Everything, as JSON text. The same replay gives the same bytes."""
        return json.dumps(self._data, indent=indent, ensure_ascii=False)

    def records(self) -> list[dict[str, Any]]:
        """One row: `drive`, then every figure of a comparison by its key (`rewear.figures.metrics.METRICS`)."""
        from rewear.figures.metrics import METRICS

        return [{"drive": self.drive_name, **{metric.key: metric.value(self) for metric in METRICS}}]

    def _repr_html_(self) -> str:
        from rewear.figures.metrics import metrics_for

        pairs = [(metric.title, metric.format(self)) for metric in metrics_for([self])]
        return html_table(f"{self['source']['name']} on {self.drive_name}", ("", ""), pairs, self.notes)

    def __getitem__(self, key: str) -> Any:
        """A top-level entry of the schema, for instance `report["busy_ns"]`."""
        return self._data[key]

    def __getattr__(self, key: str) -> Any:
        if key.startswith("_") or key not in _keys():
            raise AttributeError(f"A report has no {key!r}.")
        return self._data.get(key)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *_keys()})

    def figure(self, key: str) -> float | None:
        """A figure by its key (`rewear.figures.metrics.BOOK`) or dotted path; `None` where it does not exist.

        Examples:
            >>> import rewear
            >>> report = rewear.Drive("qlc").replay(rewear.Workload("uniform:requests=1000"))
            >>> report.figure("flash_per_exported_byte") > 1
            True
        """
        from rewear.figures.metrics import figure_named

        return figure_named(key).value(self)

    def at(self, path: str) -> Any:
        """The value at a dotted path, such as `latency_ns.write.p99` or `derived.blocks`; `None` where there is none.

        Parameters of the drive have the names under which `--set` takes them.
        """
        first, _, rest = path.partition(".")
        if first == "derived":
            return self.derived.get(rest)
        found: Any = self._data if first in self._data else self._data["drive"]["configuration"]
        for name in path.split("."):
            found = found.get(name) if isinstance(found, Mapping) else None
        return found

    @property
    def drive_name(self) -> str:
        """Name of the drive."""
        return str(self._data["drive"]["name"])

    @property
    def derived(self) -> dict[str, Any]:
        """Derived quantities of the drive by key, for instance `exported_bytes`."""
        return {quantity["key"]: quantity["value"] for quantity in self._data["drive"]["derived"]}

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for readers of the figures, for instance that garbage collection never ran."""
        return tuple(self._data["notes"])

    @property
    def streams(self) -> list[dict[str, Any]] | None:
        """Pages by stream, where `ftl.streams` counts them; `None` on other drives.

        A row for each placement identifier (`host`) or class (`sep-bit`). Keys: `stream`, `pages_written`,
        `bytes_written`, `pages_moved`, and `write_amplification`, `None` where pages change their stream when moved.
        """
        streams: dict[str, Any] | None = self._data.get("streams")
        return None if streams is None else list(streams["rows"])

    @property
    def simulated_ns(self) -> int:
        """Simulated time of the replay, in nanoseconds.

        Raises:
            ReplayError: The replay kept no time.
        """
        time = self._data["simulated_ns"]
        if time is None:
            raise ReplayError("This replay kept no time, so it has no simulated time. Replay without no_time.")
        return int(time)

    @property
    def series(self) -> "Series | None":
        """Figures of each interval of simulated time, or `None` unless `interval_s` was given."""
        series = self._data.get("series")
        return None if series is None else Series(series)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Report) and self._data == other._data

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        state = "complete" if self.complete else "incomplete"
        figures = f"{self.host_pages_written} host pages written, {self.erases} erases"
        return f"<rewear.Report of {self.drive_name!r}: {figures}, {state}>"


class SeriesInterval(TypedDict):
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


class Series(Frames, list[SeriesInterval]):
    """The intervals of a replay in the order of time, those in which nothing arrived left out.

    A row each in `to_arrow()`; the columns are the keys of `SeriesInterval`.
    """

    __slots__ = ()

    def records(self) -> list[dict[str, Any]]:
        """A row an interval: the keys of `SeriesInterval`."""
        return [dict(interval) for interval in self]


@cache
def _keys() -> frozenset[str]:
    """The top-level keys of the schema."""
    return frozenset(ask("schema.report")["properties"])
