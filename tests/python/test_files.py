"""Output files are there whole or as they were; names of any bytes; outputs that nobody reads."""

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import rewear as api
from rewear.core.errors import RewearError
from rewear.core.files import is_file, replacing, write_text
from rewear.core.printable import printable

WORKLOAD = ("--workload", "uniform:requests=200")
LATIN = os.fsdecode(b"caf\xe9 \x1b[31mred")
"""A name that is neither UTF-8 nor harmless on a terminal."""
SHOWN = "caf\\xe9 \\x1b[31mred"


def harmless(done: subprocess.CompletedProcess[str], code: int = 0) -> str:
    """What a command said, which must be text without control characters, and no traceback."""
    said = done.stdout + done.stderr
    assert done.returncode == code, said
    assert "Traceback" not in said
    assert "\x1b" not in said
    return said


def test_a_file_is_replaced_as_a_whole(tmp_path: Path):
    path = tmp_path / "page.html"
    path.write_text("old")
    path.chmod(0o640)
    write_text(path, "new")
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o640
    with pytest.raises(KeyError), replacing(path) as file:
        file.write(b"half")
        raise KeyError
    assert path.read_text() == "new"
    link = tmp_path / "link"
    link.symlink_to(path)
    write_text(link, "through the link")
    assert (link.is_symlink(), path.read_text()) == (True, "through the link")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["link", "page.html"]


class _FullFile:
    """A file on a full disk."""

    def __init__(self, file):
        self.file = file

    def __getattr__(self, name):
        return getattr(self.file, name)

    def __enter__(self):
        return self

    def __exit__(self, *_exception):
        self.file.close()

    def write(self, _data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


WRITES = {
    "page": lambda path: api.compare(api.Workload("uniform:requests=20"), ["qlc"]).save_html(path),
    "text": lambda path: write_text(path, "text"),
    "log": lambda path: api.Drive("qlc").replay(api.Workload("uniform:requests=20"), log=path),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_a_full_disk_leaves_what_was_there(write, tmp_path: Path, monkeypatch):
    path = tmp_path / "out"
    path.write_text("old")
    opened = Path.open
    monkeypatch.setattr(
        Path, "open", lambda self, *words, **more: _FullFile(file) if words == ("xb",) and (
            file := opened(self, *words, **more)) else opened(self, *words, **more)
    )  # fmt: skip
    with pytest.raises(RewearError, match=r"out cannot be written: No space left on device\. What was there is"):
        write(path)
    monkeypatch.undo()
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["out"]


@pytest.mark.skipif(sys.platform != "linux", reason="mounts a small file system")
def test_a_real_full_disk(rewear, tmp_path: Path, msr_trace: Path):
    small = tmp_path / "small"
    small.mkdir()
    if (
        os.geteuid() != 0
        or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=64k", "none", small], check=False, capture_output=True
        ).returncode
    ):
        pytest.skip("cannot mount a small file system here")
    try:
        (small / "page.html").write_text("old")
        (small / "filler").write_bytes(bytes(48 << 10))
        for words in (
            ("compare", "qlc", *WORKLOAD, "--html", "small/page.html"),
            ("trace", "analyze", "small.csv", "--html", "small/page.html"),
            ("codes", "physics", "--html", "small/page.html"),
        ):
            assert "No space left on device" in rewear(*words).refused()
            assert (small / "page.html").read_text() == "old"
        assert sorted(each.name for each in small.iterdir()) == ["filler", "page.html"]
    finally:
        subprocess.run(["umount", small], check=True)


def test_a_full_standard_output_is_an_error(tmp_path: Path):
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "rewear", "drives"], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 2
    assert done.stderr.decode().startswith("rewear: No space left on device.")
    assert done.stderr.count(b"\n") == 1


CLOSED_EARLY = [
    *(("drives",), ("parameters",), ("schema",), ("show", "qlc", "--json")),
    *(("--help",), ("run", "--help"), ("trace", "info", "--help"), ("--version",), ()),
]


@pytest.mark.parametrize("words", CLOSED_EARLY, ids=" ".join)
def test_a_closed_output_ends_quietly(words):
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "rewear", *words], stdout=writing, stderr=subprocess.PIPE, check=False
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


def test_a_reader_that_leaves_after_the_first_line_is_no_error():
    words = 'set -o pipefail; "$0" -m rewear --help | head -n 1'
    done = subprocess.run(["bash", "-c", words, sys.executable], capture_output=True, check=False)
    # All of it may be written before the reader leaves.
    assert done.returncode in (0, 141)
    assert done.stderr == b""
    assert done.stdout.count(b"\n") == 1


def test_no_output_at_all_is_no_error():
    for words in ("drives", "schema", "drives --json"):
        done = subprocess.run(
            ["sh", "-c", f'"$0" -m rewear {words} >&-', sys.executable], stderr=subprocess.PIPE, check=False
        )
        assert (done.returncode, done.stderr) == (0, b"")


def test_settings_longer_than_a_name(rewear):
    settings = ",".join(["ftl.over_provisioning=0.28"] * 20)
    assert rewear("show", f"qlc:{settings}", "--json").document()["configuration"]["ftl"]["over_provisioning"] == 0.28
    assert "out of range" in rewear("trace", "info", f"a.csv:shift_bytes={'9' * 300}").refused()
    assert "x" * 300 in rewear("show", "x" * 300).refused()
    assert "File name too long" in rewear("trace", "info", "x" * 300).refused()
    assert not is_file("a\0b")


def test_names_of_any_bytes_work(rewear, msr_trace: Path, tmp_path: Path):
    trace, drive, sweep = (f"{LATIN}{ending}" for ending in (".csv", ".toml", ".sweep.toml"))
    shutil.copy(msr_trace, tmp_path / trace)
    (tmp_path / drive).write_text(api.drives()["qlc"])
    (tmp_path / sweep).write_text('base = {drive = "qlc", workload = "uniform:requests=9"}')
    command = [sys.executable, "-m", "rewear", "trace", "info", trace]
    # By the bytes of the arguments, and then as the other tests do.
    assert "200" in harmless(subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False))
    harmless(rewear("trace", "info", trace, "--json"))
    harmless(rewear("trace", "convert", trace, f"{LATIN}.rwt"))
    assert (tmp_path / f"{LATIN}.rwt").stat().st_size > 0
    page = f"{LATIN}.html"
    said = harmless(rewear("compare", "--trace", trace, drive, "--html", page, "--fit", "dense"))
    assert f"Page: {SHOWN}.html" in said
    assert "\x1b" not in (tmp_path / page).read_text(encoding="utf-8")
    harmless(rewear("run", "--drive", drive, "--trace", trace, "--fit", "dense", "--log", f"{LATIN}.parquet"))
    assert (tmp_path / f"{LATIN}.parquet").stat().st_size > 0
    said = harmless(rewear("sweep", sweep, "--workers", "1", "--html", page))
    assert SHOWN in said
    assert (tmp_path / f"out/{LATIN}.sweep.parquet").stat().st_size > 0


def test_names_of_any_bytes_are_shown_escaped(rewear):
    for words in (
        ("show", f"{LATIN}.toml"),
        ("show", LATIN),
        ("trace", "info", LATIN),
        ("sweep", LATIN),
        ("run", "--drive", "qlc", "--workload", LATIN),
        ("run", "--drive", "qlc", *WORKLOAD, "--log", f"{LATIN}/x/../../.."),
        ("record", "-o", "a", "--size", LATIN, "--serve"),
        (LATIN,),
        ("run", f"--{LATIN}"),
        ("run", "--drive", "qlc", "--seed", LATIN),
        ("codes", "physics", "--retention", LATIN),
    ):
        said = harmless(rewear(*words), 2)
        assert "\\x1b" in said, (words, said)


def test_what_is_printable():
    assert printable("plain ünïcode → 漢字\n\t") == "plain ünïcode → 漢字\n\t"
    assert printable("\x1b\x9b\r\x7f\u202e") == "\\x1b\\x9b\\x0d\\x7f\\u202e"
    assert printable(os.fsdecode(b"\xff")) == "\\xff"


def test_text_says_what_was_left_out_of_a_trace(rewear, tmp_path: Path):
    lines = ["29,Write,0", "39,Read,4096", "9,Write,4096", "rubbish", "59,Write,8192", "49,Write,8192"]
    (tmp_path / "odd.csv").write_text(
        "".join(
            line + "\n" if "," not in line else "1281663720030616{},hm,0,{},{},4096,1\n".format(*line.split(","))
            for line in lines
        )
    )
    for words in (("run", "--drive", "qlc"), ("compare", "qlc", "qlc-op28")):
        said = rewear(*words, "--trace", "odd.csv:skip_bad_lines=true").stdout
        assert "Trace: 1 malformed line was skipped." in said
        assert "Trace: Times go backwards 2 times: those requests were replayed at the latest time" in said
        assert "Trace: 1 request is dated before the first of the trace" in said
        assert said.count("malformed") == 1


@pytest.mark.skipif(sys.platform != "linux", reason="limits of the address space are those of Linux")
def test_a_model_beyond_the_limit_of_memory_is_refused():
    words = (
        'ulimit -v 1100000; exec "$0" -m rewear run --drive qlc --set flash.blocks_per_plane=60000 --workload uniform'
    )
    done = subprocess.run(["sh", "-c", words, sys.executable], capture_output=True, text=True, check=False)
    assert done.returncode == 2, done
    assert "the model of this drive takes up to" in done.stderr
    assert "ulimit -v" in done.stderr
    assert done.stderr.count("\n") == 1


def test_volumes_need_room_side_by_side(rewear, tmp_path: Path):
    (tmp_path / "three.trace").write_text("0 0 0 8 0\n1000 1 0 8 0\n2000 2 0 8 0\n")
    said = rewear("trace", "info", "three.trace").stdout
    assert "12.0 KiB (12,288 bytes) with the pages of its volumes side by side" in said
    assert "4.00 KiB (4,096 bytes)" in rewear("trace", "info", "three.trace:volume=1").stdout
