#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-only
# The exact profiles of some scenarios; of the other agents, the lines in which they differ from the one of
# bash. UPDATE_GOLDEN=1 in the environment writes them anew; the difference
# is then reviewed.
#
#     golden.sh TOOL DIRECTORY
set -u

tool=$1
here=$2
made=$(mktemp) || exit 1
trap 'rm -f "$made"' EXIT
status=0

# compare NAME FILE: what was made, and what is expected.
compare()
{
    if [ ! -s "$made" ]; then
        echo "$1: there is no such scenario" >&2
        status=1
    elif [ -n "${UPDATE_GOLDEN:-}" ]; then
        cp "$made" "$2" || status=1
    elif ! diff -u "$2" "$made"; then
        status=1
    fi
}

profile()
{
    "$tool" "$here/host.tree" "$here/scenarios.txt" "$1" 2>/dev/null
}

for name in claude bash hosts full lockdown open-home browser-hard browser-soft codex gemini kiro devin \
    masks denies; do
    profile "$name" >"$made"
    compare "$name" "$here/golden/$name.sb"
done
for name in antigravity grok opencode crush kimi jcode pi aider soulforge omp prime-agent; do
    profile "$name" | diff "$here/golden/bash.sb" - | grep '^[<>]' >"$made"
    compare "$name" "$here/golden/$name.diff"
done
exit "$status"
