#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""The audit log of real runs: what is in it, what is not, and that it never ends a run (P-CLI-3,
P-CLI-11, P-CLI-12, P-CFG-20, P-NET-24)."""
import hashlib
import json
import os
import resource
import signal
import stat

import ptyrun
from ptyrun import SessionTest, wait_for

CANARY = "canary-3f1c9a"
# A client of the proxy, where curl need not be there.
CLIENT = r"""
import socket, sys
s = socket.create_connection(('127.0.0.1', 15919))
s.sendall(b'CONNECT %s HTTP/1.1\r\n\r\n' % sys.argv[1].encode())
print(s.recv(4096).split(b'\r\n')[0].decode())
"""


class Audit(SessionTest):
    def setUp(self):
        super().setUp()
        self.directory = os.path.join(self.home, ".local", "share", "ai-jail")
        self.file = os.path.join(self.directory, "history.jsonl")

    def text(self):
        with open(self.file, encoding="utf-8") as file:
            return file.read()

    def records(self, event=None):
        found = [json.loads(line) for line in self.text().splitlines()]
        return [record for record in found if event in (None, record["event"])]

    def assert_intact(self, count=None):
        code, out, err = self.run_piped(["--audit-verify"])
        self.assertEqual(code, 0, err)
        self.assertIn(b"intact", out)
        if count is not None:
            self.assertEqual(len(self.records()), count, self.text())

    def run_logged(self, options, command, code=0):
        got, out, err = self.run_piped(["--audit-log", "--no-save-config"] + options + command)
        self.assertEqual(got, code, err)
        return out, err

    def client(self, target):
        return ["python3", "-c", CLIENT, target]

    # -- what is in it --

    def test_one_run(self):
        out, _ = self.run_logged([], self.client("refused.example:443"))
        self.assertIn(b"403", out)
        start, = self.records("start")
        self.assertEqual(start["command"][:2], ["python3", "-c"])
        self.assertEqual(start["argv"][1:3], ["--audit-log", "--no-save-config"])
        self.assertEqual((start["project"], start["mode"], start["lockdown"]),
                         (self.project, "filtered", False))
        self.assertIn({"entry": "crates.io", "origin": "registry"}, start["hosts"])
        connect, = self.records("connect")
        self.assertEqual([connect[key] for key in ("host", "port", "via", "verdict", "reason",
                                                   "rule", "up", "down")],
                         ["refused.example", 443, "connect", "refused", "host-not-listed", None, 0,
                          0])
        end, = self.records("exit")
        self.assertEqual((end["code"], end["signal"]), (0, None))
        self.assertEqual(end["refused"], [{"host": "refused.example", "port": 443, "count": 1,
                                           "flag": "--allow-host refused.example"}])
        self.assertEqual(len({record["run"] for record in self.records()}), 1)
        self.assertEqual(stat.S_IMODE(os.stat(self.file).st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(os.stat(self.directory).st_mode), 0o700)
        self.assert_intact()

    def test_nothing_without_being_asked(self):
        self.assertEqual(self.run_piped(["true"])[0], 0)
        self.assertFalse(os.path.exists(self.directory))

    def test_ends(self):
        self.run_logged(["--no-network"], ["sh", "-c", "exit 9"], 9)
        self.run_logged(["--no-network"], ["sh", "-c", "kill -TERM $$"], 143)
        self.run_logged(["--no-network"], ["/nonexistent/program"], 127)
        ends = [(end["code"], end["signal"]) for end in self.records("exit")]
        self.assertEqual(ends, [(9, None), (143, signal.SIGTERM), (127, None)])
        self.assertIn("error", [record["id"] for record in self.records("warning")])
        self.assert_intact()

    def test_late_mask(self):
        terminal, process = self.on_terminal(
            ["--audit-log", "--no-save-config", "--no-network", "--mask", "late", "sh", "-c",
             "echo secret > late; while [ -s late ]; do sleep 0.01; done; echo gone"])
        terminal.expect(b"gone")
        self.assertEqual(process.wait(), 0)
        mask, = self.records("mask")
        self.assertEqual(mask["path"], os.path.join(self.project, "late"))
        self.assertEqual(mask["kind"], "masked")
        self.assertIn("mask", mask["trigger"])
        # The line on the terminal is the same fact.
        self.assertFalse([r for r in self.records("warning") if "late mask applied" in r["text"]])
        self.assert_intact()

    def test_policy_file_that_appears(self):
        self.run_logged(["--no-network"], ["sh", "-c", "echo 'network = true' > .ai-jail; "
                                           "while [ -s .ai-jail ]; do sleep 0.01; done"])
        texts = [r["text"] for r in self.records("warning") if r["id"] == "security"]
        self.assertTrue([t for t in texts if ".ai-jail was created during the run" in t], texts)

    # -- what is not in it --

    def test_no_values(self):
        with open(os.path.join(self.home, "values"), "w", encoding="ascii") as file:
            file.write(f"FILE_TOKEN={CANARY}-file\n")
        os.chmod(file.name, 0o600)
        self.env["INHERITED_TOKEN"] = CANARY + "-inherited"
        _, err = self.run_logged(
            ["--env", f"A={CANARY}-a", f"--env=B={CANARY}-b", "--env", "INHERITED_TOKEN",
             "--env-from-file", file.name],
            ["sh", "-c", f"test $FILE_TOKEN = {CANARY}-file && test $INHERITED_TOKEN", "--",
             f"C={CANARY}-c", "--token", CANARY + "-d", f"https://u:{CANARY}@h.example/{CANARY}",
             f"Authorization: Bearer {CANARY}", CANARY + "-inherited", f"x{CANARY}-file"])
        self.run_logged([], self.client("refused.example:443"))
        shown = self.run_piped(["--audit-show"])
        self.assertIn(b"INHERITED_TOKEN", shown[1])
        for text in (self.text(), err, shown[1].decode(), shown[2],
                     self.run_piped(["--audit-show", "--json"])[1].decode()):
            self.assertNotIn(CANARY, text)

    def test_out_of_reach_of_the_command(self):
        self.run_logged(["--no-network"], ["true"])
        self.run_logged(["--no-network"], [
            "python3", "-c", "import os, errno\n"
            f"for path in ({self.file!r}, {self.directory!r}):\n"
            "    try:\n        os.stat(path)\n"
            "    except OSError as error:\n        assert error.errno == errno.ENOENT, error\n"
            "    else:\n        raise SystemExit('it is there')\n"])
        self.assertTrue(os.path.exists(self.file))  # outside it is

    # -- several runs --

    def test_two_at_once(self):
        terminal, first = self.on_terminal(
            ["--audit-log", "--no-save-config", "--exec", "sh", "-c", "echo ready; read line"])
        terminal.expect(b"ready")
        self.run_logged([], self.client("refused.example:443"))
        terminal.send(b"go\r")
        self.assertEqual(first.wait(), 0)
        events = [record["event"] for record in self.records() if record["event"] != "warning"]
        self.assertEqual(events, ["start", "start", "connect", "exit", "exit"])
        runs = [record["run"] for record in self.records("start")]
        self.assertEqual([record["run"] for record in self.records("exit")], runs[::-1])
        self.assert_intact()

    def test_many_at_once(self):
        outputs = [self.output() for _ in range(8)]
        started = [self.start(["--audit-log", "--no-save-config", "--no-network", "true"],
                              [self.null, output.fd, output.fd]) for output in outputs]
        for process, output in zip(started, outputs):
            self.assertEqual(process.wait(120), 0, output.text())
        self.assertEqual(len(self.records("exit")), len(started))
        self.assert_intact()

    # -- who may say it --

    def say(self, directory, text):
        path = os.path.join(directory, ".ai-jail")
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        os.chmod(path, 0o600)

    def test_project_file(self):
        self.say(self.project, "audit_log = true\n")
        self.assertEqual(self.run_piped(["true"])[0], 0)
        start, = self.records("start")
        self.assertEqual(start["files_read"],
                         [name for name in start["files_read"] if self.project in name])
        self.say(self.home, "audit_log = true\n")
        self.say(self.project, "audit_log = false\n")
        code, _, err = self.run_piped(["true"])
        self.assertEqual(code, 0, err)
        self.assertIn("audit_log", err)
        start = self.records("start")[-1]
        self.assertEqual(len(self.records("start")), 2)
        self.assertEqual(len([line for line in start["refused"] if "audit_log" in line]), 1)
        self.assertEqual(self.run_piped(["--no-audit-log", "true"])[0], 0)
        self.assertEqual(len(self.records("start")), 2)

    # -- what goes wrong --

    def assert_goes_on(self, word):
        out, err = self.run_logged(["--no-network"], ["sh", "-c", "echo alive; exit 5"], 5)
        self.assertEqual(out, b"alive\n")
        lines = [line for line in err.splitlines() if word in line]
        self.assertEqual(len(lines), 1, err)
        self.assertTrue(lines[0].startswith("⚠ "), lines)

    def test_links_in_the_way(self):
        elsewhere = os.path.join(self.base, "elsewhere")
        os.mkdir(elsewhere)
        os.symlink(elsewhere, os.path.join(self.home, ".local"))
        self.assert_goes_on("no audit log is kept: ")
        self.assertNotIn("share", os.listdir(elsewhere))
        os.unlink(os.path.join(self.home, ".local"))
        os.makedirs(self.directory, 0o700)
        target = os.path.join(elsewhere, "target")
        with open(target, "w", encoding="ascii"):
            pass
        os.symlink(target, self.file)
        self.assert_goes_on("no audit log is kept: ")
        self.assertEqual(os.path.getsize(target), 0)

    def test_no_directory_to_be_had(self):
        os.mkdir(os.path.join(self.home, ".local"), 0o700)
        if os.geteuid():
            os.chmod(os.path.join(self.home, ".local"), 0o500)
        else:  # whom modes do not stop
            with open(os.path.join(self.home, ".local", "share"), "w", encoding="ascii"):
                pass
        self.assert_goes_on("no audit log is kept: ")
        os.chmod(os.path.join(self.home, ".local"), 0o700)

    def fill(self, size):
        """A log of that size whose chain is whole."""
        os.makedirs(self.directory, 0o700)
        previous, number = "0" * 64, 0
        with open(self.file, "wb") as file:
            while file.tell() < size:
                number += 1
                record = {"seq": number, "prev": previous, "time": "t", "run": "r", "event": "e",
                          "pad": ""}
                room = size - file.tell() - len(json.dumps(record)) - 1
                record["pad"] = "x" * max(0, min(60000, room))
                line = json.dumps(record).encode()
                file.write(line + b"\n")
                previous = hashlib.sha256(line).hexdigest()
        os.chmod(self.file, 0o600)
        return number

    def test_full_disk(self):
        """Here: a file size beyond which nothing is written."""
        limit = 8 << 20
        count = self.fill(limit - 100)

        def prepare():
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        code, out, err = self.run_piped(["--audit-log", "--no-save-config", "--no-network", "sh",
                                         "-c", "echo alive; exit 5"], prepare=prepare)
        self.assertEqual((code, out), (5, b"alive\n"), err)
        self.assertEqual(len([l for l in err.splitlines() if "history.jsonl" in l]), 1, err)
        self.assert_intact(count)

    def test_rotation(self):
        count = self.fill((16 << 20) + 1)
        self.run_logged(["--no-network"], ["true"])
        self.assertTrue(os.path.exists(self.file + ".1"))
        self.assertEqual(self.records()[0]["seq"], count + 1)
        self.assert_intact()
        os.unlink(self.file + ".1")
        code, _, err = self.run_piped(["--audit-verify"])
        self.assertEqual(code, 1)
        self.assertIn(f"history.jsonl:1 (sequence {count + 1}): records before it are missing", err)

    # -- the verbs --

    def test_no_log(self):
        for verb in ("--audit-show", "--audit-verify"):
            code, out, err = self.run_piped([verb])
            self.assertEqual((code, out), (2, b""), err)
            self.assertIn("--audit-log", err)

    def test_no_configuration_is_read(self):
        self.run_logged(["--no-network"], ["true"])
        for directory in (self.home, self.project):
            self.say(directory, "this is = = no configuration\n")
        self.assertEqual(self.run_piped(["true"])[0], 125)
        self.assertEqual(self.run_piped(["--audit-show"])[0], 0)
        self.assert_intact()

    def test_tampering(self):
        self.run_logged(["--no-network"], ["sh", "-c", "exit 3"], 3)
        good = self.text()
        lines = good.splitlines(keepends=True)
        last = len(lines)
        for bad, number, seq in (
                (good.replace('"code":3', '"code":0'), None, None),  # the end proves nothing
                (good.replace('"mode":"off"', '"mode":"full"'), 2, 2),
                ("".join(lines[1:]), 1, 2),
                ("".join(lines[:1] + lines[2:]), 2, 3),
                ("".join(lines[:1] + lines[:1] + lines[1:]), 2, 1),
                (good + "\n", last + 1, None),
                (good + "[" * 70000 + "\n", last + 1, None),
                (good + '{"seq":1', last + 1, None)):
            if number and number > len(bad.splitlines()):
                continue  # an ordinary user's run warns of nothing: there are two records
            with open(self.file, "w", encoding="utf-8") as file:
                file.write(bad)
            code, _, err = self.run_piped(["--audit-verify"])
            if number is None:
                self.assertEqual(code, 0, err)
                continue
            said = f"sequence {seq}" if seq else "no sequence number"
            self.assertEqual(code, 1, err)
            self.assertIn(f"{self.file}:{number} ({said}): ", err)
            self.assertEqual(self.run_piped(["--audit-show"])[0], 0 if seq else 1)

    def test_show(self):
        project = os.path.join(self.base, "pro\x1b]0;x\x07\u202eject")
        os.mkdir(project)
        code, _, err = self.run_piped(["--audit-log", "--no-save-config", "--no-network", "true"],
                                      cwd=project)
        self.assertEqual(code, 0, err)
        with open(self.file, "a", encoding="utf-8") as file:
            file.write("\x1b[31mno record\n")
            file.write('{"seq":9,"prev":"%s","time":"\\u001b[2J","run":"","event":"\\u202e"}\n' %
                       ("0" * 64))
        code, out, err = self.run_piped(["--audit-show"])
        self.assertEqual(code, 1)
        for text in (out.decode(), err):
            for byte in ("\x1b", "\x07", "\u202e", "\x9b"):
                self.assertNotIn(byte, text)
        self.assertIn(b" start ", out)
        self.assertIn(b" exit code=0 ", out)
        self.assertIn(b"9 \\x1B[2J", out)
        code, out, _ = self.run_piped(["--audit-show", "--json"])
        self.assertEqual(code, 1)
        shown = json.loads(out)
        self.assertEqual(shown[0]["event"], "start")
        self.assertEqual(shown[-1]["seq"], 9)
        self.assertTrue(out.isascii())

    def test_other_data_directory(self):
        self.env["XDG_DATA_HOME"] = os.path.join(self.base, "data")
        self.run_logged(["--no-network"], ["true"])
        self.assertFalse(os.path.exists(self.file))
        self.file = os.path.join(self.base, "data", "ai-jail", "history.jsonl")
        self.assert_intact()

    def test_no_jail_shows_it_from_its_first_run_on(self):
        """Where a map or the project shows the place of a directory that is not there yet."""
        shared = os.path.join(self.home, ".local", "share")
        os.makedirs(shared)
        inside = 'ls -A "$0" && ! touch "$0/x" && ! mkdir -p "$1/ai-jail/x" && ls -A "$1/ai-jail"'
        out, err = self.run_logged(["--no-network", "--rw-map", os.path.join(self.home, ".local")],
                                   ["sh", "-c", inside, self.directory,
                                    os.path.join(self.home, ".local", "state")])
        self.assertEqual(out, b"", err)
        self.assert_intact()
        self.env["XDG_DATA_HOME"] = os.path.join(self.project, "data")
        self.file = os.path.join(self.project, "data", "ai-jail", "history.jsonl")
        out, err = self.run_logged(["--no-network"], ["sh", "-c", "touch data/y; ls -A data/ai-jail; "
                                                      "! touch data/ai-jail/x"])
        self.assertEqual(out, b"", err)
        self.assertTrue(os.path.exists(os.path.join(self.project, "data", "y")))
        self.assert_intact()

    def test_supervisor_is_killed(self):
        """What was written stays whole, and the next run goes on from there."""
        terminal, process = self.on_terminal(
            ["--audit-log", "--no-save-config", "--no-network", "--exec", "sh", "-c",
             "echo ready; read line"])
        terminal.expect(b"ready")
        process.kill()
        process.wait()
        wait_for(lambda: not ptyrun.descendants() or self.assert_nothing_left() is None, "the end")
        self.run_logged(["--no-network"], ["true"])
        self.assertEqual(len(self.records("start")), 2)
        self.assertEqual(len(self.records("exit")), 1)
        self.assert_intact()


if __name__ == "__main__":
    ptyrun.main()
