#!/usr/bin/env bash
# Fetches what the recorded programs install, into a cache outside the recorded file system, so that the network's speed is
# not in the recording. Everything but the Debian packages is pinned; of those the archive keeps only the current versions.
#
# usage: fetch.sh CACHE
set -euo pipefail

cache=$1
mkdir -p "$cache"/{wheels,npm,debs,history,source}

django_releases=(3.2.25 4.0.10 4.1.13 4.2.1 4.2.16 5.0.1 5.0.9 5.1.3)
wheels=(numpy==1.26.4 numpy==2.0.2 sympy==1.12 sympy==1.13.3 mpmath==1.3.0 pygments==2.17.2 pygments==2.18.0
    networkx==3.2.1 networkx==3.3 fonttools==4.50.0 fonttools==4.54.1)
npm_packages=(typescript@5.4.5 typescript@5.5.4 core-js@3.37.1 core-js@3.38.1 date-fns@3.6.0 date-fns@4.1.0 lodash@4.17.21)
debian_packages=(perl-modules-5.36 libperl5.36 iso-codes manpages-dev nginx)

fetch_wheels() {
    local requirement
    for requirement in "${wheels[@]}" "${django_releases[@]/#/Django==}"; do
        pip download --quiet --no-deps --only-binary=:all: --dest "$cache/wheels" "$requirement"
    done
    # The zstd package's source distribution carries the C library that the workload compiles.
    pip download --quiet --no-deps --no-binary=:all: --dest "$cache/source" zstd==1.5.5.1
}

fetch_npm() {
    local package
    for package in "${npm_packages[@]}"; do
        npm cache add --silent --cache "$cache/npm" "$package"
    done
}

fetch_debs() {
    (cd "$cache/debs" && apt-get -o APT::Sandbox::User=root download -qq "${debian_packages[@]}")
}

# A repository whose commits are real releases of a real project, oldest first, with fixed dates so that its hashes repeat.
build_history() {
    local repository=$cache/history/django release day=0
    rm -rf "$repository" && git init -q -b main "$repository"
    for release in "${django_releases[@]}"; do
        find "$repository" -mindepth 1 -maxdepth 1 ! -name .git -exec rm -rf {} +
        python3 -m zipfile -e "$cache"/wheels/[Dd]jango-"$release"-*.whl "$repository"
        git -C "$repository" add -A
        day=$((day + 1))
        GIT_AUTHOR_DATE="2024-01-0${day}T12:00:00Z" GIT_COMMITTER_DATE="2024-01-0${day}T12:00:00Z" \
            git -C "$repository" -c user.name=recorder -c user.email=recorder@localhost commit -q -m "$release"
        git -C "$repository" tag "v$release"
    done
}

# A cache that another version of this script filled is filled anew.
complete=$cache/complete-$(sha256sum "$0" | cut -c 1-16)
[[ -e $complete ]] && exit 0
fetch_wheels
fetch_npm
fetch_debs
build_history
touch "$complete"
