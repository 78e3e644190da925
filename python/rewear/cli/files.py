"""Checks of output files before a long run, not after it."""

import os
import tempfile
from pathlib import Path

from rewear.errors import RewearError

__all__ = ["check_writable"]


def check_writable(path: Path) -> None:
    """Makes the folder of `path` if it is missing and sees that `path` is or can become a regular file.

    Raises:
        RewearError: It cannot be; the message says why.
    """
    try:
        if path.is_symlink():
            raise RewearError(f"{path} is a link to {path.resolve()}. Name that file itself.")
        if path.exists() and not path.is_file():
            raise RewearError(f"{path} is not a regular file. Name a file, new or to be replaced.")
        path.parent.mkdir(parents=True, exist_ok=True)
        existed = path.exists()
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o666))
        if not existed:
            path.unlink()
        # A file that is replaced is written beside its place first.
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise RewearError(
            f"{path} cannot be written: {error.strerror}. Name a file in a folder you may write to."
        ) from None
