"""Runs tasks on a cluster of dask.distributed, also when its workers come and go."""

import queue
import time
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from rewear.core.errors import InternalError, RewearError, RewearWarning
from rewear.core.sweep_defaults import PATIENCE_S
from rewear.sweep.cluster import cluster
from rewear.sweep.store import Identity, Outcome, Store

if TYPE_CHECKING:
    from distributed import Client

_BATCH = 16
"""Short tasks that go to a worker together at most, and batches at least: to hand one over takes as long as 20 ms."""
_BATCH_S = 1.0
"""Time after which a batch comes back. What was not begun goes to the workers one by one."""
_LOOK_S = 1.0
_SAY_AFTER_S = 10.0


class Work(Protocol):
    """Something a worker does once: the replay of a sweep, or another computation with a result of plain data."""

    @property
    def identity(self) -> Identity:
        """Everything that decides the result."""

    @property
    def key(self) -> str:
        """Hash of the identity."""

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

    Of several tasks with the same key one is done. `ended` is told of each, and whether it was done now.

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
    store.warn_of_damage()
    if missing:
        # Only here: whose runs are all finished does not wait for it.
        from dask.system import CPU_COUNT

        workers = min(len(missing), workers or CPU_COUNT)
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

    Short tasks go to a worker several at a time, which share a trace in its memory.

    A task whose worker dies is given to another. One that takes several workers with it counts as failed. Where no
    worker is left a `RewearWarning` says so.

    Raises:
        WorkerError: A worker is not fit for the sweep.
        RewearError: Workers cannot run the task at all; or there was none for longer than `patience_s`.
    """
    # Dask forgets a task whose future nobody holds.
    pending: dict[str, tuple[Any, Sequence[Work]]] = {}
    arrived: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def hand_in(batch: Sequence[Work]) -> None:
        key = f"rewear-{len(batch)}-{batch[0].key}"
        future = client.submit(_perform, batch, key=key, pure=False)
        pending[str(future.key)] = future, batch
        future.add_done_callback(arrived.put)

    together = max(1, min(_BATCH, len(tasks) // _BATCH))
    try:
        for start in range(0, len(tasks), together):
            hand_in(tasks[start : start + together])
        absence = _Absence(client, patience_s)
        while pending:
            try:
                future = arrived.get(timeout=_LOOK_S)
            except queue.Empty:
                absence.look(sum(len(batch) for _, batch in pending.values()))
                continue
            absence.over()
            _, batch = pending.pop(str(future.key))
            outcomes = _outcomes(future, len(batch))
            for task, outcome in zip(batch, outcomes, strict=False):
                if outcome.report is not None:
                    store.put(task.identity, outcome)
                ended(task, outcome)
            for task in batch[len(outcomes) :]:
                hand_in([task])
    finally:
        if pending:
            client.cancel([future for future, _ in pending.values()], force=True)


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
        """Looks for workers; `waiting` runs need one."""
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


def _perform(batch: Sequence[Work]) -> list[Outcome]:
    """Results of the tasks of a batch, in order, as many as were begun in time: of the first at least."""
    began, outcomes = time.monotonic(), []
    for task in batch:
        outcomes.append(task.perform())
        if time.monotonic() - began > _BATCH_S:
            break
    return outcomes


def _outcomes(future: Any, tasks: int) -> list[Outcome]:
    """Results of the first tasks of a batch of so many; of none where one of them killed workers."""
    from distributed import KilledWorker
    from distributed.client import FutureCancelledError

    try:
        # Waits where the worker died with the result before it was fetched: the scheduler has the runs done again.
        outcomes: list[Outcome] = future.result()
        return outcomes
    except FutureCancelledError:
        raise RewearError("The scheduler is gone. Start it again; what is finished stays finished.") from None
    except KilledWorker:
        why = "several workers died of this run, perhaps for want of memory. Give each more, or run fewer at a time."
        return [Outcome(None, why)] if tasks == 1 else []
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
