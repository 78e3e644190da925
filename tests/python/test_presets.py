"""The preset drives: what they are copied from, and that they work."""

import pytest
import rewear as api

GIB = 1 << 30

REUSABLE = {
    # Table 4 of Yadgar, Yaakobi and Schuster (FAST '15): pages of a block, latencies in nanoseconds.
    "toshiba-slc": (64, 30_000, 300_000, 3_000_000),
    "samsung-mlc": (128, 200_000, 1_300_000, 1_500_000),
    "hynix-mlc": (256, 80_000, 1_500_000, 5_000_000),
}


def derived(drive: api.Drive) -> dict:
    return {quantity["key"]: quantity["value"] for quantity in drive.derived}


@pytest.mark.parametrize("name", REUSABLE)
def test_a_chip_of_second_writes_is_one_gigabyte_in_two_planes(name):
    pages, read_ns, program_ns, erase_ns = REUSABLE[name]
    drive = api.Drive(name)
    flash, timing = drive.configuration["flash"], drive.configuration["flash"]["timing"]
    assert flash["pages_per_block"] == pages
    assert timing["read_ns"] == [read_ns]
    assert timing["program_ns"] == [program_ns]
    assert timing["erase_ns"] == erase_ns
    assert flash["planes_per_die"] == 2
    assert derived(drive)["physical_bytes"] == flash["channels"] * GIB
    assert drive.configuration["ftl"]["over_provisioning"] == 0.07
    # "varies from 512 to 2048, according to the block size"
    assert 512 <= flash["blocks_per_plane"] <= 2048


def test_the_openssd_board_exports_8_of_9_gigabytes():
    drive = api.Drive("openssd")
    figures = derived(drive)
    assert figures["planes"] == 32
    assert figures["block_bytes"] == 4 << 20
    assert figures["physical_bytes"] == 9 * GIB
    assert figures["exported_bytes"] == 8 * GIB
    assert drive.configuration["flash"]["page_order"] == "paired"


def test_the_drive_of_recyclable_ssd_has_ten_chips_of_four_gigabytes():
    figures = derived(api.Drive("lx-slc"))
    assert figures["dies"] == 10
    assert figures["pools"] == 80
    assert figures["physical_bytes"] == 40 * GIB


def test_mlc_of_the_same_cells_is_half_as_large():
    mlc, qlc = (api.Drive(name) for name in ("wom-v-mlc", "wom-v-qlc"))
    assert 2 * derived(mlc)["physical_bytes"] == derived(qlc)["physical_bytes"]
    assert derived(mlc)["blocks"] == derived(qlc)["blocks"]
    programs = [drive.configuration["flash"]["timing"]["program_ns"] for drive in (mlc, qlc)]
    assert programs[0] == programs[1][:2]


@pytest.mark.parametrize("name", sorted(api.drives()))
def test_it_replays_and_says_where_its_figures_come_from(name):
    drive = api.Drive(name)
    report = drive.replay(api.Workload("uniform:requests=500,read=0.3"))
    assert report.complete
    assert report.host_pages_written > 0
    text = api.drives()[name]
    assert len(drive.configuration["description"]) > 100
    # Every line of figures has a source beside it or in the description above it.
    assert "#" in text or any(word in text for word in ("section", "Table", "from"))
    energy, table = report.energy_j, drive.configuration["flash"].get("energy")
    assert (energy is None) == (table is None)
    if energy is not None:
        assert energy["total"] == pytest.approx(sum(joules for cause, joules in energy.items() if cause != "total"))
        assert any("estimate" in note for note in report.notes)


@pytest.mark.parametrize("name", ["toshiba-slc", "samsung-mlc", "hynix-mlc", "differentiated-ecc-mlc", "lx-slc"])
def test_energy_is_the_stated_power_times_the_latencies(name):
    flash = api.Drive(name).configuration["flash"]
    for energy, latency in (("read_nj", "read_ns"), ("program_nj", "program_ns")):
        assert flash["energy"][energy] == pytest.approx([0.030 * ns for ns in flash["timing"][latency]])
    assert flash["energy"]["erase_nj"] == pytest.approx(0.030 * flash["timing"]["erase_ns"])


def test_energy_stands_in_the_table_only_where_a_drive_has_figures():
    workload = api.Workload("uniform:requests=2000")
    small = {"flash.blocks_per_plane": 32}
    slc, qlc = api.Drive("toshiba-slc", set={**small, "ftl.over_provisioning": 0.5}), api.Drive("qlc")
    with_energy = api.compare(workload, [slc, qlc])
    figures = [entry["figures"]["energy_j"] for entry in with_energy.to_dict()["drives"]]
    assert figures[0] > 0
    assert figures[1] is None
    assert "Energy (estimate)" in with_energy.to_html()
    assert "Energy (estimate)" not in api.compare(workload, [qlc]).to_html()
