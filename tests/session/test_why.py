#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""--why and --status beside a real jail: what they say is what the command finds (P-CLI-13)."""
import json
import os
import random
import shutil

import ptyrun
from ptyrun import SessionTest

# Tries every path given on standard input, one a line, and prints one JSON object.
INSIDE = r"""
import errno, json, os, stat, sys
def verdict(path):
    try:
        st = os.stat(path)
    except OSError as error:
        return {errno.ENOENT: "absent", errno.ENOTDIR: "absent", errno.ELOOP: "absent",
                errno.EACCES: "denied"}.get(error.errno, str(error))
    try:
        if stat.S_ISDIR(st.st_mode):
            os.listdir(path)
        elif stat.S_ISREG(st.st_mode):
            os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
    except OSError as error:
        return "denied" if error.errno in (errno.EACCES, errno.EPERM) else str(error)
    try:
        if stat.S_ISDIR(st.st_mode):
            name = os.path.join(path, ".why-test")
            os.close(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
            os.unlink(name)
        elif stat.S_ISREG(st.st_mode):
            os.close(os.open(path, os.O_WRONLY))
        else:
            return "other"
    except OSError:
        return "ro"
    return "rw"
print(json.dumps({path: verdict(path) for path in sys.stdin.read().split("\n") if path}))
"""

# What each verdict may look like from inside. A private directory may be writable or not.
FITS = {
    "read-write": {"rw", "ro"},  # ro: by the object's own permissions
    "read-only": {"ro", "denied", "other"},  # denied: by the object's own permissions
    "empty (masked)": {"ro", "denied", "absent"},
    "denied": {"denied"},
    "private": {"rw", "ro", "denied", "other"},
    "absent": {"absent"},
}


class Why(SessionTest):
    def setUp(self):
        super().setUp()
        make = {
            "README": "x", "sub/deep/file": "x", "secret.pem": "canary", ".ai-jail": "",
            "closed/inner": "x",
        }
        for name, content in make.items():
            path = os.path.join(self.project, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(content)
        os.makedirs(os.path.join(self.home, ".ssh"), mode=0o700)
        os.makedirs(os.path.join(self.home, "data"))
        with open(os.path.join(self.home, "data", "file"), "w", encoding="utf-8") as file:
            file.write("x")
        os.symlink("sub/deep", os.path.join(self.project, "link"))
        os.symlink("/etc/passwd", os.path.join(self.project, "passwd"))
        os.symlink(os.path.join(self.home, "data"), os.path.join(self.project, "data"))
        os.symlink("loop", os.path.join(self.project, "loop"))

    def paths(self, is_whole):
        fixed = ["/", "/etc", "/etc/passwd", "/etc/shadow", "/etc/hosts", "/usr/bin/env", "/bin/sh",
                 "/opt", "/sys", "/sys/kernel/debug", "/proc", "/proc/kcore", "/tmp", "/var",
                 "/var/lib", "/run", "/dev", "/root", "/home", "/boot", "/srv", "/mnt", "/media",
                 "/var/log", self.home, self.home + "/.ssh", self.home + "/data",
                 self.home + "/data/file", self.home + "/.bashrc", "/nothing/at/all"]
        inside = [os.path.join(self.project, name)
                  for name in ("README", "sub", "sub/deep/file", "secret.pem", ".ai-jail", "closed",
                               "closed/inner", "link", "link/file", "passwd", "data", "data/file",
                               "loop", "loop/x", "README/x", "nothing", "sub/../README")]
        if not is_whole:
            return fixed[:8] + fixed[-7:] + inside
        seeded = random.Random(4)
        some = []
        for top in ("/etc", "/usr/lib", "/usr/share", "/var/lib"):
            names = sorted(os.listdir(top))
            some += [os.path.join(top, name) for name in seeded.sample(names, min(3, len(names)))]
        return fixed + inside + some

    def ask(self, flags, path):
        code, out, err = self.run_piped([*flags, "--why", path, "--json"])
        answer = json.loads(out)
        self.assertIn(code, (0, 1), err)
        self.assertEqual(code == 0, answer["verdict"] in ("read-write", "read-only", "private"))
        return answer

    def compare(self, flags):
        paths = self.paths(is_whole=not flags and not ptyrun.SANITIZED)
        code, out, err = self.run_piped([*flags, ptyrun.PYTHON, "-c", INSIDE],
                                        "\n".join(paths).encode())
        self.assertEqual(code, 0, err)
        found = json.loads(out)
        for path in paths:
            answer = self.ask(flags, path)
            if answer["verdict"] == "private" and found[path] == "absent":
                self.fail(f"{path}: said to be private, is absent")
            self.assertIn(found[path], FITS[answer["verdict"]], f"{path}: {answer}")

    def test_default(self):
        self.compare([])

    def test_maps_and_masks(self):
        self.compare(["--map", self.home + "/data", "--mask", "**/*.pem", "--deny-path", "closed"])

    def test_no_private_home(self):
        self.compare(["--no-private-home"])

    def test_nothing_is_made(self):
        before = sorted(os.listdir(self.project))
        self.ask([], self.project)
        self.assertEqual(sorted(os.listdir(self.project)), before)


class Status(SessionTest):
    def test_values_are_not_shown(self):
        """P-CLI-3"""
        for form in ([], ["--json"]):
            code, out, err = self.run_piped(["--env", "TOKEN=canary-51d0", "status", *form])
            self.assertEqual(code, 0, err)
            self.assertIn(b"TOKEN", out)
            self.assertNotIn(b"canary-51d0", out + err.encode())

    def test_json(self):
        code, out, err = self.run_piped(["--no-seccomp", "status", "--json"])
        self.assertEqual(code, 0, err)
        document = json.loads(out)
        self.assertEqual(document["version"], 1)
        self.assertEqual(document["command"], ["bash"])
        rows = {row["key"]: row for row in document["settings"]}
        self.assertEqual(rows["no_seccomp"]["value"], True)
        self.assertEqual(rows["no_seccomp"]["origin"], "command line")
        self.assertEqual(rows["no_landlock"]["origin"], "built-in")

    def test_refused_project(self):
        """What would not start is explained all the same."""
        code, out, err = self.run_piped(["status"], cwd="/")
        self.assertEqual(code, 0, err)
        self.assertIn(b"would not start", out)

    def test_shown_in_a_refused_project(self):
        """The refusal is reported, and the answer given, as far as a flag could lift it."""
        keys = os.path.join(self.home, ".ssh")
        os.mkdir(keys, 0o700)
        for argv, answer in ((["--dry-run", "true"], b"\nlate masks\n"),
                             (["--why", "/etc"], b"/etc: read-only\n")):
            with self.subTest(argv=argv):
                code, out, err = self.run_piped(argv, cwd=self.home)
                self.assertEqual(code, 0, err)
                self.assertIn(answer, out)
                self.assertIn("this would not start: project directory", err)
                _, out, err = self.run_piped(["--allow-broad-project", *argv], cwd=self.home)
                self.assertIn(answer, out)
                self.assertNotIn("would not start", err)
                self.assertEqual(self.run_piped(argv, cwd=keys)[:2], (125, b""))
        code, _, err = self.run_piped(["true"], cwd="/")
        self.assertEqual(code, 125)
        self.assertIn("project directory / is your home", err)

    def test_a_program_called_status(self):
        """P-CLI-14"""
        tool = os.path.join(self.project, "status")
        shutil.copy("/bin/true", tool)
        env = dict(self.env, PATH=self.project + ":" + ptyrun.PATH)
        self.assertEqual(self.run_piped(["--", "status"], env=env)[:2], (0, b""))


if __name__ == "__main__":
    ptyrun.main()
