#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-only
# ai-jail --dry-run makes, changes and removes nothing (P-CLI-4): watched with strace, and by a list
# of everything below a home directory of its own.
set -eu

program=$1
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT

skip() {
    echo "skipped: $1" >&2
    [ -z "${AI_JAIL_TESTS_MUST_RUN:-}" ] || exit 1
    exit 77
}

command -v strace >/dev/null || skip "strace is not installed"
strace -o /dev/null true 2>/dev/null || skip "strace may not trace here"

mkdir -p "$home/project/sub" "$home/.claude" "$home/.config/git"
echo x >"$home/.gitconfig"
list() {
    find "$home" -printf '%p %y %m %s %T@ %i\n' | sort
}
list >"$home.before"
trap 'rm -rf "$home" "$home.before" "$home.trace"' EXIT

# Leak detection works by ptrace and cannot run under strace.
export ASAN_OPTIONS=detect_leaks=0
cd "$home/project"
for flags in "" "--json" "--network --no-private-home" "--map sub --no-seccomp --no-landlock"; do
    # shellcheck disable=SC2086 # the words are meant to be split
    HOME=$home XDG_STATE_HOME=$home/state XDG_DATA_HOME=$home/data \
        strace -f -qq -o "$home.trace" -e trace=%file,%process,ftruncate,fchmod,fchown,bind,connect \
        "$program" --dry-run $flags -- true >/dev/null

    # The trace sees something, and the exec of bubblewrap alone.
    grep -q 'openat(' "$home.trace" || { echo "the trace is empty"; exit 1; }
    if [ "$(grep -cE 'exec(ve|veat)\(' "$home.trace")" -ne 2 ]; then
        echo "a program was run beside bubblewrap:"
        grep -E 'exec(ve|veat)\(' "$home.trace"
        exit 1
    fi
    if grep -E '\b(mkdir|mkdirat|mknod|mknodat|rename|renameat|renameat2|link|linkat|symlink|symlinkat|unlink|unlinkat|rmdir|truncate|ftruncate|chmod|fchmod|fchmodat|chown|fchown|lchown|fchownat|utimensat|creat|bind|connect|mount|setxattr)\(' "$home.trace"; then
        echo "^ a call that changes something"
        exit 1
    fi
    if grep -E 'open(at|at2)?\(.*(O_CREAT|O_TRUNC|O_TMPFILE|O_WRONLY|O_RDWR)' "$home.trace" |
        grep -vE '"(/dev/null|/dev/tty|/proc/self/[a-z_]+)"'; then
        echo "^ opened for writing"
        exit 1
    fi
done

list | cmp "$home.before" -
