"""The JSON schema of reports: it describes every figure, and reports of all schemes follow it."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
import rewear as api
from jsonschema import Draft202012Validator

DRIVES = {
    "plain": ("qlc", {}, "uniform:requests=3000"),
    "code": ("qlc-wom-v", {}, "zipf:requests=3000,read=0.3"),
    "second writes": ("second-write-toshiba", {}, "zipf:requests=3000"),
    "recycling": ("lx-slc-recycle", {}, "zipf:requests=3000,content=locality"),
    "modes": ("differentiated-ecc-mlc", {"effort.scheme": "differentiated-ecc"}, "zipf:requests=3000,read=0.5"),
    "seal": ("openssd", {}, "overwrite-regions:requests=3000"),
}


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    return api.ask("schema.report")


def closed(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with nothing allowed that it does not name; the drive's configuration has a schema of its own."""
    text = json.loads(json.dumps(schema))

    def close(node: Any) -> None:
        if isinstance(node, dict):
            if "properties" in node and "oneOf" not in node and "allOf" not in node:
                node.setdefault("unevaluatedProperties", False)
            for each in node.values():
                close(each)
        elif isinstance(node, list):
            for each in node:
                close(each)

    close(text)
    return text


@pytest.mark.parametrize("name", DRIVES)
def test_reports_follow_their_schema(name, schema):
    drive, settings, workload = DRIVES[name]
    small = {"flash.blocks_per_plane": 64, "flash.pages_per_block": 64} if drive == "qlc" else {}
    report = api.Drive(drive, set=small | settings).replay(
        api.Workload(workload), precondition="fill" if small else None, interval_s=1.0, queues=True
    )
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(closed(schema)).validate(report.to_dict())


def test_a_wrong_report_does_not_follow_it(schema):
    report = api.Drive("qlc").replay(api.Workload("uniform:requests=100")).to_dict()
    validator = Draft202012Validator(closed(schema))
    assert validator.is_valid(report)
    assert not validator.is_valid({**report, "erases": -1})
    assert not validator.is_valid({**report, "erazes": 1})
    assert not validator.is_valid({key: value for key, value in report.items() if key != "latency_ns"})


def described(node: Any, path: str = "") -> Iterator[tuple[str, bool]]:
    """Every property with whether it has a description."""
    if isinstance(node, dict):
        for key, value in node.get("properties", {}).items():
            # The word that tells alternatives apart is described with each of them.
            yield f"{path}.{key}", "description" in value or key == "scheme"
        for key, value in node.items():
            yield from described(value, f"{path}.{key}")
    elif isinstance(node, list):
        for each in node:
            yield from described(each, path)


def test_every_figure_is_described(schema):
    missing = [path for path, said in described(schema) if not said]
    assert missing == []


def test_the_command_prints_it(rewear, schema):
    assert json.loads(rewear("list", "schema", "report").stdout) == schema
    assert json.loads(rewear("list", "schema").stdout) == api.ask("schema.drive")
