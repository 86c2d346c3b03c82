#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""vttest shows the same in the jail as outside, screen by screen: what a terminal can do it can do
through the filter.

The menus that tmux can show are walked through: cursor movements, screen features, character sets,
insert and delete, and of the later terminals cursor movement, colours, REP, scrolling, soft reset
and the alternate screen. ACCEPTED lists the screens that differ on purpose.
"""
import os
import re
import time

import ptyrun
from panes import PanesTest, SIDES, plain
from ptyrun import SANITIZED, tool, wait_for

MENU = "Enter choice number"
SCREENS_MAX = 60    # of one item; the longest has about 20
# Every path ends with an item; the menus above it are left by 0.
CURSOR = [("11", "5", str(n)) for n in (1, 2, 4, 7, 9)]
LATER = [("11", "6", n) for n in "2345"] + [("11", "7", n) for n in "236"]
LATER += [("11", "1", "6"), *(("11", "8", "7", n) for n in "345")]
PATHS = [("1",), ("2",), ("3",), ("8",), *CURSOR, *LATER]
# The jail says that it is a VT220 and tmux that it is a VT100, so vttest has more to offer inside.
INSIDE = {("3",): ("3", "8")}
WIDE = "asks for 132 columns to clear the screen; the jail does not pass that on"
SLOT = "tmux has one saved cursor for both screens, and another for mode 1049; the answers of the " \
       "jail are those of xterm, which has one for each screen"
# (path, screen from 1): why it differs.
ACCEPTED = {(("1",), 3): WIDE, (("1",), 4): WIDE,
            **{(("11", "8", "7", n), 3): SLOT for n in "345"}}
CHANGE_S = 0.5      # a screen that is still the same by then is the next one, too


class Vttest(PanesTest):
    """The scrollback is not compared: tmux clears the screen when it is asked for 132 columns, and
    the jail does not pass that on."""
    TERM = "xterm-256color"
    BEGIN_LINE = "0"

    def test_menus(self):
        tool("vttest")
        self.start_both(["vttest"])
        self.same(shown=MENU)
        differing, found = {}, 0
        paths = [PATHS[0], PATHS[3]] if SANITIZED or os.geteuid() == 0 else PATHS
        for path in paths:
            for screen, text in enumerate(self.walk(path), 1):
                found += 1
                if text:
                    differing[path, screen] = text
        self.enter("0")
        self.ended(only="^ended")
        accepted = {at for at in ACCEPTED if at[0] in paths}
        self.assertEqual(set(differing), accepted,
                         "\n".join(f"{at}:\n{text}" for at, text in differing.items()))
        print(f"{found} screens, {len(differing)} of them differ as they should")

    def walk(self, path):
        """The differences of each screen of an item, "" where there is none."""
        paths = {"outside": path, "inside": INSIDE.get(path, path)}
        for side in SIDES:
            for choice in paths[side][:-1]:
                self.choose(side, choice)
            self.enter_in(side, paths[side][-1])
        for screen in range(1, SCREENS_MAX):
            text = self.compare(timeout=1 if (path, screen) in ACCEPTED else 5)[1]
            is_menu = [self.is_menu(side) for side in SIDES]
            if all(is_menu):
                break
            self.assertFalse(any(is_menu), f"{path} {screen}: {text}")
            yield text
            self.next_screen()
        else:
            self.fail(f"{path} does not end")
        for side in SIDES:
            for _ in paths[side][:-1]:
                self.choose(side, "0")
        self.same(shown=MENU)

    def next_screen(self):
        before, end = self.capture(), time.monotonic() + CHANGE_S
        self.keys("Enter")
        while time.monotonic() < end:
            now = self.capture()
            if all(now[side] != before[side] for side in SIDES):
                break

    def is_menu(self, side):
        return any(MENU in plain(line) for line in self.capture()[side][1])

    def choose(self, side, choice):
        """Goes to another menu: it has another title, and nothing has been chosen of it yet."""
        before = self.menu(side)
        self.enter_in(side, choice)
        wait_for(lambda: self.menu(side) not in (None, before), f"menu {choice} {side}")

    def menu(self, side):
        lines = [plain(line) for line in self.capture()[side][1]]
        if not any(re.search(MENU + r" \(0 - \d+\): *$", line) for line in lines):
            return None
        return next(line for line in lines if line.strip())


if __name__ == "__main__":
    ptyrun.main()
