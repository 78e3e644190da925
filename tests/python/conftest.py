"""What the tests share: the command line as a process, and small files."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# The same cases in every run, and no verdict that depends on how busy the machine is.
settings.register_profile("fixed", derandomize=True, deadline=None)
settings.load_profile("fixed")

SMALL = (
    "flash.channels=2",
    "flash.dies_per_channel=1",
    "flash.planes_per_die=1",
    "flash.blocks_per_plane=32",
    "flash.pages_per_block=64",
)
"""Settings that shrink a preset to 16 MiB, on which cleaning begins at once."""


class Ended(subprocess.CompletedProcess[str]):
    """How a command ended."""

    def document(self) -> Any:
        """Its stdout, which must be one JSON document and nothing else."""
        return json.loads(self.stdout)

    def refused(self) -> str:
        """Its message, after making sure that it ended as an error of the user must."""
        assert self.returncode == 2, self
        assert "Traceback" not in self.stderr
        assert "panicked" not in self.stderr
        assert self.stdout == ""
        message = self.stderr.strip()
        assert message
        return message


@pytest.fixture
def rewear(tmp_path: Path) -> Callable[..., Ended]:
    """Runs `rewear` with arguments in an empty folder."""

    def run(*arguments: str) -> Ended:
        command = [sys.executable, "-m", "rewear", *arguments]
        environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "160"}
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=120
        )
        return Ended(done.args, done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def small() -> dict[str, str]:
    """`SMALL` as the `set=` of a drive."""
    return dict(setting.split("=") for setting in SMALL)


@pytest.fixture
def small_options() -> list[str]:
    """`SMALL` as options of the command line."""
    return [word for setting in SMALL for word in ("--set", setting)]


@pytest.fixture
def msr_trace(tmp_path: Path) -> Path:
    """A trace of 200 requests to 8 MiB in the MSR Cambridge format, in the folder where commands run."""
    lines = []
    for number in range(200):
        kind = "Read" if number % 4 == 0 else "Write"
        offset = (number * 7919 % 2048) * 4096
        lines.append(f"{128166372000000000 + number * 10000},host,0,{kind},{offset},4096,1000")
    path = tmp_path / "small.csv"
    path.write_text("\n".join(lines) + "\n", encoding="ascii")
    return path
