"""Puts pages into the one template, with stylesheet, script and data: one file that fetches nothing."""

import html
import json
import re
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined

from rewear._core import version
from rewear.page.blocks import Answer, Markdown, judged
from rewear.page.chart import svg_of


def rendered(answer: Answer, command: str | None = None) -> str:
    """The answer as HTML text; the same answer gives the same bytes. `command` is shown as what made it."""
    environment = Environment(
        loader=PackageLoader("rewear.page", "."),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    # Within an element of this kind only the end of a script must not occur.
    data = None if answer.data is None else json.dumps(answer.data, ensure_ascii=False, separators=(",", ":"))
    return environment.get_template("page.html.j2").render(
        answer=answer,
        kind_of=lambda block: type(block).__name__.lower(),
        svg_of=svg_of,
        html_of=_html_of,
        judged=judged,
        style=_file("style.css"),
        script=_file("interactive.js"),
        data=None if data is None else data.replace("<", "\\u003c"),
        version=version(),
        command=command,
    )


def _html_of(block: Markdown) -> str:
    """A text of Markdown: headings have the names to which its links lead, pictures are drawn, other files left out."""
    from markdown_it import MarkdownIt

    text = MarkdownIt("commonmark", {"html": False}).enable("table").render(block.text)
    text = re.sub(
        r"<(h[23])>(.*?)</h[23]>", lambda found: f'<{found[1]} id="{_slug(found[2])}">{found[2]}</{found[1]}>', text
    )
    text = re.sub(r'<a href="(?!#)[^"]*">(.*?)</a>', r"\1", text)
    text = text.replace("<table>", '<div class="scroll"><table class="figures claims">').replace(
        "</table>", "</table></div>"
    )
    for word, good in block.judged.items():
        text = text.replace(f"<strong>{word}", f'<strong class="change {judged(good)}">{word}')

    def drawn(found: re.Match[str]) -> str:
        chart = block.charts[found[1]]
        wide = ' class="wide"' if chart.wide else ""
        return f"<figure{wide}>{svg_of(chart)}</figure>"

    return re.sub(r'<p><img src="(?:[^"]*/)?([^"/]*)\.svg"[^>]*/></p>', drawn, text)


def _slug(heading: str) -> str:
    """The name of a heading in links, as code hosts make it."""
    words = html.unescape(re.sub(r"<[^>]+>", "", heading)).lower()
    return re.sub(r"[^\w\- ]", "", words).replace(" ", "-")


def _file(name: str) -> str:
    return files("rewear.page").joinpath(name).read_text(encoding="utf-8")
