# SPDX-License-Identifier: GPL-3.0-only
# shellcheck shell=bash
#
# lib: what scripts/run and scripts/check share: installing missing packages, and a build that
# says nothing unless it fails.
#
# Sourced by a script that has set:
#   me         its name in messages
#   root       the canonical path of the source tree
#   fail_code  its exit code when set-up or build fails
#
# Nothing here changes the caller's working directory, umask or environment, reads its stdin or
# writes to its stdout: all of that belongs to the program that scripts/run starts. Work happens in
# subshells, and what tools print goes to build/*.log.
#
# shellcheck disable=SC2034,SC2154 # the package lists are used, and the names above set, elsewhere

build_packages=(cmake ninja-build gcc g++ libc6-dev pkgconf libseccomp-dev libuv1-dev libvterm-dev
    libjansson-dev libmd-dev libssl-dev libtomlplusplus-dev musl-tools)
run_packages=(bubblewrap)
# The last line: programs that the session tests drive inside the jail.
test_packages=(libcmocka-dev bats tmux python3 mandoc iproute2 procps strace shellcheck clang-format
    git vim less htop make fzf mc dialog whiptail zsh fish bash-completion curl wget openssl
    openssh-client xvfb x11-utils dbus-daemon pipewire pipewire-bin tinyproxy-bin
    desktop-file-utils nodejs python3-requests)

die()
{
    printf '%s: %s\n' "$me" "$*" >&2
    exit "$fail_code"
}

# Prints the names of the given packages that are not installed.
missing_packages()
{
    local installed name

    installed=" $(dpkg-query -W -f='${Package}=${db:Status-Status} ' "$@" 2>/dev/null || :)"
    for name in "$@"; do
        [[ $installed == *" $name=installed "* ]] || printf '%s\n' "$name"
    done
}

# Installs what is missing of the given packages. Elsewhere than on Debian and its relatives it does
# nothing: the build then says what it does not find.
need_packages()
{
    local -a missing as_root=()

    command -v dpkg-query >/dev/null && command -v apt-get >/dev/null || return 0
    mapfile -t missing < <(missing_packages "$@")
    ((${#missing[@]})) || return 0
    if ((EUID != 0)); then
        command -v sudo >/dev/null ||
            die "missing packages, and neither root nor sudo to install them: ${missing[*]}"
        as_root=(sudo)
    fi
    make_build_dir
    printf '%s: installing %s\n' "$me" "${missing[*]}" >&2
    (
        cd / || exit
        umask 022
        run=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -qq
            -o DPkg::Lock::Timeout=300)
        install_patiently "${missing[@]}"
    ) >"$root/build/packages.log" 2>&1 </dev/null ||
        die "apt-get could not install ${missing[*]}: $(last_line "$root/build/packages.log")"
}

# apt-get waits for the lock of dpkg by itself, but not for those of its lists and its downloads, which the
# timers of a machine that has just been started hold for minutes; and a mirror fails now and then.
install_patiently()
{
    local said code end=$((SECONDS + 600)) fetches=0

    while :; do
        said=$("${run[@]}" update 2>&1 &&
            "${run[@]}" -y --no-install-recommends install "$@" 2>&1)
        code=$?
        printf '%s\n' "$said"
        ((code)) || return 0
        case $said in
            *' lock '*) ;;
            *'ailed to fetch'* | *'Temporary failure'*) ((++fetches < 4)) || return "$code" ;;
            *) return "$code" ;;
        esac
        ((SECONDS < end)) || return "$code"
        sleep 5
    done
}

last_line()
{
    grep -v '^[[:space:]]*$' "$1" | tail -n 1
}

make_build_dir()
{
    mkdir -p "$root/build" 2>/dev/null
    [[ -w $root/build ]] || die "cannot write to $root/build"
}

# A tree that was moved or copied carries a cache that names the old place; CMake refuses it.
drop_foreign_cache()
{
    local cache=$1/CMakeCache.txt

    [[ ! -e $cache ]] || grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache" || rm -rf "$1"
}

# configure_and_build PRESET TESTING [TARGET...]: builds into build/PRESET. TESTING is ON, or OFF
# for a tree that needs no test packages; a tree that was configured with tests keeps them. The lock
# lets two callers share the tree. Returns non-zero when it fails; the output is in
# build/PRESET.log. build/PRESET/.built gets the time at which the build began, so that a file
# edited meanwhile counts as newer.
configure_and_build()
{
    local preset=$1 testing=$2 dir=$root/build/$1
    local -a options=()
    shift 2

    make_build_dir
    (
        flock 9 || exit
        cd "$root" || exit
        umask 022
        drop_foreign_cache "$dir"
        # Always: ninja could do it as needed, but not out of a build.ninja that it cannot read.
        [[ $testing == ON || ! -e $dir/CMakeCache.txt ]] && options=(-DBUILD_TESTING="$testing")
        cmake --preset "$preset" -B "$dir" "${options[@]}" || exit
        touch "$dir/.begun"
        ninja -C "$dir" -j "$(build_jobs)" "$@" && mv "$dir/.begun" "$dir/.built"
    ) 9>"$root/build/.$preset.lock" >"$root/build/$preset.log" 2>&1 </dev/null
}

# As many jobs as there are processors, at most four.
build_jobs()
{
    local n

    n=$(nproc)
    echo $((n < 4 ? n : 4))
}

# One more: most of a test is waiting. Not many more: some watch the clock.
test_jobs()
{
    echo $(($(build_jobs) + 1))
}
