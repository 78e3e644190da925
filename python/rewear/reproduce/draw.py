"""Draws figures: for pages as inline SVG in the page's colours, and as files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rewear.core.files import replacing, write_text
from rewear.page.chart import INK, MUTED, Axis, Chart, Layer, Row, colours_of, picture, standalone_svg, svg_of
from rewear.reproduce.number import Numbers, Runs, UnknownError, evaluate
from rewear.reproduce.plan import FigurePlan, Panel, Series

_MANY = 8


@dataclass(frozen=True, slots=True)
class Drawing:
    """The numbers of a figure: by panel, then by series."""

    plan: FigurePlan
    panels: tuple[tuple[Numbers, ...], ...]
    missing: tuple[str, ...]
    """Why some numbers are not there."""
    stand_in: bool = False
    """Whether it shows a stand-in."""

    @property
    def wide(self) -> bool:
        """Whether it needs the width of the page."""
        return len(self.panels) > 1 or any(len(numbers) > _MANY for panel in self.panels for numbers in panel)

    @property
    def empty(self) -> bool:
        """Whether there is nothing to be seen."""
        return not any(numbers for panel in self.panels for numbers in panel)


def draw(plan: FigurePlan, runs: Mapping[str, Runs]) -> Drawing:
    """Gets the numbers of a figure from the results of its experiments by name."""
    missing: dict[str, None] = {}
    panels = tuple(tuple(_numbers(panel, each, runs, missing) for each in plan.series) for panel in plan.panels)
    return Drawing(plan, panels, tuple(missing))


def _numbers(panel: Panel, series: Series, runs: Mapping[str, Runs], missing: dict[str, None]) -> Numbers:
    number = series.number.placed(panel.at)
    if panel.figure is not None:
        number = replace(number, figure=panel.figure)
    if number.experiment not in runs:
        return {}
    found: Numbers = {}
    try:
        labels = number.labels or tuple(runs[number.experiment].labels(number.each or ""))
    except UnknownError as error:
        missing[str(error)] = None
        return {}
    for label in labels:
        try:
            found |= evaluate(replace(number, labels=(label,)), runs[number.experiment])
        except UnknownError as error:
            missing[str(error)] = None
    return found


def save(drawing: Drawing, folder: Path, png: bool = True) -> None:
    """Writes the figure as SVG, for light and dark surroundings, and as PNG."""
    folder.mkdir(parents=True, exist_ok=True)
    chart = chart_of(drawing)
    write_text(folder / f"{drawing.plan.name}.svg", standalone_svg(svg_of(chart)))
    if png:
        with replacing(folder / f"{drawing.plan.name}.png") as file:
            file.write(picture(chart.panels or [chart], "png"))


def chart_of(drawing: Drawing) -> Chart:
    """The figure with a chart a panel; panels that show the same have the same scale."""
    plan = drawing.plan
    shared = len({(panel.y_label, panel.unit, panel.log) for panel in plan.panels}) == 1
    values = [value for panel in drawing.panels for numbers in panel for value in numbers.values()]
    most = max((float(value) for value in values if isinstance(value, int | float)), default=1.0)
    top = most if shared and len(plan.panels) > 1 and plan.kind != "stack" and most > 0 else None
    panels = [_chart(drawing, *each, top) for each in zip(plan.panels, drawing.panels, strict=True)]
    title = f"{plan.id}. {plan.title}"
    if len(panels) == 1:
        return replace(panels[0], title=title, caption=plan.caption)
    return Chart(title, plan.caption, (), wide=drawing.wide, panels=panels)


def _chart(drawing: Drawing, panel: Panel, numbers: Sequence[Numbers], most: float | None) -> Chart:
    plan, names = drawing.plan, list(dict.fromkeys(label for each in numbers for label in each))
    scale = {label: _position(label) for label in names}
    numeric = plan.kind == "lines" and None not in scale.values()
    bottom = dict.fromkeys(names, 0.0)
    rows: list[Row] = []
    paper: list[Row] = []
    for series, values in zip(plan.series, numbers, strict=True):
        beside = {"beside": series.label} if plan.kind == "bars" else {}
        for label, value in values.items():
            row = {"x": scale[label] if numeric else label, "y": value, "series": series.label, **beside}
            if plan.kind == "stack":
                row |= {"y": bottom[label], "y2": bottom[label] + value, "tip": f"{series.label}, {label}: {value:.3g}"}
                bottom[label] += value
            rows.append(row)
        for label, value in panel.paper.get(series.label, {}).items():
            if label in scale:
                tip = f"{series.label}, {label}: {value:g} in the paper"
                paper.append({"x": scale[label] if numeric else label, "y": value, "tip": tip, **beside})
    log = panel.log and all(row["y"] > 0 for row in rows)
    band = [] if panel.band is None else [{"y": panel.band[0], "y2": panel.band[1], "tip": "paper"}]
    zero = [{"y": 0.0}] if not log and any(row["y"] < 0 for row in rows) else []
    mark = {"lines": "line", "bars": "bar", "stack": "bar"}[plan.kind]
    positions = [place for place in scale.values() if place is not None] if numeric else []
    x = Axis(
        plan.x_label, names=() if numeric else names, log=plan.log_x and numeric, ticks=positions,
        labels=names if numeric else (),
    )  # fmt: skip
    unit = {"percent": "share", "plain": "number"}.get(panel.unit, panel.unit)
    return Chart(
        panel.title,
        "",
        [
            Layer("rect", band, {"color": MUTED, "opacity": 0.16}),
            Layer(mark, rows, {"point": True} if mark == "line" else {}),
            Layer("rule", zero, {"color": MUTED, "strokeWidth": 0.8}),
            Layer("point", paper, {"shape": "diamond", "color": INK, "size": 34}),
        ],
        x,
        Axis(panel.y_label, unit, log=log, most=most),
        # The first colour is grey, for what others are related to; a lone series has a colour.
        colours_of([series.label for series in plan.series], 0 if len(plan.series) > 1 else 1),
        height=240,
        wide=drawing.wide,
    )


def _position(label: str) -> float | None:
    """A label as a place on a scale: 7%, 64 KB, 0.5."""
    number = label.strip().rstrip("%").replace("\N{MINUS SIGN}", "-").removesuffix("KB").removesuffix("GiB").strip()
    try:
        return float(number)
    except ValueError:
        return None
