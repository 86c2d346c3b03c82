#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""TLS by which credentials go out: who is believed, who is not, and that nobody who is not gets a
byte of the request. The same with the library gone."""
import os
import subprocess
import unittest

from netrun import MINE, PROJECT, NetTest, log_lines

VALUE = "sk-test-0f1e2d3c4b5a6978"
ODD = {  # host: what the refusal says of it
    "other": "hostname mismatch",
    "expired": "certificate has expired",
    "self": "self-signed certificate",
    "old-tls": "",
    "garbage": "",
    "hangs-up": "ended the handshake",
    "mute": "no handshake within 10 s",
    "alerts": "handshake failure",
}


def environment(**more):
    env = dict(os.environ, API_KEY=VALUE, SSL_CERT_FILE=os.path.join(PROJECT, "ca.pem"))
    return {name: value for name, value in (env | more).items() if value is not None}


def options(*hosts):
    secrets = [word for host in hosts for word in ("--secret", f"API_KEY={host}")]
    return ["--env", "API_KEY", *secrets]


SEND = """
import os, threading
def send(host):
    return get(f"http://{host}/hello", f"X-Api-Key: {os.environ['API_KEY']}\\r\\n")
"""


class Tls(NetTest):
    def send(self, host, **env):
        row = self.python(SEND + f"tell(send('{host}'))", [host], options(host),
                          env=environment(**env))
        self.assertNotIn(VALUE, self.said)
        return row

    def test_nobody_gets_a_byte_who_is_not_believed(self):
        before = len(log_lines())
        hosts = [name + ".test" for name in ODD]
        rows = self.python(SEND + f"""
rows = {{}}
threads = [threading.Thread(target=lambda host=host: rows.update({{host: send(host)}}))
           for host in {hosts!r}]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
tell(rows)
""", hosts, options(*hosts), env=environment())
        self.assertTrue(9 < rows["mute.test"][3] < 60, rows)
        for name, why in ODD.items():
            row = rows[name + ".test"]
            self.assertEqual(row[:2], [502, "connect-failed"], (name, row))
            self.assertIn("did not prove", row[2])
            self.assertIn(why, row[2], name)
            self.assertIn(f"{name}.test did not prove its name, nothing was sent", self.said)
        log = "\n".join(log_lines()[before:])
        self.assertEqual(log.count("odd 11.0.0.2"), 4, log)
        for word in (VALUE, "http GET", "X-Api-Key"):
            self.assertNotIn(word, log)

    def test_a_directory_of_certificates(self):
        trusted = os.path.join(MINE, "tmp/trusted")
        empty = os.path.join(MINE, "tmp/empty")
        for path in (trusted, empty):
            os.mkdir(path)
        with open(os.path.join(PROJECT, "ca.pem"), encoding="ascii") as source:
            text = source.read()
        with open(os.path.join(trusted, "some-name.pem"), "w", encoding="ascii") as file:
            file.write(text)
        with open(os.path.join(trusted, "notes"), "w", encoding="ascii") as file:
            file.write("no certificate\n")
        for dirs, status in ((trusted, 200), (f"{empty}:{trusted}", 200), (empty, 502),
                             (os.path.join(MINE, "nowhere"), 502)):
            row = self.send("web.test", SSL_CERT_FILE=None, SSL_CERT_DIR=dirs)
            self.assertEqual(row[0], status, (dirs, row))

    def test_without_the_library_nothing_starts(self):
        """It is looked for where LD_LIBRARY_PATH says first."""
        for name, source, why in (("not-elf", None, "cannot be loaded"),
                                  ("other", "libz.so.1", "is not OpenSSL 3")):
            fake = os.path.join(MINE, "tmp", name)
            os.mkdir(fake)
            path = os.path.join(fake, "libssl.so.3")
            if source:
                found = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True,
                                       check=True).stdout
                line = next(line for line in found.splitlines() if line.split()[:1] == [source])
                os.symlink(line.split(" => ")[1], path)
            else:
                with open(path, "w", encoding="ascii") as file:
                    file.write("not a library\n")
            before = len(log_lines())
            for words, env in ((options("web.test"), {}),
                               ([], {"https_proxy": "https://me:hunter2@localhost:1"})):
                _, err = self.run_jail(["true"], ["web.test"], words, code=125,
                                       env=environment(LD_LIBRARY_PATH=fake, **env))
                self.assertIn(why, err)
                self.assertIn("libssl", err)
                self.assertNotIn("hunter2", err)
                self.assertIn("https://localhost:1" if env else "--secret", err)
            self.assertEqual(log_lines()[before:], [])
            # Whoever does not need it does not miss it.
            self.run_jail(["true"], ["web.test"], env=environment(LD_LIBRARY_PATH=fake))


if __name__ == "__main__":
    unittest.main()
