"""Reads tables of TOML strictly: an unknown, missing or ill-typed key is a `ConfigurationError` that names the line."""

import difflib
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, ClassVar, Literal, NoReturn, TypeVar, get_args, get_origin, get_type_hints

from rewear.core.errors import ConfigurationError, near
from rewear.core.files import read_text

T = TypeVar("T")
Place = Sequence[str | int]
"""Keys from the root of the file down to a value; an integer is a position in an array."""

_WORDS = {
    str: "a text",
    dict: "a table",
    list: "a list",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
}


def read_toml(path: Path) -> "Table":
    """The root table of a file."""
    return table_of(read_text(path, "a file of TOML"), path)


def table_of(text: str, path: Path) -> "Table":
    """The root table of the text of a file."""
    try:
        return Table(tomllib.loads(text), path, text)
    except (ValueError, RecursionError) as error:
        # Beside errors of TOML: numbers too long and lists too deep for Python.
        raise ConfigurationError(f"{path}: {error}. It must be TOML.{_quotes(text, str(error))}") from None


def _quotes(text: str, problem: str) -> str:
    """The remedy where a table has both a trace (or workload) and options of it, which TOML takes for two values."""
    found = re.search(r"Cannot overwrite a value \(at line (\d+)", problem)
    option = found and re.match(r"\s*(?:base\.)?((?:trace|workload)\.\w+)", text.splitlines()[int(found[1]) - 1])
    return f' Put the key in quotes: "{option[1]}" = ...' if option else ""


class Table:
    """A table whose keys are asked for one by one; `close` refuses those nobody asked for."""

    def __init__(self, content: Mapping[str, Any], path: Path, text: str, place: Place = ()) -> None:
        """A table at `place` of the file at `path`, whose text serves to find lines."""
        self.content, self.path, self.text, self.place = content, path, text, tuple(place)
        self._asked: set[str] = set()

    def refuse(self, place: Place, message: str) -> NoReturn:
        """Refuses what stands at a place of the table."""
        line = line_of(self.text, (*self.place, *place))
        raise ConfigurationError(f"{self.path}{f', line {line}' if line else ''}: {message}")

    def wrong(self, key: str | None, message: str) -> NoReturn:
        """Refuses the table, or what stands at a key of it."""
        self.refuse(() if key is None or key not in self.content else (key,), message)

    def __contains__(self, key: str) -> bool:
        return key in self.content

    def get(self, key: str, kind: type[T] | tuple[type, ...], default: Any = ...) -> Any:
        """The value of a key; an error if it is missing and there is no default, or is of another kind."""
        self._asked.add(key)
        if key not in self.content:
            if default is ...:
                given = difflib.get_close_matches(key, self.content.keys() - self._asked, n=1)
                self.wrong(given[0] if given else None, f"{key} is missing.{f' Is it {given[0]!r}?' if given else ''}")
            return default
        value = self.content[key]
        kinds = kind if isinstance(kind, tuple) else (kind,)
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            names = " or ".join(_WORDS.get(each, each.__name__) for each in kinds)
            self.wrong(key, f"{key} is {value!r}. Give {names}.")
        return value

    def line(self, key: str, default: Any = ...) -> Any:
        """A text as one line."""
        text = self.get(key, str, default)
        return " ".join(text.split()) if isinstance(text, str) else text

    def word(self, key: str, words: Sequence[str], default: Any = ...) -> Any:
        """A text that must be one of some words."""
        value: str = self.get(key, str, default)
        if key in self.content and value not in words:
            self.wrong(key, f"{key} is {value!r}. Give one of: {', '.join(words)}.")
        return value

    def number(self, key: str, default: Any = ...) -> Any:
        """A number as a float."""
        value = self.get(key, (int, float), default)
        return float(value) if isinstance(value, int) else value

    def texts(self, key: str, default: Any = ...) -> Any:
        """A tuple of texts."""
        value = self.get(key, list, default)
        if isinstance(value, list):
            if not all(isinstance(item, str) for item in value):
                self.wrong(key, f"{key} must be a list of texts.")
            return tuple(value)
        return value

    def coordinates(self, key: str, default: Any = ...) -> dict[str, str]:
        """A table of axes and labels; empty if it is not there."""
        value = self.get(key, dict, {})
        if not all(isinstance(label, str) for label in value.values()):
            self.wrong(key, f"{key} must give a label, a text, for each axis.")
        return dict(value)

    def table(self, key: str, default: Any = ...) -> Any:
        """A table within this one."""
        value = self.get(key, dict, default)
        return Table(value, self.path, self.text, (*self.place, key)) if isinstance(value, dict) else value

    def tables(self, key: str) -> "list[Table]":
        """A list of tables; empty if it is not there."""
        values = self.get(key, list, [])
        if not all(isinstance(value, dict) for value in values):
            self.wrong(key, f"{key} must be tables.")
        return [Table(value, self.path, self.text, (*self.place, key, number)) for number, value in enumerate(values)]

    _READERS: ClassVar[dict[Any, Callable[..., Any]]] = {
        str: line, str | None: line, float: number, tuple[str, ...]: texts, dict[str, str]: coordinates
    }  # fmt: skip

    def read(self, kind: type[T], /, **given: Any) -> T:
        """The table as a dataclass, whose fields are keys unless `given`; then closes it.

        The type of a field says what the key takes, its default what it is where it is missing.
        """
        types = get_type_hints(kind)
        for each in fields(kind):  # type: ignore[arg-type]
            if each.name not in given:
                takes, default = types[each.name], ... if each.default is MISSING else each.default
                if get_origin(takes) is Literal:
                    given[each.name] = self.word(each.name, get_args(takes), default)
                elif takes in self._READERS:
                    given[each.name] = self._READERS[takes](self, each.name, default)
                else:
                    given[each.name] = self.get(each.name, takes, default)
        self.close()
        return kind(**given)

    def close(self, *known: str) -> None:
        """Refuses keys that nobody asked for, but those that are known."""
        self._asked |= set(known)
        for key in self.content:
            if key not in self._asked:
                words = ", ".join(sorted(self._asked))
                self.wrong(key, f"unknown key {key!r}.{near(key, self._asked)} Known here: {words}.")


def line_of(text: str, path: Place) -> int | None:
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


def _has(document: Any, path: Place) -> bool:
    value = document
    for key in path:
        if isinstance(key, int):
            if not isinstance(value, list) or key >= len(value):
                return False
        elif not isinstance(value, dict) or key not in value:
            return False
        value = value[key]
    return True
