#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-only
# The exact profiles of some scenarios. UPDATE_GOLDEN=1 in the environment writes them anew; the difference
# is then reviewed.
#
#     golden.sh TOOL DIRECTORY
set -u

tool=$1
here=$2
made=$(mktemp) || exit 1
trap 'rm -f "$made"' EXIT
status=0

for name in claude bash hosts full lockdown open-home browser-hard browser-soft codex gemini kiro devin \
    masks denies; do
    "$tool" "$here/host.tree" "$here/scenarios.txt" "$name" >"$made" 2>/dev/null
    if [ ! -s "$made" ]; then
        echo "$name: there is no such scenario" >&2
        status=1
    elif [ -n "${UPDATE_GOLDEN:-}" ]; then
        cp "$made" "$here/golden/$name.sb" || status=1
    elif ! diff -u "$here/golden/$name.sb" "$made"; then
        status=1
    fi
done
exit "$status"
