"""One replay by several threads: the same report, and no drive whose dies depend on each other."""

import json
from pathlib import Path

import pytest
import rewear
from conftest import SMALL

SETTINGS = {"flash.blocks_per_plane": 64, "flash.pages_per_block": 32}
WORKLOAD = "zipf:requests=50000,read=0.2"
DAY = Path(__file__).parents[2] / "recordings/day.rwt"
SCHEMES = {
    "wom-v": {"reuse.scheme": "wom-v", "reuse.data_bits": 2},
    "coset": {"reuse.scheme": "coset", "reuse.rate": 0.857},
    "seal": {"reuse.scheme": "seal"},
    "agcr": {"effort.scheme": "agcr"},
    "slc-cache": {"ftl.slc_cache.scheme": "dynamic", "ftl.slc_cache.share": 0.1},
}


@pytest.mark.parametrize("preset", ["disksim", "toshiba-slc", "samsung-mlc", "hynix-mlc"])
def test_the_report_is_the_same(preset):
    drive = rewear.Drive(preset, set=SETTINGS)
    one, *others = (
        drive.replay(rewear.Workload(WORKLOAD), precondition="fill", no_time=True, threads=threads).to_dict()
        for threads in (1, 2, 4)
    )
    assert one["garbage_collections"] > 100
    assert all(json.dumps(other) == json.dumps(one) for other in others)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("source", ["uniform", "zipf", "overwrite-regions", "day"])
def test_schemes_report_the_same_with_and_without_times(scheme, source):
    cells = 2 if scheme in ("seal", "agcr") else 4
    drive = rewear.Drive(
        "toshiba-slc",
        set={**SETTINGS, "ftl.over_provisioning": 0.35, "flash.bits_per_cell": cells, **SCHEMES[scheme]},
    )
    for no_time in (True, False):
        one, *others = (
            drive.replay(
                DAY if source == "day" else rewear.Workload(f"{source}:requests=20000,arrival=poisson,rate=500"),
                precondition="fill",
                fit="modulo",
                max_requests=20_000,
                no_time=no_time,
                threads=threads,
            ).to_dict()
            for threads in (1, 2, 4)
        )
        assert one["garbage_collections"] > 0
        assert (one["mean_response_ns"] is None) == no_time
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
    with pytest.raises(rewear.ConfigurationError, match="closed loop"):
        drive.replay(workload, threads=2)
    for key, scheme in (("reuse", "second-write"), ("effort", "differentiated-ecc"), ("recycle", "lx")):
        with pytest.raises(rewear.ConfigurationError, match=rf"{key}\.scheme: several threads"):
            rewear.Drive("toshiba-slc", set={**SETTINGS, f"{key}.scheme": scheme}).replay(
                workload, no_time=True, threads=2
            )
    with pytest.raises(rewear.ConfigurationError, match=r"ftl\.command_queue"):
        rewear.Drive("disksim", set=SETTINGS).replay(workload, arrival="trace", threads=2)
    with pytest.raises(rewear.ConfigurationError, match=r"one of \[2, 4\]"):
        drive.replay(workload, no_time=True, threads=3)
    with pytest.raises(rewear.ConfigurationError, match="give 1 to"):
        drive.replay(workload, no_time=True, threads=0)
    with pytest.raises(rewear.ConfigurationError, match="several threads answer in their own"):
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
