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
from typing import Any

from rewear.errors import ConfigurationError, near
from rewear.parameters import Parameter, parameters
from rewear.whole import MOST
from rewear.workload import Workload

Settings = dict[str, Any]
"""Dotted keys and their values."""

_REPLAY: dict[str, str | tuple[str, ...]] = {
    "arrival": ("trace", "closed"),
    "queue_depth": "integer",
    "time_scale": "number",
    "precondition": ("none", "fill", "steady", "drawn"),
    "loops": "integer",
    "until": "text",
    "max_requests": "integer",
    "fit": ("dense", "modulo"),
    "warm_up": "requests",
    "interval_s": "number",
    "no_time": "true or false",
    "scale": "text",
    "page_barrier": "true or false",
}
_TRACE: dict[str, str | tuple[str, ...]] = {
    "format": "text",
    "skip_bad_lines": "true or false",
    "shift_bytes": "integer",
    "volume": "text",
    "time_unit": ("ns", "ticks", "us", "ms", "s"),
    "event": ("Q", "D", "C"),
}
_PLAIN = ("drive", "workload", "trace")


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
    table, _, rest = key.partition(".")
    if key in _PLAIN:
        return _mismatch(key, value, "text") or (_workload_problem(value) if key == "workload" else None)
    if key == "seed":
        return _mismatch(key, value, "integer")
    if table == "replay":
        return _replay_problem(rest, value)
    if table == "trace":
        if rest not in _TRACE:
            return f"unknown key {key!r}.{near(rest, _TRACE, 'trace.')} Traces have: {', '.join(_TRACE)}."
        return _expected_problem(key, value, _TRACE[rest])
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


def _replay_problem(name: str, value: Any) -> str | None:
    if name not in _REPLAY:
        hint = " The seed is `seed`, without `replay`." if name == "seed" else near(name, _REPLAY, "replay.")
        return f"unknown key {'replay.' + name!r}.{hint} A replay has: {', '.join(_REPLAY)}."
    return _expected_problem(f"replay.{name}", value, _REPLAY[name])


def _expected_problem(key: str, value: Any, expected: str | tuple[str, ...]) -> str | None:
    if isinstance(expected, str):
        return _mismatch(key, value, expected)
    return None if value in expected else f"{key} is {value!r}. Give {' or '.join(expected)}."


def _parameter_problem(key: str, value: Any) -> str | None:
    known = _parameters_by_key()
    if key not in known:
        words = "`rewear parameters` lists those of a drive; others begin with replay., workload. or trace."
        return f"unknown key {key!r}.{near(key, [*known, *_PLAIN, 'seed'])} {words}"
    # The same key may exist under several schemes; what one of them takes is left to the drive.
    problems = [_parameter_mismatch(parameter, value) for parameter in known[key]]
    return None if None in problems else problems[0]


def _parameter_mismatch(parameter: Parameter, value: Any) -> str | None:
    if parameter.choices:
        words = [choice.value for choice in parameter.choices]
        return None if value in words else f"{parameter.key} is {value!r}. Give one of: {', '.join(words)}."
    return _mismatch(parameter.key, value, parameter.kind)


def _mismatch(key: str, value: Any, kind: str) -> str | None:
    fits = _KINDS.get(kind, lambda _: True)
    return None if fits(value) else f"{key} is {value!r}. Give {_WORDS.get(kind, kind)}."


@functools.cache
def _parameters_by_key() -> dict[str, list[Parameter]]:
    known: dict[str, list[Parameter]] = {}
    for parameter in parameters():
        known.setdefault(parameter.key, []).append(parameter)
    return known
