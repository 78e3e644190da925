"""The bench: work that is done side by side on threads, and replays above all.

Compare, advise, lifetime, bound, twins and the study of the codes turn their question into tasks and get the results
in their order. Runs of sweeps outlast the process: `rewear.sweep.execute` has a store for them.
"""

import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from rewear.core.drive import Drive, Source
from rewear.core.progress import Progress, ProgressCallback
from rewear.core.report import Report
from rewear.core.trace import Trace

T = TypeVar("T")
Say = Callable[[str, Progress], object]
"""Called with a label and its `Progress`; an exception that it raises stops all."""


class Bench:
    """Threads for work that does not hold the interpreter's lock.

    The first error ends the rest, as does Ctrl-C: work calls `go_on` a few times a second, which then raises.
    """

    def __init__(self, jobs: int | None = None) -> None:
        """Number of threads; default: number of cores."""
        self._threads = max(1, jobs or os.cpu_count() or 1)
        self._stop = threading.Event()

    def go_on(self, _state: Progress) -> None:
        """Raises where nobody wants the result any more."""
        if self._stop.is_set():
            raise _StoppedError

    def run(self, tasks: Sequence[Callable[[], T]], ended: Callable[[int], object] | None = None) -> list[T]:
        """The results in the order of the tasks, whatever the number of threads.

        Args:
            tasks: Each is called once.
            ended: Called before each result is waited for, with the number of those that are there.

        Raises:
            Exception: The first error in the order of the tasks.
        """
        results = []
        with self._begun(tasks) as futures:
            for done, future in enumerate(futures):
                if ended is not None:
                    ended(done)
                results.append(future.result())
        return results

    def each(self, tasks: Sequence[Callable[[], T]], ended: Callable[[int, T], object]) -> None:
        """Does all tasks, and calls `ended` with the number and the result of each as it ends.

        Raises:
            Exception: The first error that comes, of a task or of `ended`.
        """
        with self._begun(tasks) as futures:
            numbers = {future: number for number, future in enumerate(futures)}
            for future in as_completed(numbers):
                ended(numbers[future], future.result())

    @contextmanager
    def _begun(self, tasks: Sequence[Callable[[], T]]) -> "Iterator[list[Future[T]]]":
        """The tasks on threads; an exception while they are waited for ends them."""
        with ThreadPoolExecutor(min(self._threads, max(1, len(tasks)))) as pool:
            try:
                # Within the `try`: tasks are at work while later ones are handed in, and a Ctrl-C may come then.
                yield [pool.submit(self._unless_stopped, task) for task in tasks]
            except BaseException:
                self._stop.set()
                pool.shutdown(wait=True, cancel_futures=True)
                raise

    def _unless_stopped(self, task: Callable[[], T]) -> T:
        if self._stop.is_set():
            raise _StoppedError
        return task()


class _StoppedError(Exception):
    """End work without a reader of its result."""


@dataclass(frozen=True, slots=True)
class Replay:
    """One replay that is to be done."""

    label: str
    drive: Drive
    source: Source
    options: Mapping[str, Any] = field(default_factory=dict)
    """Those of `Drive.replay`."""


def replays(tasks: Sequence[Replay], jobs: int | None = None, progress: Say | None = None) -> list[Report]:
    """The reports in the order of the tasks. A trace that several of them replay is read once.

    Args:
        tasks: What is to be replayed.
        jobs: Replays at a time; the number of cores unless given. The reports do not depend on it.
        progress: Called with a task's label and its `Progress`.

    Raises:
        RewearError: Whatever `Drive.replay` raises, of the first task that fails; the others are stopped.
    """
    bench = Bench(jobs)

    def teller(task: Replay) -> ProgressCallback:
        def tell(state: Progress) -> None:
            bench.go_on(state)
            if progress is not None:
                progress(task.label, state)

        return tell

    def perform(task: Replay) -> Report:
        return task.drive.replay(task.source, progress=teller(task), **task.options)

    tasks = _with_kept_traces(tasks, teller)
    return bench.run([lambda task=task: perform(task) for task in tasks])  # type: ignore[misc]


def _with_kept_traces(tasks: Sequence[Replay], teller: Callable[[Replay], ProgressCallback]) -> list[Replay]:
    """The tasks, with each trace that several of them replay in memory."""
    uses = Counter(id(task.source) for task in tasks)
    kept: dict[int, Source] = {}
    for task in tasks:
        if isinstance(task.source, Trace) and uses[id(task.source)] > 1 and id(task.source) not in kept:
            kept[id(task.source)] = task.source._kept(teller(task))
    return [replace(task, source=kept.get(id(task.source), task.source)) for task in tasks]
