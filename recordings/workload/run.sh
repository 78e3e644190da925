#!/usr/bin/env bash
# Runs the phases of a workload on the recorded file system. `rewear record` calls it by record.sh and names the file system in
# REWEAR_ROOT and its device in REWEAR_DEVICE.
#
# usage: run.sh NAME FOLDER CACHE
# Job control gives every job a process group of its own: one that fails can be ended with its children.
set -Eeuo pipefail -m

fail() {
    echo "run.sh: $*" >&2
    exit 1
}

name=$1
folder=$2
# shellcheck disable=SC2034  # used by the files below
cache=$3
recipe=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
root=$REWEAR_ROOT
phases=$folder/$name.phases
# shellcheck source=/dev/null
source "$recipe/workload/packages.sh"
# shellcheck source=/dev/null
source "$recipe/workload/development.sh"
# Defines name_phases and the phases.
# shellcheck source=/dev/null
source "$recipe/workload/$name.sh"

# usage: side_by_side FUNCTION... ; runs them concurrently, waits for all, fails if one failed.
side_by_side() {
    local job pids=() failed=0
    for job in "$@"; do
        "$job" &
        pids+=($!)
    done
    for job in "${pids[@]}"; do wait "$job" || failed=1; done
    return "$failed"
}

# Unmounting drops the file system's caches, and only its: the phase reads from the device, as after a night switched off.
remount() {
    umount "$root"
    mount -o discard "$REWEAR_DEVICE" "$root"
    mkdir -p "$root/tmp" "$root/home"
}

report_use() {
    df --output=pcent,iused "$root" | tail -1 | awk '{print "         file system " $1 " full, " $2 " files"}' >&2
}

end_jobs() {
    local group
    for group in $(jobs -p); do kill -- "-$group" 2>/dev/null || true; done
}

trap end_jobs EXIT
trap 'echo "run.sh: failed: $BASH_COMMAND" >&2' ERR
cd "$folder"
# One disk: the programs' home and temporary files are on it too. Compiled Python files are wanted.
export HOME=$root/home TMPDIR=$root/tmp
unset PYTHONDONTWRITEBYTECODE
# shellcheck disable=SC2154
for phase in $name_phases; do
    remount
    date -u "+%F %H:%M:%S.%6N $phase" >>"$phases"
    echo "$(date +%T) phase $phase" >&2
    "phase_$phase"
    report_use
done
