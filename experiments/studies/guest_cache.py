"""A flash cache in a virtual machine, with and without placement identifiers; its write amplification by nvme-cli.

    python experiments/studies/guest_cache.py [--drive-writes 8] [--kernel FOLDER]

`make guest-cache` installs what this needs and runs it. The workload is CacheLib's layout: small objects on 4% of the
pages take half of the bytes written, large objects are written as regions in turn. Linux's driver passes the writes
through, small objects with identifier 0 and large ones with identifier 1. Then `nvme fdp stats` is compared with the
replay of the recording.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

import rewear
from guest import KERNEL, boot, check_tools, ram_disk
from guest_nvme import DISK, MODULES, NETWORK, STATISTICS, TOOLS, amplification, said_by, session
from live import build_client
from rewear.core.errors import RewearError
from rewear.live.serve import LiveDrive

SMALL = {"flash.blocks_per_plane": 20, "ftl.over_provisioning": 0.45}
"""Settings that shrink `qlc` to 110 MiB, with spare flash for open units of the handles."""

HANDLES = {"ftl.streams.scheme": "host", "ftl.streams.handles": 2, "ftl.streams.isolation": "persistent"}
"""With one handle in use a drive that keeps them apart is the drive without placement."""

WORKLOAD = "flash-cache:small=0.04,small_writes=0.5,region=256KiB,volume_bytes={volume_mib}MiB,stream=component"
PLAY = "try play passthrough /dev/ng0n1 4096 {pages} '{workload}' {placed}\n"


def measured(kernel: Path, is_placed: bool, drive_writes: int, patience_s: float) -> tuple[float, dict[str, int]]:
    """Write amplification of a guest's flash cache, and what the guest wrote."""
    drive = rewear.Drive("qlc", set=SMALL | HANDLES)
    workload = WORKLOAD.format(volume_mib=drive_writes * (drive.exported_bytes >> 20))
    play = PLAY.format(pages=drive.exported_bytes // 4096, workload=workload, placed="placed" if is_placed else "")
    player = str(Path(build_client("rewear-nvme-live", "passthrough")).absolute())
    with tempfile.TemporaryDirectory(prefix="rewear-guest-") as name:
        record = Path(name) / "guest.rwt"
        with LiveDrive(drive, transport="nvme-tcp", record=record, block_bytes=4096) as live:
            init = session(live.uri, f"await {DISK}\n{play}{STATISTICS}", "-i 1")
            disk = ram_disk(kernel, init, (*TOOLS, player), MODULES)
            found = said_by(boot(kernel, disk, NETWORK, Path(name), patience_s))
        replayed = drive.replay(record)
    if replayed.erases == 0:
        raise RewearError("The drive was never cleaned: write it more often, --drive-writes.")
    return amplification(found["statistics"], replayed), json.loads(found["play"])


def main() -> int:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--drive-writes", type=int, default=8)
    parser.add_argument("--patience", type=float, default=1800.0)
    parser.add_argument("--kernel", type=Path, default=KERNEL)
    given = parser.parse_args()
    try:
        check_tools(given.kernel, TOOLS)
        for is_placed in (False, True):
            seen, wrote = measured(given.kernel, is_placed, given.drive_writes, given.patience)
            handles = "a handle each" if is_placed else "one handle"
            print(f"{handles}: {wrote['writes']} writes, {wrote['bytes']} bytes; write amplification {seen:.4f}"
                  " of nvme fdp stats and of the replay", flush=True)  # fmt: skip
    except RewearError as error:
        print(f"guest: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
