"""Which technique helps a workload, at what price, and for how long: `rewear.advise()`."""

from rewear.advice.advice import Advice, Row
from rewear.advice.advise import advise
from rewear.advice.chips import Chip, chip, chips

__all__ = ["Advice", "Chip", "Row", "advise", "chip", "chips"]
