"""Figures of single papers: kinds of operations of differentiated ECC, and bytes until the rated life of WOM-v."""

from collections.abc import Callable
from statistics import fmean
from typing import Any

from rewear.core.report import Report
from rewear.figures.metrics import figure_named


def _effort_share(*kinds: str) -> Callable[[Report], float]:
    """Share of some kinds of operations in the host's: `low`: low-cost writes, `quick`: reads in the quickest mode."""

    def share(report: Report) -> float:
        effort = report.effort
        if effort is None:
            return 0.0
        counts = operations(effort, report)
        return sum(counts[kind] for kind in kinds) / max(1, sum(counts.values()))

    return share


def operations(effort: dict[str, Any], report: Report) -> dict[str, int]:
    """The five kinds of operations of Figure 9 of the differentiated-ECC paper, counted."""
    modes = effort["modes"]
    low = next(mode for mode in modes if mode["mode"] == "low-cost")
    others = [mode for mode in modes if mode["mode"] != "low-cost"]
    return {
        "normal-reads": sum(mode["host_reads"] for mode in others),
        "low-reads": low["host_reads"],
        "normal-writes": sum(mode["host_writes"] for mode in others),
        "low-writes": low["host_writes"],
        "rewrites": report.pages_rewritten,
    }


def _write_service(report: Report) -> float | None:
    """Mean program time of pages that the host writes, in nanoseconds: a response without queues and transfers."""
    configuration = report["drive"]["configuration"]
    effort, normal_ns = configuration["effort"], configuration["flash"]["timing"]["program_ns"]
    if report.effort is None:
        return fmean(normal_ns)
    modes = report.effort["modes"]
    pages = sum(mode["host_writes"] for mode in modes)
    times = (
        mode["host_writes"] * fmean(effort.get(f"{mode['mode'].replace('-', '_')}_program_ns", normal_ns))
        for mode in modes
    )
    return sum(times) / pages if pages else None


_CYCLES = {4: 3000.0, 2: 10000.0}
"""Rated life by bits a cell, as the WOM-v paper has it for QLC and MLC."""


def _until_worn(report: Report) -> float:
    """Bytes that the host writes until the mean block has had its rated cycles; begun ones count by the part used."""
    return float(_budget(report) * report["host_bytes_written"] / report.erase_equivalents)


def _until_worn_by_erases(report: Report) -> float | None:
    """The same by the erases of the run, which leave out begun cycles; `None` where nothing was erased."""
    erases = report["erases"]
    return float(_budget(report) * report["host_bytes_written"] / erases) if erases else None


def _until_worn_later(report: Report) -> float | None:
    """The same at the rate of erases of the second half of the run; `None` where that erased nothing."""
    erases = report.erases_in_second_half
    return float(_budget(report) * report["host_bytes_written"] / 2 / erases) if erases else None


def _budget(report: Report) -> float:
    """Erases of all blocks together until the mean one has had its rated cycles."""
    return float(_CYCLES[report["drive"]["configuration"]["flash"]["bits_per_cell"]] * report.derived["blocks"])


TO_THE_END = "until_worn."
"""Begins figures of runs that are meant to end with the drive."""

MEASURES: dict[str, Callable[[Report], float | None]] = {
    "low_writes_and_quick_reads": _effort_share("low-writes", "normal-reads"),
    "share_of_normal_reads": _effort_share("normal-reads"),
    "share_of_low_reads": _effort_share("low-reads"),
    "share_of_normal_writes": _effort_share("normal-writes"),
    "share_of_low_writes": _effort_share("low-writes"),
    "share_of_rewrites": _effort_share("rewrites"),
    "write_service_ns": _write_service,
    "bytes_until_worn": _until_worn,
    "bytes_until_worn_by_erases": _until_worn_by_erases,
    "bytes_until_worn_by_second_half": _until_worn_later,
}
"""By name."""

IN_SECOND_HALF = {
    "erases": "erases_in_second_half",
    "erase_equivalents": "erases_in_second_half",
    "bytes_until_worn": "bytes_until_worn_by_second_half",
    "bytes_until_worn_by_erases": "bytes_until_worn_by_second_half",
}
"""Figures of erases, and the same figure of the second half of the run, which begins with units that are written."""


def is_response(figure: str) -> bool:
    """Whether a figure is a time that depends on when requests come: a time of the book, and none worked out here."""
    name = figure.removeprefix(TO_THE_END)
    return name not in MEASURES and figure_named(name).unit == "time"


def measure(figure: str, report: Report) -> Any:
    """A figure of a report by its name here, its key or that of its column; `None` if it has none."""
    return MEASURES.get(figure, figure_named(figure).value)(report)
