"""Usage errors beyond their screens (test_screens.py): what is kept, skipped or refused in time."""

from pathlib import Path

import pytest


def test_bad_lines_are_skipped_on_demand(rewear, msr_trace: Path):
    msr_trace.write_text(msr_trace.read_text() + "rubbish\n")
    info = rewear("trace", "info", "small.csv:skip_bad_lines=true", "--json").document()
    assert info["requests"] == 200
    assert info["omissions"]["bad_lines"] == 1


def test_a_trace_beyond_the_drive_is_fitted_on_demand(rewear, tmp_path: Path):
    (tmp_path / "far.csv").write_text("128166372003061629,hm,0,Write,9999999995904,4096,1\n")
    assert rewear("run", "--drive", "qlc", "--trace", "far.csv", "--fit", "dense", "--json").document()["complete"]


def test_a_page_that_was_there_survives_a_failed_run(rewear, tmp_path: Path):
    (tmp_path / "page.html").write_text("kept")
    rewear("compare", "--trace", "missing.csv", "qlc", "--html", "page.html").refused()
    assert (tmp_path / "page.html").read_text() == "kept"


@pytest.mark.parametrize("output", ["/dev/null", ".", "link.html", "small.csv/page.html", "/proc/log"])
def test_an_output_that_cannot_be_written_is_refused_before_the_replay(rewear, msr_trace: Path, tmp_path: Path, output):
    (tmp_path / "link.html").symlink_to(tmp_path / "elsewhere.html")
    endless = ("--workload", "uniform:requests=1000000000000")
    for words in (("compare", "qlc", *endless, "--html"), ("run", "--drive", "qlc", *endless, "--log")):
        assert output in rewear(*words, output).refused()
