# SPDX-License-Identifier: GPL-3.0-only
"""parents: proxies of the host, in the test's own process, that note what they are asked."""
import base64
import socket
import threading

# Names that these know and the name server does not.
HIDDEN = {"hidden.test": "11.0.0.4"}


def pump(source, sink):
    try:
        while block := source.recv(65536):
            sink.sendall(block)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        sink.close()


class Parent:
    """One on 127.0.0.1; asked: what it was asked for."""

    def __init__(self, credentials=None):
        self.credentials = credentials
        self.asked = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self.accept, daemon=True)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *args):
        self.listener.shutdown(socket.SHUT_RDWR)  # wakes up who accepts
        self.thread.join()
        self.listener.close()

    def accept(self):
        while True:
            try:
                sock = self.listener.accept()[0]
            except OSError:
                return
            threading.Thread(target=self.serve_one, args=(sock,), daemon=True).start()

    def serve_one(self, sock):
        with sock:
            try:
                self.serve(sock)
            except OSError:
                pass

    def connect(self, sock, host, port, answer):
        """The answer and what the server says first go out in one piece."""
        upstream = socket.create_connection((HIDDEN.get(host, host), port), timeout=10)
        upstream.settimeout(0.05)
        try:
            answer += upstream.recv(100)
        except TimeoutError:
            pass
        upstream.settimeout(None)
        sock.sendall(answer)
        back = threading.Thread(target=pump, args=(upstream, sock), daemon=True)
        back.start()
        pump(sock, upstream)
        back.join()
        upstream.close()


class HttpParent(Parent):
    def serve(self, sock):
        head = b""
        while b"\r\n\r\n" not in head:
            block = sock.recv(1000)
            if not block:
                return
            head += block
        lines = head.decode("latin-1").split("\r\n")
        self.asked.append(lines[0])
        wanted = "Basic " + base64.b64encode((self.credentials or "").encode()).decode()
        given = [line.split(": ", 1)[1] for line in lines if line.startswith("Proxy-Authorization: ")]
        if given != ([wanted] if self.credentials else []):
            sock.sendall(b"HTTP/1.1 407 Who are you\r\nProxy-Authenticate: Basic\r\n\r\n")
            return
        host, port = lines[0].split()[1].rsplit(":", 1)
        self.connect(sock, host, int(port), b"HTTP/1.1 200 Go\r\nVia: a test\r\n\r\n")


class SocksParent(Parent):
    def serve(self, sock):
        file = sock.makefile("rb")
        methods = file.read(file.read(2)[1])
        wanted = 2 if self.credentials else 0
        if wanted not in methods:
            sock.sendall(b"\x05\xff")
            return
        sock.sendall(bytes([5, wanted]))
        if wanted:
            user = file.read(file.read(2)[1]).decode()
            password = file.read(file.read(1)[0]).decode()
            right = f"{user}:{password}" == self.credentials
            sock.sendall(b"\x01\x00" if right else b"\x01\x01")
            if not right:
                return
        kind = file.read(4)[3]
        host = (file.read(file.read(1)[0]).decode() if kind == 3
                else socket.inet_ntop(*((socket.AF_INET, file.read(4)) if kind == 1
                                        else (socket.AF_INET6, file.read(16)))))
        port = int.from_bytes(file.read(2), "big")
        self.asked.append(f"{host}:{port}")
        self.connect(sock, host, port, b"\x05\x00\x00\x01\0\0\0\0\0\0")
