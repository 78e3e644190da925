"""A drive: a flash chip plus one scheme for each of the three questions."""

import json
import os
import re
import tomllib
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from rewear import _core
from rewear.core.ask import ask
from rewear.core.errors import ConfigurationError, RewearWarning, near
from rewear.core.files import is_there, read_text
from rewear.core.plain_errors import in_plain_words
from rewear.core.printable import printable
from rewear.core.progress import ProgressCallback
from rewear.core.report import Report
from rewear.core.toml_text import to_toml, to_toml_value, without_nothing
from rewear.core.trace import Trace
from rewear.core.workload import Region, Workload
from rewear.figures.frames import html_table
from rewear.figures.units import parse_share

if TYPE_CHECKING:
    from rewear.core.policy import Policy

Source = Trace | Workload
"""Anything that can be replayed."""

_MOST_SPARE = 4.0
"""Over-provisioning above which a percentage was probably meant."""
_LEAST_NS = {"read_ns": 1_000, "program_ns": 5_000, "erase_ns": 50_000}
"""Times that no flash comes below."""

Setting = str | bool | int | float | list[Any]


def drives() -> dict[str, str]:
    """The presets: name of the drive -> its configuration as TOML text, sorted by name."""
    return dict(sorted(ask("drives").items()))


class Drive:
    """A modelled SSD, built from a preset or a TOML file.

    Examples:
        >>> import rewear
        >>> drive = rewear.Drive("qlc", set={"ftl.over_provisioning": 0.28})
        >>> report = drive.replay(rewear.Workload("uniform:requests=1000"))
        >>> report.complete
        True
    """

    __slots__ = ("_core", "_policy")

    def __init__(self, preset_or_path: str | Path, set: Mapping[str, Setting] | None = None) -> None:
        """Builds the drive that a preset (see `rewear.drives()`) or a TOML file describes.

        Args:
            preset_or_path: Name of a preset, or path of a TOML file. A name that is both is the preset; write `./NAME`
                for the file.
            set: Parameters to change, by dotted key: `{"ftl.over_provisioning": 0.28, "reuse.scheme": "wom-v"}`.
                `rewear list parameters` lists the keys.

        Raises:
            ConfigurationError: The drive does not exist, or its description has an unknown key, a wrong type, or values
                that make no drive.
        """
        text, origin = read_description(preset_or_path)
        self._core = _checked(text, origin, set)
        self._policy: Policy | None = None

    @classmethod
    def from_toml(cls, text: str, origin: str = "<text>", set: Mapping[str, Setting] | None = None) -> "Drive":
        """Builds a drive from TOML text; `origin` stands in error messages for the name of the file."""
        drive = cls.__new__(cls)
        drive._core, drive._policy = _checked(text, origin, set), None
        return drive

    def with_settings(self, set: Mapping[str, Setting]) -> "Drive":
        """The same drive with parameters changed, by dotted key.

        Raises:
            ConfigurationError: A key or value that makes no drive.
        """
        drive = Drive.from_toml(to_toml(without_nothing(self.configuration)), self.name, set=set)
        return drive if self._policy is None else drive.with_policy(self._policy)

    def with_policy(self, policy: "Policy | str | os.PathLike[str] | Callable[[], Any]") -> "Drive":
        """The same drive with a policy in Python in place of its own.

        Args:
            policy: A `Policy`, or what makes one: a Python file, or a class.

        Raises:
            PolicyError: The file cannot be read, or is no policy.
            ConfigurationError: The spare flash has no room for the streams.
        """
        from rewear.core.policy import Policy

        drive = Drive.__new__(Drive)
        drive._policy = policy if isinstance(policy, Policy) else Policy(policy)
        with drive._policy._asked() as asked:
            drive._core = self._core.with_policy(asked)
        return drive

    @property
    def policy(self) -> "Policy | None":
        """The policy in Python, if it has one."""
        return self._policy

    @property
    def name(self) -> str:
        """Name of the drive."""
        return self._core.name

    @property
    def configuration(self) -> dict[str, Any]:
        """The full configuration, defaults included, as nested dictionaries."""
        tables: dict[str, Any] = json.loads(self._core.configuration())
        return tables

    @property
    def derived(self) -> list[dict[str, Any]]:
        """Every quantity that follows from the configuration: `key`, `label`, `value` and `unit` of each."""
        quantities: list[dict[str, Any]] = json.loads(self._core.derived())
        return quantities

    @property
    def exported_bytes(self) -> int:
        """Capacity that the host sees, in bytes."""
        return int(self.quantities["exported_bytes"])

    @property
    def logical_page_bytes(self) -> int:
        """Size of the page that the drive maps, in bytes."""
        return int(self.quantities["logical_page_bytes"])

    @property
    def quantities(self) -> dict[str, Any]:
        """The values of `derived` by their key."""
        return {quantity["key"]: quantity["value"] for quantity in self.derived}

    def show(self) -> str:
        """The derived quantities and the configuration as a readable text (what `rewear show` prints)."""
        from rewear.page.terminal import render_text
        from rewear.shown.drive import drive_tables

        return render_text(*drive_tables(self))

    def replay(
        self,
        source: Source | str | Path,
        *,
        arrival: Literal["trace", "closed"] | None = None,
        queue_depth: int | None = None,
        time_scale: float | None = None,
        precondition: Literal["none", "fill", "steady"] | None = None,
        loops: int | None = None,
        until: Literal["steady"] | None = None,
        max_requests: int | None = None,
        page_barrier: bool = False,
        fit: Literal["dense", "modulo"] | None = None,
        warm_up: int | Literal["steady"] | None = None,
        queues: bool = False,
        interval_s: float | None = None,
        no_time: bool = False,
        log: str | Path | None = None,
        seed: int | None = None,
        progress: ProgressCallback | None = None,
    ) -> Report:
        """Replays a trace or a workload on a fresh copy of this drive. Other Python threads run meanwhile.

        Args:
            source: A `Trace`, a `Workload`, or the path of a trace.
            arrival: `trace` (open loop: requests arrive at the trace's times) or `closed` (closed loop: `queue_depth`
                requests are always outstanding).
            queue_depth: Outstanding requests of the closed loop.
            time_scale: Factor for the trace's times; 10 replays on a clock ten times as slow.
            precondition: State of the drive at the start: `none` (erased), `fill` (every logical page written once) or
                `steady` (filled, then overwritten at random until write amplification is steady).
            loops: How often the source is replayed, one pass after the other. A recording has new contents in each
                pass, equal where they were equal within the pass.
            until: `steady`: after `loops` passes replay further ones until the flash erased for a byte written changes
                no more (`report["long_run"]`).
            max_requests: Maximum number of requests.
            page_barrier: Each page of a request waits for the one before it, as where a host writes page by page.
            fit: What to do with a trace larger than the drive: `dense` (number the pages it touches one by one)
                or `modulo` (wrap addresses around). Without it such a trace is an error.
            warm_up: Number of requests to leave out of the report; `steady`: all until write amplification is.
            queues: Count how many operations wait on each die or plane when a request arrives (`report["queues"]`).
            interval_s: Length in seconds of the intervals of `report["series"]`; without it there is no series.
            no_time: Keep no time, which is faster. Wear, moves, erases and pages programmed are those of a replay with
                time. There are no response times, busy times or energy (`None` in the report). Reads differ on a
                drive with a write buffer or with prefetching.
            log: Parquet file to write with a row for every request and its response time.
            seed: Seed of every random choice, the workload's included unless its description names one.
            progress: Called a few times a second with a `Progress`. An exception that it raises stops the replay.

        Raises:
            PolicyError: A policy in Python raised an exception, gave no answer, or an answer that is none.
            ConfigurationError: An option has an impossible value, or needs time where `no_time` keeps none.
            TraceError: The trace cannot be read, or holds a malformed line.
            ReplayError: The trace reaches beyond the drive, or options contradict each other.
        """
        if time_scale is not None and not 1e-6 <= time_scale <= 1e6:
            raise ConfigurationError(f"A time scale of {time_scale}: give a factor from 0.000001 to 1000000.")
        source = settled(source, [self], seed)
        given = {
            "arrival": arrival,
            "queue_depth": queue_depth,
            "time_scale": time_scale,
            "precondition": precondition,
            "loops": loops,
            "until": until,
            "max_requests": max_requests,
            "page_barrier": page_barrier or None,
            "fit": fit,
            "warm_up": warm_up,
            "queues": queues or None,
            "interval_ns": None if interval_s is None else _nanoseconds(interval_s),
            "no_time": no_time or None,
            "seed": seed,
        }
        options = json.dumps({key: value for key, value in given.items() if value is not None})
        if log is None:
            with self._fresh() as core:
                return Report(json.loads(_core.replay(core, source._core, options, progress, None)))
        # Only here: a log is rare, and the library behind it takes long to load.
        from rewear.core.request_log import request_log

        with request_log(log) as rows, self._fresh() as core:
            return Report(json.loads(_core.replay(core, source._core, options, progress, rows)))

    @contextmanager
    def _fresh(self) -> Iterator[_core.Drive]:
        """The core's drive for one replay, with a policy that remembers nothing of others."""
        if self._policy is None:
            yield self._core
            return
        with self._policy._asked() as asked:
            yield self._core.with_policy(asked)

    def __reduce__(self) -> NoReturn:
        """Refuses to be pickled.

        Raises:
            TypeError: Always: other processes make their drive from its description.
        """
        policy = "" if self._policy is None else f" and the policy {self._policy.name} in Python belongs to this one"
        raise TypeError(f"A drive stays in its process{policy}. Give other processes its TOML text, or its preset.")

    def _repr_html_(self) -> str:
        from rewear.figures.units import format_quantity

        rows = [(each["label"], format_quantity(each)) for each in self.derived]
        return html_table(f"Drive {self.name}", ("", ""), rows)

    def __repr__(self) -> str:
        return f"<rewear.Drive {self.name!r}>"


def _checked(text: str, origin: str, settings: Mapping[str, Setting] | None) -> _core.Drive:
    """The core's drive, with errors in the words of the file; warns of figures that were probably meant otherwise."""
    try:
        core = _core.Drive(text, origin, _overrides(settings or {}))
    except ConfigurationError as error:
        raise ConfigurationError(in_plain_words(str(error))) from None
    configuration = json.loads(core.configuration())
    for doubt in (*_doubts(configuration), *_dropped(text, settings or {}, configuration)):
        warnings.warn(f"{origin}: {doubt}", RewearWarning, stacklevel=3)
    return core


def _dropped(text: str, settings: Mapping[str, Setting], configuration: Mapping[str, Any]) -> list[str]:
    """Keys that a change of scheme takes from a description, and that the new scheme has, too: a sentence each."""
    found = []
    for key, scheme in settings.items():
        table, _, last = key.rpartition(".")
        if last != "scheme" or not table:
            continue
        before, after = _inner(tomllib.loads(text), table), _inner(configuration, table)
        lost = {
            name: value
            for name, value in before.items()
            if name != "scheme"
            and f"{table}.{name}" not in settings
            and after.get(name) != value
            and _is_taken(text, {**settings, f"{table}.{name}": to_toml_value(value)})
        }
        if lost and before.get("scheme") != scheme:
            keep = " ".join(f"--set {table}.{name}={to_toml_value(value)}" for name, value in lost.items())
            found.append(f"{key} = {scheme} sets {', '.join(lost)} back to defaults. To keep them: {keep}")
    return found


def _is_taken(text: str, settings: Mapping[str, Setting]) -> bool:
    """Whether a description takes settings."""
    try:
        _core.Drive(text, "", _overrides(settings))
    except ConfigurationError:
        return False
    return True


def _inner(tables: Mapping[str, Any], path: str) -> Mapping[str, Any]:
    """The table at a dotted path; an empty one where there is none."""
    for name in path.split("."):
        inner = tables.get(name, {})
        tables = inner if isinstance(inner, Mapping) else {}
    return tables


def _doubts(configuration: Mapping[str, Any]) -> list[str]:
    """Figures that can be read in two ways, with both readings."""
    doubts = []
    spare = configuration["ftl"]["over_provisioning"]
    if spare >= _MOST_SPARE:
        doubts.append(
            f"ftl.over_provisioning = {spare:g} is {spare * 100:g}% of spare space, {1 + spare:g}× the flash that "
            f"is exported. For {spare:g}% write {spare / 100:g}."
        )
    timing = configuration["flash"]["timing"]
    for key, least in _LEAST_NS.items():
        values = timing[key] if isinstance(timing[key], list) else [timing[key]]
        if any(0 < value < least for value in values):
            least_value = min(value for value in values if value > 0)
            doubts.append(
                f"flash.timing.{key}: {least_value} nanoseconds are too short for flash. For {least_value} "
                f"microseconds write {least_value * 1000}."
            )
    return doubts


def _nanoseconds(seconds: float) -> int:
    """Whole nanoseconds of a length of time.

    Raises:
        ConfigurationError: It is not above 0 and at most a year.
    """
    if not 0 < seconds <= 366 * 86400:
        raise ConfigurationError(f"An interval of {seconds} seconds: give a length above 0, at most a year.")
    return max(1, round(seconds * 1e9))


def common_region(drives: Sequence[Drive], seed: int | None) -> Region:
    """The region that all of `drives` have, in pages of the first."""
    page_bytes = drives[0].logical_page_bytes
    pages = min(drive.exported_bytes for drive in drives) // page_bytes
    return Region(pages, page_bytes, 1 if seed is None else seed)


def settled(source: Source | str | Path, drives: Sequence[Drive], seed: int | None) -> Source:
    """The trace of a path; a workload with what its description leaves open, as it is on these drives."""
    if isinstance(source, str | Path):
        return Trace(source)
    if isinstance(source, Workload) and source.region is None:
        return source.on_region(common_region(drives, seed))
    return source


def read_description(preset_or_path: str | Path) -> tuple[str, str]:
    """TOML text of a drive, and the name under which errors speak of it."""
    presets = drives()
    name = str(preset_or_path)
    if isinstance(preset_or_path, str) and name in presets:
        return presets[name], f"preset {name!r}"
    name = printable(name)
    if not is_there(preset_or_path):
        raise ConfigurationError(_unknown_drive(name, presets))
    return read_text(preset_or_path, "a TOML file"), name


def _unknown_drive(name: str, presets: Mapping[str, str]) -> str:
    if name.endswith(".toml") or "/" in name:
        return f"There is no file {name}. Give the path of a TOML file, or a preset: {', '.join(presets)}."
    known = f"The presets are: {', '.join(presets)}. Or give the path of a TOML file."
    return f"There is no drive {name!r}.{near(name, presets)} {known}"


_PERCENT = re.compile(r"[0-9]{1,3}(\.[0-9]+)?%")
_TEXTS = ("name", "description")
"""Keys whose values are texts, whatever they look like: 3, true, or what is quoted."""


def _overrides(settings: Mapping[str, Setting]) -> list[tuple[str, str]]:
    """Settings as the core takes them: values as TOML text, bare words allowed for strings, percentages for shares."""
    return [
        (key, _plain(value) if isinstance(value, str) and key not in _TEXTS else to_toml_value(value))
        for key, value in settings.items()
    ]


def _plain(value: str) -> str:
    """`0.07` for `7%`; any other text as it is."""
    return str(parse_share("setting", value)) if _PERCENT.fullmatch(value.strip()) else value
