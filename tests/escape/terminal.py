# SPDX-License-Identifier: GPL-3.0-only
"""terminal: the user's terminal, played by the harness on a PTY.

Everything that reaches it is kept in a log; nothing is ever answered.
"""

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time


class Terminal:
    def __init__(self, user, as_root=False):
        self.user, self.as_root = user, as_root

    def __enter__(self):
        self.master, self.slave = pty.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        st = os.fstat(self.slave)
        self.rdev, self.dev = st.st_rdev, st.st_dev
        self.number = int(os.ttyname(self.slave).rsplit("/", 1)[1])
        if not self.as_root:
            self.user.own(os.ttyname(self.slave))
        self.log = b""
        return self

    def __exit__(self, *_):
        os.close(self.master)
        os.close(self.slave)

    def facts(self):
        return {"terminal_rdev": self.rdev, "terminal_dev": self.dev,
                "terminal_number": self.number}

    def modes(self):
        return termios.tcgetattr(self.slave)

    def start(self, suite, words, *, as_root=False, mix=None, env=None, cwd=None):
        """mix: for 0, 1, 2 None (this terminal) or something subprocess accepts."""
        ends = [self.slave if end is None else end for end in (mix or (None, None, None))]

        def adopt():
            fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)

        # The slave stays open up to preexec; after that only what is in ends.
        switch = {} if as_root else self.user.switch
        return subprocess.Popen(words, stdin=ends[0], stdout=ends[1], stderr=ends[2],
                                start_new_session=True, preexec_fn=adopt,
                                env=env or suite.world.environment(),
                                cwd=cwd or suite.world.project, **switch)

    def drain(self, wait_s=0.0):
        """Takes what has arrived; True if something had."""
        ready, _, _ = select.select([self.master], [], [], wait_s)
        if not ready:
            return False
        self.log += os.read(self.master, 65536)
        return True

    def wait(self, suite, process, limit_s=300.0):
        """Reads until the process has ended; its status."""
        deadline = time.monotonic() + limit_s
        while process.poll() is None:
            self.drain(0.02)
            if time.monotonic() > deadline:
                suite.finding(f"no end on a terminal: {process.args[-3:]}")
                process.kill()
                process.wait()
        while self.drain(0.02):
            pass
        return process.returncode

    def run(self, suite, words, **keywords):
        return self.wait(suite, self.start(suite, words, **keywords))

    def wait_for(self, condition, limit_s=60.0):
        deadline = time.monotonic() + limit_s
        while not condition():
            self.drain(0.01)
            if time.monotonic() > deadline:
                return False
        return True

    def type(self, data):
        os.write(self.master, data)

    def text(self):
        return self.log.decode("latin-1")
