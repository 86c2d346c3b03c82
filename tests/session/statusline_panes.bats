#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-only
#
# statusline_panes: the status row in a real terminal, around programs that use the whole screen.
# shellcheck disable=SC2154 # server: pane.bash

bats_require_minimum_version 1.5.0

load pane

# jail_with_row WORDS: as jail(), with the row.
jail_with_row()
{
    enter "clear; $AI_JAIL -sdark $1"
    wait_until has_row
}

last_line()
{
    pane | tail -n 1
}

has_row()
{
    last_line | grep -q '^ ai-jail .*network: filtered'
}

# The row is in the last line and nowhere else, and no part of it either.
only_row()
{
    has_row && [ "$(pane | grep -cF 'network: filtered |')" = 1 ]
}

no_row()
{
    ! pane | grep -qF 'network: filtered |'
}

history_lines()
{
    tmux -L "$server" capture-pane -p -S - -t s
}

# The shell inside; its prompt is "in$>".
open_inside()
{
    open_shell
    jail_with_row 'env PS1=in$\>\  bash --norc --noprofile -i'
    expect '^in\$> *$'
}

leave()
{
    enter 'exit'
    finished 0
    no_row
    [ -z "$(last_line)" ]
}

@test "the row stays while the shell is used" {
    open_inside
    enter 'clear; stty size'
    expect '^23 80$'
    wait_until only_row
    enter 'printf "\033[5;10r\033[30;1Habc\n\n\n\033[r\033[23;1H"'
    wait_until only_row
    enter 'printf "\033c"; echo af"ter" reset'
    expect 'after reset'
    wait_until only_row
    leave
}

@test "no line is lost to the scrollback" {
    open_inside
    enter 'seq -f "line %.0f" 1000'
    expect '^line 1000$'
    wait_until only_row
    diff <(history_lines | grep '^line ') <(seq -f 'line %.0f' 1000)
    leave
}

@test "vim, less and htop have the rows above" {
    need vim
    need less
    seq -f 'line %.0f' 500 >lines
    open_inside
    enter 'vim -u NONE -N lines'
    expect '^line 23$|^line 22$'
    wait_until only_row
    keys -l 'G'
    expect '^line 500$'
    keys -l 'gg'
    expect '^line 1$'
    wait_until only_row
    enter ':q!'
    expect '^in\$> *$'
    enter 'less lines'
    expect '^line 22$'
    keys G
    expect '^line 500$'
    keys -l 'kkk'
    wait_until only_row
    keys q
    expect '^in\$> *$'
    wait_until only_row
    if command -v htop >/dev/null; then
        enter 'htop'
        expect 'F10Quit'
        wait_until only_row
        keys q
        expect '^in\$> *$'
        wait_until only_row
    fi
    leave
}

# Types until it is answered: a shell that is told a new size forgets what was just typed, with and
# without a jail.
expect_size()
{
    local end=$((SECONDS + DEADLINE))

    until pane_has "$1"; do
        ((SECONDS <= end)) || expect "$1"
        enter 'clear; stty size'
        read -rt 0.5 <> <(:) || :
    done
}

@test "the row follows the size of the window" {
    open_inside
    tmux -L "$server" resize-window -t s -x 100 -y 40
    expect_size '^39 100$'
    wait_until only_row
    tmux -L "$server" resize-window -t s -x 60 -y 12
    expect_size '^11 60$'
    wait_until only_row
    tmux -L "$server" resize-window -t s -x 60 -y 8
    expect_size '^8 60$'
    wait_until no_row
    tmux -L "$server" resize-window -t s -x 80 -y 24
    expect_size '^23 80$'
    wait_until only_row
    leave
}

@test "the row goes with a stop and comes back" {
    need vim
    open_shell
    jail_with_row 'vim -u NONE -N file.txt'
    expect '^~'
    keys -l 'isome words'
    keys Escape
    expect 'some words'
    keys C-z
    finished '14[78]'
    no_row
    enter 'clear; fg'
    expect 'some words'
    wait_until only_row
    enter ':q!'
    finished 0
    no_row
}

@test "a shell that starts in the last line keeps it" {
    open_shell
    enter 'seq -f "before %.0f" 100'
    expect '^before 100$'
    enter "$AI_JAIL --no-status-bar -s true && echo done"
    expect '^done$'
    no_row
    pane_has '^before 100$'
    enter "$AI_JAIL -s echo inside"
    expect '^inside$'
    finished 0
}
