#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""The profiles of all scenarios: their shape, the questions, and that the questions notice faults.

    test_profiles.py TOOL      TOOL prints the profiles of scenarios.txt on the Mac of host.tree
"""
import os
import re
import sys
import unittest

import mac
import mutants
import profiles
import sbpl

SUITE = None
RESOLVER = ("/private/var/run/mDNSResponder", "/private/var/run/resolv.conf")
BASE = {"com.apple.cfprefsd.daemon", "com.apple.system.logger"}
USERS = {"com.apple.system.opendirectoryd.libinfo", "com.apple.system.opendirectoryd.membership"}
TRUST = {"com.apple.trustd", "com.apple.trustd.agent"}
CONFIGURATION = {"com.apple.SystemConfiguration.configd"}
NAMES = {"com.apple.SystemConfiguration.DNSConfiguration", "com.apple.dnssd.service"}
KEYCHAIN = {"com.apple.SecurityServer", "com.apple.securityd.xpc"}
OFF = BASE | USERS
FILTERED = OFF | TRUST | CONFIGURATION
FULL = FILTERED | NAMES
# What a run may look up, where that is not OFF.
LOOKUPS = {
    "claude": FILTERED | KEYCHAIN, "off": OFF | KEYCHAIN, "full": FULL,
    "full-claude": FULL | KEYCHAIN, "hosts": FILTERED, "lockdown-hosts": FILTERED,
    "open-home-claude": FILTERED | KEYCHAIN, "codex": FILTERED, "gemini": FILTERED,
    "grok": FILTERED, "no-state": FILTERED, "claude-dir": FILTERED | KEYCHAIN, "hidden": None,
    "hidden-codex": FILTERED, "native": FILTERED | KEYCHAIN, "host-ipc": None, "browser-much": None,
}
WITH_IPC = ("host-ipc", "browser-much")
CLAUDES = ("claude", "off", "full-claude", "open-home-claude", "claude-dir", "hidden", "native")
READERS = [n for n in ("lockdown", "lockdown-much", "lockdown-hosts", "lockdown-worktree")]
TERMINAL_OPS = {"file-read*", "file-write*", "file-ioctl"}


def literal_of(unit, *names):
    """The path of a filter that names one, or None."""
    form = unit.form
    return str(form[1]) if form and form[0] in names and isinstance(form[1], sbpl.Str) else None


def regexes(form):
    if isinstance(form, list):
        if form and form[0] in ("regex", "path-regex"):
            yield str(form[1])
        for sub in form:
            yield from regexes(sub)


class Profiles(unittest.TestCase):
    def each(self):
        for name, profile in SUITE.profiles.items():
            with self.subTest(scenario=name):
                yield name, profile


class Complete(Profiles):
    def test_every_scenario_has_a_readable_profile(self):
        self.assertEqual(SUITE.unreadable, {})
        wanted = {n for n, s in SUITE.scenarios.items() if not s.is_fatal}
        self.assertEqual(set(SUITE.profiles), wanted, SUITE.errors)

    def test_what_cannot_be_is_refused(self):
        wanted = {n for n, s in SUITE.scenarios.items() if s.is_fatal}
        self.assertEqual(set(SUITE.errors), wanted)
        self.assertGreaterEqual(len(wanted), 4)
        for name, text in SUITE.errors.items():
            with self.subTest(name):
                self.assertRegex(text, r"^error: \S")


class Shape(Profiles):
    """What every profile has, whatever the scenario."""

    def test_head(self):
        for name, profile in self.each():
            self.assertEqual(profile.forms[:2], [["version", 1], ["deny", "default"]])

    def test_no_other_text(self):
        """Comments aside, a profile is its rules: nothing of a path gets out of its string."""
        for name, profile in self.each():
            for line in SUITE.texts[name].split("\n"):
                self.assertNotRegex(line, r"[\x00-\x08\x0b-\x1f\x7f]")

    def test_the_root_is_no_subpath(self):
        for name, profile in self.each():
            for unit in profile.units:
                self.assertNotEqual(literal_of(unit, "subpath"), "/", str(unit))
                if unit.is_allow and literal_of(unit, "literal") == "/":
                    self.assertIn(unit.op, ("file-read*", "file-read-metadata"))

    def test_files_have_filters(self):
        for name, profile in self.each():
            for unit in profile.units:
                if unit.form is None and unit.op.startswith("file"):
                    self.assertEqual((unit.op, name in WITH_IPC), ("file-ioctl", True), str(unit))

    def test_no_subpath_of_a_tree_that_holds_others(self):
        """Permissions never begin at a directory of everybody, and none grants by a refusal's not."""
        wide = ("/private", "/private/var", "/private/tmp", "/private/var/folders", "/Users", "/Volumes",
                "/Applications", "/dev", "/private/var/run", "/private/var/db", profiles.ROOT, "/nix",
                "/private/var/folders/ab", "/private/var/folders/ab/cd")
        for name, profile in self.each():
            for unit in profile.units:
                if unit.is_allow:
                    self.assertNotIn(literal_of(unit, "subpath"), wide, str(unit))
                    self.assertNotIn("require-not", sbpl.show(unit.form or []), str(unit))
                    if name not in ("map-home", "rw-map-home"):
                        self.assertNotEqual(literal_of(unit, "subpath"), profiles.HOME, str(unit))

    def test_operations(self):
        """The list of operations that are permitted is short and known."""
        known = {"process-exec", "process-fork", "process-info*", "signal", "sysctl-read",
                 "mach-lookup", "pseudo-tty", "file-read*", "file-read-data", "file-read-metadata",
                 "file-write*", "file-write-create", "file-write-data", "file-write-unlink",
                 "file-ioctl", "network-outbound", "network-inbound", "network-bind",
                 "system-socket"}
        ipc = {"ipc-posix-shm-read-data", "ipc-posix-shm-write-data", "ipc-posix-shm-read-metadata",
               "ipc-posix-shm-write-create", "ipc-posix-sem", "mach-host*", "iokit-open"}
        for name, profile in self.each():
            more = ipc if name in WITH_IPC else set()
            for unit in profile.units:
                if unit.is_allow:
                    self.assertIn(unit.op, known | more, str(unit))
                else:
                    self.assertTrue(unit.op.startswith(("file-", "network-")), str(unit))

    def test_regexes_are_anchored(self):
        for name, profile in self.each():
            for unit in profile.units:
                for regex in regexes(unit.form or []):
                    self.assertRegex(regex, r"^\^/")
                    self.assertRegex(regex, r"(?<!\\)\$$")
                    self.assertFalse(re.search(r"(^|[^\\])\|", re.sub(r"\([^()]*\)", "", regex)),
                                     f"an alternative outside of parentheses: {regex}")

    def test_denies_follow_allows(self):
        """No permission stands behind a refusal whose objects it could give back."""
        for name, profile in self.each():
            seen = False
            for unit in profile.units:
                if not unit.is_allow:
                    seen = True
                elif seen:
                    self.fail(f"behind a refusal: {unit}")

    def test_refusals_name_something(self):
        for name, profile in self.each():
            for unit in profile.units:
                if not unit.is_allow:
                    self.assertIsNotNone(unit.form, str(unit))

    def test_processes(self):
        for name, profile in self.each():
            for unit in profile.units:
                if unit.op == "process-info*" or (unit.op == "signal" and name not in WITH_IPC):
                    self.assertEqual(sbpl.show(unit.form), "(target same-sandbox)")


class Terminals(Profiles):
    def test_which(self):
        for name, profile in self.each():
            found = set()
            for unit in profile.units:
                text = sbpl.show(unit.form or [])
                if not unit.is_allow or "tty" not in text and "ptmx" not in text:
                    continue
                found.add((unit.op, text))
            own = ["/dev/ttys007", "/dev/tty"] if SUITE.scenarios[name].has_pty else []
            for path in ["/dev/ptmx"] + own:
                for op in TERMINAL_OPS:
                    self.assertIn((op, f'(literal "{path}")'), found)
            rest = {(op, text) for op, text in found
                    if not re.fullmatch(r'\(literal "/dev/(ptmx|tty|ttys007)"\)', text)}
            for op, text in rest:
                self.assertRegex(text, r"^\(require-all ")
                self.assertIn('(extension "com.apple.sandbox.pty")', text)
            self.assertEqual({op for op, _ in rest}, TERMINAL_OPS)
            if not SUITE.scenarios[name].has_pty:
                self.assertNotIn("/dev/ttys007", SUITE.texts[name])


class Services(Profiles):
    def test_which_names(self):
        for name, profile in self.each():
            found = {literal_of(unit, "global-name") for unit in profile.units
                     if unit.op == "mach-lookup"}
            if name in WITH_IPC:
                self.assertIn(None, found)
            elif name == "hidden":
                self.assertLessEqual(found, FILTERED | KEYCHAIN)
            elif SUITE.scenarios[name].words[0] != "--network" or name in LOOKUPS:
                self.assertEqual(found, LOOKUPS.get(name, OFF))

    def test_never(self):
        for name, profile in self.each():
            for unit in profile.units:
                self.assertNotIn(unit.op, ("mach-register", "mach*", "mach-priv*", "mach-task-name"))


class Network(Profiles):
    def test_unix_sockets_are_below_known_directories(self):
        """Nothing but a path that is named, or addresses: a bare network rule opens every socket."""
        for name, profile in self.each():
            for unit in profile.units:
                if unit.op.startswith("network") and unit.is_allow:
                    self.assertIsNotNone(unit.form, str(unit))

    def test_addresses(self):
        for name, profile in self.each():
            said = {(unit.op, sbpl.show(unit.form)) for unit in profile.units
                    if unit.op.startswith("network") and unit.form and unit.form[0] in ("remote", "local")
                    and unit.form[1] != "unix-socket"}
            if LOOKUPS.get(name, OFF) is None:
                continue
            if NAMES <= LOOKUPS.get(name, OFF):
                self.assertEqual({op for op, _ in said},
                                 {"network-outbound", "network-inbound", "network-bind"})
            elif TRUST <= LOOKUPS.get(name, OFF):
                self.assertEqual(said, {("network-outbound", '(remote tcp "localhost:54321")')})
            else:
                self.assertEqual(said, set())


class Agents(Profiles):
    def test_rules_of_claude(self):
        for name, profile in self.each():
            text = SUITE.texts[name]
            if name not in CLAUDES:
                self.assertNotIn("claude-501", text)
                self.assertNotIn("-cwd", text)
                self.assertNotIn("claude\\\\.json", text)
                if name not in ("map-home", "rw-map-home"):
                    self.assertNotIn("Library/Keychains/login", text)


class Modes(Profiles):
    def test_lockdown_writes_temporary_files(self):
        for name, profile in self.each():
            if name in READERS:
                places = {literal_of(unit, "literal", "subpath") for unit in profile.units
                          if unit.is_allow and unit.op.startswith("file-write")
                          and not sbpl.show(unit.form).startswith(("(literal \"/dev/", "(require-all"))}
                self.assertEqual(places, {profiles.SHORT["T"]})

    def test_browser_writes(self):
        state = profiles.HOME + "/.local/share/ai-jail/browsers/"
        for name, profile in self.each():
            if name.startswith("browser"):
                places = {literal_of(unit, "literal", "subpath") for unit in profile.units
                          if unit.is_allow and unit.op.startswith("file-write")
                          and not sbpl.show(unit.form).startswith(("(literal \"/dev/", "(require-all"))}
                places.discard(profiles.SHORT["T"])
                for place in places:
                    self.assertEqual(name, "browser-soft" if "firefox" in place else "browser-claude")
                    self.assertTrue(place.startswith(state), place)

    def test_nothing_else_is_writable(self):
        """Every permission to write is below something that the scenario has a reason to write to."""
        usual = ("/dev/", profiles.SHORT["T"], profiles.PROJECT, "/private/tmp/p", "/Users/u/wt",
                 profiles.SHORT["O"], "/Users/u/main/.git", "/Volumes/Data/out")
        for name, profile in self.each():
            for unit in profile.units:
                path = literal_of(unit, "literal", "subpath")
                if not unit.is_allow or not unit.op.startswith("file-write") or path is None:
                    continue
                if not path.startswith(usual) and not path.endswith("docker.sock"):
                    self.assertTrue(path.startswith("/Users/u/") or
                                    (path, name) == ("/Users/u", "rw-map-home"), str(unit))


class Questions(unittest.TestCase):
    def test_every_answer(self):
        for name in SUITE.profiles:
            with self.subTest(scenario=name):
                wrong = [f"{q}: answered {a}" for q, a in SUITE.wrong(SUITE.of(name))]
                self.assertEqual(wrong, [])

    def test_operations_that_beat_what_they_belong_to(self):
        """The same answers if a rule for file-read-data beat every rule for file-read*."""
        for name, profile in SUITE.profiles.items():
            with self.subTest(scenario=name):
                wrong = [str(q) for q in SUITE.of(name)
                         if q.answer(profile, allows=profile.allows_narrow) != q.want]
                self.assertEqual(wrong, [])

    def test_there_are_enough(self):
        rows = {q.line for q in SUITE.questions}
        self.assertGreaterEqual(len(rows), 600)
        for want in ("yes", "no"):
            self.assertGreaterEqual(len({q.line for q in SUITE.questions if q.want == want}), 200)
        for verb in list(mac.ON_PATH) + ["mach", "mach-register", "signal", "look", "do", "rename"]:
            with self.subTest(verb):
                self.assertEqual({q.want for q in SUITE.questions if q.verb == verb} | {"yes"},
                                 {"no", "yes"})
        for name, scenario in SUITE.scenarios.items():
            if not scenario.is_fatal:
                with self.subTest(name):
                    self.assertEqual({q.want for q in SUITE.of(name)}, {"no", "yes"})

    def test_every_part_has_both_answers(self):
        """The word before the colon of the reason is the part: each is asked for and refused."""
        parts = {}
        for question in SUITE.questions:
            parts.setdefault(re.split(r"[:,]", question.why)[0], set()).add(question.want)
        for part in ("processes", "Mach", "host IPC", "terminals", "device writes", "network", "reads",
                     "writes", "sockets", "denies 1", "denies 2", "denies 3", "denies 4", "denies 5",
                     "denies 6", "denies 7", "agents", "path rules", "escapes", "command"):
            with self.subTest(part):
                self.assertEqual(parts.get(part), {"no", "yes"})


class Faults(unittest.TestCase):
    def test_every_fault_is_noticed(self):
        if any(True for _ in SUITE.wrong()):
            self.skipTest("the answers come first")
        survivors = mutants.survivors(SUITE)
        accepted = read_accepted()
        alive = [s for s in survivors if not any(a.fullmatch(s) for a, _ in accepted)]
        self.assertEqual(alive, [])
        for regex, why in accepted:
            with self.subTest(regex.pattern):
                self.assertTrue(why)
                self.assertTrue(any(regex.fullmatch(s) for s in survivors), "not needed any more")


def read_accepted():
    """[(regular expression for faults that need not be noticed, why)]"""
    found = []
    for line in mac.read_text(os.path.join(profiles.HERE, "accepted.tsv")).split("\n"):
        if line and not line.startswith("#"):
            pattern, why = line.split("\t")
            found.append((re.compile(pattern), why))
    return found


if __name__ == "__main__":
    SUITE = profiles.from_tool(sys.argv.pop(1))
    unittest.main()
