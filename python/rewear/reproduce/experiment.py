"""Experiments as TOML: files of a paper's folder, each a sweep (see `docs/manual/sweeps.md`) or a call of a study.

A sweep may have a table `[traces]` beside its own keys, from which an axis `trace` is made:

| key | meaning |
|---|---|
| `use` | names of traces in `traces.toml` |
| `variant` | entries `NAME-VARIANT` of `traces.toml`, where there are any, take the places of `NAME` |
| `size` | the parameter that is chosen so that the drive suits the trace: blocks of a plane, or pages of a block |
| `room` | exported pages over pages that the trace touches; the larger of what it and `free` give counts |
| `free` | flash pages free at the start, over the page writes of the trace: a number, or a table by trace |
| `least` | the least value of that parameter |
| `scaled` | settings that are multiplied by the scale of a stand-in |

A study has `study`, `arguments`, and may have `traces.use`; `quick` changes arguments. `seeds` among these repeats it.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rewear.core.drive import Drive
from rewear.core.errors import ConfigurationError
from rewear.core.strict import Table, read_toml
from rewear.reproduce.computation import Computation, function_of
from rewear.reproduce.sources import Counts, Source
from rewear.reproduce.swept import draws
from rewear.sweep import Axis, Point, Sweep
from rewear.sweep.file import parse
from rewear.sweep.grid import Job
from rewear.sweep.results import Results
from rewear.sweep.settings import Settings
from rewear.sweep.settle import located
from rewear.sweep.store import Outcome

_SIZES = ("flash.blocks_per_plane", "flash.pages_per_block")


@dataclass(frozen=True, slots=True)
class Experiment:
    """Runs for claims and figures: a sweep or a computation."""

    paper: str
    name: str
    path: Path
    work: Sweep | Computation
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class Done:
    """An experiment that has ended: the results of a sweep, or the outcome of a study."""

    experiment: Experiment
    results: Results | None
    outcome: Outcome | None

    def rows(self) -> list[dict[str, Any]]:
        """A row of named columns for each run, with everything that was set for it."""
        head = {"paper": self.experiment.paper, "experiment": self.experiment.name}
        if self.results is not None:
            settings = [json.dumps(row.job.settings, sort_keys=True) for row in self.results.rows]
            rows = self.results.records()
            return [{**head, "settings": own, **row} for own, row in zip(settings, rows, strict=True)]
        work, outcome = self.experiment.work, self.outcome
        assert isinstance(work, Computation) and outcome is not None
        own = {"study": work.function, **work.arguments}
        return [
            {
                **head,
                "settings": json.dumps(own, sort_keys=True),
                "key": work.key,
                "run": work.function,
                "status": "failed" if outcome.report is None else "complete",
                "reason": outcome.reason,
                "study": json.dumps(outcome.report),
            }
        ]


@dataclass(frozen=True, slots=True)
class _Traces:
    use: tuple[str, ...]
    free: Mapping[str, float]
    """By trace; 0 for none."""
    size: str | None
    variant: str | None = None
    room: float = 1.0
    least: int = 1
    scaled: tuple[str, ...] = ()


def read_experiment(
    path: Path, sources: Mapping[str, Source], counts: Counts, *, quick: bool, use: tuple[str, ...] = ()
) -> Experiment:
    """Reads an experiment, with its drives sized for its traces, or for those in `use` in their place."""
    root = read_toml(path)
    traces = _traces(root.table("traces", None), sources, use)
    used = tuple(_taken(traces, sources, name) for name in traces.use) if traces else ()
    if "study" in root:
        work: Sweep | Computation = _computation(root, used, path, quick)
    else:
        work = _sweep(root, traces, used, counts, quick)
    return Experiment(path.parent.name, path.stem, path, work, used)


def _traces(table: Table | None, sources: Mapping[str, Source], use: tuple[str, ...]) -> _Traces | None:
    if table is None:
        return None
    own = table.texts("use")
    use = use or own
    traces = table.read(_Traces, use=use, free=_free(table, use), size=table.word("size", _SIZES, None))
    for name in traces.use:
        if name not in sources:
            table.wrong("use", f"There is no trace {name!r} in traces.toml. It has: {', '.join(sources)}.")
    if traces.variant is not None and not any(f"{name}-{traces.variant}" in sources for name in traces.use):
        table.wrong("variant", f"None of the traces has a variant {traces.variant!r} in traces.toml.")
    return traces


def _taken(traces: _Traces, sources: Mapping[str, Source], name: str) -> Source:
    """The source of a name, or its variant under the same name; an original has none."""
    own = sources[name]
    return own if own.is_original else replace(sources.get(f"{name}-{traces.variant}", own), name=name)


def _free(table: Table, use: tuple[str, ...]) -> dict[str, float]:
    """Free pages over page writes, by trace."""
    if not isinstance(table.content.get("free"), dict):
        share = table.number("free", 0.0)
        return dict.fromkeys(use, share)
    shares = table.table("free")
    found = {name: shares.number(name) for name in use}
    shares.close()
    return found


def _computation(root: Table, used: tuple[Source, ...], path: Path, quick: bool) -> Computation:
    function = root.get("study", str)
    arguments = dict(root.get("arguments", dict, {}))
    trial = root.get("quick", dict, {})
    root.close()
    # Studies of one folder of papers lie in it, beside the folders of its papers.
    studies = path.resolve().parents[1] / "studies"
    function_of(function, studies)
    if quick:
        arguments |= trial
        if "seeds" in arguments:
            arguments["seeds"] = arguments["seeds"][:1]
    if used:
        arguments["sources"] = {source.name: {**source.settings, **_named(source, path.parent)} for source in used}
    files = tuple(source.file for source in used if source.file is not None)
    return Computation(function, arguments, files, studies)


def _named(source: Source, folder: Path) -> Settings:
    """The path of a source as a worker finds it, or the pages of its workload."""
    if source.file is not None:
        return {"trace": str((folder / source.file).resolve())}
    assert source.stated is not None
    return {"pages": source.stated.pages, "page_bytes": source.page_bytes}


def _sweep(root: Table, traces: _Traces | None, used: tuple[Source, ...], counts: Counts, quick: bool) -> Sweep:
    folder = root.path.parent
    description = parse(root, folder, also=("traces",))
    if traces is not None:
        points = []
        for source in used:
            own: Settings = dict(source.settings)
            if traces.size is not None:
                own[traces.size] = _size(traces, source, description.base, folder, counts)
            points.append(Point(source.name, source.name, own))
        description = replace(description, axes=(Axis("trace", tuple(points)), *description.axes))
    sweep = Sweep(description, folder, str(root.path), quick=quick)
    if traces is not None and traces.scaled:
        scales = {source.name: source.scale for source in used}
        sweep.jobs = tuple(_scaled(job, traces.scaled, scales) for job in sweep.jobs)
    sweep.jobs = tuple(_once(job, quick) for job in sweep.jobs)
    return sweep


def _size(traces: _Traces, source: Source, base: Settings, folder: Path, counts: Counts) -> int:
    """Blocks of a plane or pages of a block with which the base drive suits the source."""
    tables = ("replay.", "workload.", "trace.")
    own = {key: value for key, value in base.items() if key not in ("drive", "seed") and not key.startswith(tables)}
    if "drive" not in base:
        raise ConfigurationError("An experiment whose drives are sized needs a drive in [base].")
    configuration = Drive(located(base["drive"], folder), set=own).configuration
    flash, ftl = configuration["flash"], configuration["ftl"]
    planes: int = flash["channels"] * flash["dies_per_channel"] * flash["planes_per_die"]
    sizes = source.sizes(flash["page_bytes"], counts)
    pages = traces.room * sizes.pages * (1 + ftl["over_provisioning"])
    if free := traces.free[source.name]:
        pages = max(pages, free * sizes.writes / (1 - ftl.get("gc_threshold", 0.0)))
    blocks = traces.size == _SIZES[0]
    other: int = flash["pages_per_block" if blocks else "blocks_per_plane"]
    needed: int = math.ceil(pages / (planes * other)) + blocks
    return max(traces.least, needed)


def _once(job: Job, quick: bool) -> Job:
    """Where nothing is drawn, as from a trace, the repetitions are one run; in a trial all are."""
    if "seed" not in job.settings or (draws(job.settings) and not quick):
        return job
    return replace(job, settings={**job.settings, "seed": 1})


def _scaled(job: Job, keys: tuple[str, ...], scales: Mapping[str, float]) -> Job:
    scale = scales.get(job.coordinates.get("trace", ""), 1.0)
    settings: dict[str, Any] = dict(job.settings)
    for key in keys:
        if settings.get(key):
            settings[key] = max(1, round(settings[key] * scale))
    return replace(job, settings=settings)
