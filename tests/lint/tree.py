# SPDX-License-Identifier: GPL-3.0-only
"""tree: the files of a source tree and the C in them without comments, strings and characters.

Every check is a function of a tree (a directory) that yields findings, so that the self-test can
hand it a tree with exactly one fault. A finding is (path relative to the tree, line, text).
"""
import os
import re
import sys

# Directories that belong to the project; what else lies around (build trees, editors' files) is not
# looked at.
TOP = ("src", "tests", "fuzz", "bench", "scripts", ".ci", "cmake", "man", "docs", "completions",
       "packaging")
C_DIRS = ("src", "tests", "fuzz", "bench")
# Inputs for parsers: arbitrary bytes on purpose.
DATA = ("fuzz/corpus/",)


def files(root):
    """Paths of all project files, relative to root, sorted."""
    found = [name for name in os.listdir(root) if os.path.isfile(os.path.join(root, name))]
    for top in TOP:
        for path, dirs, names in os.walk(os.path.join(root, top)):
            dirs[:] = [d for d in dirs if d not in ("__pycache__", "build")]
            found += [os.path.relpath(os.path.join(path, name), root) for name in names]
    return sorted(f for f in found if not f.startswith(DATA) and not f.endswith(".pyc"))


def c_files(root):
    return [f for f in files(root)
            if f.endswith((".c", ".h")) and f.split("/")[0] in C_DIRS]


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="surrogateescape") as f:
        return f.read()


TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL)


def bare_code(text):
    """The same text with every comment and literal blanked; lines keep their numbers."""
    def blank(match):
        body = match.group()
        if body[0] in "\"'":
            return body[0] + body[0]
        return "\n" * body.count("\n") or " "
    return TOKEN.sub(blank, text)


def numbered(text):
    return enumerate(text.split("\n"), 1)


def main(checks):
    """Runs checks over the tree given as the only argument; the exit code says if all is well."""
    root = sys.argv[1]
    count = 0
    for check in checks:
        for path, line, text in check(root):
            print(f"{path}:{line}: {text}")
            count += 1
    print(f"{count} findings" if count else "ok")
    return 1 if count else 0
