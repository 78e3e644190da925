"""A live drive at work: ext4 on it, SQLite and git on that, then its statistics and the same work replayed.

`make serve-demo` installs what this needs where it can and runs it:

    python experiments/studies/serve_demo.py [--drive PRESET] [--errors] [--transactions N]

Needs Linux, root, nbdkit, nbdfuse, loop devices, e2fsprogs and git.
"""

import argparse
import contextlib
import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import rewear
from rewear.cli.live_tables import live_tables
from rewear.cli.output import print_text
from rewear.cli.run import report_tables
from rewear.core.errors import RewearError
from rewear.live.serve import LiveDrive

PACKAGES = {"nbdkit": "nbdkit", "nbdfuse": "libnbd-bin", "fusermount3": "fuse3", "losetup": "mount",
            "mkfs.ext4": "e2fsprogs", "git": "git"}  # fmt: skip
"""Programs, and the Debian packages that carry them."""

SMALL = {"flash.blocks_per_plane": 20, "ftl.over_provisioning": 0.28}
"""Settings that shrink a drive so far that a demo fills it: `qlc` to 120 MiB."""


def say(text: str) -> None:
    """A line on stdout, at once."""
    print(text, flush=True)


def run(*command: str | os.PathLike[str], **options: object) -> str:
    """Output of a program that must succeed."""
    words = [os.fspath(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise RewearError(
            f"{' '.join(words)} ended with status {done.returncode}: {(done.stderr or done.stdout).strip()}"
        )
    return done.stdout


def check_tools() -> None:
    """Sees that everything is there."""
    missing = sorted({package for tool, package in PACKAGES.items() if shutil.which(tool) is None})
    if missing:
        raise RewearError(f"Install what the demo needs, on Debian: apt-get install {' '.join(missing)}.")
    if os.geteuid() != 0:
        raise RewearError("Loop devices and mounts need root. Run it with sudo.")


@contextlib.contextmanager
def block_device(uri: str, folder: Path) -> Iterator[Path]:
    """A block device whose requests go to an NBD server: nbdfuse makes it a file, a loop device a disk."""
    point = folder / "nbd"
    point.mkdir()
    fuse = subprocess.Popen(["nbdfuse", str(point), uri])
    try:
        file = point / "nbd"
        give_up_at = time.monotonic() + 20
        while not file.exists():
            if fuse.poll() is not None or time.monotonic() > give_up_at:
                raise RewearError("nbdfuse does not come up. Is /dev/fuse there? modprobe fuse.")
            time.sleep(0.02)
        device = Path(run("losetup", "--show", "--direct-io=on", "--find", file).strip())
        try:
            yield device
        finally:
            run("losetup", "--detach", device)
    finally:
        # A loop device lets go of its file a moment after it was detached.
        for attempt in range(50):
            try:
                run("fusermount3", "-u", point)
                break
            except RewearError:
                if attempt == 49:
                    raise
                time.sleep(0.1)
        fuse.wait(20)


@contextlib.contextmanager
def mounted(device: Path, folder: Path) -> Iterator[Path]:
    """ext4, mounted so that what it frees it trims."""
    root = folder / "root"
    root.mkdir(exist_ok=True)
    run("mount", "-t", "ext4", "-o", "discard", device, root)
    try:
        yield root
    finally:
        run("umount", root)


def database(root: Path, transactions: int) -> int:
    """SQLite in its default mode: every transaction is flushed. Returns the sum that must be found again."""
    link = sqlite3.connect(root / "accounts.db", isolation_level=None)
    link.execute("create table account (id integer primary key, owner text, balance integer)")
    link.execute("create index owners on account (owner)")
    accounts = [(number, f"owner {number * 7919 % 1000}", 100) for number in range(5000)]
    link.execute("begin")
    link.executemany("insert into account values (?, ?, ?)", accounts)
    link.execute("commit")
    for number in range(transactions):
        link.execute("begin")
        link.execute("update account set balance = balance - 1 where id = ?", (number * 31 % 5000,))
        link.execute("update account set balance = balance + 1 where id = ?", (number * 17 % 5000,))
        link.execute("commit")
    (total,) = link.execute("select sum(balance) from account").fetchone()
    link.close()
    return int(total)


def repository(root: Path, commits: int) -> None:
    """git: files that grow and change, commits, a repack."""
    folder = root / "repository"
    folder.mkdir()
    identity = ["-c", "user.name=Demo", "-c", "user.email=demo@localhost"]
    run("git", "init", "-q", "-b", "main", cwd=folder)
    for number in range(commits):
        for name in range(8):
            lines = [f"line {line} of {name}, {(line * 131 + number) % (name + 97)}\n" for line in range(400 + number)]
            (folder / f"file{name}.txt").write_text("".join(lines))
        run("git", "add", ".", cwd=folder)
        run("git", *identity, "commit", "-q", "-m", f"Change {number}", cwd=folder)
    run("git", "gc", "-q", "--prune=now", cwd=folder)


def checksums(root: Path) -> dict[str, str]:
    """SHA-256 of every file."""
    files = sorted(path for path in root.rglob("*") if path.is_file())
    return {str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def work(live: LiveDrive, folder: Path, transactions: int) -> None:
    """All of it, twice over where the file system's caches are empty in between."""
    with block_device(live.uri, folder) as device:
        run("mkfs.ext4", "-q", "-b", "4096", device)
        with mounted(device, folder) as root:
            total = database(root, transactions)
            repository(root, 30)
            for number in range(40):
                (root / "big").write_bytes(os.urandom(4 << 20))
                os.sync()
                shutil.copytree(root / "repository", root / "copy", dirs_exist_ok=True)
                if number % 2:
                    shutil.rmtree(root / "copy")
            before = checksums(root)
        say(f"SQLite: {transactions} transactions; git: 30 commits and a repack; {len(before)} files.")
        run("e2fsck", "-fn", device)
        with mounted(device, folder) as root:
            if checksums(root) != before:
                raise RewearError("Files came back with other contents than they were written with.")
            link = sqlite3.connect(root / "accounts.db")
            found = link.execute("select sum(balance) from account").fetchone()[0]
            healthy = link.execute("pragma integrity_check").fetchone()[0]
            link.close()
            if (found, healthy) != (total, "ok"):
                raise RewearError(f"SQLite found {found} for {total}, and says {healthy}.")
            run("git", "fsck", "--strict", cwd=root / "repository")
        run("e2fsck", "-fn", device)
    say("After mounting it again: e2fsck clean, all checksums equal, SQLite's integrity check and git fsck clean.")


def demo(preset: str, errors: bool, transactions: int) -> None:
    """Serves, works, looks, replays."""
    check_tools()
    drive = rewear.Drive(preset, set=SMALL)
    with tempfile.TemporaryDirectory(prefix="rewear-demo-") as name:
        folder = Path(name)
        trace = folder / "work.rwt"
        with LiveDrive(drive, record=trace, bit_errors=errors) as live:
            say(f"Serving {preset} at {live.uri}")
            work(live, folder, transactions)
            report = live.stats()
        print_text("", *report_tables(preset, report), "", *live_tables(report), "")
        settings = {**SMALL, "ftl.recovery.scheme": "log"} if errors else SMALL
        replayed = rewear.Drive(preset, set=settings).replay(trace)
        say(
            f"Replayed in the simulator: {replayed.erases} erases, {replayed.pages_programmed.total} pages programmed; "
            f"live: {report.erases}, {report.pages_programmed['total']}."
        )


def main() -> int:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--drive", default="qlc")
    parser.add_argument("--errors", action="store_true")
    parser.add_argument("--transactions", type=int, default=2000)
    given = parser.parse_args()
    try:
        demo(given.drive, given.errors, given.transactions)
    except RewearError as error:
        print(f"serve-demo: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
