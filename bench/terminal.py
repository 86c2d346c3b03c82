# SPDX-License-Identifier: GPL-3.0-only
"""terminal: a pseudo-terminal for the benches, which answers the questions of a start-up.

Terminal(argv) runs a program on it; answer() is what a terminal says to the bytes that it was sent.
"""
import fcntl
import os
import pty
import re
import select
import struct
import termios
import time

ST = rb"\x1b\\"
COLOUR = b"rgb:1234/5678/9abc"
# What is asked, and the answer; groups of the question may come back in it.
REPLIES = [(re.compile(question), answer) for question, answer in (
    (rb"\x1b\[0?c", b"\x1b[?62;22c"),
    (rb"\x1b\[>0?c", b"\x1b[>41;379;0c"),
    (rb"\x1b\[>0?q", b"\x1bP>|XTerm(379)\x1b\\"),
    (rb"\x1b\[5n", b"\x1b[0n"),
    (rb"\x1b\[6n", b"\x1b[1;1R"),
    (rb"\x1b\[\?996n", b"\x1b[?997;1n"),
    (rb"\x1b\[\?u", b"\x1b[?0u"),
    (rb"\x1b\[\?4m", b"\x1b[>4;0m"),
    (rb"\x1b\[\?(\d+)\$p", b"\x1b[?%s;2$y"),
    (rb"\x1b\[14t", b"\x1b[4;480;720t"),
    (rb"\x1b\[16t", b"\x1b[6;20;9t"),
    (rb"\x1b\](1[0-9]);\?(?:\x07|" + ST + rb")", b"\x1b]%s;" + COLOUR + b"\x1b\\"),
    (rb"\x1b\](4;\d+);\?(?:\x07|" + ST + rb")", b"\x1b]%s;" + COLOUR + b"\x1b\\"),
    (rb"\x1bP\$q q" + ST, b"\x1bP1$r2 q\x1b\\"),
    (rb"\x1bP\+q([0-9a-fA-F;]+)" + ST, b"\x1bP0+r%s\x1b\\"))]


def answer(sent):
    """The answers to all questions in sent, in their order."""
    found = sorted(((match.start(), reply, match) for question, reply in REPLIES
                    for match in question.finditer(sent)), key=lambda row: row[0])
    return b"".join(reply % match.groups() if match.groups() else reply
                    for _, reply, match in found)


class Terminal:
    """A program on a pseudo-terminal of 24 x 80; output is all that it has written."""

    def __init__(self, argv, cwd=None, env=None, rows=24, cols=80):
        self.output = b""
        self.answered = 0
        self.begin = time.perf_counter()
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))
            if cwd:
                os.chdir(cwd)
            os.execvpe(argv[0], argv, {**os.environ, "TERM": "xterm-256color", **(env or {})})

    def read(self, timeout):
        """Reads once and answers. False at the end, or if nothing came."""
        if not select.select([self.master], [], [], timeout)[0]:
            return False
        try:
            data = os.read(self.master, 65536)
        except OSError:
            data = b""
        self.output += data
        reply = answer(self.output[self.answered:])
        if reply:
            self.answered = len(self.output)
            os.write(self.master, reply)
        return bool(data)

    def expect(self, text, timeout=30.0):
        end = time.monotonic() + timeout
        while text not in self.output:
            if not self.read(max(0.0, end - time.monotonic())) and (time.monotonic() >= end
                                                                   or self.has_ended()):
                raise SystemExit(f"no {text!r} in {self.output[-1000:]!r}")

    def has_ended(self):
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def wait(self):
        while self.read(5.0):
            pass
        os.close(self.master)
        return os.waitpid(self.pid, 0)[1]
