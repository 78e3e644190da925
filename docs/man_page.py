"""Writes the manual page rewear(1) from the commands themselves; `make docs` runs it, and the wheel brings the page.

.venv/bin/python docs/man_page.py
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rewear.cli.commands import COMMANDS

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "python/wheel_data/data/share/man/man1/rewear.1"
TASKS = ROOT / "docs/manual/tasks.md"
SECTIONS = {"exit code": "EXIT STATUS", "environment variable": "ENVIRONMENT", "stream": "OUTPUT"}
"""Tables of the manual's page of tasks, by their first column, that the page has, too."""
HEAD = """.TH REWEAR 1 "" "Rewear" "User Commands"
.SH NAME
rewear \\- replay block traces on modelled SSDs
.SH SYNOPSIS
.B rewear
.I COMMAND
[\\fIOPTIONS\\fR] [\\fIARGUMENTS\\fR]
.SH DESCRIPTION
Replay a block trace on modelled SSDs: which drive to buy, how long it lives, and what techniques gain that
write more between two erases. Serve the same drives as block devices.
.SH COMMANDS
"""
TAIL = """.SH EXAMPLES
.nf
rewear demo
rewear advise TRACE.csv.gz \\-\\-capacity 1TB \\-\\-html answer.html
rewear compare \\-\\-trace TRACE.csv.gz \\-\\-fit dense \\-\\-precondition fill qlc qlc\\-wom\\-v
rewear serve \\-\\-drive qlc
.fi
.SH SEE ALSO
.BR nbdkit (1),
.BR nbdfuse (1)
"""


def roff(text: str) -> str:
    """Text that roff takes as it is."""
    return "\n".join(
        ("\\&" if line[:1] in ".'" else "") + line.replace("\\", "\\e").replace("-", "\\-")
        for line in (" ".join(part.split()) for part in text.strip().splitlines())
        if line
    )


def commands(group: Mapping[str, Any], words: tuple[str, ...] = ()) -> list[str]:
    """A section for each command of a group, in the order of the help."""
    lines = []
    for name, command in group.items():
        path = (*words, name)
        if getattr(command, "hidden", False):
            continue
        if hasattr(command, "commands"):
            lines += commands(command.commands, path)
            continue
        taken = [each for each in command.params if each.param_type_name == "argument"]
        arguments = [each.metavar or each.name.upper() for each in taken]
        lines += [".SS " + roff(" ".join((*path, *arguments))), roff((command.help or "").split("\n\n")[0])]
        for option in command.params:
            if option.param_type_name == "option" and "--help" not in option.opts:
                metavar = "" if option.is_flag else f" {option.metavar or option.name.upper()}"
                lines += [".TP", f".B {roff(', '.join(option.opts) + metavar)}"]
                lines.append(roff(option.help or ""))
    return lines


def tables() -> list[str]:
    """Sections from the tables of the manual."""
    lines = []
    for head, *rows in (each.splitlines() for each in TASKS.read_text(encoding="utf-8").split("\n\n")):
        if (title := SECTIONS.get(head.strip("|").split("|")[0].strip())) is None:
            continue
        lines.append(f".SH {title}")
        for row in rows[1:]:
            term, meaning = (roff(cell.strip().replace("`", "")) for cell in row.strip("|").split("|"))
            lines += [".TP", f".B {term}", meaning]
    return lines


def page() -> str:
    """The whole page."""
    return HEAD + "\n".join(commands({name: each.load() for name, each in COMMANDS.items()}) + tables()) + "\n" + TAIL


if __name__ == "__main__":
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")
    print(PAGE)
