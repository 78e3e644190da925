"""The commands by name, each loaded when it is used: help and completion of their names load none of them."""

import importlib
from dataclasses import dataclass
from typing import Any

import typer


@dataclass(frozen=True, slots=True)
class Command:
    """Where a command stands, and its line in the help."""

    place: str
    """Module of this package and name of its function, or of its `Typer` for a group of commands."""
    line: str
    """The first line of its documentation."""

    def definition(self) -> Any:
        """The function of the command, or the `Typer` of a group of commands."""
        module, _, attribute = self.place.partition(":")
        return getattr(importlib.import_module(f"rewear.cli.{module}"), attribute)

    def load(self, name: str) -> Any:
        """The command itself."""
        found = self.definition()
        if isinstance(found, typer.Typer):
            command: Any = typer.main.get_group(found)
            command.name = name
            return command
        alone = typer.Typer(add_completion=False)
        alone.command(name)(found)
        return typer.main.get_command(alone)

    def summary(self, name: str) -> Any:
        """A command that has a name and a line, and does nothing."""
        return typer.core.TyperCommand(name, help=self.line)


COMMANDS = {
    "advise": Command(
        "advise:advise_command",
        "Says which drive to buy for a workload, how long it lives, and whether a technique would help.",
    ),
    "demo": Command(
        "advise:demo_command",
        "Asks which drive a recorded home directory needs, and which technique would help it.",
    ),
    "compare": Command("compare:compare_command", "Replays one workload on several drives and sets them side by side."),
    "ci": Command(
        "ci:ci_command", "Tests whether a change makes a benchmark's write amplification worse: exit code 1 if it does."
    ),
    "run": Command("run:run_command", "Replays a trace or a workload on one drive and reports what became of it."),
    "show": Command("show:show_command", "Shows a drive: its configuration and every quantity derived from it."),
    "lifetime": Command(
        "lifetime:lifetime_command",
        "Says how much can be written to drives until they die, and how many years that is.",
    ),
    "life": Command("life:life_command", "Says how long the disk that you have will live, from its SMART logs."),
    "sweep": Command(
        "sweep:sweep_command", "Runs a grid of drives, parameters, workloads and seeds, on all cores or on a cluster."
    ),
    "reproduce": Command(
        "reproduce:reproduce_command",
        "Runs the experiment behind each claim of the papers, draws the figures and gives a verdict on each.",
    ),
    "drives": Command("catalogue:drives_command", "Lists the preset drives."),
    "workloads": Command("catalogue:workloads_command", "Lists the synthetic workloads and their parameters."),
    "parameters": Command(
        "parameters:parameters_command",
        "Lists the parameters of a drive: keys for --set and for TOML files, defaults and meanings.",
    ),
    "schema": Command(
        "catalogue:schema_command",
        "Prints the JSON schema of a drive's TOML file or of a report, or the book of figures, as JSON.",
    ),
    "codes": Command("codes:codes_command", "Measures the codes on real bits and sets them beside the papers' tables."),
    "physics": Command(
        "physics:physics_command",
        "Says from published cell parameters which step which code can read, how fast, and how long blocks live.",
    ),
    "record": Command(
        "record:record_command",
        "Records what a command does to a disk: times, reads, writes with their content, trims, flushes.",
    ),
    "serve": Command("serve:serve_command", "Serves a drive as a block device until Ctrl-C, and prints its address."),
    "stats": Command("serve:stats_command", "Prints the statistics of a live drive, in the schema of replays."),
    "top": Command(
        "top:top_command",
        "Shows a live drive until Ctrl-C: rates, response times, erases, space by state, a map of wear.",
    ),
    "trace": Command("trace:app", "Looks into block traces and converts them."),
    "stand-in": Command("stand_in:app", "Makes workloads in the likeness of traces, and measures their worth."),
    "bound": Command(
        "bound:bound_command",
        "Says how little could be written if the future of a workload were known, and how near to that drives come.",
    ),
    "score": Command(
        "score:score_command",
        "Sets a policy in Python beside greedy cleaning, cost-benefit, SepBIT and what is possible.",
    ),
    "twin": Command("twin:app", "Fits models to the write amplification of real drives."),
}
"""In the order of the help."""
