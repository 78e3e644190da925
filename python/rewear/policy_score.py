"""Policies beside greedy cleaning, cost-benefit, SepBIT, and what is possible with the future known."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rewear.compare.placement_bound import Bound, amplification, bound, uses_time
from rewear.core.drive import Drive, Setting, Source
from rewear.core.errors import ConfigurationError
from rewear.core.policy import Policy
from rewear.core.progress import Progress
from rewear.core.report import Report

_GREEDY, _COST_BENEFIT = {"ftl.victim.scheme": "greedy"}, {"ftl.victim.scheme": "cost-benefit"}
_ONE, _SEP_BIT = {"ftl.streams.scheme": "one"}, {"ftl.streams.scheme": "sep-bit"}

RIVALS: dict[str, dict[str, str]] = {
    "greedy": {**_GREEDY, **_ONE},
    "cost-benefit": {**_COST_BENEFIT, **_ONE},
    "SepBIT": {**_GREEDY, **_SEP_BIT},
    "SepBIT, cost-benefit": {**_COST_BENEFIT, **_SEP_BIT},
}
"""Rivals of a policy, with the settings that make a drive of each. The first is the reference."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A drive, and what its policies are worth."""

    label: str
    report: Report
    write_amplification: float
    """Pages programmed as data for each page that the host wrote."""
    share: float | None
    """The part that it avoids of the moves that greedy cleaning makes and the known future avoids: 1 for what is
    possible, 0 for no better than greedy; `None` where greedy cleaning does what is possible."""
    cpu_s: float
    """Processor time of the replay, in seconds."""
    calls: int | None
    """How often Python was asked; `None` for a rival."""
    call_s: float
    """How long that took, in seconds."""


@dataclass(frozen=True, slots=True)
class Score:
    """Policies beside their rivals."""

    bound: Bound
    drives: tuple[Scored, ...]
    """The rivals, then the policies."""


def score(
    policies: Sequence[Policy | str | Path | Callable[[], Any]],
    source: Source,
    drive: str | Path = "qlc",
    set: Mapping[str, Setting] | None = None,
    *,
    open_units: Sequence[int] = (),
    progress: Callable[[str, Progress], object] | None = None,
    **options: Any,
) -> Score:
    """Replays one workload on a drive under each policy and each rival, and sets them beside the bound.

    Args:
        policies: Policies in Python, or what makes them. What a policy leaves open stays as the drive has it.
        source: A `Trace` or a `Workload`.
        drive: A preset or the path of a TOML file.
        set: Parameters to change. Rivals replace those of `ftl.victim` and `ftl.streams`.
        open_units: Erase units that are open at a time in the bound; 1 to 32 unless given.
        progress: Called with a label and a `Progress`; an exception that it raises stops all.
        options: Those of `rewear.bound`.

    Raises:
        PolicyError: A policy cannot be read, raised an exception or gave a wrong answer.
        ConfigurationError: Two policies have the same name, or the drive has no room for streams or runs full.
    """
    given = [policy if isinstance(policy, Policy) else Policy(policy) for policy in policies]
    names = [*RIVALS, *(policy.name for policy in given)]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ConfigurationError(f"Two policies are called {twice}. Rename one of them.")
    settings = dict(set or {})
    plain = {key: value for key, value in settings.items() if not key.startswith(("ftl.victim.", "ftl.streams."))}
    own = Drive(drive, set=settings)
    drives: list[tuple[str, Drive]] = [(label, Drive(drive, set={**plain, **rival})) for label, rival in RIVALS.items()]
    drives += [(policy.name, own.with_policy(policy)) for policy in given]
    told = (lambda _label, _state: None) if progress is None else progress
    found = bound(own, source, open_units=open_units, progress=partial(told, "bound"), **options)
    replayed = [_timed(label, each, source, partial(told, label), options) for label, each in drives]
    found = found.with_drives(amplification(report) for report, _ in replayed)
    reference = amplification(replayed[0][0])
    return Score(
        found,
        tuple(
            Scored(
                label,
                report,
                amplification(report),
                found.share(amplification(report), reference),
                cpu_s,
                None if each.policy is None else each.policy.calls,
                0.0 if each.policy is None else each.policy.seconds,
            )
            for (label, each), (report, cpu_s) in zip(drives, replayed, strict=True)
        ),
    )


def _timed(
    label: str, drive: Drive, source: Source, progress: Callable[[Progress], object], options: Mapping[str, Any]
) -> tuple[Report, float]:
    begin = time.process_time()
    report = drive.replay(source, progress=progress, no_time=not uses_time(drive), **options)
    if not report.complete:
        raise ConfigurationError(f"{label}: the replay ended early, so there is no score: {report['stopped_because']}.")
    return report, time.process_time() - begin
