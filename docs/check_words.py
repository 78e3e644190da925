"""Finds the words that STYLE.md rules out: relative clauses in place of a noun, and "so many" in place of a unit.

.venv/bin/python docs/check_words.py [FILE...]

Prints each place; the exit code is 1 if there is one. Without files it reads the documents, the Python package and the
crates. Tests, benchmarks and the notebook are free.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PATTERNS = (
    "README.md", "DESIGN.md", "CONTRIBUTING.md", "SECURITY.md", "docs/index.md", "docs/paper.md", "docs/*.py",
    "docs/manual/**/*.md", "docs/tutorials/*.md", "docs/reference/*.md", "docs/reproduction/*.md", "CHANGELOG.md",
    "crates/*/README.md", "recordings/README.md",
    "python/rewear/**/*.py", "python/rewear/**/*.pyi", "python/rewear/**/*.toml", "python/rewear/**/*.j2",
    "crates/*/src/**/*.rs", "crates/*/examples/*.rs", "presets/*.toml", "experiments/papers/*/claims.toml",
    "experiments/papers/*/figures.toml",
)  # fmt: skip
PHRASES = (
    "of which", "of whom", "of whose", "that is asked", "that are asked", "that was asked", "that were asked",
    "whoever", "what becomes", "what the trace asks", "so many", "so often", "so long", "so much",
)  # fmt: skip
# A phrase may go over the end of a line of a comment.
GAP = r"\s+(?:(?://[/!]?|#)\s*)?"
WORDS = re.compile(rf"\b(?:{'|'.join(phrase.replace(' ', GAP) for phrase in PHRASES)})\b", re.IGNORECASE)


def found(path: Path) -> list[str]:
    """The places of a file, each as path, line and words."""
    text = path.read_text(encoding="utf-8")
    places = ((text.count("\n", 0, each.start()) + 1, each[0]) for each in WORDS.finditer(text))
    return [f"{path.relative_to(ROOT)}:{line}: {' '.join(words.split())}" for line, words in places]


def main() -> None:
    """Reads the files, prints the places and their number."""
    named = [Path(name).resolve() for name in sys.argv[1:]]
    paths = named or sorted({path for pattern in PATTERNS for path in ROOT.glob(pattern)} - {Path(__file__).resolve()})
    places = [place for path in paths for place in found(path)]
    print(*places, sep="\n")
    print(f"{len(places)} places in {len(paths)} files; STYLE.md says what to write instead.", file=sys.stderr)
    sys.exit(bool(places))


if __name__ == "__main__":
    main()
