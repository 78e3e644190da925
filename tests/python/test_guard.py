"""The guard of second writes on a recording where they cost more than they save."""

import runpy
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_second_writes_cost_hardly_an_erase_where_they_are_not_worth_it():
    """The bound is that of the notebook, written before the guard: 1.02 of the plain drive's erases."""
    study = runpy.run_path(str(ROOT / "experiments" / "studies" / "second_writes.py"))
    row = study["of_trace"](ROOT / "recordings" / "web.rwt", 0.07)

    def erases(guard: str) -> float:
        drives = ({}, {**study["SECOND"], "reuse.guard": guard})
        return float(study["measure"](row, 0.07, drives, capacities=8, lives=False)["erases"])

    assert erases("none") > 1.05
    assert erases("ghost-list") < 1.02
