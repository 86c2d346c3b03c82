#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""link.py SOURCES_FILE ROOT BUILD: would a Mac's linker find everything?

Compiling file by file (compile.py) does not tell, and the driver on Linux takes from Linux's files whatever
it misses. So the objects of this build are asked: what the files of a Mac's list need and a file that is not
on it defines must also be defined by one that is. Files that cannot be compiled here are read: a name in front
of "(" at the beginning of a definition counts.
"""
import os
import re
import subprocess
import sys


def names(objects, flag):
    out = subprocess.run(["nm", "-P", flag, *objects], check=True, capture_output=True, text=True).stdout
    return {line.split()[0] for line in out.split("\n") if line and not line.endswith(":")}


def objects_of(build, root):
    """{source: object}, each source once."""
    found = {}
    for top, _, files in os.walk(build):
        for file in files:
            match = re.search(r"/CMakeFiles/[^/]+\.dir/(?:.*/src/)?(.+\.c)\.o$", os.path.join(top, file))
            if match and os.path.exists(os.path.join(root, "src", match.group(1))):
                found[match.group(1)] = os.path.join(top, file)
    return found


def main():
    with open(sys.argv[1], encoding="utf-8") as lines:
        wanted = [os.path.relpath(line, os.path.join(sys.argv[2], "src")) for line in lines.read().split()]
    objects = objects_of(sys.argv[3], sys.argv[2])
    ours = [objects[name] for name in wanted if name in objects]
    others = [path for name, path in objects.items()
              if name not in wanted and not name.startswith(("backend/launcher", "backend/seccomp_gen"))]
    defined = names(ours, "--defined-only")
    elsewhere = names(others, "--defined-only")
    if len(ours) < 150 or len(defined) < 1000 or "mounter_start" not in elsewhere:
        sys.exit(f"the objects of the build are not there: {len(ours)}, {len(defined)} names")
    text = ""
    for name in wanted:
        if name not in objects:
            with open(os.path.join(sys.argv[2], "src", name), encoding="utf-8") as file:
                text += file.read()
    missing = [name for name in sorted(names(ours, "--undefined-only") - defined)
               if name in elsewhere and not re.search(rf"^[a-z].*\b{name}(\(| =|\[)", text, re.M)]
    for name in missing:
        print(f"{name}: no file that a Mac builds defines it")
    sys.exit(bool(missing))


if __name__ == "__main__":
    main()
