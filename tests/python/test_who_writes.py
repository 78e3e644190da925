"""Who writes: the table, what it says, and budgets."""

import json
from pathlib import Path

import pytest
import rewear as api
from rewear.ci import Budget, Spending, comment, spend
from rewear.core.errors import ConfigurationError
from rewear.core.writers import Writer, Writers
from rewear.page.blocks import Table
from rewear.page.terminal import render_text
from rewear.shown.writers import writers_findings, writers_parts, writers_table

SECOND = 10**9


def _writer(name: str, written: int, **figures: int) -> Writer:
    zeros = {"trimmed_bytes": 0, "writes": 10, "rewrites": 0, "rewrites_within_30_s": 0, "flushes": 0}
    return Writer("file", name, written, **{**zeros, **figures})


def _writers(*found: Writer, seconds: int = 60, asked: int | None = None) -> Writers:
    written = sum(each.written_bytes for each in found)
    return Writers(seconds * SECOND, written, 0, 5, 33 << 20, asked, found)


def test_the_table_has_what_a_file_costs_in_years():
    # 600 TB are rated; 1 GB in ten minutes is 144 GB a day.
    found = _writers(
        _writer("/db", 750_000_000, rewrites_within_30_s=5000, flushes=4000),
        _writer("/log", 250_000_000),
        seconds=600,
        asked=500_000_000,
    )
    text = render_text(writers_table(found))
    assert "75.0%" in text and "25.0%" in text
    row = next(line for line in text.splitlines() if line.lstrip().startswith("/db"))
    assert row.split()[-1] == "15"
    said = " ".join(writers_findings(found))
    assert "2.00 times as much" in said
    assert "lasts 11 years" in said
    assert "/db: 5,000 rewrites of 4 KiB within 30 s of the write before, forced out by 4,000 flushes" in said
    assert "mke2fs wrote 33.0 MiB before" in said
    assert "rewrites" not in " ".join(writers_findings(_writers(_writer("/log", 4096))))


@pytest.mark.parametrize(("seconds", "jump"), [(299, None), (600, {"problem": "The clock jumped.", "cut_gaps_s": 60})])
def test_no_years_are_said_where_there_is_no_rate(seconds: int, jump: dict[str, object] | None):
    table, *rest = writers_parts(_writers(_writer("/db", 75_000_000), seconds=seconds), jump)
    assert isinstance(table, Table) and table.rows[0][-1] == "-"
    assert ("Years take a recording of 5.00 min at least" in str(rest)) == (jump is None)
    assert " years;" not in str(rest)


def test_many_files_are_one_row():
    text = render_text(writers_table(_writers(*(_writer(f"/{number}", 4096) for number in range(100)))))
    assert "(85 others)" in text
    assert "85.0%" in text


RECORDED = """
set -e
for turn in $(seq 20); do head -c 20000 /dev/urandom > state.new; sync state.new; mv state.new state; done
echo told
"""


@pytest.mark.usefixtures("mountable")
@pytest.mark.parametrize("content", ["none", "digests"])
def test_a_recording_tells_who_wrote(rewear, tmp_path: Path, content: str):
    record = ("record", "-o", "w.rwt", "--size", "32MiB", "--content", content, "--json", "--", "sh", "-c", RECORDED)
    assert rewear(*record).returncode == 0
    trace = api.Trace(tmp_path / "w.rwt")
    found, info = trace.who_writes(), trace.info()
    assert found is not None
    assert sum(each.written_bytes for each in found.writers) == found.written_bytes == info["write"]["bytes"]
    assert sum(each.trimmed_bytes for each in found.writers) == found.trimmed_bytes == info["trim"]["bytes"]
    assert found.preparation_bytes > 1 << 20
    assert found.asked_bytes is not None and 400_000 <= found.asked_bytes < 600_000
    of = {each.name: each for each in found.writers}
    assert of["/state.new"].written_bytes == 20 * 20_480
    assert of["/state.new"].flushes >= 20
    done = rewear("trace", "analyse", "w.rwt", "--html", "w.html")
    assert "/state.new" in done.stdout and "passed" in done.stdout
    assert "/state.new" in (tmp_path / "w.html").read_text()
    assert rewear("trace", "analyse", "w.rwt", "--json").document()["who_writes"]["writers"]
    bounded = rewear("ci", "--trace", "w.rwt", "--budget", "30KiB/operation", "--operations", "20", "--json")
    assert bounded.returncode == 1, bounded.stdout
    assert bounded.document()["budget"]["writers"]
    more = rewear("ci", "--trace", "w.rwt", "--budget", "300KiB/operation", "--operations", "20", "--markdown", "c.md")
    assert more.returncode == 0, more.stdout
    assert "/state.new" in (tmp_path / "c.md").read_text()


def _recorded(path: Path, written: int, seconds: int = 60) -> api.Trace:
    lines = [f"{seconds * SECOND * at},write,{at * 8192},{written // 2}" for at in range(2)]
    path.write_text("\n".join(["time_ns,operation,offset_bytes,length_bytes", *lines]) + "\n")
    return api.Trace(path)


def test_a_trace_of_others_does_not_tell_and_has_a_budget(rewear, tmp_path: Path):
    trace = _recorded(tmp_path / "other.csv", 8192)
    assert trace.who_writes() is None
    spending = spend(Budget.parse("4KiB/minute"), [trace])
    assert (spending.runs, spending.state, spending.writers) == ((8192.0,), "broken", ())
    kept = rewear("ci", "--trace", "other.csv", "--budget", "8KiB/minute")
    assert kept.returncode == 0
    assert kept.stdout.startswith("The budget of 8.00 KiB per minute is kept: 8.00 KiB per minute.")
    broken = rewear("ci", "--trace", "other.csv", "--budget", "4KiB/run", "--markdown", "c.md")
    assert broken.returncode == 1
    assert "### Bytes written: budget broken" in (tmp_path / "c.md").read_text()


@pytest.mark.parametrize(
    ("text", "spent"), [("1GB/day", 11_796_480), ("1MB/hour", 491_520), ("1kB/second", 8192 / 60), ("9KiB/run", 8192)]
)
def test_a_budget_is_for_a_time_or_a_run(text: str, spent: float):
    assert Budget.parse(text).spent(8192, 60 * SECOND) == pytest.approx(spent)


def test_a_budget_is_broken_when_all_of_the_interval_is_above():
    def state(*runs: float) -> str:
        return Spending(Budget(100, "run"), runs, sum(runs) / len(runs), ()).state

    assert state(99.0, 100.0, 98.0) == "kept"
    assert state(90.0, 120.0, 100.0) == "perhaps broken"
    assert state(119.0, 120.0, 121.0) == "broken"
    # Rates of short runs: factors apart, and all of them far above.
    assert state(100_000.0, 1_000_000.0, 300_000.0) == "broken" and state(100.0, 100.0, 100.0) == "kept"
    assert (state(101.0), state(100.0)) == ("broken", "kept")


def test_a_comment_names_the_files():
    spending = Spending(Budget(100, "run"), (200.0,), 200.0, (("/a|b", 150.0), ("(journal)", 50.0)))
    text = comment(None, None, "Bytes", spending)
    assert text.startswith("<!-- rewear ci -->\n### Bytes: budget broken\n\n**The budget of 100 bytes per run is ")
    assert "| /a\\|b | 150 bytes | 75.0% |\n" in text.replace(".00 bytes", " bytes")


@pytest.mark.parametrize(
    ("bound", "said"),
    [
        ("1GB/day", "The budget of 1.00 GB per day is kept: 0.0118 GB per day."),
        ("100 MB/hour", "The budget of 100 MB per hour is kept: 0.492 MB per hour."),
        ("4KiB/run", "The budget of 4.00 KiB per run is broken: 8.00 KiB per run."),
        ("4096/run", "The budget of 4.00 KiB per run is broken: 8.00 KiB per run."),
    ],
)
def test_an_answer_has_the_unit_of_the_bound(tmp_path: Path, bound: str, said: str):
    trace = _recorded(tmp_path / "other.csv", 8192)
    assert spend(Budget.parse(bound), [trace]).sentences() == [said]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--budget", "1GB"), "is no bound"),
        (("--budget", "1GB/week"), "is no bound"),
        (("--budget", "many/day"), "is not a size"),
        (("--budget", "1GB/operation"), "Add --operations N"),
        (("--budget", "1GB/day", "--operations", "5"), "BYTES/operation"),
        (("--operations", "5"), "Add --budget"),
    ],
)
def test_a_bound_that_means_nothing_is_refused(rewear, tmp_path: Path, options: tuple[str, ...], words: str):
    _recorded(tmp_path / "other.csv", 8192)
    assert words in rewear("ci", "--trace", "other.csv", *options).refused()


def test_a_run_without_length_has_no_rate(tmp_path: Path):
    with pytest.raises(ConfigurationError, match="has no length"):
        spend(Budget.parse("1GB/day"), [_recorded(tmp_path / "short.csv", 8192, seconds=0)])


def test_writers_come_back_from_json():
    found = _writers(_writer("/a", 1))
    data = {name: getattr(found, name) for name in Writers.__slots__ if name != "writers"}
    writers = [{name: getattr(each, name) for name in Writer.__slots__} for each in found.writers]
    assert Writers.of(json.loads(json.dumps({**data, "writers": writers}))) == found
