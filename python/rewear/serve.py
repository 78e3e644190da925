"""A live drive: the simulator's drive as a block device, behind nbdkit."""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rewear.drive import Drive
from rewear.errors import RewearError
from rewear.report import Report
from rewear.trace import Content

__all__ = ["LiveDrive", "ServeError", "live_folder", "plugin_path", "running", "stats"]

_PLUGIN = Path(__file__).parent / "plugins" / "nbdkit-rewear-plugin.so"
_LONGEST_FOLDER = 98
"""A socket's path has at most 107 bytes, and the longest name in the folder nine."""
_START_S = 60.0
_STOP_S = 60.0
_ANSWER_S = 30.0


class ServeError(RewearError):
    """A drive cannot be served, or a served drive does not answer."""


class LiveDrive:
    """A drive that is served as a network block device until it is stopped.

    A context manager: leaving it stops the server. Any NBD client attaches to `uri`: `nbdinfo`, `qemu-img`, fio's nbd
    engine, `nbdfuse`. Needs nbdkit.
    """

    __slots__ = ("_folder", "_process", "control", "uri")

    def __init__(
        self,
        drive: Drive,
        *,
        image: str | os.PathLike[str] | None = None,
        pace: bool = False,
        lazy_memory: bool = False,
        bit_errors: bool = False,
        overwrite_bit: bool = False,
        queue_depth: int | None = None,
        record: str | os.PathLike[str] | None = None,
        content: Content = "digests",
        folder: str | os.PathLike[str] | None = None,
        address: tuple[str, int] | None = None,
        nbdkit_options: Sequence[str] = (),
    ) -> None:
        """Starts the server and returns when it accepts connections.

        Args:
            drive: The drive; its cells are stored, whatever its `flash.medium` says.
            image: File that holds the cells and survives the server; made where there is none. Without it they are in
                memory.
            pace: Answers come when the simulated drive would give them, instead of as fast as they can.
            lazy_memory: Memory for the cells is taken when they are first programmed. Otherwise it is taken at the
                start, if it is at most a quarter of what is available.
            bit_errors: Cells are misread as often as their wear says; the error-correcting code has to correct them.
            overwrite_bit: The device is twice as large as the drive, and writes to its upper half are overwrites.
            queue_depth: Requests that the host is taken to have in flight at most, in simulated time.
            record: Trace to write of what is asked of the drive; it has its name when the server has stopped.
            content: What the trace keeps of the content of writes.
            folder: Where the sockets lie; a fresh one if not given.
            address: Host and TCP port to listen on, instead of a Unix socket in the folder.
            nbdkit_options: Further options of nbdkit, for instance for TLS or access control.

        Raises:
            ServeError: nbdkit or the plugin is missing, or the server refuses; the message says why.
        """
        nbdkit, plugin = _nbdkit(), plugin_path()
        self._folder = Path(tempfile.mkdtemp(prefix="rewear-live-") if folder is None else folder).absolute()
        if len(os.fsencode(self._folder)) > _LONGEST_FOLDER:
            raise ServeError(f"The folder {self._folder} is too long for sockets: at most {_LONGEST_FOLDER} bytes.")
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.control = self._folder / "control"
        """Socket on which the server gives its statistics."""
        options: dict[str, Any] = {
            "drive": drive.configuration,
            "image": _absolute(image),
            "pace": pace,
            "lazy_memory": lazy_memory,
            "bit_errors": bit_errors,
            "overwrite_bit": overwrite_bit,
            "record": _absolute(record),
            "record_content": content,
            "control": os.fspath(self.control),
        }
        if queue_depth is not None:
            options["queue_depth"] = queue_depth
        file, ready = self._folder / "options.json", self._folder / "pid"
        file.write_text(json.dumps(options), encoding="utf-8")
        ready.unlink(missing_ok=True)
        if address is None:
            device = self._folder / "device"
            device.unlink(missing_ok=True)
            where = ["--unix", os.fspath(device)]
            self.uri = f"nbd+unix:///?socket={device}"
        else:
            where = ["--ipaddr", address[0], "--port", str(address[1])]
            self.uri = f"nbd://{address[0]}:{address[1]}"
        """Where clients attach."""
        command = [nbdkit, "--exit-with-parent", "--pidfile", os.fspath(ready), *where, *nbdkit_options]
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as messages:
            # A session of its own: Ctrl-C is for us, who then stop the server in an orderly way.
            self._process = subprocess.Popen(
                [*command, os.fspath(plugin), os.fspath(file)],
                stdin=subprocess.DEVNULL,
                stderr=messages,
                start_new_session=True,
            )
            try:
                self._wait_until_ready(ready, messages)
            except BaseException:
                self.stop()
                raise

    def _wait_until_ready(self, ready: Path, messages: Any) -> None:
        give_up_at = time.monotonic() + _START_S
        while not ready.exists() or not ready.read_text():
            if self._process.poll() is not None:
                messages.seek(0)
                raise ServeError(_said(messages.read()) or f"nbdkit ended with status {self._process.returncode}.")
            if time.monotonic() > give_up_at:
                raise ServeError(f"nbdkit has not been ready for {_START_S:.0f} seconds. Is the machine overloaded?")
            time.sleep(0.005)

    @property
    def pid(self) -> int:
        """The process that serves."""
        return self._process.pid

    def stats(self) -> Report:
        """Statistics since the server was started, in the schema of replays, with `live` beside it."""
        return stats(self.control)

    def wait(self) -> int:
        """Waits until the server ends by itself; its exit status."""
        return self._process.wait()

    def stop(self) -> None:
        """Stops the server in an orderly way: what it holds is written, a recording is finished.

        Raises:
            ServeError: It does not end.
        """
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(_STOP_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
                raise ServeError(f"The server did not stop within {_STOP_S:.0f} seconds and was killed.") from None
        for name in ("control", "device", "options.json", "pid"):
            (self._folder / name).unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self._folder.rmdir()

    def kill(self) -> None:
        """Ends the server at once, as a crash does (`kill -9`)."""
        self._process.kill()
        self._process.wait()
        self.stop()

    def __enter__(self) -> "LiveDrive":
        return self

    def __exit__(self, *_exception: object) -> None:
        self.stop()


def stats(control: str | os.PathLike[str]) -> Report:
    """Statistics of the live drive whose control socket this is.

    Raises:
        ServeError: Nobody answers there, or the drive has stopped.
    """
    try:
        with socket.socket(socket.AF_UNIX) as link:
            link.settimeout(_ANSWER_S)
            link.connect(os.fspath(control))
            link.sendall(b"stats\n")
            with link.makefile("rb") as answer:
                text = answer.read()
    except OSError as error:
        raise ServeError(
            f"No live drive answers at {os.fspath(control)}: {error.strerror or error}. Start one: rewear serve."
        ) from None
    try:
        document = json.loads(text)
    except ValueError:
        raise ServeError(
            f"What answers at {os.fspath(control)} is no live drive of this version. Restart the server."
        ) from None
    if "error" in document:
        raise ServeError(str(document["error"]))
    return Report(document)


def live_folder() -> Path:
    """Where `rewear serve` keeps the sockets of its drives, a folder each."""
    base = os.environ.get("XDG_RUNTIME_DIR")
    return Path(base) / "rewear" if base else Path(tempfile.gettempdir()) / f"rewear-{os.getuid()}"


def running() -> dict[str, Path]:
    """The live drives that `rewear serve` serves now: name -> control socket."""
    found: dict[str, Path] = {}
    for control in sorted(live_folder().glob("*/control")):
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as link:
            link.connect(os.fspath(control))
            found[control.parent.name] = control
    return found


def plugin_path() -> Path:
    """The plugin that nbdkit loads.

    Raises:
        ServeError: It was not built.
    """
    if not _PLUGIN.is_file():
        raise ServeError(f"The plugin {_PLUGIN} is missing. Build it: make build (needs Linux or another Unix).")
    return _PLUGIN


def _nbdkit() -> str:
    if sys.platform == "win32":
        raise ServeError("Serving a drive needs Linux or another Unix.")
    path = shutil.which("nbdkit", path=os.environ.get("PATH", os.defpath) + ":/usr/sbin:/usr/local/sbin")
    if path is None:
        raise ServeError("nbdkit is missing. Install it, on Debian: apt-get install nbdkit.")
    return path


def _said(text: str) -> str:
    """What nbdkit said of an error, without its own name."""
    lines = [line.removeprefix("nbdkit: ").removeprefix("error: ") for line in text.splitlines() if line.strip()]
    said = " ".join(dict.fromkeys(lines))
    return said if not said or said.endswith(".") else f"{said}."


def _absolute(path: str | os.PathLike[str] | None) -> str | None:
    return None if path is None else os.fspath(Path(path).absolute())
