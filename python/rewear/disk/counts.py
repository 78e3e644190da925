"""Whole numbers as people and locales write them."""

import re
from typing import Final

_SEPARATORS: Final = ",.'\u2019_ \u00a0\u2009\u202f"
"""Between groups of digits: comma, dot, apostrophe, underscore, blank and its narrow and unbreakable kinds."""
_GROUPED = re.compile(rf"\d{{1,3}}(?:[{re.escape(_SEPARATORS)}]\d{{2,3}})*(?:[{re.escape(_SEPARATORS)}]\d{{3}})(?!\d)")
_PLAIN = re.compile(r"\d+")


def count(text: str) -> int | None:
    """The whole number at the beginning of a text, its digits grouped or not; `None` where there is none."""
    found = _GROUPED.match(text) or _PLAIN.match(text)
    return int(re.sub(r"\D", "", found[0])) if found and len(found[0]) < 60 else None


def whole_count(text: str) -> int | None:
    """The same where the text has nothing else."""
    found = _GROUPED.fullmatch(text.strip()) or _PLAIN.fullmatch(text.strip())
    return count(found[0]) if found else None
