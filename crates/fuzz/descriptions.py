"""Fuzzes what only Python reads: sweep files, and drives, traces and workloads as the command line names them.

Whatever the input, the answer is a value or an error of Rewear with a message. Anything else is printed with its
input, and the exit code is 1. The same seed gives the same inputs.
"""

import argparse
import faulthandler
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from rewear.cli.arguments import parse_drive, parse_trace
from rewear.core.errors import InternalError, RewearError
from rewear.core.workload import Workload
from rewear.sweep import Sweep

ROOT = Path(__file__).resolve().parents[2]
PIECES = [
    *(
        "0",
        "1",
        "-1",
        "0.5",
        "1e308",
        "1e-320",
        "nan",
        "inf",
        "true",
        '""',
        "[]",
        "{}",
        "[[1]]",
        "{a = 1}",
        "1979-05-27",
    ),
    *("4294967296", "9223372036854775808", "18446744073709551616", "1" * 400, "\n", ",", "=", ":", ";", ".", "#", '"'),
    *(
        "[axes.x]\n",
        "[[case]]\n",
        "key = ",
        "values = ",
        "points = ",
        "labels = ",
        "seed = ",
        "drive = ",
        "workload = ",
    ),
    *(
        "trace.volume = ",
        "trace.shift_bytes = ",
        "replay.loops = ",
        "quick.seed = ",
        "\\u0000",
        "\x1b[31m",
        "\u00e9",
    ),
    *("qlc", "qlc:", "reuse.scheme=wom-v", "ftl.over_provisioning=0.2", "format=csv", "skip_bad_lines=true", "a" * 300),
]
"""What parsers stumble over."""
NOT_UTF_8 = "\udc80"
"""As a byte that is no UTF-8 stands in an argument of the command line; a file that is read as UTF-8 holds none."""
MOST_RUNS_SETTLED = 8


def edited(text: str, dice: random.Random) -> str:
    """The text with some edits: cut, doubled, put in, words replaced."""
    for _ in range(dice.randrange(5)):
        start = dice.randrange(len(text) + 1)
        end = min(len(text), start + dice.choice((0, 1, 3, 10, 60)))
        piece = dice.choice(PIECES)
        match dice.randrange(5):
            case 0:
                text = text[:start] + text[end:]
            case 1:
                text = text[:start] + text[start:end] + text[start:]
            case 2:
                text = text[:start] + piece + text[start:]
            case 3:
                text = text[:start] + piece + text[end:]
            case _:
                text = (
                    text[:start] + "".join(chr(dice.randrange(1, 256)) for _ in range(dice.randrange(6))) + text[end:]
                )
    return text


class Targets:
    """The functions that are tried, and what they are tried on."""

    def __init__(self, folder: Path) -> None:
        """`folder` is where files may be written."""
        (folder / "t.csv").write_text("0,write,0,4096\n1,read,0,4096\n", encoding="ascii")
        self.folder = folder
        self.sweeps = [
            path.read_text(encoding="utf-8") for path in sorted((ROOT / "experiments/sweeps").glob("*.toml"))
        ]
        self.sweeps.append('base.drive = "qlc"\nbase.trace = "t.csv"\nbase.trace.volume = "0"\naxes.seed = [1, 2]\n')
        self.sweeps.append('[base]\ndrive = "qlc"\ntrace = "t.csv"\ntrace.shift_bytes = 512\nreplay.loops = 2\n')

    def sweep_file(self, dice: random.Random) -> tuple[str, Callable[[str], object]]:
        """A sweep file: read, and its runs made if they are few."""

        def read(text: str) -> None:
            sweep = Sweep.from_toml(text, "sweep.toml", self.folder, quick=len(text) % 2 == 0)
            if len(sweep.jobs) <= MOST_RUNS_SETTLED:
                sweep.settle()

        return dice.choice(self.sweeps), read

    def drive_argument(self, dice: random.Random) -> tuple[str, Callable[[str], object]]:
        """`[LABEL=]NAME[:key=value,...]`."""
        return dice.choice(
            ("qlc", "a=qlc:ftl.over_provisioning=0.2", "qlc-wom-v:reuse.data_bits=2,ftl.streams=1")
        ), parse_drive

    def trace_argument(self, dice: random.Random) -> tuple[str, Callable[[str], object]]:
        """`FILE[:key=value,...]`."""
        name = str(self.folder / "t.csv")
        return dice.choice((name, f"{name}:format=csv,time_unit=ms", f"{name}:shift_bytes=512,volume=0")), parse_trace

    def workload(self, dice: random.Random) -> tuple[str, Callable[[str], object]]:
        """The description of a workload."""
        return dice.choice(
            ("uniform:requests=10", "zipf:theta=0.9,read=0.3;sequential", "roles:requests=1e2")
        ), Workload


def main() -> int:
    """Runs all targets in turn; 1 if one answered with anything but a value or an error of Rewear."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--executions", type=float, default=1e4, help="of all targets together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=int, default=60, help="seconds that one input may take")
    options = parser.parse_args()
    dice = random.Random(options.seed)
    findings: set[str] = set()
    with tempfile.TemporaryDirectory() as folder:
        targets = Targets(Path(folder))
        names = ("sweep_file", "drive_argument", "trace_argument", "workload")
        begun, refused = time.monotonic(), dict.fromkeys(names, 0)
        count = int(options.executions)
        for number in range(count):
            name = names[number % len(names)]
            template, read = getattr(targets, name)(dice)
            text = edited(template, dice)
            if name != "sweep_file" and dice.randrange(20) == 0:
                text = text.replace(dice.choice(text or " "), NOT_UTF_8, 1)
            faulthandler.dump_traceback_later(options.limit, exit=True)
            try:
                read(text)
            except InternalError as error:
                report(findings, name, text, error)
            except UnicodeEncodeError:
                # The command line catches it and says which argument is not UTF-8.
                refused[name] += 1
            except RewearError as error:
                refused[name] += 1
                if not str(error):
                    report(findings, name, text, error)
            except BaseException as error:
                if isinstance(error, KeyboardInterrupt):
                    raise
                report(findings, name, text, error)
        faulthandler.cancel_dump_traceback_later()
    seconds = time.monotonic() - begun
    print(f"{count:,} executions in {seconds:,.0f} s, refused: {refused}, kinds of findings: {len(findings)}")
    return 1 if findings else 0


def report(findings: set[str], name: str, text: str, error: BaseException) -> None:
    """Prints a finding, once for each place in the program."""
    trace, place = error.__traceback__, ""
    while trace is not None:
        place = f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"
        trace = trace.tb_next
    kind = f"{name}: {type(error).__name__} at {place}"
    if kind not in findings:
        findings.add(kind)
        print(f"{kind}: {str(error)[:200]!r}\n  input: {text[:600]!r}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
