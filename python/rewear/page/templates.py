"""The templates and the stylesheet that all pages share."""

import json
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from rewear._core import version

__all__ = ["render_template"]


def render_template(template: str, /, data: Any = None, **values: Any) -> str:
    """The page of a template of this folder, with stylesheet, script and version put in.

    `data` is what the figures were drawn from, as plain data: the page carries it and offers it as a file.
    """
    environment = Environment(
        loader=PackageLoader("rewear.page", "."),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    style = _file("style.css")
    text = environment.get_template(template).render(style=style, version=version(), **values)
    script = _file("interactive.js")
    parts = [] if data is None else [_DATA_LINK, _data_element(data)]
    if '<script type="application/json" class="lines">' in text:
        parts.append(
            f"<style>{_file('vendor/uPlot.min.css')}</style><script>{_file('vendor/uPlot.iife.min.js')}</script>"
        )
    return text.replace("</body>", "\n".join([*parts, f"<script>\n{script}</script>", "</body>"]))


def _file(name: str) -> str:
    return files("rewear.page").joinpath(name).read_text(encoding="utf-8")


_DATA_LINK = '<p class="data"><a data-file="rewear.json" hidden>The data of this page (JSON)</a></p>'


def _data_element(data: Any) -> str:
    # Within an element of this kind only the end of a script must not occur.
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json" id="data">{text}</script>'
