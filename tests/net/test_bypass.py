#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""Attempts to get past the proxy's decisions: E-PRX-02 to 20, from inside, beside what must pass."""
import socket
import unittest

from netrun import NetTest, log_lines

LABEL = "a" * 64
LONG = ".".join(["a" * 63] * 3 + ["a" * 57]) + ".test"  # 254 bytes


class Bypass(NetTest):
    def verdicts(self, targets, hosts=("web.test",)):
        """{target: [status, reason]} of CONNECT, and the SOCKS reply where a name fits."""
        rows = self.python(f"""
def socks_code(target):
    host = target.rsplit(":", 1)[0].strip("[]")
    if not 0 < len(host) < 256 or ":" in host:
        return None
    sock = connect()
    raw = host.encode("latin-1")
    sock.sendall(b"\\x05\\x01\\x00\\x05\\x01\\x00\\x03" + bytes([len(raw)]) + raw + b"\\x01\\xbb")
    return (sock.makefile("rb").read(4) + b"\\xff\\xff\\xff\\xff")[3]
tell([[target, ask(target)[:2], socks_code(target)] for target in {targets!r}])
""", hosts)
        return {target: (row, code) for target, row, code in rows}

    def test_bytes_in_hosts(self):
        targets = [f"{host}:443" for host in (
            "web.test\0.other.test", "web.test%00", "web.test\nX", "web.test\t", "web.test/",
            "web.test\\", LABEL + ".test", LONG, ".", "..", ".web.test", "web.test..",
            "other.test@web.test", "other.test#web.test", "web%2etest", "w\xe9b.test", "127.1",
            "0177.0.0.1", "0x7f000001", "2130706433", "127.000.000.001", "0", "[fe80::1%25lo]",
            "[::1", "::1", "[web.test]", "web.test:443@other.test", "web.test:443",
            "11.0.4", "0xb.0.0.4", "web.test ")]
        before = len(log_lines())
        for target, (row, code) in self.verdicts(targets).items():
            self.assertEqual(row, [400, "malformed"], repr(target))
            if target not in ("web.test:443:443", "::1:443", "[web.test]:443"):
                self.assertNotEqual(code, 0, repr(target))
        self.assertEqual([line for line in log_lines()[before:] if "other" in line], [])

    def test_ports(self):
        targets = ["web.test:0", "web.test:65536", "web.test:443abc", "web.test:+443", "web.test:",
                   "web.test", "web.test:0443", "web.test: 443", "web.test:-1"]
        for target, (row, _) in self.verdicts(targets).items():
            self.assertEqual(row, [400, "malformed"], target)
        rows = self.python('tell([ask("web.test:22")[:2], ask("web.test:443")[:2]])',
                           ["web.test:8443"])
        self.assertEqual(rows, [[403, "port-not-listed"]] * 2)

    def test_names_beside_listed_ones(self):
        for target, (row, code) in self.verdicts(
                [f"{host}:443" for host in ("evilweb.test", "web.test.evil.test", "test",
                                            "xn--wb-bja.test", "webtest", "web.tes")]).items():
            self.assertEqual(row, [403, "host-not-listed"], target)
            self.assertEqual(code, 2, target)

    def test_every_spelling_of_this_machine(self):
        with socket.create_server(("", 4100), family=socket.AF_INET6, dualstack_ipv6=True) as server:
            server.settimeout(0.05)
            targets = [f"{host}:4100" for host in (
                "localhost", "localhost.", "127.0.0.1", "127.9.9.9", "[::1]", "[::]", "0.0.0.0",
                "[::ffff:127.0.0.1]", "[0:0:0:0:0:ffff:7f00:1]", "[::127.0.0.1]",
                "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[2001:0:7f00:1::]", "11.0.0.1",
                "10.9.0.1", "[2a00:aaaa::1]", "loopback.test", "own.test", "nat64.test")]
            rows = self.python(f"tell([[t, ask(t)[:2]] for t in {targets!r}])",
                               ["loopback.test:4100", "own.test:4100", "nat64.test:4100"])
            for target, row in rows:
                self.assertIn(row[0], (403, 502), target)
                if row[0] == 502:  # the jail's own, where nothing listens
                    self.assertEqual(row[1], "connect-failed", target)
            with self.assertRaises(TimeoutError):
                server.accept()
            server.settimeout(None)
            socket.create_connection(("127.0.0.1", 4100)).close()  # it does answer
            server.accept()[0].close()

    def test_ranges_as_targets(self):
        hosts = ("0.1.2.3", "10.1.1.1", "100.64.0.1", "169.254.169.254", "172.16.0.1", "192.168.1.1",
                 "224.0.0.1", "240.0.0.1", "255.255.255.255", "[fe80::1]", "[fc00::1]", "[ff02::1]",
                 "[64:ff9b::a9fe:a9fe]", "[::ffff:a9fe:a9fe]", "[fd00:ec2::254]", "192.0.2.1",
                 "198.18.0.1", "100.100.100.200")
        rows = self.python(f"tell([[h, ask(h + ':80')[:2]] for h in {hosts!r}])",
                           ["web.test", "11.0.0.4"])
        for host, row in rows:
            self.assertEqual(row[0], 403, (host, row))

    def test_an_entry_is_itself_alone(self):
        rows = self.python("""
tell([get("http://11.0.0.4/hello")[0], ask("11.0.0.5:80")[:2], ask("11.0.0.4:8080")[:2],
      ask("web.test:80")[:2]])
""", ["11.0.0.4"])
        self.assertEqual(rows, [200, [403, "host-not-listed"], [403, "port-not-listed"],
                                [403, "host-not-listed"]])
        rows = self.python('tell([ask("web.test:80")[:2], ask("other.test:7001")[:2]])',
                           ["raw:web.test:7001"])
        self.assertEqual(rows, [[403, "port-not-listed"], [403, "host-not-listed"]])

    def test_nothing_goes_out_before_it_is_judged(self):
        before = len(log_lines())
        rows = self.python("""
import os, ssl
def hello(name):
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    context = ssl.create_default_context()
    context.check_hostname = False
    side = context.wrap_bio(incoming, outgoing, server_hostname=name)
    try:
        side.do_handshake()
    except ssl.SSLWantReadError:
        pass
    return outgoing.read()
def records(data, size):
    body = data[5:]
    return b"".join(b"\\x16\\x03\\x01" + struct.pack(">H", len(body[i:i + size])) + body[i:i + size]
                    for i in range(0, len(body), size))
def first(target, data):
    sock = tunnel(target)
    try:
        sock.sendall(data)
        return read_all(sock)[:7] if not sock.shutdown(socket.SHUT_WR) else None
    except OSError:
        return "closed"
def passes(target, data):
    sock = tunnel(target)
    sock.sendall(data)
    return sock.recv(1) == b"\\x16"
tell([[first("web.test:443", hello("other.test")), first("web.test:443", hello("web.test.evil.test")),
       first("web.test:443", b"\\x16\\x03\\x01\\x40\\x00" + os.urandom(1 << 20)),
       first("web.test:443", b"\\x80" + os.urandom(2000)), first("web.test:80", hello("other.test")),
       first("web.test:80", b"GET http://other.test/ HTTP/1.1\\r\\nHost: other.test\\r\\n\\r\\n")],
      [passes("web.test:443", hello("WEB.test")), passes("web.test:443", records(hello("web.test"), 3)),
       passes("web.test:443", records(hello("web.test"), 100))]])
""")
        for answer in rows[0]:
            self.assertTrue(answer.startswith(("\x15\x03", "HTTP/1.", "closed", "<reset")), rows[0])
        self.assertEqual(rows[1], [True] * 3)
        served = [line for line in log_lines()[before:] if line.startswith("http")]
        self.assertEqual(served, [])

    def test_requests_that_two_readers_read_differently(self):
        before = len(log_lines())
        heads = ["Host: web.test\r\nHost: web.test\r\n", "Host: other.test\r\n",
                 "Host: web.test\r\nContent-Length: 1\r\nContent-Length: 2\r\n",
                 "Host: web.test\r\nContent-Length: +1\r\n",
                 "Host: web.test\r\nTransfer-Encoding: chunked, identity\r\n",
                 "Host: web.test\r\nTransfer-Encoding: xchunked\r\n",
                 "Host: web.test\r\nA: b\r\n folded\r\n", "Host : web.test\r\n",
                 "Host: web.test\r\nA: b\0c\r\n", "Host: web.test\r\nA: b\rc\r\n"]
        lines = ["GET http://user@web.test/ HTTP/1.1", "GET https://web.test/ HTTP/1.1",
                 "GET http://web.test/", "TRACE http://web.test/ HTTP/1.1",
                 "TRACK http://web.test/ HTTP/1.1", "GET http://web.test/a b HTTP/1.1",
                 "GET http://web.test:80:81/ HTTP/1.1", "GET ftp://web.test/ HTTP/1.1",
                 "GET * HTTP/1.1", "CONNECT http://web.test/ HTTP/1.1"]
        rows = self.python(f"""
tell([request("POST http://web.test/x HTTP/1.1\\r\\n" + head + "\\r\\n").row()[:2] for head in {heads!r}]
     + [request(line + "\\r\\nHost: web.test\\r\\n\\r\\n").row()[:2] for line in {lines!r}])
""")
        for what, row in zip(heads + lines, rows):
            self.assertIn(row[0], (400, 403, 405), what)
        self.assertEqual([line for line in log_lines()[before:] if line.startswith("http")], [])

    def test_aliases_are_judged_by_where_they_lead(self):
        with socket.create_server(("127.0.0.1", 4101)) as server:
            server.settimeout(0.05)
            rows = self.python("""
tell([ask("alias.test:4101")[:2], ask("alias.test:80")[:2], get("http://alias-web.test/hello")[0]])
""", ["alias.test", "alias.test:4101", "alias-web.test"])
            self.assertEqual(rows, [[403, "address-refused"]] * 2 + [200])
            with self.assertRaises(TimeoutError):
                server.accept()

    def test_server_names_that_say_two_things(self):
        """Two names, a name with NUL, one outer name for an encrypted one; all beside what passes."""
        rows = self.python("""
def extension(kind, data):
    return struct.pack(">HH", kind, len(data)) + data
def names(*hosts):
    entries = b"".join(b"\\0" + struct.pack(">H", len(host)) + host for host in hosts)
    return extension(0, struct.pack(">H", len(entries)) + entries)
def hello(*extensions):
    data = b"".join(extensions)
    body = (b"\\x03\\x03" + bytes(32) + b"\\0" + b"\\0\\x02\\x13\\x01" + b"\\x01\\0" +
            struct.pack(">H", len(data)) + data)
    message = b"\\x01" + struct.pack(">I", len(body))[1:] + body
    return b"\\x16\\x03\\x01" + struct.pack(">H", len(message)) + message
def verdict(*extensions):
    sock = tunnel("web.test:443")
    sock.sendall(hello(*extensions))
    sock.shutdown(socket.SHUT_WR)
    answer = read_all(sock)
    return [ord(byte) for byte in answer[:7]][-1:] if len(answer) == 7 else "server"
ech = extension(0xFE0D, b"\\0\\0\\x01\\0\\x01\\x42\\0\\0\\0\\0")
tell([verdict(names(b"web.test", b"other.test")), verdict(names(b"web.test"), names(b"other.test")),
      verdict(names(b"web.test\\0.other.test")), verdict(ech, names(b"other.test")), verdict(ech),
      verdict(names(b"web.test")), verdict(ech, names(b"WEB.test"))])
""")
        self.assertEqual(rows[:5], [[112]] * 5)
        self.assertNotIn([112], rows[5:])

    def test_others_are_served_during_slow_ones(self):
        rows = self.python("""
import select
slow = [connect() for _ in range(300)]
for sock in slow:
    sock.sendall(b"GET http://web.test/ HT")
half = [tunnel("web.test:443") for _ in range(50)]
for sock in half:
    sock.shutdown(socket.SHUT_WR)
row = get("http://web.test/hello")
tell([row[0], select.select(slow, (), (), 0)[0] == []])
""")
        self.assertEqual(rows, [200, True])  # before one of the others was given up


if __name__ == "__main__":
    unittest.main()
