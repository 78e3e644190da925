"""The book of figures: how each is read from a report, named, written and judged. The core states it."""

import ast
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from rewear.core.ask import ask
from rewear.core.report import Report
from rewear.figures.units import format_bytes, format_count, format_energy, format_number, format_share, format_time


def years_text(value: float) -> str:
    """A length of time in years, in days where it is below a year, and in smaller units below a day."""
    days = value * 365.25
    if days < 1:
        return format_time(days * 86400e9)
    return f"{format_number(value)} years" if value >= 1 else f"{format_number(days)} days"


_TEXTS: dict[str, Callable[[float], str]] = {
    "bytes": format_bytes,
    "count": format_count,
    "share": format_share,
    "ratio": lambda value: f"{value:.3f}",
    "rounded": lambda value: f"{value:,.0f}",
    "time": format_time,
    "years": years_text,
    "energy": format_energy,
    "number": lambda value: format_count(value) if isinstance(value, int) else format_number(value, 4),
}
_SIGNS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


@dataclass(frozen=True, slots=True)
class Metric:
    """A figure of reports."""

    key: str
    """Name in `--json` output, sweeps and claims."""
    path: str
    """Where it stands in a report, or how it is worked out from paths."""
    group: str = ""
    """Heading under which tables have it; empty where none has."""
    title: str = ""
    """Words of the row, without the unit (the value carries it)."""
    unit: str = "number"
    """How it is written."""
    better: str = "neither"
    """Which way is good: `lower`, `higher`, `neither`."""
    sentence: str = ""
    """Its meaning."""
    shown: str = "named"
    """When tables have a row for it: `always`, `not-zero` (for some drive), `named`."""
    takes_length: bool = False
    """Whether it is not judged where a run is too short to tell the wear."""

    def value(self, report: Report) -> float | None:
        """The figure of a report; `None` where it does not exist (no read was served, nothing was erased)."""
        found = _worked_out(_parsed(self.path), report)
        return round(found) if isinstance(found, float) and self.unit == "bytes" else found

    def text(self, value: float) -> str:
        """A value with its unit."""
        return _TEXTS[self.unit](value)

    def format(self, report: Report) -> str:
        """The figure of `report` as text, a dash where it does not exist."""
        value = self.value(report)
        return "-" if value is None else self.text(value)

    def is_better(self, report: Report, reference: Report) -> bool | None:
        """Whether `report` is better than `reference` by this figure; `None` if that cannot be said."""
        if self.takes_length and (report.too_short or reference.too_short):
            return None
        return self.judge(self.value(report), self.value(reference))

    @property
    def lower_is_better(self) -> bool | None:
        """Which way is good, `None` where neither is."""
        return {"lower": True, "higher": False, "neither": None}[self.better]

    def judge(self, value: float | None, base: float | None) -> bool | None:
        """Whether `value` is better than `base`; `None` if that cannot be said."""
        lower = self.lower_is_better
        if lower is None or value is None or base is None or abs(value - base) <= 0.0005 * abs(base):
            return None
        return (value < base) == lower


@cache
def _parsed(path: str) -> ast.expr:
    try:
        return ast.parse(path, mode="eval").body
    except SyntaxError:
        return ast.Constant(None)  # No figure has such a name.


def _worked_out(node: ast.expr, report: Report) -> Any:
    """Value of a formula over dotted paths; `None` where a path leads nowhere, or nothing is divided by."""
    match node:
        case ast.Constant(value=value):
            return value
        case ast.BoolOp(op=ast.Or(), values=[first, other]):
            value = _worked_out(first, report)
            return _worked_out(other, report) if value is None else value
        case ast.BinOp(left=left, op=sign, right=right):
            one, two = _worked_out(left, report), _worked_out(right, report)
            if one is None or two is None or (isinstance(sign, ast.Div) and not two):
                return None
            return _SIGNS[type(sign)](one, two)
        case _:
            return report.at(ast.unparse(node))


BOOK: dict[str, Metric] = {figure["key"]: Metric(**figure) for figure in ask("figures")}
"""Every figure by its key: those of tables in their order, then ratios that papers plot and all other numbers."""
METRICS: tuple[Metric, ...] = tuple(metric for metric in BOOK.values() if metric.group)
"""Every figure of the comparison, in the order of the table."""


_BY_PATH = {metric.path: metric for metric in BOOK.values()}


def figure_named(name: str) -> Metric:
    """The figure of this key or at this place in a report; else the column of a report with this dotted name.

    That may be a parameter or a derived quantity.
    """
    unit = next((unit for end, unit in (("_bytes", "bytes"), ("_ns", "time")) if name.endswith(end)), "number")
    return BOOK.get(name) or _BY_PATH.get(name) or Metric(name, name, title=name, unit=unit)


def metrics_for(reports: Sequence[Report]) -> list[Metric]:
    """The rows worth showing for these reports: those that some drive has, optional ones only if it is not zero."""
    shown = []
    for metric in METRICS:
        if metric.shown != "named":
            values = [metric.value(report) for report in reports]
            if any(values) if metric.shown == "not-zero" else any(value is not None for value in values):
                shown.append(metric)
    return shown
