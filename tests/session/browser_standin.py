#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-only
"""browser_standin: what a browser does with a profile, without being one.

It is called chromium or firefox and takes their options. It keeps a cookie in the profile that its
command line names, counts how often it was started with that profile, tries what a page that took a
browser over would try, and writes what it saw to stdout as one line of JSON. Further options:

    --try=PATH       opens PATH for reading; --write=PATH: makes a file PATH
    --connect=PORT   connects to a port of 127.0.0.1
    --scribble       appends to user.js of the profile
    --wait           waits after that line until it is ended
"""
import errno
import json
import os
import signal
import socket
import sys

UNIX_CONNECT_S = 5


def outcome(action):
    """"ok", or the name of the errno."""
    try:
        action()
        return "ok"
    except OSError as error:
        return errno.errorcode.get(error.errno, str(error))


def read(path):
    if os.path.isdir(path):
        os.listdir(path)
        return
    with open(path, "rb") as file:
        file.read(1)


def write(path):
    with open(path, "xb") as file:
        file.write(b"from the browser")


def connect(address):
    family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
    with socket.socket(family) as connection:
        connection.settimeout(UNIX_CONNECT_S)
        connection.connect(address)


def text_of(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return None


def profile():
    """The directory that the options name, made as the family makes it: Chromium makes what is
    missing, Firefox wants it to be there."""
    words = sys.argv[1:]
    for word in words:
        if word.startswith("--user-data-dir="):
            path = word.split("=", 1)[1]
            os.makedirs(path, exist_ok=True)
            return path
    if "--profile" in words:
        path = words[words.index("--profile") + 1]
        return path if os.path.isdir(path) else None
    return None


def values(option):
    return [word.split("=", 1)[1] for word in sys.argv[1:] if word.startswith(option + "=")]


def start(path):
    """How often this profile was started before."""
    cookies = os.path.join(path, "Cookies")
    before = text_of(cookies)
    with open(cookies, "a", encoding="utf-8") as file:
        file.write("session=1\n")
    return 0 if before is None else before.count("\n")


def main():
    path = profile()
    home = os.environ["HOME"]
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    seen = {
        "argv": sys.argv[1:], "env": dict(os.environ), "profile": path, "cwd": os.getcwd(),
        "mode": path and os.stat(path).st_mode & 0o777, "starts": start(path) if path else None,
        "user.js": path and text_of(os.path.join(path, "user.js")), "home": sorted(os.listdir(home)),
        "runtime": sorted(os.listdir(runtime)) if os.path.isdir(runtime) else None,
        "x11": outcome(lambda: read("/tmp/.X11-unix")),
        "try": {p: outcome(lambda p=p: read(p)) for p in values("--try")},
        "write": {p: outcome(lambda p=p: write(p)) for p in values("--write")},
        "connect": {p: outcome(lambda p=p: connect(p if "/" in p else ("127.0.0.1", int(p))))
                    for p in values("--connect")},
        "net": os.readlink("/proc/self/ns/net"),
    }
    if "--scribble" in sys.argv:
        seen["scribble"] = outcome(lambda: open(os.path.join(path, "user.js"), "a",
                                                encoding="utf-8").write("user_pref(1);\n"))
    print(json.dumps(seen), flush=True)
    while "--wait" in sys.argv:
        signal.pause()


main()
