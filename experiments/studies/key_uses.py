"""Counts who turns each key of a drive: presets, experiments, `advise` and Python, documents, tests.

A key is turned where its dotted name stands (`--set`, sweeps), or where a TOML file has it in its table. In the
notebook and in tests the name of its field is enough. `--unused` lists what only the manual and tests know.

    python experiments/studies/key_uses.py --unused
"""

import argparse
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rewear.core.parameters import parameters

PLACES = {
    "presets": ["presets/*.toml"],
    "experiments": ["experiments/**/*.toml", "experiments/**/*.py", "crates/sim/benches/**/*.rs"],
    "python": ["python/rewear/**/*.py", "python/rewear/**/*.toml"],
    "notebook": ["docs/notebook/**/*.md"],
    "manual": ["README.md", "docs/manual/**/*.md", "docs/tutorials/*.md", "examples/**/*"],
    "tests": ["tests/python/**/*.py", "crates/*/tests/**/*.rs", "crates/*/tests/**/*.toml"],
}
GENERATED = {"docs/manual/parameters.md", "docs/manual/drives.md"}
WORD = re.compile(r"[A-Za-z_][\w.]*\w")


def dotted(table: Any, prefix: str = "") -> Iterator[str]:
    """The keys of a TOML document with those of all tables that contain them, and without leading tables."""
    if isinstance(table, dict):
        for name, value in table.items():
            key = f"{prefix}.{name}" if prefix else name
            yield key
            yield from dotted(value, key)
    elif isinstance(table, list):
        for value in table:
            yield from dotted(value, prefix)


def names(path: Path) -> set[str]:
    """The words and keys of a file."""
    text = path.read_text(encoding="utf-8", errors="ignore")
    found = set(WORD.findall(text))
    if path.suffix == ".toml":
        found.update(dotted(tomllib.loads(text)))
    # A key may stand below other tables: `grid.base.flash.channels` turns `flash.channels`.
    for name in list(found):
        parts = name.split(".")
        found.update(".".join(parts[first:]) for first in range(1, len(parts) - 1))
    return found


def main() -> None:
    """Prints a table: key, and in how many files of each kind it is turned."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--unused", action="store_true", help="only keys that nothing but the manual and tests knows")
    only_unused = parser.parse_args().unused
    files = {
        place: [(path, names(path)) for pattern in patterns for path in Path().glob(pattern) if path.is_file()]
        for place, patterns in PLACES.items()
    }
    keys = sorted({parameter.key for parameter in parameters()})
    shown = 0
    print("| key | " + " | ".join(PLACES) + " |")
    print("|---|" + "--:|" * len(PLACES))
    for key in keys:
        field = key.rsplit(".", 1)[-1]
        counts = {}
        for place, texts in files.items():
            known = [found for path, found in texts if str(path) not in GENERATED]
            wanted = {key, field} if place in ("notebook", "tests") else {key}
            counts[place] = sum(bool(wanted & found) for found in known)
        turned = sum(counts[place] for place in ("presets", "experiments", "python", "notebook"))
        if only_unused and turned:
            continue
        shown += 1
        print(f"| `{key}` | " + " | ".join(map(str, counts.values())) + " |")
    print(f"\n{shown} of {len(keys)} keys")


if __name__ == "__main__":
    main()
