#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""Time from each question that a real agent asks when it starts to the answer of the jail.

    AI_JAIL_AGENTS=PREFIX bench/agent_answers.py [--ai-jail build/release/ai-jail] AGENT...

In the jail, between its terminal and the agent, stands a relay of ours: a second terminal on which
the agent runs, whose modes it copies. It notes when a question passes and when its answer comes.
The jail does not answer while the terminal echoes, so the time counts from when echo is off.
Questions without an answer are listed. Target: 5 ms.
"""
import argparse
import json
import os
import pathlib
import re
import signal
import sys
import tempfile
import time

import terminal

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests/session"))
import agents  # noqa: E402, pylint: disable=wrong-import-position

LIMIT_S = 60.0
# Runs inside: relay.py SECONDS RESULT COMMAND...
RELAY = r"""
import fcntl, json, os, pty, select, sys, termios, time, tty
limit, result, argv = float(sys.argv[1]), sys.argv[2], sys.argv[3:]
size = fcntl.ioctl(0, termios.TIOCGWINSZ, b'\0' * 8)
pid, master = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, size)
    os.execvp(argv[0], argv)
events, end, echo = [], time.monotonic() + limit, None
while time.monotonic() < end:
    ready = select.select([0, master], [], [], 0.001)[0]
    modes = termios.tcgetattr(master)
    if bool(modes[3] & (termios.ECHO | termios.ICANON)) != echo:
        echo = bool(modes[3] & (termios.ECHO | termios.ICANON))
        termios.tcsetattr(0, termios.TCSANOW, modes)
        events.append((time.monotonic(), 'echo' if echo else 'raw', ''))
    if master in ready:
        try:
            data = os.read(master, 65536)
        except OSError:
            break
        events.append((time.monotonic(), 'asks', data.decode('latin-1')))
        while data:
            data = data[os.write(1, data):]
    if 0 in ready:
        data = os.read(0, 65536)
        events.append((time.monotonic(), 'gets', data.decode('latin-1')))
        os.write(master, data)
with open(result, 'w') as file:
    json.dump(events, file)
os.kill(pid, 9)
"""
ST = r"(?:\x07|\x1b\\)"
COLOUR = r"rgb:[0-9a-f/]+"
# name, question, its answer; a group of the question stands for %s in the answer.
KNOWN = [(name, re.compile(question), answer) for name, question, answer in (
    ("DA1", r"\x1b\[0?c", r"\x1b\[\?[\d;]+c"),
    ("DA2", r"\x1b\[>0?c", r"\x1b\[>[\d;]+c"),
    ("XTVERSION", r"\x1b\[>0?q", r"\x1bP>\|[^\x1b]*\x1b\\"),
    ("CPR", r"\x1b\[6n", r"\x1b\[\d+;\d+R"),
    ("DECRQM %s", r"\x1b\[\?(\d+)\$p", r"\x1b\[\?%s;\d\$y"),
    ("kitty keyboard", r"\x1b\[\?u", r"\x1b\[\?\d+u"),
    ("theme", r"\x1b\[\?996n", r"\x1b\[\?997;[12]n"),
    ("text area", r"\x1b\[14t", r"\x1b\[4;\d+;\d+t"),
    ("cell", r"\x1b\[16t", r"\x1b\[6;\d+;\d+t"),
    ("OSC %s", r"\x1b\](1\d|4;\d+);\?" + ST, r"\x1b\]%s;" + COLOUR + ST),
    ("XTGETTCAP", r"\x1bP\+q[0-9a-fA-F;]+\x1b\\", r"\x1bP[01]\+r[^\x1b]*\x1b\\"),
    ("DECRQSS", r"\x1bP\$q[^\x1b]*\x1b\\", r"\x1bP[01]\$r[^\x1b]*\x1b\\"))]


def find_questions(events):
    """[(when, name, regex of the answer)] in order."""
    text, found = "", []
    for when, kind, data in events:
        if kind != "asks":
            continue
        seen, text = len(text), text + data
        for name, question, answer in KNOWN:
            for match in question.finditer(text, max(0, seen - 100)):
                if match.end() > seen:
                    value = match.groups()
                    found.append((when, match.start(), name % value if value else name,
                                  answer % value if value else answer))
    return [(when, name, answer) for when, _, name, answer in sorted(found, key=lambda row: row[:2])]


def pair(events):
    """[(name, milliseconds or None)]"""
    raw = [when for when, kind, _ in events if kind == "raw"]
    echo = [when for when, kind, _ in events if kind == "echo"]
    answers = [(when, data) for when, kind, data in events if kind == "gets"]
    rows = []
    for when, name, answer in find_questions(events):
        off = max([at for at in raw if at <= when], default=None)
        on = max([at for at in echo if at <= when], default=None)
        if off is None or (on is not None and on > off):
            when = min([at for at in raw if at > when], default=when)
        for index, (came, data) in enumerate(answers):
            if re.search(answer, data):
                answers[index] = (came, re.sub(answer, "", data, count=1))
                rows.append((name, (came - when) * 1000))
                break
        else:
            rows.append((name, None))
    return rows


def record(name, path, ai_jail, seconds):
    with tempfile.TemporaryDirectory(prefix="agent-answers.") as top:
        home, project = os.path.join(top, "home"), os.path.join(top, "project")
        os.mkdir(project)
        agents.make_home(name, home, project)
        env = {"HOME": home, "COLORTERM": "truecolor", **agents.variables(name, home)}
        pty = terminal.Terminal([ai_jail, *agents.jail_options(name, path, home), "--", "python3",
                                 "-c", RELAY, str(seconds), "told", path], cwd=project, env=env,
                                rows=32, cols=110)
        end = time.monotonic() + seconds + LIMIT_S
        while time.monotonic() < end and (pty.read(1.0) or not pty.has_ended()):
            pass
        if not pty.has_ended():
            os.kill(pty.pid, signal.SIGKILL)
        pty.wait()
        with open(os.path.join(project, "told"), encoding="utf-8") as file:
            return json.load(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ai-jail", default="build/release/ai-jail")
    parser.add_argument("--seconds", type=float, default=10, help="how long each is listened to")
    parser.add_argument("agents", nargs="+", choices=sorted(agents.AGENTS))
    options = parser.parse_args()
    for name in options.agents:
        path = agents.find(name)
        if not path:
            sys.exit(f"{name} is not installed")
        rows = pair(record(name, path, os.path.abspath(options.ai_jail), options.seconds))
        times = [taken for _, taken in rows if taken is not None]
        silent = sorted({question for question, taken in rows if taken is None})
        print(f"{name}: {len(rows)} questions, {len(times)} answered, "
              f"at most {max(times, default=0):.2f} ms; without: {', '.join(silent) or 'none'}")
        for question, taken in rows:
            print(f"  {question:16} {'-' if taken is None else f'{taken:.2f}'}")


main()
