#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""Overlays: what is written in one stays beside the real directory until it is applied; attributes
that somebody planted lead nowhere; masks hold; two runs never share a storage."""
import hashlib
import json
import os
import re
import shutil
import signal
import stat
import subprocess

import ptyrun
from ptyrun import PROGRAM, SessionTest, wait_for

CANARY = b"canary-71c0de"

# Everything that can be done to files, in the working directory.
WRITES = """
set -e
echo new >write; truncate -s 1 truncate; rm unlink; mv rename renamed; chmod 700 chmod
rm over; mkdir over; echo x >over/f; ln -s / link; rm -r tree; mkdir tree; echo x >tree/fresh
mv dir dir2; ln hard hard2; echo x >>hard2; touch -d @1000000000 touch
"""


def has_overlays():
    """True if an ordinary user may mount overlayfs in a user namespace of its own."""
    script = ("cd \"$1\" && mkdir l u w m && mount -t overlay -o "
              "lowerdir=l,upperdir=u,workdir=w,userxattr none m")
    base = subprocess.run(["mktemp", "-d"], stdout=subprocess.PIPE, check=True, text=True)
    top = base.stdout.strip()
    try:
        return subprocess.run(["unshare", "-Urm", "sh", "-c", script, "sh", top], check=False,
                              stderr=subprocess.DEVNULL).returncode == 0
    finally:
        subprocess.run(["chmod", "-R", "u+rwx", top], check=False)
        shutil.rmtree(top, ignore_errors=True)


OVERLAYS = has_overlays()


def tree_hash(top):
    """Names, types, modes, inodes, times and content below a directory."""
    digest = hashlib.sha256()
    for root, dirs, files in os.walk(top):
        dirs.sort()
        for name in sorted(dirs + files):
            path = os.path.join(root, name)
            st = os.lstat(path)
            digest.update(repr((path, st.st_mode, st.st_ino, st.st_ctime_ns, st.st_size)).encode())
            if os.path.isfile(path) and not os.path.islink(path):
                with open(path, "rb") as file:
                    digest.update(file.read())
    return digest.hexdigest()


class OverlayTest(SessionTest):
    def setUp(self):
        super().setUp()
        if not OVERLAYS:
            if os.environ.get("AI_JAIL_TESTS_MUST_RUN"):
                self.fail("overlayfs cannot be mounted in a user namespace here")
            self.skipTest("overlayfs cannot be mounted in a user namespace here")
        self.data = os.path.join(self.base, "data")
        self.sub = os.path.join(self.project, "sub")
        self.env["XDG_STATE_HOME"] = os.path.join(self.base, "state")
        for top in (self.data, self.sub):
            os.mkdir(top)
            for name in ("write", "truncate", "unlink", "rename", "chmod", "over", "hard", "touch"):
                self.put(os.path.join(top, name), name.encode() * 10)
            os.makedirs(os.path.join(top, "tree", "deep"))
            self.put(os.path.join(top, "tree", "deep", "f"), b"deep")
            os.mkdir(os.path.join(top, "dir"))
            self.put(os.path.join(top, "dir", "f"), b"f")

    def tearDown(self):
        # overlayfs leaves directories without any right.
        subprocess.run(["chmod", "-R", "u+rwx", self.base], check=False)
        super().tearDown()

    @staticmethod
    def put(path, content):
        with open(path, "wb") as file:
            file.write(content)

    @staticmethod
    def get(path):
        with open(path, "rb") as file:
            return file.read()

    def call(self, *words, cwd=None, env=None):
        """(status, stdout, stderr)"""
        result = subprocess.run([PROGRAM, *words], cwd=cwd or self.project, env=env or self.env,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, check=False, timeout=60)
        return (result.returncode, result.stdout.decode(errors="replace"),
                result.stderr.decode(errors="replace"))

    def inside(self, script, *options, status=0, cwd=None):
        got = self.call("--no-save-config", *options, "--", "sh", "-c", script, cwd=cwd)
        self.assertEqual(got[0], status, got)
        return got[1]

    def storages(self):
        top = os.path.join(self.env["XDG_STATE_HOME"], "ai-jail", "overlays")
        return [os.path.join(top, n) for n in os.listdir(top)] if os.path.isdir(top) else []


class Running(OverlayTest):
    def test_the_real_directory_stays_as_it_is(self):
        """E-OVL-01, outside and inside of the project, and the project itself."""
        for option, place in ((self.data, self.data), (self.sub, self.sub), (".", self.sub)):
            with self.subTest(option=option):
                before = tree_hash(place)
                out = self.inside(f"cd {place}\n{WRITES}\ncat write over/f tree/fresh; ls tree",
                                  "--overlay-map", option)
                self.assertEqual(out, "new\nx\nx\nfresh\n")
                self.assertEqual(tree_hash(place), before)
                # A second run sees what the first wrote.
                self.assertEqual(self.inside(f"cat {place}/write; ls {place}/tree",
                                             "--overlay-map", option), "new\nfresh\n")
                self.assertEqual(tree_hash(place), before)
        # The control: without the overlay the same words change it.
        before = tree_hash(self.sub)
        self.inside(f"cd {self.sub}\n{WRITES}")
        self.assertNotEqual(tree_hash(self.sub), before)

    def test_upper_is_named_and_invisible_inside(self):
        """E-OVL-02, P-PLAN-17"""
        status, out, err = self.call("--no-save-config", "--overlay-map", "sub", "--", "sh", "-c",
                                     "cat /proc/self/mountinfo; ls -d " +
                                     self.env["XDG_STATE_HOME"])
        self.assertEqual(status, 2, err)
        upper = re.search(r"kept in (\S+/upper)", err).group(1)
        self.assertEqual([os.path.dirname(upper)], self.storages())
        self.assertNotIn("ai-jail/overlays", out)
        self.assertIn(" overlay ", out)

    def test_dry_run_makes_nothing(self):
        status, out, _ = self.call("--dry-run", "--overlay-map", "sub", "--", "true")
        self.assertEqual(status, 0)
        self.assertRegex(out, r"13 overlay +\S+/sub")
        self.assertEqual(self.storages(), [])

    def test_what_is_no_overlay_ends_the_start(self):
        """P-PLAN-16: 125 and nothing is written, never a plain bind."""
        before = tree_hash(self.sub)
        storage_of = os.path.join(self.env["XDG_STATE_HOME"], "ai-jail")
        self.inside("true", "--overlay-map", "sub")
        upper = os.path.join(self.storages()[0], "upper")
        for break_it, mend in (
                (lambda: os.rename(upper, upper + "2"), lambda: os.rename(upper + "2", upper)),
                (lambda: os.rename(storage_of, storage_of + "2"),
                 lambda: os.rename(storage_of + "2", storage_of))):
            break_it()
            target = upper if not os.path.exists(upper) and os.path.exists(storage_of) else storage_of
            os.symlink(self.data, target)
            status, _, err = self.call("--no-save-config", "--overlay-map", "sub", "--", "sh",
                                       "-c", "echo evil >sub/write")
            self.assertEqual(status, 125, err)
            os.unlink(target)
            mend()
        status, _, err = self.call("--no-save-config", "--overlay-map", "sub", "--overlay-map",
                                   "sub/dir", "--", "true")
        self.assertEqual(status, 125)
        self.assertIn("overlaps", err)
        self.assertEqual(tree_hash(self.sub), before)

    def test_permissions_are_those_of_the_overlay(self):
        """What the real file forbids can be allowed in the copy."""
        path = os.path.join(self.data, "dir", "f")
        os.chmod(path, 0o444)
        out = self.inside(f"cd {self.data}; chmod u+w dir/f; echo y >dir/f; cat dir/f",
                          "--overlay-map", self.data)
        self.assertEqual(out, "y\n")
        self.assertEqual(self.get(path), b"f")
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o444)


class Hostile(OverlayTest):
    def test_planted_attributes_lead_nowhere(self):
        """E-OVL-03, P-PLAN-17: attributes in the lower tree, and in the storage as a control of the
        options: nothing from outside appears."""
        secret = os.path.join(self.base, "secret")
        os.mkdir(secret)
        self.put(os.path.join(secret, "key"), CANARY)
        for name in ("write", "dir", "tree"):
            path = os.path.join(self.sub, name)
            for key, value in (("redirect", b"/../../../secret"), ("origin", b"\0"),
                               ("opaque", b"y"), ("impure", b"y")):
                os.setxattr(path, f"user.overlay.{key}", value)
        look = "cat sub/write; ls sub/dir sub/tree; cat sub/dir/* sub/tree/* 2>/dev/null; true"
        plain = self.inside(look)
        self.assertIn("write", plain)
        self.assertEqual(self.inside(look, "--overlay-map", "sub"), plain)
        # The kernel refuses a file that says it is elsewhere: then it has no content at all.
        os.setxattr(os.path.join(self.sub, "touch"), "user.overlay.metacopy", b"")
        os.setxattr(os.path.join(self.sub, "touch"), "user.overlay.redirect", b"/../../secret/key")
        self.assertIn(self.inside("cat sub/touch; true", "--overlay-map", "sub"),
                      ("", "touch" * 10))
        # Copied up they are still nothing.
        self.inside("cd sub; echo x >>write; touch dir/new tree/new; chmod 700 dir tree",
                    "--overlay-map", "sub")
        out = self.inside("cat sub/write; find sub", "--overlay-map", "sub")
        self.assertNotIn(CANARY.decode(), out)
        self.assertNotIn("key", out)
        upper = os.path.join(self.storages()[0], "upper")
        os.setxattr(os.path.join(upper, "dir"), "user.overlay.redirect", b"/../../../secret")
        os.setxattr(os.path.join(upper, "write"), "user.overlay.metacopy", b"")
        os.setxattr(os.path.join(upper, "write"), "user.overlay.redirect", b"/../../secret/key")
        out = self.inside("cat sub/write; find sub; cat sub/dir/*; true", "--overlay-map", "sub")
        self.assertNotIn(CANARY.decode(), out)
        self.assertNotIn("key", out)

    def test_attributes_cannot_be_written_inside(self):
        """E-OVL-03: refused, or kept as an ordinary attribute of the file."""
        self.inside("python3 -c \"\nimport os\nfor k in ('redirect', 'opaque', 'metacopy'):\n"
                    "    try:\n        os.setxattr('sub/dir', 'user.overlay.' + k, b'y')\n"
                    "    except OSError:\n        pass\n\"", "--overlay-map", "sub")
        os.mknod(os.path.join(self.base, "whiteout"), stat.S_IFCHR, 0)  # the control: allowed here
        out = self.inside("python3 -c \"\nimport errno, os, stat\nfor p in ('sub/w', 'w'):\n"
                          "    try:\n        os.mknod(p, stat.S_IFCHR, 0)\n"
                          "    except OSError as e:\n        print(errno.errorcode[e.errno])\n\"",
                          "--overlay-map", "sub")
        self.assertEqual(out, "EACCES\nEACCES\n")
        for root, dirs, files in os.walk(os.path.join(self.storages()[0], "upper")):
            for name in dirs + files:
                keys = os.listxattr(os.path.join(root, name), follow_symlinks=False)
                for key in ("redirect", "opaque", "metacopy"):
                    self.assertNotIn(f"user.overlay.{key}", keys)

    def test_masks_hold_below_an_overlay(self):
        """E-OVL-04, P-PLAN-18: also where the overlay has its own idea of the masked name."""
        secret = os.path.join(self.sub, "secret")
        self.put(secret, CANARY)
        options = ("--overlay-map", "sub", "--mask", "sub/secret")
        self.assertEqual(self.inside("cat sub/secret"), CANARY.decode())
        self.assertEqual(self.inside("cat sub/secret", "--overlay-map", "sub"), CANARY.decode())
        self.assertEqual(self.inside("cat sub/secret", *options), "")
        out = self.inside("mv sub/secret sub/s2; rm -f sub/secret; echo x >sub/secret;"
                          "ln sub/secret sub/s3; cat sub/*; true", *options)
        self.assertNotIn(CANARY.decode(), out)
        self.assertEqual(self.get(secret), CANARY)
        # An overlay that deleted it in an earlier run.
        self.inside("rm sub/secret", "--overlay-map", "sub")
        out = self.inside("cat sub/* 2>/dev/null; true", *options)
        self.assertNotIn(CANARY.decode(), out)

    def test_the_policy_file_is_masked_when_the_project_is_an_overlay(self):
        self.put(os.path.join(self.project, ".ai-jail"), b"# " + CANARY + b"\n")
        out = self.inside("cat .ai-jail; true", "--overlay-map", ".")
        self.assertEqual(out, "")


class TwoRuns(OverlayTest):
    def hold(self):
        """A run that goes on; its process."""
        ready = self.output()
        process = self.start(["--no-save-config", "--overlay-map", "sub", "--", "sh", "-c",
                              "echo held >sub/held; echo ready; exec sleep 600"],
                             [self.null, ready.fd, self.output().fd])
        wait_for(lambda: b"ready" in ready.bytes(), "the first run")
        return process

    def test_the_second_is_refused_and_names_the_first(self):
        """E-OVL-05, P-PLAN-28"""
        process = self.hold()
        for words in (("--no-save-config", "--overlay-map", "sub", "--", "true"),
                      ("--overlay-apply", "sub"), ("--overlay-discard", "sub")):
            status, _, err = self.call(*words)
            self.assertEqual(status, 125)
            self.assertIn(f"pid {process.pid}", err)
        self.assertIn(f"pid {process.pid}", self.call("--overlay-list")[1])
        # Another directory, and another project, are free.
        self.inside("true", "--overlay-map", self.data)
        process.kill(signal.SIGTERM)
        process.wait()
        self.inside("test -f sub/held", "--overlay-map", "sub")

    def test_after_a_kill_the_storage_is_whole(self):
        """E-OVL-05"""
        for _ in range(3):
            process = self.hold()
            process.kill()
            process.wait()
            self.assert_nothing_left()
            self.assertEqual(self.inside("cat sub/held sub/dir/f", "--overlay-map", "sub"),
                             "held\nf")

    def test_two_projects_have_two_storages(self):
        other = os.path.join(self.base, "other")
        os.mkdir(other)
        self.inside(f"echo one >{self.data}/write", "--overlay-map", self.data)
        out = self.inside(f"cat {self.data}/write; echo two >{self.data}/write", "--overlay-map",
                          self.data, cwd=other)
        self.assertEqual(out, "write" * 10)
        self.assertEqual(self.inside(f"cat {self.data}/write", "--overlay-map", self.data), "one\n")
        # The verbs of one project do not see the other's.
        listed = json.loads(self.call("--overlay-list", "--json", cwd=other)[1])
        self.assertEqual([o["path"] for o in listed["overlays"]], [self.data])
        self.assertEqual(self.call("--overlay-discard", self.data, cwd=other)[0], 0)
        self.assertEqual(len(self.storages()), 1)


class Verbs(OverlayTest):
    def changes(self, *words):
        status, out, err = self.call("--overlay-list", "--json", *words)
        self.assertEqual(status, 0, err)
        overlays = json.loads(out)["overlays"]
        return [(c["kind"], c["type"], c["path"]) for o in overlays for c in o["changes"]]

    def test_what_overlayfs_leaves_is_listed_and_applied(self):
        self.inside(f"cd sub\n{WRITES}", "--overlay-map", "sub")
        changes = self.changes()
        self.assertEqual(changes, [
            ("deleted", "dir", "dir"), ("deleted", "file", "rename"),
            ("deleted", "dir", "tree/deep"), ("deleted", "file", "unlink"),
            ("mode", "file", "chmod"), ("changed", "file", "hard"), ("changed", "dir", "over"),
            ("changed", "file", "truncate"), ("changed", "file", "write"),
            ("added", "dir", "dir2"), ("added", "file", "dir2/f"), ("added", "file", "hard2"),
            ("added", "link", "link"), ("added", "file", "over/f"), ("added", "file", "renamed"),
            ("added", "file", "tree/fresh")])
        text = self.call("--overlay-list=sub")[1]
        self.assertIn("link -> /", text)
        look = "cd sub; find . | sort; cat write truncate renamed hard hard2 dir2/f over/f"
        want = self.inside(look, "--overlay-map", "sub")
        status, out, err = self.call("--overlay-apply", "sub")
        self.assertEqual(status, 0, err)
        self.assertIn("16 changes applied", out)
        self.assertEqual(self.inside(look), want)
        self.assertEqual(self.storages(), [])
        self.assertEqual(self.call("--overlay-list")[1], "no overlays of this project\n")

    def test_a_file_that_changed_underneath_is_refused(self):
        self.inside("echo agent >sub/write; echo agent >sub/new; rm sub/unlink", "--overlay-map",
                    "sub")
        path = os.path.join(self.sub, "write")
        old = os.stat(path)
        self.put(path, b"host" * 10)
        os.utime(path, ns=(old.st_atime_ns, old.st_mtime_ns))
        before = tree_hash(self.sub)
        status, _, err = self.call("--overlay-apply", "sub")
        self.assertEqual(status, 1, err)
        self.assertIn("write: changed", err)
        self.assertNotIn("unlink: changed", err)
        self.assertEqual(tree_hash(self.sub), before)
        self.assertEqual(len(self.changes()), 3)
        self.assertEqual(self.call("--overlay-discard", "sub")[0], 0)
        self.assertEqual(tree_hash(self.sub), before)
        self.assertEqual(self.storages(), [])

    def test_names_cannot_act_on_the_terminal(self):
        self.inside("touch \"$(printf 'sub/\\033]0;x\\007')\"", "--overlay-map", "sub")
        for words in (("--overlay-list",), ("--overlay-list", "--json")):
            out = self.call(*words)[1]
            self.assertNotIn("\x1b", out)
            self.assertIn("x1b", out.lower())

    def test_what_is_not_there(self):
        for verb in ("--overlay-apply", "--overlay-discard"):
            status, _, err = self.call(verb, "sub")
            self.assertEqual(status, 125)
            self.assertIn("no overlay", err)
        self.assertEqual(self.call("--overlay-list=sub")[0], 125)

    def test_an_overlay_whose_directory_is_gone(self):
        self.inside("echo agent >sub/write", "--overlay-map", "sub")
        shutil.rmtree(self.sub)
        self.assertIn("no such directory", self.call("--overlay-list")[1])
        self.assertEqual(self.call("--overlay-apply", "sub")[0], 125)
        self.assertEqual(self.call("--overlay-discard", "sub")[0], 0)

    def test_git_works_in_an_overlay(self):
        ptyrun.tool("git")
        git = "git -c user.name=n -c user.email=e@example.org"
        script = (f"set -e; {git} init -q -b main .; echo 1 >a; {git} add .; {git} commit -qm one;"
                  f"{git} checkout -qb b; echo 2 >a; {git} commit -qam two; {git} checkout -q main;"
                  f"{git} merge -q b; {git} gc -q; {git} fsck; {git} log --oneline | wc -l")
        out = self.inside(f"cd {self.data}; {script}", "--overlay-map", self.data)
        self.assertEqual(out.strip(), "2")
        self.assertFalse(os.path.exists(os.path.join(self.data, ".git")))
        self.assertEqual(self.call("--overlay-apply", self.data)[0], 0)
        result = subprocess.run(["git", "-C", self.data, "fsck", "--strict"], env=self.env,
                                check=False, stderr=subprocess.PIPE)
        self.assertEqual(result.returncode, 0, result.stderr)


if __name__ == "__main__":
    ptyrun.main()
