#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""Signals to the supervisor, and the end of the terminal."""
import os
import signal
import time

import ptyrun
from ptyrun import SessionTest, at_times, wait_for

SIGNALS = ("TERM", "HUP", "INT", "QUIT")
GRACE = 5.0


def catcher(code, ready="ready"):
    """A command that leaves with code when one of the signals arrives."""
    return ["sh", "-c", f"trap 'exit {code}' TERM HUP INT QUIT; echo {ready}; "
                        "while :; do sleep 100 & wait $!; done"]


STUBBORN = ["sh", "-c", "trap '' TERM HUP INT QUIT; echo ready; while :; do sleep 100; done"]


class Forwarded(SessionTest):
    def start_ready(self, argv, on_terminal):
        """Started and seen to run."""
        if on_terminal:
            terminal, process = self.on_terminal(argv)
            terminal.expect(rb"ready")
            return process
        out = self.output()
        process = self.start(argv, [self.null, out.fd, self.null])
        wait_for(lambda: b"ready" in out.bytes(), "the command runs")
        return process

    def test_reaches_the_command(self):
        """P-LAU-8: the command may clean up, its code is ours."""
        for on_terminal in (True, False):
            for number, name in enumerate(SIGNALS):
                with self.subTest(signal=name, terminal=on_terminal):
                    process = self.start_ready(catcher(40 + number), on_terminal)
                    process.kill(getattr(signal, "SIG" + name))
                    self.assertEqual(process.wait(), 40 + number)

    def test_ends_the_command(self):
        for name in SIGNALS:
            with self.subTest(signal=name):
                process = self.start_ready(["sh", "-c", "echo ready; exec sleep 100"], True)
                process.kill(getattr(signal, "SIG" + name))
                self.assertEqual(process.wait(), 128 + getattr(signal, "SIG" + name))

    def test_reaches_the_whole_group(self):
        out = self.output()
        process = self.start(["sh", "-c", "trap 'wait; exit 3' TERM; (trap 'echo inner; exit' TERM; "
                              "echo ready; while :; do sleep 100 & wait $!; done) & wait; wait"],
                             [self.null, out.fd, self.null])
        wait_for(lambda: b"ready" in out.bytes(), "the command runs")
        process.kill(signal.SIGTERM)
        self.assertEqual(process.wait(), 3)
        self.assertIn(b"inner", out.bytes())

    def test_grace(self):
        """One that ignores it is killed after 5 s, and the terminal is as before."""
        terminal = self.terminal()
        before = terminal.modes()
        process = self.start(STUBBORN, [terminal] * 3)
        terminal.expect(rb"ready")
        began = time.monotonic()
        process.kill(signal.SIGTERM)
        self.assertEqual(process.wait(), 137)
        self.assertGreaterEqual(time.monotonic() - began, GRACE - 0.2)
        self.assertEqual(terminal.modes(), before)

    def test_second_one_kills_at_once(self):
        def is_at_once():
            process = self.start_ready(STUBBORN, True)
            began = time.monotonic()
            process.kill(signal.SIGTERM)
            # Two of a kind would be one while the first is pending.
            wait_for(lambda: not int(ptyrun.status_value(process.pid, "ShdPnd"), 16), "taken")
            process.kill(signal.SIGTERM)
            self.assertEqual(process.wait(), 137)
            return time.monotonic() - began < GRACE - 0.5
        at_times(is_at_once, "killed before the time of grace is over")

    def test_stopped_command(self):
        """P-LAU-9: TERM ends a stopped run as well, once ai-jail is continued."""
        terminal = self.terminal()
        before = terminal.modes()
        process = self.start_job(["sh", "-c", "echo ready; kill -STOP $$; sleep 100"], [terminal] * 3)
        terminal.expect(rb"ready")
        process.wait_stopped()
        process.kill(signal.SIGTERM)
        process.kill(signal.SIGCONT)
        self.assertEqual(process.wait(), 128 + signal.SIGTERM)
        self.assertEqual(terminal.modes()[3] & 0o2, before[3] & 0o2)

    def test_signal_at_once(self):
        """A signal at any moment of the start ends the run, with nothing left (tearDown)."""
        for delay_ms in range(0, 300, 15):
            process = self.start(["sleep", "100"], [self.null] * 3)
            end = time.monotonic() + delay_ms / 1000
            wait_for(lambda end=end: time.monotonic() >= end, "the moment")
            process.kill(signal.SIGTERM)
            self.assertEqual(process.wait(), 128 + signal.SIGTERM)
            self.assert_nothing_left()

    def test_pipe_is_ignored(self):
        process = self.start_ready(["sh", "-c", "echo ready; read x; exit 8"], True)
        process.kill(signal.SIGPIPE)
        process.terminal.send(b"go\r")
        self.assertEqual(process.wait(), 8)

    def test_keys_of_the_terminal(self):
        """^C and ^\\ typed while the command is in the foreground of its own terminal."""
        for key, sig in ((b"\x03", signal.SIGINT), (b"\x1c", signal.SIGQUIT)):
            process = self.start_ready(["sh", "-c", "echo ready; exec sleep 100"], True)
            process.terminal.send(key)
            self.assertEqual(process.wait(), 128 + sig)

    def test_interrupt_with_output_piped_away(self):
        """`ai-jail make | less`: ^C of the real terminal arrives as INT."""
        terminal, out = self.terminal(), self.output()
        process = self.start(["sh", "-c", "echo ready; exec sleep 100"],
                             [terminal, out.fd, terminal])
        wait_for(lambda: b"ready" in out.bytes(), "the command runs")
        terminal.send(b"\x03")
        self.assertEqual(process.wait(), 128 + signal.SIGINT)


class HangUp(SessionTest):
    def test_everything_goes(self):
        """The window is closed: the command gets HUP, and all is gone."""
        terminal, process = self.on_terminal(["sh", "-c", "echo ready; exec sleep 100"])
        terminal.expect(rb"ready")
        terminal.hang_up()
        self.assertEqual(process.wait(), 128 + signal.SIGHUP)
        self.assert_nothing_left()

    def test_clean_up_is_possible(self):
        path = os.path.join(self.project, "saved")
        terminal, process = self.on_terminal(
            ["sh", "-c", "trap 'echo x > saved; exit 5' HUP; echo ready; "
                         "while :; do sleep 100 & wait $!; done"])
        terminal.expect(rb"ready")
        terminal.hang_up()
        self.assertEqual(process.wait(), 5)
        self.assertTrue(os.path.exists(path))

    def test_stubborn_command(self):
        terminal, process = self.on_terminal(STUBBORN)
        terminal.expect(rb"ready")
        terminal.hang_up()
        process.wait()
        self.assert_nothing_left()

    def test_during_output(self):
        terminal, process = self.on_terminal(["yes"])
        terminal.expect(rb"y\r\ny\r\n")
        terminal.hang_up()
        self.assertIn(process.wait(), (128 + signal.SIGHUP, 1))
        self.assert_nothing_left()


if __name__ == "__main__":
    ptyrun.main()
