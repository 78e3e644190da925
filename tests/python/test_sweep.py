"""Sweeps: every run once, whatever dies meanwhile."""

import csv
import dataclasses
import json
import os
import random
import re
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pyarrow.parquet
import pytest
import rewear as api
from conftest import wait_until
from rewear.core.errors import RewearWarning
from rewear.core.report import Report
from rewear.page.terminal import render_text
from rewear.shown.sweep import sweep_answer
from rewear.shown.sweep_words import finding
from rewear.sweep import Sweep
from rewear.sweep.figures import figures_of, groups_of, reference_of, value_of
from rewear.sweep.results import report_columns
from rewear.sweep.store import Outcome, Store, content_of, key_of
from rewear.sweep.task import WorkerError
from test_page import assert_fetches_nothing

ROOT = Path(__file__).parents[2]
SMALL = """
[base.flash]
channels = 2
dies_per_channel = 1
planes_per_die = 1
blocks_per_plane = 32
pages_per_block = 64
"""
TEXT = f"""
name = "small & <b>odd"
description = "A sweep for tests."
figures = ["erase_equivalents", "write_mean_ns", "latency_ns.write.p999", "pages_programmed.moved"]
reference = {{ drive = "qlc" }}
[base]
workload = "zipf:requests=3000"
replay.precondition = "fill"
{SMALL}
[axes]
drive = ["qlc", "qlc-wom-v"]
seed = [1, 2]
"workload.theta" = [0.5, 0.99]
[[case]]
label = "full"
drive = "qlc"
flash.endurance_cycles = 2
ftl.over_provisioning = 0.2
[[case]]
label = "impossible"
drive = "qlc"
ftl.over_provisioning = 0.001
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return tmp_path_factory.mktemp("store")


@pytest.fixture(scope="module")
def results(store):
    return Sweep.from_toml(TEXT).run(store=store)


def test_a_run_is_what_a_replay_is(results):
    small = {f"flash.{key}": value for key, value in (line.split(" = ") for line in SMALL.split("\n")[2:-1])}
    drive = api.Drive("qlc-wom-v", set=small)
    report = drive.replay(api.Workload("zipf:requests=3000,theta=0.99"), precondition="fill", seed=2)
    row = results.select(drive="qlc-wom-v", seed="2", **{"workload.theta": "0.99"})[0]
    assert row.report.to_dict() == report.to_dict()


def test_a_row_has_every_figure_under_its_name(results):
    table = results.to_arrow()
    assert table.num_rows == 2 * 2 * 2 + 2
    rows = table.to_pylist()
    report = results.rows[0].report
    for key, value in report_columns(report.to_dict()).items():
        assert rows[0][key.replace(".", "_")] == value
    assert rows[0]["erases"] == report.erases
    assert rows[0]["latency_ns_write_p99"] == report.latency_ns["write"]["p99"]
    assert rows[0]["ftl_over_provisioning"] == 0.07
    assert rows[0]["derived_exported_bytes"] == report.derived["exported_bytes"]
    assert rows[0]["axis_workload_theta"] == 0.5
    assert rows[0]["workload"] == "zipf:requests=3000"
    assert len({row["key"] for row in rows}) == len(rows)


def test_a_run_that_fails_is_a_row_with_its_reason(results):
    full, impossible = results.select(case="full")[0], results.select(case="impossible")[0]
    assert full.status == "stopped"
    assert not results.complete
    assert impossible.status == "failed"
    assert impossible.report is None
    assert "over_provisioning" in impossible.reason
    row = results.to_arrow().to_pylist()[-1]
    assert (row["status"], row["reason"], row["erases"]) == ("failed", impossible.reason, None)
    with pytest.raises(api.ConfigurationError, match="greedy"):
        results.select(victim="greedy")


def test_what_is_finished_is_not_run_again(results, store, tmp_path):
    # A scheduler that is none: that nothing is submitted is part of what is tested.
    again = Sweep.from_toml(TEXT).run("tcp://nobody:1", store=store)
    assert not any(row.replayed for row in again.rows)
    for number, result in enumerate((results, again)):
        result.save_table(tmp_path / f"{number}.parquet")
    assert (tmp_path / "0.parquet").read_bytes() == (tmp_path / "1.parquet").read_bytes()
    assert pyarrow.parquet.read_table(tmp_path / "0.parquet").equals(results.to_arrow())


def test_a_key_follows_what_decides_the_result_and_nothing_else(store):
    def key(change: str = "", **options) -> str:
        text = f'[base]\ndrive = "qlc"\nworkload = "uniform:requests=9"\n{change}\n{SMALL}'
        return Sweep.from_toml(text, **options).settle()[0].task.key

    changes = ("seed = 2", "ftl.over_provisioning = 0.08", '"workload.read" = 0.5', "replay.loops = 2")
    keys = {key(change) for change in changes} | {key()}
    assert len(keys) == len(changes) + 1
    assert key() == key("seed = 1") == key("ftl.over_provisioning = 0.07") == key("[quick]")


def test_groups_are_means_over_seeds_related_to_the_reference(results):
    groups = groups_of(results)
    assert len(groups) == 2 * 2 + 2
    metric = figures_of(results)[0]
    group = next(group for group in groups if group.coordinates == {"drive": "qlc-wom-v", "workload.theta": "0.5"})
    erases = [row.report.erase_equivalents for row in results.select(**group.coordinates)]
    value = value_of(metric, group)
    assert (value.mean, value.low, value.high) == (sum(erases) / 2, min(erases), max(erases))
    reference = reference_of(results, group, groups)
    assert reference.coordinates == {"drive": "qlc", "workload.theta": "0.5"}
    assert reference_of(results, reference, groups) is None
    with pytest.raises(api.ConfigurationError, match="Did you mean 'erases'"):
        figures_of(results, ["erase"])


def test_the_page_is_whole_and_fetches_nothing(results):
    text = results.to_html("rewear sweep ...")
    assert_fetches_nothing(text)
    assert text.count("<svg") == 4
    assert "<b>odd" not in text
    for words in (
        "A sweep for tests.",
        "workload.theta",
        "latency_ns.write.p999",
        "impossible",
        "qlc-wom-v",
        "Means over 2 seeds",
    ):
        assert words in text
    assert text == results.to_html("rewear sweep ...")


def test_bars_stand_over_a_categorical_axis_beside_each_other_for_further_ones(store):
    text = TEXT.replace("reference = {", 'x = "drive"\nreference = {').replace(
        "seed = [1, 2]", "seed = [1, 2]\n'replay.queue_depth' = [1, 8]"
    )
    page = Sweep.from_toml(text).run(store=store).to_html()
    assert page.count("<svg") == 4
    assert "replay.queue_depth = 8, workload.theta = 0.99" in page
    assert "whiskers" in page


def test_many_lines_become_a_heat_map(store):
    text = TEXT.replace(
        "seed = [1, 2]", "'replay.queue_depth' = [1, 2, 4, 8]\n'ftl.over_provisioning' = [0.3, 0.4, 0.5, 0.6]"
    )
    sweep = Sweep.from_toml(text)
    page = sweep.run(store=store).to_html()
    assert page.count('class="figures heat"') == 4
    assert page.count("<svg") == 0
    assert "replay.queue_depth (requests in flight)" in page
    # One place is the best of each figure that has a better way, here of one.
    assert page.count('class="best"') == 1


def test_the_page_says_what_it_found_and_carries_its_data(results):
    page = results.to_html()
    heading = re.search(r"<h1>(.*?)</h1>", page)[1]
    assert "is least at" in heading
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page)[1])
    assert [row["status"] for row in data] == [row.status for row in results.rows]


def test_drives_that_are_not_full_are_named_where_their_spare_space_is_compared(store):
    text = """
base.drive = "qlc"
base.workload = "uniform:requests=200"
base.flash.blocks_per_plane = 64
base.flash.pages_per_block = 64
axes.op.key = "ftl.over_provisioning"
axes.op.values = [0.1, 0.5]
"""
    short, note = Sweep.from_toml(text).run(store=store).notes
    assert "full at the start" in note and "in effect instead of" in note
    full = text + 'base.replay.precondition = "fill"\n'
    assert Sweep.from_toml(full).run(store=store).notes == [short]


def test_runs_that_are_too_short_are_named_and_never_the_best(store):
    text = f"""
name = "short"
figures = ["flash_erased_per_byte"]
[base]
drive = "qlc"
replay.precondition = "fill"
{SMALL}
[axes.requests]
key = "workload.requests"
values = [300, 60000]
[axes.theta]
key = "workload.theta"
values = [0.5, 0.99]
[axes.spare]
key = "ftl.over_provisioning"
values = [0.3, 0.6]
"""
    found = Sweep.from_toml(text.replace("[base]", '[base]\nworkload = "zipf"')).run(store=store)
    (metric,) = figures_of(found)
    short = [row.job.coordinates["requests"] for row in found.rows if row.report.too_short]
    assert short == ["300"] * 4
    (note,) = found.notes
    assert note.startswith("4 of 8 runs are too short to tell the wear")
    printed = render_text(*sweep_answer(found).parts)
    assert printed.count("(short)") == 4
    page = found.to_html()
    assert "4 of 8 runs are too short" in page and page.count("(short)") >= 4
    # The drive is chosen, over both workloads; the workload is not.
    headline = finding(found, metric, short=True)
    assert re.fullmatch(r"Flash erased .* is least at spare = 0.6: [\d.]+ to [\d.]+ by requests and theta", headline)
    only_short = Sweep.from_toml(text.replace("[base]", '[base]\nworkload = "zipf"').replace("[300, 60000]", "[300]"))
    assert "too short to tell" in finding(only_short.run(store=store), metric, short=True)


def test_a_common_region_gives_all_drives_the_same_requests(tmp_path):
    text = f'[base]\nworkload = "uniform"\n{SMALL}[axes]\n"ftl.over_provisioning" = [0.1, 0.5]\nbase.drive = "qlc"\n'
    text = text.replace('base.drive = "qlc"\n', "").replace("[base]\n", '[base]\ndrive = "qlc"\n')

    def regions(region: str) -> list[int]:
        settled = Sweep.from_toml(f'region = "{region}"\n{text}').settle()
        return [run.task.region.pages for run in settled]

    own, common = regions("drive"), regions("common")
    assert own[0] > own[1]
    assert common == [own[1], own[1]]


def test_a_trace_is_known_by_its_content(msr_trace: Path, tmp_path: Path, monkeypatch):
    def key() -> str:
        text = f'base = {{drive = "qlc", trace = "{msr_trace.name}"}}'
        return Sweep.from_toml(text, folder=tmp_path).settle()[0].task.key

    first = key()
    os.utime(msr_trace, (1, 1))
    assert key() == first
    text = msr_trace.read_text()
    # Of equal size, and dated as before.
    msr_trace.write_text(text[:-2] + str((int(text[-2]) + 1) % 10) + text[-1:])
    os.utime(msr_trace, (1, 1))
    assert msr_trace.stat().st_size == len(text)
    assert key() != first
    # A process reads a file once.
    monkeypatch.setattr("hashlib.file_digest", None)
    content_of(msr_trace)


def test_a_worker_that_is_not_fit_ends_the_sweep(msr_trace: Path, tmp_path: Path):
    sweep = Sweep.from_toml(f'base = {{drive = "qlc", trace = "{msr_trace.name}"}}', folder=tmp_path)
    task = sweep.settle()[0].task
    assert task.perform().report["complete"]
    with pytest.raises(WorkerError, match="same version"):
        dataclasses.replace(task, version="0.0.0").perform()
    with pytest.raises(WorkerError, match="another file"):
        dataclasses.replace(task, trace_content="0").perform()
    with pytest.raises(WorkerError, match="missing"):
        dataclasses.replace(task, trace=tmp_path / "missing").perform()


def test_a_damaged_record_counts_as_none(tmp_path: Path):
    store, key = Store(tmp_path), key_of({"a": 1})
    store.put({"a": 1}, Outcome({"complete": True}, None, 1.5))
    assert store.get(key) == Outcome({"complete": True}, None, 1.5)
    whole = store.path(key).read_text()
    damages = ("", whole[:-5], "[]", '{"report": 3}', '{"sha256": "", "entry": 3}', whole.replace("true", "false"))
    for damaged in (*damages, "[" * 100_000):
        store.path(key).write_text(damaged)
        assert store.get(key) is None
    with pytest.warns(RewearWarning, match=f"A finished run is damaged: .*{key}"):
        store.warn_of_damage()


STORED = """
base.drive = "qlc"
base.workload = "uniform:requests=200"
base.flash.blocks_per_plane = 64
base.flash.pages_per_block = 64
axes.seed = [1, 2, 3, 4]
"""


def damaged(kind: str, dice: random.Random, content: bytes, other: bytes) -> bytes:
    """An entry after a damage; `other` is that of another run."""
    match kind:
        case "swapped":
            return other
        case "digit":
            at = dice.choice([at for at, byte in enumerate(content) if chr(byte).isdigit()])
            return content[:at] + str((int(chr(content[at])) + dice.randrange(1, 10)) % 10).encode() + content[at + 1 :]
        case "bit":
            at = dice.randrange(len(content))
            return content[:at] + bytes([content[at] ^ 1 << dice.randrange(8)]) + content[at + 1 :]
        case _:
            return content[: dice.randrange(len(content))]


def meaning(content: bytes) -> object:
    """What JSON an entry holds: some bits change no more than white space, or how a number is written."""
    try:
        return json.loads(content)
    except ValueError:
        return None


def test_of_two_hundred_damages_of_four_kinds_none_is_believed(tmp_path: Path):
    """Entries swapped, a digit or a bit changed, cut: each is found, run again, and said; the results are the same."""
    dice, sweep = random.Random(1), Sweep.from_toml(STORED)
    keys = [run.task.key for run in sweep.settle()]
    first = sweep.run(store=tmp_path)
    assert all(row.replayed for row in first.rows)
    store, reports = Store(tmp_path), [row.report.to_dict() for row in first.rows]
    whole = {key: store.path(key).read_bytes() for key in keys}
    for kind in ("swapped", "digit", "bit", "cut"):
        harmed = 0
        while harmed < 50:
            key, other = dice.sample(keys, 2)
            content = damaged(kind, dice, whole[key], whole[other])
            if meaning(content) == meaning(whole[key]):
                continue
            harmed += 1
            store.path(key).write_bytes(content)
            assert store.get(key) is None, (kind, content)
            store.path(key).write_bytes(whole[key])
            assert store.get(key).report == reports[keys.index(key)]
        one, other = store.path(keys[0]), store.path(keys[1])
        one.write_bytes(damaged(kind, dice, whole[keys[0]], whole[keys[1]]))
        other.write_bytes(damaged(kind, dice, whole[keys[1]], whole[keys[0]]))
        with pytest.warns(RewearWarning, match=r"2 finished runs in .* are damaged: .* They are run again"):
            again = sweep.run(store=tmp_path)
        assert [row.replayed for row in again.rows] == [True, True, False, False]
        assert [row.report.to_dict() for row in again.rows] == reports
        assert sweep.run("tcp://nobody:1", store=tmp_path).complete
    assert store.get("abd") is None


LONG = f'[base]\ndrive = "qlc"\nworkload = "uniform:requests=200000"\n{SMALL}\n[axes]\nseed = [1, 2, 3, 4, 5, 6]\n'


@contextmanager
def process(*arguments: str, **options):
    """A process of this test, which does not outlive it."""
    started = subprocess.Popen([sys.executable, "-m", *arguments], **options)
    try:
        yield started
    finally:
        started.kill()
        started.wait()


def test_a_sweep_goes_on_after_kill_9(rewear, tmp_path: Path):
    (tmp_path / "long.toml").write_text(LONG)
    command = ("sweep", "long.toml", "--workers", "1", "--out", "long.parquet")
    with process("rewear", *command, cwd=tmp_path, stderr=subprocess.DEVNULL) as killed:
        wait_until(lambda: list(tmp_path.glob("out/runs/*/*.json")), "a run is in the store", killed)
    assert not (tmp_path / "long.parquet").exists()
    finished = len(list(tmp_path.glob("out/runs/*/*.json")))
    assert 1 <= finished < 6
    done = rewear(*command, "--table")
    assert done.returncode == 0, done.stderr
    assert f"6 runs, 6 complete; {6 - finished} were run now" in done.stdout
    assert done.stderr.count(": complete in ") == 6 - finished
    assert pyarrow.parquet.read_table(tmp_path / "long.parquet").num_rows == 6


def test_the_command_prints_a_table_json_and_a_page(rewear, tmp_path: Path, store, results):
    (tmp_path / "small.toml").write_text(TEXT)
    common = ("sweep", "small.toml", "--store", str(store), "--out", "o/rows.parquet")
    done = rewear(*common, "--table", "--figure", "flash_erased_per_byte", "--html", "o/page.html")
    # A run of the sweep has failed, and one was stopped.
    assert done.returncode == 3, done.stderr
    for words in (
        "Flash erased for a byte written",
        "relative to drive = qlc",
        "failed",
        "%",
        "o/rows.parquet",
        "10 runs",
        "0 were run now",
    ):
        assert words in done.stdout
    assert (tmp_path / "o/page.html").read_text().count("<svg") == 1
    rows = rewear(*common, "--json").document()["rows"]
    assert [row["key"] for row in rows] == [row.key for row in results.rows]


def test_the_sweeps_that_come_along_run(tmp_path: Path):
    files = sorted((ROOT / "experiments" / "sweeps").glob("*.toml"))
    assert len(files) >= 2
    sweeps = [Sweep.from_file(file, quick=True) for file in files]
    for sweep in sweeps:
        assert all(run.task is not None for run in sweep.settle())
        # Every seventh run of many: seven divides the points of no axis.
        assert all(len(axis.points) % 7 for axis in sweep.description.axes)
        sweep.jobs = sweep.jobs[:: 7 if len(sweep.jobs) > 50 else 1]
    for sweep in sweeps:
        results = sweep.run(store=tmp_path)
        assert len(results.rows) == len(sweep.jobs)
        assert {row.status: row.reason for row in results.rows} == {"complete": None}, sweep.description.name
        # Every run is one of its own, was made now, and did what a run is there for.
        assert len({row.key for row in results.rows}) == len(sweep.jobs)
        assert all(row.replayed for row in results.rows)
        reports = [row.report.to_dict() for row in results.rows if isinstance(row.report, Report)]
        assert len(reports) == len(sweep.jobs)
        assert all(report["host_pages_written"] > 0 for report in reports)
        # The axes move something: not every run has the same figures.
        assert len({json.dumps([report["pages_programmed"], report["latency_ns"]]) for report in reports}) > 1
        page = results.to_html()
        assert "<svg" in page or 'class="figures heat"' in page


def test_a_sweep_needs_no_other_library(tmp_path: Path):
    (tmp_path / "short.toml").write_text(LONG.replace("200000", "100"))
    code = """
import sys
for name in ("dask", "distributed", "numpy", "pyarrow", "scipy", "vl_convert"):
    sys.modules[name] = None
sys.argv = ["rewear", "sweep", "short.toml", "--table"]
from rewear.cli.main import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Results: out/short.csv" in done.stdout
    with (tmp_path / "out/short.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["seed"] for row in rows] == ["1", "2", "3", "4", "5", "6"]
    assert all(float(row["write_amplification"]) >= 1 for row in rows)


def test_a_page_that_cannot_be_drawn_is_refused_before_any_work(tmp_path: Path):
    code = """
import sys
sys.modules["vl_convert"] = None
import rewear.cli.codes
rewear.cli.codes.study = lambda *_, **__: sys.exit("codes were measured")
sys.argv = ["rewear", "codes", "--html", "codes.html"]
from rewear.cli.main import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert "pip install 'rewear[plots]'" in done.stderr


def test_runs_of_a_trace_read_it_once(tmp_path: Path, msr_trace: Path, monkeypatch):
    read = []
    kept = api.Trace._kept
    monkeypatch.setattr(api.Trace, "_kept", lambda trace, *more: read.append(trace.path) or kept(trace, *more))
    text = (
        f'[base]\ndrive = "qlc"\ntrace = "{msr_trace}"\nreplay.fit = "modulo"\n{SMALL}\n[axes]\nseed = [1, 2, 3, 4]\n'
    )
    found = Sweep.from_toml(text).run(workers=1, store=tmp_path)
    assert found.complete
    assert read == [msr_trace]
