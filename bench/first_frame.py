#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""Time until an agent shows its first screen, outside and in the jail.

    AI_JAIL_AGENTS=PREFIX bench/first_frame.py [--ai-jail build/release/ai-jail] [--pairs 7] AGENT...

AGENT is one of tests/session/agents.py, which says where it is looked for and what its home holds.
A terminal that answers the questions of a start runs it once as it is and once in the jail, in
turns, each time with a fresh home. Two moments count: it begins to draw (cursor hidden, other
screen or synchronised update), and the words of its first screen have come. Both are measured from
the start of what was typed and from the exec of the agent, which a shell in front of it notes.
Target: at most 50 ms more inside, as the median of the pairs, from the exec on.
"""
import argparse
import os
import pathlib
import re
import signal
import statistics
import sys
import tempfile
import time

import terminal

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests/session"))
import agents  # noqa: E402, pylint: disable=wrong-import-position

LIMIT_S = 90.0
DRAWING = re.compile(rb"\x1b\[\?(25l|1049h|2026h)")
SEQUENCE = re.compile(rb"\x1b\][^\x07\x1b]*(\x07|\x1b\\)|\x1b\[[0-?]*[ -/]*[@-~]|\x1b[P_][^\x1b]*\x1b\\|\s")
NOTE = 'echo "$EPOCHREALTIME" >"$1"; shift; exec "$@"'
MOMENTS = ("drawing", "words")


def words_are_there(output, shown):
    return re.search(shown, SEQUENCE.sub(b"", output).decode(errors="replace"))


def run(name, path, prefix_of, top):
    """{(moment, since): seconds}"""
    home, project = os.path.join(top, "home"), os.path.join(top, "project")
    note = os.path.join(project, "begun")
    agents.make_home(name, home, project)
    env = {"HOME": home, "COLORTERM": "truecolor", **agents.variables(name, home)}
    shown = re.sub(r" ", "", agents.AGENTS[name][3])
    begin = time.time()
    pty = terminal.Terminal([*prefix_of(home), "bash", "-c", NOTE, "bash", note, path], cwd=project,
                            env=env, rows=32, cols=110)
    at = {}
    try:
        while "words" not in at and time.time() - begin < LIMIT_S:
            if pty.read(1.0):
                now = time.time()
                if DRAWING.search(pty.output):
                    at.setdefault("drawing", now)
                    if words_are_there(pty.output, shown):
                        at["words"] = now
            elif pty.has_ended():
                break
        with open(note, encoding="ascii") as file:
            executed = float(file.read())
    finally:
        if not pty.has_ended():
            os.kill(pty.pid, signal.SIGKILL)
        pty.wait()
    if "words" not in at:
        sys.exit(f"{name}: no {shown!r} in {pty.output[-2000:]!r}")
    return {**{(moment, "start"): at[moment] - begin for moment in MOMENTS},
            **{(moment, "exec"): at[moment] - executed for moment in MOMENTS}}


def measure(name, path, ai_jail, pairs, top):
    def inside(home):
        return [ai_jail, *agents.jail_options(name, path, home), "--"]

    sides = [[], []]
    for number in range(pairs):
        # Who comes second finds warm caches: both do so as often.
        for side in ((0, 1), (1, 0))[number % 2]:
            sides[side].append(run(name, path, (lambda home: [], inside)[side], top))
    for key in sides[0][0]:
        outside, within = ([row[key] * 1000 for row in side] for side in sides)
        more = [b - a for a, b in zip(outside, within)]
        print(f"{name:9} {key[0]:8} since {key[1]:6} {statistics.median(outside):8.0f} "
              f"{statistics.median(within):8.0f} {statistics.median(more):+8.0f}   "
              f"{min(within) - min(outside):+8.0f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ai-jail", default="build/release/ai-jail")
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("agents", nargs="+", choices=sorted(agents.AGENTS))
    options = parser.parse_args()
    print(f"{'ms':31} {'outside':>8} {'inside':>8} {'median+':>8}   {'best+':>8}")
    for name in options.agents:
        path = agents.find(name)
        if not path:
            sys.exit(f"{name} is not installed")
        with tempfile.TemporaryDirectory(prefix="first-frame.") as top:
            os.mkdir(os.path.join(top, "project"))
            measure(name, path, os.path.abspath(options.ai_jail), options.pairs, top)


if __name__ == "__main__":
    main()
