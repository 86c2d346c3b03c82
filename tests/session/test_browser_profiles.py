#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""Browser profiles, with a small program in the place of the browser: browser_standin.py.

What real browsers make of it is in tests/browser.
"""
import hashlib
import json
import os
import shutil
import signal
import socket
import stat

import ptyrun
from ptyrun import SessionTest, wait_for

HERE = os.path.dirname(os.path.abspath(__file__))
STORE = ".local/share/ai-jail/browsers"
WITHOUT_GPU = ["--disable-gpu", "--disable-gpu-compositing", "--disable-accelerated-video-decode",
               "--disable-accelerated-video-encode"]
PROXY = "http://127.0.0.1:15919"


def chromium_words(state):
    return ["--no-sandbox", "--test-type", "--disable-crash-reporter", "--disable-breakpad",
            "--no-first-run", "--no-default-browser-check", "--disable-background-networking",
            "--disable-sync", "--password-store=basic", f"--user-data-dir={state}/data",
            f"--disk-cache-dir={state}/cache"]


def tree(top):
    """{path: (mode, bytes or target)} of everything below a directory."""
    found = {}
    for root, dirs, files in os.walk(top):
        for path in [os.path.join(root, name) for name in dirs + files]:
            st = os.lstat(path)
            if stat.S_ISREG(st.st_mode):
                with open(path, "rb") as file:
                    found[path] = (st.st_mode, hashlib.sha256(file.read()).hexdigest())
            else:
                found[path] = (st.st_mode, os.readlink(path) if stat.S_ISLNK(st.st_mode) else "")
    return found


class BrowserTest(SessionTest):
    """The stand-in as chromium and firefox in ~/.local/bin, beside things that are not for it."""

    def setUp(self):
        super().setUp()
        programs = os.path.join(self.home, ".local/bin")
        os.makedirs(programs)
        for name in ("chromium", "firefox", "firefox-esr", "surf"):
            shutil.copy(os.path.join(HERE, "browser_standin.py"), os.path.join(programs, name))
            os.chmod(os.path.join(programs, name), 0o755)
        self.env["PATH"] = programs + ":" + self.env["PATH"]
        self.store = os.path.join(self.home, STORE)
        self.secrets = []
        for name in (".ssh/id_ed25519", ".config/chromium/Default/Cookies", ".claude/settings.json",
                     ".mozilla/firefox/profiles.ini", ".claude.json", "Downloads/old.pdf",
                     ".local/share/ai-jail/cache/mark"):
            path = os.path.join(self.home, name)
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            with open(path, "w", encoding="ascii") as file:
                file.write("of the host\n")
            self.secrets.append(path)

    def tree(self):
        """Home and project, without what every run may leave."""
        state = os.path.join(self.home, ".local/state")
        return {path: what for path, what in {**tree(self.home), **tree(self.project)}.items()
                if os.path.commonpath([path, state]) != state}

    def browse(self, *words, code=0, env=None):
        """What the stand-in saw, and what ai-jail said."""
        options = {"env": dict(self.env, **env)} if env else {}
        got, out, err = self.run_piped(words, **options)
        self.assertEqual(got, code, err)
        return (json.loads(out) if out else None), err

    def refuse(self, *words, env=None):
        """The one line with which it ends."""
        seen, err = self.browse(*words, code=125, env=env)
        self.assertIsNone(seen)
        lines = [line for line in err.splitlines() if line.startswith("✗")]
        self.assertEqual(len(lines), 1, err)
        return lines[0]

    def begin(self, *words):
        """A browser that waits: (process, what it saw, what ai-jail says)."""
        out, err = self.output(), self.output()
        process = self.start([*words, "--wait"], [self.null, out.fd, err.fd])

        def said():
            self.assertIsNone(process.poll(), err.text())
            return out.bytes().endswith(b"\n")

        wait_for(said, lambda: f"a line of the browser; {err.text()}")
        return process, json.loads(out.bytes()), err


class HardProfiles(BrowserTest):
    def test_nothing_is_kept(self):
        before = self.tree()
        for words in (["chromium"], ["--browser", "chromium"], ["--browser=hard", "firefox"],
                      ["firefox-esr"]):
            for _ in range(2):
                with self.subTest(words=words):
                    seen, _ = self.browse(*words, "--headless")
                    self.assertEqual(seen["starts"], 0)
                    self.assertTrue(seen["profile"].startswith("/tmp/ai-jail-browser-"), seen)
        self.assertEqual(self.tree(), before)

    def test_the_words_of_chromium(self):
        always = chromium_words("/tmp/ai-jail-browser-chromium")
        seen, err = self.browse("chromium", "--headless", "http://a/", "--", "-x")
        self.assertEqual(seen["argv"], ["--headless", "http://a/"] + always + WITHOUT_GPU +
                         ["--", "-x"])
        self.assertRegex(err, r"‼ [^\n]*--no-sandbox[^\n]*not from one another")
        seen, _ = self.browse("--gpu", "chromium", "--headless")
        self.assertEqual(seen["argv"], ["--headless"] + always)

    def test_the_words_of_firefox(self):
        for name in ("firefox", "firefox-esr"):
            seen, _ = self.browse(name, "--headless", "--", "-x")
            state = f"/tmp/ai-jail-browser-{name}"
            self.assertEqual(seen["argv"], ["--headless", "--no-remote", "--profile", state, "--",
                                            "-x"])
            self.assertEqual(seen["mode"], 0o700)

    def test_switched_off_it_is_a_command(self):
        seen, _ = self.browse("--no-browser", "chromium", "--headless",
                              f"--write={self.project}/new")
        self.assertEqual(seen["argv"][:2], ["--headless", f"--write={self.project}/new"])
        self.assertEqual(len(seen["argv"]), 2)
        self.assertEqual(list(seen["write"].values()), ["ok"])

    def test_any_command_can_be_one(self):
        seen, err = self.browse("--browser", "surf", "--headless", f"--write={self.project}/new",
                                "--write=/tmp/ai-jail-browser-surf/x")
        self.assertEqual(seen["write"], {f"{self.project}/new": "EROFS",
                                         "/tmp/ai-jail-browser-surf/x": "ok"})
        self.assertIn("/tmp/ai-jail-browser-surf", err)

    def test_what_it_cannot_reach(self):
        """The host's files, its agents' state, its caches; the project only to read."""
        others = os.path.join(self.base, "others")
        os.mkdir(others)
        with open(os.path.join(self.project, "page.html"), "w", encoding="ascii"):
            pass
        tries = self.secrets + [others]
        page = os.path.join(self.project, "page.html")
        seen, _ = self.browse("--rw-map", others, "chromium", "--headless", f"--try={page}",
                              f"--write={self.project}/new", *(f"--try={path}" for path in tries))
        self.assertEqual(seen["try"], {page: "ok", **{path: "ENOENT" for path in tries}})
        self.assertEqual(seen["write"], {f"{self.project}/new": "EROFS"})

    def test_what_is_asked_for_and_not_given(self):
        others = os.path.join(self.base, "others")
        os.mkdir(others)
        runtime = os.path.join(self.base, "runtime")
        os.mkdir(runtime, 0o700)
        with socket.socket(socket.AF_UNIX) as bus:
            bus.bind(os.path.join(runtime, "bus"))
            bus.listen()
            for words in (["--systemd-user"], ["--ssh"], ["--rw-map", others], ["--map", others]):
                with self.subTest(words=words):
                    seen, err = self.browse(*words, "chromium", "--headless", f"--try={others}",
                                            f"--try={self.home}/.ssh",
                                            env={"XDG_RUNTIME_DIR": runtime})
                    self.assertEqual(set(seen["try"].values()), {"ENOENT"})
                    self.assertNotIn("bus", seen["runtime"])
                    self.assertNotIn("DBUS_SESSION_BUS_ADDRESS", seen["env"])
                    self.assertRegex(err, rf"(?m)^[‼⚠] [^\n]*{words[0]}")

    def test_a_wayland_display_is_no_x11(self):
        runtime = os.path.join(self.base, "runtime")
        os.mkdir(runtime, 0o700)
        env = {"XDG_RUNTIME_DIR": runtime, "WAYLAND_DISPLAY": "wayland-7", "DISPLAY": ":0"}
        with socket.socket(socket.AF_UNIX) as compositor:
            compositor.bind(os.path.join(runtime, "wayland-7"))
            compositor.listen()
            inside = f"/run/user/{os.getuid()}/wayland-7"
            seen, err = self.browse("--display", "chromium", f"--connect={inside}",
                                    env=env)
        self.assertEqual(seen["connect"], {inside: "ok"})
        self.assertEqual(seen["x11"], "ENOENT")
        self.assertNotIn("DISPLAY", seen["env"])
        self.assertNotIn("no display", err)

    def test_lockdown_keeps_nothing(self):
        program = os.path.join(self.home, ".local/bin/chromium")  # PATH is the system's alone
        seen, err = self.browse("--lockdown", "--browser=soft", program, "--headless")
        self.assertEqual(seen["profile"], "/tmp/ai-jail-browser-chromium/data")
        self.assertRegex(err, r"‼ [^\n]*thrown away[^\n]*lockdown")
        self.assertFalse(os.path.exists(self.store))


class Network(BrowserTest):
    def listen(self):
        listener = socket.create_server(("127.0.0.1", 0))
        self.opened.append(listener)
        return listener.getsockname()[1]

    def test_none_without_a_word(self):
        port = self.listen()
        seen, _ = self.browse("chromium", "--headless", f"--connect={port}")
        self.assertEqual(seen["connect"], {str(port): "ECONNREFUSED"})
        self.assertNotEqual(seen["net"], os.readlink("/proc/self/ns/net"))
        self.assertFalse([w for w in seen["argv"] if "proxy" in w])
        seen, _ = self.browse("--network", "chromium", "--headless", f"--connect={port}")
        self.assertEqual(seen["connect"], {str(port): "ok"})
        self.assertFalse([w for w in seen["argv"] if "proxy" in w])

    def test_hosts_are_reached_through_the_proxy(self):
        seen, _ = self.browse("--allow-host", "a.example", "chromium", "--headless",
                              "--connect=15919")
        self.assertEqual(seen["argv"][-1], f"--proxy-server={PROXY}")
        self.assertEqual(seen["connect"], {"15919": "ok"})
        self.assertFalse([w for w in seen["argv"] if "bypass" in w])
        seen, _ = self.browse("--allow-host", "a.example", "firefox", "--headless")
        for pref in ('"network.proxy.type", 1', '"network.proxy.http", "127.0.0.1"',
                     '"network.proxy.http_port", 15919', '"network.proxy.ssl", "127.0.0.1"',
                     '"network.proxy.ssl_port", 15919', '"network.trr.mode", 5',
                     '"network.dns.disablePrefetch", true', '"toolkit.telemetry.enabled", false',
                     '"network.proxy.no_proxies_on", ""'):
            self.assertIn(f"user_pref({pref});\n", seen["user.js"])
        seen, _ = self.browse("firefox", "--headless")
        self.assertIn('user_pref("network.proxy.type", 0);\n', seen["user.js"])

    def test_what_is_missing_is_said_with_the_command(self):
        def hints(*words, **env):
            _, err = self.browse(*words, env=env)
            return [line for line in err.splitlines() if " would give it " in line]

        found = hints("chromium", "http://a/?b&c", DISPLAY=":0")
        self.assertEqual(len(found), 1)
        self.assertIn("chromium has no network and no display: ai-jail --network --x11 chromium "
                      "'http://a/?b&c' would give", found[0])
        self.assertIn("--allow-host", found[0])
        found = hints("--network", "firefox", DISPLAY=":0", WAYLAND_DISPLAY="wayland-0")
        self.assertEqual(len(found), 1)
        self.assertIn("firefox has no display: ai-jail --display --network firefox", found[0])
        found = hints("chromium", "--headless")
        self.assertEqual(len(found), 1)
        self.assertNotIn("display", found[0])
        for words in (["--network", "chromium", "--headless"], ["chromium", "--version"],
                      ["--no-network", "chromium", "--headless=new"],
                      ["--allow-host", "a.example", "chromium", "--headless"]):
            self.assertEqual(hints(*words), [], words)

    def test_the_hint_hides_values(self):
        _, err = self.browse("--env", "TOKEN=secret1", "--env=OTHER=secret2", "chromium",
                             "--headless")
        self.assertIn("TOKEN=", err)
        self.assertNotIn("secret1", err)
        self.assertNotIn("secret2", err)


class SoftProfiles(BrowserTest):
    def soft(self, *words, name="chromium", **more):
        return self.browse("--browser=soft", *words, name, "--headless", **more)

    def test_it_is_kept_apart(self):
        before = self.tree()
        for starts in range(3):
            seen, _ = self.soft()
            self.assertEqual(seen["starts"], starts)
            self.assertEqual(seen["profile"], f"{self.store}/chromium/data")
        seen, _ = self.soft(name="firefox")
        self.assertEqual((seen["starts"], seen["profile"]), (0, f"{self.store}/firefox"))
        seen, _ = self.browse("chromium", "--headless")
        self.assertEqual(seen["starts"], 0, "the hard one is another one")
        after = self.tree()
        own = os.path.dirname(self.store)
        self.assertEqual({p: w for p, w in after.items() if not p.startswith(own + "/browser")},
                         before)
        for path in (self.store, self.store + "/chromium", self.store + "/firefox"):
            self.assertEqual(os.stat(path).st_mode & 0o777, 0o700, path)

    def test_its_own_directory_alone(self):
        self.soft(name="firefox")
        own = os.path.dirname(self.store)
        tries = [self.store + "/firefox", own + "/browser-locks", own + "/cache/mark"] + self.secrets
        writes = [self.store + "/new", own + "/new", self.project + "/new"]
        seen, _ = self.browse(
            "--browser=soft", "chromium", "--headless", *(f"--try={p}" for p in tries),
            *(f"--write={p}" for p in writes), f"--write={self.store}/chromium/new")
        self.assertEqual(seen["try"], {path: "ENOENT" for path in tries})
        refused = {path: seen["write"][path] for path in writes}
        self.assertEqual(refused[self.project + "/new"], "EROFS")
        self.assertLessEqual(set(refused.values()), {"EROFS", "EACCES", "ok"})
        for path in writes:
            self.assertFalse(os.path.exists(path), path)
        self.assertTrue(os.path.exists(self.store + "/chromium/new"))

    def test_the_preferences_are_written_anew(self):
        first, _ = self.soft(name="firefox")
        seen, _ = self.browse("--browser=soft", "firefox", "--headless", "--scribble")
        self.assertEqual(seen["scribble"], "ok")
        seen, _ = self.soft(name="firefox")
        self.assertEqual(seen["user.js"], first["user.js"])
        os.unlink(self.store + "/firefox/user.js")
        secret = os.path.join(self.home, ".ssh/id_ed25519")
        os.symlink(secret, self.store + "/firefox/user.js")
        seen, _ = self.soft(name="firefox")
        self.assertEqual(seen["user.js"], first["user.js"], "a link is replaced, not followed")
        with open(secret, encoding="ascii") as file:
            self.assertEqual(file.read(), "of the host\n")

    def test_a_mode_that_was_opened_is_closed(self):
        self.soft()
        os.chmod(self.store + "/chromium", 0o755)
        self.soft()
        self.assertEqual(os.stat(self.store + "/chromium").st_mode & 0o777, 0o700)

    def test_a_link_in_place_of_the_profile(self):
        os.makedirs(self.store, mode=0o700)
        os.symlink(os.path.join(self.home, ".ssh"), self.store + "/chromium")
        self.refuse("--browser=soft", "chromium", "--headless")
        self.assertEqual(os.listdir(os.path.join(self.home, ".ssh")), ["id_ed25519"])

    def test_one_at_a_time(self):
        process, _, _ = self.begin("--browser=soft", "chromium", "--headless")
        line = self.refuse("--browser=soft", "chromium", "--headless")
        self.assertIn(f"in use by another run (pid {process.pid})", line)
        self.assertEqual(self.soft(name="firefox")[0]["starts"], 0, "another name is free")
        self.assertEqual(self.browse("chromium", "--headless")[0]["starts"], 0, "a hard one, too")
        process.kill(signal.SIGTERM)
        process.wait()
        self.assertEqual(self.soft()[0]["starts"], 1)

    def test_an_untrusted_project_does_not_choose_it(self):
        with open(os.path.join(self.project, ".ai-jail"), "w", encoding="ascii") as file:
            file.write('command = ["chromium", "--headless"]\nbrowser_profile = "soft"\n')
        seen, err = self.browse()
        self.assertEqual(seen["profile"], "/tmp/ai-jail-browser-chromium/data", err)
        self.assertFalse(os.path.exists(self.store))
        with open(os.path.join(self.project, ".ai-jail"), "w", encoding="ascii") as file:
            file.write('browser_profile = "off"\nnetwork = true\n')
        seen, err = self.browse("chromium", "--headless", f"--write={self.project}/new")
        self.assertEqual(list(seen["write"].values()), ["EROFS"], err)
        self.assertNotEqual(seen["net"], os.readlink("/proc/self/ns/net"))


class Downloads(BrowserTest):
    def test_the_one_directory(self):
        there = os.path.join(self.home, "Downloads")
        elsewhere = os.path.join(self.base, "elsewhere")
        os.mkdir(elsewhere)
        before = self.tree()
        for name in ("chromium", "firefox"):
            seen, _ = self.browse("--downloads", there, name, "--headless",
                                  f"--write={there}/{name}.pdf", f"--write={elsewhere}/x",
                                  f"--write={self.project}/x", f"--write={self.home}/x")
            self.assertEqual(seen["write"], {
                f"{there}/{name}.pdf": "ok", f"{elsewhere}/x": "ENOENT",
                f"{self.project}/x": "EROFS", f"{self.home}/x": "ok"})
        self.assertEqual(seen["user.js"].count(f'"browser.download.dir", "{there}"'), 1)
        new = set(self.tree()) - set(before)
        self.assertEqual(new, {f"{there}/chromium.pdf", f"{there}/firefox.pdf"})

    def test_without_it_nothing_lands(self):
        there = os.path.join(self.home, "Downloads")
        seen, _ = self.browse("chromium", "--headless", f"--write={there}/x.pdf")
        self.assertEqual(list(seen["write"].values()), ["ENOENT"])
        self.assertEqual(os.listdir(there), ["old.pdf"])

    def test_what_is_refused(self):
        for path in (self.home, "/", "/usr", self.project, self.base, self.home + "/nowhere",
                     self.home + "/.ssh", self.home + "/.local/share/ai-jail",
                     self.home + "/Downloads/old.pdf", "", self.home + "/.mozilla",
                     self.home + "/.config/chromium"):
            with self.subTest(path=path):
                self.assertIn("--downloads", self.refuse("--downloads", path, "chromium",
                                                         "--headless"))
        self.assertIn("not started as a browser",
                      self.refuse("--downloads", self.home + "/Downloads", "true"))


class Ends(BrowserTest):
    def kill(self, *words):
        process, seen, _ = self.begin(*words)
        process.kill(signal.SIGKILL)
        process.wait()
        self.assert_nothing_left()
        return seen

    def test_a_killed_run_leaves_no_file(self):
        before = self.tree()
        self.kill("chromium", "--headless")
        self.assertEqual(self.tree(), before)
        self.assertFalse([name for name in os.listdir("/tmp") if name.startswith("ai-jail-browser-")])

    def test_a_killed_run_leaves_no_lock(self):
        self.assertEqual(self.kill("--browser=soft", "firefox", "--headless")["starts"], 0)
        seen, _ = self.browse("--browser=soft", "firefox", "--headless")
        self.assertEqual(seen["starts"], 1)

    def test_the_lock_lives_as_long_as_the_jail(self):
        """The mounter, which is the last to end, holds it; nothing in the jail has it."""
        process, _, _ = self.begin("--browser=soft", "firefox", "--headless")
        if os.geteuid() == 0:  # none of them can be looked into by others
            lock = os.path.join(os.path.dirname(self.store), "browser-locks/firefox")
            holders = {role for role, pid in self.jail_parts(process).items()
                       for fd in os.listdir(f"/proc/{pid}/fd")
                       if os.path.realpath(f"/proc/{pid}/fd/{fd}") == lock}
            self.assertEqual(holders, {"supervisor", "mounter"})
        self.assertIn(f"in use by another run (pid {process.pid})",
                      self.refuse("--browser=soft", "firefox", "--headless"))
        process.kill(signal.SIGKILL)
        process.wait()
        self.assert_nothing_left()
        self.assertEqual(self.browse("--browser=soft", "firefox", "--headless")[0]["starts"], 1)


class Verbs(BrowserTest):
    def verb(self, *words, code=0):
        got, out, err = self.run_piped(words)
        self.assertEqual(got, code, err)
        return out.decode() if code == 0 else err

    def test_list_and_forget(self):
        self.assertEqual(self.verb("--browser-list"),
                         f"no browser profile is kept in {self.store}\n")
        self.assertEqual(json.loads(self.verb("--browser-list", "--json"))["profiles"], [])
        self.browse("--browser=soft", "firefox", "--headless")
        process, _, _ = self.begin("--browser=soft", "chromium", "--headless")
        lines = self.verb("--browser-list").splitlines()
        self.assertEqual(len(lines), 2)
        self.assertRegex(lines[0], rf"\Achromium .* in use \(pid {process.pid}\)\Z")
        self.assertRegex(lines[1], r"\Afirefox [^(]*\Z")
        listed = json.loads(self.verb("--browser-list", "--json"))
        self.assertEqual([(p["name"], p["path"], p["in_use"], p["pid"]) for p in listed["profiles"]],
                         [("chromium", f"{self.store}/chromium", True, process.pid),
                          ("firefox", f"{self.store}/firefox", False, None)])
        self.assertIn(f"(pid {process.pid})", self.verb("--browser-forget", "chromium", code=125))
        self.assertTrue(os.path.exists(self.store + "/chromium/data/Cookies"))
        process.kill(signal.SIGTERM)
        process.wait()
        self.verb("--browser-forget", "chromium")
        self.assertEqual(os.listdir(self.store), ["firefox"])
        self.assertEqual(self.browse("--browser=soft", "chromium", "--headless")[0]["starts"], 0)

    def test_forget_follows_no_link(self):
        self.browse("--browser=soft", "chromium", "--headless")
        os.symlink(os.path.join(self.home, ".ssh"), self.store + "/chromium/link")
        os.makedirs(self.store + "/chromium/" + "/".join(["d" * 200] * 15))
        os.chmod(self.store + "/chromium/data", 0)
        self.verb("--browser-forget", "chromium")
        self.assertEqual(os.listdir(self.store), [])
        self.assertEqual(os.listdir(os.path.join(self.home, ".ssh")), ["id_ed25519"])

    def test_names_that_are_none(self):
        self.browse("--browser=soft", "chromium", "--headless")
        before = self.tree()
        os.symlink(os.path.join(self.home, ".ssh"), self.store + "/link")
        for name in ("netscape", "..", ".", "", "../cache", "chromium/data", "/", "link",
                     "\x1b[31m", os.path.join(self.home, ".ssh")):
            with self.subTest(name=name):
                err = self.verb("--browser-forget", name, code=125)
                self.assertNotIn("\x1b[31m", err)
        os.unlink(self.store + "/link")
        self.assertEqual(self.tree(), before)


if __name__ == "__main__":
    ptyrun.main()
