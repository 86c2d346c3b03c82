#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""text: hygiene of every text file, and that the repository speaks of the project alone."""
import re
import sys

import tree

TEXT = (".c", ".h", ".S", ".py", ".sh", ".bats", ".cmake", ".md", ".json", ".txt", ".1", ".5", ".7")
NAMES = ("run", "check", "LICENSE", ".clang-format", ".clang-tidy", ".editorconfig", ".gitignore")

# Written in pieces, so that this file passes its own check.
FOREIGN = re.compile("/wo" + r"rk/(main|shared|\.)" + "|/tmp/" + "brief")
# A note for later names what is to be done.
EMPTY_NOTE = re.compile(r"\b(TO" + r"DO|FIX" + r"ME)\b(?!(\([^)]*\))?:? +\w+ +\w+)")
SCRIPT = re.compile(r"^#!.*\b(ba)?sh\b|^#!.*\bpython3?\b|^#!.*\bbats\b")

PAGE = re.compile(r"(?<![\w*-])[A-Za-z][\w-]*\.md\b")


def text_files(root):
    return [f for f in tree.files(root)
            if f.endswith(TEXT) or f.split("/")[-1] in NAMES]


def check_lines(root):
    for path in text_files(root):
        text = tree.read(root, path)
        for number, line in tree.numbered(text):
            if line != line.rstrip() and path != "LICENSE":
                yield path, number, "white space at the end of the line"
            if FOREIGN.search(line):
                yield path, number, "a path of somebody's machine"
            if EMPTY_NOTE.search(line):
                yield path, number, "a note for later without a text"
        if text and not text.endswith("\n"):
            yield path, text.count("\n") + 1, "no newline at the end"
        if text.endswith("\n\n") and path != "LICENSE":
            yield path, text.count("\n"), "empty lines at the end"


def check_scripts(root):
    """Scripts name their license near the top."""
    for path in tree.files(root):
        if path.endswith((".c", ".h")):
            continue
        lines = tree.read(root, path).split("\n")
        is_script = SCRIPT.match(lines[0]) or path.endswith((".py", ".sh", ".bats", ".S"))
        if is_script and not any("SPDX-License-Identifier" in line for line in lines[:3]):
            yield path, 1, "no SPDX-License-Identifier in the first three lines"


def check_pages(root):
    """A page that is named is a page of this repository."""
    pages = {f.split("/")[-1] for f in tree.files(root) if f.endswith(".md")}
    for path in text_files(root):
        if path.startswith("tests/lint/"):
            continue
        for number, line in tree.numbered(tree.read(root, path)):
            for page in PAGE.findall(line):
                if page not in pages:
                    yield path, number, f"there is no page {page} here"


CHECKS = (check_lines, check_scripts, check_pages)

if __name__ == "__main__":
    sys.exit(tree.main(CHECKS))
