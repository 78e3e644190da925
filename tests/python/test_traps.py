"""What was taken without a word: percentages for shares, wrong units, wrapped addresses; and how errors speak."""

import warnings
from pathlib import Path

import pytest
import rewear as api
from rewear.core.errors import ConfigurationError, RewearWarning
from rewear.core.plain_errors import in_plain_words


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"ftl.over_provisioning": 7}, ("700%", "write 0.07")),
        ({"flash.timing.read_ns": [80]}, ("80 nanoseconds", "write 80000")),
        ({"flash.timing.erase_ns": 3}, ("3 nanoseconds", "write 3000")),
    ],
)
def test_figures_that_were_probably_meant_otherwise_are_named_with_both_readings(settings, words):
    with pytest.warns(RewearWarning) as caught:
        api.Drive("qlc", set=settings)
    assert all(word in str(caught[0].message) for word in words)


def test_no_preset_is_doubtful():
    with warnings.catch_warnings():
        warnings.simplefilter("error", RewearWarning)
        for name in api.drives():
            api.Drive(name)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"ftl.over_provisioning": "much"}, 'wrong value: the text "much", expected a number'),
        ({"flash.channels": -1}, "wrong value: the number `-1`, expected a whole number of 0 or more"),
        ({"ftl.over_provisoning": 0.1}, "unknown key `over_provisoning`. Did you mean `over_provisioning`?"),
        ({"reuse.scheme": "womv"}, "unknown word `womv`. Did you mean `wom-v`?"),
        ({"flash.timing": 3}, "expected a table"),
        ({"reuse.scheme": "wom-v"}, "the key `data_bits` is missing"),
    ],
)
def test_errors_speak_the_language_of_the_file(settings, words):
    with pytest.raises(ConfigurationError) as caught:
        api.Drive("qlc", set=settings)
    assert words in str(caught.value)
    assert not any(word in str(caught.value) for word in ("f64", "u32", "struct", "enum", "unknown field"))


def test_other_messages_stay_as_they_are():
    assert in_plain_words("the drive reaches byte 7; give more") == "the drive reaches byte 7; give more"


def test_what_stands_behind_a_colon_must_be_a_setting(rewear):
    done = rewear("show", "qlc:foo")
    assert done.returncode == 2
    assert "qlc:foo: 'foo' is no setting" in done.stderr
    assert "qlc:ftl.over_provisioning=0.28" in done.stderr


def test_wrapped_addresses_are_noted(tmp_path: Path, small):
    lines = [f"{at * 1000},{'ab'[at % 2]},0,Write,{at * 4096 * 100},4096,100" for at in range(1, 400)]
    path = tmp_path / "far.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    drive = api.Drive("qlc", set=small)
    notes = " ".join(drive.replay(path, fit="modulo").notes)
    assert "different pages may have become one" in notes
    assert "2 volumes whose addresses were laid over each other" in notes
    dense = " ".join(drive.replay(path, fit="dense").notes)
    assert "volumes" not in dense
    assert "become one" not in dense
