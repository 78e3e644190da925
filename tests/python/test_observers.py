"""Time series, warm-up and the log of requests, from Python and from the command line."""

import pyarrow.parquet as pq
import pytest
import rewear
from conftest import SMALL

TIMED = "uniform:requests=20000,read=0.25,arrival=poisson,rate=500"
SETTINGS = [part for setting in SMALL for part in ("--set", setting)]


@pytest.mark.parametrize("interval", [0, -1.0, 1e12])
def test_an_impossible_interval_is_refused(small, interval):
    with pytest.raises(rewear.ConfigurationError, match="interval"):
        rewear.Drive("qlc", set=small).replay(rewear.Workload(TIMED), interval_s=interval)


def test_the_log_has_a_row_for_every_request(small, tmp_path):
    path = tmp_path / "log.parquet"
    report = rewear.Drive("qlc", set=small).replay(rewear.Workload(TIMED), log=path)
    rows = pq.read_table(path).to_pydict()
    assert len(rows["at_ns"]) == 20000
    writes = [ns for ns, kind in zip(rows["response_ns"], rows["operation"], strict=True) if kind == "write"]
    assert len(writes) == report["requests"]["write"]
    assert max(writes) == report.latency_ns["write"]["max"]
    assert sum(writes) / len(writes) == pytest.approx(report.latency_ns["write"]["mean"])
    assert [entry.name for entry in tmp_path.iterdir()] == ["log.parquet"]


def test_a_replay_that_fails_leaves_no_log(small, tmp_path):
    with pytest.raises(rewear.ReplayError):
        rewear.Drive("qlc", set=small).replay(
            rewear.Workload("uniform:pages=100000000,requests=1000"), log=tmp_path / "log.parquet"
        )
    assert list(tmp_path.iterdir()) == []


def test_the_command_line_writes_series_and_log(rewear, tmp_path):
    done = rewear(
        "run", "--drive", "qlc", *SETTINGS, "--workload", TIMED, "--interval", "5", "--log", "log.parquet", "--json"
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    series = done.document()["series"]
    assert len(series) > 3 and all(interval["start_ns"] % 5_000_000_000 == 0 for interval in series)
    assert pq.read_metadata(tmp_path / "log.parquet").num_rows == 20000


def test_a_warm_up_that_is_no_number_is_refused(rewear):
    assert "steady" in rewear("run", "--drive", "qlc", "--workload", TIMED, "--warm-up", "soon").refused()


def test_the_page_shows_figures_over_time(small):
    comparison = rewear.compare(rewear.Workload(TIMED), [rewear.Drive("qlc", set=small)], interval_s=2.0)
    assert "Flash erased over time" in comparison.to_html()
