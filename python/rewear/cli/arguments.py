"""How the command line names drives, traces, workloads and parameters: NAME[:key=value,...] for all of them."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from rewear.core.drive import Drive, Source, drives
from rewear.core.errors import ConfigurationError, near
from rewear.core.files import is_file, is_there
from rewear.core.policy import Policy
from rewear.core.trace import Trace
from rewear.core.workload import Workload
from rewear.figures.units import parse_bytes

_LABEL = re.compile(r"(?P<label>[^=:]+)=(?P<rest>.+)", re.DOTALL)
# A comma separates settings only before another `key=`, so that values may hold commas themselves: `a.b=[1, 2],c.d=3`.
_SEPARATOR = re.compile(r",(?=\s*[A-Za-z_][\w.]*=)")

_EXAMPLE = "ftl.over_provisioning=0.28"

TRACE_OPTIONS = {
    "format": "name of the format, instead of recognising it",
    "skip_bad_lines": "true: count malformed lines and go on, instead of failing at the first",
    "skip_trims": "true: leave trims out, as most published traces do",
    "shift_bytes": "added to every offset; 512 aligns traces of partitions that began at sector 63",
    "volume": "take only the requests of this volume",
    "time_unit": "unit of the times: ns, ticks (100 ns), us, ms or s",
    "event": "which event of a block-layer log is the request: Q(ueued), D (issued to the device) or C(ompleted)",
    "cut_gaps_s": "take out gaps between requests, and steps back of the clock, longer than this number of seconds",
    "columns": "names of the columns of lines in no known format, joined by +: time_us+op+sector+sectors",
    "separator": "separator of these columns: comma, semicolon, tab, bar, blank, colon, at",
    "reads": "words for reads in them, joined by +; * if all requests are reads",
    "writes": "words for writes in them, joined by +; * if all requests are writes",
}
"""Options that may follow the name of a trace, and their meaning."""


def parse_drive(argument: str, settings: Iterable[str] = ()) -> tuple[str, Drive]:
    """Label and drive of `[LABEL=]NAME[:key=value,...]`, NAME a preset or a TOML file.

    The drive's own settings come after the common `settings` and win over them. Without a label the drive is called by
    its name, followed by its own settings (their keys without the table). A file
    whose path holds `=` or `:` is found if it exists as written.
    """
    label, rest = None, argument
    if not _is_drive(argument) and (match := _LABEL.fullmatch(argument)):
        label, rest = match["label"].strip(), match["rest"]
    name, own = (rest, []) if _is_drive(rest) else _split(rest)
    head, colon, tail = name.partition(":")
    if colon and not _is_drive(name) and _is_drive(head):
        raise ConfigurationError(f"{name}: {tail!r} is no setting. Write key=value, as in {head}:{_EXAMPLE}.")
    drive = Drive(name, set=parse_settings([*settings, *own], _EXAMPLE))
    return label or " ".join([drive.name, *map(_short, own)]), drive


def parse_drives(arguments: Sequence[str], settings: Iterable[str] = ()) -> list[tuple[str, Drive]]:
    """`parse_drive` for several."""
    settings = list(settings)
    if not arguments:
        raise ConfigurationError("No drive given. Name one; `rewear list drives` lists the presets.")
    return [parse_drive(argument, settings) for argument in arguments]


def parse_policy(argument: str) -> Policy:
    """The policy of `FILE.py[:key=value,...]`, the keys being parameters of the file."""
    name, own = split_options(argument)
    policy = Policy(name, own)
    policy.ends_process = True
    return policy


def parse_source(trace: str | None, workload: str | None) -> Source:
    """The trace or the workload; exactly one must be given."""
    if trace is not None and workload is None:
        return parse_trace(trace)
    if workload is not None and trace is None:
        return Workload(workload)
    problem = "There is nothing to replay" if trace is None else "Both --trace and --workload are given"
    raise ConfigurationError(f"{problem}. Give either --trace FILE or --workload NAME:key=value,...")


def one_of(name: str, example: str, *given: str | None) -> str:
    """The drive, say, that an argument or an option names.

    Raises:
        ConfigurationError: Neither names one, or both do.
    """
    named = [each for each in given if each is not None]
    if len(named) != 1:
        problem = f"No {name} given" if not named else f"Two {name}s given, {' and '.join(named)}"
        raise ConfigurationError(f"{problem}. Name one, as in {example}.")
    return named[0]


def parse_trace(argument: str) -> Trace:
    """The trace of `FILE[:key=value,...]`, the keys being the options of `rewear.Trace`."""
    name, own = split_options(argument)
    options: dict[str, Any] = {}
    for key, value in own.items():
        if key not in TRACE_OPTIONS:
            known = ", ".join(TRACE_OPTIONS)
            raise ConfigurationError(f"Traces have no option {key!r}.{near(key, TRACE_OPTIONS)} They have: {known}.")
        options[key] = value
    for key in options.keys() & {"skip_bad_lines", "skip_trims"}:
        options[key] = _boolean(key, options[key])
    if "shift_bytes" in options:
        options["shift_bytes"] = parse_bytes("shift_bytes", options["shift_bytes"], 1024)
    if "cut_gaps_s" in options:
        options["cut_gaps_s"] = _seconds("cut_gaps_s", options["cut_gaps_s"])
    return Trace(name, **options)


def split_options(argument: str) -> tuple[str, dict[str, str]]:
    """Name and options of `FILE[:key=value,...]`; one whose path holds `=` or `:` is found as written."""
    name, own = (argument, []) if is_there(argument) else _split(argument)
    return name, parse_settings(own, "key=value")


def _is_drive(name: str) -> bool:
    return name in drives() or is_file(name)


def _split(argument: str) -> tuple[str, list[str]]:
    """Name and settings of `NAME:key=value,key=value`; the settings begin at the last `:` before the first `=`."""
    head, equals, _ = argument.partition("=")
    name, colon, _ = head.rpartition(":")
    if not equals or not colon:
        return argument, []
    return name, [setting.strip() for setting in _SEPARATOR.split(argument[len(name) + 1 :])]


def _short(setting: str) -> str:
    """`over_provisioning=0.28` for `ftl.over_provisioning=0.28`."""
    key, equals, value = setting.partition("=")
    return f"{key.rpartition('.')[2]}{equals}{value}"


def parse_settings(settings: Iterable[str], example: str) -> dict[str, str]:
    """`key=value` texts as a dictionary; a later setting of the same key wins."""
    parsed: dict[str, str] = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals or not key.strip() or not value.strip():
            raise ConfigurationError(f"{setting!r} is not a setting. Write key=value, for instance {example}.")
        # Moves a repeated key to the end, where it stands in the order of the settings.
        parsed.pop(key.strip(), None)
        parsed[key.strip()] = value.strip()
    return parsed


def _boolean(key: str, value: str) -> bool:
    if value not in ("true", "false"):
        raise ConfigurationError(f"{key}={value} is neither true nor false. Write {key}=true.")
    return value == "true"


def _seconds(key: str, value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise ConfigurationError(f"{key}={value} is not a number of seconds. Write it as {key}=60.") from None
