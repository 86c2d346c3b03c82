#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""Names, where the host has a proxy: a resolver that drops questions costs little time, and what it
says late still counts."""
import os
import unittest

from netrun import NetTest
from parents import HttpParent, SocksParent

LISTED = ("slow.test", "late.test", "late-private.test", "held-private.test:7001", "web.test")


def env(port, scheme="http", host="127.0.0.1"):
    return {"env": dict(os.environ, https_proxy=f"{scheme}://{host}:{port}")}


class Names(NetTest):
    def test_silence_costs_little_and_once(self):
        for kind, scheme in ((HttpParent, "http"), (SocksParent, "socks5")):
            with kind() as parent:
                rows = self.python("""
rows = [get("http://slow.test/hello") for i in range(4)]
while min(row[3] for row in rows[1:]) > 1.5 and len(rows) < 50:
    rows.append(get("http://slow.test/hello"))
tell(rows)
""", LISTED, **env(parent.port, scheme))
            for row in rows:
                self.assertEqual([row[0], row[2]], [200, "hello from outside\n"], row)
            self.assertTrue(1 < rows[0][3] < 9, rows)  # without a proxy it would be 10 s
            # What waited for the name would take 2 s each time; a busy machine sometimes takes as much.
            self.assertLess(min(row[3] for row in rows[1:]), 1.5, rows)
            self.assertEqual(len(parent.asked), len(rows))

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
row = get("http://web.test/hello")
for thread in threads:
    thread.join()
tell([row, rows])
""", LISTED, **env(parent.port, host="loopback.test"))
        self.assertEqual([rows[0][0], rows[0][2]], [200, "hello from outside\n"])
        self.assertEqual(rows[1], [[502, "parent-failed"]] * 100)  # it does not know them either
        # A look for the proxy behind those for the names would find it after half a minute, and is given
        # up after 10 s.
        self.assertEqual(len(parent.asked), 101)

    def test_a_late_answer_counts(self):
        """The proxy connects meanwhile to a server that is allowed; the host's own resolver says that
        the name leads into a private network."""
        with HttpParent() as parent:
            rows = self.python("""
sock = tunnel("held-private.test:7001")
sock.sendall(b"early")
first = sock.makefile("rb").read(5).decode()
get("http://web.test/say/names")
rest = read_all(sock)
again = ask("held-private.test:7001")[:2]
fine = tunnel("late.test:80")
tell([first, rest, again])
""", LISTED, **env(parent.port))
        self.assertEqual(rows, ["early", "<reset>", [403, "address-refused"]])
        self.assertIn("refused held-private.test:7001 (address-refused", self.said)

    def test_without_a_proxy_names_get_their_time(self):
        row = self.python('tell(get("http://late.test/hello"))', LISTED)
        self.assertEqual(row[0], 200, row)
        row = self.python('tell(ask("late-private.test:443"))', LISTED)
        self.assertEqual(row[:2], [403, "address-refused"], row)


if __name__ == "__main__":
    unittest.main()
