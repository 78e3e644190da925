"""Effects of a benchmark on drives, run by run: the answer that is kept, and that the next one is compared with."""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from rewear._core import version
from rewear.core.errors import ConfigurationError
from rewear.core.files import read_text, write_text

_SCHEMA = 2


@dataclass(frozen=True, slots=True)
class Recorded:
    """A run of the benchmark, as its recording has it."""

    written_bytes: int
    """Bytes that it writes to the drive."""
    touched_bytes: int
    """Pages of 4 KiB that it touches at least once."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A drive at a fill, and each figure of every run on it; `None` where a run has none."""

    drive: str
    fill: float
    """Part of what the drive exports that the benchmark's pages take."""
    flash_bytes: tuple[float | None, ...]
    """Bytes programmed into flash for what this run writes."""
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


_LISTS = ("flash_bytes", "write_amplification", "runs_of_life", "p99_ns", "fits")
"""Of a cell, with a value for each run."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """The benchmark's runs, the drives, and a cell for each drive at each fill."""

    runs: tuple[Recorded, ...]
    footprint_bytes: int
    """Pages by which the drives are sized: those of the largest run of either side."""
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
        text = read_text(path, "a file that `rewear ci --out` wrote")
        remedy = "Measure the base again: rewear ci --out."
        try:
            return cls._of(json.loads(text))
        except json.JSONDecodeError as error:
            raise ConfigurationError(f"{path}, line {error.lineno}: {error.msg}. {remedy}") from None
        except ConfigurationError as error:
            raise ConfigurationError(f"{path} {error}. {remedy}") from None
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ConfigurationError(f"{path} lacks a part, or has a wrong one: {error}. {remedy}") from None

    @classmethod
    def _of(cls, data: Any) -> "Measurement":
        """The measurement of a JSON document: every list of a cell has a figure for each run, and none is below 0."""
        if not isinstance(data, Mapping) or "cells" not in data:
            raise ConfigurationError("is no measurement of `rewear ci`")
        if data.get("schema") != _SCHEMA:
            raise ConfigurationError(f"has version {data.get('schema')!r}, this is {_SCHEMA}")
        runs = tuple(Recorded(*(int(run[name]) for name in Recorded.__slots__)) for run in data["runs"])
        footprint = int(data["footprint_bytes"])
        if not runs or footprint < 1 or any(run.written_bytes < 1 for run in runs):
            raise ConfigurationError("has no run that writes anything")
        cells = []
        for cell in data["cells"]:
            place = f"{cell['drive']} at {cell['fill']:.0%}"
            found = [[None if each is None else float(each) for each in cell[name]] for name in _LISTS]
            if wrong := [values for values in found if len(values) != len(runs)]:
                raise ConfigurationError(f"has {len(wrong[0])} figures for {len(runs)} runs of {place}")
            if any(value is not None and not 0 <= value < float("inf") for values in found for value in values):
                raise ConfigurationError(f"has a figure of {place} that cannot be")
            flash, waf, life, p99, fits = map(tuple, found)
            cells.append(Cell(str(cell["drive"]), float(cell["fill"]), flash, waf, life, p99, tuple(map(bool, fits))))
        drives = {str(label): str(digest) for label, digest in data["drives"].items()}
        return cls(runs, footprint, drives, tuple(cells), str(data["rewear"]))
