"""Files that are there whole or not at all."""

import os
import tempfile
from pathlib import Path

__all__ = ["write_durably"]


def write_durably(path: Path, text: str) -> None:
    """Writes or replaces a file. When this returns it survives a crash of the machine.

    Raises:
        OSError: The disk is full or gone; the file is as it was.
    """
    with tempfile.NamedTemporaryFile(
        "w", dir=path.parent, prefix=".", suffix=".part", delete=False, encoding="utf-8"
    ) as file:
        try:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
            Path(file.name).replace(path)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
