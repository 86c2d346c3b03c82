# SPDX-License-Identifier: GPL-3.0-only
"""What the tests of late masks share: a jail whose command reads one file all the time."""
import os
import re
import signal

import ptyrun
from ptyrun import SessionTest, wait_for

CANARY = "canary-content"
# A busy machine shares two cores among many, and may stand still for seconds: what is promised is
# 100 ms, the rest is for that.
WITHIN = float(os.environ.get("AI_JAIL_TEST_MASK_WITHIN", "20.0"))

# Reads the file in its first argument for ever; each time what it saw changes it writes the time, the
# result and how many reads there were into the second one.
WATCHER = r"""
import os, sys, time
path, log = sys.argv[1:3]
out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)
before = None
while True:
    try:
        with open(path, "rb") as file:
            seen = "read:" + file.read(64).decode()
    except OSError as error:
        seen = "error:%d" % error.errno
    if seen != before:
        os.write(out, ("%.6f %s\n" % (time.monotonic(), seen.strip())).encode())
        before = seen
"""


class MaskTest(SessionTest):
    def setUp(self):
        super().setUp()
        self.errors = self.output()

    def path(self, *names):
        return os.path.join(self.project, *names)

    def write(self, text, *names):
        os.makedirs(os.path.dirname(self.path(*names)), exist_ok=True)
        with open(self.path(*names), "w", encoding="ascii") as file:
            file.write(text)

    def replace(self, text, *names):
        """As an editor saves."""
        self.write(text, "editor-temporary")
        os.rename(self.path("editor-temporary"), self.path(*names))

    def jail(self, words, script):
        """A jail that runs a shell script; it is ready when its file ready is there."""
        process = self.start(["--no-save-config", *words, "--", "sh", "-c", script],
                             [self.null, self.errors.fd, self.errors.fd])
        wait_for(lambda: os.path.exists(self.path("ready")) or not process.is_running(),
                 "the command")
        self.assertTrue(process.is_running(), self.errors.text())
        return process

    def watching(self, words, name, prepare=":"):
        """A jail that reads name all the time; gives the function that reads what it has seen."""
        self.write(WATCHER, "watcher.py")
        process = self.jail(words, f"{prepare}; touch ready; "
                                   f"exec {ptyrun.PYTHON} watcher.py {name} seen")
        wait_for(self.seen, "the first read")
        return process

    def seen(self):
        """[(time, what)] of each change of what the jail sees."""
        try:
            with open(self.path("seen"), encoding="ascii") as file:
                lines = [line.rstrip("\n").split(" ", 1) for line in file if line.endswith("\n")]
        except FileNotFoundError:
            return []
        return [(float(at), what) for at, what in lines]

    def wait_seen(self, what, timeout=WITHIN):
        wait_for(lambda: self.seen() and self.seen()[-1][1] == what,
                 lambda: f"{what!r} as the last thing seen, but {self.seen()[-3:]}; "
                         f"{self.errors.text()}", timeout)

    def wait_said(self, pattern):
        """ai-jail has said it: what is masked can be read empty before that, by who just made it."""
        wait_for(lambda: re.search(pattern, self.errors.text()), lambda: self.errors.text() or pattern,
                 WITHIN)

    def windows(self):
        """How long the canary was to be read each time, in seconds."""
        found, since = [], None
        for at, what in self.seen():
            if CANARY in what:
                since = since or at
            elif since:
                found.append(at - since)
                since = None
        if since:
            found.append(time.monotonic() - since)
        return found

    def end(self, process):
        process.kill(signal.SIGTERM)
        process.wait()
        return self.errors.text()
