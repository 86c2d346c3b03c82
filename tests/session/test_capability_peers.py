#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""Host capabilities with the servers that they are for: a Wayland compositor, PipeWire, PulseAudio.

What comes in large packages is tried where it is installed, and must be with AI_JAIL_COMPAT=all. Each
client is asked three times: with the flag it is served, without it and in lockdown it finds no server.
"""
import os
import shutil
import subprocess
import sys

import ptyrun
from ptyrun import tool, wait_for
from test_capabilities import CapabilityTest, takes_connections

ALL = os.environ.get("AI_JAIL_COMPAT") == "all"
LARGE = {"test_wayland": ("weston", "wayland-info"),
         "test_pulseaudio": ("pulseaudio", "pactl", "paplay")}


class CapabilityPeers(CapabilityTest):
    def start_server(self, argv, name):
        """Starts the program and waits for its socket; gives what it writes."""
        log, path = self.output(), os.path.join(self.runtime, name)
        process = self.start_program(argv, [self.null, log.fd, log.fd])

        def is_there():
            self.assertIsNone(process.poll(), log.text())
            return takes_connections(path)

        wait_for(is_there, lambda: f"{path}; {log.text()}")
        return log

    def check_outside(self, argv, want, refusal):
        """The positive control: the client works here, and finds nothing elsewhere."""
        for env, found in ((self.env, want), (dict(self.env, XDG_RUNTIME_DIR=self.home), refusal)):
            done = subprocess.run(argv, env=env, cwd=self.project, check=False, text=True,
                                  capture_output=True, timeout=ptyrun.DEADLINE)
            self.assertIn(found, done.stdout + done.stderr)
            self.assertEqual(done.returncode == 0, found is want, done.stderr)

    def check_client(self, flag, argv, want, refusal):
        self.check_outside(argv, want, refusal)
        out, _ = self.run_ok(flag, "--", *argv)
        self.assertIn(want, out)
        for flags in ((), ("--lockdown", flag)):
            with self.subTest(flags=flags):
                code, out, err = self.run_piped([*flags, "--", *argv])
                self.assertNotIn(code, (0, 125, 126, 127), err)
                self.assertNotIn(want, out.decode())
                self.assertIn(refusal, err)

    def test_wayland(self):
        """The compositor lists what it has; shared memory is what windows are drawn in."""
        self.start_server([tool("weston"), "--backend=headless-backend.so", "--socket=wayland-7",
                           "--shell=kiosk-shell.so", "--no-config", "--idle-time=0", "--width=64",
                           "--height=64"], "wayland-7")
        self.env["WAYLAND_DISPLAY"] = "wayland-7"
        self.check_client("--display", [tool("wayland-info")], "wl_shm",
                          "failed to create display: No such file or directory")

    def test_pipewire(self):
        """And it takes the jail for a program of the user, not for one with restricted access."""
        self.start_server([tool("pipewire")], "pipewire-0")
        self.check_client("--audio", [tool("pw-cli"), "info", "0"], 'core.name = "pipewire-0"',
                          "failed to connect: Host is down")
        out, _ = self.run_ok("--audio", "--", tool("pw-cli"), "info", "all")
        self.assertIn('pipewire.access = "unrestricted"', out)

    def test_pulseaudio(self):
        """A sink that throws away is played to; what decides is the user, no file in HOME."""
        self.start_server([tool("pulseaudio"), "--daemonize=no", "--use-pid-file=no", "-n",
                           "--exit-idle-time=-1", "-L", "module-native-protocol-unix", "-L",
                           "module-null-sink sink_name=nowhere"], "pulse/native")
        self.check_client("--audio", [tool("pactl"), "info"], "Default Sink: nowhere",
                          "Connection failure: Connection refused")
        self.run_ok("--audio", "--", "sh", "-c", "head -c 4096 /dev/zero >s && paplay --raw s")


def leave_out(name, why):
    print(f"{name} is left out: {why}", file=sys.stderr)
    delattr(CapabilityPeers, name)


for _test, _programs in LARGE.items():
    _missing = [program for program in _programs if not shutil.which(program, path=ptyrun.PATH)]
    if _missing and not ALL:
        leave_out(_test, f"{_missing[0]} is not installed (with AI_JAIL_COMPAT=all it must be)")


if __name__ == "__main__":
    ptyrun.main()
