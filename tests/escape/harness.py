#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""harness: runs the escape probes inside real jails, each beside its positive control outside.

    harness.py --ai-jail FILE --probe FILE [--i386 FILE] --as user|root
               [--without seccomp|landlock] [--modes DN|K] [--only ID,...] [--keep] [--verbose]

A row is contained, escaped, observed (a layer is off and the row says nothing for that), or cannot
be judged: then its control did not work. Which rows may end so is written in cannot-judge.txt,
with the condition of the machine that explains it; a new one fails the suite, and so does an old
one that has become judgeable.

Exit status: 0 all contained, 1 something escaped or could not be judged, 77 skipped.
"""

import argparse
import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True  # the source directory stays as it is

import alone  # noqa: E402
import alone_tty  # noqa: E402
import outside  # noqa: E402
from terminal import Terminal  # noqa: E402

HERE = Path(__file__).resolve().parent
SKIPPED = 77
RUN_LIMIT_S = 300
GONE_LIMIT_S = 30.0  # what is meant to stay stays longer, see helper.c
LINE = re.compile(r'\{"id":.*?\]\}')


class Suite:
    def __init__(self, options):
        self.options = options
        self.user = outside.User(options.as_user)
        self.world = outside.World(self.user)
        self.results = {}   # (id, modes) -> (verdict, notes)
        self.findings = []  # what the harness saw from outside
        self.blind = {}
        self.only = set(filter(None, (options.only or "").split(",")))

    # Starting things

    def letters(self, mode, extra=""):
        who = "R" if self.user.root else "U"
        off = {"seccomp": "S", "landlock": "L"}.get(self.options.without, "")
        return mode + who + extra + off

    def jail_words(self, mode, *more):
        world = self.world
        words = [world.ai_jail]
        words += {"N": ["--network"], "K": ["--lockdown", "--network"]}.get(mode, [])
        words += [f"--no-{self.options.without}"] if self.options.without else []
        words += ["--map", world.tools, "--map", world.ro_map, "--map", world.ro_inside,
                  "--rw-map", world.rw_map, *outside.MASKED, *more, "--"]
        return words

    def start(self, words, *, env=None, as_root=False, **keywords):
        keywords.setdefault("cwd", self.world.project)
        keywords.setdefault("stdin", subprocess.DEVNULL)
        keywords.setdefault("stdout", subprocess.PIPE)
        keywords.setdefault("stderr", subprocess.PIPE)
        switch = {} if as_root else self.user.switch
        return subprocess.Popen(words, env=env or self.world.environment(), **switch, **keywords)

    def finish(self, process, limit=RUN_LIMIT_S):
        """(status, stdout, stderr); a run that does not end is a finding."""
        try:
            out, err = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            self.finding(f"no end after {limit} s: {outside.process_name(process.pid)}")
            process.kill()
            out, err = self._salvage(process)
        return process.returncode, (out or b"").decode("latin-1"), (err or b"").decode("latin-1")

    @staticmethod
    def _salvage(process):
        """Somebody who was left behind may hold the pipes open."""
        try:
            return process.communicate(timeout=1)
        except subprocess.TimeoutExpired:
            for pipe in (process.stdout, process.stderr):
                if pipe is not None:
                    pipe.close()
            return b"", b""

    def run(self, words, **keywords):
        return self.finish(self.start(words, **keywords))

    def jail(self, mode, command, *, options=(), **keywords):
        """A whole run, with the comparison of outside before and after."""
        with Watch(self, f"{mode}: {' '.join(map(str, command))[:100]}"):
            return self.run([*self.jail_words(mode, *options), *command], **keywords)

    def watch(self, what):
        return Watch(self, what)

    # Results

    def finding(self, text):
        self.findings.append(text)
        print(f"FINDING {text}", flush=True)

    def record(self, row, modes, verdict, notes):
        self.results[row, modes] = (verdict, notes)
        if self.options.verbose or verdict == "escaped":
            print(f"{verdict:12} {row} {modes} {'; '.join(notes[:12])}", flush=True)

    def absorb(self, text, modes, controls):
        """The JSON lines of a run. controls: id -> True if the control worked."""
        seen = set()
        for line in LINE.findall(text):
            result = json.loads(line)
            row, verdict, notes = result["id"], result["verdict"], result["notes"]
            seen.add(row)
            if controls.get(row) is False:
                notes = [f"control failed; inside: {verdict}", *notes]
                verdict = "cannot judge"
            self.record(row, modes, verdict, notes)
        return seen

    # Batches

    def listed(self, modes):
        out = subprocess.run([self.world.probe, "--list", modes], stdout=subprocess.PIPE,
                             check=True).stdout.decode()
        rows = {}
        for line in out.splitlines():
            row, _, control = line.split()
            rows[row] = control
        return rows

    def controls(self, rows, runner):
        """Runs the positive controls of rows outside; id -> did it work."""
        kinds = {"same": [], "root": [], "bwrap": []}
        for row, control in rows.items():
            kind = {"reach": "same", "all": "same", "root-reach": "root"}.get(control, control)
            if kind in kinds:
                kinds[kind].append(row)
        worked = {}
        for kind, ids in kinds.items():
            if not ids:
                continue
            if kind == "root" and os.geteuid() != 0:
                worked.update((row, None) for row in ids)
                continue
            text = runner([*self.plain_bwrap(kind), self.world.probe, "--control", *ids],
                          kind == "root")
            for line in LINE.findall(text):
                result = json.loads(line)
                worked[result["id"]] = result["verdict"] == "escaped"
                if self.options.verbose and not worked[result["id"]]:
                    print(f"control fails {result['id']} {result['notes'][:8]}", flush=True)
        return worked

    def plain_bwrap(self, kind):
        if kind != "bwrap":
            return []
        words = ["bwrap", "--unshare-user", "--unshare-pid", "--ro-bind", "/usr", "/usr",
                 "--proc", "/proc", "--dev", "/dev", "--ro-bind", self.world.tools,
                 self.world.tools, "--bind", self.world.project, self.world.project]
        for link in ("bin", "sbin", "lib", "lib64"):
            if os.path.islink(f"/{link}"):
                words += ["--symlink", os.readlink(f"/{link}"), f"/{link}"]
        return words

    def batch(self, mode):
        modes = self.letters(mode)
        self.world.renew(modes)
        rows = self.wanted(self.listed(modes))
        env = self.world.secret_environment()
        worked = self.controls(rows, lambda words, as_root: self.run(
            words, env=env, as_root=as_root)[1])
        self.world.net.heard()
        self.world.heard()
        command = [self.world.probe, "--batch", modes] if not self.only else [
            self.world.probe, *rows]
        status, out, err = (0, "", "") if not rows else self.jail(mode, command, env=env)
        seen = self.absorb(out, modes, worked)
        for row in sorted(set(rows) - seen):
            self.record(row, modes, "escaped", [f"no result; status {status}", err[-400:]])
        for heard in self.world.net.heard() + self.world.heard():
            # With the host's network its listeners are not out of reach, by design.
            if mode != "N" or heard.startswith("unix"):
                if not (heard.startswith("unix @") and self.options.without == "landlock"):
                    self.finding(f"{modes}: a server of the host heard: {heard}")
        if not self.world.stranger_lives():
            self.finding(f"{modes}: the stranger was killed from inside")

    def terminal_batch(self, mode):
        modes = self.letters(mode, "T")
        self.world.renew(modes)
        rows = self.wanted(self.listed(modes))
        if not rows:
            return

        def on_terminal(words, as_root=False):
            with Terminal(self.user, as_root) as term:
                self.world.write_facts(**term.facts())
                term.run(self, words, as_root=as_root)
                return term.text()

        worked = self.controls(rows, on_terminal)
        with Watch(self, f"{modes}: terminal batch"):
            words = [*self.jail_words(mode), self.world.probe]
            words += list(rows) if self.only else ["--batch", modes]
            text = on_terminal(words)
        seen = self.absorb(text, modes, worked)
        for row in sorted(set(rows) - seen):
            self.record(row, modes, "escaped", ["no result", text[-400:]])

    def wanted(self, rows):
        return {row: c for row, c in rows.items() if not self.only or row in self.only}

    # The end

    def conditions(self):
        return {"always": True, "no-root": os.geteuid() != 0,
                "no-ia32": not self.starts_i386(), "no-far-servers": not self.world.net.on,
                "ping-closed": self._ping_closed(), "no-core-files": self._no_core_files(),
                "no-vsock": not self._opens(40, 1), "no-foreign-family": not (
                    self._opens(38, 5) or self._opens(40, 1)),
                "tiocsti-off": not self.user.root and os.geteuid() != 0,
                "no-root-only-files": not self.world.root_only}

    def starts_i386(self):
        path = f"{self.world.tools}/probe-i386"
        try:
            return subprocess.run([path], check=False).returncode == 42
        except OSError:
            return False

    def _ping_closed(self):
        low, high = outside.read_quiet("/proc/sys/net/ipv4/ping_group_range").split()
        return not int(low) <= self.user.gid <= int(high)

    @staticmethod
    def _no_core_files():
        return outside.read_quiet("/proc/sys/kernel/core_pattern").startswith(b"|")

    @staticmethod
    def _opens(family, kind):
        try:
            socket.socket(family, kind).close()
            return True
        except OSError:
            return False

    def judge_blind(self):
        """Compares the rows that could not be judged with the list; True if they agree."""
        conditions, agree, listed = self.conditions(), True, set()
        for line in (HERE / "cannot-judge.txt").read_text().splitlines():
            if not line.strip() or line.startswith("#"):
                continue
            row, modes, condition, _ = line.split(None, 3)
            if condition not in conditions:
                sys.exit(f"cannot-judge.txt: unknown condition {condition}")
            for key in self.results:
                if key[0] == row and (modes == "*" or set(modes) <= set(key[1])):
                    expected = conditions[condition]
                    if expected:
                        listed.add(key)
                    if expected and self.results[key][0] != "cannot judge":
                        print(f"JUDGEABLE {key[0]} {key[1]}: remove it from cannot-judge.txt")
                        agree = False
        for key, (verdict, notes) in self.results.items():
            if verdict == "cannot judge" and key not in listed:
                print(f"BLIND {key[0]} {key[1]}: {'; '.join(notes[:6])}")
                agree = False
        return agree

    def report(self):
        count = {}
        for verdict, _ in self.results.values():
            count[verdict] = count.get(verdict, 0) + 1
        agree = self.judge_blind() or bool(self.only)
        print(" ".join(f"{verdict}: {n}" for verdict, n in sorted(count.items())),
              f"findings: {len(self.findings)}")
        return 0 if agree and not count.get("escaped") and not self.findings else 1


class Watch:
    """Compares what is outside before and after a run."""

    def __init__(self, suite, what):
        self.suite, self.what = suite, what

    def __enter__(self):
        world = self.suite.world
        self.census, self.machine = world.census(), world.machine()
        self.others = set(outside.descendants())
        return self

    def __exit__(self, kind, value, trace):
        suite, world = self.suite, self.suite.world
        if kind is not None:
            return
        deadline = time.monotonic() + GONE_LIMIT_S
        while True:
            left = set(outside.descendants()) - self.others
            if not left or time.monotonic() > deadline:
                break
            time.sleep(0.01)
            # Orphans that ended are children of the harness now.
            outside.reap(left)
        for pid in left:
            suite.finding(f"{self.what}: left behind: {pid} {outside.process_name(pid)}")
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        for name, value in world.machine().items():
            if value != self.machine[name]:
                suite.finding(f"{self.what}: {name} of the machine changed")
        after = world.census()
        for path in sorted(self.census.keys() | after.keys()):
            if self.census.get(path) != after.get(path):
                suite.finding(f"{self.what}: {path}: {self.census.get(path)} -> "
                              f"{after.get(path)}")


def options_parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ai-jail", required=True, type=os.path.abspath)
    parser.add_argument("--probe", required=True, type=os.path.abspath)
    parser.add_argument("--i386", type=os.path.abspath)
    parser.add_argument("--as", dest="as_user", choices=("user", "root"), required=True)
    parser.add_argument("--without", choices=("seccomp", "landlock"))
    parser.add_argument("--modes", default="DN", help="D default, N --network, K --lockdown")
    parser.add_argument("--only")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    return parser.parse_args()


def skip(reason):
    print(f"SKIP {reason}")
    sys.exit(1 if os.environ.get("AI_JAIL_TESTS_MUST_RUN") == "1" else SKIPPED)


def main():
    options = options_parse()
    if options.as_user == "root" and os.geteuid() != 0:
        skip("needs root")
    if subprocess.run(["bwrap", "--ro-bind", "/", "/", "--unshare-user", "--proc", "/proc",
                       "true"], check=False, stderr=subprocess.DEVNULL).returncode != 0:
        skip("user namespaces do not work here")
    outside.alone_on_machine()
    outside.subreaper()
    # A time limit ends the harness like an error: what was planted is removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    suite = Suite(options)
    try:
        suite.world.build(options)
        for mode in options.modes:
            suite.batch(mode)
            suite.terminal_batch(mode)
        alone.run_all(suite)
        alone_tty.run_all(suite)
        sys.exit(suite.report())
    finally:
        if not options.keep:
            suite.world.close()


if __name__ == "__main__":
    main()
