"""Verdicts of `rewear ci` on pairs of programs of which one writes less for the same work, in both directions.

    sudo .venv/bin/python experiments/studies/ci_pairs.py [--runs 20] [PAIR...]

Each side is recorded so many times. A repeat judges three consecutive runs of either side, as `rewear ci` does with its
default of three; run numbers wrap, so there are as many repeats as runs. PostgreSQL and redis have to be installed.
"""

import argparse
import os
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

from rewear import ci
from rewear.cli.arguments import parse_drives
from rewear.core.trace import Trace

ROOT = Path(__file__).resolve().parents[2]
CHURN = f"exec python3 {ROOT}/examples/ci/sqlite_churn.py --rows 130000 --batches 60"
FILES = """exec python3 - <<'END'
import os
with open("data", "wb", buffering=0) as file:
    file.write(os.urandom(40 << 20))
    for number in range(3000):
        file.seek(number * 7919 % 10240 * 4096)
        file.write(os.urandom(4096))
        {}
    os.fsync(file.fileno())
END"""
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
    "sqlite journal": (f"{CHURN} --journal delete", f"{CHURN} --journal wal"),
    "sqlite keys": (f"{CHURN} --keys random", f"{CHURN} --keys ordered"),
    "file fsync": (FILES.format("os.fsync(file.fileno())"), FILES.format("pass")),
    "file group commit": (
        FILES.format("os.fsync(file.fileno())"),
        FILES.format("number % 10 or os.fsync(file.fileno())"),
    ),
    "postgres commit": (POSTGRES.format("on"), POSTGRES.format("off")),
    "redis fsync": (REDIS.format("always"), REDIS.format("everysec")),
}
"""The program that writes more for the same work, and the one that writes less: what is right is known from this."""


def main() -> None:
    """Prints a row a pair: bytes written, verdicts in either direction."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", nargs="*", metavar="PAIR", help=f"of {', '.join(PAIRS)}; all unless given")
    parser.add_argument("--runs", type=int, default=20)
    given = parser.parse_args()
    print("| pair | bytes of less over more | less after more passes | more after less fails | both right |")
    print("|---|--:|--:|--:|--:|")
    for name in given.pairs or PAIRS:
        with tempfile.TemporaryDirectory() as folder:
            print(row(name, given.runs, Path(folder)), flush=True)


def row(name: str, runs: int, folder: Path) -> str:
    """One pair's row."""
    sockets = folder / "sockets"
    sockets.mkdir()
    folder.chmod(0o755)
    sockets.chmod(0o777)
    os.environ["SOCKETS"] = str(sockets)
    sides = []
    for side, script in zip(("more", "less"), PAIRS[name], strict=True):
        sides.append(recorded(folder, side, script, runs))
    drives, footprint = parse_drives(ci.DRIVES, ()), ci.footprint([trace for side in sides for trace in side])
    more, less = (ci.measure(side, drives, footprint_bytes=footprint) for side in sides)
    verdicts = Counter(
        (ci.judge(three(less, turn), three(more, turn)).passes, ci.judge(three(more, turn), three(less, turn)).passes)
        for turn in range(runs)
    )
    written = sum(run.written_bytes for run in less.runs) / sum(run.written_bytes for run in more.runs)
    passed = sum(count for (each, _), count in verdicts.items() if each)
    failed = sum(count for (_, each), count in verdicts.items() if not each)
    return f"| {name} | {written:.2f} | {passed} of {runs} | {failed} of {runs} | {verdicts[True, False]} of {runs} |"


def recorded(folder: Path, side: str, script: str, runs: int) -> list[Trace]:
    """The recordings of one side."""
    place = folder / f"checkout-{side}"
    place.mkdir()
    (place / "bench.sh").write_text(f"#!/bin/bash\n{script}\n", encoding="utf-8")
    (place / "bench.sh").chmod(0o755)
    return ci.record_runs(
        ("./bench.sh",), folder, place, side, runs, size_bytes=512 << 20, check=lambda trace: None, say=print
    )


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
