"""Builds the package: maturin, with what Cargo does not know put beside the Python sources before.

The plugin for nbdkit is a second library, the servers of other transports are programs, and recordings and experiments
lie outside the package. `stage` puts them below `python/rewear`, where they are not tracked, and the wheel takes them.
`make build` stages the servers alone: in a checkout the data are used where they lie. Only the standard library is
needed here.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent
PACKAGE = ROOT / "python" / "rewear"
PLUGIN = PACKAGE / "plugins" / "nbdkit-rewear-plugin.so"
NVME_SERVER = PLUGIN.with_name("rewear-nvme-tcp")
DATA = PACKAGE / "data"
"""Laid out as the repository, so that paths between experiments and recordings hold."""


def stage(target: str | None = None) -> None:
    """Builds the plugin and copies the data: a wheel that is made afterwards is complete."""
    stage_plugin(target)
    shutil.rmtree(DATA, ignore_errors=True)
    for folder, pattern in (
        ("experiments", "*.toml"),
        ("experiments", "*.csv"),
        ("experiments/papers", "*.py"),
        ("experiments/twins", "*.py"),
        ("recordings", "*.rwt"),
        ("presets", "*.toml"),
    ):
        for file in sorted((ROOT / folder).rglob(pattern)):
            copy = DATA / file.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)


def stage_plugin(target: str | None = None, profile: str = "release") -> None:
    """Builds what serves: the library that nbdkit loads, whose symbols come from nbdkit, and the NVMe server."""
    packages = ["--package", "rewear-nbd", "--package", "rewear-nvme-live"]
    options = [] if target is None else ["--target", target]
    command = ["cargo", "build", "--profile", profile, "--quiet", "--locked", "--lib", "--bins", *packages, *options]
    subprocess.run(command, cwd=ROOT, check=True)
    name = "librewear_nbd.dylib" if sys.platform == "darwin" else "librewear_nbd.so"
    folder = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / (target or "")
    folder /= "debug" if profile == "dev" else profile
    PLUGIN.parent.mkdir(exist_ok=True)
    for built, staged in ((name, PLUGIN), (NVME_SERVER.name, NVME_SERVER)):
        # Beside its name and then renamed: a server that runs keeps the file that it was started from.
        fresh = staged.with_name(staged.name + ".new")
        shutil.copy(folder / built, fresh)
        if (strip := shutil.which("strip")) is not None:
            subprocess.run([strip, "-x", fresh], check=True)
        fresh.replace(staged)


def unstage() -> None:
    """Takes the data away again, so that a checkout has one copy only."""
    shutil.rmtree(DATA, ignore_errors=True)


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """Builds a complete wheel (PEP 517)."""
    import maturin

    stage()
    try:
        name: str = maturin.build_wheel(wheel_directory, config_settings, metadata_directory)
        return name
    finally:
        unstage()


def build_editable(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """Builds an editable install (PEP 660), which uses the data of the checkout."""
    import maturin

    stage_plugin()
    name: str = maturin.build_editable(wheel_directory, config_settings, metadata_directory)
    return name


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """Packs what the repository tracks (PEP 517)."""
    import maturin

    name: str = maturin.build_sdist(sdist_directory, config_settings)
    return name


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    """Nothing beyond maturin."""
    return []


get_requires_for_build_editable = get_requires_for_build_sdist = get_requires_for_build_wheel


def main() -> None:
    """`build_backend.py stage|stage-plugin|unstage`, for the Makefile and builds on other machines."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=("stage", "stage-plugin", "unstage"))
    parser.add_argument("--target", help="of the Rust compiler, such as aarch64-unknown-linux-gnu")
    parser.add_argument("--profile", default="release", help="of Cargo, for the plugin (default release)")
    arguments = parser.parse_args()
    if arguments.step == "unstage":
        unstage()
    elif arguments.step == "stage":
        stage(arguments.target)
    else:
        stage_plugin(arguments.target, arguments.profile)


if __name__ == "__main__":
    main()
