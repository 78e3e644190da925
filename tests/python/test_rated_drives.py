"""Drives on sale: the life of their class beside the endurance that their makers rate."""

import importlib.util
from pathlib import Path

import pytest
from rewear.core.drive import Drive
from rewear.sold.catalogue import loads, rated_drives, sold_classes

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def study():
    spec = importlib.util.spec_from_file_location("rated_drives", ROOT / "experiments/studies/rated_drives.py")
    module = importlib.util.module_from_spec(spec)
    # Its dataclasses look themselves up by the name of their module.
    import sys

    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_drives_of_every_class_that_is_rated_are_there_with_a_source(study):
    drives = study.rated_drives()
    assert len(drives) >= 12
    assert {each.drive_class for each in drives} == {"client-tlc", "client-qlc", "enterprise-tlc", "enterprise-qlc"}
    assert all(each.source and each.load in loads() for each in drives)


def rows_of_the_page(study):
    lines = study.TABLE.search(study.PAGE.read_text(encoding="utf-8")).group().splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_lives_agree_with_ratings_within_a_factor_or_it_is_said_why(study):
    rows = rows_of_the_page(study)
    assert [row[0] for row in rows] == [each.name for each in study.rated_drives()]
    for name, *_, times, why, source in rows:
        near = 1 / 1.5 <= float(times) <= 1.5
        assert near != bool(why) and why != "?" and source, f"{name}: {times} of its rating"


def test_the_table_is_what_the_study_computes(study):
    drive = next(each for each in study.rated_drives() if each.name == "Samsung BM1743 61.44TB")
    life = study.computed(drive.drive_class, round(drive.over_provisioning, 4), drive.load)
    assert life.least < life.drive_writes < life.most
    row = study.table([(drive, life)]).splitlines()[-1]
    page = study.PAGE.read_text(encoding="utf-8")
    assert row in page, "run experiments/studies/rated_drives.py --write"


def test_a_fact_stands_in_the_catalogue_once():
    names = [each.name for each in rated_drives()]
    assert len(set(names)) == len(names)
    for each in sold_classes():
        assert Drive(each.preset).configuration["product"]
        assert each.rated is None or each.rated.drive_class == each.preset
