"""Ctrl-C, whenever it comes: exit code 130, one line, nothing left behind."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from conftest import is_alive, started, wait_until
from rewear import start
from rewear.core import interrupts
from rewear.core.ask import ask
from rewear.core.bench import Bench
from rewear.core.progress import Progress

ENDLESS = ("--workload", "uniform:requests=1000000000000")
SWEEP = 'base = {drive = "qlc", workload = "uniform:requests=1000000000000"}\naxes.seed = [1, 2]\n'
COMMANDS = {
    "run": ("run", "--drive", "qlc", *ENDLESS, "--log", "log.parquet"),
    "compare": ("compare", "qlc", "qlc-op28", *ENDLESS, "--html", "page.html"),
    "sweep": ("sweep", "sweep.toml", "--workers", "2"),
    **{
        section: ("codes", section, "--samples", "100000000")
        for section in ("polar-wom", "wom-v", "flip-n-write", "bch", "ldpc")
    },
}

# The command. At the point 0 it says on stderr when it does what takes for ever, and how many modules it has loaded; at
# another it is interrupted as it loads that module, given by its number or its name. The module of its first lines, and
# what is before, does not count.
COMMAND = """
import signal, sys
point, loaded = sys.argv.pop(1), -1

def loads(event, arguments):
    global loaded
    if event == "import" and (loaded >= 0 or arguments[0] == "rewear.start"):
        loaded += 1
        if loaded > 0 and point in (str(loaded), arguments[0]):
            signal.raise_signal(signal.SIGINT)

sys.addaudithook(loads)
sys.argv[0] = "rewear"
if point == "0":
    import os, threading
    import rewear.core.progress as progress
    made, first = progress.Progress, threading.Lock()

    def announced(*state):
        if state[1] > 0 and first.acquire(blocking=False):
            os.write(2, f"AT_WORK {loaded}\\n".encode())
        return made(*state)

    progress.Progress = announced
from rewear.cli.main import main
main()
"""


def command(name: str, point: int | str, folder: Path) -> tuple[str, ...]:
    """The words that start an endless command, interrupted at a point unless that is 0."""
    (folder / "sweep.toml").write_text(SWEEP)
    return (sys.executable, "-c", COMMAND, str(point), *COMMANDS[name])


def ends_orderly(process: subprocess.Popen[str]) -> None:
    out, err = process.communicate()
    assert (out, err) == ("", "Interrupted.\n")
    assert process.returncode == 130
    wait_until(lambda: not is_alive(process.pid), "the end of all processes of the command")


def at_work(process: subprocess.Popen[str]) -> int:
    """Waits until the command does what takes for ever; modules that it loaded until then."""
    assert process.stderr is not None
    line = process.stderr.readline()
    if not line.startswith("AT_WORK "):
        process.kill()
        pytest.fail(f"The command was to be at work, and said: {line}{process.stderr.read()}")
    return int(line.split()[1])


@pytest.mark.parametrize("name", COMMANDS)
def test_an_interrupt_ends_a_command_at_work(name, tmp_path: Path):
    with started(*command(name, 0, tmp_path), cwd=tmp_path) as process:
        at_work(process)
        os.kill(process.pid, signal.SIGINT)
        ends_orderly(process)
    # A sweep leaves the folder of its finished runs, which is empty here.
    assert {path.name for path in tmp_path.iterdir()} - {"out"} == {"sweep.toml"}
    assert not list(tmp_path.glob("out/runs/*"))


@pytest.mark.parametrize("name", ["run", "wom-v"])
def test_an_interrupt_ends_a_command_that_starts(name, tmp_path: Path):
    with started(*command(name, 0, tmp_path), cwd=tmp_path) as process:
        loads = at_work(process)
    # The last few modules are not loaded where nothing is announced.
    for point in (1, 2, *range(3, loads * 9 // 10, loads // 7)):
        with started(*command(name, point, tmp_path), cwd=tmp_path) as process:
            ends_orderly(process)


def test_the_installed_command_and_the_module_are_orderly_from_the_first_lines(tmp_path: Path):
    shown = "import sys; sys.argv[0] = {name!r}; import rewear.start, signal; print(signal.getsignal(2).__name__)"
    for name, handler in (("/usr/bin/rewear", "_end"), ("-m", "_end"), ("my-rewear", "default_int_handler")):
        with started(sys.executable, "-c", shown.format(name=name), cwd=tmp_path) as process:
            assert process.communicate() == (f"{handler}\n", "")


def test_an_interrupt_that_python_loses_comes_again():
    class Careless:
        def __del__(self):
            signal.raise_signal(signal.SIGINT)

    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt), interrupts.orderly():
            Careless()
            wait_until(lambda: False, "the interrupt")
        assert signal.getsignal(signal.SIGINT) is start._end
    finally:
        signal.signal(signal.SIGINT, former)


@pytest.mark.timeout(120)
def test_an_interrupt_that_comes_again_ends_a_wait_for_a_lock():
    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    held = threading.Lock()
    held.acquire()
    try:
        with pytest.raises(KeyboardInterrupt), interrupts.orderly():
            interrupts._again()
            held.acquire()
    finally:
        signal.signal(signal.SIGINT, former)


@pytest.mark.timeout(120)
def test_an_interrupt_while_tasks_are_handed_in_ends_those_at_work():
    bench, at_work = Bench(2), threading.Event()

    def endless() -> None:
        while True:
            bench.go_on(Progress("replay", 1, None))
            at_work.set()

    class HandedIn(list):
        def __iter__(self):
            yield endless
            wait_until(at_work.is_set, "the first task")
            signal.raise_signal(signal.SIGINT)
            yield endless

    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            bench.run(HandedIn([endless, endless]))
    finally:
        signal.signal(signal.SIGINT, former)


def test_an_ignored_interrupt_stays_ignored():
    former = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with interrupts.orderly():
            signal.raise_signal(signal.SIGINT)
        start.begin()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, former)


def test_an_interrupt_ends_a_measurement_on_the_main_thread():
    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    sent = threading.Event()

    def interrupt(state: Progress) -> None:
        if state.done > 0 and not sent.is_set():
            sent.set()
            os.kill(os.getpid(), signal.SIGINT)

    try:
        with pytest.raises(KeyboardInterrupt):
            ask("codes.retries", interrupt, storage_percent=210.0, trials=10**9, seed=1)
    finally:
        signal.signal(signal.SIGINT, former)
    assert sent.is_set()
