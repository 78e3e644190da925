"""Runs tasks on a cluster of dask.distributed, also when its workers come and go."""

import os
import queue
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from rewear.errors import InternalError, RewearError, RewearWarning
from rewear.sweep.cluster import cluster
from rewear.sweep.store import Outcome, Store
from rewear.sweep_defaults import PATIENCE_S

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["Work", "execute", "finish"]

_LOOK_S = 1.0
_SAY_AFTER_S = 10.0


class Work(Protocol):
    """Something a worker does once: the replay of a sweep, or another computation with a result of plain data."""

    @property
    def key(self) -> str:
        """Hash of everything that decides the result."""

    def perform(self) -> Outcome:
        """Does it, on a worker."""


def finish(
    tasks: Sequence[Work],
    store: Store,
    ended: Callable[[Work, Outcome, bool], object],
    scheduler: "str | Client | None" = None,
    workers: int | None = None,
    patience_s: float = PATIENCE_S,
) -> None:
    """Sees that every task is done: takes from the store what is there, and runs the others on a cluster.

    Args:
        tasks: What is to be done; of several with the same key one is done.
        store: Where results are and go.
        ended: Called with each task, its outcome, and whether it was done now.
        scheduler: As for `cluster`.
        workers: As for `cluster`.
        patience_s: As for `execute`.

    Raises:
        RewearError: There is no scheduler, or its workers are not fit, or gone.
    """
    missing: dict[str, Work] = {}
    for task in {task.key: task for task in tasks}.values():
        outcome = store.get(task.key)
        if outcome is None:
            missing[task.key] = task
        else:
            ended(task, outcome, False)
    if missing:
        workers = min(len(missing), workers or _cores())
        with cluster(scheduler, workers) as client:
            execute(list(missing.values()), client, store, lambda task, outcome: ended(task, outcome, True), patience_s)


def execute(
    tasks: Sequence[Work],
    client: "Client",
    store: Store,
    ended: Callable[[Work, Outcome], object],
    patience_s: float = PATIENCE_S,
) -> None:
    """Runs every task once; what finished is in the store before `ended` is called with it.

    A task whose worker dies is given to another. One that takes several workers with it counts as failed. Where no
    worker is left a `RewearWarning` says so.

    Args:
        tasks: What is to be done.
        client: Of the cluster.
        store: Where results go.
        ended: Called with each task and its outcome.
        patience_s: How long to wait for a worker, in seconds.

    Raises:
        WorkerError: A worker is not fit for the sweep.
        RewearError: Workers cannot run the task at all; or there was none for longer than `patience_s`.
    """
    # Dask forgets a task whose future nobody holds.
    pending: dict[str, tuple[Any, Work]] = {}
    for task in tasks:
        future = client.submit(_perform, task, key=f"rewear-{task.key}", pure=False)
        pending[str(future.key)] = future, task
    try:
        for key in _as_they_end(client, pending, patience_s):
            future, task = pending.pop(key)
            outcome = _outcome(future)
            if outcome.report is not None:
                store.put(task.key, outcome)
            ended(task, outcome)
    finally:
        if pending:
            client.cancel([future for future, _ in pending.values()], force=True)


def _as_they_end(client: "Client", pending: dict[str, tuple[Any, Work]], patience_s: float) -> Iterator[str]:
    """The keys of pending futures as these end; whoever takes one removes it.

    Raises:
        RewearError: No worker was there for longer than `patience_s`.
    """
    arrived: queue.SimpleQueue[Any] = queue.SimpleQueue()
    for future, _ in pending.values():
        future.add_done_callback(arrived.put)
    absence = _Absence(client, patience_s)
    while pending:
        try:
            future = arrived.get(timeout=_LOOK_S)
        except queue.Empty:
            absence.look(len(pending))
            continue
        absence.over()
        yield str(future.key)


class _Absence:
    """The time in which no worker is there."""

    def __init__(self, client: "Client", patience_s: float) -> None:
        self.client, self.patience_s = client, patience_s
        self.since: float | None = None
        self.said = False

    def over(self) -> None:
        """A worker is there."""
        self.since, self.said = None, False

    def look(self, waiting: int) -> None:
        """Looks for workers; `waiting` runs need one.

        Raises:
            RewearError: There has been none for too long.
        """
        if self._workers():
            self.over()
            return
        now = time.monotonic()
        self.since = now if self.since is None else self.since
        lasts_s = now - self.since
        address = self.client.scheduler.address if self.client.scheduler is not None else "ADDRESS"
        remedy = f"Start some: dask worker {address} --nthreads 1 --memory-limit 0"
        if lasts_s >= min(_SAY_AFTER_S, self.patience_s / 2) and not self.said:
            self.said = True
            warnings.warn(
                f"{waiting} runs wait, and there is no worker. {remedy}. Waiting for {self.patience_s:.0f} s.",
                RewearWarning,
                stacklevel=2,
            )
        if lasts_s >= self.patience_s:
            raise RewearError(
                f"No worker came for {self.patience_s:.0f} s, and {waiting} runs wait. {remedy}; then the same command "
                "goes on. A longer patience waits for them."
            )

    def _workers(self) -> int:
        """How many there are. Where the scheduler does not answer, its futures say what has become of it."""
        try:
            return len(self.client.scheduler_info(n_workers=-1)["workers"])
        except (OSError, TimeoutError, ValueError):
            return 1


def _perform(task: Work) -> Outcome:
    return task.perform()


def _outcome(future: Any) -> Outcome:
    from distributed import KilledWorker
    from distributed.client import FutureCancelledError

    try:
        # Waits where the worker died with the result before it was fetched: the scheduler has the run done again.
        outcome: Outcome = future.result()
        return outcome
    except FutureCancelledError:
        raise RewearError("The scheduler is gone. Start it again; what is finished stays finished.") from None
    except KilledWorker:
        return Outcome(
            None,
            "several workers died of this run, perhaps for want of memory. Give each more, or run fewer at a time.",
        )
    except RewearError as error:
        if not isinstance(error, InternalError):
            raise
        raise _unfit(error) from error
    except Exception as error:
        raise _unfit(error) from error


def _unfit(error: Exception) -> RewearError:
    return RewearError(
        f"A worker cannot do its runs ({type(error).__name__}: {error}). "
        "Install the same Rewear on the hosts of the scheduler and of all workers."
    )


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
