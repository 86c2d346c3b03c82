#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""Windows of real browsers: on an X server, and on a Wayland compositor without one."""
import os
import stat
import subprocess

import ptyrun
from realbrowser import START_S, RealBrowserTest, program
from ptyrun import wait_for

PAGE = b"<!DOCTYPE html><title>a window of the jail</title><img src=/report?seen=1>"


class Display(RealBrowserTest):
    def setUp(self):
        super().setUp()
        self.server.put("/window", PAGE)
        self.start_x_server()

    def start_x_server(self):
        reader, writer = os.pipe()
        os.set_inheritable(writer, True)
        self.start_program([program("Xvfb"), "-displayfd", str(writer), "-nolisten", "tcp", "-screen",
                            "0", "800x600x24"], [self.null] * 3, keep=(writer,))
        os.close(writer)
        with os.fdopen(reader) as file:
            self.env["DISPLAY"] = ":" + file.readline().strip()

    def windows(self):
        return subprocess.run([program("xwininfo"), "-root", "-tree"], env=self.env, check=True,
                              text=True, capture_output=True, timeout=ptyrun.DEADLINE).stdout

    def seen(self, process, err):
        def is_seen():
            self.assertIsNone(process.poll(), err.text())
            return self.server.reports()
        wait_for(is_seen, err.text, START_S)

    def test_x11(self):
        for browser in self.BROWSERS:
            with self.subTest(browser=browser):
                self.server.asked.clear()
                process, err = self.begin("--x11", *self.forward, browser,
                                          self.server.url("/window"))
                self.seen(process, err)
                wait_for(lambda: "a window of the jail" in self.windows(), err.text, START_S)
                self.assertRegex(err.text(), r"‼ [^\n]*watch[^\n]*\(--x11\)")
                self.end(process)
                self.assert_nothing_left()
                self.assertNotIn("a window of the jail", self.windows())

    def test_wayland(self):
        """It draws there; the X server that is named outside stays out of its reach."""
        runtime = os.path.join(self.base, "runtime")
        os.mkdir(runtime, 0o700)
        self.env.update(XDG_RUNTIME_DIR=runtime, WAYLAND_DISPLAY="wayland-7")
        self.env.pop("XDG_SESSION_TYPE", None)
        log = self.output()
        self.start_program([program("weston"), "--backend=headless-backend.so", "--socket=wayland-7",
                            "--shell=kiosk-shell.so", "--no-config", "--idle-time=0"],
                           [self.null, log.fd, log.fd])
        path = os.path.join(runtime, "wayland-7")
        wait_for(lambda: os.path.exists(path) and stat.S_ISSOCK(os.stat(path).st_mode), log.text)
        for browser in self.BROWSERS:
            with self.subTest(browser=browser):
                self.server.asked.clear()
                process, err = self.begin("--display", *self.forward, browser,
                                          self.server.url("/window"))
                self.seen(process, err)
                self.assertNotIn("--x11", err.text())
                self.assertNotIn("a window of the jail", self.windows())
                self.end(process)


if __name__ == "__main__":
    ptyrun.main()
