"""A figure of the page."""

from dataclasses import dataclass

__all__ = ["Plot"]


@dataclass(frozen=True, slots=True)
class Plot:
    """A figure with its title and a sentence that says how to read it."""

    title: str
    caption: str
    svg: str
