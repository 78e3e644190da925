"""Replays that keep no time: the same counts, no times, from Python and from the command line."""

import pytest
import rewear
from conftest import SMALL

WORKLOAD = "uniform:requests=20000,read=0.25"
SETTINGS = [part for setting in SMALL for part in ("--set", setting)]


def test_counts_are_those_of_a_replay_with_time(small):
    drive = rewear.Drive("qlc", set=small)
    timed, untimed = (
        drive.replay(rewear.Workload(WORKLOAD), precondition="fill", no_time=no_time) for no_time in (False, True)
    )
    for key in ("erases_per_block", "pages_moved", "pages_programmed", "pages_read", "flash_erased_bytes"):
        assert untimed[key] == timed[key], key
    for key in ("busy_ns", "utilisation", "simulated_ns", "mean_response_ns", "energy_j"):
        assert untimed[key] is None, key
    assert untimed.latency_ns["write"] is None
    assert untimed.mean_response_ns is None
    with pytest.raises(rewear.ReplayError, match="kept no time"):
        _ = untimed.simulated_ns


def test_erases_in_idle_time_need_times(small):
    idle = rewear.Drive("qlc", set={**small, "ftl.background.scheme": "erase-invalid"})
    with pytest.raises(rewear.ConfigurationError, match="idle time"):
        idle.replay(rewear.Workload(WORKLOAD), no_time=True)


def test_the_command_says_that_there_are_no_times(rewear, tmp_path):
    arguments = ("run", "--drive", "qlc", *SETTINGS, "--workload", WORKLOAD, "--precondition", "fill", "--no-time")
    done = rewear(*arguments, "--html", "page.html")
    assert done.returncode == 0, done.stderr
    assert "No time was kept" in done.stdout
    assert "simulated time" not in done.stdout
    assert "Time busy" not in (tmp_path / "page.html").read_text()
    refused = rewear(*arguments, "--arrival", "closed").refused()
    assert "no time is kept" in refused
