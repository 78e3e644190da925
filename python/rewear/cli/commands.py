"""The commands by name, each loaded when it is used: help loads none of them."""

import importlib
from dataclasses import dataclass
from typing import Any

import typer

_IN_OTHERS = {
    "demo": "advise",
    "stats": "serve",
}
"""Commands that share a module with another."""
_GROUPS = ("list", "trace", "twin")
"""Groups of commands, each a `Typer` called `app` in its module."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command, and its line in the help."""

    name: str
    line: str
    """The first line of its documentation."""

    @property
    def module(self) -> str:
        """Where it stands."""
        return f"rewear.cli.{_IN_OTHERS.get(self.name, self.name).replace('-', '_')}"

    def definition(self) -> Any:
        """The function of the command, or the `Typer` of a group of commands."""
        attribute = "app" if self.name in _GROUPS else f"{self.name}_command"
        return getattr(importlib.import_module(self.module), attribute)

    def load(self) -> Any:
        """The command itself."""
        found = self.definition()
        if isinstance(found, typer.Typer):
            command: Any = typer.main.get_group(found)
            command.name = self.name
            return command
        alone = typer.Typer(add_completion=False)
        alone.command(self.name)(found)
        return typer.main.get_command(alone)

    def summary(self) -> Any:
        """A command that has a name and a line, and does nothing."""
        return typer.core.TyperCommand(self.name, help=self.line)


_LINES = {
    "advise": "Says which drive to buy for a workload, how long it lives, and whether a technique would help.",
    "demo": "Asks which drive a recorded home directory needs, and which technique would help it.",
    "compare": "Replays one workload on several drives and sets them side by side.",
    "ci": "Tests whether a change makes a benchmark wear drives faster: exit code 1 if it does.",
    "run": "Replays a trace or a workload on one drive and reports what became of it.",
    "show": "Shows a drive: its configuration and every quantity derived from it.",
    "lifetime": "Says how much can be written to drives until they die, and how many years that is.",
    "life": "Says how long the disk that you have will live, from its SMART logs.",
    "sweep": "Runs a grid of drives, parameters, workloads and seeds, on all cores or on a cluster.",
    "reproduce": "Runs the experiment behind each claim of the papers, draws the figures and gives a verdict on each.",
    "list": "Lists drives, workloads, parameters and schemas.",
    "codes": "Measures the codes on real bits and sets them beside the papers' tables.",
    "record": "Records what a command does to a disk: times, reads, writes with their content, trims, flushes.",
    "serve": "Serves a drive as a block device until Ctrl-C, and prints its address.",
    "stats": "Prints the statistics of a live drive, in the schema of replays.",
    "trace": "Looks into block traces and converts them.",
    "bound": (
        "Says how little could be written if the future of a workload were known, and how near to that drives come."
    ),
    "twin": "Fits models to the write amplification of real drives.",
}
COMMANDS = {name: Command(name, line) for name, line in _LINES.items()}
"""In the order of the help."""
ALIASES = {name: ("list", name) for name in ("drives", "workloads", "parameters", "schema")}
"""Former names of commands, which still work and which the help does not list."""
