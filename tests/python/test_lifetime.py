"""How long drives live: extrapolated, followed to their end, and as the command shows it."""

import re

import pytest
import rewear as api
from rewear.comparison.lifetime import lifetime
from rewear.comparison.verdict import spare_of, verdict_of

WORKLOAD = "uniform:requests=20000"


def drive(small, **settings):
    return api.Drive("qlc", set={**small, "ftl.over_provisioning": 0.3, "ftl.erase_unit": "block", **settings})


def test_a_drive_followed_to_its_end_lives_as_long_as_was_extrapolated(small):
    worn = drive(small, **{"flash.endurance_cycles": 60})
    (died,) = lifetime([api.Workload(WORKLOAD)], [("died", worn)], simulate=True)
    (steady,) = lifetime([api.Workload(WORKLOAD)], [("steady", worn)])
    assert died.figures["simulated"] and not steady.figures["simulated"]
    assert not died.report.complete and "worn out" in died.report.stopped_because
    # 64 blocks of 60 cycles die less evenly than those of a drive in use.
    assert steady.tbw_bytes == pytest.approx(died.tbw_bytes, rel=0.1)


def test_what_programs_without_an_erase_cost_is_shown(small):
    wom = drive(small, **{"reuse.scheme": "wom-v", "reuse.data_bits": 2})
    (life,) = lifetime([api.Workload(WORKLOAD)], [("wom", wom)])
    assert life.tbw_bytes_at(0.0) == pytest.approx(life.tbw_bytes)
    assert life.tbw_bytes_at(1.0) < life.tbw_bytes_at(0.1) < life.tbw_bytes_at(0.0)


def test_what_coarse_program_steps_cost_is_shown_and_counted(small):
    def life(wear):
        effort = {"effort.scheme": "differentiated-ecc", "flash.life.coarse_wear": wear}
        (found,) = lifetime([api.Workload(f"{WORKLOAD},read=0.2")], [("effort", drive(small, **effort))])
        return found

    free, dear = life(0.0), life(0.5)
    assert free.coarse_programs > 0 and "coarse_share" not in free.figures
    assert 0 < dear.figures["coarse_share"] < 0.5
    # What the run without wear foretells is what the run with it finds.
    assert free.tbw_bytes_at(coarse_wear=0.5) == pytest.approx(dear.tbw_bytes, rel=0.02)
    assert dear.tbw_bytes_at(coarse_wear=0.0) == pytest.approx(free.tbw_bytes, rel=0.02)


def test_blocks_without_an_end_are_refused(small):
    with pytest.raises(api.ConfigurationError, match=r"flash\.endurance_cycles"):
        lifetime([api.Workload(WORKLOAD)], [("qlc", drive(small))], simulate=True)


def test_the_command_prints_a_table_json_and_a_page(rewear, small_options, tmp_path):
    common = ("lifetime", "qlc", "roomy=qlc:ftl.over_provisioning=0.6", "--workload", WORKLOAD, *small_options)
    done = rewear(*common, "--set", "ftl.erase_unit=block", "--html", "o/life.html")
    assert done.returncode == 0, done.stderr
    for words in ("roomy", "drive writes", "1,000 cycles", "worn blocks"):
        assert words in done.stdout
    page = (tmp_path / "o/life.html").read_text(encoding="utf-8")
    assert "What kills first" in page and page.count("<svg") >= 1 and "http" not in page
    lives = rewear(*common, "--set", "ftl.erase_unit=block", "--json").document()["lives"]
    assert [life["label"] for life in lives] == ["qlc", "roomy"]
    assert lives[1]["life"]["drive_writes"] > lives[0]["life"]["drive_writes"]


def test_seeds_give_intervals_and_a_difference_within_them_is_none(small):
    workload = api.Workload("uniform:requests=30000")
    same = [("one", drive(small)), ("two", drive(small, **{"flash.timing.erase_ns": 1}))]
    even = api.compare(workload, same, seeds=3, precondition="fill")
    assert even.repeats == 3
    assert verdict_of(even).kind == "none"
    roomy = [same[0], ("roomy", drive(small, **{"ftl.over_provisioning": 0.6}))]
    verdict = verdict_of(api.compare(workload, roomy, seeds=3, precondition="fill"))
    assert verdict.kind == "winner"
    assert "±" in verdict.sentence and "no drive with as much flash was compared" in verdict.sentence


def test_a_winner_with_more_flash_is_named_with_its_rival(small):
    drives = [
        ("plain", drive(small)),
        ("roomy", drive(small, **{"ftl.over_provisioning": 1.6})),
        ("wom", drive(small, **{"reuse.scheme": "wom-v", "reuse.data_bits": 2})),
    ]
    comparison = api.compare(api.Workload("uniform:requests=60000,pages=1500"), drives, precondition="fill")
    sentence = verdict_of(comparison).sentence
    assert "roomy" in sentence and "wom" in sentence and "× the flash" in sentence


def test_a_code_that_takes_the_spare_flash_is_not_told_to_take_more(small):
    code = {"reuse.scheme": "coset", "reuse.rate": 0.84375, "ftl.over_provisioning": 0.08}
    drives = [("plain", drive(small, **{"ftl.over_provisioning": 0.28})), ("code", drive(small, **code))]
    comparison = api.compare(api.Workload(WORKLOAD), drives, precondition="fill")
    said = spare_of(comparison.runs[1], comparison)
    assert said.endswith("; its code takes the rest"), said


def test_drives_of_as_much_flash_say_whose_geometry_leaves_cleaning_less_spare(small):
    halved = {"flash.pages_per_block": 2 * int(small["flash.pages_per_block"])}
    halved["flash.blocks_per_plane"] = int(small["flash.blocks_per_plane"]) // 2
    drives = [("fine", drive(small)), ("coarse", drive(small, **halved)), ("same", drive(small))]
    comparison = api.compare(api.Workload(WORKLOAD), drives, precondition="fill")
    fine, coarse, same = (report.figure("cleaning_spare_bytes") for report in comparison.reports)
    assert coarse < 0.97 * fine and same == fine
    said = spare_of(comparison.runs[1], comparison)
    assert "less than fine in spare flash for cleaning" in said
    assert not spare_of(comparison.runs[2], comparison)
    alone = verdict_of(api.compare(api.Workload(WORKLOAD), drives[:2], precondition="fill"))
    wears = r"coarse erases \S+ more flash for a byte written than fine, with \S+ less spare flash"
    assert alone.kind == "none" and re.fullmatch(wears, alone.sentence), alone.sentence
    equal = re.search(r"ftl\.over_provisioning=(\S+) gives it as much$", said)
    assert equal, said
    evened = [drives[0], ("coarse", drive(small, **halved, **{"ftl.over_provisioning": float(equal[1])}))]
    again = api.compare(api.Workload(WORKLOAD), evened, precondition="fill")
    fine, coarse = (
        report.figure("cleaning_spare_bytes") / report.derived["exported_bytes"] for report in again.reports
    )
    assert coarse == pytest.approx(fine, rel=0.005)
    assert not spare_of(again.runs[1], again)
