"""A drive that is served: clients, statistics, recordings, images, and what is refused."""

import errno
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
import rewear as api
from conftest import PATIENCE_S, started, wait_until
from rewear.cli.serve import _address
from rewear.live.serve import LiveDrive, ServeError, plugin_path

MEBIBYTE = 1 << 20


@pytest.fixture(autouse=True)
def nbdkit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Skips, and says why, where nothing can be served; keeps sockets in a folder of the test."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    missing = [tool for tool in ("nbdkit", "nbdcopy") if shutil.which(tool) is None]
    if missing or not plugin_path().is_file():
        problem = f"{', '.join(missing)} missing: apt-get install nbdkit libnbd-bin"
        if os.environ.get("REWEAR_NEEDS_NBDKIT"):
            pytest.fail(problem)
        pytest.skip(f"cannot serve here: {problem}")


@pytest.fixture
def small(small: dict[str, str]) -> dict[str, str]:
    """With room for the log of a drive that can be mounted."""
    return {**small, "ftl.over_provisioning": "0.3"}


@pytest.fixture
def drive(small: dict[str, str]) -> api.Drive:
    return api.Drive("qlc", set=small)


@pytest.fixture
def live(drive: api.Drive) -> Iterator[LiveDrive]:
    with LiveDrive(drive) as live:
        yield live


def nbd(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    assert done.returncode == 0, done.stderr
    return done.stdout


def random_file(path: Path, size: int) -> Path:
    path.write_bytes(os.urandom(size))
    return path


class Client:
    """The few lines of the NBD protocol that a badly behaved client needs."""

    def __init__(self, live: LiveDrive | str) -> None:
        uri = live if isinstance(live, str) else live.uri
        self.link = socket.socket(socket.AF_UNIX)
        self.link.settimeout(PATIENCE_S)
        self.link.connect(uri.split("socket=")[1])
        assert self.receive(16)[:8] == b"NBDMAGIC"
        self.receive(2)
        self.link.sendall(struct.pack(">I", 3))
        self.link.sendall(struct.pack(">QII", 0x49484156454F5054, 1, 0))
        self.size, _flags = struct.unpack(">QH", self.receive(10))

    def receive(self, count: int) -> bytes:
        got = b""
        while len(got) < count:
            part = self.link.recv(count - len(got))
            assert part, "the server hung up"
            got += part
        return got

    def ask(self, command: int, offset: int, length: int, data: bytes = b"") -> int:
        """The error number of a request."""
        self.link.sendall(struct.pack(">IHHQQI", 0x25609513, 0, command, 7, offset, length) + data)
        magic, error, _handle = struct.unpack(">IIQ", self.receive(16))
        assert magic == 0x67446698
        return int(error)


def test_data_goes_in_and_comes_out_and_is_counted(live: LiveDrive, tmp_path: Path):
    size = 4 * MEBIBYTE
    written = random_file(tmp_path / "in", size)
    for _ in range(6):
        nbd("nbdcopy", "--flush", str(written), live.uri)
    nbd("nbdcopy", live.uri, str(tmp_path / "out"))
    assert (tmp_path / "out").read_bytes()[:size] == written.read_bytes()
    report = live.stats()
    assert report["host_bytes_written"] == 6 * size
    assert report["requests"]["flush"] >= 6
    assert report.drive_name == "qlc"
    assert report.erases > 0
    space = report["live"]["space"]
    assert space["valid_slots"] == size // 4096
    assert sum(report["live"]["erases_of_blocks"]) == report.erases


def test_what_ran_on_it_is_replayed_with_the_same_erases(drive: api.Drive, tmp_path: Path):
    trace = tmp_path / "live.rwt"
    with LiveDrive(drive, record=trace) as live:
        for number in range(6):
            source = random_file(tmp_path / "in", (6 - number % 3) * MEBIBYTE + 1536)
            nbd("nbdcopy", "--flush", str(source), live.uri)
        counted = live.stats()
        assert not trace.exists()
    replayed = drive.replay(trace)
    assert counted.erases == replayed.erases > 0
    assert counted.pages_programmed == replayed.pages_programmed
    assert counted.latency_ns["write"] == replayed.latency_ns["write"]


def test_an_image_survives_a_server_that_is_killed(drive: api.Drive, small: dict[str, str], tmp_path: Path):
    image, size = tmp_path / "image", 4 * MEBIBYTE
    written = random_file(tmp_path / "in", size)
    live = LiveDrive(drive, image=image)
    for _ in range(5):
        nbd("nbdcopy", "--flush", str(written), live.uri)
    with pytest.raises(ServeError, match="in use"):
        LiveDrive(drive, image=image)
    live.kill()
    with LiveDrive(drive, image=image) as live:
        nbd("nbdcopy", live.uri, str(tmp_path / "out"))
        assert live.stats()["live"]["mounted"]["records_read"] > 0
    assert (tmp_path / "out").read_bytes()[:size] == written.read_bytes()
    other = api.Drive("qlc", set={**small, "flash.pages_per_block": "32"})
    with pytest.raises(ServeError, match=r"flash\.pages_per_block is 64 in the image and 32 here"):
        LiveDrive(other, image=image)


def test_badly_behaved_clients_harm_nobody(live: LiveDrive, tmp_path: Path):
    read, write, disconnect, trim, zero = 0, 1, 2, 4, 6
    written = random_file(tmp_path / "in", MEBIBYTE)
    nbd("nbdcopy", str(written), live.uri)
    client = Client(live)
    assert client.ask(write, 2 * MEBIBYTE + 13, 5000, bytes(5000)) == 0
    for command, offset, length in [
        (read, client.size, 1),
        (read, 1 << 63, 4096),
        (trim, client.size - 1, 2),
        (zero, client.size, 4096),
        (99, 0, 0),
    ]:
        assert client.ask(command, offset, length) != 0
    assert client.ask(write, client.size - 100, 4096, bytes(4096)) != 0
    # Hangs up in the middle of a write, sends garbage, leaves without a word.
    client.link.sendall(struct.pack(">IHHQQI", 0x25609513, 0, write, 7, 0, 65536) + bytes(100))
    client.link.close()
    for garbage in (b"", b"GET / HTTP/1.0\r\n\r\n", os.urandom(4000)):
        with socket.socket(socket.AF_UNIX) as link:
            link.connect(live.uri.split("socket=")[1])
            link.sendall(garbage)
    other = Client(live)
    other.link.sendall(os.urandom(4000))
    for garbage in (b"", b"nothing\n", os.urandom(1000)):
        with socket.socket(socket.AF_UNIX) as link:
            link.connect(str(live.control))
            link.sendall(garbage)
    last = Client(live)
    last.link.sendall(struct.pack(">IHHQQI", 0x25609513, 0, disconnect, 7, 0, 0))
    nbd("nbdcopy", live.uri, str(tmp_path / "out"))
    assert (tmp_path / "out").read_bytes()[:MEBIBYTE] == written.read_bytes()
    assert live.stats()["live"]["requests_failed"] == 0


def hang_up(live: LiveDrive, times: int, pending: int = 16) -> None:
    """Connects, sends writes to the upper half of the device, and hangs up without reading an answer, so many times."""
    for number in range(times):
        client = Client(live)
        for index in range(pending):
            at = client.size // 2 + (number * pending + index) % 64 * 4096
            client.link.sendall(struct.pack(">IHHQQI", 0x25609513, 0, 1, index, at, 4096) + bytes([index + 1]) * 4096)
        client.link.close()


def test_clients_that_hang_up_with_writes_in_flight_harm_nobody(live: LiveDrive, tmp_path: Path):
    written = random_file(tmp_path / "in", MEBIBYTE)
    nbd("nbdcopy", "--flush", str(written), live.uri)
    threads = [threading.Thread(target=hang_up, args=(live, 60)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert live.poll() is None
    nbd("nbdcopy", live.uri, str(tmp_path / "out"))
    content = (tmp_path / "out").read_bytes()
    assert content[:MEBIBYTE] == written.read_bytes()
    # Each of the pages that were written so holds one of the writes, or none.
    half = len(content) // 2
    for at in range(half, half + 64 * 4096, 4096):
        page = content[at : at + 4096]
        assert page == page[:1] * 4096
        assert page[0] <= 16


def test_an_orderly_stop_ends_whatever_clients_do_and_saves_the_recording(drive: api.Drive, tmp_path: Path):
    trace, image = tmp_path / "live.rwt", tmp_path / "image"
    live = LiveDrive(drive, record=trace, image=image)
    idle, busy = Client(live), Client(live)
    assert idle.ask(1, 0, 4096, b"x" * 4096) == 0
    # Half of a write is on its way and never ends.
    busy.link.sendall(struct.pack(">IHHQQI", 0x25609513, 0, 1, 7, 0, 65536) + bytes(100))
    live.stop()
    assert api.Trace(trace).info()["write"]["bytes"] == 4096
    with LiveDrive(drive, image=image) as live:
        nbd("nbdcopy", live.uri, str(tmp_path / "out"))
        mounted = live.stats()["live"]["mounted"]
    assert (tmp_path / "out").read_bytes()[:4096] == b"x" * 4096
    assert mounted["journal_changes"] == mounted["torn_pages"] == mounted["damaged_pages"] == 0


def test_a_server_that_is_told_to_end_itself_ends_when_its_clients_have_left(drive: api.Drive, tmp_path: Path):
    with LiveDrive(drive, record=tmp_path / "live.rwt", image=tmp_path / "image") as live:
        client = Client(live)
        assert client.ask(1, 0, 4096, b"x" * 4096) == 0
        os.kill(live.pid, signal.SIGTERM)

        def is_refused() -> bool:
            try:
                return client.ask(3, 0, 0) == errno.ESHUTDOWN
            except (OSError, AssertionError):
                return True

        wait_until(is_refused, "requests are refused, or the connection ends")
        client.link.close()
        wait_until(lambda: live.poll() is not None, "the server ends")
        assert live.poll() == 0
    assert api.Trace(tmp_path / "live.rwt").info()["write"]["bytes"] == 4096
    with LiveDrive(drive, image=tmp_path / "image") as live:
        assert live.stats()["live"]["mounted"]["journal_changes"] == 0


def serve(
    small_options: list[str], folder: Path, *more: str, limit: str = ""
) -> AbstractContextManager[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "rewear", "serve", "--drive", "qlc", *small_options, *more]
    return started("bash", "-c", f'{limit} exec "$@"', "bash", *command, cwd=folder)


def first_line(server: subprocess.Popen[str]) -> str:
    assert server.stdout is not None
    line = server.stdout.readline().strip()
    assert line, server.communicate()[1]
    return line


def test_an_interrupt_with_a_client_attached_is_an_orderly_end(small_options: list[str], tmp_path: Path):
    with serve(small_options, tmp_path, "--record", "live.rwt") as server:
        client = Client(first_line(server))
        assert client.ask(1, 0, 4096, bytes(4096)) == 0
        server.send_signal(signal.SIGINT)
        _, said = server.communicate(timeout=PATIENCE_S)
    assert server.returncode == 0, said
    assert api.Trace(tmp_path / "live.rwt").info()["write"]["requests"] == 1


def test_a_recording_that_finds_no_room_is_an_error(small_options: list[str], tmp_path: Path):
    with serve(small_options, tmp_path, "--record", "live.rwt", limit="ulimit -f 4;") as server:
        nbd("nbdcopy", str(random_file(tmp_path / "in", 4 * MEBIBYTE)), first_line(server))
        server.send_signal(signal.SIGINT)
        _, said = server.communicate(timeout=PATIENCE_S)
    assert server.returncode == 2
    assert "live.rwt: the recording cannot be written: File too large" in said
    assert not list(tmp_path.glob("live.rwt*"))


def test_a_worn_out_drive_is_read_only_and_says_so_in_one_line(small_options: list[str], tmp_path: Path):
    read, write = 0, 1
    settings = [*small_options, "--set", "ftl.over_provisioning=0.3", "--set", "flash.endurance_cycles=1"]
    with serve(settings, tmp_path) as server:
        client = Client(first_line(server))
        pages = client.size // 4096

        def content(number: int) -> bytes:
            return bytes([number // pages % 255 + 1]) * 4096

        written = 0
        while (refused := client.ask(write, written % pages * 4096, 4096, content(written))) == 0:
            written += 1
        assert written > pages
        assert server.stderr is not None
        assert "Serving qlc" in server.stderr.readline()
        assert "The drive is worn out and is read-only from now on" in server.stderr.readline()
        for page in range(0, pages, 7):
            assert client.ask(write, page * 4096, 4096, bytes(4096)) == refused == errno.EPERM
            if page != written % pages:
                assert client.ask(read, page * 4096, 4096) == 0
                assert client.receive(4096) == content(written - 1 - (written - 1 - page) % pages)
        server.send_signal(signal.SIGINT)
        _, said = server.communicate(timeout=PATIENCE_S)
    assert server.returncode == 0
    assert "worn out" not in said


def test_an_address_of_ipv6_has_brackets(drive: api.Drive):
    for text in ("::1:10810", "[::1]:10810"):
        assert _address(text, 10809) == ("::1", 10810)
    assert _address("10809", 10809) == ("127.0.0.1", 10809)
    with socket.socket(socket.AF_INET6) as free:
        try:
            free.bind(("::1", 0))
        except OSError:
            pytest.skip("this machine has no IPv6")
        port = free.getsockname()[1]
    with LiveDrive(drive, address=("::1", port)) as live:
        assert live.uri == f"nbd://[::1]:{port}"
        assert int(nbd("nbdinfo", "--size", live.uri)) > 0


def test_a_server_says_why_it_ended(small_options: list[str], tmp_path: Path):
    with serve(small_options, tmp_path) as server:
        client = Client(first_line(server))
        (control,) = tmp_path.glob("rewear/*/control")
        os.kill(int((control.parent / "pid").read_text()), signal.SIGKILL)
        _, said = server.communicate(timeout=PATIENCE_S)
        client.link.close()
    assert server.returncode == 2
    assert "The server ended with signal SIGKILL" in said
    assert not control.parent.exists()


def test_a_server_ends_with_its_owner_and_lets_go_of_the_image(
    drive: api.Drive, small_options: list[str], tmp_path: Path
):
    with serve([*small_options, "--set", "ftl.over_provisioning=0.3"], tmp_path, "--image", "image") as server:
        client = Client(first_line(server))
        assert client.ask(1, 4096, 4096, b"y" * 4096) == 0
        server.kill()
        server.communicate(timeout=PATIENCE_S)

    def is_served_again() -> bool:
        # The client is attached all the time.
        try:
            with LiveDrive(drive, image=tmp_path / "image", folder=tmp_path / "rewear" / "qlc") as live:
                nbd("nbdcopy", live.uri, str(tmp_path / "out"))
        except ServeError as error:
            assert "in use" in str(error) or "being served" in str(error)
            return False
        return True

    wait_until(is_served_again, "the image is free")
    assert (tmp_path / "out").read_bytes()[4096:8192] == b"y" * 4096
    client.link.close()


def test_one_of_two_starts_under_one_name_is_refused(drive: api.Drive, tmp_path: Path):
    for number in range(3):
        folder, served, refused = tmp_path / f"r{number}", [], []
        gate = threading.Barrier(3)

        def start(folder=folder, served=served, refused=refused, gate=gate) -> None:
            gate.wait()
            try:
                served.append(LiveDrive(drive, folder=folder))
            except ServeError as error:
                refused.append(str(error))

        threads = [threading.Thread(target=start) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(served) == 1
        assert all("being served" in text for text in refused)
        assert served[0].stats()["host_bytes_written"] == 0
        served[0].stop()
        assert not folder.exists()


def test_a_folder_that_others_could_have_made_is_refused(rewear, small_options, tmp_path: Path, monkeypatch):
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    victim = tmp_path / "victim"
    (victim / "qlc").mkdir(parents=True)
    (victim / "qlc" / "options.json").write_text("precious")
    folder = tmp_path / f"rewear-{os.getuid()}"
    serve = ("serve", "--drive", "qlc", *small_options)
    folder.symlink_to(victim)
    assert "is no folder" in rewear(*serve).refused()
    folder.unlink()
    folder.mkdir()
    folder.chmod(0o777)
    assert "Others may write" in rewear(*serve).refused()
    assert "Others may write" in rewear("stats").refused()
    if os.geteuid() == 0:
        folder.chmod(0o700)
        os.chown(folder, 1, 1)
        assert "belongs to another user" in rewear(*serve).refused()
        os.chown(folder, 0, 0)
    folder.chmod(0o755)
    (folder / "qlc").symlink_to(victim / "qlc")
    assert "is no folder" in rewear(*serve).refused()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (victim / "qlc" / "options.json").read_text() == "precious"


def test_an_image_is_for_its_owner_alone(drive: api.Drive, tmp_path: Path):
    with LiveDrive(drive, image=tmp_path / "image"):
        assert (tmp_path / "image").stat().st_mode & 0o777 == 0o600
        assert not list(tmp_path.glob(".*"))


def test_a_paced_drive_takes_the_time_of_the_flash(drive: api.Drive, tmp_path: Path):
    written = random_file(tmp_path / "in", MEBIBYTE // 2)
    with LiveDrive(drive, pace=True) as live:
        began = time.monotonic()
        nbd("nbdcopy", "--flush", "--requests=1", "--request-size=65536", str(written), live.uri)
        took_s = time.monotonic() - began
        report = live.stats()
    assert report.simulated_ns / 1e9 <= took_s
    assert report.simulated_ns > 10_000_000


def test_misread_cells_are_corrected_and_counted(small: dict[str, str], tmp_path: Path):
    # Fifteen levels as far from each other as the three of the published cell.
    levels = str([round(2.55 + 0.6 * level, 2) for level in range(15)])
    cells = {"flash.cells.verify_v": levels, "flash.bit_errors.scale": "0.05"}
    drive = api.Drive("qlc", set={**small, **cells})
    written = random_file(tmp_path / "in", 2 * MEBIBYTE)
    with LiveDrive(drive, bit_errors=True) as live:
        nbd("nbdcopy", "--flush", str(written), live.uri)
        nbd("nbdcopy", live.uri, str(tmp_path / "out"))
        figures = live.stats()["live"]
    assert (tmp_path / "out").read_bytes()[: 2 * MEBIBYTE] == written.read_bytes()
    assert figures["bits_corrected"] > 100
    assert figures["pages_uncorrectable"] == 0


def test_misread_cells_need_as_many_levels_as_they_have(small: dict[str, str]):
    with pytest.raises(api.RewearError, match=r"flash\.cells\.verify_v.*3 programmed levels.*4 bits"):
        LiveDrive(api.Drive("qlc", set=small), bit_errors=True)


def test_the_commands_serve_and_look(rewear, small_options: list[str], tmp_path: Path):
    with serve(small_options, tmp_path, "--overwrite-bit") as server:
        uri = first_line(server)
        written = random_file(tmp_path / "in", MEBIBYTE)
        nbd("nbdcopy", str(written), uri)
        assert rewear("stats", "--json").document()["host_bytes_written"] == MEBIBYTE
        assert rewear("stats", "qlc", "--json").document()["live"]["overwrite_bit"] is True
        assert "valid data" in rewear("stats").stdout
        again = rewear("serve", "--drive", "qlc", *small_options)
        assert "being served" in again.refused()
        assert "pebble" in rewear("stats", "pebble").refused()
        server.send_signal(signal.SIGTERM)
        assert server.wait(PATIENCE_S) == 0
    assert "No drive is served" in rewear("stats").refused()
    assert not Path(uri.split("socket=")[1]).exists()


def test_what_cannot_be_served_is_refused(rewear, tmp_path: Path):
    (tmp_path / "text").write_text("no image")
    assert "no image of a drive" in rewear("serve", "--drive", "qlc", "--image", "text").refused()
    assert "port" in rewear("serve", "--drive", "qlc", "--tcp", "lots").refused()
    for option in ("--image", "--record"):
        said = rewear("serve", "--drive", "qlc", option, os.fsdecode(b"caf\xe9")).refused()
        assert "caf\\xe9 is not UTF-8" in said
    assert not list(tmp_path.glob("caf*"))
    assert "--name" in rewear("serve", "--drive", "qlc", "--name", "a/b").refused()
    assert "--queue-depth" in rewear("serve", "--drive", "qlc", "--queue-depth", "0").refused()


def test_other_machines_reach_it_only_if_that_is_said(rewear, drive: api.Drive):
    refused = rewear("serve", "--drive", "qlc", "--listen", "0.0.0.0:10809").refused()
    assert "can be reached from other machines" in refused and "or say --insecure" in refused
    with pytest.raises(ServeError, match="can be reached from other machines"):
        LiveDrive(drive, address=("0.0.0.0", 10809))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with LiveDrive(drive, address=("0.0.0.0", port), insecure=True):
        assert int(nbd("nbdinfo", "--size", f"nbd://127.0.0.1:{port}")) > 0
