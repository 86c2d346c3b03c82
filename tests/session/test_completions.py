#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""The completion scripts in the shells that they are for."""
import os
import shutil
import subprocess
import unittest

import ptyrun
from ptyrun import SessionTest

BASH = r"""
[[ -n ${PLAIN-} ]] || source /usr/share/bash-completion/bash_completion
source "$1"
COMP_LINE=$2 COMP_POINT=${#2} COMP_TYPE=9 COMP_KEY=9
# As readline splits: '=' stands alone.
read -ra COMP_WORDS <<<"${COMP_LINE//=/ = }"
[[ $COMP_LINE != *' ' ]] || COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
compopt() { :; }
_probe() { COMPREPLY=($(compgen -W '--probe-one --probe-two' -- "${COMP_WORDS[COMP_CWORD]}")); }
complete -F _probe env
_ai_jail
printf '%s\n' "${COMPREPLY[@]}"
"""
# Lines and what must be offered, what must not; env stands for a command with a completion.
CASES = (
    ("ai-jail --no-pr", {"--no-private-home", "--no-protect-git"}, {"--private-home"}),
    ("ai-jail --map fil", {"file"}, {"--map"}),
    ("ai-jail --completions ", {"bash", "zsh", "fish"}, {"file"}),
    ("ai-jail env --probe-o", {"--probe-one"}, set()),
    ("ai-jail -v --map x env --probe-o", {"--probe-one"}, set()),
    ("ai-jail -- env --probe-o", {"--probe-one"}, set()),
    ("ai-jail env --no-priv", set(), {"--no-private-home"}),
    ("ai-jail status --js", {"--json"}, set()),
    ("ai-jail --browser-forget ", {"chromium", "firefox"}, {"file", "no", ".cache"}),
    ("ai-jail --browser-forget fire", {"firefox"}, {"chromium"}),
)
STORE = ".local/share/ai-jail/browsers"


def need(test, *paths):
    missing = [path for path in paths if not (shutil.which(path) or os.path.exists(path))]
    if missing and os.environ.get("AI_JAIL_TESTS_MUST_RUN") == "1":
        test.fail(f"not installed: {missing}")
    if missing:
        raise unittest.SkipTest(f"not installed: {missing}")


class Completions(SessionTest):
    def script(self, shell):
        code, out, err = self.run_piped(["--completions", shell])
        self.assertEqual((code, err), (0, ""))
        path = os.path.join(self.base, "script." + shell)
        with open(path, "wb") as file:
            file.write(out)
        with open(os.path.join(self.project, "file"), "w", encoding="ascii"):
            pass
        for name in ("chromium", "firefox"):
            os.makedirs(os.path.join(self.home, STORE, name), 0o700)
        bin_dir = os.path.join(self.base, "bin")
        os.mkdir(bin_dir)
        os.symlink(ptyrun.PROGRAM, os.path.join(bin_dir, "ai-jail"))
        self.env["PATH"] = bin_dir + ":" + self.env["PATH"]
        return path

    def ask(self, argv, **env):
        result = subprocess.run(argv, cwd=self.project, env=dict(self.env, **env), timeout=60,
                                stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        return {line.split("\t")[0] for line in result.stdout.splitlines()}

    def check(self, offer, cases):
        for line, wanted, unwanted in cases:
            with self.subTest(line=line):
                got = offer(line)
                self.assertEqual(wanted - got, set(), got)
                self.assertEqual(unwanted & got, set(), got)

    def test_bash(self):
        need(self, "/usr/share/bash-completion/bash_completion")
        path = self.script("bash")
        self.check(lambda line: self.ask(["bash", "--norc", "-c", BASH, "x", path, line]),
                   CASES + (("ai-jail --clipboard=", {"copy", "off"}, set()),
                            ("ai-jail -s=d", {"dark"}, set()),
                            ("ai-jail --map=fil", {"file"}, set())))

    def test_bash_alone(self):
        path = self.script("bash")
        self.check(lambda line: self.ask(["bash", "--norc", "-c", BASH, "x", path, line], PLAIN="1"),
                   CASES[:3])

    def test_fish(self):
        need(self, "fish")
        path = self.script("fish")
        code = ("complete -c env -l probe-one; complete -c env -l probe-two; "
                "source $argv[1]; complete -C $argv[2]")
        self.check(lambda line: self.ask(["fish", "-N", "-c", code, path, line]),
                   CASES + (("ai-jail --clipboard=", {"--clipboard=copy", "--clipboard=off"}, set()),))

    def test_zsh(self):
        """Typed on a terminal: the completed line is run by a function that prints it."""
        need(self, "zsh")
        path = self.script("zsh")
        terminal = self.terminal(24, 200)
        self.start_program([shutil.which("zsh"), "-f", "-i"], [terminal] * 3, env=dict(self.env, PS1="", TERM="dumb"))
        terminal.send(b"unsetopt zle; autoload -Uz compinit; compinit -D -u; unset zle_bracketed_paste; "
                      b"source " + path.encode() + b"; _probe() { compadd -- --probe-one }; "
                      b"compdef _probe env; show() { print -r -- \"LINE<$BUFFER>\"; BUFFER= }; "
                      b"zle -N show; bindkey '^T' show; bindkey '^I' complete-word; "
                      b"setopt zle; print rea''dy\n")
        terminal.expect(rb"ready")
        for line, wanted in (("ai-jail --no-priv", "--no-private-home"),
                             ("ai-jail --clipboard=c", "--clipboard=copy"),
                             ("ai-jail --map fil", "--map file"),
                             ("ai-jail --completions f", "--completions fish"),
                             ("ai-jail --browser-forget fi", "--browser-forget firefox"),
                             ("ai-jail -v --map x env --pro", "env --probe-one"),
                             ("ai-jail -- env --pro", "env --probe-one")):
            terminal.send(line.encode() + b"\t\x14")
            terminal.expect(rb"LINE<[^>]*" + wanted.encode() + rb" ?>")
        terminal.send(b"exit\n")

    def test_no_profile_is_kept(self):
        path = self.script("bash")
        shutil.rmtree(os.path.join(self.home, STORE))
        self.assertEqual(self.ask(["bash", "--norc", "-c", BASH, "x", path, "ai-jail --browser-forget "],
                                  PLAIN="1"), {""})

    def test_unknown_shell(self):
        code, out, err = self.run_piped(["--completions", "csh"])
        self.assertEqual((code, out), (125, b""))
        for word in ("bash", "zsh", "fish"):
            self.assertIn(word, err)


if __name__ == "__main__":
    ptyrun.main()
