# SPDX-License-Identifier: GPL-3.0-only
"""profiles: the profiles of all scenarios, their questions, and what a change of a rule would do.

The tool prints every profile between "== NAME" and "== end", or "error: TEXT" in its place.
"""
import os
import subprocess

import mac
import sbpl

HERE = os.path.dirname(os.path.abspath(__file__))
HOST = os.path.join(HERE, "host.tree")
SCENARIOS = os.path.join(HERE, "scenarios.txt")
QUESTIONS = os.path.join(HERE, "questions.tsv")
ROOT = "/private/var/folders/ab/cd/T"
SHORT = {"T": ROOT + "/ai-jail-4242-0123456789abcdef", "O": "/Users/u/odd \"(q)\\[c]{d}+.^$|"}
HOME, PROJECT, PROXY_PORT = "/Users/u", "/Users/u/proj", 54321


def split(output):
    """{name: text of the profile}, {name: text of the error}"""
    texts, errors, name, lines = {}, {}, None, []
    for line in output.split("\n"):
        if name is None and line.startswith("== "):
            name, lines = line[3:], []
        elif line == "== end":
            texts[name] = "\n".join(lines) + "\n"
            if len(lines) == 1 and lines[0].startswith("error: "):
                errors[name] = texts.pop(name)
            name = None
        elif name is not None:
            lines.append(line)
        elif line:
            raise ValueError(f"outside of a profile: {line!r}")
    if name is not None:
        raise ValueError(f"{name} has no end")
    return texts, errors


class Suite:
    """Everything that is asked of one set of profiles."""

    def __init__(self, output):
        self.scenarios = mac.read_scenarios(SCENARIOS)
        self.texts, self.errors = split(output)
        self.profiles, self.unreadable = {}, {}
        for name, text in self.texts.items():
            try:
                self.profiles[name] = sbpl.Profile(text)
            except sbpl.Error as error:
                self.unreadable[name] = str(error)
        host = mac.read_text(HOST).split("\n")
        self.trees = {name: mac.Tree(host + s.tree) for name, s in self.scenarios.items()}
        self.questions = mac.read_questions(
            QUESTIONS, [n for n, s in self.scenarios.items() if not s.is_fatal], SHORT)
        for question in self.questions:
            project = self.trees[question.scenario].walk(self.scenarios[question.scenario].cwd)[0]
            question.word = question.word.replace("$P", project)
            question.prepare(self.trees[question.scenario])

    def of(self, name):
        return [q for q in self.questions if q.scenario == name]

    def wrong(self, questions=None):
        """(question, answer) wherever the answer is not what it should be."""
        for question in self.questions if questions is None else questions:
            if question.scenario in self.profiles:
                answer = question.answer(self.profiles[question.scenario])
                if answer != question.want:
                    yield question, answer


def run(tool, scenarios):
    """What the tool prints."""
    done = subprocess.run([tool, HOST, scenarios], stdout=subprocess.PIPE, check=True)
    return done.stdout.decode("latin-1")


def from_tool(tool):
    return Suite(run(tool, SCENARIOS))
