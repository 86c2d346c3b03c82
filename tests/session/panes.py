# SPDX-License-Identifier: GPL-3.0-only
"""panes: one program in two panes of a private tmux server, once as it is and once in the jail.

Both get the same size, TERM, environment, directory and keys, at the same time. same() waits until
both panes show the same and nothing changes any more: text, colours and attributes of every line,
scrollback included, the cursor, and the modes that tmux tells. A program that lives off the time,
the host's name or the list of processes is compared by its other lines.
"""
import difflib
import os
import re
import shlex
import subprocess
import time

import ptyrun
from ptyrun import PROGRAM, SessionTest, tool

QUIET_S = 0.12      # nothing changed for so long: the program waits for a key
ROWS, COLS = 24, 80
CONFIG = f"""
set -s escape-time 20
set -s focus-events on
set -s extended-keys on
set -g default-size {COLS}x{ROWS}
set -g status off
set -g allow-rename off
set -g history-limit 500
"""
STATE = " ".join("#{%s}" % name for name in (
    "cursor_x", "cursor_y", "cursor_flag", "alternate_on", "insert_flag", "keypad_flag",
    "keypad_cursor_flag", "mouse_any_flag", "mouse_button_flag", "mouse_sgr_flag", "origin_flag",
    "wrap_flag", "scroll_region_upper", "scroll_region_lower"))
MARK = "state of the pane: "
SIDES = ("outside", "inside")
# The last line stays, so that the screen after the end can be compared, too.
WRAPPER = '"$@"; printf "ended with %d\\n" $?; exec sleep 1000'
# What ai-jail has to say is said before; the program begins on an empty screen on both sides.
BEGIN = 'printf "\\033[H\\033[2J\\033[3J"; exec "$@"'


class PanesTest(SessionTest):
    """A test with such a server."""
    TERM = "tmux-256color"
    BEGIN_LINE = "-"    # of what is compared: all of the scrollback, too

    def setUp(self):
        super().setUp()
        self.tmux_program = tool("tmux")
        os.mkdir(os.path.join(self.base, "tmp"), 0o700)
        self.config = os.path.join(self.base, "tmux.conf")
        with open(self.config, "w", encoding="ascii") as file:
            file.write(CONFIG + f"set -g default-terminal {self.TERM}\n")
        self.env = {"HOME": self.home, "PATH": ptyrun.PATH, "LANG": "C.UTF-8", "TERM": self.TERM,
                    "SHELL": "/bin/sh"}

    def tearDown(self):
        self.tmux("kill-server", check=False)
        super().tearDown()

    def tmux(self, *words, check=True):
        done = subprocess.run([self.tmux_program, "-S", os.path.join(self.base, "socket"), "-f",
                               self.config, *words], env=self.env, cwd=self.project,
                              capture_output=True, timeout=ptyrun.DEADLINE, check=False)
        if check and done.returncode:
            raise AssertionError(f"tmux {words}: {done.stderr.decode()}")
        return done.stdout.decode(errors="surrogateescape")

    def both(self, *words):
        """One command of tmux for each of the two, in one call."""
        first, second = ([word.replace("SIDE", side) for word in words] for side in SIDES)
        return self.tmux(*first, ";", *second)

    def start_in(self, side, argv, rows=ROWS, cols=COLS, options=("--no-save-config", "--exec")):
        """Starts a program in one pane. SIDE in its words becomes the name of the side."""
        argv = [word.replace("SIDE", side) for word in argv]
        prefix = [PROGRAM, *options, "--"] if side == "inside" else []
        self.tmux("new-session", "-d", "-s", side, "-x", str(cols), "-y", str(rows), "-c",
                  self.project, "/bin/sh", "-c", WRAPPER, "sh", *prefix, "/bin/sh", "-c", BEGIN,
                  "sh", *argv)

    def start_both(self, argv, *size, **options):
        for side in SIDES:
            self.start_in(side, argv, *size, **options)

    def keys(self, *names):
        self.both("send-keys", "-t", "SIDE", *names)

    def type(self, text):
        self.both("send-keys", "-t", "SIDE", "-l", "--", text)

    def enter_in(self, side, text):
        self.tmux("send-keys", "-t", side, "-l", "--", text, ";", "send-keys", "-t", side,
                  "Enter")

    def enter(self, text):
        self.type(text)
        self.keys("Enter")

    def resize(self, rows, cols):
        self.both("resize-window", "-t", "SIDE", "-x", str(cols), "-y", str(rows))

    def capture(self):
        """{side: (state, lines with their attributes)}"""
        text = self.both("display", "-p", "-t", "SIDE", MARK + STATE, ";",
                         "capture-pane", "-e", "-p", "-S", self.BEGIN_LINE, "-t", "SIDE")
        parts = [part.split("\n") for part in text.split(MARK)[1:]]
        return {side: (part[0], part[1:]) for side, part in zip(SIDES, parts)}

    def same(self, shown=None, only=None, hide=(), has_state=True, timeout=ptyrun.DEADLINE):
        """Both panes show the same and are quiet; their lines. shown: a regex that must match one
        of them, so that two empty screens do not count; only: the lines that are compared; hide:
        what is not compared of them."""
        raw, text = self.compare(shown, only, hide, has_state, timeout)
        if text:
            self.fail(text)
        return raw["outside"][1]

    def compare(self, shown=None, only=None, hide=(), has_state=True, timeout=ptyrun.DEADLINE):
        """(what both show, "") as soon as they are quiet and the same, or with the difference."""
        end = time.monotonic() + timeout
        last, since = None, 0.0
        while True:
            raw = self.capture()
            cut = {side: self.narrow(raw[side], only, hide, has_state) for side in SIDES}
            is_there = not shown or all(any(re.search(shown, plain(line)) for line in raw[side][1])
                                        for side in SIDES)
            now = time.monotonic()
            if cut != last:
                last, since = cut, now
            elif is_there and cut["outside"] == cut["inside"] and now - since >= QUIET_S:
                return raw, ""
            if now > end:
                return raw, difference(cut, shown if not is_there else None)
            time.sleep(2 * ptyrun.STEP)

    def narrow(self, raw, only, hide, has_state):
        state, lines = raw
        for pattern in hide:
            lines = [re.sub(pattern, "#", line) for line in lines]
        if only:
            lines = [line for line in lines if re.search(only, plain(line))]
        return [state if has_state else ""] + lines

    def ended(self, code=0, **options):
        """The program has ended, and what is left on the screen is the same."""
        return self.same(shown=rf"^ended with {code}$", **options)


def plain(line):
    """Without SGR and the two charset switches that capture-pane writes."""
    return re.sub("\033\\[[0-9;:]*m|\033\\]8;[^\033]*\033\\\\|[\016\017]", "", line)


def difference(cut, missing):
    text = "".join(f"{line}\n" for line in difflib.unified_diff(
        [shlex.quote(repr(line)) for line in cut["outside"]],
        [shlex.quote(repr(line)) for line in cut["inside"]], *SIDES, lineterm="", n=1))
    if missing:
        text += f"no {missing!r} in\n" + "\n".join(cut["inside"][-ROWS - 1:])
    return text or "the panes do not come to rest"
