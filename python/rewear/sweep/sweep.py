"""A sweep: many runs described in one file, done once."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rewear.core.errors import ConfigurationError
from rewear.core.strict import read_toml, table_of
from rewear.figures.frames import html_table
from rewear.sweep.execute import PATIENCE_S, finish
from rewear.sweep.file import Description, parse
from rewear.sweep.grid import Job, jobs_of
from rewear.sweep.results import Results, Row, row_of
from rewear.sweep.settings import problem_with
from rewear.sweep.settle import Settled, settle
from rewear.sweep.store import DEFAULT_STORE, Outcome, Store, Work

if TYPE_CHECKING:
    from distributed import Client


class Ended(NamedTuple):
    """How far the runs have come, each time that one has ended."""

    row: Row
    done: int
    """Runs that have ended, those found finished included."""
    total: int


class Sweep:
    """Runs over drives, parameters, workloads and seeds, described by a TOML file (see `docs/manual/sweeps.md`).

    Examples:
        >>> from rewear.sweep import Sweep
        >>> sweep = Sweep.from_toml('''
        ... base.drive = "qlc"
        ... base.workload = "uniform:requests=1000"
        ... axes.seed = [1, 2, 3]
        ... ''')
        >>> [job.label for job in sweep.jobs]
        ['seed=1', 'seed=2', 'seed=3']
    """

    __slots__ = ("description", "folder", "jobs", "origin")

    def __init__(
        self,
        description: Description,
        folder: Path,
        origin: str,
        quick: bool = False,
        set: Mapping[str, Any] | None = None,
    ) -> None:
        """A sweep of what was read from a file; `from_file` and `from_toml` read one."""
        self.description = description
        self.folder = folder
        self.origin = origin
        for key, value in (set or {}).items():
            problem = problem_with(key, value)
            if problem is not None:
                raise ConfigurationError(f"The setting {key}: {problem}")
        last = [*([description.quick] if quick else []), set or {}]
        self.jobs: tuple[Job, ...] = jobs_of(description.base, description.axes, description.cases, last)

    @classmethod
    def from_file(
        cls, path: str | os.PathLike[str], *, quick: bool = False, set: Mapping[str, Any] | None = None
    ) -> "Sweep":
        """Reads a sweep file. Files that it names are looked for in its folder.

        Args:
            path: The file.
            quick: Apply its settings for a trial run; 10,000 requests a run if it has none.
            set: Settings that win over those of the file, by dotted key.

        Raises:
            ConfigurationError: The file cannot be read, or is wrong; the message names the line.
        """
        path = Path(path)
        folder = path.resolve().parent
        return cls(parse(read_toml(path), folder), folder, str(path), quick, set)

    @classmethod
    def from_toml(
        cls,
        text: str,
        origin: str = "<text>",
        folder: str | os.PathLike[str] = ".",
        *,
        quick: bool = False,
        set: Mapping[str, Any] | None = None,
    ) -> "Sweep":
        """A sweep described by TOML text; `origin` is its name in messages, `folder` where its files are."""
        folder = Path(folder).resolve()
        return cls(parse(table_of(text, Path(origin)), folder), folder, origin, quick, set)

    @property
    def name(self) -> str:
        """Name of the sweep."""
        return self.description.name

    def run(
        self,
        scheduler: "str | Client | None" = None,
        *,
        workers: int | None = None,
        patience_s: float = PATIENCE_S,
        store: str | os.PathLike[str] = DEFAULT_STORE,
        progress: Callable[[Ended], object] | None = None,
    ) -> Results:
        """Does all runs that are not among the finished ones yet.

        Args:
            scheduler: Address of a dask scheduler, or a client of one; threads of this process unless given.
            workers: Threads of this process; one a core unless given.
            patience_s: How long runs wait for a worker where there is none, in seconds.
            store: Folder of finished runs.
            progress: Called when a run ends. An exception that it raises stops the sweep; what is finished stays so.

        Raises:
            ConfigurationError: A run lacks a drive or a source, or no run of the sweep can be made.
            RewearError: There is no scheduler, or its workers are not fit, or gone.
        """
        finished, settled = Store(store), self.settle()
        rows: dict[int, Row] = {}
        waiting: dict[str, list[Settled]] = {}

        def end(run: Settled, outcome: Outcome, replayed: bool) -> None:
            row = rows[id(run)] = row_of(run, outcome, replayed)
            if progress is not None:
                progress(Ended(row, len(rows), len(settled)))

        def ended(task: Work, outcome: Outcome, replayed: bool) -> None:
            for run in waiting[task.key]:
                end(run, outcome, replayed)

        for run in settled:
            if run.task is None:
                end(run, Outcome(None, run.reason), replayed=False)
            else:
                waiting.setdefault(run.task.key, []).append(run)
        tasks = [runs[0].task for runs in waiting.values() if runs[0].task is not None]
        finish(tasks, finished, ended, scheduler, workers, patience_s)
        return Results(self.description, tuple(rows[id(run)] for run in settled))

    def settle(self) -> list[Settled]:
        """Every job with its task, or the reason why it has none.

        Raises:
            ConfigurationError: None has one.
        """
        try:
            settled = settle(self.jobs, self.folder, self.description.region)
        except ConfigurationError as error:
            raise ConfigurationError(f"{self.origin}: {error}") from None
        if all(run.task is None for run in settled):
            first = settled[0]
            raise ConfigurationError(
                f"{self.origin}: no run of this sweep can be made. The first, {first.job.label!r}: {first.reason}"
            )
        return settled

    def _repr_html_(self) -> str:
        axes = [(axis.name, ", ".join(point.label for point in axis.points)) for axis in self.description.axes]
        return html_table(f"Sweep {self.name}: {len(self.jobs)} runs", ("axis", "points"), axes)

    def __repr__(self) -> str:
        return f"<rewear.sweep.Sweep {self.name!r}: {len(self.jobs)} runs>"
