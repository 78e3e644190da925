"""What follows for the drive that is asked about from the smaller drives that were replayed."""

from typing import Any

from rewear.advice.plan import Plan
from rewear.units import format_bytes, format_number

__all__ = ["SCALED", "scaling", "scaling_sentences"]

SCALED = {
    "life_years": "flash",
    "tbw_bytes": "flash",
    "bytes_per_cycle": "flash",
    "controller_bytes": "pages",
}
"""Figures that grow with the drive, and with what of it; all others are those of the replayed drive."""

_ASSUMED = (
    "the workload spreads over the larger drive with the same shares of hot and cold data, and the host writes at the "
    "rate of the recording"
)


def scaling(plan: Plan) -> dict[str, Any]:
    """The two sizes, the factor between them, and the rules, as plain data."""
    return {
        "flash_bytes": plan.flash_bytes,
        "capacity_bytes": plan.capacity_bytes,
        "replayed_flash_bytes": plan.model_flash_bytes,
        "replayed_capacity_bytes": plan.model_exported_bytes,
        "factor": plan.scale,
        "scaled_with": SCALED,
        "assumption": f"{_ASSUMED}." if plan.is_scaled else None,
    }


def scaling_sentences(plan: Plan) -> list[str]:
    """How the figures follow from the replays; empty where the replayed drives are those that are asked about."""
    if not plan.is_scaled:
        return []
    factor = format_number(plan.scale)
    return [
        f"The replayed drives are smaller: {format_bytes(plan.model_flash_bytes)} of flash, "
        f"{format_bytes(plan.model_exported_bytes)} exported, which hold the workload. Life and TBW are {factor}× "
        f"theirs, as the flash is; the controller RAM is {factor}× theirs, as the pages are. Write amplification, "
        "energy per GiB and response times are theirs as they stand.",
        f"This assumes that {_ASSUMED}.",
    ]
