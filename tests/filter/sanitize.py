#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""--sanitize, the real program: the corpus, pipes that end early, endless input, confinement.

sanitize.py PROGRAM CASES.tsv
"""
import os
import select
import signal
import subprocess
import sys
import time
import unittest

DEADLINE = 60.0
BURST, EACH_S = 20, 0.05    # titles that pass at once, and the time until the next may
MIB = 1024 * 1024
PROGRAM, CASES = "", ""
ENV = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}


def rows():
    """(name, input, output) of each row that is about output and needs no preparation."""
    with open(CASES, encoding="utf-8") as file:
        for line in file.read().splitlines()[1:]:
            name, direction, given, _, output, _, note = line.split("\t")
            if direction == "out" and not note.startswith("pre="):
                yield name, bytes.fromhex(given), bytes.fromhex(output)


def start(stdin, stdout, **options):
    return subprocess.Popen([PROGRAM, "--sanitize"], stdin=stdin, stdout=stdout,
                            stderr=subprocess.PIPE, env=ENV, **options)


def read_until(fd, done, what):
    """Everything that comes from fd until done(bytes)."""
    data, end = b"", time.monotonic() + DEADLINE
    while not done(data):
        if not select.select([fd], [], [], max(0, end - time.monotonic()))[0]:
            raise AssertionError(f"no {what} in {data[-200:]!r}")
        piece = os.read(fd, 65536)
        if not piece:
            raise AssertionError(f"the end instead of {what} after {data[-200:]!r}")
        data += piece
    return data


def status_value(pid, key):
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
        return next(line.split()[1] for line in file if line.startswith(key + ":"))


class Sanitize(unittest.TestCase):
    def finish(self, process, code=0, said=b""):
        """The rest of its output; it ends with that code and with that text on stderr."""
        out, err = process.communicate(timeout=DEADLINE)
        self.assertEqual(process.returncode, code, err)
        if said:
            self.assertIn(said, err)
        else:
            self.assertEqual(err, b"")
        return out

    def test_corpus_whole(self):
        """P-CLI-17: every row of the output direction."""
        count = 0
        for name, given, output in rows():
            process = start(subprocess.PIPE, subprocess.PIPE)
            out, err = process.communicate(given, timeout=DEADLINE)
            self.assertEqual((process.returncode, out, err), (0, output, b""), name)
            count += 1
        self.assertGreater(count, 200)

    def test_corpus_bytewise(self):
        """In a pipe in packet mode each read gets one byte, however fast they are written."""
        for name, given, output in rows():
            reader, writer = os.pipe2(os.O_DIRECT | os.O_CLOEXEC)
            process = start(reader, subprocess.PIPE)
            os.close(reader)
            for byte in given:
                os.write(writer, bytes([byte]))
            os.close(writer)
            self.assertEqual(self.finish(process), output, name)

    def test_files(self):
        """Files as both ends."""
        given, output = b"".join(r[1] for r in rows()), None
        process = start(subprocess.PIPE, subprocess.PIPE)
        output = process.communicate(given, timeout=DEADLINE)[0]
        source, target = (os.memfd_create(n) for n in ("source", "target"))
        with os.fdopen(source, "r+b") as source, os.fdopen(target, "r+b") as target:
            source.write(given)
            source.seek(0)
            self.finish(start(source, target))
            target.seek(0)
            self.assertEqual(target.read(), output)
        self.assertGreater(len(output), 1000)

    def test_terminals(self):
        """A terminal as both ends; what it shows is filtered, what it would answer does not come."""
        master, slave = os.openpty()
        process = start(slave, slave)
        os.close(slave)
        os.write(master, b"one\x1b[6ntwo\n\x04")
        # The terminal echoes what is typed before the filter copies it.
        data = read_until(master, lambda d: d.count(b"two") == 2, "copy of the line")
        self.assertIn(b"onetwo\r\n", data)
        self.finish(process)
        os.close(master)

    def test_nonblocking(self):
        """Descriptors that do not block, and a reader that is slow."""
        given = b"0123456789abcde\n" * 65536
        source, feed = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        drain, target = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        process = start(source, target)
        os.close(source)
        os.close(target)
        got, sent, end = bytearray(), 0, time.monotonic() + DEADLINE
        while len(got) < len(given) and time.monotonic() < end:
            wanted = [feed] if sent < len(given) else []
            readable, writable, _ = select.select([drain], wanted, [], 1)
            if writable:
                sent += os.write(feed, given[sent:sent + 4096])
                if sent == len(given):
                    os.close(feed)
            if readable:
                got += os.read(drain, 777)
        self.assertEqual(bytes(got), given)
        self.finish(process)
        os.close(drain)

    def test_streams(self):
        """What is complete comes at once; what is not never comes."""
        process = start(subprocess.PIPE, subprocess.PIPE, bufsize=0)
        process.stdin.write(b"now\x1b[3")
        read_until(process.stdout.fileno(), lambda d: d == b"now", "text")
        process.stdin.write(b"1mred\xe2\x82")
        read_until(process.stdout.fileno(), lambda d: d == b"\x1b[31mred", "sequence")
        self.assertEqual(self.finish(process), b"")

    def test_what_time_decides(self):
        """The last title of a burst comes without further input."""
        titles = [b"\x1b]2;title %d\x07" % i for i in range(40)]
        begin = time.monotonic()
        process = start(subprocess.PIPE, subprocess.PIPE, bufsize=0)
        process.stdin.write(b"".join(titles) + b"\x1b[?2026h")
        data = read_until(process.stdout.fileno(), lambda d: titles[39] in d, "last title")
        passed = sum(title in data for title in titles)
        self.assertLessEqual(passed, BURST + (time.monotonic() - begin) / EACH_S + 1)
        if not data.endswith(b"\x1b[?2026l"):
            read_until(process.stdout.fileno(), lambda d: d.endswith(b"\x1b[?2026l"), "end of the update")
        self.assertEqual(self.finish(process), b"")

    def check_early_end(self, ignored):
        handler = signal.SIG_IGN if ignored else signal.SIG_DFL
        reader, writer = os.pipe()
        process = start(subprocess.PIPE, writer, bufsize=0,
                        preexec_fn=lambda: signal.signal(signal.SIGPIPE, handler))
        os.close(writer)
        process.stdin.write(b"first\n")
        read_until(reader, lambda d: d == b"first\n", "line")
        os.close(reader)
        process.stdin.write(b"second\n")
        self.finish(process)

    def test_reader_goes(self):
        """P-CLI-17: a quiet end on EPIPE, whatever the caller does with SIGPIPE."""
        self.check_early_end(False)
        self.check_early_end(True)

    def test_failures(self):
        """Anything else that cannot be read or written is said, with 125."""
        with open("/dev/full", "wb") as full:
            process = start(subprocess.PIPE, full)
            process.stdin.write(b"x")
            self.finish(process, 125, b"No space left on device")
        directory = os.open("/", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self.finish(start(directory, subprocess.PIPE), 125, b"Is a directory")
        os.close(directory)

    def test_flat_memory(self):
        """P-CLI-17: after 100 MiB, strings without an end included, no more than after two."""
        process = start(subprocess.PIPE, subprocess.PIPE, bufsize=0)
        os.set_blocking(process.stdin.fileno(), False)
        block = (b"plain text \x1b[1mbold\x1b[0m \xc3\xa9\r\n" * 40000)[:MIB - 3] + b"\x1b]2"
        lengths, peaks = [], []

        def push(count):
            data, total, end = block * count, 0, time.monotonic() + DEADLINE
            view = memoryview(data)
            while len(view) or select.select([process.stdout], [], [], 0.2)[0]:
                ready = select.select([process.stdout], [process.stdin] if len(view) else [], [], 1)
                if ready[0]:
                    total += len(os.read(process.stdout.fileno(), MIB))
                if ready[1]:
                    view = view[os.write(process.stdin.fileno(), view[:65536]):]
                if time.monotonic() > end:
                    raise AssertionError("too slow")
            lengths.append(total)
            peaks.append(int(status_value(process.pid, "VmHWM")))

        push(2)
        for _ in range(7):
            push(14)
        self.assertGreater(sum(lengths), 10 * MIB)
        self.assertLess(peaks[-1] - peaks[0], 512, f"KiB: {peaks}")
        self.finish(process)

    def test_confined(self):
        """It has given up its rights before it reads."""
        process = start(subprocess.PIPE, subprocess.PIPE, bufsize=0)
        process.stdin.write(b"x")
        read_until(process.stdout.fileno(), lambda d: d == b"x", "text")
        self.assertEqual(status_value(process.pid, "NoNewPrivs"), "1")
        self.assertEqual(status_value(process.pid, "Seccomp"), "2")
        self.finish(process)

    def test_reads_no_configuration(self):
        """Neither HOME nor the directory matters; a command is refused."""
        environment = {"PATH": "/nonexistent", "HOME": "/nonexistent"}
        result = subprocess.run([PROGRAM, "--sanitize"], input=b"x\x1b[c", cwd="/", env=environment,
                                capture_output=True, timeout=DEADLINE, check=False)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, b"x", b""))
        result = subprocess.run([PROGRAM, "--sanitize", "file"], input=b"x", env=ENV,
                                capture_output=True, timeout=DEADLINE, check=False)
        self.assertEqual((result.returncode, result.stdout), (125, b""))
        self.assertIn(b"--sanitize < FILE", result.stderr)


if __name__ == "__main__":
    PROGRAM, CASES = sys.argv[1:3]
    del sys.argv[1:3]
    unittest.main(verbosity=2)
