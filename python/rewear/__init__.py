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

import json
from typing import Any

from rewear import _core
from rewear.advise import Advice, advise
from rewear.analysis import Analysis
from rewear.bundled import recordings
from rewear.compare import Comparison, Run, compare
from rewear.device import Device, DeviceStatistics
from rewear.drive import Drive, drives
from rewear.errors import ConfigurationError, DeviceError, InternalError, ReplayError, RewearError, TraceError
from rewear.progress import Progress
from rewear.record import RecordedDevice, RecordedFileSystem, record
from rewear.report import ErasesPerBlock, Latency, PagesProgrammed, Report
from rewear.series import Series, SeriesInterval
from rewear.serve import LiveDrive, ServeError
from rewear.trace import Trace, trace_formats
from rewear.workload import Workload, workloads

__version__ = _core.version()

__all__ = [
    "Advice",
    "Analysis",
    "Comparison",
    "ConfigurationError",
    "Device",
    "DeviceError",
    "DeviceStatistics",
    "Drive",
    "ErasesPerBlock",
    "InternalError",
    "Latency",
    "LiveDrive",
    "PagesProgrammed",
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
    "compare",
    "configuration_schema",
    "drives",
    "record",
    "recordings",
    "report_schema",
    "trace_formats",
    "workloads",
]


def configuration_schema() -> dict[str, Any]:
    """JSON schema of a drive's TOML file: every key with its type, unit, meaning and default."""
    schema: dict[str, Any] = json.loads(_core.configuration_schema())
    return schema


def report_schema() -> dict[str, Any]:
    """JSON schema of a report, as `Report.to_dict()` and `rewear run --json` give it: every figure with its meaning."""
    schema: dict[str, Any] = json.loads(_core.report_schema())
    return schema
