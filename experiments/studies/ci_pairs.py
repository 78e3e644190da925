"""Verdicts of `rewear ci`, in both directions, on pairs of programs that write more and less for the same work.

    sudo .venv/bin/python experiments/studies/ci_pairs.py [--runs 20] [PAIR...]

Both sides are recorded in turn, so that other load on the machine meets both. A repeat judges three consecutive runs of
either side, as `rewear ci` does with its default of three. Run numbers wrap, so there are as many repeats as runs.

What is right was set before any outcome: the program that writes less passes after the other, and the other fails after
it. A pair is a test of that only if its bytes differ by 20% or more, four times the 5% that may be worse. Each outcome
that is wrong is printed with the places that decided it. PostgreSQL and redis have to be installed.
"""

import argparse
import os
import tempfile
from dataclasses import replace
from pathlib import Path

from rewear import ci
from rewear.cli.arguments import parse_drives
from rewear.core.trace import Trace

PYTHON = """exec python3 - <<'END'
import json, os
def sync(file):
    os.fsync(file.fileno())
with open("data", "wb", buffering=0) as data:
    data.write(os.urandom(36 << 20))
{}
    sync(data)
{}
END"""
PAGES = """
    for number in range(3000):
        data.seek(number * 7919 % 9216 * 4096)
        data.write(os.urandom(4096))
        {}"""
LOG = """
with open("log", "ab", buffering=0) as log:
    for number in range(1, 2001):
        log.write(os.urandom(100).hex().encode() + b"\\n")
        if number % {} == 0:
            sync(log)"""
WHOLE = """
records = [os.urandom(1500).hex() for _ in range(100)]
for number in range(100):
    records.append(os.urandom(1500).hex())
    with open("state.new", "w") as state:
        json.dump(records, state)
        state.flush()
        sync(state)
    os.rename("state.new", "state.json")"""
APPENDED = """
records = [os.urandom(1500).hex() for _ in range(100)]
with open("state.json", "w") as state:
    json.dump(records, state)
    for number in range(100):
        json.dump(os.urandom(1500).hex(), state)
        state.flush()
        sync(state)"""
SQLITE = """
import sqlite3
base = sqlite3.connect("rows.sqlite")
base.execute("PRAGMA journal_mode = {}")
base.execute("CREATE TABLE row (id INTEGER PRIMARY KEY, text TEXT)")
base.executemany("INSERT INTO row VALUES (?, ?)", [(number, os.urandom(100).hex()) for number in range(2000)])
base.commit()
for number in range(1000):
    base.execute("UPDATE row SET text = ? WHERE id = ?", (os.urandom(100).hex(), number * 7919 % 2000))
    base.commit()
base.close()"""
POSTGRES = """B=$(ls -d /usr/lib/postgresql/*/bin | tail -1); D=$PWD/pg
mkdir $D; chown postgres $D; chmod 700 $D; chmod 755 $PWD
su postgres -c "$B/initdb -D $D -A trust" >/dev/null 2>&1
printf "synchronous_commit = %s\\nlisten_addresses = ''\\nport = 5599\\n" {} >> $D/postgresql.conf
printf "unix_socket_directories = '%s'\\n" $SOCKETS >> $D/postgresql.conf
BENCH="$B/pgbench -h $SOCKETS -p 5599"
su postgres -c "$B/pg_ctl -D $D -w -l $D/log start" >/dev/null
su postgres -c "$BENCH -i -s 2 postgres; $BENCH -c 2 -t 4000 postgres" >/dev/null 2>&1
su postgres -c "$B/pg_ctl -D $D -w -m fast stop" >/dev/null"""
REDIS = """S=$SOCKETS/redis.sock
redis-server --port 0 --unixsocket $S --dir $PWD --appendonly yes --appendfsync {} --save "" --daemonize yes >/dev/null
until redis-cli -s $S ping >/dev/null 2>&1; do sleep 0.1; done
redis-benchmark -s $S -t set -n 20000 -r 5000 -d 1800 -c 4 -q >/dev/null
redis-cli -s $S shutdown nosave >/dev/null 2>&1
while redis-cli -s $S ping >/dev/null 2>&1; do sleep 0.1; done"""
PAIRS = {
    "file fsync": (PYTHON.format(PAGES.format("sync(data)"), ""), PYTHON.format(PAGES.format("pass"), "")),
    "log fsync": (PYTHON.format("", LOG.format(1)), PYTHON.format("", LOG.format(100))),
    "json whole": (PYTHON.format("", WHOLE), PYTHON.format("", APPENDED)),
    "redis fsync": (REDIS.format("always"), REDIS.format("everysec")),
    "sqlite journal": (PYTHON.format("", SQLITE.format("delete")), PYTHON.format("", SQLITE.format("wal"))),
    "postgres commit": (POSTGRES.format("on"), POSTGRES.format("off")),
}
"""The program that writes more for the same work, and the one that writes less: what is right is known from this."""
LEAST_DIFFERENCE = 0.2
"""Part of the bytes that the second program saves at least, so that the pair is a test."""


def main() -> None:
    """Prints each outcome, then a row a pair: bytes written, verdicts in either direction."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", nargs="*", metavar="PAIR", help=f"of {', '.join(PAIRS)}; all unless given")
    parser.add_argument("--runs", type=int, default=20)
    given = parser.parse_args()
    rows = []
    for name in given.pairs or PAIRS:
        with tempfile.TemporaryDirectory() as folder:
            rows.append(row(name, given.runs, Path(folder)))
    print("| pair | bytes of less over more | less after more passes | more after less fails | both right |")
    print("|---|--:|--:|--:|--:|")
    print("\n".join(rows))


def row(name: str, runs: int, folder: Path) -> str:
    """One pair's row; prints its outcomes."""
    sockets = folder / "sockets"
    sockets.mkdir()
    folder.chmod(0o755)
    sockets.chmod(0o777)
    os.environ["SOCKETS"] = str(sockets)
    places = [checkout(folder, side, script) for side, script in zip(("more", "less"), PAIRS[name], strict=True)]
    sides: tuple[list[Trace], list[Trace]] = ([], [])
    for turn in range(1, runs + 1):
        for side, place in zip(sides, places, strict=True):
            side += ci.record_runs(("./bench.sh",), folder, place, f"{place.name}-{turn}", 1, size_bytes=512 << 20)
    drives, footprint = parse_drives(ci.DRIVES, ()), ci.footprint([trace for side in sides for trace in side])
    more, less = (ci.measure(side, drives, footprint_bytes=footprint) for side in sides)
    written = sum(run.written_bytes for run in less.runs) / sum(run.written_bytes for run in more.runs)
    passed = failed = both = 0
    for turn in range(runs):
        down, up = (ci.judge(three(change, turn), three(base, turn)) for change, base in ((less, more), (more, less)))
        passed, failed, both = passed + down.passes, failed + (not up.passes), both + (down.passes and not up.passes)
        print(f"{name}, repeat {turn + 1}: less after more {outcome(down, right=True)}; ", end="")
        print(f"more after less {outcome(up, right=False)}", flush=True)
    text = f"| {name} | {written:.2f} | {passed} of {runs} | {failed} of {runs} | {both} of {runs} |"
    if written > 1 - LEAST_DIFFERENCE:
        text += f" no test: less than {LEAST_DIFFERENCE:.0%} fewer bytes"
    print(text, flush=True)
    return text


def outcome(judgement: ci.Judgement, *, right: bool) -> str:
    """The exit code of a verdict, and what decided it where it is wrong."""
    text = f"exit {int(not judgement.passes)}"
    if judgement.passes == right:
        return text
    states = {state: judgement.judged(state) for state in ("worse", "perhaps worse", "unknown")}
    places = [
        f"{each.figure} {state} on {each.cell.drive} at {each.cell.fill:.0%}, {each.ratio}"
        for state, judged in states.items()
        for each in judged
    ]
    return f"{text}, WRONG: {'; '.join(places) or 'nothing is worse'}"


def checkout(folder: Path, side: str, script: str) -> Path:
    """A checkout of one side's benchmark."""
    place = folder / side
    place.mkdir()
    (place / "bench.sh").write_text(f"#!/bin/bash\n{script}\n", encoding="utf-8")
    (place / "bench.sh").chmod(0o755)
    return place


def three(found: ci.Measurement, turn: int) -> ci.Measurement:
    """Three consecutive runs of a measurement."""
    taken = [(turn + more) % len(found.runs) for more in range(3)]

    def of(values: tuple) -> tuple:
        return tuple(values[number] for number in taken)

    lists = ("flash_bytes", "write_amplification", "runs_of_life", "p99_ns", "fits")
    cells = tuple(replace(cell, **{name: of(getattr(cell, name)) for name in lists}) for cell in found.cells)
    return replace(found, runs=of(found.runs), cells=cells)


if __name__ == "__main__":
    main()
