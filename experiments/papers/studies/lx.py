"""LX-SSD: its equations, and what traces say about invalid pages."""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

from rewear.core.ask import ask
from rewear.core.workload import Workload
from rewear.reproduce.studies.common import trace_of

_CLASSES = 16


def equations(growths: list[float], decays: list[float]) -> dict[str, Any]:
    """Equations 1 to 4 of section IV, worked out here, beside the drive's own: the largest relative differences."""
    popularity = initial = decayed = 0.0
    for growth in growths:
        for accesses in range(_CLASSES):
            own = (1 + growth) ** accesses
            popularity = max(popularity, _apart(own, ask("lx.popularity", growth=growth, accesses=accesses)))
            # Equation 2: what the popularity has gained, over the most it can gain.
            first = (own - 1) / ((1 + growth) ** 15 - 1)
            initial = max(initial, _apart(first, _probability(growth, 0.0, accesses, 15)))
            for decay in decays:
                for version in range(_CLASSES):
                    now = first * (1 - decay) ** (15 - version)
                    decayed = max(decayed, _apart(now, _probability(growth, decay, accesses, version)))
    versions = {str(position): ask("lx.version", position=position) for position in (0, 1, 2, 14, 15, 16, 100)}
    return {
        "popularity": popularity,
        "initial_probability": initial,
        "decayed_probability": decayed,
        "versions": versions,
    }


def _probability(growth: float, decay: float, accesses: int, version: int) -> float:
    found: float = ask("lx.probability", growth=growth, decay=decay, accesses=accesses, version=version)
    return found


def _apart(one: float, other: float) -> float:
    return abs(one - other) / max(abs(one), abs(other), 1e-300)


def invalid_pages(sources: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Figures 1 to 4 and section III.B on an ideal drive that erases nothing."""
    found: dict[str, dict[str, float]] = {}
    curves: dict[str, dict[str, float]] = {}
    for name, source in sources.items():
        replayed = Workload(source["workload"]) if "workload" in source else trace_of(source)
        analysis, info = replayed.analyse(), replayed.info()
        content = analysis["content"]
        recycling = content["recycling"]
        by = recycling["by_value_accesses"]
        invalid, recycled = sum(c["invalid"] for c in by), sum(c["recycled"] for c in by)
        popular = by[8:]
        requests = info["read"]["requests"] + info["write"]["requests"]
        end = content["moments"][-1]
        row = {
            "overwrite_share": content["overwrite_share"],
            "write_share": info["write"]["requests"] / requests,
            "invalid_over_valid": end["invalid"] / max(1, end["valid"]),
            "recyclable_share": recycling["recyclable_share_second_half"],
            "removed_share": recycling["removed_share"],
            "popular_share": sum(c["invalid"] for c in popular) / invalid,
            "popular_share_of_recycled": sum(c["recycled"] for c in popular) / max(1, recycled),
            "low_popularity_share": sum(c["invalid"] for c in by[:4]) / invalid,
            "unpopular_probability": _share(by[:1]),
            "popular_over_unpopular": _share(popular) / max(1e-9, _share(by[:1])),
            "young_share": sum(recycling["recycled_by_version"][12:]) / max(1, sum(recycling["recycled_by_version"])),
        }
        for key, value in row.items():
            found.setdefault(key, {})[name] = value
        curves[f"probability {name}"] = {
            str(place): c["recycled"] / c["invalid"] if c["invalid"] else 0.0 for place, c in enumerate(by)
        }
        curves[f"share {name}"] = {str(place): c["invalid"] / invalid for place, c in enumerate(by)}
        by_age = list(accumulate(reversed(recycling["recycled_by_version"])))
        curves[f"versions {name}"] = {str(15 - age): count / max(1, by_age[-1]) for age, count in enumerate(by_age)}
    return {**found, **curves}


def _share(classes: Sequence[Mapping[str, int]]) -> float:
    """The part of the invalid pages of some popularities that is recycled."""
    return sum(each["recycled"] for each in classes) / max(1, sum(each["invalid"] for each in classes))
