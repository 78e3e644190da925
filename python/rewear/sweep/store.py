"""Finished runs on disk: one JSON file each, whole or not there at all, and believed only if it proves itself."""

import functools
import hashlib
import json
import os
import tempfile
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from rewear.core.errors import RewearError, RewearWarning
from rewear.core.files import write_text
from rewear.core.progress import ProgressCallback

DEFAULT_STORE = Path("out/runs")
"""Folder of finished runs, of all sweeps together."""

Identity = Mapping[str, Any]
"""Everything that decides a result, as plain data: configuration, requests, options, version and build."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a run."""

    report: dict[str, Any] | None
    """The report; `None` if the run failed."""
    reason: str | None = None
    """Why it failed."""
    took_s: float = 0.0
    """Time it took on its worker."""


class Work(Protocol):
    """Something a worker does once: the replay of a sweep, or another computation with a result of plain data."""

    @property
    def identity(self) -> Identity:
        """Everything that decides the result."""

    @property
    def key(self) -> str:
        """Hash of the identity."""

    def perform(self, progress: ProgressCallback | None = None) -> Outcome:
        """Does it. A call of `progress` a few times a second may end it by an exception."""


def key_of(identity: Identity) -> str:
    """The name under which a result is kept: the first half of the SHA-256 of what decides it."""
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:32]


class Store:
    """A folder of finished runs by key. Several sweeps may use it at a time.

    An entry carries the identity of its run and a checksum of all that it holds. Both are compared on reading: an
    entry under the name of another run, or with a byte changed, is no entry.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        """Makes the folder if it is missing.

        Raises:
            RewearError: It cannot be made or written to.
        """
        self.folder = Path(folder)
        self._damaged: dict[Path, str] = {}
        self._told: set[Path] = set()
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.folder):
                pass
        except OSError as error:
            raise RewearError(
                f"{self.folder} cannot hold finished runs: {error.strerror}. Name a folder you may write to."
            ) from None

    def path(self, key: str) -> Path:
        """Where the run of this key is or would be."""
        return self.folder / key[:2] / f"{key}.json"

    def get(self, key: str) -> Outcome | None:
        """The finished run of this key; `None` if there is none, or a damaged one (see `warn_of_damage`)."""
        path = self.path(key)
        try:
            return _proven(key, path.read_bytes())
        except FileNotFoundError:
            return None
        except _DamagedError as error:
            self._damaged[path] = str(error)
        except OSError as error:
            self._damaged[path] = error.strerror or str(error)
        return None

    def put(self, identity: Identity, outcome: Outcome) -> None:
        """Keeps a finished run. When this returns it survives a crash of the machine.

        Raises:
            RewearError: The disk is full or gone.
        """
        path = self.path(key_of(identity))
        path.parent.mkdir(exist_ok=True)
        entry = {
            "identity": identity, "report": outcome.report, "reason": outcome.reason, "took_s": outcome.took_s,
        }  # fmt: skip
        write_text(path, json.dumps({"sha256": _checksum(entry), "entry": entry}))

    def warn_of_damage(self, done: str = "They are run again") -> None:
        """Says once of each damaged entry that it was found; `done` is what is done about them."""
        new = {path: why for path, why in self._damaged.items() if path not in self._told}
        if new:
            path, why = next(iter(new.items()))
            several = (
                f"{len(new)} finished runs in {self.folder} are damaged"
                if len(new) > 1
                else "A finished run is damaged"
            )
            warnings.warn(f"{several}: {path}: {why}. {done}.", RewearWarning, stacklevel=2)
            self._told.update(new)


class _DamagedError(Exception):
    """What was read is not the entry of its key."""


def _proven(key: str, content: bytes) -> Outcome:
    """The outcome in the file of this key."""
    try:
        stored = json.loads(content)
        entry = stored["entry"]
        outcome = Outcome(entry["report"], entry["reason"], entry["took_s"])
        whole = stored["sha256"] == _checksum(entry)
        own = key_of(entry["identity"]) == key
    except (ValueError, TypeError, KeyError, RecursionError):
        raise _DamagedError("no entry of a finished run") from None
    if not whole:
        raise _DamagedError("its checksum is that of another content")
    if not own:
        raise _DamagedError("it is the run of another configuration")
    if not isinstance(outcome.report, dict):
        raise _DamagedError("it has no report")
    return outcome


def _checksum(entry: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(entry).encode()).hexdigest()


def content_of(path: Path) -> str:
    """SHA-256 of a file, as hexadecimal digits. A process reads a file once, and again when its status has changed.

    The status has the time of the last change of the inode, which no program sets. It is not kept between processes:
    a file copied with all of its times may have another content.

    Raises:
        OSError: The file cannot be read.
    """
    status = path.stat()
    return _digest(path, (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns))


@functools.cache
def _digest(path: Path, _status: tuple[int, ...]) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
