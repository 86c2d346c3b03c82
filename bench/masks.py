#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""Launch with many masked files: planning alone, and the whole run of `true`.

    bench/masks.py [--ai-jail build/release/ai-jail] [--files 100000] [--masked 10000] [--runs 5]

A tree of FILES files is made below a temporary directory, MASKED of them with names that one pattern
matches. The commands take turns, so that a machine whose speed drifts does not decide:

  plan, plan+   ai-jail --dry-run, without and with the mask
  run, run+     ai-jail --exec true, without and with it

Target: run+ <= 0.5 s. The ratio to the run without masks says how much of it the masks cost. As a check
that the masks were there, one masked and one other file are read inside.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

PER_DIRECTORY = 100


def make_tree(root, files, masked):
    """Files of 100 to a directory, directories of 100 to a directory."""
    every = max(1, files // masked)
    for number in range(files):
        if number % PER_DIRECTORY == 0:
            directory = os.path.join(root, f"d{number // PER_DIRECTORY // 100:02}",
                                     f"e{number // PER_DIRECTORY % 100:02}")
            os.makedirs(directory, exist_ok=True)
        name = f"f{number}.secret" if number % every == 0 else f"f{number}.txt"
        with open(os.path.join(directory, name), "w") as file:
            file.write("canary\n")
    return os.path.join(root, "d00", "e00", "f0.secret"), os.path.join(root, "d00", "e00", "f1.txt")


def seconds(argv, cwd):
    start = time.perf_counter()
    result = subprocess.run(argv, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True)
    taken = time.perf_counter() - start
    if result.returncode != 0:
        sys.exit(f"{' '.join(argv)} ended with {result.returncode}: {result.stderr}")
    return taken


def check(ai_jail, root, secret, plain):
    text = subprocess.run([ai_jail, "--no-save-config", "--mask", "**/*.secret", "--exec", "cat", secret, plain], cwd=root,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True).stdout
    if text != "canary\n":
        sys.exit(f"the masks are not there: {text!r}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ai-jail", default="build/release/ai-jail")
    parser.add_argument("--files", type=int, default=100000)
    parser.add_argument("--masked", type=int, default=10000)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    ai_jail = os.path.abspath(options.ai_jail)
    jail = [ai_jail, "--no-save-config"]
    mask = ["--mask", "**/*.secret"]
    commands = {
        "plan": [*jail, "--dry-run", "--exec", "true"],
        "plan+": [*jail, *mask, "--dry-run", "--exec", "true"],
        "run": [*jail, "--exec", "true"],
        "run+": [*jail, *mask, "--exec", "true"],
    }
    root = tempfile.mkdtemp(prefix="aj-bench-masks-")
    try:
        secret, plain = make_tree(root, options.files, options.masked)
        check(ai_jail, root, secret, plain)
        times = {name: [] for name in commands}
        for _ in range(options.runs):
            for name, argv in commands.items():
                times[name].append(seconds(argv, root))
    finally:
        shutil.rmtree(root)
    medians = {name: statistics.median(values) for name, values in times.items()}
    for name, median in medians.items():
        print(f"{name:6} median {median * 1000:7.1f} ms, best {min(times[name]) * 1000:7.1f} ms")
    print(f"run+/run {medians['run+'] / medians['run']:.2f}, "
          f"plan+/plan {medians['plan+'] / medians['plan']:.2f}")


if __name__ == "__main__":
    main()
