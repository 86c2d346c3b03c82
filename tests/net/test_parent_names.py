#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""Names, where the host has a proxy: a resolver that drops questions costs little time, and what it
says late still counts."""
import os
import unittest

from netrun import NetTest, log_lines, wait_for
from parents import HttpParent, SocksParent

LISTED = ("slow.test", "late.test", "late-private.test", "late-private.test:7001", "web.test")


def env(port, scheme="http", host="127.0.0.1"):
    return {"env": dict(os.environ, https_proxy=f"{scheme}://{host}:{port}")}


class Names(NetTest):
    def test_silence_costs_little_and_once(self):
        for kind, scheme in ((HttpParent, "http"), (SocksParent, "socks5")):
            with kind() as parent:
                rows = self.python("""
tell([get("http://slow.test/hello") for i in range(4)])
""", LISTED, **env(parent.port, scheme))
            for row in rows:
                self.assertEqual([row[0], row[2]], [200, "hello from outside\n"], row)
            self.assertTrue(1 < rows[0][3] < 4, rows)
            for row in rows[1:]:
                self.assertLess(row[3], 1.5, rows)
            self.assertEqual(len(parent.asked), 4)

    def test_many_silent_names_do_not_hide_the_proxy(self):
        """It has a name, too, and is looked up while a hundred others are waited for."""
        with HttpParent() as parent:
            rows = self.python("""
import threading
rows = []
def one(i):
    rows.append(ask(f"n{i}.slow.test:443")[:2])
threads = [threading.Thread(target=one, args=(i,)) for i in range(100)]
for thread in threads:
    thread.start()
begin = time.monotonic()
row = get("http://web.test/hello")
for thread in threads:
    thread.join()
tell([row, rows, time.monotonic() - begin])
""", LISTED, **env(parent.port, host="loopback.test"))
        self.assertEqual([rows[0][0], rows[0][2]], [200, "hello from outside\n"])
        self.assertEqual(rows[1], [[502, "parent-failed"]] * 100)  # it does not know them either
        self.assertLess(rows[2], 9)
        self.assertEqual(len(parent.asked), 101)

    def test_a_late_answer_counts(self):
        """The proxy connects meanwhile to a server that is allowed; the host's own resolver says that
        the name leads into a private network."""
        before = len(log_lines())
        with HttpParent() as parent:
            rows = self.python("""
sock = tunnel("late-private.test:7001")
sock.sendall(b"early")
first = sock.recv(5).decode()
begin = time.monotonic()
rest = read_all(sock)
took = time.monotonic() - begin
again = ask("late-private.test:7001")[:2]
fine = tunnel("late.test:80")
tell([first, rest, took, again])
""", LISTED, **env(parent.port))
        self.assertEqual(rows[:2], ["early", "<reset>"])
        self.assertLess(rows[2], 3)
        self.assertEqual(rows[3], [403, "address-refused"])
        self.assertIn("refused late-private.test:7001 (address-refused", self.said)
        wait_for(lambda: len(log_lines()) > before, "the log")

    def test_without_a_proxy_names_get_their_time(self):
        row = self.python('tell(get("http://late.test/hello"))', LISTED)
        self.assertEqual(row[0], 200, row)
        row = self.python('tell(ask("late-private.test:443"))', LISTED)
        self.assertEqual(row[:2], [403, "address-refused"], row)


if __name__ == "__main__":
    unittest.main()
