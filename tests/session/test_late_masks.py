#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""Masks that hold while the session runs: what appears or is replaced is covered again."""
import os
import re
import signal
import subprocess
import time

import ptyrun
from maskwatch import CANARY, WATCHER, WITHIN, MaskTest
from ptyrun import wait_for


class LateMasks(MaskTest):
    # -- what appears --

    def test_control_without_a_mask(self):
        """The watcher reads what is there."""
        process = self.watching([], "secret")
        self.wait_seen("error:2")
        self.replace(CANARY, "secret")
        self.wait_seen("read:" + CANARY)
        self.end(process)

    def test_replaced_by_rename(self):
        """E-MSK-11, P-PLAN-2."""
        rounds = int(os.environ.get("AI_JAIL_TEST_ROUNDS", "60"))
        self.write(CANARY, ".env")
        process = self.watching(["--mask", ".env"], ".env")
        for _ in range(rounds):
            self.replace(CANARY, ".env")
            end = time.monotonic() + 0.02
            wait_for(lambda end=end: time.monotonic() > end, "the next round")
        self.wait_said(r"late mask applied: .*/\.env is masked")
        self.wait_seen("read:")
        windows = sorted(self.windows())
        print(f"replaced {rounds} times: canary seen {len(windows)} times, half of "
              f"them below {windows[len(windows) // 2] * 1000 if windows else 0:.3f} ms, longest "
              f"{max(windows, default=0) * 1000:.3f} ms")
        self.assertLess(max(windows, default=0), WITHIN)
        self.end(process)

    def test_literal_that_is_created(self):
        """E-MSK-13, P-PLAN-3, P-PLAN-32: absent is ENOENT before."""
        process = self.watching(["--mask", "later/secret"], "later/secret")
        self.assertEqual(self.seen()[0][1], "error:2")
        self.assertFalse(os.path.lexists(self.path("later")))
        self.write(CANARY, "later", "secret")
        self.wait_said("late mask applied")
        self.wait_seen("read:")
        self.end(process)
        with open(self.path("later", "secret"), encoding="ascii") as file:
            self.assertEqual(file.read(), CANARY)

    def test_denied_literal_that_is_created(self):
        process = self.watching(["--deny-path", "later"], "later")
        self.write(CANARY, "later")
        self.wait_seen("error:13")
        self.assertIn("is denied", self.end(process))

    def test_glob_below_new_directories(self):
        """E-MSK-14: mkdir -p and an immediate write."""
        process = self.watching(["--mask", "**/*.pem"], "a/b/c/k.pem")
        self.write(CANARY, "a", "b", "c", "k.pem")
        self.wait_said("k.pem is masked")
        self.wait_seen("read:")
        self.assertEqual(self.end(process).count("k.pem is masked"), 1)

    def test_directory_renamed_and_made_again(self):
        """E-MSK-12."""
        self.write(CANARY, "keys", "a")
        process = self.watching(["--mask", "keys"], "keys/a")
        self.assertEqual(self.seen()[0][1], "error:2")
        os.rename(self.path("keys"), self.path("keys.old"))
        self.write(CANARY, "keys", "a")
        self.wait_seen("error:2")
        self.end(process)

    def test_parent_moved_by_the_jail(self):
        """E-MSK-07, P-PLAN-23: it stays masked, also when it is replaced there, and is named."""
        self.write(CANARY, "conf", "x.key")
        process = self.watching(["--mask", "conf/x.key"], "conf2/x.key", "mv conf conf2")
        self.wait_seen("read:")
        wait_for(lambda: "was moved to" in self.errors.text(), self.errors.text)
        self.replace(CANARY, "conf2", "x.key")
        self.write(CANARY, "conf", "x.key")
        self.wait_seen("read:")
        self.assertLess(max(self.windows(), default=0), WITHIN)
        self.assertRegex(self.end(process), r"/conf was moved to .*/conf2")

    def test_tools_on_the_host(self):
        """What editors and git do to a masked file."""
        self.write(CANARY, ".env")
        git = ["git", "-c", "user.name=t", "-c", "user.email=t@localhost"]
        run = lambda *words: subprocess.run(words, cwd=self.project, check=True,
                                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        run("git", "init", "-q")
        run(*git, "add", ".env")
        run(*git, "commit", "-qm", "one")
        self.write(CANARY + "2", ".env")
        run(*git, "commit", "-qam", "two")
        process = self.watching(["--mask", ".env"], ".env")
        for _ in range(25):
            run("git", "checkout", "-q", "HEAD~1", "--", ".env")
            run("sed", "-i", "s/^c/c/", ".env")
            run("git", "checkout", "-q", "HEAD", "--", ".env")
            self.replace(CANARY, ".env")
        self.wait_seen("read:")
        self.assertLess(max(self.windows(), default=0), WITHIN)
        self.end(process)

    # -- what the jail makes --

    def test_policy_file_made_by_the_jail(self):
        """E-MSK-15, P-CFG-9: in any form; named."""
        for make in ("echo network=true >.ai-jail", "mkfifo .ai-jail", "mkdir .ai-jail"):
            with self.subTest(make=make):
                process = self.jail([], f"{make}; touch ready; exec sleep 100")
                wait_for(lambda: ".ai-jail was created during the run" in self.errors.text(),
                         self.errors.text, WITHIN)
                self.end(process)
                subprocess.run(["rm", "-rf", self.path(".ai-jail"), self.path("ready")],
                               check=True)
                self.errors = self.output()

    def test_link_in_place_of_a_protected_name(self):
        """E-MSK-16, P-PLAN-5: nothing else is ever covered."""
        self.write("project", "file")
        self.write("import os, shutil\n"
                   "for _ in range(60):\n"
                   " for to in '/usr', os.environ['HOME'], 'file', '.':\n"
                   "  os.symlink(to, '.env'); os.mkdir('a'); os.symlink(to, 'a/.env')\n"
                   "  os.rename('a', 'b'); os.unlink('.env'); shutil.rmtree('b')\n"
                   "os.symlink('file', '.env')\nopen('ready', 'w').close()\n", "links.py")
        script = (f"{ptyrun.PYTHON} links.py; while [ ! -e stop ]; do :; done; cat file; "
                  "cat /proc/self/mountinfo")
        process = self.jail(["--mask", ".env", "--mask", "a/.env"], script)
        wait_for(lambda: "symbolic link" in self.errors.text(), self.errors.text, WITHIN)
        self.write("", "stop")
        process.wait()
        text = self.errors.text()
        self.assertIn("project", text)
        targets = [line.split()[4] for line in text.splitlines() if re.match(r"\d+ \d+ \d+:", line)]
        self.assertTrue(targets)
        below = [t for t in targets if t.startswith(self.project + "/")]
        self.assertEqual([t for t in below if not t.endswith("/.ai-jail")], [], text)

    def test_swapped_parents(self):
        """E-MSK-16: directories change places while masks are applied."""
        self.write("harmless", "b", "x")
        self.write("", "a", "y")
        loop = ("import ctypes\nlibc = ctypes.CDLL(None)\nopen('ready','w').close()\n"
                "while True: libc.renameat2(-100, b'a', -100, b'b', 2)\n")
        self.write(loop, "swap.py")
        process = self.jail(["--mask", "a/x", "--mask", "b/.env"],
                            f"{ptyrun.PYTHON} swap.py & sleep 100")
        for number in range(100):
            for name in "ab":
                try:
                    self.write(CANARY + str(number), name, "x")
                    self.replace(CANARY, name, ".env")
                except FileNotFoundError:
                    pass
        end = time.monotonic() + 0.3
        wait_for(lambda: time.monotonic() > end or not process.is_running(), "a while")
        ended = not process.is_running()
        text = self.errors.text() if ended else self.end(process)
        if ended:
            self.assertEqual(process.wait(), 125, text)

    def test_flood(self):
        """E-MSK-18: masked within 2 s, or the run ends with 125."""
        flood = ("import os\nopen('ready','w').close()\ni = 0\n"
                 "while True:\n i += 1; n = 'flood%d' % (i % 64)\n"
                 " os.close(os.open(n, os.O_CREAT | os.O_WRONLY)); os.unlink(n)\n")
        self.write(flood, "flood.py")
        self.write(WATCHER, "watcher.py")
        process = self.jail(["--mask", "*.pem"], f"{ptyrun.PYTHON} flood.py & "
                            f"exec {ptyrun.PYTHON} watcher.py k.pem seen")
        wait_for(self.seen, "the first read")
        self.write(CANARY, "k.pem")
        wait_for(lambda: not process.is_running() or self.seen()[-1][1] == "read:",
                 lambda: str(self.seen()[-3:]), max(2.0, WITHIN))
        if process.is_running():
            self.end(process)
        else:
            self.assertEqual(process.wait(), 125)

    # -- repositories --

    def test_new_repository(self):
        """E-GIT-09, P-WT-6, P-WT-9: left alone while git makes it, protected two seconds later."""
        script = ("set -e; git init -q new; cd new; git config user.name t; "
                  "git config user.email t@localhost; echo x >f; git add f; git commit -qm first; "
                  "mkdir -p ../fake/.git; touch ../ready; while [ ! -e ../go ]; do :; done; set +e; "
                  "git config a.b c || echo config-fails; touch .git/hooks/post-commit || "
                  "echo hook-fails; n=0; while [ $n -lt 400 ]; do n=$((n + 1)); "
                  "echo x >>.git/config.worktree || { echo worktree-fails; break; }; sleep 0.05; done; "
                  "echo y >f; git commit -qam second && echo commit-works; "
                  "touch ../fake/.git/config && echo fake-is-free")
        process = self.jail([], script)
        wait_for(lambda: "is a new repository" in self.errors.text(), self.errors.text, 3 * WITHIN)
        self.write("", "go")
        process.wait(3 * WITHIN)
        text = self.errors.text()
        for word in ("config-fails", "hook-fails", "worktree-fails", "commit-works",
                     "fake-is-free"):
            self.assertIn(word, text)
        self.assertNotIn("fake/.git is a new repository", text)

    def test_new_repository_without_protection(self):
        script = ("set -e; git init -q new; cd new; touch ../ready; "
                  "while [ ! -e ../go ]; do sleep 0.05; done; git config a.b c && echo config-works")
        process = self.jail(["--no-protect-git"], script)
        end = time.monotonic() + 3.0
        wait_for(lambda: time.monotonic() > end, "more than two quiet seconds")
        self.write("", "go")
        process.wait()
        self.assertIn("config-works", self.errors.text())
        self.assertNotIn("new repository", self.errors.text())

    # -- the mounter itself --

    def test_mounter_killed_or_stopped(self):
        """E-MSK-19, P-PLAN-7."""
        self.write(CANARY, ".env")
        for sig in (signal.SIGKILL, signal.SIGSTOP):
            with self.subTest(signal=sig):
                process = self.jail(["--mask", ".env"], "touch ready; exec sleep 100")
                os.kill(self.jail_parts(process)["mounter"], sig)
                self.assertEqual(process.wait(2.0 + WITHIN), 125)
                self.assertIn("the mounter", self.errors.text())
                os.unlink(self.path("ready"))


if __name__ == "__main__":
    ptyrun.main()
