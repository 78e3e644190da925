"""A twin as a drive's TOML file: a small model with the fitted share of spare flash, policy and erase unit."""

import textwrap
from collections.abc import Sequence
from statistics import fmean

from rewear.core.errors import ConfigurationError
from rewear.core.toml_text import to_toml
from rewear.figures.units import format_bytes, format_number
from rewear.twin.fit import Fit, Rival
from rewear.twin.model import CHIP, PLANES, tables
from rewear.twin.predict import Prediction


def preset(name: str, fitted: Fit, predictions: Sequence[Prediction] = (), command: str = "rewear twin fit") -> str:
    """The twin as TOML text.

    It maps 4 KiB and has as many erase units as the fit says, or 2,048 where no point tells: write amplification
    depends on the share of spare flash and of an erase unit, not on sizes. Times of a page, life, energy and the write
    buffer are those of the preset `model.CHIP`. The number of planes follows from the fitted throughput; blocks have
    as many pages as give the flash of a twin then, and their erase takes the time of a real block's for each page.

    Args:
        name: Name of the drive.
        fitted: What its points say.
        predictions: Points that were not fitted, with what the twin says of them: `twin.prediction`.
        command: What writes this file.

    Raises:
        ConfigurationError: The fit leaves no spare flash.
    """
    if fitted.over_provisioning <= 0:
        raise ConfigurationError("The fit leaves no spare flash, so there is no drive to write.")
    measured = fitted.points[0]
    errors = [each.absolute_error for each in predictions]
    product = {
        "name": measured.drive or name,
        "capacity_bytes": fitted.capacity_bytes,
        "flash_bytes": round(fitted.flash_bytes.value),
    }
    twin = {"fit": f"{fitted.error:.3f} at {len(fitted.points)} points by {fitted.numbers} numbers"}
    if errors:
        twin["prediction"] = f"{fmean(errors):.3f} at {len(errors)} points"
    planes = fitted.planes or PLANES
    parts = tables(fitted.candidate, fitted.over_provisioning, fitted.metadata_share.value, planes)
    head = {"name": name, "description": _description(fitted, command), "product": product, "twin": twin}
    return to_toml(head | parts)


def described(rival: Rival) -> str:
    """A candidate with what was fitted to it, in words."""
    candidate = rival.candidate
    return (
        f"{candidate.victim}, moved pages {candidate.moved}, flash of "
        f"{format_number(rival.flash_bytes / 2**30, 4)} GiB in {candidate.units} units, metadata "
        f"{format_number(100 * rival.metadata_share, 2)}%"
    )


def _measurements(fitted: Fit) -> str:
    words = ", ".join(
        f"{format_number(point.write_amplification, 4)} under {point.workload} over {format_bytes(point.fill_bytes)}"
        for point in fitted.points
    )
    sources = "; ".join(dict.fromkeys(point.source for point in fitted.points if point.source))
    return f"write amplification: {words}" + (f" ({sources})" if sources else "")


def _description(fitted: Fit, command: str) -> str:
    measured = fitted.points[0]
    planes = "Bandwidth is not fitted" if fitted.planes is None else f"{fitted.planes} planes give its throughput"
    told = "erase units of" if fitted.tells_units else "erase units that the points do not tell, here of"
    return (
        f"A twin of {measured.drive or 'a drive'} of {format_bytes(fitted.capacity_bytes)}: flash of "
        f"{format_bytes(fitted.flash_bytes.value)}, a share of\nmetadata of "
        f"{format_number(fitted.metadata_share.value, 3)}, {fitted.candidate.victim} victims, moved pages "
        f"{fitted.candidate.moved}, {told} {format_bytes(fitted.unit_bytes)}.\nThe model is smaller in the same "
        f"proportions, and maps 4 KiB. {planes}; the times of\na page, life, energy and the write buffer come from "
        f"`{CHIP}`. Written by\n`{command}`.\n{_evidence(fitted)}\n"
    )


def _evidence(fitted: Fit) -> str:
    """The points, and what explains them equally well."""
    others = "; ".join(described(rival) for rival in fitted.equals)
    equals = f" Drives that explain the points equally well: {others}." if others else ""
    return textwrap.fill(
        f"Fitted to {_measurements(fitted)}.{equals}", 120, break_long_words=False, break_on_hyphens=False
    )
