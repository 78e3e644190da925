"""A sweep: tables, and a page with a chart or a heat map for each figure."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rewear.figures.metrics import METRICS, Metric
from rewear.figures.units import byte_unit, format_change, format_count, time_unit
from rewear.page.blocks import Block, Cell, Charts, Details, Heading, Notes, Page, Pairs, Part, Sentences, Table
from rewear.page.chart import Axis, Chart, Layer, Row, bars_of, drive_colour
from rewear.page.terminal import fitting
from rewear.shown.sweep_layout import Layout, Panel, Series, layout_of, panels_of
from rewear.shown.sweep_words import axis_title, finding
from rewear.sweep.figures import Group, Value, figure_title, figures_of, groups_of, reference_of, value_of
from rewear.sweep.grid import CASE
from rewear.sweep.results import Results
from rewear.sweep.results import Row as Run

_FEW = 4
_MOST_PANELS = 6
"""More than these do not fit one screen, and become a heat map."""
_MOST_BARS = 24
"""Bars of all panels together that fit one screen."""
_LOGARITHMIC_FROM = 30
"""Ratio of the ends of an axis from which on it is logarithmic."""


def summary(results: Results) -> str:
    """How many runs there were and how they ended."""
    statuses = Counter(row.status for row in results.rows)
    parts = [f"{count} {status}" for status, count in statuses.items()]
    now = sum(row.replayed for row in results.rows)
    return f"{results.description.name}: {len(results.rows)} runs, {', '.join(parts)}; {now} were run now."


def sweep_tables(results: Results, figures: Sequence[str] = ()) -> list[Part]:
    """The figures of each run beside their change to the reference; several tables if they are many."""
    metrics = figures_of(results, figures)
    parts: list[Part] = ["\n".join([*_about(results), ""])]
    parts += fitting(metrics, lambda some: _table(results, some))
    return parts[:-1] if parts[-1] == "" else parts


def _about(results: Results) -> list[str]:
    """What the sweep is about, what its changes are relative to, and what its means are taken over."""
    described = results.description
    sentences = [described.description or described.name]
    if described.reference:
        place = ", ".join(label if name == CASE else f"{name} = {label}" for name, label in described.reference.items())
        sentences.append(f"Changes are relative to {place}.")
    if repeats := [str(len(axis.points)) for axis in described.axes if axis.repeats]:
        sentences.append(f"Means over {' × '.join(repeats)} seeds.")
    return sentences


def _table(results: Results, metrics: Sequence[Metric], titles: Mapping[str, str] | None = None) -> Table:
    """A row for each group of runs: where they lie, then their figures. `titles` are those of axes."""
    groups = groups_of(results)
    names = [axis.name for axis in results.description.axes if not axis.repeats]
    if any(CASE in group.coordinates for group in groups):
        names.append(CASE)
    rows: list[list[str | Cell]] = []
    for group in groups:
        reference = reference_of(results, group, groups)
        places = [group.coordinates.get(name, "") for name in names]
        rows.append([*places, *(_cell(results, metric, group, reference) for metric in metrics)])
    columns = [*((titles or {}).get(name, name) for name in names), *map(figure_title, metrics)]
    return Table(columns, rows, left=range(len(names)))


def _cell(results: Results, metric: Metric, group: Group, reference: Group | None) -> str | Cell:
    """The figure and, if changes are shown, its change to the reference."""
    value = value_of(metric, group)
    short = group.is_too_short_for(metric)
    status = "-" if group.reports else "failed"
    text = status if value is None else metric.text(value.mean) + (" (short)" if short else "")
    if not results.description.reference:
        return text
    base = None if reference is None else value_of(metric, reference)
    if base is None or value is None:
        return Cell(text)
    untold = short or (reference is not None and reference.is_too_short_for(metric))
    better = None if untold else metric.judge(value.mean, base.mean)
    return Cell(text, format_change(value.mean, base.mean), better)


def sweep_page(results: Results, figures: Sequence[str] = ()) -> Page:
    """The page. The same results give the same bytes."""
    metrics = figures_of(results, figures)
    titles = {axis.name: axis_title(axis) for axis in results.description.axes if not axis.repeats}
    layout = layout_of(results)
    panels = panels_of(results, layout)
    notes = _notes(results)
    return Page(
        f"sweep {results.description.name}",
        _headline(results, metrics),
        [
            *([Notes(notes)] if notes else []),
            Heading("Charts"),
            *_quantities(results, layout, metrics, panels),
            Heading("Figures"),
            _table(results, metrics, titles),
            Heading("Runs"),
            *map(_run, results.rows),
        ],
        _data(results),
        opening=[Sentences(_summary(results), "summary")],
    )


def _data(results: Results) -> list[dict[str, Any]]:
    """A run each: where it lies, how it ended, and every figure of a comparison by its key."""
    return [
        {
            **row.job.coordinates,
            "status": row.status,
            "reason": row.reason,
            **({} if row.report is None else {metric.key: metric.value(row.report) for metric in METRICS}),
        }
        for row in results.rows
    ]


def _headline(results: Results, metrics: Sequence[Metric]) -> str:
    """The finding of the first figure that has a better way, else of any; else the name of the sweep."""
    judged = sorted(metrics, key=lambda metric: metric.lower_is_better is None)
    return next(filter(None, (finding(results, metric, short=True) for metric in judged)), results.description.name)


def _summary(results: Results) -> list[str]:
    described = results.description
    ends = Counter(row.status for row in results.rows)
    ended = ", ".join(f"{format_count(count)} {status}" for status, count in ends.items())
    axes = " × ".join(f"{len(axis.points)} of {axis.name}" for axis in described.axes)
    count = len(described.cases)
    parts = [axes, f"{count} {'case' if count == 1 else 'cases'}" if count else ""]
    grid = f" ({', '.join(part for part in parts if part)})" if any(parts) else ""
    about, *more = _about(results)
    runs = f"{format_count(len(results.rows))} runs{grid}: {ended}."
    return [*([about] if described.description else []), runs, *more]


def _notes(results: Results) -> list[tuple[str, str]]:
    """Why runs did not end well, and what their reports say, each once with the runs that it is about."""
    carriers: dict[str, list[str]] = {}
    for row in results.rows:
        notes = () if row.report is None else row.report.notes
        for note in (*([f"{row.status}: {row.reason}"] if row.reason else []), *notes):
            carriers.setdefault(note, []).append(row.job.label)
    own = [(_few(labels, len(results.rows)), note) for note, labels in carriers.items()]
    return [*(("all runs", note) for note in results.notes), *own]


def _few(labels: list[str], total: int) -> str:
    if len(labels) == total > 1:
        return "all runs"
    return "; ".join(labels) if len(labels) <= _FEW else f"{labels[0]} and {len(labels) - 1} others"


def _run(row: Run) -> Block:
    settings = [(key, str(value)) for key, value in sorted(row.job.settings.items())]
    status = "" if row.status == "complete" else f": {row.status}"
    return Details(f"{row.job.label}{status}", [Pairs([*settings, ("key", row.key or "-")], mono=True)])


# Charts.


def _quantities(results: Results, layout: Layout, metrics: Sequence[Metric], panels: Sequence[Panel]) -> list[Block]:
    """The charts of all figures side by side; panels and heat maps below the words of theirs."""
    found = [block for metric in metrics for block in _quantity(results, layout, metric, panels)]
    if len(panels) > 1:
        return found
    return [Charts([chart for block in found if isinstance(block, Charts) for chart in block.charts])]


def _quantity(results: Results, layout: Layout, metric: Metric, panels: Sequence[Panel]) -> list[Block]:
    """A figure: panels over one scale, or a heat map where there are too many; nothing where no run has it."""
    lines = [line for panel in panels for line in (*panel.series, *panel.cases)]
    known = [value for line in lines for group in line.groups.values() if (value := value_of(metric, group))]
    if not known:
        return []
    title = finding(results, metric) or figure_title(metric)
    captions = [{True: "Lower is better.", False: "Higher is better.", None: ""}[metric.lower_is_better]]
    if any(axis.repeats for axis in results.description.axes):
        captions.append("Means over seeds; whiskers from the least to the most.")
    crowded = not _is_line(layout) and sum(len(line.groups) for line in lines) > _MOST_BARS
    heat = len(panels) > 1 and (len(panels) > _MOST_PANELS or crowded)
    captions += ["Darker: more. Framed: best."] if heat else ["All panels have the same scale."] * (len(panels) > 1)
    captions += [f"By {axis_title(layout.lines)}."] if layout.lines is not None and not heat else []
    caption = " ".join(filter(None, captions))
    if heat:
        return [Heading(title, 3), Sentences([caption]), _heat(layout, metric, panels)]
    largest = max(value.high for value in known)
    charts = [_chart(results, layout, metric, panel, largest) for panel in panels]
    if len(charts) == 1:
        legend = _is_line(layout) or len(panels[0].series) > 1
        return [Charts([replace(charts[0], title=title, caption=caption, legend=legend)])]
    shown = {line.label: drive_colour(line.colour) for panel in panels for line in panel.series if line.label}
    if _is_line(layout):
        shown |= {case.label: drive_colour(case.colour) for panel in panels for case in panel.cases}
    return [Heading(title, 3), Sentences([caption]), Charts(charts, "panels", shown)]


def _is_line(layout: Layout) -> bool:
    return layout.x is not None and layout.x.numeric and len(layout.x.points) > 1


def _chart(results: Results, layout: Layout, metric: Metric, panel: Panel, largest: float) -> Chart:
    units = {"bytes": byte_unit, "time": time_unit}
    scale, unit = units[metric.unit](largest) if metric.unit in units else (1.0, "")
    title = f"{figure_title(metric)} ({unit})" if unit else figure_title(metric)
    axis = Axis(title, most=largest / scale * (1.08 if _is_line(layout) else 1.45) or 1.0)
    lines = _lines if _is_line(layout) else _bars
    return lines(results, layout, metric, panel, axis, scale)


def _lines(results: Results, layout: Layout, metric: Metric, panel: Panel, axis: Axis, scale: float) -> Chart:
    """A line for each series over a numeric axis, and a dashed one for each case, which lies nowhere along it."""
    assert layout.x is not None
    positions = {point.label: float(str(point.value)) for point in layout.x.points}
    rows: list[Row] = []
    spans: list[Row] = []
    for line in panel.series:
        for at, group in line.groups.items():
            if (value := value_of(metric, group)) is not None:
                own = {"series": line.label, "x": positions[at]}
                words = ", ".join(filter(None, (line.label, f"{layout.x.name} {at}")))
                rows.append({**own, "y": value.mean / scale, "tip": f"{words}: {metric.text(value.mean)}"})
                if value.low < value.high:
                    spans.append({**own, "y": value.low / scale, "y2": value.high / scale})
    across = [
        {"series": case.label, "y": value.mean / scale, "tip": f"{case.label}: {metric.text(value.mean)}"}
        for case in panel.cases
        for group in case.groups.values()
        if (value := value_of(metric, group)) is not None
    ]
    few = len(positions) <= 9
    least, most = min(positions.values()), max(positions.values())
    x = Axis(
        axis_title(layout.x),
        log=least > 0 and most / least >= _LOGARITHMIC_FROM,
        ticks=tuple(positions.values()) if few else (),
        labels=tuple(positions) if few else (),
        least=least,
        most=most,
    )
    layers = [Layer("line", rows, {"point": True}), Layer("rule", spans), Layer("rule", across, {"strokeDash": [4, 3]})]
    return Chart(panel.label, "", layers, x, axis, _colours(panel), legend=False)


def _bars(results: Results, layout: Layout, metric: Metric, panel: Panel, axis: Axis, scale: float) -> Chart:
    """Horizontal bars, grouped by the axis along the chart, each with its value and change, then a row a case."""
    along = [] if layout.x is None or not panel.series else [point.label for point in layout.x.points]
    chief = "" if layout.x is None else results.description.reference.get(layout.x.name, "")
    groups = groups_of(results)
    rows: list[Row] = []

    def add(place: str, line: Series, group: Group, colour: int) -> None:
        value = value_of(metric, group)
        reference = reference_of(results, group, groups)
        base = None if reference is None else value_of(metric, reference)
        change = "" if value is None or base is None else format_change(value.mean, base.mean)
        text = "none" if value is None else metric.text(value.mean)
        found = value or Value(0.0, 0.0, 0.0)
        words = ", ".join(filter(None, (line.label, place if place != line.label else "")))
        series = line.label if colour == line.colour else "reference"
        row = {"y": place, "x": found.mean / scale, "series": series, "tip": f"{words}: {text}"}
        spread = {"low": found.low / scale, "high": found.high / scale} if found.low < found.high else {}
        beside = {"beside": line.label} if len(panel.series) > 1 else {}
        rows.append({**row, **spread, **beside, "text": f"{text} ({change})" if change else text})

    for place in along:
        for line in panel.series:
            if place in line.groups:
                grey = len(panel.series) == 1 and place == chief
                add(place, line, line.groups[place], 0 if grey else line.colour)
    for case in panel.cases:
        for group in case.groups.values():
            add(case.label, case, group, case.colour)
    names = list(dict.fromkeys(str(row["y"]) for row in rows))
    colours = {**_colours(panel), **({"reference": drive_colour(0)} if len(panel.series) == 1 else {})}
    y = Axis("" if layout.x is None else axis_title(layout.x), names=names)
    return Chart(panel.label, "", bars_of(rows), axis, y, colours, legend=False)


def _colours(panel: Panel) -> dict[str, str]:
    return {line.label: drive_colour(line.colour) for line in (*panel.series, *panel.cases)}


def _heat(layout: Layout, metric: Metric, panels: Sequence[Panel]) -> Table:
    """A row for each panel and line, a column for each point along the chart; a place without a figure stays empty."""
    along = [] if layout.x is None else [point.label for point in layout.x.points]
    lines = [(", ".join(filter(None, (panel.label, line.label))), line) for panel in panels for line in panel.series]
    rows = [(label, [line.groups.get(place) for place in along]) for label, line in lines]
    rows += [(case.label, [group] * len(along)) for case in panels[0].cases for group in case.groups.values()]
    means = {id(group): mean for _, groups in rows for group, mean in _means(metric, groups)}
    low, high = min(means.values(), default=0.0), max(means.values(), default=0.0)
    best = None if metric.lower_is_better is None else (low if metric.lower_is_better else high)

    def shade(group: Group | None) -> Cell:
        """The figure, how dark it is from 0 (the least of all) to 100 (the most), and whether it is the best."""
        mean = means.get(id(group))
        if mean is None:
            return Cell("", "0")
        dark = round(100 * (mean - low) / (high - low)) if high > low else 0
        return Cell(metric.text(mean), str(dark), marked=mean == best)

    names = [*(axis.name for axis in layout.panels), *([] if layout.lines is None else [layout.lines.name])]
    title = "" if layout.x is None else f"Across: {axis_title(layout.x)}"
    shaded: list[list[str | Cell]] = [[label, *map(shade, groups)] for label, groups in rows]
    return Table([", ".join(names), *along], shaded, title, kind="figures heat")


def _means(metric: Metric, groups: Sequence[Group | None]) -> Iterator[tuple[Group, float]]:
    for group in groups:
        if group is not None and (value := value_of(metric, group)) is not None:
            yield group, value.mean
