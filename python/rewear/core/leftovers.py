"""What a recorder makes of the machine, kept in a file, so that the next one can undo it for one that was killed.

A recorder holds a lock on its file as long as it lives. The file names mounts, loop device, folders and the unfinished
trace. They go in the order in which they were made, backwards: programs that use the file system, its mount, the loop
device, the mount of FUSE, folders. The trace gets its name, with what was recorded up to the last second.
"""

import contextlib
import json
import os
import secrets
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from rewear import _core
from rewear.core.errors import RewearError, RewearWarning, TraceError
from rewear.core.printable import printable
from rewear.core.private_folder import hold, private_folder

ROOT_VARIABLE: Final = "REWEAR_ROOT"
"""Variable of the command that names its file system: by it those are known that the command began."""
_PREFIXES: Final = ("rewear-record-", "rewear-root-", "rewear-ci-")
"""Beginnings of the names of folders that a recorder makes in the temporary one; no other is removed."""
_TERM_S: Final = 10.0
"""How long a process has to end by itself."""
_KILL_S: Final = 10.0
_LOOK_S: Final = 0.05


class Held:
    """The file of a recorder that lives."""

    __slots__ = ("_file", "_lock", "_values")

    def __init__(self) -> None:
        """Makes the file, with nothing in it.

        Raises:
            TraceError: It cannot be made, or its folder is another user's.
        """
        self._values: dict[str, str] = {}
        self._file = _folder() / f"{secrets.token_hex(8)}.json"
        self._lock = hold(self._file, f"Another recorder holds {self._file}. Record again.", TraceError)

    def note(self, **values: str | os.PathLike[str] | None) -> None:
        """Names something that is to be undone: `part` and `trace`, `mountpoint`, `root`, `folder`."""
        self._values.update({key: os.fspath(value) for key, value in values.items() if value is not None})
        content = json.dumps(self._values).encode()
        os.ftruncate(self._lock, 0)
        os.pwrite(self._lock, content, 0)

    def release(self) -> None:
        """Everything is undone."""
        self._file.unlink(missing_ok=True)
        os.close(self._lock)

    def abandon(self) -> list[str]:
        """Not everything could be undone: the next recorder tries again. The lines to type meanwhile."""
        os.close(self._lock)
        return [shlex.join(step) for step in _steps(self._values)]


@contextlib.contextmanager
def temporary_folder(prefix: str) -> Iterator[str]:
    """A folder that is removed at the end of it, or by the next recorder."""
    clean()
    held = Held()
    try:
        with tempfile.TemporaryDirectory(prefix=prefix) as folder:
            held.note(folder=folder)
            yield folder
    finally:
        held.release()


def _steps(left: dict[str, str]) -> Iterator[tuple[str, ...]]:
    """Commands that remove the leftovers of a recorder, in the order that works, as far as needed by then."""
    root, mountpoint = left.get("root"), left.get("mountpoint")
    if root is not None and _is_mounted(root):
        yield from (("fuser", "-km", root), ("umount", root))
    if root is not None and os.path.lexists(root):
        # Copies of the mount in other mount namespaces go with the folder, and hold the loop device until then.
        yield ("rmdir", root)
    if mountpoint is not None:
        yield from (("losetup", "--detach", device) for device in _loops_of(mountpoint))
    if mountpoint is not None and _is_mounted(mountpoint):
        yield (*(("umount",) if os.geteuid() == 0 else ("fusermount3", "-u")), mountpoint)
    if mountpoint is not None and os.path.lexists(mountpoint):
        yield ("rmdir", mountpoint)


def clean() -> None:
    """Undoes what recorders left that were killed, and warns of what it did, or of the lines to type."""
    import fcntl

    try:
        files = sorted(_folder().glob("*.json"))
    except (OSError, TraceError):
        return
    for file in files:
        try:
            lock = os.open(file, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _undo(file, _values_of(file))
        except BlockingIOError:
            pass  # Its recorder lives.
        finally:
            os.close(lock)


def end_users(root: str) -> list[str]:
    """Ends the programs that use a file system or were begun by its command; their names.

    They are asked to end, and killed where they do not.
    """
    names: dict[int, str] = {}
    for sent, patience_s in ((signal.SIGTERM, _TERM_S), (signal.SIGKILL, _KILL_S)):
        deadline = time.monotonic() + patience_s
        told: set[int] = set()
        while (users := dict(_users(root))) and time.monotonic() < deadline:
            names.update(users)
            for process in users.keys() - told:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(process, sent)
                told.add(process)
            time.sleep(_LOOK_S)
        if not users:
            break
    return _named(names)


def users_of(root: str) -> list[str]:
    """Names of the programs that use a file system or a device below a folder."""
    return _named(dict(_users(root)))


def _named(processes: dict[int, str]) -> list[str]:
    return [f"{name} ({process})" for process, name in sorted(processes.items())]


def _undo(file: Path, left: dict[str, str]) -> None:
    """Undoes what is in the file of a recorder that is gone, and removes the file where all of it is undone."""
    if (root := left.get("root")) is not None:
        end_users(root)
    for tool, *words in _steps(left):
        if tool != "fuser" and (tool != "rmdir" or _is_ours(words[0])):
            _try(tool, *words)
    kept = _salvaged(left)
    folder = left.get("folder")
    if folder is not None and _is_ours(folder):
        shutil.rmtree(folder, ignore_errors=True)
    said = f"A recorder was killed. {kept}" if kept else "A recorder was killed; what it left is removed."
    if typed := "; ".join(map(shlex.join, _steps(left))):
        warnings.warn(f"{said} What it left could not be removed. Type: {typed}", RewearWarning, stacklevel=3)
        return
    file.unlink(missing_ok=True)
    if left:
        warnings.warn(said, RewearWarning, stacklevel=3)


def _salvaged(left: dict[str, str]) -> str:
    """Gives an unfinished trace its name; the sentence about it."""
    part, trace = left.get("part"), left.get("trace")
    if part is None or trace is None or not Path(part).is_file():
        return ""
    try:
        requests = _core.salvage_recording(part, trace)
    except RewearError as error:
        return f"Its recording is lost: {error}"
    if not requests:
        return "It had recorded nothing."
    return f"The {requests:,} requests that it recorded are in {printable(trace)}."


def _users(root: str) -> Iterator[tuple[int, str]]:
    """Processes other than this one that use a file system or were begun by its command, with their names."""
    variable = os.fsencode(f"{ROOT_VARIABLE}={root}")
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) in (os.getpid(), os.getppid()):
            continue
        try:
            marked = variable in (entry / "environ").read_bytes().split(b"\0")
            if marked or any(_is_in(link, root) for link in _links(entry)):
                yield int(entry.name), (entry / "comm").read_text(errors="replace").strip()
        except OSError:
            continue  # It has ended, or is another user's.


def _links(process: Path) -> Iterator[str]:
    for link in (process / "cwd", process / "root", process / "exe", *(process / "fd").iterdir()):
        with contextlib.suppress(OSError):
            yield os.fspath(link.readlink())


def _is_in(path: str, root: str) -> bool:
    return path == root or path.startswith(f"{root}/")


def _loops_of(mountpoint: str) -> list[str]:
    """Loop devices whose file lies on a mount."""
    found = []
    for backing in Path("/sys/block").glob("loop*/loop/backing_file"):
        with contextlib.suppress(OSError):
            if _is_in(backing.read_text().strip().removesuffix(" (deleted)"), mountpoint):
                found.append(f"/dev/{backing.parents[1].name}")
    return found


def _is_mounted(folder: str) -> bool:
    """Whether something is mounted there, also where its server is dead, so that it cannot be looked at."""
    escaped = folder.replace("\\", "\\134").replace(" ", "\\040").replace("\t", "\\011").replace("\n", "\\012")
    with contextlib.suppress(OSError):
        mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace")
        return any(line.split(" ")[4] == escaped for line in mounts.splitlines())
    return False


def _is_ours(folder: str) -> bool:
    path = Path(folder)
    return path.name.startswith(_PREFIXES) and path.parent == Path(tempfile.gettempdir())


def _try(*command: str) -> None:
    """Runs a tool; what it did is looked at afterwards."""
    with contextlib.suppress(OSError):
        subprocess.run(command, capture_output=True, check=False)


def _values_of(file: Path) -> dict[str, str]:
    """What a file names; nothing where its recorder was killed before it wrote."""
    try:
        values: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {key: value for key, value in values.items() if isinstance(value, str)}


def _folder() -> Path:
    """The folder of these files, which is this user's alone: what lies in it is undone with his rights.

    Raises:
        TraceError: Somebody else made it.
    """
    return private_folder(Path(tempfile.gettempdir()) / f"rewear-recorders-{os.geteuid()}", TraceError)
