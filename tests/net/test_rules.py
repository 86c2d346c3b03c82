#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""What is refused, with which words, how fast, and what is not."""
import time
import unittest

from netrun import NetTest, log_lines

FAST_S = 0.1


class Rules(NetTest):
    def assert_refused(self, row, status, reason, *words):
        self.assertEqual(row[:2], [status, reason], row)
        for word in words:
            self.assertIn(word, row[2])
        self.assertLessEqual(len(row[2].encode()), 512)
        self.assertEqual(row[2].count("\n"), 4, row[2])

    def test_hosts_and_ports(self):
        rows = self.python("""
tell([ask("other.test:443"), ask("other.test:8443"), ask("web.test:81"), ask("evilweb.test:443"),
      ask("web.test.evil.test:443"), ask("11.0.0.4:443"), get("http://other.test/"),
      get("http://web.test:81/"), ask("[2a00:aaaa::4]:443")])
""")
        self.assert_refused(rows[0], 403, "host-not-listed", "--allow-host other.test\n",
                            "retrying will not help", "rule: ")
        self.assert_refused(rows[1], 403, "host-not-listed", "--allow-host other.test:8443")
        self.assert_refused(rows[2], 403, "port-not-listed", "--allow-host web.test:81")
        for row in rows[3:7] + rows[8:]:
            self.assert_refused(row, 403, "host-not-listed")
        self.assert_refused(rows[7], 403, "port-not-listed")
        self.assertIn("refused other.test:443 (host-not-listed, 1 time); to allow it: "
                      "--allow-host other.test", self.said)
        self.assertNotIn("dns other.test 1", log_lines())

    def test_a_refusal_is_fast(self):
        rows = self.python("""
tell([fastest(ask, "other.test:443"), fastest(ask, "web.test:81"), fastest(ask, "11.0.0.4:443"),
      fastest(get, "http://other.test/"), fastest(get, "http://web.test:81/"),
      fastest(ask, "[2a00:aaaa::4]:443")])
""")
        for row in rows:
            self.assertEqual(row[0], 403, row)
            self.assertLess(row[3], FAST_S, rows)

    def test_names_are_folded_and_subdomains_pass(self):
        rows = self.python("""
tell([get("http://web.test/hello"), get("http://WEB.Test./hello"), get("http://sub.web.test/hello")])
""")
        for row in rows:
            self.assertEqual(row[0], 200, row)
            self.assertEqual(row[2], "hello from outside\n")

    def test_answers_that_lead_inside(self):
        names = ("loopback", "loopback6", "metadata", "private", "own", "own-private", "nat64",
                 "mapped", "sixtofour", "zero", "cgnat", "ula", "linklocal", "documentation")
        hosts = [name + ".test" for name in names]
        rows = self.python(f"tell([ask(name + ':80') for name in {hosts!r}])", hosts)
        for name, row in zip(hosts, rows):
            if name == "mapped.test" and row[1] == "name-unknown":
                continue  # the resolver of libc drops such an answer itself
            self.assert_refused(row, 403, "address-refused")
            offered = "--allow-private" in row[2]
            self.assertEqual(offered, name in ("private.test", "own-private.test", "cgnat.test",
                                               "ula.test"), (name, row))
            for address in ("127.0.0", "10.9", "169.254", "11.0.0", "::"):
                self.assertNotIn(address, row[2])

    def test_private_where_allowed(self):
        private = ["--allow-private", "private.test"]
        rows = self.python("""
tell([get("http://private.test/hello"), ask("loopback.test:80"), ask("metadata.test:80")])
""", ["loopback.test", "metadata.test"], private)
        self.assertEqual(rows[0][0], 200, rows[0])
        self.assert_refused(rows[1], 403, "address-refused")
        self.assert_refused(rows[2], 403, "address-refused")

    def test_literals_and_networks(self):
        rows = self.python("""
tell([get("http://10.9.0.2/hello"), get("http://11.0.0.4/hello"), ask("10.9.0.3:81"),
      ask("169.254.169.254:80"), ask("0x0b000004:80"), ask("11.0.4:80"), ask("11.0.0.04:80")])
""", ["10.9.0.0/24", "11.0.0.4"])
        self.assertEqual([row[0] for row in rows[:2]], [200, 200], rows)
        self.assert_refused(rows[2], 403, "port-not-listed")
        self.assertEqual(rows[3][0], 403)
        for row in rows[4:]:
            self.assert_refused(row, 400, "malformed")

    def test_mixed_answers_keep_the_good_one(self):
        row = self.python('tell(get("http://mixed.test/hello"))', ["mixed.test"])
        self.assertEqual(row[0], 200, row)

    def test_a_name_that_rebinds(self):
        rows = self.python("""
tell([get("http://rebind.test/hello"), ask("rebind.test:80"), ask("rebind2.test:80"),
      get("http://rebind2.test/hello")])
""", ["rebind.test", "rebind2.test"])
        self.assertEqual(rows[0][0], 200, rows[0])
        self.assert_refused(rows[1], 403, "address-refused")
        self.assert_refused(rows[2], 403, "address-refused")
        self.assertEqual(rows[3][0], 200, rows[3])

    def test_one_lookup_for_each_request(self):
        before = len([line for line in log_lines() if line.startswith("dns both.test")])
        row = self.python('tell(get("http://both.test/hello"))', ["both.test"])
        self.assertEqual(row[0], 200, row)
        after = len([line for line in log_lines() if line.startswith("dns both.test")])
        self.assertEqual(after - before, 2)  # A and AAAA

    def test_addresses_that_do_not_answer(self):
        rows = self.python("""
tell([fastest(get, "http://closed-first.test/hello"), get("http://silent-first.test/hello"),
      ask("closed.test:80"), ask("nowhere.test:80"), ask("silent.test:80")])
""", ["closed-first.test", "silent-first.test", "closed.test", "nowhere.test", "silent.test"])
        self.assertEqual(rows[0][0], 200, rows[0])
        self.assertLess(rows[0][3], 1)
        self.assertEqual(rows[1][0], 200, rows[1])
        self.assertLess(rows[1][3], 10)  # which is what both together have
        self.assert_refused(rows[2], 502, "connect-failed")
        self.assert_refused(rows[3], 502, "name-unknown")
        self.assert_refused(rows[4], 502, "connect-timeout")
        self.assertTrue(9 < rows[4][3] < 60, rows[4])

    def test_slow_names_delay_nobody_and_not_the_end(self):
        """What waited for one of these names would wait for the half minute of the resolver."""
        row, still_wait, last = self.python("""
import select
held = [connect() for i in range(40)]
for i, sock in enumerate(held):
    sock.sendall(f"CONNECT n{i}.slow.test:443 HTTP/1.1\\r\\n\\r\\n".encode())
row = get("http://web.test/hello")
tell([row, select.select(held, (), (), 0)[0] == [], time.monotonic()])
""", ["slow.test", "web.test"])
        self.assertLess(time.monotonic() - last, 20)
        self.assertEqual(row[0], 200, row)
        self.assertTrue(still_wait)

    def test_the_resolver_reads_files(self):
        self.assertEqual(self.python('tell(get("http://file.test/hello"))', ["file.test"])[0], 200)

    def test_content_of_tunnels(self):
        rows = self.python("""
def first(target, data):
    sock = tunnel(target)
    sock.sendall(data)
    return read_all(sock)
tell([tls_error(tunnel("web.test:443"), "web.test"),
      tls_error(tunnel("web.test:443"), "other.test"),
      tls_error(tunnel("web.test:443"), None),
      tls_error(tunnel("11.0.0.4:443"), None),
      first("web.test:443", b"SSH-2.0-OpenSSH_9.2\\r\\n"),
      first("web.test:443", b"GET / HTTP/1.1\\r\\nHost: web.test\\r\\n\\r\\n"),
      first("web.test:80", b"GET / HTTP/1.1\\r\\nHost: other.test\\r\\n\\r\\n"),
      first("web.test:80", b"GET /hello HTTP/1.0\\r\\nHost: web.test\\r\\n\\r\\n"),
      first("web.test:80", b"SSH-2.0-OpenSSH_9.2\\r\\n")])
""", ["web.test", "11.0.0.4"])
        self.assertEqual(rows[0], "fine")
        self.assertEqual(rows[1:3], ["TLSV1_UNRECOGNIZED_NAME"] * 2)
        self.assertEqual(rows[3], "fine")
        self.assertEqual(rows[4], "\x15\x03\x03\x00\x02\x02\x28")
        self.assertEqual(rows[5], "\x15\x03\x03\x00\x02\x02\x28")
        self.assertIn("host-header-mismatch", rows[6])
        self.assertIn("hello from outside", rows[7])
        self.assertIn("400 Bad Request", rows[8])
        self.assertNotIn("<reset>", "".join(rows[4:]))

    def test_raw_has_no_content_rule(self):
        rows = self.python("""
sock = tunnel("web.test:80")
sock.sendall(b"GET /hello HTTP/1.0\\r\\nHost: other.test\\r\\n\\r\\n")
tell([read_all(sock), tls_error(tunnel("web.test:443"), "other.test")])
""", ["raw:web.test:80", "raw:web.test:443"])
        self.assertIn("hello from outside", rows[0])
        self.assertEqual(rows[1], "fine")

    def test_segments_of_one_byte(self):
        rows = self.python("""
import ssl
class Slow:
    def __init__(self):
        self.sock = connect()
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    def send(self, data):
        for byte in data:
            self.sock.sendall(bytes([byte]))
slow = Slow()
slow.send(b"CONNECT web.test:443 HTTP/1.1\\r\\nA: b\\r\\n\\r\\n")
read_head(slow.sock)
incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
context = ssl.create_default_context(cafile="ca.pem")
inside = context.wrap_bio(incoming, outgoing, server_hostname="web.test")
while True:
    try:
        inside.do_handshake()
        break
    except ssl.SSLWantReadError:
        slow.send(outgoing.read())
        incoming.write(slow.sock.recv(65536))
slow.send(outgoing.read())
http = Slow()
http.send(b"GET http://web.test/hello HTTP/1.1\\r\\nHost: web.test\\r\\n\\r\\n")
socks5 = Slow()
socks5.send(b"\\x05\\x01\\x00\\x05\\x01\\x00\\x03\\x08web.test" + struct.pack(">H", 7002))
tell([inside.version(), read_all(http.sock), len(socks5.sock.makefile("rb").read(12))])
""")
        self.assertIn("TLS", rows[0])
        self.assertIn("hello from outside", rows[1])
        self.assertEqual(rows[2], 12)

    def test_socks(self):
        rows = self.python("""
def code(*args, **more):
    got, sock = socks(*args, **more)
    sock.close()
    return got
got, sock = socks("web.test", 7002)
text = sock.recv(100).decode()
old = connect()
old.sendall(b"\\x04\\x01\\x00\\x50\\x0b\\x00\\x00\\x04\\x00")
tell([got, text, code("other.test", 443), code("11.0.0.4", 443), code("nowhere.web.test", 80),
      code("web.test", 9), code("web.test", 80, command=2), code("web.test", 80, command=3),
      code("web.test", 80, methods=b"\\x02"), code("::1", 15919), read_all(old),
      code("2a00:aaaa::4", 80)])
""")
        self.assertEqual(rows, [0, "220 hello\r\n", 2, 2, 4, 5, 7, 7, -255, 2, "", 2])

    def test_heads(self):
        rows = self.python("""
tell([request("GET / HTTP/1.1\\r\\nHost: web.test\\r\\n\\r\\n").row(),
      request("PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n").row(),
      request("TRACE http://web.test/ HTTP/1.1\\r\\nHost: web.test\\r\\n\\r\\n").row(),
      request("GET http://web.test/ HTTP/1.1\\r\\nHost: other.test\\r\\n\\r\\n").row(),
      request("GET http://web.test/ HTTP/1.1\\r\\nHost: web.test\\r\\nA: " + "a" * 9000).row(),
      request("POST http://web.test/ HTTP/1.1\\r\\nHost: web.test\\r\\nContent-Length: 1\\r\\n"
              "Transfer-Encoding: chunked\\r\\n\\r\\n").row(),
      request("GET https://web.test/ HTTP/1.1\\r\\nHost: web.test\\r\\n\\r\\n").row(),
      request("CONNECT web.test\\x00.evil:443 HTTP/1.1\\r\\n\\r\\n").row(),
      request(b"\\x16\\x03\\x01\\x00").row()])
""")
        self.assertEqual([row[:2] for row in rows], [
            [400, "malformed"], [400, "malformed"], [405, "method"], [400, "malformed"],
            [431, "head-too-large"], [400, "malformed"], [400, "malformed"], [400, "malformed"],
            [0, None]])

    def test_slow_heads_and_silent_clients(self):
        rows = self.python("""
import threading
rows = {}
def late(name, first, target=None):
    begin = time.monotonic()
    sock = tunnel(target) if target else connect()
    sock.sendall(first)
    rows[name] = [read_all(sock), time.monotonic() - begin]
cases = [("head", b"CONNECT web.test:443 HTTP/1.1\\r\\n"), ("nothing", b""), ("socks", b"\\x05"),
         ("tunnel", b"", "web.test:443"), ("hello", b"\\x16\\x03\\x01\\x02", "web.test:443")]
threads = [threading.Thread(target=late, args=case) for case in cases]
for thread in threads: thread.start()
for thread in threads: thread.join()
tell(rows)
""")
        self.assertIn("408 Request Timeout", rows["head"][0])
        for name, (text, seconds) in rows.items():
            self.assertTrue(9 < seconds < 60, (name, seconds))
            self.assertEqual("408" in text, name == "head", (name, text))

    def test_the_head_that_goes_out(self):
        row = self.python("""
tell(get("http://web.test/head?x=1", "Proxy-Authorization: Basic c2VjcmV0\\r\\nTE: trailers\\r\\n"
         "Connection: X-Drop\\r\\nX-Drop: 1\\r\\nX-Keep: 2\\r\\n"))
""")
        self.assertTrue(row[2].startswith("GET /head?x=1 HTTP/1.1\r\n"), row[2])
        self.assertIn("X-Keep: 2", row[2])
        for word in ("Proxy-", "TE:", "X-Drop", "c2VjcmV0"):
            self.assertNotIn(word, row[2])
        self.assertIn("Connection: close", row[2])


if __name__ == "__main__":
    unittest.main()
