"""Who writes: recordings of programs, bytes by file beside the kernel's own count of pages written for each inode.

    sudo .venv/bin/python experiments/studies/who_writes.py [NAME...]

The count beside is the tracepoint `ext4_writepages_result`, which has the inode and the pages of every write-back.
Needs root, tracefs, and the programs of the workloads: sqlite3 (Python's), PostgreSQL 15, redis, git, pip.
"""

import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import rewear
from rewear.core.writers import Writers

PAGE = 4096
SIZE = 1 << 30
TRACING = Path("/sys/kernel/tracing")
_FILE = re.compile(r"File size of \.(/.*) is \d+ \(")
_EXTENT = re.compile(r"\s*\d+:\s*\d+\.\.\s*\d+:\s*(\d+)\.\.\s*(\d+):")
_WAL = re.compile(r"/pg_wal/.*")
"""PostgreSQL renames used segments of its log, so they are one row."""
_EVENT = re.compile(r"ext4_writepages_result: dev (\d+),(\d+) ino (\d+) ret -?\d+ pages_written (\d+)")

HEADINGS = (
    "workload", "bytes at the device", "adds up", "of files", "beside the count", "worst file", "journal", "metadata",
    "removed", "factor", "s", "recording",
)  # fmt: skip

SQLITE = """
import os, random, sqlite3
db = sqlite3.connect("db"); db.execute("pragma journal_mode={mode}")
db.execute("create table t (k integer primary key, v blob)")
for turn in range(2000):
    db.execute("insert or replace into t values (?, ?)", (random.randrange(5000), os.urandom(1300))); db.commit()
db.close()
"""
JSON = """
import os
for turn in range(1000):
    with open("state.json.new", "wb") as file:
        file.write(os.urandom(50_400).hex().encode()); file.flush(){sync}
    os.rename("state.json.new", "state.json")
"""
POSTGRES = """
B=/usr/lib/postgresql/15/bin; D=$PWD/pg; S=$(mktemp -d); mkdir $D; chown postgres $D $S; chmod 755 $PWD
run() { su postgres -c "$*"; }
run "$B/initdb -D $D -A trust" >/dev/null
run "$B/pg_ctl -D $D -w -o '-p 5599 -h \\"\\" -k $S' -l $D/log start" >/dev/null
run "$B/pgbench -h $S -p 5599 -i -s 2 postgres" >/dev/null 2>&1
run "$B/pgbench -h $S -p 5599 -c 2 -t 2000 postgres" >/dev/null 2>&1
run "$B/pg_ctl -D $D -w -m fast stop" >/dev/null; rm -r $S
"""
REDIS = """
S=$(mktemp -d)
redis-server --port 0 --unixsocket $S/s --dir $PWD --appendonly yes --save "" >/dev/null & sleep 1
redis-benchmark -s $S/s -t set -n 100000 -r 20000 -d 300 -q >/dev/null; redis-cli -s $S/s bgrewriteaof >/dev/null
sleep 2
redis-benchmark -s $S/s -t set -n 50000 -r 20000 -d 300 -q >/dev/null
redis-cli -s $S/s shutdown nosave; wait; rm -r $S
"""
GIT = """
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
git init -q r; cd r
for turn in 1 2 3 4 5; do
    cp -r {source} copy-$turn; git add .; git commit -qm $turn; sync; done
git gc -q; git checkout -q HEAD~2; sync
"""
LOG = """
for turn in 1 2 3 4; do
    for line in $(seq 40); do head -c 100000 /dev/urandom >> app.log; sync app.log; done
    mv app.log app.log.$turn; gzip app.log.$turn
done
"""
MANY = """
for turn in $(seq 20); do
    mkdir d; for file in $(seq 500); do echo "content of $file" > d/$file; done; sync; rm -r d
done
"""
OVER = """
for turn in $(seq 300); do head -c 20000 /dev/urandom > new; sync new; mv new config; done
"""


def workloads() -> dict[str, list[str]]:
    """Commands by name."""
    source = Path(rewear.__file__).parent

    def python(text: str) -> list[str]:
        return [sys.executable, "-c", text]

    def shell(text: str) -> list[str]:
        return ["bash", "-ec", text]

    return {
        "sqlite, rollback journal": python(SQLITE.format(mode="delete")),
        "sqlite, WAL": python(SQLITE.format(mode="wal")),
        "PostgreSQL": shell(POSTGRES),
        "redis with its log": shell(REDIS),
        "git": shell(GIT.format(source=source)),
        "pip into a fresh environment": shell(f"{sys.executable} -m venv env; env/bin/pip -q install rich; sync"),
        "a log that rotates": shell(LOG),
        "10,000 files made and removed": shell(MANY),
        "a file renamed over another": shell(OVER),
        "JSON of 100 KB, with fsync": python(JSON.format(sync="; os.fsync(file.fileno())")),
        "JSON of 100 KB, without": python(JSON.format(sync="")),
    }


class Count:
    """The kernel's count of pages by inode, while it is entered."""

    def __init__(self) -> None:
        """A buffer of its own, so that nobody else's events are in it."""
        self.instance = TRACING / "instances" / "rewear-who-writes"

    def __enter__(self) -> "Count":
        self.instance.mkdir(exist_ok=True)
        (self.instance / "buffer_size_kb").write_text("65536")
        (self.instance / "trace").write_text("")
        (self.instance / "events/ext4/ext4_writepages_result/enable").write_text("1")
        return self

    def __exit__(self, *_exception: object) -> None:
        (self.instance / "events/ext4/ext4_writepages_result/enable").write_text("0")
        self.instance.rmdir()

    def bytes_by_inode(self, device: str) -> Counter[int]:
        """Bytes of each inode of a loop device."""
        minor, found = int(device.removeprefix("/dev/loop")), Counter[int]()
        for major, at, inode, pages in _EVENT.findall((self.instance / "trace").read_text()):
            if (int(major), int(at)) == (7, minor):
                found[int(inode)] += int(pages) * PAGE
        return found


def on_blocks(extents: str, trace: Path) -> Counter[str]:
    """Bytes of each file by the blocks that it has at the end: the requests of the recording that hit them.

    A second witness for programs that write in place. Blocks that another file had before count, too.
    """
    holder: dict[int, str] = {}
    path = ""
    for line in extents.splitlines():
        if match := _FILE.match(line):
            path = match[1]
        elif match := _EXTENT.match(line):
            first, last = int(match[1]), int(match[2])
            holder.update(dict.fromkeys(range(first, last + 1), path))
    found = Counter[str]()
    table = rewear.Trace(trace).to_arrow()
    columns = (table[name].to_pylist() for name in ("operation", "offset_bytes", "length_bytes"))
    for op, offset, size in zip(*columns, strict=True):
        if op == "write":
            for block in range(offset // PAGE, (offset + size) // PAGE):
                if block in holder:
                    found[holder[block]] += PAGE
    return found


def run(name: str, command: list[str], folder: Path) -> tuple[Writers, Counter[str], int, float, int]:
    """Who wrote; bytes of files that are left by the kernel's count, and of all; seconds, bytes of the recording."""
    inodes, trace = folder / "inodes", folder / "trace.rwt"
    wrapped = (
        f'set -e; echo "$REWEAR_DEVICE" > {inodes}; "$@"; find . -xdev -type f -printf "%i /%P\\n" >> {inodes}; '
        f"sync; find . -xdev -type f -size +0 -exec filefrag -b{PAGE} -v {{}} + > {folder / 'extents'}"
    )
    with Count() as count:
        began = time.monotonic()
        status, summary = rewear.record(["bash", "-c", wrapped, "-", *command], trace, SIZE, output="stderr")
        seconds = time.monotonic() - began
        if status:
            raise SystemExit(f"{name} ended with status {status}")
        device, *lines = inodes.read_text().splitlines()
        counted = count.bytes_by_inode(device)
    left = Counter({path: counted[int(inode)] for inode, path in (line.split(" ", 1) for line in lines)})
    writers = rewear.Trace(trace).who_writes()
    assert writers is not None
    if counted.total() > summary["written_bytes"]:
        print(f"{name}: the kernel counts more than the device got; files by their blocks", file=sys.stderr)
        left = on_blocks((folder / "extents").read_text(), trace)
        grouped = Counter[str]()
        for path, size in left.items():
            grouped[_WAL.sub("/pg_wal", path)] += size
        return writers, grouped, grouped.total(), seconds, summary["bytes"]
    return writers, left, counted.total(), seconds, summary["bytes"]


def row(name: str, command: list[str], folder: Path) -> str:
    """A row of the table."""
    writers, left, counted, seconds, size = run(name, command, folder)
    info = rewear.Trace(folder / "trace.rwt").info()
    of = Counter[str]()
    for each in writers.writers:
        named = each.kind == "file" or each.label.endswith("(replaced before the commit)")
        of["files" if named else each.label] += each.written_bytes
    by_name = Counter[str]()
    for each in writers.writers:
        if each.kind == "file":
            by_name[_WAL.sub("/pg_wal", each.name)] += each.written_bytes
    exact = (
        of.total() == info["write"]["bytes"]
        and sum(each.trimmed_bytes for each in writers.writers) == info["trim"]["bytes"]
    )
    # Bytes of a file that moved are told under the name that it had.
    moves = any(word in name for word in ("JSON", "renamed", "rotates"))
    large = [path for path, each in left.items() if each >= counted / 100 and not moves]
    off = max((abs(by_name.get(path, 0) / left[path] - 1) for path in large), default=0.0)
    unknown = of["(removed before the commit)"] + of["(not told)"]
    worst = f"{off:.2%} of {len(large)}" if large else "-"
    journal, metadata = of["(journal)"], of["(metadata)"]
    parts = [
        name, f"{of.total():,}", "yes" if exact else "NO", f"{of['files']:,}", f"{of['files'] / counted - 1:+.2%}",
        worst, f"{journal:,}", f"{metadata:,}", f"{unknown / of.total():.2%}", f"{writers.factor or 0:.2f}",
        f"{seconds:.1f}", f"{size:,}",
    ]  # fmt: skip
    for path in large:
        if abs(by_name.get(path, 0) / left[path] - 1) > 0.01:
            print(f"   {path}: {by_name.get(path, 0):,} told, {left[path]:,} counted", file=sys.stderr)
    return f"| {' | '.join(parts)} |"


def main() -> None:
    """Prints a row a workload."""
    subprocess.run(["mount", "-t", "tracefs", "none", TRACING], check=False, stderr=subprocess.DEVNULL)
    print(f"| {' | '.join(HEADINGS)} |\n|---|{'--:|' * (len(HEADINGS) - 1)}")
    chosen = sys.argv[1:]
    for name, command in workloads().items():
        if not chosen or any(each in name for each in chosen):
            with tempfile.TemporaryDirectory() as folder:
                print(row(name, command, Path(folder)), flush=True)


if __name__ == "__main__":
    main()
