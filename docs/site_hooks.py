"""Lets pages of the site link to files of the repository: they are copied to `source/`, and links are led there.

Markdown outside docs/ becomes plain text there, as every other source file. A link to a folder becomes words.
"""

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((?!\w+:|#)([^)#\s]+)(#[^)\s]*)?\)")
_wanted: set[str] = set()


def _outside(page: str, target: str) -> str | None:
    """The path from the root of the repository, if a link of a page leaves docs/."""
    path = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page), target))
    return None if path.startswith("docs/") else path


def on_files(files: Files, config: Any) -> Files:
    """Adds the files of the repository that pages name."""
    for file in list(files.documentation_pages()):
        for _, target, _ in _LINK.findall(Path(file.abs_src_path).read_text(encoding="utf-8")):
            path = _outside(file.src_uri, target)
            if path is not None and (ROOT / path).is_file():
                _wanted.add(path)
    for path in sorted(_wanted):
        name = f"source/{path}.txt"
        files.append(File.generated(config, name, content=(ROOT / path).read_bytes()))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Leads links to the copies."""
    here = page.file.src_uri

    def led(found: re.Match[str]) -> str:
        path = _outside(here, found[2])
        if path is None:
            return found[0]
        if path in _wanted:
            return f"[{found[1]}]({posixpath.relpath(f'source/{path}.txt', posixpath.dirname(here) or '.')})"
        if (ROOT / path).is_dir():
            return found[1]
        return found[0]

    return _LINK.sub(led, markdown)
