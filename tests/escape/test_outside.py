# SPDX-License-Identifier: GPL-3.0-only
"""test_outside: what the harness does to processes that somebody left behind."""

import os
import signal
import subprocess
import sys
import time
import unittest

import outside

PROBE = os.path.abspath(sys.argv.pop(1)) if sys.argv[1:] else None
# A machine whose /tmp is a mount: there pivot_root("/tmp", "/tmp") works for root.
TMP_IS_A_MOUNT = """
exec 3<"$1" && mount -t tmpfs tmpfs /tmp && mkdir /tmp/p && cat <&3 >/tmp/p/probe &&
chmod 755 /tmp/p/probe && echo modes=DR >/tmp/p/facts || exit 99
/tmp/p/probe --control E-MNT-03
cd /usr && echo intact
"""
CHAINS = 8   # of a parent and its child; the order in which they are met differs


def chain():
    """Two processes, one below the other, that end only when they are killed."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        for sig in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(sig, signal.SIG_IGN)
        os.fork()
        os.write(writer, b"r")
        while True:
            signal.pause()
    os.close(writer)
    for _ in range(2):
        os.read(reader, 1)
    os.close(reader)


class Outside(unittest.TestCase):
    def test_ends_processes_that_have_another_parent(self):
        before = set(outside.descendants())
        for _ in range(CHAINS):
            chain()
        self.assertEqual(len(outside.end_others(before)), 2 * CHAINS)
        self.assertEqual(set(outside.descendants()), before)

    def test_ends_a_child_whose_parent_does_not_reap(self):
        """The child becomes this process' own when its parent is gone, and is reaped then."""
        before = set(outside.descendants())
        if os.fork() == 0:
            if os.fork() == 0:
                os._exit(0)
            while True:
                signal.pause()
        while len(set(outside.descendants()) - before) < 2:
            time.sleep(0.001)
        outside.end_others(before)
        self.assertEqual(set(outside.descendants()), before)

    def test_spares_who_was_there(self):
        pid = os.fork()
        if pid == 0:
            while True:
                signal.pause()
        self.assertEqual(outside.end_others(set(outside.descendants())), set())
        os.kill(pid, 0)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)

    def test_reaps_past_one_that_is_not_a_child(self):
        pid = os.fork()
        if pid == 0:
            os._exit(0)
        while b") Z " not in outside.read_quiet(f"/proc/{pid}/stat"):
            time.sleep(0.001)
        outside.reap([1, pid])
        self.assertFalse(os.path.exists(f"/proc/{pid}"))


    @unittest.skipUnless(PROBE and os.geteuid() == 0, "only root's controls can do it")
    def test_a_control_leaves_the_mounts_of_the_machine(self):
        ran = subprocess.run(["unshare", "-m", "sh", "-c", TMP_IS_A_MOUNT, "sh", PROBE],
                             stdout=subprocess.PIPE, check=False, timeout=120)
        self.assertIn(b'"escaped"', ran.stdout)
        self.assertIn(b"intact", ran.stdout)


if __name__ == "__main__":
    outside.subreaper()
    sys.exit(unittest.main())
