"""Twins: modelled drives fitted to what real drives write, and how far off they are on what they were not fitted to."""

from rewear.twin.counters import read_counters
from rewear.twin.expect import Range, expect
from rewear.twin.fit import Fit, Parameter, Rival, fit
from rewear.twin.model import Candidate
from rewear.twin.points import Point, read_points
from rewear.twin.predict import Prediction, predict, twin_of
from rewear.twin.preset import described, preset

__all__ = [
    "Candidate",
    "Fit",
    "Parameter",
    "Point",
    "Prediction",
    "Range",
    "Rival",
    "described",
    "expect",
    "fit",
    "predict",
    "preset",
    "read_counters",
    "read_points",
    "twin_of",
]
