"""Drives as TOML text: nested tables of plain values."""

from collections.abc import Iterator, Mapping
from typing import Any

import tomli_w


def merged(base: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """`base` with the entries of `change`, table by table; neither is altered."""
    result = dict(base)
    for key, value in change.items():
        inner = result.get(key)
        result[key] = (
            merged(inner if isinstance(inner, Mapping) else {}, value) if isinstance(value, Mapping) else value
        )
    return result


def to_toml(values: Mapping[str, Any]) -> str:
    """A table and the tables within it as TOML text."""
    return tomli_w.dumps(values, multiline_strings=True)


def to_toml_value(value: Any) -> str:
    """A value as TOML text in one line, but for texts of several."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(to_toml_value, value))}]"
    return to_toml({"value": value}).removeprefix("value = ").removesuffix("\n")


def without_nothing(value: Any) -> Any:
    """A configuration without the keys that have no value: TOML has no word for what is absent."""
    if isinstance(value, Mapping):
        return {key: without_nothing(inner) for key, inner in value.items() if inner is not None}
    return value


def flat(tables: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted keys and values of nested tables."""
    for key, value in tables.items():
        if isinstance(value, Mapping):
            yield from flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value
