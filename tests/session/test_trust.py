#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""The two configuration files of a real program: what a hostile one gets, and what a trusted one."""
import ctypes
import json
import os
import random
import signal

import ptyrun
from ptyrun import SessionTest

SECRET = "canary-51c0de"

# Everything that a file can ask for, one key a line. What an untrusted one must not get.
WEAK = {
    "ro_maps": '["~", "/etc:sub", "/proc/1"]',
    "rw_maps": '["/", "~/.ssh", "..", "sub:/usr"]',
    "overlay_maps": '["~"]',
    "mask_exceptions": '["**"]',
    "deny_path_exceptions": '["**"]',
    "private_home": "false",
    "claude_dir": '"~/.claude"',
    "no_worktree": "false",
    "protect_git": "false",
    "no_hide_config": "true",
    "no_landlock": "true",
    "no_seccomp": "true",
    "no_rlimits": "true",
    "allow_debug": "true",
    "browser_profile": '"soft"',
    "no_gpu": "false",
    "no_docker": "false",
    "no_display": "false",
    "kvm": "true",
    "x11": "true",
    "audio": "true",
    "host_shm": "true",
    "docker_config": "true",
    "systemd_user": "true",
    "tailscale": "true",
    "pictures": "true",
    "github": "true",
    "aws": "true",
    "kube": "true",
    "gcloud": "true",
    "macos_host_ipc": "true",
    "terminal_passthrough": "true",
    "inherit_env": "true",
    "update_check": "true",
    "ssh": "true",
    "clipboard": '"copy"',
    "network": "true",
    "allow_private": '["10.0.0.1"]',
    "forward_ports": "[5432]",
    "publish_ports": "[8080]",
    "allow_tcp_ports": "[443]",
    "secret_hosts": f'{{ {SECRET.replace("-", "_")} = "example.org" }}',
    "env_pass": f'["LD_PRELOAD={SECRET}"]',
    "env_from_file": '["~/.env"]',
    "trust_project_config": '["/"]',
}
# As weak as it is anyway, unless the user has said more.
DEFAULT = {"agent_state": "true", "no_mise": "false", "no_toolchains": "false"}
TIGHTENED = "agent_state = false\nno_mise = true\nno_toolchains = true\n"
# Of no meaning in a project file: no line either.
IGNORED = 'no_status_bar = false\nstatus_bar_style = "light"\nresize_redraw_key = "ctrl-l"\n'


class FilesTest(SessionTest):
    def write(self, name, text, mode=0o600):
        path = os.path.join(self.base, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def plan(self, *options, **more):
        """(document of the dry run, stderr)."""
        code, out, err = self.run_piped(["--dry-run", "--json", *options, "bash"], **more)
        self.assertEqual(code, 0, err)
        return json.loads(out), err

    def refused(self, **more):
        """stderr of a call that ends with 125 and prints nothing."""
        code, out, err = self.run_piped(["--dry-run", "bash"], **more)
        self.assertEqual((code, out), (125, b""), err)
        return err


class Hostile(FilesTest):
    def hostile(self):
        return "".join(f"{key} = {value}\n" for key, value in (WEAK | DEFAULT).items()) + IGNORED

    def test_nothing_is_gained(self):
        """E-POL-06, P-CFG-2: the same plan as with a file that says nothing; one line for each key."""
        os.mkdir(os.path.join(self.project, "sub"))
        for below in ("", 'mask = ["*.pem"]\nprivate_home = true\nnetwork = false\n', TIGHTENED):
            with self.subTest(below=below):
                self.write("home/.ai-jail", below)
                self.write("project/.ai-jail", "")
                before, _ = self.plan()
                self.write("project/.ai-jail", self.hostile())
                after, err = self.plan()
                self.assertEqual(before, after)
                self.assertNotIn(SECRET, err)
                self.assertNotIn(SECRET.replace("-", "_"), err)
                lines = [line for line in err.splitlines() if "is refused" in line]
                for number, key in enumerate(WEAK | DEFAULT, 1):
                    place = f"./.ai-jail:{number}: {key}"
                    own = [line for line in lines if place + " " in line]
                    entries = WEAK[key].count('"') // 2 if key.endswith("_maps") else 1
                    if key in DEFAULT and below != TIGHTENED:
                        entries = 0
                    self.assertEqual(len(own), entries, f"{place}\n{err}")
                    self.assertTrue(all("~/.ai-jail" in line for line in own), own)
                self.assertNotIn("status_bar", err)

    def test_each_alone(self):
        """The refusals do not depend on one another."""
        self.write("project/.ai-jail", "")
        before, _ = self.plan()
        for key in ("network", "rw_maps", "env_pass", "no_seccomp", "inherit_env", "private_home"):
            with self.subTest(key=key):
                self.write("project/.ai-jail", f"{key} = {WEAK[key]}\n")
                self.assertEqual(self.plan()[0], before)

    def test_its_command_shows_nothing_else(self):
        """A path shows the program, not its directory, and no file that is none."""
        self.write("other/note", SECRET)
        self.write("other/run", "#!/bin/sh\nls ${0%/*}\ncat ${0%/*}/note\n", 0o755)
        self.write("project/.ai-jail", f'command = ["{self.base}/other/run"]\n')
        _, out, err = self.run_piped(["--no-save-config"])
        self.assertEqual(out, b"run\n", err)
        self.write("project/.ai-jail", f'command = ["{self.base}/other/note"]\n')
        code, out, err = self.run_piped(["--no-save-config", "--dry-run", "--json"])
        self.assertNotIn(f"{self.base}/other", str(json.loads(out)["mounts"]), err)

    def test_tightening_is_taken(self):
        self.write("home/.ai-jail", "network = true\ninherit_env = true\nno_rlimits = true\n")
        self.write("project/.ai-jail", "")
        before, _ = self.plan(env=dict(self.env, EXTRA="1"))
        self.assertEqual(before["network"]["mode"], "full")
        self.assertIn("EXTRA", before["environment"])
        self.write("project/.ai-jail", "network = false\ninherit_env = false\nno_rlimits = false\n")
        after, err = self.plan(env=dict(self.env, EXTRA="1"))
        self.assertEqual(after["network"]["mode"], "off")
        self.assertNotIn("EXTRA", after["environment"])
        self.assertNotEqual(before["limits"], after["limits"])
        self.assertNotIn("is refused", err)

    def test_the_command_line_wins(self):
        self.write("project/.ai-jail", "network = false\n")
        document, err = self.plan("--network")
        self.assertEqual(document["network"]["mode"], "full")
        self.assertIn("./.ai-jail:1: network: the command line wins", err)

    def test_a_file_from_inside(self):
        """E-POL-02: what the jail leaves behind gives the next run nothing."""
        self.write("project/.ai-jail", "")
        before, _ = self.plan()
        os.unlink(os.path.join(self.project, ".ai-jail"))
        script = "for d in . sub; do mkdir -p $d; echo 'network = true' > $d/.ai-jail; done; true"
        code, _, err = self.run_piped(["--no-save-config", "sh", "-c", script])
        self.assertEqual(code, 0, err)
        # Above all if it had been refused: the file is there in any case.
        self.write("project/.ai-jail", "network = true\n")
        after, err = self.plan()
        self.assertEqual(before, after)
        self.assertIn("network = true is refused", err)

    def test_no_file_ends_quietly(self):
        """P-CFG-1: a malformed file is no weaker jail, also with --exec; it stays as it is."""
        for text in ("network = ", "network = 1\n", "mask = [", 'clipboard = "paste"\n', "a=1\na=2\n"):
            with self.subTest(text=text):
                path = self.write("project/.ai-jail", text)
                self.assertIn(f"{path}:", self.refused())
                code, out, err = self.run_piped(["--exec", "true"])
                self.assertEqual((code, out), (125, b""), err)
                self.assertIn(f"{path}:", err)
                with open(path, encoding="utf-8") as file:
                    self.assertEqual(file.read(), text)
        self.assertEqual(self.run_piped(["--dry-run", "--clean", "true"])[0], 0)

    def test_no_file_is_read_that_is_none(self):
        """P-CFG-8, P-CFG-14."""
        path = os.path.join(self.project, ".ai-jail")
        elsewhere = self.write("elsewhere", "network = true\n")
        for make in (lambda: os.symlink(elsewhere, path), lambda: os.symlink("none", path),
                     lambda: os.mkfifo(path), lambda: os.mkdir(path)):
            make()
            self.assertIn(path, self.refused())
            os.rmdir(path) if os.path.isdir(path) and not os.path.islink(path) else os.unlink(path)


class Trusted(FilesTest):
    def trust(self, more=""):
        self.write("home/.ai-jail", f'trust_project_config = ["{self.base}"]\n{more}')

    def test_it_may_enable(self):
        data = os.path.join(self.base, "data")
        os.mkdir(data)
        self.trust()
        self.write("project/.ai-jail",
                   f'network = true\nro_maps = ["{data}"]\nenv_pass = ["EXTRA=1"]\n')
        document, err = self.plan()
        self.assertEqual(document["network"]["mode"], "full")
        self.assertIn(data, [mount["dest"] for mount in document["mounts"]])
        self.assertIn("EXTRA", document["environment"])
        self.assertNotIn("refused", err)

    def test_the_command_line_is_above_it(self):
        """P-CFG-5."""
        self.trust()
        self.write("project/.ai-jail", "network = true\n")
        self.assertEqual(self.plan("--no-network")[0]["network"]["mode"], "off")

    def test_a_file_that_others_may_write_is_not(self):
        self.trust()
        self.write("project/.ai-jail", "network = true\n", 0o666)
        document, err = self.plan()
        self.assertEqual(document["network"]["mode"], "filtered")
        self.assertIn("is not trusted although", err)

    def test_a_file_with_a_second_name_is_not(self):
        """Under that name the command changes it."""
        self.trust()
        os.link(self.write("project/.ai-jail", "network = true\n"), self.base + "/project/other")
        document, err = self.plan()
        self.assertEqual(document["network"]["mode"], "filtered")
        self.assertIn("it has a second name", err)

    def test_a_file_of_the_command_is_not(self):
        """P-CFG-9, E-POL-02: made where there was none, in the project and below it; nor is it if
        the supervisor is killed. What the user has read is."""
        self.trust()
        script = ("echo 'network = true' > x; mv x .ai-jail; mkdir sub; "
                  "echo 'network = true' > sub/.ai-jail; ")
        sub = os.path.join(self.project, "sub")
        for kills in (False, True):
            if kills:
                process = self.start(["--no-save-config", "sh", "-c",
                                      script + "echo > ready; sleep 60"], [0, 1, 2])
                ptyrun.wait_for(lambda: os.path.exists(os.path.join(self.project, "ready")),
                                "the command's file")
                process.kill(signal.SIGKILL)
                process.wait()
                self.assert_nothing_left()
                os.unlink(os.path.join(self.project, "ready"))
            else:
                code, _, err = self.run_piped(["--no-save-config", "sh", "-c", script])
                self.assertEqual(code, 0, err)
                self.assertIn("sub/.ai-jail (new)", err)
            for place in (self.project, sub):
                document, err = self.plan(cwd=place)
                self.assertEqual(document["network"]["mode"], "filtered", err)
                self.assertIn("made or changed while a jail could write there", err)
                os.chmod(os.path.join(place, ".ai-jail"), 0o600)
                self.assertEqual(self.plan(cwd=place)[0]["network"]["mode"], "full")
            os.unlink(os.path.join(self.project, ".ai-jail"))
            os.unlink(os.path.join(sub, ".ai-jail"))
            os.rmdir(sub)

    def test_a_file_of_the_user_stays_trusted(self):
        """It was there, and the command could not change it; written meanwhile outside, in place."""
        self.trust()
        path = self.write("project/.ai-jail", "no_mise = true\n")
        process = self.start(["--no-save-config", "sh", "-c",
                              "echo > ready; while [ -e ready ]; do :; done"], [0, 1, 2])
        ready = os.path.join(self.project, "ready")
        ptyrun.wait_for(lambda: os.path.exists(ready), "the command's file")
        self.write("project/.ai-jail", "network = true\n")
        os.unlink(ready)
        self.assertEqual(process.wait(), 0)
        self.assertEqual(os.stat(path).st_mode & 0o7777, 0o600)
        self.assertEqual(self.plan()[0]["network"]["mode"], "full")

    def test_two_things_stay_refused(self):
        self.trust()
        self.write("project/.ai-jail", 'lockdown = false\ntrust_project_config = ["/"]\n')
        _, err = self.plan()
        self.assertIn("./.ai-jail:1: lockdown = false is refused", err)
        self.assertIn("./.ai-jail:2: trust_project_config", err)

    def test_a_map_that_would_ruin_the_jail(self):
        """P-PLAN-25: from a file it is skipped, by hand it is a mistake."""
        self.trust()
        self.write("project/.ai-jail", 'ro_maps = ["/usr:/etc"]\n')
        _, err = self.plan()
        self.assertIn("./.ai-jail:1: ro_maps /usr:/etc is skipped", err)
        code, out, err = self.run_piped(
            ["--clean", "--dry-run", "--map", "/usr:/etc", "bash"])
        self.assertEqual((code, out), (125, b""))
        self.assertIn("--map /usr:/etc", err)


class Global(FilesTest):
    def test_loose_modes(self):
        """P-CFG-15."""
        for mode in (0o666, 0o620, 0o602):
            path = self.write("home/.ai-jail", "network = true\n", mode)
            err = self.refused()
            self.assertIn(path, err)
            self.assertIn("chmod", err)
        self.write("home/.ai-jail", "network = true\n", 0o644)
        self.assertEqual(self.plan()[0]["network"]["mode"], "full")

    def test_a_link(self):
        """A link to a file of one's own is followed, one into the project is not."""
        path = os.path.join(self.home, ".ai-jail")
        os.symlink(self.write("dotfiles/ai-jail", "network = true\n"), path)
        self.assertEqual(self.plan()[0]["network"]["mode"], "full")
        os.unlink(path)
        os.symlink(self.write("project/ai-jail", "network = true\n"), path)
        self.assertIn(".ai-jail", self.refused())

    def test_one_file_for_both(self):
        """P-CFG-7."""
        os.link(self.write("home/.ai-jail", "network = true\n"),
                os.path.join(self.project, ".ai-jail"))
        document, err = self.plan()
        self.assertEqual(document["network"]["mode"], "full")
        self.assertNotIn("refused", err)

    def test_clean(self):
        self.write("home/.ai-jail", "network = true\n")
        self.write("project/.ai-jail", "network = false\n")
        self.assertEqual(self.plan()[0]["network"]["mode"], "off")
        self.assertEqual(self.plan("--clean")[0]["network"]["mode"], "full")


class Commands(FilesTest):
    def command(self, *argv):
        code, out, err = self.run_piped(["--dry-run", "--json", *argv])
        self.assertEqual(code, 0, err)
        return json.loads(out), err

    def test_whose_command_runs(self):
        self.write("home/.ai-jail", 'command = ["ls"]\n[commands.env]\nnetwork = true\n')
        self.assertEqual(self.command()[0]["command"], ["ls"])
        self.write("project/.ai-jail", 'command = ["env", "A=1"]\n')
        document, err = self.command()
        self.assertEqual(document["command"], ["env", "A=1"])
        self.assertEqual(document["network"]["mode"], "filtered")
        self.assertIn("[commands.env] is not applied", err)
        document, err = self.command("env")
        self.assertEqual(document["command"], ["env"])
        self.assertEqual(document["network"]["mode"], "full")
        self.assertEqual(self.command("true")[0]["command"], ["true"])

    def test_it_runs(self):
        self.write("project/.ai-jail", 'command = ["sh", "-c", "echo from the file"]\n')
        code, out, err = self.run_piped([])
        self.assertEqual((code, out), (0, b"from the file\n"), err)


class EnvironmentFiles(FilesTest):
    def test_order(self):
        """Inherited, then the files in order, then --env."""
        one = self.write("one", f"A=file\nB={SECRET}\nC=one\nLANG=file\n# D=4\n")
        two = self.write("two", "C=two = 2\n")
        code, out, err = self.run_piped(
            ["--env-from-file", one, "--env-from-file", two, "--env", "A=typed", "-v",
             "--no-save-config", "env"])
        self.assertEqual(code, 0, err)
        lines = out.decode().splitlines()
        for want in ("A=typed", f"B={SECRET}", "C=two = 2", "LANG=file"):
            self.assertIn(want, lines)
        self.assertFalse([line for line in lines if line.startswith("D=")])
        self.assertNotIn(SECRET, err)
        self.assertIn("variables of files that are passed: 5 (--env-from-file)", err)
        document, err = self.plan("--env-from-file", one)
        self.assertIn("B", document["environment"])
        self.assertNotIn(SECRET, json.dumps(document) + err)

    def test_a_file_that_others_may_read(self):
        path = self.write("one", f"A={SECRET}\n", 0o644)
        code, out, err = self.run_piped(["--env-from-file", path, "true"])
        self.assertEqual((code, out), (125, b""))
        self.assertIn(path, err)
        self.assertNotIn(SECRET, err)


class Race(FilesTest):
    """E-FS-22, P-PLAN-14: a name that a process outside keeps turning into a link to HOME."""

    LAUNCHES = int(os.environ.get("AI_JAIL_RACE_LAUNCHES", "60"))
    RENAME_EXCHANGE = 2
    MAPS = (("ro_maps", "m:whole", "whole"), ("ro_maps", "m/sub:part", "part"),
            ("rw_maps", "m:whole", "whole"), ("rw_maps", "m/sub:part", "part"),
            ("overlay_maps", "m", "m"), ("overlay_maps", "m/sub", "m/sub"))

    def flip(self, parent):
        """Never returns: the two names change places for ever, with pauses of all lengths."""
        libc = ctypes.CDLL(None, use_errno=True)
        names = [os.fsencode(os.path.join(self.project, name)) for name in ("m", "other")]
        while os.getppid() == parent:
            if libc.renameat2(-100, names[0], -100, names[1], self.RENAME_EXCHANGE):
                os._exit(1)
            for _ in range(random.choice((0, 100, 10000, 100000))):
                pass
        os._exit(0)

    def setUp(self):
        super().setUp()
        for place, text in (("home", SECRET), ("home/sub", SECRET), ("project/m", "inside"),
                            ("project/m/sub", "inside")):
            self.write(f"{place}/file", text)
        for name in ("whole", "part"):
            os.mkdir(os.path.join(self.project, name))
        os.symlink(self.home, os.path.join(self.project, "other"))
        parent = os.getpid()
        self.flipper = os.fork()
        if self.flipper == 0:
            self.flip(parent)

    def tearDown(self):
        os.kill(self.flipper, signal.SIGKILL)
        os.waitpid(self.flipper, 0)
        super().tearDown()

    def bwrap_shows_it(self):
        """The control: by name alone HOME is shown sooner or later."""
        out = self.output()
        process = self.start_program(
            [ptyrun.tool("bwrap"), "--unshare-user", "--ro-bind", "/", "/", "--ro-bind",
             self.project + "/m", self.project + "/whole", "cat", self.project + "/whole/file"],
            [self.null, out.fd, self.null])
        process.wait()
        return SECRET.encode() in out.bytes()

    def test_home_is_never_shown(self):
        self.assertTrue(any(self.bwrap_shows_it() for _ in range(200)))
        seen = {"inside": 0, "absent": 0, "ended": 0}
        for number in range(self.LAUNCHES):
            key, map_, place = self.MAPS[number % len(self.MAPS)]
            self.write("project/.ai-jail", f'{key} = ["{map_}"]\n')
            code, out, err = self.run_piped(["--no-save-config", "sh", "-c",
                                             f"cat {place}/file || echo none; cat m/file m/sub/file; true"])
            self.assertNotIn(SECRET.encode(), out, err)
            self.assertIn(code, (0, 125), err)
            if code == 125:
                # Whoever notices first says it, bubblewrap too.
                self.assertIn("✗", err)
                seen["ended"] += 1
            else:
                seen["inside" if out.startswith(b"inside") else "absent"] += 1
        self.assertGreater(seen["inside"], 0, seen)
        self.assertGreater(seen["absent"] + seen["ended"], 0, seen)


if __name__ == "__main__":
    ptyrun.main()
