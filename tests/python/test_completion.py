"""What the shell completes."""

import subprocess
import sys

import rewear as api
from rewear.cli import completion


def test_presets_and_the_keys_behind_them():
    assert completion.drives("qlc-w") == ["qlc-wom-v"]
    assert completion.drives("") == list(api.drives())
    assert completion.drives("qlc:ftl.over") == ["qlc:ftl.over_provisioning="]
    assert completion.drives("qlc:ftl.gc_threshold=0.1,ftl.over") == ["qlc:ftl.gc_threshold=0.1,ftl.over_provisioning="]


def test_settings_and_their_words():
    assert completion.settings("ftl.over") == ["ftl.over_provisioning="]
    assert "reuse.scheme=wom-v" in completion.settings("reuse.scheme=w")


def test_workloads_and_their_parameters():
    assert completion.workloads("zip") == ["zipf"]
    assert "zipf:theta=1,requests=" in completion.workloads("zipf:theta=1,req")


def test_chips():
    assert completion.chips("qlc") == ["qlc", "qlc-3d"]


def test_options_of_traces_and_their_words():
    assert completion.traces("day") == []
    assert completion.traces("day.csv:for") == ["day.csv:format="]
    assert "day.csv:volume=3,format=msr" in completion.traces("day.csv:volume=3,format=ms")
    assert completion.traces("day.csv:time_unit=m") == ["day.csv:time_unit=ms"]


def test_claims_of_the_papers():
    assert "wom-v" in completion.claims("")
    assert "wom-v.F5" in completion.claims("wom-v.F")
    assert completion.claims("nonesuch.") == []


LARGE = ("numpy", "vl_convert", "dask", "pyarrow")


def test_the_command_line_loads_no_library_of_numbers():
    """What takes long to load is loaded by the commands that need it."""
    code = "import sys, rewear.cli.main; print({*sys.modules} & {*sys.argv})"
    done = subprocess.run([sys.executable, "-c", code, *LARGE], check=True, capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "set()"
