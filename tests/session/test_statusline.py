#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""The status row: when it is there, when it is drawn, and that every way out takes it away."""
import os
import re
import signal
import time

import ptyrun
from ptyrun import SANITIZED, SessionTest, at_times, status_value, wait_for

MARGINS = rb"\x1b\[1;23r"
BAR = rb"\x1b\[24;1H[^\n]{0,40}ai-jail  ?[^\x1b]*\x1b\[K"
CLEARED = rb"\x1b\[r.*\x1b\[24;1H\x1b\[2K"
WAIT = ["sh", "-c", "stty size; echo ready; exec sleep 100"]
# Says its size whenever it changes. The signal is waited for, not handled: pause() would miss one that
# comes just before it.
SIZES = r"""
import os, signal
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGWINCH])
while True:
    os.write(1, b'size %d %d.' % tuple(reversed(os.get_terminal_size())))
    signal.sigwait([signal.SIGWINCH])
"""
# Redraws its screen 20 times a second.
FRAMES = r"""
import os, time
while True:
    os.write(1, b'\033[2J\033[Hframe')
    time.sleep(0.05)
"""
EACH_S = 0.25


class StatusLine(SessionTest):
    def start_with_row(self, argv=None, rows=24, cols=80, options=("-s",)):
        terminal = self.terminal(rows, cols)
        process = self.start_job(list(options) + list(argv or WAIT), [terminal] * 3)
        return terminal, process

    def end(self, terminal, process):
        terminal.mark = len(terminal.output)
        process.kill(signal.SIGTERM)
        process.wait()

    def test_the_command_has_one_row_less(self):
        terminal, process = self.start_with_row()
        terminal.expect(MARGINS)
        start = terminal.mark
        terminal.expect(rb"23 80\r\nready")
        terminal.mark = start
        terminal.expect(BAR)
        self.end(terminal, process)
        terminal.expect(CLEARED)

    def test_what_it_says(self):
        terminal, process = self.start_with_row(["sh", "-c", "echo ready; exec sleep 100"],
                                                options=["--status-bar=light", "--network",
                                                         "--no-seccomp"], cols=200)
        terminal.expect(BAR)
        text = re.search(BAR, bytes(terminal.output))[0]
        for word in (b"NETWORK", b"NO-SECCOMP", b"network: host", b"exec sleep 100",
                     os.fsencode(os.path.basename(self.base))):
            self.assertIn(word, text)
        self.assertEqual(b"ROOT" in text, os.geteuid() == 0)
        self.end(terminal, process)

    def test_refused_connections(self):
        ask = ("exec 3<>/dev/tcp/127.0.0.1/15919; printf 'CONNECT a.example:443 HTTP/1.1\\r\\nHost: "
               "a.example:443\\r\\n\\r\\n' >&3; read -r answer <&3; ")
        terminal, process = self.start_with_row(
            ["bash", "-c", ask + ask + "echo told; exec sleep 100"],
            options=["-s", "--allow-host", "b.example"], cols=200)
        terminal.expect(rb"\| 2 refused \| network: filtered")
        self.end(terminal, process)

    def test_name_of_the_directory(self):
        """P-BAR-2: it says what it is, and does nothing."""
        name = b"\x1b]0;evil\x07\x1b[2J\xe2\x80\xae"
        path = os.path.join(os.fsencode(self.project), name)
        os.mkdir(path)
        terminal = self.terminal(24, 200)
        process = self.start(["-s"] + WAIT, [terminal] * 3, cwd=path)
        terminal.expect(rb"\\x1B\]0;evil\\x07\\x1B\[2J\\u\{202E\}")
        self.assertNotIn(b"\x1b]0;evil", terminal.output)
        self.end(terminal, process)

    def test_drawn_again_when_the_screen_is_cleared(self):
        """P-BAR-6."""
        script = "echo ready; read x; printf '\\033[2J'; read x; printf '\\033c'; exec sleep 100"
        terminal, process = self.start_with_row(["sh", "-c", script])
        terminal.expect(BAR)
        for expected in (rb"\x1b\[2J", rb"\x1b\[1;23r\x1b\[2J"):
            terminal.send(b"\r")
            terminal.expect(expected)
            terminal.expect(BAR)
        self.end(terminal, process)

    def test_not_more_often_than_four_times_a_second(self):
        """Drawn with each frame it would be there 16 times after 0.8 s."""
        count = 16
        begin = time.monotonic()
        terminal, process = self.start_with_row(["python3", "-c", FRAMES])
        for _ in range(count):
            terminal.expect(BAR)
        self.assertGreaterEqual(time.monotonic() - begin, (count - 1) * EACH_S)
        self.end(terminal, process)

    def test_never_inside_an_update(self):
        """Mode 2026: the terminal says it has it, the command leaves an update open for a while."""
        script = ("printf '\\033[?2026h\\033[2Jupdate'; sleep 0.4; printf 'end\\033[?2026l';"
                  "echo over; exec sleep 100")

        def is_outside():
            terminal, process = self.answered(lambda: self.on_terminal(["-s", "sh", "-c", script]),
                                              b"\x1b[?2026;2$y\x1b[5;1R\x1b[?62c")
            terminal.expect(rb"\x1b\[\?2026h\x1b\[2Jupdate")
            start = terminal.mark
            terminal.expect(rb"over")
            update = bytes(terminal.output[start:terminal.mark])
            # After a second it counts as forgotten; a busy machine may sleep for so long.
            if re.search(BAR, update):
                self.end(terminal, process)
                return False
            self.assertIn(b"end\x1b[?2026l", update)
            terminal.mark = start
            terminal.expect(rb"\x1b\[\?2026h\x1b\[\?25l" + BAR + rb".*\x1b\[\?2026l")
            self.end(terminal, process)
            return True
        at_times(is_outside, "no row inside the update")

    def test_sizes(self):
        terminal, process = self.start_with_row(["python3", "-c", SIZES])
        terminal.expect(BAR)
        # A terminal of 9 rows has none of ours: the command's size stays, and it hears nothing.
        for rows, margins, inside in ((30, rb"\x1b\[1;29r", rb"size 29 80\."),
                                      (10, rb"\x1b\[1;9r", rb"size 9 80\."), (9, rb"\x1b\[r", b""),
                                      (24, MARGINS, rb"size 23 80\.")):
            terminal.resize(rows, 80)
            terminal.expect(margins)
            terminal.expect(inside)
        terminal.expect(BAR)
        self.end(terminal, process)

    def test_stopped_and_continued(self):
        terminal, process = self.start_with_row()
        terminal.expect(BAR)
        self.child(process, "sleep")
        terminal.mark = len(terminal.output)
        process.kill(signal.SIGTSTP)
        process.wait_stopped()
        terminal.drain()
        terminal.expect(CLEARED)
        terminal.mark = len(terminal.output)
        process.kill(signal.SIGCONT)
        terminal.expect(MARGINS)
        terminal.expect(BAR)
        self.end(terminal, process)
        terminal.expect(CLEARED)

    def test_killed(self):
        """The mounter takes the row away."""
        terminal, process = self.start_with_row()
        terminal.expect(BAR)
        terminal.mark = len(terminal.output)
        process.kill(signal.SIGKILL)
        process.wait()
        self.assert_nothing_left()
        terminal.drain()
        terminal.expect(CLEARED)

    def test_where_there_is_none(self):
        # Without a word first: what a run says is remembered for the next ones.
        cases = [([], 24, 3), (["-s"], 9, 3), (["-s", "--exec"], 24, 3),
                 (["-s", "--no-status-bar"], 24, 3), (["-s", "--terminal-passthrough"], 24, 3),
                 (["-s"], 24, 1), (["-s"], 24, 0)]
        for options, rows, replaced in cases:
            with self.subTest(options=options, rows=rows, replaced=replaced):
                terminal = self.terminal(rows, 80)
                stdio = [terminal] * 3
                if replaced < 3:
                    stdio[replaced] = self.null
                process = self.start(options + ["sh", "-c", "stty size </dev/tty >/dev/tty"], stdio)
                self.assertEqual(process.wait(), 0)
                self.assertIn(b"%d 80" % rows, terminal.output)
                self.assertNotRegex(bytes(terminal.output), MARGINS)
                self.assertNotRegex(bytes(terminal.output), BAR)

    def rows_of_a_run(self, *options):
        """What the command sees of a terminal of 24 rows, and the terminal's output."""
        terminal = self.terminal(24, 80)
        process = self.start([*options, "sh", "-c", "stty size </dev/tty >/dev/tty; read x"],
                             [terminal] * 3)
        terminal.expect(rb"2[34] 80")
        has_row = b"23 80" in terminal.output
        if has_row:
            terminal.mark = 0
            terminal.expect(BAR)
        terminal.send(b"\r")
        self.assertEqual(process.wait(), 0)
        return 23 if has_row else 24, bytes(terminal.output)

    def test_remembered(self):
        """P-BAR-4: what was typed holds until something else is typed, styles too."""
        light, dark = b"48;5;254", b"48;5;236"
        self.assertEqual(self.rows_of_a_run("--exec", "-s=dark")[0], 24)
        self.assertEqual(self.rows_of_a_run()[0], 24)
        self.assertEqual(self.rows_of_a_run("-s=light")[0], 23)
        rows, output = self.rows_of_a_run()
        self.assertEqual((rows, light in output), (23, True))
        self.assertEqual(self.rows_of_a_run("--exec")[0], 24)
        self.assertEqual(self.rows_of_a_run("--no-status-bar")[0], 24)
        self.assertEqual(self.rows_of_a_run()[0], 24)
        rows, output = self.rows_of_a_run("-s")
        self.assertEqual((rows, light in output), (23, True))
        with open(os.path.join(self.home, ".ai-jail"), "w", encoding="ascii") as file:
            file.write('no_status_bar = true\nstatus_bar_style = "dark"\n')
        os.chmod(file.name, 0o600)
        self.assertEqual(self.rows_of_a_run()[0], 24)
        rows, output = self.rows_of_a_run("-s")
        self.assertEqual((rows, dark in output), (23, True))

    def test_other_words(self):
        for words in (["-s=blue"], ["-sblue"], ["--status-bar="]):
            with self.subTest(words=words):
                code, _, err = self.run_piped(words + ["true"])
                self.assertEqual(code, 125)
                self.assertIn("pastel, dark, light", err)

    def test_idle(self):
        """A row that is drawn costs nothing."""
        if SANITIZED:
            return  # the sanitizers have threads of their own; the other build tells
        terminal, process = self.start_with_row()
        terminal.expect(BAR)

        def switches():
            return int(status_value(process.pid, "voluntary_ctxt_switches"))

        def is_still():
            before = switches()
            end = time.monotonic() + 1
            while time.monotonic() < end:
                terminal.read(0.1)
            return switches() == before
        wait_for(is_still, "a second without a wake-up")
        self.end(terminal, process)


if __name__ == "__main__":
    ptyrun.main()
