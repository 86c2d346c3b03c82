#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""What the proxy costs: throughput of one tunnel, time to connect, a thousand tunnels.

    bench/proxy.py [--ai-jail build/release/ai-jail] [--size MIB] [--rounds N] [--tinyproxy]

Server and client are on the loopback. The proxy would not lead there, so the server listens in the
jail and the client reaches it through the proxy as localhost: the bytes take the same way through the
supervisor as any others. Direct and proxied runs take turns. --tinyproxy measures that program
beside it, outside a jail. Targets: 0.8 of the direct throughput, 1 ms to connect.
A machine that does other things measures those, too: the load is told.
"""
import argparse
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

BLOCK = bytes(1 << 18)


def serve(listener):
    """A line with a number is answered with as many bytes."""
    def one(sock):
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        line = b""
        while not line.endswith(b"\n"):
            byte = sock.recv(1)
            if not byte:
                return
            line += byte
        left = int(line)
        while left > 0:
            sock.sendall(BLOCK[:left])
            left -= min(left, len(BLOCK))
        sock.close()

    while True:
        threading.Thread(target=one, args=(listener.accept()[0],), daemon=True).start()


def connect(proxy, port):
    sock = socket.create_connection(proxy or ("127.0.0.1", port))
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if proxy:
        sock.sendall(f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        head = b""
        while b"\r\n\r\n" not in head:
            block = sock.recv(1)
            if not block:
                sys.exit(f"the proxy said {head!r}")
            head += block
        if b" 200 " not in head:
            sys.exit(f"the proxy said {head!r}")
    return sock


def throughput(proxy, port, size):
    sock = connect(proxy, port)
    buffer = bytearray(1 << 18)
    begin = time.perf_counter()
    sock.sendall(b"%d\n" % size)
    got = 0
    while n := sock.recv_into(buffer):
        got += n
    assert got == size
    return size / (time.perf_counter() - begin) / (1 << 20)


def latency(proxy, port):
    begin = time.perf_counter()
    sock = connect(proxy, port)
    seconds = time.perf_counter() - begin
    sock.close()
    return seconds * 1000


def thousand(proxy, port, size):
    """MiB/s over 1000 tunnels that are all open at once."""
    socks = [connect(proxy, port) for _ in range(1000)]
    begin = time.perf_counter()
    for sock in socks:
        sock.sendall(b"%d\n" % size)
    for sock in socks:
        left = size
        while left > 0:
            left -= len(sock.recv(1 << 18))
        sock.close()
    return 1000 * size / (time.perf_counter() - begin) / (1 << 20)


def measure(proxy, options):
    """The server is a process of its own, as every one outside is."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
    port = listener.getsockname()[1]
    server = os.fork()
    if server == 0:
        serve(listener)
    listener.close()
    try:
        size = options.size << 20
        throughput(None, port, size)
        runs = [(throughput(None, port, size), throughput(proxy, port, size))
                for _ in range(options.rounds)]
        times = [(latency(None, port), latency(proxy, port)) for _ in range(200)]
        return {"direct": statistics.median(run[0] for run in runs),
                "proxied": statistics.median(run[1] for run in runs),
                "ratio": statistics.median(run[1] / run[0] for run in runs),
                "connect direct ms": statistics.median(row[0] for row in times),
                "connect ms": statistics.median(row[1] for row in times),
                "thousand direct": thousand(None, port, 1 << 16),
                "thousand": thousand(proxy, port, 1 << 16)}
    finally:
        os.kill(server, 9)
        os.waitpid(server, 0)


def tell(name, row):
    print(f"{name}: {row['proxied']:.0f} MiB/s of {row['direct']:.0f} ({row['ratio']:.2f}), "
          f"connect {row['connect ms']:.2f} ms (direct {row['connect direct ms']:.2f}), "
          f"1000 tunnels {row['thousand']:.0f} MiB/s (direct {row['thousand direct']:.0f})")


def inside(options):
    with tempfile.TemporaryDirectory(prefix="bench-proxy.") as top:
        home, project = os.path.join(top, "home"), os.path.join(top, "project")
        os.mkdir(home)
        os.mkdir(project)
        shutil.copy(__file__, project)
        words = [os.path.abspath(options.ai_jail), "--no-network", "--allow-host", "example.org",
                 "--", "/usr/bin/python3", "proxy.py", "--inside", "--size", str(options.size),
                 "--rounds", str(options.rounds)]
        done = subprocess.run(words, cwd=project, env=dict(os.environ, HOME=home), check=True,
                              stdout=subprocess.PIPE, text=True)
        return json.loads(done.stdout)


def beside(options):
    """tinyproxy, on a free port."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
        file.write(f"Port {port}\nListen 127.0.0.1\nMaxClients 1100\nTimeout 600\nLogLevel Error\n")
        file.flush()
        process = subprocess.Popen(["tinyproxy", "-d", "-c", file.name],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            while True:
                try:
                    socket.create_connection(("127.0.0.1", port)).close()
                    break
                except ConnectionRefusedError:
                    if process.poll() is not None:
                        sys.exit("tinyproxy does not start")
            return measure(("127.0.0.1", port), options)
        finally:
            process.terminate()
            process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ai-jail", default="build/release/ai-jail")
    parser.add_argument("--size", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--tinyproxy", action="store_true")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        print(json.dumps(measure(("127.0.0.1", 15919), options)))
        return
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
    tell("ai-jail", inside(options))
    if options.tinyproxy:
        tell("tinyproxy", beside(options))


main()
