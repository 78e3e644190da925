"""Results of a sweep in sentences, and names of its axes."""

from collections.abc import Collection, Sequence
from statistics import geometric_mean

from rewear.core.workload import workloads
from rewear.figures.metrics import Metric
from rewear.figures.uncertainty import Interval
from rewear.figures.units import change_in_words, format_ratio
from rewear.sweep.figures import Group, figure_title, groups_of, reference_of, value_of
from rewear.sweep.grid import CASE, Axis
from rewear.sweep.results import Results

_UNITS = {
    "_ns": "ns",
    "_bytes": "bytes",
    "over_provisioning": "spare flash over exported capacity",
    "threshold": "share of the blocks",
    "queue_depth": "requests in flight",
    "_s": "s",
}
"""Unit by the end of a key; the first that fits counts."""


def axis_title(axis: Axis) -> str:
    """The name of an axis with the unit of what it sets, where that is one thing that has a unit."""
    keys = {key for point in axis.points for key in point.settings}
    unit = _unit(keys.pop()) if len(keys) == 1 else ""
    return f"{axis.name} ({unit})" if unit else axis.name


def _unit(key: str) -> str:
    if key.startswith("workload."):
        name = key.removeprefix("workload.")
        found = {each["unit"] for workload in workloads() for each in workload["parameters"] if each["name"] == name}
        return found.pop() if len(found) == 1 else ""
    return next((unit for end, unit in _UNITS.items() if key.endswith(end)), "")


def place_of(group: Group, without: Collection[str] = ()) -> str:
    """Where runs lie, as in `victim = greedy, over-provisioning = 0.07`, some axes left out."""
    if CASE in group.coordinates:
        return group.coordinates[CASE]
    return ", ".join(f"{name} = {label}" for name, label in group.coordinates.items() if name not in without)


def finding(results: Results, metric: Metric, short: bool = False) -> str:
    """Where a figure is best and how far that is from the reference, or from the worst; `short` leaves the latter out.

    Axes on which the figure does not depend there are not named. Runs that are too short to tell it are left out. A
    workload is not chosen: the drive that is best over all of them is. Empty where nothing can be said.
    """
    groups = groups_of(results)
    known = [(group, value) for group in groups if (value := value_of(metric, group)) is not None]
    title = figure_title(metric)
    if known and all(group.is_too_short_for(metric) for group, _ in known):
        return f"{title}: all runs are too short to tell"
    known = [(group, value) for group, value in known if not group.is_too_short_for(metric)]
    if len(known) < 2:
        return ""
    low, high = min(known, key=_mean), max(known, key=_mean)
    if metric.text(low[1].mean) == metric.text(high[1].mean):
        return f"{title} is {metric.text(low[1].mean)} everywhere"
    if metric.lower_is_better is None:
        least, most = metric.text(low[1].mean), metric.text(high[1].mean)
        return f"{title} goes from {least} at {place_of(low[0])} to {most} at {place_of(high[0])}"
    replayed = [axis.name for axis in results.description.axes if axis.is_workload]
    if len({tuple(group.coordinates.get(name) for name in replayed) for group, _ in known}) > 1:
        return _over_workloads(metric, known, replayed)
    (best, value), word = (low, "least") if metric.lower_is_better else (high, "most")
    where = place_of(best, _idle_axes(known, best, value))
    said = f"{title} is {word}{f' at {where}' if where else ''}: {metric.text(value.mean)}"
    if short:
        return said
    return f"{said}{_beside(results, metric, best, value, groups) or _spread(metric, known, value)}"


def _over_workloads(metric: Metric, known: Sequence[tuple[Group, Interval]], replayed: Sequence[str]) -> str:
    """The drive whose figure is best over all workloads: by the geometric mean, since they differ in their level."""
    drives: dict[str, list[float]] = {}
    for group, value in known:
        drives.setdefault(place_of(group, replayed), []).append(value.mean)
    most = max(map(len, drives.values()))
    whole = {place: values for place, values in drives.items() if len(values) == most and min(values) > 0}
    title, over = figure_title(metric), " and ".join(replayed)
    if len(whole) < 2:
        values = [value.mean for _, value in known]
        return f"{title} goes from {metric.text(min(values))} to {metric.text(max(values))} by {over}"
    choose = min if metric.lower_is_better else max
    best = choose(whole, key=lambda place: geometric_mean(whole[place]))
    word = "least" if metric.lower_is_better else "most"
    low, high = metric.text(min(whole[best])), metric.text(max(whole[best]))
    return f"{title} is {word} at {best}: {low} to {high} by {over}"


def _idle_axes(known: Sequence[tuple[Group, Interval]], best: Group, value: Interval) -> set[str]:
    """The axes along which the figure stays what it is at the best place."""
    idle = set(best.coordinates)
    for group, other in known:
        changed = [name for name, label in best.coordinates.items() if group.coordinates.get(name) != label]
        if len(changed) == 1 and abs(other.mean - value.mean) > 0.0005 * abs(value.mean):
            idle.discard(changed[0])
    return idle


def _beside(results: Results, metric: Metric, best: Group, value: Interval, groups: Sequence[Group]) -> str:
    """How far the best is from what it is related to."""
    reference = reference_of(results, best, groups)
    base = None if reference is None else value_of(metric, reference)
    if reference is None or base is None or not base.mean:
        return ""
    return f", {change_in_words(value.mean / base.mean)} {place_of(reference)}"


def _spread(metric: Metric, known: Sequence[tuple[Group, Interval]], best: Interval) -> str:
    """How far the worst is from the best."""
    worst = max(known, key=lambda each: abs(each[1].mean - best.mean))
    text = f"{metric.text(worst[1].mean)} at {place_of(worst[0])}"
    return f"; {format_ratio(worst[1].mean, best.mean)} that, {text}" if best.mean else f"; {text}"


def _mean(each: tuple[Group, Interval]) -> float:
    return each[1].mean
