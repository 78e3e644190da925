"""What terminal, page, Markdown and notebook print of each product: its `Answer`."""

from importlib import import_module
from typing import Any

from rewear.page.blocks import Answer

_SCREENS = {
    "Advice": "advice.advice_answer",
    "Analysis": "analysis.analysis_answer",
    "Comparison": "comparison.comparison_answer",
    "Results": "sweep.sweep_answer",
}


def answer_of(result: object, **options: Any) -> Answer:
    """The answer of a result; the same result gives the same bytes."""
    module, _, name = _SCREENS[type(result).__name__].partition(".")
    found: Answer = getattr(import_module(f"rewear.shown.{module}"), name)(result, **options)
    return found
