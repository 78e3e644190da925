"""Figures as data: `experiments/papers/NAME/figures.toml` says what is drawn, from which experiment, on what axes."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from rewear.core.strict import Table, read_toml
from rewear.reproduce.number import Number, parse_number


@dataclass(frozen=True, slots=True)
class Series:
    """A line, or bars of one colour: a number for each label of the figure's axis."""

    label: str
    number: Number


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One of several drawings side by side."""

    title: str
    y_label: str
    unit: str
    at: dict[str, str]
    figure: str | None = None
    """Takes the place of the figure that the series name."""
    band: tuple[float, float] | None
    """The paper's values, shaded."""
    log: bool
    paper: dict[str, dict[str, float]]
    """The paper's values, by series and label, where it gives numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FigurePlan:
    """A figure."""

    prefix: str
    id: str
    title: str
    caption: str
    kind: Literal["bars", "lines", "stack"]
    """`bars` beside each other, `lines` over a numeric axis, `stack` of shares."""
    x_label: str
    log_x: bool = False
    panels: tuple[Panel, ...]
    series: tuple[Series, ...]

    @property
    def name(self) -> str:
        """The figure among those of all papers."""
        return f"{self.prefix}.{self.id}"

    @property
    def numbers(self) -> tuple[Number, ...]:
        """All numbers that it draws."""
        panels = self.panels
        return tuple(series.number.placed(panel.at) for panel in panels for series in self.series)

    @property
    def experiments(self) -> tuple[str, ...]:
        """Names of the experiments that it draws."""
        return tuple(dict.fromkeys(series.number.experiment for series in self.series))


def read_figures(path: Path, prefix: str) -> tuple[FigurePlan, ...]:
    """Reads a file of figures, whose names begin with `prefix`; none if there is no such file."""
    if not path.exists():
        return ()
    root = read_toml(path)
    figures = tuple(_figure(prefix, table) for table in root.tables("figure"))
    root.close()
    return figures


def _figure(prefix: str, table: Table) -> FigurePlan:
    experiment = table.get("experiment", str, None)
    x = table.get("x", str)
    series = tuple(_series(each, experiment, x) for each in table.tables("series"))
    if not series:
        table.wrong("series", "A figure has at least one series.")
    whole = _drawn(table, {})
    panels = tuple(each.read(Panel, **_drawn(each, whole)) for each in table.tables("panel")) or (
        Panel(title="", at={}, **whole),
    )
    plan = table.read(FigurePlan, prefix=prefix, panels=panels, series=series)
    if plan.kind != "lines" and any(panel.log for panel in plan.panels):
        table.wrong("log", "A bar has a length, which a logarithmic axis does not show. Take kind = 'lines'.")
    for panel in plan.panels:
        for label in panel.paper:
            if label not in {each.label for each in series}:
                table.wrong("paper", f"paper names {label!r}, which is no series of the figure.")
    return plan


def _drawn(table: Table, usual: dict[str, Any]) -> dict[str, Any]:
    """What a figure says of all its panels, and a panel of itself."""
    band, paper = table.get("band", list, None), table.get("paper", dict, {})
    for values in paper.values():
        if not isinstance(values, dict) or not all(isinstance(value, int | float) for value in values.values()):
            table.wrong("paper", "paper has a table of numbers by label for each series.")
    return {
        "y_label": table.get("y_label", str, usual.get("y_label", ...)),
        "unit": table.get("unit", str, usual.get("unit", "plain")),
        "band": usual.get("band") if band is None else (float(band[0]), float(band[1])),
        "log": table.get("log", bool, usual.get("log", False)),
        "paper": {name: {label: float(value) for label, value in values.items()} for name, values in paper.items()},
    }


def _series(table: Table, experiment: str | None, x: str) -> Series:
    own = Table({"each": x, **table.content}, table.path, table.text, table.place)
    label = own.get("label", str)
    series = Series(label, parse_number(own, experiment))
    own.close()
    return series
