"""The properties of a trace: the figures of `Trace.analyze`."""

import json
from collections.abc import Mapping
from typing import Any

from rewear.core.writers import Writers
from rewear.figures.frames import Shown


class Analysis(Shown):
    """The properties of a trace: footprint, sizes, rewrite distances, arrivals, overlap and content.

    Figures are read by name, `analysis["rewrites"]["first_writes"]`; `to_dict()` gives all. Histograms are lists of
    classes: `up_to` (the largest value; the smallest is above the class before it), `count` and `weight`. Pages have
    4 KiB, those of `overlap` 8 KiB.
    """

    __slots__ = ("_data",)

    def __init__(self, data: Mapping[str, Any]) -> None:
        """Wraps figures that `Trace.analyze` or `rewear trace analyze --json` produced."""
        self._data = dict(data)

    def __getitem__(self, key: str) -> Any:
        """One analysis, for instance `analysis["footprint"]`."""
        return self._data[key]

    @property
    def name(self) -> str:
        """Name of the trace."""
        return str(self._data["description"]["name"])

    @property
    def requests(self) -> int:
        """Requests of all kinds."""
        return sum(operation["requests"] for operation in self._data["operations"])

    @property
    def who_writes(self) -> Writers | None:
        """Bytes of each file and part of the file system, where the trace tells."""
        found = self._data.get("who_writes")
        return None if found is None else Writers.of(found)

    def operation(self, name: str) -> dict[str, Any] | None:
        """Mix and sizes of `read`, `write`, `overwrite`, `trim`, `flush` or `update-handle`; or `None`."""
        found: list[dict[str, Any]] = [each for each in self._data["operations"] if each["operation"] == name]
        return found[0] if found else None

    def records(self) -> list[dict[str, Any]]:
        """A row an operation: `operation`, `requests`, `bytes`, shares of both, mean, smallest and largest size."""
        keys = ("operation", "requests", "bytes", "share_of_requests", "share_of_bytes")
        sizes = ("mean_bytes", "min_bytes", "max_bytes")
        return [{key: each[key] for key in (*keys, *sizes)} for each in self._data["operations"]]

    def to_dict(self) -> dict[str, Any]:
        """Everything, as plain data (a copy)."""
        copy: dict[str, Any] = json.loads(json.dumps(self._data))
        return copy

    def __repr__(self) -> str:
        return f"<rewear.Analysis of {self.name!r}: {self.requests} requests>"
