#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""The clipboard of the terminal: out of reach, and with --clipboard write-only (P-FIL-5)."""
import base64

import ptyrun
from ptyrun import SessionTest

WRITE = r"printf '\033]52;p;aGVsbG8=\033\\'; printf '\033]52;c;?\007'; printf done"
# Writes that much text to the clipboard in one go, raw.
LARGE = r"""
import base64, os, sys, tty
tty.setraw(1)
text = base64.b64encode(b'0123456789' * (int(sys.argv[1]) // 10))
with os.fdopen(1, 'wb') as out:
    out.write(b'\033]52;c;' + text + b'\007done')
"""
# Asks for the device attributes and shows the answer.
ASK = r"""
import os, tty
tty.setraw(0)
os.write(1, b'\033[c')
got = b''
while not got.endswith(b'c'):
    got += os.read(0, 100)
os.write(1, b'<%s>' % got.hex().encode())
"""
NOTICE = b"clipboard: written by the command: %d, refused"


class Clipboard(SessionTest):
    def run_on_terminal(self, options, command):
        terminal, process = self.on_terminal(options + command)
        self.assertEqual(process.wait(), 0, terminal.output)
        self.assertIn(b"done", terminal.output)
        return bytes(terminal.output)

    def test_out_of_reach(self):
        for options in ([], ["--clipboard=off"], ["--no-clipboard"],
                        ["--clipboard", "--no-clipboard"]):
            output = self.run_on_terminal(options, ["sh", "-c", WRITE])
            self.assertNotIn(b"]52", output, options)
            self.assertNotIn(b"clipboard", output, options)

    def test_write_only(self):
        for options in (["--clipboard"], ["--clipboard=copy"], ["--exec", "--clipboard"]):
            output = self.run_on_terminal(options, ["sh", "-c", WRITE])
            self.assertEqual(output.count(b"\x1b]52;"), 1, options)
            self.assertIn(b"\x1b]52;c;aGVsbG8=\x1b\\", output)
            self.assertGreater(output.index(NOTICE % 1), output.index(b"done"), options)

    def test_largest_text(self):
        for count, passes in ((102400, True), (102410, False)):
            output = self.run_on_terminal(["--clipboard"], ["python3", "-c", LARGE, str(count)])
            wanted = b"\x1b]52;c;" + base64.b64encode(b"0123456789" * (count // 10)) + b"\x07"
            self.assertEqual(wanted in output, passes)
            self.assertEqual(output.count(b"]52;"), passes)
            self.assertIn(NOTICE % passes, output)

    def test_advertised(self):
        for options, answer in (([], b"\x1b[?62;22c"), (["--clipboard"], b"\x1b[?62;22;52c")):
            terminal, process = self.on_terminal(options + ["python3", "-c", ASK])
            terminal.expect(b"<%s>" % answer.hex().encode())
            self.assertEqual(process.wait(), 0)

    def test_other_words(self):
        code, out, err = self.run_piped(["--clipboard=paste", "true"])
        self.assertEqual((code, out), (125, b""))
        self.assertIn("--clipboard", err)
        self.assertIn("copy, off", err)
        self.assertNotIn("paste", err)


if __name__ == "__main__":
    ptyrun.main()
