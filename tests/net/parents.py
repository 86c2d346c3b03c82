# SPDX-License-Identifier: GPL-3.0-only
"""parents: proxies of the host, in the test's own process, that note what they are asked."""
import base64
import errno
import os
import select
import socket
import ssl
import threading

from netrun import MINE

# Names that these know and the name server does not, or not in time.
HIDDEN = {"hidden.test": "11.0.0.4", "slow.test": "11.0.0.4", "late.test": "11.0.0.4",
          "held-private.test": "11.0.0.4"}
SPEAK_FIRST = (7002, 7006, 7008)


def hang_up(sock):
    """For both sides. Its number is kept: somebody else may be about to read from it."""
    try:
        sock.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


def pump(source, sink, heard):
    try:
        while block := source.recv(65536):
            heard += block
            sink.sendall(block)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        hang_up(sink)


def end(sock):
    """Nothing more comes; whoever is gone need not be told."""
    try:
        sock.shutdown(socket.SHUT_WR)
    except OSError as fault:
        if fault.errno != errno.ENOTCONN:
            raise


class Server:
    """One on 127.0.0.1: serve() for each connection, which fails as it likes."""

    def __init__(self):
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


class Parent(Server):
    """asked: what it was asked for; heard: the bytes of its tunnels."""

    def __init__(self, credentials=None):
        self.credentials = credentials
        self.asked = []
        self.heard = bytearray()
        super().__init__()

    def connect(self, sock, host, port, answer):
        """The answer and what the server says first go out in one piece."""
        if host.endswith(".slow.test"):
            raise OSError("not waited for")
        upstream = socket.create_connection((HIDDEN.get(host, host), port))
        if port in SPEAK_FIRST:
            first = upstream.recv(100)
            self.heard += first
            answer += first
        sock.sendall(answer)
        back = threading.Thread(target=pump, args=(upstream, sock, self.heard), daemon=True)
        back.start()
        pump(sock, upstream, self.heard)
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


def server_context(name):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.path.join(MINE, "tls", name + ".pem"))
    return context


class TlsSide:
    """TLS on one socket, its text on another: each direction ends for itself."""

    def __init__(self, sock, plain, context):
        self.sock, self.plain = sock, plain
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.incoming, self.outgoing, server_side=True)
        self.open = {sock, plain}

    def flush(self):
        self.sock.sendall(self.outgoing.read())

    def shake_hands(self):
        while True:
            try:
                self.tls.do_handshake()
                self.flush()
                return
            except ssl.SSLWantReadError:
                self.flush()
                block = self.sock.recv(65536)
                if not block:
                    raise ConnectionAbortedError from None
                self.incoming.write(block)
            except ssl.SSLError:
                self.flush()
                raise

    def down(self):
        block = self.plain.recv(16384)
        if block:
            self.tls.write(block)
        else:
            self.open.discard(self.plain)
            try:
                self.tls.unwrap()
            except ssl.SSLWantReadError:
                pass
        self.flush()
        if not block:
            end(self.sock)

    def up(self):
        block = self.sock.recv(65536)
        self.incoming.write(block)
        self.read_text(is_over=not block)

    def read_text(self, is_over):
        try:
            while text := self.tls.read(65536):
                self.plain.sendall(text)
        except ssl.SSLWantReadError:
            if not is_over:
                return
        except ssl.SSLZeroReturnError:
            pass
        self.open.discard(self.sock)
        end(self.plain)

    def run(self):
        self.shake_hands()
        self.read_text(is_over=False)  # what came with the last message of the handshake
        while self.open:
            ready = select.select(self.open, (), ())[0]
            if self.sock in ready:
                self.up()
            if self.plain in ready:
                self.down()


class HttpsParent(HttpParent):
    """faults: what went wrong with TLS."""

    def __init__(self, credentials=None, context=None):
        super().__init__(credentials)
        self.context = context or server_context("server")
        self.faults = []

    def serve(self, sock):
        plain, inner = socket.socketpair()
        thread = threading.Thread(target=self.serve_plain, args=(inner,), daemon=True)
        thread.start()
        with plain:
            try:
                TlsSide(sock, plain, self.context).run()
            except (OSError, ssl.SSLError) as fault:
                self.faults.append(fault)
        thread.join()

    def serve_plain(self, sock):
        with sock:
            try:
                super().serve(sock)
            except OSError:
                pass
