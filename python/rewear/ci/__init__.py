"""Write amplification as a test: a benchmark's recordings on drives at several fills, beside those of a base."""

from rewear.ci.budget import Budget, Spending, spend
from rewear.ci.comment import comment
from rewear.ci.judgement import FIGURES, JUDGED, Judged, Judgement, check_larger, judge
from rewear.ci.measurement import Cell, Measurement, Recorded
from rewear.ci.recordings import record_runs
from rewear.ci.replays import DRIVES, FILLS, check_size, footprint, measure

__all__ = [
    "DRIVES",
    "FIGURES",
    "FILLS",
    "JUDGED",
    "Budget",
    "Cell",
    "Judged",
    "Judgement",
    "Measurement",
    "Recorded",
    "Spending",
    "check_larger",
    "check_size",
    "comment",
    "footprint",
    "judge",
    "measure",
    "record_runs",
    "spend",
]
