# SPDX-License-Identifier: GPL-3.0-only
"""marionette: the few commands of Firefox's remote protocol that these tests need.

A message is its length in decimal digits, a colon, and JSON: [0, id, command, parameters] there,
[1, id, error, result] back. Firefox listens on port 2828 of its loopback with --marionette.
"""
import json
import socket
import time

STEP = 0.05


class Refused(Exception):
    """Firefox says no; args[0] is the kind of error, such as "unknown error"."""


class Marionette:
    def __init__(self, port, timeout):
        """Tries until Firefox listens behind the published port."""
        end = time.monotonic() + timeout
        self.count = 0
        while True:
            self.buffer, self.socket = b"", None
            try:
                self.socket = socket.create_connection(("127.0.0.1", port), timeout=timeout)
                self.read()
                break
            except (OSError, EOFError) as error:
                if self.socket:
                    self.socket.close()
                if time.monotonic() > end:
                    raise AssertionError(f"no Firefox on port {port}: {error}") from error
                time.sleep(STEP)
        self.command("WebDriver:NewSession", {"acceptInsecureCerts": True})

    def receive(self):
        data = self.socket.recv(65536)
        if not data:
            raise EOFError("Firefox has gone")
        self.buffer += data

    def read(self):
        while b":" not in self.buffer:
            self.receive()
        size, self.buffer = self.buffer.split(b":", 1)
        while len(self.buffer) < int(size):
            self.receive()
        message, self.buffer = self.buffer[:int(size)], self.buffer[int(size):]
        return json.loads(message)

    def command(self, name, parameters=None):
        self.count += 1
        message = json.dumps([0, self.count, name, parameters or {}]).encode()
        self.socket.sendall(b"%d:%s" % (len(message), message))
        while True:
            kind, number, error, result = self.read()
            if kind == 1 and number == self.count:
                break
        if error:
            raise Refused(error["error"], error["message"])
        return result

    def navigate(self, url):
        self.command("WebDriver:Navigate", {"url": url})

    def text(self):
        """What a reader of the page sees."""
        return self.script("return document.documentElement.textContent")

    def script(self, text):
        return self.command("WebDriver:ExecuteScript", {"script": text, "args": []})["value"]

    def quit(self):
        self.command("Marionette:Quit", {"flags": ["eAttemptQuit"]})
        self.socket.close()
