#!/usr/bin/env bash
# Records a real workload: real programs on a real ext4 file system whose block device logs every request.
#
# usage: traces/record.sh [FOLDER]     (as root; about ten minutes; FOLDER defaults to ./recordings)
#
# Leaves in FOLDER: day.log (nbdkit's log), day.phases (when each phase began), day.csv (time_ns, operation, offset, length),
# day.summary (counts by phase) and, where the rewear command is at hand, day.rwt. Programs' inputs are kept in FOLDER/cache.
# Job control gives every job a process group of its own: one that is interrupted can be ended with its children, and an
# interrupt from the keyboard does not reach the device before the file system is unmounted.
set -Eeuo pipefail -m

fail() {
    echo "record.sh: $*" >&2
    exit 1
}

recipe=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "${1:-recordings}"
folder=$(cd "${1:-recordings}" && pwd)
size=1G
cache=$folder/cache
log=$folder/day.log
phases=$folder/day.phases
loop=
nbdkit_pid=
nbdfuse_pid=

source "$recipe/workload/device.sh"
source "$recipe/workload/packages.sh"
source "$recipe/workload/development.sh"
source "$recipe/workload/phases.sh"

check_prerequisites() {
    [[ $(id -u) == 0 ]] || fail "a loop device and a mount need root"
    [[ -e /dev/fuse ]] || fail "/dev/fuse is missing: load the kernel's fuse module"
    [[ -e /dev/loop-control ]] || fail "/dev/loop-control is missing: load the kernel's loop module"
    grep -qw ext4 /proc/filesystems || fail "the kernel has no ext4"
    require nbdkit nbdkit
    require nbdfuse libnbd-bin
    require fusermount3 fuse3
    require mkfs.ext4 e2fsprogs
    require losetup mount
    require dpkg dpkg
    require apt-get apt
    require git git
    require gcc gcc
    require ar binutils
    require npm npm
    require zstd zstd
    require python3 python3
    python3 -c 'import ensurepip' 2>/dev/null || fail "python3 cannot make virtual environments: apt-get install python3-venv"
    python3 -m pip --version >/dev/null 2>&1 || fail "pip is missing: apt-get install python3-pip"
}

clean_up() {
    local status=$? group
    trap - EXIT INT TERM ERR
    if [[ $status != 0 ]]; then
        for group in $(jobs -p); do
            # Jobs of an interrupted phase would keep the file system busy.
            [[ $group == "$nbdkit_pid" || $group == "$nbdfuse_pid" ]] || kill -- "-$group" 2>/dev/null || true
        done
        sleep 1
    fi
    stop_device || status=1
    rm -rf --one-file-system "$work"
    exit "$status"
}

check_prerequisites
bash "$recipe/workload/fetch.sh" "$cache"
work=$(mktemp -d)
root=$work/root
rm -f "$log" "$phases" "$folder/dpkg.log"
trap clean_up EXIT
trap 'exit 130' INT TERM
trap 'echo "record.sh: failed: $BASH_COMMAND" >&2' ERR

begin_phase format
start_device
format_device
mount_device
# One disk: the programs' home and temporary files are on it too. Compiled Python files are wanted.
export HOME=$root/home TMPDIR=$root/tmp
unset PYTHONDONTWRITEBYTECODE
for phase in install office code upgrade everything tidy; do
    remount_device
    begin_phase "$phase"
    "phase_$phase"
    report_use
done
begin_phase unmount
umount "$root"
begin_phase check
stop_device

python3 "$recipe/workload/summarise.py" "$log" "$phases" --csv "$folder/day.csv" | tee "$folder/day.summary"
if command -v rewear >/dev/null; then
    rewear trace convert "$log" "$folder/day.rwt"
else
    echo "rewear is not on the PATH: the log is $log; convert it with: rewear trace convert $log $folder/day.rwt"
fi
