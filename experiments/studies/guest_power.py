"""A virtual machine on an NVMe drive whose server is killed while it writes: fio verifies, a file system is checked.

    python experiments/studies/guest_power.py [--kills 6] [--file-system xfs] [--kernel FOLDER]

`make guest-power` installs what this needs and runs it. The server keeps the cells in an image and is killed (`kill
-9`), whenever it has taken so many writes, and started again at its address. The guest's driver connects again and
sends what was not answered. In the end fio finds every block as it was written, and the file system is clean.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import rewear
from guest import FILE_SYSTEMS, KERNEL, VERIFY, boot, check_tools, file_system, ram_disk
from guest_nvme import DISK, MODULES, NETWORK, TOOLS, said_by, session
from rewear.core.errors import RewearError
from rewear.live.serve import LiveDrive

LARGE = {"flash.blocks_per_plane": 60, "ftl.over_provisioning": 0.28}
"""Settings that shrink `qlc` to 375 MiB: xfs asks for 300."""

LOOK_S = 0.02


class Killed:
    """A drive whose server is killed after so many writes, and started again at its address."""

    def __init__(self, drive: rewear.Drive, image: Path, block_bytes: int) -> None:
        """Starts the first server."""
        self.drive, self.image, self.block_bytes = drive, image, block_bytes
        self.live = LiveDrive(drive, transport="nvme-tcp", image=image, block_bytes=block_bytes)
        self.kills = 0

    def kill(self) -> None:
        """Kills the server and starts the next one."""
        address = self.live.uri.removeprefix("nvme+tcp://").partition("/")[0]
        host, _, port = address.rpartition(":")
        self.live.kill()
        self.kills += 1
        self.live = LiveDrive(
            self.drive, transport="nvme-tcp", image=self.image, block_bytes=self.block_bytes, address=(host, int(port))
        )

    def while_written(self, runs: Callable[[], bool], kills: int, writes: int) -> None:
        """Kills it until there are so many kills or nobody `runs`."""
        while runs() and self.kills < kills:
            if self.live.stats()["requests"]["write"] >= writes:
                self.kill()
            time.sleep(LOOK_S)


def main() -> int:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=6)
    parser.add_argument("--writes", type=int, default=120, help="between two kills")
    parser.add_argument("--file-system", choices=sorted(FILE_SYSTEMS), default="xfs")
    parser.add_argument("--verify-mib", type=int, default=16)
    parser.add_argument("--block", type=int, default=4096, choices=(512, 4096))
    parser.add_argument("--digests", action="store_true", help="of headers and data")
    parser.add_argument("--patience", type=float, default=1800.0)
    parser.add_argument("--kernel", type=Path, default=KERNEL)
    given = parser.parse_args()
    make, check = (Path(command.split()[0]).name for command in FILE_SYSTEMS[given.file_system])
    tools = tuple(dict.fromkeys((*TOOLS, make, check)))
    modules = (*MODULES, *(("libcrc32c", "xfs") if given.file_system == "xfs" else ()))
    try:
        check_tools(given.kernel, tools)
        drive = rewear.Drive("qlc", set=LARGE)
        does = VERIFY.format(disk=DISK, verify_mib=given.verify_mib) + file_system(DISK, given.file_system)
        with tempfile.TemporaryDirectory(prefix="rewear-guest-") as name:
            served = Killed(drive, Path(name) / "image", given.block)
            try:
                options = "-i 2 -c 1 -l -1" + (" -g -G" if given.digests else "")
                disk = ram_disk(given.kernel, session(served.live.uri, does, options), tools, modules)
                console = boot(
                    given.kernel, disk, NETWORK, Path(name), given.patience,
                    lambda runs: served.while_written(runs, given.kills, given.writes),
                )  # fmt: skip
                failed = served.live.stats()["live"]["requests_failed"]
            finally:
                served.live.stop()
        found = said_by(console)
        print(f"fio {found['fio']}; {given.file_system} {found[given.file_system]}")
        print(f"server: killed {served.kills} times, {failed} requests failed")
        if served.kills < given.kills or failed:
            raise RewearError("The guest was done before the server was killed so often, or requests failed.")
    except RewearError as error:
        print(f"guest: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
