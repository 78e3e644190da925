"""Drives as TOML text: nested tables of plain values."""

import json
from collections.abc import Iterator, Mapping
from typing import Any


def merged(base: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """`base` with the entries of `change`, table by table; neither is altered."""
    result = dict(base)
    for key, value in change.items():
        inner = result.get(key)
        result[key] = (
            merged(inner if isinstance(inner, Mapping) else {}, value) if isinstance(value, Mapping) else value
        )
    return result


def to_toml(values: Mapping[str, Any], prefix: str = "") -> str:
    """A table and the tables within it as TOML text."""
    plain = [f"{key} = {to_toml_value(value)}" for key, value in values.items() if not isinstance(value, Mapping)]
    tables = [to_toml(value, f"{prefix}{key}.") for key, value in values.items() if isinstance(value, Mapping)]
    head = [f"[{prefix[:-1]}]"] if prefix and plain else []
    return "\n".join([*head, *plain, *([""] if plain else []), *tables])


def to_toml_value(value: Any) -> str:
    """A value as TOML text."""
    if isinstance(value, str) and "\n" in value:
        lines = (_escaped(line) for line in value.split("\n"))
        return '"""\n' + "\n".join(lines) + '"""'
    # JSON's texts, numbers, booleans and lists are TOML's, but for one character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _escaped(line: str) -> str:
    """A line within a text of several: quotation marks and control characters escaped."""
    return json.dumps(line, ensure_ascii=False)[1:-1].replace("\x7f", "\\u007f")


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
