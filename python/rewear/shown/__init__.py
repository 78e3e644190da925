"""What the terminal and pages print of each product: an `Answer`, or a page of its own."""

from importlib import import_module
from typing import Any

from rewear.page.blocks import Answer, Page

_SCREENS = {
    "Advice": "advice.advice_page",
    "Analysis": "analysis.analysis_page",
    "Comparison": "comparison.comparison_answer",
    "Results": "sweep.sweep_answer",
}


def page_of(result: object, **options: Any) -> Page:
    """The page of a result; the same result gives the same bytes."""
    module, _, name = _SCREENS[type(result).__name__].partition(".")
    found: Answer | Page = getattr(import_module(f"rewear.shown.{module}"), name)(result, **options)
    return found.page if isinstance(found, Answer) else found
