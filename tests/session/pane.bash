# SPDX-License-Identifier: GPL-3.0-only
#
# pane: a private tmux server for a bats test, what its pane shows, and keys for it.
#
# AI_JAIL is the program. Every test has a tmux server, a home and a project of its own.
# shellcheck shell=bash
# shellcheck disable=SC2154 # status: of bats

DEADLINE=60

setup()
{
    base=$BATS_TEST_TMPDIR
    export HOME=$base/home TMUX_TMPDIR=$BATS_RUN_TMPDIR LANG=C.UTF-8
    mkdir -p "$HOME" "$base/project"
    cd "$base/project" || return
    unset TMUX NO_COLOR
    server=aj$BATS_TEST_NUMBER.$$
}

teardown()
{
    run tmux -L "$server" kill-server
    run wait_until jail_is_gone
    [ "$status" -eq 0 ]
}

jail_is_gone()
{
    ! pgrep -f "$base/project" >/dev/null
}

# wait_until COMMAND...: until it succeeds, at most $DEADLINE seconds.
wait_until()
{
    local end=$((SECONDS + DEADLINE))

    until "$@"; do
        if ((SECONDS > end)); then
            echo "not within $DEADLINE s: $*"
            pane
            return 1
        fi
        read -rt 0.05 <> <(:) || :
    done
}

pane()
{
    tmux -L "$server" capture-pane -p -t s
}

pane_has()
{
    pane | grep -qE -- "$1"
}

pane_lacks()
{
    ! pane_has "$1"
}

expect()
{
    wait_until pane_has "$1"
}

keys()
{
    tmux -L "$server" send-keys -t s "$@"
}

# A shell in a new pane; its prompt is "$>" and the number of the last exit code.
open_shell()
{
    # shellcheck disable=SC2016 # expanded by that shell
    tmux -L "$server" -f /dev/null new-session -d -s s -x 80 -y 24 \
        env PS1='$?$> ' bash --norc --noprofile -i
    expect '^0\$> *$'
}

# enter LINE: types a command line.
enter()
{
    keys -l -- "$1"
    keys Enter
}

# jail WORDS: ai-jail in the pane, without its own lines.
jail()
{
    enter "clear; $AI_JAIL --no-save-config --exec $1"
}

# finished CODE: the shell has its prompt again, in cooked mode, on the primary screen.
finished()
{
    expect "^$1\\\$> *\$"
    enter "clear; stty -a | grep -q ' icanon.* echo ' && echo 'cooked as be''fore'"
    expect 'cooked as before'
    [ "$(tmux -L "$server" display -p -t s '#{alternate_on}#{mouse_any_flag}')" = 00 ]
}

need()
{
    command -v "$1" >/dev/null && return
    [ "${AI_JAIL_TESTS_MUST_RUN:-0}" = 1 ] && return 1
    skip "$1 is not installed"
}
