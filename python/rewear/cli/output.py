"""Output to stdout: JSON, lines for programs, and blocks for people."""

import json
import re
import shlex
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from rich.console import Console

from rewear.core.files import write_text
from rewear.core.printable import printable
from rewear.page.blocks import Answer, Part
from rewear.page.terminal import console, pieces, rich_of

# JSON escapes the other control characters itself.
_UNSAFE_IN_JSON = re.compile("[\x7f-\x9f\ud800-\udfff]")


def errors() -> Console:
    """The console of warnings, errors and progress."""
    return console(stderr=True)


def command_line() -> str:
    """The command as it was typed, quoted so that it can be typed again."""
    return shlex.join(["rewear", *sys.argv[1:]])


def print_json(value: Any) -> None:
    """One JSON document on stdout."""
    print(_json(value), end="")


def _json(value: Any) -> str:
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return _UNSAFE_IN_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", text) + "\n"


def print_line(text: str) -> None:
    """A line on stdout as it is, for programs to read; flushed."""
    print(printable(text), flush=True)


def print_text(*parts: Part) -> None:
    """Tables and text on stdout."""
    stdout = console()
    for part in pieces(parts):
        stdout.print(rich_of(part))


def answer(
    as_json: bool,
    document: Callable[[], Any],
    shown: Callable[[], Answer | Iterable[Part]],
    html: Path | None = None,
    below: Iterable[Part] = (),
) -> None:
    """The answer of a command on stdout, as JSON or for people; before it, the page of an `Answer` in a file `html`."""
    told = None if as_json and html is None else shown()
    if html is not None and html.suffix == ".json":
        write_text(html, _json(document()))
    elif html is not None and isinstance(told, Answer):
        told.save(html, command_line())
    if as_json or told is None:
        print_json(document())
        return
    print_text(*(told.parts if isinstance(told, Answer) else told), *below)
    if html is not None:
        print_text(f"\nPage: {html}")
