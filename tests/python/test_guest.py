"""A virtual machine on a live drive: its kernel's driver, fio with verification, ext4."""

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import PATIENCE_S

ROOT = Path(__file__).resolve().parents[2]
GUEST = ROOT / "experiments/studies/guest.py"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    if sys.platform != "linux":
        pytest.skip("the guest is Debian's kernel")


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
