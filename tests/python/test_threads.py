"""One replay by several threads: the same report, and no drive whose dies depend on each other."""

import json

import pytest
import rewear
from conftest import SMALL

SETTINGS = {"flash.blocks_per_plane": 64, "flash.pages_per_block": 32}
WORKLOAD = "zipf:requests=50000,read=0.2"


@pytest.mark.parametrize("preset", ["disksim", "toshiba-slc", "samsung-mlc", "hynix-mlc"])
def test_the_report_is_the_same(preset):
    drive = rewear.Drive(preset, set=SETTINGS)
    one, *others = (
        drive.replay(rewear.Workload(WORKLOAD), precondition="fill", no_time=True, threads=threads).to_dict()
        for threads in (1, 2, 4)
    )
    assert one["garbage_collections"] > 100
    assert all(json.dumps(other) == json.dumps(one) for other in others)


def test_a_trace_is_read_ahead_as_well(tmp_path):
    drive = rewear.Drive("disksim", set=SETTINGS)
    trace = tmp_path / "trace.csv"
    rows = (
        f"{at},{'R' if at % 5 == 0 else 'W'},{at * 7919 % 4000 * 4096},{4096 * (1 + at % 3)}" for at in range(30_000)
    )
    trace.write_text("\n".join(rows) + "\n")
    one, two = (
        drive.replay(trace, precondition="fill", fit="modulo", no_time=True, threads=threads).to_dict()
        for threads in (1, 2)
    )
    assert json.dumps(one) == json.dumps(two)


def test_what_cannot_be_shared_is_refused():
    workload = rewear.Workload("uniform:requests=1000")
    drive = rewear.Drive("toshiba-slc", set=SETTINGS)
    with pytest.raises(rewear.ConfigurationError, match="static-die"):
        rewear.Drive("openssd", set=SETTINGS).replay(workload, no_time=True, threads=2)
    with pytest.raises(rewear.ConfigurationError, match="keep no time"):
        drive.replay(workload, threads=2)
    with pytest.raises(rewear.ConfigurationError, match=r"one of \[2, 4\]"):
        drive.replay(workload, no_time=True, threads=3)
    with pytest.raises(rewear.ConfigurationError, match="give 1 to"):
        drive.replay(workload, no_time=True, threads=0)
    with pytest.raises(rewear.ConfigurationError, match="several threads keep none"):
        drive.replay(workload, no_time=True, threads=2, log="log.parquet")


def test_the_command_takes_threads(rewear):
    settings = [part for key, value in SETTINGS.items() for part in ("--set", f"{key}={value}")]
    arguments = ("run", "--drive", "disksim", *settings, "--workload", WORKLOAD, "--precondition", "fill", "--no-time")
    one, two = (rewear(*arguments, "--json", *threads) for threads in ((), ("--threads", "2")))
    assert two.returncode == 0, two.stderr
    assert one.stdout == two.stdout
    assert "Leave one out" in rewear(*arguments, "--threads", "2", "--seeds", "3").refused()
    assert "static-die" in rewear("run", "--drive", "qlc", *SMALL_SETTINGS, *arguments[-5:], "--threads", "2").refused()


SMALL_SETTINGS = [part for setting in SMALL for part in ("--set", setting)]
