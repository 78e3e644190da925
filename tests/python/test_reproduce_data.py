"""The files of experiments/papers/: every claim is there, and every mistake in one is refused with its place."""

import os
import re
import shutil
from pathlib import Path

import pytest
from rewear.errors import ConfigurationError
from rewear.reproduce import papers_folder, read_claims, read_papers
from rewear.reproduce.experiment import read_experiment
from rewear.reproduce.paper import select
from rewear.reproduce.sources import Counts, Originals, read_sources
from rewear.sweep.content import Fingerprints

ROOT = Path(__file__).parents[2]
LIST_OF_CLAIMS = Path(os.environ.get("REWEAR_CLAIMS", "CLAIMS.md"))
"""A list of all claims, one a line of a table, `| PAPER.ID | ...`, if somebody has one."""
PAPERS = {"differentiated-ecc": "diffecc", "lx": "lx", "seal": "seal", "second-write": "reusable", "wom-v": "womv"}
"""Folders of the papers, and how the names of their claims begin."""


@pytest.fixture(scope="module")
def papers():
    return read_papers(papers_folder())


def test_every_claim_of_the_list_has_a_verdict(papers):
    if not LIST_OF_CLAIMS.exists():
        pytest.skip("the list of the papers' claims is not part of the project and not on this machine")
    pattern = rf"^\| ((?:{'|'.join(PAPERS.values())})\.[\w-]+)"
    listed = set(re.findall(pattern, LIST_OF_CLAIMS.read_text(), re.MULTILINE))
    assert listed == {claim.name for paper in papers.values() for claim in paper.about.claims}


def test_exact_claims_have_experiments_and_every_paper_a_description(papers):
    assert {name: paper.about.prefix for name, paper in papers.items()} == PAPERS
    for paper in papers.values():
        assert (paper.folder / "README.md").is_file()
        assert paper.figures
        for claim in paper.about.claims:
            assert claim.experiments or claim.needs
            assert claim.kind != "exact" or claim.needs is None
            assert len(claim.text) > 20


def test_no_experiment_is_without_a_claim_or_figure(papers):
    for paper in papers.values():
        selection = select(papers, [paper.name])[0]
        files = {path.stem for path in paper.folder.glob("*.toml")} - {"claims", "figures", "traces"}
        assert files == set(selection.experiments)


@pytest.mark.parametrize("paper", PAPERS)
def test_every_experiment_can_be_made_in_both_lengths(papers, paper, tmp_path):
    sources = read_sources(ROOT / "experiments" / "papers" / paper / "traces.toml", Originals(None))
    counts = Counts(tmp_path, Fingerprints(tmp_path / "traces.json"))
    for name in select(papers, [paper])[0].experiments:
        for quick in (False, True):
            experiment = read_experiment(papers[paper].experiment(name), sources, counts, quick=quick)
            assert experiment.name == name


def test_an_original_takes_the_place_of_its_stand_in(msr_trace, tmp_path):
    original = tmp_path / "msr" / "PRN_0.csv"
    original.parent.mkdir()
    shutil.copy(msr_trace, original)
    path = ROOT / "experiments" / "papers" / "second-write" / "traces.toml"
    found = read_sources(path, Originals(tmp_path))
    assert found["prn_0"].is_original
    assert found["prn_0"].file == original.resolve()
    assert found["prn_0"].settings["replay.fit"] == "dense"
    assert not found["hm_0"].is_original
    with pytest.raises(ConfigurationError, match="no folder"):
        Originals(tmp_path / "missing")


def claims(tmp_path: Path, text: str):
    path = tmp_path / "some" / "claims.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text('title = "T"\nauthors = "A"\nvenue = "V"\n' + text)
    return read_claims(path)


CLAIM = '[[claim]]\nid = "F1"\nkind = "band"\nwhere = "here"\ntext = "t"\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("colour = 1\n", "line 4: unknown key 'colour'"),
        (CLAIM, "parts, or says what it needs"),
        (CLAIM.replace("band", "feeling") + 'needs = "x"\n', "Give one of: exact"),
        (CLAIM + 'needs = "x"\n' + CLAIM + 'needs = "x"\n', "Two claims are called 'F1'"),
        (CLAIM + 'part = [{ says = "s", figure = "f", experiment = "e" }]\n', "low, high or both, or equals"),
        (CLAIM + 'part = [{ says = "s", figure = "f", low = 0, experiment = "e", each = 3 }]\n', "each is 3"),
        (CLAIM + 'part = [{ says = "s", figure = "f", low = 0 }]\n', "experiment is missing"),
        (CLAIM + 'part = [{ says = "s", figure = "f", low = 0, experiment = "e", along = "a" }]\n', "go together"),
        (CLAIM + 'part = [{ says = "s", figure = "f", low = 0, experiment = "e", unit = "ell" }]\n', "unit is 'ell'"),
        (CLAIM + 'part = [{ says = "s", figure = "f", low = 0, experiment = "e", take = "gap" }]\n', "needs `to`"),
    ],
)
def test_a_wrong_file_is_refused_with_its_place(tmp_path, text, message):
    with pytest.raises(ConfigurationError, match=re.escape(message)) as refused:
        claims(tmp_path, text)
    assert "claims.toml" in str(refused.value)


def test_unknown_papers_and_figures_are_named(papers):
    with pytest.raises(ConfigurationError, match="Did you mean 'wom-v'"):
        select(papers, ["wom-"])
    with pytest.raises(ConfigurationError, match="wom-v has no 'F99'"):
        select(papers, ["womv.F99"])
    chosen = select(papers, ["womv.F5"])[0]
    assert select(papers, ["wom-v.F5"]) == (chosen,)
    assert [claim.id for claim in chosen.claims] == ["F5"]
    assert set(chosen.experiments) == {"F5", "F5-full", "F5-tight"}


def test_an_experiment_that_is_missing_is_an_error(tmp_path):
    folder = tmp_path / "some"
    claims(tmp_path, CLAIM + 'part = [{ says = "s", figure = "f", low = 0, experiment = "gone" }]\n')
    with pytest.raises(ConfigurationError, match="names the experiment gone"):
        read_papers(folder.parent)
    with pytest.raises(ConfigurationError, match="no folder"):
        papers_folder(tmp_path / "nothing")
