#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""Every question that agents ask when they start gets its answer, or is of the kind that needs
none. bench/answers.py measures how long it takes."""
import json
import os

import ptyrun
from ptyrun import SessionTest
from queries import ASK, DA1, DA1_ANSWER, QUERIES, SILENT

# A terminal that tells its colours; it knows the keyboard of kitty and mode 2031.
ANSWERS = (b"\x1b[?0u\x1b[?2026;2$y\x1b[?2031;2$y\x1b]10;rgb:dddd/dddd/dddd\x1b\\"
           b"\x1b]11;rgb:1111/1111/1111\x1b\\" +
           b"".join(b"\x1b]4;%d;rgb:%02d%02d/0000/0000\x1b\\" % (n, n, n) for n in range(16)) +
           b"\x1b[4;480;720t\x1b[6;20;9t\x1b[?997;1n\x1bP>|XTerm(379)\x1b\\\x1b[>4;0m"
           b"\x1b[>41;379;0c\x1b[1;1R\x1b[?62;22c")


class Answers(SessionTest):
    def ask(self, asked, options=()):
        with open(os.path.join(self.project, "asked"), "w", encoding="ascii") as file:
            json.dump(asked, file)
        _, process = self.answered(
            lambda: self.on_terminal([*options, "python3", "-c", ASK, "asked", "1", "told"]), ANSWERS)
        self.assertEqual(process.wait(), 0)
        with open(os.path.join(self.project, "told"), encoding="ascii") as file:
            told = json.load(file)
        return {name: row["answers"][0] for name, row in told.items()}

    def check_all(self, options=()):
        told = self.ask([(name, *row) for name, row in QUERIES.items()], options)
        self.assertEqual(set(told), set(QUERIES))
        for name, (_, answer) in QUERIES.items():
            self.assertRegex(told[name], "^(?s:" + answer + r")\Z", name)

    def test_answered(self):
        self.check_all()

    def test_answered_with_a_reserved_row(self):
        self.check_all(["-s"])

    def test_nothing_but_the_end_mark(self):
        """The answer to the DA1 behind such a question is the first thing that comes."""
        told = self.ask([(name, question + DA1, DA1_ANSWER) for name, question in SILENT.items()])
        for name in SILENT:
            self.assertRegex(told[name], f"^{DA1_ANSWER}\\Z", name)


if __name__ == "__main__":
    ptyrun.main()
