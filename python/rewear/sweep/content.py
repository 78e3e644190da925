"""Fingerprints of trace files: their content decides whether a run has been done, not their name or date."""

import hashlib
import json
from pathlib import Path
from typing import NamedTuple

from rewear.core.files import write_text


class Content(NamedTuple):
    """The content of a file when it was looked at."""

    size_bytes: int
    mtime_ns: int
    sha256: str


def content_of(path: Path, known: Content | None = None) -> Content:
    """The content of a file; it is not read again if it has the size and time of change of `known`."""
    status = path.stat()
    if known is not None and known[:2] == (status.st_size, status.st_mtime_ns):
        return known
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return Content(status.st_size, status.st_mtime_ns, digest)


class Fingerprints:
    """Contents of files that were looked at before, kept in a JSON file."""

    def __init__(self, path: Path) -> None:
        """Reads what is known; a file that cannot be understood is started anew."""
        self.path = path
        try:
            stored = json.loads(path.read_text(encoding="utf-8"))
            self._known = {name: Content(*entry) for name, entry in stored.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            self._known = {}

    def of(self, path: Path) -> Content:
        """The content of a file, read only if it is new or has changed."""
        name = str(path)
        content = content_of(path, self._known.get(name))
        if self._known.get(name) != content:
            self._known[name] = content
            write_text(self.path, json.dumps(self._known, indent=1))
        return content
