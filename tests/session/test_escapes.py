#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""What a terminal does with the sequences that programs use, checked three times for each stream of
CASES: the screen is the same in the jail and outside; it is what the standards say; and so is the
position that the jail answers, from a model of its own, to the question for the cursor.

The expected screen is written as text: the rows of it that are not empty, as (row, text).
"""
import json
import os
import time

import ptyrun
from panes import PanesTest, SIDES
from ptyrun import DEADLINE, SANITIZED, wait_for

# Plays one stream for each line that comes: empty screen, stream, then asks where the cursor is.
PLAYER = r"""
import json, os, sys, termios, tty
modes = termios.tcgetattr(0)
tty.setraw(0)
streams, answers = json.load(open('streams')), open('answers.' + sys.argv[1], 'w')
for stream in streams:
    os.write(1, b'\033[!p\033[?6l\033[r\033[?7h\033[4l\033[0m\033[3g\033[9G\033H\033[17G\033H'
             + b'\033(B\033)B\017\033[2J\033[H'
             + stream.encode('latin-1') + b'\033[6n')
    got = b''
    while not got.endswith(b'R'):
        got += os.read(0, 100)
    answers.write(got[2:-1].decode() + '\n')
    answers.flush()
    while os.read(0, 1) != b'n':
        pass
os.write(1, b'\033[!p\033[?6l\033[4l\033[r\033[2J\033[H')
termios.tcsetattr(0, termios.TCSADRAIN, modes)
"""
ROWS, COLS = 10, 20
FILL = "".join(f"\033[{n + 1};1H{chr(65 + n) * COLS}" for n in range(ROWS))
AT = "\033[4;5H"


def filled(but=(), rows=ROWS):
    """The rows of FILL, some of them replaced."""
    text = {n + 1: chr(65 + n) * COLS for n in range(rows)}
    text.update(but)
    return {row: line for row, line in text.items() if line}


def letters(text):
    """Rows with these letters from the top; a dot is an empty one."""
    return {n + 1: letter * COLS for n, letter in enumerate(text) if letter != "."}


# name: (stream, cursor after it as (row, column), {row: text} or None: only compared)
CASES = {
    # Moves, and where they stop.
    "CUP": ("\033[3;4Hx", (3, 5), {3: "   x"}),
    "CUP beyond": ("\033[99;99Hx", (10, 20), {10: " " * 19 + "x"}),
    "CUP zero": ("\033[0;0Hx", (1, 2), {1: "x"}),
    "HVP": ("\033[2;3fx", (2, 4), {2: "  x"}),
    "CUU": (AT + "\033[2Ax", (2, 6), {2: "    x"}),
    "CUU to the top": (AT + "\033[99Ax", (1, 6), {1: "    x"}),
    "CUD": (AT + "\033[Bx", (5, 6), {5: "    x"}),
    "CUD to the bottom": (AT + "\033[99Bx", (10, 6), {10: "    x"}),
    "CUF to the edge": (AT + "\033[99Cx", (4, 20), {4: " " * 19 + "x"}),
    "CUB to the edge": (AT + "\033[99Dx", (4, 2), {4: "x"}),
    "CUB 0 is 1": (AT + "\033[0Dx", (4, 5), {4: "   x"}),
    "CNL": (AT + "\033[2Ex", (6, 2), {6: "x"}),
    "CPL": (AT + "\033[2Fx", (2, 2), {2: "x"}),
    "CHA": (AT + "\033[9Gx", (4, 10), {4: " " * 8 + "x"}),
    "HPA": (AT + "\033[9`x", (4, 10), {4: " " * 8 + "x"}),
    "HPR": (AT + "\033[3ax", (4, 9), {4: " " * 7 + "x"}),
    "VPA": (AT + "\033[7dx", (7, 6), {7: "    x"}),
    "VPR": (AT + "\033[2ex", (6, 6), {6: "    x"}),
    "BS stops at the edge": ("\b\b\bx", (1, 2), {1: "x"}),
    "a control inside": ("\033[3\b;4Hx", (3, 5), {3: "   x"}),
    # Margins and origin.
    "CUU stops at the margin": ("\033[3;6r\033[5;1H\033[9Ax", (3, 2), {3: "x"}),
    "CUU above the margin": ("\033[3;6r\033[2;1H\033[9Ax", (1, 2), {1: "x"}),
    "CUD stops at the margin": ("\033[3;6r\033[5;1H\033[9Bx", (6, 2), {6: "x"}),
    "DECSTBM homes": ("\033[5;5H\033[3;6rx", (1, 2), {1: "x"}),
    "DECSTBM of one line is none": (FILL + "\033[4;4r\033[10;1H\n", (10, 1), letters("BCDEFGHIJ.")),
    "DECSTBM reset": (FILL + "\033[3;6r\033[r\033[10;1H\n", (10, 1), letters("BCDEFGHIJ.")),
    "origin homes": ("\033[3;6r\033[?6hx", (1, 2), {3: "x"}),
    "origin CUP": ("\033[3;6r\033[?6h\033[2;3Hx", (2, 4), {4: "  x"}),
    "origin clamps": ("\033[3;6r\033[?6h\033[99;99Hx", (4, 20), {6: " " * 19 + "x"}),
    "origin off homes": ("\033[3;6r\033[?6h\033[?6lx", (1, 2), {1: "x"}),
    # Scrolling.
    "LF at the margin": (FILL + "\033[3;6r\033[6;1H\n", (6, 1), letters("ABDEF.GHIJ")),
    "LF below the margin": (FILL + "\033[3;6r\033[10;1H\n", (10, 1), filled()),
    "IND": (FILL + "\033[10;3H\033D", (10, 3), letters("BCDEFGHIJ.")),
    "NEL": (FILL + "\033[10;3H\033E", (10, 1), letters("BCDEFGHIJ.")),
    "RI at the margin": (FILL + "\033[3;6r\033[3;4H\033M", (3, 4), letters("AB.CDEGHIJ")),
    "RI at the top": (FILL + "\033[1;4H\033M", (1, 4), letters(".ABCDEFGHI")),
    "SU": (FILL + AT + "\033[2S", (4, 5), letters("CDEFGHIJ..")),
    "SU in margins": (FILL + "\033[3;6r" + AT + "\033[2S", (4, 5), letters("ABEF..GHIJ")),
    "SD": (FILL + AT + "\033[2T", (4, 5), letters("..ABCDEFGH")),
    "VT and FF": ("a\vb\fc", (3, 4), {1: "a", 2: " b", 3: "  c"}),
    # Insert, delete, erase.
    "IL": (FILL + "\033[4;1H\033[2L", (4, 1), letters("ABC..DEFGH")),
    "IL in margins": (FILL + "\033[3;6r\033[4;1H\033[2L", (4, 1), letters("ABC..DGHIJ")),
    "IL outside margins": (FILL + "\033[3;6r\033[8;1H\033[2L", (8, 1), filled()),
    "DL": (FILL + "\033[4;1H\033[2M", (4, 1), letters("ABCFGHIJ..")),
    "DL in margins": (FILL + "\033[3;6r\033[4;1H\033[99M", (4, 1), letters("ABC...GHIJ")),
    "ICH": ("abcdef\033[1;3H\033[2@", (1, 3), {1: "ab  cdef"}),
    "ICH pushes over the edge": (FILL + AT + "\033[99@", (4, 5), filled({4: "DDDD"})),
    "DCH": ("abcdef\033[1;3H\033[2P", (1, 3), {1: "abef"}),
    "DCH of all": ("abcdef\033[1;3H\033[99P", (1, 3), {1: "ab"}),
    "ECH": ("abcdef\033[1;3H\033[2X", (1, 3), {1: "ab  ef"}),
    "IRM": ("abc\033[1;2H\033[4hXY\033[4l", (1, 4), {1: "aXYbc"}),
    "IRM at the edge": ("\033[1;18Habc\033[1;18H\033[4hX\033[4l", (1, 19), {1: " " * 17 + "Xab"}),
    "EL 0": (FILL + AT + "\033[K", (4, 5), filled({4: "DDDD"})),
    "EL 1": (FILL + AT + "\033[1K", (4, 5), filled({4: " " * 5 + "D" * 15})),
    "EL 2": (FILL + AT + "\033[2K", (4, 5), filled({4: ""})),
    "ED 0": (FILL + AT + "\033[J", (4, 5), {**letters("ABC"), 4: "DDDD"}),
    "ED 1": (FILL + AT + "\033[1J", (4, 5), {4: " " * 5 + "D" * 15, **{
        n: chr(64 + n) * COLS for n in range(5, 11)}}),
    "ED 2": (FILL + AT + "\033[2J", (4, 5), {}),
    # Tabs.
    "HT": ("\tx", (1, 10), {1: " " * 8 + "x"}),
    "HT at the edge": ("\t\t\t\tx", (1, 20), {1: " " * 19 + "x"}),
    "HTS and TBC": ("\033[3g\033[1;6H\033H\r\tx", (1, 7), {1: "     x"}),
    "TBC of one": ("\033[1;9H\033[g\r\tx", (1, 18), {1: " " * 16 + "x"}),
    "CBT": ("\033[1;19H\033[2Zx", (1, 10), {1: " " * 8 + "x"}),
    # REP, DECALN.
    "REP": ("ab\033[3b", (1, 6), {1: "abbbb"}),
    "REP wraps": ("\033[1;18Hx\033[4b", (2, 3), {1: " " * 17 + "xxx", 2: "xx"}),
    "REP without a glyph": ("x\033[5;5H\033[3by", (5, 6), {1: "x", 5: "    y"}),
    "DECALN": ("\033#8", (1, 1), letters("E" * 10)),
    # Saved cursor.
    "DECSC": (AT + "\0337\033[1;1Hx\0338y", (4, 6), {1: "x", 4: "    y"}),
    "SCOSC": (AT + "\033[s\033[1;1Hx\033[uy", (4, 6), {1: "x", 4: "    y"}),
    "1048": (AT + "\033[?1048h\033[1;1Hx\033[?1048ly", (4, 6), {1: "x", 4: "    y"}),
    "1049": (AT + "abc\033[?1049h\033[2;2Hzzz\033[?1049ld", (4, 9), {4: "    abcd"}),
    "DECSC keeps the charset": ("\033(0\0337\033(B\0338q", (1, 2), None),
    # Wrap, pending and not.
    "wrap": ("x" * 22, (2, 3), {1: "x" * 20, 2: "xx"}),
    "wrap is pending": ("x" * 20, (1, 20), {1: "x" * 20}),
    "pending ends by BS": ("x" * 20 + "\by", (1, 20), {1: "x" * 18 + "yx"}),
    "pending ends by CR": ("x" * 20 + "\ry", (1, 2), {1: "y" + "x" * 19}),
    "pending ends by CUP": ("x" * 20 + "\033[1;20Hy", (1, 20), {1: "x" * 19 + "y"}),
    "pending and LF": ("x" * 20 + "\ny", (2, 20), {1: "x" * 20, 2: " " * 19 + "y"}),
    "pending and SGR": ("x" * 20 + "\033[1m\033[0my", (2, 2), {1: "x" * 20, 2: "y"}),
    "no wrap": ("\033[?7l" + "abcdefghij" * 2 + "KL", (1, 20), {1: "abcdefghijabcdefghiL"}),
    "wrap in the last line": (FILL + "\033[10;19Habc", (10, 2),
                              {**letters("BCDEFGHI"), 9: "J" * 18 + "ab", 10: "c"}),
    "wrap at the lower margin": (FILL + "\033[3;6r\033[6;20Hab", (6, 2),
                                 {**letters("ABDE..GHIJ"), 5: "F" * 19 + "a", 6: "b"}),
    # Wide and combining characters.
    "wide": ("日本x", (1, 6), {1: "日本x"}),
    "wide does not fit": ("\033[1;20H日x", (2, 4), {2: "日x"}),
    "wide overwritten": ("日本\033[1;2Hx", (1, 3), None),
    "wide deleted": ("日本ab\033[1;1H\033[P", (1, 1), None),
    "combining": ("e\u0301x", (1, 3), {1: "e\u0301x"}),
    "combining at the edge": ("a" * 19 + "e\u0301x", (2, 2), {1: "a" * 19 + "e\u0301", 2: "x"}),
    "combining marks in a row": ("e\u0301\u0308x", (1, 3), {1: "e\u0301\u0308x"}),
    "ill-formed": ("a\udcffb", (1, 4), {1: "a\ufffdb"}),
    # Character sets: tmux tells the letters in another way, so these are only compared.
    "line drawing": ("\033(0lqk\033(Bq", (1, 5), None),
    "SO and SI": ("\033)0\016x\017x", (1, 3), None),
    # Attributes.
    "SGR": ("\033[1;3;4;31;48;5;22mx\033[0;38;2;1;2;3;9my\033[4:3mz\033[m", (1, 4), {1: "xyz"}),
    "SGR in excess": ("\033[" + "1;" * 40 + "32mx\033[m", (1, 2), {1: "x"}),
    "BCE": ("\033[44m\033[2J\033[1;5Hx\033[K\033[m", (1, 6), None),
    "scrolled in colour": (FILL + "\033[44m\033[10;1H\n\033[m", (10, 1), None),
    # Soft and full reset.
    "DECSTR": ("\033[3;6r\033[?6h\033[4h\033[!p\033[9;1Hx", (9, 2), {9: "x"}),
}


# Where the jail makes of a stream what every terminal reads alike, and tmux itself does not.
INSIDE_ONLY = {"ill-formed": "becomes U+FFFD; tmux drops it",
               "SGR in excess": "is cut into several; tmux reads no more than 24 parameters"}


# What tmux does otherwise, or does not know. Only the answer of the jail is as it should be.
TMUX_ONLY = ("HPR", "VPR", "1048", "REP wraps", "IL outside margins", "ICH pushes over the edge",
             "pending ends by BS", "pending and LF", "DECSTR")


class Escapes(PanesTest):
    BEGIN_LINE = "0"

    def test_cases(self):
        names = list(CASES)[::8] if SANITIZED or os.geteuid() == 0 else list(CASES)
        streams = [CASES[name][0].encode("utf-8", "surrogateescape").decode("latin-1")
                   for name in names]
        with open(os.path.join(self.project, "streams"), "w", encoding="ascii") as file:
            json.dump(streams, file)
        for side in SIDES:
            self.start_in(side, [ptyrun.PYTHON, "-c", PLAYER, side], ROWS, COLS)
        wrong = []
        for n, name in enumerate(names):
            found = {side: wait_for(lambda side=side: self.answer(side, n), f"{name} {side}")
                     for side in SIDES}
            wrong += [f"{name}: {what}" for what in self.settled(name, found)]
            self.keys("n")
        self.ended()
        self.assertFalse(wrong, "\n".join(wrong))

    def answer(self, side, n):
        """What the program on that side read after stream n."""
        try:
            with open(os.path.join(self.project, "answers." + side), encoding="ascii") as file:
                lines = file.read().split("\n")[:-1]
        except FileNotFoundError:
            return None
        return lines[n] if len(lines) > n else None

    def settled(self, name, answers):
        """What is wrong when both have come to rest. Where they are to differ, rest is seen by the result."""
        end = time.monotonic() + DEADLINE
        while True:
            wrong = list(self.check(name, answers))
            if not wrong or name not in INSIDE_ONLY or time.monotonic() > end:
                return wrong

    def check(self, name, answers):
        _, cursor, rows = CASES[name]
        raw, text = self.compare(timeout=1 if name in INSIDE_ONLY else DEADLINE)
        if bool(text) != (name in INSIDE_ONLY):
            yield text or "is the same outside"
        state = raw["inside"][0].split(" ")
        place = (int(state[1]) + 1, min(int(state[0]) + 1, COLS))
        if answers["inside"] != "%d;%d" % cursor:
            yield f"the answer is {answers['inside']}, not {cursor}"
        if name in TMUX_ONLY:
            return
        if place != cursor and not name.startswith("origin"):
            yield f"the cursor is in {place}, not in {cursor}"
        shown = {n: line for n, line in enumerate(self.text("inside").split("\n"), 1) if line}
        if rows is not None and shown != {n: line.rstrip() for n, line in rows.items()}:
            yield f"shows {shown}, not {rows}"

    def text(self, side):
        text = self.tmux("capture-pane", "-p", "-t", side)
        return "\n".join(line.rstrip() for line in text.split("\n"))


if __name__ == "__main__":
    ptyrun.main()
