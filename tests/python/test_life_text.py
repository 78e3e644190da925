"""`rewear life` from text and other wrappings: each says what the JSON of the same disk says, to the digit."""

import json
from pathlib import Path
from typing import Any

import pytest
import rewear as api
from rewear.core.errors import RewearError
from smart_rendering import text_of

CASES = Path(__file__).parents[3] / "shared" / "cases"


def ata(model: str, *rows: tuple[int, str, int, str], **more: Any) -> dict[str, Any]:
    """A SATA drive by attributes: number, name, normalised value, raw value as smartctl prints it."""
    table = [
        {"id": i, "name": name, "value": value, "raw": {"value": 0, "string": raw}} for i, name, value, raw in rows
    ]
    return {
        "model_name": model, "serial_number": f"S-{model}", "user_capacity": {"bytes": 500_107_862_016},
        "logical_block_size": 512, "rotation_rate": 0, "trim": {"supported": True}, "in_smartctl_database": True,
        "local_time": {"time_t": 1_784_800_000}, "power_on_time": {"hours": 9000},
        "ata_smart_attributes": {"table": [{"id": 9, "name": "Power_On_Hours", "value": 99,
                                            "raw": {"value": 9000, "string": "9000"}}, *table]},
        **more,
    }  # fmt: skip


def nvme(model: str, utilization: int | None = None, **health: int) -> dict[str, Any]:
    size = 1_000_204_886_016
    used = size if utilization is None else utilization
    return {
        "model_name": model, "serial_number": f"S-{model}", "user_capacity": {"bytes": size},
        "logical_block_size": 512, "local_time": {"time_t": 1_784_800_000}, "power_on_time": {"hours": 24_222},
        "nvme_namespaces": [{"id": 1, "size": {"bytes": size}, "capacity": {"bytes": size},
                             "utilization": {"bytes": used}}],
        "nvme_smart_health_information_log": {
            "percentage_used": 98, "data_units_written": 1_892_791_876, "host_writes": 28_673_242_799,
            "power_on_hours": 24_222, **health,
        },
    }  # fmt: skip


STATISTICS = {
    "pages": [
        {"number": 1, "name": "General Statistics",
         "table": [{"offset": 24, "name": "Logical Sectors Written", "size": 6, "value": 64_777_770_148},
                   {"offset": 32, "name": "Number of Write Commands", "size": 6, "value": 1_493_148_000}]},
        {"number": 7, "name": "Solid State Device Statistics",
         "table": [{"offset": 8, "name": "Percentage Used Endurance Indicator", "size": 1, "value": 19}]},
    ]
}  # fmt: skip
NOT_VALID = {"pages": [STATISTICS["pages"][0], {**STATISTICS["pages"][1], "table": [
    {"offset": 8, "name": "Percentage Used Endurance Indicator", "size": 1, "flags": {"valid": False}}]}]}  # fmt: skip
TEN = [
    nvme("NVMe all in use"),
    nvme("NVMe half in use", utilization=480_000_000_000, percentage_used=7),
    ata("Samsung", (177, "Wear_Leveling_Count", 81, "278"), (241, "Total_LBAs_Written", 99, "64777770148")),
    ata("with statistics", (177, "Wear_Leveling_Count", 81, "278"), ata_device_statistics=STATISTICS),
    ata("statistics not valid", (202, "Percent_Lifetime_Remain", 81, "19"), ata_device_statistics=NOT_VALID),
    ata("Crucial", (202, "Percent_Lifetime_Remain", 66, "34"), (246, "Total_LBAs_Written", 100, "52734375000"),
        (247, "Host_Program_Page_Count", 100, "420000000"), (248, "FTL_Program_Page_Count", 100, "3300000000")),
    ata("WD", (230, "Media_Wearout_Indicator", 100, "0x2f242f242f24"), (241, "Host_Writes_GiB", 253, "27134"),
        (233, "NAND_GB_Written_TLC", 100, "44318"), model_family="WD Blue / Red / Green SSDs"),
    ata("averages", (231, "SSD_Life_Left", 92, "92"), (173, "Ave_Block-Erase_Count", 92, "25 (Average 240)"),
        (241, "Lifetime_Writes_GiB", 100, "24690")),
    ata("unknown", (231, "SSD_Life_Left", 95, "95"), (241, "Total_LBAs_Written", 99, "1000000"),
        in_smartctl_database=False),
    {
        "scsi_vendor": "VENDOR", "scsi_product": "SAS SSD 3.8T", "model_name": "VENDOR SAS SSD 3.8T",
        "serial_number": "S-SAS", "user_capacity": {"bytes": 3_840_755_982_336}, "logical_block_size": 512,
        "rotation_rate": 0, "local_time": {"time_t": 1_784_800_000}, "power_on_time": {"hours": 24_755, "minutes": 57},
        "scsi_percentage_used_endurance_indicator": 20,
        "scsi_error_counter_log": {"read": {"gigabytes_processed": "902418.556"},
                                   "write": {"gigabytes_processed": "731042.118"}},
    },
]  # fmt: skip


def one(folder: Path, content: str | bytes, name: str = "log.txt") -> api.DiskLife:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    (disk,) = api.life([path])
    return disk


def said(disk: api.DiskLife) -> list[Any]:
    """Everything that is answered, but the file's name."""
    document = disk.to_dict()
    for log in document["logs"]:
        del log["path"]
    return [document, disk.facts(), disk.changes()]


@pytest.mark.parametrize("log", TEN, ids=lambda log: log["model_name"])
def test_text_and_json_of_one_disk_give_the_same_answer(tmp_path: Path, log: dict[str, Any]):
    expected = said(one(tmp_path, json.dumps(log), "log.json"))
    for separator in (",", ".", " ", "'", "\u2019", "\u00a0", "\u202f"):
        for brief in (False, True):
            assert said(one(tmp_path, text_of(log, separator, brief))) == expected


@pytest.mark.parametrize(
    "wrap",
    [
        lambda text: "root@host:~# smartctl -x /dev/sda\n" + text + "root@host:~# \n",
        lambda text: "Here it is:\n\n```console\n$ sudo smartctl -a /dev/nvme0\n" + text + "```\nThanks!\n",
        lambda text: "".join(f"> {line}\n" for line in text.splitlines()),
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.encode("utf-16"),
        lambda text: text.encode("utf-16-le"),
        lambda text: text.encode("utf-8-sig"),
        lambda text: text_of(TEN[0], "\u2019").encode("cp1252"),
        lambda text: "\x1b[0m" + text.replace("Data Units", "\x1b[32mData Units"),
    ],
)
def test_what_stands_around_a_text_is_passed_over(tmp_path: Path, wrap: Any):
    assert said(one(tmp_path, wrap(text_of(TEN[0])))) == said(one(tmp_path, json.dumps(TEN[0]), "log.json"))


def test_local_times_of_two_texts_give_the_rate(tmp_path: Path):
    earlier = text_of({**TEN[0], "local_time": {"time_t": 1_784_800_000}})
    later = {**nvme(TEN[0]["model_name"], power_on_hours=24_322, data_units_written=1_893_000_000)}
    text = text_of({**later, "local_time": {"time_t": 1_784_800_000 + 5 * 86_400}}).replace("UTC", "+03")
    disk = one(tmp_path, earlier + "\n" + text)
    assert len(disk.logs) == 2
    assert disk.between_hours == pytest.approx(5 * 24 - 3)


def test_text_of_nvme_cli_is_its_json(tmp_path: Path):
    text = (
        "Smart Log for NVME device:nvme0n1 namespace-id:ffffffff\ncritical_warning\t: 0\n"
        "temperature\t: 57 \u00b0C (330 K)\n"
        "percentage_used\t\t\t: 4%\nData Units Written\t\t: 31.270.582 (16,01 To)\nhost_write_commands\t: 125 404 378\n"
        "power_on_hours\t\t: 641\n"
    )
    fields = {
        "percent_used": 4, "data_units_written": "31,270,582", "host_write_commands": "125,404,378",
        "power_on_hours": 641,
    }  # fmt: skip
    assert said(one(tmp_path, text)) == said(one(tmp_path, json.dumps(fields), "log.json"))


INTEL_TEXT = """Additional Smart Log for NVME device:nvme0n1 namespace-id:ffffffff
key                               normalized raw
wear_leveling                   :  98%       min: 10, max: 40, avg: 25
nand_bytes_written              : 100%       sectors: 12345678
host_bytes_written              : 100%       sectors: 4345678
"""


def test_intels_page_gives_bytes_and_goes_to_the_log_beside_it(tmp_path: Path):
    table = (
        "ID             KEY                                 Normalized     Raw\n"
        "0xf4    nand_bytes_written     100         12345678\n0xf5    host_bytes_written     100         4345678\n"
    )
    raw = {"nand_bytes_written": {"raw": 12_345_678}, "host_bytes_written": {"raw": 4_345_678}}
    for name, content in (("a.txt", INTEL_TEXT), ("b.txt", table), ("c.json", json.dumps({"Device stats": raw}))):
        disk = one(tmp_path, content, name)
        assert (disk.last.nand_bytes, disk.last.host_bytes) == (12_345_678 * 2**25, 4_345_678 * 2**25)
        assert disk.headline.startswith("Cannot say how long it lives")
        assert dict(disk.facts())["powered on"] == "unknown"
    (tmp_path / "day.txt").write_text(text_of(TEN[0]))
    (tmp_path / "day-intel.txt").write_text(INTEL_TEXT)
    (disk,) = api.life([tmp_path / "day.txt", tmp_path / "day-intel.txt"])
    assert disk.amplification == pytest.approx(12_345_678 * 2**25 / (1_892_791_876 * 512_000))


def test_nested_json_arrays_and_several_values_are_found(tmp_path: Path):
    bare = {"percent_used": 4, "data_units_written": 31_270_582, "power_on_hours": 641}
    disks = api_life(
        tmp_path, json.dumps({"host": "a", "disks": {"nvme0": bare, "nvme1": {**bare, "percent_used": 9}}})
    )
    assert [disk.last.used for disk in disks] == [4, 9]
    around = {"model_name": "M", "serial_number": "N", "user_capacity": {"bytes": 10**12}, "smart": {"log": bare}}
    (disk,) = api_life(tmp_path, json.dumps(around))
    assert (disk.last.model, disk.last.capacity_bytes, disk.last.used) == ("M", 10**12, 4)
    lines = "\n".join(json.dumps(log) for log in TEN[:3])
    for text in (lines, f"[{lines}]".replace("\n", ",\n"), f"```json\n{lines}\n```\n"):
        assert [disk.last.model for disk in api_life(tmp_path, text)] == [log["model_name"] for log in TEN[:3]]


def api_life(folder: Path, content: str, name: str = "log.json", **options: Any) -> list[api.DiskLife]:
    (folder / name).write_text(content)
    return sorted(api.life([folder / name], **options), key=lambda disk: str(disk.last.model))


def test_a_fault_in_a_text_has_its_line(tmp_path: Path):
    text = text_of(TEN[0]).replace("98%", "998%")
    line = 1 + next(n for n, each in enumerate(text.splitlines()) if "998%" in each)
    with pytest.raises(RewearError, match=rf"log\.txt, line {line}: percentage_used is '998', not a count"):
        one(tmp_path, text)


METRICS = """# HELP smartctl_device_percentage_used Device write percentage used
smartctl_device{device="nvme0",model_name="EXAMPLE",serial_number="N1",model_family=""} 1
smartctl_device_percentage_used{device="nvme0"} 4
smartctl_device_power_on_seconds{device="nvme0"} 2.3076e+06
smartctl_device_bytes_written{device="nvme0"} 1.6010537984e+13
smartctl_device_capacity_bytes{device="nvme0"} 5.12110190592e+11
smartctl_device{device="sda",model_name="SATA",serial_number="N2",model_family="Samsung based SSDs"} 1
smartctl_device_power_on_seconds{device="sda"} 3600000
smartctl_device_capacity_bytes{device="sda"} 1e12
""" + "".join(
    f'smartctl_device_attribute{{attribute_name="{name}",attribute_value_type="{kind}",device="sda"}} {value}\n'
    for name, kind, value in (
        ("Wear_Leveling_Count", "value", 81),
        ("Wear_Leveling_Count", "raw", 278),
        ("Total_LBAs_Written", "raw", 64_777_770_148),
    )
)


def test_metrics_of_smartctl_exporter(tmp_path: Path):
    nvme, sata = api_life(tmp_path, METRICS, "scrape.prom")
    assert (nvme.last.used, nvme.last.hours, nvme.last.host_bytes) == (4, 641, 16_010_537_984_000)
    assert (nvme.last.model, nvme.last.capacity_bytes) == ("EXAMPLE", 512_110_190_592)
    assert (sata.last.used, sata.last.hours, sata.last.host_bytes) == (19, 1000, 64_777_770_148 * 512)


def test_a_range_of_prometheus_is_two_logs(tmp_path: Path):
    values = {"percentage_used": (4, 5), "power_on_seconds": (36e5, 36e5 + 864e3), "bytes_written": (512e9, 1024e9)}
    result = [
        {"metric": {"__name__": f"smartctl_device_{name}", "device": "nvme0"},
         "values": [[1.78e9 + 864e3 * step, str(value)] for step, value in enumerate(pair)]}
        for name, pair in values.items()
    ]  # fmt: skip
    (disk,) = api_life(tmp_path, json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}}))
    assert disk.recent == pytest.approx(51.2e9)
    stamped = "".join(
        f'smartctl_device_{name}{{device="nvme0"}} {value} {(1_780_000_000 + 864_000 * step) * 1000}\n'
        for name, pair in values.items()
        for step, value in enumerate(pair)
    )
    (disk,) = api_life(tmp_path, stamped, "range.prom")
    assert (disk.recent, disk.last.used) == (pytest.approx(51.2e9), 5)


def test_metrics_of_node_exporter(tmp_path: Path):
    scrape = (
        'smartmon_device_info{disk="/dev/sda",device_model="M",serial_number="S",model_family="Samsung based SSDs"} 1\n'
        'smartmon_power_on_hours_raw_value{disk="/dev/sda",smart_id="9"} 9000\n'
        'smartmon_wear_leveling_count_value{disk="/dev/sda",smart_id="177"} 81\n'
        'smartmon_total_lbas_written_raw_value{disk="/dev/sda",smart_id="241"} 6.4777770148e+10\n'
        'nvme_percentage_used_ratio{device="nvme0"} 0.07\nnvme_power_on_hours_total{device="nvme0"} 500\n'
        'nvme_data_units_written_total{device="nvme0"} 1000\nnode_disk_written_bytes_total{device="sda"} 5\n'
    )
    sata, other = api_life(tmp_path, scrape, "scrape.prom")
    assert (sata.last.used, sata.last.hours, sata.last.host_bytes) == (19, 9000, 64_777_770_148 * 512)
    assert (other.last.used, other.last.hours, other.last.host_bytes) == (7, 500, 512_000_000)
    for day in (1, 3):
        kernel = f'node_time_seconds {1.78e9 + day * 86_400}\nnode_disk_written_bytes_total{{device="sda"}} {day}e12\n'
        (tmp_path / f"{day}.prom").write_text(kernel)
    (disk,) = api.life([tmp_path / "1.prom", tmp_path / "3.prom"])
    assert disk.recent == pytest.approx(1e12)
    assert disk.headline.startswith("Cannot say")


def test_mean_erases_tell_the_amplification(tmp_path: Path):
    # mmalyska/home-ops#5148: 850 erases of 0.5 TB for 27 TB, which its author works out as about 15.
    sectors = round(27e12 / 512)
    rows = (
        (202, "Percent_Lifetime_Remain", 66, "34"), (173, "Ave_Block-Erase_Count", 66, "850"),
        (246, "Total_LBAs_Written", 100, str(sectors)),
    )  # fmt: skip
    disk = one(tmp_path, json.dumps(ata("MX500", *rows, user_capacity={"bytes": 500 * 10**9})))
    assert disk.amplification == pytest.approx(850 * 0.5 / 27, rel=1e-3)
    assert "Ave_Block-Erase_Count, 850 erases of the capacity" in dict(disk.facts())["write amplification"]


def test_a_known_amount_tells_the_unit_of_a_counter(rewear, tmp_path: Path):
    # smartmontools#578: 329 units for 10 GiB.
    for name, raw in (("before", 50_108), ("after", 50_437)):
        rows = ((231, "SSD_Life_Left", 90, "90"), (241, "Total_LBAs_Written", 100, str(raw)))
        (tmp_path / f"{name}.txt").write_text(text_of(ata("X", *rows, in_smartctl_database=False)))
    done = rewear("life", "--wrote", "10GiB", "before.txt", "after.txt")
    assert "1.7 TB (Total_LBAs_Written, in units of 32 MiB by --wrote: 329 for 10.0 GiB)" in done.stdout
    assert "no counter rose by 1.00 TiB" in rewear("life", "--wrote", "1TiB", "before.txt", "after.txt").refused()
    assert "needs two logs" in rewear("life", "--wrote", "10GiB", "after.txt").refused()


def test_a_fleet_is_a_table_and_an_exit_code(rewear, tmp_path: Path):
    fleet = tmp_path / "fleet"
    fleet.mkdir()
    for number, log in enumerate(TEN):
        (fleet / f"{number}.txt").write_text(text_of(log))
    (fleet / "notes.txt").write_text("disks of rack 7\n")
    done = rewear("life", "fleet")
    assert done.returncode == 0 and "notes.txt" in done.stderr
    rows = [line for line in done.stdout.splitlines() if "S-" in line]
    assert len(rows) == len(TEN) and "NVMe all in use" in rows[0] and "another drive" not in done.stdout
    assert rewear("life", "fleet", "--at-least", "1d").returncode == 0
    assert rewear("life", "fleet", "--at-least", "1y").returncode == 1
    assert rewear("life", "fleet/1.txt", "--at-least", "18 months").returncode == 0
    (tmp_path / "bare.txt").write_text(text_of(ata("nothing")))
    assert rewear("life", "bare.txt", "--at-least", "1y").returncode == 4
    assert "is no time" in rewear("life", "fleet", "--at-least", "long").refused()


@pytest.mark.parametrize(
    ("name", "headline", "host_bytes"),
    [
        ("smartctl_nvme_text.txt", "About 20.6 days left", 1_892_791_876 * 512_000),
        ("nvme_smart_log_text.txt", "About 1.8 years left", 31_270_582 * 512_000),
        ("nvme_thousands_separators.json", "About 1.8 years left", 31_270_582 * 512_000),
        ("powershell_utf16.json", "About 20.6 days left", 1_892_791_876 * 512_000),
        ("smartctl_exporter.prom", "About 1.8 years left", 16_010_537_984_000),
        ("sas_ssd.json", "About 11 years left by this use (11 to 12 years)", 731_042_118_000_000),
        ("nvme_intel_smart_log_add.json", "Cannot say", 4_345_678 * 2**25),
    ],
)
def test_the_cases(name: str, headline: str, host_bytes: int):
    if not (CASES / name).exists():
        pytest.skip("the cases are not part of the project and not on this machine")
    (disk,) = api.life([CASES / name])
    assert disk.headline.startswith(headline)
    assert disk.last.host_bytes == host_bytes
