"""A report as one row of named columns."""

from collections.abc import Mapping
from typing import Any

from rewear.core.toml_text import flat

_CONFIGURATION = "drive.configuration."
_LEFT_OUT = ("schema", "drive.derived", "drive.configuration.name", "drive.configuration.description")


def report_columns(report: Mapping[str, Any]) -> dict[str, Any]:
    """Every figure of a report by its dotted name, such as `latency_ns.write.p99`; what does not exist is left out.

    Parameters of the drive have the name under which `--set` takes them, derived quantities begin with `derived.`.
    """
    columns = {key.removeprefix(_CONFIGURATION): value for key, value in flat(report) if key not in _LEFT_OUT}
    columns.update({f"derived.{item['key']}": item["value"] for item in report["drive"]["derived"]})
    return {key: value for key, value in columns.items() if value is not None}


def configuration_columns(name: str, configuration: Mapping[str, Any]) -> dict[str, Any]:
    """The part of those columns that is known before a run."""
    return report_columns({"drive": {"name": name, "configuration": configuration, "derived": []}})
