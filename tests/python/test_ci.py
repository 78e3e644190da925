"""`rewear ci`: verdicts, intervals, what it keeps and what it refuses."""

import json
import math
import os
import random
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from rewear.ci import Cell, Judgement, Measurement, Recorded, comment, judge
from rewear.core.errors import ConfigurationError
from rewear.figures.uncertainty import ratio_between

PAGES = 4096
"""16 MiB: the smallest drive is twice as large at the least."""
DRIVE = ("--drive", "client-tlc", "--fill", "80%")


def _trace(path: Path, kind: str, seed: int = 1, pages: int = PAGES) -> str:
    """A recording that writes every page once, and then as many at random or in order."""
    draw = random.Random(seed)
    later = [draw.randrange(pages) if kind == "random" else number for number in range(pages)] * 2
    lines = [f"{number * 1000},write,{page * 4096},4096" for number, page in enumerate([*range(pages), *later])]
    path.write_text("\n".join(["time_ns,operation,offset_bytes,length_bytes", *lines]) + "\n", encoding="ascii")
    return path.name


@pytest.fixture
def ordered(tmp_path: Path) -> str:
    return _trace(tmp_path / "ordered.csv", "ordered", pages=2 * PAGES)


@pytest.fixture
def scattered(tmp_path: Path) -> str:
    return _trace(tmp_path / "scattered.csv", "random", pages=2 * PAGES)


def test_random_writes_are_worse_than_those_in_order(rewear, ordered: str, scattered: str, tmp_path: Path):
    words = (*DRIVE, "--worse", "5%")
    done = rewear("ci", "--trace", scattered, "--base-trace", ordered, *words, "--markdown", "c.md", "--json")
    assert done.returncode == 1, done.stderr
    found = {row["figure"]: row for row in done.document()["rows"]}
    assert found["flash"]["state"] == found["life"]["state"] == found["waf"]["state"] == "worse"
    assert found["waf"]["ratio"]["mean"] > 1.2
    # Both write as much.
    assert math.isclose(found["flash"]["ratio"]["mean"], found["waf"]["ratio"]["mean"])
    text = (tmp_path / "c.md").read_text()
    assert text.startswith("<!-- rewear ci -->\n### Write amplification: worse\n")
    assert "| client-tlc | 80% | " in text
    # The other way round it is better, and passes.
    back = rewear("ci", "--trace", ordered, "--base-trace", scattered, *words, "--judge", "waf")
    assert back.returncode == 0, back.stdout
    assert back.stdout.startswith("Nothing is worse by more than 5%.\nBetter: write amplification ")


def test_a_recording_is_no_worse_than_itself_and_a_kept_base_says_the_same(rewear, scattered: str, tmp_path: Path):
    first = rewear("ci", "--trace", scattered, *DRIVE, "--out", "base.json")
    assert first.returncode == 0, first.stderr
    assert "There is no base to compare with." in first.stdout
    kept = rewear("ci", "--trace", scattered, *DRIVE, "--base", "base.json", "--worse", "0%", "--json")
    assert kept.returncode == 0, kept.stderr
    document = kept.document()
    assert {row["state"] for row in document["rows"]} == {"same"}
    assert {row["ratio"]["mean"] for row in document["rows"]} == {1.0}
    again = rewear("ci", "--trace", scattered, *DRIVE, "--base-trace", scattered, "--worse", "0%", "--json")
    assert again.document() == document
    assert Measurement.load(tmp_path / "base.json").to_json() == (tmp_path / "base.json").read_text()


def _journal(path: Path, kind: str) -> str:
    """A database that updates hot rows: behind a rollback journal, or by a log that is checkpointed now and then.

    The log writes a third less and takes more room, as SQLite's WAL does.
    """
    rows, updates, draw = 3 * PAGES, 4 * PAGES, random.Random(1)
    pages, dirty = list(range(rows)), set[int]()
    log = PAGES
    for turn in range(updates):
        row = draw.randrange(rows // 8)
        if kind == "delete":
            pages += [rows + turn % 64, row]
            continue
        pages.append(rows + turn % log)
        dirty.add(row)
        if turn % log == log - 1:
            pages += sorted(dirty)
            dirty.clear()
    lines = [f"{number * 1000},write,{page * 4096},4096" for number, page in enumerate(pages)]
    path.write_text("\n".join(["time_ns,operation,offset_bytes,length_bytes", *lines]) + "\n", encoding="ascii")
    return path.name


def test_a_change_that_writes_less_and_takes_more_room_is_no_worse_and_the_other_way_round_it_is(
    rewear, tmp_path: Path
):
    wal, delete = (_journal(tmp_path / f"{kind}.csv", kind) for kind in ("wal", "delete"))
    words = ("--drive", "client-tlc", "--json")
    better = rewear("ci", "--trace", wal, "--base-trace", delete, *words)
    assert better.returncode == 0, better.stdout
    rows = better.document()["rows"]
    assert {row["state"] for row in rows if row["figure"] in ("flash", "life")} == {"better"}
    worse = rewear("ci", "--trace", delete, "--base-trace", wal, *words)
    assert worse.returncode == 1, worse.stdout
    assert {row["state"] for row in worse.document()["rows"] if row["figure"] in ("flash", "life")} == {"worse"}
    # Both stand on drives of the larger side, so the ratios are each other's inverse.
    there = {(row["figure"], row["fill"]): row["ratio"]["mean"] for row in worse.document()["rows"]}
    for row in rows:
        assert math.isclose(row["ratio"]["mean"] * there[row["figure"], row["fill"]], 1)


def test_a_kept_base_refuses_a_change_that_takes_more_room(rewear, tmp_path: Path):
    wal, delete = (_journal(tmp_path / f"{kind}.csv", kind) for kind in ("wal", "delete"))
    assert rewear("ci", "--trace", delete, *DRIVE, "--out", "base.json").returncode == 0
    assert (
        "Both sides need drives of the larger one"
        in rewear("ci", "--trace", wal, *DRIVE, "--base", "base.json").refused()
    )
    assert rewear("ci", "--trace", wal, *DRIVE, "--out", "base.json").returncode == 0
    assert rewear("ci", "--trace", delete, *DRIVE, "--base", "base.json").returncode == 1


def _measured(values: tuple[float, ...], **more: object) -> Measurement:
    known: tuple[float | None, ...] = values
    cell = Cell("a", 0.8, known, known, tuple(1e6 / value for value in values), known, (True,) * len(values))
    runs = tuple(Recorded(10**9, 10**8) for _ in values)
    return Measurement(runs, 10**8, {"a": "x"}, (cell,), "0", **more)  # type: ignore[arg-type]


def _judged(change: tuple[float, ...], base: tuple[float, ...], worse: float = 0.05) -> Judgement:
    return judge(_measured(change), _measured(base), worse=worse, figures=("waf",))


def test_only_what_is_sure_fails():
    noisy = _judged((1.0, 1.2, 1.4), (1.0, 1.02, 1.04))
    assert noisy.passes
    assert [row.figure for row in noisy.judged("perhaps worse")] == ["waf"]
    assert "Cannot be told with so few runs: write amplification" in comment(noisy.change, noisy)
    sure = _judged((1.20, 1.21, 1.22), (1.0, 1.01, 1.02))
    assert [row.figure for row in sure.judged("worse")] == ["waf"]
    # Worse for certain, but not by a quarter.
    assert _judged((1.20, 1.21, 1.22), (1.0, 1.01, 1.02), worse=0.25).passes
    # A single run has no interval: its figure decides, and the comment says so.
    alone = _judged((1.2,), (1.0,))
    assert not alone.passes
    assert "One run has no interval" in comment(alone.change, alone)


def test_the_interval_is_welchs():
    values, references = [1.2, 1.25, 1.3], [1.0, 1.1, 1.05, 1.02]
    found = ratio_between(values, references)
    assert found is not None
    first, second = ([math.log(value) for value in side] for side in (values, references))
    mean = sum(first) / 3 - sum(second) / 4
    errors = [
        sum((x - sum(side) / len(side)) ** 2 for x in side) / (len(side) - 1) / len(side) for side in (first, second)
    ]
    freedom = sum(errors) ** 2 / (errors[0] ** 2 / 2 + errors[1] ** 2 / 3)
    assert 4.5 < freedom < 5
    # t of 0.975 lies between 2.571 (5) and 2.687 (4.5).
    half = math.log(found.high) - mean
    assert 2.571 < half / math.sqrt(sum(errors)) < 2.687
    assert math.isclose(found.mean, math.exp(mean))
    assert math.isclose(math.log(found.low), mean - half)
    assert ratio_between([2.0], [1.0, 1.1]) is not None
    assert ratio_between([0.0, 1.0], [1.0, 1.0]) is None


def test_bases_that_say_nothing_are_refused(rewear, scattered: str, tmp_path: Path):
    rewear("ci", "--trace", scattered, *DRIVE, "--out", "base.json")
    good = json.loads((tmp_path / "base.json").read_text())

    def refused(text: str, *words: str) -> str:
        (tmp_path / "bad.json").write_text(text)
        return rewear("ci", "--trace", scattered, "--base", "bad.json", *(words or DRIVE)).refused()

    assert "bad.json, line 2" in refused('{"cells":\n nonsense')
    assert "is no measurement of `rewear ci`" in refused("[]")
    assert "has version 7" in refused(json.dumps({**good, "schema": 7}))
    assert "lacks a part" in refused(json.dumps({key: value for key, value in good.items() if key != "runs"}))
    short = {**good, "cells": [{**good["cells"][0], "p99_ns": []}]}
    assert "0 figures for 1 runs" in refused(json.dumps(short))
    negative = {**good, "cells": [{**good["cells"][0], "p99_ns": [-1.0]}]}
    assert "cannot be" in refused(json.dumps(negative))
    assert "other drives or fills" in refused(json.dumps(good), "--drive", "client-qlc", "--fill", "80%")
    changed = (*DRIVE, "--set", "ftl.metadata_share=0.1")
    assert "was described otherwise" in refused(json.dumps(good), *changed)


def test_options_that_make_no_sense_are_refused(rewear, scattered: str, tmp_path: Path):
    assert "Give either -- COMMAND or --trace" in rewear("ci").refused()
    assert "several bases" in rewear("ci", "--trace", scattered, "--base", "a", "--base-trace", scattered).refused()
    assert "is no share" in rewear("ci", "--trace", scattered, "--worse", "much").refused()
    assert "give 5% to 100%" in rewear("ci", "--trace", scattered, "--fill", "120%").refused()
    assert "there are flash, life, waf, p99" in rewear("ci", "--trace", scattered, "--judge", "speed").refused()
    assert "needs a command" in rewear("ci", "--trace", scattered, "--base-checkout", ".").refused()
    assert "cannot be read" in rewear("ci", "--trace", scattered, "--base", "none.json").refused()
    for missing in ("none", ""):
        said = rewear("ci", "--base-checkout", missing, "--", "true").refused()
        assert f"--base-checkout '{missing}' is no folder" in said
    assert "nothing is compared" in rewear("ci", "--base-checkout", "../" + tmp_path.name, "--", "true").refused()


def test_a_benchmark_too_small_for_a_fill_is_refused(rewear, tmp_path: Path):
    small = _trace(tmp_path / "small.csv", "ordered", pages=64)
    assert "touches 256 KiB, too few pages" in rewear("ci", "--trace", small, *DRIVE).refused()


def test_a_recording_without_writes_is_refused(rewear, tmp_path: Path):
    (tmp_path / "reads.csv").write_text("time_ns,operation,offset_bytes,length_bytes\n0,read,0,4096\n")
    assert "writes nothing" in rewear("ci", "--trace", "reads.csv", *DRIVE).refused()


BENCH = """#!/bin/sh
set -e
test -f "$REWEAR_CHECKOUT/bench.sh"
echo noise
for turn in $(seq %s); do head -c 30000000 /dev/urandom | dd of=data bs=1M conv=notrunc,fsync; done
"""


@pytest.mark.usefixtures("mountable")
def test_a_command_is_recorded_from_two_checkouts(rewear, tmp_path: Path):
    for name, size in (("old", 1), ("new", 3)):
        (tmp_path / name).mkdir()
        script = tmp_path / name / "bench.sh"
        script.write_text(BENCH % size)
        script.chmod(0o755)
    common = ("--runs", "2", "--size", "96MiB", *DRIVE, "--keep", "kept")
    checkouts = ("--checkout", "new", "--base-checkout", "old")
    done = rewear("ci", *checkouts, *common, "--judge", "life", "--json", "--", "./bench.sh")
    # Three times as much is written, so the life is a third; what it prints does not stand in the document.
    assert done.returncode == 1, done.stderr
    document = done.document()
    life = next(row for row in document["rows"] if row["figure"] == "life")
    assert life["ratio"]["mean"] < 0.5
    assert sorted(path.name for path in (tmp_path / "kept").iterdir()) == [
        "base-1.rwt",
        "base-2.rwt",
        "change-1.rwt",
        "change-2.rwt",
    ]
    # One run tells that the benchmark is too small.
    small = rewear("ci", *common, "--", "sh", "-c", f"echo run >> {tmp_path}/runs; echo little > file")
    assert "too few pages" in small.refused()
    assert (tmp_path / "runs").read_text() == "run\n"
    failing = rewear("ci", *common, "--", "sh", "-c", "exit 3")
    assert failing.returncode == 2
    assert "ended with status 3 in run 1 of change" in failing.stderr
    assert "is no file" in rewear("ci", *common, "--", "./nothing.sh").refused()
    assert "is not found" in rewear("ci", *common, "--", "no-such-program").refused()


def test_what_was_cut_is_said():
    small = _measured((1.0, 1.1))
    assert "were replayed" not in comment(small, None)
    runs = tuple(Recorded(10**12, 10**11) for _ in small.runs)
    text = comment(Measurement(runs, 10**11, small.drives, small.cells, "0"), None)
    assert "Only the first 5% of the longest run were replayed." in text
    assert "not yet steady" in text


def test_errors_of_the_library_say_what_is_there():
    with pytest.raises(ConfigurationError, match="There are: flash, life, waf, p99"):
        judge(_measured((1.0,)), _measured((1.0,)), figures=("speed",))


ROOT = Path(__file__).parents[2]
GH = """#!/bin/sh
echo "$GH_TOKEN $*" >> "$RUNNER_TEMP/calls"
case "$*" in *--jq*) cat "$RUNNER_TEMP/old" 2>/dev/null || true;; esac
"""


@pytest.fixture
def action(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs the action's script as GitHub's runner does, with a `gh` that writes down what it is asked."""
    programs = {"rewear": f'#!/bin/sh\nexec "{sys.executable}" -m rewear "$@"\n', "gh": GH}
    (tmp_path / "bin").mkdir()
    for name, text in programs.items():
        (tmp_path / "bin" / name).write_text(text)
        (tmp_path / "bin" / name).chmod(0o755)

    def run(command: str, **inputs: str) -> subprocess.CompletedProcess[str]:
        environment = {
            **os.environ,
            "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}",
            "RUNNER_TEMP": str(tmp_path),
            "GITHUB_OUTPUT": str(tmp_path / "output"),
            "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
            "GITHUB_REPOSITORY": "some/database",
            "WAF_COMMAND": command,
            "WAF_OPTIONS": "--runs 1 --size 96MiB --drive 'one=client-tlc' --fill 80%",
            **inputs,
        }
        script = ROOT / ".github" / "actions" / "waf" / "waf.sh"
        return subprocess.run([script], env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)

    return run


def _writing(times: int) -> str:
    turn = "head -c 30000000 /dev/urandom | dd of=data bs=1M conv=notrunc,fsync"
    return f"sh -c 'for turn in $(seq {times}); do {turn}; done'"


@pytest.mark.usefixtures("mountable")
def test_the_actions_script_fails_a_change_that_is_worse_and_comments_once(action, tmp_path: Path):
    base = action(_writing(1))
    assert base.returncode == 0, base.stderr
    assert (tmp_path / "output").read_text() == "passes=true\n"
    assert "There is no base to compare with." in (tmp_path / "summary").read_text()
    assert not (tmp_path / "calls").exists(), "without a token nothing is written"
    (tmp_path / "waf.json").rename(tmp_path / "base.json")

    comments = {"WAF_TOKEN": "secret", "WAF_PULL_REQUEST": "17"}
    worse = action(_writing(3), WAF_BASE="base.json", WAF_TITLE="Wear", **comments)
    assert worse.returncode == 1, worse.stderr
    assert (tmp_path / "output").read_text().endswith("passes=false\n")
    text = (tmp_path / "waf.md").read_text()
    assert text.startswith("<!-- rewear ci -->\n### Wear: worse\n")
    assert text in (tmp_path / "summary").read_text()
    calls = (tmp_path / "calls").read_text().splitlines()
    assert all(call.startswith("secret api ") for call in calls)
    assert calls[-1].endswith(f"repos/some/database/issues/17/comments -F body=@{tmp_path / 'waf.md'}")
    # There is a comment by now, which is replaced.
    (tmp_path / "old").write_text("4711\n")
    again = action(_writing(1), WAF_BASE="base.json", WAF_WORSE="60%", **comments)
    assert again.returncode == 0, again.stderr
    last = (tmp_path / "calls").read_text().splitlines()[-1]
    assert "-X PATCH repos/some/database/issues/comments/4711" in last


@pytest.mark.usefixtures("mountable")
def test_the_actions_script_tells_a_failure_from_a_verdict(action, tmp_path: Path):
    done = action("sh -c 'exit 1'")
    assert done.returncode == 2
    assert "::error::rewear ci ended with status 2" in done.stdout
    assert not (tmp_path / "summary").exists()


def test_every_input_of_the_action_reaches_its_script():
    folder = ROOT / ".github" / "actions" / "waf"
    action, script = (ROOT / "action.yml").read_text(), (folder / "waf.sh").read_text()
    inputs = re.findall(r"^  ([a-z-]+):$", action.split("outputs:")[0].split("inputs:")[1], re.MULTILINE)
    given = dict(re.findall(r"(WAF_[A-Z_]+): \$\{\{ inputs\.([a-z-]+) \}\}", action))
    assert sorted(given.values()) == sorted(inputs)
    assert all(variable in script for variable in given)
