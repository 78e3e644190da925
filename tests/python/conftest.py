"""What the tests share: the command line as a process, and small files."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from rewear.core.errors import TraceError
from rewear.core.recording import check_tools
from rewear.core.trace import Trace

# The same cases in every run, and no verdict that depends on how busy the machine is.
settings.register_profile("fixed", derandomize=True, deadline=None)
settings.load_profile("fixed")

SMALL = (
    "flash.channels=2",
    "flash.dies_per_channel=1",
    "flash.planes_per_die=1",
    "flash.blocks_per_plane=32",
    "flash.pages_per_block=64",
)
"""Settings that shrink a preset to 16 MiB, on which cleaning begins at once."""


PATIENCE_S = 300.0
"""How long a test waits for what takes no time on an idle machine."""


def wait_until(condition: Callable[[], object], what: str, process: "subprocess.Popen[str] | None" = None) -> None:
    """Waits until `condition` holds; fails, naming `what`, if that takes too long or `process` ends before."""
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        if process is not None and process.poll() is not None:
            said = "" if process.stderr is None else process.stderr.read()
            pytest.fail(f"The process ended with {process.returncode} before {what}: {said}")
        if time.monotonic() > deadline:
            pytest.fail(f"Waited {PATIENCE_S:.0f} s for this, in vain: {what}")
        time.sleep(0.02)


def _default_interrupts() -> None:
    # A test run in the background of a shell has SIGINT ignored, and so would its children.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def started(*command: str, **options: Any) -> "Iterator[subprocess.Popen[str]]":
    """A process of a test in a session of its own, which takes Ctrl-C and does not outlive the test."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **options}
    with subprocess.Popen(command, start_new_session=True, preexec_fn=_default_interrupts, **options) as process:
        try:
            yield process
        finally:
            if is_alive(process.pid):
                os.killpg(process.pid, signal.SIGKILL)


def is_alive(group: int) -> bool:
    """Whether any process of the group is left, its leader included."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def scheduler_address(file: Path) -> str:
    """The address of a dask scheduler, once it has written its file whole."""
    wait_until(lambda: file.exists() and file.read_text().rstrip().endswith("}"), "the scheduler writes its file")
    return str(json.loads(file.read_text())["address"])


class Ended(subprocess.CompletedProcess[str]):
    """How a command ended."""

    def document(self) -> Any:
        """Its stdout, which must be one JSON document and nothing else."""
        return json.loads(self.stdout)

    def refused(self) -> str:
        """Its message, after making sure that it ended as an error of the user must."""
        assert self.returncode == 2, self
        assert "Traceback" not in self.stderr
        assert "panicked" not in self.stderr
        assert self.stdout == ""
        message = self.stderr.strip()
        assert message
        return message


_LOADED = """
import contextlib, json, os, sys

answers = os.fdopen(os.dup(1), "w")
sys.argv = ["rewear", "show", "qlc"]
from rewear.cli.main import main

with open(os.devnull, "w") as nothing, contextlib.redirect_stdout(nothing), contextlib.suppress(SystemExit):
    main()
for line in sys.stdin:
    arguments, folder, environment, outputs = json.loads(line)
    child = os.fork()
    if child == 0:
        answers.close()
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        for number, path in enumerate(("/dev/null", *outputs)):
            os.dup2(os.open(path, os.O_CREAT | os.O_RDWR), number)
        sys.argv = ["rewear", *arguments]
        main()
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), file=answers, flush=True)
"""
"""Loads the command, and runs a copy of itself for each line: to load takes longer than most of what tests ask for."""


def recorded(path: Path, writes: list[tuple[int, int]], gap_ns: int = 6_000_000, length: int = 4096) -> Trace:
    """A recording of writes at these pages and byte offsets within them, so many nanoseconds apart."""
    lines = (f"{number * gap_ns},write,{page * 4096 + rest},{length}" for number, (page, rest) in enumerate(writes))
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return Trace(path)


def skewed(count: int = 60_000) -> list[tuple[int, int]]:
    """Writes to 16,000 pages; 400 of these take three quarters."""
    return [((number * 7919) % (400 if number % 4 else 16_000), 0) for number in range(count)]


@pytest.fixture
def mountable() -> None:
    """Skips, and says why, where this machine cannot mount a file system."""
    try:
        check_tools()
    except TraceError as error:
        if os.environ.get("REWEAR_NEEDS_FUSE"):
            raise
        pytest.skip(f"cannot record here: {error}")


@pytest.fixture(scope="session")
def _loaded() -> "Iterator[Iterator[subprocess.Popen[str]]]":
    """Loaded commands in turn. Their hashes differ, so the order of a set cannot make what two runs print agree."""

    def load(seed: str) -> "subprocess.Popen[str]":
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        command = (sys.executable, "-c", _LOADED)
        return stack.enter_context(started(*command, stdin=subprocess.PIPE, stderr=None, env=environment))

    with ExitStack() as stack:
        yield cycle(map(load, ("1", "2")))


@pytest.fixture
def rewear(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, _loaded: "Iterator[subprocess.Popen[str]]"
) -> Callable[..., Ended]:
    """Runs `rewear` with arguments in an empty folder."""
    outputs = [tmp_path_factory.mktemp("outputs") / name for name in ("stdout", "stderr")]

    def run(*arguments: str) -> Ended:
        process = next(_loaded)
        assert process.stdin is not None and process.stdout is not None
        environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "160"}
        for output in outputs:
            output.write_bytes(b"")
        words = [arguments, str(tmp_path), environment, [str(output) for output in outputs]]
        process.stdin.write(json.dumps(words) + "\n")
        process.stdin.flush()
        code = int(process.stdout.readline())
        return Ended(["rewear", *arguments], code, *(output.read_text(encoding="utf-8") for output in outputs))

    return run


@pytest.fixture
def small() -> dict[str, str]:
    """`SMALL` as the `set=` of a drive."""
    return dict(setting.split("=") for setting in SMALL)


@pytest.fixture
def small_options() -> list[str]:
    """`SMALL` as options of the command line."""
    return [word for setting in SMALL for word in ("--set", setting)]


@pytest.fixture
def msr_trace(tmp_path: Path) -> Path:
    """A trace of 200 requests to 8 MiB in the MSR Cambridge format, in the folder where commands run."""
    lines = []
    for number in range(200):
        kind = "Read" if number % 4 == 0 else "Write"
        offset = (number * 7919 % 2048) * 4096
        lines.append(f"{128166372000000000 + number * 10000},host,0,{kind},{offset},4096,1000")
    path = tmp_path / "small.csv"
    path.write_text("\n".join(lines) + "\n", encoding="ascii")
    return path
