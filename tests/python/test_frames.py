"""Figures as tables and in notebooks."""

import copy
import json
import pickle
from pathlib import Path

import pytest
import rewear as api
from rewear.figures.metrics import BOOK, METRICS
from rewear.sweep import Sweep

WORKLOAD = "zipf:requests=3000"


@pytest.fixture
def comparison(small) -> api.Comparison:
    drives = [("a <b>", api.Drive("qlc", set=small)), ("b", api.Drive("qlc-op28", set=small))]
    return api.compare(api.Workload(WORKLOAD), drives, precondition="fill")


def test_a_comparison_is_a_table_with_a_row_a_drive(comparison):
    table = comparison.to_arrow()
    assert table.column_names == ["drive", *(metric.key for metric in METRICS)]
    assert table.column("drive").to_pylist() == ["a <b>", "b"]
    assert table.column("erases").to_pylist() == [report.erases for report in comparison.reports]


def test_a_report_is_one_row(comparison):
    (row,) = comparison.reports[0].records()
    assert row["write_amplification"] == comparison.reports[0].write_amplification


def test_a_series_is_a_table(small):
    report = api.Drive("qlc", set=small).replay(api.Workload("uniform:requests=2000,arrival=fixed"), interval_s=0.5)
    series = report.series
    assert len(series) > 2
    assert sum(interval["writes"] for interval in series) == 2000
    assert series.to_arrow().column_names == list(report["series"][0])
    assert api.Drive("qlc", set=small).replay(api.Workload("uniform:requests=9")).series is None


def test_drives_that_the_workload_fills_in_part_are_named_where_their_spare_space_is_compared(small):
    drives = [
        (name, api.Drive("qlc", set=small | {"ftl.over_provisioning": op})) for name, op in (("a", 0.1), ("b", 0.5))
    ]
    workload = api.Workload("uniform:requests=500,pages=1000")
    noted = [note for _, note in api.compare(workload, drives).notes if "fills them only in part" in note]
    assert len(noted) == 1
    assert "a: " in noted[0] and "of spare space in effect instead of 10" in noted[0]
    for options, chosen in (({"precondition": "fill"}, drives), ({}, [drives[0], ("c", drives[0][1])])):
        notes = api.compare(workload, chosen, **options).notes
        assert not any("in part" in note for _, note in notes)


def test_drives_that_a_trace_trims_are_not_told_to_be_filled(small, tmp_path: Path):
    rows = ["time_ns,operation,offset_bytes,length_bytes"]
    rows += [f"{time},{'trim' if time < 300 else 'write'},{4096 * time},4096" for time in range(500)]
    trace = tmp_path / "trims.csv"
    trace.write_text("\n".join(rows))
    drives = [
        (name, api.Drive("qlc", set=small | {"ftl.over_provisioning": op})) for name, op in (("a", 0.1), ("b", 0.5))
    ]
    notes = api.compare(api.Trace(trace), drives, precondition="fill").notes
    (noted,) = [note for _, note in notes if "fills them only in part" in note]
    assert noted.endswith("The workload trims the rest of what was filled.")


def test_notebooks_show_everything(comparison, small, msr_trace: Path):
    trace = api.Trace(msr_trace)
    sweep = Sweep.from_toml(f'base.drive = "qlc"\nbase.workload = "{WORKLOAD}"\naxes.seed = [1, 2]\n')
    shown = (comparison, comparison.reports[0], api.Drive("qlc", set=small), trace, trace.analyze(), sweep)
    for each in shown:
        text = each._repr_html_()
        assert text.startswith("<div>")
        assert "<table>" in text
        assert "<b>odd" not in text
    assert "a &lt;b&gt;" in comparison._repr_html_()


def test_run_writes_a_page(rewear, small_options, tmp_path: Path):
    done = rewear("run", "--drive", "qlc", "--workload", WORKLOAD, *small_options, "--html", "out/run.html")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "out/run.html").read_text(encoding="utf-8")
    assert WORKLOAD in page
    assert "write amplification" in page


def test_lists_are_narrowed(rewear):
    zipf = rewear("list", "workloads", "zipf").stdout
    assert "theta" in zipf
    assert "stand-in:" not in zipf
    assert "Did you mean 'zipf'" in rewear("list", "workloads", "zpif").refused()
    spare = rewear("list", "parameters", "over_prov").stdout
    assert "ftl.over_provisioning" in spare
    assert "flash.channels" not in spare
    assert "No parameter speaks of" in rewear("list", "parameters", "nonesuch").refused()


def test_figures_are_read_by_key_path_and_formula(comparison):
    report = comparison.reports[0]
    data = report.to_dict()
    assert report.figure("write_mean_ns") == report.at("latency_ns.write.mean") == data["latency_ns"]["write"]["mean"]
    assert report.figure("pages_read.total") == data["pages_read"]["total"]
    assert report.figure("moved_per_host_page") == data["pages_moved"] / data["host_pages_written"]
    assert report.figure("second_write_share") == 0.0
    # Nothing is divided by nothing, and what is no path leads nowhere.
    assert report.figure("reprogrammed_share") is None
    assert report.figure("no such figure") is None
    assert report.figure("flash.bits_per_cell") == 4
    assert report.erases == data["erases"] and "erases" in dir(report)
    with pytest.raises(AttributeError, match="A report has no 'eraes'"):
        report.eraes  # noqa: B018
    assert copy.deepcopy(report) == pickle.loads(pickle.dumps(report)) == report


def test_every_figure_of_the_book_can_be_read(comparison):
    report = comparison.reports[0]
    found = {key: figure.value(report) for key, figure in BOOK.items()}
    assert sum(value is not None for value in found.values()) > 90
    assert all(value is None or isinstance(value, int | float) for value in found.values())
    assert all(BOOK[key].text(value) for key, value in found.items() if value is not None)


def test_results_are_streams_of_arrow(comparison):
    pyarrow = pytest.importorskip("pyarrow")
    assert pyarrow.RecordBatchReader.from_stream(comparison).read_all() == comparison.to_arrow()


def test_the_log_of_requests_is_csv_by_its_ending(small, tmp_path: Path):
    pytest.importorskip("pyarrow")
    api.Drive("qlc", set=small).replay(api.Workload("uniform:requests=50"), log=tmp_path / "l.csv")
    lines = (tmp_path / "l.csv").read_text().splitlines()
    assert len(lines) == 51
    assert lines[0] == '"at_ns","operation","offset_bytes","length_bytes","response_ns"'


def test_charts_are_specifications_of_vega_lite(comparison):
    vl_convert = pytest.importorskip("vl_convert")
    charts = comparison.to_vega_lite()
    assert charts
    for chart in charts:
        text = json.dumps(chart)
        assert chart["$schema"].endswith("/vega-lite/v5.json") and "values" in text and "var(" not in text
        assert vl_convert.vegalite_to_svg(chart).startswith("<svg")
