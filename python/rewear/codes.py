"""Measurements of the codes and of the cells below them, section by section, beside the papers' tables.

The codes work on real bits and the sections are worked out by the compiled core (`crates/python/src/ask`).
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from rewear._core import version
from rewear.core.ask import ask
from rewear.core.bench import Bench
from rewear.core.errors import ConfigurationError
from rewear.core.progress import Progress, ProgressCallback

DEFAULT_SAMPLES = 1000
"""Page pairs, pages or codewords behind every measured figure; takes under a minute on two cores."""

PHYSICS = "physics"
"""The section of the cell model: computed, not measured."""

_MEASURED: dict[str, dict[str, int]] = dict(ask("codes.sections"))
"""The measured sections, and of each table its rows."""

SECTIONS = (*_MEASURED, PHYSICS)
"""Names of the sections, in their order."""


def study(
    sections: Sequence[str] | None = None,
    *,
    samples: int = DEFAULT_SAMPLES,
    seed: int = 1,
    cells: Mapping[str, Any] | None = None,
    jobs: int | None = None,
    progress: ProgressCallback | None = None,
) -> dict[str, Any]:
    """Measures sections of `SECTIONS` (all unless given) on `jobs` threads; plain data with one entry a section.

    Args:
        sections: Names of sections.
        samples: Page pairs, pages or codewords behind every measured figure.
        seed: Seed of everything drawn. The result depends on it and on `samples` only.
        cells: Arguments of the section `physics`: `set` (parameters by dotted key), `steps_v` (V), `cycles`,
            `retention_hours`, `programs` (of a low page in an extended cycle).
        jobs: Threads; the number of cores unless given.
        progress: Called with the measurements done; an exception that it raises ends the work. So does Ctrl-C.

    Raises:
        ConfigurationError: There is no such section, or a number is out of its range.
    """
    names = list(SECTIONS if sections is None else sections)
    for name in names:
        if name not in SECTIONS:
            raise ConfigurationError(f"There is no section {name!r}. There are: {', '.join(SECTIONS)}.")
    bench = Bench(jobs)
    places = [
        (name, table, row) for name in names for table, rows in _MEASURED.get(name, {}).items() for row in range(rows)
    ]
    rows = [
        partial(ask, "codes.row", bench.go_on, section=name, table=table, row=row, samples=samples, seed=seed)
        for name, table, row in places
    ]

    def ended(done: int) -> None:
        if progress is not None:
            progress(Progress("measuring", done, len(rows)))

    results: dict[str, Any] = {name: {table: [] for table in _MEASURED.get(name, {})} for name in names}
    for (name, table, _), row in zip(places, bench.run(rows, ended), strict=True):
        results[name][table].append(row)
    if PHYSICS in names:
        found = ask("physics", **dict(cells or {}))
        results[PHYSICS] = {"config": found["config"], **found["sections"]}
    return {"schema": 1, "rewear": version(), "samples": samples, "seed": seed, "sections": results}
