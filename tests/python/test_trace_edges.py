"""Traces at the edges, through every command that reads them: huge requests, damaged and foreign files."""

import bz2
import gzip
import lzma
import signal
import subprocess
import sys
from pathlib import Path

import pytest

HUGE = "0,write,0,4611686018427387904\n"
COMMANDS = {
    "info": ("trace", "info", "t.csv"),
    "analyze": ("trace", "analyze", "t.csv"),
    "convert": ("trace", "convert", "t.csv", "out.rwt"),
    "run": ("run", "--drive", "qlc", "--trace", "t.csv", "--fit", "modulo"),
    "run dense": ("run", "--drive", "qlc", "--trace", "t.csv", "--fit", "dense"),
    "compare": ("compare", "--trace", "t.csv", "--fit", "modulo", "qlc", "qlc-op28"),
}
every_command = pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)


@every_command
def test_a_request_that_no_host_sends_is_an_error_with_its_line(rewear, tmp_path: Path, command):
    (tmp_path / "t.csv").write_text("0,write,0,4096\n" + HUGE)
    message = rewear(*command).refused()
    assert "t.csv, line 2" in message
    assert "a write of 4611686018427387904 bytes" in message


@every_command
@pytest.mark.parametrize("damage", ["cut", "changed"])
def test_a_damaged_gzip_is_named_and_no_line_of_it(rewear, tmp_path: Path, command, damage):
    text = "".join(f"{number},write,{number * 7919 % 512 * 4096},4096\n" for number in range(5000))
    packed = bytearray(gzip.compress(text.encode("ascii"), mtime=0))
    if damage == "cut":
        del packed[len(packed) // 2 :]
    else:
        packed[len(packed) // 2] ^= 0x55
    (tmp_path / "t.csv").write_bytes(packed)
    message = rewear(*command).refused()
    assert "t.csv: the gzip data" in message
    assert "line" not in message
    assert "again" in message


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (gzip.compress(bz2.compress(b"0,write,0,4096\n")), ["twice, inside by bzip2"]),
        (lzma.compress(b"PK\x03\x04\x14\x00" + b"x" * 99), ["zip", "unzip"]),
    ],
    ids=["twice", "zip in xz"],
)
def test_other_wrappings_within_known_ones_are_named(rewear, tmp_path: Path, content, words):
    (tmp_path / "t.csv").write_bytes(content)
    for options in ("", ":format=csv"):
        message = rewear("trace", "info", f"t.csv{options}").refused()
        assert "t.csv: is" in message
        assert "format=NAME" not in message
        for word in words:
            assert word in message


def test_what_a_trace_left_out_is_counted(rewear, tmp_path: Path):
    (tmp_path / "t.csv").write_text("5,write,0,4096\n9,write,0,4096\n7,write,0,4096\n3,write,0,4096\nnonsense\n")
    trace = "t.csv:skip_bad_lines=true"
    counts = {"bad_lines": 1, "ignored_lines": 0, "before_first": 1, "backwards_times": 2, "other_volumes": 0}
    assert rewear("trace", "info", trace, "--json").document()["omissions"] == counts
    report = rewear("run", "--drive", "qlc", "--trace", trace, "--json").document()
    assert report["source"]["omissions"] == counts


CALLS = {
    "analyze": "trace.analyze(progress)",
    "run": "rewear.Drive('qlc').replay(trace, fit='modulo', progress=progress)",
    "compare": "rewear.compare(trace, ['qlc', 'qlc-op28'], fit='modulo', progress=lambda _, state: progress(state))",
}
INTERRUPTED = """
import signal
import rewear

signal.signal(signal.SIGINT, signal.default_int_handler)
calls = 0

def progress(state):
    global calls
    calls += 1
    if calls == 2:
        print("working", flush=True)

trace = rewear.Trace("t.csv")
try:
    CALL
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_an_interrupt_is_seen_while_long_requests_are_worked_through(tmp_path: Path, call):
    """Each request is as long as they may be: 4 GiB, a million pages."""
    (tmp_path / "t.csv").write_text("".join(f"{number},write,0,4294967296\n" for number in range(20_000)))
    command = [sys.executable, "-c", INTERRUPTED.replace("CALL", call)]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            # Ends with the process, if that fails.
            begun = process.stdout.readline()
            process.send_signal(signal.SIGINT)
            out, error = process.communicate(timeout=240)
        finally:
            process.kill()
    assert (begun, out) == ("working\n", "interrupted\n"), error
