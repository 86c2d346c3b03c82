#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""Bytes in quantity: pastes, floods, slow readers, resizes, and the rest of it: nothing at all."""
import hashlib
import os
import select
import time

import ptyrun
from ptyrun import SessionTest, status_value, wait_for

MIB = 1024 * 1024
# Says its size whenever it changes. The signal is waited for, not handled: pause() would miss one that
# comes just before it.
SIZES = r"""
import fcntl, os, signal, struct, sys, termios
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGWINCH])
while True:
    size = struct.unpack('HHHH', fcntl.ioctl(0, termios.TIOCGWINSZ, bytes(8)))
    os.write(1, b'size %dx%d %dx%d.\n' % size)
    signal.sigwait([signal.SIGWINCH])
"""
# Copies its terminal, raw, into a file until as much has come as it was told.
TAKE = r"""
import os, sys, termios, tty
tty.setraw(0)
print('ready', flush=True)
left = int(sys.argv[1])
with open('taken', 'wb') as file:
    while left:
        data = os.read(0, 65536)
        if sys.argv[2:]:
            os.write(1, b'.' * len(data))
        file.write(data)
        left -= len(data)
print('\r\nenough', flush=True)
"""


def printable(count):
    """count bytes that no terminal and no filter treats specially."""
    line = bytes(range(33, 127)) * (count // 94 + 1)
    return line[:count]


class Resize(SessionTest):
    def test_size_inside_follows(self):
        """P-PTY-12: the size, the pixels, and SIGWINCH to the foreground group."""
        terminal = self.terminal(30, 100, 800, 600)
        process = self.start(["python3", "-c", SIZES], [terminal] * 3)
        terminal.expect(rb"size 30x100 800x600\.")
        for rows, cols in ((10, 20), (50, 132), (2, 2), (200, 500), (24, 80)):
            terminal.resize(rows, cols, cols * 8, rows * 16)
            terminal.expect(rb"size %dx%d %dx%d\." % (rows, cols, cols * 8, rows * 16))
        process.kill(ptyrun.signal.SIGTERM)
        process.wait()

    def test_no_size_at_all(self):
        """P-PTY-17: 0x0 is what a serial line and many CI systems have."""
        terminal = self.terminal(0, 0)
        process = self.start(["sh", "-c", "stty size"], [terminal] * 3)
        self.assertEqual(process.wait(), 0, terminal.output)
        self.assertIn(b"24 80", terminal.output)

    def test_one_cell(self):
        terminal = self.terminal(1, 1)
        process = self.start(["sh", "-c", "stty size; exit 3"], [terminal] * 3)
        self.assertEqual(process.wait(), 3, terminal.output)

    def test_storm_during_output(self):
        """P-PTY-7: 200 resizes while 8 MiB pass; not one byte is lost."""
        count = 8 * MIB
        script = ("import sys, tty; tty.setraw(1); "
                  f"data = (bytes(range(33, 127)) * {count // 94 + 1})[:{count}]; "
                  "sys.stdout.buffer.write(b'BEGIN' + data + b'END')")
        terminal = self.terminal()
        process = self.start(["python3", "-c", script], [terminal] * 3)
        terminal.expect(rb"BEGIN")
        start, resizes = terminal.mark, 0
        end = time.monotonic() + 200
        while b"END" not in terminal.output[-65536:] and time.monotonic() < end:
            if resizes < 200:
                terminal.resize(20 + resizes % 30, 60 + resizes % 50)
                resizes += 1
            terminal.read(0.1)
        self.assertEqual(process.wait(), 0)
        body = terminal.output[start:terminal.output.rindex(b"END")]
        self.assertEqual(len(body), count)
        self.assertEqual(hashlib.sha256(body).digest(),
                         hashlib.sha256(printable(count)).digest())


class Paste(SessionTest):
    def paste(self, extra=()):
        data = printable(MIB)
        terminal = self.terminal()
        before = terminal.modes()
        process = self.start(["python3", "-c", TAKE, str(len(data)), *extra], [terminal] * 3)
        terminal.expect(rb"ready")
        terminal.send(data, 200)
        terminal.expect(rb"enough", 200)
        self.assertEqual(process.wait(), 0)
        with open(os.path.join(self.project, "taken"), "rb") as file:
            self.assertEqual(hashlib.sha256(file.read()).digest(), hashlib.sha256(data).digest())
        self.assertEqual(terminal.modes(), before)

    def test_raw(self):
        """P-PTY-4."""
        self.paste()

    def test_raw_while_writing(self):
        self.paste(["echo"])

    def test_lines(self):
        """Line by line into a canonical terminal, as a paste into cat."""
        data = b"".join(b"line %06d %s\n" % (i, b"x" * 50) for i in range(16384))
        terminal = self.terminal()
        process = self.start(["sh", "-c", "stty -echo; echo ready; cat > taken"], [terminal] * 3)
        terminal.expect(rb"ready")
        terminal.send(data.replace(b"\n", b"\r"), 200)
        terminal.send(b"\x04")
        self.assertEqual(process.wait(200), 0)
        with open(os.path.join(self.project, "taken"), "rb") as file:
            self.assertEqual(file.read(), data)

    def test_type_ahead_stays(self):
        """P-PTY-11: what was typed and not read by the command is the shell's."""
        terminal, process = self.on_terminal(["sh", "-c", "stty -echo; echo ready; read a; exit 2"])
        terminal.expect(rb"ready")
        terminal.send(b"one\r")
        self.assertEqual(process.wait(), 2)


class Output(SessionTest):
    def test_burst_before_the_end(self):
        """P-PTY-3: a megabyte and out."""
        terminal = self.terminal()
        process = self.start(["sh", "-c", "stty raw; printf BEGIN; head -c 1048576 /dev/zero | "
                              "tr '\\0' a; printf END"], [terminal] * 3)
        self.assertEqual(process.wait(200), 0)
        body = terminal.output.split(b"BEGIN", 1)[1]
        self.assertEqual(body[:body.rindex(b"END")], b"a" * MIB)

    def test_slow_reader(self):
        """P-PTY-15, E-RES-07: 100 MiB to a terminal that stops reading; memory stays flat."""
        script = "stty raw; printf BEGIN; head -c 104857600 /dev/zero | tr '\\0' a; printf END"
        terminal = self.terminal()
        process = self.start(["sh", "-c", script], [terminal] * 3)
        terminal.expect(rb"BEGIN")
        # Nothing is read until ai-jail has filled its queue and blocks.
        self.wait_idle(process.pid)
        highest, total, tail = 0, 0, b""
        end = time.monotonic() + 300
        while not tail.endswith(b"END") and time.monotonic() < end:
            try:
                data = os.read(terminal.master, 65536)
            except BlockingIOError:
                select.select([terminal.master], [], [], 1)
                continue
            tail = (tail + data)[-64:]
            if b"END" in tail:
                total += len(data)
                break
            # The last 20 KiB wait in the terminal when the supervisor is gone already.
            if total // MIB != (total + len(data)) // MIB and total < 104000000:
                highest = max(highest, int(status_value(process.pid, "VmRSS").split()[0]))
            total += len(data)
        self.assertGreaterEqual(total + len(terminal.output), 104857600)
        self.assertLess(highest, (256 if ptyrun.SANITIZED else 64) * 1024)
        self.assertEqual(process.wait(), 0)

    def wait_idle(self, pid):
        """Until the process has not run for half a second."""
        state = {"last": None, "since": time.monotonic()}

        def idle():
            now = (status_value(pid, "voluntary_ctxt_switches"),
                   status_value(pid, "nonvoluntary_ctxt_switches"))
            if now != state["last"]:
                state.update(last=now, since=time.monotonic())
            return time.monotonic() - state["since"] > 0.5
        wait_for(idle, "idle")

    @staticmethod
    def slept(pids, seconds):
        """None of them has run for that long."""
        def switches():
            return [status_value(pid, "voluntary_ctxt_switches") for pid in pids]

        before, end = switches(), time.monotonic() + seconds
        wait_for(lambda: time.monotonic() > end, "the time")
        return switches() == before

    def test_end_of_stdin(self):
        """P-PTY-6: the pipe on stdin ends, output goes on."""
        terminal = self.terminal()
        process = self.start(["sh", "-c", "cat; echo ended; read x </dev/tty; echo got $x"],
                             [self.null, terminal, terminal])
        terminal.expect(rb"ended")
        terminal.send(b"word\r")
        terminal.expect(rb"got word")
        self.assertEqual(process.wait(), 0)

    def test_typed_end_of_file(self):
        terminal, process = self.on_terminal(["sh", "-c", "echo ready; cat; echo after; exit 3"])
        terminal.expect(rb"ready")
        terminal.send(b"abc\r\x04")
        terminal.expect(rb"after")
        self.assertEqual(process.wait(), 3)

    def test_idle(self):
        """P-PTY-17: nothing happens, nothing runs."""
        for stdio in ("terminal", "pipes"):
            with self.subTest(stdio=stdio):
                terminal = self.terminal()
                process = self.start(["sh", "-c", "echo ready; sleep 100"],
                                     [terminal if stdio == "terminal" else self.null] * 3)
                self.child(process, "sleep")
                terminal.drain()
                self.wait_idle(process.pid)
                parts = self.jail_parts(process)
                watched = [parts[r] for r in ("supervisor", "mounter", "bwrap", "launcher")]
                # What began late on a machine with other work may end in the first of them.
                ptyrun.at_times(lambda: self.slept(watched, 3), "three seconds of sleep", 5)
                rss = int(status_value(process.pid, "VmRSS").split()[0])
                if not ptyrun.SANITIZED:  # its shadow memory counts, too
                    self.assertLess(rss, 12 * 1024)
                process.kill(ptyrun.signal.SIGTERM)
                process.wait()

    def test_flood_to_nobody(self):
        """Stopped by ^S: the command's end still comes, after at most some seconds."""
        terminal = self.terminal()
        before = terminal.modes()
        process = self.start(["sh", "-c", "head -c 4000000 /dev/zero | tr '\\0' a; exit 7"],
                             [terminal] * 3)
        wait_for(lambda: terminal.is_raw(), "raw")
        wait_for(lambda: terminal.read(0.1, 100000) or process.poll() is not None, "bytes")
        self.assertEqual(process.wait(), 7)
        self.assertEqual(terminal.modes(), before)


if __name__ == "__main__":
    ptyrun.main()
