#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-only
#
# desktop: desktop-file-validate has nothing to say about the desktop entries, and each one starts a
# program that is installed beside it.
set -u
cd "$1/packaging" || exit

if ! command -v desktop-file-validate >/dev/null; then
    echo "skipped: desktop-file-validate is not installed"
    [[ ${AI_JAIL_TESTS_MUST_RUN:-0} == 1 ]] && exit 1
    exit 77
fi
entries=(*.desktop)
[[ -e ${entries[0]} ]] || exit 1
said=$(desktop-file-validate "${entries[@]}" 2>&1) || {
    printf '%s\n' "$said"
    exit 1
}
[[ -z $said ]] || {
    printf '%s\n' "$said"
    exit 1
}
for entry in "${entries[@]}"; do
    program=$(sed -n 's/^Exec=\([^ ]*\).*/\1/p' "$entry")
    [[ $program && -x $program ]] || {
        echo "$entry: Exec=$program: there is no such program here"
        exit 1
    }
done
