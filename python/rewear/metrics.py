"""The figures a comparison shows: how each is read from a report, named, formatted and judged."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rewear.capacity import cleaning_spare_bytes, flash_per_exported_byte
from rewear.miniature import KEYS
from rewear.report import Latency, Report
from rewear.units import format_bytes, format_count, format_energy, format_number, format_share, format_time

__all__ = ["METRICS", "Metric", "metrics_for", "years_text"]


@dataclass(frozen=True, slots=True)
class Metric:
    """One row of the comparison table."""

    key: str
    """Name in `--json` output."""
    group: str
    """Heading under which the row stands."""
    title: str
    """What the row says, without the unit (the value carries it)."""
    value: Callable[[Report], float | None]
    """Reads the figure; `None` where it does not exist (no read was served, nothing was erased)."""
    text: Callable[[float], str]
    """Formats the figure with its unit."""
    lower_is_better: bool | None
    """Which way is good, `None` where neither is."""
    optional: bool = False
    """Left out of a table in which it is zero for every drive."""
    listed: bool = True
    """Whether tables show it; the others can be named in sweeps and claims."""
    takes_length: bool = False
    """Whether it is not judged where a run is too short to tell the wear."""

    def format(self, report: Report) -> str:
        """The figure of `report` as text, a dash where it does not exist."""
        value = self.value(report)
        return "-" if value is None else self.text(value)

    def is_better(self, report: Report, reference: Report) -> bool | None:
        """Whether `report` is better than `reference` by this figure; `None` if that cannot be said."""
        if self.takes_length and (report.too_short or reference.too_short):
            return None
        return self.judge(self.value(report), self.value(reference))

    def judge(self, value: float | None, base: float | None) -> bool | None:
        """Whether `value` is better than `base`; `None` if that cannot be said."""
        if self.lower_is_better is None or value is None or base is None or abs(value - base) <= 0.0005 * abs(base):
            return None
        return (value < base) == self.lower_is_better


def _of(figures: dict[str, Any] | None, key: str) -> float | None:
    value: float | None = None if figures is None else figures[key]
    return value


def years_text(value: float) -> str:
    """A length of time in years, in days where it is below a year, and in smaller units below a day."""
    days = value * 365.25
    if days < 1:
        return format_time(days * 86400e9)
    return f"{format_number(value)} years" if value >= 1 else f"{format_number(days)} days"


def _ratio(value: float) -> str:
    return f"{value:.3f}"


def _rounded(value: float) -> str:
    return f"{value:,.0f}"


def _energy(report: Report, cause: str) -> float | None:
    return None if report.energy_j is None else report.energy_j[cause]


def _queue(report: Report, field: str) -> float | None:
    return None if report.queues is None else report.queues[field]


def _latency_metrics(kind: str, latency: Callable[[Report], Latency | None]) -> list[Metric]:
    def read(field: str) -> Callable[[Report], float | None]:
        def value(report: Report) -> float | None:
            figures = latency(report)
            return None if figures is None else getattr(figures, field)

        return value

    return [
        Metric(f"{kind}_{field}_ns", f"{kind.capitalize()} response time", name, read(field), format_time, True)
        for field, name in (("mean", "mean"), ("p95", "95th percentile"), ("p99", "99th percentile"))
    ]


METRICS: tuple[Metric, ...] = (
    Metric(
        "exported_bytes", "Capacity", "exported to the host", lambda r: r.derived["exported_bytes"], format_bytes, False
    ),
    Metric("physical_bytes", "Capacity", "flash it takes", lambda r: r.derived["physical_bytes"], format_bytes, True),
    Metric(
        "flash_per_exported_byte",
        "Capacity",
        "flash for a byte exported",
        flash_per_exported_byte,
        _ratio,
        True,
    ),
    Metric("cleaning_spare_bytes", "Capacity", "spare flash for cleaning", cleaning_spare_bytes, format_bytes, None),
    Metric(
        "flash_erased_per_byte",
        "Wear",
        "flash erased for a byte written",
        lambda r: r.flash_erased_per_byte,
        _ratio,
        True,
        takes_length=True,
    ),
    Metric(
        "long_run_flash_erased_per_byte",
        "Wear",
        "flash erased for a byte written in the long run",
        lambda r: _of(r.long_run, "flash_erased_per_byte"),
        _ratio,
        True,
        takes_length=True,
    ),
    Metric("flash_erased_bytes", "Wear", "flash erased", lambda r: r.flash_erased_bytes, format_bytes, None),
    Metric(
        "pe_cycles_mean",
        "Wear",
        "P/E cycles of a block, mean",
        lambda r: _of(r.pe_cycles, "mean"),
        _ratio,
        True,
        takes_length=True,
    ),
    Metric(
        "pe_cycles_most",
        "Wear",
        "P/E cycles of the most worn block",
        lambda r: _of(r.pe_cycles, "most"),
        format_count,
        True,
        takes_length=True,
    ),
    Metric(
        "wear_spread",
        "Wear",
        "wear spread (std / mean)",
        lambda r: r.erases_per_block.spread,
        format_share,
        True,
        takes_length=True,
    ),
    Metric(
        "bytes_folded",
        "Wear",
        "folded from the SLC cache",
        lambda r: 0 if r.slc_cache is None else r.slc_cache["bytes_folded"],
        format_bytes,
        True,
        optional=True,
    ),
    Metric("erases", "Wear", "blocks erased", lambda r: r.erases, format_count, None, listed=False),
    Metric(
        "erases_in_second_half",
        "Wear",
        "of these, in the second half",
        lambda r: r.erases_in_second_half,
        format_count,
        None,
        listed=False,
    ),
    Metric(
        "erase_equivalents",
        "Wear",
        "blocks erased and cycles begun",
        lambda r: r.erase_equivalents,
        _rounded,
        None,
        listed=False,
    ),
    Metric(
        "life_tbw_bytes",
        "Life under this workload",
        "written until it dies",
        lambda r: _of(r.life, "tbw_bytes"),
        format_bytes,
        False,
        takes_length=True,
    ),
    Metric(
        "life_drive_writes",
        "Life under this workload",
        "drive writes",
        lambda r: _of(r.life, "drive_writes"),
        _rounded,
        False,
        takes_length=True,
    ),
    Metric(
        "life_years",
        "Life under this workload",
        "at the rate of the run",
        lambda r: _of(r.life, "years"),
        years_text,
        None,
    ),
    Metric(
        "write_amplification",
        "Writes",
        "write amplification",
        lambda r: r.write_amplification,
        _ratio,
        True,
        takes_length=True,
    ),
    Metric(
        "write_amplification_of_data",
        "Writes",
        "of data, without what the code adds",
        lambda r: r.write_amplification_of_data,
        _ratio,
        True,
        takes_length=True,
    ),
    Metric("code_expansion", "Writes", "what the code adds (factor)", lambda r: r.code_expansion, _ratio, None),
    Metric("pages_moved", "Writes", "pages moved by cleaning", lambda r: r.pages_moved, format_count, True),
    Metric(
        "victim_valid_share", "Writes", "valid pages of victims", lambda r: r.victim_valid_share, format_share, True
    ),
    Metric(
        "second_writes",
        "Writes",
        "second writes",
        lambda r: r.second_writes_figure("written"),
        format_count,
        None,
        True,
    ),
    Metric(
        "encoding_failures",
        "Writes",
        "encodings that failed",
        lambda r: r.second_writes_figure("encoding_failures"),
        format_count,
        None,
        True,
    ),
    Metric("pages_rewritten", "Writes", "pages rewritten", lambda r: r.pages_rewritten, format_count, True, True),
    Metric("reprograms", "Writes", "programs without an erase", lambda r: r.reprograms, format_count, None, True),
    Metric(
        "writes_recycled", "Writes", "writes without a program", lambda r: r.writes_recycled, format_count, None, True
    ),
    Metric(
        "writes_deduplicated",
        "Writes",
        "writes that share a page",
        lambda r: r.writes_deduplicated,
        format_count,
        None,
        True,
    ),
    Metric(
        "writes_absorbed",
        "Writes",
        "writes absorbed by the buffer",
        lambda r: r.writes_absorbed,
        format_count,
        None,
        True,
    ),
    Metric(
        "reads_from_buffer", "Writes", "reads from the buffer", lambda r: r.reads_from_buffer, format_count, None, True
    ),
    Metric("seals", "Writes", "erase units sealed", lambda r: r.seals, format_count, None, True),
    Metric("erase_suspensions", "Writes", "erases suspended", lambda r: r.erase_suspensions, format_count, None, True),
    Metric(
        "controller_bytes",
        "Memory",
        "controller RAM",
        lambda r: r.derived.get("controller_bytes"),
        format_bytes,
        True,
    ),
    Metric("energy_j", "Energy (estimate)", "flash and channels", lambda r: _energy(r, "total"), format_energy, True),
    Metric(
        "energy_erases_j", "Energy (estimate)", "of this, erases", lambda r: _energy(r, "erases"), format_energy, True
    ),
    Metric(
        "energy_moved_j",
        "Energy (estimate)",
        "of this, moving pages",
        lambda r: _energy(r, "moved"),
        format_energy,
        True,
    ),
    Metric(
        "mean_response_ns", "Response time", "mean of all requests", lambda r: r.mean_response_ns, format_time, True
    ),
    Metric("queue_mean", "Response time", "mean queue at arrivals", lambda r: _queue(r, "mean"), _ratio, True),
    Metric("queue_p99", "Response time", "99th percentile of it", lambda r: _queue(r, "p99"), format_count, True),
    *_latency_metrics("read", lambda r: r.read_latency),
    *_latency_metrics("write", lambda r: r.write_latency),
)
"""Every figure of the comparison, in the order of the table."""


def metrics_for(reports: Sequence[Report]) -> list[Metric]:
    """The rows worth showing for these reports: those that some drive has, optional ones only if it is not zero.

    Of miniatures those that the whole drive shares.
    """
    shared = any(report.miniature for report in reports)
    values = {
        metric: [metric.value(report) for report in reports] for metric in METRICS if not shared or metric.key in KEYS
    }
    return [
        metric
        for metric, figures in values.items()
        if metric.listed and (any(figures) if metric.optional else any(figure is not None for figure in figures))
    ]
