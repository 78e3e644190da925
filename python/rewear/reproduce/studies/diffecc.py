"""Differentiated ECC: overlap of reads and writes, the separator, and why the steps differ."""

from collections.abc import Mapping
from typing import Any

from rewear.drive import Drive
from rewear.physics import CellModel
from rewear.reproduce.studies.common import trace_of

__all__ = ["errors", "overlap", "separator"]


def overlap(sources: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Figures 1 and 2: shares of 8 KiB pages by role, over the whole trace and within one of 80 intervals."""
    found: dict[str, dict[str, float]] = {
        "only_read": {}, "only_written": {}, "shared": {}, "shared_within_intervals": {}, "separation": {}
    }  # fmt: skip
    for name, source in sources.items():
        figures = trace_of(source).analyse()["overlap"]
        whole = sum(figures[kind] for kind in ("only_read", "only_written", "shared"))
        for kind in ("only_read", "only_written", "shared"):
            found[kind][name] = figures[kind] / whole
        within = figures["shared_share_within_intervals"]
        found["shared_within_intervals"][name] = within
        found["separation"][name] = within / figures["shared_share"] if figures["shared_share"] else 0.0
    return found


def separator() -> dict[str, Any]:
    """Section IV.A: sizes of the separator, its weights and the bit of each page, from the drive's own figures."""
    drive = Drive("diffecc-mlc", set={"effort.scheme": "differentiated-ecc"})
    settings = drive.configuration["effort"]["separator"]
    derived = {item["key"]: item["value"] for item in drive.derived}
    return {
        "settings": {key: value for key, value in settings.items() if not isinstance(value, dict | list)},
        "lists": {key: str(value) for key, value in settings.items() if isinstance(value, list)},
        "history_bytes": next((value for key, value in derived.items() if "history" in key), None),
    }


def errors(cycles: float, retention_hours: float, wider: float) -> dict[str, Any]:
    """Raw bit error rate of a doubled step, and until which age each code reads it."""
    model = CellModel()
    step = model.step_v
    fine, coarse = (float(model.rber(step * ratio, cycles, retention_hours)) for ratio in (1.0, 2.0))
    limits = model.limits()
    bch = float(limits["bch"]["rber"])
    hard, soft = (float(limits["ldpc"][place]["rber"]) for place in (0, -1))
    lives = [float(life) for life in model.cycles_until([bch, soft], 2 * step, retention_hours)]
    return {
        "rber_ratio": coarse / fine,
        "normal_below_bch": fine < bch,
        "doubled_beyond_bch": coarse > bch,
        "doubled_within_ldpc": coarse < soft,
        "ldpc_over_bch_limit": soft / bch,
        "hard_ldpc_over_bch_limit": hard / bch,
        "life_under_bch": lives[0],
        "life_under_ldpc": lives[1],
        "wider": wider,
    }
