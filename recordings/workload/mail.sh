# shellcheck shell=bash disable=SC2034,SC2154,SC2317  # variables are shared with run.sh
# A mail server: delivery into maildirs, drafts, junk, readers who sort and delete. Sourced by run.sh.

name_phases="first second third"

mail() {
    python3 "$recipe/workload/mail.py" "$root/mail" --texts "$cache/history/django" "$@"
}

phase_first() {
    mail --deliveries 700 --readings 700 --drafts 40 --pause-s 0.02 --seed 211
}

phase_second() {
    mail --deliveries 900 --readings 1200 --drafts 90 --pause-s 0.02 --seed 221
}

phase_third() {
    mail --deliveries 900 --readings 1200 --drafts 90 --pause-s 0.02 --seed 231
}
