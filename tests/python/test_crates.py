"""The crates' test files: each belongs to a program that `cargo test` runs."""

import re
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
