"""`rewear advise` of recordings that tell too little: what is refused, doubted, and decided all the same."""

import pytest
import rewear as api
from conftest import recorded, skewed
from rewear.advice.columns import life_text, range_text, terabytes, years_range
from rewear.advice.enough import LEAST_NS, LEAST_REWRITES, LEAST_WRITES, MOST_YEARS, doubt, refusal
from rewear.advice.traits import traits_of
from rewear.advice.words import headline
from rewear.core.workload import Region
from rewear.figures.uncertainty import Interval


class _ReplayedError(Exception):
    """Something was replayed."""


@pytest.mark.parametrize(
    "writes",
    [[(0, 0)], [(0, 0), (0, 0)], [(number, 0) for number in range(50)], [(number, 0) for number in range(50_000)]],
)
def test_nothing_is_said_of_a_recording_that_tells_too_little(writes, tmp_path, monkeypatch):
    """Without a replay: one write is answered as soon as it is read."""

    def replay(*_: object, **__: object) -> None:
        raise _ReplayedError

    monkeypatch.setattr(api.Drive, "replay", replay)
    advice = api.advise(recorded(tmp_path / "few.csv", writes))
    (sentence,) = advice.sentences
    assert sentence.startswith("Cannot say: ") and ("Record " in sentence and "hour" in sentence)
    assert advice.best is None and not advice.rows and advice.to_dict()["buy"] is None
    assert "Cannot say" in advice.to_html()


def test_the_bounds_are_met_at_their_edge(tmp_path):
    def says(rewrites: int, distinct: int) -> bool:
        pages = [*range(distinct), *range(rewrites)]
        traits = traits_of(recorded(tmp_path / f"{rewrites}-{distinct}.csv", [(page, 0) for page in pages]))
        return refusal(traits) is None

    assert says(LEAST_REWRITES, LEAST_REWRITES) and not says(LEAST_REWRITES - 1, LEAST_REWRITES)
    assert says(2000, 10_000) and not says(1999, 10_000)


def test_hours_to_record_follow_from_what_was_recorded(tmp_path):
    # 100 pages written again in a tenth of an hour: a thousand take an hour.
    pages = [(number % 100, 0) for number in range(200)]
    for seconds, wanted in ((360, "Record 1.00 hour."), (3600, "Record 10.0 hours.")):
        traits = traits_of(recorded(tmp_path / f"{seconds}.csv", pages, gap_ns=seconds * 10**9 // 200))
        assert (refusal(traits) or "").endswith(wanted)


def test_years_are_not_said_of_minutes_or_without_times(tmp_path):
    short = api.advise(recorded(tmp_path / "short.csv", skewed(20_000), gap_ns=1_000_000), techniques=False)
    untimed = api.advise(recorded(tmp_path / "untimed.csv", skewed(20_000), gap_ns=0), techniques=False)
    for advice, why in ((short, "Record 1.00 hour."), (untimed, "the recording has no times")):
        assert advice.best is None and advice.cannot_say is None
        assert why in advice.sentences[0] and "Buy by what your host writes a day" in advice.sentences[0]
        assert all(row.years is None and row.tbw is not None for row in advice.sold)
    assert (short.traits.duration_ns or 0) < LEAST_NS
    assert all(row.mean_response_ns is None for row in untimed.sold)


def test_long_lives_are_not_told_apart():
    assert years_range(Interval(300.0, 60.0, 122_939.0)) == f"more than {MOST_YEARS:g} years"
    assert years_range(Interval(30.0, 20.0, 80.0)) == "20 to more than 50 years"
    assert years_range(Interval(8.0, 7.94, 24.2)) == "7.9 to 24 years"
    assert years_range(None) == "-"
    assert range_text(Interval(1e15, 6e14, 2e15), terabytes) == "600 TB to 2 PB".replace("2 PB", terabytes(2e15))


def test_days_are_those_of_the_life_and_not_of_its_rounded_years():
    # 8% used at 208 hours leaves 92% of 2,600 hours.
    assert life_text(2600 * 0.92 / 24 / 365.25) == "99.7 days"
    assert years_range(Interval(99.7 / 365.25, 87.6 / 365.25, 115 / 365.25)) == "87.6 to 115 days"


def test_a_recording_whose_cold_pages_had_no_turn_leaves_a_doubt(tmp_path):
    """Hot pages are written over and over, and most of the data is written once: enough for an answer, in doubt."""

    def written(times: int, gap_ns: int) -> api.Trace:
        pages = [*range(9000), *(page % 300 for page in range(9000 * (times - 1)))]
        return recorded(tmp_path / f"{times}-{gap_ns}.csv", [(page, 0) for page in pages], gap_ns)

    light = api.advise(written(2, 50_000_000), techniques=False)
    assert light.doubt is not None and light.doubt in light.sentences[0] and "2.0 writes" in light.doubt
    assert light.to_dict()["doubt"] == light.doubt
    assert doubt(traits_of(written(int(LEAST_WRITES), 50_000_000))) is None
    # What it leaves decided.
    assert light.best is not None and light.sure[0].label == light.best.label
    assert "times the replay's wear" in light.sentences[0] and "Decided all the same" in light.sentences[0]
    assert ", in doubt, but at least" in headline(light)
    heavy = api.advise(written(2, 16_000), techniques=False)
    assert heavy.years_unknown is not None and not heavy.worst, "without a rate nothing is bounded"


def test_what_is_decided_is_said_where_the_recording_tells_too_little(tmp_path, rewear):
    """Random writes over a full drive bound the life: slow hosts need no longer recording."""
    pages = [(number % 100, 0) for number in range(200)]
    slow = recorded(tmp_path / "slow.csv", pages, gap_ns=2 * 10**9)
    advice = api.advise(slow, techniques=False)
    assert advice.cannot_say is not None and advice.buy == "client QLC" == advice.to_dict()["buy"]
    assert advice.sentences[0].startswith("Buy client QLC: a drive of 1 TB lives more than 50 years, even if it wears")
    assert advice.cannot_say in advice.sentences[0] and headline(advice).startswith(
        "Buy client QLC: more than 50 years"
    )
    assert rewear("advise", "--no-techniques", str(tmp_path / "slow.csv")).returncode == 0
    apart = [(number % 180 * 512, 0) for number in range(200)]
    one, two = (
        api.advise(recorded(tmp_path / f"{size}.csv", apart, gap_ns=2 * 10**9, length=size << 20), techniques=False)
        for size in (1, 2)
    )
    # Twice the bytes halve the lives, and fewer drives are sure.
    for row, rival in zip(one.worst, two.worst, strict=True):
        assert row.years.low == pytest.approx(2 * rival.years.low, rel=1e-6)
    assert len(two.sure) < len(one.sure) < len(advice.sure) == len(advice.worst)
    assert "Whether client QLC does" in one.sentences[0] and one.buy == "client TLC"
    assert one.sure[0].years >= one.years


def test_made_up_workloads_are_drawn_for_as_long_as_it_takes():
    """A pass that writes a tenth of its pages knows the hot ones alone; the drive is full of all of them."""
    short = api.Workload("zipf:theta=0.9,pages=40000,requests=8000").on_region(Region(40_000, 4096, 1))
    long = api.Workload("zipf:theta=0.9,pages=40000,requests=400000").on_region(Region(40_000, 4096, 1))
    one, other = (api.advise(each, capacity="1TB", techniques=False) for each in (short, long))
    assert one.plan.exported_bytes == pytest.approx(other.plan.exported_bytes, rel=0.02)
    for row, rival in zip(one.sold, other.sold, strict=True):
        assert row.steady and rival.steady, row.label
        # 5% is what a settled run may still change by, of both.
        assert row.erased_per_byte == pytest.approx(rival.erased_per_byte, rel=0.1), row.label
