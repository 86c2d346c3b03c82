#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""world: runs one test where the Internet is a network namespace next door.

Usage: world.py root|ordinary AI-JAIL TEST [UNITTEST-ARGUMENT...]

Two namespaces are joined by a veth pair. In this one ai-jail runs, with 11.0.0.1; in the other one
servers.py serves 11.0.0.4 and more, and names everything below .test. Files that the resolver reads
are covered in a mount namespace of this run. Root makes all that and then runs the test as who was
asked for.
"""
import os
import shutil
import socket
import subprocess
import sys
import tempfile

ORDINARY_ID = 54321
PYTHON = "/usr/bin/python3"
HERE = os.path.dirname(os.path.abspath(__file__))
SKIPPED = 77
HOST = ("11.0.0.1/24", "10.9.0.1/24", "2a00:aaaa::1/64")
# For half a minute, longer than anything of ai-jail waits: what goes on without an answer does not go on
# because the resolver has given up, on however slow a machine. What got lost is asked for again.
COVERED = {
    "/etc/resolv.conf": "nameserver 11.0.0.4\noptions timeout:6 attempts:5\n",
    "/etc/hosts": "127.0.0.1 localhost\n11.0.0.4 file.test\n",
    "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
}


def run(*words):
    subprocess.run(words, check=True)


def skip(why):
    print(f"skipped: {why}")
    sys.exit(1 if os.environ.get("AI_JAIL_TESTS_MUST_RUN") == "1" else SKIPPED)


SERVED = ("DNS:web.test,DNS:*.web.test,DNS:registry.test,DNS:six.test,DNS:floods.test,DNS:localhost,IP:11.0.0.4,"
          "IP:127.0.0.1,IP:2a00:aaaa::4")
# Of those who do not prove their name, or do it badly: what the certificate says.
ODD = "DNS:expired.test,DNS:old-tls.test,DNS:self.test,DNS:localhost,IP:127.0.0.1"


def make_certificates(where):
    """server: the one that is trusted; wrong, expired, self: as they are called. Key and certificate in
    one file, too, for servers of the test itself."""
    def openssl(*words):
        subprocess.run(["openssl", *words], cwd=where, check=True, capture_output=True)

    def write(name, text):
        with open(os.path.join(where, name), "w", encoding="ascii") as file:
            file.write(text)

    def issue(name, names, *dates):
        write("extensions", f"subjectAltName={names}\nbasicConstraints=CA:FALSE\n")
        openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", "-out",
                f"{name}.csr", "-subj", f"/CN={name}")
        openssl("ca", "-batch", "-config", "ca.conf", "-in", f"{name}.csr", "-out", f"{name}.pem",
                "-notext", "-extfile", "extensions", *(dates or ("-days", "2")))

    write("ca.conf", "[ca]\ndefault_ca=own\n[own]\ndatabase=index\nnew_certs_dir=.\n"
          "rand_serial=yes\ndefault_md=sha256\npolicy=any\ncertificate=ca.pem\n"
          "private_key=ca.key\nunique_subject=no\n[any]\ncommonName=supplied\n")
    write("index", "")
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem",
            "-days", "2", "-subj", "/CN=tests", "-addext", "basicConstraints=critical,CA:TRUE",
            "-addext", "keyUsage=critical,keyCertSign")
    issue("server", SERVED)
    issue("wrong", "DNS:else.test")
    issue("expired", ODD, "-startdate", "20200101000000Z", "-enddate", "20210101000000Z")
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "self.key", "-out",
            "self.pem", "-days", "2", "-subj", "/CN=self", "-addext", f"subjectAltName={ODD}")
    issue("odd", ODD)
    for name in ("server", "wrong", "expired", "self", "odd"):
        both = ""
        for part in ("key", "pem"):
            with open(os.path.join(where, f"{name}.{part}"), encoding="ascii") as file:
                both += file.read()
        write(os.path.join("mine/tls", f"{name}.pem"), both)


def cover_files(base):
    for path, text in COVERED.items():
        cover = os.path.join(base, "etc-" + os.path.basename(path))
        with open(cover, "w", encoding="ascii") as file:
            file.write(text)
        os.chmod(cover, 0o644)
        if os.path.exists(path):
            run("mount", "--bind", cover, path)
        else:
            skip(f"{path} does not exist")


def start_servers(base):
    """The process; its namespace is connected once its first line has come."""
    process = subprocess.Popen(
        ["unshare", "--net", PYTHON, "-B", os.path.join(HERE, "servers.py"), base],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    process.stdout.readline()
    run("ip", "link", "set", "lo", "up")
    run("ip", "link", "add", "inside", "type", "veth", "peer", "name", "outside", "netns",
        str(process.pid))
    for address in HOST:
        run("ip", "address", "add", address, "dev", "inside",
            *(["nodad"] if ":" in address else []))
    run("ip", "link", "set", "inside", "up")
    run("ip", "route", "add", "default", "via", "11.0.0.4")
    process.stdin.write("go\n")
    process.stdin.flush()
    if process.stdout.readline().strip() != "ready":
        sys.exit("the servers do not run")
    for address in (("11.0.0.4", 8080), ("2a00:aaaa::4", 80)):
        # The link is up some time after it was told to be; questions would get lost until then.
        socket.create_connection(address, 60).close()
    return process


def give(top, uid):
    for root, dirs, files in os.walk(top):
        for path in [root] + [os.path.join(root, name) for name in dirs + files]:
            os.chown(path, uid, uid)


def inside(who, program, test, arguments):
    base = tempfile.mkdtemp(prefix="ai-jail-net.")
    servers = None
    try:
        os.chmod(base, 0o711)
        mine = os.path.join(base, "mine")
        for name in ("mine", "mine/home", "mine/project", "mine/tmp", "mine/tls", "mine/web"):
            os.mkdir(os.path.join(base, name))
        tests = shutil.copytree(HERE, os.path.join(mine, "tests"),
                                ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copytree(os.path.join(HERE, "../browser"), tests, dirs_exist_ok=True)
        make_certificates(base)
        shutil.copy(os.path.join(base, "ca.pem"), os.path.join(mine, "project"))
        shutil.copy(os.path.join(HERE, "client.py"), os.path.join(mine, "project"))
        cover_files(base)
        servers = start_servers(base)
        env = dict(os.environ, AI_JAIL=shutil.copy(program, mine), NET_BASE=base, LANG="C.UTF-8",
                   HOME=os.path.join(mine, "home"), TMPDIR=os.path.join(mine, "tmp"),
                   PATH="/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")
        command = [PYTHON, "-B", test, *arguments]
        if who == "ordinary":
            give(mine, ORDINARY_ID)
            command = ["setpriv", f"--reuid={ORDINARY_ID}", f"--regid={ORDINARY_ID}",
                       "--clear-groups", "--"] + command
        return subprocess.run(command, cwd=tests, env=env, check=False).returncode
    finally:
        if servers:
            servers.stdin.close()
            servers.wait()
        shutil.rmtree(base, ignore_errors=True)


def main():
    if sys.argv[1] == "--inside":
        sys.exit(inside(*sys.argv[2:5], sys.argv[5:]))
    if os.geteuid() != 0:
        skip("network namespaces with addresses of their own need root")
    for tool in ("ip", "unshare", "mount", "setpriv", "openssl"):
        if not shutil.which(tool):
            skip(f"{tool} is not installed")
    own = ["unshare", "--net", "--mount", "--propagation", "private"]
    if subprocess.run([*own, "true"], check=False, capture_output=True).returncode != 0:
        skip("no namespaces here")
    os.execvp("unshare", [*own, "--", sys.executable, "-B", os.path.abspath(__file__), "--inside",
                          *sys.argv[1:]])


if __name__ == "__main__":
    main()
