#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""--lockdown with real programs: what works in it, what does not, and what is said about it."""
import json
import os
import shutil
import socket
import subprocess

import ptyrun
from ptyrun import SessionTest, tool

TRY = """
import errno, os, resource, socket, sys
def attempt(what, call):
    try:
        call()
        print(what, "OK")
    except OSError as error:
        print(what, errno.errorcode[error.errno])
def tcp(method, port):
    with socket.socket() as sock:
        getattr(sock, method)(("127.0.0.1", port))
"""


class Lockdown(SessionTest):
    def write(self, path, text, mode=0o644):
        path = os.path.join(self.base, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def lockdown(self, argv, *options, **keywords):
        """(stdout as text, stderr) of a run that must end with 0."""
        code, out, err = self.run_piped(["--lockdown", *options, "--", *argv], **keywords)
        self.assertEqual(code, 0, err)
        return out.decode(), err

    def python(self, script, *options):
        out, err = self.lockdown([ptyrun.PYTHON, "-c", TRY + script], *options)
        return dict(line.split(" ", 1) for line in out.splitlines()), err

    # -- what it shows and lets be written --

    def test_project_is_read_only(self):
        """P-HOME-9, and E-FS-20 from the outside."""
        self.write("project/file", "text\n")
        before = self.census()
        found, err = self.python("""
attempt("read", lambda: open("file").read())
attempt("write", lambda: open("file", "a"))
attempt("create", lambda: open("new", "w"))
attempt("unlink", lambda: os.unlink("file"))
attempt("rename", lambda: os.rename("file", "other"))
attempt("home", lambda: open(os.path.expanduser("~/new"), "w"))
attempt("tmp", lambda: open("/tmp/new", "w"))
""")
        self.assertEqual(found, {"read": "OK", "write": "EROFS", "create": "EROFS",
                                 "unlink": "EROFS", "rename": "EROFS", "home": "OK", "tmp": "OK"})
        self.assertEqual(self.census(), before)
        self.assertIn("is read-only", err)

    def test_limits(self):
        found, _ = self.python("""
for name in "NPROC NOFILE CORE FSIZE".split():
    print(name, resource.getrlimit(getattr(resource, "RLIMIT_" + name))[1])
""")
        self.assertEqual(found["CORE"], "0")
        self.assertEqual(found["FSIZE"], str(1 << 30))
        self.assertLessEqual(int(found["NOFILE"]), 4096)
        self.assertGreaterEqual(int(found["NPROC"]), 1)
        self.assertLessEqual(int(found["NPROC"]), 4096)

    def test_nothing_that_was_asked_for_is_there(self):
        """One line each; E-OVL-06, P-AGT-5."""
        outside = self.write("outside/file", "canary\n")
        overlay = os.path.dirname(self.write("overlay/file", "canary\n"))
        self.write("home/.claude/settings.json", "{}\n")
        self.write("home/.ssh/config", "canary\n", 0o600)
        options = ["--map", outside, "--rw-map", os.path.dirname(outside), "--overlay-map", overlay,
                   "--ssh", "--gpu", "--no-private-home", "--agent-state", "--env", "ANTHROPIC_API_KEY",
                   "--network", "--allow-debug", "--terminal-passthrough"]
        env = dict(self.env, ANTHROPIC_API_KEY="canary")
        agent = self.write("bin/claude", "#!/bin/sh\nexec cat \"$@\" /proc/self/environ\n", 0o755)
        env["PATH"] = f"{os.path.dirname(agent)}:{ptyrun.PATH}"
        code, out, err = self.run_piped(
            ["--lockdown", *options, "--", "claude", outside, f"{overlay}/file",
             f"{self.home}/.ssh/config", f"{self.home}/.claude/settings.json"], env=env)
        self.assertEqual(code, 1, err)
        self.assertNotIn(b"canary", out)
        lines = [line for line in err.splitlines() if "dropped by lockdown" in line]
        self.assertEqual(len(lines), 11, err)
        self.assertEqual(err.count("No such file or directory"), 4, err)
        self.assertEqual(os.listdir(overlay), ["file"])

    def test_exec_still_says_what_was_dropped(self):
        """P-CLI-9"""
        code, _, err = self.run_piped(["--exec", "--lockdown", "--gpu", "true"])
        self.assertEqual(code, 0)
        self.assertIn("--gpu is dropped by lockdown", err)

    def test_environment(self):
        env = dict(self.env, USER="me", CANARY="canary", EDITOR="vi", SHELL="/bin/zsh",
                   XDG_CONFIG_HOME=f"{self.home}/.config", http_proxy="http://canary:1")
        out, _ = self.lockdown(["env"], env=env)
        names = {line.split("=")[0] for line in out.splitlines()}
        self.assertLessEqual(
            names, {"AI_JAIL", "HOME", "LANG", "MISE_NOT_FOUND_AUTO_INSTALL", "PATH", "TAR_OPTIONS",
                    "TERM", "TMPDIR", "USER", "XDG_RUNTIME_DIR", "_ZO_DOCTOR"})
        self.assertIn("USER=me\n", out)
        self.assertNotIn("canary", out)

    def test_command_out_of_home(self):
        """The exemption: an agent that is installed in HOME starts, and finds its own programs."""
        self.write("home/.local/bin/helper", "#!/bin/sh\necho helped\n", 0o755)
        self.write("home/.local/bin/agent", "#!/bin/sh\nhelper && touch ~/x && echo $PATH\n", 0o755)
        env = dict(self.env, PATH=f"{self.home}/.local/bin:{ptyrun.PATH}")
        out, _ = self.lockdown(["agent"], env=env)
        first, path = out.splitlines()
        self.assertEqual(first, "helped")
        self.assertTrue(path.endswith(f":{self.home}/.local/bin"), path)

    # -- the network --

    def test_network_is_off(self):
        """P-NET-14: also with --network."""
        found, err = self.python("""
attempt("bind", lambda: tcp("bind", 0))
attempt("connect", lambda: tcp("connect", 1))
attempt("proxy", lambda: tcp("connect", 15919))
print("interfaces", len(socket.if_nameindex()))
""", "--network")
        self.assertEqual(found, {"bind": "EACCES", "connect": "EACCES", "proxy": "EACCES",
                                 "interfaces": "1"})
        self.assertIn("network is off", err)

    def test_proxy_alone_is_reached(self):
        found, _ = self.python("""
attempt("bind", lambda: tcp("bind", 0))
attempt("connect", lambda: tcp("connect", 1))
attempt("proxy", lambda: tcp("connect", 15919))
def ask(target):
    with socket.create_connection(("127.0.0.1", 15919)) as sock:
        sock.sendall(b"CONNECT %s HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n" % target)
        return sock.makefile("rb").read().split(None, 2)[1].decode()
print("own", ask(b"localhost:8080"))
print("other", ask(b"other.test:443"))
""", "--allow-host", "example.test")
        self.assertEqual(found, {"bind": "EACCES", "connect": "EACCES", "proxy": "OK", "own": "403",
                                 "other": "403"})

    def test_no_port_leads_in(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
            found, err = self.python(f'attempt("connect", lambda: tcp("connect", {port}))',
                                     "--forward-port", str(port), "--publish", "3000:0")
            server.settimeout(0)
            self.assertEqual(found, {"connect": "EACCES"})
            self.assertRaises(BlockingIOError, server.accept)
        self.assertEqual(err.count("no port leads in or out"), 2)

    # -- walls that must be there --

    def test_walls_cannot_be_taken_away(self):
        self.write("home/.ai-jail", "no_seccomp = true\n", 0o600)
        for options in (["--no-landlock"], ["--no-seccomp"], ["--no-rlimits"], []):
            code, out, err = self.run_piped(["--lockdown", *options, "echo", "started"])
            self.assertEqual((code, out), (125, b""), err)
            self.assertIn("lockdown has every wall", err)
        self.assertIn("~/.ai-jail:1", err)

    def test_project_can_ask_for_it_and_not_take_it_back(self):
        self.write("project/.ai-jail", "lockdown = true\n")
        code, _, err = self.run_piped(["--gpu", "true"])
        self.assertEqual(code, 0)
        self.assertIn("--gpu is dropped", err)
        self.write("project/.ai-jail", "lockdown = false\n")
        self.write("home/.ai-jail", "lockdown = true\n", 0o600)
        code, _, err = self.run_piped(["touch", "x"])
        self.assertEqual(code, 1)
        self.assertIn("lockdown = false is refused", err)
        code, _, err = self.run_piped(["--no-lockdown", "touch", "x"])
        self.assertEqual(code, 0, err)

    def test_nothing_is_saved(self):
        self.lockdown(["true"], "--mask", "x")
        self.assertEqual(os.listdir(self.project), [])

    # -- what explains it --

    def test_it_is_explained(self):
        code, out, _ = self.run_piped(["--lockdown", "--kvm", "--status", "--json"])
        self.assertEqual(code, 0)
        rows = {row["key"]: row for row in json.loads(out)["settings"]}
        self.assertEqual([key for key, row in rows.items() if row["dropped"]], ["kvm"])
        code, out, _ = self.run_piped(["--lockdown", "--dry-run", "--json", "true"])
        landlock = json.loads(out)["landlock"]
        self.assertEqual(landlock["tcp"], {"bind": [], "connect": []})
        code, out, _ = self.run_piped(["--lockdown", "--why", self.write("project/f", "x")])
        self.assertEqual(code, 0)
        self.assertIn(b"--lockdown: nothing of the host is writable", out)

    # -- programs --

    def test_programs_work(self):
        git = tool("git")
        subprocess.run([git, "init", "-q", "."], cwd=self.project, check=True, env=self.env)
        self.write("project/file", "one\n")
        out, err = self.lockdown([git, "status", "--short"])
        self.assertEqual(out, "?? file\n", err)
        scripts = {"python3": ["-c", "import ssl, multiprocessing; print(multiprocessing.Pool(2).map"
                               "(abs, [-1, -2]))"],
                   "less": ["--version"], "perl": ["-e", "print 1"]}
        if shutil.which("npm", path=ptyrun.PATH):  # too large to be installed for a test
            scripts |= {"node": ["-e", "console.log(require('os').cpus().length > 0)"],
                        "npm": ["--version"]}
        for name, words in scripts.items():
            with self.subTest(name):
                self.lockdown([tool(name), *words])

    def test_full_screen_program(self):
        """P-PTY-13: job control and a terminal, as in every mode."""
        vim = tool("vim")
        terminal, process = self.on_terminal(["--lockdown", vim, "-u", "NONE", "-n", "file"])
        terminal.expect(rb"\"file\"|New")
        terminal.send(b"itext\x1b:w\r")
        terminal.expect(rb"E\d+")
        terminal.send(b":qa!\r")
        self.assertEqual(process.wait(), 0)
        self.assertEqual(os.listdir(self.project), [])

    def test_job_control(self):
        terminal, process = self.on_terminal(["--lockdown", "bash", "--norc", "-i"])
        terminal.expect(rb"[$#] $")
        terminal.send(b"sh -c 'echo go-\"ing\"; exec sleep 100'\r")
        terminal.expect(rb"go-ing")
        terminal.send(b"\x1a")
        terminal.expect(rb"Stopped.*[$#] $")
        # The first time bash says only that there is a job.
        terminal.send(b"exit 7\r")
        terminal.expect(rb"stopped jobs.*[$#] $")
        terminal.send(b"exit 7\r")
        self.assertEqual(process.wait(), 7)


if __name__ == "__main__":
    ptyrun.main()
