#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""Credentials that the command never sees: the value arrives at its own host by verified TLS, and
nowhere else; the jail has a placeholder."""
import json
import os
import re
import subprocess
import unittest

from netrun import AI_JAIL, MINE, PROJECT, NetTest, log_lines, wait_for, words

VALUE = "sk-test-7d1f0c2b9a8e4f6d"
SECOND = "second-value-31415926"
PLACEHOLDER = re.compile(r"AIJAIL-PHANTOM-[0-9a-f]{32}")
HOSTS = ("web.test", "web.test:8080", "other.test", "registry.test")
KEY = ("--env", "API_KEY", "--secret", "API_KEY=web.test")
TELLS = """
import os
key = os.environ["API_KEY"]
def send(url, head="", method="GET", body=b""):
    host = url.split("/")[2]
    return request((f"{method} {url} HTTP/1.1\\r\\nHost: {host}\\r\\n{head}\\r\\n").encode() + body).row()
def inner(sock, path, head="", host="web.test"):
    return request(f"GET {path} HTTP/1.1\\r\\nHost: {host}\\r\\n{head}\\r\\n", sock).row()
"""


def environment(**more):
    return dict(os.environ, API_KEY=VALUE, SECOND_KEY=SECOND,
                SSL_CERT_FILE=os.path.join(PROJECT, "ca.pem"), **more)


class Secrets(NetTest):
    def setUp(self):
        self.before = len(log_lines())

    def log(self):
        return log_lines()[self.before:]

    def tells(self, text, options=KEY, env=None, hosts=HOSTS, **more):
        told = self.python(TELLS + text, hosts, options, env=env or environment(), **more)
        self.assertNotIn(VALUE, self.said)
        return told

    def fails(self, options, env=None, hosts=HOSTS):
        out, err = self.run_jail(["true"], hosts, options, env=env or environment(), code=125)
        self.assertNotIn(VALUE, out + err)
        lines = [line for line in err.splitlines() if "secret" in line]
        self.assertEqual(len(lines), 1, err)
        return lines[0]

    def assert_misdirected(self, row):
        self.assertEqual(row[:2], [403, "placeholder-misdirected"], row)
        self.assertEqual(row[2].count("\n"), 4, row)

    # ---- it works ----

    def test_the_value_arrives(self):
        rows = self.tells("""
head = f"X-Api-Key: {key}\\r\\nAuthorization: Bearer {key}\\r\\n"
tell([send("http://web.test/hello", head), inner(tunnel("web.test:80"), "/hello", head),
      inner(socks("web.test", 80)[1], "/hello", head)])
""")
        for row in rows:
            self.assertEqual(row[0], 200, row)
            self.assertEqual(row[2], "hello from outside\n")
        log = self.log()
        self.assertEqual(log.count(f"tls web.test X-Api-Key: {VALUE}"), 3, log)
        self.assertEqual(log.count(f"tls web.test Authorization: Bearer {VALUE}"), 3, log)
        self.assertFalse([line for line in log if line.startswith("plain")])

    def test_bodies_pass_as_they_are(self):
        rows = self.tells("""
body = (key + " in a body ").encode() * 6000
chunks = b"".join(f"{len(part):x}\\r\\n".encode() + part + b"\\r\\n"
                  for part in [body[i:i + 7777] for i in range(0, len(body), 7777)]) + b"0\\r\\n\\r\\n"
head = f"X-Api-Key: {key}\\r\\n"
tell([digest(body),
      send("http://web.test/a?" + key, head + f"Content-Length: {len(body)}\\r\\n", "POST", body)[2],
      send("http://web.test/b", head + "Transfer-Encoding: chunked\\r\\n", "POST", chunks)[2],
      digest(pattern(3000000)),
      digest(send("http://web.test/big/3000000", head)[2].encode("latin-1"))])
""")
        self.assertEqual(rows[0], rows[1])
        self.assertEqual(rows[0], rows[2])
        self.assertEqual(rows[3], rows[4])
        posted = [line for line in self.log() if line.startswith("http POST web.test /a")]
        self.assertEqual(len(posted), 1)
        self.assertRegex(posted[0], PLACEHOLDER)

    def test_redirects_are_told_not_followed(self):
        row = self.tells('tell(send("http://web.test/redirect", f"X-Api-Key: {key}\\r\\n"))')
        self.assertEqual([row[0], row[2]], [302, "there\n"])
        self.assertNotIn(f"plain other.test X-Api-Key: {VALUE}", self.log())

    def test_several_keys_and_hosts(self):
        rows = self.tells("""
second = os.environ["SECOND_KEY"]
both = f"Authorization: {second}\\r\\nX-Api-Key: {key}\\r\\n"
tell([key != second, send("http://registry.test/hello", both),
      send("http://web.test/hello", f"X-Api-Key: {key}\\r\\n"), send("http://web.test/hello", both)])
""", KEY + ("--secret", "API_KEY=registry.test", "--env", "SECOND_KEY",
            "--secret", "SECOND_KEY=registry.test"))
        self.assertTrue(rows[0])
        self.assertEqual([rows[1][0], rows[2][0]], [200, 200], rows)
        self.assert_misdirected(rows[3])
        log = self.log()
        self.assertIn(f"tls registry.test Authorization: {SECOND}", log)
        self.assertIn(f"tls registry.test X-Api-Key: {VALUE}", log)
        self.assertIn(f"tls web.test X-Api-Key: {VALUE}", log)

    def test_a_key_from_a_file(self):
        path = os.path.join(MINE, "keys")
        with open(path, "w", encoding="ascii") as file:
            file.write(f"API_KEY={VALUE}\n")
        os.chmod(path, 0o600)
        env = environment()
        del env["API_KEY"]
        row = self.tells('tell(send("http://web.test/hello", f"X-Api-Key: {key}\\r\\n"))',
                         ("--env-from-file", path, "--secret", "API_KEY=web.test"), env)
        self.assertEqual(row[0], 200, row)
        self.assertIn(f"tls web.test X-Api-Key: {VALUE}", self.log())

    # ---- the command never sees it ----

    def test_nothing_inside_has_the_value(self):
        told = self.tells("""
import glob
seen = b""
for path in glob.glob("/proc/[0-9]*/environ") + glob.glob("/proc/[0-9]*/cmdline"):
    try:
        seen += open(path, "rb").read()
    except PermissionError:
        pass
own = open("/proc/self/environ", "rb").read().split(b"\\0")
tell([seen.decode(), [e.decode() for e in own if e.startswith(b"API_KEY=")]])
""", KEY + ("--env", "API_KEY=first-value-of-it", "--env", f"API_KEY={VALUE}", "--inherit-env"))
        self.assertNotIn(VALUE, told[0])
        self.assertNotIn("first-value-of-it", told[0])
        self.assertEqual(len(told[1]), 1)
        self.assertRegex(told[1][0], "^API_KEY=" + PLACEHOLDER.pattern + "$")

    def test_placeholders_are_new_each_time(self):
        first = self.tells("tell(key)")
        self.assertNotEqual(first, self.tells("tell(key)"))

    def test_nothing_that_is_printed_has_the_value(self):
        for more in (["--dry-run"], ["--dry-run", "--json"], ["-v"], ["--status"]):
            out, err = self.run_jail(["true"], HOSTS, KEY + tuple(more), env=environment(),
                                     code=None)
            self.assertNotIn(VALUE, out + err)
            self.assertNotRegex(out + err, PLACEHOLDER)
            if more[0] == "--dry-run":
                self.assertIn("API_KEY", out)

    def test_the_supervisor_keeps_it_in_locked_memory_alone(self):
        process = self.start(["/usr/bin/python3", "-c", "print(1, flush=True); input()"], HOSTS,
                             KEY + ("--env", f"API_KEY={VALUE}"), env=environment(), stdin=subprocess.PIPE)
        process.stdout.readline()
        with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
            locked = re.search(r"VmLck:\s+(\d+)", file.read())
        shown = []
        for name in ("environ", "cmdline"):
            try:
                with open(f"/proc/{process.pid}/{name}", "rb") as file:
                    shown.append(file.read())
            except PermissionError:
                pass  # it is not dumpable: its own user cannot look either
        process.communicate("\n")
        self.assertNotIn(VALUE.encode(), b"".join(shown))
        self.assertIn(b"--secret", b"".join(shown))
        with open(AI_JAIL, "rb") as file:
            is_sanitized = b"__asan_init" in file.read()
        if not is_sanitized:  # the sanitizer makes nothing of mlock(2)
            self.assertGreater(int(locked[1]), 0)

    def test_a_copy_is_told(self):
        self.tells("tell(1)", KEY + ("--env", f"COPY=x{VALUE}"))
        self.assertIn("the variable COPY holds the value of API_KEY", self.said)

    def test_a_server_that_keeps_tls_busy_is_left(self):
        told = self.tells("""
try:
    tell(send("http://floods.test/hello", f"X-Api-Key: {key}\\r\\n"))
except ConnectionResetError:
    tell("reset")
""", KEY + ("--secret", "API_KEY=floods.test"), hosts=HOSTS + ("floods.test",))
        said = wait_for(lambda: [line for line in self.log() if line.startswith("flood: ")],
                        "the end of the flood", 100)
        self.assertIn("broken off", said[0])
        self.assertEqual(told, "reset")

    # ---- it goes nowhere else ----

    def test_a_tunnel_of_tls_has_the_placeholder(self):
        row = self.tells("""
head = f"X-Api-Key: {key}\\r\\nConnection: close\\r\\n"
tell([key, inner(tls(tunnel("web.test:443"), "web.test"), "/hello", head)])
""")
        self.assertEqual(row[1][0], 200)
        self.assertIn(f"tls web.test X-Api-Key: {row[0]}", self.log())
        self.assertNotIn(VALUE, "\n".join(self.log()))

    def test_another_host_is_refused(self):
        rows = self.tells("""
head = f"X-Api-Key: {key}\\r\\n"
body = b"x" * 5000 + key.encode() + b"y" * 5000
size = f"Content-Length: {len(body)}\\r\\n"
half = len(key) // 2
parts = [key[:half].encode(), key[half:].encode()]
chunks = b"".join(b"%x\\r\\n%s\\r\\n" % (len(part), part) for part in parts) + b"0\\r\\n\\r\\n"
tell([send("http://other.test/head1", head), send("http://other.test/query?k=" + key),
      send("http://sub.web.test/head2", head), send("http://web.test:8080/head3", head),
      send("http://other.test/body1", size, "POST", body),
      send("http://other.test/body2", "Transfer-Encoding: chunked\\r\\n", "POST", chunks),
      inner(tunnel("other.test:80"), "/head4", head, "other.test"),
      inner(socks("other.test", 80)[1], "/head5", head, "other.test"),
      send("http://other.test/hello")])
""")
        for row in rows[:-1]:
            self.assert_misdirected(row)
        self.assertEqual(rows[-1][0], 200, rows[-1])
        log = "\n".join(self.log())
        for word in ("/head", "/query", VALUE):
            self.assertNotIn(word, log)
        self.assertEqual(self.said.count("the placeholder of API_KEY went to other.test"), 1,
                         self.said)
        self.assertIn("the placeholder of API_KEY went to sub.web.test", self.said)

    def test_a_body_that_comes_in_pieces(self):
        rows = self.tells("""
import fcntl
def pieces(sock, host, count):
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.sendall(f"POST http://{host}/x HTTP/1.1\\r\\nHost: {host}\\r\\nContent-Length: 100000\\r\\n\\r\\n".encode())
    for piece in [b"z" * count, key[:20].encode(), key[20:].encode()]:
        sock.sendall(piece)
        while fcntl.ioctl(sock, 0x5411, bytes(4)) != bytes(4): # SIOCOUTQ: not there yet
            pass
    return [read_head(sock).split("\\r\\n")[0], read_all(sock)]
tell(pieces(connect(), "other.test", 100))
""")
        self.assertEqual(rows[0], "HTTP/1.1 403 Forbidden", rows)

    def test_hosts_must_prove_their_name(self):
        text = """
head = f"X-Api-Key: {key}\\r\\n"
reply, sock = socks("%(host)s", 80)
tell([send("http://%(host)s/hello", head), ask("%(host)s:80"), reply])
"""
        untrusted = environment()
        del untrusted["SSL_CERT_FILE"]
        for host, env in (("other.test", environment()), ("web.test", untrusted)):
            rows = self.tells(text % {"host": host}, ("--env", "API_KEY", "--secret",
                                                      f"API_KEY={host}"), env)
            for row in rows[:2]:
                self.assertEqual(row[:2], [502, "connect-failed"], row)
                self.assertIn("did not prove", row[2])
                self.assertEqual(row[2].count("\n"), 4, row)
            self.assertEqual(rows[2], 5)
            self.assertIn(f"--secret: {host} did not prove its name, nothing was sent", self.said)
        self.assertNotIn(VALUE, "\n".join(self.log()))

    def test_tunnels_are_read_strictly(self):
        rows = self.tells("""
def raw(text):
    return request(text, tunnel("web.test:80")).row()
tell([raw("GET /head HTTP/1.1\\r\\nHost: other.test\\r\\n\\r\\n"),
      raw("GET /head HTTP/1.1\\r\\n\\r\\n"), raw("TRACE / HTTP/1.1\\r\\nHost: web.test\\r\\n\\r\\n"),
      raw("GET http://web.test/ HTTP/1.1\\r\\nHost: web.test\\r\\n\\r\\n"),
      raw("CONNECT web.test:443 HTTP/1.1\\r\\nHost: web.test\\r\\n\\r\\n"), raw("\\x16\\x03\\x01 tls"),
      raw("POST / HTTP/1.1\\r\\nHost: web.test\\r\\nContent-Length: 1\\r\\n"
          "Transfer-Encoding: chunked\\r\\n\\r\\n")])
""")
        self.assertEqual([row[:2] for row in rows],
                         [[403, "host-header-mismatch"], [400, "malformed"], [405, "method"],
                          [400, "malformed"], [405, "method"], [400, "malformed"],
                          [400, "malformed"]])
        self.assertFalse([line for line in self.log() if line.startswith("http")])

    # ---- conditions ----

    def test_what_cannot_be_kept_does_not_start(self):
        secret = ("--secret", "API_KEY=web.test")
        self.assertIn("there is no value for it", self.fails(secret))
        self.assertIn("is not on the list", self.fails(KEY, hosts=["other.test"]))
        self.assertIn("this one is off", self.fails(KEY, hosts=[]))
        self.assertIn("bare name", self.fails(KEY[:2] + ("--secret", "API_KEY=web.test:443")))
        self.assertIn("bare name", self.fails(KEY[:2] + ("--secret", "API_KEY=11.0.0.4")))
        line = self.fails(("--secret", VALUE + "=web.test"))
        self.assertIn("the name of a variable", line)
        for value, why in (("short", "shorter than 8"), ("x" * 4097, "longer than 4096"),
                           ("with\nnewline", "not printable"), ("caf\u00e9-caf\u00e9", "not printable")):
            self.assertIn(why, self.fails(("--env", f"API_KEY={value}") + secret))

    def test_lockdown(self):
        """The agent's own key is not copied there: the message says what to do, and that works."""
        secret = ("--lockdown", "--secret", "API_KEY=web.test")
        line = self.fails(secret)
        self.assertIn("in lockdown nothing is taken from the environment by itself; give it with "
                      "--env API_KEY", line)
        row = self.tells('tell(send("http://web.test/hello", f"X-Api-Key: {key}\\r\\n"))',
                         (*secret, "--env", "API_KEY"))
        self.assertEqual(row[0], 200, row)
        self.assertIn(f"tls web.test X-Api-Key: {VALUE}", self.log())

    def test_full_network(self):
        process = subprocess.run(words(["true"], [], KEY)[:1] + ["--network", *KEY, "--", "true"],
                                 cwd=PROJECT, env=environment(), capture_output=True, text=True,
                                 check=False)
        self.assertEqual(process.returncode, 125, process.stderr)
        self.assertIn("this one is full", process.stderr)

    def test_a_trust_store_that_cannot_be_read(self):
        line = self.fails(KEY, environment() | {"SSL_CERT_FILE": "/etc/hostname"})
        self.assertIn("SSL_CERT_FILE /etc/hostname", line)

    def test_base_urls(self):
        def base(*options):
            out, _ = self.run_jail(["env"], ["api.anthropic.com", "api.openai.com"],
                                   ("--env", f"ANTHROPIC_API_KEY={VALUE}",
                                    "--env", f"OPENAI_API_KEY={VALUE}", *options),
                                   env=environment())
            return [line for line in out.splitlines() if "_BASE_URL" in line]

        self.assertEqual(base(), [])
        both = ("--secret", "ANTHROPIC_API_KEY=api.anthropic.com",
                "--secret", "OPENAI_API_KEY=api.openai.com")
        self.assertEqual(sorted(base(*both)), ["ANTHROPIC_BASE_URL=http://api.anthropic.com",
                                               "OPENAI_BASE_URL=http://api.openai.com/v1"])
        self.assertEqual(base(*both[:2], "--env", "ANTHROPIC_BASE_URL=https://else.test"),
                         ["ANTHROPIC_BASE_URL=https://else.test"])
        self.assertEqual(base("--secret", "ANTHROPIC_API_KEY=api.openai.com"), [])

    def test_the_audit_log_has_names_only(self):
        data = os.path.join(MINE, "data")
        rows = self.tells("""
head = f"X-Api-Key: {key}\\r\\n"
tell([send("http://web.test/hello", head)[0], send("http://other.test/", head)[0]])
""", KEY + ("--env", f"API_KEY={VALUE}", "--audit-log"), environment(XDG_DATA_HOME=data))
        self.assertEqual(rows, [200, 403])
        with open(wait_for(lambda: os.path.join(data, "ai-jail/history.jsonl"), "the log"),
                  encoding="utf-8") as file:
            text = file.read()
        self.assertNotIn(VALUE, text)
        self.assertNotRegex(text, PLACEHOLDER)
        records = [json.loads(line) for line in text.splitlines()]
        secrets = [[r["key"], r["host"], r["verdict"]] for r in records if r["event"] == "secret"]
        self.assertEqual(secrets, [["API_KEY", "web.test", "substituted"],
                                   ["API_KEY", "other.test", "misdirected"]])


if __name__ == "__main__":
    unittest.main()
