"""The folders of the papers, and which of their claims and figures are asked for."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rewear.core.bundled import bundled
from rewear.core.errors import ConfigurationError, near
from rewear.reproduce.claims import Claim, Claims, read_claims
from rewear.reproduce.number import Number
from rewear.reproduce.plan import FigurePlan, read_figures


@dataclass(frozen=True, slots=True)
class Paper:
    """A folder of `experiments/papers/`."""

    folder: Path
    about: Claims
    figures: tuple[FigurePlan, ...]

    @property
    def name(self) -> str:
        """Short name, as in `rewear reproduce NAME`."""
        return self.about.paper

    @property
    def all(self) -> tuple[Claim | FigurePlan, ...]:
        """Its claims and figures."""
        return (*self.about.claims, *self.figures)

    def experiment(self, name: str) -> Path:
        """The file of an experiment."""
        return self.folder / f"{name}.toml"


@dataclass(frozen=True, slots=True)
class Selection:
    """Everything that is to be reproduced of a paper."""

    paper: Paper
    claims: tuple[Claim, ...]
    figures: tuple[FigurePlan, ...]

    @property
    def experiments(self) -> tuple[str, ...]:
        """Names of the experiments behind it."""
        return tuple(dict.fromkeys(number.experiment for number in self.numbers))

    @property
    def numbers(self) -> tuple[Number, ...]:
        """All numbers of its claims, of their switches, and of its figures."""
        asking: tuple[Claim | FigurePlan, ...] = (*self.claims, *self.figures)
        return tuple(number for each in asking for number in each.numbers)


def papers_folder(folder: Path | None = None) -> Path:
    """The folder `experiments/papers/`: the one given, else that of the checkout or the package, else of this folder.

    Raises:
        ConfigurationError: There is none.
    """
    if folder is not None:
        if not folder.is_dir():
            raise ConfigurationError(
                f"{folder} is no folder. Give the folder experiments/papers/ of a checkout of Rewear."
            )
        return folder.resolve()
    for papers in (bundled("experiments/papers"), Path.cwd() / "experiments" / "papers"):
        if papers is not None and any(papers.glob("*/claims.toml")):
            return papers
    raise ConfigurationError(
        "The folder experiments/papers/ is not here. It comes with the source of Rewear, with the recordings that its "
        "experiments replay: run this in a checkout, or name the folder of the papers."
    )


def read_papers(folder: Path) -> dict[str, Paper]:
    """Every paper of the folder by name.

    Raises:
        ConfigurationError: A file is wrong, or a claim or figure names an experiment that is not there.
    """
    papers = {}
    for path in sorted(folder.glob("*/claims.toml")):
        about = read_claims(path)
        paper = Paper(path.parent, about, read_figures(path.parent / "figures.toml", about.prefix))
        for each in paper.all:
            for name in each.experiments:
                if not paper.experiment(name).is_file():
                    raise ConfigurationError(
                        f"{path}: {each.name} names the experiment {name}, which {path.parent} does not have. "
                        f"Write {paper.experiment(name)}, or name another."
                    )
        papers[paper.name] = paper
    if not papers:
        raise ConfigurationError(f"{folder} has no paper: no folder in it has a claims.toml.")
    return papers


def select(papers: dict[str, Paper], names: Sequence[str]) -> tuple[Selection, ...]:
    """The requested claims and figures: all, those of `PAPER`, or the one of `PAPER.FIGURE`."""
    prefixes = {paper.about.prefix: paper.name for paper in papers.values()}
    asked: set[str] = set()
    for name in names or papers:
        wanted, dot, part = name.partition(".")
        wanted = prefixes.get(wanted, wanted)
        if wanted not in papers:
            raise ConfigurationError(
                f"There is no paper {wanted!r}.{near(wanted, papers)} There are: {', '.join(papers)}."
            )
        known = {each.id: each.name for each in papers[wanted].all}
        if dot and part not in known:
            raise ConfigurationError(f"{wanted} has no {part!r}.{near(part, known)} It has: {', '.join(known)}.")
        asked |= {known[part]} if dot else set(known.values())
    selections = [
        Selection(
            paper,
            tuple(each for each in paper.about.claims if each.name in asked),
            tuple(each for each in paper.figures if each.name in asked),
        )
        for paper in papers.values()
    ]
    return tuple(each for each in selections if each.claims or each.figures)
