"""Rewear gets more writes out of every flash erase: replay real workloads on modelled SSDs and compare the drives.

Examples:
    >>> import rewear
    >>> report = rewear.Drive("qlc").replay(rewear.Workload("uniform:requests=1000"))
    >>> report.host_pages_written >= 1000
    True
"""

from rewear import start

# Before the rest is loaded, which takes most of the time in which the command starts.
if start.is_command():
    start.begin()

from rewear import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rewear.advice.advice import Advice
    from rewear.advice.advise import advise
    from rewear.analysis import Analysis
    from rewear.bundled import recordings
    from rewear.comparison import Comparison, Run, compare
    from rewear.device import Device, DeviceStatistics
    from rewear.disk.life import DiskLife, life
    from rewear.drive import Drive, drives
    from rewear.erase_bound import CodedBound, coded_bound
    from rewear.errors import (
        ConfigurationError,
        DeviceError,
        InternalError,
        PolicyError,
        ReplayError,
        RewearError,
        ServeError,
        TraceError,
    )
    from rewear.placement_bound import Bound, bound
    from rewear.policy import Policy
    from rewear.policy_score import Score, score
    from rewear.progress import Progress
    from rewear.recording import RecordedDevice, RecordedFileSystem, record
    from rewear.report import Report, Series, SeriesInterval
    from rewear.serve import LiveDrive
    from rewear.trace import Trace, trace_formats
    from rewear.workload import Workload, workloads

__version__ = _core.version()

__all__ = [
    "Advice",
    "Analysis",
    "Bound",
    "CodedBound",
    "Comparison",
    "ConfigurationError",
    "Device",
    "DeviceError",
    "DeviceStatistics",
    "DiskLife",
    "Drive",
    "InternalError",
    "LiveDrive",
    "Policy",
    "PolicyError",
    "Progress",
    "RecordedDevice",
    "RecordedFileSystem",
    "ReplayError",
    "Report",
    "RewearError",
    "Run",
    "Score",
    "Series",
    "SeriesInterval",
    "ServeError",
    "Trace",
    "TraceError",
    "Workload",
    "advise",
    "bound",
    "coded_bound",
    "compare",
    "configuration_schema",
    "drives",
    "life",
    "record",
    "recordings",
    "report_schema",
    "score",
    "trace_formats",
    "workloads",
]

_PLACES = {
    "rewear.advice.advice": ("Advice",),
    "rewear.advice.advise": ("advise",),
    "rewear.analysis": ("Analysis",),
    "rewear.bundled": ("recordings",),
    "rewear.comparison": ("Comparison", "Run", "compare"),
    "rewear.device": ("Device", "DeviceStatistics"),
    "rewear.disk.life": ("DiskLife", "life"),
    "rewear.drive": ("Drive", "drives"),
    "rewear.erase_bound": ("CodedBound", "coded_bound"),
    "rewear.errors": (
        "ConfigurationError",
        "DeviceError",
        "InternalError",
        "PolicyError",
        "ReplayError",
        "RewearError",
        "ServeError",
        "TraceError",
    ),
    "rewear.placement_bound": ("Bound", "bound"),
    "rewear.policy": ("Policy",),
    "rewear.policy_score": ("Score", "score"),
    "rewear.progress": ("Progress",),
    "rewear.recording": ("RecordedDevice", "RecordedFileSystem", "record"),
    "rewear.report": ("Report", "Series", "SeriesInterval"),
    "rewear.serve": ("LiveDrive",),
    "rewear.trace": ("Trace", "trace_formats"),
    "rewear.workload": ("Workload", "workloads"),
}
"""Where the names of this package are defined: each file is loaded when one of its names is first used."""

if not TYPE_CHECKING:
    _PLACE = {name: place for place, names in _PLACES.items() for name in names}

    def __getattr__(name):
        import importlib

        if name in _PLACE:
            found = getattr(importlib.import_module(_PLACE[name]), name)
        elif name.startswith("_"):
            raise AttributeError(f"module 'rewear' has no attribute {name!r}")
        else:
            try:
                return importlib.import_module(f"rewear.{name}")
            except ModuleNotFoundError as error:
                if error.name != f"rewear.{name}":
                    raise
                raise AttributeError(f"module 'rewear' has no attribute {name!r}", name=name) from None
        globals()[name] = found
        return found

    def __dir__():
        return sorted({*globals(), *__all__})


def configuration_schema() -> "dict[str, Any]":
    """JSON schema of a drive's TOML file: every key with its type, unit, meaning and default."""
    import json

    schema: dict[str, Any] = json.loads(_core.configuration_schema())
    return schema


def report_schema() -> "dict[str, Any]":
    """JSON schema of a report, as `Report.to_dict()` and `rewear run --json` give it: every figure with its meaning."""
    import json

    schema: dict[str, Any] = json.loads(_core.report_schema())
    return schema
