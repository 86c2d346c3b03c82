#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""Ports forwarded into the jail and published from it, with the network off and filtered."""
import json
import os
import re
import select
import socket
import subprocess
import threading
import unittest

from netrun import LIMIT_S, PROJECT, NetTest, words

HOLD = "\nimport sys\nprint('ready', flush=True)\nsys.stdin.readline()\n"
SERVE = """
import threading
def serve(family, address, port):
    server = socket.create_server((address, port), family=family)
    while True:
        sock = server.accept()[0]
        threading.Thread(target=echo, args=(sock,), daemon=True).start()
def echo(sock):
    while block := sock.recv(65536):
        sock.sendall(block)
    sock.close()
threading.Thread(target=serve, args=(socket.AF_INET, "127.0.0.1", 3000), daemon=True).start()
threading.Thread(target=serve, args=(socket.AF_INET6, "::1", 3001), daemon=True).start()
for port, address in ((3000, "127.0.0.1"), (3001, "::1")):
    while True:
        try:
            socket.create_connection((address, port)).close()
            break
        except OSError:
            time.sleep(0.01)
"""
REACH = """
def reach(address, port):
    try:
        sock = socket.create_connection((address, port), LIMIT_S)
        sock.sendall(b"abc")
    except OSError as error:
        return "<reset>" if error.errno == 104 else type(error).__name__
    try:
        sock.shutdown(socket.SHUT_WR)
    except OSError as error:
        if error.errno != 107:  # a reset that has come by now is told to who reads
            raise
    return read_all(sock)
"""


class Echo:
    """A server of the host."""

    def __init__(self, address, port=0):
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self.server = socket.create_server((address, port), family=family)
        self.port = self.server.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                sock = self.server.accept()[0]
            except OSError:
                return
            with sock:
                while block := sock.recv(65536):
                    sock.sendall(b"host:" + block)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown(socket.SHUT_RDWR)
        self.server.close()


class Ports(NetTest):
    def test_forwarded(self):
        with Echo("127.0.0.1") as four, Echo("::1") as six, Echo("127.0.0.1") as other:
            for hosts in ([], ["web.test"]):
                rows = self.python(REACH + f"""
tell([reach("127.0.0.1", {four.port}), reach("::1", {four.port}), reach("127.0.0.1", 5000),
      reach("127.0.0.1", {other.port}), reach("127.0.0.1", 5001), reach("::1", 5001)])
""", hosts, ["--forward-port", str(four.port), "--forward-port", f"{six.port}:5000",
             "--forward-port", "1:5001"])
                self.assertEqual(rows, ["host:abc", "host:abc", "host:abc",
                                        "ConnectionRefusedError", "<reset>", "<reset>"])
                self.assertEqual(self.said.count("nothing listens on port 1 of this machine"), 1,
                                 self.said)

    def test_forwarded_is_tcp_alone(self):
        with Echo("127.0.0.1") as server:
            row = self.python(f"""
sock = socket.socket(type=socket.SOCK_DGRAM)
sock.connect(("127.0.0.1", {server.port}))
try:
    sock.settimeout(LIMIT_S)
    sock.send(b"x")
    sock.recv(1)
    tell("answered")
except OSError as error:
    tell(type(error).__name__)
""", [], ["--forward-port", str(server.port)])
        self.assertEqual(row, "ConnectionRefusedError")

    def hold(self, options, hosts=(), text=SERVE):
        process = self.start(["/usr/bin/python3", "-B", "-c", "from client import *" + text + HOLD],
                             hosts, options, stdin=subprocess.PIPE)
        self.assertEqual(process.stdout.readline(), "ready\n")
        return process

    def reach(self, address, port, data=b"x" * 300000):
        failed = []

        def send(sock):
            try:
                sock.sendall(data)
                sock.shutdown(socket.SHUT_WR)
            except OSError as error:
                failed.append(error)

        got = b""
        try:
            with socket.create_connection((address, port), LIMIT_S) as sock:
                sender = threading.Thread(target=send, args=(sock,), daemon=True)
                sender.start()
                while block := sock.recv(65536):
                    got += block
                sender.join(LIMIT_S)
        except ConnectionResetError:
            return "reset"
        # A reset is told once: to the reader or to the sender.
        return "reset" if failed and not got else got == data

    def test_a_port_without_a_listener_is_not_met_by_itself(self):
        """What the kernel may choose for the near end is what nobody listens on."""
        if os.geteuid() != 0:
            return  # only root can narrow the range
        range_file = "/proc/sys/net/ipv4/ip_local_port_range"
        with open(range_file, "r+", encoding="ascii") as file:
            before = file.read()
            file.write("40000 40001")
        try:
            rows = self.python(REACH + """
tell([reach("127.0.0.1", 50000) for _ in range(20)])
""", [], ["--forward-port", "40000:50000"])
            socket.create_server(("127.0.0.1", 40000)).close()
        finally:
            with open(range_file, "w", encoding="ascii") as file:
                file.write(before)
        self.assertEqual(rows, ["<reset>"] * 20)

    def test_published(self):
        for hosts in ([], ["web.test"]):
            process = self.hold(["--publish", "3000:6000", "--publish", "3001:6001",
                                 "--publish", "3002:6002"], hosts)
            try:
                self.assertIs(self.reach("127.0.0.1", 6000), True)
                self.assertIs(self.reach("::1", 6000), True)
                self.assertIs(self.reach("127.0.0.1", 6001), True)
                self.assertEqual(self.reach("127.0.0.1", 6002, b"x"), "reset")
                for address in ("11.0.0.1", "2a00:aaaa::1", "127.0.0.2"):
                    with self.assertRaises(ConnectionRefusedError):
                        socket.create_connection((address, 6000), LIMIT_S)
            finally:
                out, err = process.communicate(timeout=LIMIT_S)
            self.assertIn("nothing listens on port 3002 in the jail", err)
            self.assertEqual(process.returncode, 0, out + err)
            with self.assertRaises(ConnectionRefusedError):
                socket.create_connection(("127.0.0.1", 6000), LIMIT_S)

    def test_published_where_there_is_room(self):
        process = self.hold(["--publish", "3000:0"])
        said = ""
        while not (match := re.search(r"port 3000 of the jail is port (\d+) of", said)):
            self.assertTrue(select.select([process.stderr], [], [], LIMIT_S)[0], said)
            said += os.read(process.stderr.fileno(), 4096).decode()
        try:
            self.assertIs(self.reach("127.0.0.1", int(match[1])), True)
            self.assertIs(self.reach("::1", int(match[1])), True)
        finally:
            process.communicate(timeout=LIMIT_S)

    def test_a_busy_port_ends_the_start(self):
        with Echo("127.0.0.1") as server:
            _, err = self.run_jail(["true"], [], ["--publish", f"3000:{server.port}"], code=125)
        self.assertIn(f"--publish: port {server.port} of this machine cannot be listened on: "
                      "Address already in use", err)

    def test_what_cannot_be(self):
        for options, text in (
                (["--forward-port", "80"], "below 1024"),
                (["--forward-port", "5432:80"], "below 1024"),
                (["--forward-port", "15919"], "the proxy's"),
                (["--forward-port", "1:5000", "--forward-port", "2:5000"], "listed twice"),
                (["--forward-port", "0"], "HOSTPORT:JAILPORT"),
                (["--forward-port", "65536:5000"], "HOSTPORT:JAILPORT"),
                (["--forward-port", "a"], "HOSTPORT:JAILPORT"),
                (["--forward-port", "1:2:3"], "HOSTPORT:JAILPORT"),
                (["--publish", "15919"], "the proxy's"),
                (["--publish", "3000:6000", "--publish", "3001:6000"], "listed twice"),
                (["--publish", "127.0.0.1:3000"], "JAILPORT:HOSTPORT")):
            _, err = self.run_jail(["true"], [], options, code=None)
            self.assertIn(text, err, options)
            self.assertIn(options[0], err, options)

    def test_in_the_documents(self):
        options = ["--forward-port", "5432:15432", "--publish", "3000:0"]
        for network, wanted in (
                ([], {"forward": [{"host_port": 5432, "jail_port": 15432}],
                      "publish": [{"host_port": 0, "jail_port": 3000}]}),
                (["--network"], {"forward": [], "publish": []})):
            for document in ("--dry-run", "--status"):
                command = [word for word in words([], [], options + network + [document, "--json"])
                           if word != "--" and not (network and word == "--no-network")]
                done = subprocess.run(command + ["--", "true"] * (document == "--dry-run"),
                                      cwd=PROJECT, capture_output=True, text=True, check=True)
                network_part = json.loads(done.stdout)["network"]
                self.assertEqual({key: network_part[key] for key in wanted}, wanted, document)
                if network and document == "--dry-run":
                    self.assertIn("no effect", done.stderr)


if __name__ == "__main__":
    unittest.main()
