"""Figures as data: `experiments/papers/NAME/figures.toml` says what is drawn, from which experiment, on what axes."""

from dataclasses import dataclass
from pathlib import Path

from rewear.reproduce.number import Number, parse_number
from rewear.sweep.strict import Table, read_toml


@dataclass(frozen=True, slots=True)
class Series:
    """A line, or bars of one colour: a number for each label of the figure's axis."""

    label: str
    number: Number


@dataclass(frozen=True, slots=True)
class Panel:
    """One of several drawings side by side."""

    title: str
    y_label: str
    unit: str
    at: dict[str, str]
    figure: str | None
    """Takes the place of the figure that the series name."""
    band: tuple[float, float] | None
    """The paper's values, shaded."""
    log: bool
    paper: dict[str, dict[str, float]]
    """The paper's values, by series and label, where it gives numbers."""


@dataclass(frozen=True, slots=True)
class FigurePlan:
    """A figure."""

    prefix: str
    id: str
    title: str
    caption: str
    kind: str
    """`bars` beside each other, `lines` over a numeric axis, `stack` of shares."""
    x_label: str
    log_x: bool
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
    """Reads a file of figures, whose names begin with `prefix`; none if there is no such file.

    Raises:
        ConfigurationError: It is wrong; the message names the line.
    """
    if not path.exists():
        return ()
    root = read_toml(path)
    figures = tuple(_figure(prefix, table) for table in root.tables("figure"))
    root.close()
    return figures


def _figure(prefix: str, table: Table) -> FigurePlan:
    experiment = table.get("experiment", str, None)
    x = table.get("x", str)
    y_label, unit = table.get("y_label", str), table.get("unit", str, "plain")
    band, log = table.get("band", list, None), table.get("log", bool, False)
    panels = [_panel(each, y_label, unit, band, log) for each in table.tables("panel")]
    paper = _paper(table)
    series = [_series(each, experiment, x) for each in table.tables("series")]
    if not series:
        table.wrong("series", "A figure has at least one series.")
    plan = FigurePlan(
        prefix=prefix,
        id=table.get("id", str),
        title=table.get("title", str),
        caption=table.line("caption"),
        kind=table.word("kind", ("bars", "lines", "stack")),
        x_label=table.get("x_label", str),
        log_x=table.get("log_x", bool, False),
        panels=tuple(panels) or (Panel("", y_label, unit, {}, None, _pair(band), log, paper),),
        series=tuple(series),
    )
    if plan.kind != "lines" and any(panel.log for panel in plan.panels):
        table.wrong("log", "A bar has a length, which a logarithmic axis does not show. Take kind = 'lines'.")
    for panel in plan.panels:
        for label in panel.paper:
            if label not in {each.label for each in series}:
                table.wrong("paper", f"paper names {label!r}, which is no series of the figure.")
    table.close()
    return plan


def _panel(table: Table, y_label: str, unit: str, band: list[float] | None, log: bool) -> Panel:
    panel = Panel(
        title=table.get("title", str),
        y_label=table.get("y_label", str, y_label),
        unit=table.get("unit", str, unit),
        at=table.coordinates("at"),
        figure=table.get("figure", str, None),
        band=_pair(table.get("band", list, band)),
        log=table.get("log", bool, log),
        paper=_paper(table),
    )
    table.close()
    return panel


def _paper(table: Table) -> dict[str, dict[str, float]]:
    given = table.get("paper", dict, {})
    for values in given.values():
        if not isinstance(values, dict) or not all(isinstance(value, int | float) for value in values.values()):
            table.wrong("paper", "paper has a table of numbers by label for each series.")
    return {series: {label: float(value) for label, value in values.items()} for series, values in given.items()}


def _series(table: Table, experiment: str | None, x: str) -> Series:
    label = table.get("label", str)
    content = {"each": x, **table.content}
    own = Table(content, table.path, table.text, table.place)
    own.get("label", str)
    series = Series(label, parse_number(own, experiment))
    own.close()
    return series


def _pair(band: list[float] | None) -> tuple[float, float] | None:
    return None if band is None else (float(band[0]), float(band[1]))
