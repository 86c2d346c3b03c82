#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""Real terminals as judges of the output filter.

judge.py TERMINAL JUDGE_FILTER CASES.tsv [row]

The terminal reads hostile streams (vectors.py) through the filter. It must send back nothing but the
answer to our own question behind each stream, keep its size, its place, its clipboards, and create
or remove no file. Then another one of it reads the same streams as they are: now it must answer and
change (PROOF in terminals.py), or its silence would mean nothing. With `row` the last row of the
terminal is reserved; the proof is left to the run without.

These programs are large, so here a terminal that is not installed is a skip even where others must
run; what was skipped is printed.
"""
import json
import re
import subprocess
import sys

import terminals
import vectors

RUN_S = 400.0
SHOWN = 12
ANSWER = re.compile(rb"\x1b\[\d+;\d+R")
FOCUS = re.compile(rb"\x1b\[[IO]")
# Void what is open, back from printing, Tektronix and VT52, then a full reset.
RESET = b"\030\033\\\033[4i\033\003\033<\033c\033[!p"
INSIDE = terminals.pathlib.Path(__file__).with_name("inside.py")


def filtered(tool, streams, options):
    text = "".join(stream.hex() + "\n" for stream in streams)
    done = subprocess.run([tool, *options], input=text.encode(), capture_output=True, timeout=RUN_S,
                          check=True)
    lines = done.stdout.decode().split("\n")[:-1]
    assert len(lines) == len(streams), f"{len(lines)} lines for {len(streams)} streams"
    return [bytes.fromhex(line) for line in lines]


def run(kind, make_streams, reset):
    """What inside.py saw, with the clipboards before and after."""
    terminal = kind()
    try:
        place = terminal.place
        names, streams = make_streams(str(place.watched))
        (place.work / "streams").write_text("".join(stream.hex() + "\n" for stream in streams))
        results = place.work / "results"
        command = [sys.executable, "-B", str(INSIDE), str(place.work / "streams"), str(results),
                   str(place.watched), reset.hex()]
        terminal.prepare()
        terminal.start(command)
        held = terminal.clipboard()
        try:
            terminals.wait_for(lambda: results.exists() or terminal.has_ended(), "results", RUN_S)
            assert results.exists(), f"{kind.__name__} ended"
        except AssertionError as error:
            log = (place.work / "log").read_text(errors="replace")[-2000:]
            raise AssertionError(f"{error}\n{log}") from None
        seen = json.loads(results.read_text())
        seen["names"], seen["streams"] = names, streams
        seen["before"]["clipboard"], seen["after"]["clipboard"] = held, terminal.clipboard()
        return seen
    finally:
        terminal.close()


def is_quiet(stream, came):
    """Our one answer; before it a focus report, no more than one each time the stream turns these
    on. They tell the agent nothing but what it asked for, and some terminals begin with one."""
    asked = stream.count(b"\033[?1004h")
    reports = FOCUS.findall(came)
    return len(reports) <= asked and ANSWER.fullmatch(FOCUS.sub(b"", came))


def replied(seen):
    """(name, stream, what came) where that is not our one answer."""
    data = [bytes.fromhex(text) for text in seen["replies"]]
    found = [(name, stream, came) for name, stream, came
             in zip(seen["names"], seen["streams"], data) if not is_quiet(stream, came)]
    if seen["late"]:
        found.append(("at the end", b"", bytes.fromhex(seen["late"])))
    return found


def changed(seen):
    """{what: how} of everything that is not as it was."""
    before, after = seen["before"], seen["after"]
    changes = {what: f"{before[what]} -> {after[what]}" for what in before
               if before[what] != after[what]}
    for name, size in zip(seen["names"], seen["sizes"]):
        if size != before["size"]:
            changes["size"] = f"{before['size']} -> {size} after {name}"
            break
    return changes


def judge(kind, tool, cases, options):
    def hostile(watched):
        return tuple(zip(*vectors.all_streams(cases, watched)))

    def clean(watched):
        names, streams = hostile(watched)
        return names, filtered(tool, streams, options)

    quiet = run(kind, clean, b"")
    return quiet, None if options else run(kind, hostile, RESET)


def find_unproved(kind, loud):
    """What the unfiltered streams should have done, and did not."""
    proof = changed(loud)
    proof_replies = [row for row in replied(loud) if row[2]]
    print(f"unfiltered: {len(proof_replies)} replies, changes {sorted(proof)} "
          f"({len(loud['replies'])} streams read)")
    done = {*proof, *(["replies"] if proof_replies else [])}
    return [what for what in kind.PROOF if what not in done]


def main():
    name, tool, cases, *options = sys.argv[1:]
    kind = terminals.TERMINALS[name]
    missing = kind.missing()
    if missing:
        print(f"skipped: {name}: not installed: {', '.join(missing)}")
        return 77
    quiet, loud = judge(kind, tool, cases, options)
    replies, changes = replied(quiet), changed(quiet)
    print(f"{name} {kind.version()}: {len(quiet['streams'])} streams {' '.join(options)}; "
          f"filtered: {len(replies)} replies, changes {sorted(changes)}")
    for what, stream, came in replies[:SHOWN]:
        print(f"  reply: {what}: {stream[:300]!r} -> {came[:200]!r}")
    for what, how in changes.items():
        print(f"  change: {what}: {how}")
    unproved = find_unproved(kind, loud) if loud else []
    for what in unproved:
        print(f"  no proof: the unfiltered streams did not show: {what}")
    is_whole = len(quiet["replies"]) == len(quiet["streams"])
    if not is_whole:
        print(f"  stopped after {len(quiet['replies'])} streams")
    return 0 if is_whole and not (replies or changes or unproved) else 1


if __name__ == "__main__":
    sys.exit(main())
