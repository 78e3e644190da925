"""Measurements of the codes, section by section: the papers' tables beside what is measured on real bits."""

from collections.abc import Callable, Sequence
from typing import Any

from rewear._core import version
from rewear.codes import ecc_sections, wom_sections
from rewear.codes.measure import Jobs
from rewear.core.bench import Bench
from rewear.core.errors import ConfigurationError
from rewear.core.progress import Progress, ProgressCallback

DEFAULT_SAMPLES = 1000
"""Page pairs, pages or codewords behind every measured figure; takes under a minute on two cores."""

_SECTIONS: dict[str, Callable[[int, int, ProgressCallback], Jobs]] = {
    "rivest-shamir": wom_sections.rivest_shamir,
    "polar-wom": wom_sections.polar_wom,
    "wom-v": wom_sections.wom_v,
    "flip-n-write": wom_sections.flip_n_write,
    "mlc-cell": wom_sections.mlc_cell,
    "bch": ecc_sections.bch,
    "ldpc": ecc_sections.ldpc,
}

SECTIONS = tuple(_SECTIONS)
"""Names of the sections, in their order."""


def study(
    sections: Sequence[str] | None = None,
    *,
    samples: int = DEFAULT_SAMPLES,
    seed: int = 1,
    jobs: int | None = None,
    progress: ProgressCallback | None = None,
) -> dict[str, Any]:
    """Measures sections of `SECTIONS` (all unless given) on `jobs` threads; plain data with one entry a section.

    Args:
        sections: Names of sections.
        samples: Page pairs, pages or codewords behind every measured figure.
        seed: Seed of everything drawn. The result depends on it and on `samples` only.
        jobs: Threads; the number of cores unless given.
        progress: Called with the measurements done; an exception that it raises ends the work. So does Ctrl-C.

    Raises:
        ConfigurationError: There is no such section, or a number is out of its range.
    """
    names = list(SECTIONS if sections is None else sections)
    for name in names:
        if name not in _SECTIONS:
            raise ConfigurationError(f"There is no section {name!r}. There are: {', '.join(SECTIONS)}.")
    if not 1 <= samples <= 10**8:
        raise ConfigurationError(f"samples = {samples} is out of range. Choose 1 to 100,000,000.")
    if not 0 <= seed < 2**63:
        raise ConfigurationError(f"seed = {seed} is out of range. Choose 0 to 2^63 - 1.")
    bench = Bench(jobs)
    planned = {name: _SECTIONS[name](samples, seed, bench.go_on) for name in names}
    rows = [row for tables in planned.values() for table in tables.values() for row in table]

    def ended(done: int) -> None:
        if progress is not None:
            progress(Progress("measuring", done, len(rows)))

    found = iter(bench.run(rows, ended))
    results = {
        name: {table: [next(found) for _ in rows] for table, rows in tables.items()} for name, tables in planned.items()
    }
    return {"schema": 1, "rewear": version(), "samples": samples, "seed": seed, "sections": results}
