# shellcheck shell=bash disable=SC2034,SC2154,SC2317  # variables are shared with run.sh
# A developer at work on the recorded file system ($root): a repository's history and a C library's builds. Sourced by run.sh.

clone_repository() {
    git clone --quiet --no-local "file://$cache/history/django" "$root/django"
    git -C "$root/django" config user.name recorder
    git -C "$root/django" config user.email recorder@localhost
}

# usage: check_out_history PAUSE_S RELEASE... ; every checkout is followed by the look at the tree that a developer takes.
check_out_history() {
    local pause_s=$1 release
    shift
    for release in "$@"; do
        git -C "$root/django" checkout --quiet --force "v$release"
        git -C "$root/django" status --short >/dev/null
        git -C "$root/django" grep -q "def as_sql" -- django/db || true
        sleep "$pause_s"
    done
}

# usage: commit_edits COUNT PAUSE_S ; a branch with small commits: each appends a line to a few source files.
commit_edits() {
    local count=$1 pause_s=$2 number
    git -C "$root/django" checkout --quiet --force -B work
    local files=()
    mapfile -t files < <(git -C "$root/django" ls-files 'django/*.py')
    for ((number = 0; number < count; number++)); do
        local edited=0
        for ((edited = 0; edited < 5; edited++)); do
            echo "# edit $number" >>"$root/django/${files[(number * 131 + edited * 17) % ${#files[@]}]}"
        done
        git -C "$root/django" commit --quiet --all -m "edit $number"
        sleep "$pause_s"
    done
}

collect_garbage() {
    git -C "$root/django" gc --quiet --prune=now
}

# usage: build_library LEVEL ; unpacks, compiles with debug information, archives. Two compilers at a time.
build_library() {
    local level=$1
    rm -rf "$root/build" && mkdir -p "$root/build"
    tar -xzf "$cache"/source/zstd-*.tar.gz -C "$root/build" --strip-components=1
    find "$root/build/zstd/lib" -name '*.c' | sort | sed 's/\.c$//' |
        xargs -P 2 -I{} gcc "-O$level" -g -DZSTD_DISABLE_ASM=1 -DZSTD_LEGACY_SUPPORT=1 \
            -I "$root/build/zstd/lib/common" -I "$root/build/zstd/lib" -c {}.c -o {}.o
    find "$root/build/zstd/lib" -name '*.o' | sort | xargs ar rcs "$root/build/libzstd.a"
    sync -f "$root/build"
}

# usage: back_up NUMBER ; a nightly archive of the documents, which replaces the one before it.
back_up() {
    tar -cf - -C "$root" documents | zstd -q -1 -o "$root/backup-$1.tar.zst"
    sync -f "$root"
    rm -f "$root/backup-$(($1 - 1)).tar.zst"
}
