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
    "grok": FILTERED, "no-state": FILTERED, "claude-dir": FILTERED | KEYCHAIN,
    "hidden": FILTERED | KEYCHAIN, "hidden-codex": FILTERED, "native": FILTERED | KEYCHAIN,
    "browser-much": FULL, "map-claude": FILTERED | KEYCHAIN, "json-link": FILTERED | KEYCHAIN,
    "state-link": FILTERED | KEYCHAIN, "state-link-bad": FILTERED | KEYCHAIN,
}
WITH_IPC = ("host-ipc",)
CLAUDES = ("claude", "off", "full-claude", "open-home-claude", "claude-dir", "hidden", "native", "map-claude",
           "json-link", "state-link", "state-link-bad")
# What else they may write.
WRITTEN = {
    "docker": ("/private/var/run/docker.sock",), "brew-project": ("/opt/homebrew/var/www",),
    "brew-map": ("/opt/homebrew", "/usr/local"), "brew-link": ("/Volumes/Data/in",),
}
MAPS_OF_HOME = ("map-home", "rw-map-home", "map-hidden", "map-docker", "map-flags", "map-claude")

PERMITTED = {
    "process-exec", "process-fork", "process-info*", "signal", "sysctl-read", "mach-lookup",
    "pseudo-tty", "file-read*", "file-read-metadata", "file-write*", "file-ioctl",
    "network-outbound", "network-inbound", "network-bind", "system-socket",
}
PERMITTED_IPC = {
    "ipc-posix-shm-read-data", "ipc-posix-shm-write-data", "ipc-posix-shm-read-metadata",
    "ipc-posix-shm-write-create", "ipc-posix-sem", "mach-host*", "iokit-open",
}
TERMINAL_OPS = {"file-read*", "file-write*", "file-ioctl"}
# Trees that hold what nobody granted.
CROWDED = (
    "/", "/private", "/private/var", "/private/tmp", "/private/var/folders", "/Users", "/Volumes",
    "/Applications", "/dev", "/private/var/run", "/private/var/db", "/nix", "/private/var/folders/ab",
    "/private/var/folders/ab/cd", profiles.ROOT,
)


def path_of(unit, *names):
    """The string of a filter that has one of these names, or None."""
    form = unit.form
    return str(form[1]) if form and form[0] in names and isinstance(form[1], sbpl.Str) else None


def regexes(form):
    if isinstance(form, list):
        if form and form[0] in ("regex", "path-regex"):
            yield str(form[1])
        for sub in form:
            yield from regexes(sub)


def outside(regex):
    """What of the regular expression stands in no parentheses."""
    regex = re.sub(r"\\.|\[[^]]*\]", "", regex)
    while "(" in regex:
        regex = re.sub(r"\([^()]*\)", "", regex)
    return regex


def for_each(check):
    """A test that makes the check with the name and the profile of each scenario."""
    def test(self):
        for name, profile in SUITE.profiles.items():
            with self.subTest(scenario=name):
                check(self, name, profile)
    test.__doc__ = check.__doc__
    return test


class Complete(unittest.TestCase):
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


class Shape(unittest.TestCase):
    """What every profile has, whatever the scenario."""

    @for_each
    def test_head(self, name, profile):
        self.assertEqual(profile.forms[:2], [["version", 1], ["deny", "default"]])

    @for_each
    def test_no_control_bytes(self, name, profile):
        self.assertNotRegex(SUITE.texts[name], r"[\x00-\x08\x0b-\x1f\x7f]")

    @for_each
    def test_files_have_filters(self, name, profile):
        for unit in profile.units:
            if unit.form is None and unit.op.startswith("file"):
                self.assertEqual((unit.op, name in WITH_IPC), ("file-ioctl", True), str(unit))

    @for_each
    def test_the_root_is_a_node(self, name, profile):
        for unit in profile.units:
            if unit.is_allow and path_of(unit, "literal") == "/":
                self.assertIn(unit.op, ("file-read*", "file-read-metadata"))

    @for_each
    def test_permissions_begin_below_what_is_crowded(self, name, profile):
        """None begins at a directory of everybody, and none grants by the opposite of something."""
        for unit in profile.units:
            if unit.is_allow:
                self.assertNotIn(path_of(unit, "subpath"), CROWDED, str(unit))
                self.assertNotIn("require-not", sbpl.show(unit.form or []), str(unit))
                if name not in MAPS_OF_HOME:
                    self.assertNotEqual(path_of(unit, "subpath"), profiles.HOME, str(unit))

    @for_each
    def test_operations(self, name, profile):
        """The list of operations that are permitted is short and known."""
        known = PERMITTED | (PERMITTED_IPC if name in WITH_IPC else set())
        for unit in profile.units:
            if unit.is_allow:
                self.assertIn(unit.op, known, str(unit))
            else:
                self.assertTrue(unit.op.startswith(("file-", "network-", "sysctl-")), str(unit))

    @for_each
    def test_regexes_are_anchored(self, name, profile):
        for unit in profile.units:
            for regex in regexes(unit.form or []):
                self.assertRegex(regex, r"^\^/")
                self.assertRegex(regex, r"(?<!\\)\$\Z")
                self.assertNotIn("|", outside(regex), f"ends of an alternative: {regex}")

    @for_each
    def test_denies_follow_allows(self, name, profile):
        """No permission stands behind a refusal whose objects it could give back."""
        seen = False
        for unit in profile.units:
            seen = seen or not unit.is_allow
            self.assertFalse(seen and unit.is_allow, f"behind a refusal: {unit}")

    @for_each
    def test_refusals_name_something(self, name, profile):
        for unit in profile.units:
            if not unit.is_allow:
                self.assertIsNotNone(unit.form, str(unit))

    @for_each
    def test_processes(self, name, profile):
        for unit in profile.units:
            if unit.op == "process-info*" or (unit.op == "signal" and name not in WITH_IPC):
                self.assertEqual(sbpl.show(unit.form), "(target same-sandbox)")


class Terminals(unittest.TestCase):
    @for_each
    def test_which(self, name, profile):
        has_pty = SUITE.scenarios[name].has_pty
        found = {(unit.op, sbpl.show(unit.form)) for unit in profile.units if unit.is_allow and
                 re.search(r"tty|ptmx", sbpl.show(unit.form or []))}
        own = {(op, f'(literal "{path}")') for op in TERMINAL_OPS
               for path in ["/dev/ptmx"] + ["/dev/ttys007", "/dev/tty"] * has_pty}
        self.assertLessEqual(own, found)
        opened_inside = found - own
        self.assertEqual({op for op, _ in opened_inside}, TERMINAL_OPS)
        for _, text in opened_inside:
            self.assertRegex(text, r"^\(require-all ")
            self.assertIn('(extension "com.apple.sandbox.pty")', text)
        self.assertEqual("/dev/ttys007" in SUITE.texts[name], has_pty)


class Services(unittest.TestCase):
    @for_each
    def test_which_names(self, name, profile):
        found = {path_of(unit, "global-name") for unit in profile.units if unit.op == "mach-lookup"}
        if name in WITH_IPC:
            self.assertIn(None, found)
        else:
            self.assertEqual(found, LOOKUPS.get(name, OFF))

    @for_each
    def test_never(self, name, profile):
        for unit in profile.units:
            self.assertNotIn(unit.op, ("mach-register", "mach*", "mach-priv*", "mach-task-name"))


class Network(unittest.TestCase):
    @for_each
    def test_no_bare_rule(self, name, profile):
        """A path that is named, or addresses: a bare rule opens every socket of the user."""
        for unit in profile.units:
            if unit.op.startswith("network") and unit.is_allow:
                self.assertIsNotNone(unit.form, str(unit))

    @for_each
    def test_addresses(self, name, profile):
        said = {(unit.op, sbpl.show(unit.form)) for unit in profile.units
                if unit.form and unit.form[0] in ("remote", "local") and unit.form[1] != "unix-socket"}
        lookups = LOOKUPS.get(name, OFF)
        if NAMES <= lookups:
            self.assertEqual({op for op, _ in said},
                             {"network-outbound", "network-inbound", "network-bind"})
        elif TRUST <= lookups:
            self.assertEqual(said, {("network-outbound",
                                     f'(remote tcp "localhost:{profiles.PROXY_PORT}")')})
        else:
            self.assertEqual(said, set())


class Modes(unittest.TestCase):
    def written(self, profile):
        """The places of permissions to write, but devices."""
        for unit in profile.units:
            if unit.is_allow and unit.op.startswith("file-write"):
                place = path_of(unit, "literal", "subpath", "regex")
                if place is None or not re.match(r"\^?/dev/", place):
                    yield place or sbpl.show(unit.form)

    @for_each
    def test_lockdown_writes_temporary_files(self, name, profile):
        if name.startswith("lockdown"):
            places = {p for p in self.written(profile) if "com.apple.sandbox.pty" not in p}
            self.assertEqual(places, {profiles.SHORT["T"]})

    @for_each
    def test_browsers_write_their_state(self, name, profile):
        if name.startswith("browser"):
            places = {p for p in self.written(profile) if "com.apple.sandbox.pty" not in p}
            wanted = {profiles.SHORT["T"]}
            if name in ("browser-soft", "browser-claude"):
                wanted.add(profiles.HOME + "/.local/share/ai-jail/browsers/" +
                           SUITE.scenarios[name].words[-1])
            self.assertEqual(places, wanted)

    @for_each
    def test_nothing_else_is_written(self, name, profile):
        usual = (profiles.SHORT["T"], "/private/tmp/p", profiles.SHORT["O"], "/Volumes/Data/out",
                 "/private/tmp/claude-", "/Users/u/")
        for place in self.written(profile):
            place = place.removeprefix("^")
            if not place.startswith(usual) and "com.apple.sandbox.pty" not in place:
                self.assertTrue(place in WRITTEN.get(name, ()) or
                                (name in MAPS_OF_HOME and place == profiles.HOME), place)

    @for_each
    def test_rules_of_claude(self, name, profile):
        if name not in CLAUDES:
            self.assertNotRegex(SUITE.texts[name], r"claude-501|-cwd|claude\\+\.json|keychain-db")


class Questions(unittest.TestCase):
    @for_each
    def test_every_answer(self, name, profile):
        wrong = [f"{q}: answered {a}" for q, a in SUITE.wrong(SUITE.of(name))]
        self.assertEqual(wrong, [])

    @for_each
    def test_operations_that_beat_what_they_belong_to(self, name, profile):
        """The same answers if a rule for file-read-data beat every rule for file-read*."""
        wrong = [str(q) for q in SUITE.of(name)
                 if q.answer(profile, allows=profile.allows_narrow) != q.want]
        self.assertEqual(wrong, [])

    def test_there_are_enough(self):
        """Yes and no for each scenario, and for each thing that can be tried."""
        by_verb, by_name, rows = {}, {}, {"yes": set(), "no": set()}
        for question in SUITE.questions:
            rows[question.want].add(question.line)
            by_verb.setdefault(question.verb, set()).add(question.want)
            by_name.setdefault(question.scenario, set()).add(question.want)
        self.assertGreaterEqual(len(rows["yes"]), 200)
        self.assertGreaterEqual(len(rows["no"]), 300)
        del by_verb["mach-register"], by_verb["link"]
        self.assertLessEqual(set(mac.ON_PATH) - {"link"} | {"mach", "signal", "look", "sysctl", "do", "rename"}, set(by_verb))
        for wants in (by_verb, by_name):
            self.assertEqual({k: v for k, v in wants.items() if v != {"yes", "no"}}, {})
        self.assertEqual(set(by_name), set(SUITE.profiles))

    def test_every_part_has_both_answers(self):
        """The first words of the reason are the part: each is asked for and refused."""
        parts = {}
        for question in SUITE.questions:
            parts.setdefault(re.split(r"[:,]", question.why)[0], set()).add(question.want)
        for part in ("processes", "Mach", "host IPC", "terminals", "device writes", "network", "reads",
                     "writes", "sockets", "denies 1", "denies 2", "denies 3", "denies 4", "denies 5",
                     "denies 6", "denies 7", "agents", "path rules", "escapes", "command"):
            with self.subTest(part):
                self.assertEqual(parts.get(part), {"no", "yes"})


class Faults(unittest.TestCase):
    @for_each
    def test_refusals_in_front_are_noticed(self, name, profile):
        """The order matters, in each profile."""
        other = sbpl.Profile(SUITE.texts[name])
        other.units.sort(key=lambda unit: unit.is_allow)
        other.index()
        self.assertTrue(any(q.answer(other) != q.want for q in SUITE.of(name)))

    def test_every_fault_is_noticed(self):
        wrong = {question.scenario for question, _ in SUITE.wrong()}
        self.assertEqual(wrong, set(), "the answers come first")
        survivors = mutants.survivors(SUITE)
        accepted = read_accepted()
        alive = [s for s in survivors if not any(regex.fullmatch(s) for regex, _ in accepted)]
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
