#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-only
#
# shell: shellcheck has nothing to say about the shell scripts and the bats files.
set -u
cd "$1" || exit

if ! command -v shellcheck >/dev/null; then
    echo "skipped: shellcheck is not installed"
    [[ ${AI_JAIL_TESTS_MUST_RUN:-0} == 1 ]] && exit 1
    exit 77
fi
files=()
while IFS= read -r -d '' file; do
    if [[ $file =~ \.(sh|bash|bats)$ ]] || head -n 1 "$file" | grep -qaE '^#!.*\b(ba)?sh\b'; then
        files+=("$file")
    fi
done < <(find scripts .ci tests bench packaging completions -type f ! -name '*.[ch]' -print0 \
    2>/dev/null)
((${#files[@]})) || exit 1
shellcheck -x -P . -S warning "${files[@]}" || exit 1
echo "${#files[@]} files"
