"""Twins: closed forms, fits, logs of counters, presets that replay."""

import math
import random
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rewear import Drive
from rewear.errors import ConfigurationError
from rewear.reproduce.experiment import read_experiment
from rewear.reproduce.paper import read_papers
from rewear.reproduce.sources import Counts
from rewear.reproduce.studies import lmcache, twins
from rewear.sweep.content import Fingerprints
from rewear.twin import Point, fit, predict, preset, read_counters, read_points, simulated
from rewear.twin.closed_forms import cyclic, greedy, two_zones
from rewear.twin.fit import expected

GIB = 1 << 30

HEADER = "drive,capacity,fill,write_amplification,use"
# Made up: flash of 1,100 GiB and 5% of metadata, to three digits, at six fills of a drive of 745 GiB.
FILLS = (372, 447, 521, 596, 670, 745)


def _points(flash=1100 * GIB, share=0.05, digits=3, policy="cyclic"):
    return [Point(round(expected(policy, flash, share, fill * GIB), digits), fill * GIB, 745 * GIB) for fill in FILLS]


@given(st.floats(1.001, 5.0))
def test_the_closed_form_solves_its_equation(spare_factor):
    valid = 1 - 1 / cyclic(spare_factor, 256)
    assert valid == pytest.approx(math.exp(-spare_factor * (1 - valid)), abs=1e-9)
    assert 1 <= greedy(spare_factor, 64) < cyclic(spare_factor, 64)


def test_the_closed_form_has_the_published_value():
    # Xiang and Kurkoski (2012): 2.36 at an over-provisioning of 0.3.
    assert cyclic(1.3, 256) == pytest.approx(2.36, abs=0.005)
    assert greedy(1.3, 1e9) == pytest.approx(cyclic(1.3, 1), abs=1e-6)


def test_zones_apart_write_less_than_one_zone_and_alike_zones_no_less():
    assert two_zones(0.3, 0.3, 1.2) == pytest.approx(cyclic(1.2, math.inf), abs=1e-6)
    assert two_zones(0.05, 0.95, 1.2) == pytest.approx(two_zones(0.95, 0.05, 1.2), abs=1e-6)
    # SSD-iq (Haas et al., PVLDB 18(11), 2025): 1.44 where 95% of the writes go to 5% of the pages of a drive that
    # is filled to seven eighths.
    assert two_zones(0.05, 0.95, 1 / 0.875) == pytest.approx(1.44, abs=0.005)
    with pytest.raises(ValueError, match="no spare"):
        two_zones(0.5, 0.5, 1.0)


def test_no_spare_flash_has_no_write_amplification():
    with pytest.raises(ValueError, match="no spare"):
        cyclic(1.0, 256)


def test_a_fit_finds_what_the_points_were_made_of():
    fitted = fit(_points(digits=6), "cyclic")
    assert fitted.flash_bytes.value == pytest.approx(1100 * GIB, rel=1e-4)
    assert fitted.metadata_share.value == pytest.approx(0.05, abs=1e-4)
    assert fitted.error < 1e-5
    assert fitted.leave_one_out_error is not None
    assert fitted.leave_one_out_error < 1e-4


def test_the_interval_holds_what_rounded_points_were_made_of():
    fitted = fit(_points(digits=2), "cyclic")
    flash = fitted.flash_bytes
    assert flash.low is not None
    assert flash.high is not None
    assert flash.low < 1100 * GIB < flash.high
    assert flash.high - flash.low > 1e-4 * flash.value


def test_two_points_have_no_interval_and_one_has_no_metadata():
    two, one = fit(_points()[::5]), fit(_points()[-1:])
    assert two.flash_bytes.low is None
    assert one.metadata_share.value == 0
    assert one.leave_one_out_error is None
    assert one.error < 1e-6


def test_a_point_that_is_left_out_is_predicted_by_the_others():
    points = _points(digits=6)
    wrong = [*points[:-1], Point(points[-1].write_amplification + 0.3, 745 * GIB, 745 * GIB)]
    fitted = fit(wrong, "cyclic")
    assert fitted.leave_one_out[-1] == pytest.approx(-0.3, abs=0.001)
    assert fitted.leave_one_out_error is not None
    assert fitted.leave_one_out_error > fitted.error


def test_points_to_predict_are_not_fitted(tmp_path):
    file = tmp_path / "points.csv"
    file.write_text(f"{HEADER}\nA,745GiB,372 GiB,1.1,fit\nA,745GiB,745 GiB,1.9,fit\nA,745GiB,600 GiB,9.0,predict\n")
    points = read_points(file)
    fitted = fit(points)
    assert len(fitted.points) == 2
    far_off = predict(fitted, points)[-1]
    assert far_off.error is not None
    assert far_off.error < -7


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("drive,fill\nA,1GiB\n", "points.csv:1: there is no column write_amplification"),
        (f"{HEADER}\nA,745GiB,372GiB,much,fit\n", "points.csv:2: write_amplification is 'much'"),
        (f"{HEADER}\nA,745GiB,372GiB,0.5,fit\n", "points.csv:2: write_amplification is '0.5'"),
        (f"{HEADER}\nA,745GiB,372GiB,nan,fit\n", "points.csv:2: write_amplification is 'nan'"),
        (f"{HEADER}\nA,745GiB,800GiB,1.2,fit\n", "points.csv:2: a fill of 800GiB is more than the drive exports"),
        (f"{HEADER}\nA,745GiB,-3GiB,1.2,fit\n", "points.csv:2: fill -3GiB is not a size"),
        (f"{HEADER}\nA,745GiB,1GiB,1.2,guess\n", "points.csv:2: use is 'guess'"),
        (f"{HEADER}\nA,,,1.2,fit\n", "points.csv:2: neither fill nor capacity"),
        (f"{HEADER}\n", "has no point"),
        (f"{HEADER}\nA,1GiB,1GiB,1.2,fit\nB,1GiB,1GiB,1.3,fit\n", "points of 2 drives"),
        ("", "there is no column write_amplification"),
    ],
)
def test_wrong_points_are_named_with_file_and_line(tmp_path, text, message):
    file = tmp_path / "points.csv"
    file.write_text(text)
    with pytest.raises(ConfigurationError, match=message):
        read_points(file)


def test_the_end_of_a_log_is_a_point(tmp_path):
    file = tmp_path / "log.csv"
    # First 1.0, in the last fifth 2.0: NVMe counts thousands of 512 bytes, OCP counts bytes.
    rows = [(units, 512_000 * units if units <= 800 else 512_000 * (2 * units - 800)) for units in range(0, 1001, 10)]
    file.write_text(
        "time_s,data_units_written,physical_media_units_written\n"
        + "".join(f"{host},{host},{media}\n" for host, media in rows)
    )
    point = read_counters(file, capacity_bytes=745 * GIB, fill_bytes=372 * GIB)
    assert point.write_amplification == pytest.approx(2.0)
    assert point.error == pytest.approx(0.0, abs=1e-12)
    assert point.fill_bytes == 372 * GIB
    assert read_counters(file, capacity_bytes=GIB, last=1.0).write_amplification == pytest.approx(1.2)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("1,1\n0,2\n", "log.csv:3: a counter falls"),
        ("1,1\n1,2\n", "the host wrote nothing"),
        ("1,1\n", "counters at two times"),
        ("1,x\n", "log.csv:2: media_bytes_written is 'x'"),
    ],
)
def test_wrong_logs_are_named_with_file_and_line(tmp_path, rows, message):
    file = tmp_path / "log.csv"
    file.write_text(f"host_bytes_written,media_bytes_written\n{rows}")
    with pytest.raises(ConfigurationError, match=message):
        read_counters(file, capacity_bytes=GIB)


@pytest.mark.parametrize("policy", ["cyclic", "greedy"])
def test_a_twin_replays_as_the_drive_that_it_was_fitted_to(policy):
    points = _points(policy=policy)
    fitted = fit(points, policy)
    twin = Drive.from_toml(preset("made-up", fitted, points))
    assert twin.configuration["twin"]["flash_bytes"] == round(fitted.flash_bytes.value)
    ends = [points[0], points[-1], Point(1.05, 745 * GIB, 745 * GIB, workload="sequential", use="predict")]
    for prediction in simulated(twin, ends):
        assert prediction.error is not None
        assert abs(prediction.error) < 0.02, prediction


def test_what_two_numbers_do_not_predict_is_listed_without_a_figure():
    other = Point(2.5, 745 * GIB, 745 * GIB, workload="CacheLib", use="predict")
    (prediction,) = predict(fit(_points()), [other])
    assert prediction.expected is None
    assert prediction.error is None


def test_the_command_fits_writes_and_predicts(rewear, tmp_path):
    rows = (f"A,745GiB,{point.fill_bytes // GIB}GiB,{point.write_amplification},fit" for point in _points())
    (tmp_path / "points.csv").write_text("\n".join([HEADER, *rows]))
    done = rewear("twin", "fit", "points.csv", "--out", "twin.toml", "--name", "a-twin")
    assert done.returncode == 0, done.stderr
    assert "1,100 GiB" in done.stdout
    assert Drive(tmp_path / "twin.toml").name == "a-twin"
    refused = rewear("twin", "fit", "points.csv", "--only", "B")
    assert refused.returncode == 2
    assert "has no point of a drive 'B'" in refused.stderr


def test_the_claims_about_drives_name_runs_and_numbers_that_are_there(tmp_path):
    counts = Counts(tmp_path, Fingerprints(tmp_path / "traces.json"))
    folder = Path(__file__).parents[2] / "experiments" / "twins"
    papers = read_papers(folder)
    assert set(papers) == {"fdp-cachelib", "lmcache", "micron-7450-max", "sepbit", "ssd-iq"}
    claims = [claim for paper in papers.values() for claim in paper.about.claims]
    assert sum(claim.kind == "measured" for claim in claims) >= 18
    for paper in papers.values():
        for name in {name for claim in paper.about.claims for name in claim.experiments}:
            experiment = read_experiment(paper.experiment(name), {}, counts, quick=True)
            arguments = getattr(experiment.work, "arguments", {})
            labels = {*arguments.get("points", {}), *arguments.get("zones", {})}
            for claim in paper.about.claims if labels else ():
                wanted = [part.number.labels for part in claim.parts if part.number.experiment == name]
                assert {label for each in wanted for label in each} <= labels, claim.name


def test_studies_of_drives_give_numbers_by_label():
    assert twins.optimum_of_two_zones(0.875, {"95/5": 0.05}) == {
        "write_amplification": {"95/5": pytest.approx(1.44, abs=0.005)}
    }
    cache = twins.flash_cache(0.2, 0.5, {"apart": {"small": 0.04, "apart": True}}, drive_writes=0.1)
    assert cache["write_amplification"]["apart"] >= 1
    small = {"flash.blocks_per_plane": 64, "flash.pages_per_block": 16}
    known = twins.known_future("ssd-iq/drive.toml", "uniform:requests=20000", 10000, [1, 2], small)
    assert set(known["write_amplification"]) == {"1 open units", "2 open units"}


def test_writers_of_a_cache_have_the_published_spans_and_write_whole_objects():
    assert sum(worker.span_pages for worker in lmcache.WORKERS) == 855 * 1024
    assert {worker.identifier for worker in lmcache.WORKERS} == set(range(5))
    assert all(worker.span_pages % worker.object_pages == 0 for worker in lmcache.WORKERS)
    one = {"rates": "objects", "units": 1088, "unit_gib": 1, "capacity_writes": 0.3}
    whole, late = lmcache.written("random", apart=False, **one)
    assert 1 < whole < late
    assert lmcache.written("in order", apart=True, **one)[0] == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize("replacement", lmcache.REPLACEMENTS)
def test_a_writer_replaces_every_object_of_its_span_sooner_or_later(replacement):
    worker = lmcache.Worker(0, 2, 16)
    following = lmcache.REPLACEMENTS[replacement](worker, random.Random(1))
    assert set(islice(following, 400)) == set(range(8))
