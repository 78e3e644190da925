# shellcheck shell=bash disable=SC2034,SC2154,SC2317  # variables are shared with run.sh
# A home directory: a developer who writes, with a database of an application of theirs. Sourced by run.sh.

name_phases="install writing code everything tidy"

documents() {
    python3 "$recipe/workload/documents.py" "$root/documents" --edit "$@"
}

shop() {
    python3 "$recipe/workload/shop.py" "$root/shop.db" --journal wal "$@"
}

phase_install() {
    documents --create 60 --seed 111
    shop --items 40000 --seed 112
    clone_repository
    build_library 1
}

phase_writing() {
    orders() { shop --transactions 9000 --pause-s 0.006 --seed 121; }
    saves() { documents --saves 500 --pause-s 0.1 --seed 122; }
    side_by_side orders saves
}

phase_code() {
    history() {
        check_out_history 1 5.0.9 5.0.1 4.2.16 4.2.1 4.2.16 5.0.1 4.1.13 4.2.1 5.0.1
        commit_edits 40 0.2
        check_out_history 1 5.1.3 5.0.9 5.1.3 5.0.1 5.0.9 5.1.3
    }
    build() { for level in 1 2 1; do build_library "$level"; sleep 2; done; }
    side_by_side history build
}

phase_everything() {
    orders() { shop --transactions 9000 --pause-s 0.01 --seed 131; }
    saves() { documents --saves 700 --pause-s 0.12 --seed 132; }
    history() {
        check_out_history 2 5.0.1 5.0.9 4.2.16 5.0.9 5.0.1 5.1.3 4.2.16
        commit_edits 40 0.2
        check_out_history 2 4.2.1 5.1.3 5.0.9 5.1.3
        for level in 1 2 1; do build_library "$level"; sleep 3; done
    }
    side_by_side orders saves history
}

phase_tidy() {
    back_up 1
    collect_garbage
    shop --transactions 200 --vacuum --seed 141
    back_up 2
}
