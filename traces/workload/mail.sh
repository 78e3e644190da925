# shellcheck shell=bash disable=SC2034,SC2154,SC2317  # variables are shared with run.sh
# A mail server: delivery into maildirs, drafts, junk, readers who sort and delete. Sourced by run.sh.

name_phases="first second third"

mail() {
    python3 "$recipe/workload/mail.py" "$root/mail" --texts "$cache/history/django" "$@"
}

phase_first() {
    mail --deliveries 1500 --readings 1500 --drafts 60 --pause-s 0.02 --seed 211
}

phase_second() {
    mail --deliveries 2000 --readings 2500 --drafts 150 --pause-s 0.02 --seed 221
}

phase_third() {
    mail --deliveries 2000 --readings 2500 --drafts 150 --pause-s 0.02 --seed 231
}
