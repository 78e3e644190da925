#!/usr/bin/env bash
# What the action does. It takes the inputs from WAF_* and writes the answer where GitHub's runner wants it; see
# docs/manual/ci.md. Ends with 0, 1 (worse) or 2 (an error).
set -uo pipefail

if [ -n "${WAF_REWEAR:-}" ]; then
    python3 -m venv "${RUNNER_TEMP:?}/rewear" && "$RUNNER_TEMP/rewear/bin/pip" --quiet install "$WAF_REWEAR" || exit 2
    PATH="$RUNNER_TEMP/rewear/bin:$PATH"
fi
root=()
[ "$(id -u)" -eq 0 ] || root=(sudo --preserve-env env "PATH=$PATH")

options=(--worse "${WAF_WORSE:-5%}" --title "${WAF_TITLE:-Write amplification}")
[ -z "${WAF_BASE:-}" ] || options+=(--base "$WAF_BASE")
[ -z "${WAF_BASE_CHECKOUT:-}" ] || options+=(--base-checkout "$WAF_BASE_CHECKOUT")
# Words, as a shell splits them: options and the command are the workflow's own text.
eval "options+=(${WAF_OPTIONS:-})"
eval "command=(${WAF_COMMAND:?})"

answer=$RUNNER_TEMP/waf.md
"${root[@]}" "$(command -v rewear)" ci "${options[@]}" --markdown "$answer" --out "$RUNNER_TEMP/waf.json" -- "${command[@]}"
status=$?
if [ "$status" -gt 1 ]; then
    echo "::error::rewear ci ended with status $status: the benchmark or its recording failed."
    exit 2
fi
echo "passes=$([ "$status" -eq 0 ] && echo true || echo false)" >> "${GITHUB_OUTPUT:-/dev/null}"
cat "$answer" >> "${GITHUB_STEP_SUMMARY:-/dev/null}"

if [ -n "${WAF_TOKEN:-}" ] && [ -n "${WAF_PULL_REQUEST:-}" ]; then
    # One comment, which later runs replace.
    comments=repos/$GITHUB_REPOSITORY/issues/$WAF_PULL_REQUEST/comments
    old=$(GH_TOKEN=$WAF_TOKEN gh api --paginate "$comments" \
        --jq '.[] | select(.body | startswith("<!-- rewear ci -->")) | .id' | head -n 1)
    if [ -n "$old" ]; then
        GH_TOKEN=$WAF_TOKEN gh api --silent -X PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$old" -F "body=@$answer"
    else
        GH_TOKEN=$WAF_TOKEN gh api --silent "$comments" -F "body=@$answer"
    fi || echo "::warning::The comment could not be written; the answer stands in the summary."
fi
exit "$status"
