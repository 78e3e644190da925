"""Sweep files: what they may say, and how they are refused."""

from pathlib import Path

import pytest
import rewear
from hypothesis import given
from hypothesis import strategies as st
from rewear.core.strict import line_of
from rewear.sweep import Sweep
from rewear.sweep.settings import merge

BASE = '[base]\ndrive = "qlc"\nworkload = "uniform"\n'


def sweep(text: str, **options) -> Sweep:
    return Sweep.from_toml(text, "s.toml", **options)


def test_a_grid_is_every_combination_and_cases_stand_beside_it():
    jobs = sweep(
        """
        base = {drive = "qlc", workload = "zipf:requests=10", "workload.theta" = 0.5, ftl.over_provisioning = 0.1}
        axes.seed = [1, 2]
        [axes.op]
        key = "ftl.over_provisioning"
        values = [0.07, 0.28]
        labels = ["little", "much"]
        [axes.kind.points]
        plain = {}
        "recorded day" = {trace = "recordings/day.rwt", replay.loops = 2}
        [[case]]
        label = "worn"
        flash.endurance_cycles = 5
        """,
        folder=Path(__file__).parents[2],
    ).jobs
    assert [job.label for job in jobs[:3]] == [
        "seed=1 op=little kind=plain",
        "seed=1 op=little kind=recorded day",
        "seed=1 op=much kind=plain",
    ]
    assert len(jobs) == 2 * 2 * 2 + 1
    assert jobs[0].settings == {
        "drive": "qlc", "workload": "zipf:requests=10", "workload.theta": 0.5, "ftl.over_provisioning": 0.07, "seed": 1,
    }  # fmt: skip
    assert jobs[3].settings == {
        "drive": "qlc", "trace": "recordings/day.rwt", "replay.loops": 2, "ftl.over_provisioning": 0.28, "seed": 1,
    }  # fmt: skip
    assert jobs[-1].coordinates == {"case": "worn"}
    assert jobs[-1].settings["flash.endurance_cycles"] == 5
    assert jobs[-1].settings["ftl.over_provisioning"] == 0.1


def test_settings_of_the_caller_win_over_quick_over_points():
    text = BASE + "replay.loops = 2\n[axes]\n'replay.max_requests' = [100]\n[quick]\nreplay.max_requests = 5\n"
    settings = [
        sweep(text, **options).jobs[0].settings["replay.max_requests"]
        for options in ({}, {"quick": True}, {"quick": True, "set": {"replay.max_requests": 7}})
    ]
    assert settings == [100, 5, 7]
    assert sweep(BASE, quick=True).jobs[0].settings["replay.max_requests"] == 10_000


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("bse.drive = 'qlc'", ["s.toml, line 1", "'bse'", "Did you mean 'base'"]),
        ("\n\n[base]\n\ndrive = 'qlcc'", ["s.toml, line 5", "'qlcc'", "Did you mean 'qlc'"]),
        (BASE + "trace = 'missing.csv'", ["line 4", "missing.csv"]),
        (BASE.replace("uniform", "unifrom"), ["line 3", "unifrom", "uniform"]),
        (BASE + "[base.ftl]\n# a comment\nover_provisionin = 1", ["line 6", "Did you mean 'ftl.over_provisioning'"]),
        (BASE + "ftl.over_provisioning = 'x'", ["line 4", "ftl.over_provisioning", "a number"]),
        (BASE + "ftl.victim.scheme = 'greed'", ["line 4", "greed", "cost-benefit"]),
        (BASE + "replay.warmup = 3", ["line 4", "Did you mean 'replay.warm_up'"]),
        (BASE + "replay.seed = 3", ["line 4", "`seed`, without `replay`"]),
        (BASE + "replay.fit = 'tight'", ["line 4", "dense, modulo"]),
        (BASE + "trace.volum = 3", ["line 4", "Did you mean 'trace.volume'"]),
        (BASE + "seed = -1", ["line 4", "seed", "a whole number"]),
        (BASE + "ftl.copyback = 1", ["line 4", "true or false"]),
        (BASE + "[axes]\nop = {key = 'ftl.over_provisioning', values = [0.1,\n'x']}", ["line 5", "'op'", "'x'"]),
        (BASE + "[axes]\nop = {key = 'seed', vales = [1]}", ["line 5", "Did you mean 'values'"]),
        (BASE + "[axes]\nftl.over_provisioning = [1]", ["line 5", "quotes", "ftl.over_provisioning"]),
        (BASE + "[axes]\nseed = []", ["line 5", "at least one"]),
        (BASE + "[axes]\nseed = [1, 1]", ["line 5", "twice"]),
        (BASE + "[axes]\nseed = 1", ["line 5", "values"]),
        (BASE + "[axes]\nseed = [1]\nb = {key = 'seed', values = [2]}", ["line 6", "both set seed"]),
        (BASE + "[axes]\nb = {key = 'seed', values = [2], labels = []}", ["line 5", "1 texts"]),
        (BASE + "[axes]\ncase = [1]", ["line 5", "another name"]),
        (BASE + "[axes.a.points]\nb = 3", ["line 5", "table of settings"]),
        (BASE + "[[case]]\nlabel = 'a'\n[[case]]\nseed = 1", ["line 6", "label"]),
        (BASE + "[[case]]\nlabel = 'a'\n[[case]]\nlabel = 'a'", ["line 6", "Two cases", "'a'"]),
        ("reference = {seed = 4}\n" + BASE + "[axes]\nseed = [1, 2]", ["line 1", "'4'", "1, 2"]),
        ("reference = 'x'\n" + BASE, ["line 1", "'x'"]),
        ("x = 'op'\n" + BASE + "[axes]\nseed = [1]", ["line 1", "'op'", "seed"]),
        ("region = 'mine'\n" + BASE, ["line 1", "common"]),
        ("figures = 3\n" + BASE, ["line 1", "figures"]),
        ("name = '/tmp/elsewhere'\n" + BASE, ["line 1", "'/tmp/elsewhere'", "without slashes", "--out"]),
        ("\nname = '../../elsewhere'\n" + BASE, ["line 2", "'../../elsewhere'"]),
        ('name = "a\\u0000b"\n' + BASE, ["line 1", "control characters"]),
        ("name = ''\n" + BASE, ["line 1", "name is ''"]),
        ("name = '..'\n" + BASE, ["line 1", "name is '..'"]),
        (f"name = '{'x' * 201}'\n" + BASE, ["line 1", "at most 200 bytes"]),
        ("base = 3", ["line 1", "table of settings"]),
        ("[base\n", ["s.toml", "line 1", "TOML"]),
        ("[base]\ndrive = 'qlc'\n'drive' = 'qlc'", ["s.toml", "overwrite"]),
        ("[base]\ntrace = 'a'\ntrace.volume = 'b'\n", ["line 3", 'in quotes: "trace.volume" = ']),
    ],
)
def test_a_wrong_file_is_located(text, words):
    with pytest.raises(rewear.ConfigurationError) as refused:
        sweep(text)
    for word in words:
        assert word in str(refused.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("base.workload = 'uniform'", ["s.toml", "no drive"]),
        ("base.drive = 'qlc'", ["s.toml", "replays nothing"]),
        (BASE + "'workload.reqests' = 5", ["s.toml", "reqests", "requests"]),
        (BASE + "'trace.volume' = 'a'", ["trace.volume", "replays a workload"]),
        (BASE + "ftl.over_provisioning = 0.0001", ["no run of this sweep", "0.0149"]),
    ],
)
def test_a_sweep_of_which_nothing_can_run_is_refused(text, words, tmp_path):
    with pytest.raises(rewear.ConfigurationError) as refused:
        sweep(text).run(store=tmp_path)
    for word in words:
        assert word in str(refused.value)


def test_the_command_line_refuses_as_all_commands_do(rewear, tmp_path):
    (tmp_path / "s.toml").write_text(BASE + "colour = 'red'\n")
    assert "s.toml, line 4" in rewear("sweep", "s.toml").refused()
    assert "none.toml" in rewear("sweep", "none.toml").refused()
    (tmp_path / "s.toml").write_text("name = '../elsewhere'\n" + BASE)
    assert "s.toml, line 1" in rewear("sweep", "s.toml").refused()
    assert [path.name for path in tmp_path.iterdir()] == ["s.toml"]
    assert not (tmp_path.parent / "elsewhere.parquet").exists()
    (tmp_path / "s.toml").write_text(BASE)
    assert "setting replay.lops" in rewear("sweep", "s.toml", "--set", "replay.lops=2").refused()
    assert "key=value" in rewear("sweep", "s.toml", "--set", "replay.loops").refused()
    assert (
        "no scheduler at tcp://127.0.0.1:1" in rewear("sweep", "s.toml", "--scheduler", "tcp://127.0.0.1:1").refused()
    )


KEYS = st.text("abc", min_size=1, max_size=2)
VALUES = st.sampled_from(["1", '"x"', "[1,\n 2]", "{p = 1}", '"""\nq = 1\n"""', "[{r = 1},\n\n{r = 2}]"])


@given(st.lists(st.tuples(KEYS, VALUES, st.integers(0, 2)), min_size=1, unique_by=lambda entry: entry[0]))
def test_a_statement_is_found_where_it_begins(entries):
    text, begins = "", {}
    for key, value, blank in entries:
        text += "\n" * blank + "# a = 1\n" * blank
        begins[key] = text.count("\n") + 1
        text += f"{key} = {value}\n"
    for key, line in begins.items():
        assert line_of(text, (key,)) == line
    assert line_of(text, ("missing",)) is None


def test_a_place_within_arrays_of_tables_is_found():
    text = '[[case]]\nlabel = "a"\n\n[[case]]\nlabel = "b"\nftl.x = 1\n'
    assert line_of(text, ("case", 1)) == 4
    assert line_of(text, ("case", 1, "ftl", "x")) == 6


def test_a_trace_takes_the_place_of_a_workload_and_the_reverse():
    workload = {"workload": "zipf", "workload.theta": 1}
    assert merge([workload, {"trace": "t"}]) == {"trace": "t"}
    assert merge([{"trace": "t", "trace.volume": "a", "seed": 1}, workload]) == {"seed": 1, **workload}
    assert merge([workload, {"workload.theta": 2}]) == {"workload": "zipf", "workload.theta": 2}


def test_the_example_of_the_documentation_is_right(tmp_path):
    text = (Path(__file__).parents[2] / "docs/manual/sweeps.md").read_text(encoding="utf-8")
    example = text.split("```toml\n")[1].split("```")[0]
    settled = sweep(example, quick=True).settle()
    assert len(settled) == 3 * 2 * 2 * 2 + 1
    assert [run.reason for run in settled if run.reason] == []
