"""Which runs draw their requests, so that another seed is another run."""

from collections.abc import Mapping
from typing import Any

_IN_ORDER = ("sequential", "hot-s", "hot-r", "cold")
"""Workloads that draw nothing: Hot-R's permutation is fixed."""
_DRAWN_WITH = ("order=", "read=", "poisson", "bursts")
"""The key that makes one of these draw all the same."""
_DRAWN_BELOW = {"reuse.flip_rate": 1.0, "reuse.success_probability": 1.0}
"""Settings by which the drive draws, whatever the requests are, unless they have this value."""


def draws(settings: Mapping[str, Any]) -> bool:
    """True if a run with these settings uses random numbers.

    A trace is the same under every seed.
    """
    workload = settings.get("workload")
    if not isinstance(workload, str):
        return False
    names = {phase.partition(":")[0].strip() for phase in workload.split(";")}
    in_order = names.issubset(_IN_ORDER) and not any(word in workload for word in _DRAWN_WITH)
    return not in_order or any(settings.get(key, certain) != certain for key, certain in _DRAWN_BELOW.items())
