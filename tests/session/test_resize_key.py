#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""resize_redraw_key: a command on the primary screen gets a key after a resize, and no other does."""
import os
import time

import ptyrun
from ptyrun import SessionTest, at_times

# Tells each byte that it reads and each size, in the order in which they come. With an argument it
# writes that first. A signal that comes just before select() wakes it through the pipe.
TELL = r"""
import os, select, signal, sys, tty
def tell(text):
    os.write(1, ('[%s]' % text).encode())
def resized(*_):
    size = os.get_terminal_size(0)
    tell('size %dx%d' % (size.lines, size.columns))
woken, wake = os.pipe()
os.set_blocking(woken, False)
os.set_blocking(wake, False)
signal.set_wakeup_fd(wake)
signal.signal(signal.SIGWINCH, resized)
tty.setraw(0)
os.write(1, (sys.argv[1] if len(sys.argv) > 1 else '').encode().decode('unicode_escape').encode())
tell('ready')
while True:
    readable = select.select([0, woken], [], [])[0]
    if woken in readable:
        os.read(woken, 100)
    for byte in os.read(0, 100) if 0 in readable else b'':
        tell('key %02x' % byte)
        if byte == ord('q'):
            sys.exit()
"""
WAIT_S = 0.3


class ResizeKey(SessionTest):
    def begin(self, name="teller", said=None, first=""):
        if said:
            with open(os.path.join(self.home, ".ai-jail"), "w", encoding="utf-8") as file:
                os.fchmod(file.fileno(), 0o600)
                file.write(f"resize_redraw_key = '{said}'\n")
        # Known by its name: python with another one, found below the project.
        path = os.path.join(self.project, name)
        with open(path, "w", encoding="ascii") as file:
            file.write(f"#!{ptyrun.PYTHON}\n{TELL}")
        os.chmod(path, 0o755)
        terminal, process = self.on_terminal(["--no-save-config", "--", path, first])
        terminal.expect(rb"\[ready\]")
        return terminal, process

    def end(self, terminal, process):
        terminal.send(b"q")
        terminal.expect(rb"\[key 71\]")
        self.assertEqual(process.wait(), 0)
        return bytes(terminal.output)

    def assert_key(self, terminal, process, key):
        """Exactly one, whatever the window has been dragged through. On a busy machine it may stand still
        meanwhile, which makes them two: then it is dragged once more."""
        drags = iter(range(30, 120, 3))

        def is_one_of_several():
            rows, start = next(drags), terminal.mark
            terminal.resize(rows, 90)
            terminal.expect(rb"\[size %dx90\]" % rows)
            for row in (rows + 1, rows + 2):
                terminal.resize(row, 90)
            terminal.expect(rb"\[size %dx90\].*\[key %02x\]" % (rows + 2, key))
            told = bytes(terminal.output[start:terminal.mark])
            keys, sizes = told.count(b"[key "), told.count(b"[size ")
            self.assertGreater(sizes, 1, told)
            self.assertLessEqual(keys, sizes, told)
            self.assertEqual(keys, told.count(b"[key %02x]" % key), told)
            return keys == 1
        at_times(is_one_of_several, "one key for several sizes")
        start = terminal.mark
        told = self.end(terminal, process)[start:]
        self.assertEqual(told.count(b"[key "), 1, told)

    def assert_no_key(self, terminal, process):
        """Nor within three times the time that it takes."""
        terminal.resize(30, 90)
        terminal.expect(rb"\[size 30x90\]")
        end = time.monotonic() + WAIT_S
        while time.monotonic() < end:
            terminal.read(end - time.monotonic())
        told = self.end(terminal, process)
        self.assertEqual(told.count(b"[key "), 1, told)
        return told

    def test_codex_has_one_of_its_own(self):
        self.assert_key(*self.begin("codex"), 0x0c)

    def test_another_command_has_none(self):
        self.assert_no_key(*self.begin())

    def test_what_the_user_says_counts(self):
        self.assert_key(*self.begin(said="ctrl-shift-R"), 0x12)

    def test_none(self):
        self.assert_no_key(*self.begin("codex", "none"))

    def test_not_on_the_alternate_screen(self):
        self.assert_no_key(*self.begin("codex", first=r"\x1b[?1049h"))

    def test_unusable_key(self):
        told = self.assert_no_key(*self.begin("codex", "hyper-l"))
        self.assertEqual(told.count(b"resize_redraw_key"), 1)
        self.assertIn(b"hyper-l", told)


if __name__ == "__main__":
    ptyrun.main()
