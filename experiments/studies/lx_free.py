"""How much of its writes must fit the drive of LX-SSD's Figure 11 for an unbounded store to leave the paper's erases.

    python experiments/studies/lx_free.py

The paper does not say how full its drives are. Section V.C gives what an unbounded store leaves: 38.2% of the erases
on web. Of home and mail one leaves 30.9% and the other 50.3%; mail leaves 49.7% under 256K entries already, so 30.9%
are its. From this one figure of a trace the free flash F follows, here as a share of the pages W that the trace
writes. experiments/papers/lx/F11-predicted.toml takes these shares and predicts the bounded stores.
"""

import tomllib
from pathlib import Path

from rewear import Drive, Workload

LEFT = {"home": 0.503, "mail": 0.309, "web": 0.382}
"""Erases over those of the plain drive with an unbounded store (Zhou et al., section V.C and Figure 11)."""
UNBOUNDED = {"recycle.scheme": "lx", "recycle.entries": 0, "recycle.popularity": "value-accesses"}
STEPS = 9


def erases(blocks: int, spec: str, settings: dict[str, object]) -> int:
    """Erases of a drive with so many blocks in a plane."""
    drive = Drive("lx-slc", set={"flash.blocks_per_plane": blocks, **settings})
    return drive.replay(Workload(spec), precondition="none", seed=1).erases


def free_share(blocks: int, writes: int) -> float:
    """Pages that are free before cleaning begins, over the pages written."""
    configuration = Drive("lx-slc").configuration
    flash, ftl = configuration["flash"], configuration["ftl"]
    planes = flash["channels"] * flash["dies_per_channel"] * flash["planes_per_die"]
    return float((blocks - 1) * planes * flash["pages_per_block"] * (1 - ftl["gc_threshold"]) / writes)


def search(spec: str, pages: int, writes: int, wanted: float) -> tuple[int, float]:
    """The blocks of a plane by bisection, and the erases left there; more blocks leave less."""
    per_block = free_share(2, writes) * writes
    low, high = int(1.2 * pages / per_block) + 1, int(writes / per_block)
    best = (low, 1.0)
    for _ in range(STEPS):
        middle = (low + high) // 2
        plain = erases(middle, spec, {})
        left = erases(middle, spec, UNBOUNDED) / plain if plain else 0.0
        if abs(left - wanted) < abs(best[1] - wanted):
            best = middle, left
        low, high = (middle, high) if left > wanted else (low, middle)
    return best


def main() -> None:
    """Prints the share of each trace."""
    text = (Path(__file__).parents[1] / "papers" / "lx" / "traces.toml").read_text(encoding="utf-8")
    traces = tomllib.loads(text)
    for name, wanted in LEFT.items():
        trace = traces[name]
        blocks, left = search(trace["workload"], trace["pages"], trace["writes"], wanted)
        share = free_share(blocks, trace["writes"])
        print(f"{name}: free = {share:.3f} ({blocks} blocks a plane; {left:.1%} left, paper {wanted:.1%})", flush=True)


if __name__ == "__main__":
    main()
