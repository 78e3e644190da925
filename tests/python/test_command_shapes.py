"""One shape of commands: drives and traces as arguments or options, letters, outputs by their ending."""

import json
from pathlib import Path

import pytest
from conftest import SMALL
from rewear.cli import progress
from rewear.core.progress import Progress

SETTINGS = [part for setting in SMALL for part in ("--set", setting)]
WORKLOAD = ("--workload", "uniform:requests=500")


@pytest.mark.usefixtures("msr_trace")
def test_a_drive_and_a_trace_are_arguments_or_options(rewear):
    ways = (
        ("qlc", "small.csv"),
        ("--drive", "qlc", "small.csv"),
        ("qlc", "--trace", "small.csv"),
        ("--drive", "qlc", "--trace", "small.csv"),
    )
    said = [rewear("run", *way, *SETTINGS, "--fit", "dense", "--json") for way in ways]
    assert {each.returncode for each in said} == {0}, said[0].stderr
    assert len({each.stdout for each in said}) == 1
    assert "Two traces given" in rewear("run", "qlc", "small.csv", "--trace", "small.csv").refused()
    assert "No drive given" in rewear("run", *WORKLOAD).refused()
    assert "Two drives given" in rewear("run", "qlc", "small.csv", "--drive", "qlc").refused()
    assert "Two traces given" in rewear("advise", "small.csv", "--trace", "small.csv").refused()
    short = [rewear("advise", *way) for way in (("small.csv",), ("--trace", "small.csv"))]
    assert [each.returncode for each in short] == [4, 4] and short[0].stdout == short[1].stdout


def test_drives_of_a_comparison_are_arguments_or_options(rewear):
    first = rewear("compare", "qlc", "a=qlc", *WORKLOAD, *SETTINGS, "--json")
    second = rewear("compare", "qlc", "--drive", "a=qlc", *WORKLOAD, *SETTINGS, "--json", "-j", "1")
    assert first.returncode == 0 and first.stdout == second.stdout
    for command in ("compare", "lifetime", "bound"):
        assert "No drive given" in rewear(command, *WORKLOAD).refused()


def test_an_output_is_what_its_name_ends_in(rewear, tmp_path: Path):
    for name in ("a.json", "a.md"):
        assert rewear("run", "qlc", *WORKLOAD, *SETTINGS, "-o", name).returncode == 0
        assert rewear("compare", "qlc", *WORKLOAD, *SETTINGS, "--out", f"c{name}").returncode == 0
    told = rewear("run", "qlc", *WORKLOAD, *SETTINGS, "--json").document()
    assert json.loads((tmp_path / "a.json").read_text()) == told
    assert (tmp_path / "a.md").read_text().startswith("#")


def test_letters_and_other_names(rewear):
    assert rewear("-V").stdout == rewear("--version").stdout
    assert rewear("run", "qlc", *WORKLOAD, *SETTINGS, "-q", "-v").returncode == 0
    assert "Test a change for drive wear" in rewear("waf", "--help").stdout
    assert rewear("analyze", "missing.csv").stderr == rewear("trace", "analyze", "missing.csv").stderr
    assert "a model of " in rewear("run", "qlc", *WORKLOAD, *SETTINGS).stdout.splitlines()[0]


def test_figures_that_every_tool_has(rewear):
    closed = ("--arrival", "closed", "--queue-depth", "8")
    mixed = ("--workload", "uniform:requests=5000,read=0.5")
    text = rewear("run", "qlc", *mixed, *SETTINGS, *closed, "--precondition", "fill").stdout
    report = rewear("run", "qlc", *mixed, *SETTINGS, *closed, "--precondition", "fill", "--json").document()
    seconds = report["simulated_ns"] / 1e9
    rows = {line.rsplit(None, 1)[0].strip(): line.split()[-1] for line in text.splitlines() if line.strip()}

    def shown(title: str) -> float:
        return float(rows[title].replace(",", ""))

    assert shown("IOPS") == pytest.approx(5000 / seconds, rel=0.01)
    assert shown("MB/s read") == pytest.approx(report["host_bytes_read"] / 1e6 / seconds, rel=0.01)
    assert shown("MB/s written") == pytest.approx(report["host_bytes_written"] / 1e6 / seconds, rel=0.01)
    assert shown("requests outstanding, mean") == pytest.approx(8, rel=0.02)
    assert shown("drive writes per day, for five years") == pytest.approx(
        report["life"]["drive_writes"] / (5 * 365.25), rel=0.02
    )


@pytest.mark.parametrize(("level", "lines"), [(0, 0), (1, 0), (2, 2)])
def test_verbose_tells_each_phase_and_quiet_none(monkeypatch, capsys, level: int, lines: int):
    monkeypatch.setattr(progress, "level", level)
    with progress.progress_bars() as tell:
        for phase in ("filling", "replaying", "replaying"):
            tell("qlc", Progress(phase, 1, 2))
    assert len(capsys.readouterr().err.splitlines()) == lines
