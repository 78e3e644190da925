"""What a section of the study consists of."""

from collections.abc import Callable
from typing import Any

__all__ = ["Jobs"]

Jobs = dict[str, list[Callable[[], Any]]]
"""Tables of a section by name; each row is the result of a call without arguments, from any thread."""
