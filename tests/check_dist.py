"""Installs a wheel into empty environments and uses it as a stranger would, without Rust on the path.

    python tests/check_dist.py out/dist/rewear-0.2.0-*.whl

Core: size, time, start-up, the demo, a clear message where an extra is missing. All extras: a claim reproduced; a file
system made on a served drive where nbdkit is installed, and mounted where root has nbdfuse. Prints what it measured;
the first failure ends it.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MOST_BYTES = 60 * 10**6
SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def run(folder: Path, *command: str, status: int = 0) -> str:
    """Runs a command of the environment in a folder of its own; its output, or its errors where it has to fail."""
    path = f"{folder / 'bin'}:{SYSTEM_PATH}"
    assert shutil.which("cargo", path=path) is None, "Rust is on the path"
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV", "CARGO"))}
    done = subprocess.run(
        command, cwd=folder, env=clean | {"PATH": path}, text=True, capture_output=True, check=False
    )  # fmt: skip
    if done.returncode != status:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}, not {status}:\n{done.stdout}\n{done.stderr}")
    return done.stderr if status else done.stdout


def environment(folder: Path, wheel: str) -> str:
    """An environment with the wheel alone; how long the installation took, by the clock and of a processor."""
    venv.create(folder, with_pip=True)
    begun, worked = time.monotonic(), processor_s()
    run(folder, "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel)
    return f"{time.monotonic() - begun:.1f} s ({processor_s() - worked:.1f} s of processor)"


def processor_s() -> float:
    """Seconds of processor that processes started here have used."""
    used = os.times()
    return used.children_user + used.children_system


def size_bytes(folder: Path) -> int:
    """Bytes of what was installed, without pip itself."""
    packages = next(folder.glob("lib/python*/site-packages"))
    own = (path for path in packages.rglob("*") if path.is_file() and path.relative_to(packages).parts[0][:3] != "pip")
    return sum(path.stat().st_size for path in own if "__pycache__" not in path.parts)


def check_core(folder: Path, wheel: Path) -> None:
    """What the wheel does without extras."""
    took = environment(folder, str(wheel))
    size = size_bytes(folder)
    print(f"core: installed in {took}, {size / 1e6:.1f} MB")
    assert size <= MOST_BYTES, f"the core takes {size} bytes"
    run(folder, "rewear", "--help")  # compiles the sources
    worked = processor_s()
    run(folder, "rewear", "--help")
    print(f"core: --help takes {processor_s() - worked:.2f} s of processor")
    assert (folder / "share/man/man1/rewear.1").is_file(), "no manual page"
    worked = processor_s()
    answer = json.loads(run(folder, "rewear", "demo", "--json"))
    print(f"core: the demo takes {processor_s() - worked:.0f} s of processor and says: buy {answer['buy']}")
    refused = run(folder, "rewear", "codes", "--html", "codes.html", status=2)
    assert re.search(r"pip install 'rewear\[\w+\]'", refused), refused


def check_all(folder: Path, wheel: Path) -> None:
    """What it does with all extras."""
    print(f"all: installed in {environment(folder, f'{wheel}[all]')}, {size_bytes(folder) / 1e6:.0f} MB")
    run(folder, "rewear", "reproduce", "seal.F3", "--out", "reproduced")
    claim = json.loads((folder / "reproduced/verdicts.json").read_text())["papers"][0]["claims"][0]
    print(f"all: reproduced {claim['claim']}, whole: {claim['verdict']}")
    if any(shutil.which(tool) is None for tool in ("nbdkit", "nbdcopy", "mkfs.ext4")):
        print("all: nothing served, since nbdkit, nbdcopy or mkfs.ext4 is missing")
        return
    tutorial = (ROOT / "docs/tutorials/file-system.md").read_text(encoding="utf-8")
    program = "\n".join(re.findall(r"^```python\n(.*?)^```", tutorial, re.MULTILINE | re.DOTALL))
    print("all:", run(folder, "bin/python", "-c", program).splitlines()[-1])
    if os.geteuid() != 0 or any(shutil.which(tool) is None for tool in ("nbdfuse", "fusermount3", "losetup", "git")):
        print("all: nothing mounted: that needs root, nbdfuse, fusermount3, losetup and git")
        return
    demo = str(ROOT / "experiments/studies/serve_demo.py")
    run(folder, "bin/python", demo, "--transactions", "300")
    print("all: ext4 mounted on a served drive, SQLite and git on it")


def main() -> None:
    """Checks the wheel that is named."""
    wheel = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        check_core(folder / "core", wheel)
        check_all(folder / "all", wheel)


if __name__ == "__main__":
    main()
