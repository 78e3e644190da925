"""In which line of a TOML file something stands, for error messages."""

import tomllib
from collections.abc import Sequence
from typing import Any

Path = Sequence[str | int]
"""Keys from the root of the file down to a value; an integer is a position in an array."""


def line_of(text: str, path: Path) -> int | None:
    """Number of the line (from 1) where the statement begins that gives `path` its value; `None` if none does.

    Python's TOML parser keeps no positions, but the beginning of a file up to the end of a statement is a file, too:
    the first such beginning that has the value ends with the statement that is sought.
    """
    lines = text.splitlines()
    last_whole = 0
    for count in range(1, len(lines) + 1):
        try:
            document = tomllib.loads("\n".join(lines[:count]))
        except tomllib.TOMLDecodeError:
            # In the middle of a statement of several lines.
            continue
        if _has(document, path):
            return last_whole + 1
        last_whole = count
    return None


def _has(document: Any, path: Path) -> bool:
    value = document
    for key in path:
        if isinstance(key, int):
            if not isinstance(value, list) or key >= len(value):
                return False
        elif not isinstance(value, dict) or key not in value:
            return False
        value = value[key]
    return True
