#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""--sanitize gives what a live run gives (P-CLI-17): the corpus through both."""
import os

import ptyrun
from ptyrun import SessionTest

CASES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cases.tsv")  # as_user.py
SHOW = r"""
import os, tty
tty.setraw(1)
with open('stream', 'rb') as file, os.fdopen(1, 'wb') as out:
    out.write(b'BEGIN' + file.read() + b'\030END')
"""
# What depends on the profile of the terminal or on time.
UNEQUAL = (b"\x07", b"2026", b"2031", b"\x1bk", b"]0;", b"]1;", b"]2;", b"?5h", b"?5;")


class Sanitize(SessionTest):
    def stream(self):
        parts = []
        with open(CASES, encoding="utf-8") as file:
            for line in file.read().splitlines()[1:]:
                _, direction, given, _, _, _, note = line.split("\t")
                given = bytes.fromhex(given)
                if direction == "out" and not note.startswith("pre=") and \
                        not any(word in given for word in UNEQUAL):
                    parts.append(given)
        self.assertGreater(len(parts), 150)
        # CAN ends what a row leaves open.
        return b"\x18".join(parts)

    def test_equal_to_a_run(self):
        stream = self.stream()
        with open(os.path.join(self.project, "stream"), "wb") as file:
            file.write(stream)
        code, sanitized, err = self.run_piped(["--sanitize"], stream + b"\x18")
        self.assertEqual((code, err), (0, ""))
        terminal, process = self.on_terminal(["python3", "-c", SHOW])
        self.assertEqual(process.wait(), 0, terminal.output)
        live = bytes(terminal.output)
        live = live[live.index(b"BEGIN") + 5:live.index(b"END")]
        self.assertEqual(live, sanitized)


if __name__ == "__main__":
    ptyrun.main()
