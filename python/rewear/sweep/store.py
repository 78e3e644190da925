"""Finished runs on disk: one JSON file each, whole or not there at all."""

import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rewear.core.errors import RewearError
from rewear.core.files import write_text
from rewear.sweep.content import Fingerprints


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a run."""

    report: dict[str, Any] | None
    """The report; `None` if the run failed."""
    reason: str | None = None
    """Why it failed."""
    took_s: float = 0.0
    """Time it took on its worker."""


class Store:
    """A folder of finished runs by key. Several sweeps may use it at a time."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        """Makes the folder if it is missing.

        Raises:
            RewearError: It cannot be made or written to.
        """
        self.folder = Path(folder)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.folder):
                pass
        except OSError as error:
            raise RewearError(
                f"{self.folder} cannot hold finished runs: {error.strerror}. Name a folder you may write to."
            ) from None
        self.fingerprints = Fingerprints(self.folder / "traces.json")

    def path(self, key: str) -> Path:
        """Where the run of this key is or would be."""
        return self.folder / key[:2] / f"{key}.json"

    def get(self, key: str) -> Outcome | None:
        """The finished run of this key; `None` if there is none."""
        try:
            stored = json.loads(self.path(key).read_text(encoding="utf-8"))
            return Outcome(**stored) if isinstance(stored["report"], dict) else None
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def put(self, key: str, outcome: Outcome) -> None:
        """Keeps a finished run. When this returns it survives a crash of the machine.

        Raises:
            RewearError: The disk is full or gone.
        """
        path = self.path(key)
        path.parent.mkdir(exist_ok=True)
        write_text(path, json.dumps({"report": outcome.report, "reason": outcome.reason, "took_s": outcome.took_s}))
