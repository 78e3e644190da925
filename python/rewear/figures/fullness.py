"""Drives that the workload fills in part: more of their flash is spare than configured."""

from collections.abc import Sequence

from rewear.core.report import Report
from rewear.figures.units import format_share

_FULL = 0.95
"""Part of the exported pages from which on a drive counts as full."""


def spare_in_effect(report: Report) -> float | None:
    """Flash without data over the data: the over-provisioning that cleaning has; `None` where it is not known."""
    held, exported = report.host_pages_held, report.derived["exported_pages"]
    if not held:
        return None
    spare: float = (1 + report.derived["effective_over_provisioning"]) * exported / held - 1
    return spare


def note_on_fullness(labelled: Sequence[tuple[str, Report]]) -> str | None:
    """A sentence where drives differ in over-provisioning and the workload fills them only in part; else `None`.

    The spare space that is compared is then not what decides: each drive has more of it than it is set to.
    """
    spares = {report["drive"]["configuration"]["ftl"]["over_provisioning"] for _, report in labelled}
    if len(spares) < 2:
        return None
    partly = [
        f"{label}: {format_share(held / report.derived['exported_pages'])} full, {_spare_words(spare)} of spare space "
        f"in effect instead of {format_share(report.derived['effective_over_provisioning'])}"
        for label, report in labelled
        if (held := report.host_pages_held) is not None
        and held < _FULL * report.derived["exported_pages"]
        and (spare := spare_in_effect(report)) is not None
    ]
    if not partly:
        return None
    shown = partly if len(partly) <= 4 else [*partly[:3], f"and {len(partly) - 3} more"]
    filled = all(report["replay"]["precondition"] != "none" for _, report in labelled)
    remedy = (
        "The workload trims the rest of what was filled"
        if filled
        else "Drives that are full at the start (precondition: fill) compare"
    )
    return (
        "The drives differ in over-provisioning, but the workload fills them only in part, so that it is not what they "
        f"differ in: {'; '.join(shown)}. {remedy}."
    )


def _spare_words(spare: float) -> str:
    """A share of the data as a percentage; from ten times the data on as a multiple of it."""
    return f"{spare:,.0f}× the data" if spare >= 10 else format_share(spare)
