#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""Programs as people use them, in the jail, without options for the proxy."""
import json
import os
import re
import shutil
import subprocess
import time
import unittest
import zipfile

from netrun import BASE, PROJECT, NetTest, log_lines

CA = os.path.join(PROJECT, "ca.pem")
PATH = "/usr/local/bin:/usr/bin:/bin"
TRUST = [word for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS",
                           "GIT_SSL_CAINFO", "PIP_CERT", "NPM_CONFIG_CAFILE", "CURL_CA_BUNDLE")
         for word in ("--env", f"{name}={CA}")]


def has(program):
    """Clients that are too large to be installed for a test: tried where they are."""
    return shutil.which(program, path=PATH) is not None


def need(test, *programs):
    for program in programs:
        if not has(program):
            if os.environ.get("AI_JAIL_TESTS_MUST_RUN") == "1":
                test.fail(f"{program} is not installed")
            test.skipTest(f"{program} is not installed")


class Clients(NetTest):
    def jail(self, *command, **more):
        return self.run_jail(list(command), options=TRUST, **more)

    def test_curl(self):
        need(self, "curl")
        out, _ = self.jail("curl", "-sS", "http://web.test/hello", "https://web.test/hello")
        self.assertEqual(out, "hello from outside\n" * 2)
        out, _ = self.jail("curl", "-sSp", "http://web.test/hello")  # CONNECT to port 80
        self.assertEqual(out, "hello from outside\n")
        out, _ = self.jail("curl", "-sS", "-x", "socks5h://127.0.0.1:15919",
                           "http://web.test/hello", "https://web.test/hello")
        self.assertEqual(out, "hello from outside\n" * 2)

    def test_curl_is_told_why(self):
        need(self, "curl")
        out, _ = self.jail("curl", "-sS", "http://other.test/")
        self.assertIn("--allow-host other.test", out)
        out, err = self.jail("curl", "-v", "https://other.test/", code=56)
        self.assertIn("X-Ai-Jail: host-not-listed", err)

    def test_wget(self):
        need(self, "wget")
        out, _ = self.jail("wget", "-qO-", "--ca-certificate=ca.pem", "http://web.test/hello",
                           "https://web.test/hello")
        self.assertEqual(out, "hello from outside\n" * 2)

    def test_git_over_https(self):
        need(self, "git")
        origin = os.path.join(BASE, "mine/tmp/origin")
        run = dict(check=True, capture_output=True, env=dict(
            os.environ, GIT_AUTHOR_NAME="a", GIT_AUTHOR_EMAIL="a@test", GIT_COMMITTER_NAME="a",
            GIT_COMMITTER_EMAIL="a@test"))
        subprocess.run(["git", "init", "-q", origin], **run)
        with open(os.path.join(origin, "file"), "w", encoding="ascii") as file:
            file.write("content\n" * 1000)
        subprocess.run(["git", "-C", origin, "add", "file"], **run)
        subprocess.run(["git", "-C", origin, "commit", "-qm", "first"], **run)
        subprocess.run(["git", "-C", origin, "update-server-info"], **run)
        self.serve(os.path.join(origin, ".git"), "repo.git")
        self.jail("git", "clone", "-q", "https://web.test/repo.git", "cloned")
        with open(os.path.join(PROJECT, "cloned/file"), encoding="ascii") as file:
            self.assertEqual(file.read(), "content\n" * 1000)

    @staticmethod
    def serve(path, name):
        shutil.copytree(path, os.path.join(BASE, "mine/web", name))

    def test_python(self):
        out, _ = self.jail("/usr/bin/python3", "-c", """
import urllib.request
print(urllib.request.urlopen("https://web.test/hello").read().decode(), end="")
""")
        self.assertEqual(out, "hello from outside\n")

    def test_python_requests(self):
        if subprocess.run(["/usr/bin/python3", "-c", "import requests"], check=False,
                          stderr=subprocess.DEVNULL).returncode != 0:
            if os.environ.get("AI_JAIL_TESTS_MUST_RUN") == "1":
                self.fail("python3-requests is not installed")
            self.skipTest("python3-requests is not installed")
        out, _ = self.jail("/usr/bin/python3", "-c", """
import requests
print(requests.get("https://web.test/hello").text, end="")
print(requests.get("http://other.test/").headers["X-Ai-Jail"])
""")
        self.assertEqual(out, "hello from outside\nhost-not-listed\n")

    def test_node(self):
        if not has("node"):
            return
        version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True,
                                 env=dict(os.environ, PATH=PATH)).stdout
        major, minor = map(int, re.match(r"v(\d+)\.(\d+)", version).groups())
        knows_proxy = (major, minor) >= (24, 0) or (major == 22 and minor >= 21)
        out, _ = self.jail("node", "-e", """
const begin = Date.now();
fetch("https://web.test/hello").then(r => r.text(), e => "failed " + (Date.now() - begin < 20000))
  .then(t => console.log(t.trim()));
""")
        # Without support for the variables it fails at once, not when the resolver gives up after half a
        # minute, and reaches nothing.
        self.assertEqual(out, "hello from outside\n" if knows_proxy else "failed true\n")

    def test_pip(self):
        if not has("pip3"):
            return
        wheel = os.path.join(BASE, "mine/tmp/tiny-1.0-py3-none-any.whl")
        with zipfile.ZipFile(wheel, "w") as file:
            file.writestr("tiny.py", "value = 42\n")
            file.writestr("tiny-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\n"
                          "Version: 1.0\n")
            file.writestr("tiny-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: test\n"
                          "Root-Is-Purelib: true\nTag: py3-none-any\n")
            file.writestr("tiny-1.0.dist-info/RECORD", "")
        index = os.path.join(BASE, "mine/web/simple/tiny")
        os.makedirs(index)
        shutil.copy(wheel, index)
        with open(os.path.join(index, "index.html"), "w", encoding="ascii") as file:
            file.write(f'<a href="{os.path.basename(wheel)}">{os.path.basename(wheel)}</a>\n')
        self.jail("/usr/bin/python3", "-m", "pip", "install", "--quiet", "--no-cache-dir",
                  "--disable-pip-version-check", "--root-user-action=ignore", "--target", "site",
                  "--index-url", "https://web.test/simple/", "tiny")
        self.assertTrue(os.path.exists(os.path.join(PROJECT, "site/tiny.py")))

    def test_npm(self):
        if not has("npm"):
            return
        package = os.path.join(BASE, "mine/tmp/package")
        os.mkdir(package)
        with open(os.path.join(package, "package.json"), "w", encoding="ascii") as file:
            json.dump({"name": "tiny", "version": "1.0.0"}, file)
        served = os.path.join(BASE, "mine/web/npm")
        os.mkdir(served)
        subprocess.run(["tar", "czf", os.path.join(served, "tiny-1.0.0.tgz"), "-C",
                        os.path.dirname(package), "package"], check=True)
        with open(os.path.join(served, "tiny"), "w", encoding="ascii") as file:
            json.dump({"name": "tiny", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": {
                "name": "tiny", "version": "1.0.0",
                "dist": {"tarball": "https://web.test/npm/tiny-1.0.0.tgz"}}}}, file)
        self.jail("npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", "npm",
                  "--registry", "https://web.test/npm/", "tiny")
        self.assertTrue(os.path.exists(os.path.join(PROJECT, "npm/node_modules/tiny/package.json")))

    def test_ssh_goes_nowhere(self):
        need(self, "ssh")
        begin = time.monotonic()
        _, err = self.jail("ssh", "-o", "BatchMode=yes", "git@web.test", code=255)
        self.assertLess(time.monotonic() - begin, 20)
        self.assertRegex(err, "resolve|unreachable|No user exists")
        out = self.python('tell(ask("web.test:22"))')
        self.assertEqual(out[:2], [403, "port-not-listed"])
        self.assertIn("--allow-host web.test:22", out[2])

    def test_one_that_knows_no_proxy_reaches_nothing(self):
        before = len(log_lines())
        rows = self.python("""
import errno, os
def attempt(function):
    begin = time.monotonic()
    try:
        function()
        return "worked"
    except OSError as error:
        name = "lookup" if isinstance(error, socket.gaierror) else errno.errorcode[error.errno]
        return name if time.monotonic() - begin < 20 else "late " + name
def udp(address, port):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    socket.socket(family, socket.SOCK_DGRAM).sendto(b"x", (address, port))
tell([attempt(lambda: socket.create_connection(("11.0.0.4", 80))),
      attempt(lambda: socket.create_connection(("2a00:aaaa::4", 80))),
      attempt(lambda: udp("11.0.0.4", 53)), attempt(lambda: udp("2a00:aaaa::4", 53)),
      attempt(lambda: udp("224.0.0.251", 5353)),
      attempt(lambda: socket.getaddrinfo("web.test", 80)),
      attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP)
              .sendto(b"\\x08\\0\\0\\0\\0\\0\\0\\0", ("11.0.0.4", 0))),
      attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)),
      attempt(lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))])
""")
        self.assertEqual(rows[:5], ["ENETUNREACH"] * 5)
        self.assertEqual(rows[5], "lookup")
        for row in rows[6:]:
            self.assertIn(row, ("EPERM", "EACCES", "ENETUNREACH", "EAFNOSUPPORT",
                                "EPROTONOSUPPORT"), rows)
        self.assertEqual(log_lines()[before:], [])


if __name__ == "__main__":
    unittest.main()
