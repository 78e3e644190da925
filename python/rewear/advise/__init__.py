"""Which technique helps a workload, at what price, and for how long: `rewear.advise()`."""

from rewear.advise.advice import Advice, Row
from rewear.advise.advise import advise
from rewear.advise.chips import Chip, chip, chips

__all__ = ["Advice", "Chip", "Row", "advise", "chip", "chips"]
