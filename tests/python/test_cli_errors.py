"""Whatever a user gets wrong: exit code 2, one message with place and remedy, no traceback."""

from pathlib import Path

import pytest

WORKLOAD = ("--workload", "uniform:requests=100")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("show", "qcl"), ["qcl", "Did you mean 'qlc'"]),
        (("show", "missing.toml"), ["missing.toml", "preset"]),
        (("show", "qlc:ftl.over_provisionin=0.1"), ["over_provisionin"]),
        (("show", "qlc:nonsense"), ["qlc:nonsense"]),
        (("show", "qlc", "--set", "nonsense"), ["nonsense", "key=value"]),
        (("show", "qlc", "--set", "ftl.over_provisioning="), ["ftl.over_provisioning="]),
        (("show", "qlc", "--set", "ftl.over_provisioning=-1"), ["ftl.over_provisioning", "-1"]),
        (("show", "qlc", "--set", "ftl.over_provisioning=high"), ["over_provisioning", "high"]),
        (("show", "qlc", "--set", "flash.blocks_per_plane=0"), ["blocks_per_plane"]),
        (("show", "qlc", "--set", "reuse.scheme=wom-w"), ["wom-w"]),
        (("run", "--drive", "qlc"), ["--trace", "--workload"]),
        (("run", "--drive", "qlc", "--trace", "a", *WORKLOAD), ["--trace", "--workload"]),
        (("run", "--drive", "qlc", "--workload", "unifrom"), ["unifrom", "uniform"]),
        (("run", "--drive", "qlc", "--workload", "uniform:request=1"), ["request", "requests"]),
        (("run", "--drive", "qlc", "--workload", "uniform:requests=many"), ["requests", "many"]),
        (("run", "--drive", "qlc", "--workload", "zipf:theta=-3"), ["theta", "-3"]),
        (("run", "--drive", "qlc", "--trace", "missing.csv"), ["missing.csv"]),
        (("run", "--drive", "qlc", *WORKLOAD, "--loops", "0"), ["--loops"]),
        (("run", "--drive", "qlc", *WORKLOAD, "--precondition", "full"), ["precondition", "full"]),
        (("compare", *WORKLOAD, "qlc", "qlc"), ["'qlc'", "label"]),
        (("compare", *WORKLOAD), ["DRIVE"]),
        (("trace", "info", "missing.csv"), ["missing.csv"]),
        (("trace", "convert", "missing.csv", "out.rwt"), ["missing.csv"]),
    ],
)
def test_a_wrong_argument_is_named(rewear, arguments, words):
    message = rewear(*arguments).refused()
    for word in words:
        assert word in message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('name = "x"\n[flash\n', ["drive.toml", "line 2"]),
        ('name = "x"\ncolour = "red"\n', ["drive.toml", "colour"]),
        ('name = "x"\n', ["drive.toml", "flash"]),
    ],
)
def test_a_wrong_drive_file_is_located(rewear, tmp_path: Path, text, words):
    (tmp_path / "drive.toml").write_text(text)
    message = rewear("show", "drive.toml").refused()
    for word in words:
        assert word in message


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", ["t.csv"]),
        (b"hello\nworld\n", ["t.csv", "format=NAME"]),
        (bytes(range(256)) * 40, ["t.csv"]),
        (b"128166372003061629,hm,0,Read,0,4096,1\n" * 40 + b"128166372003061630,hm,0,Read,0\n", ["t.csv", "line 41"]),
    ],
)
def test_a_wrong_trace_is_located(rewear, tmp_path: Path, content, words):
    (tmp_path / "t.csv").write_bytes(content)
    for command in (("trace", "info", "t.csv"), ("run", "--drive", "qlc", "--trace", "t.csv")):
        message = rewear(*command).refused()
        for word in words:
            assert word in message


def test_bad_lines_are_skipped_on_demand(rewear, msr_trace: Path):
    msr_trace.write_text(msr_trace.read_text() + "rubbish\n")
    assert "line 201" in rewear("trace", "info", "small.csv").refused()
    info = rewear("trace", "info", "small.csv:skip_bad_lines=true", "--json").document()
    assert info["requests"] == 200
    assert info["omissions"]["bad_lines"] == 1
    assert "skip_bad_lines" in rewear("trace", "info", "small.csv:skip=true").refused()
    assert "perhaps" in rewear("trace", "info", "small.csv:skip_bad_lines=perhaps").refused()


def test_a_trace_beyond_the_drive_names_the_size_needed(rewear, tmp_path: Path):
    (tmp_path / "far.csv").write_text("128166372003061629,hm,0,Write,9999999995904,4096,1\n")
    message = rewear("run", "--drive", "qlc", "--trace", "far.csv").refused()
    assert "10000000000000" in message.replace(",", "")
    assert "fit dense" in message
    assert rewear("run", "--drive", "qlc", "--trace", "far.csv", "--fit", "dense", "--json").document()["complete"]


def test_an_unwritable_page_is_refused_before_the_replay(rewear, tmp_path: Path):
    (tmp_path / "folder").mkdir()
    endless = ("--workload", "uniform:requests=1000000000000")
    message = rewear("compare", *endless, "qlc", "--html", "folder").refused()
    assert "folder" in message


def test_a_page_that_was_there_survives_a_failed_run(rewear, tmp_path: Path):
    (tmp_path / "page.html").write_text("kept")
    rewear("compare", "--trace", "missing.csv", "qlc", "--html", "page.html").refused()
    assert (tmp_path / "page.html").read_text() == "kept"


def test_a_drive_that_wears_out_ends_with_its_own_exit_code(rewear, small_options):
    done = rewear(
        "run", "--drive", "qlc", *small_options, "--set", "flash.endurance_cycles=2",
        "--set", "ftl.over_provisioning=0.3", "--workload", "uniform:requests=200000", "--json",
    )  # fmt: skip
    assert done.returncode == 3, done.stderr
    assert done.document()["complete"] is False


def test_an_output_that_is_no_file_is_refused(rewear, tmp_path):
    (tmp_path / "link.html").symlink_to(tmp_path / "elsewhere.html")
    for output in ("/dev/null", ".", "link.html"):
        done = rewear("compare", "qlc", "--workload", "uniform:requests=10", "--html", output)
        assert output in done.refused()


def test_times_beyond_all_reason_are_refused(rewear):
    workload = "uniform:requests=1e6,arrival=fixed,rate=0.000001"
    assert "146 years" in rewear("run", "--drive", "qlc", "--workload", workload).refused()
