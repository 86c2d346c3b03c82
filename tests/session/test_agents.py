#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""Real agents begin with the same screen in the jail as outside.

Only where they are installed: agents.py says how they are found. One after the other, because each
side has the same home and the same project at the same paths. bench/first_frame.py measures how
long it takes.
"""
import os
import re
import shutil
import time
import unittest

import ptyrun
from agents import AGENTS, find, jail_options, make_home, variables
from panes import PanesTest, MARK, STATE, BEGIN, SIDES, difference, plain
from ptyrun import PROGRAM

ROWS, COLS = 32, 110
START_S = 90        # on a machine that does other things; alone they need 1 to 10
QUIET_S = 1.5
# How long something has taken.
CLOCK = r"\b\d+(\.\d+)?\s?m?s\b"


class Agents(PanesTest):
    TERM = "xterm-256color"
    BEGIN_LINE = "0"

    def setUp(self):
        super().setUp()
        self.env["PATH"] = os.environ.get("PATH", ptyrun.PATH)
        self.env["COLORTERM"] = "truecolor"

    def screen(self, side, name, path):
        """The first screen: (state, lines), as soon as it does not change any more."""
        make_home(name, self.home, self.project)
        options = [PROGRAM, *jail_options(name, path, self.home), "--"] if side == "inside" else []
        env = variables(name, self.home)
        # The server is started anew, so that it has this environment.
        self.env.update(env)
        self.tmux("new-session", "-d", "-s", side, "-x", str(COLS), "-y", str(ROWS), "-c",
                  self.project, "/bin/sh", "-c", '"$@"; printf "ended with %d\\n" $?; exec sleep 1000',
                  "sh", *options, "/bin/sh", "-c", "unset TMUX TMUX_PANE; " + BEGIN, "sh", path)
        try:
            return self.wait_for_rest(side, name)
        finally:
            self.tmux("kill-server", check=False)
            self.assert_nothing_left()

    def wait_for_rest(self, side, name):
        _, _, _, shown, hide = AGENTS[name]
        end = time.monotonic() + START_S
        last, since = None, time.monotonic()
        while True:
            text = self.tmux("display", "-p", "-t", side, MARK + STATE, ";", "capture-pane", "-e",
                             "-p", "-S", "0", "-t", side)
            state, *lines = text.removeprefix(MARK).split("\n")
            now = time.monotonic()
            cut = [state] + [self.cut(line, hide) for line in lines]
            if cut != last:
                last, since = cut, now
            is_there = any(re.search(shown, plain(line)) for line in lines)
            if is_there and now - since >= QUIET_S:
                return cut
            if now > end or any(plain(line).startswith("ended with") for line in lines):
                self.fail(f"{name} {side} does not show {shown!r}:\n" + "\n".join(lines))
            time.sleep(2 * ptyrun.STEP)

    @staticmethod
    def cut(line, hide):
        for pattern in (*hide, CLOCK):
            line = re.sub(pattern, "#", line)
        return line

    def check(self, name):
        path = find(name)
        if not path:
            raise unittest.SkipTest(f"{name} is not installed (AI_JAIL_AGENTS)")
        cut = {}
        for side in SIDES:
            for entry in os.scandir(self.project):
                shutil.rmtree(entry) if entry.is_dir() else os.unlink(entry)
            cut[side] = self.screen(side, name, path)
        if cut["outside"] != cut["inside"]:
            self.fail(difference(cut, None))

    def test_claude(self):
        self.check("claude")

    def test_codex(self):
        self.check("codex")

    def test_gemini(self):
        self.check("gemini")

    def test_opencode(self):
        self.check("opencode")


if __name__ == "__main__":
    ptyrun.main()
