#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""servers: the Internet of these tests, in a network namespace of its own.

Usage: servers.py DIRECTORY. Says "here", waits for a line, sets its addresses up, says "ready", and
ends with its standard input. DIRECTORY has server.pem, server.key and mine/web/, which is served; the
log of everything that arrives is written to DIRECTORY/log.

    11.0.0.4, 2a00:aaaa::4  everything          11.0.0.5  takes no connection and says nothing
    11.0.0.6                nothing listens     10.9.0.2, 169.254.169.254  a web server
"""
import ctypes
import hashlib
import http.server
import os
import socket
import socketserver
import ssl
import struct
import subprocess
import sys
import threading
import time
import urllib.parse
import warnings

BASE = sys.argv[1]
PUBLIC = "11.0.0.4"
ADDRESSES = (PUBLIC + "/24", "11.0.0.5/24", "11.0.0.6/24", "10.9.0.2/24", "169.254.169.254/32",
             "2a00:aaaa::4/64", *(f"11.0.0.{last}/24" for last in range(20, 28)))
LOG_LOCK = threading.Lock()

# name: addresses, in this order
NAMES = {
    "web": [PUBLIC], "sub.web": [PUBLIC], "other": [PUBLIC], "registry": [PUBLIC],
    "six": ["2a00:aaaa::4"], "both": [PUBLIC, "2a00:aaaa::4"],
    "silent": ["11.0.0.5"], "silent-first": ["11.0.0.5", PUBLIC],
    "closed": ["11.0.0.6"], "closed-first": ["11.0.0.6", PUBLIC],
    "loopback": ["127.0.0.1"], "loopback6": ["::1"], "metadata": ["169.254.169.254"],
    "private": ["10.9.0.2"], "mixed": ["10.9.0.2", PUBLIC], "own": ["11.0.0.1"],
    "own-private": ["10.9.0.1"], "nat64": ["64:ff9b::7f00:1"], "mapped": ["::ffff:127.0.0.1"],
    "sixtofour": ["2002:7f00:1::1"], "zero": ["0.0.0.0"], "cgnat": ["100.64.0.1"],
    "expired": ["11.0.0.20"], "self": ["11.0.0.21"], "old-tls": ["11.0.0.22"],
    "garbage": ["11.0.0.23"], "hangs-up": ["11.0.0.24"], "mute": ["11.0.0.25"],
    "alerts": ["11.0.0.26"], "floods": ["11.0.0.27"], "late": [PUBLIC], "late-private": ["10.9.0.2"],
    "held-private": ["10.9.0.2"],
    "ula": ["fd12::1"], "linklocal": ["fe80::1"], "documentation": ["192.0.2.1"],
}
# name: the name that it stands for, and the address that comes along
ALIASES = {"alias": ("localhost", "127.0.0.1"), "alias-web": ("web.test", PUBLIC)}
# name: addresses of the first, the second ... answer; the last one stays
CHANGING = {"rebind": [[PUBLIC], ["127.0.0.1"]], "rebind2": [["127.0.0.1"], [PUBLIC]]}


def log(text):
    with LOG_LOCK, open(os.path.join(BASE, "log"), "a", encoding="utf-8") as file:
        file.write(text + "\n")


def is_logged(text):
    """Before long."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        with open(os.path.join(BASE, "log"), encoding="utf-8") as file:
            if text in file.read().splitlines():
                return True
        time.sleep(0.01)
    return False


# ---- names ----

SAID = {"names": threading.Event(), "read": threading.Event()}  # GET /say/...


class Names(socketserver.BaseRequestHandler):
    asked = {}

    def handle(self):
        data, sock = self.request
        at, labels = 12, []
        while data[at]:
            labels.append(data[at + 1:at + 1 + data[at]].decode("latin-1").lower())
            at += data[at] + 1
        kind = struct.unpack_from(">H", data, at + 1)[0]
        name = ".".join(labels)
        log(f"dns {name} {kind}")
        short = name[:-len(".test")] if name.endswith(".test") else None
        if short is not None and (short == "slow" or short.endswith(".slow")):
            return
        if short is not None and short.startswith("late"):
            time.sleep(2.6)
        if short is not None and short.startswith("held"):
            SAID["names"].wait()
        sock.sendto(self.answer(data, data[12:at + 5], short, kind), self.client_address)

    def answer(self, data, question, short, kind):
        addresses = NAMES.get(short)
        if short in CHANGING and kind == 1:
            n = self.asked[short] = self.asked.get(short, 0) + 1
            addresses = CHANGING[short][min(n, len(CHANGING[short])) - 1]
        elif short in CHANGING:
            addresses = []
        records = b""
        count = 0
        owner = b"\xc0\x0c"
        if short in ALIASES:
            alias, address = ALIASES[short]
            owner = b"".join(bytes([len(part)]) + part.encode() for part in alias.split(".")) + b"\0"
            records += struct.pack(">HHHIH", 0xC00C, 5, 1, 0, len(owner)) + owner
            count, addresses = 1, [address]
        code = 0 if addresses is not None else 3
        for address in addresses or []:
            family = socket.AF_INET6 if ":" in address else socket.AF_INET
            if kind != (28 if ":" in address else 1):
                continue
            packed = socket.inet_pton(family, address)
            records += owner + struct.pack(">HHIH", kind, 1, 0, len(packed)) + packed
            count += 1
        return data[:2] + struct.pack(">HHHHH", 0x8180 | code, 1, count, 0, 0) + question + records


# ---- the web ----

class Web(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, *args):
        super().__init__(*args, directory=os.path.join(BASE, "mine/web"))

    def log_message(self, *args):
        pass

    def reply(self, body, status=200, headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def note(self):
        log(f"http {self.command} {self.headers.get('Host')} {self.path}")
        kind = "tls" if isinstance(self.connection, ssl.SSLSocket) else "plain"
        for name in ("Authorization", "X-Api-Key"):
            if name in self.headers:
                log(f"{kind} {self.headers.get('Host')} {name}: {self.headers[name]}")

    def do_GET(self):
        self.note()
        if self.path.startswith("/head"):
            self.reply(self.raw_requestline + bytes(self.headers))
        elif self.path.startswith("/hello"):
            self.reply(b"hello from outside\n")
        elif self.path.startswith("/redirect"):
            self.reply(b"there\n", 302, [("Location", "http://other.test/hello")])
        elif self.path.startswith("/say/"):
            SAID[self.path.split("/")[2]].set()
            self.reply(b"said\n")
        elif self.path.startswith("/logged/"):
            is_there = is_logged(urllib.parse.unquote(self.path.split("/", 2)[2]))
            self.reply(b"", 200 if is_there else 404)
        elif self.path.startswith("/big/"):
            self.send_big(int(self.path.split("/")[2]))
        else:
            super().do_GET()

    def send_big(self, size):
        self.send_response(200)
        self.send_header("Content-Length", str(size))
        self.end_headers()
        block = bytes(range(256)) * 256
        while size > 0:
            self.wfile.write(block[:size])
            size -= min(size, len(block))

    def read_body(self):
        digest = hashlib.sha256()
        if self.headers.get("Transfer-Encoding") == "chunked":
            while size := int(self.rfile.readline(), 16):
                digest.update(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
        else:
            left = int(self.headers.get("Content-Length", 0))
            while left > 0:
                block = self.rfile.read(min(left, 65536))
                digest.update(block)
                left -= len(block)
        return digest.hexdigest()

    def do_POST(self):
        self.note()
        if self.path.startswith("/early"):
            self.reply(b"too much\n", 413, [("Connection", "close")])
            self.close_connection = True
        else:
            self.reply(self.read_body().encode())

    do_PUT = do_POST


class WebServer(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 1024

    def server_bind(self):
        """Without asking for the name of its own address: there is no name server yet."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address[:2]

    def handle_error(self, *args):
        pass


class WebServer6(WebServer):
    address_family = socket.AF_INET6


class TlsServer(WebServer):
    certificate = "server"

    def context(self):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(os.path.join(BASE, self.certificate + ".pem"),
                                os.path.join(BASE, self.certificate + ".key"))
        return context

    def finish_request(self, request, client_address):
        context = self.context()
        log("tls connection")
        try:
            with context.wrap_socket(request, server_side=True) as wrapped:
                super().finish_request(wrapped, client_address)
        except (ssl.SSLError, OSError):
            pass


class TlsServer6(TlsServer):
    address_family = socket.AF_INET6


class ExpiredServer(TlsServer):
    certificate = "expired"


class SelfSignedServer(TlsServer):
    certificate = "self"


class OldTlsServer(TlsServer):
    certificate = "odd"

    def context(self):
        context = super().context()
        warnings.simplefilter("ignore", DeprecationWarning)
        context.minimum_version = ssl.TLSVersion.TLSv1
        context.maximum_version = ssl.TLSVersion.TLSv1
        context.set_ciphers("ALL:@SECLEVEL=0")
        return context


# ---- port 443 without TLS, or not all of it: one function for each address ----

def garbage(sock):
    sock.recv(4096)
    sock.sendall(b"SSH-2.0-not TLS at all\r\n" * 3)
    sock.recv(4096)


def hangs_up(sock):
    """In the middle of its first record."""
    sock.recv(4096)
    sock.sendall(b"\x16\x03\x03\x00\x7a\x02\x00\x00\x76\x03\x03")


def mute(sock):
    while sock.recv(4096):
        pass


def alerts(sock):
    sock.recv(4096)
    sock.sendall(b"\x15\x03\x03\x00\x02\x02\x28")
    sock.recv(4096)


def floods(sock):
    """Takes a request, then wants new keys again and again and reads no answer."""
    ssl3 = ctypes.CDLL("libssl.so.3")
    for name in ("TLS_server_method", "SSL_CTX_new", "SSL_new"):
        getattr(ssl3, name).restype = ctypes.c_void_p
    context = ctypes.c_void_p(ssl3.SSL_CTX_new(ctypes.c_void_p(ssl3.TLS_server_method())))
    ssl3.SSL_CTX_use_certificate_file(context, os.path.join(BASE, "server.pem").encode(), 1)
    ssl3.SSL_CTX_use_PrivateKey_file(context, os.path.join(BASE, "server.key").encode(), 1)
    session = ctypes.c_void_p(ssl3.SSL_new(context))
    ssl3.SSL_set_fd(session, sock.fileno())
    buffer = ctypes.create_string_buffer(4096)
    if ssl3.SSL_accept(session) != 1 or ssl3.SSL_read(session, buffer, len(buffer)) <= 0:
        log("flood: no request")
        return
    count, end = 0, time.monotonic() + 90  # the buffers between the two alone take very many
    while time.monotonic() < end:
        count += 1
        if ssl3.SSL_key_update(session, 1) != 1 or ssl3.SSL_do_handshake(session) != 1:
            log(f"flood: broken off after {count}")
            return
    log(f"flood: all {count} were taken")


ODD = {"11.0.0.27": floods, "11.0.0.23": garbage, "11.0.0.24": hangs_up, "11.0.0.25": mute, "11.0.0.26": alerts}


class NameServer(socketserver.ThreadingUDPServer):
    daemon_threads = True


class OddHandler(socketserver.BaseRequestHandler):
    def handle(self):
        log(f"odd {self.server.server_address[0]}")
        ODD[self.server.server_address[0]](self.request)


# ---- plain TCP: one function for each port ----

def echo(sock):
    while block := sock.recv(65536):
        sock.sendall(block)
    sock.shutdown(socket.SHUT_WR)


def banner(sock):
    sock.sendall(b"220 hello\r\n")
    sock.recv(100)
    sock.sendall(b"221 bye\r\n")


def source(sock):
    """As many bytes as the line says, then the end."""
    size = int(sock.makefile("rb").readline())
    block = bytes(range(256)) * 256
    while size > 0:
        sock.sendall(block[:size])
        size -= min(size, len(block))


def sink(sock):
    """The digest of everything, once the other side has ended."""
    digest = hashlib.sha256()
    while block := sock.recv(65536):
        digest.update(block)
    sock.sendall(digest.hexdigest().encode())


def reset_now(sock):
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sock.close()


def reset(sock):
    sock.recv(1)
    reset_now(sock)


def wait_reset(sock):
    """Logs how the other side ends."""
    sock.sendall(b"x")
    try:
        log(f"ended with {len(sock.recv(100))}")
    except ConnectionResetError:
        log("ended with reset")


def reads_late(sock):
    """Reads nothing until it is told to."""
    SAID["read"].wait()
    sink(sock)


def ends_first(sock):
    """Half-closes at once, then takes what comes."""
    sock.sendall(b"last words")
    sock.shutdown(socket.SHUT_WR)
    digest = hashlib.sha256()
    while block := sock.recv(65536):
        digest.update(block)
    log(f"after the end {digest.hexdigest()}")


BROKEN = threading.Event()


def breaks_off(sock):
    """Sends more than anybody takes who does not read, then breaks off. Another client, which has to
    say something first, is told when."""
    if sock.recv(1) == b"?":
        BROKEN.wait()
        sock.sendall(b"!")
        return
    sock.settimeout(2)
    try:
        while True:
            sock.sendall(bytes(65536))
    except TimeoutError:
        reset_now(sock)
    BROKEN.set()


PORTS = {7001: echo, 7002: banner, 7003: source, 7004: sink, 7005: reset, 7006: wait_reset,
         7007: reads_late, 7008: ends_first, 7009: breaks_off}


class Plain(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 2048

    def handle_error(self, *args):
        pass


class Handler(socketserver.BaseRequestHandler):
    def handle(self):
        log(f"tcp {self.server.server_address[1]}")
        PORTS[self.server.server_address[1]](self.request)


def make_silent():
    """A full queue: the kernel drops what asks for more."""
    held = []
    for port in (80, 443, 7001):
        listener = socket.socket()
        listener.bind(("11.0.0.5", port))
        listener.listen(0)
        held.append(listener)
        for _ in range(3):
            filler = socket.socket()
            filler.setblocking(False)
            filler.connect_ex(("11.0.0.5", port))
            held.append(filler)
    return held


def main():
    print("here", flush=True)
    sys.stdin.readline()
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    for address in ADDRESSES:
        subprocess.run(["ip", "address", "add", address, "dev", "outside"] +
                       (["nodad"] if ":" in address else []), check=True)
    subprocess.run(["ip", "link", "set", "outside", "up"], check=True)
    servers = [NameServer((PUBLIC, 53), Names),
               WebServer((PUBLIC, 80), Web), WebServer((PUBLIC, 8080), Web),
               WebServer(("10.9.0.2", 80), Web), WebServer(("169.254.169.254", 80), Web),
               WebServer6(("2a00:aaaa::4", 80), Web),
               TlsServer((PUBLIC, 443), Web), TlsServer6(("2a00:aaaa::4", 443), Web)]
    servers += [ExpiredServer(("11.0.0.20", 443), Web), SelfSignedServer(("11.0.0.21", 443), Web),
                OldTlsServer(("11.0.0.22", 443), Web)]
    servers += [Plain((address, 443), OddHandler) for address in ODD]
    servers += [Plain((PUBLIC, port), Handler) for port in PORTS]
    for server in servers:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    held = make_silent()
    print("ready", flush=True)
    sys.stdin.read()
    del held


main()
