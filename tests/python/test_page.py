"""The page of a comparison."""

import ast
import re
import subprocess
import sys
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
import rewear as api
from conftest import SMALL
from markdown_it import MarkdownIt
from rewear.figures.metrics import metrics_for

COMMAND = ("compare", "--workload", "zipf:theta=0.9,requests=20000,read=0.2", "--precondition", "fill")
DRIVES = ("qlc", "qlc-op28", "<b>odd & long</b> name of a drive=qlc-wom-v")


class Page(HTMLParser):
    """Tags that are not closed, and everything a browser would fetch."""

    VOID = frozenset({"meta", "br", "hr", "img", "link", "input", "path", "use", "rect", "circle", "line"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.fetched: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag not in self.VOID:
            self.open.append(tag)
        self.fetched += [
            value for name, value in attrs if name in ("src", "href", "data", "srcset", "action") and value
        ]

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.fetched += [value for name, value in attrs if name in ("src", "href", "data") and value]

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self.open.pop() == tag


def assert_fetches_nothing(page: str) -> None:
    """Whole, of one file, and no colour of a figure fixed."""
    parser = Page()
    parser.feed(page)
    assert parser.open == []
    assert all(target.startswith("#") for target in parser.fetched)
    assert not {"link", "iframe", "img"} & set(parser.tags)
    assert not re.search(r"<script[^>]*\ssrc", page)
    assert not re.search(r"fetch\(|XMLHttpRequest|import\(|WebSocket", page)
    assert "http" not in page
    assert "@import" not in page
    assert "url(" not in re.sub(r"url\(#[\w-]+\)", "", page)
    figures = "".join(re.findall(r"<svg.*?</svg>", page, re.DOTALL))
    assert not re.search(r"#[0-9a-f]{6}\b", figures), "a colour that does not follow the background"


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> str:
    folder = tmp_path_factory.mktemp("page")
    words = (*COMMAND, *DRIVES, *(word for setting in SMALL for word in ("--set", setting)), "--html", "out/page.html")
    command = [sys.executable, "-m", "rewear", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    assert "out/page.html" in done.stdout
    return (folder / "out/page.html").read_text(encoding="utf-8")


def test_it_fetches_nothing(page):
    assert_fetches_nothing(page)


def test_it_says_what_was_compared(page):
    for words in (
        "flash erased",
        "zipf:theta=0.9,requests=20000,read=0.2",
        "write amplification",
        "rewear compare",
        "seed 1",
        f"Rewear {api.__version__}",
        "flash.pages_per_block",
        "closed loop",
    ):
        assert words in page
    assert "<b>odd" not in page
    assert "&lt;b&gt;odd &amp; long&lt;/b&gt; name of a drive" in page


def test_it_has_a_labelled_figure_for_everything(page):
    assert page.count("<svg") == page.count('role="img"') == 5
    for words in (
        "bytes of flash erased for each byte written",
        "physical pages programmed",
        "response time of writes",
    ):
        assert words in page


def test_its_colours_follow_the_background(page):
    """All come from variables that the dark scheme redefines."""
    used = set(re.findall(r"var\((--[\w-]+)\)", page))
    light, dark = page.split("prefers-color-scheme: dark")[0], page.split("prefers-color-scheme: dark")[1]
    for variable in used - {"--font", "--mono", "--key", "--heat"}:
        assert f"{variable}:" in light
        assert f"{variable}:" in dark


def test_it_is_the_same_every_time(rewear, small_options, tmp_path: Path, page):
    rewear(*COMMAND, *DRIVES, *small_options, "--html", "out/page.html", "--jobs", "1")
    again = (tmp_path / "out/page.html").read_text(encoding="utf-8")
    assert again.replace(" --jobs 1", "") == page


def test_a_name_that_ends_in_md_gets_markdown_with_every_figure(small, tmp_path: Path):
    devices = [("plain", api.Drive("qlc", set=small)), ("odd | <b>*", api.Drive("qlc-wom-v", set=small))]
    found = api.compare(api.Workload("zipf:theta=0.9,requests=20000"), devices, precondition="fill")
    found.save_html(tmp_path / "page.md", command="rewear compare")
    text = (tmp_path / "page.md").read_text(encoding="utf-8")
    html = MarkdownIt("commonmark", {"html": False}).enable("table").render(text)
    cells = [unescape(cell) for cell in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", html)]
    assert cells[:3] == ["", "plain", "odd | <b>*"]
    for metric in metrics_for(found.reports):
        assert metric.title in cells
    assert text.endswith("by `rewear compare`\n")
    assert "<svg" not in text


def test_one_drive_without_an_erase_makes_a_page_too(small):
    comparison = api.compare(api.Workload("sequential:requests=10"), [api.Drive("qlc", set=small)])
    page = comparison.to_html()
    assert "Too short to tell the wear" in page
    assert "Garbage collection never ran" in page


def test_a_multiple_of_the_flash_erased_is_said(small):
    drives = [(f"{spare:g}", api.Drive("qlc", set={**small, "ftl.over_provisioning": spare})) for spare in (1.0, 0.1)]
    comparison = api.compare(api.Workload("uniform:requests=20000"), drives, precondition="fill", no_time=True)
    assert re.search(r"<li [^>]*>0\.1: [^<]*× the flash erased", comparison.to_html())


def test_a_trace_is_described(msr_trace: Path, small):
    drives = [("a", api.Drive("qlc", set=small)), ("b", api.Drive("qlc-op28", set=small))]
    page = api.compare(msr_trace, drives, loops=30).to_html("rewear compare ...")
    for words in ("small.csv", "smallest drive it fits on", "in 30 passes", "50 requests, "):
        assert words in page


def test_pages_import_no_product():
    """Blocks, charts and the template know plain values; products hand them over, and not the reverse."""
    for file in (Path(api.__file__).parent / "page").glob("*.py"):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        names = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
        own = [name for name in names if name.startswith("rewear")]
        assert all(
            name.startswith(
                ("rewear.page", "rewear._core", "rewear.core.files", "rewear.core.printable", "rewear.figures.units")
            )
            for name in own
        ), (
            file.name,
            own,
        )
