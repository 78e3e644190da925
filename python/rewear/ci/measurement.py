"""Effects of a benchmark on drives, run by run: the answer that is kept, and that the next one is compared with."""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from rewear._core import version
from rewear.errors import ConfigurationError
from rewear.files import read_text, write_text

_SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Recorded:
    """A run of the benchmark, as its recording has it."""

    written_bytes: int
    """Bytes that it writes to the drive."""
    touched_bytes: int
    """Pages of 4 KiB that it touches at least once."""
    streams: int
    """Write hints or placement identifiers that it tells apart; 0 or 1: none."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A drive at a fill, and each figure of every run on it; `None` where a run has none."""

    drive: str
    fill: float
    """Part of what the drive exports that the benchmark's pages take."""
    write_amplification: tuple[float | None, ...]
    runs_of_life: tuple[float | None, ...]
    """How often the whole drive takes the writes of this run until its blocks are worn."""
    p99_ns: tuple[float | None, ...]
    """Response time of writes that one in a hundred exceeds, with requests in flight all the time."""
    fits: tuple[bool, ...] = ()
    """Whether the drive holds the run's pages."""

    @property
    def key(self) -> tuple[str, float]:
        """The values that the same cell of another measurement has, too."""
        return self.drive, self.fill


@dataclass(frozen=True, slots=True)
class Measurement:
    """The benchmark's runs, the drives, and a cell for each drive at each fill."""

    runs: tuple[Recorded, ...]
    footprint_bytes: int
    """Pages by which the drives are sized: those of the largest run of the base."""
    drives: Mapping[str, str]
    """Label -> a digest of the drive's whole description."""
    cells: tuple[Cell, ...]
    rewear: str = version()

    def to_json(self) -> str:
        """As a file keeps it."""
        return json.dumps({"schema": _SCHEMA, **asdict(self)}, indent=1) + "\n"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes `to_json()` to a file."""
        write_text(path, self.to_json())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Measurement":
        """Reads what `save` wrote.

        Raises:
            ConfigurationError: It cannot be read, or is something else; the message says what.
        """
        try:
            data = json.loads(read_text(path, "a file that `rewear ci --out` wrote"))
        except json.JSONDecodeError as error:
            raise ConfigurationError(
                f"{path}, line {error.lineno}: {error.msg}. Name a file that `rewear ci --out` wrote."
            ) from None
        return cls.of(data, str(path))

    @classmethod
    def of(cls, data: Any, name: str) -> "Measurement":
        """The measurement of a JSON document; `name` stands in errors.

        Raises:
            ConfigurationError: It is none, or one of another version.
        """
        remedy = "Measure the base again: rewear ci --out."
        if not isinstance(data, Mapping) or "cells" not in data:
            raise ConfigurationError(f"{name} is no measurement of `rewear ci`. {remedy}")
        if data.get("schema") != _SCHEMA:
            raise ConfigurationError(f"{name} has version {data.get('schema')!r}, this is {_SCHEMA}. {remedy}")
        try:
            found = cls(
                tuple(Recorded(**_known(run, Recorded)) for run in data["runs"]),
                int(data["footprint_bytes"]),
                {str(label): str(digest) for label, digest in data["drives"].items()},
                tuple(_cell(cell) for cell in data["cells"]),
                str(data["rewear"]),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ConfigurationError(f"{name} lacks a part, or has a wrong one: {error}. {remedy}") from None
        found._check(name, remedy)
        return found

    def _check(self, name: str, remedy: str) -> None:
        """Every list of a cell has a figure for each run, and figures are above 0."""
        if not self.runs or self.footprint_bytes < 1 or any(run.written_bytes < 1 for run in self.runs):
            raise ConfigurationError(f"{name} has no run that writes anything. {remedy}")
        for cell in self.cells:
            for values in (cell.write_amplification, cell.runs_of_life, cell.p99_ns, cell.fits):
                if len(values) != len(self.runs):
                    raise ConfigurationError(
                        f"{name}: {cell.drive} at {cell.fill:.0%} has {len(values)} figures for {len(self.runs)} runs. "
                        f"{remedy}"
                    )
                if any(value is not None and not 0 <= value < float("inf") for value in values):
                    raise ConfigurationError(
                        f"{name}: {cell.drive} at {cell.fill:.0%} has a figure that cannot be. {remedy}"
                    )


def _known(table: Mapping[str, Any], kind: type) -> dict[str, Any]:
    return {name: int(table[name]) for name in kind.__slots__}  # type: ignore[attr-defined]


def _cell(table: Mapping[str, Any]) -> Cell:
    def figures(name: str) -> tuple[float | None, ...]:
        return tuple(None if value is None else float(value) for value in table[name])

    return Cell(
        str(table["drive"]),
        float(table["fill"]),
        figures("write_amplification"),
        figures("runs_of_life"),
        figures("p99_ns"),
        tuple(bool(value) for value in table["fits"]),
    )
