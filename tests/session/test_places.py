#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""HOME and project in places where the jail has directories or links of its own."""
import os
import shutil
import tempfile

import ptyrun
from ptyrun import SessionTest


class Places(SessionTest):
    def make(self, parent):
        path = tempfile.mkdtemp(prefix="ai-jail-test.", dir=parent)
        self.addCleanup(shutil.rmtree, path, ignore_errors=True)
        os.mkdir(os.path.join(path, ".x"))
        return path

    def try_home(self, home):
        state = os.path.join(home, ".x")
        code, out, err = self.run_piped(
            ["--exec", "--rw-map", state, "--", "sh", "-c",
             "echo out >~/.x/file && echo gone >~/file && cd ~ && ls -A && ls -A ~/.."],
            env=dict(self.env, HOME=home))
        self.assertEqual(code, 0, err)
        self.assertEqual(out.split()[:2], [b".x", b"file"])
        with open(os.path.join(state, "file"), encoding="ascii") as file:
            self.assertEqual(file.read(), "out\n")
        self.assertFalse(os.path.lexists(os.path.join(home, "file")))
        return out.decode().split()[2:]

    def test_home_below_var_tmp(self):
        """The link /var/tmp of the jail does not stand in the way, and nothing of the host's
        directory is seen but HOME."""
        home = self.make("/var/tmp")
        self.assertEqual(self.try_home(home), [os.path.basename(home)])

    def test_home_below_tmp(self):
        self.try_home(self.make("/tmp"))

    def test_home_by_a_link(self):
        for place in ("/tmp", "/var/tmp"):
            with self.subTest(place=place):
                home = self.make("/var/tmp")
                link = os.path.join(self.make(place), "link")
                os.symlink(home, link)
                self.try_home(link)

    def test_project_below_var_tmp(self):
        project = self.make("/var/tmp")
        code, out, err = self.run_piped(["--exec", "sh", "-c", "pwd; echo in >file; echo x >../y; cat ../y"],
                                        cwd=project)
        self.assertEqual((code, out), (0, project.encode() + b"\nx\n"), err)
        self.assertTrue(os.path.exists(os.path.join(project, "file")))
        self.assertFalse(os.path.lexists("/var/tmp/y"))

    def test_without_them_it_is_a_link(self):
        code, out, err = self.run_piped(["--exec", "readlink", "/var/tmp"])
        self.assertEqual((code, out), (0, b"../tmp\n"), err)

    def test_home_where_nothing_can_be(self):
        """The reason is that place, not a map."""
        code, _, err = self.run_piped(["--exec", "true"], env=dict(self.env, HOME="/proc/sys"))
        self.assertEqual(code, 125)
        self.assertIn("/proc/sys cannot be placed: the jail has something of its own at /proc", err)


if __name__ == "__main__":
    ptyrun.main()
