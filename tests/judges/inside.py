#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""The program inside a judge: writes streams to its terminal and keeps what comes back.

inside.py STREAMS RESULTS WATCHED RESET

STREAMS has one stream a line, in hexadecimal. After each comes our own question for the cursor; all
that arrives before its answer was caused by the stream. RESET (hexadecimal, may be empty) is written
behind the answer. RESULTS gets one JSON object: replies, sizes, window and files before and after.
"""
import fcntl
import json
import os
import re
import select
import struct
import subprocess
import sys
import termios
import time
import tty

ANSWER = re.compile(rb"(?:\x1b\[|\x9b)\d+;\d+R\Z")
ANSWER_S = 30.0     # a terminal that does not answer in that time does not answer
HOSTILE_S = 1.0     # the same after unfiltered bytes, which may have silenced it
SETTLE_S = 0.05     # nothing more comes of this stream (unfiltered: answers may be several)
END_S = 1.0         # nothing more comes at all
SILENT_MAX = 8      # so many without an answer, one after the other: it is gone
PIECES = (1, 7, 61, 4096)


def window_size():
    return list(struct.unpack("4H", fcntl.ioctl(0, termios.TIOCGWINSZ, bytes(8))))


def window():
    """Place, size and state of the X window; nothing where there is none."""
    if not os.environ.get("WINDOWID") or not os.environ.get("DISPLAY"):
        return []
    told = subprocess.run(["xwininfo", "-id", os.environ["WINDOWID"]], capture_output=True,
                          text=True, timeout=20, check=False).stdout
    return re.findall(r"(?:Absolute|Width|Height|Map State).*", told)


def files(watched):
    return sorted(os.path.join(where, name) for where, dirs, names in os.walk(watched)
                  for name in dirs + names)


def state(watched):
    return {"size": window_size(), "window": window(), "files": files(watched)}


def write(stream, piece):
    for i in range(0, len(stream), piece):
        rest = stream[i:i + piece]
        while rest:
            rest = rest[os.write(1, rest):]


def read_for(seconds, is_done):
    data, end = b"", time.monotonic() + seconds
    while not is_done(data):
        if not select.select([0], [], [], max(0, end - time.monotonic()))[0]:
            break
        data += os.read(0, 65536)
    return data


def main():
    streams, results, watched, reset = sys.argv[1:5]
    reset = bytes.fromhex(reset)
    replies, sizes, silent = [], [], 0
    tty.setraw(0)
    read_for(END_S, lambda data: False)
    before = state(watched)
    with open(streams, encoding="ascii") as file:
        lines = file.read().split("\n")[:-1]
    for i, line in enumerate(lines):
        write(bytes.fromhex(line), PIECES[i % len(PIECES)])
        write(b"\033[6n", 4)
        data = read_for(HOSTILE_S if reset else ANSWER_S, ANSWER.search)
        silent = 0 if ANSWER.search(data) else silent + 1
        if reset:
            write(reset, len(reset))
            data += read_for(SETTLE_S, lambda data: False)
        replies.append(data.hex())
        sizes.append(window_size())
        if silent == SILENT_MAX:
            break
    late = read_for(END_S, lambda data: False)
    result = {"replies": replies, "sizes": sizes, "late": late.hex(), "before": before,
              "after": state(watched)}
    with open(results + ".part", "w", encoding="utf-8") as file:
        json.dump(result, file)
    os.rename(results + ".part", results)
    read_for(60.0, lambda data: False)      # the judge looks at the clipboard, then it ends us


main()
