"""Drives as TOML text: what is written is read as it was."""

import tomllib

import pytest
from rewear.core.toml_text import to_toml, to_toml_value

VALUES = [
    "a\rb",
    "\x7f",
    'two\nlines """ and \\ more',
    float("inf"),
    'quoted "text"',
    [1, 2.5, [True, "x"]],
    {"a b": 1},
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_value_comes_back(value: object):
    assert tomllib.loads(to_toml({"key with blanks": {"x.y": value}}))["key with blanks"]["x.y"] == value
    if not isinstance(value, dict):
        assert tomllib.loads(f"v = {to_toml_value(value)}")["v"] == value
