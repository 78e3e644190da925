"""Recording: a device in memory that writes every request on it into a trace, alone or with a file system on it."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from rewear import _core
from rewear.core import leftovers
from rewear.core.errors import RewearWarning, TraceError
from rewear.core.trace import Content

GIBIBYTE = 1 << 30
# Fixed identifiers make the hash order of ext4's directories repeat.
_HASH_SEED, _UUID = "8d5f0b3e-6c7a-4b51-9c5e-3f2a1d0e9b48", "3b9e4f10-52ad-4e57-8f0c-1a6d7c2e5b90"
# Without lazy initialization the kernel would write what mke2fs left, in the middle of the recording.
_EXTENDED = f"nodiscard,lazy_itable_init=0,lazy_journal_init=0,hash_seed={_HASH_SEED}"
_MKFS = ("mkfs.ext4", "-q", "-b", "4096", "-E", _EXTENDED, "-U", _UUID)
_TOOLS = {
    "losetup": "mount",
    "mount": "mount",
    "umount": "mount",
    "mkfs.ext4": "e2fsprogs",
    "e2fsck": "e2fsprogs",
}
"""Programs that a file system needs, and the Debian package that carries them."""


class RecordedDevice:
    """A device in memory, shown as the file `path`; what a loop device or an emulator does to it is recorded.

    A context manager: leaving it ends the recording. Needs Linux and FUSE, but not root.
    """

    __slots__ = ("_core", "_ended", "_held", "_mountpoint", "summary", "trace")

    def __init__(
        self,
        trace: str | os.PathLike[str],
        size_bytes: int = GIBIBYTE,
        *,
        content: Content = "digests",
        description: str = "",
        empty_trims: bool = True,
    ) -> None:
        """Mounts a device of zeros in a folder of its own.

        Args:
            trace: The file that the recording becomes, in the compact format, once it has ended.
            size_bytes: Size of the device; memory is taken for the pages that are written.
            content: What is kept of the content, as in `Trace.convert`.
            description: What is recorded, for those who read the trace.
            empty_trims: Whether to record trims of pages that were never written, too. File systems trim free space
                around what they free, as it happens to lie.

        Raises:
            TraceError: The trace cannot be written, or the machine cannot mount the device: the message says why.
        """
        _check_kernel("fuse", "fuse")
        self.trace = Path(trace)
        self.summary: dict[str, Any] | None = None
        """The recording, once it has ended.

        `requests`, `read_bytes`, `written_bytes`, `placed` (writes that carry a placement identifier),
        `duration_ns`, and the trace's `bytes`.
        """
        leftovers.clean()
        self._held = leftovers.Held()
        self._ended: TraceError | None = None
        self._mountpoint = Path(tempfile.mkdtemp(prefix="rewear-record-"))
        self._held.note(mountpoint=self._mountpoint)
        try:
            self._core = _core.RecordedDevice(
                os.fspath(self._mountpoint), size_bytes, os.fspath(self.trace), description, content
            )
        except BaseException:
            self._mountpoint.rmdir()
            self._held.release()
            raise
        self._held.note(part=self._core.part, trace=self.trace.absolute())
        if not empty_trims:
            self._core.leave_out_empty_trims()

    @property
    def path(self) -> Path:
        """The file that is the device."""
        return Path(self._core.path)

    def finish(self) -> dict[str, Any]:
        """Unmounts the device, ends the trace, and returns the `summary`.

        Where the trace could not be written to its end, as on a full disk, it has what was written before.

        Raises:
            TraceError: The trace could not be written to its end, or the device is still in use. The same again when it
                is asked again.
        """
        if self._ended is not None:
            raise self._ended
        if self.summary is None:
            users = leftovers.users_of(os.fspath(self._mountpoint))
            try:
                self.summary = json.loads(self._core.finish())
            except TraceError as error:
                self._ended = TraceError(f"{error} It is used by {', '.join(users)}.") if users else error
            self._release()
        assert self.summary is not None
        return self.summary

    def _release(self) -> None:
        """Forgets what was undone; where something is left says how to undo it."""
        if not self._mountpoint.exists():
            self._held.release()
        elif typed := self._held.abandon():
            said = f"{self._ended or 'The device is still in use.'}"
            self._ended = TraceError(
                f"{said} The next recording tries to remove what is left, or type: {'; '.join(typed)}"
            )
        if self._ended is not None:
            raise self._ended

    def __enter__(self) -> "RecordedDevice":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_exception: object) -> None:
        try:
            self.finish()
        except TraceError:
            # What ended the recording is what is to be told, and not what followed from it.
            if kind is None:
                raise


class RecordedFileSystem:
    """A fresh ext4 on a recorded device, mounted at `root`: the kernel's page cache stands between programs and record.

    A context manager: leaving it unmounts and checks the file system and ends the recording. Needs root.
    """

    __slots__ = ("_device", "_stack", "block_device", "root")

    def __init__(self, device: RecordedDevice) -> None:
        """Makes the file system; what that does to the device is marked in the recording, and no reader counts it.

        Raises:
            TraceError: A tool, a right or a part of the kernel is missing; the message says which.
        """
        check_tools()
        self._device = device
        with contextlib.ExitStack() as stack:
            # Direct, so that there is one page cache, that of the file system.
            attach = ("losetup", "--show", "--direct-io=on", "--find", os.fspath(device.path))
            self.block_device = Path(_run(*attach).strip())
            stack.callback(_run, "losetup", "--detach", os.fspath(self.block_device))
            device._core.prepare()
            _run(*_MKFS, os.fspath(self.block_device))
            try:
                device._core.begin()
            except TraceError as error:
                warnings.warn(str(error), RewearWarning, stacklevel=2)
            stack.callback(_run, "e2fsck", "-fn", os.fspath(self.block_device))
            self.root = Path(tempfile.mkdtemp(prefix="rewear-root-"))
            # Before the check, since the kernel then detaches the copies of the mount in other mount namespaces.
            stack.callback(self.root.rmdir)
            device._held.note(root=self.root)
            self.mount()
            stack.callback(self.unmount)
            self._stack = stack.pop_all()

    def mount(self) -> None:
        """Mounts the file system at `root`, with `discard`: what it frees it trims."""
        _run("mount", "-t", "ext4", "-o", "discard", os.fspath(self.block_device), os.fspath(self.root))

    def unmount(self) -> None:
        """Unmounts it, if it is mounted; its caches are empty when it is mounted again."""
        if os.path.ismount(self.root):
            _run("umount", os.fspath(self.root))

    def close(self) -> None:
        """Ends the programs that the command left behind, which are named in a warning; unmounts, checks and detaches.

        Raises:
            TraceError: The file system is still in use, or damaged.
        """
        if left := leftovers.end_users(os.fspath(self.root)):
            said = (
                f"The command left {', '.join(left)} behind. They were ended: the file system goes with the recording"
            )
            warnings.warn(f"{said}.", RewearWarning, stacklevel=2)
        self.unmount()
        self._stack.close()

    def __enter__(self) -> "RecordedFileSystem":
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()


def record(
    command: Sequence[str | os.PathLike[str]],
    trace: str | os.PathLike[str],
    size_bytes: int = GIBIBYTE,
    *,
    content: Content = "digests",
    description: str = "",
    empty_trims: bool = True,
    environment: Mapping[str, str] | None = None,
    output: Literal["stdout", "stderr"] = "stdout",
) -> tuple[int, dict[str, Any]]:
    """Runs a command in a fresh file system on a recorded device.

    Its working folder is the root of the file system. `REWEAR_ROOT` names it, `REWEAR_DEVICE` the block device: a
    command that unmounts and mounts it again, from another folder, empties the file system's caches.

    Args:
        command: Program and arguments.
        trace: As `RecordedDevice` takes it, and so the next four.
        size_bytes: Size of the device.
        content: What is kept of the content.
        description: What is recorded.
        empty_trims: Whether trims of pages that were never written are recorded.
        environment: Variables that the command has beside ours.
        output: Where the command's output goes.

    Returns:
        The command's exit status, or 128 and the number of the signal that ended it; and the summary of the recording.

    Raises:
        TraceError: The command cannot be run, or what `RecordedDevice` and `RecordedFileSystem` say.
    """
    check_tools()
    recorded = RecordedDevice(trace, size_bytes, content=content, description=description, empty_trims=empty_trims)
    with recorded as device:
        with RecordedFileSystem(device) as files:
            places = {leftovers.ROOT_VARIABLE: os.fspath(files.root), "REWEAR_DEVICE": os.fspath(files.block_device)}
            before = _asked_bytes()
            status = _run_command(command, files.root, {**os.environ, **(environment or {}), **places}, output)
            if before is not None:
                device._core.asked(max(0, (_asked_bytes() or 0) - before))
        summary = device.finish()
    return status, summary


def check_tools() -> None:
    """Sees that this machine can mount a file system.

    Raises:
        TraceError: It cannot; the message says what is missing and how to get it.
    """
    if sys.platform == "linux" and os.geteuid() != 0:
        raise TraceError("A loop device and a mount need root. Use sudo, or serve a device without a file system.")
    _check_kernel("fuse", "fuse")
    _check_kernel("loop-control", "loop")
    for tool, package in _TOOLS.items():
        if shutil.which(tool) is None:
            raise TraceError(f"{tool} is missing. Install it, on Debian: apt-get install {package}.")


def _check_kernel(node: str, module: str) -> None:
    if sys.platform != "linux":
        raise TraceError(f"Recording needs Linux; this is {sys.platform}. Record in a virtual machine.")
    if not hasattr(_core, "RecordedDevice"):
        raise TraceError("This build has no recorder: `make demo` leaves it out. Run `make build`.")
    if not Path("/dev", node).exists():
        raise TraceError(f"/dev/{node} is missing. Load the kernel's module: modprobe {module}.")


def _asked_bytes() -> int | None:
    """Bytes that this process and its ended children passed to write calls; `None` without the kernel's account."""
    try:
        account = Path("/proc/self/io").read_text()
    except OSError:
        return None
    return next((int(line.split()[1]) for line in account.splitlines() if line.startswith("wchar:")), None)


def _run_command(
    command: Sequence[str | os.PathLike[str]], folder: Path, environment: dict[str, str], output: str
) -> int:
    try:
        status = subprocess.run(
            [os.fspath(part) for part in command],
            cwd=folder,
            env=environment,
            stdout=2 if output == "stderr" else None,
            check=False,
        ).returncode
    except OSError as error:
        raise TraceError(f"{os.fspath(command[0])} cannot be run: {error.strerror}. Check its name and path.") from None
    # As shells have it.
    return status if status >= 0 else 128 - status


def _run(*command: str) -> str:
    """Output of a tool that must succeed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = " ".join((done.stderr or done.stdout).split())
        raise TraceError(f"{' '.join(command)} failed: {said}")
    return done.stdout
