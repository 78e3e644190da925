"""Figures of a replay that papers plot and reports do not have as a column of their own."""

from collections.abc import Callable
from typing import Any

from rewear.report import Report
from rewear.sweep.columns import report_columns

__all__ = ["IN_SECOND_HALF", "MEASURES", "measure"]

_GIB = 1 << 30


def _mean_response_ns(report: Report) -> float:
    if report.mean_response_ns is not None:
        return report.mean_response_ns
    both = [latency for latency in (report.read_latency, report.write_latency) if latency is not None]
    return sum(latency.mean * latency.count for latency in both) / max(1, sum(latency.count for latency in both))


def _writes_removed(report: Report) -> float:
    answered = report.writes_recycled + report.writes_deduplicated
    return answered / max(1, report.host_pages_written)


def _page_bytes(report: Report) -> int:
    return int(report.derived["logical_page_bytes"])


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


def _second(key: str, of: str) -> Callable[[Report], float]:
    def share(report: Report) -> float:
        figures = report.second_writes
        if figures is None:
            return 0.0
        return figures[key] / max(1, int(getattr(report, of)))

    return share


def _most_blocks_over_2r(report: Report) -> float:
    """The most blocks that were recycled or reused at a time, over twice the spare blocks (Reusable SSD, section 4)."""
    figures, derived = report.second_writes, report.derived
    if figures is None:
        return 0.0
    used = derived["exported_pages"] * derived["flash_pages_per_logical_page"] / (derived["pages"] / derived["blocks"])
    return float(figures["most_blocks"] / (2 * (derived["blocks"] - used)))


_CYCLES = {4: 3000.0, 2: 10000.0}
"""Rated life by bits a cell, as the WOM-v paper has it for QLC and MLC."""


def _until_worn(report: Report) -> float:
    """Bytes that the host writes until the mean block has had its rated cycles."""
    return float(_budget(report) * report["host_bytes_written"] / report.erase_equivalents)


def _until_worn_later(report: Report) -> float | None:
    """The same at the rate of erases of the second half of the run; `None` where that erased nothing."""
    erases = report.erases_in_second_half
    return float(_budget(report) * report["host_bytes_written"] / 2 / erases) if erases else None


def _budget(report: Report) -> float:
    """Erases of all blocks together until the mean one has had its rated cycles."""
    return float(_CYCLES[report["drive"]["configuration"]["flash"]["bits_per_cell"]] * report.derived["blocks"])


MEASURES: dict[str, Callable[[Report], float | None]] = {
    "response_ns": _mean_response_ns,
    "writes_removed": _writes_removed,
    "moved_gib": lambda report: report.pages_moved * _page_bytes(report) / _GIB,
    "moved_mib_per_collection": lambda report: (
        report.pages_moved * _page_bytes(report) / (1 << 20) / max(1, report.garbage_collections)
    ),
    "reprogrammed_share": lambda report: report.reprograms / max(1, report["overwrites"]),
    "low_writes_and_quick_reads": _effort_share("low-writes", "normal-reads"),
    "share_of_normal_reads": _effort_share("normal-reads"),
    "share_of_low_reads": _effort_share("low-reads"),
    "share_of_normal_writes": _effort_share("normal-writes"),
    "share_of_low_writes": _effort_share("low-writes"),
    "share_of_rewrites": _effort_share("rewrites"),
    "most_blocks_over_2r": _most_blocks_over_2r,
    "second_write_share": _second("written", "host_pages_written"),
    "second_read_share": _second("read", "host_pages_read"),
    "bytes_until_worn": _until_worn,
    "bytes_until_worn_by_second_half": _until_worn_later,
    "erased_gib": lambda report: report.erase_equivalents * report.derived["block_bytes"] / _GIB,
    "flash_reads_per_host_read": lambda report: report["pages_read"]["host"] / max(1, report.host_pages_read),
    "moved_per_host_page": lambda report: report.pages_moved / max(1, report.host_pages_written),
    "planes_busy": lambda report: float(report["utilisation"]["planes"]),
}
"""By name."""

IN_SECOND_HALF = {
    "erases": "erases_in_second_half",
    "erase_equivalents": "erases_in_second_half",
    "bytes_until_worn": "bytes_until_worn_by_second_half",
}
"""Figures of erases, and the same figure of the second half of the run, which begins with units that are written."""


def measure(figure: str, report: Report) -> Any:
    """A figure of a report by its name here or by that of its column; `None` if it has none."""
    if figure in MEASURES:
        return MEASURES[figure](report)
    return report_columns(report.to_dict()).get(figure)
