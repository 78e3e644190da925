"""How far stand-ins are from their traces, over several traces: measured once, printed beside what uses one."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from rewear.core.errors import ConfigurationError
from rewear.stand_in import Worth

QUANTITIES = {
    "erases": "erases",
    "relative_erases": "erases to the plain drive's",
    "write_ns": "write response",
    "relative_write": "write response to the plain drive's",
}
"""Figures told of a scheme, and its name in a sentence."""


@dataclass(frozen=True, slots=True)
class Error:
    """How far a quantity of stand-ins is off, as part of that of the trace, whichever its sign."""

    median: float
    worst: float
    traces: int
    """Traces that have the quantity."""


@dataclass(frozen=True, slots=True)
class Errors:
    """Errors by scheme and quantity."""

    traces: tuple[str, ...]
    schemes: Mapping[str, Mapping[str, Error]]
    """The first is the plain drive."""

    def note(self, schemes: Collection[str] = ()) -> str:
        """A sentence on the errors, of the plain drive and of those of these schemes that were measured."""
        plain, *others = self.schemes
        parts = [f"{_words(self.schemes[plain], 'erases')}", _words(self.schemes[plain], "write_ns")]
        for name in others:
            if name in schemes:
                parts.append(f"{name} {_words(self.schemes[name], 'relative_erases')}")
                if "relative_write" in self.schemes[name]:
                    parts.append(f"{name} {_words(self.schemes[name], 'relative_write')}")
        listed = "; ".join(part for part in parts if part)
        return f"Stand-in: {listed} ({len(self.traces)} traces)."

    def to_toml(self) -> str:
        """The file `experiments/papers/stand-in-worth.toml`, which a reproduction reads."""
        lines = [
            "# How far stand-ins are from the traces they were fitted to, as part of the figure of the trace, no sign.",
            "# Written by `rewear stand-in worth TRACES --errors FILE`; docs/manual/stand-ins.md has the command.",
            f"traces = [{', '.join(json.dumps(name, ensure_ascii=False) for name in self.traces)}]",
        ]
        for name, quantities in self.schemes.items():
            lines += ["", f"[schemes.{json.dumps(name, ensure_ascii=False)}]"]
            for key, error in quantities.items():
                values = f"median = {error.median:.4f}, worst = {error.worst:.4f}, traces = {error.traces}"
                lines.append(f"{key} = {{ {values} }}")
        return "\n".join(lines) + "\n"


def errors_of(results: Sequence[Worth]) -> Errors:
    """Sums up what was measured on several traces.

    Raises:
        ConfigurationError: There is none.
    """
    if not results:
        raise ConfigurationError("There are no traces of which the errors could be told. Name at least one.")
    schemes: dict[str, dict[str, Error]] = {}
    for position, scheme in enumerate(results[0].schemes):
        found = {}
        for key in QUANTITIES:
            if position == 0 and key.startswith("relative"):
                continue
            offs = [off for each in results if (off := each.schemes[position].off(key)) is not None]
            if offs:
                sizes = [abs(off) for off in offs]
                found[key] = Error(median(sizes), max(sizes), len(sizes))
        schemes[scheme.scheme] = found
    return Errors(tuple(each.trace for each in results), schemes)


def _words(quantities: Mapping[str, Error], key: str) -> str:
    error = quantities.get(key)
    if error is None:
        return ""
    return f"{QUANTITIES[key]} \N{PLUS-MINUS SIGN}{error.median:.0%}, at worst {error.worst:.0%}"
