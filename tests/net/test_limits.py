#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""Many connections, too many, and what is left of them."""
import json
import os
import subprocess
import time
import unittest

from netrun import LIMIT_S, PROJECT, NetTest, wait_for, words

TELLS = "from client import *\n"


class Limits(NetTest):
    def test_a_thousand_tunnels_at_once(self):
        rows = self.python("""
socks = [tunnel("web.test:7001") for _ in range(1000)]
for i, sock in enumerate(socks):
    sock.sendall(b"%d\\n" % i)
rows = [sock.recv(100).decode() == f"{i}\\n" for i, sock in enumerate(socks)]
tell([all(rows), get("http://web.test/hello")[0]])
""")
        self.assertEqual(rows, [True, 200])

    def test_more_than_1024_are_told(self):
        rows = self.python("""
import select
socks = [connect() for _ in range(1024)]
for sock in socks:
    sock.sendall(b"C")
answer = request("CONNECT web.test:443 HTTP/1.1\\r\\n\\r\\n")
poll = select.poll()
for sock in socks:
    poll.register(sock, select.POLLIN)
still_wait = poll.poll(0) == []
for sock in socks:
    sock.close()
end = time.monotonic() + 60
while (again := get("http://web.test/hello"))[0] == 503 and time.monotonic() < end:
    time.sleep(0.01)
tell([answer.row(), still_wait, answer.fields.get("Retry-After"), again[0]])
""")
        self.assertEqual(rows[0][:2], [503, "too-many"])
        # It is told at once: none of the others had to go for it.
        self.assertEqual(rows[1:], [True, "1", 200])

    def test_no_descriptors_left(self):
        process = subprocess.Popen(
            ["prlimit", "--nofile=120:120", "--", *words(["/usr/bin/python3", "-B", "-c", TELLS + """
socks, refused = [], 0
for _ in range(100):
    try:
        socks.append(tunnel("web.test:7001"))
    except OSError:
        refused += 1
works = 0
for sock in socks:
    sock.sendall(b"x")
    works += sock.recv(1) == b"x"
    sock.close()
end = time.monotonic() + 60
while (again := get("http://web.test/hello"))[0] != 200 and time.monotonic() < end:
    time.sleep(0.01)
tell([refused > 0, works == len(socks), works > 20, again[0]])
"""])], cwd=PROJECT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            stdin=subprocess.DEVNULL)
        out, err = process.communicate(timeout=LIMIT_S)
        self.assertEqual(out, "[true, true, true, 200]\n", err)

    @staticmethod
    def held(pid):
        """(KiB of memory, open descriptors or None where only root may look)."""
        with open(f"/proc/{pid}/status", encoding="ascii") as file:
            size = next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))
        return size, len(os.listdir(f"/proc/{pid}/fd")) if os.geteuid() == 0 else None

    def held_afterwards(self, pid, idle):
        """The same, once the last ends have arrived."""
        if idle[1] is not None:
            wait_for(lambda: self.held(pid)[1] <= idle[1] + 10, f"no more than {idle} held")
        return self.held(pid)

    def test_readers_that_stop_hold_little(self):
        process = self.start(["/usr/bin/python3", "-B", "-c", TELLS + """
import sys
first = tunnel("web.test:7003")
first.sendall(b"8000000\\n")
assert count_all(first) == [8000000, "end"]
print("before", flush=True)
sys.stdin.readline()
socks = [tunnel("web.test:7003") for _ in range(40)]
for sock in socks:
    sock.sendall(b"12000000\\n")
for sock in socks:
    sock.recv(1)
print("stopped", flush=True)
sys.stdin.readline()
tell([count_all(sock) == [12000000 - 1, "end"] for sock in socks])
"""], stdin=subprocess.PIPE)
        try:
            self.assertEqual(process.stdout.readline(), "before\n")
            before = self.held(process.pid)
            process.stdin.write("on\n")
            process.stdin.flush()
            self.assertEqual(process.stdout.readline(), "stopped\n")
            end = time.monotonic() + 20
            most, since = before[0], time.monotonic()
            while time.monotonic() - since < 1 and time.monotonic() < end:
                now = self.held(process.pid)[0]
                if now > most:
                    most, since = now, time.monotonic()
                time.sleep(0.05)
            process.stdin.write("on\n")
            process.stdin.flush()
            self.assertEqual(json.loads(process.stdout.readline()), [True] * 40)
        finally:
            out, err = process.communicate(timeout=LIMIT_S)
        self.assertEqual(process.returncode, 0, out + err)
        # 16 of 512 KiB, the others with 64 KiB each.
        self.assertLess(most - before[0], 13000, (before, most))

    def test_ten_thousand_short_ones_leave_nothing(self):
        process = self.start(["/usr/bin/python3", "-B", "-c", TELLS + """
import sys, threading
server = socket.create_server(("127.0.0.1", 0))
def serve():
    while True:
        sock = server.accept()[0]
        sock.close()
threading.Thread(target=serve, daemon=True).start()
own = server.getsockname()[1]
def round(i):
    kind = i % 5
    if kind == 0:
        assert ask("other.test:443")[0] == 403
    elif kind == 1:
        assert get("http://web.test/hello")[0] == 200
    elif kind == 2:
        tunnel("web.test:7002").close()
    elif kind == 3:
        connect().close()
    else:
        read_all(tunnel(f"localhost:{own}"))
for n in (0, 1000, 4000):
    for i in range(n):
        round(i)
    print("done", flush=True)
    sys.stdin.readline()
"""], stdin=subprocess.PIPE, env=dict(
            os.environ, ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=1"))
        try:
            self.assertEqual(process.stdout.readline(), "done\n")
            idle = self.held(process.pid)
            process.stdin.write("on\n")
            process.stdin.flush()
            self.assertEqual(process.stdout.readline(), "done\n")
            before = self.held_afterwards(process.pid, idle)
            process.stdin.write("on\n")
            process.stdin.flush()
            self.assertEqual(process.stdout.readline(), "done\n")
            after = self.held_afterwards(process.pid, idle)
        finally:
            out, err = process.communicate(timeout=LIMIT_S)
        self.assertEqual(process.returncode, 0, out + err)
        self.assertLess(after[0] - before[0], 2048, (before, after))


if __name__ == "__main__":
    unittest.main()
