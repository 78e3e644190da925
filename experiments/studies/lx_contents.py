"""Contents of LX-SSD's stand-ins from what the paper prints of its traces (section III, Figures 2 to 4): a search.

    python experiments/studies/lx_contents.py [home] [mail] [web]

Two knobs of the content model decide why contents come back: `return`, because they are recent, and `new`, because
they are popular (the less is new, the more is drawn from a pool of popular contents). Requests, addresses and sizes
are Table I's, at the scale of `experiments/papers/lx/traces.toml`. Nothing of the results in Figures 10 to 14 is
looked at. The pool and its skew are part of the search; nothing in it is replaced (`churn=0`), since Figure 3 says
that what is popular stays so. A point is as bad as the sum of the squared relative deviations from what the paper
has: the part of invalid pages that is recyclable, the part of these with a version of 12 to 15, and how far outside
the printed ranges the parts of popular pages (8 accesses and more) and the chance of unpopular ones (none) lie.
"""

import itertools
import re
import sys
import tomllib
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from rewear.reproduce.computation import function_of

PAPERS = Path(__file__).parents[1] / "papers"
invalid_pages = function_of("lx.invalid_pages", PAPERS / "studies")
TRACES = PAPERS / "lx" / "traces.toml"
RECYCLABLE = {"home": 2.8 / 24.1, "mail": 7.4 / 42.2, "web": 2.5 / 15.5}
"""GB of recyclable pages over GB of invalid ones (section III.B)."""
YOUNG = {"home": 0.791, "mail": 0.596, "web": 0.865}
"""Recyclable pages with a version of 12 to 15 (section III.C)."""
RANGES = {
    "popular_share": (0.208, 0.329),
    "popular_share_of_recycled": (0.528, 0.802),
    "unpopular_probability": (0.007, 0.069),
}
"""Of all three traces (section III.C)."""
RETURN = (0.0, 0.02, 0.05)
NEW = (0.6, 0.75)
POOL = ((1_000, 0.8), (5_000, 1.0), (20_000, 1.0))
"""Contents of the pool of a quarter, and the skew of their popularity."""
QUARTER = 4


def spec(name: str, quarter: bool, **keys: float) -> str:
    """The stand-in's description with other contents, whole or a quarter of it."""
    text: str = tomllib.loads(TRACES.read_text(encoding="utf-8"))[name]["workload"]
    part = QUARTER if quarter else 1
    for key in ("pages", "requests"):
        text = re.sub(rf"\b{key}=(\d+)", lambda found, key=key: f"{key}={int(found[1]) // part}", text)
    keys["values"] *= QUARTER // part
    for key, value in {**keys, "churn": 0}.items():
        text, count = re.subn(rf"\b{key}=[^,]+", f"{key}={value:g}", text)
        text = text if count else f"{text},{key}={value:g}"
    return text


def measured(name: str, quarter: bool, keys: dict[str, float]) -> tuple[float, str]:
    """How bad a point is, and a line about it."""
    source = {name: {"workload": spec(name, quarter, **keys)}}
    found = {key: each[name] for key, each in invalid_pages(source).items() if name in each}
    apart = [found["recyclable_share"] / RECYCLABLE[name] - 1, found["young_share"] / YOUNG[name] - 1]
    for key, (low, high) in RANGES.items():
        apart.append(min(0.0, found[key] / low - 1) + max(0.0, found[key] / high - 1))
    bad = sum(each**2 for each in apart)
    shown = ("recyclable_share", "young_share", *RANGES, "removed_share")
    return bad, f"{bad:.3f}  " + "  ".join(f"{key} {found[key]:.3f}" for key in shown)


def point(name: str, returns: float, new: float, pool: tuple[int, float]) -> tuple[float, str, dict[str, float]]:
    """A point of the search."""
    keys = {"return": returns, "new": new, "values": pool[0], "popularity": pool[1]}
    return (*measured(name, True, keys), keys)


def main() -> None:
    """Prints the best points of each trace, the best one whole."""
    with ProcessPoolExecutor() as pool:
        for name in sys.argv[1:] or RECYCLABLE:
            grid = itertools.product((name,), RETURN, NEW, POOL)
            best = sorted(pool.map(point, *zip(*grid, strict=True)), key=lambda each: each[0])
            for _, line, keys in best[:6]:
                print(name, keys, line, flush=True)
            print(name, "whole:", spec(name, False, **best[0][2]), measured(name, False, best[0][2])[1], flush=True)


if __name__ == "__main__":
    main()
