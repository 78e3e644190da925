"""`rewear drives`, `rewear workloads`, `rewear schema`: what there is to choose from."""

from rich.console import RenderableType

from rewear import _core
from rewear.cli.options import JsonOutput
from rewear.cli.output import plain_table, print_json, print_text
from rewear.drive import Drive, drives
from rewear.units import format_value
from rewear.workload import workloads

__all__ = ["drives_command", "schema_command", "workloads_command"]

# The derived quantities worth a column in the list of drives.
_COLUMNS = {"exported_bytes": "capacity", "over_provisioning": "over-provisioning"}


def drives_command(json: JsonOutput = False) -> None:
    """Lists the preset drives."""
    rows = [_drive_row(name) for name in drives()]
    if json:
        print_json(rows)
        return
    table = plain_table("drive", *_COLUMNS.values(), "recycle", "reuse", "effort", "about", numbers=False)
    for row in rows:
        table.add_row(row["name"], *(row[key] for key in (*_COLUMNS, "recycle", "reuse", "effort", "about")))
    print_text(table, "\n`rewear show DRIVE` shows one in full; a copy of its TOML file is the start of your own.")


def _drive_row(name: str) -> dict[str, str]:
    drive = Drive(name)
    derived = {quantity["key"]: format_value(quantity["value"], quantity["unit"]) for quantity in drive.derived}
    configuration = drive.configuration
    schemes = {axis: str(configuration.get(axis, {}).get("scheme", "-")) for axis in ("recycle", "reuse", "effort")}
    return {
        "name": name,
        "about": _about(drives()[name]),
        **{key: derived.get(key, "-") for key in _COLUMNS},
        **schemes,
    }


def _about(text: str) -> str:
    """The first sentence of the comment at the head of a TOML file."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.lstrip("# "))
    return " ".join(lines).split(". ")[0].rstrip(".")


def workloads_command(json: JsonOutput = False) -> None:
    """Lists the synthetic workloads and their parameters."""
    catalogue = workloads()
    if json:
        print_json(catalogue)
        return
    parts: list[RenderableType] = []
    for workload in catalogue:
        table = plain_table("parameter", "default", "meaning", numbers=False)
        for parameter in workload["parameters"]:
            table.add_row(parameter["name"], str(parameter["default"]), parameter["meaning"])
        parts += [f"{workload['name']}: {workload['about']}", table, ""]
    print_text(*parts, "Write it as NAME:key=value,key=value, for instance --workload zipf:theta=0.99")


def schema_command(json: JsonOutput = False) -> None:
    """Prints the JSON schema of a drive's TOML file (it is JSON with and without --json)."""
    print(_core.configuration_schema())
