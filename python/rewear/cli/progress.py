"""Progress on stderr: bars on a terminal for what takes longer than two seconds, elsewhere now and then a line."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bars

from rewear.cli.output import errors
from rewear.core.printable import printable
from rewear.core.progress import Progress

_PATIENCE_S = 2.0
_BETWEEN_LINES_S = 30.0
"""Where there is no terminal: the time to the first line, and from one to the next."""
level = 1
"""What is told: 0 nothing (`--quiet`), 1 what takes long, 2 each new phase at once (`--verbose`)."""


def _bars(console: Console) -> Bars:
    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    return Bars(TextColumn("{task.description}", markup=False), *columns, console=console, transient=True)


@contextmanager
def progress_bars() -> Iterator[Callable[[str, Progress], None]]:
    """Gives a function to call with a label and its `Progress`; draws one bar a label. Safe for threads."""
    console = errors()
    if level == 0:
        yield lambda _label, _state: None
        return
    if not console.is_terminal:
        yield _lines(console)
        return
    bars = _bars(console)
    tasks: dict[str, TaskID] = {}
    lock = threading.Lock()
    show_after = time.monotonic() + (_PATIENCE_S if level == 1 else 0)
    started = False

    def update(label: str, state: Progress) -> None:
        nonlocal started
        with lock:
            if label not in tasks:
                tasks[label] = bars.add_task(label, total=None)
            description = printable(f"{label}: {state.phase}" if label else state.phase)
            bars.update(tasks[label], description=description, completed=state.done, total=state.total)
            if not started and time.monotonic() >= show_after:
                started = True
                bars.start()

    try:
        yield update
    finally:
        if started:
            bars.stop()


def _lines(console: Console) -> Callable[[str, Progress], None]:
    """Tells with a line now and then what is under way, and for how long."""
    lock = threading.Lock()
    began = time.monotonic()
    due = began + _BETWEEN_LINES_S
    phases: set[tuple[str, str]] = set()

    def tell(label: str, state: Progress) -> None:
        nonlocal due
        now = time.monotonic()
        with lock:
            is_new = level > 1 and (label, state.phase) not in phases
            if now < due and not is_new:
                return
            phases.add((label, state.phase))
            due = now + _BETWEEN_LINES_S
        far = f"{state.done / state.total:.0%}" if state.total else f"{state.done:,}"
        what = f"{label}: {state.phase}" if label else state.phase
        console.print(printable(f"{now - began:.0f} s. {what}, {far}"), soft_wrap=True, markup=False)

    return tell


@contextmanager
def run_bar() -> Iterator[Callable[[str, int, int, str | None, bool], None]]:
    """Gives a function to call as runs end, with the label of one, how far all are, and a line.

    On a terminal there is a bar, and the line is printed where the last argument says that something went wrong;
    elsewhere it is printed wherever there is one.
    """
    console = errors()
    if level == 0:
        yield lambda *_: None
        return
    if not console.is_terminal:

        def tell(_label: str, _done: int, _total: int, line: str | None, _bad: bool) -> None:
            if line is not None:
                console.print(line, soft_wrap=True)

        yield tell
        return
    with _bars(console) as bars:
        bar = bars.add_task("runs", total=None)

        def update(label: str, done: int, total: int, line: str | None, bad: bool) -> None:
            bars.update(bar, completed=done, total=total, description=printable(f"{label}: done"))
            if bad and line is not None:
                bars.console.print(line, soft_wrap=True)

        yield update
