"""Results of a reproduction: verdicts, figures and every run behind them."""

import json
import os
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rewear._core import version
from rewear.core.files import write_text
from rewear.figures.frames import table_file, write_table
from rewear.reproduce.claims import KINDS, Claims
from rewear.reproduce.draw import Drawing, save
from rewear.reproduce.experiment import Done
from rewear.reproduce.finding import Finding
from rewear.reproduce.real_traces import RealTraces
from rewear.reproduce.verdict import WORDS, Verdict


@dataclass(frozen=True, slots=True)
class PaperResult:
    """Results of one paper."""

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
    """Results of all papers."""

    papers: tuple[PaperResult, ...]
    quick: bool
    """Whether these are trials, whose verdicts say nothing."""
    real: RealTraces
    """Measurements on real traces, of the requested papers."""

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """Of all claims, paper by paper."""
        return tuple(verdict for paper in self.papers for verdict in paper.verdicts)

    @property
    def drawings(self) -> tuple[Drawing, ...]:
        """Figures in which there is anything to be seen."""
        return tuple(drawing for paper in self.papers for drawing in paper.drawings if not drawing.empty)

    def count(self) -> dict[str, dict[str, int]]:
        """Verdicts by kind of claim, then by word."""
        found = Counter((verdict.claim.kind, verdict.word) for verdict in self.verdicts)
        return {kind: {word: found[kind, word] for word in WORDS} for kind in KINDS}

    def to_dict(self) -> dict[str, Any]:
        """Everything but the runs, as plain data."""
        return {
            "schema": 5,
            "rewear": version(),
            "quick": self.quick,
            "verdicts": self.count(),
            "papers": [
                {
                    "paper": paper.about.paper,
                    "title": paper.about.title,
                    "originals": paper.originals,
                    "setting": paper.about.setting,
                    "settings": [
                        {"says": s.says, "source": s.source, "since": str(s.since), "after_results": s.after_results}
                        for s in paper.about.settings
                    ],
                    "claims": [_verdict(verdict) for verdict in paper.verdicts],
                    "figures": [_drawing(drawing) for drawing in paper.drawings],
                }
                for paper in self.papers
            ],
            "real_traces": asdict(self.real),
        }

    def rows(self) -> list[dict[str, Any]]:
        """Every run with its configuration, as named columns."""
        return [row for paper in self.papers for done in paper.done for row in done.rows()]

    def save(self, folder: str | os.PathLike[str], command: str | None = None) -> None:
        """Writes `index.html`, `verdicts.json`, the runs (as Parquet, or CSV without pyarrow) and the figures.

        Args:
            folder: Is made if it is missing.
            command: Shown on the page as what made it.

        Raises:
            RewearError: It cannot be written.
        """
        from rewear.shown.reproduction import reproduction_page

        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        for drawing in self.drawings:
            save(drawing, folder / "figures")
        reproduction_page(self).save(folder / "index.html", command)
        write_text(folder / "verdicts.json", json.dumps(self.to_dict(), indent=1, ensure_ascii=False) + "\n")
        write_table(self.rows(), table_file(folder / "runs"))

    def save_markdown(self, path: str | os.PathLike[str]) -> None:
        """Writes the page of the documentation, and a page for each paper, with figures as SVG.

        Those lie beside an index, and beside any other page in a folder of its name.
        """
        from rewear.reproduce.markdown import index_page, paper_page

        path = Path(path)
        folder = path.parent if path.stem == "index" else path.with_suffix("")
        folder.mkdir(parents=True, exist_ok=True)
        for drawing in self.drawings:
            save(drawing, folder, png=False)
        write_text(path, index_page(self, "" if folder == path.parent else f"{folder.name}/"))
        for paper in self.papers:
            write_text(folder / f"{paper.about.paper}.md", paper_page(self, paper))


def _verdict(verdict: Verdict) -> dict[str, Any]:
    claim = verdict.claim
    return {
        "claim": claim.name,
        **{key: getattr(claim, key) for key in ("kind", "where", "text")},
        "verdict": verdict.word,
        "sentences": [asdict(each) for each in verdict.sentences],
        "runs_on": list(verdict.runs_on),
        "reasons": list(claim.reasons),
        "why": verdict.why,
        "parts": [_finding(finding) for finding in verdict.findings],
        "left_out": [asdict(each) for each in claim.left_out],
        "switches": [
            {
                "says": each.switch.says,
                "setting": each.switch.key,
                "before": each.switch.before,
                "after": each.switch.after,
                "role": each.role,
                "parts": [_finding(finding) for finding in each.findings],
            }
            for each in verdict.switched
        ],
        "remarks": list(verdict.remarks),
        "note": claim.note,
        "stand_in": verdict.stand_in,
        "experiments": list(claim.experiments),
    }


def _finding(finding: Finding) -> dict[str, Any]:
    bounds = ("low", "high", "seeds")
    intervals = {name: {key: getattr(it, key) for key in bounds} for name, it in finding.intervals.items()}
    told = ("expected", "because", "state", "measured", "absolute")
    return {
        "says": finding.says,
        "numbers": finding.numbers,
        "intervals": intervals,
        **{key: getattr(finding, key) for key in told},
        "second_half": finding.later,
    }


def _drawing(drawing: Drawing) -> dict[str, Any]:
    plan = drawing.plan
    panels = [
        {"title": panel.title, "series": {s.label: n for s, n in zip(plan.series, numbers, strict=True)}}
        for panel, numbers in zip(plan.panels, drawing.panels, strict=True)
    ]
    told = {"missing": list(drawing.missing), "stand_in": drawing.stand_in}
    return {"figure": plan.name, "title": plan.title, "panels": panels, **told}
