# shellcheck shell=bash disable=SC2034,SC2154,SC2317  # variables are shared with run.sh
# Package managers at work on the recorded file system ($root): pip into a virtual environment, npm into a project, dpkg into a
# root of its own. All of them install from the cache ($cache), never from the network. Sourced by run.sh.

pip_in_venv() {
    "$root/venv/bin/pip" --quiet --no-input --disable-pip-version-check "$@"
}

pip_install() {
    pip_in_venv install --no-index --no-deps --find-links "$cache/wheels" "$@"
}

pip_remove() {
    pip_in_venv uninstall --yes "$@"
}

create_venv() {
    python3 -m venv "$root/venv"
}

npm_install() {
    mkdir -p "$root/web"
    [[ -e $root/web/package.json ]] || echo '{"name": "web", "private": true}' >"$root/web/package.json"
    npm install --loglevel=error --offline --no-audit --no-fund --prefix "$root/web" --cache "$cache/npm" "$@" >/dev/null
}

npm_remove() {
    npm uninstall --loglevel=error --offline --no-audit --no-fund --prefix "$root/web" --cache "$cache/npm" "$@" >/dev/null
}

# dpkg makes every file durable before it renames it into place, which is what is wanted here. The packages chosen have no
# maintainer scripts, so that none is run in a root without a shell.
dpkg_in_root() {
    mkdir -p "$root/system/var/lib/dpkg"/{info,updates,triggers} "$root/system/var/log"
    touch "$root/system/var/lib/dpkg/status" "$root/system/var/lib/dpkg/available"
    dpkg --root="$root/system" --force-depends --force-breaks --no-triggers "$@" >/dev/null 2>>"$folder/dpkg.log"
}

deb_install() {
    local package
    for package in "$@"; do
        dpkg_in_root --unpack "$cache"/debs/"$package"_*.deb
    done
}

deb_remove() {
    dpkg_in_root --purge "$@"
}
