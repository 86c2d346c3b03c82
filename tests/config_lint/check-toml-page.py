#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""check-toml-page.py TABLE PAGE: the man page of the files and the settings table name the same keys.

Every key of src/config/settings_table.c has exactly one item in KEYS, in the section that its
support column belongs to, and the page has no item for anything else.
"""
import re
import sys

SECTIONS = {"SUPPORT_NO_EFFECT": "Keys without effect", "SUPPORT_REFUSED": "Keys that stop a launch"}
DEFAULT = {"CLOSED": "SUPPORT_NO_EFFECT"}
ROW = re.compile(r"\[(SET_\w+)\] =\s*\{(.*?)\n?\},?\n", re.S)
SHORT = re.compile(r"^    (CLOSED|SWITCH|FILE_LIST|LIST|CHECKED_LIST|CAPABILITY|CAPABILITY_INVERTED|WALL_INVERTED)"
                   r"\((SET_\w+), \"(\w+)\"(.*?)\),$", re.M | re.S)


def table_keys(text):
    """{key: support}"""
    keys = {}
    body = text[text.index("const struct setting settings["):]
    for kind, _, key, rest in SHORT.findall(body):
        match = re.search(r"SUPPORT_\w+", rest)
        keys[key] = match.group() if match else DEFAULT.get(kind, "SUPPORT_FULL")
    for part in re.split(r"\n    (?=\[SET_)", body)[1:]:
        part = re.split(r"\n    [A-Z_]+\(SET_", part)[0]
        key = re.search(r"\.key = \"(\w+)\"", part)
        support = re.search(r"\.support = (SUPPORT_\w+)", part)
        if key:
            keys[key.group(1)] = support.group(1) if support else "SUPPORT_FULL"
    return keys


def page_items(text):
    """[(key, subsection)] of the items in KEYS."""
    items, section, subsection = [], None, None
    for line in text.splitlines():
        if line.startswith(".Sh "):
            section, subsection = line[4:], None
        elif line.startswith(".Ss "):
            subsection = line[4:]
        elif section == "KEYS" and line.startswith(".It Ic "):
            items.append((line[7:], subsection))
    return items


def main(table, page):
    with open(table, encoding="utf-8") as file:
        keys = table_keys(file.read())
    with open(page, encoding="utf-8") as file:
        items = page_items(file.read())
    problems = [f"no item for {key}" for key in sorted(set(keys) - {name for name, _ in items})]
    if len(keys) < 50:
        problems.append(f"the table does not look like one: {len(keys)} keys")
    seen = set()
    for name, section in items:
        wanted = SECTIONS.get(keys.get(name, ""))
        if name not in keys or name in seen:
            problems.append(f"item for {name}, which is no key or has one already")
        elif (section if section in SECTIONS.values() else None) != wanted:
            problems.append(f"{name} stands in '{section}'")
        seen.add(name)
    for problem in problems:
        print(f"{page}: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
