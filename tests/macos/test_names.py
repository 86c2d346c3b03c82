#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""Hostile names: whatever a directory is called, the profile is the one of a directory with a plain name.

    test_names.py TOOL

Names are made of everything that means something in a profile, in a regular expression or in a glob.
Each is the project, a map and a masked file at once. The rules of its profile, with the name
exchanged, must be those of a plain name, and what the rules mean must be the same.
"""
import os
import random
import sys
import tempfile
import unittest

import mac
import profiles
import sbpl

TOOL = None
COUNT = 120
PIECES = list("\"\\()[]{}*+?.^$|;#'` \t\n-!~&%@=,<>") + [
    "a", "B", "\\n", "\\\"", "#\"", "(allow file-read*)", "(subpath \"/\")", "\")(allow default)(\"",
    "; ", "[^/]", "(/.*)?", ".*", "\u00e4", "\u0436", "\U0001f512", "\u2028", "$HOME", "..", "\\\\",
]


def names():
    """Always the same ones."""
    numbers = random.Random(20261130)
    for _ in range(COUNT):
        name = "".join(numbers.choices(PIECES, k=numbers.randint(1, 8))).replace("/", "_")
        if name.strip(".") and "\n\n" not in name:
            yield "n" + name.encode().decode("latin-1")


def escaped(word):
    return "".join(f"\\x{ord(char):02x}" for char in word)


def scenario(number, name):
    of_map = name.replace("\\", "\\\\").replace(":", "\\:")
    home, volume = escaped("/Users/u/" + name), escaped("/Volumes/" + name)
    return (f"scenario {number}\n"
            f"words --map {escaped('/Volumes/' + of_map)} --mask {escaped(name)} --mask *.key bash\n"
            f"cwd {home}\ntree d {home} 0755 501\ntree d {volume} 0755 501\n"
            f"tree f {home}/{escaped(name)} 0600 501 x\n")


def neutral(profile, name):
    """The rules, in order, with N for the name; regular expressions are judged by what they match."""
    found = []
    for unit in profile.units:
        if unit.form and unit.form[0] == "regex":
            found.append(f"{unit.is_allow} {unit.op} regex")
        else:
            words = sbpl.show(unit.form or [])
            shown = sbpl.show(sbpl.Str(name))[1:-1]
            found.append(f"{unit.is_allow} {unit.op} {words.replace(shown, 'N')}")
    return sorted(found)


class Names(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.names = ["plain"] + list(names())
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "scenarios.txt")
            with open(path, "w", encoding="latin-1") as file:
                file.write("\n".join(scenario(i, name) for i, name in enumerate(cls.names)))
            cls.texts, cls.errors = profiles.split(profiles.run(TOOL, path))
        cls.tree = mac.Tree([])

    def test_all_have_a_profile(self):
        self.assertEqual(self.errors, {})
        self.assertEqual(len(self.texts), len(self.names))
        self.assertGreater(len(self.names), COUNT * 3 // 4)

    def test_rules_are_those_of_a_plain_name(self):
        wanted = neutral(sbpl.Profile(self.texts["0"]), "plain")
        for number, name in enumerate(self.names):
            with self.subTest(name=name):
                self.assertEqual(neutral(sbpl.Profile(self.texts[str(number)]), name), wanted)

    def test_meaning_is_that_of_a_plain_name(self):
        for number, name in enumerate(self.names):
            profile = sbpl.Profile(self.texts[str(number)])
            project, volume = "/Users/u/" + name, "/Volumes/" + name
            for verb, word, want in (
                    ("read", volume + "/x", "yes"), ("write", volume + "/x", "no"),
                    ("read", project + "/x", "yes"), ("create", project + "/x", "yes"),
                    ("read", project + "/" + name, "no"), ("create", project + "/" + name, "no"),
                    ("create", project + "/x.key", "no"), ("read", project + "/a/x.key", "no"),
                    ("create", project + "/xkey", "yes"), ("create", project + "/x.keys", "yes"),
                    ("create", project + "/.ai-jail", "no"), ("create", project + "/.AI-Jail", "no"),
                    ("create", project + "/.ai-jails", "yes"), ("unlink", project, "no"),
                    ("read", project + "x/y", "no"), ("read", volume + "x/y", "no"),
                    ("read", "/Users/u/Documents/x", "no"), ("list", "/Volumes", "no"),
                    ("create", "/Users/u/x", "no"), ("connect", "tcp 192.0.2.1:443", "no")):
                question = mac.Question(name, verb, word, want, "hostile names", 0)
                question.prepare(self.tree)
                with self.subTest(name=name, verb=verb, word=word):
                    self.assertEqual(question.answer(profile), want)


if __name__ == "__main__":
    TOOL = sys.argv.pop(1)
    unittest.main()
