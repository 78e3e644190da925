"""The crates' test files: each belongs to a program that `cargo test` runs. And what is built is built once."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

CRATES = Path(__file__).parents[2] / "crates"
WITH_LIST = sorted(path.parents[1].name for path in CRATES.glob("*/tests/all.rs"))


@pytest.mark.parametrize("crate", WITH_LIST)
def test_no_test_file_is_left_out(crate):
    folder = CRATES / crate / "tests"
    programs = tomllib.loads((CRATES / crate / "Cargo.toml").read_text())["test"]
    in_all = re.findall(r"^mod (\w+);", (folder / "all.rs").read_text(), flags=re.MULTILINE)
    # What needs the crate's inside is a module of its library's tests.
    in_library = re.findall(
        r'^#\[path = "\.\./tests/(\w+)/mod\.rs"\]', (CRATES / crate / "src/lib.rs").read_text(), flags=re.M
    )
    named = {program["name"] for program in programs} | set(in_all) | set(in_library)
    files = {path.stem for path in folder.glob("*.rs")} | {path.parent.name for path in folder.glob("*/mod.rs")}
    assert files == named


def _features(*selection: str) -> set[str]:
    """Every package that cargo builds for a selection, with its features."""
    command = ["cargo", "tree", "--locked", "--offline", "--prefix=none", "--no-dedupe", "--format={p} {f}", *selection]
    done = subprocess.run(command, cwd=CRATES.parent, capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines())


@pytest.mark.parametrize("packages", [["python"], ["nbd", "nvme-live"]], ids=["extension", "servers"])
def test_what_is_built_and_tested_is_compiled_once(packages):
    tested = _features("--workspace", "--edges=normal,build,dev")
    built = _features(*(f"--package=rewear-{name}" for name in packages), "--edges=normal,build")
    # What is missing here is asked for in crates/nbd/Cargo.toml.
    assert sorted(built - tested) == []
