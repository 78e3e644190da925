"""Several drives, one workload: what each is worth beside the first."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rewear._core import version
from rewear.core.bench import Replay, Say, replays
from rewear.core.drive import Drive, Source, settled
from rewear.core.errors import ConfigurationError
from rewear.core.report import Report
from rewear.core.shared_notes import shared_notes
from rewear.core.trace import Trace
from rewear.core.whole import whole_number
from rewear.core.workload import Workload
from rewear.figures.frames import Shown
from rewear.figures.fullness import note_on_fullness
from rewear.figures.metrics import METRICS
from rewear.figures.uncertainty import Interval, interval_of, ratio_of


@dataclass(frozen=True, slots=True)
class Run:
    """One drive of a comparison and what came of it."""

    label: str
    drive: Drive
    report: Report
    """Of the first seed."""
    repeats: tuple[Report, ...] = ()
    """Of all seeds, the first included; empty where nothing was repeated."""

    @property
    def reports(self) -> tuple[Report, ...]:
        """The reports of all seeds."""
        return self.repeats or (self.report,)


@dataclass(frozen=True, slots=True)
class Comparison(Shown):
    """Reports of several drives under the same workload; the first is the reference."""

    runs: tuple[Run, ...]
    source: Source

    @property
    def reference(self) -> Run:
        """The drive to which the others are related."""
        return self.runs[0]

    @property
    def reports(self) -> tuple[Report, ...]:
        """The reports in the order of the drives."""
        return tuple(run.report for run in self.runs)

    @property
    def notes(self) -> list[tuple[str, str]]:
        """Each note once, with the drives whose reports carry it; see `shared_notes`."""
        partly = note_on_fullness([(run.label, run.report) for run in self.runs])
        return [
            *([("all drives", partly)] if partly else []),
            *shared_notes((run.label, run.report.notes) for run in self.runs),
        ]

    @property
    def repeats(self) -> int:
        """How often each drive was replayed, with a seed of its own each time."""
        return len(self.reference.reports)

    def interval(self, run: Run, value: Callable[[Report], float | None]) -> Interval | None:
        """Mean of a figure over the seeds and its 95% interval; `None` if a report lacks it."""
        values = [found for report in run.reports if (found := value(report)) is not None]
        return interval_of(values) if values and len(values) == len(run.reports) else None

    def ratio(self, run: Run, other: Run, value: Callable[[Report], float | None]) -> Interval | None:
        """A figure of `run` over that of `other` with the same seed, and its 95% interval, if there is one."""
        pairs = [(value(one), value(two)) for one, two in zip(run.reports, other.reports, strict=False)]
        known = [(one, two) for one, two in pairs if one is not None and two is not None]
        if not known or len(known) < max(len(run.reports), len(other.reports)):
            return None
        return ratio_of([one for one, _ in known], [two for _, two in known])

    def relative(self, run: Run) -> dict[str, float | None]:
        """Each figure of `run` divided by the reference's, `None` where either is missing or the reference is 0."""
        ratios: dict[str, float | None] = {}
        for metric in METRICS:
            value, reference = metric.value(run.report), metric.value(self.reference.report)
            ratios[metric.key] = value / reference if value is not None and reference else None
        return ratios

    def records(self) -> list[dict[str, Any]]:
        """A row a drive: `drive` (its label), then every figure by its key (`rewear.figures.metrics.METRICS`)."""
        return [
            {"drive": run.label, **{metric.key: metric.value(run.report) for metric in METRICS}} for run in self.runs
        ]

    def to_dict(self) -> dict[str, Any]:
        """Labels, figures, ratios to the reference full reports, as plain data; intervals of repeated runs."""
        from rewear.comparison.verdict import verdict_of

        verdict = verdict_of(self)
        return {
            "schema": 1,
            "rewear": version(),
            "reference": self.reference.label,
            "region": self.source.region._asdict()
            if isinstance(self.source, Workload) and self.source.region
            else None,
            "seeds": [report.seed for report in self.reference.reports],
            "verdict": {"kind": verdict.kind, "sentence": verdict.sentence},
            "drives": [
                {
                    "label": run.label,
                    "figures": {metric.key: metric.value(run.report) for metric in METRICS},
                    "relative": self.relative(run),
                    **({"intervals": self._intervals(run)} if self.repeats > 1 else {}),
                    "report": run.report.to_dict(),
                }
                for run in self.runs
            ],
        }

    def _intervals(self, run: Run) -> dict[str, Any]:
        """Of each figure over the seeds: mean, low, high, and the same of its ratio to the reference."""
        found: dict[str, dict[str, Interval | None]] = {
            metric.key: {
                "figure": self.interval(run, metric.value),
                "relative": self.ratio(run, self.reference, metric.value),
            }
            for metric in METRICS
        }
        return {key: {of: it and asdict(it) for of, it in each.items()} for key, each in found.items()}


def compare(
    source: Source | str | Path,
    drives: Sequence[Drive | str | tuple[str, Drive]],
    *,
    jobs: int | None = None,
    seeds: int | None = None,
    progress: Say | None = None,
    **options: Any,
) -> Comparison:
    """Replays one source on several drives, on `jobs` threads at a time.

    With `seeds` above 1 each drive is replayed as often, with the seeds that follow that of the options. They are
    seeds of the workload unless it names one, and of the drive's state. Figures then have intervals, and a difference
    within its interval is none.

    Examples:
        >>> import rewear
        >>> comparison = rewear.compare(rewear.Workload("uniform:requests=1000"), ["qlc", "qlc-op28"])
        >>> comparison.reference.label
        'qlc'

    Args:
        source: A `Trace`, a `Workload`, or the path of a trace.
        drives: Drives, presets or paths, or pairs of a label and a drive; the first is the reference.
        jobs: Replays at a time; the number of cores unless given. The result does not depend on it.
        seeds: Replays of each drive, 1 unless given.
        progress: Called with a drive's label and its `Progress`; an exception that it raises stops all.
        options: Those of `Drive.replay`.

    Raises:
        ConfigurationError: No drive was given, or two drives have the same label.
        RewearError: Whatever `Drive.replay` raises; the other replays are stopped.
    """
    if isinstance(source, str | Path):
        source = Trace(source)
    if not isinstance(source, Trace | Workload) or isinstance(drives, Trace | Workload | str | Path):
        raise ConfigurationError(
            "The source comes first and the drives after it, in a list: "
            'rewear.compare(rewear.Workload("uniform"), ["qlc", "tlc"]).'
        )
    labelled = [_labelled(drive) for drive in drives]
    _check_labels([label for label, _ in labelled])
    seeds = whole_number("seeds", 1 if seeds is None else seeds)
    first = 1 if options.get("seed") is None else options["seed"]
    sources = [settled(source, [drive for _, drive in labelled], first + turn) for turn in range(seeds)]
    labels = [label if seeds == 1 else f"{label} #{turn + 1}" for label, _ in labelled for turn in range(seeds)]
    given = [options if seeds == 1 else {**options, "seed": first + turn} for turn in range(seeds)]
    turns = [(drive, sources[turn], given[turn]) for _, drive in labelled for turn in range(seeds)]
    done = replays([Replay(label, *turn) for label, turn in zip(labels, turns, strict=True)], jobs, progress)
    found = [tuple(done[start : start + seeds]) for start in range(0, len(done), seeds)]
    runs = [
        Run(label, drive, each[0], each if seeds > 1 else ())
        for (label, drive), each in zip(labelled, found, strict=True)
    ]
    return Comparison(tuple(runs), sources[0])


def _labelled(drive: Drive | str | tuple[str, Drive]) -> tuple[str, Drive]:
    if isinstance(drive, tuple):
        return drive
    if isinstance(drive, str):
        drive = Drive(drive)
    return drive.name, drive


def _check_labels(labels: Sequence[str]) -> None:
    if not labels:
        raise ConfigurationError("There is no drive to compare. Name at least one preset or TOML file.")
    for label in labels:
        if labels.count(label) > 1:
            raise ConfigurationError(
                f"Two drives are called {label!r}. Give them labels, as in first={label} second={label}:key=value."
            )
