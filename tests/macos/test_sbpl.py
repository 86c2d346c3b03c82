#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""The reader, the evaluator and the model of a Mac against profiles written by hand.

A judge that is wrong judges nothing: every rule of sbpl.py and mac.py that the questions lean on is
tried here on a profile small enough to be read at a glance.
"""
import unittest

import mac
import mutants
import sbpl

HEAD = '(version 1)\n(deny default)\n'


def profile(text):
    return sbpl.Profile(HEAD + text)


def file(path, **more):
    return sbpl.Object(path=path, **more)


class Reader(unittest.TestCase):
    def test_strings(self):
        for text, want in ((r'"a b"', "a b"), (r'"a\\b"', "a\\b"), (r'"a\"b"', 'a"b'),
                           (r'"\n\r\t"', "\n\r\t"), (r'"(;)"', "(;)"), (r'#"a\.b"', r"a\.b"),
                           ('"\xc3\xa4"', "\xc3\xa4")):
            with self.subTest(text):
                self.assertEqual(sbpl.read(f"(x {text})"), [["x", sbpl.Str(want)]])

    def test_a_string_is_no_symbol(self):
        self.assertIsInstance(sbpl.read('(x "deny")')[0][1], sbpl.Str)
        self.assertNotIsInstance(sbpl.read("(x deny)")[0][1], sbpl.Str)

    def test_comments(self):
        self.assertEqual(sbpl.read("; (x)\n(y ; z)\n)"), [["y"]])

    def test_unreadable(self):
        for text in ("(x", "x)", "x", '"x"', "(x))", '(x "a)', '(x #"a)', r'(x "\x41")', r'(x "\$")',
                     '(x "a\nb")', '(x "a\x01b")', '(x #"a\nb")', r'(x #"a\"b")', r'(x #"a\")',
                     "(x 'a)", "(x #t)", "(x a/b)", "(x [)", "(" * 40 + ")" * 40, "(x 1a)", "(x :)"):
            with self.subTest(text), self.assertRaises(sbpl.Error):
                sbpl.read(text)


class Strictness(unittest.TestCase):
    """What is not known is an error, and so is what may mean two things."""

    def refused(self, text, head=HEAD):
        with self.subTest(text), self.assertRaises(sbpl.Error):
            sbpl.Profile(head + text)

    def test_heads(self):
        for head in ("", "(version 1)", "(deny default)", "(version 2)(deny default)",
                     "(deny default)(version 1)", "(version 1)(deny default)(allow default)",
                     "(version 1)(version 1)(deny default)", "(version 1)(deny default signal)",
                     '(version 1)(deny default (literal "/x"))'):
            self.refused("", head)

    def test_forms(self):
        for text in ('(import "system.sb")', "(debug deny)", "(define x 1)", "()", "((allow) signal)",
                     '("allow" signal)', "(allow)", '(allow (literal "/x"))', '(allow "signal")',
                     '(allow file-read* (literal "/x") file-write*)', "(allow signal (with report))",
                     "(trace signal)"):
            self.refused(text)

    def test_operations(self):
        for op in ("file-read", "file-reed*", "network", "mach-lookup*", "signal*", "file-write-any"):
            self.refused(f"(allow {op})")

    def test_filters(self):
        for text in ("(allow file-read* (path-ish \"/x\"))", "(allow file-read* (literal))",
                     '(allow file-read* (literal "/x" "/y"))', "(allow file-read* (literal x))",
                     '(allow file-read* (literal "x"))', '(allow file-read* (literal ""))',
                     '(allow file-read* (subpath "/x/"))', '(allow file-read* (subpath "/x//y"))',
                     '(allow file-read* (literal "/x/../y"))', '(allow file-read* (literal "/."))',
                     '(allow file-read* "/x")', "(allow file-read* ())", "(allow file-read* (1))",
                     '(allow file-read* (global-name "x"))', '(allow mach-lookup (literal "/x"))',
                     '(allow signal (literal "/x"))', "(allow signal (target all))",
                     '(allow signal (target "self"))', "(allow file-read* (target self))",
                     '(allow mach-lookup (global-name "com.apple.*"))',
                     '(allow file-read* (require-not (literal "/x") (literal "/y")))',
                     "(allow file-read* (require-all))", "(allow file-read* (require-any signal))",
                     "(allow file-read* (vnode-type NONSENSE))",
                     '(allow file-read* mach-lookup (literal "/x"))'):
            self.refused(text)

    def test_addresses(self):
        for address in ('tcp "127.0.0.1:80"', 'tcp "example.org:80"', 'tcp "localhost"', "tcp",
                        'tcp "localhost:0"', 'tcp "localhost:70000"', 'sctp "*:*"', "tcp 80",
                        'tcp "localhost:80" "localhost:81"', 'unix-socket "/x"'):
            self.refused(f"(allow network-outbound (remote {address}))")
        self.refused('(allow network-bind (remote tcp "*:*"))')
        self.refused('(allow network-outbound (local tcp "*:*"))')
        self.refused('(allow file-read* (remote tcp "*:*"))')

    def test_regexes(self):
        for regex in ("a{2}", "(a", "a)", "[a", "[]", r"[\\d]", "*a", "a**", "(?i)a", r"\\d", r"\\n",
                      "a\\\\", "[a[b]", "^*"):
            self.refused(f'(allow file-read* (regex "{regex}"))')


class Rules(unittest.TestCase):
    def test_default(self):
        self.assertFalse(profile("").allows("signal", sbpl.Object()))
        self.assertTrue(sbpl.Profile("(version 1)(allow default)").allows("signal", sbpl.Object()))

    def test_the_last_match_decides(self):
        text = '(allow file-read* (subpath "/a"))(deny file-read* (subpath "/a/b"))'
        self.assertTrue(profile(text).allows("file-read-data", file("/a/c")))
        self.assertFalse(profile(text).allows("file-read-data", file("/a/b/c")))
        text += '(allow file-read* (literal "/a/b/c"))'
        self.assertTrue(profile(text).allows("file-read-data", file("/a/b/c")))
        self.assertFalse(profile(text).allows("file-read-data", file("/a/b/d")))

    def test_order_beats_how_exact_the_operation_is(self):
        text = "(allow file-read-metadata)(deny file-read*)"
        self.assertFalse(profile(text).allows("file-read-metadata", file("/a")))
        self.assertTrue(profile(text).allows_narrow("file-read-metadata", file("/a")))
        self.assertFalse(profile(text).allows_narrow("file-read-data", file("/a")))

    def test_what_belongs_to_what(self):
        for wide, inside, outside in (
                ("file-read*", "file-read-data", "file-write-data"),
                ("file-read*", "file-read-metadata", "file-ioctl"),
                ("file-write*", "file-write-unlink", "file-read-data"),
                ("file-write*", "file-write-create", "file-link"),
                ("file-write*", "file-write-mode", "file-ioctl"),
                ("file-read-data", "file-read-data", "file-read-metadata"),
                ("file*", "file-ioctl", "process-exec"),
                ("ipc-posix-shm*", "ipc-posix-shm-write-create", "ipc-posix-sem"),
                ("ipc-posix*", "ipc-posix-sem", "mach-lookup"),
                ("mach*", "mach-register", "iokit-open"),
                ("mach-host*", "mach-host-special-port-set", "mach-priv-task-port"),
                ("network*", "network-bind", "system-socket"),
                ("process-info*", "process-info-pidinfo", "process-fork"),
                ("process-exec*", "process-exec", "process-fork"),
                ("sysctl*", "sysctl-write", "system-info")):
            with self.subTest(wide):
                self.assertTrue(profile(f"(allow {wide})").allows(inside, sbpl.Object()))
                self.assertFalse(profile(f"(allow {wide})").allows(outside, sbpl.Object()))

    def test_leaves(self):
        self.assertIn("process-exec", sbpl.LEAVES)
        self.assertNotIn("file-read*", sbpl.LEAVES)
        self.assertNotIn("default", sbpl.LEAVES)

    def test_several_operations_and_filters(self):
        text = '(allow file-read* file-ioctl (literal "/a") (subpath "/b"))'
        for op in ("file-read-data", "file-ioctl"):
            self.assertTrue(profile(text).allows(op, file("/a")))
            self.assertTrue(profile(text).allows(op, file("/b/c")))
            self.assertFalse(profile(text).allows(op, file("/a/c")))
        self.assertEqual(len(profile(text).units), 4)

    def test_without(self):
        judged = profile('(allow file-read* (literal "/a") (literal "/b"))')
        first = judged.decider("file-read-data", file("/a"))
        self.assertEqual(str(first), '(allow file-read* (literal "/a"))')
        self.assertFalse(judged.allows("file-read-data", file("/a"), without=(first,)))
        self.assertTrue(judged.allows("file-read-data", file("/b"), without=(first,)))


class Filters(unittest.TestCase):
    def check(self, form, yes, no, op="file-read-data"):
        judged = profile(f"(allow {op} {form})")
        for obj in yes:
            self.assertTrue(judged.allows(op, obj), f"{form} {obj}")
        for obj in no:
            self.assertFalse(judged.allows(op, obj), f"{form} {obj}")

    def test_paths(self):
        self.check('(literal "/a/b")', [file("/a/b")], [file("/a/b/c"), file("/a"), file("/a/bc")])
        self.check('(subpath "/a/b")', [file("/a/b"), file("/a/b/c")], [file("/a"), file("/a/bc")])
        self.check('(subpath "/")', [file("/"), file("/a")], [sbpl.Object(name="x")])
        self.check(r'(literal "/a\"\\b")', [file('/a"\\b')], [file("/a")])

    def test_regexes(self):
        self.check(r'(regex #"^/a\.b$")', [file("/a.b")], [file("/axb"), file("/a.bc"), file("x/a.b")])
        self.check(r'(regex "^/a\\.b$")', [file("/a.b")], [file("/axb")])
        self.check(r'(regex #"/a")', [file("/a"), file("/x/ab")], [file("/b")])
        self.check(r'(regex #"^/a/[^/]*\.k$")', [file("/a/.k"), file("/a/x\ny.k")], [file("/a/b/x.k")])
        self.check(r'(regex #"^/a(/.*)?$")', [file("/a"), file("/a/b/c"), file("/a/\n")], [file("/ab")])
        self.check(r'(regex #"^/(a|b)[0-9]+$")', [file("/a12"), file("/b0")], [file("/c1"), file("/a")])
        self.check(r'(regex #"^/a$")', [file("/a")], [file("/a\n")])
        self.check(r'(regex #"^/\$\^\{\}\|\(\)\[\]\*\+\?\\$")', [file("/$^{}|()[]*+?\\")], [file("/")])
        self.check('(regex #"^/\xff.$")', [file("/\xff\xfe")], [file("/\xff")])
        self.check('(regex #"^/[&|~^]$")', [file("/~"), file("/^")], [file("/a")])

    def test_logic(self):
        self.check('(require-all (subpath "/a") (require-not (literal "/a/b")))',
                   [file("/a"), file("/a/c"), file("/a/b/c")], [file("/a/b"), file("/b")])
        self.check('(require-any (literal "/a") (literal "/b"))', [file("/a"), file("/b")], [file("/c")])
        self.check('(require-not (require-any (literal "/a") (literal "/b")))',
                   [file("/c")], [file("/a"), file("/b")])

    def test_extensions_and_types(self):
        self.check('(require-all (regex #"^/dev/ttys[0-9]+$") (extension "com.apple.sandbox.pty"))',
                   [file("/dev/ttys1", extensions=("com.apple.sandbox.pty",))],
                   [file("/dev/ttys1"), file("/dev/ttys1", extensions=("x",)),
                    file("/dev/x", extensions=("com.apple.sandbox.pty",))])
        self.check("(vnode-type TTY)", [file("/a", vnode="TTY")], [file("/a", vnode="SOCKET")])

    def test_names_and_targets(self):
        self.check('(global-name "a.b")', [sbpl.Object(name="a.b")],
                   [sbpl.Object(name="a.b.c"), sbpl.Object(name="axb")], op="mach-lookup")
        self.check('(sysctl-name-prefix "kern.a")',
                   [sbpl.Object(name="kern.a"), sbpl.Object(name="kern.a.1"), sbpl.Object(name="kern.ab")],
                   [sbpl.Object(name="kern.b"), sbpl.Object(name="x.kern.a"), sbpl.Object(name="kern."),
                    sbpl.Object()], op="sysctl-read")
        self.check('(sysctl-name "kern.a")', [sbpl.Object(name="kern.a")],
                   [sbpl.Object(name="kern.a.1"), sbpl.Object()], op="sysctl-read")
        self.check("(target same-sandbox)",
                   [sbpl.Object(target="same-sandbox"), sbpl.Object(target="self")],
                   [sbpl.Object(target="others")], op="signal")
        self.check("(target self)", [sbpl.Object(target="self")],
                   [sbpl.Object(target="same-sandbox")], op="signal")

    def test_addresses(self):
        def at(host, port, family="tcp"):
            return sbpl.Object(host=host, port=port, family=family)
        out = "network-outbound"
        self.check('(remote tcp "localhost:80")', [at("localhost", 80), at("127.0.0.1", 80), at("::1", 80)],
                   [at("localhost", 81), at("192.0.2.1", 80), at("localhost", 80, "udp"), file("/s")], out)
        self.check('(remote ip "*:*")', [at("192.0.2.1", 1), at("localhost", 2, "udp")], [file("/s")], out)
        self.check('(remote tcp "*:443")', [at("192.0.2.1", 443)], [at("192.0.2.1", 444)], out)
        self.check('(local tcp "localhost:*")', [at("127.0.0.1", 5)], [at("0.0.0.0", 5)], "network-bind")
        self.check("", [at("192.0.2.1", 1), file("/s")], [], out)

    def test_unix_sockets(self):
        address = sbpl.Object(host="localhost", port=1, family="tcp")
        out = "network-outbound"
        self.check('(literal "/s")', [file("/s")], [address, file("/s/t")], out)
        self.check('(subpath "/s")', [file("/s/t")], [address, file("/x")], out)
        self.check('(remote unix-socket (subpath "/s"))', [file("/s/t")], [address, file("/x")], out)
        self.check('(remote unix-socket (path-literal "/s"))', [file("/s")], [address, file("/x")], out)
        self.check("(remote unix-socket)", [file("/s")], [address], out)
        self.check('(local unix-socket (subpath "/s"))', [file("/s/t")], [address], "network-bind")


TREE = """
# a comment
l /tmp private/tmp
d /private/tmp 1777 0
f /Users/u/p/Read\\x20me 0644 501 text
f /Users/u/tool 0755 501 #!/usr/bin/env\\x20-\\n
l /Users/u/link p
l /Users/u/up ../u/p/./Read\\x20me
l /Users/u/loop loop
l /bin/sh /private/sh
s /run/s 0600 501
""".split("\n")


class Model(unittest.TestCase):
    def setUp(self):
        self.tree = mac.Tree(TREE)

    def test_walk(self):
        for path, end, way in (
                ("/", "/", []),
                ("/tmp", "/private/tmp", ["/", "/tmp", "/private"]),
                ("/tmp/new", "/private/tmp/new", ["/", "/tmp", "/private", "/private/tmp"]),
                ("/Users/u/link/x", "/Users/u/p/x", ["/", "/Users", "/Users/u", "/Users/u/link", "/Users/u/p"]),
                ("/users/U/P/rEAD mE", "/Users/u/p/Read me", ["/", "/Users", "/Users/u", "/Users/u/p"]),
                ("/Users/u/up", "/Users/u/p/Read me", ["/", "/Users", "/Users/u", "/Users/u/up", "/Users/u/p"]),
                ("/Users/u/p/New/Dir", "/Users/u/p/New/Dir",
                 ["/", "/Users", "/Users/u", "/Users/u/p", "/Users/u/p/New"])):
            with self.subTest(path):
                self.assertEqual(self.tree.walk(path), (end, way))

    def test_without_following(self):
        self.assertEqual(self.tree.walk("/tmp", False), ("/tmp", ["/"]))
        self.assertEqual(self.tree.walk("/tmp/", False)[0], "/tmp")
        self.assertEqual(self.tree.walk("/tmp/x", False)[0], "/private/tmp/x")

    def test_loops_end(self):
        with self.assertRaises(ValueError):
            self.tree.walk("/Users/u/loop")

    def ask(self, text, verb, word):
        question = mac.Question("x", verb, word, "yes", "why", 1)
        question.prepare(self.tree)
        return question.answer(profile(text))

    def test_a_file_needs_its_way(self):
        data = '(allow file-read-data (literal "/private/tmp/x"))'
        self.assertEqual(self.ask("", "read", "/tmp/x"), "no")
        self.assertEqual(self.ask(data, "read", "/tmp/x"), "unclear")
        way = '(allow file-read-metadata (literal "/") (literal "/private") (literal "/private/tmp"))'
        self.assertEqual(self.ask(data + way, "read", "/tmp/x"), "unclear")
        self.assertEqual(self.ask(data + way, "read", "/private/tmp/x"), "yes")
        self.assertEqual(
            self.ask(data + way + '(allow file-read-metadata (literal "/tmp"))', "read", "/tmp/x"), "yes")

    def test_verbs(self):
        everything = "(allow file-read-metadata)"
        for verb, op in (("list", "file-read-data"), ("write", "file-write-data"),
                         ("create", "file-write-create"), ("unlink", "file-write-unlink"),
                         ("chmod", "file-write-mode"), ("ioctl", "file-ioctl"),
                         ("connect", "network-outbound"), ("listen", "network-inbound")):
            with self.subTest(verb):
                self.assertEqual(self.ask(everything + f"(allow {op})", verb, "/a/b"), "yes")
                self.assertEqual(self.ask(everything, verb, "/a/b"), "no")
        self.assertEqual(self.ask(everything, "stat", "/a/b"), "yes")
        self.assertEqual(self.ask(everything, "readlink", "/tmp"), "yes")

    def test_binding_makes_a_file(self):
        text = "(allow file-read-metadata)(allow network-bind)"
        self.assertEqual(self.ask(text, "bind", "/a/s"), "no")
        self.assertEqual(self.ask(text + "(allow file-write-create)", "bind", "/a/s"), "yes")
        self.assertEqual(self.ask(text, "bind", "tcp 127.0.0.1:80"), "yes")

    def test_rename_takes_away_and_makes(self):
        text = ('(allow file-read-metadata)(allow file-write-unlink (literal "/a"))'
                '(allow file-write-create (literal "/b"))')
        self.assertEqual(self.ask(text, "rename", "/a -> /b"), "yes")
        self.assertEqual(self.ask(text, "rename", "/b -> /a"), "no")

    def test_links_are_taken_away_themselves(self):
        text = '(allow file-read-metadata)(allow file-write-unlink (literal "/tmp"))'
        self.assertEqual(self.ask(text, "unlink", "/tmp"), "yes")
        self.assertEqual(self.ask(text, "unlink", "/private/tmp"), "no")

    def test_scripts_need_their_interpreter(self):
        tree = mac.Tree(["f /t 0755 0 #!/i\\n", "f /i 0755 0 x"])
        _, acts = mac.steps(tree, "exec", "/t")
        self.assertEqual([(op, obj.path) for op, obj in acts],
                         [("process-exec", "/t"), ("file-read-data", "/t"),
                          ("process-exec", "/i"), ("file-read-data", "/i")])

    def test_extensions(self):
        _, acts = mac.steps(self.tree, "read", "/dev/ttys1 +com.apple.sandbox.pty")
        self.assertEqual((acts[0][1].path, acts[0][1].extensions),
                         ("/dev/ttys1", ("com.apple.sandbox.pty",)))


class Mutants(unittest.TestCase):
    """The faults of small profiles that are and are not noticed."""

    def survivors(self, text, questions):
        class Suite:
            profiles = {"x": profile(text)}

            @staticmethod
            def of(_):
                return asked
        asked = []
        for verb, word, want in questions:
            question = mac.Question("x", verb, word, want, "why", 1)
            question.prepare(mac.Tree([]))
            self.assertEqual(question.answer(Suite.profiles["x"]), want)
            asked.append(question)
        return [s.split(":")[0] for s in mutants.survivors(Suite)]

    def test_permission(self):
        text = '(allow file-read-metadata)(allow file-read-data (literal "/a"))'
        self.assertEqual(self.survivors(text, []), ["bare", "missing", "missing", "wide"])
        self.assertEqual(self.survivors(text, [("read", "/a", "yes")]), ["bare", "wide"])
        self.assertEqual(self.survivors(text, [("read", "/a", "yes"), ("read", "/b", "no")]), ["wide"])
        self.assertEqual(self.survivors(text, [("read", "/a", "yes"), ("read", "/a/b", "no")]), [])

    def test_refusal(self):
        text = '(allow file-read*)(deny file-read-data (literal "/a"))'
        self.assertEqual(self.survivors(text, [("read", "/b", "yes")]), ["missing", "wide"])
        self.assertEqual(self.survivors(text, [("read", "/a", "no"), ("read", "/a/b", "yes")]), [])

    def test_beginning_of_a_name(self):
        text = '(allow sysctl-read)(deny sysctl-read (sysctl-name-prefix "kern.a"))'
        self.assertEqual(self.survivors(text, [("sysctl", "kern.a", "no"), ("sysctl", "x", "yes")]),
                         ["narrow", "wide"])
        self.assertEqual(self.survivors(text, [("sysctl", "kern.a.1", "no")]), ["missing", "wide"])
        self.assertEqual(self.survivors(text, [("sysctl", "kern.a.1", "no"), ("sysctl", "kern.b", "yes")]),
                         [])

    def test_a_no_for_two_reasons_proves_neither(self):
        text = '(allow file*)(deny file-write-unlink (literal "/a"))(deny file-write-create (literal "/b"))'
        self.assertEqual(self.survivors(text, [("rename", "/a -> /b", "no"), ("stat", "/a", "yes"),
                                               ("unlink", "/a/x", "yes"), ("create", "/b/x", "yes")]),
                         ["missing", "missing"])

    def test_what_is_implied(self):
        text = ('(allow file-read-metadata)(allow file-read-data (literal "/a") (subpath "/a"))'
                '(allow file-read* (subpath "/b"))(allow file-read-data (subpath "/b/c"))')
        self.assertEqual(self.survivors(text, [("read", "/a", "yes"), ("read", "/b/x", "yes")]),
                         ["bare", "bare"])
        self.assertEqual(self.survivors(text, [("read", "/b/x", "yes")]),
                         ["bare", "bare", "missing"])

    def test_conditions(self):
        text = '(allow file*)(deny file-read-data (require-all (subpath "/a") (require-not (literal "/a/b"))))'
        self.assertEqual(self.survivors(text, [("read", "/a/c", "no"), ("read", "/a/b", "yes"),
                                               ("write", "/x", "yes")]), ["without (subpath \"/a\")"])
        self.assertEqual(self.survivors(text, [("read", "/a/c", "no"), ("read", "/b", "yes")]),
                         ["without (require-not (literal \"/a/b\"))"])


if __name__ == "__main__":
    unittest.main()
