"""From the settings of a run to a drive, a source and options: what can be found wrong before anything runs."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rewear.core.drive import Drive, Source, common_region, drives, read_description
from rewear.core.errors import ConfigurationError, RewearError
from rewear.core.trace import Trace
from rewear.core.workload import Region, Workload
from rewear.sweep.grid import Job
from rewear.sweep.settings import Settings
from rewear.sweep.store import content_of
from rewear.sweep.task import Task, make_task


@dataclass(frozen=True, slots=True)
class Settled:
    """A job and what it came to: a task, or the reason why there is none."""

    job: Job
    drive: Drive | None
    task: Task | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class _Parts:
    """The settings of a job by what they are for."""

    drive: str
    parameters: Settings
    workload: str | None
    trace: str | None
    trace_options: Settings
    replay: Settings

    @property
    def of_drive(self) -> str:
        """Alike for runs on the same drive."""
        return json.dumps([self.drive, self.parameters], sort_keys=True)


def located(name: str, folder: Path) -> str | Path:
    """The drive that a sweep file in `folder` calls `name`: a preset, or a file seen from there."""
    return name if name in drives() else (folder / name).resolve()


def settle(jobs: Sequence[Job], folder: Path, region: str) -> list[Settled]:
    """Every job with its task; relative paths begin at `folder`, and `region` is as in a sweep file."""
    parts = [_parts(job) for job in jobs]
    # Runs that differ in their requests share a drive: one with a long code takes milliseconds to make.
    distinct = {part.of_drive: part for part in parts}
    made = {key: _drive(part, folder) for key, part in distinct.items()}
    found = [drive for drive in made.values() if isinstance(drive, Drive)]
    common = common_region(found, None) if found and region == "common" else None
    of_workloads = {part.of_drive for part in parts if part.trace is None}
    regions = {
        key: common or common_region([drive], None)
        for key, drive in made.items()
        if isinstance(drive, Drive) and key in of_workloads
    }
    return [
        _settled(job, part, made[part.of_drive], regions.get(part.of_drive), folder)
        for job, part in zip(jobs, parts, strict=True)
    ]


def _parts(job: Job) -> _Parts:
    """Sorts the settings of a job."""
    tables: dict[str, Settings] = {"workload": {}, "trace": {}, "replay": {}}
    parameters: Settings = {}
    for key, value in job.settings.items():
        table, dot, name = key.partition(".")
        if dot and table in tables:
            tables[table][name] = value
        elif key not in ("drive", "workload", "trace", "seed"):
            parameters[key] = value
    drive, workload, trace = (job.settings.get(key) for key in ("drive", "workload", "trace"))
    if drive is None:
        raise ConfigurationError(f"The run {job.label!r} has no drive. Set `drive` in [base] or on an axis.")
    if workload is None and trace is None:
        raise ConfigurationError(
            f"The run {job.label!r} replays nothing. Set `workload` or `trace` in [base] or on an axis."
        )
    if workload is None and tables["workload"]:
        raise ConfigurationError(
            f"The run {job.label!r} sets workload.{next(iter(tables['workload']))}, but replays a trace."
        )
    if trace is None and tables["trace"]:
        raise ConfigurationError(
            f"The run {job.label!r} sets trace.{next(iter(tables['trace']))}, but replays a workload."
        )
    if workload is not None:
        workload = _with_parameters(workload, tables["workload"])
    replay = {**tables["replay"], "seed": job.settings.get("seed", 1)}
    return _Parts(drive, parameters, workload, trace, tables["trace"], replay)


def _with_parameters(spec: str, parameters: Settings) -> str:
    """The description of a workload with some parameters changed."""
    if not parameters:
        return spec
    if ";" in spec:
        raise ConfigurationError(
            f"{spec} has several phases, so workload.KEY says too little. Give whole workloads instead."
        )
    name, _, rest = spec.partition(":")
    kept = [setting for setting in rest.split(",") if setting and setting.partition("=")[0].strip() not in parameters]
    given = [f"{key}={str(value).lower() if isinstance(value, bool) else value}" for key, value in parameters.items()]
    return f"{name}:{','.join(kept + given)}"


def _drive(part: _Parts, folder: Path) -> Drive | str:
    """The drive, or why there is none."""
    try:
        return Drive(located(part.drive, folder), set=part.parameters)
    except ConfigurationError as error:
        return str(error)


def _settled(job: Job, part: _Parts, drive: Drive | str, region: Region | None, folder: Path) -> Settled:
    if isinstance(drive, str):
        return Settled(job, None, None, drive)
    try:
        content = None
        if part.trace is not None:
            path = (folder / part.trace).resolve()
            source: Source = Trace(path, **part.trace_options)
            content = content_of(path)
        else:
            assert region is not None
            source = Workload(str(part.workload)).on_region(region._replace(seed=part.replay["seed"]))
    except RewearError as error:
        return Settled(job, drive, None, str(error))
    description = read_description(located(part.drive, folder))
    task = make_task(drive, description, part.parameters, source, part.trace_options, content, part.replay)
    return Settled(job, drive, task, None)
