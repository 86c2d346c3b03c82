#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""Files that must not be read, met by the real program: one line, 125, nothing changed, at once.

Each hostile file is put in the place of the project file and of the global file. P-CFG-1, P-CFG-8,
P-CFG-14, P-CFG-15, P-CFG-16.

Usage: hostile.py AI-JAIL
"""
import os
import resource
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))
MIB = 1 << 20
PROJECT, GLOBAL = "project", "global"
# Wall clock, for a file that blocks; what is computed is measured in seconds of the processor, of which a
# virtual one counts those that others take from it.
TIMEOUT = 500
SECONDS_MAX = 5


def text(content, mode=0o600):
    def make(path):
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        os.chmod(path, mode)
    return make


def sparse(size):
    def make(path):
        with open(path, "wb") as file:
            file.truncate(size)
    return make


def link(target):
    return lambda path: os.symlink(target, path)


def link_to_sibling(path):
    text("network = true\n")(path + ".target")
    os.symlink(os.path.basename(path) + ".target", path)


def link_to_loose(path):
    text("", 0o666)(path + ".target")
    os.symlink(path + ".target", path)


def link_into_project(path):
    target = os.path.join(os.path.dirname(path), "../project/target")
    text("network = true\n")(target)
    os.symlink(target, path)


def make_socket(path):
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(path)


BOTH = (PROJECT, GLOBAL)
ROOT = os.geteuid() == 0
# (what, how it is made, in which places it is fatal, a part of the line)
CASES = (
    ("FIFO", os.mkfifo, BOTH, "a FIFO, not a regular file"),
    ("directory", os.mkdir, BOTH, "a directory, not a regular file"),
    ("socket", make_socket, BOTH, "a socket, not a regular file"),
    ("link", link_to_sibling, (PROJECT,), "a symbolic link"),
    ("dangling link", link("nowhere"), BOTH, "a symbolic link"),
    ("link to itself", link(".ai-jail"), BOTH, "a symbolic link"),
    ("link to a device", link("/dev/zero"), (PROJECT,), "a symbolic link"),
    ("link to a device, followed", link("/dev/zero"), (GLOBAL,), "a device, not a regular file"),
    ("link to a directory", link("/"), (GLOBAL,), "a directory, not a regular file"),
    ("link to a loose file", link_to_loose, (GLOBAL,), "chmod go-w"),
    ("link into the project", link_into_project, (GLOBAL,), "inside the project"),
    ("2 MiB", text("#" * (2 * MIB)), BOTH, "larger than 1 MiB"),
    ("1 MiB of text", text("#" * MIB + "\n"), BOTH, "larger than 1 MiB"),
    ("1 GiB of nothing", sparse(1024 * MIB), BOTH, "larger than 1 MiB"),
    ("1 MiB of NUL", sparse(MIB), BOTH, ":1: a NUL byte"),
    ("mode 0666", text("", 0o666), (GLOBAL,), "chmod go-w"),
    ("mode 0620", text("", 0o620), (GLOBAL,), "chmod go-w"),
    ("not UTF-8", text(b"# ok\nmask = ['\xff']\n"), BOTH, ":2: not valid UTF-8"),
    ("UTF-16", text("mask = ['a']\n".encode("utf-16")), BOTH, ":1: not valid UTF-8"),
    ("NUL", text(b"mask = ['a\0']\n"), BOTH, ":1: a NUL byte"),
    ("deep arrays", text("a = " + "[" * 500000 + "]" * 500000), BOTH, "too many brackets"),
    ("deep inline tables", text("a = " + "{a=" * 200000), BOTH, "too many brackets"),
    ("deep keys", text("a" + ".a" * 500000 + " = 1\n"), BOTH, "too many parts"),
    ("deep header", text("[a" + ".a" * 500000 + "]\n"), BOTH, "too many parts"),
    ("many keys", text("".join(f"k{i}=1\n" for i in range(100000))), BOTH, "too many keys"),
    ("many tables", text("".join(f"[a.b{i}]\n" for i in range(80000))), BOTH, "too many keys"),
    ("open string", text("mask = ['.env\n"), BOTH, ":1:"),
    ("open array", text("mask = [\n" * 10), BOTH, ":2:"),
    ("duplicate", text("network = false\nnetwork = true\n"), BOTH, ":2:"),
    ("wrong type", text("network = 'yes'\n"), BOTH, ":1:11: network: of type string"),
    ("unknown word", text("clipboard = 'paste'\n"), BOTH, ":1:13: clipboard: "),
)


class Hostile(unittest.TestCase):
    def setUp(self):
        self.base = tempfile.mkdtemp(prefix="ai-jail-hostile.")
        self.addCleanup(shutil.rmtree, self.base)
        self.home = os.path.join(self.base, "home")
        self.project = os.path.join(self.base, "project")
        os.mkdir(self.home)
        os.mkdir(self.project)

    def run_program(self, *words):
        env = dict(os.environ, HOME=self.home, LC_ALL="C.UTF-8", NO_COLOR="1")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([PROGRAM, *words, "true"], cwd=self.project, env=env, timeout=TIMEOUT,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertLess(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
                        SECONDS_MAX)
        return done

    def facts(self, path):
        st = os.lstat(path)
        content = None
        if stat.S_ISREG(st.st_mode) and st.st_size <= 2 * MIB:
            with open(path, "rb") as file:
                content = file.read()
        return st.st_ino, st.st_mode, st.st_size, st.st_mtime_ns, content

    def check_refused(self, path, part):
        before = self.facts(path)
        for words in (("--dry-run",), ("--exec",), ("--clean", "--dry-run"), ("--status",)):
            if words[0] == "--clean" and os.path.dirname(path) == self.project:
                continue
            done = self.run_program(*words)
            err = done.stderr.decode()
            self.assertEqual(done.returncode, 125, f"{words}: {err}")
            self.assertEqual(done.stdout, b"", words)
            self.assertEqual(err.count("\n"), 1, f"{words}: {err}")
            self.assertIn(part, err, words)
            self.assertIn(".ai-jail", err, words)
            self.assertLess(len(err), 1000)
        self.assertEqual(self.facts(path), before)

    def place(self, where):
        return os.path.join(self.home if where == GLOBAL else self.project, ".ai-jail")

    def test_a_good_file_is_read(self):
        """The positive control of all the others: what stands in it is talked about."""
        for where in BOTH:
            text("unheard_of = 1\n", 0o644)(self.place(where))
        done = self.run_program("--dry-run")
        self.assertEqual(done.returncode, 0)
        self.assertNotEqual(done.stdout, b"")
        for where in BOTH:
            self.assertIn(f"{self.place(where)}:1:1: unknown key unheard_of", done.stderr.decode())

    def test_a_link_to_a_good_file_is_the_global_file(self):
        path = self.place(GLOBAL)
        os.symlink(path + ".target", path)
        text("unheard_of = 1\n")(path + ".target")
        done = self.run_program("--dry-run")
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"unknown key unheard_of", done.stderr)

    @unittest.skipUnless(ROOT, "only root can give a file away; test_load asks as somebody else")
    def test_somebodys_global_file(self):
        path = self.place(GLOBAL)
        text("network = true\n")(path)
        os.chown(path, 12345, 12345)
        self.check_refused(path, "belongs to user id 12345")

    def test_noise(self):
        """Whatever it is, it is one line or a file that says nothing."""
        path = self.place(PROJECT)
        for seed in range(20):
            text(bytes((i * i * (seed + 3) + seed) % 251 for i in range(200)))(path)
            done = self.run_program("--dry-run")
            self.assertIn(done.returncode, (0, 125))
            self.assertEqual(done.returncode == 125, done.stdout == b"")
            if done.returncode == 125:
                self.assertIn(b".ai-jail", done.stderr)


def add_case(name, make, where, part):
    def test(self):
        path = self.place(where)
        make(path)
        self.check_refused(path, part)

    test.__doc__ = f"{name} as {where} file"
    setattr(Hostile, f"test_{where}_{name}".replace(" ", "_").replace(",", ""), test)


for case_name, case_make, case_places, case_part in CASES:
    for case_where in case_places:
        add_case(case_name, case_make, case_where, case_part)

if __name__ == "__main__":
    unittest.main()
