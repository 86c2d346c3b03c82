#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""--bootstrap: permission files of the agents, merged into what is there."""
import json
import os
import stat
import tomllib

import ptyrun
from ptyrun import SessionTest

GEMINI, CLAUDE = ".gemini/policies/ai-jail.toml", ".claude/settings.json"
CODEX, OPENCODE = ".codex/config.toml", ".config/opencode/opencode.json"


class Bootstrap(SessionTest):
    def path(self, name):
        return os.path.join(self.home, name)

    def text(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def write(self, text, name, mode=0o600):
        os.makedirs(os.path.dirname(self.path(name)), mode=0o700, exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(self.path(name), mode)

    def bootstrap(self, *words, code=0):
        got, out, err = self.run_piped(["--bootstrap", *words])
        self.assertEqual(got, code, err)
        return out.decode(), err

    def test_from_nothing(self):
        self.bootstrap()
        permissions = json.loads(self.text(CLAUDE))["permissions"]
        self.assertEqual(permissions["defaultMode"], "acceptEdits")
        self.assertIn("Bash(git status:*)", permissions["allow"])
        self.assertIn("Bash(git push:*)", permissions["ask"])
        self.assertIn("Bash(sudo:*)", permissions["deny"])
        every = permissions["allow"] + permissions["ask"] + permissions["deny"]
        self.assertEqual(len(every), len(set(every)))
        self.assertEqual(tomllib.loads(self.text(CODEX)), {"approval_policy": "on-request"})
        self.assertEqual(json.loads(self.text(OPENCODE)),
                         {"permission": {"bash": "allow", "edit": "allow", "write": "allow"}})
        rules = tomllib.loads(self.text(GEMINI))["rule"]
        self.assertEqual([(rule["decision"], rule["priority"]) for rule in rules],
                         [("allow", 100), ("allow", 110), ("ask_user", 120), ("deny", 900)])
        for name in (GEMINI, CLAUDE, CODEX, OPENCODE):
            self.assertEqual(stat.S_IMODE(os.stat(self.path(name)).st_mode), 0o600)

    def test_again_changes_nothing(self):
        self.bootstrap()
        before = self.census()
        _, err = self.bootstrap()
        self.assertEqual(self.census(), before)
        self.assertEqual(err.count("says all that already"), 4)

    def test_merged(self):
        self.write('{"z": 1, "permissions": {"allow": ["Read", "Bash(ls:*)"], '
                   '"defaultMode": "plan"}, "a": [1.5, null]}', CLAUDE, 0o640)
        self.write("# mine\nmodel = 'x'\n[profiles.a]\napproval_policy = 'never'\n", CODEX)
        self.write('{"permission": {"bash": "ask"}}', OPENCODE)
        _, err = self.bootstrap()
        claude = json.loads(self.text(CLAUDE))
        self.assertEqual(list(claude), ["z", "permissions", "a"])
        self.assertEqual((claude["z"], claude["a"]), (1, [1.5, None]))
        self.assertEqual(claude["permissions"]["defaultMode"], "plan")
        self.assertEqual(claude["permissions"]["allow"][:2], ["Read", "Bash(ls:*)"])
        self.assertEqual(claude["permissions"]["allow"].count("Bash(ls:*)"), 1)
        self.assertEqual(stat.S_IMODE(os.stat(self.path(CLAUDE)).st_mode), 0o640)
        self.assertEqual(tomllib.loads(self.text(CODEX)),
                         {"approval_policy": "on-request", "model": "x",
                          "profiles": {"a": {"approval_policy": "never"}}})
        self.assertIn("# mine\n", self.text(CODEX))
        self.assertEqual(json.loads(self.text(OPENCODE))["permission"],
                         {"bash": "ask", "edit": "allow", "write": "allow"})
        self.assertIn('{"z": 1', self.text(CLAUDE + ".bak.1"))
        self.assertEqual(stat.S_IMODE(os.stat(self.path(CLAUDE + ".bak.1")).st_mode), 0o600)
        self.assertIn("settings.json.bak.1", err)

    def test_next_backup(self):
        self.write("{}", CLAUDE)
        self.write("first", CLAUDE + ".bak.1")
        os.symlink("/nonexistent", self.path(CLAUDE + ".bak.2"))
        self.bootstrap()
        self.assertEqual(self.text(CLAUDE + ".bak.1"), "first")
        self.assertEqual(self.text(CLAUDE + ".bak.3"), "{}")

    def test_left_alone(self):
        """Each with an error of its own; the others are written."""
        cases = ((CLAUDE, '{"a": 1, // mine\n "b": 2}', "comments would be lost"),
                 (CLAUDE, '{"a": 1', "no valid JSON"), (CLAUDE, "[]", "no JSON object"),
                 (CLAUDE, '{"permissions": {"allow": "all"}}', "permissions.allow is no list"),
                 (CLAUDE, '{"a": 1, "a": 2}', "no valid JSON"),
                 (CODEX, "a = [", "config.toml: line"), (OPENCODE, '{"permission": 3}', "no object"))
        for name, text, part in cases:
            with self.subTest(text=text):
                self.write(text, name)
                _, err = self.bootstrap(code=125)
                self.assertIn(part, err)
                self.assertEqual(self.text(name), text)
                self.assertTrue(os.path.exists(self.path(GEMINI)))
                os.unlink(self.path(name))

    def test_comments_that_need_no_change(self):
        self.bootstrap()
        self.write("// mine\n" + self.text(CLAUDE), CLAUDE)
        _, err = self.bootstrap()
        self.assertEqual(err.count("says all that already"), 4)

    def test_links(self):
        outside = os.path.join(self.base, "outside")
        os.mkdir(outside)
        os.symlink(outside, self.path(".codex"))
        os.mkdir(self.path(".claude"))
        os.symlink(os.path.join(outside, "x"), self.path(CLAUDE))
        os.mkfifo(os.path.join(self.home, "fifo"))
        _, err = self.bootstrap(code=125)
        self.assertEqual(os.listdir(outside), [])
        self.assertEqual(err.count("symbolic link"), 2, err)
        self.assertTrue(os.path.exists(self.path(OPENCODE)))

    def test_claude_dir(self):
        inside = os.path.join(self.project, "claude")
        other = os.path.join(self.base, "claude")
        for name in (inside, other):
            os.mkdir(name)
        _, err = self.bootstrap("--claude-dir", inside)
        self.assertIn("inside the project and is left alone", err)
        self.assertEqual(os.listdir(inside), [])
        self.assertFalse(os.path.exists(self.path(CLAUDE)))
        _, err = self.bootstrap("--claude-dir", other)
        self.assertIn("outside of HOME", err)
        self.assertEqual(os.listdir(other), ["settings.json"])

    def test_dry(self):
        before = self.census()
        out, _ = self.bootstrap("--dry-run")
        self.assertEqual(self.census(), before)
        for name in (GEMINI, CLAUDE, CODEX, OPENCODE):
            self.assertIn(f"# {self.path(name)}\n", out)


if __name__ == "__main__":
    ptyrun.main()
