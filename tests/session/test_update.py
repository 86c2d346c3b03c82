#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""--update-check: who is asked and how, what the row says of the answer, and that nothing waits.

The program under test is built with a page of releases and with curl_standin.sh as its curl."""
import os
import re
import signal
import stat
import time
import unittest

import ptyrun
from ptyrun import SessionTest, wait_for

BAR = rb"\x1b\[24;1H[^\n]{0,40}ai-jail  ?[^\x1b]*\x1b\[K"
WAIT = ["sh", "-c", "echo rea''''dy; exec sleep 100"]
CURL = os.environ["AI_JAIL_CURL"]


@unittest.skipIf(os.stat(CURL).st_uid != 0, "the program runs no curl that is not root's: build as root")
class Update(SessionTest):
    def start_with_answer(self, answer, options=("-s", "--update-check"), stay=None, check=True):
        self.record = os.path.join(self.base, "record")
        self.env.update(https_proxy=answer, ALL_PROXY=self.record, SECRET_KEY="s3cret")
        if stay:
            self.env["no_proxy"] = stay
        terminal = self.terminal(24, 200)
        process = self.start_job(list(options) + WAIT, [terminal] * 3)
        terminal.expect(rb"ready")
        terminal.mark = 0  # the row may have been drawn before
        return terminal, process

    @property
    def stamp(self):
        return os.path.join(self.home, ".local/state/ai-jail/update-check")

    def was_asked(self, answer="https://example.org/v987.65.4", row=BAR, is_asked=True):
        """Of a run with that answer; its row has to come, which can be before curl has been started."""
        terminal, process = self.start_with_answer(answer)
        terminal.expect(row)
        if is_asked:
            wait_for(lambda: os.path.exists(self.record), "curl")
        self.end(terminal, process)
        asked = os.path.exists(self.record)
        if asked:
            os.unlink(self.record)
        return asked

    def test_once_a_day(self):
        new = rb"\| new: 987\.65\.4 \|"
        self.assertTrue(self.was_asked(row=new))
        st = os.stat(self.stamp)
        self.assertEqual((stat.S_IMODE(st.st_mode), st.st_size), (0o600, 32))
        self.assertFalse(self.was_asked("https://example.org/v999.0", row=new, is_asked=False))
        for seconds, is_asked in ((-86000, False), (-86500, True), (7200, True)):
            with self.subTest(seconds=seconds):
                moment = time.time() + seconds
                os.utime(self.stamp, (moment, moment))
                self.assertEqual(self.was_asked(row=new, is_asked=is_asked), is_asked)
                self.assertLess(os.stat(self.stamp).st_mtime, time.time() + 1)
        # Who does not answer takes nothing back; who answers does.
        os.utime(self.stamp, (0, 0))
        self.assertTrue(self.was_asked("", row=new))
        os.utime(self.stamp, (0, 0))
        terminal, process = self.start_with_answer("https://example.org/v0.0.1")
        with open(self.stamp, encoding="ascii") as file:
            wait_for(lambda: not file.seek(0) and file.read().isspace(), "the answer")
        self.end(terminal, process)
        os.unlink(self.record)
        self.assertFalse(self.was_asked(is_asked=False))

    def test_what_is_no_stamp(self):
        self.assertTrue(self.was_asked())
        for content in (b"987.65.4\x1b[31m", b"/etc/987.65\n", b"\0" * 100000):
            with self.subTest(content=content[:20]):
                with open(self.stamp, "wb") as file:
                    file.write(content)
                terminal, process = self.start_with_answer("")
                terminal.expect(BAR)
                self.end(terminal, process)
                self.assertNotIn(b"new:", bytes(terminal.output))
        other = os.path.join(self.base, "other")
        with open(other, "w", encoding="ascii") as file:
            file.write("mine")
        for make in (lambda: os.symlink(other, self.stamp), lambda: os.link(other, self.stamp)):
            os.unlink(self.stamp)
            make()
            self.assertFalse(self.was_asked(is_asked=False))
            with open(other, encoding="ascii") as file:
                self.assertEqual(file.read(), "mine")

    def end(self, terminal, process):
        terminal.mark = len(terminal.output)
        process.kill(signal.SIGTERM)
        process.wait()

    def last_row(self, terminal):
        rows = re.findall(BAR, bytes(terminal.output))
        return rows[-1] if rows else b""

    def test_a_newer_version_is_in_the_row(self):
        terminal, process = self.start_with_answer("https://example.org/x/releases/tag/v987.65.4")
        terminal.expect(rb"\| new: 987\.65\.4 \|")
        self.end(terminal, process)

    def test_how_curl_is_called(self):
        terminal, process = self.start_with_answer("https://example.org/v987.65.4")
        terminal.expect(rb"new: 987\.65\.4")
        self.end(terminal, process)
        with open(self.record, encoding="utf-8") as file:
            lines = file.read().split("\n")
        self.assertEqual(lines[0], "-q")
        for word in ("=https", "5", "https://releases.invalid/latest"):
            self.assertIn(word, lines)
        names = {line.split("=")[0] for line in lines if re.match(r"[A-Za-z_]+=", line)}
        self.assertLessEqual(names, {"https_proxy", "ALL_PROXY", "PWD", "SHLVL", "_", "OLDPWD"})
        self.assertIn("/", lines)

    def test_what_is_no_newer_version_is_not_said(self):
        for answer in ("", "https://example.org/releases/tag/v0.0.1", "https://example.org/latest",
                       "https://example.org/v987.65\x1b[31m", "https://example.org/987",
                       "https://example.org/v9876543.0.0", "https://example.org/v987.65." + "1" * 600):
            with self.subTest(answer=answer):
                terminal, process = self.start_with_answer(answer)
                terminal.expect(BAR)
                wait_for(lambda: os.path.exists(self.record), "curl")
                self.assertNotIn(b"new:", self.last_row(terminal))
                self.end(terminal, process)
                self.assertNotIn(b"new:", bytes(terminal.output))
                os.unlink(self.record)
                os.unlink(self.stamp)

    def test_nobody_waits_and_nothing_is_left(self):
        terminal, process = self.start_with_answer("", stay="1000.25")
        wait_for(lambda: os.path.exists(self.record), "curl")
        start = time.monotonic()
        self.end(terminal, process)
        self.assertLess(time.monotonic() - start, 20)
        wait_for(lambda: not sleepers("1000.25"), "the end of curl")

    def test_nobody_is_asked_without_a_row_or_the_option(self):
        for options in (("-s",), ("--update-check", "--no-status-bar"), ("-s", "--update-check", "--no-update-check")):
            with self.subTest(options=options):
                terminal, process = self.start_with_answer("https://example.org/v987.65.4", options)
                self.end(terminal, process)
                self.assertNotIn(b"987", bytes(terminal.output))
                self.assertFalse(os.path.exists(self.record))


def sleepers(seconds):
    """Processes that sleep for so long."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                if file.read() == b"/bin/sleep\0" + seconds.encode() + b"\0":
                    found.append(pid)
        except OSError:
            pass
    return found


if __name__ == "__main__":
    ptyrun.main()
