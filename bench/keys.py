#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""Time of a key: press, through the supervisor to a program that echoes it, and back.

    bench/keys.py [--ai-jail build/release/ai-jail] [--keys 5000]

The same program runs on a pseudo-terminal of its own and in the jail; blocks of 100 keys take turns,
so that a machine whose speed drifts does not decide. Every key waits for the one before. Target: the
jail adds at most 0.2 ms at the 99th percentile.
"""
import argparse
import os
import sys
import time

import terminal

# Raw; says that it is ready, and gives each byte back.
ECHO = r"""
import os, tty
tty.setraw(0)
os.write(1, b'<ready>')
while True:
    key = os.read(0, 1)
    if key == b'q':
        break
    os.write(1, key)
"""
BLOCK = 100


def start(argv):
    pty = terminal.Terminal([*argv, sys.executable, "-c", ECHO])
    pty.expect(b"<ready>")
    return pty


def press(pty, times):
    """One block of keys."""
    clock = time.perf_counter
    for n in range(BLOCK):
        key = b"abcdefghijklmnop"[n % 16:n % 16 + 1]
        begin = clock()
        os.write(pty.master, key)
        got = os.read(pty.master, 100)
        times.append((clock() - begin) * 1000)
        if got != key:
            sys.exit(f"pressed {key!r}, got {got!r}")


def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ai-jail", default="build/release/ai-jail")
    parser.add_argument("--keys", type=int, default=5000)
    options = parser.parse_args()
    ways = {"bare": start([]), "jail": start([os.path.abspath(options.ai_jail), "--no-save-config",
                                             "--exec", "--"])}
    times = {name: [] for name in ways}
    for pty in ways.values():
        press(pty, [])
    for _ in range(max(1, options.keys // BLOCK)):
        for name, pty in ways.items():
            press(pty, times[name])
    for pty in ways.values():
        os.write(pty.master, b"q")
        pty.wait()
    for name, values in times.items():
        print(f"{name:6} p50 {percentile(values, .5):7.3f} ms  p99 {percentile(values, .99):7.3f} ms"
              f"  max {max(values):7.3f} ms")
    print("added " + "  ".join(
        f" p{part * 100:.0f} {percentile(times['jail'], part) - percentile(times['bare'], part):7.3f} ms"
        for part in (.5, .99)))


main()
