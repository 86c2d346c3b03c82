#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-only
#
# format: clang-format changes nothing in the C files.
#
# Versions of clang-format differ in what they do, so only version 14 (Debian 12's) can judge. With
# another version the test is skipped even where tests must run: its result depends on the tree
# alone, and a machine that has version 14 gives it.
set -u
cd "$1" || exit

tool=$(command -v clang-format-14 || command -v clang-format)
if [[ -z $tool ]]; then
    echo "skipped: clang-format is not installed"
    [[ ${AI_JAIL_TESTS_MUST_RUN:-0} == 1 ]] && exit 1
    exit 77
fi
if ! "$tool" --version | grep -q 'version 14\.'; then
    echo "skipped: $("$tool" --version); only version 14 can judge"
    exit 77
fi
dirs=()
for dir in src tests fuzz bench; do
    [[ -d $dir ]] && dirs+=("$dir")
done
mapfile -d '' files < <(find "${dirs[@]}" -name '*.[ch]' -print0)
((${#files[@]})) || exit 1
"$tool" --dry-run -Werror "${files[@]}" || exit 1
echo "${#files[@]} files"
