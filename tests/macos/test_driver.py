#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""The driver of macOS, run on Linux behind a stand-in for sandbox-exec.

What is proved: how sandbox-exec is called, what the command gets (descriptors, terminal, directory for
temporary files, proxy, limits), job control and signals, exit codes, and that nothing is left behind. What
is not: that a profile holds (test_profiles.py asks a model), and that Darwin does what Linux does.

The stand-in must be root's, so these tests are root's; the program itself runs as an ordinary user, too.
"""
import json
import os
import shutil
import signal
import socket
import sys
import termios
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../session"))

import ptyrun  # pylint: disable=wrong-import-position
from ptyrun import wait_for  # pylint: disable=wrong-import-position

ORDINARY = 54777


class DriverTest(ptyrun.SessionTest):
    def setUp(self):
        super().setUp()
        if os.geteuid() != 0:
            self.skipTest("sandbox-exec's stand-in must belong to root")
        os.chmod(self.base, 0o755)
        self.root = os.path.join(self.base, "T")
        os.mkdir(self.root, 0o700)
        self.tool = shutil.copy(os.environ["AI_JAIL_STANDIN"], os.path.join(self.base, "sandbox-exec"))
        os.chown(self.tool, 0, 0)
        os.chmod(self.tool, 0o755)
        self.env.update(AI_JAIL_TEST_ROOT=self.root, AI_JAIL_TEST_SANDBOX_EXEC=self.tool)

    def tearDown(self):
        if os.geteuid() == 0:
            super().tearDown()
        else:
            os.close(self.null)
            shutil.rmtree(self.base, ignore_errors=True)

    def call(self):
        """What the stand-in noted: {key: [value, ...]}."""
        found = {}
        with open(os.path.join(self.base, "last.call"), encoding="utf-8") as lines:
            for line in lines:
                key, tab, value = line.rstrip("\n").partition("\t")
                if tab: # the others are lines of a word
                    found.setdefault(key, []).append(value)
        return found

    def profile(self):
        with open(os.path.join(self.base, "last.profile"), encoding="utf-8") as file:
            return file.read()

    def assert_no_traces(self):
        wait_for(lambda: not os.listdir(self.root), lambda: f"left: {os.listdir(self.root)}")

    def script(self, name, text):
        path = os.path.join(self.project, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o755)
        return path


class Calls(DriverTest):
    def test_how_it_is_called(self):
        code, out, err = self.run_piped(["sh", "-c", 'echo "$1"; exit 7', "sh", "a b"])
        self.assertEqual((code, out), (7, b"a b\n"), err)
        call = self.call()
        words = call["word"]
        self.assertEqual(words[:2] + words[3:], ["sandbox-exec", "-f", "--", "/usr/bin/sh", "-c",
                                                 'echo "$1"; exit 7', "sh", "a b"])
        self.assertRegex(words[2], f"^{self.root}/ai-jail-[0-9]+-[0-9a-f]{{16}}\\.sb$")
        self.assertEqual(call["profile-mode"], ["600"])
        self.assertEqual(call["tmpdir"], [words[2][:-3] + "\t700"])
        self.assertNotIn("descriptor", call)
        self.assertTrue(self.profile().startswith("(version 1)\n(deny default)\n"),
                        self.profile()[:200])
        self.assertIn(f'(subpath "{self.project}")', self.profile())
        self.assertNotIn('(literal "/dev/tty', self.profile())
        self.assertNotIn('(literal "/dev/pts', self.profile())
        self.assertEqual(err.count("deprecated"), 1)
        self.assert_no_traces()

    def test_stdin_and_directory(self):
        code, out, err = self.run_piped(["sh", "-c", "cat; pwd"], data=b"in\n")
        self.assertEqual((code, out.decode()), (0, f"in\n{self.project}\n"), err)

    def test_descriptors_of_the_caller(self):
        kept = os.open("/etc/passwd", os.O_RDONLY)
        try:
            process = self.start(["true"], [self.null] * 3, keep=[kept])
            self.assertEqual(process.wait(), 0)
        finally:
            os.close(kept)
        self.assertNotIn("descriptor", self.call())

    def test_ordinary_user(self):
        for path in (self.home, self.project, self.root, self.base):
            os.chown(path, ORDINARY, ORDINARY)

        def become():
            os.setgroups([])
            os.setresgid(ORDINARY, ORDINARY, ORDINARY)
            os.setresuid(ORDINARY, ORDINARY, ORDINARY)

        program = shutil.copy(ptyrun.PROGRAM, os.path.join(self.base, "program"))
        os.chmod(program, 0o755)
        out = self.output()
        process = self.start_program([program, "sh", "-c", "id -u; : >$TMPDIR/x"],
                                     [self.null, out.fd, out.fd], prepare=become)
        self.assertEqual(process.wait(), 0, out.text())
        self.assertIn(f"{ORDINARY}\n", out.text())
        self.assert_no_traces()

    def test_codes_of_our_own(self):
        self.script("plain", "exit 9\n")
        os.chmod(os.path.join(self.project, "plain"), 0o644)
        for argv, code in ((["no-such-command"], 127), (["./nothing"], 127), (["./plain"], 126),
                           (["/etc"], 126), (["sh", "-c", "kill -9 $$"], 137),
                           (["sh", "-c", "exit 126"], 126)):
            with self.subTest(argv=argv):
                self.assertEqual(self.run_piped(argv)[0], code)
                self.assert_no_traces()

    def test_tool_that_is_not_used(self):
        cases = ((lambda: os.chmod(self.tool, 0o775), "root alone"),
                 (lambda: os.chown(self.tool, ORDINARY, 0), "root alone"),
                 (lambda: os.unlink(self.tool), "No such file"))
        for change, word in cases:
            change()
            code, _, err = self.run_piped(["true"])
            self.assertEqual(code, 125, err)
            self.assertIn(word, err)
            self.assertIn(self.tool, err)
            self.assertEqual(os.listdir(self.root), [])

    def test_root_that_is_not_used(self):
        os.chmod(self.root, 0o777)
        code, _, err = self.run_piped(["true"])
        self.assertEqual(code, 125, err)
        self.assertIn(self.root, err)
        os.chmod(self.root, 0o1777)
        self.assertEqual(self.run_piped(["true"])[0], 0)
        os.chmod(self.root, 0o700)
        os.chown(self.root, ORDINARY, 0)
        self.assertEqual(self.run_piped(["true"])[0], 125)

    def test_tool_that_cannot_be_executed(self):
        with open(self.tool, "w", encoding="ascii") as file:
            file.write("neither a program nor a script of sh\0")
        code, _, err = self.run_piped(["true"])
        self.assertEqual(code, 125, err)
        self.assertIn("sandbox-exec cannot be executed", err)
        self.assert_no_traces()

    def test_codes_of_the_tool(self):
        """The same number means something else when the command says it."""
        self.script("sandbox-exec", "#!/bin/sh\nexit 71\n")
        for number in ("65", "71"):
            code, _, err = self.run_piped(["sh", "-c", f"exit {number}"])
            self.assertEqual(code, int(number), err)
            self.assertNotIn("before the command began", err)
            code, _, err = self.run_piped(["--env", f"AI_JAIL_TEST_REFUSE={number}", "true"])
            self.assertEqual(code, 125, err)
            self.assertIn("unbound variable", err)
            self.assertIn(f"sandbox-exec ended with {number} before the command began", err)
            self.assert_no_traces()
        self.assertEqual(self.run_piped(["./sandbox-exec"])[0], 71)

    def test_tmpdir_of_the_caller(self):
        for value, count in (("/var/tmp", 1), (self.root, 0)):
            self.env["TMPDIR"] = value
            code, out, err = self.run_piped(["sh", "-c", "echo $TMPDIR"])
            self.assertEqual(code, 0, err)
            self.assertTrue(out.decode().startswith(self.root + "/ai-jail-"), out)
            self.assertEqual(err.count("TMPDIR is"), count, err)

    def test_dry_run_creates_nothing(self):
        code, out, err = self.run_piped(["--dry-run", "true"])
        self.assertEqual(code, 0, err)
        self.assertIn(b"(deny default)", out)
        self.assertEqual(os.listdir(self.root), [])
        self.assertFalse(os.path.exists(os.path.join(self.base, "last.call")))

    def test_limits(self):
        code, out, err = self.run_piped(
            ["--lockdown", "sh", "-c", "ulimit -Hn; ulimit -c; ulimit -f"])
        self.assertEqual((code, out), (0, b"4096\n0\n2097152\n"), err)
        code, out, err = self.run_piped(["sh", "-c", "ulimit -Hn; ulimit -c"])
        self.assertEqual((code, out), (0, b"10240\n0\n"), err)


class Traces(DriverTest):
    def test_whatever_is_in_it(self):
        text = ("import os\n"
                "os.chdir(os.environ['TMPDIR'])\n"
                "os.makedirs('a/b/c')\n"
                "os.makedirs('locked/x')\n"
                "open('a/b/c/f', 'w').close()\n"
                "os.symlink('/', 'a/link')\n"
                "os.mkfifo('fifo')\n"
                "os.chmod('locked', 0)\n"
                "for _ in range(300):\n"
                "    os.mkdir('d')\n"
                "    os.chdir('d')\n")
        code, _, err = self.run_piped([ptyrun.PYTHON, "-c", text])
        self.assertEqual(code, 0, err)
        self.assert_no_traces()
        self.assertTrue(os.path.exists("/etc/passwd"))

    def start_waiting(self, argv=("sh", "-c", "echo up; exec sleep 300")):
        out = self.output()
        process = self.start(list(argv), [self.null, out.fd, out.fd])
        wait_for(lambda: "up" in out.text(), lambda: f"the command: {out.text()}")
        self.assertEqual(len(os.listdir(self.root)), 2)
        return process

    def test_killed_supervisor(self):
        process = self.start_waiting()
        process.kill()
        self.assertEqual(process.wait(), 137)
        self.assert_no_traces()
        self.assert_nothing_left()

    def test_next_start_sweeps(self):
        process = self.start_waiting()
        keeper = next(pid for pid, fields in ptyrun.processes().items()
                      if fields[2] == process.pid)
        command = self.child(process, "sleep")
        for pid in (keeper, process.pid, command):
            os.kill(pid, signal.SIGSTOP)
            wait_for(lambda pid=pid: ptyrun.stat_fields(pid)[1] == "T", f"the stop of {pid}")
        for pid in (process.pid, keeper, command):
            os.kill(pid, signal.SIGKILL)
        process.wait()
        self.assert_nothing_left()
        left = sorted(os.listdir(self.root))
        self.assertEqual(len(left), 2, left)
        others = ["ai-jail-1-0123456789abcdef", "ai-jail-x", "ai-jail-99-0123",
                  f"ai-jail-{os.getpid()}-0123456789abcdef.sb"]
        for name in others:
            with open(os.path.join(self.root, name), "w", encoding="ascii"):
                pass
        self.assertEqual(self.run_piped(["true"])[0], 0)
        self.assertEqual(sorted(os.listdir(self.root)), sorted(others))
        for name in others:
            os.unlink(os.path.join(self.root, name))

    def test_killed_keeper(self):
        process = self.start_waiting()
        keeper = next(pid for pid, fields in ptyrun.processes().items()
                      if fields[2] == process.pid)
        command = self.child(process, "sleep")
        os.kill(keeper, signal.SIGKILL)
        self.assertEqual(process.wait(), 125)
        self.assert_no_traces()
        ptyrun.kill_quietly(command)

    def test_signals(self):
        for sig in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            process = self.start_waiting()
            process.kill(sig)
            self.assertEqual(process.wait(), 128 + sig)
            self.assert_no_traces()

    def test_second_signal_kills(self):
        process = self.start_waiting(("sh", "-c", "trap '' TERM; echo up; while :; do sleep 1; done"))
        process.kill(signal.SIGTERM)
        process.kill(signal.SIGTERM)
        self.assertEqual(process.wait(), 137)
        self.assert_no_traces()


class LeftBehind(DriverTest):
    """There is no mounter, so the supervisor looks itself."""
    SCRIPT = ("mkdir -p new/.git/hooks new/.git/objects new/.git/refs; : >new/.git/HEAD\n"
              ": >new/.git/config; : >new/.git/hooks/post-checkout; : >.envrc; exit 3\n")

    def test_line(self):
        code, _, err = self.run_piped(["sh", "-c", self.SCRIPT])
        self.assertEqual(code, 3, err)
        line = next(line for line in err.split("\n") if "changed in this run" in line)
        for name in ("new/.git/config", "new/.git/hooks/post-checkout", ".envrc"):
            self.assertIn(name, line)
        code, _, err = self.run_piped(["true"])
        self.assertNotIn("changed in this run", err)

    def test_file(self):
        path = os.path.join(self.base, "report.json")
        code, _, err = self.run_piped(["--report", path, "--allow-host", "allowed.invalid", "sh", "-c",
                                       self.SCRIPT.replace("exit 3", "kill -9 $$")])
        self.assertEqual(code, 137, err)
        self.assertEqual(os.stat(path).st_mode & 0o7777, 0o600)
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
        self.assertEqual((report["version"], report["code"], report["signal"]), (1, 137, 9))
        self.assertEqual(report["command"][:2], ["sh", "-c"])
        self.assertEqual(report["late_masks"], [])
        changed = {row["path"]: row["class"] for row in report["changed"]}
        self.assertEqual(changed, {"new/.git/config": "git", "new/.git/hooks/post-checkout": "git",
                                   ".envrc": "shell"})
        self.assertEqual(sorted(os.listdir(self.base)),
                         ["T", "home", "last.call", "last.profile", "project", "report.json",
                          "sandbox-exec"])

    def test_file_that_cannot_be_written(self):
        for path in (os.path.join(self.base, "none", "x"), self.project):
            code, _, err = self.run_piped(["--report", path, "true"])
            self.assertEqual(code, 125, err)
            self.assertIn("--report", err)
            self.assertFalse(os.path.exists(os.path.join(self.base, "last.call")))
            self.assertEqual(os.listdir(self.root), [])


class OnTerminal(DriverTest):
    def test_terminal_of_its_own(self):
        terminal, process = self.on_terminal(["sh", "-c", "tty; stty size; read x; echo got $x"],
                                             terminal=self.terminal(30, 100))
        terminal.expect(rb"(/dev/pts/[0-9]+)\r\n30 100\r\n")
        tty = bytes(terminal.output).rsplit(b"/dev/pts/", 1)[1].split(b"\r")[0].decode()
        self.assertNotEqual(os.ttyname(terminal.slave), "/dev/pts/" + tty)
        self.assertIn(f'(literal "/dev/pts/{tty}")', self.profile())
        self.assertNotIn(f'"{os.ttyname(terminal.slave)}"', self.profile())
        terminal.send(b"word\r")
        terminal.expect(rb"got word")
        self.assertEqual(process.wait(), 0)
        self.assert_no_traces()

    def test_filter_is_in_place(self):
        terminal, process = self.on_terminal(
            ["sh", "-c", r"printf 'A\033]52;c;QUJD\033\\B\033]0;title\007C\n'"])
        terminal.expect(rb"A.*B.*C")
        self.assertEqual(process.wait(), 0)
        self.assertNotIn(b"]52;", terminal.output)

    def test_interrupt_and_resize(self):
        terminal, process = self.on_terminal(
            ["sh", "-c", "trap 'stty size; echo resized' WINCH; trap 'echo int; exit 5' INT; "
             "echo ready; while :; do sleep 0.05; done"])
        terminal.expect(rb"ready")
        terminal.resize(40, 120)
        process.kill(signal.SIGWINCH)
        terminal.expect(rb"40 120\r\nresized")
        terminal.send(b"\x03")
        terminal.expect(rb"int")
        self.assertEqual(process.wait(), 5)

    def test_stop_and_continue(self):
        terminal, process = self.job_on_terminal(["sh", "-c", "echo ready; read x; echo got $x"])
        before = terminal.modes()
        terminal.expect(rb"ready")
        wait_for(terminal.is_raw, "raw mode")
        terminal.send(b"\x1a")
        process.wait_stopped()
        self.assertEqual(terminal.modes(), before)
        process.kill(signal.SIGCONT)
        wait_for(terminal.is_raw, "raw mode again")
        terminal.send(b"again\r")
        terminal.expect(rb"got again")
        self.assertEqual(process.wait(), 0)
        self.assertEqual(terminal.modes(), before)

    def test_killed_supervisor_leaves_a_terminal(self):
        terminal, process = self.on_terminal(
            ["sh", "-c", r"printf '\033[?1049h\033[?2004h<up>'; exec sleep 300"])
        before = terminal.modes()
        terminal.expect(rb"<up>")  # no name of a directory has these
        self.assertNotEqual(termios.tcgetattr(terminal.slave)[:4], before[:2])
        process.kill()
        wait_for(lambda: (terminal.drain(), not terminal.is_raw())[1], "the modes")
        terminal.expect(rb"\x1b\[\?1049l")
        self.assert_no_traces()

    def test_mixed_descriptors(self):
        terminal = self.terminal()
        out = self.output()
        process = self.start(["sh", "-c", "tty; tty <&2"], [self.null, out.fd, terminal])
        self.assertEqual(process.wait(), 1 if "not a tty\n" == out.text() else 0)
        self.assertRegex(out.text(), r"^not a tty\n/dev/pts/[0-9]+\n$")


class Network(DriverTest):
    CLIENT = ("import os,socket,sys\n"
              "url = os.environ['http_proxy'].split('//')[1]\n"
              "login, _, place = url.rpartition('@')\n"
              "host, port = place.strip('/').split(':')\n"
              "s = socket.create_connection((host, int(port)), 10)\n"
              "import base64\n"
              "auth = ''\n"
              "if login and sys.argv[2] == 'login':\n"
              "    auth = 'Proxy-Authorization: Basic %s\\r\\n' % base64.b64encode(login.encode()).decode()\n"
              "s.sendall(('CONNECT %s HTTP/1.1\\r\\nHost: x\\r\\n%s\\r\\n' % (sys.argv[1], auth)).encode())\n"
              "print(s.recv(4096).decode().split('\\r\\n')[0])\n")

    def ask(self, target, *flags, login="login"):
        code, out, err = self.run_piped([*flags, ptyrun.PYTHON, "-c", self.CLIENT, target, login])
        self.assertEqual(code, 0, err)
        return out.decode().strip(), err

    def test_proxy(self):
        # Nobody is at home there, which is found out only by asking.
        answer, _ = self.ask("allowed.invalid:443", "--allow-host", "allowed.invalid")
        self.assertRegex(answer, r"^HTTP/1.1 50[0-9] ")
        profile = self.profile()
        answer, err = self.ask("refused.example:443", "--allow-host", "allowed.invalid")
        self.assertRegex(answer, r"^HTTP/1.1 403 ")
        self.assertIn("refused refused.example:443", err)
        port = self.call()["proxy"][0].rsplit(":", 1)[1].rstrip("/")
        self.assertIn(f'"localhost:{port}"', self.profile())
        self.assertNotIn(f'"localhost:{port}"', profile)
        # The host's loopback is not the jail's: nothing there can be asked for.
        server = socket.create_server(("127.0.0.1", 0))
        answer, _ = self.ask(f"localhost:{server.getsockname()[1]}", "--allow-host",
                             "allowed.invalid")
        self.assertNotIn(" 200", answer)
        server.close()

    def test_password(self):
        """The port is the host's, so others can come, too."""
        answer, err = self.ask("allowed.invalid:443", "--allow-host", "allowed.invalid", login="none")
        self.assertRegex(answer, r"^HTTP/1.1 407 ")
        self.assertNotIn("refused", err)
        url = self.call()["proxy"][0]
        self.assertRegex(url, r"^http://ai-jail:[0-9a-f]{32}@127\.0\.0\.1:[0-9]+$")
        self.assertNotIn(url.split(":")[2].split("@")[0], err)
        self.ask("allowed.invalid:443", "--allow-host", "allowed.invalid")
        self.assertNotEqual(self.call()["proxy"][0].split("@")[0], url.split("@")[0])

    def test_password_of_real_clients(self):
        """Nobody is at home there, which the proxy finds out for those that it lets in."""
        script = ("curl -sS -m 20 https://allowed.invalid/ 2>&1\n"
                  "curl -sS -m 20 http://allowed.invalid/\n"
                  "curl -sS -m 20 -x socks5h://${http_proxy#*//} https://allowed.invalid/ 2>&1\n"
                  "curl -sS -m 20 -x socks5h://${http_proxy#*@} https://allowed.invalid/ 2>&1\n"
                  "git ls-remote https://allowed.invalid/x 2>&1\n")
        code, out, err = self.run_piped(["--allow-host", "allowed.invalid", "sh", "-c", script])
        self.assertEqual(code, 128, err)
        lines = out.decode().split("\n")
        self.assertRegex(lines[0], r"50[0-9]")
        self.assertIn("ai-jail refused allowed.invalid", lines[1])
        self.assertRegex(out.decode(), r"(?i)curl: \(97\).*host unreachable|\(4\)")
        self.assertRegex(out.decode(), r"curl: \(97\) [^\n]*method")
        self.assertRegex(lines[-2], r"fatal: .*50[0-9]")
        self.assertNotIn("407", out.decode())

    def test_browsers_show_no_password(self):
        """They would ask the user for it."""
        code, out, err = self.run_piped(
            ["--browser", "--allow-host", "allowed.invalid", ptyrun.PYTHON, "-c", self.CLIENT,
             "allowed.invalid:443", "none"])
        self.assertEqual(code, 0, err)
        self.assertRegex(out.decode(), r"^HTTP/1.1 50[0-9] ")

    def test_no_proxy_without_a_filter(self):
        for flag in ("--no-network", "--network"):
            with self.subTest(flag=flag):
                code, out, err = self.run_piped([flag, "sh", "-c", "echo ${http_proxy-none}"])
                self.assertEqual((code, out), (0, b"none\n"), err)
                self.assertNotIn("localhost:", self.profile())


class Mise(DriverTest):
    MISE = ("#!/bin/sh\n"
            "[ \"$1 $2\" = 'env --json' ] || exit 3\n"
            "printf '{\"FROM_MISE\": \"%s\", \"TMPDIR\": \"/elsewhere\"}' \"$MISE_TRUSTED_CONFIG_PATHS\"\n")

    def test_environment(self):
        directory = os.path.join(self.home, "bin")
        os.makedirs(os.path.join(self.home, ".local/share/mise"))
        os.mkdir(directory)
        path = os.path.join(directory, "mise")
        with open(path, "w", encoding="ascii") as file:
            file.write(self.MISE)
        os.chmod(path, 0o755)
        self.env["PATH"] = directory + ":" + ptyrun.PATH
        code, out, err = self.run_piped(["sh", "-c", "echo $FROM_MISE; echo $TMPDIR"])
        self.assertEqual(code, 0, err)
        lines = out.decode().split("\n")
        self.assertEqual(lines[0], self.project, err)


if __name__ == "__main__":
    ptyrun.main()
