# shellcheck shell=bash disable=SC2034,SC2154,SC2317  # variables are shared with run.sh
# A web server: nginx with its cache in front of an application, logs that are rotated, releases that are put in place and taken
# back, works that students hand in. Sourced by run.sh.

name_phases="deploy first second third"

# usage: serve COMMAND... ; runs the application and nginx while the command runs.
serve() {
    local application nginx failed=0
    mkdir -p "$root/nginx"/{logs,cache,temporary} "$root/uploads"
    python3 "$recipe/workload/web_application.py" "$root/site/current" "$root/uploads" "$root/sessions.db" &
    application=$!
    "$folder/nginx/usr/sbin/nginx" -p "$root/nginx" -e logs/error.log -c "$recipe/workload/nginx.conf" &
    nginx=$!
    sleep 1
    "$@" || failed=1
    kill "$nginx" "$application"
    # The shell's word on jobs that end as they were told to.
    wait "$nginx" "$application" 2>/dev/null || true
    return "$failed"
}

visit() {
    python3 "$recipe/workload/web_visitors.py" "$root/site/current" --visitors 4 "$@"
}

# usage: deploy RELEASE ; a release is copied beside the others and then becomes the current one; the three newest stay.
deploy() {
    git -C "$cache/history/django" archive "v$1" | (rm -rf "$root/site/next" && mkdir -p "$root/site/next" && tar -xf - -C "$root/site/next")
    sync -f "$root/site"
    rm -rf "$root/site/$1" && mv "$root/site/next" "$root/site/$1"
    ln -sfn "$1" "$root/site/current"
    find "$root/site" -mindepth 1 -maxdepth 1 -type d -printf '%T@ %p\n' | sort -rn | tail -n +4 | cut -d ' ' -f 2 |
        xargs -r rm -rf
}

# What logrotate does at midnight.
rotate_logs() {
    local log=$root/nginx/logs/access.log number
    rm -f "$log.3.gz"
    for number in 2 1; do if [[ -e $log.$number.gz ]]; then mv "$log.$number.gz" "$log.$((number + 1)).gz"; fi; done
    mv "$log" "$log.1"
    kill -USR1 "$(cat "$root/nginx/nginx.pid")"
    sleep 0.5
    gzip "$log.1"
}

phase_deploy() {
    mkdir -p "$folder/nginx" && dpkg -x "$cache"/debs/nginx_*.deb "$folder/nginx"
    mkdir -p "$root/site"
    deploy 4.2.1
    deploy 4.2.16
}

day() {
    visit --requests 20000 --seed "$1"
    rotate_logs
    deploy "$2"
    visit --requests 20000 --seed "$(($1 + 1))"
    rotate_logs
    deploy "$3"
    visit --requests 10000 --seed "$(($1 + 2))"
}

phase_first() { serve day 311 5.0.1 4.2.16; }
phase_second() { serve day 321 5.0.1 5.0.9; }
phase_third() { serve day 331 5.1.3 5.0.9; }
