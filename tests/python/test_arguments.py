"""The grammar of drives and traces on the command line."""

from pathlib import Path

import pytest
import rewear
from rewear.cli.arguments import parse_drive, parse_trace


@pytest.mark.parametrize(
    ("argument", "label", "spare"),
    [
        ("qlc", "qlc", 0.07),
        ("mine=qlc", "mine", 0.07),
        ("qlc:ftl.over_provisioning=0.5", "qlc over_provisioning=0.5", 0.5),
        ("a b=qlc:ftl.over_provisioning=0.5", "a b", 0.5),
        ("x=qlc:flash.timing.read_ns=[1, 2, 3, 4],ftl.over_provisioning=0.25", "x", 0.25),
    ],
)
def test_drives(argument, label, spare):
    found, drive = parse_drive(argument)
    assert found == label
    assert drive.configuration["ftl"]["over_provisioning"] == spare


def test_a_file_with_an_odd_name(tmp_path: Path):
    path = tmp_path / "a=b:c.toml"
    path.write_text(rewear.drives()["qlc"])
    assert parse_drive(str(path))[0] == "qlc"
    assert parse_drive(f"x={path}")[0] == "x"
    label, drive = parse_drive(f"{tmp_path}/a=b:c.toml")
    assert (label, drive.name) == ("qlc", "qlc")


def test_a_file_with_settings(tmp_path: Path):
    path = tmp_path / "mine.toml"
    path.write_text(rewear.drives()["qlc"])
    _, drive = parse_drive(f"x={path}:ftl.over_provisioning=0.5")
    assert drive.configuration["ftl"]["over_provisioning"] == 0.5


def test_later_settings_win():
    _, drive = parse_drive("qlc:ftl.over_provisioning=0.3", ["ftl.over_provisioning=0.1", "ftl.over_provisioning=0.2"])
    assert drive.configuration["ftl"]["over_provisioning"] == 0.3


def test_traces(msr_trace: Path):
    assert parse_trace(str(msr_trace)).format == "msr"
    shifted = parse_trace(f"{msr_trace}:format=msr,shift_bytes=512")
    assert shifted.head(1)[0]["offset_bytes"] == 512
    with pytest.raises(rewear.ConfigurationError, match="shift_bytes -1 is not a size"):
        parse_trace(f"{msr_trace}:shift_bytes=-1")
    with pytest.raises(rewear.ConfigurationError):
        parse_trace(f"{msr_trace}:time_unit=fortnights")
