"""Classes of drives on sale: what their presets have, how they are sized, and whose life is computed."""

import json
import tomllib

import pytest
import rewear as api
from rewear.comparison.lifetime import lifetime
from rewear.core.toml_text import to_toml
from rewear.sold.classes import SOLD, class_drive, class_tables, drive_classes, group_of, whole_drive, with_cycles

CLASSES = ("client-qlc", "client-tlc", "enterprise-qlc", "enterprise-tlc", "pslc")
TB = 10**12


def test_there_are_five_classes():
    assert tuple(drive_classes()) == CLASSES


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_has_what_drives_on_sale_have(name):
    tables, of = api.Drive(name).configuration, drive_classes()[name]
    flash, ftl = tables["flash"], tables["ftl"]
    buffer, life, product = ftl["write_buffer"], of["flash"]["life"], of["product"]
    assert buffer["scheme"] != "none" and buffer["pages"] * flash["page_bytes"] == 64 << 20
    assert buffer["survives_power_loss"] == (not name.startswith("client"))
    assert ("slc_cache" in ftl) == name.startswith("client")
    assert ftl["wear_levelling"] == {"scheme": "static", "spread": round(life["cycles"] * 0.05)}
    least, most = life["cycles_between"]
    # About the geometric mean, to two digits.
    assert least < life["cycles"] < most and life["cycles"] == pytest.approx((least * most) ** 0.5, rel=0.03)
    assert flash["channels"] * flash["dies_per_channel"] * flash["planes_per_die"] >= 16
    assert group_of(tables) == "product" and "assumption" in api.drives()[name]
    # The share of spare flash of the model is that of the drive as it is sold.
    assert ftl["over_provisioning"] == pytest.approx(product["flash_bytes"] / product["capacity_bytes"] - 1, abs=0.001)


def test_papers_products_and_twins_are_told_apart(rewear):
    rows = {row["name"]: row["group"] for row in json.loads(rewear("list", "drives", "--json").stdout)}
    assert {name for name, group in rows.items() if group == "product"} == set(CLASSES)
    assert rows["tlc-3d"] == rows["qlc"] == rows["intel-660p"] == "paper" and rows["warp-ssd-a"] == "twin"


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("model_bytes", [None, 1 << 31, 1 << 28])
def test_a_model_of_any_size_keeps_the_share_of_spare_flash(name, model_bytes):
    drive = class_drive(name, TB, over_provisioning=SOLD["28%"], model_flash_bytes=model_bytes)
    whole = whole_drive(drive)
    assert whole is not None and whole.capacity_bytes == TB
    derived = {each["key"]: each["value"] for each in drive.derived}
    assert derived["physical_bytes"] / derived["exported_bytes"] == pytest.approx(1.374, rel=0.005)
    assert whole.factor * derived["exported_bytes"] == pytest.approx(TB, rel=0.005)
    if model_bytes is not None:
        assert derived["physical_bytes"] == pytest.approx(model_bytes, rel=0.1)
    assert drive.configuration["flash"]["blocks_per_plane"] >= 256


def test_dies_follow_the_capacity():
    one, four = (class_tables("enterprise-tlc", size * TB)["flash"] for size in (1, 4))
    assert four["dies_per_channel"] == 4 * one["dies_per_channel"] and four["channels"] == one["channels"]


def test_other_cycles_replace_the_range():
    tables = class_tables("client-qlc", TB, cycles=1500)
    assert tables["flash"]["life"]["cycles"] == 1500 and "cycles_between" not in tables["flash"]["life"]
    assert tables["ftl"]["wear_levelling"]["spread"] == 75
    assert tomllib.loads(to_toml(tables)) == tables
    assert with_cycles(api.Drive("client-tlc"), 3000).configuration["flash"]["life"]["cycles"] == 3000


def test_what_is_no_class_and_no_capacity_is_refused():
    with pytest.raises(api.ConfigurationError, match="classes are: client-qlc"):
        class_drive("tlc", TB)
    with pytest.raises(api.ConfigurationError, match="10"):
        class_drive("client-tlc", 5)
    with pytest.raises(api.ConfigurationError, match="cycles_between"):
        api.Drive("client-tlc", set={"flash.life.cycles": 5000})


def test_the_life_of_a_class_is_a_range_of_the_whole_drive():
    small = class_drive("enterprise-tlc", TB, model_flash_bytes=1 << 27)
    (life,) = lifetime([api.Workload("uniform:requests=200000")], [("small", small)], no_time=True)
    between = life.tbw_bytes_between
    assert between is not None and life.figures["evenness"] > 0.9
    assert between[0] == pytest.approx(life.tbw_bytes * 3000 / 5500, rel=1e-6)
    assert between[1] == pytest.approx(life.tbw_bytes * 10_000 / 5500, rel=1e-6)
    # A terabyte with 14.5% of spare flash: some 1,500 drive writes of uniform load, not those of 128 MiB.
    assert 1e15 < life.tbw_bytes < 3e15
    assert life.to_dict()["whole_drive"]["capacity_bytes"] == TB


def test_the_life_of_a_twin_is_that_of_the_real_drive(rewear):
    done = rewear("lifetime", "warp-ssd-a", "--workload", "uniform:requests=300000", "--set",
                  "flash.blocks_per_plane=256", "--json")  # fmt: skip
    assert done.returncode == 0, done.stderr
    (life,) = json.loads(done.stdout)["lives"]
    # SSD_A has written 19.0 PB of media and works: rated cycles times its flash must be more.
    assert life["whole_drive"]["flash_bytes"] * life["life"]["cycles"] > 19.0e15
    assert life["life"]["tbw_bytes"] > 10.4e15, "what its host wrote by then"
    said = rewear("lifetime", "warp-ssd-a", "--workload", "uniform:requests=300000", "--set",
                  "flash.blocks_per_plane=256").stdout  # fmt: skip
    assert "WARP SSD_A, 6.98 TiB exported" in " ".join(said.split())


def test_cycles_can_be_given_and_a_drive_that_does_not_level_is_named(rewear, small_options):
    common = ("lifetime", "qlc", "--workload", "hot-cold:requests=20000,hot=0.1,hits=1", *small_options)
    plain, more = (json.loads(rewear(*common, *cycles, "--json").stdout)["lives"][0]["life"]
                   for cycles in ((), ("--cycles", "2000")))  # fmt: skip
    assert more["cycles"] == 2000 and more["source"] == "as given"
    assert more["tbw_bytes"] > plain["tbw_bytes"]
    assert rewear(*common, "--cycles", "0").returncode == 2
    assert "qlc does not level wear" in " ".join(rewear(*common).stdout.split())
