"""Sizes the drives, replays the workload on them, and ranks what comes of it."""

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

from rewear.advice.advice import Advice, Row, front_of, life_of, ranked, response_of
from rewear.advice.chips import Chip, chip
from rewear.advice.elsewhere import Trial, elsewhere, trials
from rewear.advice.figures import FIGURES
from rewear.advice.notes import notes_of, volume_note
from rewear.advice.plan import DEFAULT_RATIO, Plan, make_plan
from rewear.advice.rivals import Excluded, Rival, candidates, combinations
from rewear.advice.sizing import DoesNotFitError, Sized, drive_for, flash_layout
from rewear.advice.traits import Traits, traits_of
from rewear.drive import Drive, Source
from rewear.errors import ConfigurationError, ReplayError, TraceError
from rewear.progress import Progress
from rewear.report import Report
from rewear.trace import Trace
from rewear.units import format_bytes
from rewear.whole import whole_number
from rewear.workload import Region, Workload

__all__ = ["MOST_SLOWDOWN", "SLOWDOWN", "advise"]

_QUEUE_DEPTH = 8
SLOWDOWN = 1.5
"""Most times the plain drive's mean response of the drive to take, unless something else is asked for."""
MOST_SLOWDOWN = 1e6
_OVERLOADED_NS = 100_000_000
"""Mean response of the plain drive above which requests at the trace's own times measure a queue, not a drive."""
_WORKLOAD_BYTES = 1024**3
"""Capacity for a made-up workload where none is asked for."""
_MOST_BYTES = 4 * 1024**3
"""Capacity above which a made-up workload is replayed on a smaller drive and its figures are scaled."""
_LESS_FLASH = (("plain, 28% spare space", 1.28), ("plain, 7% spare space", 1.07))
"""References with less flash: label and flash over capacity."""

_TRIAL: dict[str, Any] = {"precondition": "fill", "arrival": "closed", "queue_depth": _QUEUE_DEPTH}
"""How a technique is tried on the workload it was made for."""

Say = Callable[[Progress], object]


@dataclass(frozen=True, slots=True)
class Job:
    """One replay."""

    sized: Sized
    name: str
    """Under which its report is kept."""
    seed: int
    source: Source
    trial: bool = False
    """Whether it is on a workload of the technique's own."""


def _trial_name(trial: Trial, rival: Rival) -> str:
    return f"{rival.label} under {trial.source.spec}"


def advise(
    source: Source | str | Path,
    chip_name: str = "qlc",
    *,
    flash_bytes: int | None = None,
    capacity_bytes: int | None = None,
    arrival: Literal["trace", "closed"] | None = None,
    queue_depth: int = _QUEUE_DEPTH,
    slowdown: float = SLOWDOWN,
    seeds: int = 3,
    jobs: int | None = None,
    progress: Callable[[str, Progress], object] | None = None,
) -> Advice:
    """Finds out which technique helps a workload, by replaying it on drives of the same flash and capacity.

    Examples:
        >>> import rewear
        >>> advice = rewear.advise(rewear.Workload("zipf:requests=20000,pages=8000"), "mlc", seeds=1)
        >>> advice.best.label in [row.label for row in advice.rows]
        True

    Args:
        source: A `Trace`, a `Workload`, or the path of a trace.
        chip_name: One of `rewear.advice.chips()`.
        flash_bytes: Raw flash of the drive; 2.14 times the capacity unless given.
        capacity_bytes: What the drive exports; what the workload needs unless given. A drive larger than the
            workload is replayed at the size of the workload: life and controller RAM are scaled, as
            `Advice.to_dict()["scaling"]` says.
        arrival: As in `Drive.replay`; unless given, the trace's times if the plain drive keeps up with them.
        queue_depth: Requests in flight with `closed`.
        slowdown: Most times the plain drive's mean response that the drive to take may have, 1 to 1e6.
        seeds: Seeds of which each final drive gets a run, 1 to 10; the intervals are over them.
        jobs: Replays at a time, on threads that do not wait for each other; the number of cores unless given.
        progress: Called with a label and a `Progress`; an exception that it raises stops all.

    Raises:
        ConfigurationError: There is no such chip, or the sizes do not go together, or nothing is written.
        RewearError: Whatever `Drive.replay` raises.
    """
    taken = chip(chip_name)
    seeds = whole_number("seeds =", seeds, 1, 10)
    if not 1.0 <= slowdown <= MOST_SLOWDOWN:
        raise ConfigurationError(f"slowdown = {slowdown} is no factor of a response. Give 1 to {MOST_SLOWDOWN:g}.")
    if isinstance(source, str | Path):
        source = Trace(source)
    if isinstance(source, Workload) and source.region is None:
        asked = capacity_bytes or (round(flash_bytes / DEFAULT_RATIO) if flash_bytes else _WORKLOAD_BYTES)
        source = source.on_region(Region(min(asked, _MOST_BYTES) // taken.page_bytes, taken.page_bytes, 1))

    def say(state: Progress) -> object:
        return None if progress is None else progress("advise", state)

    traits = traits_of(source, say)
    plan = make_plan(traits, taken, flash_bytes, capacity_bytes, seeds)
    return _Study(source, taken, traits, plan, queue_depth, jobs, say).advice(arrival, slowdown)


class _Study:
    """One workload on one chip."""

    def __init__(
        self, source: Source, taken: Chip, traits: Traits, plan: Plan, queue_depth: int, jobs: int | None, say: Say
    ) -> None:
        self.source, self.chip, self.traits, self.plan, self.say = source, taken, traits, plan, say
        self.flash = flash_layout(taken, plan.model_flash_bytes)
        self.jobs = jobs or os.cpu_count() or 1
        self.options: dict[str, Any] = {
            "precondition": "fill",
            "fit": plan.fit,
            "loops": plan.loops,
            "max_requests": plan.max_requests,
            "queue_depth": queue_depth,
        }
        if plan.warm_up:
            self.options["warm_up"] = plan.warm_up
        self.reports: dict[tuple[str, int], Report] = {}
        """By the name of a drive, which differs also between workloads, and the seed."""

    def advice(self, arrival: Literal["trace", "closed"] | None, slowdown: float) -> Advice:
        rivals, excluded = candidates(self.chip, self.traits)
        rivals += [
            Rival(label, "plain", "plain", flash_share=share / self.plan.ratio)
            for label, share in _LESS_FLASH
            if share < self.plan.ratio * 0.99
        ]
        sized, too_large = self._sized(rivals)
        excluded += too_large
        rivals = [rival for rival in rivals if rival.label in sized]
        notes = [note for note in (volume_note(self.traits),) if note]
        notes += self.plan.notes
        self.options["arrival"] = arrival or self._arrival(sized[rivals[0].label], notes)
        self._replay([Job(sized[rival.label], rival.label, 1, self.source) for rival in rivals], "trying techniques")
        plain = rivals[0]
        seen = {rival.label: self._row(rival, sized[rival.label], (1,), rivals) for rival in rivals}
        best = _best_of_each(seen)
        helpful = [rival for rival in best if _helps(seen[rival.label], seen[plain.label])]
        together = combinations(sorted(helpful, key=lambda rival: _gain(seen[rival.label]), reverse=True))
        more, _ = self._sized(together)
        together = [rival for rival in together if rival.label in more]
        sized |= more
        self._replay([Job(sized[rival.label], rival.label, 1, self.source) for rival in together], "combining the best")
        everything = [*rivals, *together]
        seen |= {rival.label: self._row(rival, sized[rival.label], (1,), everything) for rival in together}
        unbeaten = front_of([seen[rival.label] for rival in (*best, *together) if rival.flash_share == 1.0])
        finals = [*best, *(rival for rival in together if seen[rival.label] in unbeaten)]
        others = trials(excluded, self.chip, self.traits, self.plan.ratio)
        self._confirm(finals, sized, others)
        rows = [self._row(rival, sized[rival.label], self.plan.seeds, everything) for rival in finals]
        tried = [seen[rival.label] for rival in everything if rival not in finals]
        elsewheres = [elsewhere(trial, partial(self._elsewhere_row, trial)) for trial in others]
        notes += notes_of(self.traits, self.plan, rows)
        used = rows[0].reports[0]["replay"]
        return Advice(
            self.traits, self.chip, self.plan, slowdown, used["arrival_used"], used["queue_depth"], ranked(rows),
            ranked(tried), tuple(excluded), tuple(elsewheres), tuple(notes),
        )  # fmt: skip

    def _confirm(self, finals: Sequence[Rival], sized: Mapping[str, Sized], others: Sequence[Trial]) -> None:
        """All seeds of the final drives, and the trials; a drive on which two seeds agree draws nothing."""
        first, *more = self.plan.seeds
        jobs = [
            Job(sized[rival.label], rival.label, seed, self.source)
            for rival in finals
            for seed in (first, *more[:1])
            if (rival.label, seed) not in self.reports
        ]
        jobs += [
            Job(drive, _trial_name(trial, rival), 1, trial.source, trial=True)
            for trial in others
            for rival, drive in zip(trial.rivals, trial.sized, strict=True)
        ]
        self._replay(jobs, "confirming the best")
        drawing = [rival for rival in finals if more and not self._same(rival.label, first, more[0])]
        self._replay(
            [
                Job(sized[rival.label], rival.label, seed, self.source)
                for rival in drawing
                for seed in more[1:]
                if (rival.label, seed) not in self.reports
            ],
            "repeating what differs by seed",
        )
        for rival in finals:
            for seed in more[1:]:
                self.reports.setdefault((rival.label, seed), self.reports[rival.label, first])

    def _same(self, label: str, one: int, other: int) -> bool:
        """Whether two seeds gave the same figures."""
        first, second = self.reports[label, one], self.reports[label, other]
        same_life = (first.life or {}).get("tbw_bytes") == (second.life or {}).get("tbw_bytes")
        return same_life and all(value(first) == value(second) for value in FIGURES.values())

    def _elsewhere_row(self, trial: Trial, rival: Rival, sized: Sized) -> Row:
        return Row(rival, sized, (self.reports[_trial_name(trial, rival), 1],), 1.0)

    def _sized(self, rivals: Sequence[Rival]) -> tuple[dict[str, Sized], list[Excluded]]:
        """The drives by label, and the techniques none of whose settings fits the flash."""
        sized: dict[str, Sized] = {}
        reasons: dict[str, str] = {}
        fitting: set[str] = set()
        for number, rival in enumerate(rivals, 1):
            try:
                sized[rival.label] = drive_for(
                    rival, self.flash, self.plan.model_exported_bytes, f"advice-{number}",
                    f"Made by rewear advise for {self.traits.name}; flash: preset {self.chip.preset}, scaled.",
                )  # fmt: skip
                self._check_footprint(sized[rival.label].drive)
                fitting.add(rival.technique)
            except DoesNotFitError as error:
                sized.pop(rival.label, None)
                wanted = format_bytes(self.plan.model_exported_bytes)
                where = " on the replayed drives" if self.plan.is_scaled else ""
                reasons[rival.technique] = (
                    f"{rival.label} {error}; {wanted} and spare space are wanted{where}. Give more flash."
                )
        return sized, [Excluded(name, reason) for name, reason in reasons.items() if name not in fitting]

    def _check_footprint(self, drive: Drive) -> None:
        """Raises where pages that the workload touches sparsely fill more of a drive that maps larger ones.

        Raises:
            DoesNotFitError: They do not fit.
        """
        mapped = drive.logical_page_bytes
        if self.plan.fit is None or mapped <= self.chip.page_bytes:
            return
        try:
            # Numbering the pages comes before the first request.
            drive.replay(self.source, fit=self.plan.fit, precondition="none", max_requests=1)
        except (ReplayError, TraceError):
            raise DoesNotFitError(
                f"maps {format_bytes(mapped)} at a time, of which the workload touches more than the drive exports"
            ) from None

    def _arrival(self, plain: Sized, notes: list[str]) -> str | None:
        """The trace's own times, if the plain drive can keep up with them."""
        if self.traits.duration_ns is None:
            # A trace without times, or of a moment: requests wait for each other. A workload says itself.
            if not isinstance(self.source, Trace):
                return None
            notes.append(
                f"The recording has no times: {self.options['queue_depth']} requests are kept in flight, which decides "
                "the response times, and lives are bytes written, not years."
            )
            return "closed"
        self.say(Progress("can a plain drive keep up?", 0, None))
        report = plain.drive.replay(self.source, **{**self.options, "arrival": "trace", "loops": 1, "warm_up": None})
        mean = report.mean_response_ns or 0.0
        if mean <= _OVERLOADED_NS:
            return "trace"
        notes.append(
            f"At the recorded times requests pile up on the plain drive (mean response {mean / 1e9:.1f} s), so "
            f'{self.options["queue_depth"]} requests are kept in flight instead; the arrival "trace" replays the times.'
        )
        return "closed"

    def _replay(self, jobs: Sequence["Job"], phase: str) -> None:
        """Replays on threads; the first error, or Ctrl-C, ends all."""
        stop, lock, done = threading.Event(), threading.Lock(), 0
        if not jobs:
            return
        self.say(Progress(phase, 0, len(jobs)))

        def run(job: Job) -> None:
            nonlocal done

            def watch(_: Progress) -> None:
                if stop.is_set():
                    raise _StoppedError

            drive = job.sized.drive
            if "seed" in drive.configuration["reuse"] and job.seed > 1:
                drive = Drive.from_toml(job.sized.toml, job.name, {"reuse.seed": job.seed})
            options = _TRIAL if job.trial else self.options
            report = drive.replay(job.source, seed=job.seed, progress=watch, **options)
            with lock:
                self.reports[job.name, job.seed] = report
                done += 1
                self.say(Progress(phase, done, len(jobs)))

        with ThreadPoolExecutor(max_workers=self.jobs) as pool:
            try:
                for future in [pool.submit(run, job) for job in jobs]:
                    future.result()
            except BaseException:
                stop.set()
                pool.shutdown(wait=True, cancel_futures=True)
                raise

    def _row(self, rival: Rival, sized: Sized, seeds: Sequence[int], rivals: Sequence[Rival]) -> Row:
        reports = tuple(self.reports[rival.label, seed] for seed in seeds)
        later = None
        if rival.set.get("reuse", {}).get("scheme") == "second-write":
            # What the drive does without second writes: the rest of the combination, or the plain drive.
            rest = {key: value for key, value in rival.set.items() if key != "reuse"}
            without = next((each for each in rivals if rest and each.set == rest), rivals[0])
            later = self.reports[without.label, 1]
        return Row(rival, sized, reports, self.plan.scale, self.traits.bytes_per_second, later)


def _best_of_each(rows: Mapping[str, Row]) -> list[Rival]:
    """Of every technique the setting that lives longest (of effort the quickest), and all references."""
    best: dict[str, Rival] = {}
    for row in rows.values():
        rival = row.rival
        other = best.get(rival.technique)
        if rival.technique == "plain":
            best[rival.label] = rival
        elif other is None or _is_better(row, rows[other.label]):
            best[rival.technique] = rival
    return list(best.values())


def _is_better(row: Row, other: Row) -> bool:
    if row.rival.axis == "effort":
        return response_of(row) < response_of(other)
    return _life_seen(row) > _life_seen(other) * 1.0001


def _helps(row: Row, plain: Row) -> bool:
    """Whether a technique is worth combining: it lives longer, or (of effort) answers sooner, by 1% at least."""
    if row.rival.axis == "effort":
        return response_of(row) < response_of(plain) * 0.99
    return _life_seen(row) > _life_seen(plain) * 1.01


def _gain(row: Row) -> float:
    """By what the techniques of an axis are put in order to be combined; more is better."""
    return -response_of(row) if row.rival.axis == "effort" else _life_seen(row)


def _life_seen(row: Row) -> float:
    """The life, of which nothing is known where nothing was erased."""
    return life_of(row) if row.wore else 0.0


class _StoppedError(Exception):
    """Ends the other replays when one has failed."""
