"""Switches: the same claim with one setting changed, so that one sees on what its verdict hangs.

A switch has no band of its own. Every part of the claim is measured again under it and held against the part's own
band. If the claim does not hold and all parts lie inside under the switch, the setting is the cause; if only some do,
it is a hint. A reading is a switch of several settings that belong together, such as what a unit of a text means.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from rewear.core.strict import Table, read_toml
from rewear.reproduce.number import Number
from rewear.sweep.file import parse
from rewear.sweep.grid import CASE
from rewear.sweep.settings import Settings, flat_settings

K = TypeVar("K")
_ALL = ("", "")


@dataclass(frozen=True, slots=True)
class Switch:
    """One setting that is changed for all parts of a claim."""

    says: str
    experiments: dict[str, str]
    """Experiments that take the place of others; empty if the switch is a place in the same ones."""
    at: dict[str, str]
    """Labels of axes that take the place of the parts' own."""
    figures: dict[str, str]
    """Figures that take the place of the parts' own."""
    key: str
    """The setting that differs; of a reading all of them."""
    before: str
    after: str
    reading: bool = False
    """Whether it is another reading of the paper, whose headline results stand on the first screen, too."""

    def applied(self, number: Number) -> Number:
        """The number of a part under the switch."""
        at = {**number.at, **{axis: label for axis, label in self.at.items() if axis in number.at}}
        experiment = self.experiments.get(number.experiment, number.experiment)
        return replace(number, experiment=experiment, at=at, figure=self.figures.get(number.figure, number.figure))


def parse_switch(table: Table, numbers: list[Number], folder: Path) -> Switch:
    """Reads a switch of a claim whose parts have these numbers; experiments lie in `folder`."""
    says = table.line("says")
    own = list(dict.fromkeys(number.experiment for number in numbers))
    at, reading = table.coordinates("at"), table.get("reading", bool, False)
    experiments = _replaced(table, own)
    figures = _measures(table, numbers)
    if sum(map(bool, (at, experiments, figures))) != 1:
        table.wrong(
            None,
            "A switch has one of `at`, `experiment` and `figure`: where the same runs lie with one setting changed, or "
            "another measure of them.",
        )
    table.close()
    changes: dict[str, tuple[Any, Any]] = {}
    if figures:
        changes["figure"] = (list(figures), list(figures.values()))
    for before, after in experiments.items():
        changes |= _between_files(table, folder, before, after)
    for axis, label in at.items():
        changes |= _between_points(table, folder, numbers, axis, label)
    if not changes or (len(changes) > 1 and not reading):
        found = ", ".join(sorted(changes)) or "nothing"
        table.wrong(
            None,
            f"A switch changes one setting, and nothing else; this one changes {found}. "
            "If these belong together it is another reading of the paper: reading = true.",
        )
    before, after = (", ".join(_word(values[side]) for values in changes.values()) for side in (0, 1))
    return Switch(says, experiments, at, figures, ", ".join(changes), before, after, reading)


def _measures(table: Table, numbers: list[Number]) -> dict[str, str]:
    """Figures by those whose place they take."""
    given: dict[str, Any] = table.get("figure", dict, {})
    for figure in given:
        if figure not in {number.figure for number in numbers}:
            table.wrong("figure", f"No part of the claim is a number of {figure!r}.")
    return {str(figure): str(other) for figure, other in given.items()}


def _replaced(table: Table, own: list[str]) -> dict[str, str]:
    given = table.get("experiment", (str, dict), None)
    if given is None:
        return {}
    if isinstance(given, str):
        if len(own) != 1:
            table.wrong("experiment", f"The parts lie in {', '.join(own)}. Give {{OLD = NEW}} for those that change.")
        return {own[0]: given}
    for name in given:
        if name not in own:
            table.wrong("experiment", f"No part lies in {name!r}. The parts lie in: {', '.join(own)}.")
    return {str(name): str(new) for name, new in given.items()}


def _between_files(table: Table, folder: Path, before: str, after: str) -> dict[str, tuple[Any, Any]]:
    """The settings in which two experiments differ; axes may have more or fewer points."""
    sides = [_experiment(table, folder, name) for name in (before, after)]
    places = [place for place in sides[0] if place in sides[1]]
    one, other = ({(place, key): side[place][key] for place in places for key in side[place]} for side in sides)
    changes: dict[str, list[tuple[Any, Any]]] = {}
    for (_, key), values in _between(one, other).items():
        known = changes.setdefault(key, [])
        if values not in known:
            known.append(values)
    # A setting that several points have counts once, with the values of each.
    return {key: values[0] if len(values) == 1 else _sides(values) for key, values in changes.items()}


def _sides(values: list[tuple[Any, Any]]) -> tuple[Any, Any]:
    return [before for before, _ in values], [after for _, after in values]


def _between_points(
    table: Table, folder: Path, numbers: list[Number], axis: str, label: str
) -> dict[str, tuple[Any, Any]]:
    """The settings in which two points of an axis differ: that of the parts, and that of the switch."""
    changes: dict[str, tuple[Any, Any]] = {}
    asked = {(number.experiment, number.at[axis]) for number in numbers if axis in number.at}
    if not asked:
        table.wrong("at", f"No part of the claim lies at a place of the axis {axis!r}; name it in the parts' `at`.")
    for experiment, own in sorted(asked):
        places = _experiment(table, folder, experiment)
        on_axis = {place: settings for (name, place), settings in places.items() if name == axis}
        for place in (own, label) if on_axis else ():
            if place not in on_axis:
                table.wrong("at", f"The axis {axis} of {experiment} has no {place!r}. It has: {', '.join(on_axis)}.")
        changes |= _between(on_axis.get(own, {}), on_axis.get(label, {}))
    return changes


def _between(one: Mapping[K, Any], other: Mapping[K, Any]) -> dict[K, tuple[Any, Any]]:
    return {key: (one.get(key), other.get(key)) for key in {**one, **other} if one.get(key) != other.get(key)}


def _experiment(table: Table, folder: Path, name: str) -> dict[tuple[str, str], Settings]:
    """The settings of the points of an experiment's axes and of its cases by axis and label; its own without these."""
    path = folder / f"{name}.toml"
    if not path.is_file():
        table.wrong(None, f"There is no experiment {name!r} in {folder}.")
    root = read_toml(path)
    traces = {f"traces.{key}": value for key, value in root.content.get("traces", {}).items() if key != "use"}
    if "study" in root:
        own = {key: root.content.get(key, {}) for key in ("study", "arguments")}
        return {_ALL: {**{key: value for key, value, _ in flat_settings(own)}, **traces}}
    description = parse(root, folder, also=("traces",))
    points = {(axis.name, point.label): point.settings for axis in description.axes for point in axis.points}
    cases = {(CASE, case.label): case.settings for case in description.cases}
    return {_ALL: {**description.base, **traces}} | points | cases


def _word(value: Any) -> str:
    """A value of a setting as a page writes it."""
    if value is None:
        return "the default"
    if isinstance(value, Mapping):
        return ", ".join(f"{label} {_word(each)}" for label, each in value.items())
    if isinstance(value, list):
        return ", ".join(_word(each) for each in value)
    return str(value).lower() if isinstance(value, bool) else str(value)
