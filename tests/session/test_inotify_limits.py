#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""Masks when the kernel has no inotify instance left.

These tests use up what a whole user has, so they run as a user who runs nothing else.
"""
import ctypes
import errno
import os

import ptyrun
from maskwatch import CANARY, WATCHER, WITHIN, MaskTest
from ptyrun import wait_for


class InotifyLimits(MaskTest):
    def test_no_watch_is_left(self):
        """P-PLAN-6: fatal at launch, and the line names what to raise."""
        libc = ctypes.CDLL(None, use_errno=True)
        instances = []
        self.addCleanup(lambda: [os.close(fd) for fd in instances])
        while len(instances) < 5000:
            fd = libc.inotify_init1(os.O_CLOEXEC)
            if fd < 0:
                break
            instances.append(fd)
        self.assertEqual(ctypes.get_errno(), errno.EMFILE)
        code, _, err = self.run_piped(["--no-save-config", "--mask", ".env", "true"])
        self.assertEqual(code, 125, err)
        self.assertIn("fs.inotify.max_user_instances", err)

    def test_jail_takes_all_instances(self):
        """E-MSK-17: the mounter has its own since before the jail."""
        take = ("import ctypes, os, time\nlibc = ctypes.CDLL(None)\n"
                "while libc.inotify_init1(0) >= 0: pass\n"
                "open('ready','w').close()\ntime.sleep(100)\n")
        self.write(take, "take.py")
        self.write(WATCHER, "watcher.py")
        process = self.jail(["--mask", "**/*.pem"],
                            f"{ptyrun.PYTHON} take.py & mkdir -p new; "
                            f"exec {ptyrun.PYTHON} watcher.py new/dir/k.pem seen")
        wait_for(self.seen, "the first read")
        self.write(CANARY, "new", "dir", "k.pem")
        self.wait_seen("read:", max(2.0, WITHIN))
        self.end(process)


if __name__ == "__main__":
    ptyrun.main()
