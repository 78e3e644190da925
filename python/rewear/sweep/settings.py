"""Settings of a run in a sweep, by dotted keys: the drive and its parameters, what is replayed, how, and the seed.

| key | value |
|---|---|
| `drive` | a preset or a TOML file |
| `workload` | a synthetic workload, `NAME:key=value,...` |
| `workload.KEY` | one parameter of it |
| `trace` | a recorded trace |
| `trace.KEY` | one option of it, see `rewear trace formats` |
| `replay.KEY` | an option of `Drive.replay` |
| `seed` | seed of every random choice |
| anything else | a parameter of the drive, as `--set` takes it |
"""

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from rewear.core.drive import Drive
from rewear.core.errors import ConfigurationError, near
from rewear.core.parameters import Parameter, parameters
from rewear.core.trace import Trace
from rewear.core.whole import MOST
from rewear.core.workload import Workload

Settings = dict[str, Any]
"""Dotted keys and their values."""

Kind = str | tuple[str, ...]
"""What a setting takes: a key of `_KINDS`, or some words."""


def _kind(hint: Any) -> Kind:
    """The kind of an option by the type with which it is declared."""
    united = get_origin(hint) in (Union, UnionType)
    kinds = [each for each in (get_args(hint) if united else (hint,)) if each is not NoneType]
    if len(kinds) > 1:
        return "requests"
    return get_args(kinds[0]) or {bool: "true or false", int: "integer", float: "number", str: "text"}[kinds[0]]


def _options(function: Callable[..., Any], *without: str) -> dict[str, Kind]:
    """The options of a function that a file may set, and their kinds."""
    hints = get_type_hints(function)
    return {name: _kind(hint) for name, hint in hints.items() if name not in ("return", *without)}


TABLES = {
    "replay": _options(Drive.replay, "source", "log", "progress", "seed", "queues"),
    "trace": _options(Trace.__init__, "path"),
}
"""Options of a replay, and of a trace."""
_PLAIN: dict[str, Kind] = {"drive": "text", "workload": "text", "trace": "text", "seed": "integer"}


def is_number(value: object) -> bool:
    """Whether a value of TOML is a number (booleans are integers to Python, but not to people)."""
    return isinstance(value, int | float) and not isinstance(value, bool)


_KINDS: dict[str, Callable[[Any], bool]] = {
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST,
    "number": is_number,
    "true or false": lambda value: isinstance(value, bool),
    "text": lambda value: isinstance(value, str),
    "requests": lambda value: value == "steady" or _KINDS["integer"](value),
    "list of integers": lambda value: isinstance(value, list) and all(map(_KINDS["integer"], value)),
    "list of numbers": lambda value: isinstance(value, list) and all(map(is_number, value)),
}
_WORDS = {
    "integer": f"a whole number from 0 to {MOST}",
    "number": "a number",
    "text": "a text",
    "requests": f"a whole number from 0 to {MOST}, or steady",
}


def flat_settings(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any, tuple[str, ...]]]:
    """Dotted key, value and path in the file of each setting of a table and of the tables within it."""
    for key, value in table.items():
        if isinstance(value, dict):
            for inner, setting, path in flat_settings(value, f"{prefix}{key}."):
                yield inner, setting, (key, *path)
        else:
            yield prefix + key, value, (key,)


def merge(layers: Iterable[Mapping[str, Any]]) -> Settings:
    """The settings of all layers; a later one wins, and a trace takes the place of a workload or the reverse."""
    merged: Settings = {}
    for layer in layers:
        for new, old in (("trace", "workload"), ("workload", "trace")):
            if new in layer:
                merged = {key: value for key, value in merged.items() if key.partition(".")[0] != old}
        merged.update(layer)
    return merged


def problem_with(key: str, value: Any) -> str | None:
    """The fault of a setting, and how to mend it; `None` if nothing can be told without its run."""
    table, _, name = key.partition(".")
    if key in _PLAIN:
        return _mismatch(key, value, _PLAIN[key]) or (_workload_problem(value) if key == "workload" else None)
    if table in TABLES:
        known = TABLES[table]
        if name in known:
            return _mismatch(key, value, known[name])
        hint = " The seed is `seed`, without `replay`." if key == "replay.seed" else near(name, known, f"{table}.")
        return f"unknown key {key!r}.{hint} A {table} has: {', '.join(known)}."
    if table == "workload":
        # Which parameters there are depends on the workload, so it is asked itself when it is made.
        return None if isinstance(value, str | bool | int | float) else f"{key}: give a number or a text."
    return _parameter_problem(key, value)


def _workload_problem(spec: str) -> str | None:
    try:
        Workload(spec)
    except ConfigurationError as error:
        return str(error)
    return None


def _parameter_problem(key: str, value: Any) -> str | None:
    known = _parameters_by_key()
    if key not in known:
        words = "`rewear list parameters` lists those of a drive; others begin with replay., workload. or trace."
        return f"unknown key {key!r}.{near(key, [*known, *_PLAIN])} {words}"
    # The same key may exist under several schemes; what one of them takes is left to the drive.
    problems = [
        _mismatch(key, value, tuple(choice.value for choice in each.choices) or each.kind) for each in known[key]
    ]
    return None if None in problems else problems[0]


def _mismatch(key: str, value: Any, kind: Kind) -> str | None:
    """The fault of a value that is not of a kind, or none of some words."""
    if isinstance(kind, tuple):
        return None if value in kind else f"{key} is {value!r}. Give one of: {', '.join(kind)}."
    fits = _KINDS.get(kind, lambda _: True)
    return None if fits(value) else f"{key} is {value!r}. Give {_WORDS.get(kind, kind)}."


@functools.cache
def _parameters_by_key() -> dict[str, list[Parameter]]:
    known: dict[str, list[Parameter]] = {}
    for parameter in parameters():
        known.setdefault(parameter.key, []).append(parameter)
    return known
