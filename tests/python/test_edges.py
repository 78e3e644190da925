"""Whole numbers at the edges of what machines count with: each is in range, or an error of whoever gave it."""

import contextlib
import io
import re
import shlex
import sys
import typing
from pathlib import Path
from typing import Any

import pytest
import rewear as api
import typer
from conftest import SMALL
from rewear.cli.commands import ALIASES, COMMANDS
from rewear.cli.main import main
from rewear.core.errors import RewearError
from rewear.core.whole import MOST, whole_number
from rewear.figures.units import parse_bytes
from typer.models import OptionInfo

EDGES = [0, 1, 2**31, 2**32, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 10**30]
SPELLED = [*map(str, EDGES), "-1", "1e3", "9" * 5000, "", "½"]
SETTINGS = [word for setting in SMALL for word in ("--set", setting)]
REPLAY = [*SETTINGS, "--workload", "uniform:requests=200"]

# What each command needs beside the option that is tried.
BASE = {
    "advise": ["--workload", "uniform:requests=100,read=1"],
    "demo": [],
    "bound": ["qlc", *REPLAY],
    "compare": ["qlc", *REPLAY],
    "run": ["--drive", "qlc", *REPLAY],
    "lifetime": ["qlc", *REPLAY],
    "life": ["missing.json"],
    "ci": ["--trace", "missing.rwt"],
    "sweep": ["sweep.toml"],
    "twin fit": ["points.csv"],
    "twin predict": ["micron-7450-max", "points.csv"],
    "reproduce": ["none.such"],
    "codes": ["rivest-shamir"],
    "record": ["-o", "record.rwt", "--serve"],
    "serve": ["--drive", "qlc", "--tcp", "no-port"],
    "stats": [],
    "trace info": ["small.csv"],
    "trace analyze": ["small.csv"],
    "trace head": ["small.csv"],
    "trace convert": ["small.csv", "out.rwt"],
}


def commands() -> dict[str, Any]:
    """The function of every command of the application by the command's words."""
    found = {}
    for name, command in COMMANDS.items():
        definition = command.definition()
        if isinstance(definition, typer.Typer):
            found |= {
                f"{name} {inner.name}": inner.callback for inner in definition.registered_commands if not inner.hidden
            }
        else:
            found[name] = definition
    return found


def number_options() -> list[tuple[str, str]]:
    """Each option of each command that takes a number, or a text that stands for one."""
    texts = {"--warm-up", "--size", "--tcp", "--retention", "--flash", "--capacity", "--open-units"}
    found = []
    for name, function in commands().items():
        hints = typing.get_type_hints(function, include_extras=True)
        for parameter, hint in hints.items():
            if not isinstance(info := getattr(hint, "__metadata__", (None,))[0], OptionInfo):
                continue
            declared = [word for word in info.param_decls or () if word.startswith("--")]
            option = declared[0] if declared else f"--{parameter.replace('_', '-')}"
            kinds = {hint.__origin__, *typing.get_args(hint.__origin__)}
            kinds |= {inner for kind in kinds for inner in typing.get_args(kind)}
            if kinds & {int, float} or option in texts:
                found.append((name, option))
    return found


class _EnoughError(Exception):
    """Ends what a number in range has started."""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, msr_trace: Path):
    """Runs a command in this process up to its first report of progress; its exit code and what it printed."""
    (tmp_path / "points.csv").write_text("workload,write_amplification,capacity\ncache,2.0,1GiB\nuniform,1.5,1GiB\n")
    (tmp_path / "sweep.toml").write_text('base = {drive = "qlc", workload = "uniform"}')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setattr("rewear.cli.main.start.begin", lambda: None)
    monkeypatch.setattr("rewear.sweep.sweep.finish", _enough)
    monkeypatch.setattr("rewear.cli.record.RecordedDevice", _enough)
    monkeypatch.setattr("rewear.cli.serve.LiveDrive", _enough)

    @contextlib.contextmanager
    def stops():
        yield _enough

    for command in ("advise", "run", "bound", "compare", "lifetime", "codes", "trace", "twin"):
        monkeypatch.setattr(f"rewear.cli.{command}.progress_bars", stops)

    def call(*words: str) -> tuple[int | None, str]:
        out, err = io.StringIO(), io.StringIO()
        monkeypatch.setattr(sys, "argv", ["rewear", *words])
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                main()
            except SystemExit as end:
                return end.code, out.getvalue() + err.getvalue()
            except _EnoughError:
                return 0, ""
        raise AssertionError(shlex.join(words))

    return call


def _enough(*_arguments: object, **_options: object) -> None:
    raise _EnoughError


def test_every_command_and_every_number_is_tried():
    missing = set(commands()) - set(BASE)
    assert missing <= {"show", "trace formats", *(f"list {name}" for name in ALIASES)}
    found = set(number_options())
    for option in (("run", "--seed"), ("trace head", "--count"), ("codes", "--samples"), ("record", "--size")):
        assert option in found
    assert len(found) >= 25


@pytest.mark.parametrize(("command", "option"), number_options())
def test_a_number_at_the_edge_works_or_is_refused(run, command, option):
    for value in SPELLED:
        code, said = run(*command.split(), *BASE[command], f"{option}={value}")
        assert code in (0, 2, 3), (value, said)
        assert "Traceback" not in said
        assert "defect of Rewear" not in said
        assert len(said) < 10_000


@pytest.mark.parametrize("value", SPELLED)
@pytest.mark.parametrize(
    "words",
    [
        "trace info small.csv:shift_bytes={}",
        "run --drive qlc --trace small.csv:shift_bytes={} --fit dense",
        "run --drive qlc --workload uniform:requests={}",
        "run --drive qlc --workload uniform:requests=9,seed={}",
        "run --drive qlc --workload uniform:requests=9,pages={}",
        "run --drive qlc --workload uniform --set flash.blocks_per_plane={}",
        "show qlc --set flash.endurance_cycles={}",
        "show qlc:flash.page_bytes={}",
        "codes physics --set voltage.step_v={}",
        "sweep sweep.toml --set seed={}",
        "sweep sweep.toml --set replay.loops={}",
        "sweep sweep.toml --set workload.requests={}",
        "sweep sweep.toml --set flash.blocks_per_plane={}",
    ],
)
def test_a_number_in_a_setting_works_or_is_refused(run, words, value):
    code, said = run(*(word.format(value) for word in words.split()))
    assert code in (0, 2, 3), said
    assert "Traceback" not in said
    assert "defect of Rewear" not in said


def test_the_cases_that_were_found(rewear, msr_trace):
    for words in (
        ("run", "--drive", "qlc", "--workload", "uniform:requests=9", "--seed", "18446744073709551616"),
        ("trace", "head", "small.csv", "-n", "18446744073709551615"),
        ("trace", "info", "small.csv:shift_bytes=18446744073709551616"),
        ("record", "-o", "a.rwt", "--serve", "--size", "9223372036854775808"),
        ("record", "-o", "a.rwt", "--serve", "--size", "18446744073709551616"),
    ):
        message = rewear(*words).refused()
        assert re.search("range|too large", message), message
    assert rewear("trace", "head", "small.csv", "-n", "100000", "--json").document()[199]["operation"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("seed = 18446744073709551616", "seed is 18446744073709551616. Give a whole number from 0 to"),
        ("replay.loops = 18446744073709551616", "replay.loops is"),
        ("flash.blocks_per_plane = 99999999999999999999", "flash.blocks_per_plane is"),
        ('trace.shift_bytes = "512"', "trace.shift_bytes is '512'. Give a whole number"),
        ("trace.shift_bytes = -1", "trace.shift_bytes is -1"),
        ("trace.shift_bytes = 18446744073709551616", "trace.shift_bytes is"),
        ("trace.skip_bad_lines = 1", "trace.skip_bad_lines is 1. Give true or false"),
        ("trace.volume = 3", "trace.volume is 3. Give a text"),
        ("trace.format = []", "trace.format is []. Give a text"),
        ('trace.time_unit = "h"', "trace.time_unit is 'h'. Give one of: ns, ticks, us, ms, s"),
        ("trace.event = 1", "trace.event is 1. Give one of: Q, D, C"),
    ],
)
def test_a_wrong_value_in_a_sweep_file_is_located(rewear, tmp_path, line, words):
    (tmp_path / "s.toml").write_text(f'name = "s"\n[base]\ndrive = "qlc"\n{line}\n')
    message = rewear("sweep", "s.toml").refused()
    assert message.startswith("rewear: s.toml, line 4: ")
    assert words in message


def test_a_sweep_file_that_python_cannot_read_is_refused(rewear, tmp_path):
    for text in (f"seed = {'9' * 5000}", f"a = {'[' * 100_000}"):
        (tmp_path / "s.toml").write_text(text)
        assert "s.toml" in rewear("sweep", "s.toml").refused()


@pytest.mark.parametrize("number", [2**64, -1, 10**5000], ids=["2^64", "-1", "10^5000"])
def test_the_library_refuses_what_the_command_does(number, msr_trace: Path, tmp_path: Path):
    trace = api.Trace(msr_trace)
    for call in (
        lambda: api.Trace(msr_trace, shift_bytes=number),
        lambda: trace.head(number),
        lambda: api.Drive("qlc").replay(api.Workload("uniform:requests=9"), seed=number),
        lambda: api.RecordedDevice(tmp_path / "a.rwt", number),
        lambda: api.ask("codes.retries", storage_percent=210.0, trials=1, seed=number),
    ):
        with pytest.raises(RewearError):
            call()
    assert len(trace.head(2**64 - 1)) == 200


def test_whole_numbers():
    assert whole_number("x", "0") == 0
    assert whole_number("x", str(MOST)) == MOST
    for wrong in (str(MOST + 1), "-1", "1.5", "", "9" * 5000, 10**5000, "one"):
        with pytest.raises(RewearError, match="Give a whole number from 0 to 18446744073709551615"):
            whole_number("x", wrong)


def test_sizes_are_exact():
    assert parse_bytes("--size", "9223372036854775807") == 2**63 - 1
    assert parse_bytes("--size", "1.5GiB") == 3 << 29
    for wrong in ("16EiB", "1e999999999", "0.3", "1/3", "-1", "nan", "9" * 5000):
        with pytest.raises(RewearError):
            parse_bytes("--size", wrong)
