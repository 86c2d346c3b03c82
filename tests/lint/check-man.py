#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""The man page and the program name the same options.

check-man.py options PROGRAM PAGE   every option that PROGRAM --help lists has an item in OPTIONS,
                                    and the page names no option that --help does not list
check-man.py mandoc PAGE            mandoc finds nothing to warn about

--help is made from the settings table, and a unit test proves that it lists every word of it, so
this closes the chain from the table to the page. Exit 77: mandoc is not installed (a failure with
AI_JAIL_TESTS_MUST_RUN=1).
"""

import os
import re
import shutil
import subprocess
import sys

SKIP = 77
# Words that mdoc takes as macros when they stand in a macro line.
MACRO = re.compile(r"[A-Z][a-z]|[A-Z]{2}")
OPTION = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*")
LONG_OPTION = re.compile(r"(?<![\w-])--[A-Za-z][\w-]*")


def listed_options(help_text):
    """Options of the lines that start an entry: indented by two, beginning with a dash."""
    found = set()
    for line in help_text.splitlines():
        if re.match(r"  -", line):
            found.update(OPTION.findall(line))
    return found


def flags_of(line):
    """Arguments of every Fl in a macro line, with their dashes."""
    found = set()
    in_flag = False
    for word in line.lstrip(".").split():
        if MACRO.fullmatch(word):
            in_flag = word == "Fl"
        elif in_flag and re.match(r"-?[A-Za-z]", word):
            found.add("-" + word)
    return found


def page_options(page):
    """(options with an item in OPTIONS, all options named anywhere)"""
    items, named = set(), set()
    section = None
    for line in page.splitlines():
        line = line.replace(r"\-", "-")
        if line.startswith('.\\"'):
            continue
        if line.startswith(".Sh "):
            section = line[4:].strip()
        if line.startswith("."):
            flags = flags_of(line)
            named |= flags
            if section == "OPTIONS" and line.startswith(".It "):
                items |= flags
        named.update(LONG_OPTION.findall(line))
    return items, named


def check_options(program, path):
    help_text = subprocess.run(
        [program, "--help"], check=True, capture_output=True, text=True, timeout=30
    ).stdout
    with open(path, encoding="utf-8") as file:
        items, named = page_options(file.read())
    listed = listed_options(help_text)
    problems = []
    if not {"--help", "-h", "--version", "-V"} <= listed:
        problems.append("--help does not look like a list of options")
    problems += [f"{path}: no item in OPTIONS for {option}" for option in sorted(listed - items)]
    problems += [f"{path}: names {option}, which does not exist" for option in sorted(named - listed)]
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


def check_mandoc(path):
    if not shutil.which("mandoc"):
        print("mandoc is not installed: the page is not linted", file=sys.stderr)
        return 1 if os.environ.get("AI_JAIL_TESTS_MUST_RUN") == "1" else SKIP
    result = subprocess.run(
        ["mandoc", "-T", "lint", "-W", "warning", path], capture_output=True, text=True, timeout=30
    )
    sys.stderr.write(result.stdout + result.stderr)
    return 1 if result.returncode or result.stdout or result.stderr else 0


def main(words):
    if len(words) == 3 and words[0] == "options":
        return check_options(words[1], words[2])
    if len(words) == 2 and words[0] == "mandoc":
        return check_mandoc(words[1])
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
