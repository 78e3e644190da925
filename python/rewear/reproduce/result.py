"""What came of a reproduction: verdicts, figures and every run behind them."""

import json
import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rewear._core import version
from rewear.files import replacing, write_text
from rewear.reproduce.claims import Claims
from rewear.reproduce.computation import Computation
from rewear.reproduce.draw import Drawing, save
from rewear.reproduce.experiment import Experiment
from rewear.reproduce.verdict import Finding, Verdict
from rewear.sweep.results import Results, to_arrow
from rewear.sweep.store import Outcome

__all__ = ["Done", "PaperResult", "Reproduction"]


@dataclass(frozen=True, slots=True)
class Done:
    """An experiment that has ended: the results of a sweep, or the outcome of a study."""

    experiment: Experiment
    results: Results | None
    outcome: Outcome | None

    def rows(self) -> list[dict[str, Any]]:
        """A row of named columns for each run, with everything that was set for it."""
        head = {"paper": self.experiment.paper, "experiment": self.experiment.name}
        if self.results is not None:
            settings = [json.dumps(row.job.settings, sort_keys=True) for row in self.results.rows]
            rows = self.results.columns()
            return [{**head, "settings": own, **row} for own, row in zip(settings, rows, strict=True)]
        work, outcome = self.experiment.work, self.outcome
        assert isinstance(work, Computation) and outcome is not None
        own = {"study": work.function, **work.arguments}
        return [
            {
                **head,
                "settings": json.dumps(own, sort_keys=True),
                "key": work.key,
                "run": work.function,
                "status": "failed" if outcome.report is None else "complete",
                "reason": outcome.reason,
                "study": json.dumps(outcome.report),
            }
        ]


@dataclass(frozen=True, slots=True)
class PaperResult:
    """What came of one paper."""

    about: Claims
    verdicts: tuple[Verdict, ...]
    drawings: tuple[Drawing, ...]
    done: tuple[Done, ...]

    @property
    def originals(self) -> list[str]:
        """Traces of the paper that were there themselves."""
        return sorted({source.name for each in self.done for source in each.experiment.sources if source.is_original})


@dataclass(frozen=True, slots=True)
class Reproduction:
    """What came of all."""

    papers: tuple[PaperResult, ...]
    quick: bool
    """Whether these are trials, whose verdicts say nothing."""

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """Of all claims, paper by paper."""
        return tuple(verdict for paper in self.papers for verdict in paper.verdicts)

    def count(self) -> dict[str, int]:
        """Verdicts by word."""
        found = Counter(verdict.word for verdict in self.verdicts)
        return {word: found[word] for word in ("holds", "differs", "cannot be told here")}

    def to_dict(self) -> dict[str, Any]:
        """Everything but the runs, as plain data."""
        return {
            "schema": 1,
            "rewear": version(),
            "quick": self.quick,
            "verdicts": self.count(),
            "papers": [
                {
                    "paper": paper.about.paper,
                    "title": paper.about.title,
                    "originals": paper.originals,
                    "claims": [_verdict(verdict) for verdict in paper.verdicts],
                    "figures": [_drawing(drawing) for drawing in paper.drawings],
                }
                for paper in self.papers
            ],
        }

    def rows(self) -> list[dict[str, Any]]:
        """Every run with its configuration, as named columns."""
        return [row for paper in self.papers for done in paper.done for row in done.rows()]

    def save(self, folder: str | os.PathLike[str], command: str | None = None) -> None:
        """Writes `index.html`, `verdicts.json`, `runs.parquet` and the figures as SVG and PNG.

        Args:
            folder: Is made if it is missing.
            command: Shown on the page as what made it.

        Raises:
            RewearError: It cannot be written.
        """
        import pyarrow.parquet

        from rewear.page.reproduction import render_reproduction

        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        for paper in self.papers:
            for drawing in paper.drawings:
                if not drawing.empty:
                    save(drawing, folder / "figures")
        write_text(folder / "index.html", render_reproduction(self, command))
        write_text(folder / "verdicts.json", json.dumps(self.to_dict(), indent=1, ensure_ascii=False) + "\n")
        with replacing(folder / "runs.parquet") as file:
            pyarrow.parquet.write_table(to_arrow(self.rows()), file)

    def save_markdown(self, path: str | os.PathLike[str]) -> None:
        """Writes the page of the documentation: verdicts and figures, the latter as SVG in a folder beside it."""
        from rewear.reproduce.markdown import markdown

        path = Path(path)
        figures = path.with_suffix("")
        path.parent.mkdir(parents=True, exist_ok=True)
        for paper in self.papers:
            for drawing in paper.drawings:
                if not drawing.empty:
                    save(drawing, figures, png=False)
        write_text(path, markdown(self, figures.name))


def _verdict(verdict: Verdict) -> dict[str, Any]:
    claim = verdict.claim
    return {
        "claim": claim.name,
        "kind": claim.kind,
        "where": claim.where,
        "text": claim.text,
        "verdict": verdict.word,
        "why": verdict.why,
        "parts": [_finding(finding) for finding in verdict.findings],
        "causes": [{"switched": says, **_finding(finding)} for says, finding in verdict.causes],
        "note": claim.note,
        "stand_in": verdict.stand_in,
        "experiments": list(claim.experiments),
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "says": finding.says,
        "numbers": finding.numbers,
        "expected": finding.expected,
        "inside": finding.inside,
        "measured": finding.measured,
    }


def _drawing(drawing: Drawing) -> dict[str, Any]:
    plan = drawing.plan
    panels: list[Mapping[str, Any]] = [
        {"title": panel.title, "series": {s.label: n for s, n in zip(plan.series, numbers, strict=True)}}
        for panel, numbers in zip(plan.panels, drawing.panels, strict=True)
    ]
    return {
        "figure": plan.name,
        "title": plan.title,
        "panels": panels,
        "missing": list(drawing.missing),
        "stand_in": drawing.stand_in,
    }
