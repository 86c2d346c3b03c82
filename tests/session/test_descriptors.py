#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""Descriptors: which of 0-2 are terminals inside, and that nothing else comes through."""
import itertools
import os
import signal

import ptyrun
from ptyrun import SessionTest, tool

# Says for each of 0-2 and for the controlling terminal which device it is, or "-". A device is file
# system and number: the number alone starts at 0 in every devpts, also in the jail's.
REPORT = r"""
import fcntl, os, struct
TIOCGDEV = 0x80045432
words = []
for fd in (0, 1, 2):
    st = os.fstat(fd)
    words.append('%d:%d' % (st.st_dev, st.st_rdev) if os.isatty(fd) else '-')
try:
    tty = os.open('/dev/tty', os.O_RDWR | os.O_NOCTTY)
    number = struct.unpack('I', fcntl.ioctl(tty, TIOCGDEV, bytes(4)))[0]
    st = os.stat('/dev/pts/%d' % os.minor(number))
    words.append('%d:%d' % (st.st_dev, st.st_rdev))
except OSError as error:
    words.append('-')
open('report', 'w').write(' '.join(words))
"""


class Mixes(SessionTest):
    def run_mix(self, mix):
        """The words of REPORT with a terminal at the places where mix is true."""
        terminal = self.terminal()
        stdio = [terminal if is_terminal else self.null for is_terminal in mix]
        # Without any it is still the controlling one of the caller.
        process = self.start(["python3", "-c", REPORT], stdio, terminal=terminal)
        self.assertEqual(process.wait(), 0, terminal.output)
        with open(os.path.join(self.project, "report"), encoding="ascii") as file:
            return terminal, file.read().split()

    def test_all_mixes(self):
        """P-PTY-1, E-TTY-06: terminals stay terminals, none of them is the host's."""
        for mix in itertools.product((False, True), repeat=3):
            with self.subTest(mix=mix):
                terminal, words = self.run_mix(mix)
                st = os.fstat(terminal.slave)
                self.assertNotIn(f"{st.st_dev}:{st.st_rdev}", words)
                self.assertEqual(tuple(word != "-" for word in words[:3]), mix)
                self.assertEqual(words[3] != "-", any(mix), words)
                self.assertLessEqual(set(words[:3]), {"-", words[3]})

    def test_modes_are_untouched_by_mixes(self):
        for mix in itertools.product((False, True), repeat=3):
            with self.subTest(mix=mix):
                terminal = self.terminal()
                before = terminal.modes()
                stdio = [terminal if is_terminal else self.null for is_terminal in mix]
                process = self.start(["sh", "-c", "exit 4"], stdio, terminal=terminal)
                self.assertEqual(process.wait(), 4)
                self.assertEqual(terminal.modes(), before)

    def test_tty_names_a_node(self):
        """P-PTY-16."""
        terminal, process = self.on_terminal(["sh", "-c", "test -c \"$(tty)\" && tty"])
        self.assertEqual(process.wait(), 0, terminal.output)
        self.assertIn(b"/dev/pts/", terminal.output)

    def test_log_of_stderr(self):
        """2>log with a terminal for the rest."""
        terminal, err = self.terminal(), self.output()
        process = self.start(["sh", "-c", "echo to-log >&2; echo to-terminal"],
                             [terminal, terminal, err.fd])
        self.assertEqual(process.wait(), 0, terminal.output)
        self.assertIn("to-log\n", err.text())
        self.assertIn(b"to-terminal\r\n", terminal.output)
        self.assertNotIn(b"to-log", terminal.output)

    def test_keys_reach_less_behind_a_pipe(self):
        """P-PTY-2: x | ai-jail less."""
        tool("less")
        terminal, source = self.terminal(10, 40), self.output()
        source.file.write(b"".join(b"line %d\n" % i for i in range(200)))
        source.file.flush()
        os.lseek(source.fd, 0, os.SEEK_SET)
        before = terminal.modes()
        process = self.start(["less"], [source.fd, terminal, terminal])
        terminal.expect(rb"line 5.*:")
        terminal.send(b"G")
        terminal.expect(rb"line 199")
        terminal.send(b"q")
        self.assertEqual(process.wait(), 0, terminal.output)
        self.assertEqual(terminal.modes(), before)

    def test_a_command_that_asks_for_the_terminal(self):
        """Output piped away, then the command reads /dev/tty."""
        terminal, out = self.terminal(), self.output()
        script = "printf 'word? ' >/dev/tty; read w </dev/tty; echo \"$w\""
        process = self.start(["sh", "-c", script],
                             [terminal, out.fd, terminal])
        terminal.expect(rb"word\? ")
        terminal.send(b"apple\r")
        self.assertEqual(process.wait(), 0, terminal.output)
        self.assertEqual(out.bytes(), b"apple\n")


class Inheritance(SessionTest):
    LIST = "import os; print(sorted(int(f) for f in os.listdir('/proc/self/fd')))"

    def test_descriptors_of_the_caller(self):
        """P-LAU-6: 3-300 are open in the caller and absent inside."""
        secret = os.open(self.home, os.O_RDONLY)

        def prepare():
            for fd in range(3, 301):
                os.dup2(secret, fd, inheritable=True)
        code, out, err = self.run_piped(["python3", "-c", self.LIST], prepare=prepare)
        os.close(secret)
        self.assertEqual(code, 0, err)
        # Python opens the directory itself as 3.
        self.assertEqual(out, b"[0, 1, 2, 3]\n")

    def with_directory(self, place, directory, *command):
        """Code and output of a run with the directory as descriptor place, a file as the others."""
        opened = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
        with open(os.path.join(self.project, "file"), "w+", encoding="utf-8") as file:
            stdio = [file.fileno()] * 3
            stdio[place] = opened
            code = self.start(["--no-save-config", *command], stdio).wait()
            os.close(opened)
            file.seek(0)
            return code, file.read()

    def test_a_directory_of_the_jail(self):
        """It is the same one, and above it is what the jail shows."""
        with open(os.path.join(self.base, "canary"), "w", encoding="utf-8"):
            pass
        for place in range(3):
            fd = f"/proc/self/fd/{place}"
            code, text = self.with_directory(
                place, self.project, "sh", "-c",
                f"test {fd} -ef . && test {fd}/.. -ef .. && test ! -e {fd}/../canary")
            self.assertEqual(code, 0, text)

    def test_a_directory_that_is_not_shown(self):
        """The command would be outside with fchdir(2)."""
        for place in range(3):
            code, text = self.with_directory(place, self.base, "true")
            self.assertEqual(code, 125, text)
            if place != 2:
                self.assertIn("is a directory that the jail does not show", text)

    def test_closed_descriptors(self):
        """P-LAU-12: what is missing of 0-2 is /dev/null inside, never something of ours."""
        probe = ("import os; open('report', 'w').write(' '.join("
                 "str(os.fstat(fd).st_rdev) for fd in (0, 1, 2)))")
        null = str(os.stat("/dev/null").st_rdev)
        for closed in itertools.product((False, True), repeat=3):
            with self.subTest(closed=closed):
                stdio = [None if is_closed else self.null for is_closed in closed]
                process = self.start(["python3", "-c", probe], stdio)
                self.assertEqual(process.wait(), 0)
                with open(os.path.join(self.project, "report"), encoding="ascii") as file:
                    self.assertEqual(file.read().split(), [null] * 3)

    def test_umask(self):
        code, out, _ = self.run_piped(["sh", "-c", "umask; touch f"],
                                      prepare=lambda: os.umask(0o027))
        self.assertEqual((code, out), (0, b"0027\n"))
        self.assertEqual(os.stat(os.path.join(self.project, "f")).st_mode & 0o777, 0o640)

    def test_signals(self):
        """Ignored and blocked signals are the caller's."""
        def prepare():
            signal.signal(signal.SIGUSR1, signal.SIG_IGN)
            signal.signal(signal.SIGPIPE, signal.SIG_IGN)
            signal.pthread_sigmask(signal.SIG_SETMASK, {signal.SIGUSR2})
        code, out, err = self.run_piped(["grep", "-E", "^Sig(Ign|Blk)", "/proc/self/status"],
                                        prepare=prepare)
        self.assertEqual(code, 0, err)
        values = {w[0]: int(w[1], 16) for w in (line.split() for line in out.splitlines())}
        self.assertEqual(values[b"SigBlk:"], 1 << (signal.SIGUSR2 - 1))
        self.assertEqual(values[b"SigIgn:"],
                         1 << (signal.SIGUSR1 - 1) | 1 << (signal.SIGPIPE - 1))

    def test_default_signals(self):
        code, out, _ = self.run_piped(["grep", "-E", "^Sig(Ign|Blk)", "/proc/self/status"])
        self.assertEqual(code, 0)
        self.assertEqual([int(line.split()[1], 16) for line in out.splitlines()], [0, 0])

    def test_ignored_child_signal(self):
        """A caller that ignores SIGCHLD must not make ai-jail lose its children."""
        code, out, err = self.run_piped(
            ["sh", "-c", "echo ok; exit 5"],
            prepare=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
        self.assertEqual((code, out), (5, b"ok\n"), err)

    def test_blocked_signals_of_the_caller(self):
        """All signals blocked in the caller: the run ends all the same."""
        def prepare():
            signal.pthread_sigmask(signal.SIG_SETMASK, set(range(1, 32)))
        code, _, err = self.run_piped(["sh", "-c", "exit 6"], prepare=prepare)
        self.assertEqual(code, 6, err)


if __name__ == "__main__":
    ptyrun.main()
