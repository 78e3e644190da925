"""Counts by sentence of an older page of claims: what `before` in each `claims.toml` has.

    python experiments/studies/sentences_before.py [COMMIT]

Reads the page and the claims of a commit from the history and gives each part the mark of today
(`rewear.reproduce.agreement`), from the numbers and intervals that the page has. Parts that today's claims have belong
to the same sentence as today. Of the others, dropped or cut otherwise since, those that differ in the spare space only
are one.
"""

import re
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from rewear.figures.uncertainty import Interval
from rewear.reproduce import Claim, papers_folder, read_claims, read_papers
from rewear.reproduce.agreement import MARKS, Mark, mark_of, worst
from rewear.reproduce.claims import Part
from rewear.reproduce.finding import LEAST_SEEDS, Finding, State
from rewear.reproduce.sources import MADE_UP, Originals, Source, read_sources
from rewear.reproduce.stand_ins import read_errors
from rewear.reproduce.words import read_number

COMMIT = "1f510e1f"
"""The last page before sentences were counted: 2 claims hold, 32 differ, 1 is within noise, 7 cannot be told."""

RENAMED = {"response_ns": "mean_response_ns"}
"""Figures that have other names today."""

STATES: Mapping[str, State] = {"yes": "inside", "no": "outside", "crosses": "crosses", "-": "missing"}
NUMBER = r"(?:x )?[+\N{MINUS SIGN}-]?[\d,]*\.?\d+(?:e[+-]?\d+)?"


def checkout(commit: str, folder: Path) -> Path:
    """The page and the papers of a commit."""
    command = ["git", "archive", commit, "docs/reproduction/index.md", "experiments/papers", "experiments/workloads"]
    archive = subprocess.run(command, check=True, capture_output=True, cwd=Path(__file__).parents[2]).stdout
    with tarfile.open(fileobj=BytesIO(archive)) as files:
        files.extractall(folder, filter="data")
    return folder


def findings(page: str, claim: Claim) -> list[Finding]:
    """What the page has of the parts of a claim, in their order."""
    _, _, section = page.partition(f"\n### {claim.name}\n")
    section = section.partition("\n### ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")][1:]
    cells = [re.split(r"(?<!\\) \| ", line.strip("| ")) for line in lines[: len(claim.parts)]]
    found = []
    for part, (says, expected, measured, state, *_) in zip(claim.parts, cells, strict=True):
        assert says == part.says, (claim.name, says, part.says)
        numbers = dict(values(measured)) if part.equals is None else {}
        means = {label: interval.mean for label, interval in numbers.items()}
        found.append(Finding(says, means, numbers, expected, part.because, STATES[state.strip()], measured))
    return found


def values(text: str) -> Iterator[tuple[str, Interval]]:
    """Labels and intervals of a cell such as `hm_0 −34.3% ±0.063, day −29.4%`."""
    for item in text.split(", "):
        match = re.fullmatch(rf"(?:(.*?) )??({NUMBER}(%| points)?)(?: ±({NUMBER}))?", item)
        assert match is not None, item
        label, value, unit, half = match.groups()
        mean, width = read_number(value), read_number((half or "0") + (unit or ""))
        yield label or "", Interval(mean, mean - width, mean + width, LEAST_SEEDS)


def is_made_up(part: Part, sources: Mapping[str, Source]) -> bool:
    """Whether workloads that take the place of traces are behind a part; studies and programs have no such sources."""
    number = part.number
    labels = {*number.labels, *(label for place in (number.at, number.of, number.to) for label in place.values())}
    named = [source for name, source in sources.items() if name in labels] or list(sources.values())
    return any(source.kind == MADE_UP for source in named)


def marks(claim: Claim, today: Claim | None, page: str, sources: Mapping[str, Source], error: float) -> list[Mark]:
    """A mark for each sentence of a claim."""
    if claim.needs is not None or claim.of_traces:
        return ["?"] * len({part.sentence for part in (today or claim).parts} or {claim.text})
    sentences = {} if today is None else {part.says: part.sentence for part in today.parts}
    found: dict[str, list[Mark]] = {}
    for part, finding in zip(claim.parts, findings(page, claim), strict=True):
        relates = part.number.figure in ("erases", "erase_equivalents") and part.number.take in ("change", "ratio")
        single = not part.number.along and part.number.over is None
        made_up = is_made_up(part, sources)
        figure = RENAMED.get(part.number.figure, part.number.figure)
        part = replace(part, number=replace(part.number, figure=figure))
        mark = mark_of(part, finding, made_up=made_up, error=error if relates and single and made_up else 0.0)
        found.setdefault(sentences.get(part.says, re.sub(r", \d+%$", "", part.says)), []).append(mark)
    return [worst(each) for each in found.values()]


def before(commit: str) -> dict[str, dict[Mark, int]]:
    """Sentences by mark, by the prefix of the paper."""
    today = read_papers(papers_folder())
    errors = read_errors(papers_folder() / "stand-in-worth.toml").schemes
    found = {}
    with TemporaryDirectory() as folder:
        checkout(commit, Path(folder))
        page = (Path(folder) / "docs" / "reproduction" / "index.md").read_text(encoding="utf-8")
        for path in sorted(Path(folder).glob("experiments/papers/*/claims.toml")):
            # A reduction that is gone; the numbers are those of the page.
            path.write_text(path.read_text(encoding="utf-8").replace("spread-of-mean", "spread"), encoding="utf-8")
            about, sources = read_claims(path), read_sources(path.parent / "traces.toml", Originals(None))
            own = {claim.id: claim for claim in today[about.paper].about.claims}
            error = errors[about.paper]["relative_erases"].median if about.paper in errors else 0.0
            measured = [claim for claim in about.claims if claim.kind == "measured"]
            counted = Counter(
                mark for claim in measured for mark in marks(claim, own.get(claim.id), page, sources, error)
            )
            found[about.paper] = {mark: counted[mark] for mark in MARKS}
    return found


def main() -> None:
    """Prints the lines of `claims.toml`."""
    for paper, counted in before(sys.argv[1] if len(sys.argv) > 1 else COMMIT).items():
        numbers = ", ".join(f'"{mark}" = {number}' for mark, number in counted.items())
        print(f"{paper}: before = {{ {numbers} }}")


if __name__ == "__main__":
    main()
