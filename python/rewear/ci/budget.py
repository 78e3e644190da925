"""A bound on the bytes that a benchmark writes, without a base: kept or broken, and by which files."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rewear.core.errors import ConfigurationError
from rewear.core.trace import Trace
from rewear.core.writers import Writers
from rewear.figures.uncertainty import Interval, interval_of
from rewear.figures.units import format_bytes, format_number, format_share, listed, parse_bytes

State = Literal["kept", "perhaps broken", "broken"]
_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400}
_FORM = re.compile(r"(?P<size>[^/]+?)\s*/\s*(?P<per>second|minute|hour|day|run|operation)")
_NAMED = 10
"""Files that an answer names."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Bytes that may reach the drive in a time, a run or an operation."""

    bytes: int
    per: str
    operations: int | None = None
    """Operations of a run, where the bound is for one."""
    unit: str = ""
    """Unit in which the bound was typed, as `GB`; all answers have it."""

    @classmethod
    def parse(cls, text: str, operations: int | None = None) -> "Budget":
        """The budget that `1GB/day`, `10MiB/run` or `4KiB/operation` means.

        Raises:
            ConfigurationError: It means none, or operations are missing or of no use.
        """
        form = _FORM.fullmatch(text.strip())
        if form is None:
            raise ConfigurationError(
                f"--budget {text} is no bound. Write bytes a second, minute, hour, day, run or operation, as 1GB/day."
            )
        per, size = form["per"], parse_bytes("--budget", form["size"])
        if (per == "operation") != (operations is not None):
            remedy = "Add --operations N" if per == "operation" else "Write the bound as BYTES/operation"
            raise ConfigurationError(f"--budget {text} and --operations belong together. {remedy}.")
        return cls(size, per, operations, form["size"].strip().lstrip("0123456789. "))

    def spent(self, written_bytes: int, duration_ns: int) -> float:
        """Bytes a unit of the budget that a run writes.

        Raises:
            ConfigurationError: The run has no length.
        """
        if self.per in _SECONDS:
            if not duration_ns:
                raise ConfigurationError(f"A run has no length, so there are no bytes per {self.per}. Give BYTES/run.")
            return written_bytes * _SECONDS[self.per] * 1e9 / duration_ns
        return written_bytes / (self.operations or 1)

    def told(self, value: float) -> str:
        """A number of bytes in the unit of the bound."""
        if not self.unit:
            return format_bytes(value)
        return f"{format_number(value / parse_bytes('--budget', f'1{self.unit}'))} {self.unit}"

    def __str__(self) -> str:
        return f"{self.told(self.bytes)} per {self.per}"


@dataclass(frozen=True, slots=True)
class Spending:
    """What the runs of a benchmark spend of a budget."""

    budget: Budget
    runs: tuple[float, ...]
    """Bytes a unit of the budget, run by run."""
    written_bytes: float
    """Mean bytes of a run."""
    writers: tuple[tuple[str, float], ...]
    """Files and kinds with their mean bytes a run, the most first; none where the recordings do not tell."""

    @property
    def interval(self) -> Interval:
        """Geometric mean and 95% interval; of one run the mean alone.

        Rates of short runs differ by factors: a symmetric interval of these would reach below any bound. Where a run
        writes nothing, the arithmetic mean.
        """
        if len(self.runs) < 2 or not all(self.runs):
            return interval_of(self.runs)
        found = interval_of([math.log(run) for run in self.runs])
        return Interval(math.exp(found.mean), math.exp(found.low), math.exp(found.high), found.seeds)

    @property
    def state(self) -> State:
        """*Broken* if all of the interval lies above the bound, *perhaps broken* if the mean does."""
        bound = self.budget.bytes * (1 + 1e-9)  # Logarithms and back: equal bytes stay equal.
        if self.interval.low > bound:
            return "broken"
        return "perhaps broken" if self.interval.mean > bound else "kept"

    @property
    def passes(self) -> bool:
        """Whether the budget is not broken for certain."""
        return self.state != "broken"

    def sentences(self) -> list[str]:
        """The verdict, and who writes most."""
        found, bound = self.interval, str(self.budget)
        per = self.budget.told
        told = f"{per(found.mean)} per {self.budget.per}"
        if found.seeds > 1:
            told += f" (95% interval {per(max(0.0, found.low))} to {per(found.high)}, {found.seeds} runs)"
        said = {
            "kept": f"The budget of {bound} is kept: {told}.",
            "perhaps broken": f"The budget of {bound} is perhaps broken: {told}. Give more --runs.",
            "broken": f"The budget of {bound} is broken: {told}.",
        }[self.state]
        files = [
            f"{name} ({format_share(each / self.written_bytes)})"
            for name, each in self.writers[:3]
            if self.written_bytes
        ]
        return [said, *([f"Most is written by {listed(files)}."] if files else [])]

    def rows(self) -> list[tuple[str, ...]]:
        """A row a file or kind, under `headings`."""
        shown = [*self.writers[:_NAMED]]
        if rest := self.writers[_NAMED:]:
            shown.append((f"({len(rest)} others)", sum(each for _, each in rest)))
        scale = self.interval.mean / self.written_bytes if self.written_bytes else 0.0
        rows = [
            (name, self.budget.told(each * scale), format_share(each / self.written_bytes), format_bytes(each))
            for name, each in shown
        ]
        return [row[: len(self.headings())] for row in rows]

    def headings(self) -> tuple[str, ...]:
        """Titles of the columns of `rows`."""
        titles = ("who writes", f"bytes per {self.budget.per}", "share")
        return titles if self.budget.per == "run" else (*titles, "bytes per run")

    def to_dict(self) -> dict[str, object]:
        """As plain data."""
        found = self.interval
        return {
            "budget_bytes": self.budget.bytes,
            "per": self.budget.per,
            "operations": self.budget.operations,
            "state": self.state,
            "runs": list(self.runs),
            "mean": found.mean,
            "low": found.low,
            "high": found.high,
            "writers": [{"name": name, "bytes_a_run": each} for name, each in self.writers],
        }


def spend(budget: Budget, traces: Sequence[Trace]) -> Spending:
    """What the recorded runs of a benchmark spend of a budget.

    Raises:
        ConfigurationError: A run has no length, and the budget is for a time.
        TraceError: A recording cannot be read.
    """
    spent, sums, total = [], dict[str, float](), 0.0
    for trace in traces:
        writers = trace.who_writes()
        written, duration = _figures(trace) if writers is None else (writers.written_bytes, writers.duration_ns)
        spent.append(budget.spent(written, duration))
        total += written / len(traces)
        for name, each in _by_name(writers).items():
            sums[name] = sums.get(name, 0.0) + each / len(traces)
    ordered = tuple(sorted(sums.items(), key=lambda each: (-each[1], each[0])))
    return Spending(budget, tuple(spent), total, ordered)


def _by_name(writers: Writers | None) -> dict[str, int]:
    return {} if writers is None else {each.label: each.written_bytes for each in writers.writers if each.written_bytes}


def _figures(trace: Trace) -> tuple[int, int]:
    """Bytes written and duration of a recording that does not tell who wrote."""
    info = trace.info()
    return info["write"]["bytes"] + info["overwrite"]["bytes"], info["last_ns"] - info["first_ns"]
