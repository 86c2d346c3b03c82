#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""Real browsers driven from outside through a published port: Playwright, and Marionette."""
import json
import os
import subprocess
import urllib.error
import urllib.request

import ptyrun
from marionette import Marionette
from realbrowser import START_S, RealBrowserTest, program
from ptyrun import wait_for

FORM = b"""<!DOCTYPE html><title>a form</title><input id="name">
<button id="go" onclick="said.textContent = 'said: ' + document.getElementById('name').value">
go</button><p id="said"></p>"""


class Control(RealBrowserTest):
    def setUp(self):
        super().setUp()
        self.server.put("/form", FORM)

    def test_playwright(self):
        modules = os.environ["AI_JAIL_PLAYWRIGHT"]
        process, err = self.begin("--publish", "9222:0", *self.forward, "chromium", "--headless",
                                  "--remote-debugging-port=9222")
        port = self.published(process, err, 9222)

        def listens():
            self.assertIsNone(process.poll(), err.text())
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/version", timeout=5):
                    return True
            except (OSError, urllib.error.URLError):
                return False

        wait_for(listens, err.text, START_S)
        done = subprocess.run([program("node"), os.path.join(os.path.dirname(__file__) or ".",
                                                             "playwright.mjs"), modules,
                               f"http://127.0.0.1:{port}", self.server.url("/form")], check=False,
                              text=True, capture_output=True, timeout=START_S, env=self.env)
        self.assertEqual(done.returncode, 0, done.stderr + err.text())
        seen = json.loads(done.stdout)
        self.assertEqual((seen["title"], seen["said"]),
                         ("a form", "said: typed from outside"))
        self.assertEqual((seen["png"], seen["width"], seen["height"]),
                         ("\x89PNG\r\n\x1a\n", 320, 240))
        self.assertEqual(seen["file"].strip(), "ai-sandbox", "the jail's name, not the host's")
        self.end(process)

    def test_marionette_and_a_download(self):
        """What a page hands out lands in --downloads, and nowhere else."""
        there = os.path.join(self.home, "Downloads")
        os.mkdir(there)
        self.server.put("/file", b"downloaded\n", "application/octet-stream",
                        Content_Disposition='attachment; filename="file.bin"')
        self.server.put("/form", FORM + b'<a id="a" href="/file">file</a>')
        before = self.tree()
        process, err = self.begin("--publish", "2828:0", "--downloads", there, *self.forward,
                                  "firefox-esr", "--headless", "--marionette")
        firefox = Marionette(self.published(process, err, 2828), START_S)
        firefox.navigate(self.server.url("/form"))
        self.assertEqual(firefox.script("return document.title"), "a form")
        firefox.script("document.getElementById('a').click()")

        def landed():
            path = os.path.join(there, "file.bin")
            return os.path.exists(path) and os.path.getsize(path) > 0

        wait_for(landed, lambda: f"{os.listdir(there)} {err.text()}", START_S)
        firefox.quit()
        process.wait(START_S)
        self.assertEqual(set(self.tree()) - set(before), {os.path.join(there, "file.bin")})


if __name__ == "__main__":
    ptyrun.main()
