#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""ask: what a profile says, for people.

    ask.py TOOL                        all questions, the wrong answers are shown
    ask.py TOOL SCENARIO VERB WORD     one question, and the rule that decided each step
    ask.py TOOL --mutants              rules that could be missing without a question noticing
"""
import sys

import mac
import mutants
import profiles


def one(suite, name, verb, word):
    for key, value in profiles.SHORT.items():
        word = word.replace("$" + key, value)
    profile = suite.profiles[name]
    way, acts = mac.steps(suite.trees[name], verb, word)
    for title, steps in (("on the way", way), ("the act", acts)):
        for op, obj in steps:
            unit = profile.decider(op, obj)
            word = "yes" if profile.allows(op, obj) else "no"
            print(f"{title}: {op} {obj.path or obj}: {word}, {unit or 'default'}")


def main(argv):
    suite = profiles.from_tool(argv[1])
    for name, text in {**suite.unreadable, **suite.errors}.items():
        print(f"{name}: {text.strip()}")
    if len(argv) == 5:
        one(suite, *argv[2:])
        return 0
    if argv[2:] == ["--mutants"]:
        for text in mutants.survivors(suite):
            print(text)
        return 0
    count = 0
    for question, answer in suite.wrong():
        print(f"{question}: answered {answer}")
        count += 1
    print(f"{len(suite.questions)} questions, {count} wrong")
    return count > 0


if __name__ == "__main__":
    sys.exit(main([arg.encode("utf-8", "surrogateescape").decode("latin-1") for arg in sys.argv]))
