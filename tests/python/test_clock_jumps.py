"""A clock that jumps: said with its line, no years until it is cut."""

from pathlib import Path

import pytest
import rewear as api

CASES = Path(__file__).parents[3] / "shared" / "cases"
STRAY = 2000
"""The request that is dated ten days late."""


def trace(path: Path, *, stray: bool) -> Path:
    """4,000 writes to 1,000 pages over 400 s; one of them is dated otherwise where that is asked."""
    rows = (
        f"{10**15 if stray and n == STRAY else n * 10**8},write,{n * 7919 % 1000 * 4096},4096\n" for n in range(4000)
    )
    path.write_text("".join(rows), encoding="ascii")
    return path


def test_one_stray_time_gives_no_years_until_it_is_cut(rewear, tmp_path: Path):
    stray, good = trace(tmp_path / "stray.csv", stray=True), trace(tmp_path / "good.csv", stray=False)
    plain = api.advise(good, techniques=False)
    assert plain.years_unknown is None and plain.best is not None and plain.best.years is not None
    refused = api.advise(stray, techniques=False)
    assert refused.best is None
    assert f"before line {STRAY + 1} is most of the duration" in refused.years_unknown
    assert "cut_gaps_s=490000" in refused.years_unknown
    assert all(row.years is None for row in refused.sold)
    cut = api.advise(api.Trace(stray, cut_gaps_s=490_000), techniques=False)
    assert cut.best is not None and cut.best.label == plain.best.label
    # Two of 3,999 steps of time are gone.
    assert cut.best.years.mean == pytest.approx(plain.best.years.mean, rel=2e-3)
    said = rewear("trace", "info", "stray.csv").stdout
    assert "Try :cut_gaps_s=490000." in said
    assert "Try" not in rewear("trace", "info", "stray.csv:cut_gaps_s=490000").stdout
    assert "Try :cut_gaps_s=490000." in rewear("trace", "analyze", "stray.csv").stdout


def test_a_replay_at_such_times_has_no_years(tmp_path: Path):
    small = {"flash.blocks_per_plane": 16, "flash.pages_per_block": 16, "ftl.over_provisioning": 0.3}
    drive = api.Drive("qlc", set=small)
    lives = {}
    for stray in (True, False):
        report = drive.replay(trace(tmp_path / f"{stray}.csv", stray=stray), arrival="trace", loops=20)
        lives[stray] = report.to_dict()["life"]
        assert any("cut_gaps_s" in note for note in report.notes) is stray
    assert lives[True]["years"] is None and lives[True]["tbw_bytes"] > 0
    assert lives[False]["years"] > 0


@pytest.mark.parametrize("given", ["0", "-1", "nan", "inf", "soon"])
def test_what_is_no_length_of_a_gap_is_refused(rewear, msr_trace, given: str):
    assert "cut_gaps_s" in rewear("trace", "info", f"small.csv:cut_gaps_s={given}").refused()


@pytest.mark.parametrize(("name", "seconds"), [("blkparse_wrapped_time.txt", 0.2), ("csv_clock_jump.csv", None)])
def test_times_that_misled(name: str, seconds: float | None):
    if not (CASES / name).exists():
        pytest.skip("the cases are not part of the project and not on this machine")
    info = api.Trace(CASES / name).info()
    if seconds is None:
        assert "40.0 years" in info["clock_jump"]["problem"]
        info = api.Trace(CASES / name, cut_gaps_s=info["clock_jump"]["cut_gaps_s"]).info()
        seconds = 1
    assert info["clock_jump"] is None
    assert info["last_ns"] - info["first_ns"] < seconds * 1e9
