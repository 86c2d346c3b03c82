# SPDX-License-Identifier: GPL-3.0-only
"""alone_tty: what reaches the user's terminal, and in which state it is left."""

import itertools
import os
import re
import shutil
import signal

import outside
from alone import Alone
from terminal import Terminal

RESTORED_LIMIT_S = 30.0

# Bytes a command writes, and what of them must not reach the terminal. {t} is the token.
FORBIDDEN = (
    ("\x1b]52;c;{t}\x07", "]52;c;{t}"), ("\x1b]52;c;{t}\x1b\\", "]52;c;{t}"),
    ("\x1b[21t", "\x1b[21t"), ("\x1b[0;1x", "\x1b[0;1x"), ("\x1bP+q{t}\x1b\\", "+q{t}"),
    ("\x1bP$q{t}\x1b\\", "$q{t}"), ("\x1bPq#0;{t}\x1b\\", "{t}"),
    ("\x1b_Ga=T,t=f;{t}\x1b\\", "{t}"), ("\x1b^{t}\x1b\\", "\x1b^"), ("\x1bX{t}\x1b\\", "\x1bX"),
    ("\x1bPtmux;\x1b\x1b]52;c;{t}\x07\x1b\\", "]52;c;{t}"),
    ("\x1b]1337;File={t}\x07", "1337;File={t}"), ("\x1b]9;{t}\x07", "]9;{t}"),
    ("\x1b]777;notify;{t}\x07", "777;notify"), ("\x1b]50;{t}\x07", "]50;{t}"),
    ("\x1b[5i{t}\x1b[4i", "\x1b[5i"), ("\x1bc", "\x1bc"),
    ("\x1b]0;x\x9dy\x07", "\x9d"), ("\x1b]0;x\xc2\x9dy\x07", "\xc2\x9d"),
    ("\x1b]8;;file:///etc/{t}\x1b\\x\x1b]8;;\x1b\\", "file:///etc"),
)
SMUGGLED = (
    ("\x1b\x1b]52;c;{t}\x07", "]52;c;{t}"), ("\x1b\x00]52;c;{t}\x07", "]52;c;{t}"),
    ("\x1b[1\x1b]52;c;{t}\x07", "]52;c;{t}"), ("\x9d52;c;{t}\x07", "\x9d"),
    ("\x9b21t", "\x9b"), ("\xc2\x9d52;c;{t}\x07", "\xc2\x9d"), ("\xc2\x9b21t", "\xc2\x9b"),
    ("\x1b]52;c\x18\x1b]52;c;{t}\x07", "]52;c;{t}"),
    ("\x1b[38;5\x1b]52;c;{t}\x07m", "]52;c;{t}"),
)
# Answers of ai-jail's own: status, cursor, attributes, colours, modes, settings, version.
ANSWERS = re.compile(
    rb"(?:\x1b\[[?>=]?[0-9;]*(?:n|R|c|u|t)|\x1b\[\?[0-9;]*\$y|"
    rb"\x1b\](?:4;\d+|10|11|12);rgb:[0-9a-f/]*(?:\x07|\x1b\\)|"
    rb"\x1bP[01]\$r[0-9; qmr\"]*\x1b\\|\x1bP>\|XTerm\(\d+\)\x1b\\|"
    rb"\x1bP[01]\+r[0-9A-Fa-f=;]*\x1b\\|\x1b\][lL]\x1b\\)*\Z")
MODES = (b"\x1b[?1000h\x1b[?1006h\x1b[?2004h\x1b[?1004h\x1b[?1049h\x1b[>1u\x1b[?25l")


def latin(text):
    return text.encode("latin-1")


class AloneTerminal(Alone):
    def __init__(self, suite, mode):
        super().__init__(suite, mode)
        self.content = f"{self.world.tools}/content"

    def put(self, data):
        with open(self.content, "wb") as out:
            out.write(data)
        os.chmod(self.content, 0o644)

    def on_terminal(self, term, command, **keywords):
        return term.run(self.suite, [*self.suite.jail_words(self.mode), *command], **keywords)

    def mixes(self):
        """Every mix of this terminal, a file and a pipe on 0, 1 and 2."""
        path = f"{self.world.base}/files/mix"
        failed = []
        for is_terminal in itertools.product((True, False), repeat=3):
            ends = os.pipe()
            os.close(ends[1])
            with Terminal(self.world.user) as term, open(path, "wb") as file:
                self.world.write_facts(**term.facts())
                mix = [None if here else other
                       for here, other in zip(is_terminal, (ends[0], file, file))]
                if not self.on_terminal(term, [self.world.probe, "E-TTY-06"], mix=mix) == 0:
                    failed.append(f"{is_terminal} {term.text()[-200:]}")
            os.close(ends[0])
            os.unlink(path)
        self.expect("E-TTY-06", not failed, "; ".join(failed))

    def other_input(self):
        """What is typed into another terminal stays there."""
        self.put(b"")
        with Terminal(self.world.user) as term, Terminal(self.world.user) as other, \
                self.suite.watch("E-TTY-07"):
            other.type(b"secret\n")
            process = term.start(self.suite, [*self.suite.jail_words(self.mode), self.world.probe,
                                              "--ask", self.content])
            asked = term.wait_for(lambda: b"ready" in term.log)
            other.type(b"secret\n")
            status = term.wait(self.suite, process)
            text = self.answers(term)
        self.expect("E-TTY-07", asked and status == 0 and text == b"", f"status {status} {text!r}")

    @staticmethod
    def answers(term):
        """What the helper says it has read; None if it does not say so."""
        found = re.search(rb"answer:([0-9a-f]*):", term.log)
        return bytes.fromhex(found[1].decode()) if found else None

    def output(self):
        for row, cases in (("E-TTY-08", FORBIDDEN), ("E-TTY-09", SMUGGLED)):
            if not self.wanted(row):
                continue
            filled = [[latin(text.replace("{t}", f"{self.world.token}{number:02}"))
                       for text in case] for number, case in enumerate(cases)]
            # Whatever a case leaves open is cancelled before the next one.
            self.put(b"".join(data + b"\x18\x1b\\plain\r\n" for data, _ in filled))
            inside, plain = self.emitted(jail=True), self.emitted(jail=False)
            leaked = [repr(needle) for _, needle in filled if needle in inside]
            # A terminal without a filter shows them: the needles are real ones.
            quiet = [repr(needle) for _, needle in filled if needle not in plain]
            if quiet or b"plain" not in inside:
                self.suite.record(row, self.modes, "cannot judge", quiet)
            else:
                self.expect(row, not leaked, "; ".join(leaked))

    def emitted(self, jail):
        """The log of a terminal on which the content was written, by the helper to 1, 2 and tty;
        with stdout in a file, so that a filter for stdout alone would not do."""
        path = f"{self.world.base}/files/stdout"
        with Terminal(self.world.user) as term, open(path, "wb") as file:
            command = [self.world.probe, "--emit", self.content]
            words = [*self.suite.jail_words(self.mode), *command] if jail else command
            for mix in ((None, None, None), (None, file, None)):
                term.run(self.suite, words, mix=mix)
            log = term.log
        os.unlink(path)
        return log

    def questions(self):
        token = self.world.token
        # The last one has an answer in any case: --ask waits for it.
        self.put(latin(f"\x1b]2;{token}\x07\x1b[6n\x1b[c\x1b[>c\x1b]10;?\x07\x1b]52;c;?\x07"
                       f"\x1bP$qm\x1b\\\x1b[21t\x1b[20t\x1b[?2004$p\x1b[>q\x1bP+q544e\x1b\\\x1b[5n"))
        with Terminal(self.world.user) as term:
            status = self.on_terminal(term, [self.world.probe, "--ask", self.content])
            answers = self.answers(term)
        self.expect("E-TTY-10", status == 0 and answers and latin(token) not in answers and
                    ANSWERS.match(answers) is not None, f"status {status} {answers!r}")

    def names(self):
        """Hostile names in ai-jail's own lines."""
        token = self.world.token
        name = f"\x1b]0;{token}\x07\x1b[31m\xc2\x9b"
        directory = latin(f"{self.world.project}/") + latin(name)
        os.mkdir(directory)
        self.world.user.own(directory)
        with Terminal(self.world.user) as term:
            self.on_terminal(term, ["true"], cwd=directory)
            self.on_terminal(term, [b"./" + latin(name)])
            log = term.log
        shutil.rmtree(directory)  # with the .ai-jail of the first run
        # The escaped form, which shows that the lines were written, holds the token as text.
        bad = [needle for needle in (b"\x1b]0;" + latin(token), b"\xc2\x9b") if needle in log]
        self.expect("E-TTY-11", not bad and latin(token) in log, f"{bad} {log[-300:]!r}")

    def killed(self):
        for target in ("agent", "supervisor"):
            row = f"E-TTY-12-{target}"
            if not self.wanted(row):
                continue
            self.put(MODES)
            with Terminal(self.world.user) as term, self.suite.watch(row):
                before = term.modes()
                words = [*self.suite.jail_words(self.mode), self.world.probe, "--modes",
                         self.content]
                process = term.start(self.suite, words)
                started = term.wait_for(lambda: b"ready" in term.log and
                                        b"\x1b[?1000h" in term.log)
                raw = term.modes() != before
                pid = process.pid if target == "supervisor" else next(
                    (p for p in outside.descendants(process.pid)
                     if outside.process_name(p).startswith(f"{self.world.probe} --modes")), None)
                if pid is not None:
                    os.kill(pid, signal.SIGKILL)
                status = term.wait(self.suite, process)
                restored = term.wait_for(lambda: term.modes() == before and
                                         not self.left_on(term.log), RESTORED_LIMIT_S)
                left, same = self.left_on(term.log), term.modes() == before
            self.expect(row, started and raw and restored,
                        f"started {started} raw {raw} status {status} left on {left} "
                        f"termios equal {same}")

    @staticmethod
    def left_on(log):
        """Modes whose last change is not off."""
        left = []
        for mode in (b"1000", b"1006", b"2004", b"1004", b"1049"):
            if log.rfind(b"?%sh" % mode) > log.rfind(b"?%sl" % mode):
                left.append(mode.decode())
        if log.rfind(b"?25l") > log.rfind(b"?25h"):
            left.append("cursor")
        if log.rfind(b"\x1b[>1u") > max(log.rfind(b"\x1b[<u"), log.rfind(b"\x1b[<1u")):
            left.append("kitty keyboard")
        return left


def run_all(suite):
    rows = {"mixes": ("E-TTY-06",), "other_input": ("E-TTY-07",),
            "output": ("E-TTY-08", "E-TTY-09"), "questions": ("E-TTY-10",),
            "names": ("E-TTY-11",), "killed": ("E-TTY-12-agent", "E-TTY-12-supervisor")}
    for mode in suite.options.modes.replace("N", ""):
        suite.world.renew(suite.letters(mode, "A"))
        group = AloneTerminal(suite, mode)
        for name, ids in rows.items():
            if group.wanted(*ids):
                getattr(group, name)()
