# SPDX-License-Identifier: GPL-3.0-only
"""client: what a test runs in the jail speaks to the proxy with this."""
import hashlib
import json
import socket
import ssl
import struct
import time

PROXY = ("127.0.0.1", 15919)
LIMIT_S = 100  # far above every time-out of the proxy


def connect():
    return socket.create_connection(PROXY, timeout=LIMIT_S)


def read_head(sock):
    head = b""
    while b"\r\n\r\n" not in head:
        block = sock.recv(1)
        if not block:
            break
        head += block
    return head.decode("latin-1")


def read_all(sock):
    """Everything until the end; a reset is told as such."""
    data = b""
    try:
        while block := sock.recv(65536):
            data += block
    except ConnectionResetError:
        return data.decode("latin-1") + "<reset>"
    return data.decode("latin-1")


def count_all(sock):
    """How many bytes come until the end, and how that is."""
    buffer = bytearray(1 << 18)
    count = 0
    try:
        while n := sock.recv_into(buffer):
            count += n
    except ConnectionResetError:
        return [count, "reset"]
    return [count, "end"]


class Answer:
    """status, reason id, body, and how long it took."""

    def __init__(self, head, rest, seconds):
        self.status = int(head.split()[1]) if head.startswith("HTTP/") else 0
        fields = dict(line.split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
        self.reason = fields.get("X-Ai-Jail")
        self.fields = fields
        self.body = rest
        self.seconds = seconds

    def row(self):
        return [self.status, self.reason, self.body, self.seconds]


def request(text, sock=None):
    """Sends bytes or text, reads to the end."""
    sock = sock or connect()
    begin = time.monotonic()
    sock.sendall(text.encode("latin-1") if isinstance(text, str) else text)
    head = read_head(sock)
    seconds = time.monotonic() - begin
    rest = read_all(sock)
    sock.close()
    return Answer(head, rest, seconds)


def ask(target):
    """How a CONNECT is answered that is refused."""
    return request(f"CONNECT {target} HTTP/1.1\r\n\r\n").row()


def get(url, fields=""):
    host = url.split("/")[2]
    return request(f"GET {url} HTTP/1.1\r\nHost: {host}\r\n{fields}\r\n").row()


def fastest(function, *words):
    """The answer that came fastest of many: what takes its time takes it each time, and a busy machine
    does not."""
    best = function(*words)
    for _ in range(50):
        best = min(best, function(*words), key=lambda row: row[3])
    return best


def is_logged(text):
    """Waits until the servers have noted this. A run that ends breaks off what is under way."""
    return get("http://web.test/logged/" + text.replace(" ", "%20"))[0] == 200


def tunnel(target):
    sock = connect()
    sock.sendall(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode())
    head = read_head(sock)
    if " 200 " not in head.split("\r\n", 1)[0] + " ":
        raise OSError(head + read_all(sock))
    return sock


def socks(host, port, command=1, methods=b"\x00"):
    """(reply code, socket); the method's answer as a negative code if it is not 0."""
    sock = connect()
    sock.sendall(bytes([5, len(methods)]) + methods)
    method = sock.recv(2)
    if method != b"\x05\x00":
        return -method[1], sock
    if ":" in host:
        address = b"\x04" + socket.inet_pton(socket.AF_INET6, host)
    elif host.replace(".", "").isdigit():
        address = b"\x01" + socket.inet_aton(host)
    else:
        address = b"\x03" + bytes([len(host)]) + host.encode()
    sock.sendall(bytes([5, command, 0]) + address + struct.pack(">H", port))
    reply = b""
    while len(reply) < 10 and (block := sock.recv(10 - len(reply))):
        reply += block
    return reply[1] if len(reply) > 1 else None, sock


def tls(sock, name):
    context = ssl.create_default_context(cafile="ca.pem")
    context.check_hostname = False
    return context.wrap_socket(sock, server_hostname=name)


def tls_error(sock, name):
    """The alert that a handshake ends with, or "fine"."""
    try:
        tls(sock, name).close()
        return "fine"
    except ssl.SSLError as error:
        return error.reason or str(error)
    except OSError as error:
        return type(error).__name__


def pattern(size):
    block = bytes(range(256)) * 256
    return block * (size // len(block)) + block[:size % len(block)]


def digest(data):
    return hashlib.sha256(data).hexdigest()


def tell(value):
    print(json.dumps(value), flush=True)
