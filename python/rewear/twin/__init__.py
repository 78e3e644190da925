"""Twins: modelled drives fitted to what real drives write, and how far off they are on what they were not fitted to."""

from rewear.twin.counters import read_counters
from rewear.twin.fit import Fit, Parameter, fit
from rewear.twin.points import Point, read_points
from rewear.twin.predict import Prediction, predict, simulated
from rewear.twin.preset import preset

__all__ = [
    "Fit",
    "Parameter",
    "Point",
    "Prediction",
    "fit",
    "predict",
    "preset",
    "read_counters",
    "read_points",
    "simulated",
]
