"""Which drive to buy for a workload, how long it lives, and whether a technique would help: `rewear.advise()`."""

from rewear.advice.advice import Advice
from rewear.advice.advise import advise
from rewear.advice.chips import Chip, chip, chips
from rewear.advice.row import Row

__all__ = ["Advice", "Chip", "Row", "advise", "chip", "chips"]
