#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""git as it is used: inside everything that is no configuration works, in a repository and in a
linked worktree; what would run on the host later cannot be written; forged worktrees show nothing."""
import ctypes
import json
import os
import resource
import shutil
import subprocess

import ptyrun
from ptyrun import SessionTest

REAL_LAUNCHES = 30
DRY_RUNS = 70
RENAME_EXCHANGE = 2
CANARY = "canary-5d20c7"

# Tries each path given as "KIND PATH" and prints the errno's name, or OK.
TRY = """
import errno, os, sys
def attempt(kind, path):
    if kind == "write":
        os.close(os.open(path, os.O_WRONLY))
    elif kind == "create":
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o755))
    elif kind == "over":
        beside = os.path.join(os.path.dirname(path), "escape-new")
        open(beside, "w").close()
        try:
            os.rename(beside, path)
        except OSError:
            os.unlink(beside)
            raise
    elif kind == "away":
        os.rename(path, path + "2")
    elif kind == "unlink":
        os.unlink(path)
    elif kind == "read":
        open(path).close()
for line in sys.argv[1:]:
    try:
        attempt(*line.split(" ", 1))
        print("OK")
    except OSError as error:
        print(errno.errorcode[error.errno])
"""


def spent():
    """Seconds of the processor that all who have ended took."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class GitTest(SessionTest):
    def setUp(self):
        super().setUp()
        ptyrun.tool("git")
        # Nobody's settings but these, outside and inside.
        with open(os.path.join(self.home, ".gitconfig"), "w", encoding="ascii") as file:
            file.write("[user]\n\tname = n\n\temail = e@example.org\n"
                       "[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n"
                       "[protocol \"file\"]\n\tallow = always\n")

    def git(self, *words, cwd=None, check=True):
        result = subprocess.run(["git", *words], cwd=cwd or self.project, env=self.env, check=False,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True)
        if check:
            self.assertEqual(result.returncode, 0, f"git {words}: {result.stdout}")
        return result.stdout

    def write(self, path, text=""):
        path = os.path.join(self.project, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        return path

    def make_repository(self, path):
        os.makedirs(path, exist_ok=True)
        self.git("init", "-q", cwd=path)
        self.write(os.path.join(path, "first"), "1\n")
        self.git("add", "first", cwd=path)
        self.git("commit", "-qm", "first", cwd=path)

    def make_worktree(self):
        """The project becomes a linked worktree of base/main."""
        main = os.path.join(self.base, "main")
        self.make_repository(main)
        os.rmdir(self.project)
        self.git("worktree", "add", "-q", "-b", "side", self.project, cwd=main)
        return os.path.join(main, ".git")

    def inside(self, script, *options, **keywords):
        """A shell script that ends with the first failure."""
        code, out, err = self.run_piped(["--no-save-config", *options, "--", "sh", "-ec", script],
                                        **keywords)
        return code, out.decode(), err

    def attempts(self, lines, *options):
        code, out, err = self.run_piped([*options, "--", "python3", "-c", TRY, *lines])
        self.assertEqual(code, 0, err)
        return dict(zip(lines, out.decode().split()))


WORK = """
echo a >> first; git add first; git commit -qm second
git branch one; git checkout -q one; echo 1 > one; git add one; git commit -qm one
git checkout -q -b two HEAD~1; echo 2 > two; git add two; git commit -qm two
git rebase -q one
test "$(git rev-parse HEAD~1)" = "$(git rev-parse one)"
echo b >> first; git stash -q; git diff --quiet; git stash pop -q; ! git diff --quiet
git checkout -q first
git fetch -q "$UPSTREAM" main:fetched; git log -1 --format=%s fetched | grep -qx first
git tag v1; git checkout -q one; git merge -q --no-edit --no-ff -m merged two; git checkout -q two
git worktree list | grep -qF "$PWD"
git gc -q
git fsck --no-progress > /dev/null 2>&1
git status --porcelain
"""


class Works(GitTest):
    """E-GIT-11, P-WT-5, P-WT-10."""

    def setUp(self):
        super().setUp()
        self.upstream = os.path.join(self.base, "upstream")
        self.make_repository(self.upstream)

    def facts(self, top):
        found = {}
        for root, dirs, files in os.walk(top):
            for name in dirs + files:
                path = os.path.join(root, name)
                st = os.lstat(path)
                found[path] = (st.st_uid, st.st_gid, st.st_mode)
        return found

    def check_host(self, before):
        """What was there has its owner and mode; the index fits the files without a refresh."""
        self.git("diff-files", "--quiet")
        self.assertEqual(self.git("status", "--porcelain"), "")
        self.git("fsck")
        after = self.facts(self.base)
        for path in before.keys() & after.keys():
            self.assertEqual(after[path], before[path], path)

    def work(self, *options):
        before = self.facts(self.base)
        code, out, err = self.inside(f"UPSTREAM={self.upstream}\n{WORK}", "--map", self.upstream,
                                     *options)
        self.assertEqual((code, out), (0, ""), err)
        self.check_host(before)
        self.assertEqual(self.git("log", "-1", "--format=%s", "refs/heads/one").strip(),
                         "merged")

    def test_repository(self):
        self.make_repository(self.project)
        self.work()

    def test_linked_worktree(self):
        self.make_worktree()
        self.work("--worktree")

    def test_new_repository(self):
        """P-WT-6: git init and a first commit work."""
        code, out, err = self.inside("git init -q; echo x > x; git add x; git commit -qm x; "
                                     "mkdir sub; cd sub; git init -q; echo y > y; git add y; "
                                     "git commit -qm y; git status --porcelain")
        self.assertEqual((code, out), (0, ""), err)
        self.git("fsck")

    def test_worktrees_elsewhere_are_not_pruned(self):
        """Inside they seem to be deleted."""
        self.make_repository(self.project)
        other = os.path.join(self.base, "other")
        self.git("worktree", "add", "-q", other)
        self.inside("git worktree prune")
        self.assertEqual(self.git("status", "--porcelain", cwd=other), "")
        code, _, err = self.inside("git worktree prune", "--no-protect-git")
        self.assertEqual(code, 0, err)
        self.assertIn("not a git repository", self.git("status", cwd=other, check=False))


class Protected(GitTest):
    """E-GIT-07, E-GIT-09, P-WT-3, P-WT-7."""

    HOLD = {"EROFS", "EBUSY"}

    def test_names(self):
        self.make_repository(self.project)
        self.git("config", "extensions.worktreeConfig", "true")
        self.git("config", "--worktree", "core.x", "y")
        shutil.copytree(os.path.join(self.project, ".git"), self.base + "/module")
        shutil.move(self.base + "/module", os.path.join(self.project, ".git/modules/s"))
        self.make_repository(os.path.join(self.project, "nested"))
        hook = ".git/hooks/post-commit"
        self.write(hook, "#!/bin/sh\n")
        lines = []
        for place in (".git", ".git/modules/s", "nested/.git"):
            lines += [f"write {place}/config", f"over {place}/config", f"unlink {place}/config",
                      f"away {place}/config", f"create {place}/hooks/pre-commit",
                      f"over {place}/hooks/pre-commit", f"away {place}/hooks"]
        lines += ["write .git/config.worktree", "over .git/config.worktree", f"write {hook}",
                  f"unlink {hook}", f"over {hook}", "away .git"]
        for line, result in self.attempts(lines).items():
            self.assertIn(result, self.HOLD, line)
        self.assertEqual(self.attempts(["read .git/config", "read " + hook]),
                         {"read .git/config": "OK", "read " + hook: "OK"})
        # The control: without protection every first one succeeds, and the hook runs outside.
        for line in ("write .git/config", "over .git/hooks/pre-commit", f"write {hook}",
                     "away .git/hooks", "away .git"):
            self.assertEqual(self.attempts([line], "--no-protect-git")[line], "OK", line)

    def test_planted_hook_runs_outside(self):
        self.make_repository(self.project)
        plant = "printf '#!/bin/sh\\necho planted\\n' > .git/hooks/post-commit; " \
                "chmod +x .git/hooks/post-commit"
        commit = ("commit", "--allow-empty", "-m", "x")
        self.assertNotEqual(self.inside(plant)[0], 0)
        self.assertNotIn("planted", self.git(*commit))
        self.assertEqual(self.inside(plant, "--no-protect-git")[0], 0)
        self.assertIn("planted", self.git(*commit))

    def test_git_config_leaves_no_lock(self):
        """git says what is wrong, and goes on working."""
        self.make_repository(self.project)
        with open(os.path.join(self.project, ".git/config"), "rb") as file:
            before = file.read()
        for command in ("git config core.fsmonitor /x", "git config alias.x '!id'",
                        "git remote add o /x", "git config --unset core.bare"):
            code, _, err = self.inside(command)
            self.assertNotEqual(code, 0, command)
            self.assertIn("Device or resource busy", err)
        self.assertEqual([n for n in os.listdir(self.project + "/.git") if "lock" in n], [])
        with open(os.path.join(self.project, ".git/config"), "rb") as file:
            self.assertEqual(file.read(), before)
        self.assertEqual(self.inside("git commit -q --allow-empty -m x")[0], 0)

    def test_linked_worktree(self):
        common = self.make_worktree()
        other = os.path.join(self.base, "other")
        self.git("worktree", "add", "-q", other, cwd=os.path.dirname(common))
        own = f"{common}/worktrees/project"
        lines = [f"write {common}/config", f"create {common}/hooks/pre-commit",
                 f"over {common}/config", f"write {own}/commondir", f"unlink {own}/commondir",
                 f"write {common}/worktrees/other/HEAD", f"create {common}/worktrees/other/x",
                 "write .git", "unlink .git", "away .git", f"away {common}"]
        for line, result in self.attempts(lines, "--worktree").items():
            self.assertIn(result, self.HOLD, line)
        self.assertEqual(self.attempts([f"write {own}/HEAD"], "--worktree").popitem()[1], "OK")


class Forged(GitTest):
    """E-GIT-01 to E-GIT-06, E-GIT-10: what forgers want is a canary beside the project."""

    def setUp(self):
        super().setUp()
        self.common = self.make_worktree()
        self.own = f"{self.common}/worktrees/project"
        self.private = os.path.join(self.base, "private")
        os.makedirs(self.private + "/.git")
        for place in (self.private, self.private + "/.git", self.common):
            self.write(f"{place}/canary", CANARY if place != self.common else "genuine")

    def refused(self, want, places=None):
        """The launch goes on and says why; what it takes of the processor, in seconds. (How long it
        takes says more of the machine.)"""
        places = places or [self.private + "/canary", self.common + "/canary"]
        start = spent()
        code, out, err = self.run_piped(["--worktree", "--", "python3", "-c", TRY,
                                         *[f"read {p}" for p in places]])
        took = spent() - start
        self.assertEqual(code, 0, err)
        self.assertEqual(out.decode().split(), ["ENOENT"] * len(places), err)
        self.assertIn("--worktree", err)
        self.assertIn(want, err)
        return took

    def test_genuine(self):
        """The control of everything here."""
        _, out, err = self.run_piped(["--worktree", "--", "cat", self.common + "/canary"])
        self.assertEqual(out, b"genuine", err)
        self.assertIn(f"the command can change the repository {self.common}, outside of the project "
                      "(--worktree)", err)

    def test_flag_off(self):
        """E-GIT-10; the flag is named."""
        code, out, err = self.run_piped(["--", "python3", "-c", TRY,
                                         f"read {self.common}/canary", f"read {self.own}/HEAD"])
        self.assertEqual((code, out.split()), (0, [b"ENOENT"] * 2), err)
        self.assertIn("--worktree", err)
        os.stat(f"{self.common}/canary")

    def test_commondir_leads_away(self):
        """E-GIT-01"""
        up = "../" * len(self.project.split("/"))
        for target in (self.private, "/", self.home, "..", "../../..", up + self.private[1:]):
            with self.subTest(target=target):
                os.unlink(self.project + "/.git")
                self.write(".git", f"gitdir: {self.project}/d\n")
                self.write("d/commondir", target + "\n")
                self.write("d/gitdir", f"{self.project}/.git\n")
                self.refused("is not ")

    def test_way_back(self):
        """E-GIT-02"""
        other = os.path.join(self.base, "elsewhere/.git")
        self.write(other, f"gitdir: {self.own}\n")
        self.write(f"{self.own}/gitdir", other + "\n")
        self.refused("another place")
        os.rename(f"{self.own}/gitdir", f"{self.own}/moved")
        os.symlink("moved", f"{self.own}/gitdir")
        self.refused("symbolic link")

    def test_no_files(self):
        """E-GIT-04, P-WT-8"""
        for path in (f"{self.project}/.git", f"{self.own}/commondir", f"{self.own}/gitdir"):
            with open(path, encoding="ascii") as file:
                genuine = file.read()
            usual = self.refused_with(path, "text", None)
            for kind, want in (("fifo", "FIFO"), ("huge", "longer"), ("nul", "NUL"),
                               ("link", "symbolic link")):
                with self.subTest(path=path, kind=kind):
                    self.assertLess(self.refused_with(path, kind, want) - usual, 1.0)
            os.unlink(path)
            self.write(path, genuine)

    def refused_with(self, path, kind, want):
        os.unlink(path)
        if kind == "fifo":
            os.mkfifo(path)
        elif kind == "link":
            os.symlink("HEAD", path)
        else:
            prefix = "gitdir: " if path.endswith("/.git") else ""
            self.write(path, prefix + ("a\0b" if kind == "nul" else "/nowhere"))
        if kind == "huge":
            os.truncate(path, 1 << 30)
        return self.refused(want or "is not shown")

    def test_second_launch(self):
        """E-GIT-05, P-WT-2: what a jail has changed is looked at anew."""
        script = f"echo {self.private} > {self.own}/commondir"
        code, _, err = self.inside(script, "--worktree", "--no-protect-git")
        self.assertEqual(code, 0, err)
        self.refused("is not ")

    def test_race(self):
        """E-GIT-06: .git, and a directory on the way, change all the time."""
        self.write("d/commondir", self.private + "\n")
        self.write("d/gitdir", f"{self.project}/.git\n")
        forged = self.write("forged", f"gitdir: {self.project}/d\n")
        main, link = os.path.dirname(self.common), os.path.join(self.base, "link")
        os.symlink("private", link)
        flipper = self.flip([(f"{self.project}/.git", forged), (main, link)])
        try:
            # The control: by name the canary is there, again and again.
            seen = 0
            while seen < 20:
                with open(f"{main}/.git/canary", encoding="ascii") as file:
                    seen += file.read() == CANARY
            for _ in range(DRY_RUNS):
                self.dry_run_is_clean()
            outputs = [self.launch() for _ in range(REAL_LAUNCHES)]
        finally:
            ptyrun.kill_quietly(flipper)
            os.waitpid(flipper, 0)
        self.assertEqual({out for out in outputs} - {b"", b"genuine"}, set())

    def dry_run_is_clean(self):
        code, out, err = self.run_piped(["--worktree", "--dry-run", "--json", "true"])
        self.assertEqual(code, 0, err)
        words = json.loads(out)["backend"]["args"]
        self.assertFalse([w for w in words if str(w).startswith(self.private)])

    def launch(self):
        """The whole view of the canary's places; a launch may also be given up."""
        code, out, err = self.run_piped(
            ["--worktree", "--", "sh", "-c",
             f"cat {self.common}/canary {self.private}/canary {self.private}/.git/canary "
             "2>/dev/null; exit 0"])
        self.assertIn(code, (0, 125), err)
        if code == 125:
            self.assertRegex(err, "replaced|than was examined|cannot be|No such|links|[Rr]ace")
        return out

    def flip(self, pairs):
        pid = os.fork()
        if pid:
            return pid
        try:
            libc = ctypes.CDLL(None)
            while True:
                for left, right in pairs:
                    libc.renameat2(-100, os.fsencode(left), -100, os.fsencode(right),
                                   RENAME_EXCHANGE)
        finally:
            os._exit(1)


if __name__ == "__main__":
    ptyrun.main()
