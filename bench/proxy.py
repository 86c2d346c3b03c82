#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""What the proxy costs: throughput of one tunnel, time to connect, a thousand tunnels at once.

    bench/proxy.py [--ai-jail build/release/ai-jail] [--size MIB] [--rounds N]
                   [--control] [--tinyproxy] [--squid] [--short [N]]

Server and client are on the loopback. The proxy would not lead there, so the server listens in the
jail and the client reaches it through the proxy as localhost: the bytes take the same way through the
supervisor as any others. Direct and proxied runs take turns.

--control measures relays that do nothing else, one that copies and one that splices: what a third
process between two costs on this machine whatever it is. --tinyproxy and --squid measure those programs
beside it, outside a jail. --short makes 100,000 short connections instead (or N): none may be lost,
and the supervisor is as large as before.
Targets: 0.8 of the direct throughput, or what a relay can reach; 1 ms to connect.
A machine that does other things measures those, too: the load is told.
"""
import argparse
import contextlib
import fcntl
import json
import os
import selectors
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

BLOCK = bytes(1 << 18)
SMALL = 1 << 16
RELAY_SIZE = 1 << 19
WORKERS = 4
F_SETPIPE_SZ = 1031


def answer(sock, left):
    while left > 0:
        sock.sendall(BLOCK[:left])
        left -= min(left, len(BLOCK))
    sock.close()


def serve(listener):
    """A line with a number is answered with as many bytes. What the kernel takes at once needs no
    thread: a thousand of those would be what is measured."""
    lines = {}
    selector = selectors.DefaultSelector()
    selector.register(listener, selectors.EVENT_READ)
    while True:
        for key, _ in selector.select():
            sock = key.fileobj
            if sock is listener:
                sock = listener.accept()[0]
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                selector.register(sock, selectors.EVENT_READ)
                lines[sock] = b""
                continue
            block = sock.recv(100)
            lines[sock] += block
            if block and not block.endswith(b"\n"):
                continue
            selector.unregister(sock)
            line = lines.pop(sock)
            if not block:
                sock.close()
            elif int(line) <= SMALL:
                answer(sock, int(line))
            else:
                threading.Thread(target=answer, args=(sock, int(line)), daemon=True).start()


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


def short(proxy, port, count):
    """How many of so many connections gave what they should: a byte and the end."""
    good = 0
    for _ in range(count):
        with connect(proxy, port) as sock:
            sock.sendall(b"1\n")
            good += sock.recv(10) == b"\0" and sock.recv(10) == b""
    return good


def short_ones(proxy, port, count):
    """The same by several processes at once."""
    workers = []
    for _ in range(WORKERS):
        out, into = os.pipe()
        if os.fork() == 0:
            os.write(into, b"%d" % short(proxy, port, count // WORKERS))
            os._exit(0)
        os.close(into)
        workers.append(out)
    good = 0
    for out in workers:
        good += int(os.read(out, 20) or 0)
        os.close(out)
        os.wait()
    return good


@contextlib.contextmanager
def serving():
    """The port of a server that is a process of its own, as every one outside is."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
    port = listener.getsockname()[1]
    server = os.fork()
    if server == 0:
        serve(listener)
    listener.close()
    try:
        yield port
    finally:
        os.kill(server, 9)
        os.waitpid(server, 0)


def measure(proxy, options, is_relay=False):
    with serving() as port:
        size = options.size << 20
        throughput(None, port, size)
        runs = [(throughput(None, port, size), throughput(proxy, port, size))
                for _ in range(options.rounds)]
        row = {"direct": statistics.median(run[0] for run in runs),
               "proxied": statistics.median(run[1] for run in runs),
               "ratio": statistics.median(run[1] / run[0] for run in runs)}
        if not is_relay:
            times = sorted((latency(None, port), latency(proxy, port)) for _ in range(500))
            for at, name in ((0, "direct"), (1, "proxied")):
                times = sorted(times, key=lambda pair, at=at: pair[at])
                row[f"connect {name} ms"] = times[250][at]
                row[f"connect {name} p99 ms"] = times[495][at]
            row["thousand direct"] = thousand(None, port, SMALL)
            row["thousand"] = thousand(proxy, port, SMALL)
        return row


def tell(name, row):
    print(f"{name}: {row['proxied']:.0f} MiB/s of {row['direct']:.0f} ({row['ratio']:.2f})", end="")
    if "thousand" in row:
        print(f", connect {row['connect proxied ms']:.2f} ms, p99 {row['connect proxied p99 ms']:.2f} "
              f"(direct {row['connect direct ms']:.2f}, {row['connect direct p99 ms']:.2f}), "
              f"1000 tunnels {row['thousand']:.0f} MiB/s (direct {row['thousand direct']:.0f})",
              end="")
    print(flush=True)


# ---- ai-jail ----

@contextlib.contextmanager
def jail(options, *words):
    """The supervisor, with this program in the jail."""
    with tempfile.TemporaryDirectory(prefix="bench-proxy.") as top:
        home, project = os.path.join(top, "home"), os.path.join(top, "project")
        os.mkdir(home)
        os.mkdir(project)
        shutil.copy(__file__, project)
        words = [os.path.abspath(options.ai_jail), "--no-network", "--allow-host", "example.org",
                 "--", "/usr/bin/python3", "proxy.py", *words]
        process = subprocess.Popen(words, cwd=project, env=dict(os.environ, HOME=home), text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            yield process
        finally:
            process.stdin.close()
            if process.wait() != 0:
                sys.exit("ai-jail failed")


def inside(options):
    with jail(options, "--inside", "measure", "--size", str(options.size),
              "--rounds", str(options.rounds)) as process:
        return json.loads(process.stdout.readline())


def held(pid):
    """KiB of memory, the most it ever was, and open descriptors (None: only root may look)."""
    sizes = {}
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        for line in file:
            if line.startswith(("VmRSS", "VmHWM")):
                sizes[line[:5]] = int(line.split()[1])
    try:
        descriptors = len(os.listdir(f"/proc/{pid}/fd"))
    except PermissionError:
        descriptors = None
    return sizes["VmRSS"], sizes["VmHWM"], descriptors


def settled(pid, wanted):
    """The same once what the last connections held is closed."""
    end = time.monotonic() + 10
    while (now := held(pid))[2] != wanted and time.monotonic() < end:
        time.sleep(0.05)
    return now


def inside_short(count):
    """Is asked on by a line; tells after each part how many were good, and after how many seconds."""
    proxy = ("127.0.0.1", 15919)
    with serving() as port:
        for part in (0, min(count, 1000), count):
            begin = time.perf_counter()
            good = short_ones(proxy, port, part)
            print(json.dumps([good, time.perf_counter() - begin]), flush=True)
            sys.stdin.readline()


def tell_short(options):
    """False: something was lost or is left."""
    count = options.short - options.short % WORKERS
    with jail(options, "--inside", "short", "--short", str(count)) as process:
        process.stdout.readline()
        first = held(process.pid)
        process.stdin.write("on\n")
        process.stdin.flush()
        process.stdout.readline()
        before = settled(process.pid, first[2])
        process.stdin.write("on\n")
        process.stdin.flush()
        good, seconds = json.loads(process.stdout.readline())
        after = settled(process.pid, first[2])
    print(f"{count} short ones: {count - good} lost, {good / seconds:.0f}/s; supervisor "
          f"{before[0]} KiB before, {after[0]} after, {after[1]} at most; "
          f"descriptors {before[2]} before, {after[2]} after")
    return good == count and after[0] - before[0] < 2048 and after[2] == before[2]


# ---- others ----

def free_port():
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


def copy(source, sink):
    buffer = memoryview(bytearray(RELAY_SIZE))
    while n := source.recv_into(buffer):
        sink.sendall(buffer[:n])


def splice(source, sink):
    out, into = os.pipe()
    fcntl.fcntl(into, F_SETPIPE_SZ, 1 << 20)
    while n := os.splice(source.fileno(), into, 1 << 20):
        while n:
            n -= os.splice(out, sink.fileno(), n)
    os.close(out)
    os.close(into)


def relay(listener, way):
    """CONNECT and nothing else, one at a time."""
    def run(source, sink):
        way(source, sink)
        sink.shutdown(socket.SHUT_WR)

    while True:
        client = listener.accept()[0]
        head = b""
        while b"\r\n\r\n" not in head:
            head += client.recv(1)
        port = int(head.split()[1].rpartition(b":")[2])
        server = socket.create_connection(("127.0.0.1", port))
        for sock in (client, server):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        thread = threading.Thread(target=run, args=(server, client))
        thread.start()
        try:
            run(client, server)
        except OSError:
            pass  # it had not waited for the end
        thread.join()
        client.close()
        server.close()


def control(way, options):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        process = os.fork()
        if process == 0:
            relay(listener, way)
        try:
            return measure(listener.getsockname(), options, is_relay=True)
        finally:
            os.kill(process, 9)
            os.waitpid(process, 0)


PEERS = {
    "tinyproxy": (["-d", "-c"], """Port {port}
Listen 127.0.0.1
MaxClients 1100
Timeout 600
LogLevel Error
"""),
    "squid": (["-N", "-f"], """http_port 127.0.0.1:{port}
http_access allow all
cache deny all
access_log none
cache_log /dev/null
pid_filename none
max_filedescriptors 4096
shutdown_lifetime 0 seconds
"""),
}


def beside(name, options):
    """That program, on a free port."""
    port = free_port()
    flags, text = PEERS[name]
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
        file.write(text.format(port=port))
        file.flush()
        os.chmod(file.name, 0o644)
        process = subprocess.Popen([name, *flags, file.name], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        try:
            while True:
                try:
                    socket.create_connection(("127.0.0.1", port)).close()
                    break
                except ConnectionRefusedError:
                    if process.poll() is not None:
                        sys.exit(f"{name} does not start")
                    time.sleep(0.01)
            return measure(("127.0.0.1", port), options)
        finally:
            process.terminate()
            process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ai-jail", default="build/release/ai-jail")
    parser.add_argument("--size", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--control", action="store_true")
    for name in PEERS:
        parser.add_argument(f"--{name}", action="store_true")
    parser.add_argument("--short", type=int, nargs="?", const=100000)
    parser.add_argument("--inside", choices=("measure", "short"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside == "short":
        inside_short(options.short)
        return
    if options.inside:
        print(json.dumps(measure(("127.0.0.1", 15919), options)))
        return
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}", flush=True)
    if options.short:
        sys.exit(not tell_short(options))
    tell("ai-jail", inside(options))
    if options.control:
        tell("a relay that copies", control(copy, options))
        tell("a relay that splices", control(splice, options))
    for name in PEERS:
        if getattr(options, name):
            tell(name, beside(name, options))


main()
