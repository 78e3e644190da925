"""Runs tasks on a scheduler of dask.distributed, also when its workers come and go. Only this file sees dask."""

import asyncio
import queue
import socket
import ssl
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rewear.core.errors import InternalError, RewearError, RewearWarning
from rewear.core.printable import printable
from rewear.sweep.store import Outcome, Work

if TYPE_CHECKING:
    from distributed import Client

_KNOCK_S = 5
_ANSWER_S = 10
_PORT = 8786

_BATCH = 16
"""Short tasks that go to a worker together at most, and batches at least: to hand one over takes as long as 20 ms."""
_BATCH_S = 1.0
"""Time after which a batch comes back. What was not begun goes to the workers one by one."""
_LOOK_S = 1.0
_SAY_AFTER_S = 10.0


@contextmanager
def cluster(scheduler: "str | Client") -> "Iterator[Client]":
    """A client of the scheduler at an address such as `tls://host:8786`; a client that is passed on stays open.

    Each client of a cluster can run code as its owner: at an address without TLS a `RewearWarning` is
    given. The certificates for `tls` come from dask's configuration.

    Raises:
        RewearError: There is no scheduler at the address; that is known within seconds.
    """
    from distributed import Client

    if isinstance(scheduler, Client):
        yield scheduler
    else:
        with _remote(scheduler) as client:
            yield client


@contextmanager
def _remote(address: str) -> "Iterator[Client]":
    from distributed import Client

    try:
        kind = _knock(address)
        client = Client(address, timeout=_ANSWER_S, set_as_default=False)
    # Whatever else answers at the address is taken at its word: a length of what follows, beyond all memory perhaps.
    except (OSError, TimeoutError, ValueError, OverflowError, TypeError, RuntimeError, MemoryError) as error:
        said = " ".join(str(error).split()) or f"no answer within {_ANSWER_S} s"
        raise RewearError(
            f"There is no scheduler at {printable(address)}: {said}. Start one with `dask scheduler` and give the "
            "address that it prints; docs/manual/sweeps.md says how to give certificates for one at tls://."
        ) from None
    if kind == "tcp":
        warnings.warn(
            f"{printable(address)} runs the code of everybody who reaches it. docs/manual/sweeps.md says how to "
            "secure a cluster.",
            RewearWarning,
            stacklevel=2,
        )
    with client:
        yield client


def _knock(address: str) -> str:
    """Sees that a scheduler answers, for which a client would wait for ever; the kind of the address.

    Raises:
        OSError: Nobody does.
        ValueError: The address is none.
    """
    from distributed import Security
    from distributed.comm.addressing import parse_address, parse_host_port

    kind, place = parse_address(address)
    if kind in ("tcp", "tls"):
        socket.create_connection(parse_host_port(place, _PORT), timeout=_KNOCK_S).close()
    try:
        arguments = Security(require_encryption=kind == "tls").get_connection_args("client")
    except ssl.SSLError as error:
        raise ValueError(f"the certificates of dask's configuration are of no use ({error})") from None
    if kind == "tls" and arguments["ssl_context"] is None:
        raise ValueError("dask's configuration names no certificates")
    # A thread, since the caller may have a loop of events of its own.
    with ThreadPoolExecutor(1) as other:
        other.submit(asyncio.run, _greet(address, arguments)).result()
    return str(kind)


async def _greet(address: str, arguments: dict[str, Any]) -> None:
    """Asks the scheduler who it is."""
    from distributed.core import rpc

    async with rpc(address, timeout=_ANSWER_S, connection_args=arguments) as scheduler:
        await asyncio.wait_for(scheduler.identity(), _ANSWER_S)


def execute(
    tasks: Sequence[Work],
    client: "Client",
    ended: Callable[[Work, Outcome], object],
    patience_s: float,
) -> None:
    """Runs every task once, and calls `ended` with each and its result.

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
    """Results of the first tasks of a batch; of none where one of them killed workers."""
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
