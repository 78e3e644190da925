"""Sweep files: TOML with everything that is to be run, checked before anything runs."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rewear.core.drive import drives
from rewear.core.errors import near
from rewear.core.files import is_file
from rewear.core.strict import Table
from rewear.sweep.grid import CASE, Axis, Point
from rewear.sweep.settings import Settings, flat_settings, is_number, problem_with

_REFERENCE = "Give the label of a case, or a table of points: {AXIS = LABEL}."
_LONGEST_NAME_BYTES = 200
"""File names have at most 255 bytes, with the endings that are added."""
_AXIS_KEYS = ("key", "values", "labels", "points")


@dataclass(frozen=True, slots=True)
class Description:
    """The content of a sweep file."""

    name: str
    description: str
    region: str
    """`drive`: a workload addresses all of its drive; `common`: the part that all drives of the sweep have."""
    reference: dict[str, str]
    """Coordinates to which others are related: of some axes, or of the case of this label; empty for none."""
    figures: tuple[str, ...]
    """Figures that tables and plots show; empty for the usual."""
    x: str | None
    """Axis along which plots are drawn."""
    base: Settings
    axes: tuple[Axis, ...]
    cases: tuple[Point, ...]
    quick: Settings
    """Further settings of a trial run, such as fewer requests."""


def parse(root: Table, folder: Path, *, also: Collection[str] = ()) -> Description:
    """Reads the root table of a sweep file, whose `folder` is where the files lie that it names.

    Keys in `also` are passed over: they are for somebody else.
    """
    own = {key: value for key, value in root.content.items() if key not in also}
    return _Parser(Table(own, root.path, root.text), folder).description()


class _Parser:
    """Goes through the document."""

    def __init__(self, root: Table, folder: Path) -> None:
        self.root, self.folder = root, folder

    def description(self) -> Description:
        """The whole file."""
        root = self.root
        base, quick = (self.settings(root.content.get(key, {}), root, key) for key in ("base", "quick"))
        axes = tuple(self.axis(root.table("axes"), name) for name in root.get("axes", dict, {}))
        self.check_overlap(axes)
        cases = self.cases()
        names = [axis.name for axis in axes]
        found = Description(
            name=self.name(),
            description=root.line("description", ""),
            region=root.word("region", ("drive", "common"), "drive"),
            reference=self.reference(axes, cases),
            figures=root.texts("figures", ()),
            x=self.axis_name("x", names),
            base=base,
            axes=axes,
            cases=cases,
            quick=quick or {"replay.max_requests": 10_000},
        )
        root.close("base", "quick", "reference")
        return found

    def name(self) -> str:
        """The name of the sweep, after which its results are called: a name, and no way to another folder."""
        name: str = self.root.get("name", str, self.root.path.stem)
        fits = 0 < len(name.encode(errors="replace")) <= _LONGEST_NAME_BYTES and not name.startswith(".")
        if "name" in self.root and not (fits and name.isprintable() and not set(name) & set("/\\")):
            self.root.wrong(
                "name",
                f"name is {name!r}, which cannot be a file name. Use at most {_LONGEST_NAME_BYTES} bytes without "
                "slashes or control characters, not beginning with a dot; --out names a file elsewhere.",
            )
        return name

    def axis_name(self, key: str, names: list[str]) -> str | None:
        """The name of an axis that exists."""
        name: str | None = self.root.get(key, str, None)
        if name is not None and name not in names:
            self.root.wrong(key, f"There is no axis {name!r}.{near(name, names)} The axes are: {', '.join(names)}.")
        return name

    def settings(self, content: Any, table: Table, *place: str) -> Settings:
        """The settings that stand at a place of a table, flattened and checked."""
        if not isinstance(content, dict):
            table.refuse(place, f'{place[-1]} is {content!r}. Give a table of settings: {{drive = "qlc"}}.')
        found: Settings = {}
        for key, value, path in flat_settings(content):
            problem = problem_with(key, value) or self.missing_file(key, value)
            if problem is None and key in found:
                problem = f"{key} is set twice, as a quoted key and in a table. Keep one."
            if problem is not None:
                table.refuse((*place, *path), problem)
            found[key] = value
        return found

    def missing_file(self, key: str, value: Any) -> str | None:
        """The fault of a setting that names a drive or a trace which does not exist."""
        if key == "drive" and value not in drives() and not is_file(self.folder / value):
            hint = near(value, drives())
            return f"There is no drive {value!r}.{hint} Give a preset, or a TOML file seen from {self.folder}."
        if key == "trace" and not is_file(self.folder / value):
            return f"There is no trace {value!r}. Give a file, seen from {self.folder}."
        return None

    def axis(self, axes: Table, name: str) -> Axis:
        """An axis in one of its three forms."""
        given = axes.content[name]
        if name == CASE:
            axes.wrong(name, f"An axis cannot be called {CASE!r}: that is where cases stand. Give it another name.")
        if isinstance(given, list):
            return self.axis_of_values(name, axes, name, name, given, None)
        if not isinstance(given, dict) or not given:
            axes.wrong(
                name, f"The axis {name!r} is no list. Give its values, or a table with key and values, or points."
            )
        table = axes.table(name)
        for key in given:
            if key not in _AXIS_KEYS:
                hint = near(key, _AXIS_KEYS) or f" Axes are named in quotes if they hold dots: {name + '.' + key!r}."
                table.wrong(key, f"unknown key {key!r}.{hint} An axis has: {', '.join(_AXIS_KEYS)}.")
        if "points" in given:
            return self.axis_of_points(name, table)
        if not isinstance(given.get("key"), str) or not isinstance(given.get("values"), list):
            axes.wrong(name, f"The axis {name!r} needs a key (a text) and values (a list), or points.")
        return self.axis_of_values(name, table, "values", given["key"], given["values"], given.get("labels"))

    def axis_of_values(self, name: str, table: Table, at: str, key: str, values: list[Any], labels: Any) -> Axis:
        """An axis that varies one setting; its values stand at `at` of a table."""
        if not values:
            table.wrong(at, f"The axis {name!r} has no value. Give at least one.")
        for value in values:
            problem = problem_with(key, value) or self.missing_file(key, value)
            if problem is not None:
                table.wrong(at, f"axis {name!r}: {problem}")
        names = [_label(value) for value in values] if labels is None else labels
        if not isinstance(names, list) or len(names) != len(values) or not all(isinstance(text, str) for text in names):
            table.wrong("labels", f"labels of the axis {name!r}: give {len(values)} texts, one a value.")
        for label in names:
            if names.count(label) > 1:
                table.wrong(at, f"The axis {name!r} has {label!r} twice. Leave one out.")
        return Axis(name, tuple(map(_point, names, [key] * len(values), values)))

    def axis_of_points(self, name: str, table: Table) -> Axis:
        """An axis whose points have names and set what they like."""
        points = table.content["points"]
        if len(table.content) > 1 or not isinstance(points, dict) or not points:
            table.wrong(None, f"The axis {name!r}: give either points, as {{LABEL = {{settings}}}}, or key and values.")
        found = {label: self.settings(content, table, "points", label) for label, content in points.items()}
        return Axis(name, tuple(Point(label, label, settings) for label, settings in found.items()))

    def check_overlap(self, axes: tuple[Axis, ...]) -> None:
        """Refuses two axes that set the same key: the later would undo the earlier."""
        setter: dict[str, str] = {}
        for axis in axes:
            for key in {key for point in axis.points for key in point.settings}:
                if key in setter:
                    problem = f"The axes {setter[key]!r} and {axis.name!r} both set {key}. Merge them."
                    self.root.refuse(("axes", axis.name), problem)
                setter[key] = axis.name

    def cases(self) -> tuple[Point, ...]:
        """The runs beside the grid."""
        cases: list[Point] = []
        for table in self.root.tables("case"):
            label = table.content.get("label")
            if not isinstance(label, str):
                table.wrong(None, 'A case needs a label (a text): label = "...".')
            if any(case.label == label for case in cases):
                table.wrong(None, f"Two cases are called {label!r}. Give them different labels.")
            rest = {key: value for key, value in table.content.items() if key != "label"}
            cases.append(Point(label, label, self.settings(rest, table)))
        return tuple(cases)

    def reference(self, axes: tuple[Axis, ...], cases: tuple[Point, ...]) -> dict[str, str]:
        """Where the reference lies."""
        given = self.root.content.get("reference", {})
        if isinstance(given, str):
            if all(case.label != given for case in cases):
                self.root.wrong("reference", f"There is no case {given!r}. {_REFERENCE}")
            return {CASE: given}
        if not isinstance(given, dict):
            self.root.wrong("reference", f"reference is {given!r}. {_REFERENCE}")
        labels = {axis.name: [point.label for point in axis.points] for axis in axes}
        for name, value in given.items():
            if name not in labels:
                self.root.wrong("reference", f"There is no axis {name!r}. The axes are: {', '.join(labels)}.")
            if _label(value) not in labels[name]:
                known = ", ".join(labels[name])
                self.root.wrong("reference", f"The axis {name!r} has no point {_label(value)!r}. It has: {known}.")
        return {name: _label(value) for name, value in given.items()}


def _point(label: str, key: str, value: Any) -> Point:
    return Point(label, value if isinstance(value, str | bool) or is_number(value) else label, {key: value})


def _label(value: Any) -> str:
    """A value as a label: as it stands in a file, texts without quotes, files without folders and ending."""
    if isinstance(value, str):
        return Path(value).stem if value.endswith((".toml", ".rwt")) else value
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)
