"""Checks the built site: every local link and picture is there, and nothing is loaded from a network.

    .venv/bin/python docs/check_site.py out/site

The pages of `cargo doc` are checked by `cargo doc` itself; that they are there is checked here.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """Links, assets and names of a page."""

    def __init__(self) -> None:
        """Of an empty page."""
        super().__init__()
        self.links: list[str] = []
        self.assets: list[str] = []
        self.names: set[str] = set()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Collects what a tag names."""
        found = {key: value for key, value in attributes if value is not None}
        if "id" in found:
            self.names.add(found["id"])
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        if tag in ("img", "script", "source", "iframe") and "src" in found:
            self.assets.append(found["src"])
        if tag == "link" and found.get("rel") in ("stylesheet", "icon", "preload"):
            self.assets.append(found["href"])


def read(path: Path) -> Page:
    """Parses a page."""
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def faults(site: Path) -> list[str]:
    """Faults, a line each."""
    pages = {
        path: read(path) for path in sorted(site.rglob("*.html")) if "rust" not in path.relative_to(site).parts[:1]
    }
    found = []
    for path, page in pages.items():
        where = path.relative_to(site)
        found += [f"{where} loads {asset}" for asset in page.assets if urlsplit(asset).scheme in ("http", "https")]
        for link in (*page.links, *page.assets):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or where.name == "404.html":
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            if not target.exists():
                found.append(f"{where} links to {link}")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].names:
                found.append(f"{where} links to {link}, which has no such heading")
    return found


def main() -> None:
    """Prints the faults; exit code 1 if there are any."""
    site = Path(sys.argv[1]).resolve()
    found = faults(site)
    print("\n".join(found) or f"{site}: all links hold")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
