"""The files of experiments/papers/: every claim is there, and every mistake in one is refused with its place."""

import hashlib
import itertools
import json
import os
import re
import shutil
import tomllib
from collections import Counter
from pathlib import Path

import pytest
from rewear.core.errors import ConfigurationError
from rewear.core.strict import Table, table_of
from rewear.core.trace import Trace
from rewear.reproduce import papers_folder, read_claims, read_papers
from rewear.reproduce.agreement import MARKS
from rewear.reproduce.experiment import read_experiment
from rewear.reproduce.found_traces import found_traces
from rewear.reproduce.number import asked_of, parse_number
from rewear.reproduce.paper import select
from rewear.reproduce.plan import read_figures
from rewear.reproduce.real_traces import RealTrace, RealTraces
from rewear.reproduce.sources import Counts, Originals, read_sources
from rewear.reproduce.swept import draws
from rewear.sweep.file import parse
from rewear.sweep.grid import jobs_of
from rewear.sweep.settings import flat_settings
from rewear.sweep.store import Store

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
            assert claim.kind == "measured" or claim.needs is None
            assert len(claim.text) > 20


def test_no_experiment_is_without_a_claim_or_figure(papers):
    for paper in papers.values():
        selection = select(papers, [paper.name])[0]
        files = {path.stem for path in paper.folder.glob("*.toml")} - {"claims", "figures", "traces"}
        assert files == set(selection.experiments)


@pytest.mark.parametrize("paper", PAPERS)
def test_every_experiment_can_be_made_in_both_lengths(papers, paper, tmp_path):
    sources = read_sources(ROOT / "experiments" / "papers" / paper / "traces.toml", Originals(None))
    counts = Counts(Store(tmp_path / "runs"))
    for name in select(papers, [paper])[0].experiments:
        for quick in (False, True):
            experiment = read_experiment(papers[paper].experiment(name), sources, counts, quick=quick)
            assert experiment.name == name


def test_every_paper_names_its_settings_with_their_sources(papers):
    for paper in papers.values():
        assert len(paper.about.settings) >= 3
        assert all(len(each.source) >= len("Table 4") for each in paper.about.settings)
        # What is ours says so, and whether results had been seen is never left open for it.
        assert any("ours" in each.source for each in paper.about.settings)


def settings_of(content: dict) -> set[str]:
    """The keys that a sweep gives values to, those of its traces among them."""
    axes = content.get("axes", {}).values()
    points = [point for axis in axes if isinstance(axis, dict) for point in axis.get("points", {}).values()]
    keys = {key for part in (content.get("base", {}), *points) for key, _, _ in flat_settings(part)}
    keys |= {axis["key"] for axis in axes if isinstance(axis, dict) and "key" in axis}
    return keys | {f"traces.{key}" for key in content.get("traces", {}) if key != "use"}


@pytest.mark.parametrize("paper", PAPERS)
def test_every_setting_of_a_measured_claim_has_a_row_with_its_source(papers, paper):
    measured = [claim for claim in papers[paper].about.claims if claim.kind == "measured"]
    numbers = [number for claim in measured for number in claim.numbers]
    used = set()
    for name in {number.experiment for number in numbers}:
        content = tomllib.loads(papers[paper].experiment(name).read_text(encoding="utf-8"))
        used |= set() if "study" in content else settings_of(content)
        if "traces" in content:
            traces = tomllib.loads((papers[paper].folder / "traces.toml").read_text(encoding="utf-8"))
            for trace in content["traces"]["use"]:
                used |= {"workload"} if "workload" in traces[trace] else set()
                used |= {key for key, _, _ in flat_settings(traces[trace].get("settings", {}))}
    rows = papers[paper].about.settings
    assert all(row.keys for row in rows)
    assert used <= {key for row in rows for key in row.keys}


def test_a_head_of_an_original_is_called_one_and_its_drive_is_sized_for_the_whole(msr_trace, tmp_path):
    original = tmp_path / "msr" / "msr_hm_0_first.csv"
    original.parent.mkdir()
    shutil.copy(msr_trace, original)
    path = ROOT / "experiments" / "papers" / "differentiated-ecc" / "traces.toml"
    counts = Counts(Store(tmp_path / "runs"))
    originals = Originals(tmp_path / "msr")
    head = read_sources(path, originals, counts)["hm0"]
    requests = Trace(original).info()["requests"]
    assert (head.kind, head.cut_to) == ("a head of the paper's trace", requests)
    # A sixteenth of Table II's pages in the stand-in.
    assert head.sizes(8192, counts).pages == 16 * read_sources(path, Originals(None))["hm0"].stated.pages
    assert originals.unmatched == []
    text = path.read_text(encoding="utf-8").replace("requests = 4000000", f"requests = {requests}")
    (tmp_path / "traces.toml").write_text(text, encoding="utf-8")
    whole = read_sources(tmp_path / "traces.toml", originals, counts)["hm0"]
    assert (whole.kind, whole.cut_to) == ("the paper's trace", None)
    assert whole.sizes(8192, counts).pages < head.sizes(8192, counts).pages


def test_a_trace_is_known_by_its_checksum_or_by_its_counts_or_by_its_name(msr_trace, tmp_path):
    folder = tmp_path / "msr"
    folder.mkdir()
    shutil.copy(msr_trace, folder / "hm_0.csv")
    (folder / "notes.txt").write_text("of nobody")
    requests = Trace(msr_trace).info()["requests"]
    known = RealTrace("hm_0", "a head", "hm_0.csv", 1, hashlib.sha256(msr_trace.read_bytes()).hexdigest(), requests)
    stands_in = 'workload = "uniform"\npages = 9\nwrites = 9\noriginal'

    def lines(told: str, traces: tuple[RealTrace, ...] = ()) -> list[str]:
        text = f'[hm_0]\n{stands_in} = ["hm_0*"]\n{told}\n[prn_0]\n{stands_in} = ["prn_0*"]\n'
        (tmp_path / "traces.toml").write_text(text, encoding="utf-8")
        originals, counts = Originals(folder), Counts(Store(tmp_path / "runs"))
        sources = read_sources(tmp_path / "traces.toml", originals, counts)
        return list(found_traces(sources.values(), originals, counts, RealTraces(traces)))

    # A quarter of its requests reads.
    first, *rest = lines(f"requests = {requests}\nreads = 0.26")
    assert first.startswith(f"hm_0: {(folder / 'hm_0.csv').resolve()}. By its counts: {requests} requests")
    assert "25.0% reads (26.0%)" in first
    assert rest == [f"Not found in {folder}: prn_0 (prn_0*).", "Not asked for: notes.txt."]
    assert lines(f"requests = {requests}\nreads = 0.7")[0].endswith("25.0% reads (70.0%). Is it another trace?")
    assert "By its name, not by its counts" in lines(f"requests = {requests}\nreads = 0.7")[0]
    assert lines("requests = 100000")[0].endswith(f"By its name alone: a head of {requests} of 100,000 requests.")
    assert lines("")[0].endswith(f"By its name alone: {requests} requests; nothing is published of them.")
    assert lines("", (known,))[0].endswith("By its checksum: a head.")
    assert not list(found_traces([], Originals(None), Counts(Store(tmp_path / "runs")), RealTraces()))


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


def experiment(tmp_path: Path, traces: str):
    """An experiment on two made-up traces, of which `a` has a variant `b`; `traces` are keys of its `[traces]`."""
    (tmp_path / "traces.toml").write_text(
        "\n".join(
            f'[{name}]\nworkload = "uniform:pages={pages},requests=100"\npages = {pages}\nwrites = {10 * pages}'
            for name, pages in (("a", 4000), ("a-b", 8000), ("c", 4000))
        )
    )
    path = tmp_path / "E.toml"
    path.write_text(f'[base]\ndrive = "lx-slc"\n[traces]\nuse = ["a", "c"]\nsize = "flash.blocks_per_plane"\n{traces}')
    counts = Counts(Store(tmp_path / "runs"))
    made = read_experiment(path, read_sources(tmp_path / "traces.toml", Originals(None)), counts, quick=False)
    return {job.coordinates["trace"]: job.settings for job in made.work.jobs}


def test_a_variant_of_a_trace_takes_its_place_under_its_name(tmp_path):
    plain, varied = experiment(tmp_path, ""), experiment(tmp_path, 'variant = "b"')
    assert plain["a"]["workload"] == "uniform:pages=4000,requests=100"
    assert varied["a"]["workload"] == "uniform:pages=8000,requests=100"
    assert varied["a"]["flash.blocks_per_plane"] > plain["a"]["flash.blocks_per_plane"]
    assert varied["c"] == plain["c"]
    with pytest.raises(ConfigurationError, match=r"E\.toml, line 6: None of the traces has a variant 'x'"):
        experiment(tmp_path, 'variant = "x"')


def test_flash_that_is_free_at_the_start_may_differ_by_trace(tmp_path):
    both = experiment(tmp_path, "free = 0.5")
    by_trace = experiment(tmp_path, "free = { a = 0.5, c = 0.25 }")
    assert by_trace["a"] == both["a"]
    assert by_trace["c"]["flash.blocks_per_plane"] == pytest.approx(both["a"]["flash.blocks_per_plane"] / 2, abs=1)
    with pytest.raises(ConfigurationError, match="c is missing"):
        experiment(tmp_path, "free = { a = 0.5 }")


def claims(tmp_path: Path, text: str):
    path = tmp_path / "some" / "claims.toml"
    path.parent.mkdir(exist_ok=True)
    for name, experiment in EXPERIMENTS.items():
        (path.parent / f"{name}.toml").write_text(experiment)
    path.write_text('title = "T"\nauthors = "A"\nvenue = "V"\n' + text)
    return read_claims(path)


CLAIM = '[[claim]]\nid = "F1"\nkind = "measured"\nwhere = "here"\ntext = "t"\n'

PART = 'part = [{{ says = "s", figure = "f", experiment = "e"{} }}]\n'
HOLDS = PART.format(", at_least = 0, because = 'x'")
SWITCH = "[[claim.switch]]\nsays = 's'\n{}\n"
EXPERIMENTS = {
    "e": '[base]\nreplay.loops = 1\n[axes.chip.points]\n"a" = { drive = "qlc" }\n',
    "same": "[base]\nreplay.loops = 1\n",
    "two": "[base]\nreplay.loops = 2\nftl.over_provisioning = 0.1\n",
    "one": '[base]\nreplay.loops = 1\nftl.over_provisioning = 0.1\n[axes.chip.points]\n"a" = { drive = "qlc" }\n',
}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("colour = 1\n", "line 4: unknown key 'colour'"),
        (CLAIM, "parts, or says what it needs"),
        (CLAIM.replace("measured", "feeling") + 'needs = "x"\n', "Give one of: measured"),
        (CLAIM + 'needs = "x"\n' + CLAIM + 'needs = "x"\n', "Two claims are called 'F1'"),
        (CLAIM + PART.format(""), "one of: paper (with within), at_least, at_most, equals"),
        (CLAIM + PART.format(", low = 0"), "line 9: A part has one of"),
        (CLAIM + PART.format(", paper = 1"), "within is missing."),
        (CLAIM + PART.format(", paper = 1, withinn = 1"), "line 9: within is missing. Is it 'withinn'?"),
        (CLAIM + PART.format(", at_most = 1, within = 1"), "a part with `at_most` has none"),
        (CLAIM + PART.format(", paper = 1, within = 1"), "line 9: `because` is missing"),
        (CLAIM + PART.format(", paper = 1, within = -1, because = 'x'"), "within must be at least 0"),
        (CLAIM + PART.format(", paper = [2, 1], within = 1, because = 'x'"), "a range as [LOW, HIGH]"),
        (
            CLAIM + PART.format(", paper = { a = 1 }, within = 0, because = 'x', each = 'x', labels = ['b']"),
            "labels names b",
        ),
        (CLAIM + PART.format(", at_least = 0, because = 'x', each = 3"), "each is 3"),
        (CLAIM + PART.format(", at_least = 0, because = 'x', along = 'a'"), "go together"),
        (CLAIM + PART.format(", at_least = 0, because = 'x', unit = 'ell'"), "unit is 'ell'"),
        (CLAIM + PART.format(", at_least = 0, because = 'x', take = 'gap'"), "needs `to`"),
        (CLAIM + HOLDS.replace('experiment = "e", ', ""), "experiment is missing"),
        (CLAIM + HOLDS + '[[claim.cause]]\nswitch = "s"\nlow = 0\n', "unknown key 'cause'"),
        (CLAIM + HOLDS + SWITCH.format("at_most = 1"), "A switch has one of `at`, `experiment` and `figure`"),
        (CLAIM + HOLDS + SWITCH.format("experiment = 'one'\nfigures = 'f'"), "line 13: unknown key 'figures'"),
        (CLAIM + HOLDS + SWITCH.format("figure = { g = 'h' }"), "No part of the claim is a number of 'g'"),
        (CLAIM + HOLDS + SWITCH.format("experiment = 'one'\nfigure = { f = 'h' }"), "A switch has one of"),
        (CLAIM + HOLDS + SWITCH.format(""), "`at`, `experiment` and `figure`"),
        (
            CLAIM + HOLDS + SWITCH.format("at = { size = 'big' }"),
            "No part of the claim lies at a place of the axis 'size'",
        ),
        (CLAIM + HOLDS + SWITCH.format("experiment = 'gone'"), "There is no experiment 'gone'"),
        (
            CLAIM + HOLDS + SWITCH.format("experiment = 'same'"),
            "one setting, and nothing else; this one changes nothing",
        ),
        (CLAIM + HOLDS + SWITCH.format("experiment = 'two'"), "this one changes ftl.over_provisioning, replay.loops"),
    ],
)
def test_a_wrong_file_is_refused_with_its_place(tmp_path, text, message):
    with pytest.raises(ConfigurationError, match=re.escape(message)) as refused:
        claims(tmp_path, text)
    assert "claims.toml" in str(refused.value)


def test_a_switch_knows_the_setting_that_it_changes(tmp_path):
    (claim,) = claims(tmp_path, CLAIM + HOLDS + SWITCH.format("experiment = 'one'")).claims
    (switch,) = claim.switches
    assert (switch.key, switch.before, switch.after) == ("ftl.over_provisioning", "the default", "0.1")
    assert switch.applied(claim.parts[0].number).experiment == "one"


def test_a_setting_that_several_points_change_is_named_in_the_order_of_the_file(papers):
    (claim,) = (claim for claim in papers["wom-v"].about.claims if claim.id == "F4b")
    switch = claim.switches[-1]
    assert switch.key == "reuse.reopen, workload, ftl.gc_threshold, reuse.ecc_check"
    assert [part.partition(":")[0] for part in switch.before.split(", ")] == [
        "in-place-any", "low-gc", "high-gc", "the default", "the default",
    ]  # fmt: skip
    assert switch.after.index("order=overlapping") < switch.after.index("order=windows")


def test_measured_numbers_of_all_papers_have_bands_around_the_paper_or_on_one_side_with_a_reason(papers):
    for paper in papers.values():
        assert paper.about.setting
        assert paper.about.proposes.count(". ") == 0
        assert 10 <= len(paper.about.short.split()) <= 25
        assert re.fullmatch(r"\*Holds\*: .+\. \*Does not\*: .+\. \*Why\*: .+\.", paper.about.why)
        assert len(re.findall(r"[\w%)]\.(?: |$)", paper.about.why)) == 3
        for claim in paper.about.claims:
            for part in claim.parts:
                assert claim.kind != "measured" or part.equals is not None or part.because
                for band in part.bands.values():
                    ends = [band.low, band.high]
                    assert ends.count(None) == (1 if band.paper is None else 0)
                    if band.paper is not None:
                        assert sum(band.paper) / 2 == pytest.approx(sum(ends) / 2)


@pytest.mark.parametrize(
    ("paper", "message"),
    [("{ other = { a = 1 } }", "line 2: paper names 'other', which is no series"), ("{ s = 1 }", "numbers by label")],
)
def test_values_of_the_paper_belong_to_a_series(tmp_path, paper, message):
    path = tmp_path / "figures.toml"
    path.write_text(
        f'[[figure]]\npaper = {paper}\nid = "F"\ntitle = "t"\ncaption = "c"\nkind = "bars"\nx = "x"\nx_label = "x"\n'
        'y_label = "y"\nseries = [{ label = "s", experiment = "e", figure = "f" }]\n'
    )
    with pytest.raises(ConfigurationError, match=re.escape(message)):
        read_figures(path, "p")


def test_a_bar_has_no_logarithmic_axis(tmp_path):
    path = tmp_path / "figures.toml"
    figure = '[[figure]]\nid = "F"\ntitle = "t"\ncaption = "c"\nlog = true\nx = "x"\nx_label = "x"\ny_label = "y"\n'
    figure += 'series = [{ label = "s", experiment = "e", figure = "f" }]\n'
    path.write_text(f'{figure}kind = "lines"\n')
    assert read_figures(path, "p")[0].panels[0].log
    path.write_text(f'{figure}kind = "bars"\n')
    with pytest.raises(ConfigurationError, match="line 5: A bar has a length"):
        read_figures(path, "p")


def test_unknown_papers_and_figures_are_named(papers):
    with pytest.raises(ConfigurationError, match="Did you mean 'wom-v'"):
        select(papers, ["wom-"])
    with pytest.raises(ConfigurationError, match="wom-v has no 'F99'"):
        select(papers, ["womv.F99"])
    chosen = select(papers, ["womv.F5"])[0]
    assert select(papers, ["wom-v.F5"]) == (chosen,)
    assert [claim.id for claim in chosen.claims] == ["F5"]
    assert set(chosen.experiments) == {"F5", "F5-released", "F5-greedy", "F5-generation"}


def test_an_experiment_that_is_missing_is_an_error(tmp_path):
    folder = tmp_path / "some"
    claims(tmp_path, CLAIM + HOLDS.replace('"e"', '"gone"'))
    with pytest.raises(
        ConfigurationError, match=r"some/claims\.toml: .* names the experiment gone.* Write .*gone\.toml"
    ):
        read_papers(folder.parent)
    with pytest.raises(ConfigurationError, match="no folder"):
        papers_folder(tmp_path / "nothing")


SCHEMES = ("plain", "coded", "other")
GRID = """
base = { drive = "qlc", workload = "uniform:requests=9" }
[axes]
seed = [1, 2]
scheme.points = { plain = {}, coded = {}, other = {} }
op = { key = "ftl.over_provisioning", values = [0.1, 0.2, 0.3], labels = ["low", "mid", "high"] }
[[case]]
label = "beside"
"""


@pytest.mark.parametrize(
    ("keys", "schemes", "ops"),
    [
        ({"each": "op", "labels": ["low", "high"]}, ("plain", "coded"), ("low", "high")),
        ({"along": "op", "reduce": "rise"}, ("plain", "coded"), ("low", "mid", "high")),
        (
            {"take": "gain", "beside": {"scheme": "other"}, "at": {"op": "mid"}, "of": {"scheme": "coded"}},
            SCHEMES,
            ("mid",),
        ),
        ({"at": {"scheme": "other", "op": "mid"}, "to": {"case": "beside"}}, ("other",), ("mid",)),
        ({"experiment": "another"}, (), ()),
    ],
)
def test_only_runs_that_a_number_is_taken_from_are_asked_for(keys, schemes, ops):
    about = parse(table_of(GRID, Path("E.toml")), Path())
    number = {"figure": "erases", "experiment": "E", "to": {"scheme": "plain"}, "at": {"scheme": "coded"}, **keys}
    is_asked = asked_of([parse_number(Table(number, Path("c.toml"), "", ()), None)], "E", about)
    asked = {
        tuple(job.coordinates.values())
        for job in jobs_of(about.base, about.axes, about.cases, [])
        if is_asked(job.coordinates)
    }
    beside = {("beside",)} if "case" in number["to"] else set()
    assert asked == set(itertools.product("12", schemes, ops)) | beside


@pytest.mark.parametrize(
    ("settings", "drawn"),
    [
        ({"trace": str(ROOT / "recordings" / "day.rwt")}, False),
        ({"workload": "hot-r:volume_bytes=9"}, False),
        ({"workload": "hot-s:volume_bytes=9", "reuse.flip_rate": 0.1}, True),
        ({"workload": "hot-s:order=uniform"}, True),
        ({"workload": "sequential:pages=9,arrival=poisson"}, True),
        ({"workload": "sequential:pages=9;zipf:pages=9"}, True),
        ({"workload": "low-gc"}, True),
    ],
)
def test_repetitions_are_one_run_where_nothing_is_drawn(settings, drawn, tmp_path):
    assert draws(settings) is drawn
    lines = "\n".join(f'"{key}" = {json.dumps(value)}' for key, value in settings.items())
    (tmp_path / "E.toml").write_text(f'[base]\ndrive = "wom-v-qlc"\n{lines}\n[axes]\nseed = [1, 2]\n')
    counts = Counts(Store(tmp_path / "runs"))
    made = read_experiment(tmp_path / "E.toml", {}, counts, quick=False)
    assert {job.settings["seed"] for job in made.work.jobs} == ({1, 2} if drawn else {1})


def test_sentences_of_earlier_pages_are_counted_for_every_paper(papers):
    sums = {day: Counter[str]() for day in ("2026-11-23", "2026-11-28")}
    for paper in papers.values():
        assert set(paper.about.before) == set(sums)
        for day, marks in paper.about.before.items():
            sums[day].update(marks)
    assert [sums["2026-11-23"][mark] for mark in MARKS] == [19, 3, 12, 12, 9, 45]
    assert [sums["2026-11-28"][mark] for mark in MARKS] == [22, 2, 10, 11, 8, 43]


def test_restored_claims_have_the_verdicts_of_the_page():
    folder = ROOT / "docs" / "reproduction"
    index = (folder / "index.md").read_text(encoding="utf-8")
    page = dict(re.findall(r"^\| \[([\w.-]+)\]\([\w-]+\.md#[\w-]+\) \| [^|]+ \| \*\*([^*]+)\*\*", index, re.MULTILINE))
    restored = (folder / "restored.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[([\w.-]+)\]\([\w-]+\.md#[\w-]+\) .*\| ([\w ]+) \|$", restored, re.MULTILINE)
    assert len(rows) >= 18
    assert [(claim, page[claim]) for claim, _ in rows] == rows


def test_moved_sentences_have_the_marks_of_the_page():
    folder = ROOT / "docs" / "reproduction"
    pattern = r"^\| \[[\w.-]+\]\(([\w-]+\.md)#([\w-]+)\) \| ([^|]+) \| `.` \| `(.)` \| "
    rows = re.findall(pattern, (folder / "restored.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(rows) >= 30
    for page, anchor, sentence, mark in rows:
        claims = re.split(r"^### ", (folder / page).read_text(encoding="utf-8"), flags=re.MULTILINE)
        (claim,) = (text for text in claims if text.partition("\n")[0].lower().replace(".", "") == anchor)
        assert f"`{mark}` {sentence}" in claim
