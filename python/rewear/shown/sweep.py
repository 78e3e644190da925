"""A sweep: a table, and a chart or a heat map for each figure."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rewear.figures.metrics import METRICS, Metric
from rewear.figures.uncertainty import Interval
from rewear.figures.units import byte_unit, format_change, format_count, time_unit
from rewear.page.blocks import Answer, Block, Cell, Details, Heading, Pairs, Sentences, Table
from rewear.page.chart import Axis, Chart, Layer, Row, bars_of, drive_colour
from rewear.shown.sweep_words import axis_title, finding, place_of
from rewear.sweep.figures import Group, figure_title, figures_of, groups_of, reference_of, value_of
from rewear.sweep.grid import CASE
from rewear.sweep.grid import Axis as Along
from rewear.sweep.results import Results
from rewear.sweep.results import Row as Run

_FEW = 4
_MOST_LINES = 8
_MOST_BARS = 24
"""More of them do not fit a chart, and become a heat map."""
_LOGARITHMIC_FROM = 30
"""Ratio of the ends of an axis from which on it is logarithmic."""


def summary(results: Results) -> str:
    """How many runs there were and how they ended."""
    statuses = Counter(row.status for row in results.rows)
    parts = [f"{count} {status}" for status, count in statuses.items()]
    now = sum(row.replayed for row in results.rows)
    return f"{results.description.name}: {len(results.rows)} runs, {', '.join(parts)}; {now} were run now."


def sweep_answer(results: Results, figures: Sequence[str] = ()) -> Answer:
    """The figures of each run beside their change to the reference; `figures` are shown in place of the file's."""
    metrics = figures_of(results, figures)
    charts, heats = [], list[Block]()
    for metric in metrics:
        drawn = _quantity(results, metric)
        if isinstance(drawn, Chart):
            charts.append(drawn)
        else:
            heats += drawn
    return Answer(
        f"sweep {results.description.name}",
        _headline(results, metrics),
        _summary(results),
        [_table(results, metrics)],
        charts,
        notes=_notes(results),
        details=[*heats, Heading("Runs"), *map(_run, results.rows)],
        first="\n".join(_about(results)),
        data=_data(results),
    )


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


def _table(results: Results, metrics: Sequence[Metric]) -> Table:
    """A row for each group of runs: where they lie, then their figures."""
    groups = groups_of(results)
    names = [axis.name for axis in results.description.axes if not axis.repeats]
    if any(CASE in group.coordinates for group in groups):
        names.append(CASE)
    rows: list[list[str | Cell]] = []
    for group in groups:
        reference = reference_of(results, group, groups)
        places = [group.coordinates.get(name, "") for name in names]
        rows.append([*places, *(_cell(results, metric, group, reference) for metric in metrics)])
    return Table([*names, *map(figure_title, metrics)], rows, left=range(len(names)), repeated=len(names))


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


@dataclass(frozen=True, slots=True)
class _Series:
    """Groups that differ along one axis alone, by their label there; a case lies nowhere along it."""

    label: str
    colour: int
    """Position among the colours of drives; 0 is the reference."""
    groups: dict[str, Group]


def _along(results: Results) -> Along | None:
    """The axis that lies along the charts: that of the file, else the longest of numbers, else the first."""
    axes = [axis for axis in results.description.axes if not axis.repeats and len(axis.points) > 1]
    named = next((axis for axis in axes if axis.name == results.description.x), None)
    numeric = [axis for axis in axes if axis.numeric]
    return named or max(numeric, key=lambda axis: len(axis.points), default=None) or next(iter(axes), None)


def _series(results: Results, along: Along | None) -> list[_Series]:
    name = "" if along is None else along.name
    chief = {key: label for key, label in results.description.reference.items() if key != name}
    found: dict[str, dict[str, Group]] = {}
    grey = None
    for group in groups_of(results):
        label = place_of(group, [name])
        found.setdefault(label, {})[group.coordinates.get(name, "")] = group
        grey = label if chief and chief.items() <= group.coordinates.items() else grey
    others = [label for label in found if label != grey]
    return [_Series(label, 0 if label == grey else 1 + others.index(label), groups) for label, groups in found.items()]


def _quantity(results: Results, metric: Metric) -> Chart | list[Block]:
    """A figure: lines over a numeric axis, bars over any other, a heat map where they are too many."""
    along = _along(results)
    series = _series(results, along)
    known = [value for line in series for group in line.groups.values() if (value := value_of(metric, group))]
    if not known:
        return []
    title = finding(results, metric) or figure_title(metric)
    caption = {True: "Lower is better.", False: "Higher is better.", None: ""}[metric.lower_is_better]
    if any(axis.repeats for axis in results.description.axes):
        caption += " Means over seeds; whiskers from the least to the most."
    is_line = along is not None and along.numeric
    if len(series) > _MOST_LINES if is_line else sum(len(line.groups) for line in series) > _MOST_BARS:
        heat = _heat(along, metric, series)
        return [Heading(title, 3), Sentences([f"{caption} Darker: more. Framed: best.".strip()]), heat]
    largest = max(value.high for value in known)
    units = {"bytes": byte_unit, "time": time_unit}
    scale, unit = units[metric.unit](largest) if metric.unit in units else (1.0, "")
    name = f"{figure_title(metric)} ({unit})" if unit else figure_title(metric)
    axis = Axis(name, most=largest / scale * (1.08 if is_line else 1.45) or 1.0)
    if along is not None and is_line:
        return _lines(title, caption.strip(), along, metric, series, axis, scale)
    return _bars(results, title, caption.strip(), along, metric, series, axis, scale)


def _lines(
    title: str, caption: str, along: Along, metric: Metric, series: Sequence[_Series], axis: Axis, scale: float
) -> Chart:
    """A line for each series, and a dashed one for each case."""
    positions = {point.label: float(str(point.value)) for point in along.points}
    rows: list[Row] = []
    spans: list[Row] = []
    across: list[Row] = []
    for line in series:
        for at, group in line.groups.items():
            if (value := value_of(metric, group)) is None:
                continue
            words = ", ".join(filter(None, (line.label, f"{along.name} {at}" if at else "")))
            row = {"series": line.label, "y": value.mean / scale, "tip": f"{words}: {metric.text(value.mean)}"}
            if at not in positions:
                across.append(row)
                continue
            rows.append({**row, "x": positions[at]})
            if value.low < value.high:
                ends = {"y": value.low / scale, "y2": value.high / scale}
                spans.append({"series": line.label, "x": positions[at], **ends})
    few = len(positions) <= 9
    least, most = min(positions.values()), max(positions.values())
    x = Axis(
        axis_title(along),
        log=least > 0 and most / least >= _LOGARITHMIC_FROM,
        ticks=tuple(positions.values()) if few else (),
        labels=tuple(positions) if few else (),
        least=least,
        most=most,
    )
    layers = [Layer("line", rows, {"point": True}), Layer("rule", spans), Layer("rule", across, {"strokeDash": [4, 3]})]
    return Chart(title, caption, layers, x, axis, _colours(series))


def _bars(
    results: Results, title: str, caption: str, along: Along | None, metric: Metric, series: Sequence[_Series],
    axis: Axis, scale: float,
) -> Chart:  # fmt: skip
    """Bars side by side at each point along the chart, each with its value and change, then one for each case."""
    groups = groups_of(results)
    grid = [line for line in series if "" not in line.groups]
    rows: list[Row] = []
    for line in series:
        for at, group in line.groups.items():
            value, reference = value_of(metric, group), reference_of(results, group, groups)
            base = None if reference is None else value_of(metric, reference)
            change = "" if value is None or base is None else format_change(value.mean, base.mean)
            text = "none" if value is None else metric.text(value.mean)
            found = value or Interval(0.0, 0.0, 0.0)
            words = ", ".join(filter(None, (line.label, at)))
            row = {"y": at or line.label, "x": found.mean / scale, "series": line.label, "tip": f"{words}: {text}"}
            row |= {"low": found.low / scale, "high": found.high / scale} if found.low < found.high else {}
            row |= {"beside": line.label} if len(grid) > 1 else {}
            rows.append({**row, "text": f"{text} ({change})" if change else text})
    y = Axis("" if along is None else axis_title(along), names=list(dict.fromkeys(str(row["y"]) for row in rows)))
    return Chart(title, caption, bars_of(rows), axis, y, _colours(series), legend=len(grid) > 1)


def _colours(series: Sequence[_Series]) -> dict[str, str]:
    return {line.label: drive_colour(line.colour) for line in series}


def _heat(along: Along | None, metric: Metric, series: Sequence[_Series]) -> Table:
    """A row for each series, a column for each point along the chart; a place without a figure stays empty."""
    places = [""] if along is None else [point.label for point in along.points]
    rows = [(line.label, [line.groups.get(at) or line.groups.get("") for at in places]) for line in series]
    means = {
        id(group): value.mean
        for _, groups in rows
        for group in groups
        if group is not None and (value := value_of(metric, group)) is not None
    }
    low, high = min(means.values(), default=0.0), max(means.values(), default=0.0)
    best = None if metric.lower_is_better is None else (low if metric.lower_is_better else high)

    def shade(group: Group | None) -> Cell:
        """The figure, how dark it is from 0 (the least of all) to 100 (the most), and whether it is the best."""
        mean = means.get(id(group))
        if mean is None:
            return Cell("", "0")
        dark = round(100 * (mean - low) / (high - low)) if high > low else 0
        return Cell(metric.text(mean), str(dark), marked=mean == best)

    title = "" if along is None else f"Across: {axis_title(along)}"
    shaded: list[list[str | Cell]] = [[label, *map(shade, groups)] for label, groups in rows]
    return Table(["", *places], shaded, title, kind="figures heat")
