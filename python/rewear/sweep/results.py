"""Results of a sweep: a row for every run."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from rewear.comparison.verdict import too_short
from rewear.core.errors import ConfigurationError
from rewear.core.report import Report
from rewear.core.toml_text import flat
from rewear.figures.frames import Shown, write_table
from rewear.figures.fullness import note_on_fullness
from rewear.sweep.file import Description
from rewear.sweep.grid import Job
from rewear.sweep.settle import Settled
from rewear.sweep.store import Outcome

Status = Literal["complete", "stopped", "failed"]
"""Replayed to the end; ended early because the drive wore out or ran full; not replayed at all."""


@dataclass(frozen=True, slots=True)
class Row:
    """One run."""

    settled: Settled
    report: Report | None
    """The report of the replay; `None` if it failed."""
    failure: str | None = None
    """Why it failed."""
    took_s: float = 0.0
    """Time that the replay took on its worker, also if that was in an earlier sweep."""
    replayed: bool = False
    """Whether it was run now and not found among the finished ones."""

    @property
    def job(self) -> Job:
        """Where the run lies in the sweep and what was set for it."""
        return self.settled.job

    @property
    def key(self) -> str | None:
        """Hash of configuration, requests, options and version; `None` if the drive could not be made."""
        return None if self.settled.task is None else self.settled.task.key

    @property
    def status(self) -> Status:
        """How the run ended."""
        if self.report is None:
            return "failed"
        return "complete" if self.report.complete else "stopped"

    @property
    def reason(self) -> str | None:
        """Why the run is not complete."""
        return self.failure if self.report is None else self.report.stopped_because

    def columns(self, values: Mapping[tuple[str, str], Any]) -> dict[str, Any]:
        """The row as named columns; `values` are those of the points by name of the axis and label."""
        settings, drive = self.job.settings, self.settled.drive
        axes = {f"axis.{name}": values.get((name, label), label) for name, label in self.job.coordinates.items()}
        if self.report is not None:
            figures = report_columns(self.report.to_dict())
        else:
            figures = {} if drive is None else configuration_columns(drive.name, drive.configuration)
        return {
            "key": self.key,
            "run": self.job.label,
            "status": self.status,
            "reason": self.reason,
            **axes,
            "drive": settings["drive"],
            "workload": settings.get("workload", settings.get("trace")),
            **figures,
            "seed": settings.get("seed", 1),
        }


def row_of(settled: Settled, outcome: Outcome, replayed: bool) -> Row:
    """The row of a run that has ended; `replayed` tells whether it was run now."""
    report = None if outcome.report is None else Report(outcome.report)
    return Row(settled, report, outcome.reason, outcome.took_s, replayed)


@dataclass(frozen=True, slots=True)
class Results(Shown):
    """All runs of a sweep, in the order of its file."""

    description: Description
    rows: tuple[Row, ...]

    @property
    def complete(self) -> bool:
        """Whether every run was replayed to its end."""
        return all(row.status == "complete" for row in self.rows)

    @property
    def notes(self) -> list[str]:
        """Notes for readers of all runs together, beside those of their reports."""
        partly = note_on_fullness([(row.job.label, row.report) for row in self.rows if row.report is not None])
        return [note for note in (self._too_short(), partly) if note]

    def _too_short(self) -> str:
        """How many runs say little about wear, and why the first of them; empty where all say enough."""
        short = [(row.job.label, row.report) for row in self.rows if row.report is not None and row.report.too_short]
        if not short:
            return ""
        which = "All runs" if len(short) == len(self.rows) else f"{len(short)} of {len(self.rows)} runs"
        return (
            f"{which} are too short to tell the wear, and none of them is named as the best. The first is "
            f"{too_short(*short[0])}"
        )

    def select(self, **coordinates: str) -> list[Row]:
        """The rows at these labels of these axes, such as `select(victim="greedy")`, or `select(case="plain")`.

        Raises:
            ConfigurationError: There is no such axis or label.
        """
        for name, label in coordinates.items():
            if all(row.job.coordinates.get(name) != label for row in self.rows):
                raise ConfigurationError(
                    f"No run of {self.description.name} has {name} = {label!r}. See the axes of its file."
                )
        return [row for row in self.rows if coordinates.items() <= row.job.coordinates.items()]

    def records(self) -> list[dict[str, Any]]:
        """A dictionary of named columns for each run; a column that a run does not have is left out."""
        values = {(axis.name, point.label): point.value for axis in self.description.axes for point in axis.points}
        return [row.columns(values) for row in self.rows]

    def to_dict(self) -> dict[str, Any]:
        """Name, notes and a row for each run, as plain data."""
        return {"schema": 1, "sweep": self.description.name, "notes": self.notes, "rows": self.records()}

    def save_table(self, path: str | os.PathLike[str]) -> None:
        """Writes `records()` to a Parquet file, or as CSV if its name ends in `.csv`; it is replaced as a whole."""
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        write_table(self.records(), path)


_CONFIGURATION = "drive.configuration."
_LEFT_OUT = ("schema", "drive.derived", "drive.configuration.name", "drive.configuration.description")


def report_columns(report: Mapping[str, Any]) -> dict[str, Any]:
    """Every figure of a report by its dotted name, such as `latency_ns.write.p99`; what does not exist is left out.

    Parameters of the drive have the name under which `--set` takes them, derived quantities begin with `derived.`.
    """
    columns = {key.removeprefix(_CONFIGURATION): value for key, value in flat(report) if key not in _LEFT_OUT}
    columns.update({f"derived.{item['key']}": item["value"] for item in report["drive"]["derived"]})
    return {key: value for key, value in columns.items() if value is not None}


def configuration_columns(name: str, configuration: Mapping[str, Any]) -> dict[str, Any]:
    """The part of those columns that is known before a run."""
    return report_columns({"drive": {"name": name, "configuration": configuration, "derived": []}})
