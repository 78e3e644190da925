"""Synthetic workloads: requests from a seeded generator instead of a file."""

import json
from typing import Any

from rewear import _core

__all__ = ["Workload", "workloads"]


def workloads() -> list[dict[str, Any]]:
    """Every generator with its parameters: names, meaning, units and defaults."""
    catalogue: list[dict[str, Any]] = json.loads(_core.workloads())
    return catalogue


class Workload:
    """A synthetic workload, described as `NAME:key=value,key=value`.

    >>> import rewear
    >>> rewear.Workload("zipf:theta=0.99,requests=1000")
    <rewear.Workload 'zipf:theta=0.99,requests=1000'>
    """

    __slots__ = ("_core", "spec")

    def __init__(self, spec: str) -> None:
        """Parses the description; `rewear workloads` lists generators and parameters.

        Raises:
            ConfigurationError: There is no such generator or parameter, or a value is impossible.
        """
        self._core = _core.Workload(spec)
        self.spec = spec

    def __repr__(self) -> str:
        return f"<rewear.Workload {self.spec!r}>"
