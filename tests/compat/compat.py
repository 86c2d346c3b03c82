#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""compat: programs that developers and agents start, each in a jail of its own.

Usage: compat.py run AI-JAIL own|ordinary [--all] [NAME...]
       compat.py table              print the rows as a table
       compat.py check-table FILE   FILE must hold that table

Every row has a new project; all share one home, as the projects of a user do. A row whose program is not
installed is told and left out; where every test must run (AI_JAIL_TESTS_MUST_RUN=1) that is a failure
for the programs that the tests install themselves.
"""
import concurrent.futures
import os
import pwd
import shutil
import subprocess
import sys
import tempfile

from rows import ROWS

HERE = os.path.dirname(os.path.abspath(__file__))
# One that has a name: ssh-keygen asks for it. Not "nobody", whose number stands for all unknown ones.
ORDINARY = "games"
LIMIT_S = 500  # a compiler on a machine that does other things
# Installed by scripts/check.
REQUIRED = {"git", "gcc", "g++", "cmake", "ninja", "python3", "strace", "perl", "tmux", "bats", "tar",
            "bash", "flock", "mkfifo", "script", "ps"}


def table():
    lines = ["| what | flags |", "|---|---|"]
    for row in ROWS:
        flags = f"`{row.flags}`" if row.flags else "–"
        lines.append(f"| {row.name} | {flags} |")
    return "\n".join(lines) + "\n"


def environment(base):
    """The caller's programs, a home of our own; tools that the caller keeps in HOME stay where they are."""
    env = {"HOME": os.path.join(base, "home"), "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin",
           "LANG": "C.UTF-8", "TERM": "xterm-256color", "SHELL": "/bin/sh",
           "TMPDIR": os.path.join(base, "tmp"),
           "GIT_CONFIG_NOSYSTEM": "1"}
    real = pwd.getpwuid(os.geteuid()).pw_dir
    for name, default in (("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")):
        path = os.environ.get(name, os.path.join(real, default))
        if os.path.isdir(path):
            env[name] = path
    return env


def prepare(base):
    for name in ("home", "tmp", "projects", "home/.cache", "home/.npm", "home/.cargo", "home/.m2", "home/go"):
        os.makedirs(os.path.join(base, name), mode=0o700, exist_ok=True)
    with open(os.path.join(base, "home/.gitconfig"), "w", encoding="utf-8") as file:
        file.write("[user]\nname = T\nemail = t@example.org\n[commit]\ngpgsign = false\n")


def attempt(row, number, base, program, env):
    """"" if it went well, otherwise what did not."""
    project = os.path.join(base, "projects", str(number))
    os.mkdir(project)
    words = [program, "--no-save-config", *row.flags.split(), "sh", "-c", row.inside]
    try:
        if row.outside:
            subprocess.run(["sh", "-c", row.outside], cwd=project, env=env, check=True, timeout=LIMIT_S,
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        done = subprocess.run(words, cwd=project, env=env, check=False, timeout=LIMIT_S, text=True,
                              errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as error:
        return str(error)[-800:]
    if done.returncode == 0 and row.want in done.stdout:
        return ""
    return f"exit code {done.returncode}\n{done.stdout[-600:]}\n{done.stderr[-1200:]}"


def is_installed(row, env):
    path = shutil.which(row.program, path=env["PATH"])
    return path and os.access(path, os.X_OK)


def run(program, names, heavy):
    base = os.path.realpath(tempfile.mkdtemp(prefix="ai-jail-compat."))
    env = environment(base)
    must_run = bool(os.environ.get("AI_JAIL_TESTS_MUST_RUN"))
    failed = []
    try:
        prepare(base)
        wanted = [row for row in ROWS if (row.name in names if names else heavy or not row.heavy)]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            tries = []
            for number, row in enumerate(wanted):
                if is_installed(row, env):
                    tries.append((row, pool.submit(attempt, row, number, base, program, env)))
                elif must_run and row.program in REQUIRED:
                    failed.append(row.name)
                    print(f"FAILED  {row.name}: {row.program} is not installed")
                else:
                    print(f"skipped {row.name}: {row.program} is not installed")
            for row, future in tries:
                why = future.result()
                print(f"{'FAILED ' if why else 'ok     '} {row.name}" + (f": {why}" if why else ""))
                if why:
                    failed.append(row.name)
    finally:
        subprocess.run(["chmod", "-R", "u+rwX", base], check=False)  # Go's module cache is read-only
        shutil.rmtree(base, ignore_errors=True)
    print(f"{len(failed)} failed{': ' if failed else ''}{', '.join(failed)}")
    return 1 if failed else 0


def as_ordinary(program, rest):
    """Again as a user who owns nothing but a directory with copies."""
    user = pwd.getpwnam(ORDINARY)
    base = tempfile.mkdtemp(prefix="ai-jail-compat-user.")
    try:
        copy = shutil.copytree(HERE, os.path.join(base, "compat"))
        program = shutil.copy(program, base)
        for root, dirs, files in os.walk(base):
            for path in [root] + [os.path.join(root, name) for name in dirs + files]:
                os.chown(path, user.pw_uid, user.pw_gid)
        env = dict(os.environ, TMPDIR=base, HOME=base, PATH="/usr/local/bin:/usr/bin:/bin")
        env.pop("CARGO_HOME", None)
        env.pop("RUSTUP_HOME", None)
        return subprocess.run(
            ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups", "--",
             "/usr/bin/python3", "-B", os.path.join(copy, "compat.py"), "run", program, "own", *rest],
            cwd=base, env=env, check=False).returncode
    finally:
        shutil.rmtree(base, ignore_errors=True)


def main():
    if sys.argv[1] == "table":
        print(table(), end="")
        return 0
    if sys.argv[1] == "check-table":
        with open(sys.argv[2], encoding="utf-8") as file:
            if table() in file.read():
                return 0
        print(f"{sys.argv[2]}: the table is out of date: put in what `compat.py table` prints")
        return 1
    program, who, rest = sys.argv[2], sys.argv[3], sys.argv[4:]
    if who == "ordinary" and os.geteuid() == 0:
        return as_ordinary(program, rest)
    names = [word for word in rest if word != "--all"]
    return run(program, names, "--all" in rest)


if __name__ == "__main__":
    sys.exit(main())
