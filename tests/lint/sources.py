#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""sources: what no C file may do, and what each must have."""
import fnmatch
import re
import sys

import tree

LICENSE = "// SPDX-License-Identifier: GPL-3.0-only"

# (what, pattern over code without comments and literals, why, files below the tree that may).
# Everything is about src/; tests are programs of their own.
BANNED = (
    ("unbounded or shared buffers", r"\b(strcpy|strcat|sprintf|vsprintf|gets|strtok)\s*\(",
     "use buf, xasprintf or snprintf", ()),
    ("the shell", r"\b(system|popen)\s*\(", "fork and execve with a fixed program", ()),
    ("guessable names", r"\b(tmpnam|tempnam|mktemp)\s*\(", "use memfd_create or mkostemp", ()),
    ("memory of the stack", r"\balloca\s*\(", "its size comes from input sooner or later", ()),
    ("printing to stdout", r"\b(printf|vprintf|puts|putchar)\s*\(|\bstdout\b",
     "stdout belongs to the command and to main",
     ("src/main.c", "src/pty/session*.c", "src/backend/seccomp_gen.c")),
    ("printing to stderr", r"\bperror\s*\(|\bstderr\b", "return an error or add a note",
     ("src/main.c", "src/base/log.c", "src/base/base.c", "src/backend/seccomp_gen.c")),
    ("ending the process", r"\bexit\s*\(", "only main ends the program",
     ("src/main.c", "src/backend/launcher*.c", "src/backend/seccomp_gen.c")),
)

# (top directory, lines from which on there is a warning, most lines). A test file is a flat list of
# cases, which a reader enters by name; code has to be held in the head.
FILE_LINES = (("tests", 900, 1200), ("", 500, 600))
FUNCTION_MAX = 100


def check_banned(root):
    rules = [(what, re.compile(pattern), why, allowed) for what, pattern, why, allowed in BANNED]
    for path in tree.c_files(root):
        if not path.startswith("src/"):
            continue
        for number, line in tree.numbered(tree.bare_code(tree.read(root, path))):
            for what, pattern, why, allowed in rules:
                hit = pattern.search(line)
                if hit and not any(fnmatch.fnmatchcase(path, a) for a in allowed):
                    yield path, number, f"{what}: {hit.group().rstrip(' (')}: {why}"


def check_heading(root):
    """License, then a comment that explains the file, then in a header #pragma once."""
    for path in tree.c_files(root):
        lines = tree.read(root, path).split("\n")
        if lines[0] != LICENSE:
            yield path, 1, f"the first line must be: {LICENSE}"
            continue
        if len(lines) < 3 or not lines[1].startswith("/*"):
            yield path, 2, "the second line must begin the heading comment"
            continue
        heading = "\n".join(lines[1:]).split("*/")[0]
        if len(re.findall(r"\w+", heading)) < 2:
            yield path, 2, "the heading comment says nothing"
        rest = tree.bare_code("\n".join(lines)).split("\n")
        first = next((line for line in rest if line.strip()), "")
        if path.endswith(".h") and first != "#pragma once":
            yield path, 1, "a header's first line of code must be #pragma once"
        if path.endswith(".c") and "#pragma once" in rest:
            yield path, 1, "#pragma once in a .c file"


def check_length(root):
    """clang-format puts the braces of a function, and nothing else, alone into the first column."""
    for path in tree.c_files(root):
        text = tree.bare_code(tree.read(root, path))
        count = text.count("\n")
        warn, most = next((w, m) for top, w, m in FILE_LINES if path.startswith(top))
        if count > most:
            yield path, most + 1, f"{count} lines, more than {most}: split the file"
        elif count > warn:
            print(f"{path}: warning: {count} lines, more than {warn}")
        start = None
        for number, line in tree.numbered(text):
            if line == "{":
                start = number
            elif line == "}" and start:
                if number - start - 1 > FUNCTION_MAX:
                    yield path, start, (f"a function of {number - start - 1} lines, "
                                        f"more than {FUNCTION_MAX}")
                start = None


CHECKS = (check_banned, check_heading, check_length)

if __name__ == "__main__":
    sys.exit(tree.main(CHECKS))
