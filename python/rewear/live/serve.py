"""A live drive: the simulator's drive as a block device, behind nbdkit or over NVMe."""

import contextlib
import ipaddress
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

from rewear.core.drive import Drive
from rewear.core.errors import ServeError
from rewear.core.private_folder import hold, private_folder
from rewear.core.report import Report
from rewear.core.trace import Content

Transport = Literal["nbd", "nvme-tcp"]
"""How a host reaches the drive: as a network block device, or over NVMe."""

_GOES_WITH: dict[str, Transport] = {
    "pace": "nbd",
    "parallel requests": "nbd",
    "options of nbdkit": "nbd",
    "a size of blocks": "nvme-tcp",
}
"""Options that one transport has alone."""

_PLUGIN = Path(__file__).parents[1] / "plugins" / "nbdkit-rewear-plugin.so"
_NVME_SERVER = _PLUGIN.with_name("rewear-nvme-tcp")
_LONGEST_FOLDER = 98
"""A socket's path has at most 107 bytes, and the longest name in the folder nine."""
_START_S = 60.0
_STOP_S = 30.0
_ANSWER_S = 30.0
_LOOK_S = 0.2
_FILES = ("control", "device", "options.json", "pid", "lock")
_LAST_MESSAGES_BYTES = 4096


class LiveDrive:
    """A drive that is served as a block device until it is stopped.

    A context manager: leaving it stops the server. Any NBD client attaches to `uri`: `nbdinfo`, `qemu-img`, fio's nbd
    engine, QEMU, `nbdfuse`. Needs nbdkit. With `transport="nvme-tcp"` it is an NVMe drive: `nvme connect`
    attaches, and `nvme` and `smartctl` read its log pages.
    """

    __slots__ = ("_folder", "_heard", "_lock", "_messages", "_process", "control", "uri")

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
        parallel_requests: bool = False,
        nbdkit_options: Sequence[str] = (),
        transport: Transport = "nbd",
        block_bytes: Literal[512, 4096] = 512,
        insecure: bool = False,
    ) -> None:
        """Starts the server and returns when it accepts connections.

        Args:
            drive: The drive; its cells are stored, whatever its `flash.medium` says.
            image: File that holds the cells and survives the server; made where there is none. Without it they are in
                memory.
            pace: Answers come when the simulated drive would give them, instead of as fast as they can.
            lazy_memory: Memory for the cells is taken when they are first programmed. Otherwise it is taken at the
                start, if it is at most a quarter of what is available. A new image is a sparse file.
            bit_errors: Cells are misread as often as their wear says; the error-correcting code has to correct them.
            overwrite_bit: The device is twice as large as the drive, and writes to its upper half are overwrites.
            queue_depth: Requests that the host is taken to have in flight at most, in simulated time.
            record: Trace to write of what is asked of the drive; it has its name when the server has stopped.
            content: What the trace keeps of the content of writes.
            folder: Where the sockets lie, which must belong to this user alone; a fresh one if not given. It serves one
                drive at a time.
            address: Host and TCP port to listen on, instead of a Unix socket in the folder. NVMe listens on TCP always,
                by default on a free port of 127.0.0.1.
            parallel_requests: Requests of one connection are served at the same time, as those of several always are.
                nbdkit 1.32 may die if such a client hangs up.
            nbdkit_options: Further options of nbdkit, for instance for TLS or access control.
            transport: How hosts reach the drive. `parallel_requests`, `nbdkit_options` and `pace` are for `nbd` alone.
            block_bytes: Logical blocks of an NVMe drive: 512 or 4096 bytes.
            insecure: The server may listen where others than this machine reach it; it asks nobody who they are. With
                `--tls=require` among the options of nbdkit it may in any case.

        Raises:
            ServeError: nbdkit or the plugin is missing, or the server refuses; the message says why.
        """
        given = (pace, parallel_requests, nbdkit_options, block_bytes != 512)
        for (option, only), is_given in zip(_GOES_WITH.items(), given, strict=True):
            if is_given and transport != only:
                raise ServeError(f"The transport {transport} does not have {option}. Leave it out, or use {only}.")
        if transport == "nbd" and address is not None and not insecure and "--tls=require" not in nbdkit_options:
            _check_loopback(address)
        program: list[str | os.PathLike[str]]
        program = [_nbdkit(), plugin_path()] if transport == "nbd" else [_nvme_server()]
        named = {"image": image, "record": record}
        files = {key: None if each is None else os.fspath(_absolute(each)) for key, each in named.items()}
        path = _absolute(tempfile.mkdtemp(prefix="rewear-live-") if folder is None else folder)
        if len(os.fsencode(path)) > _LONGEST_FOLDER:
            raise ServeError(f"The folder {path} is too long for sockets: at most {_LONGEST_FOLDER} bytes.")
        self._folder = private_folder(path, ServeError)
        taken = f"A drive named {path.name} is being served. Stop it, or give another name."
        self._lock = hold(path / "lock", taken, ServeError)
        self.control = self._folder / "control"
        """Socket on which the server gives its statistics."""
        options: dict[str, Any] = {
            "drive": drive.configuration,
            **files,
            "pace": pace,
            "lazy_memory": lazy_memory,
            "bit_errors": bit_errors,
            "overwrite_bit": overwrite_bit,
            "record_content": content,
            "control": os.fspath(self.control),
            "parallel_requests": parallel_requests,
            "parent": os.getpid(),
            "transport": transport,
        }
        if queue_depth is not None:
            options["queue_depth"] = queue_depth
        for name in ("control", "device", "pid"):
            # Left by a killed server: the holder of the lock is alone here.
            (self._folder / name).unlink(missing_ok=True)
        file, ready, device = (self._folder / name for name in ("options.json", "pid", "device"))
        file.write_text(json.dumps(options), encoding="utf-8")
        self.uri = ""
        """Where clients attach."""
        words: list[str | os.PathLike[str]]
        if transport == "nvme-tcp":
            name = _nvme_name(drive.name if folder is None else path.name)
            listen = _of_address(address or ("127.0.0.1", 0))
            words = [file, listen, name, str(block_bytes), device, *(["insecure"] if insecure else [])]
        else:
            plugin = program.pop()
            where = (
                ["--unix", os.fspath(device)]
                if address is None
                else ["--ipaddr", address[0], "--port", str(address[1])]
            )
            self.uri = f"nbd+unix:///?socket={device}" if address is None else f"nbd://{_of_address(address)}"
            # No --exit-with-parent: that would end it with the thread that starts it. The plugin watches this process.
            words = ["--foreground", "--pidfile", ready, *where, *nbdkit_options, plugin, file]
        self._messages = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the server writes to it
        self._heard = 0
        # A session of its own: Ctrl-C is for us, who then stop the server in an orderly way. It holds the lock, too, so
        # the name is taken until it has ended.
        self._process = subprocess.Popen(
            [os.fspath(word) for word in (*program, *words)],
            stdin=subprocess.DEVNULL,
            stderr=self._messages,
            start_new_session=True,
            pass_fds=[self._lock],
            # A file that may not grow is an error to report and no signal to die of, as in Python itself.
            restore_signals=False,
        )
        try:
            # The servers of other transports listen on their control socket last.
            self._wait_until_ready(ready if transport == "nbd" else None)
            if transport == "nvme-tcp":
                self.uri = f"nvme+tcp://{device.read_text()}/nqn.2026-11.local.rewear:{name}/1"
        except BaseException:
            with contextlib.suppress(ServeError):
                self.stop()
            raise

    def _wait_until_ready(self, written: Path | None) -> None:
        give_up_at = time.monotonic() + _START_S
        # nbdkit writes its number before the plugin listens on the control socket.
        while not _holds_text(written) or not _is_heard(self.control):
            if self._process.poll() is not None:
                raise ServeError(self._last_messages() or f"The server ended with {_status(self._process.returncode)}.")
            if time.monotonic() > give_up_at:
                raise ServeError(
                    f"The server has not been ready for {_START_S:.0f} seconds. Is the machine overloaded?"
                )
            time.sleep(0.005)

    @property
    def pid(self) -> int:
        """The process that serves."""
        return self._process.pid

    def stats(self) -> Report:
        """Statistics since the server was started, in the schema of replays, with `live` beside it."""
        return stats(self.control)

    def poll(self) -> int | None:
        """The exit status of a server that has ended; `None` while it serves."""
        return self._process.poll()

    def wait(self, tell: Callable[[str], None] = lambda line: None) -> str:
        """Waits until the server ends by itself, and says why it did.

        Args:
            tell: Called with each line that the server says meanwhile: that the drive is worn out, or a client was
                disconnected.
        """
        while self._process.poll() is None:
            # An interrupt that comes just before a wait without an end would be noticed by nobody.
            time.sleep(_LOOK_S)
            for line in self._new_messages():
                tell(line)
        return self._why()

    def _new_messages(self) -> list[str]:
        """Whole lines that the drive has said since this was last called; what nbdkit says of requests is left out."""
        # The server writes to the same open file, whose position is therefore left alone.
        size = os.fstat(self._messages.fileno()).st_size
        text = os.pread(self._messages.fileno(), size - self._heard, self._heard)
        text = text[: text.rfind(b"\n") + 1]
        self._heard += len(text)
        lines = text.decode(errors="replace").splitlines()
        return [line for line in lines if line.strip() and not line.startswith("nbdkit: ")]

    def _why(self) -> str:
        said = self._last_messages()
        return (
            f"The server ended with {_status(self._process.returncode)}{f': {said}' if said else ', without a word.'}"
        )

    def stop(self) -> None:
        """Stops the server in an orderly way, in seconds, whatever its clients do.

        What it holds is written, a recording is finished, and clients that are still attached lose their connection.

        Raises:
            ServeError: It does not end, or something could not be written; the message says what.
        """
        problem = None
        try:
            if self._process.poll() is None:
                problem = self._stop_server()
        finally:
            self._clean()
        if problem is not None:
            raise ServeError(problem)

    def _stop_server(self) -> str | None:
        """Ends the server; what went wrong, if anything did."""
        problem = None
        try:
            problem = _ask(self.control, b"stop").get("error")
        except (OSError, ValueError):
            # It has not come so far, or is about to end.
            self._process.terminate()
        try:
            self._process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            problem = f"The server did not stop within {_STOP_S:.0f} seconds and was killed."
        finally:
            if self._process.poll() is None:
                self._process.kill()
                self._process.wait()
        if problem is None and self._process.returncode != 0:
            problem = f"{self._why()} What it had not written is lost."
        return problem

    def _clean(self) -> None:
        for name in _FILES:
            (self._folder / name).unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self._folder.rmdir()
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def _last_messages(self) -> str:
        """The last words of nbdkit, without its own name."""
        begin = max(os.fstat(self._messages.fileno()).st_size - _LAST_MESSAGES_BYTES, 0)
        text = os.pread(self._messages.fileno(), _LAST_MESSAGES_BYTES, begin).decode(errors="replace")
        lines = [line.removeprefix("nbdkit: ").removeprefix("error: ") for line in text.splitlines() if line.strip()]
        said = " ".join(dict.fromkeys(lines))
        return said if not said or said.endswith(".") else f"{said}."

    def kill(self) -> None:
        """Ends the server at once, as a crash does (`kill -9`)."""
        self._process.kill()
        self._process.wait()
        self._clean()

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
        document = _ask(control, b"stats")
    except OSError as error:
        raise ServeError(
            f"No live drive answers at {os.fspath(control)}: {error.strerror or error}. Start one: rewear serve."
        ) from None
    except ValueError:
        raise ServeError(
            f"What answers at {os.fspath(control)} is no live drive of this version. Restart the server."
        ) from None
    if "error" in document:
        raise ServeError(str(document["error"]))
    return Report(document)


def _ask(control: str | os.PathLike[str], request: bytes) -> dict[str, Any]:
    """The answer to a request on a control socket."""
    with socket.socket(socket.AF_UNIX) as link:
        link.settimeout(_ANSWER_S)
        link.connect(os.fspath(control))
        link.sendall(request + b"\n")
        with link.makefile("rb") as answer:
            document = json.loads(answer.read())
    if not isinstance(document, dict):
        raise ValueError("no object")
    return document


def _holds_text(path: Path | None) -> bool:
    return path is None or (path.exists() and bool(path.read_text()))


def _is_heard(control: str | os.PathLike[str]) -> bool:
    """Whether somebody listens on a control socket."""
    with socket.socket(socket.AF_UNIX) as link:
        link.settimeout(_ANSWER_S)
        try:
            link.connect(os.fspath(control))
        except OSError:
            return False
    return True


def live_folder() -> Path:
    """Where `rewear serve` keeps the sockets of its drives, a folder each."""
    base = os.environ.get("XDG_RUNTIME_DIR")
    return Path(base) / "rewear" if base else Path(tempfile.gettempdir()) / f"rewear-{os.getuid()}"


def running() -> dict[str, Path]:
    """The live drives that `rewear serve` serves now: name -> control socket.

    Raises:
        ServeError: Somebody else could have put sockets there.
    """
    if not os.path.lexists(live_folder()):
        return {}
    controls = sorted(private_folder(live_folder(), ServeError).glob("*/control"))
    return {control.parent.name: control for control in controls if _is_heard(control)}


def plugin_path() -> Path:
    """The plugin that nbdkit loads.

    Raises:
        ServeError: It was not built.
    """
    if not _PLUGIN.is_file():
        raise ServeError(f"The plugin {_PLUGIN} is missing. Build it: make build (needs Linux or another Unix).")
    return _PLUGIN


def _nvme_server() -> Path:
    if not _NVME_SERVER.is_file():
        raise ServeError(f"The server {_NVME_SERVER} is missing. Build it: make build.")
    return _NVME_SERVER


def _nvme_name(name: str) -> str:
    """The part of an NVMe qualified name that is ours: at most 190 of its 223 bytes."""
    return "".join(letter if letter.isascii() and (letter.isalnum() or letter in "._-") else "-" for letter in name)[
        :190
    ]


def _check_loopback(address: tuple[str, int]) -> None:
    """Check that only users of this machine reach an address: each client can write the drive."""
    try:
        found = {each[4][0] for each in socket.getaddrinfo(*address, type=socket.SOCK_STREAM)}
    except (OSError, UnicodeError) as error:
        raise ServeError(f"{_of_address(address)}: {error}. Give another address, as 127.0.0.1:10809.") from None
    if any(not ipaddress.ip_address(str(each).partition("%")[0]).is_loopback for each in found):
        raise ServeError(
            f"{_of_address(address)} can be reached from other machines, and any client can read and write the "
            "drive. Listen on 127.0.0.1, use TLS (-- --tls=require), or say --insecure."
        )


def _of_address(address: tuple[str, int]) -> str:
    """As URIs have it: an address of IPv6 has colons of its own (RFC 3986, 3.2.2)."""
    host, port = address
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _nbdkit() -> str:
    if sys.platform == "win32":
        raise ServeError("Serving a drive needs Linux or another Unix.")
    path = shutil.which("nbdkit", path=os.environ.get("PATH", os.defpath) + ":/usr/sbin:/usr/local/sbin")
    if path is None:
        raise ServeError("nbdkit is missing. Install it, on Debian: apt-get install nbdkit.")
    return path


def _status(code: int) -> str:
    if code >= 0:
        return f"status {code}"
    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"


def _absolute(path: str | os.PathLike[str]) -> Path:
    """The absolute path, which the server learns of as JSON."""
    absolute = Path(path).absolute()
    try:
        os.fspath(absolute).encode()
    except UnicodeEncodeError:
        raise ServeError(
            f"{absolute} is not UTF-8, and the server takes no other path. Give another name, or a link to it."
        ) from None
    return absolute
