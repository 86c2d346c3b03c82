# SPDX-License-Identifier: GPL-3.0-only
"""The judges: how each terminal is started, as permissive as it can be, and what it may change.

A terminal has the tools that it needs (TOOLS), what the unfiltered streams must at least do to it
(PROOF), start(command, env) and clipboard(), which tells what its clipboards hold. All of them work
in a Place: directories of one run.
"""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

START_S = 30.0
SENTINEL = "held before"
ROWS, COLS = 24, 80


def wait_for(is_there, what, seconds=START_S):
    end = time.monotonic() + seconds
    while not is_there():
        if time.monotonic() > end:
            raise AssertionError(f"{what} did not come in {seconds:.0f} s")
        time.sleep(0.02)


class Place:
    """work: ours. watched: home and working directory of the terminal; nothing may happen there."""

    def __init__(self):
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="ai-jail-judge."))
        self.work, self.watched = self.top / "work", self.top / "watched"
        self.runtime = self.top / "runtime"
        for path in (self.work, self.watched, self.runtime):
            path.mkdir(mode=0o700)
        (self.watched / "tty-graphics-protocol-victim").write_text("abc")
        self.log = open(self.work / "log", "wb")
        self.env = {
            "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8",
            "HOME": str(self.watched), "TMPDIR": str(self.work), "SHELL": "/bin/sh",
            "XDG_RUNTIME_DIR": str(self.runtime), "XDG_CONFIG_HOME": str(self.work / "config"),
            "XDG_CACHE_HOME": str(self.work / "cache"), "XDG_DATA_HOME": str(self.work / "data"),
            "LIBGL_ALWAYS_SOFTWARE": "1", "TERM": "xterm-256color",
        }
        self.children = []

    def spawn(self, argv, **more):
        child = subprocess.Popen(argv, cwd=self.watched, env={**self.env, **more.pop("env", {})},
                                 stdin=subprocess.DEVNULL, stderr=self.log,
                                 **{"stdout": self.log, **more})
        self.children.append(child)
        return child

    def start_x(self):
        reader, writer = os.pipe()
        self.spawn(["Xvfb", "-displayfd", str(writer), "-screen", "0", "1600x1200x24",
                          "-nolisten", "tcp", "+extension", "GLX"], pass_fds=(writer,))
        os.close(writer)
        with os.fdopen(reader) as file:
            display = file.readline().strip()
        if not display:
            raise AssertionError("Xvfb did not start")
        self.env["DISPLAY"] = ":" + display

    def ask(self, argv):
        done = subprocess.run(argv, cwd=self.work, env=self.env, capture_output=True, timeout=20,
                              check=False)
        return done.stdout.decode(errors="replace")

    def close(self):
        for child in reversed(self.children):
            child.terminate()
        for child in reversed(self.children):
            try:
                child.wait(10)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        self.log.close()
        shutil.rmtree(self.top, ignore_errors=True)


class Terminal:
    TOOLS = ()
    PROOF = ("replies",)
    VERSION = ()

    def __init__(self):
        self.place = Place()
        self.main = None

    @classmethod
    def missing(cls):
        return [tool for tool in cls.TOOLS if not shutil.which(tool)]

    @classmethod
    def version(cls):
        # kitty makes its directory in HOME even when it only tells its version.
        with tempfile.TemporaryDirectory() as home:
            done = subprocess.run(cls.VERSION, capture_output=True, text=True, timeout=20,
                                  check=False, env={"PATH": os.environ["PATH"], "HOME": home})
        found = re.search(r"\d+(?:\.\d+)*\w?", done.stdout + done.stderr)
        return found.group() if found else "?"

    def prepare(self):
        """Before the program is started."""

    def start(self, command):
        self.main = self.place.spawn(self.argv(command))

    def has_ended(self):
        return self.main and self.main.poll() is not None

    def argv(self, command):
        raise NotImplementedError

    def clipboard(self):
        return {}

    def close(self):
        self.place.close()


class Tmux(Terminal):
    TOOLS = ("tmux",)
    PROOF = ("replies", "clipboard")
    VERSION = ("tmux", "-V")
    CONFIG = f"""
set -s set-clipboard on
set -s extended-keys on
set -s focus-events on
set -g allow-rename on
set -g default-size {COLS}x{ROWS}
set -g status off
set -gw allow-passthrough on
"""

    def tmux(self, *args):
        return self.place.ask(["tmux", "-S", str(self.place.work / "socket"), "-f",
                               str(self.place.work / "tmux.conf"), *args])

    def prepare(self):
        (self.place.work / "tmux.conf").write_text(self.CONFIG)

    def start(self, command):
        self.tmux("new-session", "-d", "-x", str(COLS), "-y", str(ROWS), "-c",
                  str(self.place.watched), *command, ";", "set-buffer", SENTINEL)

    def clipboard(self):
        return {"buffers": self.tmux("list-buffers", "-F", "#{buffer_name} #{buffer_sample}")}

    def close(self):
        self.tmux("kill-server")
        super().close()


class XTerminal(Terminal):
    """One under an X server of its own. Its three selections and the cut buffers are watched."""
    TOOLS = ("Xvfb", "xclip", "xprop", "xwininfo")
    SELECTIONS = ("primary", "secondary", "clipboard")

    def prepare(self):
        self.place.start_x()
        for which in self.SELECTIONS:
            subprocess.run(["xclip", "-selection", which, "-i"], input=SENTINEL.encode(),
                           env=self.place.env, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, check=True, timeout=20)

    def clipboard(self):
        held = {which: self.place.ask(["xclip", "-selection", which, "-o"])
                for which in self.SELECTIONS}
        held["cut buffers"] = [line for line in self.place.ask(["xprop", "-root"]).splitlines()
                               if line.startswith("CUT_BUFFER")]
        return held


class Xterm(XTerminal):
    TOOLS = ("xterm", *XTerminal.TOOLS)
    PROOF = ("replies", "size", "window", "clipboard", "files")
    VERSION = ("xterm", "-version")

    def argv(self, command):
        printed = self.place.watched / "printed"
        resources = {f"allow{what}Ops": "true" for what in
                     ("Color", "Font", "Mouse", "Paste", "Tcap", "Title", "Window")}
        resources |= {f"disallowed{what}Ops": "" for what in
                      ("Color", "Font", "Mouse", "Paste", "Tcap", "Window")}
        resources |= {"allowLogging": "true", "answerbackString": "answerback", "c132": "true",
                      "printerCommand": f"cat >> {printed}", "decTerminalID": "vt340",
                      "decGraphicsID": "vt340", "titleModes": "0", "checksumExtension": "31"}
        argv = ["xterm", "-geometry", f"{COLS}x{ROWS}"]
        for name, value in resources.items():
            argv += ["-xrm", f"*{name}: {value}"]
        return [*argv, "-e", *command]


class Urxvt(XTerminal):
    TOOLS = ("urxvt", *XTerminal.TOOLS)
    PROOF = ("replies", "size", "window", "files")
    VERSION = ("urxvt", "-help")

    def argv(self, command):
        return ["urxvt", "-geometry", f"{COLS}x{ROWS}", "-insecure", "-pe", "clipboard-osc",
                "-xrm", f"URxvt.print-pipe: cat >> {self.place.watched}/printed",
                "-xrm", "URxvt.answerbackString: answerback", "-e", *command]


class Kitty(XTerminal):
    TOOLS = ("kitty", *XTerminal.TOOLS)
    PROOF = ("replies", "clipboard", "files")
    VERSION = ("kitty", "--version")
    OPTIONS = ("allow_remote_control=yes", "remember_window_size=no", "update_check_interval=0",
               f"initial_window_width={COLS}c", f"initial_window_height={ROWS}c",
               "clipboard_control=write-clipboard write-primary read-clipboard read-primary",
               "file_transfer_confirmation_bypass=bypass", "allow_hyperlinks=yes",
               "enable_audio_bell=no", "hide_window_decorations=yes", "window_padding_width=0",
               "placement_strategy=top-left", "shell_integration=disabled")

    def argv(self, command):
        options = [word for option in self.OPTIONS for word in ("-o", option)]
        return ["kitty", "--config", "NONE", *options, *command]


class Alacritty(XTerminal):
    TOOLS = ("alacritty", *XTerminal.TOOLS)
    PROOF = ("replies", "clipboard")
    VERSION = ("alacritty", "--version")

    def argv(self, command):
        return ["alacritty", "--config-file", "/dev/null", "-o",
                f"window.dimensions.columns={COLS}", "-o", f"window.dimensions.lines={ROWS}",
                "-e", *command]


class Foot(Terminal):
    """Under a compositor in a window of an X server: without one that has a seat it does not start.
    Nobody gives it the focus, so it has no clipboard."""
    TOOLS = ("foot", "weston", "Xvfb")
    VERSION = ("foot", "--version")

    def prepare(self):
        self.place.start_x()
        self.place.spawn(["weston", "--backend=x11-backend.so", "--use-pixman", "--socket=judge",
                          "--width=1400", "--height=1000", "--idle-time=0", "--no-config"])
        wait_for((self.place.runtime / "judge").exists, "weston")
        self.place.env["WAYLAND_DISPLAY"] = "judge"
        del self.place.env["DISPLAY"]

    def argv(self, command):
        return ["foot", "--config=/dev/null", f"--window-size-chars={COLS}x{ROWS}", *command]


class XtermJs(Terminal):
    """xterm.js without a page, in node: the terminal of editors. It runs no program: a script
    writes the streams to it and keeps its answers."""
    TOOLS = ("node", "npm")
    PROOF = ("replies", "size")
    PACKAGE = "@xterm/headless"
    SCRIPT = pathlib.Path(__file__).with_name("xtermjs.js")

    @classmethod
    def version(cls):
        done = subprocess.run(["npm", "view", cls.PACKAGE, "version"], capture_output=True,
                              text=True, timeout=60, check=False)
        return done.stdout.strip() or "?"

    @classmethod
    def missing(cls):
        gone = super().missing()
        return gone or ([] if cls.version() != "?" else [f"{cls.PACKAGE} (npm reaches no registry)"])

    def prepare(self):
        done = subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix",
                               str(self.place.work), self.PACKAGE], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120, check=False)
        if done.returncode:
            raise AssertionError(done.stderr)

    def argv(self, command):
        return ["node", str(self.SCRIPT), str(self.place.work / "node_modules" / self.PACKAGE),
                *command[-4:]]


TERMINALS = {"tmux": Tmux, "xterm": Xterm, "urxvt": Urxvt, "kitty": Kitty,
             "alacritty": Alacritty, "foot": Foot, "xterm.js": XtermJs}
