"""Clusters: one of this machine's cores, into which only its owner gets, or one that is there already."""

import asyncio
import socket
import ssl
import tempfile
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import resource_tracker
from typing import TYPE_CHECKING, Any

from rewear.core.errors import RewearError, RewearWarning
from rewear.core.interrupts import held_back
from rewear.core.printable import printable

if TYPE_CHECKING:
    from distributed import Client

_KNOCK_S = 5
_ANSWER_S = 10
_PORT = 8786

# Dask's web servers, which run without a dashboard too, have nothing to show to strangers.
_NO_PAGES: dict[str, list[str]] = {"distributed.scheduler.http.routes": [], "distributed.worker.http.routes": []}


@contextmanager
def cluster(scheduler: "str | Client | None" = None, workers: int | None = None) -> "Iterator[Client]":
    """A client of the scheduler at an address, of a client that is passed on, or of a cluster on this machine.

    Whoever can connect to a cluster can run code as its owner. That of this machine takes connections with a
    certificate only, which is made for it and lies nowhere else; of one at an address without TLS a `RewearWarning` is
    given.

    Args:
        scheduler: Address such as `tls://host:8786`, or a client, which stays open. The certificates for `tls` come
            from dask's configuration.
        workers: Processes of the cluster on this machine; one a core unless given.

    Raises:
        RewearError: There is no scheduler at the address; that is known within seconds.
    """
    # Only here: who does not sweep does not wait for it.
    from distributed import Client

    if isinstance(scheduler, Client):
        yield scheduler
    elif scheduler is None:
        with _local(workers) as client:
            yield client
    else:
        with _remote(scheduler) as client:
            yield client


@contextmanager
def _local(workers: int | None) -> "Iterator[Client]":
    import dask
    from dask.system import CPU_COUNT
    from distributed import Client, LocalCluster, Security

    # Workers load what lies in their folder: in the common one for temporary files anybody could have put it there.
    with tempfile.TemporaryDirectory(prefix="rewear-sweep-", ignore_cleanup_errors=True) as folder:
        # Now, since its start lets Ctrl-C through to the thread that causes it, and so to the processes of that.
        resource_tracker.ensure_running()
        with held_back(), dask.config.set(_NO_PAGES):
            # A replay holds its model outside Python and says itself when memory does not suffice: no limit is set.
            local = LocalCluster(
                n_workers=workers or CPU_COUNT,
                threads_per_worker=1,
                processes=True,
                memory_limit=0,
                # A port that is free; without an address dask takes one by number and complains where it is taken.
                dashboard_address="127.0.0.1:0",
                scheduler_kwargs={"dashboard": False},
                silence_logs="CRITICAL",
                security=Security.temporary(),
                local_directory=folder,
            )
        with local, Client(local, set_as_default=False) as client:
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
    # A thread, since whoever called may have a loop of events of its own.
    with ThreadPoolExecutor(1) as other:
        other.submit(asyncio.run, _greet(address, arguments)).result()
    return str(kind)


async def _greet(address: str, arguments: dict[str, Any]) -> None:
    """Asks the scheduler who it is."""
    from distributed.core import rpc

    async with rpc(address, timeout=_ANSWER_S, connection_args=arguments) as scheduler:
        await asyncio.wait_for(scheduler.identity(), _ANSWER_S)
