"""`rewear advise`: when it answers, what it says of drives on sale, of the host and of techniques."""

import json
import tomllib
from dataclasses import replace
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import pytest
import rewear as api
from conftest import recorded, skewed
from rewear.advice import chips
from rewear.advice.asked import Asked
from rewear.advice.columns import response_text
from rewear.advice.notes import volume_note
from rewear.advice.plan import make_plan
from rewear.advice.rivals import Rival, candidates, combinations, suited
from rewear.advice.row import LEAST_RESPONSE_NS, Row
from rewear.advice.sizing import UNITS, drive_for, flash_layout
from rewear.advice.sold import classes, row_of
from rewear.advice.study import Table, study
from rewear.advice.traits import traits_of
from rewear.advice.words import headline
from rewear.core.workload import Region
from rewear.figures.uncertainty import Interval
from rewear.figures.units import format_share

MADE_UP = "zipf:requests=60000,pages=16000,theta=1,read=0.2"


@pytest.fixture(scope="module")
def buying(tmp_path_factory) -> api.Advice:
    """Without techniques, at 680 KB a second."""
    trace = recorded(tmp_path_factory.mktemp("recorded") / "desk.csv", skewed())
    return api.advise(trace, techniques=False)


@pytest.fixture(scope="module")
def advice() -> api.Advice:
    return api.advise(api.Workload(MADE_UP))


# Which drive to buy.


def test_the_first_sentence_says_which_drive_to_buy(buying):
    first, host, *_ = buying.sentences
    assert buying.best is not None
    assert buying.best.label in first and "years" in first and "TB" in first
    assert host.startswith("What the host can do")
    # Why the range is wide: what is published of the flash, and what the replay adds.
    least, most = buying.best.cycles_between
    assert most > 1.5 * least and f"{least:,} to {most:,} P/E cycles" in first
    assert f"off by {format_share(buying.best.error)}" in first
    page = buying.to_html()
    assert page.index("What one can buy") < page.index("<h2>What the host can do")
    assert json.loads(buying.to_json())["buy"] == buying.best.label


def test_drives_on_sale_have_the_flash_of_their_class(buying):
    labels = [row.label for row in buying.sold]
    assert {"client QLC", "client TLC", "client TLC, 28% spare", "pSLC"} <= set(labels)
    flash = {row.label: row.flash_bytes / 1e12 for row in buying.sold}
    assert flash["client TLC"] == pytest.approx(1.07)
    assert flash["client TLC, 28% spare"] == pytest.approx(1.28)
    costs = [row.cells_per_byte for row in buying.sold]
    assert costs == sorted(costs)
    for row in buying.sold:
        assert row.sized.drive.exported_bytes == pytest.approx(buying.plan.exported_bytes, rel=0.001)


def test_lives_are_ranges_with_the_ratings_beside_them(buying):
    by_label = {row.label: row for row in buying.sold}
    qlc, tlc = by_label["client QLC"], by_label["client TLC"]
    for row in (qlc, tlc):
        assert row.tbw is not None and row.years is not None
        least, most = row.report["drive"]["configuration"]["flash"]["life"]["cycles_between"]
        assert row.tbw.high / row.tbw.low >= most / least * 0.99
        assert row.years.low == pytest.approx(row.tbw.low / row.bytes_per_second / (365.25 * 86400))
        assert row.error < 0.5
    assert tlc.tbw.mean > 2 * qlc.tbw.mean
    assert (qlc.rated_bytes, tlc.rated_bytes) == (200e12, 600e12)


def test_the_drive_to_buy_has_the_fewest_cells_that_live_long_enough(buying):
    picked = []
    for years in (0.1, 5.0, 100.0):
        advice = replace(buying, years=years)
        best = advice.best
        cheaper = [row for row in advice.sold if row.cells_per_byte < best.cells_per_byte]
        assert all(row.years.low < years for row in cheaper)
        picked.append(best.cells_per_byte)
    assert picked == sorted(picked)


def test_own_cycles_replace_the_published_ones():
    told = api.advise(api.Workload(MADE_UP), cycles=1234, techniques=False)
    for row in told.sold:
        assert row.report.life["cycles"] <= 1234
        assert row.tbw.high / row.tbw.low == pytest.approx((1 + row.error) / (1 - row.error))


def test_light_loads_are_answered_at_once(buying):
    """At a load far under a tenth of what the drives write, the buffer answers."""
    for row in buying.sold:
        assert row.follows and row.mean_response_ns < 1e6, row.label


def test_no_response_is_below_the_hosts_own_cost(buying):
    row = next(row for row in buying.sold if row.mean_response_ns < LEAST_RESPONSE_NS)
    assert response_text(row) == "under 8.00 µs"
    told = row.to_dict()
    assert told["mean_response_ns"] >= LEAST_RESPONSE_NS and told["write_p99_ns"] >= LEAST_RESPONSE_NS
    assert "flushes are not in it" in buying.sentences[0]
    assert any("Flushes are not in them; the recording has none." in note for note in buying.notes)


def test_flushes_have_their_wait_in_the_report_and_in_the_notes(tmp_path):
    """A client drive's buffer is lost with the power, so a flush waits for a program; others answer at once."""
    rows = [f"{at * 6_000_000},write,{page * 4096},4096" for at, (page, _) in enumerate(skewed(40_000))]
    rows += [f"{at * 60_000_000 + 1_000_000},flush,0,0" for at in range(4000)]
    rows.sort(key=lambda row: int(row.partition(",")[0]))
    heading = "time_ns,operation,offset_bytes,length_bytes"
    (tmp_path / "flushes.csv").write_text("\n".join([heading, *rows]) + "\n", encoding="utf-8")
    advice = api.advise(tmp_path / "flushes.csv", techniques=False)
    by_label = {row.label: row for row in advice.sold}
    assert by_label["client TLC"].flushes["count"] == 4000
    assert by_label["client TLC"].flushes["mean"] > 100_000
    assert by_label["enterprise TLC"].flushes["mean"] < LEAST_RESPONSE_NS
    (note,) = (note for note in advice.notes if "Flushes are not in them" in note)
    assert "The recording has 4,000; a flush waits on average: " in note and "client TLC" in note


def test_what_is_not_steady_has_no_factor_and_is_not_the_drive_to_buy(buying):
    def restless(row: Row) -> Row:
        long_run = {**row.report.long_run, "steady": False}
        return replace(row, report=api.Report({**row.report.to_dict(), "long_run": long_run}))

    best = buying.best
    others = tuple(restless(row) if row is best else row for row in buying.sold)
    assert replace(buying, sold=others).best.label != best.label
    none = replace(buying, sold=tuple(map(restless, buying.sold)))
    assert none.best is None and headline(none) == "Cannot say: no drive was steady"
    one, other = buying.sold[:2]
    assert other.life_over(one) is not None
    assert restless(other).life_over(one) is None and other.life_over(restless(one)) is None
    one_plain = replace(one, rival=replace(one.rival, technique="plain"))
    table = Table("t", "mlc", 1.07, "closed", (one_plain, restless(other)), ())
    assert table.gain(table.rows[1]) is None
    told = import_module("rewear.advice.words")._gain(table, equal=True)
    assert "no technique lets it live longer" in told and f"without a factor: {other.label}" in told


def test_reads_take_the_time_of_the_flash(tmp_path):
    """The drives are full, so reads of what the recording never wrote are no answers from nothing."""
    rows = [
        f"{at * 6_000_000},{'write' if at % 2 else 'read'},{page * 4096},4096" for at, (page, _) in enumerate(skewed())
    ]
    path = tmp_path / "reads.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    for row in api.advise(path, techniques=False).sold:
        assert 10_000 < row.mean_response_ns < 1e6, row.label


@pytest.mark.parametrize("spec", ["uniform:requests=100000,pages={}", "hot-cold:requests=100000,pages={}"])
def test_the_answer_does_not_depend_on_the_size_of_the_replayed_drive(spec):
    """At half and twice the size, and with once, twice and four times the units, lives lie within the interval.

    The workloads have the same shares of hot and cold data at every size; Zipf's law has not.
    """
    tlc = next(each for each in classes(10**12, cycles=1000) if each.rival.label == "client TLC")

    def tbw(pages: int, units: int, fewer: bool = False) -> Interval:
        source = api.Workload(spec.format(pages)).on_region(Region(pages, 4096, 1))
        asked = Asked(source, traits_of(source), jobs=1)
        plan = make_plan(asked.traits, 10**12)
        sized = {"whole": tlc.sized(plan, units=units)}
        if fewer:
            sized["fewer"] = tlc.sized(plan, units=units // 2)
        reports = asked.until_steady(list(sized.items()), plan, **tlc.how)
        return row_of(tlc, sized["whole"], reports["whole"], plan, None, reports.get("fewer")).tbw

    answer = tbw(16384, UNITS, fewer=True)
    assert answer.high / answer.low < 1.3
    for pages, units in ((8192, UNITS), (32768, UNITS), (16384, UNITS), (16384, UNITS * 2), (16384, UNITS * 4)):
        assert answer.low <= tbw(pages, units).mean <= answer.high, (pages, units)


def test_the_error_of_an_answer_is_that_of_the_life():
    """The cache of a drive of QLC may wear out first: then the life changes otherwise than the flash erased does."""
    source = api.Workload("hot-cold:requests=100000,pages=16384").on_region(Region(16384, 4096, 1))
    asked, qlc = Asked(source, traits_of(source), jobs=1), classes(10**12)[0]
    plan = make_plan(asked.traits, 10**12)
    sized = {"whole": qlc.sized(plan), "fewer": qlc.sized(plan, units=UNITS // 2)}
    reports = asked.until_steady(list(sized.items()), plan, **qlc.how)
    alone, fewer = (row_of(qlc, sized[name], reports[name], plan, None) for name in ("whole", "fewer"))
    row = row_of(qlc, sized["whole"], reports["whole"], plan, None, reports["fewer"])
    # The whole drive has 4,096 units, 32 times as many: five doublings, each of which changes 0.71 of the one before.
    last = alone.tbw.mean / fewer.tbw.mean - 1
    whole = 1 + last * sum(0.5 ** (doubling / 2) for doubling in range(1, 6))
    assert row.tbw.mean / alone.tbw.mean == pytest.approx(whole, abs=0.005)
    assert row.error == pytest.approx(alone.error + abs(1 - 1 / whole), abs=0.005)
    # Two-sided: from no further change to twice as much as is carried on.
    ends = sorted((alone.tbw.mean, (2 * whole - 1) * alone.tbw.mean))
    assert row.tbw.mean * (1 - row.error) < ends[0] * 1.001 and row.tbw.mean * (1 + row.error) > ends[1] * 0.999


def test_a_drive_with_a_fixed_cache_answers_from_a_larger_model():
    by_label = {each.rival.label: each for each in classes(10**12)}
    fixed, other = by_label["client QLC"], by_label["client TLC"]
    assert (fixed.fixed_cache > 0, other.fixed_cache) == (True, 0)
    drive = fixed.responding(0)
    assert drive.exported_bytes == pytest.approx(2 * other.responding(0).exported_bytes, rel=0.02)

    def cache_bytes(tables, flash_bytes: float) -> float:
        return tables["ftl"]["slc_cache"]["share"] * flash_bytes

    # An eighth of that of a drive of 1 TiB, and behind it the share of spare space of the whole drive.
    flash = {each["key"]: each["value"] for each in drive.derived}["physical_bytes"]
    whole = fixed.preset["product"]["flash_bytes"] * 2**40 / 10**12
    cache = cache_bytes(drive.configuration, flash)
    assert cache == pytest.approx(cache_bytes(fixed.preset, whole) / 8, rel=0.02)
    behind = (1 + fixed.spare) * (1 - fixed.fixed_cache)
    assert (flash - cache) / drive.exported_bytes == pytest.approx(behind, rel=0.01)


def test_a_drive_that_is_larger_than_its_cache_asks_for_keeps_its_share():
    """A recording larger than what the cache would be of: then the model is as large as the recording."""
    fixed = classes(10**12)[0]
    drive = fixed.responding(200 * 2**30)
    assert drive.configuration["ftl"]["slc_cache"]["share"] == pytest.approx(fixed.fixed_cache)


# What the host can do.


def test_a_partition_that_is_not_aligned_is_measured(tmp_path):
    pages = [(page + 1, 3584) for page, _ in skewed()]
    advice = api.advise(recorded(tmp_path / "sector63.csv", pages), techniques=False)
    measure = next(each for each in advice.measures if each.name == "alignment")
    assert measure.life is not None and measure.life > 1.3
    assert "shift_bytes=512" in measure.sentence and measure.sentence in advice.sentences[1]


def test_streams_that_the_host_names_are_measured(tmp_path):
    path = tmp_path / "streams.csv"
    rows = [f"{at * 6_000_000},write,{page * 4096},4096,{int(page >= 400)}" for at, (page, _) in enumerate(skewed())]
    path.write_text("\n".join(["time_ns,operation,offset_bytes,length_bytes,stream", *rows]) + "\n", encoding="utf-8")
    advice = api.advise(path, techniques=False)
    assert advice.traits.streams == 2
    measure = next(each for each in advice.measures if each.name == "streams")
    assert measure.life is not None and measure.life > 0.9


# What firmware could do.


def test_drives_of_a_table_have_the_same_flash_and_capacity(advice):
    for table in advice.tables:
        assert len({round(row.flash_bytes) for row in table.rows}) == 1
        for row in table.rows:
            assert 0 <= row.sized.drive.exported_bytes - advice.plan.exported_bytes < 64 * 4096, row.label
        lives = [row.tbw.mean for row in table.rows]
        assert all(later <= sooner * 1.02 for sooner, later in pairwise(lives))
        assert table.gain(table.plain) == 1


def test_what_needs_more_flash_stands_apart(advice):
    equal = {row.rival.technique for row in advice.equal.rows}
    assert {"plain", "second writes", "differentiated ECC", "AGCR"} <= equal and "WOM-v" not in equal
    (more,) = advice.more
    assert {"WOM-v", "coset codes"} <= {row.rival.technique for row in more.rows}
    assert "coset codes" not in equal
    reason = next(each.reason for each in advice.equal.excluded if each.technique == "coset codes")
    assert "coset 0.75 holds" in reason
    assert (advice.equal.flash_ratio, more.flash_ratio) == (1.07, 2.14)
    assert {each.technique for each in advice.equal.excluded} >= {"recycling", "seal", "WOM-v"}
    assert {each.technique for each in advice.elsewhere} == {"recycling", "seal"}
    for each in advice.elsewhere:
        assert each.table.gain(each.row) > 1.05, each.technique


def test_recycling_is_recommended_only_where_one_pass_repeats_its_contents(tmp_path):
    """The recording is repeated, its contents are not."""

    def written(contents: int) -> api.Trace:
        path = tmp_path / f"{contents}.txt"
        lines = (
            f"{number * 20_000_000} 1 p {page * 8} 8 W 8 0 {number % contents:032x}\n"
            for number, (page, _) in enumerate(skewed(30_000))
        )
        path.write_text("".join(lines), encoding="utf-8")
        return api.Trace(path, format="fiu")

    fresh, chip = written(30_000), chips()["mlc"]
    traits = traits_of(fresh)
    only = [rival for rival in candidates(chip, traits)[0] if rival.axis in ("plain", "recycle")]
    table = study("fresh", Asked(fresh, traits), chip, make_plan(traits, 10**12, chip.page_bytes), 1.07, only=only)
    assert len(only) > 1 and all(row.rival.axis == "plain" for row in table.rows)
    assert any(each.technique == "recycling" and "One pass" in each.reason for each in table.excluded)

    trace = written(3000)
    # No drive is sure to live so long, so the longest life counts, and all drives cost less.
    advice = api.advise(trace, years=100)
    assert advice.plan.loops > 1
    assert any("recycling" in row.rival.technique for table in advice.tables for row in table.rows)
    assert not any(each.technique == "recycling" and "One pass" in each.reason for each in advice.equal.excluded)
    assert any("recycling" in row.label for row in advice.improved)
    # What is dearer than the drive to buy is left out.
    cheap = replace(advice, years=0.001)
    assert cheap.best is advice.sold[0]
    improved = import_module("rewear.advice.advise")._improved
    assert len(improved(cheap, Asked(trace, advice.traits), classes(10**12), advice.equal)) <= 1


def test_times_that_the_plain_drive_does_not_keep_are_left(tmp_path):
    """The rule is applied to the whole replay, not to its first pass."""

    def plain(gap: int) -> Table:
        trace, chip = recorded(tmp_path / f"{gap}.csv", skewed(30_000), gap_ns=gap), chips()["mlc"]
        traits = traits_of(trace)
        plan = make_plan(traits, 10**12, chip.page_bytes)
        return study("plain", Asked(trace, traits), chip, plan, 1.07, only=candidates(chip, traits)[0][:1])

    fast, slow = plain(1_000), plain(10_000_000)
    assert (fast.arrival, slow.arrival) == ("closed", "trace")
    assert slow.plain.mean_response_ns <= 100e6


@pytest.mark.parametrize(("technique", "ratio"), [("second writes", 1.07), ("WOM-v", 2.14)])
def test_a_trial_chooses_a_setting_that_lives_about_as_long_as_the_best(technique, ratio, advice):
    """Within 2%, the drift at which a replay counts as steady. A setting that stands alone has no trial."""
    chip, plan = chips()["mlc"], advice.plan
    rivals, _ = candidates(chip, advice.traits)
    plain, settings = rivals[0], [rival for rival in rivals if rival.technique == technique]
    source = api.Workload(MADE_UP).on_region(Region(plan.exported_bytes // 4096, 4096, 1))

    def tried(*settings: Rival) -> Row:
        table = study("tried", Asked(source, advice.traits), chip, plan, ratio, only=[plain, *settings])
        return next(row for row in table.rows if row.rival.technique == technique)

    chosen, alone = tried(*settings), [tried(each) for each in settings]
    assert len(settings) > 1 and chosen.label in {row.label for row in alone}
    assert chosen.tbw.mean >= 0.98 * max(row.tbw.mean for row in alone)


def test_what_changes_no_place_changes_no_life_and_all_blocks_were_erased(advice):
    for table in advice.tables:
        passes = table.plain.report["replay"]["passes"]
        for row in table.rows:
            if row.rival.technique == "AGCR":
                # It changes no place, so after as many passes its life is the same to the last byte.
                assert (row.report["replay"]["passes"], table.gain(row)) == (passes, 1)
            assert row.report.long_run["pe_cycles"] >= 1, row.label


def test_the_length_of_a_trial_and_of_a_replay_follow_from_the_flash(advice):
    plan = replace(advice.plan, requests=1000, written_bytes=10**9, max_requests=10**6)
    assert plan.trial(1.25e9) == {"loops": 3, "max_requests": 2500, "until": None, "warm_up": None}
    assert plan.most_requests(1e9, 1.0, passes=2) == 4000  # four passes at least
    assert plan.most_requests(1e9, 1.0, passes=6) == 6000  # those of its parts
    assert plan.most_requests(1e9, 0.25, passes=2) == 9000  # two cycles


def test_combinations_have_the_best_of_each_axis():
    def rival(label: str, axis: str) -> Rival:
        return Rival(label, label, axis, {axis: {"scheme": label}}, short=label, code=label in ("coset", "wom-v"))

    reuse = [rival(label, "reuse") for label in ("coset", "second-write", "wom-v", "seal")]
    best = [rival("r", "recycle"), rival("e", "effort"), rival("f", "effort"), *reuse]
    assert [each.label for each in combinations(best)] == ["r + e", "r + coset + e", "r + second-write + e"]
    assert [each.label for each in combinations(best[::-1])] == ["r + f", "r + seal + f", "r + wom-v + f"]
    assert combinations(best[:1]) == []


def test_a_chip_that_rules_a_technique_out_says_so(advice):
    _, excluded = candidates(chips()["tlc-3d"], advice.traits)
    reasons = {each.technique: each.reason for each in excluded}
    assert "needs MLC flash" in reasons["seal"] and "needs SLC or MLC flash" in reasons["second writes"]
    assert [each.technique for each in excluded if each.need] == ["recycling"]


@pytest.mark.parametrize(
    ("ratio", "rates"),
    [
        (1.07, ["0.844", "0.75", "0.667", "0.6", "0.5", "0.4"]),
        (1.5, ["0.844", "0.75", "0.667", "0.6", "0.5", "0.4"]),
        (1.75, ["0.667", "0.6", "0.5", "0.4"]),
        (2.14, ["0.6", "0.5", "0.4"]),
    ],
)
def test_codes_are_as_sparse_as_the_spare_space_allows(ratio, rates):
    """Those that leave more than 30% beside them are left; those that leave too little do not fit."""
    rivals, _ = candidates(chips()["qlc"], traits_of(api.Workload(MADE_UP), lambda _: None))
    kept = suited(rivals, ratio)
    assert [rival.label for rival in kept if rival.technique == "coset codes"] == [f"coset {rate}" for rate in rates]
    others = [rival for rival in rivals if rival.technique != "coset codes"]
    assert [rival for rival in kept if rival.technique != "coset codes"] == others


def test_the_best_rate_of_the_spare_space_is_found():
    """At twice the flash with equal writes that is the sparsest that fits: nine writes of QLC cells."""
    advice = api.advise(api.Workload("uniform:requests=60000,pages=16000"), chip="qlc")
    spare, more = advice.more
    row = next(row for row in more.rows if row.rival.technique == "coset codes")
    assert row.label == "coset 0.5"
    wom_v = next(row for row in more.rows if row.rival.technique == "WOM-v")
    assert more.gain(row) > 1.3 * more.gain(wom_v)
    # At 28% of spare space two dense writes fit, and no code of WOM-v does.
    dense = next(row for row in spare.rows if row.rival.technique == "coset codes")
    assert (spare.name, spare.flash_ratio, dense.label) == ("28% spare", 1.28, "coset 0.844")
    assert spare.gain(dense) > 1.2
    assert "WOM-v" in {each.technique for each in spare.excluded}


@pytest.mark.parametrize(("name", "bits"), [("mlc", 2), ("qlc", 4)])
def test_cells_with_one_bit_are_rivals_of_as_many_cells(name, bits):
    """A drive of them alone erases each cell more often and lives longer: its cycles are what is published."""
    chip = chips()[name]
    traits = traits_of(api.Workload(MADE_UP), lambda _: None)
    rivals, _ = candidates(chip, traits)
    rivals = [rival for rival in rivals if rival.technique in ("plain", "pSLC")]
    assert [rival.label for rival in rivals if rival.one_bit] == ["all pSLC"]
    plan = make_plan(traits, 10**12, chip.page_bytes)
    flash = flash_layout(chip, plan.exported_bytes * 1.1 * bits)
    plain, pool, alone = (
        drive_for(rival, chip, flash, plan.exported_bytes, "drive", "Here.")
        for rival in (rivals[0], rivals[2], rivals[-1])
    )

    def cells(sized) -> float:
        of = {each["key"]: each["value"] for each in sized.drive.derived}
        return of["physical_bytes"] * sized.bits

    assert cells(plain) == cells(pool) == pytest.approx(cells(alone), rel=0.05)
    life, pooled = (sized.drive.configuration["flash"]["life"]["cycles"] for sized in (alone, plain))
    assert life == round(pooled / chip.one_bit["cycle_wear"])
    assert pool.drive.configuration["ftl"]["slc_cache"]["cycle_wear"] == chip.one_bit["cycle_wear"]
    source = api.Workload(MADE_UP).on_region(Region(plan.exported_bytes // chip.page_bytes, chip.page_bytes, 1))
    named = [("plain", plain), ("all pSLC", alone)]
    reports = Asked(source, traits_of(source)).until_steady(named, plan)
    rows = [Row(rivals[0], sized, reports[label], 1e12, None) for label, sized in named]
    # A byte with one bit a cell takes so many more cells, of which each endures so many more cycles.
    erased = [reports[label].flash_erased_per_byte for label, _ in named]
    wanted = erased[0] / (erased[1] * bits) / chip.one_bit["cycle_wear"]
    assert rows[1].tbw.mean / rows[0].tbw.mean == pytest.approx(wanted, rel=0.1)


def test_every_rate_is_one_of_the_measured():
    for chip in chips().values():
        rivals, _ = candidates(chip, traits_of(api.Workload(MADE_UP), lambda _: None))
        coset = [rival for rival in rivals if rival.technique == "coset codes"]
        assert bool(coset) == (chip.bits_per_cell > 1), chip.name
        for rival in coset:
            keys = {f"reuse.{key}": value for key, value in rival.set["reuse"].items()}
            rate = keys["reuse.rate"]
            drive = api.Drive(chip.preset, set={**keys, "ftl.over_provisioning": 0.1})
            writes = next(each["value"] for each in drive.derived if each["key"] == "programs_per_page_and_erase")
            assert writes > 1, (chip.name, rate)


def test_chips_are_sound():
    for name, chip in chips().items():
        assert chip.preset in api.drives(), name
        assert chip.flash["life"]["cycles"] > 0


# The answer as a whole.


def test_the_same_question_has_the_same_answer(advice):
    assert api.advise(api.Workload(MADE_UP), jobs=1).to_json() == advice.to_json()


def test_the_drives_run_as_they_are(advice, tmp_path):
    paths = advice.save_drives(tmp_path / "drives")
    assert len(paths) == len(advice.rows)
    row, options = advice.rows[0], advice.to_dict()["replay"]
    assert tomllib.loads(paths[0].read_text(encoding="utf-8"))["flash"]["bits_per_cell"] == 4
    report = api.Drive(paths[0]).replay(
        api.Workload(MADE_UP).on_region(Region(1024**3 // 4096, 4096, 1)),
        precondition="fill", until="steady", fit=options["fit"], loops=options["least_loops"],
        warm_up=options["warm_up"], max_requests=options["max_requests"],
    )  # fmt: skip
    assert report.erases == row.report.erases


def test_the_next_step_of_the_manual_works(buying, tmp_path, rewear):
    """The commands below "Go on", with the drives and the trace of an answer; the whole drive's life is told."""
    text = (Path(__file__).parents[2] / "docs" / "manual" / "install.md").read_text(encoding="utf-8")
    step = text.split("rewear run drives/01-client-qlc.toml ", 1)[1].split("```")[0].replace("\\\n", " ")
    recorded(tmp_path / "desk.csv", skewed())
    for path in buying.save_drives(tmp_path / "drives")[: len(buying.sold)]:
        words = step.replace("YOUR.csv.gz", str(tmp_path / "desk.csv")).split()
        done = rewear("run", str(path), *words)
        assert done.returncode == 0, done.stderr
        told = " ".join(done.stdout.split())
        assert "This model, 1/" in told and "The whole drive takes" in told
        assert "A model of a " in path.read_text(encoding="utf-8")


def test_columns_hold_the_ranges(advice):
    for record in advice.records():
        assert record["tbw_bytes_low"] <= record["tbw_bytes"] <= record["tbw_bytes_high"]
    assert {record["table"] for record in advice.records()} == {"sold", *(table.name for table in advice.tables)}
    assert [table.name for table in advice.tables] == ["equal flash", "more flash"]


def test_several_volumes_on_one_drive_are_named(tmp_path):
    lines = [f"{at},host,{at % 7 if at % 2 else 0},Write,{4096 * (at * 37 % 500)},4096,100" for at in range(1, 9000)]
    path = tmp_path / "disks.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    traits = traits_of(api.Trace(path))
    note = volume_note(traits)
    for words in ("7 volumes", "and 3 more", ":volume=NAME", "host_0 has most of the bytes written"):
        assert words in note
    assert volume_note(traits_of(api.Trace(path, volume=traits.volumes[0]))) is None
    assert note in api.advise(path, techniques=False).notes


def test_a_shift_is_found(tmp_path):
    lines = [f"{at},host,0,Write,{63 * 512 + 4096 * (at * 37 % 5000)},4096,100" for at in range(1, 3000)]
    path = tmp_path / "shifted.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    traits = traits_of(api.Trace(path))
    assert (traits.unaligned, traits.shift_bytes, traits.unaligned_when_shifted) == (traits.requests, 512, 0)
    assert any("shift_bytes=512" in sentence for _, sentence in traits.lines())


def test_the_command(rewear, tmp_path):
    options = ("--workload", MADE_UP, "--no-techniques")
    done = rewear("advise", *options, "--drives", "drives", "--why")
    assert done.returncode == 0, done.stderr
    for words in ("client TLC", "rated", "What the host can do", "[flash.timing]"):
        assert words in done.stdout
    assert len(list((tmp_path / "drives").glob("*.toml"))) > 4
    answer = json.loads(rewear("advise", *options, "--json").stdout)
    assert len(answer["sold"]) > 4 and answer["techniques"] == {}

    recorded(tmp_path / "one.csv", [(0, 0)])
    nothing = rewear("advise", "one.csv", "--html", "one.html")
    assert nothing.returncode == 4 and nothing.stdout.startswith("Cannot say: ")
    assert "Cannot say" in (tmp_path / "one.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--workload", "uniform:requests=100,read=1"), "writes nothing"),
        (("--workload", MADE_UP, "--chip", "qlc3d"), "Did you mean 'qlc-3d'?"),
        (("--workload", MADE_UP, "--capacity", "1MiB"), "needs a capacity of"),
        (("--workload", MADE_UP, "--capacity", "much"), "is not a size"),
        ((), "There is nothing to ask about"),
    ],
)
def test_wrong_questions_are_refused(rewear, options, words):
    done = rewear("advise", *options)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr
