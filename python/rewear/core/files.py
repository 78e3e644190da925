"""Files: whether they are there or can be written; writing them whole, or leaving them as they were."""

import os
import secrets
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from rewear.core.errors import ConfigurationError, RewearError
from rewear.core.printable import printable

MOST_BYTES = 16 * 2**20
"""No description, policy or table that people write is longer."""


def is_there(path: str | os.PathLike[str]) -> bool:
    """Whether something of this name can be seen; words too long for a name, or with a zero in them, name nothing."""
    try:
        return Path(path).exists()
    except (OSError, ValueError):
        return False


def is_file(path: str | os.PathLike[str]) -> bool:
    """Whether a file of this name can be seen."""
    return is_there(path) and Path(path).is_file()


def read_bytes(path: str | os.PathLike[str], what: str) -> bytes:
    """The content of a file that people write, which is short: a device or a pipe may have no end.

    Raises:
        OSError: It cannot be read.
        ConfigurationError: It is longer than 16 MiB.
    """
    with Path(path).open("rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise ConfigurationError(
            f"{printable(os.fspath(path))} is longer than 16 MiB, so it is not {what}. Name {what}."
        )
    return content


def read_text(path: str | os.PathLike[str], what: str) -> str:
    """The text of a file; `what` it is to be, as `a TOML file`, stands in errors.

    Raises:
        ConfigurationError: It cannot be read, or is no text.
    """
    name = printable(os.fspath(path))
    try:
        return read_bytes(path, what).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ConfigurationError(f"{name} is not a text file. Name {what}, encoded in UTF-8.") from None
    except OSError as error:
        raise ConfigurationError(f"{name} cannot be read: {error.strerror}. Name {what}.") from None


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


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Gives a new file beside `path`, which takes its place at the end; after an exception it is removed instead.

    When this returns the file survives a crash of the machine. A link is followed; a device or a pipe is written to
    as it is.

    Raises:
        RewearError: The disk is full, or the folder is gone or not ours; `path` is as it was.
    """
    try:
        target = Path(path).resolve()
        if target.exists() and not target.is_file():
            with target.open("wb") as file:
                yield file
            return
        part = target.with_name(f".{secrets.token_hex(8)}.part")
        with part.open("xb") as file:
            try:
                yield file
                file.flush()
                os.fsync(file.fileno())
                if target.exists():
                    part.chmod(stat.S_IMODE(target.stat().st_mode))
                part.replace(target)
            except BaseException:
                part.unlink(missing_ok=True)
                raise
        _sync_folder(target.parent)
    except OSError as error:
        raise RewearError(
            f"{printable(str(path))} cannot be written: {error.strerror or error}. "
            "What was there is unchanged. Make room, or name a file in a folder you may write to."
        ) from None


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Writes or replaces a file of text as `replacing` does; what is not `printable` is escaped."""
    with replacing(path) as file:
        file.write(printable(text).encode())


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
