#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""The state of an agent: it outlives the jail, two runs do not ruin it, and nothing else is shown.

The agent is a program named `claude` that does with its files what real ones do, as its first
argument says."""
import ctypes
import json
import os
import signal
import sqlite3
import stat
import time

import ptyrun
from ptyrun import SessionTest, wait_for

RENAME_EXCHANGE = 2
LEASE_BREAK_S = 45  # /proc/sys/fs/lease-break-time, usually
AGENT = r"""#!/usr/bin/python3
import ctypes, json, os, sqlite3, sys, time
HOME = os.environ['HOME']
FILE = HOME + '/.claude.json'

def load():
    try:
        with open(FILE) as file:
            return json.load(file)
    except FileNotFoundError:
        return {}

def save(value):
    # A lock directory, a temporary file beside it, fsync, rename.
    os.mkdir(FILE + '.lock')
    temporary = '%s.tmp.%d' % (FILE, os.getpid())
    with open(temporary, 'w') as file:
        json.dump(value, file)
        file.flush()
        os.fsync(file.fileno())
    os.rename(temporary, FILE)
    os.rmdir(FILE + '.lock')

def put(**more):
    value = load()
    value.update(more)
    save(value)

# As put(), but what comes in from outside between reading and writing is not lost.
def add(**more):
    temporary = '%s.tmp.%d' % (FILE, os.getpid())
    value = there = load()
    while True:
        value = {**value, **more}
        with open(temporary, 'w') as file:
            json.dump(value, file)
        if ctypes.CDLL(None).renameat2(-100, temporary.encode(), -100, FILE.encode(), 2):
            sys.exit('renameat2')
        with open(temporary) as file:
            displaced = json.load(file)
        if displaced == there:
            break
        value, there = displaced, value
    os.unlink(temporary)

def database():
    path = (os.environ.get('CLAUDE_CONFIG_DIR') or HOME + '/.claude') + '/state.db'
    base = sqlite3.connect(path, timeout=15)
    base.execute('PRAGMA journal_mode=WAL')
    base.execute('CREATE TABLE IF NOT EXISTS runs (who TEXT)')
    return base

def wait_file(name):
    while not os.path.exists(name):
        time.sleep(0.01)

exec(sys.argv[1])
"""
HOSTILE = {
    "a link": "os.remove(FILE); os.symlink('/etc/passwd', FILE)",
    "a link to the project": "open('x','w').write('{}'); os.remove(FILE); os.symlink(os.getcwd()+'/x', FILE)",
    "20 MiB": "open(FILE,'w').write('{\"a\":\"' + 'x' * (20 << 20) + '\"}')",
    "not JSON": "open(FILE,'w').write('hello')",
    "half of it": "open(FILE,'w').write('{\"a\": [1, 2')",
    "an array": "open(FILE,'w').write('[]')",
    "nothing": "open(FILE,'w').close()",
    "a FIFO": "os.remove(FILE); os.mkfifo(FILE)",
    "a directory": "os.remove(FILE); os.mkdir(FILE)",
    "a socket": "os.remove(FILE); import socket; socket.socket(socket.AF_UNIX).bind(FILE)",
    "a closed directory": "open(FILE,'w').write('x'); os.chmod(HOME, 0)",
    "deep": "open(FILE,'w').write('{\"a\":' + '[' * 100000 + ']' * 100000 + '}')",
}


class AgentState(SessionTest):
    def setUp(self):
        super().setUp()
        self.bin = os.path.join(self.base, "bin")
        self.file = os.path.join(self.home, ".claude.json")
        os.mkdir(self.bin)
        for name in ("claude", "codex", "other"):
            path = os.path.join(self.bin, name)
            with open(path, "w", encoding="ascii") as file:
                file.write(AGENT)
            os.chmod(path, 0o755)
        self.env["PATH"] = self.bin + ":" + self.env["PATH"]

    def agent(self, code, *options, name="claude", **keywords):
        """(code, stdout, stderr) of a run of the agent."""
        return self.run_piped(["--no-save-config", *options, name, code], **keywords)

    def must(self, code, *options, name="claude"):
        result, out, err = self.agent(code, *options, name=name)
        self.assertEqual(result, 0, err)
        return out.decode(), err

    def begin(self, code, *options):
        out, err = self.output(), self.output()
        return self.start(["--no-save-config", *options, "claude", code], [self.null, out.fd, err.fd]), out, err

    def write(self, text, mode=0o600):
        with open(self.file, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(self.file, mode)

    def read(self):
        with open(self.file, encoding="utf-8") as file:
            return json.load(file)

    def holds(self, **wanted):
        try:
            found = self.read()
        except (OSError, ValueError):
            return False
        return all(found.get(key) == value for key, value in wanted.items())

    def left_over(self):
        """Names in HOME beside the file that only this program makes."""
        return [name for name in os.listdir(self.home) if name.startswith(".claude.json.")]

    # -- one run --

    def test_login_persists(self):
        """P-AGT-1: the first run makes what the second one finds."""
        out, err = self.must("put(login='token'); database().commit(); print('done')")
        self.assertEqual(out, "done\n")
        self.assertIn(f"{self.home}/.claude was made", err)
        self.assertEqual(self.read(), {"login": "token"})
        self.assertEqual(stat.S_IMODE(os.stat(self.file).st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(os.stat(self.home + "/.claude").st_mode), 0o700)
        out, err = self.must("print(load()['login'])")
        self.assertEqual(out, "token\n")
        self.assertNotIn("was made", err)
        self.assertEqual(self.left_over(), [])

    def test_what_agents_do(self):
        """P-AGT-2: lock, temporary file and rename beside it; the mode stays."""
        self.write('{"a": 1}', 0o640)
        out, _ = self.must("print(oct(os.stat(FILE).st_mode & 0o777), os.path.ismount(FILE)); "
                           "put(b=2)")
        self.assertEqual(out, "0o600 False\n")
        self.assertEqual(self.read(), {"a": 1, "b": 2})
        self.assertEqual(stat.S_IMODE(os.stat(self.file).st_mode), 0o640)
        self.must("base = database(); base.execute('INSERT INTO runs VALUES (1)'); base.commit()")
        base = sqlite3.connect(self.home + "/.claude/state.db")
        self.assertEqual(base.execute("SELECT count(*) FROM runs").fetchall(), [(1,)])
        base.close()

    def test_during_the_run(self):
        """Both ways, while the jail lives."""
        self.write('{"a": 1}')
        process, out, _ = self.begin(
            "put(b=2)\nwhile load().get('c') != 3: time.sleep(0.01)\nprint('seen', flush=True)\n"
            "wait_file('end')")
        wait_for(lambda: self.holds(a=1, b=2), "the change of the jail")
        self.write('{"a": 1, "b": 2, "c": 3}')
        wait_for(lambda: out.text() == "seen\n", "the change of the host inside")
        open(os.path.join(self.project, "end"), "w", encoding="ascii").close()
        self.assertEqual(process.wait(), 0)
        self.assertEqual(self.read(), {"a": 1, "b": 2, "c": 3})

    def test_unchanged(self):
        """Who changes nothing writes nothing."""
        self.write('{"a":1}')
        before = os.stat(self.file)
        self.must("load()")
        after = os.stat(self.file)
        self.assertEqual((before.st_ino, before.st_mtime_ns), (after.st_ino, after.st_mtime_ns))

    def test_link_on_the_host(self):
        real = os.path.join(self.base, "dotfiles.json")
        with open(real, "w", encoding="ascii") as file:
            file.write("{}")
        os.symlink(real, self.file)
        self.must("put(a=1)")
        self.assertTrue(os.path.islink(self.file))
        self.assertEqual(self.read(), {"a": 1})

    # -- hostile --

    def test_hostile_files(self):
        for what, code in HOSTILE.items():
            with self.subTest(what):
                self.write('{"mine": 1}')
                before = os.stat(self.file)
                result, _, err = self.agent(code)
                self.assertEqual(result, 0, err)
                after = os.stat(self.file)
                self.assertEqual((before.st_ino, before.st_mtime_ns),
                                 (after.st_ino, after.st_mtime_ns))
                self.assertIn(".claude.json is not updated with what the jail has in its place", err)
                self.assertEqual(self.left_over(), [])

    def test_removed(self):
        self.write('{"mine": 1}')
        self.must("os.remove(FILE)")
        self.assertEqual(self.read(), {"mine": 1})

    def test_writer_without_end(self):
        """Who never pauses does not keep the file from being copied, and who holds it open nobody."""
        self.write('{}')
        process, _, _ = self.begin(
            "import fcntl\nfd = os.open(FILE, os.O_RDONLY)\n"
            "end = time.monotonic() + 60\nn = 0\n"
            "while time.monotonic() < end and not os.path.exists('end'):\n"
            "    n += 1; save({'n': n, 'pad': 'x' * 1000}); time.sleep(0.002)\n")
        wait_for(lambda: self.read().get("n", 0) > 0, "a copy")
        open(os.path.join(self.project, "end"), "w", encoding="ascii").close()
        self.assertEqual(process.wait(), 0)
        self.assertEqual(len(self.read()["pad"]), 1000)

    def test_lease(self):
        """A file with a lease on it is not waited for."""
        self.write('{}')
        began = time.monotonic()
        result, _, err = self.agent(
            "import fcntl\nput(a=1)\nfd = os.open(FILE, os.O_RDWR)\n"
            "import signal; signal.signal(signal.SIGIO, signal.SIG_IGN)\n"
            "fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_WRLCK)\ntime.sleep(1)", timeout=60)
        self.assertEqual(result, 0, err)
        self.assertLess(time.monotonic() - began, LEASE_BREAK_S - 1)
        self.assertEqual(self.read(), {"a": 1})

    # -- two of them --

    def test_conflict(self):
        self.write('{"a": 1}')
        process, out, err = self.begin(
            "wait_file('go'); add(jail=1)\nwhile not load().get('host'): time.sleep(0.01)\n"
            "print('seen', flush=True)")
        wait_for(lambda: "launcher" in self.jail_parts(process), "the jail")
        # Changed inside and outside within one half second: both are told of at once.
        self.write('{"a": 1, "host": 1}')
        open(os.path.join(self.project, "go"), "w", encoding="ascii").close()
        self.assertEqual(process.wait(), 0, err.text())
        self.assertTrue(self.holds(a=1, host=1))
        if not self.left_over():  # the host was quicker: then the jail's change is on top of it
            self.assertTrue(self.holds(jail=1) or "seen" in out.text())
            return
        self.check_beside(process, err)

    def check_beside(self, process, err):
        self.assertEqual(self.left_over(), [f".claude.json.ai-jail-{process.pid}"])
        with open(os.path.join(self.home, self.left_over()[0]), encoding="utf-8") as file:
            self.assertEqual(json.load(file).get("jail"), 1)
        self.assertIn("was changed by the jail and by others at the same time", err.text())

    def change_both(self):
        """Changes the file inside and then outside, as (process, its errors, what was there outside):
        which is the jail's change if half a second was over before."""
        self.write('{"a": 1}')
        process, _, err = self.begin(
            "wait_file('go'); put(jail=1); os.rename('go', 'gone'); wait_file('end')")
        wait_for(lambda: "command" in self.jail_parts(process), "the jail")
        os.kill(self.jail_parts(process)["mounter"], 0)
        open(os.path.join(self.project, "go"), "w", encoding="ascii").close()
        wait_for(lambda: os.path.exists(self.project + "/gone"), "the change inside")
        other = os.path.join(self.base, "exchanged")
        with open(other, "w", encoding="ascii") as file:
            file.write('{"a": 1, "host": 1}')
        os.chmod(other, 0o600)
        self.assertEqual(ctypes.CDLL(None).renameat2(-100, os.fsencode(other), -100,
                                                     os.fsencode(self.file), RENAME_EXCHANGE), 0)
        open(os.path.join(self.project, "end"), "w", encoding="ascii").close()
        self.assertEqual(process.wait(), 0, err.text())
        for name in ("end", "gone"):
            os.unlink(os.path.join(self.project, name))
        with open(other, encoding="utf-8") as file:
            return process, err, json.load(file)

    def test_conflict_at_the_end(self):
        """The jail's last change meets a change of the host: the last copy decides."""
        for _ in range(50):
            process, err, before = self.change_both()
            if before == {"a": 1}:
                break  # otherwise the machine was busy, and there was no conflict
            self.assertEqual(before, {"a": 1, "jail": 1})
            self.assertEqual((self.read(), self.left_over()), ({"a": 1, "host": 1}, []))
        self.assertEqual(self.read(), {"a": 1, "host": 1})
        self.check_beside(process, err)
        st = os.stat(os.path.join(self.home, self.left_over()[0]))
        self.assertEqual(stat.S_IMODE(st.st_mode), 0o600)

    def test_two_sessions(self):
        """Every change of two runs at once is in the file or in one beside it; the file is whole."""
        self.write('{}')
        code = ("for n in range(25):\n    add(**{'%s%%d' %% n: n}); base = database(); "
                "base.execute('INSERT INTO runs VALUES (1)'); base.commit(); base.close(); "
                "time.sleep(0.02)\n")
        runs = [self.begin(code % who) for who in "ab"]
        bad = []

        def ended():
            try:
                self.read()
            except ValueError as error:
                bad.append(error)
            return all(run[0].poll() is not None for run in runs)
        wait_for(ended, "both runs", 180)
        self.assertEqual(bad, [])
        found = set(self.read())
        for name in self.left_over():
            self.assertRegex(name, r"\.claude\.json\.ai-jail-\d+$")
            with open(os.path.join(self.home, name), encoding="utf-8") as file:
                found |= set(json.load(file))
        for process, _, err in runs:
            self.assertEqual(process.wait(), 0, err.text())
        self.assertTrue({"a24", "b24"} <= found, found)
        base = sqlite3.connect(self.home + "/.claude/state.db")
        self.assertEqual(base.execute("SELECT count(*) FROM runs").fetchall(), [(50,)])
        self.assertEqual(base.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
        base.close()

    # -- killed --

    def test_killed_supervisor(self):
        self.write('{"a": 1}')
        process, out, _ = self.begin("put(b=2); print('saved', flush=True); time.sleep(100)")
        wait_for(lambda: out.text() == "saved\n", "the agent")
        process.kill(signal.SIGKILL)
        process.wait()
        wait_for(lambda: self.holds(a=1, b=2), "the last copy")
        self.assert_nothing_left()
        self.assertEqual(self.left_over(), [])

    def test_killed_mounter(self):
        """Nothing is half written, and the run ends."""
        self.write('{"a": 1}')
        process, out, _ = self.begin("put(b=2); print('saved', flush=True); time.sleep(100)")
        wait_for(lambda: out.text() == "saved\n", "the agent")
        os.kill(self.jail_parts(process)["mounter"], signal.SIGKILL)
        process.wait()
        self.assertEqual(self.read()["a"], 1)

    # -- what is shown --

    def test_only_its_own(self):
        """P-AGT-3."""
        for name in (".claude", ".codex", ".gemini", ".config/opencode", ".ssh"):
            os.makedirs(os.path.join(self.home, name))
            with open(os.path.join(self.home, name, "canary"), "w", encoding="ascii") as file:
                file.write("x")
        self.write("{}")
        code = "print(sorted(os.path.relpath(os.path.join(d, f), HOME) for d, _, fs in os.walk(HOME) for f in fs))"
        self.env.update(ANTHROPIC_API_KEY="k1", OPENAI_API_KEY="k2")
        code += "; print(os.environ.get('ANTHROPIC_API_KEY'), os.environ.get('OPENAI_API_KEY'))"
        shown = {name: self.must(code, name=name)[0].split("\n") for name in ("claude", "codex", "other")}
        self.assertEqual(shown["claude"][:2], ["['.claude.json', '.claude/canary']", "k1 None"])
        self.assertEqual(shown["codex"][:2], ["['.codex/canary']", "None k2"])
        self.assertEqual(shown["other"][:2], ["[]", "None None"])

    def test_switched_off(self):
        """P-AGT-5: nothing is shown and nothing is kept."""
        os.mkdir(self.home + "/.claude")
        self.write('{"a": 1}')
        self.env["ANTHROPIC_API_KEY"] = "k"
        census = self.census()
        for option in ("--no-agent-state", "--lockdown"):
            with self.subTest(option):
                out, _ = self.must("print(os.path.exists(FILE), os.path.exists(HOME + '/.claude'), "
                                   "os.environ.get('ANTHROPIC_API_KEY')); open(FILE, 'w').write('{}')",
                                   option)
                self.assertEqual(out, "False False None\n")
        self.assertEqual(self.census(), census)

    def test_hidden(self):
        os.mkdir(self.home + "/.claude")
        self.write('{"a": 1}')
        out, _ = self.must("print(os.path.exists(FILE), os.path.exists(HOME + '/.claude')); "
                           "open(FILE, 'w').write('{}'); os.mkdir(HOME + '/.claude')",
                           "--hide-dotdir", ".claude")
        self.assertEqual(out, "False False\n")
        self.assertEqual(self.read(), {"a": 1})

    def test_masked(self):
        self.write('{"a": 1}')
        for option in ("--mask", "--deny-path"):
            with self.subTest(option):
                out, _ = self.must("print(os.path.exists(FILE)); open(FILE, 'w').write('{}')",
                                   option, self.file)
                self.assertEqual(out, "False\n")
                self.assertEqual(self.read(), {"a": 1})

    def test_mapped(self):
        """A map of the very file is what the user wants: the host's own."""
        self.write('{"a": 1}')
        self.must("open(FILE, 'r+').write('{\"b\": 2}')", "--rw-map", self.file)
        self.assertEqual(self.read(), {"b": 2})

    def test_own_directory(self):
        own = os.path.join(self.base, "work")
        os.mkdir(own)
        self.write('{"a": 1}')
        out, _ = self.must("print(os.environ['CLAUDE_CONFIG_DIR'], os.path.exists(FILE)); "
                           "open(os.environ['CLAUDE_CONFIG_DIR'] + '/.claude.json', 'w').write('{}')",
                           "--claude-dir", own)
        self.assertEqual(out, f"{own} False\n")
        self.assertEqual(os.listdir(own), [".claude.json"])
        self.assertEqual(self.read(), {"a": 1})
        os.mkdir(os.path.join(self.project, "in"))
        for path in (os.path.join(self.project, "in"), os.path.join(self.base, "none")):
            code, _, err = self.agent("pass", "--claude-dir", path)
            self.assertEqual(code, 125)
            self.assertIn(f"--claude-dir {path}: ", err)

    def test_command_of_an_untrusted_project(self):
        """P-AGT-7: the project's own ./claude gets neither state nor key; the user's claude does."""
        self.write('{"a": 1}')
        self.env["ANTHROPIC_API_KEY"] = "k"
        own = os.path.join(self.project, "claude")
        with open(own, "w", encoding="ascii") as file:
            file.write(AGENT)
        os.chmod(own, 0o755)
        code = "print(os.path.exists(FILE), os.environ.get('ANTHROPIC_API_KEY'))"
        for word, shown in (("./claude", "False None\n"), ("claude", "True k\n")):
            with self.subTest(word):
                with open(os.path.join(self.project, ".ai-jail"), "w", encoding="utf-8") as file:
                    file.write(f"command = {json.dumps([word, code])}\n")
                result, out, err = self.run_piped(["--no-save-config"])
                self.assertEqual((result, out.decode()), (0, shown), err)

    def test_status(self):
        self.write("{}")
        os.mkdir(self.home + "/.claude")
        code, out, err = self.run_piped(["--status", "--json", "claude"])
        self.assertEqual(code, 0, err)
        state = json.loads(out)["agent_state"]
        self.assertEqual((state["agent"], state["in_step"]), ("claude", [self.file]))
        self.assertEqual([(s["path"], s["writable"], s["new"]) for s in state["shown"]],
                         [(self.home + "/.claude", True, False),
                          (self.home + "/.local/state/claude", True, True)])
        code, out, err = self.run_piped(["--status", "claude"])
        self.assertIn("can read and change all of it", out.decode())
        self.assertFalse(os.path.exists(self.home + "/.local/state/claude"))


if __name__ == "__main__":
    ptyrun.main()
