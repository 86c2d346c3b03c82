#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""What a profile keeps: cookies and local storage of real browsers, before and after."""
import os
import signal

import ptyrun
from realbrowser import START_S, RealBrowserTest
from ptyrun import wait_for

NOTHING = {"cookie": "", "local": ""}
KEPT = {"cookie": "kept=cookie-of-the-page", "local": "local-of-the-page"}


class State(RealBrowserTest):
    def load(self, browser, *options, code=0):
        """What the page found."""
        before = len(self.server.reports())
        self.jail(*options, *self.forward, *self.once(browser, self.server.url()), code=code)
        reports = self.server.reports()[before:]
        self.assertEqual(len(reports), 1)
        return reports[0]

    def test_a_hard_profile_forgets(self):
        self.make_real_profiles()
        before = self.tree()
        for browser in self.BROWSERS:
            for _ in range(2):
                with self.subTest(browser=browser):
                    self.assertEqual(self.load(browser), NOTHING)
        self.assertEqual(self.tree(), before)

    def test_a_soft_profile_remembers(self):
        self.make_real_profiles()
        before = self.tree()
        for browser in self.BROWSERS:
            with self.subTest(browser=browser):
                self.assertEqual(self.load(browser, "--browser=soft"), NOTHING)
                self.assertEqual(self.load(browser, "--browser=soft"), KEPT)
                self.assertEqual(self.load(browser, "--browser=hard"), NOTHING)
                self.jail("--browser-forget", browser)
                self.assertEqual(self.load(browser, "--browser=soft"), NOTHING)
        own = os.path.dirname(self.store) + "/browser"
        self.assertEqual({p: w for p, w in self.tree().items() if not p.startswith(own)}, {
            **before, **{p: w for p, w in self.tree().items() if p == os.path.dirname(self.store)
                         or self.store.startswith(p + "/")}})

    def stay(self, browser, *options):
        """A browser that has loaded the page and stays."""
        words = {"chromium": ["--headless", "--remote-debugging-port=9222"],
                 "firefox-esr": ["--headless"]}[browser]
        before = len(self.server.reports())
        process, err = self.begin(*options, *self.forward, browser, *words, self.server.url())

        def reported():
            self.assertIsNone(process.poll(), err.text())
            return len(self.server.reports()) > before

        wait_for(reported, err.text, START_S)
        return process

    def test_killed(self):
        """Nothing is left of a hard run; the lock of a soft one, and the browser's own, are free."""
        before = self.tree()
        for browser in self.BROWSERS:
            for profile in ("hard", "soft"):
                with self.subTest(browser=browser, profile=profile):
                    process = self.stay(browser, f"--browser={profile}")
                    process.kill(signal.SIGKILL)
                    process.wait()
                    self.assert_nothing_left()
                    if profile == "hard":
                        self.assertEqual({p: w for p, w in self.tree().items()
                                          if not p.startswith(self.home + "/.local/share/")},
                                         before)
                    self.load(browser, f"--browser={profile}")

    def test_one_at_a_time(self):
        for browser in self.BROWSERS:
            with self.subTest(browser=browser):
                process = self.stay(browser, "--browser=soft")
                _, err = self.jail("--browser=soft", browser, "--headless", code=125)
                self.assertEqual(len([l for l in err.splitlines() if l.startswith("✗")]), 1, err)
                self.assertIn(f"(pid {process.pid})", err)
                out, _ = self.jail("--browser-list")
                self.assertIn(f"in use (pid {process.pid})", out)
                self.jail("--browser-forget", browser, code=125)
                self.end(process)
                self.jail("--browser-forget", browser)


if __name__ == "__main__":
    ptyrun.main()
