"""Miniatures: a sample of a workload's pages on a smaller drive, and how far its figures are off.

Spatial sampling (Waldspurger, Park, Garthwaite, Ahmad, FAST '15) and miniature simulation (Waldspurger, Saemundsson,
Ahmad, Park, USENIX ATC '17), for a drive instead of a cache. docs/manual/miniature.md has what is measured.
"""

from fractions import Fraction
from typing import TYPE_CHECKING

from rewear.errors import ConfigurationError
from rewear.uncertainty import Interval

if TYPE_CHECKING:
    from rewear.report import Report

__all__ = ["KEYS", "SEEDS", "figure_error", "one_in", "ratio_error", "widened"]

SEEDS = 5
"""Samples of a miniature unless told otherwise: enough for an interval."""
_FIGURE_ERROR = 0.02
_RATIO_ERROR = 0.01
_SECOND_WRITE_ERROR = 0.06
# Data of a trace that lie together die together. Where little space is spare, cleaning gains more from that on the
# whole drive than on a smaller one.
_CROWDED_TRACE_ERROR = 0.12
_CROWDED_TRACE_RATIO_ERROR = 0.02
_CROWDED = 0.2
KEYS = frozenset(
    (
        "exported_bytes",
        "physical_bytes",
        "flash_per_exported_byte",
        "flash_erased_per_byte",
        "long_run_flash_erased_per_byte",
        "write_amplification",
        "write_amplification_of_data",
        "code_expansion",
        "victim_valid_share",
    )
)
"""Figures that a miniature shares with the whole drive, by their keys in `rewear.metrics.METRICS`."""

_MOST = 100_000


def one_in(scale: str | float | Fraction) -> int:
    """How many pages one stands for at a scale such as `"1/100"`, `0.01` or `Fraction(1, 100)`.

    Raises:
        ConfigurationError: It is not one over a whole number from 2 to 100,000.
    """
    wrong = f"A scale of {scale}: give one over a whole number, 1/2 to 1/{_MOST}, for instance 1/100."
    try:
        part = Fraction(scale).limit_denominator(_MOST)
    except (ValueError, ZeroDivisionError, OverflowError):
        raise ConfigurationError(wrong) from None
    if part.numerator != 1 or not 2 <= part.denominator <= _MOST or abs(part - Fraction(scale)) > part / 1000:
        raise ConfigurationError(wrong)
    return part.denominator


def figure_error(report: "Report") -> float:
    """Part by which a figure of a miniature is taken to be off beside what other samples would show."""
    if _is_crowded_trace(report):
        return _CROWDED_TRACE_ERROR
    return _SECOND_WRITE_ERROR if _writes_twice(report) else _FIGURE_ERROR


def ratio_error(report: "Report", reference: "Report") -> float:
    """The same of a ratio to the reference: what both have in common is not in it."""
    if _writes_twice(report) != _writes_twice(reference):
        return _SECOND_WRITE_ERROR
    crowded = _is_crowded_trace(report) or _is_crowded_trace(reference)
    return _CROWDED_TRACE_RATIO_ERROR if crowded else _RATIO_ERROR


def _is_crowded_trace(report: "Report") -> bool:
    """Whether a trace was replayed on a drive with little spare space."""
    return bool(report["source"]["kind"] == "trace" and report.derived["effective_over_provisioning"] < _CROWDED)


def _writes_twice(report: "Report") -> bool:
    """Whether the drive has second writes, which miniatures tell least well."""
    return bool(report["drive"]["configuration"]["reuse"]["scheme"] == "second-write")


def widened(found: Interval | None, error: float) -> Interval | None:
    """An interval with `error` of its mean on either side, for what all samples have in common."""
    if found is None:
        return None
    margin = abs(found.mean) * error
    return Interval(found.mean, found.low - margin, found.high + margin, found.seeds)
