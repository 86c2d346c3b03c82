#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""The launcher that opens links: what becomes of the words of strangers, and what is told to whom.

In most tests a program that writes down how it was called takes the place of ai-jail, beside a copy
of the launcher; in the last ones it is the real one, and a script is the browser.
"""
import json
import os
import shutil
import signal
import socket
import subprocess

import ptyrun
from ptyrun import PROGRAM, SessionTest, wait_for

LAUNCHER = os.path.join(os.path.dirname(PROGRAM), "ai-jail-browser")
RECORDER = """#!/usr/bin/python3
import json, os, sys
with open({record!r}, "w") as file:
    json.dump({{"argv": sys.argv[1:], "cwd": os.getcwd(), "files": os.listdir("."),
               "mode": os.stat(".").st_mode & 0o777,
               "stdin": os.readlink("/proc/self/fd/0"), "fds": os.listdir("/proc/self/fd")}}, file)
{then}
"""
BROWSER = """#!/usr/bin/python3
import json, os, sys
with open("/proc/self/fd/2", "w") as file:
    print("SEEN " + json.dumps({"argv": sys.argv[1:], "home": os.listdir(os.environ["HOME"]),
                                "project": os.listdir("."), "net": os.readlink("/proc/self/ns/net"),
                                "display": os.environ.get("DISPLAY")}), file=file)
"""
HOSTILE = (
    "--no-sandbox", "-P", "-", "--", "--help=x", "--version", "; rm -rf ~", "$(touch pwned)",
    "`touch pwned`", "", " ", "http://", "http:///etc/passwd", "https://", "x", "/etc/passwd",
    "file:///etc/passwd", "FILE:///etc/passwd", "javascript:alert(1)", "data:text/html,x",
    "about:config", "chrome://settings", "view-source:http://a/", "ftp://a/", "blob:http://a/",
    "http:a", "http:/a", "http:\\\\a", " http://a/", "\thttp://a/", "http://a/ --no-sandbox",
    "http://a/\n--no-sandbox", "http://a/\n", "http://a/\r", "http://a/\x1b]0;x\x07", "http://a/\x7f",
    'http://a/"x', "http://a/<b>", "http://a\\b", "http://a/\tb", "x\nhttp://a/", "xhttp://a/",
    "httpx://a/", "http://" + "a" * 70000)
LINKS = (
    "http://a.example/", "https://a.example", "HTTPS://A.example/x?y=1&z=%20#frag", "http://a/;rm",
    "http://a/$(touch%20pwned)", "http://a/`id`", "http://a/'x'", "http://a/|x&y;*?[z]~!{}",
    "http://[::1]:8080/", "http://user:pw@a/", "http://a/--no-sandbox", "http://-P/",
    "http://b\u00fccher.example/\u2603",
    "http://a/%u%f$HOME")


class BrowserLink(SessionTest):
    def setUp(self):
        super().setUp()
        self.bin = os.path.join(self.base, "bin")
        self.tools = os.path.join(self.base, "tools")
        self.temp = os.path.join(self.base, "temp")
        self.record = os.path.join(self.base, "record")
        for path in (self.bin, self.tools, self.temp):
            os.mkdir(path)
        self.launcher = shutil.copy(LAUNCHER, self.bin)
        self.browser = self.script(os.path.join(self.tools, "chromium"), "#!/bin/sh\n")
        self.log = os.path.join(self.home, ".local/state/ai-jail/browser.log")
        self.env = {"HOME": self.home, "PATH": f"{self.tools}:/usr/bin:/bin", "TMPDIR": self.temp,
                    "LANG": "C.UTF-8", "DISPLAY": ":77", "AI_JAIL_BROWSER": "chromium"}

    def script(self, path, text):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o755)
        return path

    def record_calls(self, then=""):
        self.script(os.path.join(self.bin, "ai-jail"),
                    RECORDER.format(record=self.record, then=then))

    def open(self, *words, **env):
        done = subprocess.run([self.launcher, *words], env=dict(self.env, **env), cwd=self.home,
                              check=False, capture_output=True, timeout=ptyrun.DEADLINE)
        self.assertEqual(os.listdir(self.temp), [])
        return done.returncode, done.stdout.decode(), done.stderr.decode(errors="replace")

    def call(self):
        with open(self.record, encoding="utf-8") as file:
            record = json.load(file)
        os.unlink(self.record)
        return record

    # -- what is passed on --

    def test_a_link_is_one_word(self):
        self.record_calls()
        for link in LINKS:
            with self.subTest(link=link):
                self.assertEqual(self.open(link), (0, "", ""))
                self.assertEqual(self.call()["argv"],
                                 ["--clean", "--browser=hard", "--network", "--x11", "--",
                                  "chromium", link])

    def test_without_a_link(self):
        self.record_calls()
        self.assertEqual(self.open()[0], 0)
        self.assertEqual(self.call()["argv"][-2:], ["--", "chromium"])

    def test_what_is_no_link_starts_nothing(self):
        self.record_calls()
        for link in HOSTILE:
            with self.subTest(link=link[:80]):
                code, out, err = self.open(link)
                self.assertEqual((code, out), (125, ""), err)
                self.assertRegex(err, r"\Aai-jail-browser: [^\n\x1b\x07\x7f]*\n\Z")
                self.assertLess(len(err), 500)
                self.assertFalse(os.path.exists(self.record))
        self.assertEqual(self.open("http://a/", "--no-sandbox")[0], 125)
        self.assertFalse(os.path.exists(self.record))
        self.assertEqual(os.listdir(self.home), [])

    def test_help(self):
        self.record_calls()
        code, out, _ = self.open("--help")
        self.assertEqual(code, 0)
        self.assertIn("Usage: ai-jail-browser [URL]\n", out)
        self.assertFalse(os.path.exists(self.record))

    # -- where it starts --

    def test_an_empty_directory_and_no_terminal(self):
        self.record_calls()
        self.open("http://a/")
        call = self.call()
        self.assertEqual((call["files"], call["mode"], call["stdin"]), ([], 0o700, "/dev/null"))
        self.assertTrue(call["cwd"].startswith(self.temp + "/ai-jail-browser."), call["cwd"])
        self.assertEqual(sorted(call["fds"])[:3], ["0", "1", "2"])
        self.assertEqual(len(call["fds"]), 5, "with the record and the listing itself")

    def test_the_display(self):
        self.record_calls()
        runtime = os.path.join(self.base, "runtime")
        os.mkdir(runtime, 0o700)
        wayland = {"XDG_RUNTIME_DIR": runtime, "WAYLAND_DISPLAY": "wayland-7"}
        self.open("http://a/", **wayland)
        self.assertIn("--x11", self.call()["argv"], "there is no socket")
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(os.path.join(runtime, "wayland-7"))
            self.open("http://a/", **wayland)
        argv = self.call()["argv"]
        self.assertIn("--display", argv)
        self.assertNotIn("--x11", argv)
        code, _, err = self.open("http://a/", DISPLAY="")
        self.assertEqual(code, 125)
        self.assertEqual(err, "ai-jail-browser: neither WAYLAND_DISPLAY nor DISPLAY names a display\n")

    def test_the_browser(self):
        self.record_calls()
        self.env.pop("AI_JAIL_BROWSER")
        self.env["PATH"] = self.tools
        for name in ("bash", "mktemp", "rmdir", "dirname", "readlink", "tail", "mkdir", "tr", "grep"):
            os.symlink(shutil.which(name, path="/usr/bin:/bin"), os.path.join(self.tools, name))
        self.open("http://a/")
        self.assertEqual(self.call()["argv"][-2], "chromium")
        self.script(os.path.join(self.tools, "firefox"), "#!/bin/sh\n")
        self.open("http://a/")
        self.assertEqual(self.call()["argv"][-2], "firefox", "it comes first")
        self.open("http://a/", AI_JAIL_BROWSER="chromium")
        self.assertEqual(self.call()["argv"][-2], "chromium")
        for name in ("chromium", "firefox"):
            os.unlink(os.path.join(self.tools, name))
        self.assertEqual(self.open("http://a/")[0], 127)
        code, _, err = self.open("http://a/", AI_JAIL_BROWSER="netscape")
        self.assertEqual((code, err),
                         (127, "ai-jail-browser: AI_JAIL_BROWSER: there is no program netscape\n"))

    # -- what is told --

    def test_a_failure_is_shown(self):
        shown = os.path.join(self.base, "shown")
        self.script(os.path.join(self.tools, "notify-send"),
                    f"#!/bin/sh\nfor word; do printf '%s\\n' \"$word\"; done >'{shown}'\n")
        self.record_calls("print('\u25b8 more', file=sys.stderr)\n"
                          "print('\u2717 no <b>jail</b>\\x1b[m & no way', file=sys.stderr)\nsys.exit(125)")
        code, _, err = self.open("http://a/")
        self.assertEqual(code, 125)
        self.assertIn("\u2717 no <b>jail</b>[m & no way", err)
        with open(shown, encoding="utf-8") as file:
            words = file.read().splitlines()
        self.assertEqual(words[:4], ["-a", "ai-jail", "--", "ai-jail-browser"])
        self.assertEqual(words[4], "\u2717 no &lt;b>jail&lt;/b>[m &amp; no way (more in "
                                   f"{self.log})")
        with open(self.log, encoding="utf-8") as file:
            self.assertIn("\u25b8 more\n", file.read())
        os.unlink(shown)
        self.record_calls("sys.exit(1)")
        self.assertEqual(self.open("http://a/"), (1, "", ""))
        self.assertFalse(os.path.exists(shown), "a browser that ends is no failure to start")

    def test_the_log_is_bounded_and_private(self):
        self.record_calls("sys.stderr.write('x' * 5000000)\nsys.stderr.write('last')")
        self.assertEqual(self.open("http://a/")[0], 0)
        with open(self.log, encoding="ascii") as file:
            text = file.read()
        self.assertEqual((len(text), text[-4:]), (65536, "last"))
        self.assertEqual(os.stat(self.log).st_mode & 0o777, 0o600)

    def test_without_a_place_for_the_log(self):
        self.record_calls("sys.stderr.write('x' * 500000)")
        os.mkdir(os.path.join(self.home, "state"))
        with open(os.path.join(self.home, "state/ai-jail"), "w", encoding="ascii"):
            pass
        self.assertEqual(self.open("http://a/", XDG_STATE_HOME=self.home + "/state"), (0, "", ""))
        self.call()

    def test_a_signal_is_passed_on(self):
        self.record_calls("import signal\nsignal.signal(signal.SIGTERM, lambda *_: sys.exit(3))\n"
                          f"open({self.record!r} + '.ready', 'w').close()\n"
                          "while True: signal.pause()")
        log = self.output()
        process = self.start_program([self.launcher, "http://a/"], [self.null, log.fd, log.fd])
        wait_for(lambda: os.path.exists(self.record + ".ready"), log.text)
        process.kill(signal.SIGTERM)
        self.assertEqual(process.wait(), 3)
        self.assertEqual(os.listdir(self.temp), [])

    def test_a_signal_at_once(self):
        """However early it comes, and however soon the other has ended by it."""
        self.script(os.path.join(self.bin, "ai-jail"),
                    "#!/bin/sh\ntrap 'exit 3' TERM\nkill -TERM $PPID\nwhile :; do :; done\n")
        for _ in range(20):
            self.assertEqual(self.open("http://a/"), (3, "", ""))

    # -- with the real one --

    def test_the_jail(self):
        """It takes what the launcher says: nothing of HOME, the network of the host, the display."""
        shutil.copy(PROGRAM, os.path.join(self.bin, "ai-jail"))
        self.script(self.browser, BROWSER)
        self.env["PATH"] = f"{self.home}/.local/bin:/usr/bin:/bin"
        os.makedirs(os.path.join(self.home, ".local/bin"))
        shutil.move(self.browser, os.path.join(self.home, ".local/bin/chromium"))
        with open(os.path.join(self.home, "secret"), "w", encoding="ascii"):
            pass
        link = "http://a/;--no-sandbox"
        code, _, err = self.open(link)
        with open(self.log, encoding="utf-8") as file:
            log = file.read()
        self.assertEqual(code, 0, err + log)
        seen = json.loads(next(l for l in log.splitlines() if l.startswith("SEEN "))[5:])
        self.assertEqual(seen["argv"].count(link), 1)
        self.assertIn("--user-data-dir=/tmp/ai-jail-browser-chromium/data", seen["argv"])
        self.assertNotIn("secret", seen["home"])
        self.assertEqual(seen["project"], [])
        self.assertEqual(seen["net"], os.readlink("/proc/self/ns/net"))
        self.assertNotIn("--", seen["argv"])

    def test_the_jail_says_no(self):
        """Told with the reason of the jail, not with a shell's."""
        shutil.copy(PROGRAM, os.path.join(self.bin, "ai-jail"))
        with open(os.path.join(self.home, ".ai-jail"), "w", encoding="ascii") as file:
            file.write("network = maybe\n")
        code, _, err = self.open("http://a/")
        self.assertEqual(code, 125)
        self.assertRegex(err, r"\Aai-jail-browser: ✗ [^\n]*\.ai-jail:1[^\n]*\n\Z")


if __name__ == "__main__":
    ptyrun.main()
