"""The door between Python and the compiled core."""

import pytest
import rewear as api
from hypothesis import given
from hypothesis import strategies as st
from rewear.core.errors import CodeError, ConfigurationError
from rewear.core.progress import Progress

MEASUREMENTS = {
    "codes.table-2": {"storage_percent": 210.0, "trials": 30, "seed": 1},
    "codes.retries": {"storage_percent": 210.0, "trials": 30, "seed": 1},
    "codes.row": {"section": "bch", "table": "frame_error_rates", "row": 30, "samples": 30, "seed": 1},
    "codes.first-writes": {"pages": 30, "page_bytes": 512, "seed": 1},
}


@pytest.mark.parametrize("question", MEASUREMENTS)
def test_a_measurement_reports_progress_and_can_be_ended(question):
    arguments = MEASUREMENTS[question]
    seen: list[Progress] = []
    assert api.ask(question, seen.append, **arguments) == api.ask(question, **arguments)
    assert seen[0] == Progress("measuring", 0, 30)
    many = next(name for name in ("trials", "samples", "pages") if name in arguments)

    def stop(state: Progress) -> None:
        seen.append(state)
        if state.done > 0:
            raise StopIteration

    with pytest.raises(StopIteration):
        api.ask(question, stop, **{**arguments, many: 10**8})
    assert 0 < seen[-1].done < 10**8


@pytest.mark.parametrize(
    ("question", "arguments", "words"),
    [
        ("codes.turbo", {}, "codes.table-2, codes.wom-v"),
        ("codes.wom-v", {"k": 2}, "Question codes.wom-v: missing field `n`"),
        ("codes.wom-v", {"k": 2, "n": 4, "bits": 1}, "unknown field `bits`"),
        ("codes.wom-v", {"k": -1, "n": 4}, "-1"),
        ("codes.wom-v", {"k": "two", "n": 4}, "two"),
        ("codes.wom-v", {"k": 4, "n": 4}, "WOM-v"),
        ("codes.table-2", {"storage_percent": 50.0, "trials": 1, "seed": 1}, "storage_percent = 50"),
        ("codes.table-2", {"storage_percent": 210.0, "trials": 1, "seed": 1, "reading": "mine"}, "clean-spare"),
        ("codes.table-2", {"storage_percent": 210.0, "trials": 1, "seed": 1, "cells": 1000}, "power of two"),
        ("codes.wom-v-writes", {"k": 2, "n": 4, "max_invalid_share": 1.0}, "choose 0 to below 1"),
        ("codes.wom-v-writes", {"k": 2, "n": 4, "flip_rate": 1.5}, "no probability"),
        ("codes.row", {"section": "bch", "table": "limits", "row": 16, "samples": 1, "seed": 1}, "no row 16"),
        ("codes.erase-factor", {"fullness": [0.0], "rate": 0.5, "writes": 7}, "fullness = 0"),
        ("codes.binomial-tail", {"bits": 2**40, "t": 1, "rbers": [0.1]}, "too many"),
        ("codes.first-writes", {"pages": 2**40, "page_bytes": 512, "seed": 1}, "1099511627776"),
        ("physics", {"set": {"voltage.setp_v": 0.1}}, "setp_v"),
        ("physics", {"set": {"voltage.step_v": float("nan")}}, "finite"),
        ("physics", {"set": {"voltage.step_v": -0.1}}, "voltage.step_v"),
        ("physics", {"set": {"references.fixed": 1, "references": "fixed"}}, "references is no table"),
        ("physics", {"cycles": []}, "cycles is empty"),
        ("physics", {"cycles": [-1.0]}, "cycles"),
        ("student-t", {"probability": 1.0, "freedom": 3}, "above 0 and below 1"),
        ("lx.probability", {"growth": 1.0, "decay": 0.1, "accesses": 1, "version": 16}, "0 to 15"),
    ],
)
def test_a_wrong_question_or_argument_is_named(question, arguments, words):
    with pytest.raises(api.RewearError) as error:
        api.ask(question, **arguments)
    assert words in str(error.value)
    assert isinstance(error.value, ConfigurationError | CodeError)


@given(st.text(max_size=20), st.dictionaries(st.text(max_size=8), st.integers() | st.text(max_size=8), max_size=3))
def test_no_question_makes_a_panic(question, arguments):
    arguments.pop("question", None)
    arguments.pop("progress", None)
    with pytest.raises(ConfigurationError):
        api.ask(question, **arguments)


def test_first_writes_program_at_most_half_of_the_cells_and_read_back():
    found = api.ask("codes.first-writes", pages=60, page_bytes=512, seed=3)
    assert found == {"most_ones_share": found["most_ones_share"], "wrong": 0, "some_complemented": True}
    assert 0.45 < found["most_ones_share"] <= 0.5


def test_erases_in_theory():
    # 7 writes at half the rate: fewer erases on an empty drive, and no room on a full one.
    few, many = api.ask("codes.erase-factor", fullness=[0.4, 0.6], rate=0.5, writes=7)
    assert few == pytest.approx(0.687, abs=5e-4)
    assert many is None


def test_the_equations_of_recycling():
    assert api.ask("lx.version", position=0) == 15
    assert api.ask("lx.probability", growth=0.1, decay=0.1, accesses=15, version=15) == pytest.approx(1)
    assert api.ask("lx.popularity", growth=1.0, accesses=3) == 8
