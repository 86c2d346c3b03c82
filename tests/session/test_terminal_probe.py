#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""The questions to the real terminal at the start, and the keys afterwards: the test is the
terminal emulator, and answers like one, late, never, in pieces, or with anything."""
import fcntl
import os
import random
import re
import select
import signal
import struct
import termios
import time

import ptyrun
from ptyrun import LAST_QUESTION, SessionTest, at_times, wait_for

ST = b"\x1b\\"
XTERM = (b"\x1b[?2026;2$y\x1b[?2031;0$y\x1b[?1007;2$y\x1b[?12;2$y"
         b"\x1b]10;rgb:1234/5678/9abc" + ST + b"\x1b]11;rgb:ffff/ffff/ffff" + ST +
         b"\x1b]4;1;rgb:cdcd/0000/0000" + ST + b"\x1b[6;20;9t\x1bP>|XTerm(379)" + ST +
         b"\x1bP1$r2 q" + ST + b"\x1b[>4;0m\x1b[>41;379;0c\x1b[5;1R\x1b[?64;1;2;22c")
# Asks every question of its arguments at once, raw, and shows what came up to the end mark.
ASK = r"""
import os, sys, time, tty
tty.setraw(0)
question, end = (eval('b"' + word + '"') for word in sys.argv[1:])
start = time.monotonic()
os.write(1, question)
got = b''
while not got.endswith(end):
    got += os.read(0, 4096)
taken = time.monotonic() - start
os.write(1, b'<%s %d ms>\r\n' % (got.hex().encode(), taken * 1000))
"""
# Shows every byte it reads until "." comes; says when it is ready, and switches modes on before.
KEYS = r"""
import os, sys, termios, tty
tty.setraw(0, termios.TCSANOW)
os.write(1, eval('b"' + sys.argv[1] + '"') + b'<ready>')
got = b''
while not got.endswith(b'.'):
    got += os.read(0, 4096)
os.write(1, b'<%s>\r\n' % got.hex().encode())
"""


class ProbeTest(SessionTest):
    def ask(self, terminal, question, end=r"\x1b[?62;22c"):
        return self.start(["python3", "-c", ASK, question, end], [terminal] * 3)

    def asking(self, question):
        terminal = self.terminal(24, 80)
        return terminal, self.ask(terminal, question)

    def answer(self, terminal, reply=XTERM):
        """Waits for the last question and answers all."""
        terminal.expect(re.escape(LAST_QUESTION))
        terminal.send(reply)

    def shown(self, terminal, timeout=ptyrun.DEADLINE):
        """(bytes, ms) that ASK showed, or the bytes that KEYS showed."""
        terminal.expect(rb"<(?!ready)[^>]*>", timeout)
        words = re.findall(rb"<(?!ready)([0-9a-f]*)(?: (\d+) ms)?>", terminal.output)[-1]
        return bytes.fromhex(words[0].decode()), int(words[1] or 0)

    def idle(self, terminal, seconds):
        """Lets that much time pass, reading."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            terminal.read(max(0.0, end - time.monotonic()))

    def unread(self, terminal):
        """Bytes that the next program on the terminal would get."""
        modes = termios.tcgetattr(terminal.slave)
        modes[3] &= ~(termios.ICANON | termios.ECHO)
        termios.tcsetattr(terminal.slave, termios.TCSANOW, modes)
        # What has just been typed may still be on its way: this waits for it, FIONREAD does not.
        select.select([terminal.slave], [], [], 0)
        waiting = struct.unpack("i", fcntl.ioctl(terminal.slave, termios.FIONREAD, bytes(4)))[0]
        return os.read(terminal.slave, waiting) if waiting else b""


class Answers(ProbeTest):
    QUESTION = (r"\x1b]10;?\x1b\\\x1b]11;?\a\x1b]4;1;?\a\x1b[>q\x1b[>c\x1b[?2026$p\x1b[?u"
                r"\x1b[6n\x1b[16t\x1b[c")

    def test_like_xterm(self):
        """P-FIL-9: the command learns what the terminal said, at once."""
        def is_at_once():
            terminal, process = self.answered(lambda: self.asking(self.QUESTION), XTERM)
            got, taken = self.shown(terminal)
            self.check_like_xterm(terminal, process, got)
            return taken < 50
        at_times(is_at_once, "answered at once")

    def check_like_xterm(self, terminal, process, got):
        self.assertEqual(process.wait(), 0)
        self.assertEqual(got, b"\x1b]10;rgb:1234/5678/9abc" + ST + b"\x1b]11;rgb:ffff/ffff/ffff\a"
                         b"\x1b]4;1;rgb:cdcd/0000/0000\a\x1bP>|XTerm(379)" + ST +
                         b"\x1b[>41;379;0c\x1b[?2026;2$y\x1b[5;1R\x1b[6;20;9t\x1b[?62;22c")
        # Nothing of the command's questions reached the terminal.
        self.assertEqual(terminal.output.count(LAST_QUESTION), 1)
        self.assertEqual(self.unread(terminal), b"")

    def test_in_pieces(self):
        pieces = [bytes([byte]) for byte in b"\x1b[?0u\x1b[5;1R\x1b[?62;4;22c"]
        terminal, process = self.answered(lambda: self.asking(r"\x1b[?u\x1b[c"), *pieces)
        self.assertEqual(self.shown(terminal)[0], b"\x1b[?0u\x1b[?62;22c")
        self.assertEqual(process.wait(), 0)

    def test_never(self):
        """The start is not held up by a terminal that says nothing."""
        def is_soon():
            terminal, process = self.asking(self.QUESTION)
            terminal.expect(re.escape(LAST_QUESTION))
            start = time.monotonic()
            got, _ = self.shown(terminal)
            taken = time.monotonic() - start
            self.assertEqual(process.wait(), 0)
            self.assertEqual(got,
                             b"\x1b[>41;400;0c\x1b[?2026;0$y\x1b[24;1R\x1b[6;0;0t\x1b[?62;22c")
            return taken < 2
        at_times(is_soon, "no answer, and no long wait")

    def test_over_ssh_there_is_more_time(self):
        self.env["SSH_CONNECTION"] = "192.0.2.1 1 192.0.2.2 22"
        terminal, process = self.answered(lambda: self.asking(r"\x1b[>q\x1b[c"), XTERM, after=0.5)
        self.assertEqual(self.shown(terminal)[0], b"\x1bP>|XTerm(379)" + ST + b"\x1b[?62;22c")
        self.assertEqual(process.wait(), 0)

    def test_too_late(self):
        """Replies after the wait reach neither the command nor the shell."""
        terminal = self.terminal(24, 80)
        process = self.start(["python3", "-c", KEYS, ""], [terminal] * 3)
        terminal.expect(rb"<ready>")
        terminal.send(b"a" + XTERM + b"b.")
        self.assertEqual(self.shown(terminal)[0], b"ab.")
        self.assertEqual(process.wait(), 0)
        self.assertEqual(self.unread(terminal), b"")

    def test_anything(self):
        """Random bytes instead of answers: the run works, and what can be typed arrives."""
        for seed in range(5):
            chance = random.Random(seed)
            letters = b"\x1b\x1b[]P>?;:0123456789cRuynt\\\a$q r"
            noise = bytes(chance.choice(letters) for _ in range(400))
            terminal = self.terminal(24, 80)
            process = self.start(["python3", "-c", KEYS, ""], [terminal] * 3)
            self.answer(terminal, noise + b"\x18")
            terminal.expect(rb"<ready>")
            self.assertTrue(self.typed_at_last(terminal, process).endswith(b"end."), seed)
            self.assertEqual(process.wait(), 0)

    def typed_at_last(self, terminal, process):
        """What is shown once "end." has arrived. The noise may leave a key or a string open, which a
        second of silence ends, as ai-jail sees it."""
        def has_arrived():
            self.idle(terminal, 1.2)
            terminal.send(b"end.")
            self.idle(terminal, 0.2)
            return not process.is_running()
        at_times(has_arrived, "what is typed")
        return self.shown(terminal)[0]

    def test_size_and_alternate_screen(self):
        """The position at the start is where the screen is left to."""
        terminal = self.terminal(24, 80)
        process = self.start(["printf", r"\033[?1049hx"], [terminal] * 3)
        self.answer(terminal)
        self.assertEqual(process.wait(), 0)
        self.assertIn(b"\x1b[?1049l", terminal.output)


class Conditions(ProbeTest):
    def quiet(self, process, terminal):
        self.assertEqual(process.wait(), 0, terminal.output)
        self.assertNotIn(LAST_QUESTION, terminal.output)
        self.assertNotIn(b"\x1b[22;0;0t", terminal.output)

    def test_dumb_terminal(self):
        for term in ("dumb", "", "unknown"):
            self.env["TERM"] = term
            terminal = self.terminal()
            self.quiet(self.start(["true"], [terminal] * 3), terminal)

    def test_not_the_whole_terminal(self):
        terminal = self.terminal()
        self.quiet(self.start(["true"], [self.null, terminal, terminal]), terminal)
        terminal = self.terminal()
        self.quiet(self.start(["true"], [terminal, self.null, terminal]), terminal)

    def test_passthrough(self):
        """Without the filter nothing is asked and nothing is taken from the input."""
        terminal = self.terminal()
        process = self.start(["--terminal-passthrough", "python3", "-c", KEYS, ""], [terminal] * 3)
        terminal.expect(rb"<ready>")
        terminal.send(XTERM + b".")
        self.assertEqual(self.shown(terminal)[0], XTERM + b".")
        self.quiet(process, terminal)

    def test_questions_left_out(self):
        """What a terminal would show instead of answering is not asked."""
        rows = (({"TERM": "linux"}, [b"\x1b]", b"$p", b"\x1b[>"]),
                ({"TERM_PROGRAM": "Apple_Terminal"}, [b"$p", b"\x1b[>0q", b"\x1bP"]),
                ({"VTE_VERSION": "6400"}, [b"\x1b[>0q"]))
        for settings, absent in rows:
            terminal = self.terminal()
            process = self.start(["true"], [terminal] * 3, env={**self.env, **settings})
            self.answer(terminal, b"\x1b[?6c")
            asked = bytes(terminal.output[:terminal.mark])
            self.assertEqual(process.wait(), 0)
            for text in absent:
                self.assertNotIn(text, asked, settings)
            self.assertIn(b"\x1b[6n", asked)

    def test_title_is_saved_once_and_brought_back(self):
        terminal, process = self.answered(lambda: self.job_on_terminal(
            ["sh", "-c", "printf '\\033]2;x\\007'; kill -TSTP $$; exit 3"]), XTERM)
        process.wait_stopped()
        self.assertEqual(terminal.output.count(b"\x1b[22;0;0t"), 1)
        self.assertEqual(terminal.output.count(b"\x1b[23;0;0t"), 1)
        process.kill(signal.SIGCONT)
        self.assertEqual(process.wait(), 3)
        self.assertEqual(terminal.output.count(b"\x1b[22;0;0t"), 2)
        self.assertEqual(terminal.output.count(b"\x1b[23;0;0t"), 2)

    def test_no_title_without_a_stack(self):
        for term in ("linux", "screen"):
            self.env["TERM"] = term
            terminal = self.terminal()
            process = self.start(["true"], [terminal] * 3)
            self.answer(terminal)
            self.assertEqual(process.wait(), 0)
            self.assertNotIn(b"\x1b[22;0;0t", terminal.output)
            self.assertNotIn(b"\x1b[23;0;0t", terminal.output)


class TypeAhead(ProbeTest):
    READ = ("sh", "-c", "read a; read b; read c; echo \"[$a][$b][$c]\"")

    def test_before_during_and_after(self):
        """P-INP-2: once, in order, wherever it falls."""
        terminal = self.terminal()
        terminal.send(b"one\r")
        process = self.start(self.READ, [terminal] * 3)
        terminal.expect(re.escape(LAST_QUESTION))
        terminal.send(b"\x1b[?0utw\x1b[5;1Ro\r\x1b[?62cthr")
        terminal.send(b"ee\r")
        terminal.expect(rb"\[one\]\[two\]\[three\]")
        self.assertEqual(process.wait(), 0)
        self.assertEqual(self.unread(terminal), b"")

    def test_to_a_terminal_that_never_answers(self):
        terminal = self.terminal()
        process = self.start(self.READ, [terminal] * 3)
        self.answer(terminal, b"ls\rone\rtwo\r")
        terminal.expect(rb"\[ls\]\[one\]\[two\]")
        self.assertEqual(process.wait(), 0)

    def test_replies_from_before(self):
        """What lies there when we start is no answer: it ends no wait and is not typed."""
        terminal = self.terminal()
        terminal.send(b"\x1b[?1;2c\x1b]11;rgb:0/0/0" + ST + b"x")
        process = self.start(["python3", "-c", KEYS, ""], [terminal] * 3)
        self.answer(terminal)
        terminal.expect(rb"<ready>")
        terminal.send(b"y.")
        self.assertEqual(self.shown(terminal)[0], b"xy.")
        self.assertEqual(process.wait(), 0)

    def test_interrupt_while_asking(self):
        """P-INP-6: ^C before the command has started reaches the command."""
        terminal = self.terminal()
        process = self.start(["sleep", "100"], [terminal] * 3)
        terminal.expect(re.escape(LAST_QUESTION))
        terminal.send(b"\x03" + XTERM)
        self.assertEqual(process.wait(), 130)


class Keys(ProbeTest):
    def keys(self, modes, typed, expected, cut=None):
        """typed, in pieces of cut bytes, must arrive as expected."""
        terminal = self.terminal()
        process = self.start(["python3", "-c", KEYS, modes], [terminal] * 3)
        self.answer(terminal)
        terminal.expect(rb"<ready>")
        for at in range(0, len(typed), cut or len(typed)):
            terminal.send(typed[at:at + (cut or len(typed))])
        terminal.send(b".")
        self.assertEqual(self.shown(terminal)[0], expected + b".")
        self.assertEqual(process.wait(), 0)

    def test_valid_input_is_exact(self):
        """P-INP-1, P-INP-7: every control, characters, function keys, whole and in pieces."""
        typed = (bytes(range(27)) + bytes(range(28, 46)) + bytes(range(47, 128)) +
                 "äöü€😀".encode() + b"\x1b[A\x1b[1;2R\x1b[R\x1bOP\x1b[15;5~\x1b[97;5un\x1b[13;2u"
                 b"R\x1bx\x1b[Ac\x1b[Z\x1b[[A" + b"yes, in c")
        self.keys("", typed, typed)
        self.keys("", typed, typed, 3)

    def test_reports_of_modes_that_are_on(self):
        """P-INP-4"""
        typed = b"\x1b[<0;5;6M\x1b[<0;5;6m\x1b[I\x1b[O\x1b[13;2u\x1b[57441;2:3u"
        self.keys(r"\x1b[?1000;1006;1004h\x1b[>1u", typed, typed)
        self.keys("", typed, b"\x1b[13;2u\x1b[57441;2:3u")

    def test_end_marker_in_a_paste(self):
        """P-INP-3"""
        self.keys(r"\x1b[?2004h", b"\x1b[200~a\x1b[201~rm\r\x1b[201~",
                  b"\x1b[200~arm\r\x1b[201~")

    def test_escape_comes_alone(self):
        """P-INP-5: without a further key."""
        script = KEYS.replace("b'.'", r"b'\x1b'")

        def is_soon():
            terminal, process = self.on_terminal(["python3", "-c", script, ""])
            self.answer(terminal)
            terminal.expect(rb"<ready>")
            start = time.monotonic()
            terminal.send(b"\x1b")
            self.assertEqual(self.shown(terminal)[0], b"\x1b")
            taken = time.monotonic() - start
            self.assertEqual(process.wait(), 0)
            return taken < 1
        at_times(is_soon, "the key")


class End(ProbeTest):
    def test_late_answers_at_the_end(self):
        """P-PTY-11: what a terminal answers too late is not typed for the shell."""
        def is_read():
            left = self.left_of(XTERM)
            self.assertIn(left, (b"", XTERM))
            return not left
        at_times(is_read, "what came late is read")

    def test_keys_at_the_end(self):
        """They are the next program's, but for the one that had to be read to know it."""
        def is_read():
            left = self.left_of(b"ls -l\n")
            self.assertIn(left, (b"ls -l\n", b"s -l\n"))
            return left == b"s -l\n"
        at_times(is_read, "a key is read")

    def left_of(self, typed):
        """What the next program gets of it, typed at the end of a run."""
        terminal, process = self.on_terminal(["printf", r"\033[?1000h"])
        # The list that undoes the mouse is the last that is written; then we have 20 ms.
        terminal.expect(rb"\x1b\[\?1000l")
        terminal.send(typed)
        self.assertEqual(process.wait(), 0)
        return self.unread(terminal)

    def test_cursor_after_a_stop(self):
        """Another program moved it: the terminal is asked again, and what it says is what the command
        is told."""
        script = ("import os, signal, sys, tty; tty.setraw(0); os.write(1, b'<ready>'); "
                  "os.kill(0, signal.SIGTSTP); os.write(1, b'\\x1b[6n'); got = b''\n"
                  "while not got.endswith(b'R'): got += os.read(0, 100)\n"
                  "os.write(1, b'<%s>' % got.hex().encode())")
        def is_told():
            terminal, process = self.answered(
                lambda: self.job_on_terminal(["python3", "-c", script]), XTERM)
            terminal.expect(rb"<ready>")
            process.wait_stopped()
            terminal.mark = len(terminal.output)
            process.kill(signal.SIGCONT)
            terminal.expect(rb"\x1b\[6n\x1b\[c")
            terminal.send(b"k\x1b[17;4R\x1b[?64;1;2;22c")
            got = self.shown(terminal)[0]
            self.assertEqual(process.wait(), 0)
            # A question of 200 ms, too; then the model's own place is the best that there is.
            self.assertRegex(got, rb"^k?\x1b\[\d+;\d+Rk?\Z")
            return got == b"k\x1b[17;4R"
        at_times(is_told, "the place that the terminal tells")

    def test_key_at_a_stop(self):
        """It was typed for the command, which gets it when it goes on."""
        script = ("import os, signal, sys, tty; tty.setraw(0); os.write(1, b'\\x1b[?1000h<ready>'); "
                  "os.kill(0, signal.SIGTSTP); got = b''\n"
                  "while not got.endswith(b'.'): got += os.read(0, 100)\n"
                  "os.write(1, b'<%s>' % got.hex().encode())")
        def is_read():
            terminal, process = self.job_on_terminal(["python3", "-c", script])
            terminal.expect(rb"\x1b\[\?1000l")
            terminal.send(b"xyz")
            process.wait_stopped()
            left = self.unread(terminal)
            self.assertIn(left, (b"xyz", b"yz"))
            process.kill(signal.SIGCONT)
            wait_for(terminal.is_raw, "the terminal")
            terminal.send(b".")
            got = self.shown(terminal)[0]
            self.assertEqual(process.wait(), 0)
            self.assertEqual(got + left, b"x." + b"yz" if left == b"yz" else b"." + b"xyz")
            return left == b"yz"
        at_times(is_read, "a key is read")


if __name__ == "__main__":
    ptyrun.main()
