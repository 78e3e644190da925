"""A twin as a drive's TOML file: a small model with the fitted share of spare flash."""

import datetime
from collections.abc import Sequence
from statistics import fmean
from typing import Any

from rewear.drive import Drive
from rewear.errors import ConfigurationError
from rewear.toml_text import to_toml
from rewear.twin.fit import PAGES_PER_UNIT, Fit
from rewear.twin.points import Point
from rewear.twin.predict import UNITS, predict
from rewear.units import format_bytes, format_number

__all__ = ["preset"]

_PLANES = 8
"""Planes of the model; an erase unit is a block of each."""
_PAGE_BYTES = 4096
"""Flash page and mapping unit. Flash has larger pages of which drives map parts; uniform writes do not show that."""


def preset(name: str, fitted: Fit, points: Sequence[Point] = (), chip: str = "enterprise-tlc") -> str:
    """The twin as TOML text.

    It has as many erase units as the fit assumes, of 1 MiB, and a mapping of 4 KiB: write amplification under uniform
    writes depends on the share of spare flash, not on sizes. Times, life and energy are those of the preset `chip`,
    and not fitted.

    Args:
        name: Name of the drive.
        fitted: What its points say.
        points: Further points; those that were not fitted give `twin.prediction_error`.
        chip: Preset with the times.

    Raises:
        ConfigurationError: The preset does not exist.
    """
    base = Drive(chip).configuration
    measured = fitted.points[0]
    predictions = [each for each in predict(fitted, points) if each.error is not None and not each.point.fits]
    twin: dict[str, Any] = {
        "of": measured.drive or name,
        "fitted_to": _measurements(fitted),
        "fitted_on": datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        "flash_bytes": round(fitted.flash_bytes.value),
        "fit_error": round(fitted.error, 4),
    }
    if fitted.leave_one_out_error is not None:
        twin["leave_one_out_error"] = round(fitted.leave_one_out_error, 4)
    if predictions:
        twin["prediction_error"] = round(fmean(abs(each.error or 0.0) for each in predictions), 4)
    twin["predicted_points"] = len(predictions)
    flash = {
        "channels": _PLANES,
        "dies_per_channel": 1,
        "planes_per_die": 1,
        "blocks_per_plane": UNITS,
        "pages_per_block": PAGES_PER_UNIT // _PLANES,
        "page_bytes": _PAGE_BYTES,
        "bits_per_cell": base["flash"]["bits_per_cell"],
        "timing": {key: value for key, value in base["flash"]["timing"].items() if value is not None},
    }
    for table in ("life", "energy"):
        if base["flash"].get(table) is not None:
            flash[table] = {key: value for key, value in base["flash"][table].items() if value is not None}
    if fitted.over_provisioning <= 0:
        raise ConfigurationError("The fit leaves no spare flash, so there is no drive to write.")
    ftl = {
        "over_provisioning": round(fitted.over_provisioning, 6),
        "erase_unit": "drive",
        "metadata_share": round(fitted.metadata_share.value, 6),
        "victim": {"scheme": fitted.policy},
        "wear_levelling": base["ftl"]["wear_levelling"],
    }
    return to_toml({"name": name, "description": _description(fitted, chip), "twin": twin, "flash": flash, "ftl": ftl})


def _measurements(fitted: Fit) -> str:
    fills = ", ".join(
        f"{format_number(point.write_amplification, 4)} over {format_bytes(point.fill_bytes)}"
        for point in fitted.points
    )
    sources = "; ".join(dict.fromkeys(point.source for point in fitted.points if point.source))
    return f"write amplification under uniform writes: {fills}" + (f" ({sources})" if sources else "")


def _description(fitted: Fit, chip: str) -> str:
    measured = fitted.points[0]
    return (
        f"A twin of {measured.drive or 'a drive'} of {format_bytes(fitted.capacity_bytes)}, written by "
        f"`rewear twin fit`: flash of {format_bytes(fitted.flash_bytes.value)}, a share of metadata of "
        f"{format_number(fitted.metadata_share.value, 3)}.\nThe model is smaller in the same proportions, and maps "
        f"4 KiB. Times, life and energy are those of `{chip}`, not the drive's.\n"
    )
