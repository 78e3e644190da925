"""What a drive's flash is there for: capacity exported, and spare flash that cleaning works with."""

from rewear.report import Report

__all__ = ["cleaning_spare_bytes", "flash_per_exported_byte", "over_provisioning_for"]


def flash_per_exported_byte(report: Report) -> float:
    """Raw flash over exported capacity: what a byte costs."""
    return float(report.derived["physical_bytes"] / report.derived["exported_bytes"])


def cleaning_spare_bytes(report: Report) -> int:
    """Bytes that fit the flash beside the exported ones, without the erase units that cleaning keeps free.

    Write amplification follows from it rather than from the raw flash: cleaning keeps whole units free, so larger units
    leave less.
    """
    derived = report.derived
    units = float(derived["spare_units_per_pool"] - derived["reserved_units_per_pool"]) * derived["pools"]
    spare = round(units * derived["logical_pages_per_erase_unit"] * derived["logical_page_bytes"])
    return max(0, int(spare))


def over_provisioning_for(report: Report, spare: float) -> float:
    """The `ftl.over_provisioning` with which this drive's flash keeps `spare` bytes for cleaning per byte exported."""
    derived = report.derived
    reserved = float(derived["reserved_units_per_pool"] * derived["pools"] * derived["logical_pages_per_erase_unit"])
    usable = float(derived["slots"])
    return usable * (1 + spare) / (usable - reserved) - 1
