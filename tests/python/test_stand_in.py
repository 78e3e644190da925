"""Stand-ins through the API and the command line."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import rewear as api
from rewear.stand_in import SCHEMES, worth


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """Writes to a hot quarter of the pages with a few reads, in the MSR format."""
    draw = random.Random(5)
    lines = []
    for at in range(6000):
        page = draw.randrange(500) if draw.random() < 0.8 else draw.randrange(2000)
        operation = "Read" if at % 4 == 0 else "Write"
        lines.append(f"{128166372000000000 + at * 10_000},host,0,{operation},{page * 4096},4096,1")
    path = tmp_path / "hot.csv"
    path.write_text("\n".join(lines) + "\n", encoding="ascii")
    return path


def test_the_stand_in_of_a_plain_workload_erases_as_much(trace: Path) -> None:
    result = worth(api.Trace(trace), schemes=SCHEMES[:1], loops=4)
    off = result.schemes[0].off("erases")
    assert off is not None and abs(off) < 0.15
    assert result.to_dict()["schemes"][0]["off"]["relative_erases"] == 0


def test_a_fitted_profile_is_replayed(rewear: Callable[..., Any], trace: Path, tmp_path: Path) -> None:
    rewear("stand-in", "fit", str(trace), "-o", "hot.toml")
    figures = api.Workload(f"stand-in:profile={tmp_path / 'hot.toml'}").info()
    assert figures["read"]["requests"] + figures["write"]["requests"] == 6000


def test_an_unknown_scheme_is_refused(rewear: Callable[..., Any], trace: Path) -> None:
    assert "no scheme 'wim'" in rewear("stand-in", "worth", str(trace), "--scheme", "wim").refused()
