"""Recording: a command on a file system, a device that is served, and what they refuse."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import rewear as api
from conftest import PATIENCE_S, started, wait_until
from rewear.core import leftovers
from rewear.core.errors import RewearWarning, TraceError
from rewear.core.recording import check_tools

MEBIBYTE = 1 << 20


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
    recycling = trace.analyze()["content"]["recycling"]
    # The first two files are written together; the third finds the pages of the one that was removed.
    assert recycling["writes_of_valid_content"] >= 97
    assert sum(recycling["recycled_by_version"]) >= 97
    assert not list(tmp_path.glob("out/*.part"))


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
        (["-o", "a.rwt", "--serve", "--", "true"], "takes no command"),
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


def recorder_marks(folder: Path) -> list[str]:
    """What recorders with this temporary folder make of the machine: mounts, loop devices, folders and files."""
    mounts = [line.split(" ")[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    backing = [path.read_text().strip() for path in Path("/sys/block").glob("loop*/loop/backing_file")]
    folders = [os.fspath(path) for name in ("record", "root", "ci") for path in folder.glob(f"rewear-{name}-*")]
    states = [os.fspath(path) for path in folder.glob("rewear-recorders-*/*.json")]
    return [each for each in (*mounts, *backing, *folders, *states) if each.startswith(os.fspath(folder))]


@pytest.fixture
def own_place(tmp_path: Path, monkeypatch) -> Path:
    """A temporary folder of its own for recorders, so that those of others are not taken for ours."""
    place = tmp_path / "tmp"
    place.mkdir()
    monkeypatch.setenv("TMPDIR", os.fspath(place))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return place


TIMES = int(os.environ.get("REWEAR_RECORDERS", "1"))
"""How often a recorder is ended in each way."""
WRITE = "dd if=/dev/urandom of=file bs=4096 count=200 conv=fsync status=none"
DAEMON = f"{WRITE}; setsid sh -c 'exec 3>>left; cd /; sleep 1000' </dev/null >/dev/null 2>&1 &"
WAITS = f"{WRITE}; touch {{ready}}; exec setsid sleep 1000 </dev/null >/dev/null 2>&1"
FILLS = f"""{WRITE}
while test $(stat -c %s {{folder}}/.rewear-*.part) -lt 3300; do sleep 0.1; done
dd if=/dev/urandom of=more bs=4096 count=4000 conv=fsync status=none"""


@contextlib.contextmanager
def small_disk(place: Path) -> Iterator[Path]:
    """A folder with 40 KiB of room."""
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=40k", "tmpfs", place], check=True)
    try:
        yield place
    finally:
        subprocess.run(["umount", place], check=True)


def recorded(out: Path, script: str) -> list[str]:
    return [sys.executable, "-m", "rewear", "record", "-o", str(out), "--size", "32MiB", "--", "sh", "-c", script]


def ended_by(way: str, out: Path, ready: Path) -> tuple[int, str]:
    """Ends a recorder in a way, after it has recorded 200 writes; its exit code and what it said."""
    scripts = {
        "done": WRITE,
        "failed": f"{WRITE}; kill -9 $$",
        "daemon": DAEMON,
        "full": FILLS.format(folder=out.parent),
    }
    script = scripts.get(way) or WAITS.format(ready=ready)
    with started(*recorded(out, script), cwd=out.parent) as recorder:
        if way in ("SIGTERM", "SIGKILL"):
            wait_until(ready.exists, "the command has written", recorder)
            # What was written more than a second ago is in the file: of each of 200 pages a digest of 16 bytes.
            parts = list(out.parent.glob(".rewear-*.part"))
            wait_until(lambda: any(part.stat().st_size > 3300 for part in parts), "the file has it", recorder)
            recorder.send_signal(signal.Signals[way])
        _, said = recorder.communicate(timeout=PATIENCE_S)
    return recorder.returncode, said


@pytest.mark.usefixtures("mountable")
@pytest.mark.parametrize(
    ("way", "code", "words"),
    [
        ("done", 0, ""),
        ("failed", 137, "ended with status 137"),
        ("daemon", 0, "behind. They were ended"),
        ("full", 2, "No space left on device"),
        ("SIGTERM", 130, ""),
        ("SIGKILL", -9, ""),
    ],
)
def test_however_a_recorder_ends_the_recording_is_there_and_nothing_is_left(
    own_place: Path, tmp_path: Path, way: str, code: int, words: str
):
    for turn in range(TIMES):
        with contextlib.ExitStack() as stack:
            folder = tmp_path / f"{way}-{turn}"
            if way == "full":
                stack.enter_context(small_disk(folder))
            else:
                folder.mkdir()
            out, ready = folder / "work.rwt", own_place / f"ready-{way}-{turn}"
            ended, said = ended_by(way, out, ready)
            assert ended == code, said
            assert words in said and "ended already" not in said
            if way == "SIGKILL":
                # Nobody is there to undo it but the next recorder, here a short one.
                assert recorder_marks(own_place)
                next_one = subprocess.run(
                    recorded(tmp_path / "next.rwt", "true"),
                    capture_output=True, text=True, timeout=PATIENCE_S, check=False,
                )  # fmt: skip
                assert next_one.returncode == 0, next_one.stderr
                assert f"requests that it recorded are in {out}" in next_one.stderr
            info = api.Trace(out).info()
            assert info["write"]["pages"] >= 200
            assert list(folder.glob(".rewear-*")) == []
            assert recorder_marks(own_place) == []
            users = [process for process, _ in leftovers._users(os.fspath(own_place))]
            assert users == []


APART = """setsid unshare --mount --propagation private env -u REWEAR_ROOT -C / sh -c '{held} exec sleep 1000' \\
    </dev/null >/dev/null 2>&1 &
echo $! > {ready}
until test "$(cat /proc/$!/comm)" = sleep; do sleep 0.02; done"""


@contextlib.contextmanager
def ending(ready: Path) -> Iterator[None]:
    """Ends the process whose number a script wrote."""
    try:
        yield
    finally:
        os.kill(int(ready.read_text()), signal.SIGKILL)


@pytest.mark.usefixtures("mountable")
def test_a_copy_of_its_mounts_in_another_namespace_holds_no_recorder(own_place: Path, tmp_path: Path):
    ready, out = tmp_path / "ready", tmp_path / "copied.rwt"
    script = f"{APART.format(ready=ready, held='')}; dd if=/dev/urandom of=file bs=4096 count=200 status=none"
    with started(*recorded(out, script), cwd=tmp_path) as recorder, ending(ready):
        _, said = recorder.communicate(timeout=PATIENCE_S)
        assert (recorder.returncode, "behind" in said) == (0, False), said
        assert Path(f"/proc/{ready.read_text().strip()}").exists(), "the other namespace is still there"
        assert recorder_marks(own_place) == []
    assert api.Trace(out).info()["write"]["pages"] >= 200, "what was not flushed is there, too"


@pytest.mark.usefixtures("mountable")
def test_a_device_in_use_in_another_namespace_ends_with_the_name_of_its_user(own_place: Path, tmp_path: Path):
    ready, out = tmp_path / "ready", tmp_path / "used.rwt"
    device = api.RecordedDevice(out, MEBIBYTE)
    with device.path.open("r+b") as file:
        file.write(bytes(4096))
    subprocess.run(["sh", "-c", APART.format(ready=ready, held=f"exec 3<{device.path};")], check=True)
    with ending(ready), pytest.raises(TraceError, match=rf"It is used by sleep \({ready.read_text().strip()}\)"):
        device.finish()
    assert recorder_marks(own_place) == []
    assert api.Trace(out).info()["write"]["pages"] == 1


def test_a_state_of_another_user_is_not_undone(own_place: Path, monkeypatch):
    (own_place / f"rewear-recorders-{os.geteuid()}").mkdir(mode=0o777)
    (own_place / f"rewear-recorders-{os.geteuid()}").chmod(0o777)
    victim = own_place / "rewear-ci-precious"
    victim.mkdir()
    state = own_place / f"rewear-recorders-{os.geteuid()}" / "x.json"
    state.write_text(json.dumps({"folder": os.fspath(victim)}))
    leftovers.clean()
    assert victim.is_dir()
    with pytest.raises(TraceError, match="Others may write"):
        leftovers.Held()


def test_only_folders_of_recorders_are_removed(own_place: Path):
    precious, held = own_place / "precious", leftovers.Held()
    precious.mkdir()
    held.note(folder=precious, root=precious)
    held.abandon()
    with pytest.warns(RewearWarning, match=f"could not be removed. Type: rmdir {precious}"):
        leftovers.clean()
    assert precious.is_dir()
