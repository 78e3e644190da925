"""Options that a trace probably wants: a shift of its offsets, another unit of its times."""

import json

import pytest
import rewear as api
from rewear.core.trace_proposals import proposals


def disksim(path, seconds, first_sector, count=4000):
    """Writes of 4 KiB, `seconds` apart, of a partition that begins at `first_sector`; times are in milliseconds."""
    lines = [f"{i * seconds:.6f} 0 {first_sector + (i * 37 % 1000) * 8} 8 0" for i in range(count)]
    path.write_text("\n".join(lines) + "\n")
    return api.Trace(path, "disksim")


def msr(path, ticks_apart, count=4000):
    """Writes of 64 KiB in the format of the MSR traces, whose times are counted in ticks."""
    lines = [f"{1_700_000_000 + i * ticks_apart},src,0,Write,{i % 500 * 65536},65536,100" for i in range(count)]
    path.write_text("\n".join(lines) + "\n")
    return api.Trace(path)


def test_a_partition_that_begins_at_sector_63_is_shifted(tmp_path):
    (found,) = proposals(disksim(tmp_path / "old.trace", 5.0, 63))
    assert found.option == "shift_bytes=512"
    assert "100.0% of the first 4,000 requests are not aligned to 4 KiB" in found.because
    assert "leaves 0" in found.because
    mended = api.Trace(tmp_path / "old.trace", "disksim", shift_bytes=512)
    assert mended.info()["unaligned_requests"] == 0 and not proposals(mended)


def test_an_aligned_trace_and_one_that_no_shift_aligns_are_left_alone(tmp_path):
    assert not proposals(disksim(tmp_path / "aligned", 5.0, 64))
    lines = [f"{i} 0 {i * 13} {i % 5 + 1} 0" for i in range(4000)]
    (tmp_path / "anywhere").write_text("\n".join(lines))
    assert not proposals(api.Trace(tmp_path / "anywhere", "disksim"))


@pytest.mark.parametrize("with_info", [False, True])
def test_times_that_no_drive_keeps_up_with_are_read_in_another_unit(tmp_path, with_info):
    # One request a second, in a format whose numbers count 100 ns.
    trace = msr(tmp_path / "seconds.csv", 1)
    (found,) = proposals(trace, trace.info() if with_info else None)
    assert found.option == "time_unit=s"
    assert "makes them 1.00 requests a second" in found.because and "a second, more than any drive" in found.because
    assert not proposals(api.Trace(tmp_path / "seconds.csv", time_unit="s"))
    assert not proposals(msr(tmp_path / "ticks.csv", 100_000))


def test_the_commands_propose(rewear, tmp_path):
    disksim(tmp_path / "old.trace", 5.0, 63)
    for command in ("info", "analyze"):
        done = rewear("trace", command, "old.trace:format=disksim")
        assert done.returncode == 0, done.stderr
        assert "Try :shift_bytes=512." in done.stdout
    done = rewear("trace", "analyze", "old.trace:format=disksim", "--json")
    assert [each["option"] for each in json.loads(done.stdout)["proposals"]] == ["shift_bytes=512"]
