"""The parameters of a drive, read off the JSON schema of its configuration: the source of their documentation."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rewear.core.ask import ask

Schema = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the words a parameter takes."""

    value: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Parameter:
    """One key of a drive's TOML file."""

    key: str
    """Dotted key, as `--set` takes it."""
    kind: str
    """Kind of its value: `integer`, `number`, `text`, `true or false`, a list of those, `one of` its choices."""
    default: str | None
    """The default as TOML; `None` if there is none."""
    required: bool
    """Whether a file must give it."""
    meaning: str
    """Its effect, with its unit."""
    condition: str | None
    """The setting under which it exists, such as `reuse.scheme = wom-v`; `None` if always."""
    choices: tuple[Choice, ...] = ()
    """The words it takes, if it takes words."""


def parameters() -> list[Parameter]:
    """Every parameter of a drive, table by table."""
    schema: Schema = ask("schema.drive")
    return list(_Walk(schema.get("$defs", {})).table(schema, "", None))


class _Walk:
    """Goes through the schema from table to table."""

    def __init__(self, definitions: Schema) -> None:
        self.definitions = definitions

    def table(self, schema: Schema, prefix: str, condition: str | None, skip: str | None = None) -> Iterator[Parameter]:
        """The parameters of a table; those of the tables within it come last, as in a file."""
        required = schema.get("required", [])
        entries = {name: self.resolved(entry) for name, entry in schema["properties"].items() if name != skip}
        for name, entry in sorted(entries.items(), key=lambda item: _is_table(item[1])):
            key = prefix + name
            if "properties" in entry:
                yield from self.table(entry, f"{key}.", condition)
            elif _is_axis(entry):
                yield from self.axis(entry, f"{key}.")
            else:
                yield self.parameter(key, entry, name in required, condition)

    def axis(self, schema: Schema, prefix: str) -> Iterator[Parameter]:
        """The scheme of an axis, then the parameters of each scheme."""
        schemes = schema["oneOf"]
        choices = tuple(
            Choice(scheme["properties"]["scheme"]["const"], _text(scheme.get("description", ""))) for scheme in schemes
        )
        default = schema.get("default", {}).get("scheme")
        meaning = _text(schema.get("description", ""))
        yield Parameter(f"{prefix}scheme", "one of", _toml(default), False, meaning, None, choices)
        for scheme, choice in zip(schemes, choices, strict=True):
            yield from self.table(scheme, prefix, f"{prefix}scheme = {choice.value}", skip="scheme")

    def parameter(self, key: str, schema: Schema, required: bool, condition: str | None) -> Parameter:
        """A single value."""
        choices = tuple(
            Choice(str(option["const"]), _text(option.get("description", "")))
            for option in schema.get("oneOf", [])
            if "const" in option
        )
        kind = "one of" if choices else _kind(schema)
        default = _toml(schema["default"]) if "default" in schema else None
        return Parameter(key, kind, default, required, _text(schema.get("description", "")), condition, choices)

    def resolved(self, schema: Schema) -> Schema:
        """A schema with its reference replaced by what it refers to; what stands beside the reference wins."""
        if "anyOf" in schema:
            given = [option for option in schema["anyOf"] if option.get("type") != "null"]
            schema = {**given[0], **{key: value for key, value in schema.items() if key != "anyOf"}}
        if "$ref" not in schema:
            return schema
        target = self.resolved(self.definitions[schema["$ref"].rsplit("/", 1)[1]])
        return {**target, **{key: value for key, value in schema.items() if key != "$ref"}}


def _is_axis(schema: Schema) -> bool:
    return any("scheme" in option.get("properties", {}) for option in schema.get("oneOf", []))


def _is_table(schema: Schema) -> bool:
    return "properties" in schema or _is_axis(schema)


def _kind(schema: Schema) -> str:
    names = {"integer": "integer", "number": "number", "string": "text", "boolean": "true or false"}
    given = schema.get("type", "")
    kinds = [kind for kind in ([given] if isinstance(given, str) else given) if kind != "null"]
    if kinds == ["array"]:
        # The items of a list of fixed length are alike.
        return f"list of {_kind(schema.get('items') or schema.get('prefixItems', [{}])[0])}s"
    return " or ".join(names.get(kind, kind) for kind in kinds)


def _toml(value: Any) -> str | None:
    """A default as it stands in a file; an absent one and an empty text are none."""
    return None if value is None or value == "" else json.dumps(value)


def _text(description: str) -> str:
    return " ".join(description.split())
