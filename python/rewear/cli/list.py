"""`rewear list`: preset drives, workloads, parameters, schemas."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any, Literal

import typer

from rewear.cli.options import JsonOutput
from rewear.cli.output import answer, print_json
from rewear.core.ask import ask
from rewear.core.drive import Drive, drives
from rewear.core.errors import ConfigurationError, near
from rewear.core.parameters import Parameter, parameters
from rewear.core.workload import workloads
from rewear.figures.metrics import BOOK
from rewear.figures.units import format_bytes, format_number, format_share
from rewear.page.blocks import Part, Table
from rewear.sold.classes import group_of

app = typer.Typer(help="List drives, workloads, parameters and schemas.", no_args_is_help=True)

_AXES = ("recycle", "reuse", "effort")


@app.command("drives")
def drives_command(json: JsonOutput = False) -> None:
    """List the preset drives."""
    rows = [_drive_row(name) for name in drives()]
    spare = {row["name"]: format_share(row["derived"]["effective_over_provisioning"]) for row in rows}
    products = [
        (*product_cells(row["name"], row["product"], row["cycles_between"]), spare[row["name"]])
        for row in rows
        if row["group"] == "product"
    ]
    papers = [
        (
            row["name"],
            format_bytes(row["derived"]["exported_bytes"]),
            spare[row["name"]],
            *(row[axis] for axis in _AXES),
            _first_words(row["description"]),
        )
        for row in rows
        if row["group"] == "paper"
    ]
    twins = [(row["name"], *twin_cells(row)) for row in rows if row["group"] == "twin"]
    of_twins = ("twin", "of", "off where fitted", "off where not fitted")
    of_products = ("drive", "class", "capacity", "P/E cycles", "over-provisioning")
    of_papers = ("drive", "capacity", "over-provisioning", *_AXES, "about")
    parts: list[Part] = [
        Table(of_products, products, "Classes of drives on sale", False),
        "",
        Table(of_papers, papers, "Chips and drives of papers", False),
        "",
        Table(of_twins, twins, "Twins of real drives: mean errors in write amplification", False),
        "\n`rewear show DRIVE` shows one in full; a copy of its TOML file is the start of your own.",
    ]
    answer(json, lambda: rows, lambda: parts)


def _drive_row(name: str) -> dict[str, Any]:
    drive = Drive(name)
    configuration = drive.configuration
    return {
        "name": name,
        "group": group_of(configuration),
        **{axis: configuration[axis]["scheme"] for axis in _AXES},
        "derived": drive.quantities,
        "twin": configuration.get("twin"),
        "product": configuration.get("product"),
        "cycles_between": (configuration["flash"].get("life") or {}).get("cycles_between"),
        "description": configuration["description"].strip(),
    }


def product_cells(name: str, product: Mapping[str, Any], cycles_between: Sequence[int]) -> tuple[str, ...]:
    """The preset, its class, what the whole drive holds, and the range of cycles."""
    least, most = cycles_between
    sold = product["capacity_bytes"] / 1e12
    capacity = f"{format_number(sold)} TB" if sold >= 1 else f"{sold * 1000:.0f} GB"
    return name, product["name"], capacity, f"{least:,} to {most:,}"


def twin_cells(tables: Mapping[str, Any]) -> tuple[str, ...]:
    """Drive and errors of a twin, at fitted points and at others, from its `tables`."""
    twin = tables["twin"]
    return tables["product"]["name"], twin["fit"], twin.get("prediction", "-")


def _first_words(description: str) -> str:
    """A description up to its first full stop or colon."""
    return " ".join(re.split(r"[.:]\s", description, maxsplit=1)[0].split()).rstrip(".")


@app.command("workloads")
def workloads_command(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="One workload only.")] = None,
    json: JsonOutput = False,
) -> None:
    """List the synthetic workloads and their parameters."""
    catalogue = [each for each in workloads() if name in (None, each["name"])]
    if not catalogue:
        known = [each["name"] for each in workloads()]
        hint = near(name or "", known)
        raise ConfigurationError(f"There is no workload {name!r}.{hint} There are: {', '.join(known)}.")
    parts: list[Part] = []
    for workload in catalogue:
        rows = [(each["name"], str(each["default"]), each["meaning"]) for each in workload["parameters"]]
        table = Table(("parameter", "default", "meaning"), rows, numbers=False)
        parts += [f"{workload['name']}: {workload['about']}", table, ""]
    parts.append("Write it as NAME:key=value,key=value, for instance --workload zipf:theta=0.99")
    answer(json, lambda: catalogue, lambda: parts)


@app.command("parameters")
def parameters_command(
    pattern: Annotated[
        str | None, typer.Argument(metavar="[PATTERN]", help="Only keys and meanings in which this text occurs.")
    ] = None,
    json: JsonOutput = False,
) -> None:
    """List the parameters of a drive: keys of --set and TOML files, defaults, meanings."""
    listed = [each for each in parameters() if pattern is None or _speaks_of(each, pattern.lower())]
    if not listed:
        raise ConfigurationError(f"No parameter speaks of {pattern!r}. `rewear list parameters` lists them all.")
    answer(json, lambda: [asdict(parameter) for parameter in listed], lambda: _parameter_tables(listed))


def _speaks_of(parameter: Parameter, text: str) -> bool:
    words = (parameter.key, parameter.meaning, *(f"{each.value} {each.meaning}" for each in parameter.choices))
    return any(text in each.lower() for each in words)


def by_table(listed: list[Parameter]) -> dict[str, list[Parameter]]:
    """Parameters by the table of the TOML file in which they stand; the empty name is the head of the file."""
    tables: dict[str, list[Parameter]] = {}
    for parameter in listed:
        tables.setdefault(parameter.key.rpartition(".")[0], []).append(parameter)
    return tables


def _parameter_tables(listed: list[Parameter]) -> list[Part]:
    parts: list[Part] = []
    for name, group in by_table(listed).items():
        rows: list[tuple[str, ...]] = []
        for parameter in group:
            default = parameter.default or ("required" if parameter.required else "-")
            condition = f" (with {parameter.condition})" if parameter.condition else ""
            rows.append((parameter.key, parameter.kind, default, parameter.meaning + condition))
            rows += [("", f"  {choice.value}", "", f"  {choice.meaning}") for choice in parameter.choices]
        parts += [Table(("key", "value", "default", "meaning"), rows, f"[{name}]" if name else "", False), ""]
    return parts[:-1]


@app.command("schema")
def schema_command(
    of: Annotated[
        Literal["drive", "report", "figures"],
        typer.Argument(
            metavar="[drive|report|figures]",
            help="A drive's TOML file, what run --json prints, or valid names of figures in sweeps and claims.",
        ),
    ] = "drive",
    json: JsonOutput = False,
) -> None:
    """Print the JSON schema of drives or reports, or the book of figures."""
    if of == "figures":
        print_json([asdict(figure) for figure in BOOK.values()])
    else:
        print_json(ask(f"schema.{of}"))
