#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""Bytes through the proxy: all of them, in order, both ways, and how they end."""
import hashlib
import os
import unittest

from netrun import PROJECT, NetTest, log_lines

BIG = 100 * 1024 * 1024


def pattern_digest(size):
    block = bytes(range(256)) * 256
    digest = hashlib.sha256()
    for _ in range(size // len(block)):
        digest.update(block)
    digest.update(block[:size % len(block)])
    return digest.hexdigest()


class Streams(NetTest):
    def test_big_ones_both_ways(self):
        down, up, both = self.python(f"""
import threading
size = {BIG}
def download():
    sock = tunnel("web.test:7003")
    sock.sendall(f"{{size}}\\n".encode())
    whole, n = hashlib.sha256(), 0
    while block := sock.recv(1 << 20):
        whole.update(block)
        n += len(block)
    return [n, whole.hexdigest()]
def upload():
    sock = tunnel("web.test:7004")
    block = pattern(1 << 20)
    for _ in range(size >> 20):
        sock.sendall(block)
    sock.shutdown(socket.SHUT_WR)
    return sock.makefile().read()
def duplex():
    sock = tunnel("web.test:7001")
    block = pattern(1 << 20)
    def send():
        for _ in range(20):
            sock.sendall(block)
        sock.shutdown(socket.SHUT_WR)
    thread = threading.Thread(target=send)
    thread.start()
    data = b""
    while got := sock.recv(1 << 20):
        data += got
    thread.join()
    return digest(data)
tell([download(), upload(), duplex()])
""")
        self.assertEqual(down, [BIG, pattern_digest(BIG)])
        self.assertEqual(up, pattern_digest(BIG))
        self.assertEqual(both, pattern_digest(20 << 20))

    def test_half_close(self):
        text, said = self.python("""
sock = tunnel("web.test:7004")
sock.sendall(b"abc")
sock.shutdown(socket.SHUT_WR)
other = tunnel("web.test:7008")
first = other.recv(100)
end = other.recv(100)
other.sendall(pattern(300000))
other.close()
arrived = is_logged("after the end " + digest(pattern(300000)))
tell([sock.makefile().read(), [first.decode(), end.decode(), arrived]])
""")
        self.assertEqual(text, hashlib.sha256(b"abc").hexdigest())
        self.assertEqual(said, ["last words", "", True])

    def test_a_slow_reader_stops_its_sender(self):
        # What the kernel may hold for two connections, and a little for us.
        most = 1 << 21
        for name in ("tcp_rmem", "tcp_wmem"):
            with open(f"/proc/sys/net/ipv4/{name}", encoding="ascii") as file:
                most += 3 * int(file.read().split()[2])
        buffered, text = self.python(f"most = {most}" + """
sock = tunnel("web.test:7007")
sock.setblocking(False)
block, sent = pattern(1 << 16), 0
last = time.monotonic()
while time.monotonic() - last < 2 and sent <= most:
    try:
        sent += sock.send(block[sent % 65536:])
        last = time.monotonic()
    except BlockingIOError:
        time.sleep(0.01)
sock.settimeout(LIMIT_S)
get("http://web.test/say/read")
sock.sendall(block[sent % 65536:])
total = sent + 65536 - sent % 65536
sock.shutdown(socket.SHUT_WR)
tell([sent, sock.makefile().read() == digest(pattern(total))])
""")
        self.assertLess(buffered, most)
        self.assertTrue(text)

    def test_resets_are_passed_on(self):
        text, arrived = self.python("""
import struct
sock = tunnel("web.test:7005")
sock.sendall(b"x")
other = tunnel("web.test:7006")
other.recv(1)
other.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
other.close()
tell([read_all(sock), is_logged("ended with reset")])
""")
        self.assertEqual([text, arrived], ["<reset>", True])

    def test_a_reset_behind_unread_bytes_is_no_end(self):
        """What is cut off must not look complete."""
        told = self.python("""
sock, other = tunnel("web.test:7009"), tunnel("web.test:7009")
sock.sendall(b"x")
other.sendall(b"?")
assert other.recv(1) == b"!"
tell(count_all(sock))
""")
        self.assertEqual(told[1], "reset", told)

    def test_many_at_once_keep_their_bytes_apart(self):
        self.assertEqual(self.python("""
import os, threading
def one(i):
    sock = tunnel("web.test:7001")
    sent = os.urandom((1 << 19) + i)
    def send():
        sock.sendall(sent)
        sock.shutdown(socket.SHUT_WR)
    thread = threading.Thread(target=send)
    thread.start()
    got = sock.makefile("rb").read()
    thread.join()
    rows[i] = got == sent
rows = [False] * 24
threads = [threading.Thread(target=one, args=(i,)) for i in range(len(rows))]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
tell([rows])
"""), [[True] * 24])

    def test_servers_that_speak_first(self):
        self.assertEqual(self.python("""
sock = tunnel("web.test:7002")
first = sock.recv(100)
sock.sendall(b"QUIT\\r\\n")
tell([first.decode(), read_all(sock)])
"""), ["220 hello\r\n", "221 bye\r\n"])

    def test_bodies_of_requests(self):
        size = 3_000_001
        rows = self.python(f"""
body = pattern({size})
def post(fields, data, path="/post"):
    text = f"POST http://web.test{{path}} HTTP/1.1\\r\\nHost: web.test\\r\\n{{fields}}\\r\\n"
    return request(text.encode() + data).row()
chunks = b"".join(b"%x\\r\\n%s\\r\\n" % (len(body[i:i + 70000]), body[i:i + 70000])
                  for i in range(0, len(body), 70000)) + b"0\\r\\n\\r\\n"
tell([post(f"Content-Length: {{len(body)}}\\r\\n", body),
      post("Transfer-Encoding: chunked\\r\\n", chunks),
      post(f"Content-Length: {{len(body)}}\\r\\n", body[:2000], "/early")])
""")
        self.assertEqual([row[0] for row in rows], [200, 200, 413], rows)
        self.assertEqual([row[2] for row in rows[:2]], [pattern_digest(size)] * 2)
        self.assertEqual(rows[2][2], "too much\n")

    def test_a_second_request_is_not_served(self):
        before = len(log_lines())
        row = self.python("""
tell(request("GET http://web.test/hello HTTP/1.1\\r\\nHost: web.test\\r\\n\\r\\n"
             "GET http://web.test/second HTTP/1.1\\r\\nHost: web.test\\r\\n\\r\\n").row())
""")
        self.assertEqual(row[2], "hello from outside\n")
        self.assertFalse([line for line in log_lines()[before:] if "/second" in line])

    def test_curl_does_both(self):
        """Expect: 100-continue, uploads, ranges of sizes."""
        path = os.path.join(PROJECT, "upload")
        with open(path, "wb") as file:
            file.write(bytes(range(256)) * 8192)
        out, _ = self.run_jail(["curl", "-sS", "-f", "-T", "upload", "-H", "Expect: 100-continue",
                                "http://web.test/put"])
        with open(path, "rb") as file:
            self.assertEqual(out, hashlib.sha256(file.read()).hexdigest())
        out, _ = self.run_jail(["sh", "-c", "curl -sS --cacert ca.pem https://web.test/big/5000000 "
                                "| wc -c"])
        self.assertEqual(out.strip(), "5000000")


if __name__ == "__main__":
    unittest.main()
