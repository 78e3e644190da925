"""Rules of the papers that show in a replay alone: rows of the conformance pages name these tests."""

from pathlib import Path

import pytest
import rewear as package

SMALL = {"flash.channels": 1, "flash.blocks_per_plane": 64, "flash.pages_per_block": 32}


def reusable(**settings: object) -> package.Drive:
    own = {key.replace("__", "."): value for key, value in settings.items()}
    return package.Drive("second-write-toshiba", set=SMALL | {"ftl.over_provisioning": 0.5} | own)


@pytest.mark.parametrize(("size", "becomes_second_writes"), [("60KiB", True), ("64KiB", False)])
def test_requests_of_64_kb_make_no_second_writes_and_smaller_ones_do(size, becomes_second_writes):
    """Section 5.5 of Reusable SSD: a page is cold if its request has 64 KB or more."""
    # Whole requests side by side, so that their pages die together.
    source = package.Workload(f"sequential:pages=320,requests=2000,size={size}")
    report = reusable(reuse__success_probability=1.0).replay(source, precondition="fill", arrival="closed")
    assert report.second_writes["written"] > 5000 if becomes_second_writes else report.second_writes["written"] == 0


@pytest.mark.parametrize(("retry", "attempts"), [("none", 1), ("same-pages", 2)])
def test_a_failed_attempt_to_encode_takes_half_a_read(tmp_path: Path, retry, attempts):
    """Section 6.6 of Reusable SSD: the overhead of an encoding is half the read access time."""
    pq = pytest.importorskip("pyarrow.parquet")
    log = tmp_path / "log.parquet"
    drive = reusable(reuse__success_probability=0.0, reuse__retry=retry)
    # Gaps in which all old content is prefetched, so that failed attempts are all that is added to a program.
    source = package.Workload("sequential:pages=320,requests=20000,arrival=fixed,rate=20")
    report = drive.replay(source, precondition="fill", log=log)
    assert report.second_writes["written"] == 0 < report.second_writes["encoding_failures"]
    times = set(pq.read_table(log, columns=["response_ns"])["response_ns"].to_pylist())
    program_ns, read_ns = 300_000, 30_000
    assert {program_ns, program_ns + attempts * read_ns // 2} <= times
    assert program_ns + (3 - attempts) * read_ns // 2 not in times


def test_recycle_aware_victims_are_greedy_ones_where_nothing_is_scored():
    """The baseline of LX-SSD's figures has the victim policy of the drive beside it."""
    source = package.Workload("zipf:theta=0.9,pages=4000,requests=40000")
    small = {"flash.channels": 1, "flash.planes_per_die": 2, "flash.blocks_per_plane": 40}

    def erases(policy: str) -> tuple[int, int]:
        drive = package.Drive("lx-slc", set=small | {"ftl.victim.scheme": policy})
        report = drive.replay(source, precondition="fill")
        return report["erases"], report["pages_moved"]

    assert erases("greedy") == erases("recycle-aware")
    assert erases("greedy")[0] > 100
