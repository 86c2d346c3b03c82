#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""What files real browsers show and write, and that they draw the same as outside."""
import os
import re
import struct
import subprocess
import zlib

import ptyrun
from realbrowser import START_S, RealBrowserTest, program

DRAWN = """<!DOCTYPE html><meta charset="utf-8"><title>drawn</title>
<style>body { margin: 20px; background: linear-gradient(45deg, #fc3, #39f); font: 20px serif }
b { font-family: sans-serif; text-shadow: 2px 2px 3px #000; color: #fff }</style>
<p>Text, <b>fat text</b>, <i>ÄÖÜ λ Ж</i> <code>0xff</code>
<canvas id="c" width="200" height="120"></canvas>
<script>const c = document.getElementById("c").getContext("2d");
for (let i = 0; i < 20; i++) { c.strokeStyle = `hsl(${i * 18} 80% 40%)`;
c.beginPath(); c.arc(100, 60, i * 3 + 2, 0, i / 3); c.stroke(); }</script>"""


def pixels(path):
    """(header, unfiltered-as-stored lines) of a PNG: the same encoder writes the same ones."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise AssertionError(f"{path} is no PNG")
    at, header, packed = 8, None, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        header = body if kind == b"IHDR" else header
        packed += body if kind == b"IDAT" else b""
        at += size + 12
    return header, zlib.decompress(packed)


class Files(RealBrowserTest):
    def dump(self, url, *options):
        return self.jail(*options, "chromium", "--headless", "--dump-dom", url)[0]

    def test_file_links(self):
        """The page can be read; HOME, other directories and the host's users cannot."""
        self.make_real_profiles()
        other = os.path.join(self.base, "other.html")
        for path in (other, os.path.join(self.project, "page.html")):
            with open(path, "w", encoding="ascii") as file:
                file.write("<p>words of a file")
        self.assertIn("words of a file", self.dump(f"file://{self.project}/page.html"))
        for path in (other, self.home + "/.ssh/id_ed25519", self.home + "/.mozilla",
                     self.home + "/.config/chromium/Default/Cookies", "/root/.bashrc",
                     "/etc/shadow", "/proc/1/environ"):
            with self.subTest(path=path):
                # What root alone may read is there for root, and empty.
                self.assertEqual(re.sub("<[^>]*>", "", self.dump("file://" + path)).strip(), "")
        inside, _ = self.jail("--", "cat", "/etc/passwd")
        shown = self.dump("file:///etc/passwd")
        for line in inside.splitlines():
            self.assertIn(line, shown)
        self.assertEqual(shown.count(":x:") + shown.count(":*:"),
                         inside.count(":x:") + inside.count(":*:"))

    def test_the_project_is_read_only(self):
        """Told where to write, the browser does not."""
        before = self.tree()
        self.run_piped(["chromium", "--headless", f"--screenshot={self.project}/shot.png",
                        "about:blank"], timeout=START_S)
        self.run_piped(["firefox-esr", "--headless", "--screenshot", f"{self.project}/shot.png",
                        "about:blank"], timeout=START_S)
        self.assertEqual(self.tree(), before)

    def test_the_same_picture(self):
        page = os.path.join(self.project, "drawn.html")
        with open(page, "w", encoding="utf-8") as file:
            file.write(DRAWN)
        shots = os.path.join(self.home, "Shots")
        own = os.path.join(self.base, "profile")
        for path in (shots, own):
            os.mkdir(path)
        words = {
            "chromium": (["--headless", "--window-size=500,400", "--hide-scrollbars"],
                         lambda path: [f"--screenshot={path}"],
                         ["--no-sandbox", "--disable-gpu", f"--user-data-dir={own}/c"]),
            "firefox-esr": (["--headless", "--window-size=500,400"],
                            lambda path: ["--screenshot", path],
                            ["--no-remote", "--profile", own])}
        for browser, (always, shot, outside) in words.items():
            with self.subTest(browser=browser):
                inner, outer = (f"{shots}/{browser}-{side}.png" for side in ("in", "out"))
                self.jail("--downloads", shots, browser, *always, *shot(inner), f"file://{page}")
                subprocess.run([program(browser), *always, *outside, *shot(outer), f"file://{page}"],
                               env=self.env, cwd=self.project, check=True, timeout=START_S,
                               stdin=subprocess.DEVNULL, capture_output=True)
                inner, outer = pixels(inner), pixels(outer)
                self.assertEqual(struct.unpack(">II", inner[0][:8])[0], 500)
                self.assertGreater(len(set(inner[1])), 50, "something is drawn")
                self.assertEqual(inner, outer)


if __name__ == "__main__":
    ptyrun.main()
