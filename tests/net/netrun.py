# SPDX-License-Identifier: GPL-3.0-only
"""netrun: a jail in the world of world.py, driven by tests."""
import json
import os
import subprocess
import time
import unittest

AI_JAIL = os.environ["AI_JAIL"]
BASE = os.environ["NET_BASE"]
MINE = os.path.join(BASE, "mine")
PROJECT = os.path.join(MINE, "project")
LIMIT_S = 500  # not a measure of anything: whatever hangs ends some day
TELLS = "from client import *\n"
LISTED = ("web.test", "web.test:7001", "web.test:7002", "web.test:7003", "web.test:7004",
          "web.test:7005", "web.test:7006", "web.test:7007", "web.test:7008", "web.test:7009",
          "web.test:8080", "web.test:9")


def log_lines():
    try:
        with open(os.path.join(BASE, "log"), encoding="utf-8") as file:
            return file.read().splitlines()
    except FileNotFoundError:
        return []


def wait_for(condition, what, limit=60):
    end = time.monotonic() + limit
    while not (value := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"not within {limit} s: {what}")
        time.sleep(0.01)
    return value


def words(command, hosts=LISTED, options=()):
    listed = [word for host in hosts for word in ("--allow-host", host)]
    return [AI_JAIL, "--no-network", *listed, *options, "--", *command]


class NetTest(unittest.TestCase):
    maxDiff = None

    def start(self, command, hosts=LISTED, options=(), **more):
        more.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.Popen(words(command, hosts, options), cwd=PROJECT, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)

    def run_jail(self, command, hosts=LISTED, options=(), code=0, limit=LIMIT_S, **more):
        """(stdout, stderr)."""
        process = self.start(command, hosts, options, **more)
        try:
            out, err = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            self.fail(f"no end after {limit} s: {command}\n{out}\n{err}")
        if code is not None:
            self.assertEqual(process.returncode, code, f"{command}\n{out}\n{err}")
        return out, err

    def python(self, text, hosts=LISTED, options=(), **more):
        """What the program tells; self.said is what ai-jail and it wrote to stderr."""
        out, self.said = self.run_jail(["/usr/bin/python3", "-B", "-c", TELLS + text], hosts,
                                       options, **more)
        values = [json.loads(line) for line in out.splitlines()]
        return values[0] if len(values) == 1 else values
