#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""Time until an agent has drawn its first frame, outside and in the jail.

    bench/first_frame.py [--ai-jail build/release/ai-jail] [--pairs 7] [--map DIR] COMMAND...

A terminal that answers the questions of a start runs each COMMAND (one word each, a path or a name)
with an empty home, once as it is and once in the jail, in turns. The frame is there with the last byte
before a silence of 1 s, once the program has begun to draw (cursor hidden, other screen or
synchronised update) and written 200 bytes; --map shows a directory inside where the programs lie. The cost of starting is that of `true` in the same jail.
Target: inside at most 50 ms above outside and that cost.
"""
import argparse
import os
import re
import signal
import statistics
import tempfile
import time

import terminal

SILENCE_S, LIMIT_S, DRAWN = 1.0, 25.0, 200
DRAWING = re.compile(rb"\x1b\[\?(25l|1049h|2026h)")


def first_frame(argv):
    """(seconds until the frame is there, bytes), or (None, bytes) if the program ended before."""
    with tempfile.TemporaryDirectory(prefix="first-frame.") as top:
        home, project = os.path.join(top, "home"), os.path.join(top, "project")
        os.mkdir(home)
        os.mkdir(project)
        pty = terminal.Terminal(argv, cwd=project, env={"HOME": home})
        last = pty.begin
        while time.perf_counter() - pty.begin < LIMIT_S:
            size = len(pty.output)
            if pty.read(SILENCE_S):
                last = time.perf_counter()
            elif pty.has_ended() or (size >= DRAWN and DRAWING.search(pty.output)):
                break
        ended = pty.has_ended()
        if not ended:
            os.kill(pty.pid, signal.SIGTERM)
        pty.wait()
        return (None if ended else last - pty.begin), len(pty.output)


def cost_of_start(prefix):
    begin = time.perf_counter()
    pty = terminal.Terminal([*prefix, "true"])
    pty.wait()
    return time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ai-jail", default="build/release/ai-jail")
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--map", action="append", default=[])
    parser.add_argument("commands", nargs="+")
    options = parser.parse_args()
    prefix = [os.path.abspath(options.ai_jail), "--no-save-config", "--exec"]
    for path in options.map:
        prefix += ["--map", os.path.abspath(path)]
    prefix.append("--")
    cost = statistics.median(cost_of_start(prefix) - cost_of_start([]) for _ in range(options.pairs))
    print(f"starting a jail: {cost * 1000:.0f} ms")
    for command in options.commands:
        runs = [(first_frame([command]), first_frame([*prefix, command]))
                for _ in range(options.pairs)]
        whole = [(a[0], b[0]) for a, b in runs if a[0] is not None and b[0] is not None]
        name = os.path.basename(command)
        if not whole:
            print(f"{name}: ended before a frame; bytes outside {runs[0][0][1]}, "
                  f"inside {runs[0][1][1]}")
            continue
        outside, inside = (statistics.median(side) * 1000 for side in zip(*whole))
        over = statistics.median(b - a for a, b in whole) * 1000 - cost * 1000
        print(f"{name}: outside {outside:.0f} ms, inside {inside:.0f} ms, "
              f"beyond the start {over:+.0f} ms ({len(whole)} pairs)")


main()
