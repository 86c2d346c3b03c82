#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""Hosts that are reached through the proxy of the host: real clients, real proxies, and every rule
in front of them (P-NET-28)."""
import os
import shutil
import socket
import subprocess
import unittest

from netrun import AI_JAIL, BASE, PROJECT, NetTest, log_lines, wait_for, words
from parents import HttpParent, SocksParent

PASSWORD = "s3cr@t:%"
CODED = "s3cr%40t%3A%25"


def env(port=None, scheme="http", credentials="", **more):
    said = {"https_proxy": f"{scheme}://{credentials}127.0.0.1:{port}"} if port else {}
    return {"env": dict(os.environ, **said, **more)}


class Parents(NetTest):
    def curl(self, *urls, **more):
        return self.run_jail(["curl", "-sS", "--cacert", "ca.pem", *urls], **more)

    def test_http_with_credentials(self):
        with HttpParent(f"me:{PASSWORD}") as parent:
            with_proxy = env(parent.port, credentials=f"me:{CODED}@")
            out, err = self.curl("http://web.test/hello", "https://web.test/hello", **with_proxy)
            self.assertEqual(out, "hello from outside\n" * 2)
            self.assertEqual(parent.asked, ["CONNECT web.test:80 HTTP/1.1",
                                            "CONNECT web.test:443 HTTP/1.1"])
            said = out + err
            said += "".join(self.run_jail(["env"], options=["-v"], **with_proxy))
            for verb in ("--dry-run", "--status", "--status=json", "--dry-run=json"):
                done = subprocess.run([AI_JAIL, verb, *words(["env"])[1:]], cwd=PROJECT, text=True,
                                      capture_output=True, check=False, **with_proxy)
                said += done.stdout + done.stderr
                if done.returncode == 0:
                    self.assertIn(f"http://127.0.0.1:{parent.port}", done.stdout, verb)
            for secret in (PASSWORD, CODED, "s3cr"):
                self.assertNotIn(secret, said)

    def test_http_without_credentials(self):
        with HttpParent() as parent:
            out, _ = self.curl("https://web.test/hello", **env(parent.port))
            self.assertEqual(out, "hello from outside\n")
            self.assertEqual(len(parent.asked), 1)

    def test_socks(self):
        for credentials, coded in ((None, ""), (f"me:{PASSWORD}", f"me:{CODED}@")):
            for scheme in ("socks5", "socks5h"):
                with SocksParent(credentials) as parent:
                    out, _ = self.curl("http://web.test/hello", "https://web.test/hello",
                                       **env(parent.port, scheme, coded))
                    self.assertEqual(out, "hello from outside\n" * 2)
                    self.assertEqual(parent.asked, ["web.test:80", "web.test:443"])

    def test_the_rules_stand_before_it(self):
        before = len(log_lines())
        names = ("private", "loopback", "loopback6", "metadata", "mixed", "nat64", "own-private")
        with HttpParent() as parent:
            rows = self.python(f"""
rows = [ask(name + ".test:80")[:2] for name in {names!r}]
rows += [ask("other.test:443")[:2], ask("web.test:22")[:2], ask("10.9.0.2:80")[:2]]
sock = tunnel("web.test:443")
tell([rows, tls_error(sock, "other.test")])
""", ["web.test"] + [name + ".test" for name in names], **env(parent.port))
            self.assertEqual(rows[0][:len(names)], [[403, "address-refused"]] * len(names))
            self.assertEqual(rows[0][len(names):], [[403, "host-not-listed"],
                                                    [403, "port-not-listed"],
                                                    [403, "host-not-listed"]])
            self.assertIn("UNRECOGNIZED_NAME", rows[1])
            self.assertEqual(parent.asked, ["CONNECT web.test:443 HTTP/1.1"])
            out, _ = self.curl("http://private.test/hello", hosts=(),
                               options=["--allow-private", "private.test"], **env(parent.port))
            self.assertEqual(out, "hello from outside\n")
            self.assertEqual(parent.asked[1:], ["CONNECT private.test:80 HTTP/1.1"])
        self.assertEqual([line for line in log_lines()[before:] if line.startswith("http")],
                         ["http GET private.test /hello"])

    def test_names_that_it_alone_knows(self):
        rows_of = 'tell([get("http://hidden.test/hello")[:3], ask("hidden2.test:80")[:2]])'
        with HttpParent() as parent:
            rows = self.python(rows_of, ["hidden.test"], **env(parent.port))
            self.assertEqual(rows, [[200, None, "hello from outside\n"], [403, "host-not-listed"]])
        self.assertEqual(self.python(rows_of, ["hidden.test"])[0][:2], [502, "name-unknown"])

    def test_exceptions_are_dialled_directly(self):
        with HttpParent() as parent:
            out, _ = self.curl("http://sub.web.test/hello", "http://11.0.0.4/hello",
                               hosts=["web.test", "11.0.0.4"],
                               **env(parent.port, no_proxy="x.test, .web.test,11.0.0.0/24"))
            self.assertEqual(out, "hello from outside\n" * 2)
            self.assertEqual(parent.asked, [])
            out, _ = self.curl("http://11.0.0.4/hello", hosts=["11.0.0.4"], **env(parent.port))
            self.assertEqual(parent.asked, ["CONNECT 11.0.0.4:80 HTTP/1.1"])

    def test_nothing_that_it_passes_on_is_lost(self):
        for kind, scheme in ((HttpParent, "http"), (SocksParent, "socks5")):
            with kind() as parent:
                rows = self.python("""
sock = tunnel("web.test:7002")
first = sock.makefile("rb").readline().decode()
sock.sendall(b"QUIT\\r\\n")
up = tunnel("web.test:7004")
up.sendall(pattern(3_000_000))
up.shutdown(socket.SHUT_WR)
tell([first, read_all(sock), up.makefile().read() == digest(pattern(3_000_000))])
""", **env(parent.port, scheme))
                self.assertEqual(rows, ["220 hello\r\n", "221 bye\r\n", True])

    def test_what_fails_there(self):
        with socket.socket() as closed, HttpParent("me:right") as parent, \
                SocksParent("me:right") as socks:
            closed.bind(("127.0.0.1", 0))  # nobody else gets it, and it does not listen
            nobody = closed.getsockname()[1]
            for port, scheme, credentials, text in (
                    (parent.port, "http", "me:wrong@", "it answered 407"),
                    (parent.port, "http", "", "it answered 407"),
                    (socks.port, "socks5", "me:wrong@", "no answer that can be read"),
                    (socks.port, "http", "", "no answer that can be read"),
                    (nobody, "http", "", "it cannot be reached")):
                row, direct = self.python(
                    'tell([ask("web.test:443"), get("http://web.test/hello")])',
                    **env(port, scheme, credentials))
                self.assertEqual([row[:2], direct[:2]], [[502, "parent-failed"]] * 2)
                self.assertIn(text, row[2])
                self.assertIn("check the proxy", row[2])
                self.assertNotIn("wrong", row[2] + self.said)

    def test_one_that_says_nothing(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            row = self.python('tell(ask("web.test:443"))', **env(silent.getsockname()[1]))
        self.assertEqual(row[:2], [502, "parent-failed"])
        self.assertTrue(8 < row[3] < 60, row)

    def test_other_kinds_are_told(self):
        out, err = self.curl("http://web.test/hello", **env(9, "quic", "me:hunter2@"))
        self.assertEqual(out, "hello from outside\n")
        self.assertIn("https_proxy", err)
        self.assertNotIn("hunter2", err)

    def test_one_that_is_badly_written_is_not_passed_over(self):
        before = len(log_lines())
        for value in ("http://me:hunter2@pro xy:1", "https://", "http://me:hunter2%0a@127.0.0.1:1"):
            rows = self.python('tell([ask("web.test:443"), get("http://web.test/hello")])',
                               env=dict(os.environ, https_proxy=value))
            for row in rows:
                self.assertEqual(row[:2], [502, "parent-failed"], row)
                self.assertIn("its variable is badly written", row[2])
            self.assertIn("the proxy that https_proxy names cannot be used", self.said)
            self.assertNotIn("hunter2", self.said + rows[0][2])
        self.assertEqual([line for line in log_lines()[before:] if "http" in line], [])

    def test_tinyproxy(self):
        if not shutil.which("tinyproxy"):
            if os.environ.get("AI_JAIL_TESTS_MUST_RUN") == "1":
                self.fail("tinyproxy is not installed")
            self.skipTest("tinyproxy is not installed")
        port = 3128  # which no connection gets by itself
        conf = os.path.join(BASE, "mine/tinyproxy.conf")
        with open(conf, "w", encoding="ascii") as file:
            file.write(f"Port {port}\nListen 127.0.0.1\nTimeout 60\nLogLevel Error\n"
                       "BasicAuth me secret\n")
        process = subprocess.Popen(["tinyproxy", "-d", "-c", conf], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)

        def is_there():
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                return True
            except ConnectionRefusedError:
                return False
        try:
            wait_for(is_there, "tinyproxy")
            out, _ = self.curl("http://web.test/hello", "https://web.test/hello",
                               **env(port, credentials="me:secret@"))
            self.assertEqual(out, "hello from outside\n" * 2)
            row = self.python('tell(ask("web.test:443"))', **env(port, credentials="me:no@"))
            self.assertEqual(row[:2], [502, "parent-failed"])
            self.assertRegex(row[2], "it answered 40[17]")
        finally:
            process.terminate()
            process.wait()


if __name__ == "__main__":
    unittest.main()
