"""One run with everything settled: what its key is made of, and what a worker needs to do it."""

import functools
import hashlib
import json
import socket
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rewear import _core
from rewear.core.drive import Drive, Source
from rewear.core.errors import ConfigurationError, RewearError
from rewear.core.files import is_file
from rewear.core.progress import ProgressCallback
from rewear.core.trace import Trace
from rewear.core.workload import Region, Workload
from rewear.sweep.store import Identity, Outcome, content_of, key_of


class WorkerError(RewearError):
    """A worker is not fit for the sweep: another version, or it does not see a trace."""


@dataclass(frozen=True, slots=True)
class Task:
    """A run as it goes to a worker. The drive travels as text; a trace stays a path, which the worker must see too."""

    key: str
    """Hash of the identity."""
    identity: Identity
    """Everything that decides the result: configuration, requests, options, version and build."""
    version: str
    drive_text: str
    drive_origin: str
    drive_settings: dict[str, Any]
    replay: dict[str, Any]
    """Keywords of `Drive.replay`."""
    workload: str | None
    region: Region | None
    """Properties of the drive that the workload takes."""
    trace: Path | None
    trace_options: dict[str, Any]
    trace_content: str | None
    """Its SHA-256."""

    def perform(self, progress: ProgressCallback | None = None) -> Outcome:
        """Does the run, on a thread of this process or on a worker.

        Raises:
            WorkerError: The worker has another version of Rewear, or does not see the trace as the sweep saw it.
        """
        if _core.version() != self.version:
            raise WorkerError(
                f"The worker on {socket.gethostname()} has Rewear {_core.version()}, the sweep {self.version}. "
                "Install the same version on all hosts and start the workers again."
            )
        _check_trace(self)
        began = time.monotonic()
        try:
            drive = Drive.from_toml(self.drive_text, self.drive_origin, set=self.drive_settings)
            report = drive.replay(_source(self), progress=progress, **self.replay)
        except (RewearError, MemoryError) as error:
            return Outcome(None, str(error) or "out of memory", time.monotonic() - began)
        return Outcome(report.to_dict(), None, time.monotonic() - began)


def make_task(
    drive: Drive,
    description: tuple[str, str],
    settings: dict[str, Any],
    source: Source,
    trace_options: dict[str, Any],
    trace_content: str | None,
    replay: dict[str, Any],
) -> Task:
    """A task with its key, for a drive made of a TOML text, with the name of its file, and settings.

    A workload must be on its region; a trace has the options with which it was opened, and its SHA-256.
    """
    requests: dict[str, Any]
    if isinstance(source, Workload):
        requests = {"workload": source.spec, "region": source.region, **_profile(source.spec)}
    else:
        requests = {"trace": trace_content, "options": trace_options}
    identity = {
        "rewear": _core.version(),
        "build": build(),
        "configuration": drive.configuration,
        "requests": requests,
        "replay": replay,
    }
    return Task(
        key=key_of(identity),
        identity=identity,
        version=_core.version(),
        drive_text=description[0],
        drive_origin=description[1],
        drive_settings=settings,
        replay=replay,
        workload=source.spec if isinstance(source, Workload) else None,
        region=source.region if isinstance(source, Workload) else None,
        trace=None if isinstance(source, Workload) else source.path,
        trace_options=trace_options,
        trace_content=trace_content,
    )


def _source(task: Task) -> Source:
    if task.trace is not None:
        return _trace(task.trace, json.dumps(task.trace_options, sort_keys=True), task.trace_content)
    if task.workload is None or task.region is None:
        raise ConfigurationError("There is nothing to replay. Name a workload or a trace.")
    return Workload(task.workload).on_region(task.region)


_reading = threading.Lock()


def _trace(path: Path, options: str, content: str | None) -> Trace:
    """One of the last traces that were replayed, or another: threads share it, and it is read once for all of them."""
    with _reading:
        return _kept(path, options, content)


@functools.lru_cache(maxsize=4)
def _kept(path: Path, options: str, _content: str | None) -> Trace:
    return Trace(path, **json.loads(options))._kept()


def _profile(spec: str) -> dict[str, str]:
    """The content of the profile that a stand-in is drawn from, where it is a file."""
    path = Path(spec.partition("profile=")[2].partition(",")[0])
    return {"profile": content_of(path)} if path.suffix == ".toml" and is_file(path) else {}


def _check_trace(task: Task) -> None:
    """Sees that the worker finds the trace that the sweep means."""
    if task.trace is None or task.trace_content is None:
        return
    place = f"The worker on {socket.gethostname()}"
    remedy = "All workers must see a trace under the same path, for instance on a shared file system."
    try:
        content = content_of(task.trace)
    except OSError as error:
        raise WorkerError(f"{place} cannot read {task.trace}: {error.strerror}. {remedy}") from None
    if content != task.trace_content:
        raise WorkerError(f"{place} finds another file at {task.trace} than the sweep did. {remedy}")


@functools.cache
def build() -> str:
    """Hash of the compiled core: a result of another build is not taken for one of this."""
    return hashlib.sha256(Path(_core.__file__).read_bytes()).hexdigest()
