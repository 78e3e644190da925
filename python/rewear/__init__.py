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
    from rewear.advice.advice import Advice
    from rewear.advice.advise import advise
    from rewear.comparison.comparison import Comparison, Run, compare
    from rewear.comparison.erase_bound import CodedBound, coded_bound
    from rewear.comparison.placement_bound import Bound, bound
    from rewear.core.analysis import Analysis
    from rewear.core.ask import ask
    from rewear.core.bundled import recordings
    from rewear.core.drive import Drive, drives
    from rewear.core.errors import (
        ConfigurationError,
        InternalError,
        PolicyError,
        ReplayError,
        RewearError,
        ServeError,
        TraceError,
    )
    from rewear.core.policy import Policy
    from rewear.core.progress import Progress
    from rewear.core.recording import RecordedDevice, RecordedFileSystem, record
    from rewear.core.report import Report, Series, SeriesInterval
    from rewear.core.trace import Trace, trace_formats
    from rewear.core.workload import Workload, workloads
    from rewear.disk.life import DiskLife, life
    from rewear.live.serve import LiveDrive

__version__ = _core.version()

__all__ = [
    "Advice",
    "Analysis",
    "Bound",
    "CodedBound",
    "Comparison",
    "ConfigurationError",
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
    "Series",
    "SeriesInterval",
    "ServeError",
    "Trace",
    "TraceError",
    "Workload",
    "advise",
    "ask",
    "bound",
    "coded_bound",
    "compare",
    "drives",
    "life",
    "record",
    "recordings",
    "trace_formats",
    "workloads",
]

_PLACES = {
    "rewear.advice.advice": ("Advice",),
    "rewear.advice.advise": ("advise",),
    "rewear.core.analysis": ("Analysis",),
    "rewear.core.ask": ("ask",),
    "rewear.core.bundled": ("recordings",),
    "rewear.comparison.comparison": ("Comparison", "Run", "compare"),
    "rewear.disk.life": ("DiskLife", "life"),
    "rewear.core.drive": ("Drive", "drives"),
    "rewear.comparison.erase_bound": ("CodedBound", "coded_bound"),
    "rewear.core.errors": (
        "ConfigurationError",
        "InternalError",
        "PolicyError",
        "ReplayError",
        "RewearError",
        "ServeError",
        "TraceError",
    ),
    "rewear.comparison.placement_bound": ("Bound", "bound"),
    "rewear.core.policy": ("Policy",),
    "rewear.core.progress": ("Progress",),
    "rewear.core.recording": ("RecordedDevice", "RecordedFileSystem", "record"),
    "rewear.core.report": ("Report", "Series", "SeriesInterval"),
    "rewear.live.serve": ("LiveDrive",),
    "rewear.core.trace": ("Trace", "trace_formats"),
    "rewear.core.workload": ("Workload", "workloads"),
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
