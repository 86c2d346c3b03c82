#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""What a run leaves behind: named at its end, and in the file of --report."""
import json
import os
import stat
import subprocess

import ptyrun
from ptyrun import SessionTest

CHANGED = "changed in this run and used outside"


class Report(SessionTest):
    def path(self, *names):
        return os.path.join(self.project, *names)

    def write(self, text, *names, mode=0o644):
        os.makedirs(os.path.dirname(self.path(*names)), exist_ok=True)
        with open(self.path(*names), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(self.path(*names), mode)

    def run_script(self, script, *words, code=0):
        """(report, stderr) of a shell script in the jail."""
        file = os.path.join(self.base, "report.json")
        got, _, err = self.run_piped(["--no-save-config", "--report", file, *words, "--", "sh",
                                      "-c", script])
        self.assertEqual(got, code, err)
        self.assertEqual(stat.S_IMODE(os.stat(file).st_mode), 0o600)
        with open(file, encoding="utf-8") as stream:
            return json.load(stream), err

    def changed(self, script, *words):
        report, err = self.run_script(script, *words)
        found = {row["path"]: (row["class"], row["change"], row.get("count", 1))
                 for row in report["changed"]}
        self.assertEqual(CHANGED in err, bool(found), err)
        for path in found:
            self.assertIn(path, err)
        return found

    def test_nothing(self):
        report, err = self.run_script("echo x > file; mkdir -p sub/.git; ln -s file link; exit 7",
                                      code=7)
        self.assertEqual((report["code"], report["signal"], report["changed"], report["refused"],
                          report["late_masks"], report["lost"]["files"], report["version"]),
                         (7, None, [], [], [], 0, 1))
        self.assertEqual(report["command"][0], "sh")
        self.assertNotIn(CHANGED, err)

    def test_signal(self):
        report, _ = self.run_script("kill -9 $$", code=137)
        self.assertEqual((report["code"], report["signal"]), (137, 9))

    def test_each_class(self):
        """E-GIT-08."""
        found = self.changed(
            "mkdir -p .vscode .devcontainer/x .github/workflows .claude .idea sub; "
            "for f in .envrc sub/.envrc mise.toml .mcp.json .vscode/tasks.json .idea/any "
            ".devcontainer/x/y .claude/settings.local.json .github/workflows/ci.yml Jenkinsfile; "
            "do echo x > $f; done; echo x > .vscode/notes; ln -s /etc/passwd out; "
            "ln -s ../.. sub/up; ln -s ../mise.toml sub/in")
        self.assertEqual(found, {
            ".envrc": ("shell", "new", 1), "sub/.envrc": ("shell", "new", 1),
            "mise.toml": ("shell", "new", 1), ".mcp.json": ("agent", "new", 1),
            ".vscode/tasks.json": ("editor", "new", 1), ".idea/any": ("editor", "new", 1),
            ".devcontainer/x/y": ("editor", "new", 1),
            ".claude/settings.local.json": ("agent", "new", 1),
            ".github/workflows/ci.yml": ("ci", "new", 1), "Jenkinsfile": ("ci", "new", 1),
            "out": ("link", "new", 1), "sub/up": ("link", "new", 1)})

    def test_what_was_there_is_not_named(self):
        self.write("x", ".envrc")
        self.write("x", ".vscode", "tasks.json")
        os.symlink("/etc", self.path("old"))
        self.assertEqual(self.changed("echo y > file; touch .vscode/other"), {})
        self.assertEqual(self.changed("echo y >> .envrc"), {".envrc": ("shell", "changed", 1)})

    def test_moved_into_place(self):
        """Old files under a name that matters."""
        self.write("x", "doc", "sample", "tasks.json")
        self.write("x", "doc", "envrc")
        found = self.changed("mv doc/sample .vscode; mv doc/envrc .envrc")
        self.assertEqual({path: row[0] for path, row in found.items()},
                         {".vscode/tasks.json": "editor", ".envrc": "shell"})

    def test_scripts(self):
        self.write('{"name": "a", "scripts": {"x": "}"}, "version": "1"}', "package.json")
        self.assertEqual(self.changed("sed -i s/1/2/ package.json"), {})
        self.assertEqual(self.changed("sed -i s/x/y/ package.json"),
                         {"package.json": ("scripts", "changed", 1)})

    def test_programs(self):
        self.write("#!/bin/sh\n", "bin", "old", mode=0o755)
        self.env["PATH"] = self.path("bin") + ":" + self.env["PATH"]
        found = self.changed("mkdir -p node_modules/.bin; for n in a b; do echo > "
                             "node_modules/.bin/$n; chmod +x node_modules/.bin/$n; done; "
                             "echo > bin/new; echo > bin/text; chmod +x bin/new")
        self.assertEqual(found, {"node_modules/.bin": ("program", "new", 2),
                                 self.path("bin/new"): ("program", "new", 1)})

    def test_git(self):
        git = ptyrun.tool("git")
        subprocess.run([git, "init", "-q", self.project], env=self.env, check=True)
        report, err = self.run_script(f"{git} config user.name x || echo no", "--verbose")
        self.assertEqual(report["changed"], [])
        self.assertIn("config is read-only in the jail: what tried to change it failed "
                      "(--no-protect-git", err)
        found = self.changed(f"{git} config user.name x; echo x > .git/hooks/pre-commit",
                             "--no-protect-git")
        self.assertEqual({path: row[0] for path, row in found.items()},
                         {".git/config": "git", ".git/hooks/pre-commit": "git"})

    def test_new_repositories(self):
        """What git would run of a repository that the command made: "git status" of the project runs
        it for submodules, whoever made them."""
        git = ptyrun.tool("git")
        subprocess.run([git, "init", "-q", self.project], env=self.env, check=True)
        self.write("gitdir: ../.git/modules/old\n", "old", ".git")
        subprocess.run([git, "init", "-q", "--bare", self.path(".git/modules/old")], env=self.env,
                       check=True)
        # A repository with a lock in it is not done yet: on a busy machine it could be taken for that.
        found = self.changed("mkdir -p new/.git; echo > new/.git/wait.lock; "
                             f"{git} init -q new; {git} -C new config core.fsmonitor x; "
                             "echo > new/.git/hooks/post-checkout; "
                             f"{git} init -q --bare bare; mkdir -p a/file evil; "
                             "echo 'gitdir: ../../evil' > a/file/.git; "
                             f"{git} init -q --bare .git/ready; "
                             "mv .git/modules/old .git/modules/away; "
                             "mv .git/ready .git/modules/old; ln -s ../new/.git a/.git; "
                             "mkdir shared; echo ref: > shared/HEAD; echo ../evil > shared/commondir")
        self.assertEqual({path: row[:2] for path, row in found.items()},
                         {path: ("git", "new") for path in (
                             "new/.git/config", "new/.git/hooks/post-checkout", "bare/config",
                             "a/file/.git", ".git/modules/old/config", "a/.git",
                             "shared/commondir")})

    def test_the_repository_of_a_worktree(self):
        git = ptyrun.tool("git")
        main = os.path.join(self.base, "main")
        os.rmdir(self.project)
        for words in (["init", "-q", main], ["-C", main, "commit", "-q", "--allow-empty", "-m", "x"],
                      ["-C", main, "worktree", "add", "-q", self.project]):
            subprocess.run([git, "-c", "user.name=n", "-c", "user.email=e", *words], env=self.env,
                           check=True)
        found = self.changed(f"cd {main}/.git; {git} init -q --bare modules/evil; "
                             "mkdir worktrees/evil; echo ../../modules/evil > "
                             "worktrees/evil/commondir; echo > HEAD.x", "--worktree")
        self.assertEqual({path: row[0] for path, row in found.items()},
                         {f"{main}/.git/{name}": "git" for name in
                          ("modules/evil/config", "worktrees/evil/commondir")})

    def test_policy_file_below(self):
        found = self.changed("mkdir sub; echo 'network = true' > sub/.ai-jail; echo > .ai-jail")
        self.assertEqual(found, {"sub/.ai-jail": ("policy", "new", 1)})

    def test_too_deep(self):
        report, err = self.run_script("for i in $(seq 70); do mkdir d; cd d; done; echo > .envrc")
        self.assertEqual((report["changed"], report["partial"]), ([], True))
        self.assertIn("not everything was looked at", err)

    def more_than_is_looked_at(self):
        """Said, and no place for hiding what lies elsewhere."""
        agent = os.path.join(self.home, "bin", "claude")
        os.makedirs(os.path.dirname(agent))
        with open(agent, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\npython3 many.py; echo {} > ~/.claude/settings.json\n")
        os.chmod(agent, 0o755)
        self.write("import os; os.mkdir('d'); n = 0; open('d/0', 'w').close()\n"
                   "f = os.open('d', os.O_RDONLY)\n"
                   "for i in range(1, 200100):\n"
                   "    if i % 50000 == 0: n = i; open('d/%d' % i, 'w').close()\n"
                   "    else: os.link(str(n), str(i), src_dir_fd=f, dst_dir_fd=f)\n", "many.py")
        self.env["PATH"] = os.path.dirname(agent) + ":" + self.env["PATH"]
        code, _, err = self.run_piped(["--no-save-config", "claude"])
        self.assertEqual(code, 0, err)
        self.assertIn(".claude/settings.json", err)
        self.assertIn("not everything was looked at", err)

    if os.environ.get("AI_JAIL_COMPAT") == "all":  # half a minute
        test_more_than_is_looked_at = more_than_is_looked_at

    def test_lost_home(self):
        report, err = self.run_script("mkdir -p ~/.cache ~/d; head -c 3000000 /dev/zero > ~/d/big; "
                                      "head -c 100 /dev/zero > ~/small; "
                                      "head -c 9000000 /dev/zero > ~/.cache/x")
        self.assertEqual((report["lost"]["files"], report["lost"]["bytes"]), (2, 3000100))
        self.assertEqual(report["lost"]["largest"],
                         [{"path": os.path.join(self.home, "d/big"), "bytes": 3000000}])
        self.assertRegex(err, r"gone with the private home: 2 files, 2\.9 MiB, the largest ")
        report, err = self.run_script("echo x > ~/small")
        self.assertEqual(report["lost"]["files"], 0)
        self.assertNotIn("gone with", err)

    def test_late_mask(self):
        report, _ = self.run_script("echo x > k.pem; while [ -s k.pem ]; do :; done", "--mask",
                                    "*.pem")
        self.assertIn((self.path("k.pem"), "mask"),
                      [(row["path"], row["kind"]) for row in report["late_masks"]])

    def test_many(self):
        report, err = self.run_script("for i in $(seq 90); do mkdir d$i; echo > d$i/.envrc; done")
        self.assertEqual(len(report["changed"]), 64)
        self.assertRegex(err, "and 70 more")

    def test_hostile_names(self):
        found = self.changed("mkdir \"$(printf 'a\\033]0;x\\007\\nb')\"; cd a*; echo > .envrc")
        self.assertEqual(list(found), ["a\\x1B]0;x\\x07\\x0Ab/.envrc"])

    def test_unusable_file(self):
        os.mkdir(os.path.join(self.base, "dir"))
        for file in ("/nonexistent/r.json", os.path.join(self.base, "dir")):
            code, _, err = self.run_piped(["--no-save-config", "--report", file, "true"])
            self.assertEqual(code, 125)
            self.assertIn("--report " + file, err)

    def test_in_the_project_over_a_link(self):
        """What the command leaves at the name is replaced, never followed."""
        file = self.path("r.json")
        code, _, err = self.run_piped(["--no-save-config", "--report", file, "sh", "-c",
                                       "ln -s ../victim r.json"])
        self.assertEqual(code, 0, err)
        self.assertFalse(os.path.exists(os.path.join(self.base, "victim")))
        self.assertTrue(stat.S_ISREG(os.lstat(file).st_mode))


if __name__ == "__main__":
    ptyrun.main()
