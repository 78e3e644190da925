"""Runs tasks on dask.distributed: a cluster of this machine's cores, or one that is there already."""

import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from rewear.errors import InternalError, RewearError
from rewear.sweep.store import Outcome, Store

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["Work", "cluster", "execute", "finish"]

_PATIENCE_S = 20


class Work(Protocol):
    """Something a worker does once: the replay of a sweep, or another computation with a result of plain data."""

    @property
    def key(self) -> str:
        """Hash of everything that decides the result."""

    def perform(self) -> Outcome:
        """Does it, on a worker."""


@contextmanager
def cluster(scheduler: "str | Client | None" = None, workers: int | None = None) -> "Iterator[Client]":
    """A client of the scheduler at an address, of a client that is passed on, or of a cluster on this machine.

    Args:
        scheduler: Address such as `tcp://host:8786`, or a client, which stays open.
        workers: Processes of the cluster on this machine; one a core unless given.

    Raises:
        RewearError: There is no scheduler at the address.
    """
    # Only here: who does not sweep does not wait for it.
    from dask.system import CPU_COUNT
    from distributed import Client, LocalCluster

    if isinstance(scheduler, Client):
        yield scheduler
    elif scheduler is not None:
        try:
            _knock(scheduler)
            client = Client(scheduler, timeout=_PATIENCE_S, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise RewearError(
                f"There is no scheduler at {scheduler}: {error}. "
                "Start one with `dask scheduler` and give the address that it prints."
            ) from None
        with client:
            yield client
    else:
        with _deaf_to_interrupts():
            # A replay holds its model outside Python and says itself when memory does not suffice: dask sets no limit.
            local = LocalCluster(
                n_workers=workers or CPU_COUNT,
                threads_per_worker=1,
                processes=True,
                memory_limit=0,
                dashboard_address=None,
                silence_logs="CRITICAL",
            )
        with local, Client(local, set_as_default=False) as client:
            yield client


def _knock(scheduler: str) -> None:
    """Sees that somebody listens; a client that finds nobody waits for long and then ends noisily.

    Raises:
        OSError: Nobody does.
        ValueError: The address is none.
    """
    from distributed.comm.addressing import parse_address, parse_host_port

    kind, place = parse_address(scheduler)
    if kind in ("tcp", "tls"):
        socket.create_connection(parse_host_port(place, 8786), timeout=_PATIENCE_S).close()


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Processes that begin meanwhile ignore Ctrl-C: it goes to them, too, and they are ended by this process."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def finish(
    tasks: Sequence[Work],
    store: Store,
    ended: Callable[[Work, Outcome, bool], object],
    scheduler: "str | Client | None" = None,
    workers: int | None = None,
) -> None:
    """Sees that every task is done: takes from the store what is there, and runs the others on a cluster.

    Args:
        tasks: What is to be done; of several with the same key one is done.
        store: Where results are and go.
        ended: Called with each task, its outcome, and whether it was done now.
        scheduler: As for `cluster`.
        workers: As for `cluster`.

    Raises:
        RewearError: There is no scheduler, or its workers are not fit.
    """
    missing: dict[str, Work] = {}
    for task in {task.key: task for task in tasks}.values():
        outcome = store.get(task.key)
        if outcome is None:
            missing[task.key] = task
        else:
            ended(task, outcome, False)
    if missing:
        if workers is None and scheduler is None:
            workers = min(len(missing), _cores())
        with cluster(scheduler, workers) as client:
            execute(list(missing.values()), client, store, lambda task, outcome: ended(task, outcome, True))


def execute(tasks: Sequence[Work], client: "Client", store: Store, ended: Callable[[Work, Outcome], object]) -> None:
    """Runs every task once; what finished is in the store before `ended` is called with it.

    A task whose worker dies is given to another. One that takes several workers with it counts as failed.

    Raises:
        WorkerError: A worker is not fit for the sweep.
        RewearError: Workers cannot run the task at all.
    """
    from distributed import as_completed

    # Dask forgets a task whose future nobody holds.
    pending: dict[str, tuple[Any, Work]] = {}
    for task in tasks:
        future = client.submit(_perform, task, key=f"rewear-{task.key}", pure=False)
        pending[str(future.key)] = future, task
    try:
        for future in as_completed([future for future, _ in pending.values()], loop=client.loop):
            _, task = pending.pop(str(future.key))
            outcome = _outcome(future)
            if outcome.report is not None:
                store.put(task.key, outcome)
            ended(task, outcome)
    finally:
        if pending:
            client.cancel([future for future, _ in pending.values()], force=True)


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
