#!/usr/bin/env bash
# Records a real workload: real programs on a real ext4 file system whose block device records every request and its content.
#
# usage: recordings/record.sh day|home|mail|web [FOLDER]     (as root; FOLDER defaults to ./recordings)
#
# Leaves in FOLDER: NAME.rwt (the trace) and NAME.phases (when each phase began). Programs' inputs are kept in FOLDER/cache.
set -Eeuo pipefail

fail() {
    echo "record.sh: $*" >&2
    exit 1
}

require() {
    local command=$1 package=$2
    command -v "$command" >/dev/null || fail "$command is missing: apt-get install $package"
}

check_prerequisites() {
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
    [[ -x $rewear ]] || fail "rewear is not built: make build, or name it: REWEAR=/path/to/rewear"
}

name=${1:-}
case $name in
day | home | mail | web) ;;
*) fail "usage: record.sh day|home|mail|web [FOLDER]" ;;
esac
recipe=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "${2:-recordings}"
folder=$(cd "${2:-recordings}" && pwd)
rewear=${REWEAR:-$recipe/../.venv/bin/rewear}
check_prerequisites
bash "$recipe/workload/fetch.sh" "$folder/cache"
rm -f "$folder/$name.phases"
# Numbers say which pages are equal and nothing else: small enough to ship.
"$rewear" record --out "$folder/$name.rwt" --content numbers --size 1GiB -- \
    bash "$recipe/workload/run.sh" "$name" "$folder" "$folder/cache"
