#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""Start-up of `true` in a jail, as ratios within one run.

    bench/startup.py [--ai-jail build/release/ai-jail] [--runs 40]

Three commands take turns, so that a machine whose speed drifts does not decide:

  ai-jail   ai-jail --exec true, the full default plan
  same      bubblewrap alone with the same options (from --dry-run --json); it places no masks, starts
            no launcher, no mounter and no supervisor
  one       bubblewrap with one bind of / and nothing else

Run it in a project directory as an ordinary user. Targets: ai-jail/same <= 1.15, ai-jail/one <= 2.0.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time


def same_options(ai_jail):
    """The options of the default plan, with descriptors of our own for generated files."""
    words = [ai_jail, "--no-save-config", "--dry-run", "--json", "--exec", "true"]
    text = subprocess.run(words, check=True,
                          capture_output=True).stdout
    backend = json.loads(text)["backend"]
    words, args = [], backend["args"]
    index = 0
    while index < len(args):
        word = args[index]
        if word == "--ro-bind-data":
            words += [word, "DATA"]
            index += 2
        elif word in ("--seccomp", "--info-fd"):
            index += 2
        else:
            words.append(word)
            index += 1
    return backend["path"], words


def run_once(argv, data=False):
    """Seconds of one run; DATA words become descriptors of an empty file."""
    fds = []
    words = []
    for word in argv:
        if data and word == "DATA":
            fd = os.open("/dev/null", os.O_RDONLY)
            fds.append(fd)
            word = str(fd)
        words.append(word)
    start = time.perf_counter()
    code = subprocess.run(words, pass_fds=fds, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
    taken = time.perf_counter() - start
    for fd in fds:
        os.close(fd)
    if code != 0:
        sys.exit(f"{' '.join(words[:3])} ... ended with {code}")
    return taken


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ai-jail", default="build/release/ai-jail")
    parser.add_argument("--runs", type=int, default=40)
    options = parser.parse_args()
    ai_jail = os.path.abspath(options.ai_jail)
    bwrap, words = same_options(ai_jail)
    commands = {
        "ai-jail": ([ai_jail, "--no-save-config", "--exec", "true"], False),
        "same": ([bwrap, *words, "--", "/bin/true"], True),
        "one": ([bwrap, "--ro-bind", "/", "/", "/bin/true"], False),
    }
    times = {name: [] for name in commands}
    for turn in range(options.runs + 2):
        for name, (argv, data) in commands.items():
            taken = run_once(argv, data)
            if turn >= 2:
                times[name].append(taken)
    for name, values in times.items():
        print(f"{name:8} median {statistics.median(values) * 1e3:7.2f} ms"
              f"  min {min(values) * 1e3:7.2f} ms")
    for peer in ("same", "one"):
        ratios = [a / b for a, b in zip(times["ai-jail"], times[peer])]
        print(f"ai-jail/{peer:5} median {statistics.median(ratios):5.2f}"
              f"  of minima {min(times['ai-jail']) / min(times[peer]):5.2f}")


main()
