"""The over-provisioning that keeps a given part of a drive's flash spare for cleaning."""

from rewear.report import Report

__all__ = ["over_provisioning_for"]


def over_provisioning_for(report: Report, spare: float) -> float:
    """The `ftl.over_provisioning` with which this drive's flash keeps `spare` bytes for cleaning per byte exported."""
    derived = report.derived
    reserved = float(derived["reserved_units_per_pool"] * derived["pools"] * derived["logical_pages_per_erase_unit"])
    usable = float(derived["slots"])
    return usable * (1 + spare) / (usable - reserved) - 1
