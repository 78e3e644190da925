"""Analyses of traces: the command, the interface, and the page."""

from pathlib import Path

import pytest
import rewear as api
from test_page import assert_fetches_nothing


def test_the_figures_are_those_of_the_trace(rewear, msr_trace: Path):
    found = rewear("trace", "analyze", "small.csv", "--json").document()
    info = rewear("trace", "info", "small.csv", "--json").document()
    assert sum(each["requests"] for each in found["operations"]) == info["requests"]
    assert found["rewrites"]["first_writes"] == info["distinct_pages_written"]
    roles = found["footprint"]
    assert roles["only_read"] + roles["only_written"] + roles["shared"] == info["distinct_pages_touched"]
    assert [each["operation"] for each in found["operations"]] == ["read", "write"]
    # The trace writes 150 of 2048 pages in a fixed stride, a millisecond apart.
    assert found["arrivals"]["duration_ns"] == 199_000_000
    assert sum(each["writes"] for each in found["arrivals"]["intervals"]) == 150


def test_people_are_told_in_sentences(rewear, msr_trace: Path):
    text = rewear("trace", "analyze", "small.csv").stdout
    for words in (
        "200 requests",
        "are touched",
        "are both read and written",
    ):
        assert words in text


def test_the_interface_answers_how_far_rewrites_are_apart(tmp_path: Path):
    """Ten pages written in turn: nine writes lie between two writes of each."""
    lines = [f"{128166372000000000 + number},host,0,Write,{number % 10 * 4096},4096,1" for number in range(100)]
    (tmp_path / "turns.csv").write_text("\n".join(lines) + "\n", encoding="ascii")
    found = api.Trace(tmp_path / "turns.csv").analyze()
    assert (found["rewrites"]["first_writes"], found["rewrites"]["rewrites"]) == (10, 90)
    assert [each["up_to"] for each in found["rewrites"]["pages_written"] if each["count"]] == [16]
    assert found.requests == 100
    assert found.operation("trim") is None
    assert api.Analysis(found.to_dict()).to_json() == found.to_json()
    assert "100 requests" in repr(found)


def test_the_page_is_whole_and_fetches_nothing(rewear, msr_trace: Path, tmp_path: Path):
    done = rewear("trace", "analyze", "small.csv", "--html", "out/page.html")
    assert done.returncode == 0, done.stderr
    assert "out/page.html" in done.stdout
    page = (tmp_path / "out/page.html").read_text(encoding="utf-8")
    assert_fetches_nothing(page)
    for words in ("Footprint", "Overlap in time", "rewear trace analyze small.csv", "small.csv (msr)"):
        assert words in page
    assert page.count("<svg") == page.count('role="img"') == 2
    rewear("trace", "analyze", "small.csv", "--html", "out/page.html")
    assert (tmp_path / "out/page.html").read_text(encoding="utf-8") == page


@pytest.mark.parametrize("line", ["Read,0,4096", "Write,512,512", "Write,1099511627776,65536"])
def test_a_single_request_makes_a_page_too(tmp_path: Path, line):
    (tmp_path / "one.csv").write_text(f"128166372000000000,host,0,{line},1\n", encoding="ascii")
    page = api.Trace(tmp_path / "one.csv").analyze().to_html()
    assert "Requests" in page
    assert "nan" not in page.lower()


def test_a_damaged_line_is_named(rewear, msr_trace: Path):
    msr_trace.write_text(msr_trace.read_text() + "nonsense\n")
    assert "line 201" in rewear("trace", "analyze", "small.csv").refused()


def fiu_line(number: int, page: int, content: int, operation: str = "W") -> str:
    return f"{number * 1000} 1 program {page * 8} 8 {operation} 6 0 {content:032x}"


@pytest.fixture
def fiu_trace(tmp_path: Path) -> Path:
    """Twenty pages of content 1 to 20 are written, overwritten by others, and written back."""
    rounds = [range(1, 21), range(101, 121), range(1, 21)]
    lines = [
        fiu_line(n * 20 + page, page, content) for n, each in enumerate(rounds) for page, content in enumerate(each)
    ]
    path = tmp_path / "fiu.blkparse"
    path.write_text("\n".join(lines) + "\n", encoding="ascii")
    return path


def test_the_content_of_an_fiu_trace_says_what_recycling_saves(rewear, fiu_trace: Path):
    content = api.Trace(fiu_trace).analyze()["content"]
    assert content["whole"] == {"page_writes": 60, "invalidated": 40, "recycled": 20}
    recycling = content["recycling"]
    assert recycling["removed_share"] == pytest.approx(1 / 3)
    assert recycling["recycled_by_version"][15] == 20
    assert recycling["by_value_accesses"][0] == {"invalid": 40, "recycled": 20, "recycled_in_second_half": 20}
    assert "33.3% of the page writes" in rewear("trace", "analyze", fiu_trace.name).stdout


def test_content_survives_conversion_as_digests_or_numbers(rewear, fiu_trace: Path, tmp_path: Path):
    whole = api.Trace(fiu_trace).analyze()["content"]
    sizes = {}
    for content in ("digests", "numbers", "none"):
        written = rewear(
            "trace", "convert", fiu_trace.name, f"{content}.rwt", "--content", content, "--json"
        ).document()
        sizes[content] = written["bytes"]
        found = api.Trace(tmp_path / f"{content}.rwt").analyze()["content"]
        assert found["whole"]["invalidated"] == 40
        assert (found == whole) == (content != "none")
    assert sizes["none"] < sizes["numbers"] < sizes["digests"]
