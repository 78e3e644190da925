"""A virtual machine on a live drive: Debian's kernel under QEMU, an NBD client, with fio and ext4 on its disk.

    python experiments/studies/guest.py [--drive PRESET] [--seconds S] [--kernel FOLDER]

`make guest` installs what this needs, unpacks Debian's kernel for virtual machines, and runs it. The guest runs from an
initial RAM disk: busybox, fio, e2fsprogs, and the modules of the kernel. Without hardware virtualisation QEMU emulates
the processor; then only correctness means something, and no rate.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import rewear
from rewear.core.errors import RewearError
from rewear.live.serve import LiveDrive

KERNEL = Path("out/guest/kernel")
"""Where `make guest-tools` unpacks the kernel's package."""

PROGRAMS = ("busybox", "fio", "mke2fs", "e2fsck")
MODULES = ("virtio_ring", "virtio", "virtio_pci_legacy_dev", "virtio_pci_modern_dev", "virtio_pci", "virtio_blk")
"""In the order in which they need each other."""

SMALL = {"flash.blocks_per_plane": 20, "ftl.over_provisioning": 0.28}
"""Settings that shrink a drive so far that the guest fills it: `qlc` to 120 MiB."""

BEGIN = """#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin
mount -t proc none /proc; mount -t sysfs none /sys; mount -t devtmpfs none /dev; mkdir -p /tmp /mnt
for module in {modules}; do insmod /modules/$module.ko; done
fail() {{ echo "guest: FAILED $1"; poweroff -f; }}
await() {{
    tries=0
    while ! test -e $1; do tries=$((tries + 1)); test $tries -lt 1000 || fail "there is no $1"; usleep 10000; done
}}
"""
INIT = """
await /dev/vda
echo "guest: disk of $(cat /sys/block/vda/size) sectors, serial $(cat /sys/block/vda/serial)"
echo "guest: discard $(cat /sys/block/vda/queue/discard_max_bytes), cache $(cat /sys/block/vda/queue/write_cache)"
{verify}
{speed}
{ext4}
echo "guest: DONE"
poweroff -f
"""
VERIFY = """
fio --name=verify --filename={disk} --direct=1 --ioengine=libaio --iodepth=16 --rw=randwrite --bsrange=4k-64k \\
    --size={verify_mib}m --verify=crc32c --do_verify=1 --verify_fatal=1 --allow_file_create=0 \\
    --output=/tmp/verify || fail "fio verify"
echo "guest: fio verified every block"
"""
FILE_SYSTEM = """
{make} || fail "making {kind}"
mount -t {kind} -o discard {disk} /mnt || fail "mount"
for round in 1 2 3 4; do
    rm -rf /mnt/old; mkdir -p /mnt/new; mv /mnt/new /mnt/old; mkdir /mnt/new
    for file in 1 2 3 4 5 6; do dd if=/dev/urandom of=/mnt/new/$file bs=64k count=24 2>/dev/null || fail "write"; done
    sync
done
(cd /mnt && find . -type f | sort | xargs sha256sum) > /tmp/before
umount /mnt || fail "umount"
{check} > /tmp/fsck 2>&1 || fail "{check} $(cat /tmp/fsck)"
mount -t {kind} -o discard {disk} /mnt || fail "mount again"
(cd /mnt && sha256sum -c -s /tmp/before) || fail "checksums"
fstrim /mnt || fail "fstrim"
umount /mnt
{check} > /tmp/fsck 2>&1 || fail "{check} $(cat /tmp/fsck)"
echo "guest: {kind} clean, $(wc -l < /tmp/before) checksums equal"
"""
FILE_SYSTEMS = {
    "ext4": ("/bin/mke2fs -q -F -t ext4 -E lazy_itable_init=0", "/bin/e2fsck -fn"),
    "xfs": ("/bin/mkfs.xfs -q -f", "/bin/xfs_repair -n"),
}
"""How each is made and checked."""
SPEED = """fio --name=speed --filename=/dev/vda --direct=1 --ioengine=libaio --iodepth=32 --rw=randwrite --bs=4k \\
    --runtime={seconds} --time_based --output-format=json --output=/tmp/speed || fail "fio speed"
echo "guest: fio $(tr -d '\\n' < /tmp/speed)"
"""


def file_system(disk: str, kind: str = "ext4") -> str:
    """Keeps a file system on a disk: files come and go, and their checksums and its structures are compared."""
    make, check = (f"{command} {disk}" for command in FILE_SYSTEMS[kind])
    return FILE_SYSTEM.format(disk=disk, kind=kind, make=make, check=check)


def has_hardware() -> bool:
    """Whether the processor offers virtualisation and this user may use it."""
    flags = Path("/proc/cpuinfo").read_text().split()
    return ("vmx" in flags or "svm" in flags) and os.access("/dev/kvm", os.R_OK | os.W_OK)


def check_tools(kernel: Path, programs: Sequence[str] = PROGRAMS) -> None:
    """Sees that everything is there."""
    missing = [tool for tool in ("qemu-system-x86_64", *programs) if which(tool) is None]
    if missing or not list(kernel.glob("boot/vmlinuz-*")):
        what = ", ".join(missing) or f"a kernel below {kernel}"
        raise RewearError(f"Missing: {what}. Install what the guest needs: make guest-tools.")


def which(tool: str) -> str | None:
    """A program, also of those that only root has in its path."""
    return shutil.which(tool, path=os.environ.get("PATH", os.defpath) + ":/usr/sbin:/sbin")


def archive(files: dict[str, tuple[int, bytes]]) -> bytes:
    """A cpio archive in the format of initial RAM disks ("newc"); a file is its mode and its bytes."""
    out = bytearray()
    for number, (name, (mode, content)) in enumerate([*files.items(), ("TRAILER!!!", (0, b""))], start=1):
        path = name.encode() + b"\0"
        fields = (number, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(path), 0)
        out += b"070701" + b"".join(b"%08X" % field for field in fields) + path
        out += bytes(-len(out) % 4) + content
        out += bytes(-len(out) % 4)
    return bytes(out)


def ram_disk(kernel: Path, init: str, programs: Sequence[str] = PROGRAMS, modules: Sequence[str] = MODULES) -> bytes:
    """The guest's files: programs of this machine with their libraries, modules, and what to do."""
    folder, file = 0o040755, 0o100755
    paths = {tool: Path(str(which(tool))).resolve() for tool in programs}
    content: dict[str, bytes] = {f"bin/{Path(name).name}": path.read_bytes() for name, path in paths.items()}
    for path in paths.values():
        listed = subprocess.run(["ldd", path], capture_output=True, text=True, check=False).stdout
        for library in re.findall(r"(/\S+) \(0x", listed):
            content[library.lstrip("/")] = Path(library).read_bytes()
    for module in modules:
        (found,) = kernel.glob(f"lib/modules/*/kernel/**/{module}.ko")
        content[f"modules/{module}.ko"] = found.read_bytes()
    content["init"] = (BEGIN.format(modules=" ".join(modules)) + init).encode()
    folders = {str(parent) for name in content for parent in Path(name).parents if str(parent) != "."}
    folders |= {"proc", "sys", "dev"}
    return archive(dict.fromkeys(sorted(folders), (folder, b"")) | {name: (file, content[name]) for name in content})


def boot(
    kernel: Path, disk: bytes, devices: Sequence[str], folder: Path, patience_s: float,
    meanwhile: Callable[[Callable[[], bool]], None] = lambda runs: None,
) -> str:  # fmt: skip
    """Runs the guest with further devices to its end; what it wrote to its console.

    Args:
        kernel: Where Debian's kernel was unpacked.
        disk: The initial RAM disk.
        devices: Further options of QEMU.
        folder: For the files of the run.
        patience_s: How long the guest may take.
        meanwhile: Called once it was started, with a function that tells whether it still runs.
    """
    (image,) = kernel.glob("boot/vmlinuz-*")
    initial, console = folder / "initrd", folder / "console"
    initial.write_bytes(disk)
    hardware = ["-accel", "kvm", "-cpu", "host"] if has_hardware() else ["-accel", "tcg", "-cpu", "max"]
    command = [
        "qemu-system-x86_64", *hardware, "-m", "1024", "-nodefaults", "-display", "none", "-no-reboot",
        "-serial", "stdio", "-machine", "q35", *devices,
        "-kernel", str(image), "-initrd", str(initial), "-append", "console=ttyS0 panic=-1 quiet no_timer_check",
    ]  # fmt: skip
    give_up_at = time.monotonic() + patience_s
    with console.open("wb") as out:
        guest = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        try:
            meanwhile(lambda: guest.poll() is None and time.monotonic() < give_up_at)
            guest.wait(max(give_up_at - time.monotonic(), 0))
        except subprocess.TimeoutExpired:
            said = console.read_text(errors="replace")[-2000:]
            problem = f"The guest did not end within {patience_s:.0f} seconds. It said: {said!r}"
            raise RewearError(problem) from None
        finally:
            guest.kill()
            guest.wait()
    said = console.read_text(errors="replace")
    if "guest: DONE" not in said:
        raise RewearError(f"The guest failed: {said[-3000:]}")
    return said


def main() -> int:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--drive", default="qlc")
    parser.add_argument("--seconds", type=float, default=5.0, help="of fio's random writes; 0 leaves them out")
    parser.add_argument("--verify-mib", type=int, default=60)
    parser.add_argument("--patience", type=float, default=600.0)
    parser.add_argument("--kernel", type=Path, default=KERNEL)
    given = parser.parse_args()
    try:
        check_tools(given.kernel)
        drive = rewear.Drive(given.drive, set=SMALL)
        with tempfile.TemporaryDirectory(prefix="rewear-guest-") as name:
            speed = SPEED.format(seconds=given.seconds) if given.seconds else ""
            verify = VERIFY.format(disk="/dev/vda", verify_mib=given.verify_mib)
            init = INIT.format(verify=verify, speed=speed, ext4=file_system("/dev/vda"))
            disk = ram_disk(given.kernel, init)
            with LiveDrive(drive, record=Path(name) / "guest.rwt") as live:
                devices = ["-drive", f"file={live.uri},if=none,id=disk,format=raw,cache=none,discard=unmap",
                           "-device", f"virtio-blk-pci,drive=disk,serial={drive.name}"]  # fmt: skip
                said = boot(given.kernel, disk, devices, Path(name), given.patience)
                report = live.stats()
            replayed = drive.replay(Path(name) / "guest.rwt")
        print("processor:", "hardware virtualisation" if has_hardware() else "emulated")
        for line in said.splitlines():
            if line.startswith("guest: fio {"):
                job = json.loads(line.removeprefix("guest: fio "))["jobs"][0]["write"]
                print(f"fio: {job['iops']:.0f} writes a second, {job['clat_ns']['mean'] / 1e3:.0f} us each")
            elif line.startswith("guest: "):
                print(line)
        requests, failed = report["requests"], report["live"]["requests_failed"]
        print(f"drive: {requests['write']} writes, {requests['trim']} trims, {requests['flush']} flushes")
        print(f"drive: {failed} failed; {report.erases} erases, in the replay {replayed.erases}")
    except RewearError as error:
        print(f"guest: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
