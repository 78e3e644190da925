"""Miniatures: predictions from a sample of the pages, their intervals, and what is refused."""

import json
from fractions import Fraction

import pytest
import rewear
from rewear.figures.metrics import METRICS
from rewear.figures.uncertainty import Interval
from rewear.miniature import one_in, widened

PLANES = {
    "flash.channels": 8,
    "flash.dies_per_channel": 1,
    "flash.planes_per_die": 1,
    "flash.blocks_per_plane": 64,
    "flash.pages_per_block": 64,
    "ftl.over_provisioning": 0.25,
    "ftl.erase_unit": "block",
}
SETTINGS = [part for key, value in PLANES.items() for part in ("--set", f"{key}={value}")]
WORKLOAD = "hot-cold:requests=120000"


def plain(**settings):
    return rewear.Drive("qlc", set={**PLANES, **settings})


def test_a_scale_is_one_over_a_whole_number():
    assert [one_in(scale) for scale in ("1/100", "0.01", 0.25, Fraction(1, 3))] == [100, 100, 4, 3]
    for wrong in ("2/3", "1", "0", "-1/4", "1/0", "a hundredth", 0.3, "1/200000", "nan", float("inf")):
        with pytest.raises(rewear.ConfigurationError, match="give one over a whole number"):
            one_in(wrong)


def test_a_sample_predicts_the_whole_drive_and_says_so():
    source = rewear.Workload(WORKLOAD)
    whole = plain().replay(source, precondition="fill")
    small = plain().replay(source, precondition="fill", scale="1/8")
    assert small.write_amplification == pytest.approx(whole.write_amplification, rel=0.05)
    assert small.flash_erased_per_byte == pytest.approx(whole.flash_erased_per_byte, rel=0.05)
    assert whole.miniature is None
    assert small.miniature["pools"] == 1
    assert small.miniature["units_per_pool"] == 64
    assert small.miniature["one_in"] == pytest.approx(8, rel=0.01)
    assert small.miniature["busyness"] == pytest.approx(1, abs=0.05)
    assert small.derived == whole.derived
    assert small["busy_ns"] is None
    assert small.life is None
    assert any(note.startswith("Miniature:") for note in small.notes)


def test_samples_give_intervals_and_the_same_ones_again():
    source = rewear.Workload(WORKLOAD)
    drives = [("plain", plain()), ("roomy", plain(**{"ftl.over_provisioning": 0.5}))]
    first, again = (rewear.compare(source, drives, scale="1/4", precondition="fill", jobs=jobs) for jobs in (1, 2))
    assert first.to_json() == again.to_json()
    assert first.repeats == 5
    described = first.to_dict()["drives"][1]["intervals"]
    assert set(described) <= {metric.key for metric in METRICS if metric.of_miniature}
    figure, ratio = described["write_amplification"]["figure"], described["write_amplification"]["relative"]
    assert figure["low"] < figure["mean"] < figure["high"]
    assert ratio["high"] < 1
    seeds = [report.miniature["seed"] for report in first.runs[0].reports]
    assert seeds == [1, 2, 3, 4, 5]


def test_an_interval_takes_in_what_halving_the_miniature_changes_once_for_each_halving_of_the_drive():
    found = Interval(2.0, 1.9, 2.1, 5)
    wide = widened(found, Interval(2.1, 2.1, 2.1, 5), 8)
    assert wide == Interval(2.0, pytest.approx(1.6), pytest.approx(2.4), 5)
    assert widened(found, Interval(2.0, 1.0, 3.0, 5), 8) == found
    assert widened(found, None, 8) is None


def test_a_miniature_that_has_no_smaller_one_is_held_against_a_larger_one_or_has_no_interval():
    source = rewear.Workload("uniform:requests=20000")

    def compared(scale, **settings):
        return rewear.compare(source, [("a", plain(**settings))], scale=scale, seeds=2, precondition="fill")

    def asked(comparison):
        return [report.miniature["asked"] for report in comparison.reference.rescaled]

    assert asked(compared("1/4")) == [8, 8]
    # Of eight dies and 64 units a pool there is no miniature of 1/16.
    assert asked(compared("1/8")) == [4, 4]
    alone = compared("1/2", **{"flash.channels": 2})
    assert asked(alone) == []
    assert alone.interval(alone.reference, lambda report: report.write_amplification) is None


def test_large_requests_are_refused_where_erase_units_do_not_stay_as_they_are(rewear):
    drive = ("--drive", "toshiba-slc", "--set", "ftl.over_provisioning=0.12", "--precondition", "fill")
    workload = ("--workload", "uniform:size=4KiB*60/128KiB*40,requests=20000")
    refused = rewear("run", *drive, *workload, "--scale", "1/100").refused()
    assert "pages of a request lie in an erase unit of 64" in refused
    assert "give a scale of 1/4" in refused
    done = rewear("run", *drive, *workload, "--scale", "1/4", "--json")
    assert done.returncode == 0, done.stderr
    # 32 pages lie in eight pools, four in each, and have 32 of 32.6 page writes.
    assert json.loads(done.stdout)["miniature"]["pages_together"] == pytest.approx(3.87, abs=0.05)
    small = rewear("run", *drive, "--workload", "uniform:requests=20000", "--scale", "1/50", "--seeds", "1", "--json")
    assert json.loads(small.stdout)["miniature"]["pages_together"] == 1.0


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"recycle.scheme": "lx"}, "recycle.scheme"),
        ({"ftl.write_buffer.scheme": "fifo", "ftl.write_buffer.pages": 64}, "ftl.write_buffer"),
        ({"ftl.background.scheme": "erase-invalid"}, "ftl.background"),
        ({"flash.failures.factory_bad_fraction": 0.01}, "flash.failures"),
        ({"effort.scheme": "differentiated-ecc", "effort.separator.decay_accesses": 64}, "decay_accesses"),
    ],
)
def test_drives_that_are_not_the_same_in_small_are_refused(settings, says):
    with pytest.raises(rewear.ConfigurationError, match=says) as refusal:
        plain(**settings).replay(rewear.Workload(WORKLOAD), scale="1/4")
    assert "scale" in str(refusal.value)
    assert "--" not in str(refusal.value)


def test_numbers_of_requests_and_times_are_refused():
    for options, says in (
        ({"max_requests": 10}, "max_requests"),
        ({"warm_up": 10}, "warm-up"),
        ({"interval_s": 1.0}, "interval"),
        ({"queues": True}, "queues"),
    ):
        with pytest.raises(rewear.ConfigurationError, match=says):
            plain().replay(rewear.Workload(WORKLOAD), scale="1/4", **options)


def test_a_workload_beyond_the_whole_drive_is_an_error():
    with pytest.raises(rewear.ReplayError, match="exports"):
        plain().replay(rewear.Workload("uniform:requests=1000,pages=1000000"), scale="1/4")


def test_the_commands_print_predictions_with_their_intervals(rewear):
    common = (*SETTINGS, "--workload", WORKLOAD, "--precondition", "fill", "--scale", "1/8")
    done = rewear("run", "--drive", "qlc", *common)
    assert done.returncode == 0, done.stderr
    assert "Over 5 samples" in done.stdout
    assert "pages programmed" not in done.stdout
    done = rewear("compare", "qlc", "b=qlc:ftl.over_provisioning=0.5", *common, "--seeds", "3", "--json")
    assert done.returncode == 0, done.stderr
    described = json.loads(done.stdout)
    assert described["seeds"] == [1, 2, 3]
    assert described["drives"][0]["report"]["miniature"]["asked"] == 8


def test_the_command_refuses_a_scale_that_is_too_small_and_names_one_that_is_not(rewear):
    command = ("run", "--drive", "qlc", *SETTINGS, "--workload", WORKLOAD, "--scale")
    refused = rewear(*command, "1/1000").refused()
    assert "give a scale of 1/" in refused
    assert "give one over a whole number" in rewear(*command, "3/4").refused()
