"""Charts: rows of plain values and how they are drawn, as Vega-Lite.

A chart becomes an `<svg>` element whose colours are the variables of the stylesheet, so that it follows the page on
light and dark backgrounds, or a picture in the light colours. What a row says under the pointer is its `tip`.
"""

import html
import json
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Any

from rewear.figures.units import format_bytes, format_share, format_time

INK, MUTED, GRID = "var(--ink)", "var(--muted)", "var(--grid)"
_COLOURS = 7
_WIDTH, _WIDE, _HEIGHT = 480, 880, 210
_MOST_TIPS = 40
"""Points of a line that say their value; of longer ones as many, evenly spread."""

Row = Mapping[str, Any]
"""`x`, `y` and the ends `x2`, `y2`; `series` for the colour; `beside`, which bars lie side by side; `text`, `tip`."""

# How a tick is written, as an expression of Vega, and how the same value is written beside the pointer.
_TIMES = (
    "datum.value >= 1e9 ? format(datum.value/1e9, '~g')+' s' : datum.value >= 1e6 ? format(datum.value/1e6, '~g')+' ms'"
)
_UNITS: dict[str, tuple[str, Callable[[float], str]]] = {
    "number": (
        "abs(datum.value) >= 1000 ? format(datum.value, ',.0f') : format(datum.value, '.6~g')",
        lambda value: f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}",
    ),
    "rate": ("format(datum.value, '.1~e')", lambda value: f"{value:.3g}"),
    "share": ("format(datum.value, '.4~p')", format_share),
    "change": ("format(datum.value, '+.4~p')", lambda value: f"{100 * value:+.3g}%"),
    "points": ("format(100*datum.value, '+.4~g')", lambda value: f"{100 * value:+.3g}"),
    "factor": ("'x ' + format(datum.value, '~g')", lambda value: f"x {value:.3g}"),
    "count": ("format(datum.value, '.3~s')", lambda value: f"{value:,.0f}"),
    "time": (
        f"{_TIMES} : datum.value >= 1e3 ? format(datum.value/1e3, '~g')+' µs' : format(datum.value, '~g')+' ns'",
        format_time,
    ),
    "bytes": (
        "datum.value >= pow(2,40) ? format(datum.value/pow(2,40), '.3~g')+' TiB' : datum.value >= pow(2,30) ? "
        "format(datum.value/pow(2,30), '.3~g')+' GiB' : datum.value >= pow(2,20) ? "
        "format(datum.value/pow(2,20), '.3~g')+' MiB' : format(datum.value/1024, '.3~g')+' KiB'",
        format_bytes,
    ),
}


@dataclass(frozen=True, slots=True)
class Axis:
    """The axis along one side."""

    title: str = ""
    unit: str = "number"
    """How values are written: a key of `_UNITS`."""
    log: bool = False
    names: Sequence[str] = ()
    """Names in their order, where there is no scale."""
    least: float | None = None
    most: float | None = None
    ticks: Sequence[float] = ()
    labels: Sequence[str] = ()
    """Labels at the ticks, where they are not their values."""

    def text(self, value: Any) -> str:
        """A value in the words of the axis."""
        if isinstance(value, str):
            return value
        if self.labels and value in self.ticks:
            return self.labels[list(self.ticks).index(value)]
        return _UNITS[self.unit][1](value)

    def encoding(self, across: bool, decades: Sequence[float] = ()) -> dict[str, Any]:
        """As Vega-Lite has it; `decades` are the ticks of a logarithmic axis that has none of its own."""
        axis: dict[str, Any] = {"grid": not self.names}
        if self.names:
            names = [_wrapped(name) if not across else name for name in self.names]
            axis |= {"ticks": False, "domain": across, "labelColor": INK, "labelExpr": "split(datum.label, '\\n')"}
            axis |= {"labelLimit": 0} | ({"labelAngle": -30 if sum(map(len, names)) > 66 else 0} if across else {})
            return {
                "type": "nominal",
                "sort": None,
                "title": self.title or None,
                "axis": axis,
                "scale": {"domain": names},
            }
        axis |= {"domain": across, "ticks": across, "tickCount": 6, "labelExpr": _UNITS[self.unit][0]}
        if self.ticks or decades:
            axis["values"] = list(self.ticks or decades)
        if self.labels:
            axis["labelExpr"] = f"{json.dumps(list(self.labels))}[indexof({json.dumps(list(self.ticks))}, datum.value)]"
        scale: dict[str, Any] = {"type": "log"} if self.log else {"zero": self.least is None}
        scale |= {"nice": not self.log and self.most is None}
        scale |= {"domainMin": self.least} if self.least is not None else {}
        scale |= {"domainMax": self.most} if self.most is not None else {}
        return {"type": "quantitative", "title": self.title or None, "axis": axis, "scale": scale}


@dataclass(frozen=True, slots=True)
class Layer:
    """Rows drawn with one mark of Vega-Lite: `bar`, `line`, `area`, `point`, `rule`, `tick`, `text`, `rect`."""

    mark: str
    rows: Sequence[Row]
    style: Mapping[str, Any] = field(default_factory=dict)
    """Properties of the mark."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart with its title and a sentence that says how to read it."""

    title: str
    caption: str
    layers: Sequence[Layer]
    x: Axis = Axis()
    y: Axis = Axis()
    colours: Mapping[str, str] = field(default_factory=dict)
    """Colour of each series, in the order of the legend."""
    legend: bool = True
    height: float | None = None
    wide: bool = False
    panels: Sequence["Chart"] = ()
    """Charts beside each other that are one figure; it has no layers of its own then."""

    def view(self, width: float) -> dict[str, Any]:
        """The chart as a view of Vega-Lite."""
        beside = max((len({row.get("beside") for row in layer.rows}) for layer in self.layers), default=1)
        height: Any = self.height or ({"step": 34 if beside < 2 else 17} if self.y.names else _HEIGHT)
        layers = [drawn for layer in self.layers for drawn in self._drawn(layer) if layer.rows]
        return {"width": width, "height": height, "layer": layers}

    def to_vega_lite(self) -> dict[str, Any]:
        """The chart as a specification of Vega-Lite 5 with its data, in light colours."""
        spec: dict[str, Any] = json.loads(_alone(self.panels or [self]))
        return spec

    def _drawn(self, layer: Layer) -> list[dict[str, Any]]:
        rows = [self._row(layer, row) for row in layer.rows]
        marks = [self._mark(layer, rows)]
        if layer.mark == "line":
            by_series: dict[Any, list[dict[str, Any]]] = {}
            for row in rows:
                by_series.setdefault(row.get("series"), []).append(row)
            dots = [row for each in by_series.values() for row in each[:: -(-len(each) // _MOST_TIPS)]]
            unseen = Layer("point", dots, {"filled": True, "size": 90, "opacity": 0})
            marks = [self._mark(replace(layer, style={**layer.style, "aria": False}), rows), self._mark(unseen, dots)]
        return marks

    def _row(self, layer: Layer, row: Row) -> dict[str, Any]:
        found = dict(row)
        if "tip" not in found and layer.mark in ("bar", "line"):
            name = found.get("series")
            said = [axis.text(found[key]) for key, axis in (("x", self.x), ("y", self.y)) if found.get(key) is not None]
            found["tip"] = f"{f'{name}: ' if name else ''}{', '.join(said)}"
        if self.y.names and "y" in found:
            found["y"] = _wrapped(found["y"])
        return found

    def _decades(self, key: str) -> list[float]:
        """Powers of ten, and where they are few twice and five times these."""
        axis = self.x if key == "x" else self.y
        ends = [row[end] for layer in self.layers for row in layer.rows for end in (key, f"{key}2") if row.get(end)]
        least, most = axis.least or min(ends, default=1.0), axis.most or max(ends, default=1.0)
        steps = (1,) if most / least > 300 else (1, 2, 5)
        found = [step * 10.0**power for power in range(-15, 20) for step in steps]
        return [tick for tick in found if least <= tick <= most]

    def _mark(self, layer: Layer, rows: Sequence[Row]) -> dict[str, Any]:
        given = set().union(*rows)
        encoding: dict[str, Any] = {}
        for key, axis in (("x", self.x), ("y", self.y)):
            if key in given:
                encoding[key] = {"field": key, **axis.encoding(key == "x", self._decades(key) if axis.log else ())}
                if layer.mark == "bar" and f"{key}2" not in given:
                    encoding[key]["stack"] = None
            if f"{key}2" in given:
                encoding[f"{key}2"] = {"field": f"{key}2"}
        if "beside" in given:
            order = list(dict.fromkeys(row["beside"] for each in self.layers for row in each.rows if "beside" in row))
            offset = {"field": "beside", "type": "nominal", "sort": order}
            encoding["yOffset" if self.y.names else "xOffset"] = offset
        if "series" in given:
            names = list(self.colours)
            columns = max(1, (110 if self.wide else 66) // (max(map(len, names), default=0) + 5))
            legend = None if not self.legend or len(names) < 2 else {"columns": columns}
            scale = {"domain": names, "range": list(self.colours.values())}
            encoding["color"] = {"field": "series", "type": "nominal", "scale": scale, "legend": legend, "title": None}
        for key in ("opacity", "text"):
            if key in given:
                kind = (
                    {"type": "quantitative", "scale": None, "legend": None} if key == "opacity" else {"type": "nominal"}
                )
                encoding[key] = {"field": key, **kind}
        if "tip" in given:
            encoding["description"] = {"field": "tip", "type": "nominal"}
        mark = {"type": layer.mark, **({} if "tip" in given else {"aria": False}), **layer.style}
        return {"data": {"values": list(rows)}, "mark": mark, "encoding": encoding}


def _wrapped(name: str) -> str:
    return "\n".join(textwrap.wrap(name, 24, break_on_hyphens=False)) or name


def drive_colour(position: int) -> str:
    """Colour of the drive at a position; the reference is grey, and the others take turns."""
    return f"var(--drive-{position if position == 0 else 1 + (position - 1) % _COLOURS})"


def cause_colour(cause: str) -> str:
    """Colour of a cause of page programs and reads."""
    return f"var(--cause-{cause.replace('_', '-')})"


def colours_of(names: Iterable[str], first: int = 0) -> dict[str, str]:
    """The colours of drives for names in their order; `first` 1 leaves out the grey of the reference."""
    return {name: drive_colour(first + place) for place, name in enumerate(dict.fromkeys(names))}


def bars_of(rows: Sequence[Row], **style: Any) -> list[Layer]:
    """Horizontal bars with their `text` behind the end, that of their interval (`low`, `high`) if they have one."""

    def part(row: Row, *keys: str, **more: Any) -> dict[str, Any]:
        return {**{key: row[key] for key in ("y", "beside", *keys) if key in row}, **more}

    texts = [part(row, "text", x=row.get("high") or row["x"]) for row in rows if row.get("text")]
    spans = [row for row in rows if row.get("low") is not None and row["low"] < row["high"]]
    lines = [part(row, x=row["low"], x2=row["high"]) for row in spans]
    thin = {} if any("beside" in row for row in rows) else {"height": {"band": 0.6}}
    return [Layer("bar", rows, {**thin, **style}), Layer("rule", lines, {"strokeWidth": 1.3}), Layer("text", texts)]


_CONFIG = {
    "background": None,
    "font": "system-ui, sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelColor": MUTED, "titleColor": MUTED, "gridColor": GRID, "domainColor": GRID, "tickColor": GRID,
        "titleFontWeight": "normal", "titleFontSize": 11, "labelFontSize": 10.5, "labelOverlap": True,
        "labelSeparation": 8,
    },
    "legend": {
        "orient": "top", "title": None, "labelColor": INK, "labelFontSize": 10.5, "symbolStrokeWidth": 2,
        "symbolSize": 60, "labelLimit": 400, "symbolOpacity": 1, "columnPadding": 22,
    },
    "line": {"strokeWidth": 1.7},
    "point": {"filled": True, "size": 28, "opacity": 1},
    "rule": {"color": INK},
    "text": {"color": INK, "fontSize": 10.5, "align": "left", "dx": 5, "baseline": "middle"},
    "title": {"anchor": "start", "color": INK, "fontSize": 12},
}  # fmt: skip


def _spec(charts: Sequence[Chart], columns: int = 0) -> dict[str, Any]:
    """One chart as wide as its column; several beside each other, each under its title."""
    base = {"$schema": "https://vega.github.io/schema/vega-lite/v5.json", "config": _CONFIG}
    if len(charts) == 1 and not columns:
        fitted = {"autosize": {"type": "fit-x", "contains": "padding"}}
        return {**base, **fitted, **charts[0].view(_WIDE if charts[0].wide else _WIDTH)}
    width = _WIDTH - 90 if columns else max(180, _WIDE // len(charts) - 70)
    views = [{"title": chart.title, **chart.view(width)} for chart in charts]
    return {**base, "concat": views, "columns": columns or len(charts), "resolve": {"scale": {"color": "independent"}}}


def svg_of(chart: Chart) -> str:
    """A chart as an `<svg>` element to stand in HTML."""
    import vl_convert

    text = vl_convert.vegalite_to_svg(_spec(chart.panels or [chart]))
    width, height = (round(float(each)) for each in re.findall(r' viewBox="0 0 ([\d.]+) ([\d.]+)"', text)[0])
    text = text[text.index(">") + 1 :]
    text = re.sub(r'<path class="(?:back|fore)ground"[^>]*/>', "", text)
    text = re.sub(
        r' aria-label="([^"]*)" role="graphics-symbol" aria-roledescription="(?!axis|legend|title)[^"]*"',
        r' data-tip="\1"',
        text,
    )
    text = re.sub(r' (?:role|aria-[\w-]+|pointer-events|font-family|class)="[^"]*"| opacity="1"', "", text)
    shorter = re.compile(r"(\.\d\d)\d+")
    text = re.sub(r' (?:d|transform|[xy]2)="[^"]*"', lambda found: shorter.sub(r"\1", found[0]), text)
    said = html.escape(f"{chart.title}. {chart.caption}")
    return f'<svg role="img" aria-label="{said}" viewBox="0 0 {width} {height}">{text}'


def _alone(charts: Sequence[Chart], columns: int = 0) -> str:
    """Charts outside a page, as JSON: with background, and in the colours of the light scheme."""
    spec = json.dumps({**_spec(charts, columns), "background": "var(--surface)", "padding": 12})
    return re.sub(r"var\(--[\w-]+\)", lambda found: light(found[0]), spec)


def picture(charts: Sequence[Chart], kind: str, columns: int = 0) -> bytes:
    """Charts as a file of a kind, `png` or `svg`, with light background."""
    import vl_convert

    spec = _alone(charts, columns)
    if kind == "png":
        return bytes(vl_convert.vegalite_to_png(spec, scale=2))
    return str(vl_convert.vegalite_to_svg(spec)).encode()


def light(colour: str) -> str:
    """A colour of the stylesheet in its light scheme, for pictures outside a page."""
    colours: dict[str, str] = dict(re.findall(r"(--[\w-]+):\s*(#[0-9a-f]{6})", _schemes()[0]))
    return colours[colour[4:-1]]


def standalone_svg(element: str) -> str:
    """An `<svg>` element of a page as a file of its own, with the colours of both schemes and a background."""
    light, dark = _schemes()
    rules = f":root {{ {light} --font: system-ui, sans-serif; }} text {{ font-family: var(--font) !important; }}"
    sheet = f"{rules} @media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}"
    head, rest = element.split(">", 1)
    head = head.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
    ground = '<rect x="-8" y="-8" width="110%" height="110%" fill="var(--surface)"/>'
    return f'<?xml version="1.0" encoding="utf-8"?>\n{head}><style>{sheet}</style>{ground}{rest}\n'


@cache
def _schemes() -> tuple[str, str]:
    """The variables of the light and of the dark scheme, as declarations."""
    sheet = files("rewear.page").joinpath("style.css").read_text(encoding="utf-8")
    light, dark = (
        " ".join(re.findall(r"--[\w-]+:\s*#[0-9a-f]{6};", part.split("}")[0])) for part in sheet.split(":root {")[1:3]
    )
    return light, dark


def bars(title: str, caption: str, rows: Sequence[Row], x: Axis, names: Iterable[str]) -> Chart:
    """A row a name, with bars in its colour; `bars_of` says what rows have."""
    known = list(dict.fromkeys(names))
    return Chart(title, caption, bars_of(rows), x, Axis(names=known), colours_of(known), legend=False)


def lines(
    title: str, caption: str, rows: Sequence[Row], x: Axis, y: Axis, names: Iterable[str] = (), **style: Any
) -> Chart:
    """A line for each series, in the colours of the names, or of the series in their order."""
    known = list(names) or [str(row["series"]) for row in rows]
    return Chart(title, caption, [Layer("line", rows, style)], x, y, colours_of(known))


def ranges(
    title: str, caption: str, spans: Sequence[tuple[str, float, float, str]], x: Axis, blue: str, *more: Layer
) -> Chart:
    """A bar a name, from the least to the most; `spans` have name, both ends and their text. One is `blue`."""

    def seen(low: float, high: float) -> float:
        # A range of hardly any width must be seen.
        return max(high, low * 1.02 if x.log else low + (x.most or high) / 200)

    rows = [
        {"y": name, "x": low, "x2": seen(low, high), "series": str(name == blue), "tip": f"{name}: {text}"}
        for name, low, high, text in spans
    ]
    names, bars = Axis(names=[name for name, *_ in spans]), Layer("bar", rows, {"height": {"band": 0.6}})
    return Chart(title, caption, [bars, *more], x, names, colours_of(("False", "True")), legend=False)
