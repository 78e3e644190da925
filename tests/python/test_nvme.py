"""A live drive over NVMe/TCP: it is served, killed and ends, and what cannot be is refused."""

import json
import socket
import struct
import subprocess
import sys
from pathlib import Path

import pytest
import rewear as api
from conftest import PATIENCE_S
from rewear.live.serve import LiveDrive, ServeError

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    if sys.platform == "win32":
        pytest.skip("serving needs a Unix")


@pytest.fixture
def drive(small: dict[str, str]) -> api.Drive:
    return api.Drive("qlc", set={**small, "ftl.over_provisioning": "0.4"})


def reached(uri: str) -> tuple[str, int, str]:
    """Address, port and subsystem."""
    address, subsystem, namespace = uri.removeprefix("nvme+tcp://").split("/")
    assert namespace == "1"
    host, _, port = address.rpartition(":")
    return host, int(port), subsystem


def initialized(host: str, port: int) -> tuple[int, int]:
    """A host says hello; the type of the answer and the most data of a unit that it allows."""
    with socket.create_connection((host, port), timeout=30) as link:
        link.sendall(struct.pack("<BBBBIHBBI", 0, 0, 128, 0, 128, 0, 0, 0, 0) + bytes(112))
        answer = link.recv(128, socket.MSG_WAITALL)
    assert len(answer) == 128
    return answer[0], struct.unpack_from("<I", answer, 12)[0]


def test_a_drive_is_served_under_its_name_and_ends(drive: api.Drive, tmp_path: Path):
    (tmp_path / "mine").mkdir(mode=0o700)
    with LiveDrive(drive, transport="nvme-tcp", folder=tmp_path / "mine") as live:
        host, port, subsystem = reached(live.uri)
        assert (host, subsystem) == ("127.0.0.1", "nqn.2026-11.local.rewear:mine")
        assert initialized(host, port) == (1, 128 << 10)
        assert live.stats()["source"]["format"] == "nvme-tcp"
    with pytest.raises(OSError, match="refused"):
        socket.create_connection((host, port), timeout=30).close()
    assert not (tmp_path / "mine").exists()


def test_a_server_that_is_killed_is_followed_by_one_at_the_same_address(drive: api.Drive, tmp_path: Path):
    live = LiveDrive(drive, transport="nvme-tcp", image=tmp_path / "image")
    host, port, subsystem = reached(live.uri)
    live.kill()
    with LiveDrive(drive, transport="nvme-tcp", image=tmp_path / "image", address=(host, port)) as again:
        assert reached(again.uri) == (host, port, subsystem)
        assert initialized(host, port)[0] == 1


@pytest.mark.parametrize("drive", ["qlc", "qlc-wom-v"])
def test_servers_that_are_killed_lose_nothing(drive: str):
    """A host connects again after each of them, and compares every page that it ever wrote."""
    study = [sys.executable, "experiments/studies/live.py", "--drives", drive]
    command = [*study, "crash", "--kills", "3", "--transport", "nvme-tcp"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    assert done.returncode == 0, done.stderr
    line = json.loads(done.stdout)
    assert line["wrong"] == 0
    assert line["pages_compared"] > 0


def test_other_machines_reach_it_only_if_that_is_said(rewear, drive: api.Drive):
    refused = rewear("serve", "--drive", "qlc", "--transport", "nvme-tcp", "--listen", "0.0.0.0:4420").refused()
    assert "can be reached from other machines" in refused
    assert "or say --insecure" in refused
    with pytest.raises(ServeError, match="can be reached from other machines"):
        LiveDrive(drive, transport="nvme-tcp", address=("0.0.0.0", 0))
    with LiveDrive(drive, transport="nvme-tcp", address=("0.0.0.0", 0), insecure=True) as live:
        assert initialized("127.0.0.1", reached(live.uri)[1])[0] == 1


def test_what_goes_with_other_transports_is_refused(rewear, drive: api.Drive, tmp_path: Path):
    with pytest.raises(ServeError, match="transport nvme-tcp does not have pace"):
        LiveDrive(drive, transport="nvme-tcp", pace=True)
    with pytest.raises(ServeError, match="does not have a size of blocks"):
        LiveDrive(drive, block_bytes=4096)
    with pytest.raises(ServeError, match="Give another address"):
        LiveDrive(drive, transport="nvme-tcp", address=("no such host.", 1))
    assert "Give 512 or 4096" in rewear("serve", "--drive", "qlc", "--block", "1000").refused()
    assert "--block goes with --transport nvme-tcp" in rewear("serve", "--drive", "qlc", "--block", "512").refused()
    listen = ("serve", "--drive", "qlc", "--transport", "nvme-tcp", "--listen")
    assert "has the port 99999, which there is not" in rewear(*listen, "99999").refused()
    assert "has no port. Write a number from 1 to 65535, as 4420" in rewear(*listen, "here").refused()
    assert "not one of 'nbd'" in rewear("serve", "--drive", "qlc", "--transport", "x").refused()
