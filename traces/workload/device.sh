# shellcheck shell=bash disable=SC2034,SC2154,SC2317  # variables are shared with record.sh
# The recorded device: nbdkit keeps it in memory and logs every request, nbdfuse shows it as a file, a loop device makes a block
# device of the file, the kernel's ext4 lies on it. Sourced by record.sh, which sets $work, $root, $log, $phases, $size.

require() {
    local command=$1 package=$2
    command -v "$command" >/dev/null || fail "$command is missing: apt-get install $package"
}

start_device() {
    # The log filter stands first, so that it sees the requests as they arrive. nbdkit writes local time: UTC, so no clock change.
    TZ=UTC nbdkit --foreground --unix "$work/socket" --filter=log memory "$size" "logfile=$log" &
    nbdkit_pid=$!
    wait_for "nbdkit does not listen" test -S "$work/socket"
    touch "$work/device"
    nbdfuse "$work/device" "nbd+unix:///?socket=$work/socket" &
    nbdfuse_pid=$!
    wait_for "nbdfuse shows no device" test -s "$work/device"
    # Direct I/O keeps the page cache of the file under the loop device out of the recording: there is one cache, ext4's.
    loop=$(losetup --show --direct-io=on --find "$work/device")
}

wait_for() {
    local message=$1 try
    shift
    for ((try = 0; try < 100; try++)); do
        "$@" && return
        sleep 0.1
    done
    fail "$message"
}

format_device() {
    # Without discard: a drive that was filled before the replay stays so. The fixed identifiers make the directories' hash
    # order repeat.
    mkfs.ext4 -q -E nodiscard,hash_seed=8d5f0b3e-6c7a-4b51-9c5e-3f2a1d0e9b48 \
        -U 3b9e4f10-52ad-4e57-8f0c-1a6d7c2e5b90 "$loop"
}

mount_device() {
    mkdir -p "$root"
    mount -o discard "$loop" "$root"
    mkdir -p "$root/tmp" "$root/home"
}

# Unmounting drops the file system's caches, and only its: the next phase reads from the device, as after a night switched off.
remount_device() {
    umount "$root"
    mount_device
}

begin_phase() {
    date -u "+%F %H:%M:%S.%6N $1" >>"$phases"
    echo "$(date +%T) phase $1" >&2
}

report_use() {
    df --output=pcent,iused "$root" | tail -1 | awk '{print "         file system " $1 " full, " $2 " files"}' >&2
}

# Takes down whatever of the device stands; fails if the file system on it is damaged.
stop_device() {
    local damaged=0
    if mountpoint -q "$root"; then umount "$root"; fi
    if [[ -n ${loop:-} ]]; then
        e2fsck -fn "$loop" >&2 || damaged=1
        losetup --detach "$loop"
        loop=
    fi
    if mountpoint -q "$work/device"; then fusermount3 -u "$work/device"; fi
    if [[ -n ${nbdkit_pid:-} ]]; then
        kill "$nbdkit_pid" 2>/dev/null || true
        wait "$nbdkit_pid" || true
        nbdkit_pid=
    fi
    [[ $damaged == 0 ]] || echo "record.sh: the file system is damaged: do not use this recording" >&2
    return "$damaged"
}
