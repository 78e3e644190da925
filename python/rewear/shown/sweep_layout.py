"""How a sweep is spread over plots: which axis lies along a plot, which is its lines, which are more plots."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rewear.sweep.figures import Group, groups_of
from rewear.sweep.grid import CASE, Axis
from rewear.sweep.results import Results


@dataclass(frozen=True, slots=True)
class Layout:
    """Uses of a sweep's axes."""

    x: Axis | None
    """Lies along the plot; `None` if there are only cases."""
    lines: Axis | None
    """Its points are lines, or bars of a colour."""
    panels: tuple[Axis, ...]
    """Each combination of their points is a plot."""


@dataclass(frozen=True, slots=True)
class Series:
    """The groups of one line or colour, by label of the point along the plot."""

    label: str
    colour: int
    """Position among the colours of drives; 0 is the reference."""
    groups: dict[str, Group]


@dataclass(frozen=True, slots=True)
class Panel:
    """One plot of each figure."""

    label: str
    """Where it lies on the axes that are not drawn; empty if there are none."""
    series: tuple[Series, ...]
    cases: tuple[Series, ...]


def layout_of(results: Results) -> Layout:
    """The axes as the file says.

    Where it does not, the longest numeric axis lies along the plot, and the last of the others is the lines.
    """
    described = results.description
    axes = [axis for axis in described.axes if not axis.repeats]
    varied = [axis for axis in axes if len(axis.points) > 1]
    by_name = {axis.name: axis for axis in axes}
    x, lines = by_name.get(described.x or ""), by_name.get(described.lines or "")
    free = [axis for axis in varied if axis not in (x, lines)]
    if x is None and (free or axes):
        numeric = [axis for axis in free if axis.numeric]
        x = max(numeric, key=lambda axis: len(axis.points)) if numeric else (free or axes)[0]
        free = [axis for axis in free if axis is not x]
    if lines is None and free:
        lines = free.pop()
    return Layout(x, None if lines is x else lines, tuple(free))


def panels_of(results: Results, layout: Layout) -> list[Panel]:
    """The plots of each figure, with the groups of runs that each line goes through."""
    groups = groups_of(results)
    reference = results.description.reference
    names = [""] if layout.lines is None else [point.label for point in layout.lines.points]
    chief = reference.get(layout.lines.name) if layout.lines is not None else None
    colours = _colours(names, chief)
    cases = _cases(groups, reference.get(CASE), max(colours.values()))
    panels = []
    for place in itertools.product(*([(axis.name, point.label) for point in axis.points] for axis in layout.panels)):
        inside = [group for group in groups if set(place) <= set(group.coordinates.items())]
        series = [Series(name, colours[name], _along(inside, layout, name)) for name in names]
        label = ", ".join(f"{name}={point}" for name, point in place)
        panels.append(Panel(label, tuple(line for line in series if line.groups), cases))
    return panels


def _along(groups: Sequence[Group], layout: Layout, line: str) -> dict[str, Group]:
    """The groups of a line, by label along the plot."""
    if layout.x is None:
        return {}
    wanted = {} if layout.lines is None else {layout.lines.name: line}
    return {
        group.coordinates[layout.x.name]: group
        for group in groups
        if layout.x.name in group.coordinates and wanted.items() <= group.coordinates.items()
    }


def _colours(names: Sequence[str], chief: str | None) -> dict[str, int]:
    """A colour for each line: that of the reference for the reference, the others in turn."""
    others: Iterator[int] = itertools.count(1)
    return {name: 0 if name == chief else next(others) for name in names}


def _cases(groups: Sequence[Group], chief: str | None, last_colour: int) -> tuple[Series, ...]:
    found = [group for group in groups if CASE in group.coordinates]
    labels = [group.coordinates[CASE] for group in found]
    colours = {label: colour + (last_colour if colour else 0) for label, colour in _colours(labels, chief).items()}
    return tuple(Series(label, colours[label], {label: group}) for label, group in zip(labels, found, strict=True))
