#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""Exit codes and channels: who says how it ended, and where words go."""
import os
import signal
import unittest

import ptyrun
from ptyrun import SessionTest, tool

OWN_MARKS = ("\u2717", "\u203c", "\u26a0", "\u25b8")  # fatal, security, warning, info


def fatal_lines(text):
    return [line for line in text.splitlines() if line.startswith(OWN_MARKS[0])]


class ExitCode(SessionTest):
    def assert_own_failure(self, argv, word, **options):
        code, out, err = self.run_piped(argv, **options)
        self.assertEqual((code, out), (125, b""), err)
        self.assertEqual(len(fatal_lines(err)), 1, err)
        self.assertIn(word, fatal_lines(err)[0])

    def test_the_commands_own_code(self):
        for code in (0, 1, 2, 125, 126, 127, 200, 255):
            with self.subTest(code=code):
                self.assertEqual(self.run_piped(["sh", "-c", f"exit {code}"])[0], code)

    def test_a_signal_ends_the_command(self):
        for name in ("KILL", "TERM", "SEGV", "INT", "HUP", "ABRT", "PIPE"):
            with self.subTest(signal=name):
                code = self.run_piped(["sh", "-c", f"kill -{name} $$"])[0]
                self.assertEqual(code, 128 + getattr(signal, "SIG" + name))

    def test_code_on_a_terminal(self):
        _, process = self.on_terminal(["sh", "-c", "exit 9"])
        self.assertEqual(process.wait(), 9)
        _, process = self.on_terminal(["sh", "-c", "kill -9 $$"])
        self.assertEqual(process.wait(), 137)

    def test_usage(self):
        self.assert_own_failure(["--no-such-option"], "--no-such-option")
        self.assert_own_failure(["--help=x"], "--help")

    def test_refused_projects(self):
        for path in ("/", self.home, self.base, "/usr", "/usr/bin", "/etc", "/tmp"):
            with self.subTest(project=path):
                # The base directory is refused as an ancestor of HOME.
                self.assert_own_failure(["true"], path, cwd=path)

    def test_refused_homes(self):
        for home in ("/", "//", "/no/such/home", "/dev/null"):
            with self.subTest(home=home):
                self.assert_own_failure(["true"], "HOME", env={**self.env, "HOME": home})

    def test_not_found(self):
        code, _, err = self.run_piped(["no-such-program"])
        self.assertEqual(code, 127)
        self.assertEqual(len(fatal_lines(err)), 1, err)
        self.assertIn("no-such-program", fatal_lines(err)[0])
        self.assertEqual(self.run_piped(["./missing"])[0], 127)

    def test_what_is_switched_off_is_said(self):
        """In the line that every start has; without a switch nothing is said to be off."""
        code, _, err = self.run_piped(["true"])
        self.assertEqual(code, 0, err)
        self.assertNotIn("off:", err)
        code, _, err = self.run_piped(["--no-landlock", "--no-rlimits", "--no-protect-git",
                                       "--no-seccomp", "--terminal-passthrough", "true"])
        self.assertEqual(code, 0, err)
        self.assertIn("off: Landlock, system call filter, limits, protection of git, "
                      "terminal filter", err)

    def test_an_option_without_effect_is_said(self):
        """On the command line; a file waits for the runs that it is for."""
        code, _, err = self.run_piped(["--update-check", "true"])
        self.assertEqual(code, 0, err)
        self.assertIn("--update-check has no effect: this run has no status bar", err)
        with open(os.path.join(self.home, ".ai-jail"), "w", encoding="ascii") as file:
            os.chmod(file.fileno(), 0o600)
            file.write("update_check = true\n")
        code, _, err = self.run_piped(["true"])
        self.assertEqual(code, 0, err)
        self.assertNotIn("no effect", err)

    def test_not_executable(self):
        with open(os.path.join(self.project, "data"), "w", encoding="ascii") as file:
            file.write("#!/bin/sh\n")
        code, _, err = self.run_piped(["./data"])
        self.assertEqual(code, 126, err)
        self.assertIn("data", fatal_lines(err)[0])
        os.mkdir(os.path.join(self.project, "dir"))
        self.assertEqual(self.run_piped(["./dir"])[0], 126)

    def test_interpreter_is_missing(self):
        path = os.path.join(self.project, "script")
        with open(path, "w", encoding="ascii") as file:
            file.write("#!/no/such/interpreter\n")
        os.chmod(path, 0o755)
        code, _, err = self.run_piped(["./script"])
        self.assertEqual(code, 126, err)
        self.assertIn("/no/such/interpreter", fatal_lines(err)[0])
        self.assertIn("script", fatal_lines(err)[0])

    def test_hint_for_a_program_of_the_host(self):
        """P-CLI-6: the message gives the path and the option that would show it."""
        place = os.path.join(self.base, "elsewhere")
        os.mkdir(place)
        path = os.path.join(place, "hidden-program")
        with open(path, "w", encoding="ascii") as file:
            file.write("#!/bin/sh\necho ran\n")
        os.chmod(path, 0o755)
        env = dict(self.env, PATH=ptyrun.PATH + ":" + place)
        code, out, err = self.run_piped(["sh", "-c", "exec hidden-program"], env=env)
        self.assertEqual((code, out), (127, b""), err)
        # Given as the command itself it is shown in the jail, or the hint names the way.
        code, out, err = self.run_piped(["hidden-program"], env=env)
        if code == 127:
            self.assertIn(f"--map {path}", fatal_lines(err)[0])
        else:
            self.assertEqual((code, out), (0, b"ran\n"), err)

    @unittest.skipUnless(os.geteuid() == 0 or os.environ.get("AI_JAIL_TESTS_MUST_RUN") == "1",
                         "hiding bubblewrap needs a mount")
    def test_bubblewrap_is_missing(self):
        if os.geteuid() != 0:
            return  # done in the run as root
        script = ("mount --bind /dev/null /usr/bin/bwrap && exec \"$0\" true")
        err = self.output()
        process = self.start_program(
            [tool("unshare"), "-m", "--", "/bin/sh", "-c", script, ptyrun.PROGRAM],
            [self.null, self.null, err.fd])
        self.assertEqual(process.wait(), 125, err.text())
        self.assertEqual(len(fatal_lines(err.text())), 1, err.text())
        self.assertIn("bubblewrap", fatal_lines(err.text())[0])


class Channels(SessionTest):
    def test_all_bytes_both_ways(self):
        data = bytes(range(256)) * 300 + b"\r\n\x04\x1a\x03"
        code, out, err = self.run_piped(["cat"], data)
        self.assertEqual(code, 0, err)
        self.assertEqual(out, data)

    def test_stderr_is_not_mixed_into_stdout(self):
        code, out, err = self.run_piped(["sh", "-c", "echo out; echo err >&2"])
        self.assertEqual((code, out), (0, b"out\n"))
        self.assertIn("err\n", err)

    def test_exec_is_quiet(self):
        code, out, err = self.run_piped(["--exec", "sh", "-c", "echo out; echo err >&2; exit 3"])
        self.assertEqual((code, out), (3, b"out\n"))
        rest = [line for line in err.splitlines() if not line.startswith(OWN_MARKS[1])]
        self.assertEqual(rest, ["err"])

    def test_exec_on_a_terminal(self):
        terminal, process = self.on_terminal(["--exec", "sh", "-c", "test -t 0 && tty"])
        self.assertEqual(process.wait(), 0, terminal.output)
        self.assertNotIn(OWN_MARKS[3].encode(), terminal.output)
        self.assertIn(b"/dev/pts/", terminal.output)

    def test_redirected_from_a_terminal(self):
        """P-CLI-10: own words land on the terminal, never in the file."""
        terminal, out = self.terminal(), self.output()
        process = self.start(["sh", "-c", "printf 'a\\nb\\n'; echo e >&2"],
                             [terminal, out.fd, terminal])
        self.assertEqual(process.wait(), 0, terminal.output)
        self.assertEqual(out.bytes(), b"a\nb\n")
        # Both terminals turn LF into CR LF here: the real one keeps its modes.
        self.assertRegex(terminal.output, rb"\ne\r+\n")
        self.assertIn("\u25b8 jail:".encode(), terminal.output)

    def test_reader_that_ends_early(self):
        """`ai-jail yes | head -1`: the command gets SIGPIPE, nothing hangs."""
        reader, writer = self.pipe()
        process = self.start(["yes"], [self.null, writer.fileno(), self.null])
        writer.close()
        self.assertEqual(reader.read(2), b"y\n")
        reader.close()
        self.assertEqual(process.wait(), 128 + signal.SIGPIPE)


if __name__ == "__main__":
    ptyrun.main()
