"""The cell model from Python and as `rewear physics`."""

import json
import re
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rewear.cli.physics import parse_retention
from rewear.codes import Sensing
from rewear.core.errors import ConfigurationError
from rewear.physics import CellModel, study

MODEL = CellModel()

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
SCHEMA = {
    "type": "object",
    "required": ["schema", "rewear", "config", "sections"],
    "properties": {
        "schema": {"const": 1},
        "sections": {
            "type": "object",
            "required": list(SECTIONS),
            "properties": SECTIONS,
            "additionalProperties": False,
        },
    },
}


def test_arguments_broadcast():
    grid = MODEL.rber(np.array([[0.15], [0.3]]), [0, 1000, 3000], 8760)
    assert grid.shape == (2, 3)
    assert grid.dtype == np.float64
    assert grid[1, 2] == MODEL.rber(0.3, 3000, 8760)
    assert MODEL.rber(0.15, 100, 1).shape == ()
    assert MODEL.references([0.15, 0.3], 1000, 24).shape == (2, 3)
    assert MODEL.cycles_until([1e-3, 3e-3], 0.15, [[24], [8760]]).shape == (2, 2)


def test_kinds_of_pages():
    kinds = [float(MODEL.rber(0.3, 3000, 8760, pages=kind)) for kind in (0, 1)]
    assert MODEL.rber(0.3, 3000, 8760) == max(kinds)
    assert MODEL.rber(0.3, 3000, 8760, pages="mean") == pytest.approx(sum(kinds) / 2)
    three_bits = CellModel({"voltage": {"verify_v": [1.9, 2.3, 2.7, 3.1, 3.5, 3.9, 4.3]}})
    assert three_bits.references(0.1, 0, 0).size == 7
    assert float(three_bits.rber(0.1, 0, 0, pages=2)) < float(three_bits.rber(0.1, 0, 0, pages=0))
    with pytest.raises(ConfigurationError, match="pages = 2"):
        MODEL.rber(0.3, 0, 0, pages=2)


def test_densities_are_the_distribution_that_the_rate_comes_from():
    edges = np.linspace(-1.5, 6.5, 8001)
    density = MODEL.density(edges, 0.3, 5000, 8760)
    assert density.shape == (4, 8000)
    masses = density * np.diff(edges)
    assert masses.sum(axis=1) == pytest.approx(np.ones(4), abs=1e-9)
    # The lower page errs where levels 0 and 1 are read above the middle reference and levels 2 and 3 below it.
    low, middle, high = MODEL.references(0.3, 5000, 8760)
    centres = 0.5 * (edges[1:] + edges[:-1])
    wrong = (masses[:2][:, centres > middle].sum() + masses[2:][:, centres < middle].sum()) / 4
    assert wrong == pytest.approx(float(MODEL.rber(0.3, 5000, 8760, pages=1)), rel=5e-3)
    assert low < middle < high


@settings(max_examples=25, deadline=None)
@given(
    step=st.floats(0.1, 0.4),
    cycles=st.floats(1, 3e4),
    hours=st.floats(0, 1e5),
    limit=st.floats(1e-4, 2e-2),
)
def test_a_life_ends_where_the_limit_is_met(step, cycles, hours, limit):
    rate = float(MODEL.rber(step, cycles, hours))
    assert 0 < rate < 0.5
    life = float(MODEL.cycles_until(limit, step, hours))
    assert (rate <= limit * (1 + 1e-3)) == (cycles <= life * (1 + 1e-3)) or life == pytest.approx(cycles, rel=2e-3)


def test_what_the_papers_state_comes_out_where_it_should():
    limits = MODEL.limits()
    # Same parity: LDPC stands more than BCH, the more so the more references.
    ldpc = [limit["rber"] for limit in limits["ldpc"]]
    assert limits["bch"]["rber"] < ldpc[0] < ldpc[1] < ldpc[2] < ldpc[3]
    # A doubled step that BCH cannot read and LDPC can.
    rate = float(MODEL.rber(2 * MODEL.step_v, 3000, 8760))
    assert limits["bch"]["rber"] < rate < ldpc[1]
    modes = {mode["name"]: mode for mode in MODEL.derived_modes(3000, 8760)}
    assert (modes["low"]["program_ns"], modes["low"]["read_ns"]) == (650_000, 145_000)
    assert (modes["normal"]["program_ns"], modes["normal"]["read_ns"]) == (1_300_000, 45_000)
    # Second writes end well before the block, and not at once.
    assert 0.15 < MODEL.second_writes(MODEL.step_v, 8760)["share"] < 0.6


def test_parameters_count_and_unknown_ones_are_named():
    strong = CellModel(set={"interference.strength": 1.4})
    assert strong.rber(0.3, 3000, 8760) > MODEL.rber(0.3, 3000, 8760)
    assert strong.config["interference"]["strength"] == 1.4
    both = CellModel({"voltage": {"step_v": 0.2, "program_noise_v": 0.05}}, set={"voltage.step_v": 0.1})
    assert both.step_v == 0.1
    assert both.config["voltage"]["program_noise_v"] == 0.05
    fixed = CellModel(set={"references": "fixed"})
    assert fixed.rber(0.15, 3000, 8760) > MODEL.rber(0.15, 3000, 8760)
    for key, value, words in [
        ("voltage.setp_v", 0.1, "setp_v"),
        ("voltage.step_v", "wide", "wide"),
        ("voltage.step_v", float("nan"), "finite"),
        ("voltage.step_v", -0.1, "voltage.step_v"),
        ("references.fixed", 1, "invalid type"),
        ("ecc.parity_bytes", 100, "parity_bytes"),
    ]:
        with pytest.raises(ConfigurationError, match=words):
            CellModel(set={key: value}).derived_modes(1, 1)


@pytest.mark.parametrize(
    "call",
    [
        lambda: MODEL.rber(0.0, 1, 1),
        lambda: MODEL.rber(0.1, -1, 1),
        lambda: MODEL.rber(0.1, 1, float("inf")),
        lambda: MODEL.rber([0.1, 0.2], [1, 2, 3], 1),
        lambda: MODEL.density([1.0], 0.1, 1, 1),
        lambda: MODEL.density([2.0, 1.0], 0.1, 1, 1),
        lambda: MODEL.cycles_until(2.0, 0.1, 1),
        lambda: study(MODEL, cycles=[]),
    ],
)
def test_impossible_arguments_are_refused(call):
    with pytest.raises(ConfigurationError):
        call()


@pytest.mark.parametrize(("text", "hours"), [("24h", 24), ("30d", 720), ("2w", 336), ("1y", 8760), ("0.5d", 12)])
def test_retention_times(text, hours):
    assert parse_retention(text) == hours


SMALL = ("--step", "0.15", "--step", "0.3", "--cycles", "0", "--cycles", "3000", "--retention", "1y")


def test_the_document_has_every_section(rewear):
    document = rewear("physics", *SMALL, "--set", "interference.strength=0.9", "--json").document()
    jsonschema.validate(document, SCHEMA)
    assert document["config"]["interference"]["strength"] == 0.9
    sections = document["sections"]
    assert len(sections["rber"]) == len(sections["lives"]) == len(sections["second_writes"]) == 2
    assert len(sections["modes"]) == 2
    again = study(
        CellModel(set={"interference.strength": 0.9}), steps_v=[0.15, 0.3], cycles=[0, 3000], retention_hours=[8760]
    )
    assert json.loads(json.dumps(again)) == document


def test_tables(rewear):
    done = rewear("physics", *SMALL)
    assert done.returncode == 0, done.stderr
    for words in ("LDPC 3 references", "normal step, BCH", "Table I", "650 µs / 145 µs (3)", "30.0%", "1 y"):
        assert words in done.stdout


def test_the_page_is_self_contained_and_always_the_same(rewear, tmp_path: Path):
    done = rewear("physics", *SMALL, "--html", "out/p.html")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "out/p.html").read_text(encoding="utf-8")
    assert page.count("<svg") == page.count('role="img"') == 7
    assert "http" not in page
    assert "rewear physics --step 0.15" in page
    assert "(V, normalised)" in page
    figures = "".join(re.findall(r"<svg.*?</svg>", page, re.DOTALL))
    assert not re.search(r"#[0-9a-f]{6}\b", figures)
    rewear("physics", *SMALL, "--html", "out/p.html")
    assert (tmp_path / "out/p.html").read_text(encoding="utf-8") == page


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--step", "0"), ["step_v", "0"]),
        (("--step", "wide"), ["--step"]),
        (("--cycles", "-5"), ["cycles", "-5"]),
        (("--retention", "soon"), ["soon", "1y"]),
        (("--retention", "5"), ["5", "30d"]),
        (("--set", "voltage"), ["voltage", "key=value"]),
        (("--set", "voltage.volts=1"), ["volts"]),
        (("--set", "ecc.parity_bytes=100"), ["ecc.parity_bytes", "384"]),
        (("--html", "."), ["."]),
    ],
)
def test_a_wrong_argument_is_named(rewear, arguments, words):
    message = rewear("physics", *arguments).refused()
    for word in words:
        assert word in message


def information(joint: np.ndarray) -> float:
    """Mutual information in bits of a bit (rows) and a bin (columns)."""
    joint = joint / joint.sum()
    product = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    seen = joint > 0
    return float((joint[seen] * np.log2(joint[seen] / product[seen])).sum())


def soft_read(step: float, cycles: float, page: int, pairs: int) -> float:
    """Information of a page's soft read on its bits, at the best distance of the references."""
    edges = np.linspace(-1.5, 6.5, 40001)
    masses = MODEL.density(edges, step, cycles, 8760) * np.diff(edges)
    centres = 0.5 * (edges[1:] + edges[:-1])
    bits = [(level ^ level >> 1) >> page & 1 for level in range(4)]
    boundaries = [
        float(reference)
        for number, reference in enumerate(MODEL.references(step, cycles, 8760))
        if bits[number] != bits[number + 1]
    ]
    best = 0.0
    for distance in np.linspace(0.01, 0.1, 19):
        references = sorted(at + k * distance for at in boundaries for k in range(-pairs, pairs + 1))
        bins = np.searchsorted(references, centres)
        joint = np.zeros((2, len(references) + 1))
        for bit, level in zip(bits, masses, strict=True):
            np.add.at(joint[bit], bins, level)
        best = max(best, information(joint))
    return best


@pytest.mark.parametrize(("step", "cycles"), [(0.3, 3000), (0.15, 9500)])
@pytest.mark.parametrize("page", [0, 1])
@pytest.mark.parametrize("pairs", [1, 3])
def test_soft_reads_tell_as_much_as_those_of_the_gaussian_channel(step, cycles, page, pairs):
    """The LDPC limits were measured on a Gaussian channel; here is why they may be used for these cells."""
    rate = float(MODEL.rber(step, cycles, 8760, pages=page))
    gaussian = Sensing(rate, pairs).probabilities()
    missing = 1 - information(np.array([gaussian, gaussian[::-1]]))
    assert 0.85 < (1 - soft_read(step, cycles, page, pairs)) / missing < 1.03
