#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""Every step of the start made to fail: one clear line, 125, nothing left, terminal as before."""
import os
import re
import resource
import shutil
import subprocess
import sys
import unittest

import ptyrun
from ptyrun import SessionTest, tool

FATAL = re.compile("\u2717 |^error: ")  # the second before the locale is known
# Calls of the start, the error that is injected, the first and the last occurrence that is tried.
# strace counts for each process on its own, so one number fails in several of them.
INJECTED = (
    ("memfd_create", "EMFILE", 1, 12),
    ("socketpair", "EMFILE", 1, 4),
    # The third would be libuv's own (uv__signal_global_init), which aborts.
    ("pipe2", "EMFILE", 1, 2),
    ("clone,clone3,fork,vfork", "EAGAIN", 1, 6),
    ("execve,execveat", "ENOEXEC", 2, 4),
    ("setns", "EPERM", 1, 3),
    ("move_mount", "EPERM", 1, 3),
    ("open_tree", "EPERM", 1, 3),
    ("openat2", "EACCES", 1, 4),
    ("landlock_create_ruleset", "EOPNOTSUPP", 1, 4),
    ("landlock_add_rule", "EINVAL", 1, 6),
    ("landlock_restrict_self", "EPERM", 1, 3),
    ("seccomp", "EINVAL", 1, 4),
    # The first three only ask whether 0-2 are open.
    ("fcntl", "EMFILE", 4, 30),
    ("setpgid", "EPERM", 1, 3),
    ("mount", "EPERM", 1, 12),
    ("recvmsg", "ENOMEM", 1, 4),
    ("sendmsg", "ENOBUFS", 1, 4),
    ("sendto", "ENOBUFS", 1, 4),
    ("epoll_create1", "EMFILE", 1, 2),
    ("eventfd2", "EMFILE", 1, 2),
    ("ioctl", "EIO", 1, 10),
    ("prctl", "EINVAL", 1, 6),
)


class Rule(SessionTest):
    """The rule for all: success with the command's code, or one fatal line and 125."""

    def fatal_lines(self, text):
        return [line for line in text.splitlines() if FATAL.search(line)]

    def assert_rule(self, code, err, command_code=3, others=()):
        """True if the run failed."""
        lines = self.fatal_lines(err)
        if code == command_code:
            self.assertEqual(lines, [], err)
            return False
        self.assertIn(code, (125, *others), err)
        own = [line for line in lines if "bwrap: " not in line]
        self.assertEqual(len(own), 1, err)
        self.assertGreater(len(own[0]), 12)
        return True


class LaunchFailure(Rule):
    """Limits, places and programs that make a start fail."""

    def try_run(self, prepare=None, argv=("sh", "-c", "exit 3"), others=(), **options):
        """On a terminal, with stderr aside; True if the run failed."""
        terminal, err = self.terminal(), self.output()
        before = terminal.modes()
        process = self.start(list(argv), [terminal, terminal, err.fd], prepare=prepare, **options)
        code = process.wait(60)
        failed = self.assert_rule(code, err.text(), others=others)
        self.assertEqual(terminal.modes(), before)
        self.assert_nothing_left()
        terminal.close()
        return failed

    def test_few_descriptors(self):
        results = {}
        # With less the dynamic loader gives up, before there is anything of ours.
        for count in list(range(4, 64)) + [80, 128]:
            with self.subTest(descriptors=count):
                results[count] = self.try_run(
                    lambda n=count: resource.setrlimit(resource.RLIMIT_NOFILE, (n, n)))
        self.assertTrue(results[16])
        self.assertFalse(results[128])

    @unittest.skipIf(os.geteuid() == 0 and os.environ.get("AI_JAIL_TESTS_MUST_RUN") != "1",
                     "root has no limit of processes")
    def test_few_processes(self):
        if os.geteuid() == 0:
            return  # done in the run as an ordinary user
        for count in range(1, 9):
            with self.subTest(processes=count):
                self.try_run(lambda n=count: resource.setrlimit(resource.RLIMIT_NPROC, (n, n)))

    def test_little_memory(self):
        if ptyrun.SANITIZED:
            return  # the sanitizer's runtime does not survive it; the other build tells
        for mib in (1, 4, 8, 16, 32, 64):
            with self.subTest(mib=mib):
                size = mib * 1024 * 1024
                terminal, err = self.terminal(), self.output()
                process = self.start(["sh", "-c", "exit 3"], [terminal, terminal, err.fd],
                                     prepare=lambda s=size: resource.setrlimit(
                                         resource.RLIMIT_DATA, (s, s)))
                # Too little for the loader is the loader's message and code.
                self.assertNotIn(process.wait(), (0, 139), err.text())
                self.assert_nothing_left()

    def test_small_files(self):
        """The descriptors of a launch are files; a limit is an error and no signal."""
        for size in (2000, 5000, 20000):
            with self.subTest(size=size):
                self.assertTrue(self.try_run(
                    lambda s=size: resource.setrlimit(resource.RLIMIT_FSIZE, (s, s))))

    def test_deleted_working_directory(self):
        gone = os.path.join(self.base, "gone")
        os.mkdir(gone)

        def prepare():
            os.chdir(gone)
            os.rmdir(gone)
        self.assertTrue(self.try_run(prepare))

    def test_unreadable_project(self):
        try:
            failed = self.try_run(lambda: os.chmod(".", 0o000))
            if os.geteuid() != 0:
                self.assertTrue(failed)
        finally:
            os.chmod(self.project, 0o755)

    def test_search_path(self):
        for path in ("", ":", "/no/such/place", "relative", None):
            env = dict(self.env)
            if path is None:
                del env["PATH"]
            else:
                env["PATH"] = path
            with self.subTest(path=path):
                self.try_run(env=env, others=(127,))

    def test_chosen_bubblewrap_is_refused(self):
        """A file that others could have written is not run, and it is said."""
        fake = os.path.join(self.project, "bwrap")
        with open(fake, "w", encoding="ascii") as file:
            file.write("#!/bin/sh\ntouch ran\n")
        os.chmod(fake, 0o777)
        env = dict(self.env, BWRAP_BIN=fake)
        code, _, err = self.run_piped(["true"], env=env)
        self.assertEqual(code, 0, err)
        self.assertIn("BWRAP_BIN", err)
        self.assertFalse(os.path.exists(os.path.join(self.project, "ran")))

    def test_source_replaced_during_the_start(self):
        """The project is swapped again and again: the right one is used, or none."""
        other = self.project + ".other"
        os.mkdir(other)
        marks = {os.path.join(self.project, "first"), os.path.join(other, "second")}
        for mark in marks:
            with open(mark, "wb"):
                pass
        swapper = subprocess.Popen(
            [ptyrun.PYTHON, "-c", "import os, sys, ctypes\n"
             "libc = ctypes.CDLL(None); a, b = map(os.fsencode, sys.argv[1:])\n"
             "while True: libc.renameat2(-100, a, -100, b, 2)", self.project, other])
        try:
            home = os.path.join(self.base, "elsewhere")
            os.mkdir(home)
            for _ in range(10):
                code, out, err = self.run_piped(
                    ["--map", self.project, "sh", "-c", f"ls {self.project}; exit 3"], cwd=home)
                if not self.assert_rule(code, err):
                    self.assertIn(out, (b"first\n", b"second\n"))
        finally:
            swapper.kill()
            swapper.wait()

    def replace_bubblewrap(self, program, fill_cache):
        """(code, stderr) of a run in a mount namespace where /usr/bin/bwrap is program. Its --help
        can be replaced by the real one: the cache belongs to a file by its identity."""
        path = os.path.join(self.base, "bwrap")
        shutil.copy(program, path)
        if fill_cache:
            st = os.stat(path)
            text = subprocess.run([tool("bwrap"), "--help"], capture_output=True, check=True).stdout
            cache = os.path.join(self.home, ".local/state/ai-jail")
            os.makedirs(cache, 0o700, exist_ok=True)
            with open(os.path.join(cache, "bwrap-probe"), "wb") as file:
                os.fchmod(file.fileno(), 0o600)
                file.write(b"1 %x %x %x %d.%09d\n" % (
                    st.st_dev, st.st_ino, st.st_size, st.st_mtime_ns // 10**9,
                    st.st_mtime_ns % 10**9) + text)
        err = self.output()
        process = self.start_program(
            [tool("unshare"), "-m", "--", "/bin/sh", "-c",
             'mount --bind "$1" /usr/bin/bwrap && exec "$0" true', ptyrun.PROGRAM, path],
            [self.null, self.null, err.fd])
        code = process.wait(60)
        self.assert_nothing_left()
        return code, err.text()

    @unittest.skipUnless(os.geteuid() == 0 or os.environ.get("AI_JAIL_TESTS_MUST_RUN") == "1",
                         "replacing bubblewrap needs a mount")
    def test_strange_bubblewraps(self):
        """One without options, one that ends at once, one that complains, one that is none."""
        if os.geteuid() != 0:
            return  # done in the run as root
        for program, fill_cache, words in (
                (tool("true"), False, ["no option"]),
                (tool("false"), False, ["--help"]),
                ("/etc/passwd", False, ["not executable"]),
                (tool("true"), True, ["ended before"]),
                (tool("false"), True, ["ended before"]),
                (tool("ls"), True, ["unrecognized option", "ended before"])):
            with self.subTest(program=program, fill_cache=fill_cache):
                code, err = self.replace_bubblewrap(program, fill_cache)
                self.assertEqual(code, 125, err)
                for word in words:
                    self.assertIn(word, err)

class Injection(Rule):
    """Errors of single system calls, by strace, in every process of the start."""

    @classmethod
    def setUpClass(cls):
        strace = tool("strace")
        probe = subprocess.run([strace, "-f", "-qq", "-o", "/dev/null", "true"],
                               capture_output=True, check=False)
        if probe.returncode:
            raise unittest.SkipTest("strace cannot trace here: " + probe.stderr.decode())
        cls.strace = strace

    def inject(self, calls, error, number):
        """(failed, injected): the run with the number-th call failing."""
        trace = os.path.join(self.base, "trace")
        terminal, err = self.terminal(), self.output()
        before = terminal.modes()
        process = self.start_program(
            [self.strace, "-f", "-qq", "-o", trace, "-e", f"trace={calls}",
             "-e", f"inject={calls}:error={error}:when={number}",
             ptyrun.PROGRAM, "sh", "-c", "exit 3"], [terminal, terminal, err.fd])
        code = process.wait(60)
        with open(trace, encoding="utf-8", errors="replace") as file:
            log = file.read()
        # A call that the command itself makes is none of the start.
        text = err.text()
        failed = code != 3
        try:
            if failed and not self.is_of_command(log):
                self.assert_rule(code, text)
            self.assertEqual(terminal.modes(), before)
            self.assert_nothing_left()
        except AssertionError as problem:
            hit = [line for line in log.splitlines() if "INJECTED" in line]
            raise AssertionError(f"{calls} #{number}: {problem}\n" + "\n".join(hit)) from problem
        finally:
            process.kill()
            process.wait()
            terminal.close()
        return failed, "INJECTED" in log

    @staticmethod
    def is_of_command(log):
        """The injected call was made by the command after its exec."""
        runner = re.findall(r'^(\d+) .*execve\("(?:/usr)?/bin/sh"', log, re.M)
        return any(line.split()[0] in runner for line in log.splitlines() if "INJECTED" in line)

    def test_calls_of_the_start(self):
        self.assertEqual(self.run_piped(["true"])[0], 0)  # fills the cache
        wanted = os.environ.get("AI_JAIL_TEST_CALLS", "").split()
        for calls, error, first, last in INJECTED:
            if wanted and calls not in wanted:
                continue
            failures = 0
            for number in range(first, last + 1):
                with self.subTest(calls=calls, number=number):
                    failed, injected = self.inject(calls, error, number)
                    failures += failed
                    if not injected:
                        break
            print(f"  {calls}: {failures} of {number - first + 1} made the start fail",
                  file=sys.stderr)


if __name__ == "__main__":
    ptyrun.main()
