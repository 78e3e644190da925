"""The cell model: `rewear codes physics`, and the question behind it."""

from pathlib import Path

import jsonschema
import pytest
from rewear.cli.codes import parse_retention
from rewear.core.ask import ask

RATE = {"type": "number", "minimum": 0, "maximum": 1}
CYCLES = {"type": "number", "minimum": 0, "maximum": 1e6}
CODE = {"type": "object", "required": ["ldpc", "references", "cycles"], "properties": {"cycles": CYCLES}}


def rows(properties: dict) -> dict:
    item = {"type": "object", "required": list(properties), "properties": properties}
    return {"type": "array", "minItems": 1, "items": item}


POINT = {"type": "object", "required": ["cycles", "rber"], "properties": {"rber": RATE}}
SECTIONS = {
    "limits": rows({"ldpc": {"type": "boolean"}, "references": {"type": "integer"}, "rber": RATE}),
    "rber": rows({"step_v": {}, "retention_hours": {}, "by_cycles": {"type": "array", "items": POINT}}),
    "lives": rows({"step_v": {}, "retention_hours": {}, "by_code": {"type": "array", "items": CODE}}),
    "doubled_step": rows({"normal_bch_cycles": CYCLES, "doubled": {"type": "array", "items": CODE}}),
    "modes": rows({"cycles": {}, "retention_hours": {}, "modes": {"type": "array", "minItems": 4, "maxItems": 4}}),
    "second_writes": rows({"end_cycles": CYCLES, "life_cycles": CYCLES, "share": RATE}),
    "extended_cycles": rows({"cycles": {}, "plain": RATE, "aged_by_erases": RATE, "aged_by_programs": RATE}),
}
SCHEMA = {"type": "object", "required": ["config", *SECTIONS], "properties": SECTIONS}
YEAR = 8760


def rber(step: float, cycles: float, **set: object) -> float:
    """Raw bit error rate of the worst kind of page after a year."""
    found = ask("physics", steps_v=[step], cycles=[cycles], retention_hours=[YEAR], set=set)
    return float(found["sections"]["rber"][0]["by_cycles"][0]["rber"])


def test_parameters_count():
    assert rber(0.3, 3000, **{"interference.strength": 1.4}) > rber(0.3, 3000)
    assert rber(0.15, 3000, references="fixed") > rber(0.15, 3000)
    three_bits = {"voltage.verify_v": [1.9, 2.3, 2.7, 3.1, 3.5, 3.9, 4.3]}
    found = ask("physics", set=three_bits, steps_v=[0.1], cycles=[0], retention_hours=[24])
    assert found["config"]["voltage"]["verify_v"] == three_bits["voltage.verify_v"]
    assert found["sections"]["extended_cycles"] == []


@pytest.mark.parametrize(("text", "hours"), [("24h", 24), ("30d", 720), ("2w", 336), ("1y", 8760), ("0.5d", 12)])
def test_retention_times(text, hours):
    assert parse_retention(text) == hours


SMALL = ("--step", "0.15", "--step", "0.3", "--cycles", "0", "--cycles", "3000", "--retention", "1y")


def test_the_document_has_every_section(rewear):
    changed = ("--set", "interference.strength=0.9")
    document = rewear("codes", "physics", *SMALL, *changed, "--json").document()["sections"]["physics"]
    jsonschema.validate(document, SCHEMA)
    assert document["config"]["interference"]["strength"] == 0.9
    assert len(document["rber"]) == len(document["lives"]) == len(document["second_writes"]) == 2
    assert len(document["modes"]) == 2


def test_tables_and_page(rewear, tmp_path: Path):
    done = rewear("codes", "physics", *SMALL, "--html", "out/p.html")
    assert done.returncode == 0, done.stderr
    for words in ("LDPC 3 references", "normal step, BCH", "Table I", "650 µs / 145 µs (3)", "30.0%", "1 y"):
        assert words in done.stdout
    page = (tmp_path / "out/p.html").read_text(encoding="utf-8")
    assert "http" not in page
    assert "rewear codes physics --step 0.15" in page
    assert "Until when a doubled step is safe" in page
