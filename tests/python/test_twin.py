"""Twins: closed forms, fits, presets that replay."""

import json
import math
import random
import tomllib
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rewear import Drive
from rewear.core.errors import ConfigurationError
from rewear.core.toml_text import to_toml
from rewear.reproduce.computation import study_module
from rewear.reproduce.experiment import read_experiment
from rewear.reproduce.paper import read_papers
from rewear.reproduce.sources import Counts
from rewear.shown.twin import curves_svg
from rewear.sweep.store import Store
from rewear.twin.closed_forms import cyclic
from rewear.twin.fit import fit
from rewear.twin.model import Candidate, amplification, model, tables
from rewear.twin.points import Point, read_points
from rewear.twin.predict import predict, twin_of
from rewear.twin.preset import described, preset

STUDIES = Path(__file__).parents[2] / "experiments" / "twins" / "studies"
lmcache, twins = study_module("lmcache", STUDIES), study_module("twins", STUDIES)

GIB = 1 << 30

HEADER = "drive,capacity,fill,write_amplification,use"
# Of a drive of 745 GiB.
FILLS = (372, 447, 521, 596, 670, 745)


CYCLIC = Candidate("cyclic", "together")


@pytest.fixture(autouse=True)
def small_twins(monkeypatch):
    """A quarter of the pages, so that fits take seconds."""
    monkeypatch.setattr("rewear.twin.model.PAGES", 1 << 15)


def _points(candidate=CYCLIC, spare=0.4, share=0.05, fills=FILLS):
    """What a made-up drive of 745 GiB writes, replayed with another seed than fits have."""
    drive = model(candidate, spare, share)
    points = [Point(1.0, fill * GIB, 745 * GIB, drive_writes=3) for fill in fills]
    return [replace(point, write_amplification=amplification(drive, point, seed=7)) for point in points]


@given(st.floats(1.001, 5.0))
def test_the_closed_form_solves_its_equation(spare_factor):
    valid = 1 - 1 / cyclic(spare_factor)
    assert valid == pytest.approx(math.exp(-spare_factor * (1 - valid)), abs=1e-9)


def test_the_closed_form_has_the_published_value():
    # Xiang and Kurkoski (2012): 2.36 at an over-provisioning of 0.3.
    assert cyclic(1.3) == pytest.approx(2.36, abs=0.005)


def test_zones_apart_write_less_than_one_zone_and_alike_zones_no_less():
    assert twins.two_zones(0.3, 0.3, 1.2) == pytest.approx(cyclic(1.2), abs=1e-6)
    assert twins.two_zones(0.05, 0.95, 1.2) == pytest.approx(twins.two_zones(0.95, 0.05, 1.2), abs=1e-6)
    # SSD-iq (Haas et al., PVLDB 18(11), 2025): 1.44 where 95% of the writes go to 5% of the pages of a drive that
    # is filled to seven eighths.
    assert twins.two_zones(0.05, 0.95, 1 / 0.875) == pytest.approx(1.44, abs=0.005)
    with pytest.raises(ValueError, match="no spare"):
        twins.two_zones(0.5, 0.5, 1.0)


def test_no_spare_flash_has_no_write_amplification():
    with pytest.raises(ValueError, match="no spare"):
        cyclic(1.0)


def test_a_fit_finds_what_the_points_were_made_of():
    fitted = fit(_points(fills=FILLS[::2] + FILLS[-1:]), "cyclic")
    truth = next(rival for rival in fitted.rivals if rival.candidate.moved == "together")
    # Metadata holds its share of the flash.
    assert truth.flash_bytes == pytest.approx(1.4 * 745 * GIB, rel=0.02)
    assert truth.metadata_share == pytest.approx(0.05, abs=0.02)
    assert truth.equal
    assert fitted.error < 0.03
    # Flash, metadata and where moved pages go: four points leave one degree of freedom.
    assert (fitted.numbers, fitted.degrees_of_freedom) == (3, 1)
    assert fitted.flash_bytes.low is not None
    assert fitted.flash_bytes.low < fitted.flash_bytes.value < fitted.flash_bytes.high


def test_uniform_writes_do_not_tell_policies_apart_and_the_fit_says_so():
    fitted = fit(_points(Candidate("greedy", "together"), fills=(596, 745)))
    assert fitted.degrees_of_freedom == 0
    assert fitted.flash_bytes.low is None
    assert {rival.candidate.victim for rival in fitted.equals} == {"greedy", "cyclic"}
    # Equals are taken by their flash, the nearest to 1,024 GiB first, not by the last digits of their squares.
    steps = [round(abs(math.log(rival.flash_bytes / (1024 * GIB))) / 0.05) for rival in fitted.rivals if rival.equal]
    assert steps == sorted(steps)
    text = preset("made-up", fitted)
    about = " ".join(Drive.from_toml(text).configuration["description"].split())
    assert f"equally well: {'; '.join(described(rival) for rival in fitted.equals)}." in about


def test_zones_tell_the_size_of_an_erase_unit():
    truth = Candidate("greedy", "apart", 512)
    drive = model(truth, 0.4)
    zones = [
        Point(1.0, 745 * GIB, 745 * GIB, workload=f"zones:zone={size}", drive_writes=3) for size in ("1GiB", "3GiB")
    ]
    points = _points(truth, share=0.0, fills=(745,)) + [
        replace(point, write_amplification=amplification(drive, point, seed=7)) for point in zones
    ]
    fitted = fit(points, "greedy")
    assert fitted.tells_units
    assert any(rival.candidate.units == 512 and rival.squares < 0.01 for rival in fitted.rivals)
    by_units = {rival.candidate.units: rival.squares for rival in fitted.rivals if rival.candidate.moved == "apart"}
    assert by_units[512] < by_units[1024]


def test_a_single_point_tells_the_flash_and_no_metadata():
    fitted = fit(_points(fills=(745,))[-1:], "greedy")
    assert fitted.metadata_share.value == 0
    assert fitted.error < 0.02


def test_points_to_predict_are_not_fitted(tmp_path):
    file = tmp_path / "points.csv"
    file.write_text(f"{HEADER}\nA,745GiB,745 GiB,1.9,fit\nA,745GiB,600 GiB,9.0,predict\n")
    points = read_points(file)
    fitted = fit(points, "greedy")
    assert len(fitted.points) == 1
    (far_off,) = predict(Drive.from_toml(preset("A", fitted)), points[1:])
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
        (f"{HEADER},set\nA,745GiB,1GiB,1.2,fit,zero\n", "points.csv:2: set has 'zero'"),
        (f"{HEADER},start\nA,745GiB,1GiB,1.2,fit,half\n", "points.csv:2: start is 'half'"),
        (f"{HEADER}\nA,745GiB,1GiB,1.2 0.3,fit\n", "points.csv:2: write_amplification is '0.3'"),
        (f"{HEADER}\nA,,,1.2,fit\n", "points.csv:2: neither fill nor capacity"),
        (
            f"{HEADER},worklaod\n",
            r"points.csv:1: no column is called 'worklaod'. Did you mean 'workload'\? There are: write_a",
        ),
        (f"{HEADER}\nA,1GiB,1GiB,1.2,fit,0.2\n", "points.csv:2: more fields than the first line names"),
        (f"{HEADER},workload\nA,1GiB,1GiB,1.2,fit,zpif\n", 'points.csv:2: the workload "zpif" does not exist'),
        (f"{HEADER},workload\nA,1GiB,1GiB,1.2,fit,zipf:tehta=1\n", 'points.csv:2: .* no parameter "tehta"'),
        (f"{HEADER}\n", "has no point"),
        (f"{HEADER}\nA,1GiB,1GiB,1.2,fit\nB,1GiB,1GiB,1.3,fit\n", "points of 2 drives. Choose one by --only: A, B"),
        ("", "there is no column write_amplification"),
    ],
)
def test_wrong_points_are_named_with_file_and_line(tmp_path, text, message):
    file = tmp_path / "points.csv"
    file.write_text(text)
    with pytest.raises(ConfigurationError, match=message):
        read_points(file)


def test_another_drive_than_asked_for_is_named(tmp_path):
    file = tmp_path / "points.csv"
    file.write_text(f"{HEADER}\nA,1GiB,1GiB,1.2,fit\nB,1GiB,1GiB,1.3,fit\n")
    assert [point.drive for point in read_points(file, only="B")] == ["B"]
    with pytest.raises(ConfigurationError, match=r"no point of a drive 'C'\. There are: A, B\."):
        read_points(file, only="C")
    file.write_text("fill,write_amplification\n1GiB,1.2\n")
    with pytest.raises(ConfigurationError, match="name no drive: leave --only out"):
        read_points(file, only="C")


@pytest.mark.parametrize("name", ["micron-7450-max", "warp-ssd-a", "warp-ssd-b"])
def test_a_twin_that_comes_along_is_what_the_fit_writes(name, monkeypatch):
    monkeypatch.setattr("rewear.twin.model.PAGES", 1 << 17)
    text = (Path(__file__).parents[2] / "presets" / f"{name}.toml").read_text()
    about = tomllib.loads(text)
    flash, ftl = about["flash"], about["ftl"]
    candidate = Candidate(ftl["victim"]["scheme"], ftl["moved_pages"], flash["blocks_per_plane"])
    parts = tables(candidate, ftl["over_provisioning"], ftl["metadata_share"], flash["channels"])
    assert text == to_toml({key: about[key] for key in ("name", "description", "product", "twin")} | parts)
    assert f"Written by\n`rewear twin fit experiments/twins/points.csv --only '{about['product']['name']}'" in text


def test_a_curve_is_predicted_part_by_part_from_a_trimmed_drive():
    cache = "flash-cache:small=0.4,small_writes=0.8,region=16MiB"
    point = Point(1.0, 745 * GIB, 745 * GIB, cache, curve=(1.0,) * 4, drive_writes=4, start="trimmed")
    (prediction,) = predict(model(Candidate("greedy", "apart"), 0.2), [point])
    first, *_, last = prediction.curve
    assert len(prediction.curve) == 4
    # Nothing is cleaned before the flash has been filled once.
    assert first == pytest.approx(1.0, abs=0.01)
    assert last > 1.5
    assert prediction.absolute_error == pytest.approx(sum(part - 1 for part in prediction.curve) / 4, abs=0.01)
    svg = curves_svg([prediction])
    assert "<svg" in svg
    assert "off by" in svg
    with pytest.raises(ConfigurationError, match="No point is a curve"):
        curves_svg([])


def test_points_of_another_drive_are_refused_unless_it_has_the_same_flash():
    twin = Drive("micron-7450-max")
    own = [Point(1.9, 745 * GIB, 745 * GIB)]
    assert twin_of(twin, own) is twin
    pro = [Point(3.19, 894 * GIB, 894 * GIB)]
    with pytest.raises(
        ConfigurationError, match=r"a twin of Micron 7450 MAX 800GB, which exports 745 GiB.*--same-flash"
    ):
        twin_of(twin, pro)
    same = twin_of(twin, pro, same_flash=True).configuration
    flash = twin.configuration["product"]["flash_bytes"]
    assert same["ftl"]["over_provisioning"] == pytest.approx(flash / (894 * GIB) - 1)
    with pytest.raises(ConfigurationError, match="cannot export"):
        twin_of(twin, [Point(1.0, GIB << 11, GIB << 11)], same_flash=True)
    with pytest.raises(ConfigurationError, match="model of no real drive"):
        twin_of(Drive("qlc"), own)


def test_bandwidth_is_fitted_to_one_point_and_predicts_the_others():
    points = [replace(point, mib_per_s=rate) for point, rate in zip(_points(fills=(745,)), [620.0], strict=True)]
    fitted = fit(points, "cyclic")
    assert fitted.planes is not None
    twin = Drive.from_toml(preset("made-up", fitted))
    (prediction,) = predict(twin, points)
    assert prediction.mib_per_s == pytest.approx(620, rel=0.06)


def test_the_command_fits_writes_and_predicts(rewear, tmp_path):
    rows = [f"A,745GiB,{fill}GiB,{measured},fit,1" for fill, measured in ((596, 1.3), (745, 1.8))]
    (tmp_path / "points.csv").write_text("\n".join([f"{HEADER},drive_writes", *rows]))
    done = rewear("twin", "fit", "points.csv", "--out", "twin.toml", "--name", "a-twin", "--policy", "greedy")
    assert done.returncode == 0, done.stderr
    assert "degrees of freedom: 0" in done.stdout
    assert Drive(tmp_path / "twin.toml").name == "a-twin"
    predicted = rewear("twin", "predict", "twin.toml", "points.csv", "--json")
    assert [point["use"] for point in json.loads(predicted.stdout)["points"]] == ["fit", "fit"]
    assert "Written by\n`rewear twin fit points.csv --out twin.toml" in (tmp_path / "twin.toml").read_text()
    assert "mean error of all:" in done.stdout
    refused = rewear("twin", "fit", "points.csv", "--only", "B")
    assert refused.returncode == 2
    assert "has no point of a drive 'B'. There are: A." in refused.stderr
    other = rewear("twin", "predict", "micron-7450-max", "points.csv", "--capacity", "1TB")
    assert other.returncode == 0, other.stderr


def test_the_claims_about_drives_name_runs_and_numbers_that_are_there(tmp_path):
    counts = Counts(Store(tmp_path / "runs"))
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
    # The write buffer holds a few pages back.
    assert cache["write_amplification"]["apart"] > 0.999
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
