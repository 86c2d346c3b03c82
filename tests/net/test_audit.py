#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""What the audit log keeps of connections: rule, address, bytes (P-NET-24, P-NET-34)."""
import json
import os
import socket
import subprocess
import tempfile
import threading
import unittest

from netrun import AI_JAIL, LIMIT_S, MINE, NetTest

ANSWERED = "host: "


class Server:
    """Of the host: answers once for each connection."""

    def __enter__(self):
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()
        return self

    def serve(self):
        while True:
            try:
                sock = self.server.accept()[0]
            except OSError:
                return
            with sock:
                sock.sendall(ANSWERED.encode() + sock.recv(100))

    def __exit__(self, *_):
        self.server.shutdown(socket.SHUT_RDWR)
        self.server.close()


class Audit(NetTest):
    def logged(self, text, hosts=("web.test", "private.test", "loopback.test"), options=(),
               meanwhile=None):
        """The records of one run. meanwhile: called with the process, once it has said a line."""
        with tempfile.TemporaryDirectory(dir=MINE) as data:
            self.env = dict(os.environ, XDG_DATA_HOME=data)
            options = ["--audit-log", "--no-save-config", *options]
            if meanwhile:
                process = self.start(["/usr/bin/python3", "-B", "-c", "from client import *\n" + text],
                                     hosts, options, env=self.env)
                process.stdout.readline()
                meanwhile()
                out, err = process.communicate(timeout=LIMIT_S)
                self.assertEqual(process.returncode, 0, out + err)
            else:
                self.python(text, hosts, options, env=self.env)
            done = subprocess.run([AI_JAIL, "--audit-verify"], env=self.env, capture_output=True,
                                  text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(os.path.join(data, "ai-jail", "history.jsonl"), encoding="utf-8") as file:
                self.text = file.read()
        return [json.loads(line) for line in self.text.splitlines()]

    def connections(self, records):
        return [record for record in records if record["event"] == "connect"]

    def test_connections(self):
        found = self.connections(self.logged("""
get("http://web.test/hello?query-that-is-secret")
sock = tls(tunnel("web.test:443"), "web.test")
sock.sendall(b"GET /hello HTTP/1.0\\r\\n\\r\\n")
read_all(sock)
sock.close()
ask("private.test:80")
ask("loopback.test:80")
ask("nowhere.test:443")
code, sock = socks("sub.web.test", 80)
sock.close()
request("nonsense\\r\\n\\r\\n")
try:
    request("NONSENSE\\r\\n\\r\\n")
except OSError:
    pass
tell(0)
"""))
        rows = {(r["host"], r["port"], r["via"]):
                (r["verdict"], r["reason"], r["rule"], r["class"]) for r in found}
        self.assertEqual(rows[("web.test", 80, "http")], ("allowed", None, "web.test", "public"))
        self.assertEqual(rows[("web.test", 443, "connect")],
                         ("allowed", None, "web.test", "public"))
        self.assertEqual(rows[("sub.web.test", 80, "socks5")],
                         ("allowed", None, "web.test", "public"))
        self.assertEqual(rows[("private.test", 80, "connect")],
                         ("refused", "address-refused", "private.test", "private"))
        self.assertEqual(rows[("loopback.test", 80, "connect")],
                         ("refused", "address-refused", "loopback.test", "loopback"))
        self.assertEqual(rows[("nowhere.test", 443, "connect")],
                         ("refused", "host-not-listed", None, None))
        self.assertIn(("refused", "malformed", None, None), rows.values())
        by_port = {r["port"]: r for r in found if r["host"] == "web.test"}
        for record in by_port.values():
            self.assertGreater(record["up"], 30, record)
            self.assertGreater(record["down"], len("hello from outside\n"), record)
        for record in found:
            if record["verdict"] == "refused":
                self.assertEqual((record["up"], record["down"]), (0, 0), record)
        self.assertNotIn("secret", self.text.replace(self.text.splitlines()[0], ""))

    def test_refused_in_the_tunnel(self):
        found = self.connections(self.logged("""
tls_error(tunnel("web.test:443"), "other.test")
tell(0)
"""))
        self.assertEqual([(r["verdict"], r["reason"], r["rule"], r["up"]) for r in found],
                         [("refused", "sni-mismatch", "web.test", 0)])

    def test_nobody_answers(self):
        found = self.connections(self.logged("ask('web.test:9'); tell(0)", ["web.test:9"]))
        self.assertEqual([(r["verdict"], r["reason"]) for r in found],
                         [("failed", "connect-failed")])

    def test_own_loopback_is_left_out(self):
        records = self.logged("ask('localhost:1'); get('http://localhost:1/'); tell(0)")
        self.assertEqual(self.connections(records), [])

    def test_ports(self):
        with Server() as server:
            records = self.logged("""
sock = socket.create_connection(("127.0.0.1", 5000))
sock.sendall(b"abc")
read_all(sock)
sock.close()
try:
    sock = socket.create_connection(("127.0.0.1", 5001))
    read_all(sock)
    sock.close()
except ConnectionResetError: # so soon
    pass
tell(0)
""", (), ["--forward-port", f"{server.port}:5000", "--forward-port", "1:5001"])
        rows = sorted((r["jail_port"], r["host_port"], r["verdict"], r["up"], r["down"])
                      for r in records if r["event"] == "forward")
        self.assertEqual(rows, [(5000, server.port, "allowed", 3, len(ANSWERED) + 3),
                                (5001, 1, "failed", 0, 0)])

    def test_published_port(self):
        def reach():
            with socket.create_connection(("127.0.0.1", 3001), LIMIT_S) as sock:
                sock.sendall(b"abcd")
                self.assertEqual(sock.recv(100), b"jail:abcd")
        records = self.logged("""
server = socket.create_server(("127.0.0.1", 3000))
tell("ready")
sock = server.accept()[0]
sock.sendall(b"jail:" + sock.recv(100))
sock.recv(100)
sock.close()
""", (), ["--publish", "3000:3001"], reach)
        self.assertEqual([(r["host_port"], r["jail_port"], r["verdict"], r["up"], r["down"])
                          for r in records if r["event"] == "publish"],
                         [(3001, 3000, "allowed", 4, 9)])

    def test_a_connection_that_the_run_ends(self):
        """What is still open when the command ends is recorded, too."""
        found = self.connections(self.logged("""
sock = tls(tunnel("web.test:443"), "web.test")
sock.sendall(b"GET /hel")
tell(0)
"""))
        self.assertEqual([(r["verdict"], r["host"]) for r in found], [("allowed", "web.test")])


if __name__ == "__main__":
    unittest.main()
