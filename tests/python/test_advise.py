"""`rewear advise`: sizes, what is ruled out, the ranking, and drives that run as they are."""

import json
import tomllib
from dataclasses import replace
from importlib import import_module
from itertools import combinations as choices
from itertools import pairwise
from pathlib import Path

import pytest
import rewear as api
from matplotlib.text import Text
from rewear.advice import Row, chips
from rewear.advice.advice import life_of, ranked, response_of
from rewear.advice.figures import bytes_per_cycle, interval_of
from rewear.advice.notes import notes_of, pace_of, volume_note
from rewear.advice.plan import DEFAULT_RATIO, make_plan
from rewear.advice.rivals import Rival, combinations
from rewear.advice.traits import traits_of
from rewear.page.labels import label_points
from rewear.page.svg import figure
from rewear.workload import Region

SKEWED = "zipf:requests=60000,pages=16000,theta=1,read=0.2"


@pytest.fixture(scope="module")
def advice() -> api.Advice:
    return api.advise(api.Workload(SKEWED), "mlc", seeds=2)


def by_label(advice: api.Advice) -> dict[str, Row]:
    return {row.label: row for row in (*advice.tried, *advice.rows)}


def test_all_drives_have_the_flash_and_the_capacity(advice):
    assert advice.plan.capacity_bytes == advice.traits.touched_bytes
    assert advice.plan.flash_bytes == pytest.approx(DEFAULT_RATIO * advice.plan.capacity_bytes, rel=1e-6)
    whole = [row for row in (*advice.rows, *advice.tried) if row.rival.flash_share == 1.0]
    assert len({row.flash_bytes for row in whole}) == 1
    assert whole[0].flash_bytes == pytest.approx(advice.plan.flash_bytes, rel=0.01)
    for row in (*advice.rows, *advice.tried):
        exported = row.sized.drive.exported_bytes
        assert 0 <= exported - advice.plan.model_exported_bytes < 64 * 4096, row.label


def test_it_tries_every_axis_and_what_a_user_would_take_instead(advice):
    techniques = {row.rival.technique for row in (*advice.rows, *advice.tried)}
    assert {"plain", "hot/cold streams", "WOM-v", "second writes", "differentiated ECC", "AGCR"} <= techniques
    assert any(row.rival.axis == "combination" for row in advice.rows)
    assert {each.technique for each in advice.excluded} == {"recycling", "seal"}


def test_a_drive_that_erased_nothing_wins_nothing(advice):
    def idle(row: Row) -> Row:
        return replace(row, reports=(row.sized.drive.replay(api.Workload("uniform:requests=10,read=1")),))

    unworn = idle(advice.best)
    rows = ranked([unworn if row is advice.best else row for row in advice.rows])
    changed = replace(advice, rows=rows)
    assert unworn not in changed.contenders
    assert rows[-1] is unworn
    assert "inf" not in " ".join(changed.sentences)
    assert changed.sentences[0].startswith(f"Take {changed.best.label}")

    plain = advice.reference
    untold = replace(advice, rows=ranked([idle(plain) if row is plain else row for row in advice.rows]))
    assert untold.best.label == plain.label
    assert "too short to tell" in untold.sentences[0]
    assert "too short to tell" in untold.to_html()


def test_the_ranking_follows_the_lives(advice):
    lives = [life_of(row) for row in advice.rows]
    assert all(later <= sooner * 1.01 for sooner, later in pairwise(lives))
    best, longest = advice.best, advice.longest
    assert life_of(longest) >= max(life_of(row) for row in advice.contenders) * 0.99
    assert response_of(best) <= advice.slowdown * response_of(advice.reference)
    assert best in advice.front and longest in advice.front
    for row in advice.contenders:
        if row not in advice.front:
            assert any(
                life_of(other) >= life_of(row) * 0.999
                and other.mean("mean_response_ns") <= row.mean("mean_response_ns") * 1.001
                for other in advice.front
            )


def test_the_life_of_second_writes_ends_their_use(advice):
    """Blocks take second writes in 30% of their life only, so the life lies nearer the plain drive's."""
    row, plain = by_label(advice)["second writes + diff. ECC"], advice.reference
    with_them, without = (bytes_per_cycle(each, row.flash_bytes, None) for each in (row.reports[0], row.later))
    assert with_them > without
    assert life_of(row) == pytest.approx(0.3 * with_them + 0.7 * without, rel=0.02)
    assert life_of(row) > life_of(plain)


def test_the_drives_run_as_they_are(advice, tmp_path: Path):
    paths = advice.save_drives(tmp_path / "drives")
    assert len(paths) == len(advice.rows)
    row = advice.rows[0]
    assert tomllib.loads(paths[0].read_text(encoding="utf-8"))["flash"]["bits_per_cell"] == 2
    drive = api.Drive(paths[0])
    replayed = row.reports[0]["replay"]
    report = drive.replay(
        api.Workload(SKEWED).on_region(Region(1024**3 // 4096, 4096, 1)),
        precondition="fill", fit=replayed["fit"], loops=replayed["loops"], warm_up=replayed["warm_up"],
        queue_depth=advice.queue_depth, seed=1,
    )  # fmt: skip
    assert report.erases == row.reports[0].erases


def test_what_the_workload_leaves_idle_is_shown_where_it_works(advice):
    by_technique = {each.technique: each for each in advice.elsewhere}
    assert set(by_technique) == {"recycling", "seal"}
    for each in advice.elsewhere:
        assert each.row.complete and each.plain.complete
        assert each.row.flash_bytes == each.plain.flash_bytes
        assert each.ratio("bytes_per_cycle") > 1.05, each.technique
    assert by_technique["seal"].row.reports[0].overwrites > 0
    page = advice.to_html()
    assert "What this workload leaves idle" in page
    assert page.count("a made-up workload that has what it needs") == 2
    other_chip = [each for each in advice.excluded if each.need is None]
    assert not other_chip


def test_columns_hold_the_intervals(advice):
    row = advice.records()[0]
    for key in ("tbw_bytes", "flash_erased_per_byte", "mean_response_ns"):
        assert row[f"{key}_low"] <= row[key] <= row[f"{key}_high"]


def with_figures(row: Row, plain: Row, life: float, response: float) -> Row:
    """The row with a life and a mean response as multiples of the plain drive's, and with its energy."""
    data = plain.reports[0].to_dict()
    data["life"]["tbw_bytes"] *= life
    data["mean_response_ns"] *= response
    return replace(row, reports=(api.Report(data),), later=None)


def test_a_longer_life_at_too_high_a_price_is_named_and_not_taken(advice):
    plain = replace(advice.reference, reports=advice.reference.reports[:1])
    a, b, c = [row for row in advice.rows if row.rival.flash_share == 1.0 and row.label != plain.label][:3]

    def answer(slowdown: float, *rows: Row) -> api.Advice:
        return replace(advice, slowdown=slowdown, rows=ranked([plain, *rows]))

    slow, fair = with_figures(a, plain, 3.0, 2.6), with_figures(b, plain, 2.6, 1.2)
    changed = answer(1.5, slow, fair)
    assert (changed.best, changed.longest, changed.quicker) == (fair, slow, None)
    first = changed.sentences[0]
    assert f"Take {fair.label}: it lives 2.6× as long as" in first
    assert "at 1.2× the mean response and 1.0× the energy" in first
    assert f"{slow.label} lives 3.0× as long, but at 2.6× the mean response" in first
    assert "2.6× the life at 1.2× the response" in changed.to_html()
    assert (changed.to_dict()["take"], changed.to_dict()["longest"]) == (fair.label, slow.label)

    # Who allows for the price gets the longest life, and hears of what is nearly as long and much quicker.
    allowed = answer(5.0, slow, fair)
    assert (allowed.best, allowed.longest, allowed.quicker) == (slow, slow, fair)
    assert f"{fair.label} lives nearly as long, 2.6×, at 1.2× the mean response" in allowed.sentences[0]

    # A drive that lives much shorter, or no longer than the plain one, is not nearly as good.
    assert answer(5.0, slow, with_figures(c, plain, 2.3, 0.5)).quicker is None
    assert answer(5.0, with_figures(a, plain, 1.2, 1.0), with_figures(c, plain, 1.0, 0.4)).quicker is None
    # The plain drive is always quick enough; its life is told, and what lives longer.
    stay = answer(1.0, slow)
    assert stay.best.label == plain.label
    assert "what lives longer" in stay.sentences[0] and "exported it takes" in stay.sentences[0]
    assert f"{slow.label} lives 3.0× as long, but at 2.6×" in stay.sentences[0]
    even = answer(1.5, with_figures(b, plain, 1.0, 0.3)).sentences[0]
    assert f"Take {b.label}: it lives as long as" in even and "at 0.30× the mean response" in even
    assert "exported it takes" in even


def test_combinations_are_of_all_sizes():
    best = [
        Rival(axis, axis, axis, {axis: {"scheme": "x"}}, short=axis)
        for axis in ("recycle", "reuse", "effort", "streams")
    ]
    found = combinations(best)
    assert [each.label.count(" + ") for each in found] == [1] * 6 + [2] * 4 + [3]
    reuse = [Rival(label, label, "reuse", {"reuse": {"scheme": label}}, short=label) for label in ("x", "y", "z")]
    assert [each.label for each in combinations([best[0], *reuse])] == ["recycle + x", "recycle + y"]


def test_the_same_question_has_the_same_answer(advice):
    again = api.advise(api.Workload(SKEWED), "mlc", seeds=2, jobs=1)
    assert again.to_json() == advice.to_json()


def test_content_and_overwrites_let_their_techniques_in():
    content = api.advise(api.Workload(f"{SKEWED},content=locality"), "slc", seeds=1)
    assert "recycling" in {row.rival.technique for row in content.rows}
    bits = api.advise(
        api.Workload("overwrite-regions:dataset_pages=16000,region=0.1,skew=0.8,writes=60000"), "mlc", seeds=1
    )
    assert "seal" in {row.rival.technique for row in bits.rows}
    assert bits.best.mean("flash_erased_per_byte") < bits.reference.mean("flash_erased_per_byte")


def test_a_larger_drive_lives_longer_in_proportion(advice):
    larger = api.advise(api.Workload(SKEWED), "mlc", flash_bytes=10 * advice.plan.flash_bytes, seeds=2)
    ratio = life_of(larger.reference) / life_of(advice.reference)
    assert ratio == pytest.approx(10, rel=0.02)
    assert "The replayed drives are smaller" in larger.to_html()


def test_a_drive_of_another_size_is_scaled_by_stated_rules(advice):
    terabyte = api.advise(api.Workload(SKEWED), "mlc", capacity_bytes=10**12, seeds=2)
    stated = terabyte.to_dict()["scaling"]
    assert stated["capacity_bytes"] == 10**12
    assert stated["replayed_capacity_bytes"] == advice.plan.model_exported_bytes
    assert stated["factor"] == pytest.approx(10**12 / advice.plan.model_exported_bytes)
    assert "hot and cold" in stated["assumption"]
    small, large = by_label(advice), by_label(terabyte)
    for label in ("plain, all spare space", terabyte.best.label):
        for key in terabyte.to_dict()["drives"][0]["figures"]:
            base, value = small[label].mean(key), large[label].mean(key)
            factor = stated["factor"] if key in stated["scaled_with"] else 1.0
            assert (base is None and value is None) or value == pytest.approx(base * factor), key
    # Four bytes a page of 4 KiB, and nothing else on the plain drive.
    assert large["plain, all spare space"].mean("controller_bytes") == pytest.approx(10**12 / 1024, rel=0.001)
    assert "931 GiB exported it takes" in terabyte.sentences[0]
    assert advice.to_dict()["scaling"]["assumption"] is None


class _SizedError(Exception):
    """Ends an advice before its first replay."""


def test_a_made_up_workload_is_not_replayed_on_a_petabyte(monkeypatch: pytest.MonkeyPatch):
    def sized(*given: object) -> object:
        plan = make_plan(*given)
        assert plan.model_exported_bytes <= 4 * 2**30
        assert plan.capacity_bytes == 2**50
        raise _SizedError

    monkeypatch.setattr(import_module("rewear.advice.advise"), "make_plan", sized)
    with pytest.raises(_SizedError):
        api.advise(api.Workload("uniform:requests=1000"), "mlc", capacity_bytes=2**50)


def test_several_volumes_on_one_drive_are_named(tmp_path: Path):
    lines = [f"{at},host,{at % 7 if at % 2 else 0},Write,{4096 * (at * 37 % 500)},4096,100" for at in range(1, 3000)]
    path = tmp_path / "disks.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    traits = traits_of(api.Trace(path))
    assert len(traits.volumes) == 7
    note = volume_note(traits)
    assert note is not None
    for words in ("7 volumes", "and 3 more", ":volume=NAME", "host_0 has most of the bytes written"):
        assert words in note
    one = traits_of(api.Trace(path, volume=traits.volumes[0]))
    assert volume_note(one) is None
    advice = api.advise(path, "mlc", seeds=1, jobs=1)
    assert advice.notes[0] == note
    assert advice.plan.is_short
    assert any("short for this flash" in each for each in advice.notes)
    assert any("takes the rate of 300 µs" in each for each in advice.notes)
    assert "a longer recording, since this one was repeated" in advice.sentences[2]
    assert note.replace("'", "&#39;") in advice.to_html()


def timed(tmp_path: Path, gap_ns: int, burst: int) -> Path:
    """A trace of 60,000 skewed writes of a page that come in bursts, one each `gap_ns` on average."""
    lines = []
    for number in range(60_000):
        page = (number * 7919) % (400 if number % 4 else 16_000)
        lines.append(f"{number // burst * burst * gap_ns},write,{page * 4096},4096")
    path = tmp_path / f"every-{gap_ns}-{burst}.csv"
    path.write_text("\n".join(lines))
    return path


def test_a_rate_that_no_drive_can_follow_is_named(tmp_path: Path):
    quick, slow = (api.advise(timed(tmp_path, gap_ns, 1), "mlc", seeds=1) for gap_ns in (1_000, 100_000_000))
    assert (quick.arrival, slow.arrival) == ("closed", "trace")
    assert any("a rate that no drive here can follow" in each for each in quick.notes)
    assert not any("can follow" in each for each in slow.notes)
    # The quickest of the drives decides, not the plain one.
    rows = {row.label: row for row in quick.rows if row.complete}
    paces = {label: pace_of(row) for label, row in rows.items()}
    quickest = max(paces, key=paces.__getitem__)
    assert quickest != quick.reference.label
    assert any(f"The quickest of the drives, {quickest}, takes" in each for each in quick.notes)
    between = (paces[quickest] * 0.99) / quick.traits.bytes_per_second
    traits = replace(quick.traits, duration_ns=round(quick.traits.duration_ns / between))
    enough = [label for label, pace in paces.items() if pace >= traits.bytes_per_second]
    assert any(f"only {', '.join(enough)} can follow" in each for each in notes_of(traits, quick.plan, quick.rows))
    assert "at the rate of the 60.0 ms that were recorded" in " ".join(quick.sentences)
    assert "as recorded" in " ".join(slow.sentences)


def test_bursts_that_the_drives_answer_late_are_named(tmp_path: Path):
    bursts = api.advise(timed(tmp_path, 5_000_000, 10_000), "mlc", arrival="trace", seeds=1)
    assert any("bursts that the drives answer late" in each for each in bursts.notes)


def test_labels_of_points_lie_on_nothing():
    """Points on one spot share a label; all others have a place of their own."""
    with figure(3.6, "labels") as (drawing, axes):
        points = [(1.0, 1.0), (1.0, 1.001), (1.02, 1.0), (1.05, 1.03), (1.06, 1.0), (2.0, 2.0)]
        axes.plot(*zip(*points, strict=True), "o")
        label_points(drawing, axes, points, [str(number) for number in range(10, 16)], ["#000000"] * 6, "#888888")
        drawing.draw_without_rendering()
        boxes = [Text.get_window_extent(text) for text in axes.texts]  # without the lines that lead there
        marks = [axes.transData.transform(point) for point in points]
    assert axes.texts[0].get_text() == "10, 11"
    assert len(boxes) == 5
    assert not any(one.overlaps(other) for one, other in choices(boxes, 2))
    assert not any(box.contains(*mark) for box in boxes for mark in marks)


def test_a_shift_is_found(tmp_path: Path):
    lines = [f"{at},host,0,Write,{63 * 512 + 4096 * (at * 37 % 5000)},4096,100" for at in range(1, 3000)]
    path = tmp_path / "shifted.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    traits = traits_of(api.Trace(path))
    assert traits.unaligned == traits.requests
    assert traits.shift_bytes == 512
    assert traits.unaligned_when_shifted == 0
    assert any("shift_bytes=512" in sentence for _, sentence in traits.lines())
    assert len(traits.lines()) == 5


def test_pages_touched_sparsely_rule_out_what_maps_larger_ones(tmp_path: Path):
    # Every eighth page: of pages of 12 KiB, as WOM-v codes map them, three times as many bytes are touched.
    trace = tmp_path / "sparse.csv"
    trace.write_text("".join(f"0,write,{number % 6000 * 32768},4096\n" for number in range(30000)))
    advice = api.advise(trace, "qlc", seeds=1)
    assert advice.plan.fit == "dense"
    mapped = {row.sized.drive.logical_page_bytes for row in (*advice.rows, *advice.tried)}
    assert mapped == {4096}
    assert advice.arrival == "closed"


def test_large_pages_that_are_touched_in_part_are_named(tmp_path: Path):
    trace = tmp_path / "sparse.csv"
    trace.write_text("".join(f"0,write,{number * 131072},4096\n" for number in range(6000)))
    traits = traits_of(api.Trace(trace))
    for name, named in (("tlc-3d", True), ("mlc", False)):
        plan = make_plan(traits, chips()[name], None, None, 1)
        assert any("has room for a page of 16.0 KiB" in note for note in plan.notes) == named


def test_chips_are_sound():
    for name, chip in chips().items():
        assert chip.preset in api.drives(), name
        assert chip.bits_per_cell in (1, 2, 3, 4)
        for key in ("read_ns", "program_ns", "erase_ns"):
            assert key in chip.flash["timing"]


@pytest.mark.parametrize("chip", ["qlc-3d", "tlc-3d"])
def test_other_chips_work(chip):
    advice = api.advise(api.Workload("zipf:requests=20000,pages=8000,theta=1"), chip, seeds=1)
    # Recycling works on any cells, where content is known; the drives it is shown on have pages of this chip.
    assert [each.technique for each in advice.elsewhere] == ["recycling"]
    reasons = {each.technique: each.reason for each in advice.excluded}
    assert "needs MLC flash" in reasons["seal"]
    assert "needs SLC or MLC flash" in reasons["second writes"]
    # Another chip would not give seal its overwrites.
    assert [each.technique for each in advice.excluded if each.chip_alone] == ["second writes"]
    assert "another chip would let second writes compete" in advice.sentences[2]


def test_the_life_is_that_of_the_report(advice):
    row = advice.reference
    timed = replace(row, reports=row.reports[:1], bytes_per_second=1e6)
    life, physical = row.reports[0].life, row.reports[0].derived["physical_bytes"]
    assert row.reports[0]["drive"]["configuration"]["ftl"]["wear_levelling"] == {"scheme": "static", "spread": 150}
    assert timed.mean("tbw_bytes") == pytest.approx(life["tbw_bytes"] * row.flash_bytes / physical)
    assert timed.mean("tbw_bytes") == pytest.approx(life["cycles"] * timed.mean("bytes_per_cycle"))
    assert timed.mean("life_years") == pytest.approx(timed.mean("tbw_bytes") / 1e6 / (365.25 * 86400))


def test_intervals():
    assert interval_of([1.0, None]) is None
    one = interval_of([2.0])
    assert (one.low, one.high) == (2.0, 2.0)
    three = interval_of([1.0, 2.0, 3.0])
    assert three.mean == 2.0
    assert three.high == pytest.approx(2 + 4.302653 / 3**0.5)


def test_the_command(rewear, tmp_path: Path):
    options = ("--workload", SKEWED, "--chip", "mlc", "--seeds", "1")
    done = rewear("advise", *options, "--drives", "drives", "--why")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Take ")
    for words in ("What would change the answer", "flash erased", "Not tried: seal", "[flash.timing]"):
        assert words in done.stdout
    assert len(list((tmp_path / "drives").glob("*.toml"))) > 5
    answer = json.loads(rewear("advise", *options, "--json").stdout)
    taken = next(drive for drive in answer["drives"] if drive["label"] == answer["take"])
    assert taken["on_the_front"]
    assert len(answer["answer"]) == 3


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--workload", "uniform:requests=100,read=1"), "writes nothing"),
        (("--workload", SKEWED, "--chip", "qlc3d"), "Did you mean 'qlc-3d'?"),
        (("--workload", SKEWED, "--capacity", "1MiB"), "needs a capacity of"),
        (("--workload", SKEWED, "--flash", "1GiB", "--capacity", "1GiB"), "times the capacity"),
        (("--workload", SKEWED, "--flash", "much"), "is not a size"),
        ((), "There is nothing to replay"),
    ],
)
def test_wrong_questions_are_refused(rewear, options, words):
    done = rewear("advise", *options)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr
