"""The effort schemes and the watched queues, from Python and from the command line."""

import pytest
import rewear as package

SMALL = {"flash.channels": "2", "flash.blocks_per_plane": "40", "flash.pages_per_block": "64"}
WORKLOAD = "roles:pages=2000,requests=20000,read=0.4,shared=0.2,shared_hits=0.5,arrival=poisson,rate=900"


def drive(**settings: str) -> package.Drive:
    return package.Drive(
        "differentiated-ecc-mlc", set=SMALL | {key.replace("__", "."): value for key, value in settings.items()}
    )


def test_the_report_has_modes_and_queues():
    source = package.Workload(WORKLOAD)
    design = drive(effort__scheme="differentiated-ecc")
    report = design.replay(source, precondition="fill", queues=True)
    modes = {mode["mode"]: mode for mode in report.effort["modes"]}
    assert set(modes) == {"normal", "low-cost"}
    assert sum(mode["host_writes"] for mode in modes.values()) == report.pages_programmed["host"]
    assert sum(mode["rewrites"] for mode in modes.values()) == report.pages_rewritten
    assert sum(mode["share"] for mode in modes.values()) == pytest.approx(1)
    assert report.effort["history_bytes"] == 2048
    assert 0 < report.effort["false_write_hits"] < 1
    # Two dies were looked at for every request.
    assert report.queues["seen"] == 2 * 20000
    assert 0 < report.queues["mean"] <= report.queues["max"]
    plain = drive().replay(source, precondition="fill")
    assert plain.effort is None
    assert plain.queues is None
    assert report.mean_response_ns < plain.mean_response_ns


def test_run_prints_modes_and_queues(rewear):
    settings = [part for key, value in SMALL.items() for part in ("--set", f"{key}={value}")]
    command = (
        "run",
        "--drive",
        "differentiated-ecc-mlc:effort.scheme=agcr",
        "--workload",
        WORKLOAD,
        "--queues",
        *settings,
    )
    printed = rewear(*command).stdout
    for word in ("medium-cost", "host reads", "mean queue at arrivals", "mode tags"):
        assert word in printed
