"""A virtual machine whose kernel attaches a live drive over NVMe/TCP: nvme-cli, smartctl, fio, ext4.

    python experiments/studies/guest_nvme.py [--drive PRESET] [--handles N] [--kernel FOLDER]

`make guest-nvme` installs what this needs and runs it. The guest reaches the drive through QEMU's user network. It
discovers and connects, reads every log page that the drive has, writes with placement identifiers, verifies all blocks
with fio and keeps a file system. Then the counts that its tools read are compared with the replay of the recording.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

import rewear
from guest import KERNEL, PROGRAMS, SMALL, VERIFY, boot, check_tools, file_system, ram_disk
from guest import MODULES as VIRTIO
from rewear.core.errors import RewearError
from rewear.live.serve import LiveDrive

TOOLS = (*PROGRAMS, "nvme", "smartctl")
MODULES = (*VIRTIO[:-1], "failover", "net_failover", "virtio_net", "nvme-fabrics", "nvme-tcp")
DISK = "/dev/nvme0n1"

NETWORK = ("-netdev", "user,id=net,restrict=off", "-device", "virtio-net-pci,netdev=net,romfile=")
"""QEMU's, in which this machine is 10.0.2.2."""

CONNECT = """
mkdir -p /etc/nvme /usr/share
echo nqn.2014-08.org.nvmexpress:uuid:3a0d6b9e-6c0f-4a6f-9f9e-2f0f3b1c5d77 > /etc/nvme/hostnqn
echo 3a0d6b9e-6c0f-4a6f-9f9e-2f0f3b1c5d77 > /etc/nvme/hostid
ifconfig lo up
ifconfig eth0 10.0.2.15 netmask 255.255.255.0 up || fail "network"
await /dev/nvme-fabrics
say() {{ echo "guest: $1 $(tr -s ' \\t\\n' ' ' < $2)"; }}
try() {{
    name=$1; shift
    "$@" > /tmp/out 2> /tmp/err || echo "guest: BROKEN $name ended with $?: $(cat /tmp/out /tmp/err | tr '\\n' ' ')"
    say "$name" /tmp/out
    grep -v '^[a-z]*: Success *$' /tmp/err > /tmp/said && say "said $name:" /tmp/said
    true
}}
try discover nvme discover -t tcp -a 10.0.2.2 -s {port} -o json
try connect nvme connect -t tcp -a 10.0.2.2 -s {port} -n {subsystem} {options}
await {disk}
"""
END = """
try disconnect nvme disconnect -n {subsystem}
echo "guest: kernel $(dmesg | grep -i 'nvme.*\\(error\\|warn\\|fail\\|timeout\\|reset\\|invalid\\)' | tr '\\n' ';')"
echo "guest: DONE"
poweroff -f
"""
TOUR = """
try list nvme list
try id-ctrl nvme id-ctrl /dev/nvme0
try id-ns nvme id-ns {disk}
try ns-descs nvme ns-descs {disk}
try effects nvme effects-log /dev/nvme0 --csi=0 -o json
try firmware nvme fw-log /dev/nvme0
try queues nvme get-feature /dev/nvme0 -f 7
try smartctl smartctl -j -a {disk}
{verify}
dd if=/dev/urandom of=/tmp/data bs=4096 count=8 2>/dev/null
try write nvme write {disk} -s 0 -c {eight_pages} -z 32768 -d /tmp/data {placed}
try compare nvme compare {disk} -s 0 -c {eight_pages} -z 32768 -d /tmp/data
try verify nvme verify {disk} -s 0 -c {eight_pages}
try zeroes nvme write-zeroes {disk} -s 0 -c {page}
try dsm nvme dsm {disk} -n 1 -d -s {page_blocks} -b {page_blocks}
try read nvme read {disk} -s 0 -c {two_pages} -z 8192 -d /tmp/zeros
test "$(tr -d '\\0' < /tmp/zeros | wc -c)" = 0 || fail "zeros"
try flush nvme flush {disk}
{placement}
{ext4}
try endurance nvme endurance-log /dev/nvme0 -g 1
try ocp nvme ocp smart-add-log /dev/nvme0 -o json
try smart nvme smart-log /dev/nvme0 -o json
{statistics}
"""
STATISTICS = """try statistics nvme fdp stats /dev/nvme0 -e 1 -o json
"""
PLACEMENT = """
try configurations nvme fdp configs /dev/nvme0 -e 1
try usage nvme fdp usage /dev/nvme0 -e 1
try status nvme fdp status {disk}
try update nvme fdp update {disk} --pids=1,2
try events nvme fdp events /dev/nvme0 -e 1 -E
"""


def session(uri: str, does: str, options: str = "") -> str:
    """A guest that connects to a served drive, does something, and disconnects."""
    address, subsystem, _ = uri.removeprefix("nvme+tcp://").split("/")
    names = {"disk": DISK, "port": address.rpartition(":")[2], "subsystem": subsystem}
    return CONNECT.format(**names, options=options) + does + END.format(**names)


def tour(has_placement: bool, verify_mib: int, block_bytes: int) -> str:
    """All that the guest's tools can ask of the drive."""
    page_blocks = 4096 // block_bytes
    return TOUR.format(
        # Commands count blocks from 0.
        page_blocks=page_blocks, page=page_blocks - 1, two_pages=2 * page_blocks - 1, eight_pages=8 * page_blocks - 1,
        disk=DISK, verify=VERIFY.format(disk=DISK, verify_mib=verify_mib), ext4=file_system(DISK),
        placed="-T 2 -S 1" if has_placement else "",
        placement=PLACEMENT.format(disk=DISK) if has_placement else "",
        statistics=STATISTICS if has_placement else "",
    )  # fmt: skip


def said_by(console: str) -> dict[str, str]:
    """The lines of the guest by their first word.

    Raises:
        RewearError: A tool failed or had something to complain of.
    """
    lines = [line.removeprefix("guest: ") for line in console.splitlines() if line.startswith("guest: ")]
    broken = [line for line in lines if line.startswith(("BROKEN", "said"))]
    if broken:
        raise RewearError("The guest's tools complain: " + " ".join(broken))
    return {name: text for name, _, text in (line.partition(" ") for line in lines)}


def amplification(statistics: str, replayed: rewear.Report) -> float:
    """Write amplification of `nvme fdp stats`.

    Raises:
        RewearError: The counts are not those of the replay.
    """
    counts = json.loads(statistics)
    host, media = (int(counts[key]) for key in ("hbmw", "mbmw"))
    if host != replayed["host_bytes_written"] or media / host != replayed.write_amplification:
        raise RewearError(f"nvme fdp stats has {counts}, the replay {replayed.write_amplification}")
    return media / host


def check(console: str, live: rewear.Report, replayed: rewear.Report, everything: bool) -> None:
    """Prints what the guest's tools read, and compares it with the replay."""
    found = said_by(console)
    for name in found if everything else ("fio", "ext4", "kernel"):
        print(f"{name}: {found[name]}")
    failed = live["live"]["requests_failed"]
    print(f"drive: {live['requests']['write']} writes, {live['requests']['trim']} trims; {failed} failed")
    print(f"drive: {live.erases} erases, in the replay {replayed.erases}")
    if "statistics" in found:
        seen = amplification(found["statistics"], replayed)
        print(f"write amplification: {seen:.4f} of nvme fdp stats, {replayed.write_amplification:.4f} replayed")
    if failed or live.erases != replayed.erases:
        raise RewearError("The guest's run is not that of the replay.")


def main() -> int:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--drive", default="qlc")
    parser.add_argument("--handles", type=int, default=4, help="reclaim unit handles; 0 for a drive without placement")
    parser.add_argument("--verify-mib", type=int, default=30)
    parser.add_argument("--digests", action="store_true", help="of headers and data")
    parser.add_argument("--block", type=int, default=512, choices=(512, 4096))
    parser.add_argument("--everything", action="store_true", help="print all that the guest's tools said")
    parser.add_argument("--patience", type=float, default=600.0)
    parser.add_argument("--kernel", type=Path, default=KERNEL)
    given = parser.parse_args()
    settings: dict[str, str | float] = {**SMALL}
    if given.handles:
        # Open units of the handles take spare flash.
        room = {"flash.blocks_per_plane": 24, "ftl.over_provisioning": 0.45}
        settings |= {"ftl.streams.scheme": "host", "ftl.streams.handles": given.handles, **room}
    try:
        check_tools(given.kernel, TOOLS)
        drive = rewear.Drive(given.drive, set=settings)
        with tempfile.TemporaryDirectory(prefix="rewear-guest-") as name:
            record = Path(name) / "guest.rwt"
            with LiveDrive(drive, transport="nvme-tcp", record=record, block_bytes=given.block) as live:
                options = "-i 2" + (" -g -G" if given.digests else "")
                init = session(live.uri, tour(bool(given.handles), given.verify_mib, given.block), options)
                disk = ram_disk(given.kernel, init, TOOLS, MODULES)
                said = boot(given.kernel, disk, NETWORK, Path(name), given.patience)
                report = live.stats()
            check(said, report, drive.replay(record), given.everything)
    except RewearError as error:
        print(f"guest: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
