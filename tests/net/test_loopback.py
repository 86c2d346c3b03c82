#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""The jail's own loopback, the host's, and who else could use the proxy."""
import os
import signal
import socket
import subprocess
import threading
import unittest

from netrun import AI_JAIL, LIMIT_S, PROJECT, NetTest, log_lines, wait_for

SERVER = """
import threading
# A connection within the jail is given up after 200 ms when the queue of the listener is full.
server = socket.create_server(("127.0.0.1", 4000), backlog=1024)
six = socket.create_server(("::1", 4001), family=socket.AF_INET6)
def serve(listener):
    while True:
        sock = listener.accept()[0]
        data = b""
        while b"\\r\\n\\r\\n" not in data:
            data += sock.recv(1000)
        sock.sendall(b"HTTP/1.0 200 OK\\r\\n\\r\\nfrom inside")
        sock.close()
for listener in (server, six):
    threading.Thread(target=serve, args=(listener,), daemon=True).start()
"""


def listeners():
    """Ports that this namespace listens on."""
    out = subprocess.run(["ss", "-Htln"], capture_output=True, text=True, check=True).stdout
    return sorted(line.split()[3] for line in out.splitlines())


class Loopback(NetTest):
    def test_it_is_the_jails_own(self):
        rows = self.python(SERVER + """
targets = ["localhost:4000", "127.0.0.1:4000", "127.8.8.8:4000", "ai-sandbox:4000",
           "a.localhost:4000", "[::1]:4001"]
rows = [get(f"http://{target}/") for target in targets]
sock = tunnel("localhost:4000")
sock.sendall(b"GET / HTTP/1.0\\r\\n\\r\\n")
tell([[row[2] for row in rows], read_all(sock)[-11:], ask("localhost:15919"), ask("[::1]:15919"),
      ask("localhost:4002")])
""")
        self.assertEqual(rows[0], ["from inside"] * 6)
        self.assertEqual(rows[1], "from inside")
        self.assertEqual(rows[2][:2], [403, "loopback-closed"])
        self.assertEqual(rows[3][:2], [403, "loopback-closed"])
        self.assertEqual(rows[4][:2], [502, "connect-failed"])

    def test_many_at_once(self):
        rows = self.python(SERVER + """
socks = [connect() for _ in range(400)]
for sock in socks:
    sock.sendall(b"GET http://localhost:4000/ HTTP/1.0\\r\\n\\r\\n")
tell(sum(read_all(sock).endswith("from inside") for sock in socks))
""")
        self.assertEqual(rows, 400)

    def test_the_hosts_is_out_of_reach(self):
        reached = []
        with socket.create_server(("127.0.0.1", 4100)) as server:
            server.settimeout(0.01)
            rows = self.python("""
def direct():
    try:
        socket.create_connection(("127.0.0.1", 4100), 2)
        return "worked"
    except OSError as error:
        return type(error).__name__
tell([direct(), ask("localhost:4100"), ask("127.0.0.1:4100"), ask("own.test:4100")])
""", ["own.test:4100"])
            try:
                reached.append(server.accept())
            except TimeoutError:
                pass
        self.assertEqual(rows[0], "ConnectionRefusedError")
        self.assertEqual([row[1] for row in rows[1:]],
                         ["connect-failed", "connect-failed", "address-refused"])
        self.assertEqual(reached, [])

    def test_lockdown_closes_it_and_says_so(self):
        rows = self.python('tell([ask("localhost:4100"), ask("127.0.0.1:443"), ask("[::1]:15919")])',
                           options=["--lockdown"])
        self.assertEqual([row[:2] for row in rows], [[403, "loopback-closed"]] * 3)
        for row, advice in zip(rows, (
                "start ai-jail with --forward-port 4100, and without --lockdown\n",
                "start ai-jail with --forward-port 443:10443, and without --lockdown\n",
                "no flag changes it\n")):
            self.assertTrue(row[2].endswith("user: " + advice), row)
        done = subprocess.run([AI_JAIL, "--why", "localhost:4100", "--lockdown", "--no-network",
                               "--allow-host", "web.test", "true"], cwd=PROJECT,
                              capture_output=True, text=True, check=False)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertIn("refused", done.stdout)
        self.assertIn("without --lockdown", done.stdout)

    def test_local_servers_need_no_proxy(self):
        """TCP and UDP on the loopback are free; the port of the proxy is taken."""
        rows = self.python("""
import errno
def bind(address, option=None):
    sock = socket.socket()
    if option:
        sock.setsockopt(socket.SOL_SOCKET, option, 1)
    try:
        sock.bind((address, 15919))
        sock.listen()
        return "worked"
    except OSError as error:
        return errno.errorcode[error.errno]
a, b = socket.socket(type=socket.SOCK_DGRAM), socket.socket(type=socket.SOCK_DGRAM)
a.bind(("127.0.0.1", 0))
b.sendto(b"x", a.getsockname())
server = socket.create_server(("127.0.0.1", 0))
tell([a.recv(1).decode(), socket.create_connection(server.getsockname()).getpeername()[0],
      [bind(address, option) for address in ("127.0.0.1", "0.0.0.0")
       for option in (None, socket.SO_REUSEADDR, socket.SO_REUSEPORT)]])
""")
        self.assertEqual(rows[:2], ["x", "127.0.0.1"])
        self.assertEqual(rows[2], ["EADDRINUSE"] * 6)

    def test_nobody_outside_can_use_it(self):
        before = listeners()
        process = self.start(["/usr/bin/python3", "-B", "-c", """
from client import *
import sys
sys.stdin.readline()
print(get("http://web.test/hello")[0], flush=True)
sys.stdin.readline()
"""], stdin=subprocess.PIPE)
        try:
            process.stdin.write("go\n")
            process.stdin.flush()
            self.assertEqual(process.stdout.readline(), "200\n")
            self.assertEqual(listeners(), before)
        finally:
            process.communicate(timeout=LIMIT_S)

    def test_without_a_supervisor_there_is_no_way_out(self):
        process = self.start(["/usr/bin/python3", "-B", "-c", """
from client import *
i = 0
while True:
    try:
        get(f"http://web.test/hello?{i}")
    except OSError:
        pass
    i += 1
"""])
        wait_for(lambda: [line for line in log_lines() if "/hello?5" in line], "requests")
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        seen = []

        def quiet():
            """No new request between two looks that are far enough apart."""
            seen.append(len([line for line in log_lines() if "/hello?" in line]))
            threading.Event().wait(0.1)
            return len(seen) > 5 and len(set(seen[-5:])) == 1

        wait_for(quiet, "silence after the supervisor's end")
        process.stdout.close()
        process.stderr.close()


if __name__ == "__main__":
    unittest.main()
