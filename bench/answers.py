#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""Time from a question of an agent to the answer of the jail.

    bench/answers.py [--ai-jail build/release/ai-jail] [--rounds 100]

The program inside is raw, without echo, and asks what agents were recorded to ask when they start
(tests/session/queries.py), one question after the other. Target: 5 ms.
"""
import argparse
import json
import os
import pathlib
import sys
import tempfile

import terminal

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests/session"))
import queries  # noqa: E402, pylint: disable=wrong-import-position


def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


def measure(ai_jail, rounds):
    with tempfile.TemporaryDirectory(prefix="answers.") as project:
        with open(os.path.join(project, "asked"), "w", encoding="ascii") as file:
            json.dump([(name, *row) for name, row in queries.QUERIES.items()], file)
        pty = terminal.Terminal([ai_jail, "--no-save-config", "--exec", "--", "python3", "-c",
                                 queries.ASK, "asked", str(rounds), "told"], cwd=project)
        status = pty.wait()
        if status:
            sys.exit(f"ended with status {status}: {pty.output[-1000:]!r}")
        with open(os.path.join(project, "told"), encoding="ascii") as file:
            return json.load(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ai-jail", default="build/release/ai-jail")
    parser.add_argument("--rounds", type=int, default=100)
    options = parser.parse_args()
    told = measure(os.path.abspath(options.ai_jail), options.rounds)
    everything = []
    print(f"{'ms':16} {'median':>8} {'p99':>8} {'max':>8}")
    for name, row in told.items():
        everything += row["times"]
        if not all(row["answers"]):
            print(f"{name}: {row['answers'].count('')} of {options.rounds} without an answer")
        print_row(name, row["times"])
    print_row("all", everything)


def print_row(name, times):
    figures = [value / 1000 for value in (percentile(times, .5), percentile(times, .99), max(times))]
    print(f"{name:16} " + " ".join(f"{value:8.3f}" for value in figures))


main()
