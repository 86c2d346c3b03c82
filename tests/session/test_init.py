#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""./.ai-jail as the program writes it: on demand, by a first run, and not at all."""
import fcntl
import os
import resource
import stat
import tomllib

import ptyrun
from ptyrun import SessionTest


class Init(SessionTest):
    def setUp(self):
        super().setUp()
        self.file = os.path.join(self.project, ".ai-jail")

    def text(self):
        with open(self.file, encoding="utf-8") as file:
            return file.read()

    def values(self):
        return tomllib.loads(self.text())

    def put(self, text, path=None):
        with open(path or self.file, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path or self.file, 0o600)

    def init(self, *words, code=0, **options):
        """(stdout, stderr) of --init."""
        got, out, err = self.run_piped(["--init", *words], **options)
        self.assertEqual(got, code, err)
        return out.decode(), err

    def test_new_file(self):
        os.mkdir(os.path.join(self.project, "in"))
        _, err = self.init("--mask", ".env", "--no-network", "--network", "--map", "in", "--map",
                           self.home, "--env", "A=canary", "--hide-dotdir", "ssh", "claude", "-p")
        self.assertEqual(self.values(), {"command": ["claude", "-p"], "mask": [".env"],
                                         "ro_maps": ["in"], "hide_dotdirs": ["ssh"]})
        self.assertIn("--network is not written", err)
        self.assertIn("[commands.claude]", err)
        self.assertIn("--map is not written", err)
        self.assertIn("--env is not written", err)
        self.assertNotIn("canary", self.text() + err)
        self.assertEqual(stat.S_IMODE(os.stat(self.file).st_mode), 0o600)
        self.assertEqual([line[:1] for line in self.text().split("\n")[:4]], ["#", "#", "#", ""])
        self.assertEqual(os.listdir(self.project).count(".ai-jail"), 1)
        self.assertEqual(len(os.listdir(self.project)), 2)

    def test_header_alone(self):
        self.init()
        self.assertEqual(self.values(), {})

    def test_trusted_project(self):
        self.put(f'trust_project_config = ["{self.base}"]\n', os.path.join(self.home, ".ai-jail"))
        _, err = self.init("--network", "--rw-map", self.home + "/x", "--no-seccomp",
                           "--env", "A=1", "x")
        self.assertEqual(self.values(), {"command": ["x"], "rw_maps": ["~/x"], "network": True,
                                         "no_seccomp": True})
        self.assertEqual(err.count("not written"), 1, err)
        self.assertIn("--env is not written", err)

    def test_existing_file_keeps_its_lines(self):
        """P-CFG-11, P-CFG-12: comments, order, unknown keys, and the inode."""
        self.put('# mine\nmask = [\n  "a", # why\n]\nzzz = 1979-05-27 # odd\n'
                 'command = ["claude"] # c\n')
        inode = os.stat(self.file).st_ino
        self.init("--mask", "b", "--mask", "a", "--deny-path", "k")
        self.assertEqual(self.text(), '# mine\nmask = [\n  "a", # why\n    "b",\n]\n'
                         'zzz = 1979-05-27 # odd\ncommand = ["claude"] # c\ndeny_paths = ["k"]\n')
        self.assertEqual(os.stat(self.file).st_ino, inode)
        self.init("codex")
        self.assertIn('command = ["codex"] # c\n', self.text())
        self.init("--clean", "x")
        self.assertEqual(self.values(), {"command": ["x"]})
        self.assertEqual(os.stat(self.file).st_ino, inode)

    def test_dry_run_writes_nothing(self):
        """P-CLI-4"""
        out, _ = self.init("--dry-run", "--mask", "a")
        self.assertEqual(tomllib.loads(out), {"mask": ["a"]})
        self.assertEqual(os.listdir(self.project), [])
        self.put("# c\n")
        out, _ = self.init("--dry-run", "--mask", "a")
        self.assertEqual(out, '# c\nmask = ["a"]\n')
        self.assertEqual(self.text(), "# c\n")

    def test_what_cannot_be_changed_stays(self):
        before = 'command = [\n  "claude", # why\n]\n'
        self.put(before)
        _, err = self.init("codex", code=125)
        self.assertIn("command", err)
        self.assertEqual(self.text(), before)
        self.put("mask = [")
        self.init("--mask", "x", code=125)
        self.assertEqual(self.text(), "mask = [")
        self.init("--clean", "--mask", "x")
        self.assertEqual(self.values(), {"mask": ["x"]})

    def test_links_are_refused(self):
        """P-CFG-8"""
        target = os.path.join(self.base, "target")
        self.put("# t\n", target)
        for where in (target, os.path.join(self.base, "absent")):
            os.symlink(where, self.file)
            for words in ((), ("--clean",)):
                self.init(*words, "x", code=125)
            os.unlink(self.file)
        self.assertFalse(os.path.exists(os.path.join(self.base, "absent")))
        with open(target, encoding="utf-8") as file:
            self.assertEqual(file.read(), "# t\n")

    def test_write_error(self):
        """P-CFG-21: the old bytes are put back, and success is not claimed."""
        before = "# old\n" * 100
        self.put(before)
        limit = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 50, limit[1]))
        try:
            _, err = self.init("--mask", "x" * 200, code=125)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        self.assertIn("File too large", err)
        self.assertEqual(self.text(), before)

    def test_locked_for_ever(self):
        self.put("# old\n")
        with open(self.file, encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_SH)
            _, err = self.init("--mask", "x", code=125)
        self.assertIn("locked", err)
        self.assertEqual(self.text(), "# old\n")

    def test_global_file_is_never_written(self):
        """P-CFG-6, P-CFG-7"""
        own = os.path.join(self.home, ".ai-jail")
        self.init("--allow-broad-project", "--mask", "x", code=125, cwd=self.home)
        self.assertFalse(os.path.exists(own))
        self.put("# g\n", own)
        self.init("--allow-broad-project", "--clean", "x", code=125, cwd=self.home)
        os.link(own, self.file)
        self.init("--mask", "x", code=125)
        self.init("--clean", "x", code=125)
        self.assertEqual(self.text(), "# g\n")

    def test_unwritable_directory(self):
        if os.geteuid() == 0:
            return  # root writes everywhere
        os.chmod(self.project, 0o555)
        self.init("x", code=125)
        for words, is_said in (([], True), (["--exec"], False)):
            code, _, err = self.run_piped([*words, "true"])
            self.assertEqual(code, 0, err)
            self.assertEqual(".ai-jail is not written" in err, is_said, err)


class FirstRun(SessionTest):
    def setUp(self):
        super().setUp()
        self.file = os.path.join(self.project, ".ai-jail")

    def run_true(self, *words, code=0):
        got, _, err = self.run_piped([*words])
        self.assertEqual(got, code, err)
        return err

    def values(self):
        with open(self.file, "rb") as file:
            return tomllib.load(file)

    def test_command_and_tightening_alone(self):
        """P-CFG-10"""
        with open(os.path.join(self.home, ".ai-jail"), "w", encoding="utf-8") as file:
            file.write('mask = ["global"]\nhide_dotdirs = [".g"]\n')
        os.chmod(file.name, 0o600)
        err = self.run_true("--network", "--mask", "own", "--env", "A=canary", "--no-seccomp",
                            "--private-home", "--map", "/usr/share", "true")
        self.assertEqual(self.values(), {"command": ["true"], "mask": ["own"]})
        self.assertIn("./.ai-jail written", err)

    def test_no_network_is_a_tightening(self):
        self.run_true("--no-network", "true")
        self.assertEqual(self.values(), {"command": ["true"], "network": False})

    def test_existing_file_stays(self):
        with open(self.file, "w", encoding="utf-8") as file:
            file.write("# c\n")
        self.run_true("--mask", "x", "true")
        self.run_true("--clean", "true")
        with open(self.file, encoding="utf-8") as file:
            self.assertEqual(file.read(), "# c\n")

    def test_runs_that_leave_nothing(self):
        self.run_true("--no-save-config", "true")
        self.run_true("--dry-run", "true")
        self.run_true("--status", "true")
        self.assertEqual(os.listdir(self.project), [])
        self.assertFalse(os.path.exists(os.path.join(self.home, ".ai-jail")))

    def test_second_run_takes_the_command(self):
        self.run_true("sh", "-c", "exit 7", code=7)
        self.run_true(code=7)


if __name__ == "__main__":
    ptyrun.main()
