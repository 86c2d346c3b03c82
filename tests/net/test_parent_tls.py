#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""Proxies of the host that are spoken to by TLS, and credentials through proxies of every kind, which
never see them."""
import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import unittest

from netrun import AI_JAIL, LIMIT_S, MINE, PROJECT, NetTest, log_lines, words
from parents import HttpParent, HttpsParent, Server, SocksParent, server_context

CA = os.path.join(PROJECT, "ca.pem")
VALUE = "sk-test-99aa88bb77cc66dd"
PASSWORD = "hunter2"


def env(port, scheme="https", credentials="", host="localhost", **more):
    said = dict(os.environ, https_proxy=f"{scheme}://{credentials}{host}:{port}",
                SSL_CERT_FILE=CA, API_KEY=VALUE)
    return {"env": {name: value for name, value in (said | more).items() if value is not None}}


class Broken(Server):
    """Of the host: one function for each connection."""

    def __init__(self, serve):
        self.serve = serve
        super().__init__()


def garbage(sock):
    sock.recv(4096)
    sock.sendall(b"HTTP/1.1 200 OK\r\n\r\n")


def hangs_up(sock):
    sock.recv(4096)
    sock.sendall(b"\x16\x03\x03\x00\x7a\x02\x00\x00\x76\x03\x03")


def mute(sock):
    while sock.recv(4096):
        pass


def breaks_off(sock):
    """Takes the request for a tunnel, and says garbage instead of TLS."""
    tls = server_context("server").wrap_socket(sock, server_side=True)
    tls.recv(4096)
    os.write(tls.fileno(), b"HTTP/1.1 200 OK\r\n\r\n")
    tls.detach()


def breaks_later(sock):
    tls = server_context("server").wrap_socket(sock, server_side=True)
    tls.recv(4096)
    tls.sendall(b"HTTP/1.1 200 OK\r\n\r\n220 hello\r\n")
    tls.recv(100)
    os.write(tls.fileno(), b"\x17\x03\x03\x00\x20" + b"x" * 32)
    with socket.socket(fileno=tls.detach()) as raw:
        mute(raw)


class ParentTls(NetTest):
    def curl(self, *urls, **more):
        return self.run_jail(["curl", "-sS", "--cacert", "ca.pem", *urls], **more)

    # ---- it works ----

    def test_tunnels_and_requests(self):
        for host in ("localhost", "127.0.0.1"):
            with HttpsParent(f"me:{PASSWORD}") as parent:
                out, err = self.curl("http://web.test/hello", "https://web.test/hello",
                                     **env(parent.port, credentials=f"me:{PASSWORD}@", host=host))
                self.assertEqual(out, "hello from outside\n" * 2)
                self.assertEqual(parent.asked, ["CONNECT web.test:80 HTTP/1.1",
                                                "CONNECT web.test:443 HTTP/1.1"])
                self.assertEqual(parent.faults, [])
                self.assertNotIn(PASSWORD, err)

    def test_much_in_both_directions(self):
        with HttpsParent() as parent:
            rows = self.python("""
down = tunnel("web.test:7003")
down.sendall(b"20000000\\n")
size, sum_of = 0, hashlib.sha256()
while block := down.recv(65536):
    size += len(block)
    sum_of.update(block)
up = tunnel("web.test:7004")
up.sendall(pattern(20_000_000))
up.shutdown(socket.SHUT_WR)
tell([size, sum_of.hexdigest() == digest(pattern(20_000_000)),
      up.makefile().read() == digest(pattern(20_000_000))])
""", **env(parent.port))
            self.assertEqual(rows, [20000000, True, True])
            self.assertEqual(parent.faults, [])

    def test_ends_and_resets(self):
        """Half-closed in either direction; what ends without an end is told as such."""
        with HttpsParent() as parent:
            rows = self.python("""
first = tunnel("web.test:7008")
words = read_all(first)
first.sendall(pattern(500_000))
first.close()
arrived = is_logged("after the end " + digest(pattern(500_000)))
banner = tunnel("web.test:7002")
hello = banner.makefile("rb").readline().decode()
banner.sendall(b"QUIT\\r\\n")
tell([words, arrived, hello, read_all(banner)])
""", **env(parent.port))
            self.assertEqual(rows, ["last words", True, "220 hello\r\n", "221 bye\r\n"])
        with Broken(breaks_later) as parent:
            row = self.python("""
sock = tunnel("web.test:7001")
hello = sock.makefile("rb").readline().decode()
sock.sendall(b"x")
tell([hello, read_all(sock)])
""", **env(parent.port))
            self.assertEqual(row, ["220 hello\r\n", "<reset>"])

    def test_real_clients(self):
        trust = [word for name in ("GIT_SSL_CAINFO", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS",
                                   "NPM_CONFIG_CAFILE") for word in ("--env", f"{name}={CA}")]
        origin = os.path.join(MINE, "tmp/origin")
        git = dict(check=True, capture_output=True, env=dict(
            os.environ, GIT_AUTHOR_NAME="a", GIT_AUTHOR_EMAIL="a@test", GIT_COMMITTER_NAME="a",
            GIT_COMMITTER_EMAIL="a@test"))
        subprocess.run(["git", "init", "-q", origin], **git)
        subprocess.run(["git", "-C", origin, "commit", "-qm", "one", "--allow-empty"], **git)
        subprocess.run(["git", "-C", origin, "update-server-info"], **git)
        shutil.copytree(os.path.join(origin, ".git"), os.path.join(MINE, "web/through.git"))
        with HttpsParent(f"me:{PASSWORD}") as parent:
            said = env(parent.port, credentials=f"me:{PASSWORD}@")
            self.run_jail(["git", "clone", "-q", "https://web.test/through.git", "through"],
                          options=trust, **said)
            out, _ = self.run_jail(["wget", "-qO-", "--ca-certificate=ca.pem",
                                    "https://web.test/hello"], **said)
            self.assertEqual(out, "hello from outside\n")
            out, _ = self.run_jail(["/usr/bin/python3", "-c", """
import urllib.request
print(urllib.request.urlopen("https://web.test/hello").read().decode(), end="")
"""], options=trust, **said)
            self.assertEqual(out, "hello from outside\n")
            self.assertGreater(len(parent.asked), 2)
            self.assertEqual(parent.faults, [])

    # ---- it does not prove its name ----

    def test_who_is_not_believed_is_not_asked(self):
        old = server_context("odd")
        old.set_ciphers("ALL:@SECLEVEL=0")
        with self.assertWarns(DeprecationWarning):
            old.minimum_version = ssl.TLSVersion.TLSv1
            old.maximum_version = ssl.TLSVersion.TLSv1
        for context, why, more in (
                (server_context("wrong"), "hostname mismatch", {}),
                (server_context("wrong"), "IP address mismatch", {"host": "127.0.0.1"}),
                (server_context("server"), "hostname mismatch", {"host": "loopback.test"}),
                (server_context("expired"), "certificate has expired", {}),
                (server_context("self"), "self-signed certificate", {}),
                (server_context("server"), "certificate", {"SSL_CERT_FILE": None}),
                (old, "TLS with it failed", {})):
            with HttpsParent(context=context) as parent:
                rows = self.python('tell([ask("web.test:443"), get("http://web.test/hello")])',
                                   **env(parent.port, credentials=f"me:{PASSWORD}@", **more))
                for row in rows:
                    self.assertEqual(row[:2], [502, "parent-failed"], (why, row))
                    self.assertIn("TLS with it failed", row[2])
                    self.assertIn(why, row[2])
                    self.assertEqual(row[2].count("\n"), 4, row)
                self.assertEqual(parent.asked, [], why)
                self.assertNotIn(PASSWORD, self.said + rows[0][2])

    def test_who_speaks_no_tls(self):
        before = len(log_lines())
        for serve, why in ((garbage, "TLS with it failed"), (hangs_up, "it ended the handshake"),
                           (breaks_off, "TLS with it failed")):
            with Broken(serve) as parent:
                row = self.python('tell(ask("web.test:443"))', **env(parent.port))
            self.assertEqual(row[:2], [502, "parent-failed"], row)
            self.assertIn(why, row[2])
        with Broken(mute) as parent:
            row = self.python('tell(ask("web.test:443"))', **env(parent.port))
        self.assertEqual(row[:2], [502, "parent-failed"], row)
        self.assertIn("no handshake within 10 s", row[2])
        self.assertTrue(8 < row[3] < 60, row)
        self.assertEqual([line for line in log_lines()[before:] if "http" in line], [])

    def test_nothing_remains_of_clients_that_leave(self):
        """During the handshake, and in a tunnel; the run ends all the same."""
        with Broken(mute) as silent, HttpsParent() as parent:
            self.python("""
for i in range(20):
    sock = connect()
    sock.sendall(b"CONNECT web.test:443 HTTP/1.1\\r\\n\\r\\n")
    sock.close()
waits = [connect() for i in range(5)]
for sock in waits:
    sock.sendall(b"CONNECT web.test:443 HTTP/1.1\\r\\n\\r\\n")
tell(0)
""", **env(silent.port))
            rows = self.python("""
sock = tunnel("web.test:7006")
sock.recv(1)
sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
sock.close()
held = [tunnel("web.test:7001") for i in range(20)]
tell(len(held))
""", **env(parent.port))
            self.assertEqual(rows, 20)

    # ---- credentials ----

    def test_credentials_pass_unseen(self):
        data = os.path.join(MINE, "data")
        for kind, scheme in ((HttpParent, "http"), (HttpsParent, "https"), (SocksParent, "socks5")):
            before = len(log_lines())
            with kind(f"me:{PASSWORD}") as parent:
                row = self.python("""
import os, subprocess
key = os.environ["API_KEY"]
out = subprocess.run(["curl", "-sS", "-H", "X-Api-Key: " + key, "http://web.test/hello",
                      "-p", "http://web.test/hello"], capture_output=True, text=True)
text = f"GET http://web.test/hello HTTP/1.1\\r\\nHost: web.test\\r\\nX-Api-Key: {key}\\r\\n\\r\\n"
tell([out.stdout, out.stderr, request(text).row()[:3], key])
""", ["web.test"], ["--env", "API_KEY", "--secret", "API_KEY=web.test", "--audit-log",
                    "--no-save-config"],
                                  **env(parent.port, scheme, f"me:{PASSWORD}@", XDG_DATA_HOME=data))
                self.assertEqual(row[:3], ["hello from outside\n" * 2, "",
                                           [200, None, "hello from outside\n"]])
                asked = {"http": "CONNECT web.test:443 HTTP/1.1",
                         "socks5": "web.test:443"}[scheme.replace("https", "http")]
                self.assertEqual(parent.asked, [asked] * 3)
                self.assertGreater(len(parent.heard), 3000)
                for secret in (VALUE, row[3], "X-Api-Key", "hello"):
                    self.assertNotIn(secret.encode(), bytes(parent.heard), scheme)
            log = log_lines()[before:]
            self.assertEqual(log.count(f"tls web.test X-Api-Key: {VALUE}"), 3, log)
            self.assertFalse([line for line in log if line.startswith("plain")])
        with open(os.path.join(data, "ai-jail/history.jsonl"), encoding="utf-8") as file:
            text = file.read()
        for secret in (VALUE, PASSWORD, "AIJAIL-PHANTOM"):
            self.assertNotIn(secret, text)
        records = [json.loads(line) for line in text.splitlines()]
        self.assertEqual([record["verdict"] for record in records if record["event"] == "secret"],
                         ["substituted"] * 9)
        for verb in ("--audit-verify", "--audit-show"):
            done = subprocess.run([AI_JAIL, verb], env=dict(os.environ, XDG_DATA_HOME=data),
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_credentials_stay_here_without_the_proxy(self):
        """One that refuses, one that cannot be reached, one that pretends to be the origin."""
        before = len(log_lines())

        def pretends(sock):
            sock.recv(4096)
            sock.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            server_context("wrong").wrap_socket(sock, server_side=True).recv(4096)

        with HttpParent("me:right") as refuses, Broken(pretends) as liar:
            for port, scheme, reason in ((refuses.port, "http", "parent-failed"), (1, "http", "parent-failed"),
                                         (liar.port, "http", "connect-failed")):
                row = self.python("""
import os
tell(get("http://web.test/hello", f"X-Api-Key: {os.environ['API_KEY']}\\r\\n"))
""", ["web.test"], ["--env", "API_KEY", "--secret", "API_KEY=web.test"], **env(port, scheme))
                self.assertEqual(row[:2], [502, reason], row)
            self.assertEqual(bytes(refuses.heard), b"")
        self.assertNotIn(VALUE, "\n".join(log_lines()[before:]))

    # ---- words ----

    def test_what_is_said_of_it(self):
        with HttpsParent() as parent:
            said = env(parent.port, credentials=f"me:{PASSWORD}@")
            for verb in ("--dry-run", "--status"):
                done = subprocess.run([AI_JAIL, verb, *words(["env"])[1:]], cwd=PROJECT, text=True,
                                      capture_output=True, check=False, **said)
                self.assertIn(f"https://localhost:{parent.port}", done.stdout, verb)
                self.assertNotIn(PASSWORD, done.stdout + done.stderr)
            done = subprocess.run([AI_JAIL, "--doctor"], cwd=PROJECT, text=True,
                                  capture_output=True, check=False, **said)
            self.assertRegex(done.stdout, r"parent-proxy +https://localhost:\d+ \(https_proxy\) takes "
                                          "connections and proves its name\n")
            self.assertFalse(re.search(PASSWORD, done.stdout + done.stderr))
            self.assertEqual((parent.asked, parent.faults), ([], []))

    def test_doctor_names_what_is_wrong_with_tls(self):
        def start(port, **more):
            return subprocess.Popen([AI_JAIL, "--doctor"], cwd=PROJECT, text=True, stdout=subprocess.PIPE,
                                    **env(port, **more))

        def check(process, what):
            said = re.search("^.*parent-proxy.*", process.communicate(timeout=LIMIT_S)[0], re.M)[0]
            self.assertTrue(said.startswith("degraded"), said)
            self.assertIn(what, said)

        with HttpsParent(context=server_context("wrong")) as wrong, HttpsParent() as other, \
                Broken(garbage) as plain, Broken(hangs_up) as short, Broken(mute) as silent:
            longest = start(silent.port)  # 10 s, during which the others are tried
            check(start(wrong.port), "no TLS with it: hostname mismatch")
            check(start(other.port, SSL_CERT_FILE=None), "no TLS with it: unable to get local issuer")
            check(start(plain.port), "no TLS with it: wrong version number")
            check(start(short.port), "no TLS with it: it ended the handshake")
            check(start(1), "cannot be reached: Connection refused")
            check(longest, "no TLS with it: it does not answer in time")

    def test_without_a_port_it_is_443(self):
        row = self.python('tell(ask("web.test:443"))', env=dict(
            os.environ, https_proxy="https://localhost/", SSL_CERT_FILE=CA))
        self.assertEqual(row[:2], [502, "parent-failed"])
        self.assertIn("cannot be reached", row[2])


if __name__ == "__main__":
    unittest.main()
