"""`rewear codes`: the papers' tables beside what is measured."""

from pathlib import Path

import jsonschema
import pytest
from rewear import codes
from rewear.core.errors import ConfigurationError
from rewear.page.terminal import render_text
from rewear.shown.codes import codes_answer
from test_page import assert_fetches_nothing

SAMPLES = 10
SHARE = {"type": "number", "minimum": 0, "maximum": 1}
PROPORTION = {
    "type": "object",
    "required": ["successes", "trials", "rate", "low", "high"],
    "properties": {"rate": SHARE, "low": SHARE, "high": SHARE},
}
MEAN = {"type": "object", "required": ["samples", "mean", "half_width"]}
WRITES = {"type": "object", "required": ["exact", "measured"], "properties": {"measured": MEAN}}
FRAMES = {
    "type": "object",
    "required": ["data_bytes", "parity_bytes", "rber", "frame_errors", "miscorrected", "trials", "mean_bit_errors"],
    "properties": {"frame_error_rate": SHARE, "low": SHARE, "high": SHARE},
}


def rows(count: int, properties: dict) -> dict:
    item = {"type": "object", "required": list(properties), "properties": properties}
    return {"type": "array", "minItems": count, "maxItems": count, "items": item}


def tables(**named: dict) -> dict:
    return {"type": "object", "required": list(named), "properties": named, "additionalProperties": False}


RATES = ("one_attempt", "with_dither", "with_rotation")
SECTIONS = tables(
    **{
        "rivest-shamir": tables(tables=rows(2, {"table": {}, "rows": {}}), search=rows(4, {"max_generations": {}})),
        "polar-wom": tables(
            table_2=rows(13, {"storage_percent": {}, "paper": {}, **dict.fromkeys(RATES, PROPORTION)}),
            retries=rows(4, {"first": PROPORTION, "rotation_after_failure": PROPORTION, "independent": SHARE}),
        ),
        "wom-v": tables(
            tables=rows(3, {"table": {"type": "string"}, "paper_generations": {"type": "integer"}}),
            writes=rows(10, {"no_read": {}, "pre_check": WRITES, "post_check": WRITES, "without_ecc": WRITES}),
            flip_rates=rows(3, {"mean_writes": {"type": "array"}}),
            erase_factors=rows(6, {"factors": {"type": "array"}}),
        ),
        "flip-n-write": tables(changes=rows(4, {"mean_share": SHARE, "max_share": SHARE})),
        "mlc-cell": tables(
            transitions=rows(20, {"number": {}, "effect": {}}), orders=rows(30, {"safe": {"type": "boolean"}})
        ),
        "bch": tables(limits=rows(16, {"rber": SHARE}), frame_error_rates={"type": "array", "items": FRAMES}),
        "ldpc": tables(codes=rows(3, {"rate": SHARE}), frame_error_rates={"type": "array", "items": FRAMES}),
        "physics": {"type": "object", "required": ["config", "limits", "rber", "lives"]},
    }
)
SCHEMA = {
    "type": "object",
    "required": ["schema", "rewear", "samples", "seed", "sections"],
    "properties": {"schema": {"const": 1}, "samples": {"const": SAMPLES}, "seed": {"const": 5}, "sections": SECTIONS},
}


@pytest.fixture(scope="module")
def document() -> dict:
    return codes.study(samples=SAMPLES, seed=5)


def test_the_document_has_every_section(document):
    jsonschema.validate(document, SCHEMA)
    assert tuple(document["sections"]) == codes.SECTIONS
    bch = document["sections"]["bch"]["frame_error_rates"]
    outside = [row for row in bch if not row["low"] <= row["expected"] <= row["high"]]
    # Of 42 intervals at 95%, two are expected to miss; ten would be a wonder.
    assert len(outside) < 10
    for row in document["sections"]["wom-v"]["writes"]:
        for check in ("pre_check", "post_check", "without_ecc"):
            measured = row[check]["measured"]
            assert row[check]["exact"] == pytest.approx(measured["mean"], abs=2 * measured["half_width"] + 0.6)
    for printed in document["sections"]["wom-v"]["tables"]:
        assert printed["generations"] == printed["paper_generations"]


def test_the_same_seed_gives_the_same_document_on_any_number_of_threads():
    once = codes.study(["polar-wom", "ldpc"], samples=2, seed=3, jobs=1)
    assert codes.study(["polar-wom", "ldpc"], samples=2, seed=3, jobs=4) == once
    other = codes.study(["polar-wom"], samples=2, seed=4)["sections"]["polar-wom"]
    assert other != once["sections"]["polar-wom"]


def test_every_section_prints_tables(rewear, document):
    printed = render_text(*codes_answer(document).parts)
    for words in ("seal, Table I", "+ rotation", "WOM-v(2,4)", "RBER", "soft, 7 references", "low high", "Table I"):
        assert words in printed
    assert f"{SAMPLES} samples, seed 5." in printed
    of_one = ("codes", "flip-n-write", "--samples", "5")
    assert "±" in rewear(*of_one).stdout
    assert rewear(*of_one, "--json").document()["samples"] == 5


def test_the_page_has_charts_in_the_colours_of_the_page(rewear, tmp_path: Path):
    done = rewear("codes", "bch", "--samples", "2", "--html", "out/a.html")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "out/a.html").read_text(encoding="utf-8")
    assert page.count("<svg") == page.count('role="img"') == 2
    assert_fetches_nothing(page)
    assert "rewear codes bch" in page


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("bhc",), ["bhc", "bch"]),
        (("--samples", "0"), ["--samples"]),
        (("--samples", "many"), ["--samples"]),
        (("--samples", "1000000000"), ["1000000000"]),
        (("--seed", "-1"), ["--seed"]),
        (("--seed", "9223372036854775808"), ["seed"]),
        (("bch", "--step", "0.2"), ["--step", "physics"]),
        (("physics", "--step", "0"), ["step_v", "0"]),
        (("physics", "--step", "wide"), ["--step"]),
        (("physics", "--cycles", "-5"), ["cycles", "-5"]),
        (("physics", "--retention", "soon"), ["soon", "1y"]),
        (("physics", "--retention", "5"), ["5", "30d"]),
        (("physics", "--set", "voltage"), ["voltage", "key=value"]),
        (("physics", "--set", "voltage.volts=1"), ["volts"]),
        (("physics", "--set", "ecc.parity_bytes=100"), ["ecc.parity_bytes", "384"]),
        (("--html", "."), ["."]),
    ],
)
def test_a_wrong_argument_is_named(rewear, arguments, words):
    message = rewear("codes", *arguments).refused()
    for word in words:
        assert word in message


def test_a_wrong_section_is_refused_by_the_function_too():
    with pytest.raises(ConfigurationError, match="polar"):
        codes.study(["turbo"])


def test_a_failing_progress_callback_ends_the_study():
    def refuse(state):
        raise RuntimeError(state.phase)

    # Of the hours that all measurements take, nothing is waited for.
    with pytest.raises(RuntimeError, match="measuring"):
        codes.study(["bch"], samples=10**8, progress=refuse)
