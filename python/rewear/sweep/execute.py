"""Runs tasks once each: on threads of this process, or on a scheduler of dask."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from rewear.core.bench import Bench
from rewear.sweep.store import Outcome, Store, Work

if TYPE_CHECKING:
    from distributed import Client

PATIENCE_S = 3600.0
"""How long runs wait for a worker of a scheduler that has none."""


def finish(
    tasks: Sequence[Work],
    store: Store,
    ended: Callable[[Work, Outcome, bool], object],
    scheduler: "str | Client | None" = None,
    workers: int | None = None,
    patience_s: float = PATIENCE_S,
) -> None:
    """Sees that every task is done: takes from the store what is there, and runs the others.

    A result is in the store before `ended` is told of it. Of several tasks with the same key one is done.

    Args:
        tasks: What is to be done.
        store: Folder of finished tasks.
        ended: Called with each task, its result, and whether it was done now.
        scheduler: Address of a dask scheduler, or a client of one; threads of this process unless given.
        workers: Threads of this process; one a core unless given.
        patience_s: How long tasks wait for a worker of the scheduler, in seconds.

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
    left = list(missing.values())
    if not left:
        return

    def done(task: Work, outcome: Outcome) -> None:
        if outcome.report is not None:
            store.put(task.identity, outcome)
        ended(task, outcome, True)

    if scheduler is None:
        bench = Bench(workers)
        performed = [partial(task.perform, bench.go_on) for task in left]
        bench.each(performed, lambda number, outcome: done(left[number], outcome))
        return
    # Only here: an extra brings dask.
    from rewear.sweep.cluster import cluster, execute

    with cluster(scheduler) as client:
        execute(left, client, done, patience_s)
