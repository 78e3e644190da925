"""The content of files: it decides whether a run has been done, not their name or date."""

import functools
import hashlib
from pathlib import Path


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
