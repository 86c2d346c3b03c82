#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""Job control: stopping and continuing, under a real shell and without one."""
import os
import signal
import time

import ptyrun
from ptyrun import SessionTest, descendants, stat_fields, tool, wait_for

PROMPT = rb"\$> "   # what runs in the background may say something behind it


class AsJob(SessionTest):
    """ai-jail is a job; the test decides when it goes on."""

    def test_stop_and_continue(self):
        """P-PTY-8: ^Z stops both, the modes go and come back."""
        terminal = self.terminal()
        before = terminal.modes()
        process = self.start_job(["sh", "-c", "echo ready; sleep 100; exit 1"], [terminal] * 3)
        terminal.expect(rb"ready")
        wait_for(terminal.is_raw, "raw")
        self.child(process, "sleep")
        terminal.send(b"\x1a")
        process.wait_stopped()
        self.assertEqual(terminal.modes(), before)
        process.kill(signal.SIGCONT)
        wait_for(terminal.is_raw, "raw again")
        terminal.send(b"\x03")
        self.assertEqual(process.wait(), 130)
        self.assertEqual(terminal.modes(), before)

    def test_stop_signal_to_the_supervisor(self):
        terminal = self.terminal()
        before = terminal.modes()
        process = self.start_job(["sh", "-c", "echo ready; exec sleep 100"], [terminal] * 3)
        terminal.expect(rb"ready")
        for _ in range(3):
            wait_for(terminal.is_raw, "raw")
            self.child(process, "sleep")
            process.kill(signal.SIGTSTP)
            process.wait_stopped()
            self.assertEqual(terminal.modes(), before)
            sleeper = self.child(process, "sleep")
            self.assertEqual(stat_fields(sleeper)[1], "T")
            process.kill(signal.SIGCONT)
            wait_for(lambda: stat_fields(self.child(process, "sleep"))[1] != "T", "continued")
        process.kill(signal.SIGTERM)
        self.assertEqual(process.wait(), 128 + signal.SIGTERM)
        self.assertEqual(terminal.modes(), before)

    def test_stop_without_a_terminal(self):
        process = self.start_job(["sleep", "100"], [self.null] * 3)
        self.child(process, "sleep")
        process.kill(signal.SIGTSTP)
        process.wait_stopped()
        process.kill(signal.SIGCONT)
        wait_for(lambda: stat_fields(self.child(process, "sleep"))[1] != "T", "continued")
        process.kill(signal.SIGTERM)
        self.assertEqual(process.wait(), 128 + signal.SIGTERM)

    def test_size_changed_while_stopped(self):
        terminal = self.terminal(24, 80)
        process = self.start_job(["sh", "-c", "echo ready; kill -TSTP $$; stty size; exit 2"],
                             [terminal] * 3)
        terminal.expect(rb"ready")
        process.wait_stopped()
        terminal.resize(33, 99)
        process.kill(signal.SIGCONT)
        terminal.expect(rb"33 99")
        self.assertEqual(process.wait(), 2)

    def test_modes_of_the_command_come_back(self):
        """Mouse and alternate screen are off while stopped and on again afterwards."""
        terminal = self.terminal()
        process = self.start_job(["sh", "-c", "printf '\\033[?1049h\\033[?1000hready'; kill -TSTP $$; "
                              "printf again; read x"], [terminal] * 3)
        terminal.expect(rb"ready")
        process.wait_stopped()
        terminal.drain()
        stopped = terminal.output[terminal.mark:]
        self.assertIn(b"\033[?1000l", stopped)
        self.assertIn(b"\033[?1049l", stopped)
        terminal.mark = len(terminal.output)
        process.kill(signal.SIGCONT)
        terminal.expect(rb"\033\[\?1049h.*\033\[\?1000h.*again")
        terminal.send(b"\r")
        process.wait()

    def test_stop_during_a_flood(self):
        """What was on its way when the command stopped is neither lost nor doubled."""
        script = ("stty raw; for i in 1 2 3; do head -c 300000 /dev/zero | tr '\\0' a; "
                  "kill -TSTP $$; done; printf END")
        terminal = self.terminal()
        process = self.start_job(["sh", "-c", "printf BEGIN;" + script], [terminal] * 3)
        for _ in range(3):
            process.wait_stopped()
            process.kill(signal.SIGCONT)
        self.assertEqual(process.wait(), 0)
        body = terminal.output[terminal.output.index(b"BEGIN"):terminal.output.rindex(b"END")]
        self.assertEqual(body.count(b"a"), 900000)


class Orphaned(SessionTest):
    """ai-jail leads its session, as in a terminal opened for it: nobody could continue it."""

    def test_stopped_command_goes_on(self):
        terminal = self.terminal()
        process = self.start(["sh", "-c", "echo ready; kill -TSTP $$; echo again; read x; exit 3"],
                             [terminal] * 3)
        terminal.expect(rb"ready.*again")
        wait_for(terminal.is_raw, "raw")
        terminal.send(b"\r")
        self.assertEqual(process.wait(), 3)

    def test_suspend_key(self):
        terminal = self.terminal()
        process = self.start(["sh", "-c", "echo ready; sleep 100; exit 1"], [terminal] * 3)
        terminal.expect(rb"ready")
        wait_for(terminal.is_raw, "raw")
        self.child(process, "sleep")
        terminal.send(b"\x1a")
        terminal.expect(rb"\^Z")
        def interrupted():
            # A terminal that answers no question: what comes while it is given back may be taken
            # for a late answer.
            terminal.send(b"\x03")
            end = time.monotonic() + 1
            while process.is_running() and time.monotonic() < end:
                terminal.drain()
                time.sleep(0.01)
            return not process.is_running()

        wait_for(interrupted, "the end")
        self.assertEqual(process.wait(), 130)


class UnderShell(SessionTest):
    """An interactive bash in which ai-jail is a job."""

    def setUp(self):
        super().setUp()
        self.screen = self.terminal()
        env = dict(self.env, PS1="$> ", AIJ=ptyrun.PROGRAM)
        self.shell = self.start_program(
            [tool("bash"), "--norc", "--noprofile", "--noediting", "-i"], [self.screen] * 3,
            env=env)
        self.screen.expect(PROMPT)
        self.cooked = self.screen.modes()

    def enter(self, line):
        self.screen.send(line.encode() + b"\r")

    def prompt(self):
        self.screen.expect(PROMPT)
        self.assertEqual(self.screen.modes(), self.cooked)

    def leave(self, code=None):
        self.enter("exit" + ("" if code is None else f" {code}"))
        self.shell.wait()

    def sleeper(self):
        return self.child(self.shell, "sleep")

    def test_stop_fg_stop_bg_fg(self):
        self.enter("$AIJ sh -c 'echo rea\"\"dy; exec sleep 100'")
        self.screen.expect(rb"ready")
        self.sleeper()
        self.screen.send(b"\x1a")
        self.screen.expect(rb"Stopped")
        self.prompt()
        self.enter("fg")
        wait_for(self.screen.is_raw, "raw")
        wait_for(lambda: stat_fields(self.sleeper())[1] != "T", "continued")
        self.screen.send(b"\x1a")
        self.screen.expect(rb"Stopped")
        self.prompt()
        self.enter("bg")
        self.prompt()
        wait_for(lambda: stat_fields(self.sleeper())[1] != "T", "continued")
        self.assertEqual(self.screen.modes(), self.cooked)
        self.enter("fg")
        wait_for(self.screen.is_raw, "raw")
        self.screen.send(b"\x03")
        self.prompt()
        self.enter("echo code $?")
        self.screen.expect(rb"code 130")
        self.prompt()
        self.leave()

    def test_started_in_the_background(self):
        """P-PTY-14: `&` does not stop it and does not touch the modes."""
        self.enter("$AIJ sh -c 'sleep 1; echo x > made' &")
        self.prompt()
        wait_for(lambda: os.path.exists(os.path.join(self.project, "made")), "the command ran")
        self.assertEqual(self.screen.modes(), self.cooked)
        self.enter("wait; echo code $?")
        self.screen.expect(rb"code 0")
        self.assertNotIn(b"Stopped", self.screen.output)
        self.prompt()
        self.leave()

    def test_background_then_foreground(self):
        self.enter("$AIJ sh -c 'read x; echo got $x' &")
        self.prompt()
        self.child(self.shell, "bwrap")
        self.enter("fg")
        wait_for(self.screen.is_raw, "raw")
        self.screen.send(b"word\r")
        self.screen.expect(rb"got word")
        self.prompt()
        self.leave()

    def test_shell_inside_has_job_control(self):
        """P-PTY-13."""
        self.enter("$AIJ bash --norc --noediting -i")
        self.screen.expect(rb"\(jail\) .*[$#] $")
        self.enter("sleep 100")
        self.sleeper()
        self.screen.send(b"\x1a")
        self.screen.expect(rb"Stopped.*\(jail\) .*[$#] $")
        self.enter("jobs; fg")
        self.screen.expect(rb"Stopped.*sleep 100")
        wait_for(lambda: stat_fields(self.sleeper())[1] != "T", "continued")
        self.screen.send(b"\x03")
        self.screen.expect(rb"\(jail\) .*[$#] $")
        self.assertNotIn(b"no job control", self.screen.output)
        self.enter("exit 5")
        self.prompt()
        self.enter("echo code $?")
        self.screen.expect(rb"code 5")
        self.prompt()
        self.leave()

    def test_pipeline_into_a_pager(self):
        """`ai-jail make | less`: less owns the terminal, ai-jail does not disturb it."""
        self.enter("$AIJ sh -c 'for i in $(seq 200); do echo line $i; done' | less")
        self.screen.expect(rb"line 20")
        self.screen.send(b"G")
        self.screen.expect(rb"line 200")
        self.screen.send(b"q")
        self.prompt()
        self.leave()

    def test_pipeline_stops_as_one_job(self):
        self.enter("$AIJ sh -c 'echo rea\"\"dy >&2; sleep 100' | cat")
        self.screen.expect(rb"ready")
        self.sleeper()
        self.screen.send(b"\x1a")
        self.screen.expect(rb"Stopped")
        self.prompt()
        # Its shell is what ai-jail has heard of; a member of the group may take a moment longer.
        wait_for(lambda: stat_fields(self.sleeper())[1] == "T", "stopped")
        self.enter("fg")
        wait_for(lambda: stat_fields(self.sleeper())[1] != "T", "continued")
        self.screen.send(b"\x03")
        self.prompt()
        self.leave()

    def test_window_is_closed(self):
        """Everything below the shell goes with it."""
        self.enter("$AIJ sh -c 'echo rea\"\"dy; sleep 100'")
        self.screen.expect(rb"ready")
        self.sleeper()
        self.screen.hang_up()
        self.shell.wait()
        wait_for(lambda: not descendants(), ptyrun.tree_text)

    def test_window_is_closed_while_stopped(self):
        self.enter("$AIJ sh -c 'echo rea\"\"dy; sleep 100'")
        self.screen.expect(rb"ready")
        self.sleeper()
        self.screen.send(b"\x1a")
        self.screen.expect(rb"Stopped")
        self.prompt()
        self.screen.hang_up()
        self.shell.wait()
        wait_for(lambda: not descendants(), ptyrun.tree_text)

    def test_killed_in_the_foreground(self):
        """The shell finds its terminal as it was."""
        self.enter("$AIJ sh -c 'stty raw; printf rea; printf dy; sleep 100'")
        self.screen.expect(rb"ready")
        wait_for(self.screen.is_raw, "raw")
        os.kill(self.child(self.shell, "ai-jail"), signal.SIGKILL)
        self.screen.expect(rb"Killed")
        self.screen.expect(PROMPT)
        wait_for(lambda: self.screen.modes() == self.cooked, "the modes")
        self.leave()

    def test_nohup(self):
        """What the caller ignores does not end the run."""
        self.enter("trap '' HUP; $AIJ sh -c 'echo rea\"\"dy; read x; exit 6'; echo code $?")
        self.screen.expect(rb"ready")
        os.kill(self.child(self.shell, "ai-jail"), signal.SIGHUP)
        os.kill(self.child(self.shell, "ai-jail"), signal.SIGHUP)
        self.enter("")
        self.screen.expect(rb"code 6")
        self.prompt()
        self.leave()


if __name__ == "__main__":
    ptyrun.main()
