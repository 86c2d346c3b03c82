# SPDX-License-Identifier: GPL-3.0-only
"""alone: rows that need a jail of their own, because the harness takes part in them.

Each function is one row or a few that belong together. "expect" records the verdict; what changed
outside is found by harness.Watch as for every other run.
"""

import contextlib
import json
import os
import random
import signal
import socket
import stat
import subprocess
import threading
import time
from pathlib import Path

import outside

LIFE_ROUNDS = 4      # kills per target
PARALLEL_ROUNDS = 15  # starts per loop
GRACE_S = 60.0       # TERM, five seconds of grace, KILL, on a machine that does other things


class Alone:
    def __init__(self, suite, mode):
        self.suite, self.mode = suite, mode
        self.world = suite.world
        self.modes = suite.letters(mode, "A")
        # What a command says, in every mode: in lockdown it can write to no other file.
        self.heard = f"{self.world.base}/files/heard"

    def expect(self, row, holds, note=""):
        if not self.suite.only or row in self.suite.only:
            self.suite.record(row, self.modes, "contained" if holds else "escaped", [note])

    def wanted(self, *rows):
        return not self.suite.only or bool(self.suite.only & set(rows))

    def probe(self, row, *, options=(), control=None, **keywords):
        """One row of the tables in a jail of its own; its exit status."""
        if not self.wanted(row):
            return 0, ""
        worked = {} if control is None else {row: control}
        status, out, err = self.suite.jail(self.mode, [self.world.probe, row], options=options,
                                           **keywords)
        if row not in self.suite.absorb(out, self.modes, worked):
            self.suite.record(row, self.modes, "escaped",
                              [f"no result; status {status}", err[-300:]])
        return status, err

    def control(self, row, prefix=(), **keywords):
        """The row outside: True if it comes out as escaped."""
        if not self.wanted(row):
            return True
        _, out, _ = self.suite.run([*prefix, self.world.probe, "--control", row], **keywords)
        return '"verdict":"escaped"' in out

    def jail_start(self, *command, options=(), **keywords):
        words = [*self.suite.jail_words(self.mode, *options), *command]
        with open(self.heard, "wb") as out:
            return self.suite.start(words, stdout=out, **keywords)

    def said(self):
        return outside.read_quiet(self.heard).decode("latin-1")

    def until(self, condition, limit_s=60.0):
        deadline = time.monotonic() + limit_s
        while not condition():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.005)
        return True

    def until_ready(self):
        return self.until(lambda: "ready\n" in self.said())

    @contextlib.contextmanager
    def watched(self, what):
        """A comparison of outside without what the command is meant to say."""
        with self.suite.watch(f"{self.modes}: {what}"):
            try:
                yield
            finally:
                with contextlib.suppress(OSError):
                    os.unlink(self.heard)

    # Descriptors

    def inherited(self):
        world, secret = self.world, f"{self.world.home}/.ssh/id_ed25519"
        listener = socket.create_server(("127.0.0.1", 0))
        pipe = os.pipe()

        def leak():
            sources = {7: os.open(secret, os.O_RDONLY), 9: os.open(world.home, os.O_RDONLY),
                       11: listener.fileno(), 13: os.open("/", os.O_PATH), 15: pipe[0],
                       17: os.memfd_create("secret"), 250: os.open(secret, os.O_RDONLY)}
            spare = {number: os.dup(fd) for number, fd in sources.items()}
            high = {number: os.dup2(fd, 500 + number) for number, fd in spare.items()}
            for number, fd in high.items():
                os.dup2(fd, number, inheritable=True)
            os.closerange(18, 250)
            os.closerange(251, 1024)

        leaking = {"preexec_fn": leak, "close_fds": False}
        bwrap = self.suite.plain_bwrap("bwrap")
        with outside_files(listener, *pipe):
            self.probe("E-FD-01", control=self.control("E-FD-01", bwrap, **leaking), **leaking)
            self.probe("E-FD-02", control=self.control("E-FD-02", **leaking), **leaking)

    def closed(self):
        for numbers in ("0", "1", "2", "012"):
            self.world.write_facts(closed=numbers)
            status, _, _ = self.suite.jail(
                self.mode, [self.world.probe, "E-FD-03"], stdin=None, stdout=None, stderr=None,
                preexec_fn=lambda: [os.close(int(n)) for n in numbers])
            self.expect("E-FD-03", status == 0, f"{numbers} closed: status {status}")
            if status != 0:
                break
        self.world.write_facts()

    def given(self):
        """What the caller gives as stdin arrives as it is."""
        world, ends = self.world, socket.socketpair()
        kinds = {"directory": (os.open(world.project, os.O_RDONLY), stat.S_IFDIR),
                 "socket": (ends[0].fileno(), stat.S_IFSOCK),
                 "file": (os.open(f"{world.rw_map}/control/given", os.O_RDWR | os.O_CREAT, 0o600),
                          stat.S_IFREG)}
        for name, (fd, kind) in kinds.items():
            status, text = self.described(stdin=fd)
            first = text.split("\n")[0].split()
            same = len(first) == 4 and int(first[1], 8) == kind and (
                name == "socket" or int(first[3]) == os.fstat(fd).st_ino)
            self.expect("E-FD-05", status == 0 and same, f"{name}: {status} {text[:60]}")
            if status != 0 or not same:
                break
        for fd, _ in list(kinds.values())[::2]:
            os.close(fd)
        for end in ends:
            end.close()

    def described(self, **keywords):
        """Status of a run of the helper, and what it says of its descriptors and directory."""
        with self.watched("--describe"):
            process = self.jail_start(self.world.probe, "--describe", **keywords)
            status, _, _ = self.suite.finish(process)
            return status, self.said()

    def directories(self):
        world = self.world
        link = f"{world.base}/link"
        os.symlink(world.project, link)
        status, text = self.described(cwd=link)
        self.expect("E-FD-06", status == 0 and f"cwd {world.project}\n" in text,
                    f"by a link: {status} {text[-100:]}")
        os.unlink(link)
        doomed = f"{world.base}/files/doomed"
        os.mkdir(doomed)
        world.user.own(doomed)
        status, _, _ = self.suite.run(
            [*self.suite.jail_words(self.mode), "true"], cwd="/",
            preexec_fn=lambda: (os.chdir(doomed), os.rmdir(doomed)))
        self.expect("E-FD-06", status == 125, f"in a deleted directory: status {status}")

    # Environment

    def command_line(self):
        token = self.world.token
        with self.watched("E-ENV-02"):
            process = self.jail_start(self.world.probe, "E-ENV-02", "--wait",
                                      options=["--env", f"ESCAPE_PASSED={token}"])
            started = self.until_ready()
            strangers = [name for name in map(outside.process_name, outside.descendants())
                         if token in name and not name.startswith(self.suite.world.ai_jail)]
            process.terminate()
            _, _, err = self.suite.finish(process)
            self.suite.absorb(self.said(), self.modes, {})
        self.expect("E-ENV-02-outside", started and not strangers and token not in err,
                    f"{strangers} {err[-200:]}")

    def ownership(self):
        path = f"{self.world.project}/escape-out"
        with self.suite.watch(f"{self.modes}: E-CAP-06"):
            status, _, err = self.suite.run(
                [*self.suite.jail_words(self.mode), self.world.probe, "--make", path],
                preexec_fn=lambda: os.umask(0o027))
            st = os.stat(path) if os.path.exists(path) else None
            with contextlib.suppress(OSError):
                os.unlink(path)
        good = st is not None and (st.st_uid, st.st_gid, st.st_mode & 0o7777) == (
            self.world.user.uid, self.world.user.gid, 0o640)
        self.expect("E-CAP-06", good, f"status {status} {st} {err[-200:]}")

    def debugging(self):
        self.probe("E-PT-09", options=["--allow-debug"])

    # Policy

    def next_launch(self):
        """What the jail writes into the project does not change the next plan."""
        world = self.world
        words = [*self.suite.jail_words(self.mode)]
        words[1:1] = ["--dry-run", "--json"]
        words += ["bash"]
        names = ".git/config .env .envrc .mcp.json sub/.ai-jail bwrap"
        script = (f"mkdir -p .git sub; for f in {names}; do printf 'network = true\\n' > $f; done;"
                  " chmod 755 bwrap; export AI_JAIL_X=1 BWRAP_BIN=$PWD/bwrap HOME=/;"
                  " printf 'network = true\\n' > .ai-jail")
        before = self.suite.run(words)
        _, _, err = self.suite.run([*self.suite.jail_words(self.mode), "sh", "-c", script])
        env = {**world.environment(), "AI_JAIL_X": "1", "AI_JAIL_NETWORK": "1"}
        if not world.user.root:
            # What a jail of root writes belongs to root: there the file would be trusted, and
            # pointing to it is the caller's own decision.
            env["BWRAP_BIN"] = f"{world.project}/bwrap"
        after = self.suite.run(words, env=env)
        for name in (".git", "sub"):
            subprocess.run(["rm", "-rf", f"{world.project}/{name}"], check=True)
        for name in (".env", ".envrc", ".mcp.json", "bwrap"):
            with contextlib.suppress(OSError):
                os.unlink(f"{world.project}/{name}")
        same = before[0] == after[0] == 0 and json.loads(before[1]) == json.loads(after[1])
        self.expect("E-POL-06", same, f"{before[0]} {after[0]} {err[-200:]} {after[2][-200:]}")

    # Signals and life cycle

    def signals(self):
        status, _, _ = self.suite.jail(self.mode, [self.world.probe, "E-SIG-02"])
        self.expect("E-SIG-02", status in (0, 137), f"status {status}")
        self.probe("E-SIG-03")
        self.probe("E-SIG-06-limit")
        if self.wanted("E-SIG-07"):
            self.probe("E-SIG-07", control=self.survivors_outside())

    def survivors_outside(self):
        before = set(outside.descendants())
        self.suite.run([self.world.probe, "--survive"])
        return bool(outside.end_others(before))

    def ended_from_outside(self):
        """The launcher was attacked first; TERM still ends the run."""
        with self.watched("E-SIG-04"):
            process = self.jail_start(self.world.probe, "E-SIG-03", "--wait")
            started = self.until_ready()
            begin = time.monotonic()
            process.terminate()
            status, _, _ = self.suite.finish(process)
            took = time.monotonic() - begin
        self.expect("E-SIG-04", started and status == 143 and took < GRACE_S,
                    f"ready {started} status {status} after {took:.1f} s")

    def _target(self, process, name):
        """Pid of the supervisor, of bwrap, or of the launcher of a run; None if not there yet."""
        if name == "supervisor":
            return process.pid
        found = [pid for pid in outside.descendants(process.pid)
                 if outside.process_name(pid).startswith("bwrap")]
        if name == "bwrap":
            return found[0] if found else None
        below = [pid for top in found for pid in outside.descendants(top)
                 if not outside.process_name(pid).startswith("bwrap")]
        return below[0] if below else None

    def killed(self):
        """KILL at random points; Watch finds what stays."""
        for target in ("supervisor", "bwrap", "launcher"):
            for turn in range(LIFE_ROUNDS):
                before = len(self.suite.findings)
                with self.watched(f"E-LIF-01 {target}"):
                    process = self.jail_start(self.world.probe, "--wait")
                    if turn % 2:
                        self.until_ready()
                    else:
                        time.sleep(random.uniform(0, 0.06))
                    self.until(lambda: process.poll() is not None or
                               self._target(process, target) is not None)
                    pid = self._target(process, target)
                    if pid is not None:
                        with contextlib.suppress(ProcessLookupError):
                            os.kill(pid, signal.SIGKILL)
                    status, _, err = self.suite.finish(process)
                expected = (-9,) if target == "supervisor" else (125, 137)
                good = status in expected and len(self.suite.findings) == before
                self.expect(f"E-LIF-01-{target}", good, f"status {status} {err[-300:]}")
                if not good:
                    break

    def parallel(self):
        failures = []

        def loop():
            for _ in range(PARALLEL_ROUNDS):
                status, _, err = self.suite.run([*self.suite.jail_words(self.mode), "true"])
                if status != 0:
                    failures.append(f"{status} {err[-200:]}")

        with self.suite.watch(f"{self.modes}: E-LIF-02"):
            threads = [threading.Thread(target=loop) for _ in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.expect("E-LIF-02", not failures, "; ".join(failures[:2]))

    def mounter(self):
        """The processes outside cannot be found from inside."""
        pids = f"{self.world.project}/escape-pids"
        with self.watched("E-LIF-06"):
            process = self.jail_start(self.world.probe, "--find", pids)
            self.until_ready()
            children = [pid for pid in outside.descendants(process.pid)
                        if outside.process_name(pid).startswith((self.suite.world.ai_jail,
                                                                 "bwrap"))]
            Path(pids).write_text(" ".join(map(str, [process.pid, *children])) + "\n")
            os.chmod(pids, 0o644)
            status, _, err = self.suite.finish(process)
            os.unlink(pids)
        self.expect("E-LIF-06", status == 0 and len(children) >= 2,
                    f"status {status}, {len(children)} processes outside {err[-200:]}")

    # Limits

    def bombs(self):
        if not self.world.user.root and self.wanted("E-RES-01"):
            stop, failed = threading.Event(), []

            def forks():
                while not stop.wait(0.05):
                    try:
                        subprocess.run(["true"], check=True, **self.world.user.switch)
                    except (OSError, subprocess.CalledProcessError) as error:
                        failed.append(str(error))

            worked = self.control("E-RES-01", self.suite.plain_bwrap("bwrap"))
            thread = threading.Thread(target=forks)
            thread.start()
            self.probe("E-RES-01", control=worked)
            stop.set()
            thread.join()
            if failed:
                self.suite.finding(f"{self.modes}: E-RES-01 starved the user outside: {failed[0]}")
        if not self.world.user.root:
            self.probe("E-RES-05")
        self.probe("E-RES-02")

    def large(self):
        """Much environment and many words: it starts, or says why not."""
        env = self.world.environment()
        env.update((f"LARGE{i}", "x" * 100000) for i in range(12))
        status, _, err = self.suite.jail(self.mode, ["true"], options=["--inherit-env"], env=env)
        self.expect("E-RES-08", status in (0, 125), f"environment: {status} {err[-300:]}")
        if status in (0, 125):
            words = ["true", *["x" * 100000 for _ in range(12)]]
            status, _, err = self.suite.jail(self.mode, words)
            self.expect("E-RES-08", status in (0, 125), f"words: {status} {err[-300:]}")


@contextlib.contextmanager
def outside_files(*files):
    try:
        yield
    finally:
        for file in files:
            file.close() if hasattr(file, "close") else os.close(file)


def run_all(suite):
    """In the default mode everything; with the host's network what may differ there; in lockdown
    all but the ownership of files, because none can be made, and many starts at once."""
    rows = {
        "inherited": ("E-FD-01", "E-FD-02"), "closed": ("E-FD-03",), "given": ("E-FD-05",),
        "directories": ("E-FD-06",), "command_line": ("E-ENV-02", "E-ENV-02-outside"),
        "ownership": ("E-CAP-06",), "debugging": ("E-PT-09",), "next_launch": ("E-POL-06",),
        "signals": ("E-SIG-02", "E-SIG-03", "E-SIG-06-limit", "E-SIG-07"),
        "ended_from_outside": ("E-SIG-04",),
        "killed": ("E-LIF-01-supervisor", "E-LIF-01-bwrap", "E-LIF-01-launcher"),
        "parallel": ("E-LIF-02",), "mounter": ("E-LIF-06",),
        "bombs": ("E-RES-01", "E-RES-02", "E-RES-05"), "large": ("E-RES-08",),
    }
    network = ("inherited", "command_line", "debugging", "signals", "killed", "mounter")
    chosen = {"D": rows, "N": network, "K": rows.keys() - {"ownership", "parallel"}}
    for mode in suite.options.modes:
        suite.world.renew(suite.letters(mode, "A"))
        group = Alone(suite, mode)
        for name, ids in rows.items():
            if name in chosen[mode] and group.wanted(*ids):
                getattr(group, name)()
