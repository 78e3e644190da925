"""Charts that several answers share: bars of drives, lines over an axis."""

from collections.abc import Iterable, Sequence
from typing import Any

from rewear.page.chart import Axis, Chart, Layer, Row, bars_of, colours_of


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
