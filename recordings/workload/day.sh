# shellcheck shell=bash disable=SC2034,SC2154,SC2317  # variables are shared with record.sh
# The day that is recorded, phase by phase. A phase's jobs run side by side. Sourced by run.sh.

name_phases="install office code upgrade everything tidy"

phase_install() {
    python3 "$recipe/workload/documents.py" "$root/documents" --create 90 --seed 11
    python3 "$recipe/workload/shop.py" "$root/shop-wal.db" --journal wal --items 100000 --seed 12
    python3 "$recipe/workload/shop.py" "$root/shop-journal.db" --journal delete --items 80000 --seed 13
    clone_repository
    create_venv
    pip_install numpy==1.26.4 mpmath==1.3.0 sympy==1.12 pygments==2.17.2 networkx==3.2.1 Django==4.2.1
    npm_install typescript@5.4.5 core-js@3.37.1 lodash@4.17.21
    deb_install perl-modules-5.36 libperl5.36 manpages-dev
}

phase_office() {
    shop() { python3 "$recipe/workload/shop.py" "$root/shop-wal.db" --journal wal --transactions 9000 --pause-s 0.006 --seed 21; }
    office() { python3 "$recipe/workload/documents.py" "$root/documents" --saves 450 --pause-s 0.15 --seed 22; }
    side_by_side shop office
}

phase_code() {
    shop() { python3 "$recipe/workload/shop.py" "$root/shop-journal.db" --journal delete --transactions 2500 --pause-s 0.02 --seed 31; }
    history() {
        check_out_history 3 5.0.9 5.0.1 4.2.16 4.1.13 4.0.10 3.2.25 4.0.10 4.2.1 5.1.3
        commit_edits 60 0.3
        check_out_history 3 3.2.25 5.1.3 4.1.13 5.0.1
    }
    build() { for level in 0 1 2 0; do build_library "$level"; sleep 5; done; }
    side_by_side shop history build
}

phase_upgrade() {
    shop() { python3 "$recipe/workload/shop.py" "$root/shop-wal.db" --journal wal --transactions 4000 --pause-s 0.015 --seed 41; }
    upgrades() {
        pip_install numpy==2.0.2 sympy==1.13.3 pygments==2.18.0 networkx==3.3
        npm_install typescript@5.5.4 core-js@3.38.1
        pip_install Django==5.0.9 fonttools==4.50.0
        deb_remove manpages-dev perl-modules-5.36
        deb_install perl-modules-5.36 iso-codes
        npm_install date-fns@3.6.0
        pip_remove sympy fonttools
        npm_remove core-js
    }
    side_by_side shop upgrades
}

phase_everything() {
    wal() { python3 "$recipe/workload/shop.py" "$root/shop-wal.db" --journal wal --transactions 14000 --pause-s 0.009 --seed 51; }
    journal() { python3 "$recipe/workload/shop.py" "$root/shop-journal.db" --journal delete --transactions 5000 --pause-s 0.02 --seed 52; }
    office() { python3 "$recipe/workload/documents.py" "$root/documents" --saves 700 --pause-s 0.2 --seed 53; }
    code() {
        check_out_history 4 4.0.10 5.0.9 3.2.25 4.2.16 5.1.3 4.1.13
        build_library 1
        commit_edits 80 0.3
        check_out_history 4 5.0.1 4.2.1 4.0.10 5.1.3 3.2.25 5.0.9
        build_library 2
        check_out_history 4 4.2.16 5.0.1 4.2.1
    }
    packages() {
        pip_install sympy==1.12 Django==5.1.3
        npm_install core-js@3.37.1 date-fns@4.1.0
        deb_install manpages-dev
        sleep 20
        pip_install fonttools==4.54.1 numpy==1.26.4
        npm_remove date-fns
        pip_remove sympy
        deb_remove iso-codes
        sleep 20
        pip_install sympy==1.13.3 Django==4.2.16
        npm_install core-js@3.38.1
        deb_install iso-codes
    }
    side_by_side wal journal office code packages
}

phase_tidy() {
    back_up 1
    collect_garbage
    python3 "$recipe/workload/shop.py" "$root/shop-wal.db" --journal wal --transactions 200 --vacuum --seed 61
    python3 "$recipe/workload/shop.py" "$root/shop-journal.db" --journal delete --transactions 100 --vacuum --seed 62
    npm_remove core-js
    pip_remove numpy
    deb_remove iso-codes libperl5.36
    back_up 2
    grep -r --include='*.py' -c "import" "$root/venv" >/dev/null || true
}
