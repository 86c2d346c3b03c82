#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""compile.py COMPILER SOURCES_FILE ROOT [CFLAG...]: every C file that a Mac builds, as a Mac would see it.

Each file of the list is checked (no object is made) behind sysroot/darwin.h: without GNU's extensions,
without the headers of Linux (traps stand in their place), with the names poisoned that Darwin does not
have, and with warnings as errors. A control in each run shows that the trap is set: files that use what a Mac lacks must fail.
"""
import concurrent.futures
import os
import subprocess
import sys
import tempfile

WARNINGS = ["-Wall", "-Wextra", "-Wshadow", "-Wpointer-arith", "-Wwrite-strings", "-Wundef", "-Wvla",
            "-Wformat=2", "-Wstrict-prototypes", "-Wmissing-prototypes", "-Werror"]

# Headers of Linux and GNU: a Mac has nothing of that name, or something else.
FORBIDDEN = (
    "elf", "error", "linux/filter", "linux/fs", "linux/landlock", "linux/magic", "linux/memfd",
    "linux/mount", "linux/netlink", "linux/nsfs", "linux/openat2", "linux/seccomp", "malloc",
    "mntent", "pty", "sched", "seccomp", "sys/capability", "sys/epoll", "sys/eventfd",
    "sys/inotify", "sys/mount", "sys/prctl", "sys/ptrace", "sys/random", "sys/sendfile",
    "sys/signalfd", "sys/statfs", "sys/syscall", "sys/sysinfo", "sys/sysmacros", "sys/timerfd",
    "sys/vfs", "sys/xattr",
)

# The system's own headers may include them, before darwin.h says that this is a Mac.
TRAP = """#ifdef __APPLE__
#error "<{0}.h> belongs to Linux"
#else
#include_next <{0}.h>
#endif
"""

# What must not compile, and a word of the reason.
CONTROLS = (
    ("#include <sys/prctl.h>\n", "belongs to Linux"),
    ("#include <linux/openat2.h>\n", "belongs to Linux"),
    ("#include <unistd.h>\nint f(int *p);\nint f(int *p)\n{\n    return pipe2(p, 0);\n}\n", "pipe2"),
    ("#include <fcntl.h>\nint f(void);\nint f(void)\n{\n    return O_PATH;\n}\n", "O_PATH"),
    ("#include <sys/stat.h>\nlong f(struct stat *s);\nlong f(struct stat *s)\n{\n"
     "    return s->st_mtim.tv_sec;\n}\n", "st_mtim"),
    ("#ifdef __linux__\nint f(void);\n#else\n#error \"not Linux\"\n#endif\n", "not Linux"),
    ("#include <string.h>\nint f(void);\nint f(void)\n{\n    return (int)strlen(canonical());\n}\n",
     "canonical"),
)


def make_traps(top):
    for name in FORBIDDEN:
        path = os.path.join(top, name + ".h")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="ascii") as out:
            out.write(TRAP.format(name))


HERE = os.path.dirname(os.path.abspath(__file__))
DARWIN = os.path.join(HERE, "sysroot", "darwin.h")


def command(compiler, root, flags, file, prefix=DARWIN):
    return [compiler, "-fsyntax-only", *base_words(root), "-include", prefix, *flags, file]


def base_words(root):
    return ["-std=c11", "-D_DEFAULT_SOURCE", "-D_XOPEN_SOURCE=700", '-DAI_JAIL_VERSION="0"',
            "-isystem", os.path.join(HERE, "sysroot", "include"), "-I", os.path.join(root, "src"),
            *WARNINGS]


def check(arguments):
    return subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False)


def control_problems(compiler, root, flags):
    with tempfile.TemporaryDirectory() as directory:
        for number, (text, word) in enumerate(CONTROLS):
            file = os.path.join(directory, f"control{number}.c")
            with open(file, "w", encoding="utf-8") as out:
                out.write(text)
            done = check(command(compiler, root, flags, file))
            if done.returncode == 0 or word not in done.stdout:
                yield f"control {number} ({word}) should have been refused:\n{text}{done.stdout}"


def problems_of(compiler, root, flags, files):
    problems = list(control_problems(compiler, root, flags))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        commands = [command(compiler, root, flags, file) for file in files]
        for done in pool.map(check, commands):
            if done.returncode != 0:
                problems.append(done.stdout)
    return problems


def main():
    compiler, list_file, root, *flags = sys.argv[1:]
    with open(list_file, encoding="utf-8") as lines:
        files = [line.strip() for line in lines if line.strip()]
    with tempfile.TemporaryDirectory() as traps:
        make_traps(traps)
        problems = problems_of(compiler, root, ["-isystem", traps, *flags], files)
    for problem in problems:
        print(problem)
    print(f"{len(files)} files, {len(CONTROLS)} controls, {len(problems)} problems")
    return 1 if problems or len(files) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
