#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""--doctor: what it says on a machine where everything works, and where something does not."""
import json
import os
import stat
import unittest

import ptyrun
from ptyrun import SessionTest

CHECKS = {"bubblewrap", "user-namespace", "disable-userns", "network-namespace", "proc",
          "tmpfs-size", "overlay", "enter-namespace", "landlock", "seccomp", "inotify", "project",
          "configuration", "own-files", "pty", "terminal", "tls", "jail",
          "lockdown"}
# A user namespace in which no further one may be made.
WITHOUT_NAMESPACES = "echo 0 > /proc/sys/user/max_user_namespaces && exec \"$@\""


class Doctor(SessionTest):
    def ask(self, *words, **options):
        code, out, err = self.run_piped(["--doctor", "--json", *words], timeout=60, **options)
        return code, {check["id"]: check for check in json.loads(out)["checks"]}, err

    def test_all_is_well(self):
        code, checks, err = self.ask()
        self.assertEqual(set(checks), CHECKS, err)
        ill = {name: check for name, check in checks.items() if check["state"] != "ok"}
        # A kernel or a machine may lack something; then it says what to do.
        for name, check in ill.items():
            self.assertIn(name, {"landlock", "inotify", "disable-userns"}, check)
            self.assertTrue(check["fix"], check)
        self.assertEqual(code, 1 if ill else 0)
        for wall in ("~/.ssh", "/usr", "connecting", "tracing", "namespace", "terminal"):
            self.assertIn(wall, checks["jail"]["detail"])
            self.assertIn(wall, checks["lockdown"]["detail"])

    def test_text(self):
        code, out, err = self.run_piped(["--doctor"], timeout=60)
        self.assertIn(code, (0, 1), err)
        for name in CHECKS:
            self.assertIn(f" {name} ".encode(), out)

    def test_nothing_is_left(self):
        before = self.census()
        self.ask()
        self.assertEqual(self.census(), before)
        mine = [name for name in os.listdir("/tmp") if name.startswith("ai-jail-doctor") and
                os.lstat(os.path.join("/tmp", name)).st_uid == os.geteuid()]
        self.assertEqual(mine, [])

    def test_refused_directory(self):
        code, checks, _ = self.ask(cwd="/etc")
        self.assertEqual((code, checks["project"]["state"]), (1, "degraded"))
        self.assertEqual(checks["jail"]["state"], "ok")

    def test_open_directory_of_ours(self):
        own = os.path.join(self.home, ".local/state/ai-jail")
        os.makedirs(own)
        os.chmod(own, 0o755)
        code, checks, _ = self.ask()
        self.assertEqual((code, checks["own-files"]["state"]), (1, "degraded"))
        self.assertIn("0755", checks["own-files"]["detail"])
        self.assertEqual(stat.S_IMODE(os.stat(own).st_mode), 0o755)

    def test_no_user_namespaces(self):
        if ptyrun.SANITIZED or os.geteuid() != 0:
            return  # one user alone is mapped there: bubblewrap would belong to nobody
        unshare = ptyrun.tool("unshare")
        out = self.output()
        err = self.output()
        process = self.start_program(
            [unshare, "--user", "--map-root-user", "sh", "-c", WITHOUT_NAMESPACES, "sh",
             ptyrun.PROGRAM, "--doctor", "--json"], [self.null, out.fd, err.fd])
        code = process.wait(60)
        if b"Permission denied" in err.bytes() and not out.bytes():
            raise unittest.SkipTest("no user namespace can be made here")
        checks = {check["id"]: check for check in json.loads(out.bytes())["checks"]}
        self.assertEqual(code, 1)
        for name in ("user-namespace", "enter-namespace", "jail"):
            self.assertEqual(checks[name]["state"], "missing", checks[name])
        self.assertIn("max_user_namespaces", checks["user-namespace"]["fix"])
        self.assertEqual(checks["bubblewrap"]["state"], "ok")


if __name__ == "__main__":
    ptyrun.main()
