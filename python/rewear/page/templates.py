"""The templates and the stylesheet that all pages share."""

from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from rewear._core import version

__all__ = ["render_template"]


def render_template(template: str, /, **values: Any) -> str:
    """The page of a template of this folder, with the stylesheet and the version put in."""
    environment = Environment(
        loader=PackageLoader("rewear.page", "."),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    style = files("rewear.page").joinpath("style.css").read_text(encoding="utf-8")
    return environment.get_template(template).render(style=style, version=version(), **values)
