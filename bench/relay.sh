#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-only
#
# relay.sh: how fast output passes through ai-jail, beside a relay that does not filter (script) and
# beside no relay at all.
#
#   bench/relay.sh [PATH-OF-AI-JAIL [MEGABYTES [ROUNDS]]]
#
# Every run prints a file under a terminal of its own (an outer script, whose output is counted). The three ways take turns, the best of the rounds counts, and the time of the same way
# with an empty file is taken off, so that starting does not count. Only the ratios mean something:
# the megabytes per second belong to the machine of the moment.
set -eu

ai_jail=${1:-build/release/ai-jail}
megabytes=${2:-64}
rounds=${3:-5}

for tool in script awk head date; do
    command -v "$tool" >/dev/null || { echo "relay.sh: $tool is missing" >&2; exit 2; }
done
[ -x "$ai_jail" ] || { echo "relay.sh: no program at $ai_jail; build it first" >&2; exit 2; }
ai_jail=$(cd "$(dirname "$ai_jail")" && pwd)/$(basename "$ai_jail")

work=$(mktemp -d "${TMPDIR:-/tmp}/relay-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
mkdir "$work/project" "$work/home"
cd "$work/project"
export HOME="$work/home" TERM=xterm-256color

# make_corpus NAME LINE: the line again and again until the file is full. \033 and the like are
# printf's.
make_corpus() {
    # shellcheck disable=SC2059 # the line is meant as a format
    printf "$2\n" | awk '{ for (i = 0; i < 1000; i++) print }' >block
    while cat block 2>/dev/null; do :; done | head -c "$((megabytes * 1000000))" >"$1"
    rm block
}

make_corpus ascii 'The quick brown fox jumps over the lazy dog, 0123456789 times, and again.'
make_corpus utf8 '\303\251t\303\251 \316\261\316\262\316\263 \320\226\320\264 \344\270\255\346\226\207 \342\224\200\342\224\200\342\224\200 \342\235\257 na\303\257ve'
make_corpus sgr '\033[1;32mok\033[0m \033[38;5;208mwarm\033[39m \033[48;2;10;20;30mdeep\033[m plain'
make_corpus tui '\033[?25l\033[12;40H\033[2K\033[38;2;9;99;199m\342\224\202\033[0m text\033[K\033[?25h\033[24;1H'
: >empty

now() {
    date +%s.%N
}

# The command line of a way to print a file.
command_of() {
    case $1 in
    cat) echo "cat $2" ;;
    script) echo "script -qec 'cat $2' /dev/null" ;;
    ai-jail) echo "'$ai_jail' --exec cat $2" ;;
    esac
}

# run WAY FILE: seconds.
run() {
    start=$(now)
    {
        script -qec "$(command_of "$1" "$2")" /dev/null </dev/null && echo ended >status
    } | wc -c >count
    end=$(now)
    if [ ! -s status ]; then
        echo "relay.sh: $1 cat $2 failed" >&2
        exit 1
    fi
    rm status
    # A run that printed nothing would be a very good one.
    if [ "$2" != empty ] && [ "$(cat count)" -lt "$((megabytes * 900000))" ]; then
        echo "relay.sh: $1 printed only $(cat count) bytes of $2" >&2
        exit 1
    fi
    awk -v a="$start" -v b="$end" 'BEGIN { printf "%.6f\n", b - a }'
}

# One file of times for each way and corpus; the rounds take turns.
round=0
while [ "$round" -lt "$rounds" ]; do
    for way in cat script ai-jail; do
        for corpus in empty ascii utf8 sgr tui; do
            run "$way" "$corpus" >>"times.$way.$corpus"
        done
    done
    round=$((round + 1))
done

best() {
    sort -n "times.$1.$2" | head -n 1
}

printf '%-8s %10s %10s %10s %14s %14s\n' corpus cat script ai-jail 'ai-jail/script' 'ai-jail/cat'
for corpus in ascii utf8 sgr tui; do
    awk -v name="$corpus" -v mb="$megabytes" \
        -v c="$(best cat "$corpus")" -v c0="$(best cat empty)" \
        -v s="$(best script "$corpus")" -v s0="$(best script empty)" \
        -v a="$(best ai-jail "$corpus")" -v a0="$(best ai-jail empty)" '
        function rate(t, t0) { return mb / (t - t0 > 0.001 ? t - t0 : 0.001) }
        BEGIN {
            cat = rate(c, c0); script = rate(s, s0); jail = rate(a, a0)
            printf "%-8s %5.0f MB/s %5.0f MB/s %5.0f MB/s %14.2f %14.2f\n",
                name, cat, script, jail, jail / script, jail / cat
        }'
done
