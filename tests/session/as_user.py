#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""as_user: runs one session test, as the user who calls or as an ordinary one.

Usage: as_user.py own|ordinary AI-JAIL TEST

An ordinary user may not be able to enter the build tree, so the program and the tests are copied
into a directory that belongs to that user; it is removed afterwards. Each test has a user of its own:
what the kernel counts for each user (processes, inotify instances) is then not shared by two tests.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import zlib

ORDINARY_IDS = range(54321, 58321)
PYTHON = "/usr/bin/python3"
HERE = os.path.dirname(os.path.abspath(__file__))


def give(top, uid):
    for root, dirs, files in os.walk(top):
        for path in [root] + [os.path.join(root, name) for name in dirs + files]:
            os.chown(path, uid, uid)


def copy_browser_tests(tests, base):
    """Their own directory uses this one's helpers, and Playwright lies in the build tree."""
    shutil.copytree(os.path.join(HERE, "../browser"), tests, dirs_exist_ok=True)
    playwright = os.environ.get("AI_JAIL_PLAYWRIGHT")
    if playwright:
        os.environ["AI_JAIL_PLAYWRIGHT"] = shutil.copytree(playwright,
                                                           os.path.join(base, "playwright"))


def main():
    who, program, test = sys.argv[1:]
    uid = ORDINARY_IDS[zlib.crc32(test.encode()) % len(ORDINARY_IDS)]
    base = tempfile.mkdtemp(prefix="ai-jail-session.")
    command = ["bats", test] if test.endswith(".bats") else [PYTHON, "-B", test]
    try:
        tests = shutil.copytree(HERE, os.path.join(base, "tests"),
                                ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(os.path.join(HERE, "../filter/cases.tsv"), tests)
        shutil.copy(os.path.join(HERE, "../../packaging/ai-jail-browser"), base)
        copy_browser_tests(tests, base)
        home = os.path.join(base, "home")
        os.makedirs(os.path.join(base, "tmp"))
        os.mkdir(home)
        env = dict(os.environ, AI_JAIL=shutil.copy(program, base), HOME=home, LANG="C.UTF-8",
                   TMPDIR=os.path.join(base, "tmp"), PATH="/usr/local/bin:/usr/bin:/bin:/usr/sbin")
        if who == "ordinary" and os.geteuid() == 0:
            give(base, uid)
            command = ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups",
                       "--"] + command
        return subprocess.run(command, cwd=tests, env=env, check=False).returncode
    finally:
        shutil.rmtree(base, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
