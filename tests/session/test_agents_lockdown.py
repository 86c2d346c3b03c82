#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""Real agents start in lockdown: HOME is empty and can be written to, and nothing of it is left.

Only where they are installed: agents.py says how they are found. Without a login and without a network
they get as far as their first screen; claude ends there, because it finds no service.
"""
import os
import unittest

import ptyrun
from agents import AGENTS, find
from ptyrun import SessionTest

START_S = 120  # on a machine that does other things; alone they need 1 to 10
# name: what its version looks like, words of the screen with which it begins in an empty home.
BEGIN = {
    "claude": (r"\d+\.\d+\.\d+ \(Claude Code\)", rb"Welcome.{1,20}to.{1,20}Claude"),
    "codex": (r"codex-cli \d+\.\d+\.\d+", rb"Sign.{1,20}in"),
    "gemini": (r"^\d+\.\d+\.\d+", rb"trust.{1,20}the.{1,20}files"),
    "opencode": (r"^\d+\.\d+\.\d+", rb"commands"),
}


class AgentsInLockdown(SessionTest):
    def start_agent(self, name):
        path = find(name)
        if not path:
            raise unittest.SkipTest(f"{name} is not installed")
        self.env["PATH"] = f"{os.path.dirname(path)}:{ptyrun.PATH}"
        before = self.census()
        version, screen = BEGIN[name]
        code, out, err = self.run_piped(["--lockdown", name, "--version"], timeout=START_S)
        self.assertEqual(code, 0, err)
        self.assertRegex(out.decode(), version)
        terminal, process = self.on_terminal(["--lockdown", name], self.terminal(32, 110))
        terminal.expect(screen, START_S)
        process.kill()
        process.wait()
        self.assertEqual(self.census(), before)


for _name in AGENTS:
    setattr(AgentsInLockdown, f"test_{_name}", lambda self, name=_name: self.start_agent(name))


if __name__ == "__main__":
    ptyrun.main()
