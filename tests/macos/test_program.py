#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""The built program's --dry-run --backend=seatbelt, on directories that exist.

    test_program.py AI_JAIL
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import mac
import sbpl

PROGRAM = None
TMP, TTY = "/private/var/folders/ROOT/T/ai-jail-RUN", "/dev/ttysRUN"
POLICY = 'mask = [".env", "*.pem"]\ndeny_paths = ["shut"]\nrw_maps = ["/"]\nno_hide_config = true\n'


class Program(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.home = os.path.realpath(directory.name) + "/home"
        self.project = self.home + '/a "(p) [x]\\'
        os.makedirs(self.project + "/shut")
        os.makedirs(self.home + "/.claude", mode=0o700)
        for name in (".ai-jail", ".env", "code"):
            with open(f"{self.project}/{name}", "w", encoding="ascii") as file:
                file.write(POLICY if name == ".ai-jail" else "x\n")

    def run_it(self, *words):
        done = subprocess.run([PROGRAM, "--dry-run", "--backend=seatbelt", *words], cwd=self.project,
                              env={"HOME": self.home, "PATH": "/usr/bin:/bin"}, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode("latin-1")

    def profile(self, *words):
        found = json.loads(self.run_it("--json", *words))
        return found, sbpl.Profile(found["profile"])

    def ask(self, profile, verb, word, want):
        question = mac.Question("", verb, word, want, "", 0)
        question.prepare(mac.Tree([]))
        with self.subTest(verb=verb, word=word):
            self.assertEqual(question.answer(profile), want)

    def test_project(self):
        _, profile = self.profile("bash")
        for verb, name, want in (
                ("read", "/code", "yes"), ("write", "/code", "yes"), ("read", "/.env", "no"),
                ("unlink", "/.env", "no"), ("read", "/k.pem", "no"), ("stat", "/shut/x", "no"),
                ("write", "/.ai-jail", "no"), ("unlink", "", "no")):
            self.ask(profile, verb, self.project + name, want)

    def test_home_and_more(self):
        _, profile = self.profile("bash")
        for name in ("/.claude/x", "/.ssh/id", "/.bashrc", "/other/x"):
            self.ask(profile, "read", self.home + name, "no")
        self.ask(profile, "create", TMP + "/x", "yes")
        self.ask(profile, "create", "/x", "no")
        self.ask(profile, "connect", "tcp 192.0.2.1:443", "no")

    def test_agent(self):
        _, profile = self.profile("--", "claude")
        self.ask(profile, "create", self.home + "/.claude/x", "yes")
        self.ask(profile, "create", self.home + "/.claude.json.tmp.1.0a", "yes")
        _, profile = self.profile("--lockdown", "--", "claude")
        self.ask(profile, "read", self.home + "/.claude/x", "no")
        self.ask(profile, "write", self.project + "/code", "no")
        self.ask(profile, "read", self.project + "/.env", "no")

    def test_text_and_json_say_the_same(self):
        found, _ = self.profile("bash")
        text = self.run_it("bash")
        lines = text[text.index("\nprofile\n") + 9:].split("\n")
        shown = []
        for line in lines:
            if line and not line.startswith("  "):
                break
            shown.append(line[2:])
        self.assertEqual("\n".join(shown).strip(), found["profile"].strip())

    def test_the_call(self):
        found, _ = self.profile("bash")
        self.assertEqual(found["backend"]["path"], "/usr/bin/sandbox-exec")
        args = found["backend"]["args"]
        self.assertEqual((args[0], args[2]), ("-f", "--"))
        self.assertNotIn("(version", " ".join(args))

    def test_nothing_is_made(self):
        def everything():
            return sorted(os.path.join(where, name) for where, dirs, files in os.walk(self.home)
                          for name in dirs + files)
        before = everything()
        self.run_it("--", "codex")
        self.run_it("--browser=soft", "--", "firefox")
        self.assertEqual(everything(), before)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
