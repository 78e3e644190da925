"""A virtual machine on a live drive: its kernel's driver, fio with verification, ext4."""

import subprocess
import sys
from pathlib import Path

import pytest
import rewear as api
from conftest import PATIENCE_S
from rewear.live.serve import LiveDrive, ServeError

ROOT = Path(__file__).resolve().parents[2]
GUEST = ROOT / "experiments/studies/guest.py"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    if sys.platform != "linux":
        pytest.skip("vhost-user needs Linux")


@pytest.mark.skipif(
    not {"vmx", "svm"} & set(Path("/proc/cpuinfo").read_text().split() if sys.platform == "linux" else ()),
    reason="needs hardware virtualisation: an emulated guest takes minutes (make guest runs one)",
)
def test_a_guest_verifies_its_data_and_keeps_a_file_system():
    command = [sys.executable, GUEST, "--seconds", "0", "--verify-mib", "20", "--patience", str(PATIENCE_S)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=2 * PATIENCE_S)
    if "make guest-tools" in done.stderr:
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stderr
    assert "fio verified every block" in done.stdout
    assert "ext4 clean, 12 checksums equal" in done.stdout
    figures = done.stdout.splitlines()[-1]
    assert " 0 failed" in figures
    live, replayed = (int(text.split()[-1]) for text in (figures.split(" erases")[0], figures))
    assert live == replayed


def test_a_drive_for_virtual_machines_is_served_and_ends(rewear, small: dict[str, str], tmp_path: Path):
    drive = api.Drive("qlc", set=small)
    with LiveDrive(drive, transport="vhost-user", socket=tmp_path / "disk") as live:
        assert Path(live.uri).is_socket()
        assert live.stats()["source"]["format"] == "vhost-user"
    assert not (tmp_path / "disk").exists()
    (tmp_path / "file").write_text("precious")
    with pytest.raises(ServeError, match="is no socket"):
        LiveDrive(drive, transport="vhost-user", socket=tmp_path / "file")
    assert (tmp_path / "file").read_text() == "precious"
    with pytest.raises(ServeError, match="does not have pace"):
        LiveDrive(drive, transport="vhost-user", pace=True)
    refused = rewear("serve", "--drive", "qlc", "--transport", "ublk").refused()
    assert "Use nbd, vhost-user or nvme-tcp" in refused
    assert "does not have a path for the socket" in rewear("serve", "--drive", "qlc", "--socket", "disk").refused()
