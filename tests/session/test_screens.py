#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""Programs with a screen look the same in the jail as outside, after every key."""
import os
import subprocess

import ptyrun
from panes import PanesTest, SIDES
from ptyrun import SANITIZED, tool, wait_for

WIDE = ["plain", "日本語の行", "e\u0301a\u0308 combining", "tab\tafter", "─│┌┐└┘ ✓ ❯ 🙂 emoji",
        "x" * 100,
        "\033[1;31mred\033[0m \033[38;5;208morange\033[0m \033[48;2;1;90;200mblue\033[0m"]


class Screens(PanesTest):
    def write(self, name, lines):
        path = os.path.join(self.project, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write("".join(line + "\n" for line in lines))
        os.utime(path, (1700000000, 1700000000))
        return path

    def lines(self):
        return self.write("lines", [f"line {n}: {WIDE[n % (len(WIDE) - 1)]}" for n in range(300)])

    def test_vim(self):
        tool("vim")
        self.lines()
        # The size stands in the status line: both have heard of a new one before they get more keys.
        self.start_both(["vim", "-N", "-u", "NONE", "-n", "-i", "NONE", "--cmd",
                         "set hlsearch incsearch mouse=a laststatus=2", "--cmd",
                         "set statusline=%l,%c%V\\ %{&lines}x%{&columns}", "--cmd", "syntax on",
                         "lines"])
        self.same(shown="^line 0: plain")
        self.type("oinserted 日本 text")
        self.keys("Escape")
        self.same(shown="^inserted")
        self.enter("/line 15")
        self.same(shown="^line 15:")
        self.type("nzt5ddp")
        self.enter(":split")
        self.enter(":vsplit")
        self.type("Gzb")
        self.same(shown="^.*line 299")
        self.resize(18, 66)
        self.same(shown="18x66")
        self.same(shown="^.*line 299")
        self.resize(30, 100)
        self.same(shown="30x100")
        self.enter(":set number wrap list")
        self.same(shown="299")
        self.keys("C-w", "o", "C-u", "C-u", "C-e", "C-y", "M-x")
        self.enter(":echo &term &ttymouse &t_Co &background v:termresponse")
        # The answer to DA2 is the profile's, not tmux's: only its presence is compared.
        self.same(shown=r"^tmux-256color \w+ 256", hide=("\033\\[>[0-9;]*c|\\^\\[\\[>[0-9;]*c",))
        self.enter(":qa!")
        self.ended()

    def test_less(self):
        tool("less")
        self.lines()
        self.start_both(["less", "-R", "lines"])
        self.same(shown="^line 0: plain")
        self.enter("/line 4")
        self.same(shown="^line 4:")
        self.type("nnN")
        self.same(shown="^line 4.:")
        self.type("G")
        self.same(shown="^line 299")
        self.type("kkkuu")
        self.keys("C-l", "Up", "PgUp", "Down")
        self.same(shown="^line 2..:")
        self.resize(15, 50)
        self.same(shown="^line 2..:")
        self.type("g")
        self.resize(40, 90)
        self.same(shown="^line 30:")
        self.enter("-S")
        self.enter("&line 1")
        self.same(shown="^line 100")
        self.type("q")
        self.ended()

    def test_less_without_alternate_screen(self):
        tool("less")
        self.write("few", WIDE)
        self.start_both(["less", "-RXF", "few"])
        self.ended()

    def test_htop(self):
        """Its lists and meters live, and a PID namespace may have room for longer numbers; keys,
        titles and help are the same. Colours that a line begins with may be those of the line
        above."""
        tool("htop")
        self.start_both(["htop", "--delay=100"])
        frame = {"only": r"^F1Help|^ *PID +USER", "has_state": False,
                 "hide": ("^(\033\\[[0-9;]*m)*", " +(?=PID)")}
        self.same(shown="F10Quit", **frame)
        self.keys("F1")
        self.same(shown="hide/show header meters", hide=(r"\d+\.\d+",), has_state=False)
        self.keys("F3")
        self.same(shown="F10Quit", **frame)
        self.keys("F2")
        self.same(shown="^.*Categories", only="Categories|^Display options|^Colors",
                  hide=("^(\033\\[[0-9;]*m)*", "(\033\\[[0-9;]*m)*$"), has_state=False)
        self.keys("Escape")
        self.same(shown="F10Quit", **frame)
        self.keys("F10")
        self.ended(only="^ended")

    def test_fzf(self):
        tool("fzf")
        self.write("lines", [f"line {n}: {WIDE[n % 5]}" for n in range(40)])
        self.start_both(["sh", "-c", "seq 30; fzf --height 10 --border --ansi "
                                     "--preview 'echo chosen {}' <lines"])
        self.same(shown="40/40")
        self.type("日本")
        self.same(shown="8/40")
        self.keys("Up", "Up", "C-u")
        self.type("line 3")
        self.same(shown="^.*line 3")
        self.resize(20, 70)
        self.same(shown="^.*line 3")
        self.keys("Enter")
        self.ended()

    def test_fzf_on_the_whole_screen(self):
        tool("fzf")
        self.write("lines", [f"line {n}: {WIDE[n % 5]}" for n in range(40)])
        self.start_both(["sh", "-c", "fzf --multi --reverse <lines"])
        self.same(shown="40/40")
        self.keys("Tab", "Tab", "Down", "Tab")
        self.same(shown="40/40 \\(3\\)")
        self.keys("Escape")
        self.ended(130)

    def test_mc(self):
        """The directory above and the free space of its file system are others."""
        tool("mc")
        for name in ("a file", "another", "日本語", "e\u0301"):
            self.write(name, ["text"] * 5)
        hide = (r"(?<=UP--DIR.).*?\d\d:\d\d", r"\d+[GMK]? ?/ ?\d+[GMK]? ?\(\d+%\)")
        self.start_both(["mc", "-u", "-d"])
        self.same(shown="10Quit", hide=hide, has_state=False)
        self.keys("Tab", "Down", "Down")
        self.same(shown="10Quit", hide=hide, has_state=False)
        self.keys("F9")
        self.keys("Down")
        self.same(shown="File listing", hide=hide, has_state=False)
        self.keys("Escape", "Escape", "F3")
        self.same(shown="^text", hide=hide, has_state=False)
        self.resize(30, 100)
        self.same(shown="^text", hide=hide, has_state=False)
        self.keys("F10")
        self.same(shown="10Quit", hide=hide, has_state=False)
        self.keys("F10")
        self.same(shown="want to quit|^ended", hide=hide, has_state=False)
        self.keys("Enter")
        self.ended(only="^ended")

    def test_tmux_inside(self):
        """The names of server and host are left out of its status line."""
        self.write("inner.conf", ["set -g status-right ''", "set -g status-left 'inner '",
                                  "set -g default-terminal screen-256color",
                                  "set -g automatic-rename off",
                                  "set -g default-command \"env 'PS1=$ ' bash --norc -i\""])
        inner = ["tmux", "-u", "-S", f"/tmp/inner{os.getpid()}", "-f", "inner.conf"]
        self.start_both([*inner, "new-session", "-n", "one"])
        try:
            self.use_tmux()
        finally:
            subprocess.run([*inner, "kill-server"], check=False, stderr=subprocess.DEVNULL)

    def use_tmux(self):
        self.same(shown=r"^\$")
        self.enter("printf '\\033[31m%s\\033[0m\\n' 日本 red; seq 40")
        self.same(shown="^40")
        self.keys("C-b", "%")
        self.same(shown=r"│\$ *$")
        self.keys("C-b", '"')
        self.same(shown="├")
        self.enter("echo right; tput lines")
        self.same(shown="right")
        self.resize(30, 100)
        self.same(shown="right")
        self.keys("C-b", "z")
        self.same(shown="one\\*Z")
        self.enter("clear; tput cols")
        self.same(shown="^100")
        self.keys("C-b", ":")
        self.enter("kill-server")
        self.same(shown="^ended with")

    def test_python(self):
        self.start_both([ptyrun.PYTHON, "-q"])
        self.same(shown="^>>>")
        self.enter("'wide 日本 ' + 'e\u0301' * 3")
        self.same(shown="^'wide")
        self.type("print('one', 'two')")
        self.keys("C-a", "M-f", "C-k", "C-y", "C-a", "M-d", "C-e", "M-b", "C-t", "Left", "BSpace",
                  "C-_")
        self.same(shown="^>>>")
        self.keys("C-u", "Up", "Home", "Delete", "End")
        self.same(shown="^>>> wide|^>>> '?wide")
        self.keys("C-u", "C-r")
        self.type("wide")
        self.same(shown="reverse-i-search")
        self.keys("C-g", "C-u")
        self.enter("x = '" + "long " * 40 + "'")
        self.keys("Up", "C-a")
        self.resize(20, 50)
        self.same(shown="^>>> x =")
        self.keys("C-e", "C-u")
        self.enter("for n in range(2):")
        self.enter("\tprint(n)")
        self.enter("")
        self.same(shown="^1$")
        self.keys("C-d")
        self.ended()

    def test_git_log(self):
        tool("git")
        self.make_repository()
        self.start_both(["git", "-c", "safe.directory=*", "log", "--graph", "--color", "--decorate",
                         "--stat"])
        self.same(shown="^.*commit [0-9a-f]{40}.*HEAD")
        self.type(" ")
        self.same()
        self.enter("/Author")
        self.type("G")
        self.same(shown="END")
        self.type("q")
        self.ended()

    def make_repository(self):
        env = dict(self.env, GIT_AUTHOR_NAME="Somebody", GIT_AUTHOR_EMAIL="somebody@example.org",
                   GIT_COMMITTER_NAME="Somebody", GIT_COMMITTER_EMAIL="somebody@example.org",
                   GIT_AUTHOR_DATE="1700000000 +0000", GIT_COMMITTER_DATE="1700000000 +0000",
                   GIT_CONFIG_GLOBAL="/dev/null")

        def git(*words):
            subprocess.run(["git", "-c", "init.defaultBranch=main", *words], check=True,
                           cwd=self.project, env=env, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
        git("init")
        for branch in ("main", "日本", "other"):
            git("checkout", "-B", branch)
            for n in range(3):
                self.write(f"{branch}{n}", WIDE)
                git("add", "-A")
                git("commit", "-m", f"{branch} {n} ─ é")
        git("checkout", "main")
        git("merge", "--no-ff", "-m", "both", "other")

    def test_dialog(self):
        tool("dialog")
        self.start_both(["dialog", "--title", "A 日本 title", "--menu", "Choose one", "15", "50",
                         "6", "a", "first", "b", "second", "c", "third"])
        self.same(shown="Choose one")
        self.keys("Down", "Tab", "Tab")
        self.same(shown="second")
        self.keys("Down", "Enter")
        self.ended()

    def test_whiptail(self):
        """The answer has no end of line, and what runs after ai-jail begins on a line of its own:
        so the line is ended here."""
        tool("whiptail")
        self.start_both(["sh", "-c", '"$@"; echo', "sh", "whiptail", "--title", "A title",
                         "--checklist", "Choose some", "15", "50", "6", "a", "first", "off", "b",
                         "second", "on", "c", "third", "off"])
        self.same(shown="Choose some")
        self.keys("Down", "Space", "Up", "Space", "Tab")
        self.same(shown="second")
        self.keys("Enter")
        self.ended()

    def test_ls(self):
        for name in ("file", "program", "archive.tar", "picture.png"):
            self.write(name, ["x"])
        os.chmod(os.path.join(self.project, "program"), 0o755)
        os.mkdir(os.path.join(self.project, "directory"))
        os.symlink("file", os.path.join(self.project, "link"))
        os.symlink("nowhere", os.path.join(self.project, "broken"))
        self.start_both(["sh", "-c", "ls --color; ls -lA --color; ls -lA --color=always | tail -2"])
        self.ended()

    def test_shell(self):
        self.start_both(["env", "PS1=$ ", "PANE=SIDE", "bash", "--norc", "--noprofile", "-i"])
        self.same(shown=r"^\$")
        self.enter("trap ': >resized.$PANE' WINCH")
        self.enter("tput setaf 3; tput smul; echo coloured; tput sgr0; tput smacs; echo lqqk; "
                   "tput rmacs; tput cup 5 70; echo wraps over the edge")
        self.same(shown="edge")
        self.type("echo " + "日本 " * 30)
        self.keys("C-a", "M-f", "M-f", "Delete")
        self.same(shown=r"^\$ echo")
        self.resize(24, 61)
        for side in SIDES:
            path = os.path.join(self.project, "resized." + side)
            wait_for(lambda path=path: os.path.exists(path), path)
        self.same(shown=r"^\$ echo")
        self.keys("C-e", "Enter")
        self.keys("C-l")
        self.enter("seq 100; clear; echo cle''ared")
        self.same(shown=r"^cleared")
        self.enter("printf '\\033[5;10r\\033[10;1H'; seq 20; printf '\\033[r\\033[12;1H'")
        self.same(shown="^20$")
        self.enter("exit 3")
        self.ended(3)


# Too slow for all of them: other builds show the same, and an ordinary user sees what root sees.
if SANITIZED or os.geteuid() == 0:
    for _name in [n for n in vars(Screens) if n.startswith("test_")
                  and n not in ("test_vim", "test_shell", "test_ls")]:
        delattr(Screens, _name)


if __name__ == "__main__":
    ptyrun.main()
