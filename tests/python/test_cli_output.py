"""What the commands print."""

import json
import runpy
from pathlib import Path

import jsonschema
import pytest
import rewear as api
from rewear.cli.commands import ALIASES
from rewear.core.toml_text import flat

COUNT = {"type": "integer", "minimum": 0}
LATENCY = {
    "oneOf": [
        {"type": "null"},
        {
            "type": "object",
            "required": ["count", "mean", "min", "p50", "p95", "p99", "p999", "max"],
            "additionalProperties": {"type": "number", "minimum": 0},
        },
    ]
}


def counts(*names: str) -> dict:
    return {"type": "object", "required": list(names), "properties": dict.fromkeys(names, COUNT)}


REPORT = {
    "type": "object",
    "required": ["schema", "rewear", "drive", "source", "replay", "notes", "stopped_because", "busy_ns", "utilisation"],
    "properties": {
        "schema": {"const": 1},
        "seed": COUNT,
        "complete": {"type": "boolean"},
        "requests": counts("read", "write", "trim", "flush"),
        "pages_programmed": counts("host", "moved", "rewritten", "metadata", "total"),
        "pages_read": counts("host", "moved", "read_modify_write", "before_write", "rewritten", "metadata", "total"),
        **dict.fromkeys(
            (
                "host_pages_written",
                "host_pages_read",
                "host_bytes_written",
                "pages_moved",
                "pages_rewritten",
                "writes_recycled",
                "writes_deduplicated",
                "writes_absorbed",
                "reads_from_buffer",
                "erase_suspensions",
                "reprograms",
                "erases",
                "garbage_collections",
                "simulated_ns",
            ),
            COUNT,
        ),
        "latency_ns": {"required": ["read", "write"], "properties": {"read": LATENCY, "write": LATENCY}},
        "drive": {
            "required": ["name", "configuration", "derived"],
            "properties": {"configuration": {"required": ["flash", "ftl", "recycle", "reuse", "effort"]}},
        },
    },
}


def test_run_prints_the_whole_report(rewear, small_options):
    done = rewear("run", "--drive", "qlc", "--workload", "uniform:requests=20000,read=0.3", *small_options, "--json")
    report = done.document()
    jsonschema.validate(report, REPORT)
    for name in REPORT["properties"]:
        assert name in report
    assert report["complete"] is True
    assert report["erases"] > 0
    assert report["requests"]["read"] + report["requests"]["write"] == 20000
    programmed = report["pages_programmed"]
    assert programmed["total"] == sum(count for cause, count in programmed.items() if cause != "total")
    for kind in ("read", "write"):
        latency = report["latency_ns"][kind]
        order = [latency[name] for name in ("min", "p50", "p95", "p99", "p999", "max")]
        assert order == sorted(order)
        assert latency["count"] == report["requests"][kind]


def test_a_note_goes_to_stderr_and_the_document_stays_whole(rewear):
    done = rewear("run", "--drive", "qlc", "--workload", "uniform:requests=10", "--json")
    assert "Garbage collection never ran" in done.stderr
    assert any("Garbage collection never ran" in note for note in done.document()["notes"])


def test_the_same_command_prints_the_same_bytes(rewear, small_options, msr_trace: Path):
    for source in (("--workload", "zipf:theta=0.9,requests=20000"), ("--trace", "small.csv", "--loops", "50")):
        command = ("run", "--drive", "qlc", *source, "--precondition", "fill", *small_options, "--json")
        assert rewear(*command).stdout == rewear(*command).stdout


def test_another_seed_gives_another_workload(rewear, small_options):
    def erases(seed: str) -> object:
        command = ("run", "--drive", "qlc", "--workload", "uniform:requests=20000", "--seed", seed, *small_options)
        return rewear(*command, "--json").document()["latency_ns"]

    assert erases("1") != erases("2")


def test_settings_reach_the_drive_and_its_own_win(rewear):
    def spare(*arguments: str) -> float:
        return rewear("show", *arguments, "--json").document()["configuration"]["ftl"]["over_provisioning"]

    assert spare("qlc", "--set", "ftl.over_provisioning=0.5") == 0.5
    assert spare("qlc:ftl.over_provisioning=0.6", "--set", "ftl.over_provisioning=0.5") == 0.6


def test_every_preset_is_listed_and_can_be_shown(rewear):
    rows = rewear("list", "drives", "--json").document()
    assert {"qlc", "qlc-op28", "qlc-wom-v"} <= {row["name"] for row in rows}
    text = rewear("list", "drives").stdout
    for row in rows:
        assert row["name"] in text
        assert row["derived"]["exported_bytes"] > 0


def test_schema_and_parameters_describe_the_presets(rewear):
    schema = rewear("list", "schema").document()
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    rows = rewear("list", "parameters", "--json").document()
    known = {row["key"] for row in rows}
    for name in api.drives():
        configuration = api.Drive(name).configuration
        validator.validate(configuration)
        assert {key for key, _ in flat(configuration)} <= known
    assert rewear("show", name, "--json").document()["configuration"] == configuration
    assert rewear("list", "schema", "--json").stdout == rewear("list", "schema").stdout
    assert all(row["meaning"] for row in rows)
    schemes = {choice["value"] for row in rows if row["key"] == "reuse.scheme" for choice in row["choices"]}
    assert {"none", "wom-v"} <= schemes
    text = rewear("list", "parameters").stdout
    assert all(key in text for key in known)


def test_trace_commands(rewear, msr_trace: Path, tmp_path: Path):
    info = rewear("trace", "info", "small.csv", "--json").document()
    assert info["requests"] == 200
    assert info["read"]["requests"] == 50
    head = rewear("trace", "head", "small.csv", "-n", "3", "--json").document()
    assert [request["operation"] for request in head] == ["read", "write", "write"]
    assert [request["at_ns"] for request in head] == [0, 1_000_000, 2_000_000]
    written = rewear("trace", "convert", "small.csv", "small.rwt", "--json").document()
    assert written["requests"] == 200
    assert written["bytes"] == (tmp_path / "small.rwt").stat().st_size
    again = rewear("trace", "info", "small.rwt", "--json").document()
    for figure in ("read", "write", "distinct_pages_touched", "last_ns", "end_bytes"):
        assert again[figure] == info[figure]
    assert not list(tmp_path.glob("*.part"))


def test_compare_relates_to_the_first_drive(rewear, small_options):
    workload = ("--workload", "uniform:requests=20000", "--precondition", "fill")
    drives = ("qlc", "roomy=qlc:ftl.over_provisioning=0.5")
    result = rewear("compare", *workload, *drives, *small_options, "--json").document()
    tight, roomy = result["drives"]
    assert [tight["label"], roomy["label"]] == ["qlc", "roomy"]
    assert result["reference"] == "qlc"
    assert set(tight["relative"].values()) <= {1.0, None}
    assert roomy["relative"]["erases"] == pytest.approx(roomy["report"]["erases"] / tight["report"]["erases"])
    assert roomy["relative"]["erases"] < 1
    # The drives differ in capacity, the requests do not.
    assert tight["report"]["host_bytes_written"] == roomy["report"]["host_bytes_written"]


def test_the_number_of_jobs_changes_nothing(rewear, small_options):
    command = ("compare", "--workload", "zipf:theta=0.9,requests=20000", "qlc", "qlc-op28", "qlc-wom-v", *small_options)
    one, three = (rewear(*command, "--jobs", jobs, "--json").stdout for jobs in ("1", "3"))
    assert one == three
    assert len(json.loads(one)["drives"]) == 3


def test_the_generated_documentation_is_up_to_date():
    docs = Path(__file__).parents[2] / "docs"
    for name, page in runpy.run_path(str(docs / "reference_pages.py"))["PAGES"].items():
        written = (docs / "manual" / f"{name}.md").read_text(encoding="utf-8")
        assert written == page() + "\n", "run `make docs`"


@pytest.mark.parametrize("name", ALIASES)
def test_a_former_name_still_works_and_is_not_listed(rewear, name):
    assert rewear(name, "--json").stdout == rewear(*ALIASES[name], "--json").stdout
    assert f"│ {name} " not in rewear("--help").stdout
