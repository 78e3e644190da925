"""`rewear life`: answers from SMART logs, with the figures of published ones, and logs that are refused."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
import rewear as api
from rewear.core.errors import RewearError, RewearWarning
from rewear.disk.changes import more_spare, spare_factor
from rewear.figures.units import format_number
from rewear.twin.closed_forms import cyclic

DAY_S = 86_400
CASES = Path(__file__).parents[3] / "shared" / "cases"


def nvme(**changes: Any) -> dict[str, Any]:
    """The facts of SAMSUNG_MZVL21T0HCLR-00B00_23.json of prometheus-community/smartctl_exporter."""
    health = {"percentage_used": 16, "data_units_written": 113_662_783, "power_on_hours": 10_423}
    given = {key: changes.pop(key) for key in list(changes) if key in health}
    return {
        "model_name": "SAMSUNG MZVL21T0HCLR-00B00",
        "serial_number": "A1",
        "user_capacity": {"bytes": 1_024_209_543_168},
        "nvme_smart_health_information_log": {**health, **given},
        **changes,
    }


def sata(*attributes: tuple[str, int, int], hours: int, **more: Any) -> dict[str, Any]:
    """A drive with attributes as name, normalised value, raw value."""
    rows = [{"name": name, "value": value, "raw": {"value": raw}} for name, value, raw in attributes]
    return {
        "model_name": "X", "serial_number": "B2", "rotation_rate": 0, "in_smartctl_database": True,
        "user_capacity": {"bytes": 10**12}, "power_on_time": {"hours": hours}, "ata_smart_attributes": {"table": rows},
        **more,
    }  # fmt: skip


def answer(folder: Path, *logs: dict[str, Any]) -> api.DiskLife:
    for number, log in enumerate(logs):
        (folder / f"{number}.json").write_text(json.dumps(log, indent=1))
    (disk,) = api.life([folder])
    return disk


def test_one_log_tells_the_average_since_new(tmp_path: Path):
    disk = answer(tmp_path, nvme())
    assert disk.a_day == pytest.approx(113_662_783 * 512_000 / 10_423 * 24)
    assert disk.years is not None
    assert disk.years.mean == pytest.approx(84 / 16 * 10_423 / 8766)
    assert disk.years.low == pytest.approx(83 / 17 * 10_423 / 8766)
    assert disk.years.high == pytest.approx(85 / 15 * 10_423 / 8766)
    assert disk.headline == "About 6.2 years left by this use (5.8 to 6.7 years), in powered-on time"


def test_two_logs_tell_the_rate_between(tmp_path: Path):
    # A tenth of the average: on for half of 20 days.
    more = round(113_662_783 / 10_423 * 240 / 10)
    later = nvme(data_units_written=113_662_783 + more, power_on_hours=10_663, local_time={"time_t": 21 * DAY_S})
    disk = answer(tmp_path, nvme(local_time={"time_t": DAY_S}), later)
    assert disk.recent == pytest.approx(more * 512_000 / 20)
    assert disk.years is not None
    left = (113_662_783 + more) * 512_000 * 84 / 16
    assert disk.years.mean == pytest.approx(left / disk.recent / 365.25)
    # At the average rate since new, powered on half of the time.
    assert disk.years.low == pytest.approx(83 / 17 * 10_663 / 8766 * 2)


def test_logs_within_a_day_give_no_rate(tmp_path: Path):
    disk = answer(tmp_path, nvme(), nvme(power_on_hours=10_446, data_units_written=113_999_999))
    assert disk.recent is None
    assert disk.a_day == disk.since_new


def test_a_percent_after_a_year_is_more_than_fifty_years(tmp_path: Path):
    assert answer(tmp_path, nvme(percentage_used=1, power_on_hours=8766)).headline == (
        "More than 50 years by this use, in powered-on time; 49 years at least"
    )


def test_no_percent_says_only_the_least(tmp_path: Path):
    disk = answer(tmp_path, nvme(percentage_used=0, power_on_hours=2401))
    assert disk.headline == "At least 27 years by this use, in powered-on time; 0% used tells no more"
    assert disk.to_dict()["years"]["high"] is None


def test_flash_and_host_writes_give_the_amplification(tmp_path: Path):
    # KINGSTON_SKC400S371T of prometheus-community/smartctl_exporter: the normalised value never falls.
    rows = (("SSD_Life_Left", 100, 74), ("Flash_Writes_GiB", 100, 840_007), ("Lifetime_Writes_GiB", 100, 391_741))
    disk = answer(tmp_path, sata(*rows, hours=54_450))
    assert disk.last.used == 26
    assert disk.last.host_bytes == 391_741 * 2**30
    assert disk.amplification == pytest.approx(840_007 / 391_741)


def test_pages_of_host_and_translation_layer_give_the_amplification(tmp_path: Path):
    # Micron_5300_MTFDDAK1T9TDS of the same repository.
    rows = (
        ("Percent_Lifetime_Remain", 100, 0), ("Total_LBAs_Written", 100, 130_006_927_240),
        ("Host_Program_Page_Count", 100, 4_062_707_571), ("Bckgnd_Program_Page_Cnt", 100, 8_824_675_195),
    )  # fmt: skip
    disk = answer(tmp_path, sata(*rows, hours=4175))
    assert disk.last.host_bytes == 130_006_927_240 * 512
    assert disk.amplification == pytest.approx(1 + 8_824_675_195 / 4_062_707_571)


def test_a_name_with_a_unit_goes_before_one_of_blocks(tmp_path: Path):
    # SSDSCKJB240G7R of the same repository counts 32 MiB in both.
    rows = (("Total_LBAs_Written", 100, 129_493), ("Host_Writes_32MiB", 100, 129_493))
    assert answer(tmp_path, sata(*rows, hours=21_213)).last.host_bytes == 129_493 * 2**25


def test_the_standard_statistics_go_before_attributes(tmp_path: Path):
    # Samsung SSD 860 EVO 500GB, smart-ata-full.json of AnalogJ/scrutiny.
    pages = [
        {"number": 1, "table": [{"name": "Logical Sectors Written", "value": 64_777_770_148}]},
        {"number": 7, "table": [{"name": "Percentage Used Endurance Indicator", "value": 19}]},
    ]
    log = sata(("Wear_Leveling_Count", 81, 278), hours=14_551, ata_device_statistics={"pages": pages})
    disk = answer(tmp_path, log)
    assert (disk.last.used, disk.last.host_bytes) == (19, 64_777_770_148 * 512)


def test_what_a_log_does_not_tell_is_said(tmp_path: Path):
    log = sata(("Total_LBAs_Written", 99, 1000), hours=100, in_smartctl_database=False)
    del log["user_capacity"]
    disk = answer(tmp_path, log)
    assert disk.others == []
    assert "unit of Total_LBAs_Written is unknown" in dict(disk.facts())["host wrote"]
    assert disk.headline == "Cannot say how long it lives: no attribute of the life that is used"


def test_the_ocp_page_beside_a_log_of_nvme_cli_gives_the_amplification(tmp_path: Path):
    log = {
        "percent_used": 3, "data_units_written": 1000, "power_on_hours": 500,
        "Physical media units written": {"hi": 0, "lo": 1_536_000_000},
    }  # fmt: skip
    disk = answer(tmp_path, log)
    assert disk.amplification == pytest.approx(3.0)
    assert disk.last.model is None


def test_disks_are_told_apart_by_their_serial_numbers(tmp_path: Path):
    for name in ("A1", "C3"):
        (tmp_path / f"{name}.json").write_text(json.dumps(nvme(serial_number=name)))
    assert {disk.last.serial for disk in api.life([tmp_path])} == {"A1", "C3"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a": 1,\n "b": }', ["line 2, column 7", "smartctl -x"]),
        ("", ["line 1, column 1", "smartctl -x"]),
        ("[1]", ["line 1", "not an object"]),
        ("[" * 100_000, ["too deep"]),
        ('{"devices": []}', ["no SMART values"]),
        ('{"smartctl": {"messages": [{"string": "Permission denied"}]}}', ["Permission denied"]),
        ('{\n"rotation_rate": 7200}', ["line 2", "hard disk", "7,200"]),
        ('{\n"power_on_hours": -1,\n"data_units_written": 3}', ["line 2", "power_on_hours", "-1"]),
        ('{"power_on_hours": 3, "data_units_written": NaN}', ["data_units_written"]),
        ('{"nvme_smart_health_information_log": 3}', ["no table"]),
        (
            '{"power_on_time": {"hours": 10},\n"data_units_written": 3,\n"power_on_hours": 30}',
            ["line 3: power_on_hours is 30", "line 1 has 10"],
        ),
    ],
)
def test_what_is_no_log_is_refused(rewear, tmp_path: Path, text: str, words: list[str]):
    (tmp_path / "log.json").write_text(text)
    message = rewear("life", "log.json").refused()
    for word in ("log.json", *words):
        assert word in message


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"data_units_written": 1}, "host bytes went back"),
        ({"percentage_used": 15}, "percentage used went back"),
        ({"local_time": {"time_t": 5}}, "time of the log went back"),
        ({"local_time": {"time_t": DAY_S + 3600}}, "of the clock"),
    ],
)
def test_logs_that_contradict_each_other_are_refused(tmp_path: Path, change: dict[str, Any], words: str):
    later = nvme(**{"power_on_hours": 10_500, "local_time": {"time_t": 90 * DAY_S}, **change})
    with pytest.raises(RewearError, match=words):
        answer(tmp_path, nvme(local_time={"time_t": DAY_S}), later)


def test_the_command_prints_the_answer(rewear, tmp_path: Path):
    (tmp_path / "log.json").write_text(json.dumps(nvme()))
    done = rewear("life", "log.json")
    assert done.returncode == 0
    assert "About 6.2 years left" in done.stdout
    assert "client QLC" in done.stdout
    assert rewear("life", "log.json", "--json").document()["disks"][0]["logs"][0]["used"] == 16


def test_the_page_has_the_answer_and_is_the_same_each_time(rewear, tmp_path: Path):
    (tmp_path / "log.json").write_text(json.dumps(nvme(percentage_used=0)))
    pages = []
    for _ in range(2):
        assert rewear("life", "log.json", "--html", "life.html").returncode == 0
        pages.append((tmp_path / "life.html").read_text())
    assert pages[0] == pages[1]
    assert "More than 50 years by this use" in pages[0]
    assert "<svg" in pages[0]
    assert "Infinity" not in pages[0]


def test_eight_named_drives_have_ratings_and_the_cycles_of_their_class(tmp_path: Path):
    others = answer(tmp_path, nvme(user_capacity={"bytes": 10**12})).others
    assert len({other.name for other in others}) == 8
    assert all(other.rated_bytes > 0 and other.rated and other.drive for other in others)
    named = {other.name: other for other in others}
    qlc, a_year = named["client QLC"], 113_662_783 * 512_000 / 10_423 * 24 * 365.25
    assert qlc.drive == "Intel 660p 1TB"
    assert qlc.rated_bytes == pytest.approx(200e12)
    assert qlc.years == pytest.approx(200e12 / a_year)
    assert qlc.by_cycles is not None
    assert qlc.by_cycles.high == pytest.approx(1000 * 1.0995e12 / a_year)
    assert qlc.by_cycles.low == pytest.approx(370 * 1.0995e12 / a_year / qlc.amplification)
    # A third of a drive write a day over five years; the class has 14.5% of spare flash.
    dense = named["dense enterprise TLC"]
    assert dense.rated_bytes == pytest.approx(0.3 * 5 * 365 * 1e12)
    # Twice the capacity has twice the rating.
    (tmp_path / "twice").mkdir()
    twice = answer(tmp_path / "twice", nvme(user_capacity={"bytes": 2 * 10**12})).others
    assert [other.rated_bytes for other in twice] == pytest.approx([2 * other.rated_bytes for other in others])


def test_samsung_counts_sectors_written_to_flash(tmp_path: Path):
    # MZ7KM1T9HAJM-00005 of linuxhw/SMART.
    rows = (
        ("Wear_Leveling_Count", 98, 530), ("Total_LBAs_Written", 99, 579_208_418_210),
        ("NAND_Writes", 100, 2_249_315_454_720),
    )  # fmt: skip
    disk = answer(tmp_path, sata(*rows, hours=52_463))
    assert disk.amplification == pytest.approx(2_249_315_454_720 / 579_208_418_210)
    assert disk.last.nand_from == "NAND_Writes"
    # The unit: 530 cycles of 2,048 GiB of flash.
    assert disk.last.nand_bytes == pytest.approx(530 * 2048 * 2**30, rel=0.02)


@pytest.mark.parametrize("key", ["Physical media units written", "physical_media_units_written"])
def test_an_ocp_page_in_a_file_of_its_own_goes_to_the_log_beside_it(tmp_path: Path, key: str):
    for day, units, flash in (("monday", 1_000_000, 700), ("friday", 3_000_000, 2_500)):
        log = {"percent_used": 3, "data_units_written": units, "power_on_hours": 500 + units // 10_000}
        (tmp_path / f"{day}.json").write_text(json.dumps(log))
        (tmp_path / f"{day}-ocp.json").write_text(json.dumps({key: {"hi": 0, "lo": flash * 10**9}}))
    (disk,) = api.life([tmp_path])
    assert len(disk.logs) == 2
    assert disk.amplification == pytest.approx(2500e9 / 1536e9)
    assert disk.recent_amplification == pytest.approx(1800e9 / 1024e9)
    assert dict(disk.facts())["write amplification"].startswith("1.76 between the logs, 1.63 since new (from OCP page")


def test_an_ocp_page_without_its_log_is_refused(tmp_path: Path):
    page = {"Physical media units written": {"hi": 0, "lo": 7}}
    (tmp_path / "page.json").write_text(json.dumps(page))
    with pytest.raises(RewearError, match=r"page\.json, line 1: an OCP page.*monday-ocp\.json"):
        api.life([tmp_path])
    for serial in ("A1", "C3"):
        (tmp_path / f"{serial}.json").write_text(json.dumps(nvme(serial_number=serial)))
    with pytest.raises(RewearError, match="no one log is beside it"):
        api.life([tmp_path])
    (tmp_path / "C3.json").unlink()
    # Beside one log there is no choice.
    (disk,) = api.life([tmp_path])
    assert disk.last.nand_bytes == 7


def test_a_hard_disk_in_a_folder_is_left_out(rewear, tmp_path: Path):
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "a.json").write_text('{\n"rotation_rate": 7200}')
    assert "all of its logs are of hard disks" in rewear("life", "logs").refused()
    (logs / "b.json").write_text(json.dumps(nvme()))
    done = rewear("life", "logs")
    assert done.returncode == 0
    assert "About 6.2 years left" in done.stdout
    assert "a.json, line 2: a hard disk of 7,200 revolutions a minute" in done.stderr
    assert "hard disk" in rewear("life", "logs/a.json", "logs/b.json").refused()


def test_logs_that_contradict_each_other_are_named_with_their_lines(tmp_path: Path):
    (tmp_path / "a.json").write_text(json.dumps(nvme(), indent=1))
    (tmp_path / "b.json").write_text(json.dumps({"x": 0, **nvme(power_on_hours=10_500, percentage_used=15)}, indent=1))
    lines = [(tmp_path / name).read_text().splitlines() for name in ("a.json", "b.json")]
    numbers = [next(n for n, line in enumerate(each, 1) if "percentage_used" in line) for each in lines]
    words = rf"a\.json, line {numbers[0]} and .*b\.json, line {numbers[1]} contradict"
    with pytest.raises(RewearError, match=words):
        api.life([tmp_path])


def test_more_bytes_than_an_interface_carries_are_refused_with_their_line(tmp_path: Path):
    with pytest.raises(RewearError, match=r"0\.json, line \d+: 5\.12e\+30 bytes in 10,423 hours are more than any"):
        answer(tmp_path, nvme(data_units_written=10**25))


def test_a_drive_that_was_never_on_for_an_hour_has_no_life_yet(tmp_path: Path):
    disk = answer(tmp_path, nvme(power_on_hours=0))
    assert disk.headline == "Cannot say how long it lives: no hour powered on yet"
    assert ("a day", "unknown: no hour powered on yet") in disk.facts()


def test_spare_space_is_told_by_the_disks_own_amplification(tmp_path: Path):
    # KINGSTON_SKC400S371T: 26% after 54,450 hours at an amplification of 2.14.
    rows = (("SSD_Life_Left", 100, 74), ("Flash_Writes_GiB", 100, 840_007), ("Lifetime_Writes_GiB", 100, 391_741))
    disk = answer(tmp_path, sata(*rows, hours=54_450))
    before = 840_007 / 391_741
    assert cyclic(spare_factor(before)) == pytest.approx(before)
    after = cyclic(spare_factor(before) / 0.9)
    said = dict(disk.changes())["more spare"]
    assert f"from {format_number(before)} to {format_number(after)}" in said
    assert "lengthens 18 years to 22 years" in said
    assert "cleaning moves nothing" in more_spare(1.02, None)
    assert "full client drive" in more_spare(None, None)
    # INTEL SSDSC2KB960G8 of the same repository.
    assert more_spare(9.85, None).startswith("Cannot say: 9.85 is more than random writes")
    assert "It has it: 60.0% of the drive is free" in more_spare(2.0, None, 0.4)


@pytest.mark.parametrize(
    ("used", "words"),
    [
        (
            400 * 10**9,
            "counts 400 GB of 1 TB as in use, and the rest is spare space. Random writes have an amplification of 1.10",
        ),
        (10**12, "counts all of its 1 TB as in use"),
        (None, "Mount with discard"),
    ],
)
def test_trim_is_told_by_what_the_drive_counts_as_in_use(tmp_path: Path, used: int | None, words: str):
    size = {"bytes": 10**12}
    spaces = {} if used is None else {"nvme_namespaces": [{"id": 1, "size": size, "utilization": {"bytes": used}}]}
    assert words in dict(answer(tmp_path, nvme(**spaces)).changes())["trim"]


def test_a_drive_without_trim_is_one(tmp_path: Path):
    assert "takes none" in dict(answer(tmp_path, sata(hours=9, trim={"supported": False})).changes())["trim"]


@pytest.mark.parametrize(("kib", "words"), [(16, "The mean write has 16.0 KiB"), (2, "up to 2.0 times its bytes")])
def test_record_size_is_told_by_bytes_over_commands(tmp_path: Path, kib: int, words: str):
    log = nvme(data_units_written=2**20)
    # smartctl's name in one log, nvme-cli's in the other.
    commands = 2**20 * 512_000 // (kib * 1024)
    log["nvme_smart_health_information_log"]["host_writes"] = commands
    own = tmp_path / "nvme-cli"
    own.mkdir()
    plain = {"percent_used": 3, "data_units_written": 2**20, "power_on_hours": 5, "host_write_commands": commands}
    assert answer(own, plain).mean_write_bytes == pytest.approx(kib * 1024)
    disk = answer(tmp_path, log)
    assert disk.mean_write_bytes == pytest.approx(kib * 1024)
    assert words in dict(disk.changes())["record size"]


def wd(raw: int, value: int, *more: tuple[str, int, int], hours: int = 36_881, **changes: Any) -> dict[str, Any]:
    """A drive whose attribute 230 has a raw and a normalised value."""
    log = sata(("Media_Wearout_Indicator", value, raw), *more, hours=hours)
    log["ata_smart_attributes"]["table"][0]["id"] = 230
    family = {"model_family": "WD Blue / Red / Green SSDs", "user_capacity": {"bytes": 240 * 10**9}}
    return {**log, **family, **changes}


@pytest.mark.parametrize("value", [1, 48, 53, 100])
def test_attribute_230_of_wd_is_read_by_its_raw_words_whatever_its_value(tmp_path: Path, value: int):
    # WDS240G2G0A of smartmontools-support, 24 March 2021: WD's program shows 37.06%, and 67 cycles are 13.40% of 500.
    disk = answer(tmp_path, wd(0x2506_0D28_2506, value, ("Average_PE_Cycles_TLC", 100, 67)))
    assert (disk.last.used, disk.last.used_from) == (37.06, "raw words of attribute 230")
    assert disk.years is not None
    assert disk.years.mean == pytest.approx((100 - 37.06) / 37.06 * 36_881 / 8766)
    assert disk.last.contradictions == ()


def test_attribute_230_of_another_form_is_unknown_and_says_what_to_do(tmp_path: Path):
    for raw in (31, 0x2506_0D28_0000, 0x2564_0D28_2564):
        # smartctl's own guess comes from the same attribute.
        disk = answer(tmp_path, wd(raw, 69, endurance_used={"current_percent": 31}))
        assert disk.last.used is None
        assert "smartctl -x" in disk.headline
    pages = [{"number": 7, "table": [{"name": "Percentage Used Endurance Indicator", "value": 12}]}]
    assert answer(tmp_path, wd(31, 69, ata_device_statistics={"pages": pages})).last.used == 12
    # Of other makers it is the attribute that falls from 100.
    assert answer(tmp_path, wd(0, 88, model_family="Intel 53x and Pro 1500/2500 Series SSDs")).last.used == 12


def test_a_value_that_may_count_up_is_not_taken_to_fall(tmp_path: Path):
    # SK hynix SC311 256 GB, after some years at 3: 13,616 GiB written.
    rows = (("Media_Wearout_Indicator", 3, 0), ("Host_Writes_GiB", 100, 13_616))
    log = {**sata(*rows, hours=9000), "user_capacity": {"bytes": 256 * 10**9}}
    disk = answer(tmp_path, log)
    assert disk.last.used is None
    assert "97% used if it fell from 100, and 3% if it counts up" in disk.headline
    # The same value after as many erases as flash endures is what it says.
    log["ata_smart_attributes"]["table"].append({"name": "Average_Erase_Count", "value": 3, "raw": {"value": 2950}})
    del log["ata_smart_attributes"]["table"][1]
    assert answer(tmp_path, log).last.used == 97


def test_bytes_that_the_wear_contradicts_are_not_believed(tmp_path: Path):
    # A standard counter has its unit: the contradiction is said, and nothing chosen.
    disk = answer(tmp_path, nvme(data_units_written=1))
    assert disk.last.host_bytes == 512_000
    assert "16% of the rated life contradict that" in disk.last.contradictions[0]
    # 0.63 GB in 30,000 h at 9%: units of 32 MiB under the name of sectors.
    rows = (("Percent_Lifetime_Remain", 91, 9), ("Total_LBAs_Written", 100, 1_230_000))
    disk = answer(tmp_path, sata(*rows, hours=30_000))
    assert (disk.last.host_bytes, disk.a_day) == (None, None)
    assert "9% of the rated life contradict that: its unit is another" in disk.last.host_from
    assert "41 TB if it counts 32 MiB" in disk.last.host_from
    # Upward: more than the erases of the blocks let through.
    rows = (("Average_Erase_Count", 99, 12), ("Host_Writes_GiB", 100, 900_000))
    disk = answer(tmp_path, sata(*rows, hours=300_000))
    assert disk.last.host_bytes is None
    assert "12 erases of a block contradict that" in disk.last.host_from


def test_statistics_and_attributes_that_differ_are_both_said(tmp_path: Path):
    pages = [
        {"number": 1, "table": [{"name": "Logical Sectors Written", "value": 10**11}]},
        {"number": 7, "table": [{"name": "Percentage Used Endurance Indicator", "value": 3}]},
    ]
    rows = (("Percent_Lifetime_Remain", 30, 70), ("Host_Writes_GiB", 100, 9000))
    disk = answer(tmp_path, sata(*rows, hours=9000, ata_device_statistics={"pages": pages}))
    assert (disk.last.used, disk.last.host_bytes) == (None, None)
    assert "says 3% used and Percent_Lifetime_Remain 70%" in disk.headline
    assert "Host_Writes_GiB 9.7 TB" in disk.last.host_from
    for row in (page["table"][0] for page in pages):
        row["flags"] = {"valid": False}
    disk = answer(tmp_path, sata(*rows, hours=9000, ata_device_statistics={"pages": pages}))
    assert (disk.last.used, disk.last.host_bytes) == (70, 9000 * 2**30)


def test_counters_that_have_not_begun_tell_no_amplification(tmp_path: Path):
    rows = ("Percent_Lifetime_Remain", 100, 100), ("Host_Writes_GiB", 100, 2), ("NAND_Writes_GiB", 100, 0)
    facts = dict(answer(tmp_path, sata(*rows, hours=327)).facts())
    assert facts["write amplification"].startswith("not told (0 GB by NAND_Writes_GiB for 2.1 GB from the host")
    assert "Nothing to gain" not in facts.get("more spare", "")


def test_a_contradiction_that_decides_nothing_is_a_row(tmp_path: Path):
    rows = (
        ("Percent_Lifetime_Remain", 19, 81), ("Ave_Block-Erase_Count", 19, 1216), ("Host_Writes_GiB", 100, 11_444),
        ("NAND_Writes_GiB", 100, 101_000),
    )  # fmt: skip
    disk = answer(tmp_path, sata(*rows, hours=21_000))
    assert disk.last.used == 81
    (said,) = [sentence for label, sentence in disk.facts() if label == "contradiction"]
    assert "Ave_Block-Erase_Count says 1.2 PB erased, and 108 TB were written to flash" in said


@pytest.mark.parametrize(
    ("name", "used", "host"),
    [
        ("wd_green_raw_is_47_percent", 47.36, 27_134 * 2**30),
        ("wd_blue_counts_up", 0.01, 1000 * 2**30),
        ("wd_blue_smartctl_a", 0, 2 * 2**30),
        ("sata_unit_of_32MiB", 9, None),
        ("device_statistics_not_valid", 81, 23_996_625_190 * 512),
    ],
)
def test_logs_that_misled(name: str, used: float, host: int | None):
    path = CASES / f"{name}.json"
    if not path.exists():
        pytest.skip("the cases are not part of the project and not on this machine")
    (disk,) = api.life([path])
    assert disk.last.used == pytest.approx(used)
    assert disk.last.host_bytes == host
    if name == "wd_green_raw_is_47_percent":
        assert disk.headline.startswith("About 4.7 years left")


def test_what_is_no_file_is_not_waited_for_or_read_without_bound(rewear, tmp_path: Path):
    logs = tmp_path / "logs"
    logs.mkdir()
    os.mkfifo(logs / "pipe.json")
    assert "or no files" in rewear("life", "logs").refused()
    (logs / "b.json").write_text(json.dumps(nvme()))
    done = rewear("life", "logs")
    assert "About 6.2 years left" in done.stdout and "pipe.json is no regular file" in done.stderr
    assert "/dev/zero: larger than 16 MiB" in rewear("life", "/dev/zero").refused()


def test_a_key_that_stands_twice_is_refused_with_its_line(tmp_path: Path):
    one = '"percentage_used": 16'
    text = json.dumps(nvme(), indent=1).replace(one, '"percentage_used": 3,\n' + one)
    (tmp_path / "log.json").write_text(text)
    line = 1 + next(n for n, each in enumerate(text.splitlines(), 1) if "percentage_used" in each)
    with pytest.raises(RewearError, match=rf"log\.json, line {line}: the key percentage_used stands twice"):
        api.life([tmp_path])


def test_a_life_below_the_warranty_says_what_used_it_up(tmp_path: Path):
    said = dict(answer(tmp_path, nvme(percentage_used=60)).facts())["below a warranty"]
    assert said.startswith("2.0 years in all") and "will have written 97 TB, 94.7 times the drive" in said
    assert "below a warranty" not in dict(answer(tmp_path, nvme(percentage_used=2)).facts())


def test_one_serial_number_of_two_models_is_two_disks_and_said(tmp_path: Path):
    for name in ("SAMSUNG A", "SAMSUNG B"):
        (tmp_path / f"{name}.json").write_text(json.dumps(nvme(model_name=name)))
    with pytest.warns(RewearWarning, match="A1 is that of 2 models: SAMSUNG A, SAMSUNG B"):
        assert len(api.life([tmp_path])) == 2
