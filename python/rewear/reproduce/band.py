"""Where the numbers of a claim must lie: around the paper's number, on one side of a bound, or exactly at a value.

| keys of a part | the band |
|---|---|
| `paper`, `within`, `because` | the paper's number, plus and minus `within`; `because` the reason |
| `paper = [LOW, HIGH]` | the range that the paper gives, `within` wider on both sides |
| `paper = {LABEL = NUMBER}` | a number for each label of `each` |
| `at_least` or `at_most`, `because` | an order or a sign: one side only |
| `equals` | exactly that |
"""

from dataclasses import dataclass
from typing import Any

from rewear.core.strict import Table


@dataclass(frozen=True, slots=True)
class Band:
    """Where a number must lie."""

    paper: tuple[float, float] | None
    """The paper's number, twice, or the range that it gives; `None` for an order."""
    low: float | None
    high: float | None


def parse_bands(table: Table, labels: tuple[str, ...]) -> tuple[dict[str, Band], str]:
    """The bands of a part by label (empty: of every label), and why they are as wide as they are.

    A part with `equals` has none. Labels may have a band each.
    """
    because = table.line("because", "")
    given = [key for key in ("paper", "at_least", "at_most", "equals") if key in table]
    if len(given) != 1:
        table.wrong(None, "A part has one of: paper (with within), at_least, at_most, equals.")
    within = table.number("within") if given == ["paper"] else 0.0
    if within < 0:
        table.wrong("within", "within must be at least 0.")
    if "within" in table and given != ["paper"]:
        table.wrong("within", f"`within` is the width of a band around `paper`; a part with `{given[0]}` has none.")
    if not because and given != ["equals"]:
        table.wrong(None, "`because` is missing: a band needs the reason for its width.")
    if given == ["paper"]:
        return _around(table, labels, within), because
    if given == ["equals"]:
        return {}, because
    return {"": Band(None, table.number("at_least", None), table.number("at_most", None))}, because


def _around(table: Table, labels: tuple[str, ...], within: float) -> dict[str, Band]:
    paper: Any = table.get("paper", (int, float, list, dict))
    if not isinstance(paper, dict):
        return {"": _band(table, paper, within)}
    if labels and set(paper) != set(labels):
        table.wrong("paper", f"paper has numbers for {', '.join(paper)}, labels names {', '.join(labels)}.")
    return {label: _band(table, number, within) for label, number in paper.items()}


def _band(table: Table, paper: Any, within: float) -> Band:
    ends = paper if isinstance(paper, list) else [paper, paper]
    numbers = [float(end) for end in ends if isinstance(end, int | float) and not isinstance(end, bool)]
    if len(numbers) != 2 or len(ends) != 2 or numbers[0] > numbers[1]:
        table.wrong("paper", f"paper is {paper!r}. Give a number, or a range as [LOW, HIGH].")
    return Band((numbers[0], numbers[1]), numbers[0] - within, numbers[1] + within)
