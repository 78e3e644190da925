"""What the page of claims carries of real traces, which the project does not have."""

import re
from pathlib import Path
from statistics import fmean

import pytest
from rewear import Drive, Workload
from rewear.core.errors import ConfigurationError
from rewear.reproduce import papers_folder, read_papers
from rewear.reproduce.agreement import mark_of
from rewear.reproduce.real_traces import FILE, read_real_traces
from rewear.reproduce.words import read_number
from rewear.sweep.store import Store

ROOT = Path(__file__).parents[2]
TRACES = ROOT.parent / "shared" / "traces"
SHIPPED = read_real_traces(papers_folder())
PAPERS = read_papers(papers_folder())


def test_every_paper_but_the_one_of_programs_has_a_table_on_real_traces():
    papers = {path.parent.name for path in papers_folder().glob("*/claims.toml")}
    assert {table.paper for table in SHIPPED.tables if table.by == "trace"} == papers - {"seal"}
    (first,) = SHIPPED.of("second-write")
    assert [row[0] for row in first.rows] == [
        "hm_0", "hm_1", "Financial1", "RocksDB", "web server", "FIU mail", "DTRS",
    ]  # fmt: skip


def test_every_trace_can_be_told_from_another_of_its_name():
    assert len({trace.sha256 for trace in SHIPPED.traces}) == len(SHIPPED.traces)
    for trace in SHIPPED.traces:
        assert re.fullmatch(r"[0-9a-f]{64}", trace.sha256)
        assert min(trace.bytes, trace.requests) > 0
    heads = {trace.name for trace in SHIPPED.traces if trace.what.startswith("a head")}
    assert heads == {"hm_0", "hm_1", "Financial1", "FIU mail"}


def test_the_page_has_what_the_file_has():
    pages = sorted((ROOT / "docs" / "reproduction").glob("*.md"))
    page = "\n".join(path.read_text(encoding="utf-8") for path in pages)
    for table in SHIPPED.tables:
        for row in table.lines:
            assert f"| {' | '.join(row)} |" in page
    assert all(trace.sha256 in page for trace in SHIPPED.traces)


def test_only_the_papers_that_are_asked_for_are_shown():
    one = SHIPPED.only(["lx"])
    assert [table.paper for table in one.tables] == ["lx"]
    assert [trace.name for trace in one.traces] == ["FIU mail"]
    assert read_real_traces(ROOT / "docs").tables == ()


@pytest.mark.parametrize(
    ("found", "instead", "message"),
    [
        ('sha256 = "', 'sha255 = "', "sha256 is missing. Is it 'sha255'?"),
        ('["RocksDB", "', '["RocksD", "', "is not the name of a trace of this file"),
        ('published = ["', 'published = ["one", "two", "', "for 8 columns"),
        ('tests = ["F7: few', 'tests = ["F7: none", "F7: few', "tests has 9 entries for 8 columns"),
    ],
)
def test_a_wrong_file_is_refused_with_its_place(tmp_path, found, instead, message):
    text = (papers_folder() / FILE).read_text(encoding="utf-8")
    assert found in text
    (tmp_path / FILE).write_text(text.replace(found, instead, 1), encoding="utf-8")
    with pytest.raises(ConfigurationError, match=re.escape(message)) as refused:
        read_real_traces(tmp_path)
    assert re.search(rf"{FILE}, line \d+: ", str(refused.value))


@pytest.mark.parametrize("paper", ["differentiated-ecc", "second-write", "wom-v"])
def test_columns_test_parts_of_claims(paper):
    (table,) = (each for each in SHIPPED.of(paper) if each.by == "trace")
    tested = [(claim, *each) for claim in PAPERS[paper].about.claims for each in table.test(claim)]
    assert len(tested) == sum(map(bool, table.tests))
    for claim, part, finding in tested:
        cells = [row[table.tests.index(f"{claim.id}: {part.says}") + 1] for row in table.rows]
        mean = fmean(map(read_number, cells))
        assert [*finding.numbers.values()] == ([mean] if part.number.over else [read_number(cell) for cell in cells])
        assert all(cell in finding.measured for cell in cells) or part.number.over
        assert mark_of(part, finding, made_up_times=False) != "?"


def test_the_study_asks_for_what_the_file_has(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "experiments" / "studies"))
    import real_traces

    for asked in real_traces.ASKED:
        (table,) = (each for each in SHIPPED.of(asked.paper) if each.by == "trace")
        said = (asked.says, asked.note, tuple(asked.columns), tuple(asked.published), tuple(asked.tests))
        assert said == (table.says, table.note, table.columns, table.published, table.tests)


def test_second_writes_that_cost_erases_on_a_real_trace_are_the_opposite():
    (claim,) = (claim for claim in PAPERS["second-write"].about.claims if claim.id == "F7")
    (table,) = SHIPPED.of("second-write")
    marks = {part.says: mark_of(part, finding, made_up_times=False) for part, finding in table.test(claim)}
    assert marks == {"few large requests, 7%": "X", "few large requests, 28%": "X"}


def test_the_model_erases_as_often_as_the_released_firmware():
    (table,) = SHIPPED.of("seal")
    counts = [[int(cell.replace(",", "")) for cell in row[1:5]] for row in table.rows]
    apart = [model / firmware - 1 for row in counts for firmware, model in (row[:2], row[2:])]
    assert len(apart) == 60
    # Each draws its own requests, once.
    assert max(map(abs, apart)) < 0.07
    assert fmean(map(abs, apart)) < 0.012
    # The columns of the model are those of this model: the last point, at GB of 10^9.
    assert table.rows[-1][0] == "10^9, 80%, 25%"
    spec = "overwrite-regions:dataset_pages=183105,writes=366211,skew=0.8,region=0.25"
    for scheme, erases in (({}, counts[-1][1]), ({"reuse.scheme": "seal", "reuse.victims": "seal"}, counts[-1][3])):
        drive = Drive("openssd-73", set={"ftl.moved_to": "drive", **scheme})
        report = drive.replay(Workload(spec), arrival="closed", queue_depth=1, warm_up=183105)
        assert report.erases == erases


@pytest.mark.skipif(not TRACES.is_dir(), reason="the traces are not part of the project and not on this machine")
def test_the_heads_give_what_the_file_has(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(ROOT / "experiments" / "studies"))
    import real_traces

    files = real_traces.found(TRACES)
    asked = next(each for each in real_traces.ASKED if each.paper == "differentiated-ecc")
    (shipped,) = SHIPPED.of("differentiated-ecc")
    assert real_traces.table_of(asked, files, Store(tmp_path))["rows"] == [list(row) for row in shipped.rows]
