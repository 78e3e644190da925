"""The commands by name, each loaded when it is used: help loads none of them."""

import importlib
from dataclasses import dataclass
from typing import Any

import typer

from rewear.cli import progress

_IN_OTHERS = {
    "demo": "advise",
    "stats": "serve",
}
"""Commands that share a module with another."""
_GROUPS = ("list", "trace", "twin")
"""Groups of commands, each a `Typer` called `app` in its module."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command, its line and its group in the help."""

    name: str
    line: str
    """The first line of its documentation."""
    panel: str
    """The group of the help."""

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
        command = typer.main.get_command(alone)
        command.params += [_told("--quiet", "-q", 0, "No progress."), _told("--verbose", "-v", 2, "Progress at once.")]
        return command

    def summary(self) -> Any:
        """A command that has a name and a line, and does nothing."""
        return typer.core.TyperCommand(self.name, help=self.line, rich_help_panel=self.panel)


def _told(name: str, letter: str, level: int, help: str) -> Any:
    """A flag of every command that sets how much progress is told."""

    def tell(_context: Any, _option: Any, given: bool) -> None:
        if given:
            progress.level = level

    return typer.core.TyperOption(
        param_decls=[name, letter], is_flag=True, expose_value=False, default=False, help=help, callback=tell
    )


_PANELS = {
    "Ask": {
        "advise": "Recommend a drive for a workload: life, cost, and the gain of techniques.",
        "demo": "Recommend a drive for a recorded home directory.",
        "lifetime": "Estimate the lives of drives: bytes written and years.",
        "life": "Estimate the life of your disk from its SMART logs.",
    },
    "Replay": {
        "run": "Replay a trace or a workload on one drive, and report wear and response times.",
        "compare": "Replay one workload on several drives, and compare their figures.",
        "sweep": "Run a grid of drives, parameters, workloads and seeds on all cores or a cluster.",
        "show": "Show a drive: configuration and derived quantities.",
        "list": "List drives, workloads, parameters and schemas.",
    },
    "Traces and live drives": {
        "trace": "Inspect and convert block traces.",
        "record": "Record a command's disk requests: times, reads, writes with content, trims, flushes.",
        "ci": "Test a change for drive wear: exit code 1 if a benchmark wears drives faster.",
        "serve": "Serve a drive as a block device until Ctrl-C; print its address.",
        "stats": "Print the statistics of a live drive, in the schema of replays.",
    },
    "Research": {
        "reproduce": "Reproduce the papers: run the experiment of each claim, draw figures, give verdicts.",
        "codes": "Measure codes on real bits, beside the papers' tables.",
        "bound": "Bound write amplification from below by a policy that knows the future; rate drives by it.",
        "twin": "Fit models to the write amplification of real drives.",
    },
}
COMMANDS = {name: Command(name, line, panel) for panel, lines in _PANELS.items() for name, line in lines.items()}
"""In the order of the help."""
ALIASES: dict[str, tuple[str, ...]] = {
    **{name: ("list", name) for name in ("drives", "workloads", "parameters", "schema")},
    "analyze": ("trace", "analyze"),
    "analyse": ("trace", "analyze"),
    "waf": ("ci",),
}
"""Former and other names of commands, which work and which the help does not list."""
