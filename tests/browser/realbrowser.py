# SPDX-License-Identifier: GPL-3.0-only
"""realbrowser: a SessionTest with a web server of its own, and two real browsers.

A browser reaches the server through --forward-port, so without any network; what it reports is a
request. A missing browser is a failure: these tests run only where they were asked for.
"""
import http.server
import os
import re
import shutil
import threading
import urllib.parse

import ptyrun
from ptyrun import SessionTest, wait_for
from test_browser_profiles import tree

START_S = 120.0  # a browser on a busy machine
STORE = ".local/share/ai-jail/browsers"
STATE_PAGE = b"""<!DOCTYPE html><title>state</title><script>
const report = new XMLHttpRequest();
report.open("GET", "/report?cookie=" + encodeURIComponent(document.cookie) + "&local=" +
            encodeURIComponent(localStorage.getItem("local") || ""), false);
report.send();
document.cookie = "kept=cookie-of-the-page; max-age=999999; path=/";
localStorage.setItem("local", "local-of-the-page");
</script><p>seen"""


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        status, kind, body, more = self.server.pages.get(
            url.path, (404, "text/plain", b"there is no such page\n", {}))
        self.server.asked.append(self.path)
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)),
                            "Cache-Control": "no-store", **more}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format, *args):  # pylint: disable=redefined-builtin
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked = []
        self.pages = {}
        self.put("/report", b"")
        self.thread = threading.Thread(target=self.serve_forever, daemon=True)
        self.thread.start()

    @property
    def port(self):
        return self.server_address[1]

    def put(self, path, body, kind="text/html; charset=utf-8", status=200, **headers):
        self.pages[path] = (status, kind, body,
                            {name.replace("_", "-"): value for name, value in headers.items()})

    def url(self, path="/"):
        return f"http://127.0.0.1:{self.port}{path}"

    def reports(self):
        return [dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(path).query,
                                            keep_blank_values=True))
                for path in self.asked if path.startswith("/report")]

    def close(self):
        self.shutdown()
        self.server_close()
        self.thread.join()


def program(name):
    path = shutil.which(name, path=ptyrun.PATH)
    if not path:
        raise AssertionError(f"{name} is not installed")
    return path


class RealBrowserTest(SessionTest):
    BROWSERS = ("chromium", "firefox-esr")

    def setUp(self):
        super().setUp()
        for name in self.BROWSERS:
            program(name)
        self.server = Server()
        self.opened.append(self.server)
        self.server.put("/", STATE_PAGE)
        self.forward = ["--forward-port", str(self.server.port)]
        self.store = os.path.join(self.home, STORE)
        os.makedirs(os.path.join(self.home, ".local/share"))

    def make_real_profiles(self):
        """What a browser of the host has in HOME."""
        for path in (".config/chromium/Default/Cookies", ".config/chromium/Local State",
                     ".mozilla/firefox/profiles.ini", ".mozilla/firefox/x.default/cookies.sqlite",
                     ".cache/mozilla/firefox/x.default/cache2/entries/A", ".ssh/id_ed25519"):
            path = os.path.join(self.home, path)
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            with open(path, "w", encoding="ascii") as file:
                file.write("canary of the host\n")

    def tree(self):
        return {path: what for path, what in {**tree(self.home), **tree(self.project)}.items()
                if not path.startswith(os.path.join(self.home, ".local/state"))}

    def once(self, name, url, *words):
        """The words of a browser that loads a page, and ends."""
        if name == "chromium":
            return [name, "--headless", "--dump-dom", *words, url]
        return [name, "--headless", "--screenshot", "/tmp/shot.png", *words, url]

    def jail(self, *words, code=0, **more):
        """(stdout, stderr)."""
        got, out, err = self.run_piped(words, timeout=START_S, **more)
        self.assertEqual(got, code, f"{words}\n{out}\n{err}")
        return out.decode(errors="replace"), err

    def begin(self, *words, **more):
        """(process, its stderr) of a browser that stays."""
        err = self.output()
        process = self.start(list(words), [self.null, err.fd, err.fd], **more)
        return process, err

    def published(self, process, err, port):
        """The port of the host's loopback that leads to a port of the jail."""
        def find():
            self.assertIsNone(process.poll(), err.text())
            return re.search(rf"port {port} of the jail is port (\d+) of", err.text())
        match = wait_for(find, lambda: f"the published port; {err.text()}", START_S)
        return int(match[1])

    def end(self, process):
        process.kill(ptyrun.signal.SIGTERM)
        process.wait(START_S)
