"""The Python API."""

import doctest
import importlib
import json
import pkgutil
import threading
import warnings
from pathlib import Path

import pytest
import rewear
from rewear.core.errors import RewearWarning

ROOT = Path(__file__).parents[2]
UNIFORM = "uniform:requests=20000"


def test_a_report_carries_the_main_figures(small):
    report = rewear.Drive("qlc", set=small).replay(rewear.Workload(UNIFORM), precondition="fill")
    data = report.to_dict()
    assert report.complete
    assert report.erases == data["erases"] > 0
    assert report.pages_programmed["total"] == data["pages_programmed"]["total"]
    assert report.figure("write_p99_ns") == data["latency_ns"]["write"]["p99"]
    assert report.latency_ns["read"] is None
    assert report.erases_per_block["max"] >= report.erases_per_block["mean"] > 0
    assert report.write_amplification > 1
    assert report.flash_erased_per_byte == pytest.approx(report.flash_erased_bytes / data["host_bytes_written"])
    block_bytes = report.derived["block_bytes"]
    assert report.flash_erased_bytes == pytest.approx(report.erase_equivalents * block_bytes, abs=1)
    assert report.write_amplification == pytest.approx(report.write_amplification_of_data * report.code_expansion)
    assert report.pe_cycles["mean"] == pytest.approx(report.flash_erased_bytes / report.derived["physical_bytes"])
    blocks = sum(each["blocks"] for each in report.pe_cycles["distribution"])
    assert blocks == report.derived["blocks"]
    assert rewear.Report.from_json(report.to_json()) == report
    assert json.loads(report.to_json()) == data


def test_a_report_cannot_be_changed_through_its_copy(small):
    report = rewear.Drive("qlc", set=small).replay(rewear.Workload(UNIFORM))
    report.to_dict()["drive"]["name"] = "other"
    assert report.drive_name == "qlc"


def test_a_recorded_report_is_read(request):
    path = Path(__file__).parent / "data" / "report.json"
    report = rewear.Report.from_json(path.read_text(encoding="utf-8"))
    assert report.erases == 10961
    assert report.latency_ns["write"]["max"] == 131000000
    assert report.figure("wear_spread") == pytest.approx(1.41 / 5.352)


def test_settings_take_python_values():
    drive = rewear.Drive(
        "qlc", set={"ftl.over_provisioning": 0.5, "ftl.copyback": False, "reuse.scheme": "wom-v", "reuse.data_bits": 2}
    )
    assert drive.configuration["ftl"]["over_provisioning"] == 0.5
    assert drive.configuration["ftl"]["copyback"] is False
    assert drive.configuration["reuse"]["scheme"] == "wom-v"
    timing = rewear.Drive("qlc", set={"flash.timing.read_ns": [1, 2, 3, 4]}).configuration["flash"]["timing"]
    assert timing["read_ns"] == [1, 2, 3, 4]


def test_a_drive_from_text_and_from_a_file(tmp_path: Path):
    text = rewear.drives()["qlc"]
    (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
    preset = rewear.Drive("qlc")
    assert rewear.Drive.from_toml(text).configuration == preset.configuration
    assert rewear.Drive(tmp_path / "mine.toml").configuration == preset.configuration
    assert preset.exported_bytes > 0
    assert "exported capacity" in preset.show()


def test_errors_are_of_one_family(tmp_path: Path):
    with pytest.raises(rewear.ConfigurationError, match="presets are"):
        rewear.Drive("no such drive")
    with pytest.raises(rewear.TraceError, match=r"missing\.csv"):
        rewear.Trace(tmp_path / "missing.csv")
    with pytest.raises(rewear.ConfigurationError):
        rewear.Workload("uniform:nonsense=1")
    with pytest.raises(rewear.ConfigurationError):
        rewear.Drive("qlc").replay(rewear.Workload(UNIFORM), precondition="full")
    with pytest.raises(ValueError):
        rewear.Drive("qlc", set={"nonsense": 1})
    for name in ("ConfigurationError", "InternalError", "ReplayError", "TraceError"):
        assert issubclass(getattr(rewear, name), rewear.RewearError)


def test_a_directory_is_no_trace_and_no_drive(tmp_path: Path):
    with pytest.raises(rewear.TraceError):
        rewear.Trace(tmp_path)
    with pytest.raises(rewear.ConfigurationError):
        rewear.Drive(tmp_path)


def test_a_trace_in_python(msr_trace: Path, tmp_path: Path, small):
    trace = rewear.Trace(msr_trace)
    assert trace.info()["requests"] == 200
    assert len(trace.head(5)) == 5
    assert trace.convert(tmp_path / "out.rwt")["requests"] == 200
    compact = rewear.Trace(tmp_path / "out.rwt")
    drive = rewear.Drive("qlc", set=small)
    of_text, of_compact = (drive.replay(source, loops=20).to_dict() for source in (trace, compact))
    del of_text["source"], of_compact["source"]
    assert of_text == of_compact


def test_a_failed_conversion_leaves_nothing(msr_trace: Path, tmp_path: Path):
    msr_trace.write_text(msr_trace.read_text() + "rubbish\n")
    with pytest.raises(rewear.TraceError, match="line 201"):
        rewear.Trace(msr_trace).convert(tmp_path / "out.rwt")
    assert [path.name for path in tmp_path.iterdir()] == ["small.csv"]


def test_progress_is_told_and_its_exception_stops_the_replay(small):
    class EnoughError(Exception):
        pass

    told: list[rewear.Progress] = []

    def progress(state: rewear.Progress) -> None:
        told.append(state)
        if len(told) == 3:
            raise EnoughError

    drive = rewear.Drive("qlc", set=small)
    with pytest.raises(EnoughError):
        drive.replay(rewear.Workload("uniform:requests=1000000000000"), progress=progress)
    assert told[-1].done > 0
    assert told[-1].total == 1000000000000


def test_other_threads_run_during_a_replay(small):
    ticks = 0
    done = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not done.wait(0.001):
            ticks += 1

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        rewear.Drive("qlc", set=small).replay(rewear.Workload("uniform:requests=600000"))
    finally:
        done.set()
        thread.join()
    assert ticks > 20


def test_an_error_of_one_drive_stops_the_comparison(msr_trace: Path, small):
    tiny = rewear.Drive("qlc", set={**small, "flash.blocks_per_plane": 12, "ftl.over_provisioning": 0.3})
    with pytest.raises(rewear.RewearError):
        rewear.compare(msr_trace, [("small", rewear.Drive("qlc", set=small)), ("tiny", tiny)], loops=100000)


def test_the_examples_in_the_documentation_hold():
    attempted = 0
    for module in pkgutil.walk_packages(rewear.__path__, "rewear."):
        if not module.name.endswith(("__main__", "_core")):
            result = doctest.testmod(importlib.import_module(module.name))
            attempted += result.attempted
            assert result.failed == 0
    assert attempted + doctest.testmod(rewear).attempted >= 5


def test_everything_public_is_documented():
    for name in rewear.__all__:
        thing = getattr(rewear, name)
        assert thing.__doc__, name
        if isinstance(thing, type):
            for member, value in vars(thing).items():
                if not member.startswith("_") and (callable(value) or isinstance(value, property)):
                    assert value.__doc__, f"{name}.{member}"


def test_the_program_of_the_readme_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys):
    program = (ROOT / "README.md").read_text().partition("```python\n")[2].partition("```")[0]
    (tmp_path / "recordings").symlink_to(ROOT / "recordings")
    monkeypatch.chdir(tmp_path)
    exec(compile(program, "README.md", "exec"), {})
    erased, response, unit, *_notes = capsys.readouterr().out.split()
    assert (float(erased) > 0, float(response) > 0, unit) == (True, True, "ms")
    assert (tmp_path / "requests.parquet").exists()


@pytest.mark.parametrize(
    "text",
    [
        'a"b',
        "two\nlines",
        "tab\tand\n\ttab",
        "\\\n\\n",
        "\x7f",
        "\x00\n\x1b\x7f",
        '"""\n""""',
        "3",
        "true",
        '"quoted"',
        "",
    ],
)
def test_a_drive_keeps_any_text(small, text: str):
    drive = rewear.Drive("qlc", set=small).with_settings({"name": text, "description": text})
    again = drive.with_settings({"ftl.over_provisioning": 0.4})
    for each in (drive, again):
        assert (each.configuration["name"], each.configuration["description"]) == (text, text)


def test_a_change_of_scheme_says_which_keys_of_the_preset_go():
    with pytest.warns(RewearWarning, match=r"program_ns.* back to defaults.*--set ftl.slc_cache.program_ns=50000"):
        rewear.Drive("client-qlc", set={"ftl.slc_cache.scheme": "dynamic"})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Nothing is lost: the same scheme, keys that the new one does not have, keys that are given.
        rewear.Drive("client-qlc", set={"ftl.slc_cache.scheme": "static"})
        rewear.Drive("client-qlc", set={"ftl.slc_cache.scheme": "none"})
        kept = rewear.Drive("client-qlc").configuration["ftl"]["slc_cache"]
        given = {f"ftl.slc_cache.{key}": value for key, value in kept.items() if key != "scheme"}
        rewear.Drive("client-qlc", set={**given, "ftl.slc_cache.scheme": "dynamic"})


def test_the_source_and_the_drives_in_the_wrong_order_are_told_apart():
    with pytest.raises(rewear.ConfigurationError, match="source comes first"):
        rewear.compare(["qlc"], rewear.Workload("uniform"))
    with pytest.raises(rewear.ConfigurationError, match="source comes first"):
        rewear.compare(["qlc"], ["qlc"])


def test_files_are_written_as_their_endings_say(msr_trace: Path, tmp_path: Path, small):
    with pytest.raises(rewear.ConfigurationError, match=r"out\.txt ends in \.txt\. Name it \*\.rwt"):
        rewear.Trace(msr_trace).convert(tmp_path / "out.txt")
    with pytest.raises(rewear.ConfigurationError, match=r"l\.txt ends in \.txt\. Name the log \*\.parquet or \*\.csv"):
        rewear.Drive("qlc", set=small).replay(msr_trace, log=tmp_path / "l.txt")
    assert not list(tmp_path.glob("out*")) and not list(tmp_path.glob("l.*"))


def test_a_size_with_a_wrong_unit_is_said_to_be_no_number():
    for size in ("4k", "4K", "4KiB", "4kib", "4096"):
        rewear.Workload(f"uniform:size={size}")
    with pytest.raises(rewear.ConfigurationError, match=r"is 4000 bytes, no multiple of 512; 4k and 4KiB"):
        rewear.Workload("uniform:size=4kB")
    with pytest.raises(rewear.ConfigurationError, match="numbers of bytes"):
        rewear.Workload("uniform:size=many")


def test_files_without_an_end_are_not_read(rewear):
    for words in (["sweep", "/dev/zero"], ["run", "--drive", "/dev/zero", "--workload", "uniform"]):
        assert "longer than 16 MiB" in rewear(*words).refused()


def test_advise_without_anything_names_what_it_takes(rewear):
    said = rewear("advise").refused()
    assert "rewear advise recordings/home.rwt" in said and "--trace" not in said
