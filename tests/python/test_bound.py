"""The bound: what is possible with the future known, and what part of it drives attain."""

import json

import pytest
from rewear import Drive, Workload, bound, coded_bound
from rewear.comparison.erase_bound import classes_of
from rewear.comparison.placement_bound import Bound, amplification, same_flash, uses_time
from rewear.core.errors import ConfigurationError

SMALL = {
    "flash.channels": 2,
    "flash.dies_per_channel": 1,
    "flash.planes_per_die": 1,
    "flash.blocks_per_plane": 64,
    "flash.pages_per_block": 64,
    "ftl.over_provisioning": 0.28,
}
SKEWED = "hot-cold:hot=0.05,hits=0.95,requests=40000"


def _settings():
    return [argument for key, value in SMALL.items() for argument in ("--set", f"{key}={value}")]


def test_a_drive_lies_between_its_reference_and_what_is_possible():
    drive = Drive("qlc", set=SMALL)
    found = bound(drive, Workload(SKEWED), precondition="fill", warm_up=20000)
    plain = amplification(drive.replay(Workload(SKEWED), precondition="fill", warm_up=20000, no_time=True))
    assert 1 <= found.possible < plain
    assert found.possible == min(placed.write_amplification for placed in found.placements)
    assert found.host_pages_written == 20000
    assert found.share(plain, plain) == 0
    assert found.share(found.possible, plain) == 1
    assert found.share(plain, found.possible) is None


def test_the_command_says_what_part_of_the_possible_each_drive_attains(rewear):
    drives = ["plain=qlc", "sep-bit=qlc:ftl.streams.scheme=sep-bit,ftl.victim.scheme=cost-benefit"]
    shared = ("--workload", SKEWED, "--precondition", "fill", "--warm-up", "20000", *_settings())
    said = json.loads(rewear("bound", *drives, *shared, "--open-units", "2,8", "--json").stdout)
    plain, sep_bit = said["drives"]
    assert plain["share_of_possible"] == 0
    assert 0 < sep_bit["share_of_possible"] < 1
    assert [each["open_units"] for each in said["placements"]] == [2, 8]
    table = rewear("bound", *drives, *shared).stdout
    assert "future known, 8 units open" in table
    assert "proven to be needed" in table


def test_drives_of_other_flash_have_a_bound_of_their_own(rewear):
    small, roomy = (Drive("qlc", set={**SMALL, "ftl.over_provisioning": spare}) for spare in (0.28, 0.5))
    same_flash([("a", small), ("b", small)])
    with pytest.raises(ConfigurationError, match="One bound holds for drives of the same flash"):
        same_flash([("a", small), ("b", roomy)])
    refused = rewear("bound", "qlc", "qlc-wom-v", "--workload", SKEWED).refused()
    assert "policies only" in refused


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--open-units", "2,x"), "whole numbers"),
        (("--open-units", "999"), "has room for 1 to"),
        (("--warm-up", "steady"), "whole numbers"),
        (("--precondition", "steady"), "no known future"),
    ],
)
def test_what_cannot_be_is_said(rewear, arguments, words):
    assert words in rewear("bound", "qlc", "--workload", SKEWED, *_settings(), *arguments).refused()


def test_open_units_are_whole_numbers():
    with pytest.raises(ConfigurationError, match="whole numbers"):
        bound(Drive("qlc", set=SMALL), Workload(SKEWED), open_units=[0])


def test_drives_that_work_in_idle_time_keep_it():
    assert not uses_time(Drive("qlc"))
    assert uses_time(Drive("qlc", set={"ftl.background.scheme": "erase-invalid"}))
    assert not uses_time(Drive("qlc", set={"effort.scheme": "agcr"}))


def test_a_share_is_of_what_can_be_avoided():
    found = Bound(10, 10, 80, 80, 100, (), possible=1.2, proven=None)
    assert found.share(1.6, 2.2) == pytest.approx(0.6)


def test_drives_that_wrote_the_workload_are_carried_out_too():
    found = Bound(10, 10, 80, 80, 100, (), possible=1.2, proven=None)
    assert found.with_drives([1.3, 1.1]).possible == 1.1
    assert found.with_drives([1.3]).possible == found.with_drives([]).possible == 1.2


def test_no_drive_of_the_command_does_what_it_calls_impossible(rewear):
    # One open unit with a known future moves more than greedy cleaning, which waits until it must.
    drives = ["plain=qlc", "apart=qlc:ftl.moved_pages=apart"]
    shared = ("--workload", "uniform:requests=40000", "--precondition", "fill", *_settings())
    said = json.loads(rewear("bound", *drives, *shared, "--open-units", "1", "--json").stdout)
    carried_out = [each["write_amplification"] for each in (*said["drives"], *said["placements"])]
    assert said["possible"] <= min(carried_out)
    assert all(share is None or share <= 1 for share in (each["share_of_possible"] for each in said["drives"]))


# What codes cannot go below.


@pytest.mark.parametrize(
    ("bits", "uniform", "hot_cold"), [(4, 0.383, 0.166), (3, 0.458, 0.214), (2, 0.545, 0.264)]
)  # Worked out by hand from the sum capacity.
def test_the_bound_by_codes_at_28_percent_of_spare_flash(bits, uniform, hot_cold):
    assert coded_bound(bits, 1.28).erased == pytest.approx(uniform, abs=5e-4)
    assert coded_bound(bits, 1.28, [(0.1, 0.9), (0.9, 0.1)]).erased == pytest.approx(hot_cold, abs=5e-4)


def test_workloads_tell_their_classes():
    assert classes_of(Workload("uniform:requests=9")) == [(1.0, 1.0)]
    assert classes_of(Workload("hot-cold:hot=0.25,hits=0.75")) == [(0.25, 0.75), (0.75, 0.25)]
    assert classes_of(Workload("hot-cold")) == [(0.2, 0.8), (0.8, pytest.approx(0.2))]


def test_drives_lie_above_the_bound_by_codes(rewear):
    """Full drives of the same flash, with and without a code."""
    drives = ["plain=qlc", "coset=qlc:reuse.scheme=coset,reuse.rate=0.844,ftl.over_provisioning=0.08"]
    for spec in ("uniform:requests=60000", "hot-cold:hot=0.1,hits=0.9,requests=60000"):
        shared = ("--codes", "--workload", spec, "--precondition", "fill", "--warm-up", "20000", *_settings()[:-2])
        said = json.loads(rewear("bound", *drives, *shared, "--json").stdout)
        plain, coset = (each["erased"] for each in said["drives"])
        assert said["erased"] < coset < plain, spec
        used = sum(each["data"] * each["flash"] for each in said["classes"])
        assert used == pytest.approx(said["flash"])
    table = rewear("bound", *drives, *shared).stdout
    assert "no code below" in table and "flash per byte of data" in table


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("qlc", "--codes", "--workload", "uniform"), "Give --precondition fill"),
        (("qlc", "--codes", "--workload", "zipf", "--precondition", "fill"), "Give them by --classes"),
        (("qlc", "--codes", "--workload", "uniform:pages=9", "--precondition", "fill"), "Give them by --classes"),
        (("qlc", "--codes", "--workload", "zipf", "--precondition", "fill", "--classes", "1"), "DATA:WRITES"),
        (("qlc", "--codes", "--workload", "zipf", "--precondition", "fill", "--classes", "0.5:1"), "do not add up"),
        (("qlc", "wom-v-mlc", "--codes", "--workload", "uniform", "--precondition", "fill"), "cells of 4 bits"),
        (("qlc", "--codes", "--workload", "uniform", "--open-units", "2"), "Leave it out"),
        (("qlc", "--workload", "uniform", "--classes", "1:1"), "Give --codes"),
    ],
)
def test_the_bound_by_codes_says_what_it_lacks(rewear, arguments, words):
    assert words in rewear("bound", *arguments).refused()


def test_the_bound_by_codes_has_cells_of_one_to_four_bits():
    for bits in (0, 5, 300, 2.5):
        with pytest.raises(ConfigurationError, match="bits"):
            coded_bound(bits, 1.28)
