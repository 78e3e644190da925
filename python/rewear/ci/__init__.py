"""Write amplification as a test: a benchmark's recordings on drives at several fills, beside those of a base."""

from rewear.ci.comment import comment
from rewear.ci.judgement import FIGURES, Judged, Judgement, judge
from rewear.ci.measurement import Cell, Measurement, Recorded
from rewear.ci.recordings import record_runs
from rewear.ci.replays import DRIVES, FILLS, measure

__all__ = [
    "DRIVES",
    "FIGURES",
    "FILLS",
    "Cell",
    "Judged",
    "Judgement",
    "Measurement",
    "Recorded",
    "comment",
    "judge",
    "measure",
    "record_runs",
]
