#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-only
#
# scripts: what scripts/run and scripts/check promise, tried on a small project of three files.
#
# SOURCE_DIR is the real tree. Package tools are fakes in front of PATH, so nothing is installed:
# dpkg-query knows everything but $FAKE_MISSING, apt-get writes down how it was called and says what
# FAKE_APT_SAYS has for that call, line by line; a line that is not empty is a failure.
#
# shellcheck disable=SC2154 # bats sets stderr and stderr_lines

bats_require_minimum_version 1.5.0

setup()
{
    tree=$BATS_TEST_TMPDIR/tree
    mkdir -p "$tree/src" "$tree/cmake" "$BATS_TEST_TMPDIR/bin" "$BATS_TEST_TMPDIR/cwd dir"
    chmod -R a+rX "$BATS_RUN_TMPDIR"
    cp -r "$SOURCE_DIR/scripts" "$SOURCE_DIR/CMakePresets.json" "$tree"
    cat >"$tree/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
set(CMAKE_C_COMPILER_WORKS TRUE)
set(CMAKE_C_ABI_COMPILED TRUE)
project(small LANGUAGES C)
add_executable(ai-jail src/main.c)
set_target_properties(ai-jail PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
include(CTest)
if(BUILD_TESTING)
  add_test(NAME first COMMAND ai-jail)
  add_test(NAME second COMMAND ai-jail)
endif()
END
    program 'puts("hello");'
    fake dpkg-query '
for name in "$@"; do
    case " $FAKE_MISSING " in
    *" $name "*) test -e "$FAKE_DIR/installed" && printf "%s=installed " "$name" ;;
    *) printf "%s=installed " "$name" ;;
    esac
done'
    fake apt-get '
echo "apt-get $*" >>"$FAKE_DIR/calls"
said=$(printf "%s\n" "$FAKE_APT_SAYS" | sed -n "$(wc -l <"$FAKE_DIR/calls")p")
test -z "$said" || { echo "$said"; exit 100; }
case "$*" in
*install*) : >"$FAKE_DIR/installed" ;;
esac'
    fake sleep 'echo "sleep $*" >>"$FAKE_DIR/naps"'
    export FAKE_MISSING='' FAKE_APT_SAYS='' FAKE_DIR=$BATS_TEST_TMPDIR
    PATH=$BATS_TEST_TMPDIR/bin:$PATH
    cd "$BATS_TEST_TMPDIR/cwd dir" || return
}

# fake NAME BODY
fake()
{
    printf '#!/bin/sh\n%s\n' "$2" >"$BATS_TEST_TMPDIR/bin/$1"
    chmod 755 "$BATS_TEST_TMPDIR/bin/$1"
}

# program STATEMENTS: what the small project's ai-jail does.
program()
{
    cat >"$tree/src/main.c" <<END
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    $1
    return 0;
}
END
}

# One line that starts with the script's name, and nothing else.
assert_one_line()
{
    [ "${#stderr_lines[@]}" -eq 1 ]
    [[ ${stderr_lines[0]} == "$1: "*"$2"* ]]
    [ -z "$output" ]
}

@test "run: the first call builds and says nothing of its own" {
    run -0 --separate-stderr "$tree/scripts/run"
    [ "$output" = hello ]
    [ -z "$stderr" ]
    [ ! -e "$BATS_TEST_TMPDIR/calls" ]
}

@test "run: arguments arrive byte for byte" {
    program 'for (int i = 1; i < argc; i++) printf("<%s>", argv[i]);'
    run -0 --separate-stderr "$tree/scripts/run" -- '' ' a  b ' '$HOME' '*' $'tab\tnl\nend' $'\xff\x01' '-n' '\'
    [ "$output" = $'<--><>< a  b ><$HOME><*><tab\tnl\nend><\xff\x01><-n><\\>' ]
}

@test "run: working directory, umask and environment are the caller's" {
    program 'char b[4096]; mode_t m = umask(0); printf("%s %04o %s %s", getcwd(b, sizeof(b)), m, getenv("COLUMNS"), getenv("PWD"));'
    umask 0031
    export CDPATH=/ COLUMNS=77
    run -0 "$tree/scripts/run"
    [ "$output" = "$PWD 0031 77 $PWD" ]
    run -0 env -C / "$tree/scripts/run"
    [[ $output == "/ 0031 77 "* ]]
}

@test "run: stdin is not touched by the build" {
    program 'int c; while ((c = getchar()) != EOF) putchar(c);'
    output=$(printf 'one\ntwo\n' | "$tree/scripts/run")
    [ "$output" = $'one\ntwo' ]
}

@test "run: only the standard descriptors are open in the program" {
    program 'for (int fd = 3; fd < 64; fd++) { struct stat st; if (fstat(fd, &st) == 0) printf("%d ", fd); }'
    run -0 bash -c 'for fd in /proc/$$/fd/*; do fd=${fd##*/}; ((fd > 2)) && eval "exec $fd>&-"; done; exec "$0"' "$tree/scripts/run"
    [ "$output" = "" ]
}

@test "run: the exit code is the program's" {
    program 'return 7;'
    run -7 "$tree/scripts/run"
    program 'abort();'
    run -134 "$tree/scripts/run"
}

@test "run: an up-to-date program is not built again, a changed source is" {
    "$tree/scripts/run"
    before=$(stat -c %y "$tree/build/release/ai-jail")
    "$tree/scripts/run"
    [ "$(stat -c %y "$tree/build/release/ai-jail")" = "$before" ]
    program 'puts("changed");'
    run -0 "$tree/scripts/run"
    [ "$output" = changed ]
}

@test "run: a changed header is noticed" {
    program 'puts(TEXT);'
    sed -i '1i #include "text.h"' "$tree/src/main.c"
    echo '#define TEXT "one"' >"$tree/src/text.h"
    run -0 "$tree/scripts/run"
    [ "$output" = one ]
    echo '#define TEXT "two"' >"$tree/src/text.h"
    run -0 "$tree/scripts/run"
    [ "$output" = two ]
}

@test "run: a file that changes during the build is built the next time" {
    # Not in the tick of the clock in which the build began.
    fake ninja 'late=$FAKE_DIR/tree/src/late.c begun=$FAKE_DIR/tree/build/release/.begun
        while [ -e "$begun" ] && [ -z "$(find "$late" -newer "$begun" 2>/dev/null)" ]; do
            echo "int late;" >"$late"
        done
        exec /usr/bin/ninja "$@"'
    "$tree/scripts/run"
    fake ninja ': >"$FAKE_DIR/asked"; exec /usr/bin/ninja "$@"'
    "$tree/scripts/run"
    [ -e "$BATS_TEST_TMPDIR/asked" ]
    rm "$BATS_TEST_TMPDIR/asked"
    "$tree/scripts/run"
    [ ! -e "$BATS_TEST_TMPDIR/asked" ]
}

@test "run: a failed build is 125 and one line, and the program is not started" {
    "$tree/scripts/run"
    program 'this is not C;'
    run -125 --separate-stderr "$tree/scripts/run"
    assert_one_line scripts/run "the build failed, see $tree/build/release.log"
    grep -q 'main.c' "$tree/build/release.log"
}

@test "run: missing packages are installed with one update and one install" {
    ((EUID == 0)) || fake sudo 'exec "$@"'
    FAKE_MISSING='libuv1-dev bubblewrap' run -0 --separate-stderr "$tree/scripts/run"
    [ "$output" = hello ]
    [ "$stderr" = "scripts/run: installing libuv1-dev bubblewrap" ]
    [ "$(grep -c . "$BATS_TEST_TMPDIR/calls")" -eq 2 ]
    grep -q '^apt-get .* update$' "$BATS_TEST_TMPDIR/calls"
    grep -q '^apt-get .* -y .*install libuv1-dev bubblewrap$' "$BATS_TEST_TMPDIR/calls"
    touch "$tree/src/main.c"
    FAKE_MISSING='libuv1-dev bubblewrap' run -0 --separate-stderr "$tree/scripts/run"
    [ -z "$stderr" ]
    [ "$(grep -c . "$BATS_TEST_TMPDIR/calls")" -eq 2 ]
}

@test "run: the installer's reason is in the line" {
    ((EUID == 0)) || fake sudo 'exec "$@"'
    export FAKE_MISSING=cmake FAKE_APT_SAYS=$'\nE: no such luck'
    run -125 --separate-stderr "$tree/scripts/run"
    [ "${stderr_lines[-1]}" = "scripts/run: apt-get could not install cmake: E: no such luck" ]
    [ -z "$output" ]
    [ ! -e "$BATS_TEST_TMPDIR/naps" ]
}

@test "run: the installer is waited for while another has its locks" {
    ((EUID == 0)) || fake sudo 'exec "$@"'
    local locked='E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7 (apt-get)'
    export FAKE_MISSING=cmake FAKE_APT_SAYS=$locked$'\n\n'$locked$'\n'$locked
    run -0 --separate-stderr "$tree/scripts/run"
    [ "$output" = hello ]
    [ "$(grep -c . "$BATS_TEST_TMPDIR/calls")" -eq 6 ]
    [ "$(grep -c . "$BATS_TEST_TMPDIR/naps")" -eq 3 ]
}

@test "run: a mirror that fails is asked again, and not for ever" {
    ((EUID == 0)) || fake sudo 'exec "$@"'
    local lost='E: Failed to fetch http://deb.test/cmake.deb  Connection failed'
    export FAKE_MISSING=cmake FAKE_APT_SAYS=$'\n'$lost
    run -0 --separate-stderr "$tree/scripts/run"
    [ "$output" = hello ]
    [ "$(grep -c . "$BATS_TEST_TMPDIR/calls")" -eq 4 ]
    rm "$BATS_TEST_TMPDIR/installed" "$BATS_TEST_TMPDIR/calls" "$tree/build/release/.built"
    FAKE_APT_SAYS=$(printf "%.0s$lost\n" 1 2 3 4 5)
    run -125 --separate-stderr "$tree/scripts/run"
    [ "${stderr_lines[-1]}" = "scripts/run: apt-get could not install cmake: $lost" ]
    [ "$(grep -c . "$BATS_TEST_TMPDIR/calls")" -eq 4 ]
}

@test "run: an ordinary user without sudo is told what is missing" {
    ((EUID == 0)) || skip "needs root to become somebody who has no sudo"
    mkdir "$BATS_TEST_TMPDIR/tools"
    for tool in bash readlink env; do
        ln -s "$(command -v "$tool")" "$BATS_TEST_TMPDIR/tools"
    done
    run -125 --separate-stderr setpriv --reuid=65534 --regid=65534 --clear-groups env \
        FAKE_MISSING=cmake PATH="$BATS_TEST_TMPDIR/bin:$BATS_TEST_TMPDIR/tools" "$tree/scripts/run"
    assert_one_line scripts/run "missing packages, and neither root nor sudo to install them: cmake"
}

@test "run: somebody else's tree is used as it is while it is up to date" {
    ((EUID == 0)) || skip "needs root to own a tree that another user runs"
    local other=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    run -125 --separate-stderr "${other[@]}" "$tree/scripts/run"
    assert_one_line scripts/run "cannot write to $tree/build"
    "$tree/scripts/run"
    run -0 --separate-stderr "${other[@]}" "$tree/scripts/run"
    [ "$output" = hello ]
    touch -d '+1 hour' "$tree/src/main.c"
    run -125 --separate-stderr "${other[@]}" "$tree/scripts/run"
    assert_one_line scripts/run "out of date"
}

@test "run: works through a symbolic link and after the tree was moved" {
    "$tree/scripts/run"
    mv "$tree" "$tree moved"
    ln -s "$tree moved/scripts/run" "$BATS_TEST_TMPDIR/link"
    run -0 --separate-stderr "$BATS_TEST_TMPDIR/link"
    [ "$output" = hello ]
    [ -z "$stderr" ]
}

@test "run: a broken build.ninja is written again" {
    "$tree/scripts/run"
    echo 'rule' >"$tree/build/release/build.ninja"
    touch "$tree/src/main.c"
    run -0 --separate-stderr "$tree/scripts/run"
    [ "$output" = hello ]
}

@test "run: a tree with tests keeps them" {
    AI_JAIL_CHECK_BUILDS=release "$tree/scripts/check"
    touch "$tree/src/main.c"
    "$tree/scripts/run"
    grep -qx BUILD_TESTING:BOOL=ON "$tree/build/release/CMakeCache.txt"
}

@test "run: two at once share the tree" {
    "$tree/scripts/run" >"$BATS_TEST_TMPDIR/one" &
    "$tree/scripts/run" >"$BATS_TEST_TMPDIR/two"
    wait $!
    [ "$(cat "$BATS_TEST_TMPDIR/one" "$BATS_TEST_TMPDIR/two")" = $'hello\nhello' ]
}

@test "check: builds and tests each preset and ends with ctest's last lines" {
    AI_JAIL_CHECK_BUILDS="release dev" run -0 --separate-stderr "$tree/scripts/check"
    [ "$(grep -c '^100% tests passed, 0 tests failed out of 2$' <<<"$output")" -eq 2 ]
    [[ ${lines[-1]} == "Total Test time (real) = "* ]]
    [ -x "$tree/build/release/ai-jail" ] && [ -x "$tree/build/dev/ai-jail" ]
}

@test "check: works in a tree in which run came first" {
    "$tree/scripts/run"
    AI_JAIL_CHECK_BUILDS=release run -0 "$tree/scripts/check"
    [[ $output == *"100% tests passed"* ]]
}

@test "check: a failing test fails it, with the output of the test" {
    program 'puts("the reason"); return argc;'
    AI_JAIL_CHECK_BUILDS="release dev" run -1 "$tree/scripts/check"
    [[ $output == *"the reason"* ]]
    [[ $output == *"0% tests passed, 2 tests failed out of 2"* ]]
    [ ! -e "$tree/build/dev" ]
}

@test "check: a failed build shows the compiler's message" {
    program 'this is not C;'
    AI_JAIL_CHECK_BUILDS=release run -1 "$tree/scripts/check"
    [[ $output == *"main.c:"*"error:"* ]]
    [[ $output == *"scripts/check: the release build failed"* ]]
}

@test "check: passes options on and refuses a run without tests" {
    AI_JAIL_CHECK_BUILDS=release run -0 "$tree/scripts/check" -R first
    [[ $output == *"out of 1"* ]]
    AI_JAIL_CHECK_BUILDS=release run -1 "$tree/scripts/check" -R nothing
}

@test "check: an unknown preset is refused" {
    AI_JAIL_CHECK_BUILDS=fast run -1 --separate-stderr "$tree/scripts/check"
    assert_one_line scripts/check "no preset fast"
}
