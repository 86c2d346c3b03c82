#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""What the command sees of its caller, and what the caller sees of the command afterwards."""
import json
import os
import shutil

import ptyrun
from ptyrun import SessionTest

# Names that carry secrets or steer programs, from cloud tools, package managers, agents, desktops.
CANARIES = """
AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AZURE_CLIENT_SECRET
GOOGLE_APPLICATION_CREDENTIALS GITHUB_TOKEN GH_TOKEN GITLAB_TOKEN NPM_TOKEN PYPI_TOKEN
DOCKER_AUTH_CONFIG DOCKER_HOST KUBECONFIG VAULT_TOKEN OPENAI_API_KEY ANTHROPIC_API_KEY
GEMINI_API_KEY HF_TOKEN SLACK_TOKEN STRIPE_API_KEY DATABASE_URL PGPASSWORD MYSQL_PWD REDIS_URL
SSH_AUTH_SOCK SSH_AGENT_PID SSH_CONNECTION SSH_CLIENT SSH_TTY GPG_AGENT_INFO GPG_TTY
DBUS_SESSION_BUS_ADDRESS DBUS_SYSTEM_BUS_ADDRESS DISPLAY WAYLAND_DISPLAY XAUTHORITY
SENTRY_AUTH_TOKEN XDG_CONFIG_HOME TMUX TMUX_PANE STY VSCODE_IPC_HOOK VSCODE_IPC_HOOK_CLI
LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT NODE_OPTIONS BUN_OPTIONS PYTHONSTARTUP PYTHONPATH
PERL5OPT RUBYOPT JAVA_TOOL_OPTIONS GIT_DIR GIT_SSH_COMMAND GIT_CONFIG_COUNT BASH_ENV ENV
PROMPT_COMMAND HTTP_PROXY http_proxy HTTPS_PROXY ALL_PROXY NO_PROXY SUDO_COMMAND
""".split()
VALUE = "canary-8f3a61"


class Environment(SessionTest):
    def test_canaries(self):
        """P-ENV-1 to P-ENV-4: in no process of the jail."""
        self.assertGreaterEqual(len(CANARIES), 60)
        # A value that the dynamic loader or a shell would act upon must not break ai-jail either.
        env = dict(self.env, **{name: VALUE for name in CANARIES})
        code, out, err = self.run_piped(
            ["sh", "-c", "cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n'"], env=env)
        self.assertEqual(code, 0, err)
        self.assertIn(b"HOME=", out)
        self.assertNotIn(VALUE.encode(), out)
        names = {line.split(b"=")[0].decode() for line in out.splitlines()}
        # How programs find the jail's own proxy; the value above was not the caller's.
        ours = {"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "NO_PROXY"}
        self.assertEqual(names & set(CANARIES) - ours, set())

    def test_first_choice_of_the_oom_killer(self):
        """For an ordinary user, too, whose process may not open this file of a parent's child."""
        with open("/proc/self/oom_score_adj", encoding="ascii") as file:
            own = int(file.read())
        code, out, err = self.run_piped(["cat", "/proc/self/oom_score_adj", "/proc/1/oom_score_adj"])
        self.assertEqual(code, 0, err)
        self.assertEqual([int(word) for word in out.split()], [max(own, 500)] * 2)

    def test_each_name_once(self):
        code, out, _ = self.run_piped(["env"])
        self.assertEqual(code, 0)
        names = [line.split(b"=")[0] for line in out.splitlines()]
        self.assertEqual(len(names), len(set(names)))

    def test_duplicates_of_the_caller(self):
        """execve() may be given PATH twice; inside there is one."""
        script = ("import os, ctypes; libc = ctypes.CDLL(None); "
                  "names = [b'PATH=/usr/bin:/bin', b'PATH=/evil', b'HOME=' + os.environb[b'HOME'], "
                  "b'HOME=/evil', b'LANG=C.UTF-8']; "
                  "make = lambda l: (ctypes.c_char_p * (len(l) + 1))(*l, None); "
                  "libc.execve(os.environb[b'AIJ'], make([b'ai-jail', b'env']), make(names))")
        out = self.output()
        process = self.start_program([ptyrun.PYTHON, "-c", script], [self.null, out.fd, self.null],
                                     env=dict(self.env, AIJ=ptyrun.PROGRAM))
        self.assertEqual(process.wait(), 0)
        self.assertNotIn(b"evil", out.bytes())
        self.assertEqual(out.bytes().count(b"\nPATH=") + out.bytes().startswith(b"PATH="), 1)

    def test_almost_empty_environment(self):
        code, out, err = self.run_piped(["sh", "-c", "echo ok"], env={"HOME": self.home})
        self.assertEqual((code, out), (0, b"ok\n"), err)

    def test_no_home(self):
        """P-HOME-7: the password database has one, or the message says what to do."""
        env = {"PATH": ptyrun.PATH}
        code, out, err = self.run_piped(["sh", "-c", "echo ok"], env=env)
        if code != 0:
            self.assertEqual(code, 125, err)
            self.assertIn("HOME", err)
        else:
            self.assertEqual(out, b"ok\n")

    def test_unusable_homes(self):
        for home in (self.base + "/missing", ptyrun.PYTHON):
            code, out, err = self.run_piped(["true"], env=dict(self.env, HOME=home))
            self.assertEqual((code, out), (125, b""), err)
            self.assertIn("HOME", err)


class Arguments(SessionTest):
    DUMP = "import os, sys; sys.stdout.buffer.write(b'\\n'.join(map(os.fsencode, sys.argv[1:])))"

    def arguments(self, before, words):
        code, out, err = self.run_piped(before + ["python3", "-c", self.DUMP] + words)
        self.assertEqual(code, 0, err)
        return out.split(b"\n")

    def test_words_go_through(self):
        """P-CLI-1, P-CLI-2: nothing behind the command is ours."""
        words = ["--", "--verbose", "-v", "--", "--help", "", " ", "a b", "'", '"', "$HOME", "*",
                 "--no-landlock", "=", "--map=/", "status", "\\"]
        expected = [os.fsencode(word) for word in words]
        self.assertEqual(self.arguments([], words), expected)
        self.assertEqual(self.arguments(["--"], words), expected)

    def test_bytes_that_are_no_text(self):
        """P-CLI-8."""
        word = os.fsdecode(b"a\xff\xfe\x80b")
        self.assertEqual(self.arguments([], [word]), [b"a\xff\xfe\x80b"])

    def test_many(self):
        words = [str(number) * 10 for number in range(5000)]
        self.assertEqual(self.arguments([], words), [word.encode() for word in words])

    def test_a_program_called_status(self):
        """P-CLI-14."""
        path = os.path.join(self.project, "status")
        with open(path, "w", encoding="ascii") as file:
            file.write("#!/bin/sh\necho it ran\n")
        os.chmod(path, 0o755)
        env = dict(self.env, PATH=self.project + ":" + ptyrun.PATH)
        code, out, err = self.run_piped(["--", "status"], env=env)
        self.assertEqual((code, out), (0, b"it ran\n"), err)


class Places(SessionTest):
    def test_project_by_a_link(self):
        """The caller came through a link: the physical directory is the project."""
        link = os.path.join(self.base, "link")
        os.symlink(self.project, link)
        with open(os.path.join(self.project, "file"), "wb"):
            pass
        env = dict(self.env, PWD=link)
        code, out, err = self.run_piped(
            ["sh", "-c", f"pwd -P; ls; readlink {link}; echo new > {link}/new"], cwd=link, env=env)
        self.assertEqual(code, 0, err)
        project = self.project.encode()
        self.assertEqual(out.splitlines(), [project, b"file", project])
        self.assertTrue(os.path.exists(os.path.join(self.project, "new")))

    def test_home_is_a_link(self):
        """P-HOME-7: both spellings work."""
        link = os.path.join(self.base, "home-link")
        os.symlink(self.home, link)
        project = os.path.join(self.home, "src")
        os.mkdir(project)
        env = dict(self.env, HOME=link)
        code, out, err = self.run_piped(
            ["sh", "-c", f"echo a > {link}/a && cat {self.home}/a && echo $HOME"],
            env=env, cwd=project)
        self.assertEqual((code, out), (0, b"a\n" + link.encode() + b"\n"), err)
        self.assertFalse(os.path.exists(os.path.join(self.home, "a")))

    def test_name_that_is_no_text(self):
        """P-CLI-7, P-CLI-8: bytes are kept inside and escaped in our words."""
        place = os.path.join(os.fsencode(self.project), b"d\xff\x1b[31m\xc2\x9b")
        os.mkdir(place)
        code, out, err = self.run_piped(["sh", "-c", "pwd -P; echo x > new"], cwd=place)
        self.assertEqual(code, 0, err)
        self.assertEqual(out, place + b"\n")
        self.assertTrue(os.path.exists(place + b"/new"))
        self.assertNotIn("\x1b[31m", err)
        self.assertIn(r"d\xff", err.lower())

    def test_long_path(self):
        place = self.project
        while len(place) < 3500:
            place = os.path.join(place, "d" * 200)
        os.makedirs(place)
        code, out, err = self.run_piped(["pwd"], cwd=place)
        self.assertEqual(code, 0, err)
        self.assertEqual(out.decode().strip(), place)


class Traces(SessionTest):
    def test_nothing_is_created(self):
        """Neither in home nor in the project, by any kind of run that may not save ./.ai-jail."""
        with open(os.path.join(self.project, "mine"), "wb") as file:
            file.write(b"data")
        before, mounts = self.census(), ptyrun.mounts()
        for argv in (["true"], ["no-such-program"], ["--dry-run", "true"], ["--bad"], ["--help"],
                     ["sh", "-c", "cd; echo x > in-home; mkdir -p .config/x .local/share"],
                     ["--exec", "false"], ["--dry-run", "--json", "claude"]):
            with self.subTest(argv=argv):
                self.run_piped(["--no-save-config"] + argv)
                self.assertEqual(self.census(), before)
        terminal, process = self.on_terminal(["--no-save-config", "bash", "-c", "exit 0"])
        process.wait()
        terminal.close()
        self.assertEqual(self.census(), before)
        self.assertEqual(ptyrun.mounts(), mounts)

    def test_dry_run_leaves_home_empty(self):
        """P-CLI-4: not even the cache."""
        code, out, err = self.run_piped(["--dry-run", "--json", "true"])
        self.assertEqual(code, 0, err)
        self.assertTrue(json.loads(out)["backend"]["args"])
        self.assertEqual(os.listdir(self.home), [])

    def test_home_that_cannot_be_written(self):
        """The cache is a convenience: without it the run goes on."""
        os.chmod(self.home, 0o500)
        self.assertEqual(self.run_piped(["true"])[0], 0)
        os.chmod(self.home, 0o700)
        shutil.rmtree(os.path.join(self.home, ".local"), ignore_errors=True)
        with open(os.path.join(self.home, ".local"), "wb"):
            pass
        code, _, err = self.run_piped(["true"])
        self.assertEqual(code, 0, err)

    def test_broken_cache(self):
        self.run_piped(["true"])
        path = os.path.join(self.home, ".local/state/ai-jail/bwrap-probe")
        for content in (b"", b"\0" * 100, b"x" * 200000):
            with open(path, "wb") as file:
                file.write(content)
            code, _, err = self.run_piped(["true"])
            self.assertEqual(code, 0, err)
        os.unlink(path)
        os.symlink("/etc/passwd", path)
        self.assertEqual(self.run_piped(["true"])[0], 0)
        os.unlink(path)
        os.mkfifo(path)
        self.assertEqual(self.run_piped(["true"])[0], 0)


if __name__ == "__main__":
    ptyrun.main()
