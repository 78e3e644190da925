"""`rewear life`: answers from SMART logs, with the figures of published ones, and logs that are refused."""

import json
from pathlib import Path
from typing import Any

import pytest
import rewear as api
from rewear.errors import RewearError

DAY_S = 86_400


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
    assert disk.headline == "About 6.2 years left by this use (5.8 to 6.7 years)"


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
        "More than 50 years by this use; 49 years at least"
    )


def test_no_percent_says_only_the_least(tmp_path: Path):
    disk = answer(tmp_path, nvme(percentage_used=0, power_on_hours=2401))
    assert disk.headline == "At least 27 years by this use; 0% used tells no more"
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
        ('{"a": 1,\n "b": }', ["line 2, column 7", "smartctl -j -x"]),
        ("", ["line 1, column 1", "smartctl -j -x"]),
        ("[1]", ["line 1", "not an object"]),
        ("[" * 100_000, ["too deep"]),
        ('{"devices": []}', ["no SMART values"]),
        ('{"smartctl": {"messages": [{"string": "Permission denied"}]}}', ["Permission denied"]),
        ('{\n"rotation_rate": 7200}', ["line 2", "hard disk", "7,200"]),
        ('{\n"power_on_hours": -1,\n"data_units_written": 3}', ["line 2", "power_on_hours", "-1"]),
        ('{"power_on_hours": 3, "data_units_written": NaN}', ["data_units_written"]),
        ('{"nvme_smart_health_information_log": 3}', ["no table"]),
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


def test_other_drives_have_ratings_and_cycles_of_their_class(tmp_path: Path):
    others = {other.name: other for other in answer(tmp_path, nvme(user_capacity={"bytes": 10**12})).others}
    qlc, a_year = others["client QLC"], 113_662_783 * 512_000 / 10_423 * 24 * 365.25
    assert qlc.rated_bytes == 200e12
    assert qlc.years == pytest.approx(200e12 / a_year)
    assert qlc.by_cycles is not None
    assert qlc.by_cycles.high == pytest.approx(1000 * 1.0995e12 / a_year)
    assert qlc.by_cycles.low == pytest.approx(370 * 1.0995e12 / a_year / qlc.amplification)
    assert others["pSLC"].rated_bytes is None
