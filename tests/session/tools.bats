#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-only
#
# tools: programs that people use all day, in the jail, in a private tmux server: what they show is
# read from the pane, what they make from the project.
# shellcheck disable=SC2154 # server: pane.bash

bats_require_minimum_version 1.5.0

load pane

@test "vim writes a file" {
    need vim
    open_shell
    jail 'vim -u NONE -N file.txt'
    expect '^~'
    keys -l 'ihello from inside'
    keys Escape
    expect 'hello from inside'
    enter ':wq'
    finished 0
    [ "$(cat file.txt)" = 'hello from inside' ]
}

@test "vim is stopped and continued" {
    need vim
    open_shell
    jail 'vim -u NONE -N file.txt'
    expect '^~'
    keys -l 'isome words'
    keys Escape
    expect 'some words'
    keys C-z
    finished '14[78]'
    enter 'clear; fg'
    expect 'some words'
    expect '^~'
    enter ':wq'
    finished 0
    [ "$(cat file.txt)" = 'some words' ]
}

has_empty_lines()
{
    [ "$(pane | grep -c '^~')" = "$1" ]
}

@test "vim follows the size of the window" {
    need vim
    open_shell
    jail 'vim -u NONE -N -c "set ruler" file.txt'
    expect '^~'
    tmux -L "$server" resize-window -t s -x 100 -y 40
    wait_until has_empty_lines 38
    keys -l ':echo "size " . &lines . "x" . &columns'
    keys Enter
    expect 'size 40x100'
    enter ':q!'
    finished 0
}

@test "less shows, searches and ends" {
    need less
    seq -f 'line %.0f' 500 >lines
    open_shell
    jail 'less lines'
    expect '^line 1$'
    keys -l '/line 300'
    keys Enter
    expect '^line 300$'
    keys q
    finished 0
}

@test "keys reach less at the end of a pipeline outside" {
    need less
    open_shell
    # shellcheck disable=SC2016
    enter 'clear; $AI_JAIL --no-save-config --exec seq -f "line %.0f" 500 | less'
    expect '^line 1$'
    keys G
    expect '^line 500$'
    keys q
    finished 0
}

@test "keys reach less inside at the end of a pipeline" {
    need less
    open_shell
    # shellcheck disable=SC2016
    enter 'clear; seq -f "line %.0f" 500 | $AI_JAIL --no-save-config --exec less'
    expect '^line 1$'
    keys G
    expect '^line 500$'
    keys q
    finished 0
}

@test "htop draws and quits" {
    need htop
    open_shell
    jail 'htop'
    expect 'Tasks:'
    expect 'htop'
    keys q
    finished 0
}

@test "fzf draws below the cursor and takes the screen back" {
    need fzf
    open_shell
    printf 'alpha\nbeta\ngamma\n' >list
    enter "clear; echo first; $AI_JAIL --no-save-config --exec sh -c 'fzf --height 6 <list'"
    expect '^first'
    expect '3/3'
    keys -l bet
    expect '1/3'
    pane_has '^first'
    keys Enter
    expect '^beta'
    pane_lacks gamma
    finished 0
}

is_shown_twice()
{
    [ "$(pane | grep -cE -- "$1")" = 2 ]
}

@test "python reads, evaluates, and ends with the end of the file" {
    need python3
    open_shell
    jail '/usr/bin/python3 -q'
    expect '>>>'
    enter '6 * 7'
    expect '^42$'
    # Before it reads again, keys would go to a terminal that edits lines, where ^D is another thing.
    expect '^>>> *$'
    keys Up
    wait_until is_shown_twice '>>> 6 \* 7$'
    keys C-u
    expect '^>>> *$'
    keys C-d
    finished 0
}

@test "python uses several processes" {
    need python3
    run "$AI_JAIL" --no-save-config --exec /usr/bin/python3 -c \
        'import multiprocessing as m; print(m.Pool(2).map(abs, [-1, -2]))'
    [ "$status" -eq 0 ]
    [ "${lines[-1]}" = '[1, 2]' ]
}

@test "git commits with an editor" {
    need git
    need vim
    git init -q .
    git config user.email somebody@example.org
    git config user.name Somebody
    echo text >file
    git add file
    open_shell
    jail 'git -c core.editor="vim -u NONE -N" commit'
    expect 'Changes to be committed'
    keys -l 'iA message from inside'
    keys Escape
    expect '^A message from inside'
    enter ':wq'
    finished 0
    [ "$(git log --format=%s)" = 'A message from inside' ]
}

@test "git behaves as outside" {
    need git
    git init -q .
    git config user.email somebody@example.org
    git config user.name Somebody
    echo text >file
    "$AI_JAIL" --no-save-config --exec git add file
    "$AI_JAIL" --no-save-config --exec git commit -q -m inside
    "$AI_JAIL" --no-save-config --exec git switch -q -c other
    [ "$("$AI_JAIL" --no-save-config --exec git log --format='%s %an')" = "$(git log --format='%s %an')" ]
    [ "$("$AI_JAIL" --no-save-config --exec git status --short --branch)" = '## other' ]
}

@test "make builds with two jobs" {
    need make
    need cc
    for name in a b c; do
        printf 'int %s(void) { return 1; }\n' "$name" >"$name.c"
    done
    printf 'int a(void), b(void), c(void); int main(void) { return a() + b() + c(); }\n' >main.c
    printf 'prog: a.o b.o c.o main.o\n\t$(CC) -o $@ $^\n' >Makefile
    run "$AI_JAIL" --no-save-config --exec make -j2
    [ "$status" -eq 0 ]
    run ./prog
    [ "$status" -eq 3 ]
    run "$AI_JAIL" --no-save-config --exec make -j2
    [[ $output == *"up to date"* ]]
}

@test "node and npm run" {
    command -v node >/dev/null && command -v npm >/dev/null || skip 'node is not installed'
    [ "$("$AI_JAIL" --no-save-config --exec node -e 'console.log(6 * 7)' 2>/dev/null)" = 42 ]
    [ "$("$AI_JAIL" --no-save-config --exec npm -v 2>/dev/null)" = "$(npm -v)" ]
}

@test "a shell inside has job control and the prompt of the jail" {
    open_shell
    jail 'bash --norc'
    expect '\(jail\) '
    # Before it has the terminal, the keys would reach the shell.
    enter 'clear; sh -c "trap \"echo it goes o\"n CONT; echo it ru""ns; while :; do sleep 0.1; done"'
    expect '^it runs$'
    keys C-z
    expect 'Stopped'
    enter 'clear; fg'
    expect '^it goes on$'
    keys C-c
    enter 'echo co""de $?'
    expect 'code 130'
    enter 'exit 7'
    finished 7
}
