#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""Real browsers on the filtered network: the listed host through the proxy, and nothing else."""
import re
import subprocess
import unittest

from marionette import Marionette, Refused
from netrun import PROJECT, NetTest, log_lines, wait_for, AI_JAIL

START_S = 120.0
HELLO = "hello from outside"


class Network(NetTest):
    def dump(self, url, *options):
        """What Chromium shows of a page."""
        done = subprocess.run([AI_JAIL, *options, "chromium", "--headless", "--dump-dom",
                               "--ignore-certificate-errors", url], cwd=PROJECT, check=False,
                              text=True, capture_output=True, timeout=START_S,
                              stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def asked(self, before):
        """The names that somebody asked the name server for since then."""
        return {line.split()[1].rstrip(".") for line in log_lines()[before:]
                if line.startswith("dns ")}

    def test_chromium(self):
        before = len(log_lines())
        for scheme in ("http", "https"):
            self.assertIn(HELLO, self.dump(f"{scheme}://web.test/hello", "--allow-host", "web.test"))
        shown = self.dump("http://other.test/hello", "--allow-host", "web.test")
        self.assertNotIn(HELLO, shown)
        self.assertIn("--allow-host other.test", shown)
        self.assertNotIn(HELLO, self.dump("https://other.test/hello", "--allow-host", "web.test"))
        self.assertNotIn(HELLO, self.dump("http://11.0.0.4/hello", "--allow-host", "web.test"))
        self.assertEqual(self.asked(before), {"web.test"})

    def test_chromium_without_hosts(self):
        before = len(log_lines())
        self.assertNotIn(HELLO, self.dump("http://web.test/hello"))
        self.assertEqual(log_lines()[before:], [])

    def test_chromium_with_the_whole_network(self):
        self.assertIn(HELLO, self.dump("http://other.test/hello", "--network"))

    def test_firefox(self):
        before = len(log_lines())
        process = subprocess.Popen([AI_JAIL, "--allow-host", "web.test", "--publish", "2828:0",
                                    "firefox-esr", "--headless", "--marionette"], cwd=PROJECT,
                                   text=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE)
        said = ""
        while not (match := re.search(r"port 2828 of the jail is port (\d+) of", said)):
            line = process.stderr.readline()
            self.assertTrue(line, said)
            said += line
        firefox = Marionette(int(match[1]), START_S)
        try:
            for scheme in ("http", "https"):
                firefox.navigate(f"{scheme}://web.test/hello")
                self.assertIn(HELLO, firefox.text())
            firefox.navigate("http://other.test/hello")
            self.assertNotIn(HELLO, firefox.text())
            self.assertIn("--allow-host other.test", firefox.text())
            for url in ("https://other.test/hello", "https://11.0.0.4/hello"):
                with self.assertRaises(Refused):
                    firefox.navigate(url)
            self.assertEqual(self.asked(before), {"web.test"})
            firefox.quit()
        finally:
            process.stderr.close()
            process.terminate()
            process.wait(START_S)
        wait_for(lambda: process.poll() is not None, "the end")


if __name__ == "__main__":
    unittest.main(verbosity=2)
