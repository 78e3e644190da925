"""A reproduction from the command line: quick runs, resumed, drawn, written, and looked at in a browser."""

import json
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pyarrow.parquet as parquet
import pytest
from rewear.cli.main import app
from rewear.page.chart import standalone_svg
from rewear.reproduce import papers_folder, read_papers, reproduce
from rewear.reproduce.run import Plan
from rewear.reproduce.screen import before, screen
from typer.testing import CliRunner

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
PART = ["seal.F3", "seal.read", "womv.F4a", "womv.F4b"]


@pytest.fixture(scope="module")
def store(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def quick(store):
    return reproduce(PART, quick=True, store=store)


@pytest.fixture(scope="module")
def folder(quick, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    quick.save(folder, command="rewear reproduce --quick")
    return folder


def test_every_claim_that_was_asked_for_has_a_verdict(quick):
    assert {verdict.claim.name for verdict in quick.verdicts} == set(PART)
    assert sum(sum(words.values()) for words in quick.count().values()) == len(PART)
    exact = [verdict for verdict in quick.verdicts if verdict.claim.kind == "definition"]
    assert exact
    assert all(verdict.word == "holds" for verdict in exact), [verdict.why for verdict in exact]


def test_what_the_papers_define_and_set_up_is_judged(store):
    claims = [claim for paper in read_papers(papers_folder()).values() for claim in paper.about.claims]
    names = [claim.name for claim in claims if claim.kind in ("definition", "setup")]
    verdicts = reproduce(names, quick=True, store=store).verdicts
    assert {verdict.claim.name for verdict in verdicts} == set(names)
    states = {(each.claim.name, finding.state) for each in verdicts for finding in each.findings}
    assert {(name, state) for name, state in states if state in ("not run", "missing")} == set()


def test_another_reading_of_a_paper_has_a_stripe_of_its_own(quick):
    (lines,) = (each for each in screen(quick) if each.paper == "wom-v")
    own, *others = lines.stripes
    readings = {"GC_OPT writes the greedy victim again", "the authors' released code"}
    assert own.reading == ""
    assert {other.reading for other in others} == {f"other reading: {reading}" for reading in readings}
    for other in others:
        assert [(claim, len(marks)) for claim, marks in own.claims] == [
            (claim, len(marks)) for claim, marks in other.claims
        ]


def test_counts_of_before_stand_beside_whole_papers_only(quick):
    (part,) = (each for each in screen(quick) if each.paper == "wom-v")
    assert (part.before, before([part])) == ({}, {})


def test_finished_runs_are_not_run_again_and_an_interruption_loses_none(store, quick, tmp_path):
    states = []
    plans = []
    again = reproduce(PART, quick=True, store=store, progress=states.append, planned=plans.append)
    assert states
    assert [(plan.runs, plan.finished, plan.seconds) for plan in plans] == [(len(states), len(states), 0)]
    assert str(plans[0]) == f"{len(states)} runs, all finished before"
    assert not any(state.done_now for state in states)
    assert again.to_dict() == quick.to_dict()

    class StopError(Exception):
        pass

    def stop(state):
        if state.done == 3:
            raise StopError

    with pytest.raises(StopError):
        reproduce(["seal.read"], quick=True, store=tmp_path, progress=stop)
    states.clear()
    rest = reproduce(["seal.read"], quick=True, store=tmp_path, progress=states.append)
    assert sum(not state.done_now for state in states) >= 2
    assert rest.verdicts[0].word == "holds"


def test_a_page_of_finished_runs_runs_nothing_and_says_what_is_missing(quick, store, tmp_path):
    again = reproduce(PART, quick=True, store=store, finished_only=True)
    assert again.to_dict() == quick.to_dict()
    nothing = reproduce(PART, quick=True, store=tmp_path, finished_only=True)
    assert {verdict.word for verdict in nothing.verdicts} == {"not run"}
    assert not any(tmp_path.glob("*/*.json"))


def test_originals_are_used_where_they_are_found(msr_trace, tmp_path):
    (tmp_path / "traces").mkdir()
    shutil.copy(msr_trace, tmp_path / "traces" / "prn_0.csv")
    found = reproduce(["reusable.T3"], traces=tmp_path / "traces", store=tmp_path / "runs")
    assert found.papers[0].originals == ["prn_0"]
    shares = found.verdicts[0].findings[0].numbers
    # A quarter of its requests reads, where the table has 11%.
    assert shares["prn_0"] == pytest.approx(0.25 - 0.11)
    assert abs(shares["hm_0"]) < 0.02
    assert found.verdicts[0].word == "differs"


def test_every_run_is_stored_with_its_configuration(folder):
    rows = parquet.read_table(folder / "runs.parquet").to_pylist()
    assert {row["paper"] for row in rows} == {"seal", "wom-v"}
    for row in rows:
        assert row["status"] == "complete", row["reason"]
        assert row["key"]
        assert json.loads(row["settings"])
    replays = [row for row in rows if row["study"] is None]
    assert all(row["flash_page_bytes"] and row["erases"] is not None for row in replays)
    verdicts = json.loads((folder / "verdicts.json").read_text())
    assert [claim["claim"] for paper in verdicts["papers"] for claim in paper["claims"]] == [
        "seal.F3", "seal.read", "womv.F4a", "womv.F4b",
    ]  # fmt: skip


def test_figures_are_files_with_labels_and_units(quick, folder):
    drawn = [drawing.plan for paper in quick.papers for drawing in paper.drawings]
    assert [plan.name for plan in drawn] == ["womv.F4a", "womv.F4b"]
    for plan in drawn:
        assert (folder / "figures" / f"{plan.name}.png").read_bytes()[:4] == b"\x89PNG"
        text = (folder / "figures" / f"{plan.name}.svg").read_text()
        ElementTree.fromstring(text)
        assert plan.x_label in text
        assert plan.panels[0].y_label.split(" (")[0] in text
        assert "prefers-color-scheme: dark" in text


def test_a_standalone_picture_has_both_schemes():
    text = standalone_svg('<svg role="img" viewBox="0 0 1 1"><path fill="var(--ink)"/></svg>')
    ElementTree.fromstring(text)
    assert text.count("--ink:") == 2


def test_the_page_of_the_documentation(quick, folder, tmp_path):
    quick.save_markdown(tmp_path / "reproduction.md")
    text = (tmp_path / "reproduction.md").read_text()
    assert "trials of seconds" in text
    assert "trials of seconds" in (folder / "index.html").read_text()
    claims = {verdict.claim.name.lower().replace(".", "") for verdict in quick.verdicts}
    stripes = re.findall(r"\[[\w-]+\]\(reproduction/wom-v.md#([\w-]+)\)\N{NO-BREAK SPACE}`[=~+X?-]+`", text)
    assert set(stripes) == {claim for claim in claims if claim.startswith("womv")}
    pages = {path.stem: path.read_text() for path in (tmp_path / "reproduction").glob("*.md")}
    assert set(pages) == {"seal", "wom-v"}
    targets = re.findall(r"^\| \[[\w.]+\]\(reproduction/([\w-]+).md#([\w-]+)\) \| \w+ \| \*\*", text, re.MULTILINE)
    assert {anchor for _, anchor in targets} == claims
    for page, anchor in targets:
        lines = pages[page].splitlines()
        assert anchor in {line[4:].lower().replace(".", "") for line in lines if line.startswith("### ")}
    pictures = re.findall(r"!\[.*\]\((.*)\)", pages["wom-v"])
    assert len(pictures) == 2
    assert all((tmp_path / "reproduction" / picture).is_file() for picture in pictures)


def test_the_command(store, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments = ["reproduce", "seal.F3", "--quick", "--store", str(store), "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(app, [*arguments, "--json"])
    assert done.exit_code == 0, done.output
    verdicts = json.loads(done.stdout)["verdicts"]
    assert verdicts["definition"]["holds"] == 1
    assert sum(sum(words.values()) for words in verdicts.values()) == 1
    assert (tmp_path / "out" / "index.html").is_file()
    table = CliRunner().invoke(app, arguments)
    assert "seal.F3" in table.stdout
    assert "1 definition: 1 holds." in table.stdout


def test_what_a_reproduction_takes_is_said_before_it_begins():
    assert str(Plan(1, 0, 15.0)) == "1 run; what is left takes about 15.0 s on 1 idle core"
    cores = min(65, os.cpu_count() or 1)
    said = str(Plan(91, 26, 65 * 15.0))
    assert (
        said.startswith("91 runs, 26 of them finished before; what is left takes about ") and f"on {cores} idle" in said
    )


def screenshot(page: Path, target: Path, scheme: int) -> Path:
    subprocess.run(
        [
            CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1200,4000",
            f"--blink-settings=preferredColorScheme={scheme}", f"--user-data-dir={target.parent / 'profile'}",
            f"--screenshot={target}", page.as_uri(),
        ],
        check=True, capture_output=True, timeout=120,
    )  # fmt: skip
    return target


@pytest.mark.skipif(CHROMIUM is None, reason="needs chromium (Debian: apt install chromium)")
def test_the_page_is_legible_in_a_browser_in_light_and_dark(folder, tmp_path):
    """Looks at what is drawn: ink stands off its background, in both schemes, and nothing is wider than the window."""
    import matplotlib.image

    marked = tmp_path / "page.html"
    probe = (
        "<script>const wide=[...document.querySelectorAll('body *')].filter(e=>!e.closest('.scroll,pre,svg')"
        "&&e.getBoundingClientRect().right>innerWidth+1).length;"
        "const small=[...document.querySelectorAll('svg text')].filter(t=>t.getBoundingClientRect().height<7).length;"
        "const out=[...document.querySelectorAll('svg')].filter(s=>[...s.querySelectorAll('text')].some(t=>{"
        "const b=t.getBoundingClientRect(),a=s.getBoundingClientRect();"
        "return b.left<a.left-2||b.right>a.right+30;})).length;"
        "document.title=`wide ${wide} small ${small} out ${out} figures ${document.querySelectorAll('figure').length}`"
        "</script></body>"
    )
    marked.write_text((folder / "index.html").read_text().replace("</body>", probe))
    found = subprocess.run(
        [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1200,4000", "--dump-dom",
         f"--user-data-dir={tmp_path / 'profile'}", marked.as_uri()],
        check=True, capture_output=True, text=True, timeout=120,
    ).stdout  # fmt: skip
    assert re.search(r"<title>(.*?)</title>", found)[1] == "wide 0 small 0 out 0 figures 2"
    for scheme, light in ((1, True), (0, False)):
        image = matplotlib.image.imread(screenshot(folder / "index.html", tmp_path / f"{scheme}.png", scheme))[..., :3]
        brightness = image.mean(axis=2)
        ground = brightness[5, 5]
        assert (ground > 0.9) if light else (ground < 0.2)
        # Text and axes: at least a thousandth of the page stands off the background as ink does.
        assert (abs(brightness - ground) > 0.6).mean() > 0.001
