#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""ai-jail-terminal(7) and the filter know the same sequences.

check-terminal-page.py LIST_RULES PAGE

LIST_RULES prints what the filter knows (tests/filter/list_rules.c). Each of its rows must be an item
of the page, under the heading that says what happens to it and with as many parameters, and each
item of the page must be a row.
"""
import re
import subprocess
import sys

LEADERS = "<=>?"
INTERMEDIATES = "SP", "!", '"', "'", "$", "*", "#", "(", ")", "+"
ESCAPES = {r"\(ga": "`", r"\(aq": "'", r"\(ti": "~", r"\(ha": "^", r"\(dq": '"', r"\e": "\\",
           r"\&": ""}
# Heading of the page: what its rows are.
HEADINGS = {
    "ESCAPE SEQUENCES": "esc",
    "Passed on": "pass",
    "Passed on within limits": "check",
    "Answered": "answer",
    "MODES": "mode",
    "OPERATING SYSTEM COMMANDS": "osc",
    "DECRQSS": "status",
    "XTGETTCAP": "capability",
    "FROM THE TERMINAL TO THE COMMAND": "input",
}


def char(code):
    """A byte of LIST_RULES as the page writes it; None for none."""
    return {"00": None, "20": "SP"}.get(code, chr(int(code, 16)))


def rows_of_filter(program):
    """Tuples, of which the first word says what they are."""
    text = subprocess.run([program], check=True, capture_output=True, text=True, timeout=60).stdout
    for line in text.splitlines():
        kind, *words = line.split("\t")
        if kind == "csi":
            _, leader, inter, final, count, verdict = words
            yield "csi", char(leader), char(inter), char(final), count, verdict
        elif kind == "esc":
            yield "esc", char(words[0]), char(words[1])
        elif kind == "question":
            yield "question", char(words[0]), words[1], char(words[2])
        elif kind == "input":
            yield "input", char(words[0]), char(words[1])
        else:
            yield kind, words[0].replace(" ", "SP ")


def control_sequence(words, heading):
    """The row for the words behind CSI."""
    leader = words.pop(0) if len(words) > 1 and words[0] in LEADERS else None
    final = words.pop()
    inter = words.pop() if words and words[-1] in INTERMEDIATES else None
    if heading == "input":
        return "input", leader, final
    if len(words) == 1 and words[0].isdigit():
        return "question", leader, words[0], final
    if words == ["..."]:
        count = "many"
    else:
        count = str(len(words) // 2 + 1 if words else 0)
        if words and (len(words) % 2 == 0 or set(words[1::2]) - {";"}):
            raise ValueError("odd parameters")
    return "csi", leader, inter, final, count, heading


def row_of_item(text, heading):
    words = text.split()
    if heading in ("pass", "check", "answer", "input"):
        if words[0] != "CSI":
            raise ValueError("not a control sequence")
        return control_sequence(words[1:], heading)
    if heading == "esc":
        if words[0] != "ESC" or len(words) not in (2, 3):
            raise ValueError("not an escape sequence")
        return "esc", words[1] if len(words) == 3 else None, words[-1]
    if heading == "osc":
        if words[0] != "OSC" or len(words) != 2:
            raise ValueError("not a command")
        return "osc", words[1]
    return heading, text


def rows_of_page(path):
    """(line number, row) of each item of the tables."""
    heading = None
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            match = re.match(r"\.S[hs] (.*)", line)
            if match:
                heading = HEADINGS.get(match.group(1).strip())
            match = re.match(r'\.It Li (?:"([^"]*)"|(\S+)) Ta ', line)
            if not match:
                continue
            text = match.group(1) or match.group(2)
            for escape, meaning in ESCAPES.items():
                text = text.replace(escape, meaning)
            if not heading:
                raise SystemExit(f"{path}:{number}: an item below no known heading")
            try:
                yield number, row_of_item(text, heading)
            except ValueError as error:
                raise SystemExit(f"{path}:{number}: {text}: {error}") from error


def main(program, path):
    known = list(rows_of_filter(program))
    seen, problems = {}, []
    for number, row in rows_of_page(path):
        if row in seen:
            problems.append(f"{path}:{number}: {row} stands in line {seen[row]} already")
        if row not in known:
            problems.append(f"{path}:{number}: the filter has no {row}")
        seen[row] = number
    problems += [f"{path}: no item for {row}" for row in known if row not in seen]
    if len(known) < 150:
        problems.append(f"{program} prints {len(known)} rows only")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
