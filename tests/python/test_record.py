"""Recording: a command on a file system, a device that is served, and what they refuse."""

import os
import signal
import sys
from pathlib import Path

import pytest
import rewear as api
from conftest import PATIENCE_S, started
from rewear.core.errors import TraceError
from rewear.core.recording import check_tools

MEBIBYTE = 1 << 20


@pytest.fixture
def mountable() -> None:
    """Skips, and says why, where this machine cannot mount a file system."""
    try:
        check_tools()
    except TraceError as error:
        if os.environ.get("REWEAR_NEEDS_FUSE"):
            raise
        pytest.skip(f"cannot record here: {error}")


@pytest.fixture
def fuse() -> None:
    """Skips where there is no FUSE."""
    if sys.platform != "linux" or not Path("/dev/fuse").exists():
        pytest.skip("cannot record here: there is no FUSE")


WORK = """
set -e
test "$PWD" = "$REWEAR_ROOT"
head -c 400000 /dev/urandom > one
cp one two; sync; rm one; sync
cp two three; sync
cd /
umount "$REWEAR_ROOT"; mount -o discard "$REWEAR_DEVICE" "$REWEAR_ROOT"
cmp "$REWEAR_ROOT/two" "$REWEAR_ROOT/three"
"""


@pytest.mark.usefixtures("mountable")
def test_what_a_command_does_is_recorded_with_its_content(rewear, tmp_path: Path):
    done = rewear(
        "record", "-o", "out/work.rwt", "--size", "64MiB", "--json", "--keep-command", "--", "bash", "-c", WORK
    )
    assert done.returncode == 0, done.stderr
    summary = done.document()
    trace = api.Trace(tmp_path / "out/work.rwt")
    info = trace.info()
    assert info["requests"] == summary["requests"]
    assert info["requests_with_content"] == info["write"]["requests"]
    assert info["write"]["bytes"] == summary["written_bytes"] > 2 * 400_000
    # The file is read from the device again after its caches are gone; the one that was removed is trimmed.
    assert info["read"]["bytes"] > 800_000
    assert info["trim"]["bytes"] >= 400_000
    assert info["flushes"] > 0
    assert "bash" in info["description"]["note"]
    recycling = trace.analyse()["content"]["recycling"]
    # The first two files are written together; the third finds the pages of the one that was removed.
    assert recycling["writes_of_valid_content"] >= 97
    assert sum(recycling["recycled_by_version"]) >= 97
    assert not list(tmp_path.glob("out/*.part"))


HINTED = """
import fcntl, os, struct
for hint in (0, 2, 3, 4, 5):
    file = os.open(f"file{hint}", os.O_CREAT | os.O_WRONLY)
    fcntl.fcntl(file, 1024 + 12, struct.pack("Q", hint))  # F_SET_RW_HINT
    os.write(file, bytes([hint + 1]) * 4096 * 64)
    os.fsync(file)
"""


@pytest.mark.usefixtures("mountable")
def test_write_hints_of_files_are_recorded(rewear, tmp_path: Path):
    done = rewear("record", "-o", "hints.rwt", "--size", "64MiB", "--json", "--", sys.executable, "-c", HINTED)
    assert done.returncode == 0, done.stderr
    summary = done.document()
    if summary["no_hints"] is not None:
        assert "Write hints are not recorded" in done.stderr
        pytest.skip(f"this kernel tells no hints: {summary['no_hints']}")
    drive = api.Drive("enterprise-tlc", set={"ftl.streams.scheme": "host"})
    rows = drive.replay(tmp_path / "hints.rwt").streams
    written = {row["stream"]: row["bytes_written"] for row in rows or ()}
    # Each hint has its file's 64 pages and nothing else; metadata and the file without a hint have none.
    assert [written[f"{hint}"] if f"{hint}" in written else written[hint] for hint in (2, 3, 4, 5)] == [64 * 4096] * 4
    assert summary["placed"] >= 4


@pytest.mark.usefixtures("mountable")
def test_the_status_is_the_commands_and_the_trace_is_whole(rewear, tmp_path: Path):
    done = rewear("record", "-o", "failed.rwt", "--size", "32MiB", "--content", "none", "--", "bash", "-c", "exit 7")
    assert done.returncode == 7
    assert "status 7" in done.stderr
    info = api.Trace(tmp_path / "failed.rwt").info()
    assert info["requests_with_content"] == 0
    assert "exit 7" not in str(info), "the command line may hold secrets; --keep-command alone stores it"
    missing = rewear("record", "-o", "missing.rwt", "--size", "32MiB", "--", "no-such-program")
    assert "no-such-program cannot be run" in missing.refused()


@pytest.mark.usefixtures("fuse")
def test_a_device_is_served_until_it_is_interrupted(tmp_path: Path):
    command = [sys.executable, "-m", "rewear", "record", "-o", "served.rwt", "--size", "8MiB", "--serve"]
    with started(*command, cwd=tmp_path) as serving:
        assert serving.stdout is not None
        device = Path(serving.stdout.readline().strip())
        assert device.stat().st_size == 8 * MEBIBYTE
        with device.open("r+b", buffering=0) as file:
            file.seek(MEBIBYTE)
            file.write(b"\1" * 8192)
            os.fsync(file.fileno())
        serving.send_signal(signal.SIGINT)
        stdout, stderr = serving.communicate(timeout=PATIENCE_S)
    assert serving.returncode == 0, stderr
    assert "written" in stdout
    assert not device.exists()
    info = api.Trace(tmp_path / "served.rwt").info()
    assert info["write"]["bytes"] == 8192
    assert info["flushes"] >= 1
    assert info["end_bytes"] >= MEBIBYTE + 8192


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-o", "a.rwt"], "nothing to record"),
        (["-o", "a.rwt", "--serve", "--", "true"], "without a command"),
        (["-o", "a.rwt", "--size", "many", "--serve"], "--size many is not a size"),
        (["-o", "a.rwt", "--size", "4KiB", "--serve"], "too small"),
        (["-o", "/proc/nowhere/a.rwt", "--serve"], "cannot be written"),
    ],
)
def test_mistakes_are_named(rewear, arguments, words):
    assert words in rewear("record", *arguments).refused()


def test_without_root_one_line_says_so(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(TraceError, match="root" if sys.platform == "linux" else "Linux"):
        check_tools()


def test_a_tool_that_is_missing_is_named_with_its_package(monkeypatch):
    if sys.platform != "linux" or not Path("/dev/fuse").exists() or not Path("/dev/loop-control").exists():
        pytest.skip("something else is missing here")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr("shutil.which", lambda tool: None if tool == "mkfs.ext4" else tool)
    with pytest.raises(TraceError, match=r"mkfs\.ext4 is missing.*apt-get install e2fsprogs"):
        check_tools()


@pytest.mark.usefixtures("mountable")
def test_the_command_line_is_kept_on_request_only(rewear, tmp_path: Path):
    done = rewear("record", "-o", "work.rwt", "--size", "16MiB", "--", "sh", "-c", "echo password=hush > file; sync")
    assert done.returncode == 0, done.stderr
    note = api.Trace(tmp_path / "work.rwt").info()["description"]["note"]
    assert "hush" not in note
    assert "recorded by rewear record" in note
    assert b"hush" not in (tmp_path / "work.rwt").read_bytes()
