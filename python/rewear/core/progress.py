"""Messages of a replay about itself while it runs."""

from collections.abc import Callable
from typing import NamedTuple


class Progress(NamedTuple):
    """How far a replay has come."""

    phase: str
    """The step under way: numbering pages, filling, overwriting until steady, replaying."""
    done: int
    """Units done in this phase: bytes or requests of the source, or pages of the drive while it is filled."""
    total: int | None
    """Units of this phase, or `None` if the length of the source is not known."""


ProgressCallback = Callable[[Progress], object]
"""Called a few times a second; an exception that it raises ends the work and goes to the caller."""
