"""Synthetic workloads: requests from a seeded generator instead of a file."""

import json
from typing import Any, NamedTuple

from rewear import _core
from rewear.core.analysis import Analysis
from rewear.core.ask import ask


def workloads() -> list[dict[str, Any]]:
    """Every generator with its parameters: names, meaning, units and defaults."""
    catalogue: list[dict[str, Any]] = ask("workloads")
    return catalogue


class Region(NamedTuple):
    """Properties of the drive that a workload takes where its description does not say."""

    pages: int
    """Pages that are addressed; in a comparison those of the smallest drive, so that all get the same requests."""
    page_bytes: int
    """Size of a page."""
    seed: int
    """Seed of the generator."""


class Workload:
    """A synthetic workload, described as `NAME:key=value,key=value`.

    Examples:
        >>> import rewear
        >>> rewear.Workload("zipf:theta=0.99,requests=1000")
        <rewear.Workload 'zipf:theta=0.99,requests=1000'>
    """

    __slots__ = ("_core", "region", "spec")

    def __init__(self, spec: str) -> None:
        """Parses the description; `rewear list workloads` lists generators and parameters.

        Raises:
            ConfigurationError: There is no such generator or parameter, or a value is impossible.
        """
        self._core = _core.Workload(spec)
        self.spec = spec
        self.region: Region | None = None
        """Settings that the description leaves open, once it is settled."""

    def on_region(self, region: "Region") -> "Workload":
        """The same workload with everything settled that its description leaves open."""
        workload = Workload(self.spec)
        workload._core = self._core.on_region(region.pages, region.page_bytes, region.seed)
        workload.region = region
        return workload

    def info(self) -> dict[str, Any]:
        """Draws the whole workload and counts it, as `Trace.info` does."""
        figures: dict[str, Any] = json.loads(self._core.info())
        return figures

    def analyze(self) -> Analysis:
        """Draws the whole workload twice and finds out what it is like, as `Trace.analyze` does."""
        return Analysis(json.loads(self._core.analyse()))

    analyse = analyze  # its former name

    def __repr__(self) -> str:
        return f"<rewear.Workload {self.spec!r}>"
