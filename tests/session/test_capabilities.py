#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""Host capabilities: each flag opens its door and no other, with real peers behind the doors."""
import json
import os
import pwd
import re
import shutil
import socket
import struct
import subprocess
import threading
import unittest

import ptyrun
from ptyrun import SessionTest, tool, wait_for

UID = os.getuid()
INSIDE = f"/run/user/{UID}"

# Tries each socket that is named: what the peer says, or the name of the error.
CONNECT = r"""
import errno, json, socket, sys
found = {}
for path in sys.argv[1:]:
    with socket.socket(socket.AF_UNIX) as client:
        try:
            client.connect(path)
            found[path] = client.recv(100).decode()
        except OSError as error:
            found[path] = errno.errorcode[error.errno]
print(json.dumps(found))
"""


class Peer:
    """A server that says its name to everybody who connects."""

    def __init__(self, path, answer=None):
        os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
        self.answer = answer or os.path.basename(path).encode()
        self.is_closing = False
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(path)
        self.socket.listen(16)
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def _serve(self):
        while True:
            try:
                client, _ = self.socket.accept()
                with client:
                    client.sendall(self.answer)
                    client.shutdown(socket.SHUT_WR)
                    while client.recv(4096):
                        pass
            except OSError:
                if self.is_closing:
                    return

    def close(self):
        self.is_closing = True
        self.socket.shutdown(socket.SHUT_RDWR)  # accept() ends
        self.thread.join()
        self.socket.close()


def takes_connections(path):
    """A socket is there a moment before it is listened on."""
    with socket.socket(socket.AF_UNIX) as client:
        try:
            client.connect(path)
            return True
        except (FileNotFoundError, ConnectionRefusedError):
            return False


class CapabilityTest(SessionTest):
    def setUp(self):
        super().setUp()
        self.runtime = os.path.join(self.base, "runtime")
        os.mkdir(self.runtime, 0o700)
        self.env["XDG_RUNTIME_DIR"] = self.runtime

    def write(self, path, text="canary", mode=0o600):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)

    def run_ok(self, *argv, env=None):
        """(stdout, stderr) of a run that must end well."""
        code, out, err = self.run_piped(list(argv), env=env or self.env)
        self.assertEqual(code, 0, err)
        return out.decode(), err


class Sockets(CapabilityTest):
    NAMES = ("wayland-7", "pipewire-0", "pipewire-0-manager", "pulse/native", "bus",
             "systemd/private", "docker.sock", "gnupg/S.gpg-agent", "podman/podman.sock", "ssh-agent")
    OPEN = {
        "--display": {"wayland-7"},
        "--audio": {"pipewire-0", "pipewire-0-manager", "pulse/native"},
        "--systemd-user": {"bus", "systemd/private"},
        "--docker": set(),
        "--ssh=agent": {"ssh-agent"},
        "--x11": set(),
        "--tailscale": set(),
    }
    LOUD = {"--docker": "root on the host", "--systemd-user": "start programs outside"}

    def setUp(self):
        super().setUp()
        self.opened += [Peer(os.path.join(self.runtime, name)) for name in self.NAMES
                        if name != "ssh-agent"]
        self.opened.append(Peer(os.path.join(self.base, "agent")))
        self.env.update(WAYLAND_DISPLAY="wayland-7", SSH_AUTH_SOCK=os.path.join(self.base, "agent"),
                        DOCKER_HOST=f"unix://{self.runtime}/docker.sock",
                        DBUS_SESSION_BUS_ADDRESS=f"unix:path={self.runtime}/bus")

    def ask(self, *flags):
        """({path inside: answer}, stderr) with these flags."""
        paths = [f"{INSIDE}/{name}" for name in self.NAMES] + ["/run/docker.sock"]
        paths += [f"{self.runtime}/{name}" for name in self.NAMES if name != "ssh-agent"]
        out, err = self.run_ok(*flags, "--", ptyrun.PYTHON, "-c", CONNECT, *paths)
        return json.loads(out), err

    def check(self, found, names, docker=False):
        expected = {path: "ENOENT" for path in found}
        for name in names:
            expected[f"{INSIDE}/{name}"] = "agent" if name == "ssh-agent" else os.path.basename(name)
        if docker:
            expected["/run/docker.sock"] = "docker.sock"
        self.assertEqual(found, expected)

    def test_outside_all_answer(self):
        """The positive control of every refusal below."""
        paths = [f"{self.runtime}/{name}" for name in self.NAMES if name != "ssh-agent"]
        out = subprocess.run([ptyrun.PYTHON, "-c", CONNECT, *paths], check=True,
                             capture_output=True).stdout
        self.assertEqual(json.loads(out), {path: os.path.basename(path) for path in paths})

    def test_without_flags(self):
        """E-UNX-03"""
        found, err = self.ask()
        self.check(found, ())
        self.assertNotIn("socket", err)

    def test_each_flag_alone(self):
        for flag, names in self.OPEN.items():
            with self.subTest(flag=flag):
                found, err = self.ask(flag)
                self.check(found, names, docker=flag == "--docker")
                if flag in self.LOUD:
                    self.assertRegex(err, f"‼ [^\n]*{self.LOUD[flag]}[^\n]*\\({flag}\\)")

    def test_all_flags(self):
        """Nothing else of the runtime directory comes along, and clients are told where to look."""
        found, err = self.ask(*self.OPEN)
        self.check(found, set().union(*self.OPEN.values()), docker=True)
        self.assertIn("‼", err)
        out, _ = self.run_ok(*self.OPEN, "--", "sh", "-c", f"cd {INSIDE} && find . | sort; env")
        listing = [line[2:] for line in out.splitlines() if line.startswith("./")]
        self.assertEqual(listing, sorted(set().union(*self.OPEN.values()) | {"pulse", "systemd"}))
        for line in (f"XDG_RUNTIME_DIR={INSIDE}", "WAYLAND_DISPLAY=wayland-7",
                     f"SSH_AUTH_SOCK={INSIDE}/ssh-agent", "DOCKER_HOST=unix:///run/docker.sock",
                     f"DBUS_SESSION_BUS_ADDRESS=unix:path={INSIDE}/bus"):
            self.assertIn(line + "\n", out)

    def test_lockdown_gives_none(self):
        found, err = self.ask("--lockdown", *self.OPEN)
        self.check(found, ())
        self.assertRegex(err, "‼ [^\n]*--docker")

    def test_untrusted_project_gets_none(self):
        """And it is told for each key that it asked for."""
        self.write(os.path.join(self.project, ".ai-jail"),
                   "no_display = false\nno_docker = false\nno_gpu = false\naudio = true\nx11 = true\n"
                   'systemd_user = true\nssh = "agent"\nkvm = true\nhost_shm = true\naws = true\n',
                   0o644)
        self.write(os.path.join(self.home, ".aws/credentials"))
        found, err = self.ask()
        self.check(found, ())
        for key in ("no_display", "no_docker", "audio", "systemd_user", "ssh", "host_shm"):
            self.assertRegex(err, f"‼ [^\n]*{key}")
        out, _ = self.run_ok("--", "sh", "-c", "ls -A ~; ls /dev")
        self.assertNotIn(".aws", out)
        self.assertNotIn("kvm", out)

    def test_runtime_directory_of_everybody(self):
        """P-BW-15: by its mode, not by a number."""
        os.chmod(self.runtime, 0o702)
        found, err = self.ask("--display", "--audio", "--systemd-user")
        self.check(found, ())
        self.assertEqual(err.count("others may write there"), 1)
        self.assertRegex(err, "‼ XDG_RUNTIME_DIR")

    def test_docker_client(self):
        """A client that takes DOCKER_HOST at its word reaches the daemon."""
        tool("curl")
        path = os.path.join(self.base, "daemon.sock")
        self.opened.append(Peer(path, b"HTTP/1.0 200 OK\r\nContent-Length: 3\r\n\r\nOK\n"))
        script = "curl -sS --noproxy '*' --unix-socket \"${DOCKER_HOST#unix://}\" http://d/_ping"
        env = dict(self.env, DOCKER_HOST="unix://" + path)
        out, _ = self.run_ok("--docker", "--", "sh", "-c", script, env=env)
        self.assertEqual(out, "OK\n")
        code, _, _ = self.run_piped(["--", "sh", "-c", script], env=env)
        self.assertIn(code, (2, 7))  # an empty name: no such socket, or (from curl 8 on) no argument
        out, _ = self.run_ok("--", "sh", "-c", "echo \"${DOCKER_HOST-unset}\"", env=env)
        self.assertEqual(out, "unset\n")

    def test_what_is_not_there(self):
        env = {key: value for key, value in self.env.items()
               if key not in ("WAYLAND_DISPLAY", "SSH_AUTH_SOCK", "DISPLAY")}
        _, err = self.run_ok("--display", "--x11", "--ssh=agent", "--", "true", env=env)
        for part in ("--display: WAYLAND_DISPLAY", "--x11: DISPLAY", "--ssh: SSH_AUTH_SOCK"):
            self.assertRegex(err, f"⚠ {part}")

    def test_why_names_the_flag(self):
        code, out, err = self.run_piped(["--docker", "--why", "/run/docker.sock"])
        self.assertEqual(code, 0, err)
        self.assertIn("--docker", out.decode())
        _, out, _ = self.run_piped(["--status", "--display"])
        self.assertRegex(out.decode(), r"no_display +false +command line")


class SystemSockets(CapabilityTest):
    """Services of the machine: their directory is one of this test's own, in place of /run."""
    PATHS = ("/run/docker.sock", "/run/tailscale/tailscaled.sock", "/run/other.sock")
    OPEN = {
        (): [],
        ("--docker",): ["/run/docker.sock"],
        ("--tailscale",): ["/run/tailscale/tailscaled.sock"],
        ("--lockdown", "--docker", "--tailscale"): [],
    }

    def test_services(self):
        below = [self.base + path for path in self.PATHS]
        self.opened += [Peer(path) for path in below]
        command = [ptyrun.PROGRAM]
        if UID == 0:
            command = [tool("unshare"), "-m", "--propagation", "private", "sh", "-c",
                       f"mount --bind '{self.base}/run' /run && exec \"$@\"", "sh", *command]
        for flags, names in self.OPEN.items():
            with self.subTest(flags=flags):
                there = None
                while there != self.there():  # the machine's own may come and go
                    there = self.there()
                    out, err = self.output(), self.output()
                    process = self.start_program([*command, *flags, "--", ptyrun.PYTHON, "-c",
                                                  CONNECT, *self.PATHS], [self.null, out.fd, err.fd])
                    self.assertEqual(process.wait(), 0, err.text())
                self.check(flags, names, there, json.loads(out.text()), err.text())

    def there(self):
        return [path for path in self.PATHS if os.path.exists(path)]

    def check(self, flags, names, there, found, err):
        expected = {path: os.path.basename(path) if path in names else "ENOENT" for path in found}
        if UID == 0:
            self.assertEqual(found, expected, err)
            return
        # Nobody else can put something in the place of /run: there is what the machine has.
        self.assertEqual({found[path] for path in self.PATHS if path not in names}, {"ENOENT"})
        for path in names:
            self.assertEqual(found[path] == "ENOENT", path not in there, err)
            if path not in there:
                self.assertRegex(err, f"⚠ {flags[0]}: [^\n]*{path}")


class RealPeers(CapabilityTest):
    def start_daemon(self, argv, path):
        """Starts it and waits until it takes connections there."""
        self.start_program(argv, [self.null, self.null, self.null])
        wait_for(lambda: takes_connections(path), path)

    def test_session_bus(self):
        program = tool("dbus-daemon")
        tool("dbus-send")
        config = os.path.join(self.base, "bus.conf")
        self.write(config, "<busconfig><type>session</type>"
                           f"<listen>unix:path={self.runtime}/bus</listen><auth>EXTERNAL</auth>"
                           '<policy context="default"><allow send_destination="*"/>'
                           '<allow receive_sender="*"/><allow own="*"/></policy></busconfig>')
        self.start_daemon([program, f"--config-file={config}", "--nofork", "--nopidfile"],
                          f"{self.runtime}/bus")
        argv = ["--", "dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.DBus", "/",
                "org.freedesktop.DBus.GetId"]
        out, _ = self.run_ok("--systemd-user", *argv)
        self.assertIn("method return", out)
        code, out, _ = self.run_piped(argv)
        self.assertEqual((code, out), (1, b""))

    def test_ssh_agent(self):
        """P-AGT-13: the agent form shows no key, and the agent signs all the same."""
        agent, key = os.path.join(self.base, "agent"), os.path.join(self.home, ".ssh/id_ed25519")
        os.mkdir(os.path.dirname(key), 0o700)
        self.write(os.path.join(self.home, ".ssh/config"), "Host example\n  Port 4711\n")
        subprocess.run([tool("ssh-keygen"), "-q", "-t", "ed25519", "-N", "", "-C", "canary", "-f",
                        key], check=True, stdin=subprocess.DEVNULL)
        self.start_daemon([tool("ssh-agent"), "-D", "-a", agent], agent)
        subprocess.run([tool("ssh-add"), "-q", key], check=True, stdin=subprocess.DEVNULL,
                       env=dict(self.env, SSH_AUTH_SOCK=agent), stderr=subprocess.DEVNULL)
        self.env["SSH_AUTH_SOCK"] = agent
        script = ("ssh-add -l; cat ~/.ssh/id_ed25519 >/dev/null 2>&1 && echo private; "
                  "test -r ~/.ssh/id_ed25519.pub && echo public; ssh -F ~/.ssh/config -G example | grep '^port'")
        seen = {}
        for flags in ((), ("--ssh=agent",), ("--ssh",)):
            _, out, err = self.run_piped([*flags, "--", "sh", "-c", script])
            seen[flags] = (b"canary" in out, b"private" in out, b"public" in out, b"port 4711" in out)
            self.assertEqual("private keys" in err, flags == ("--ssh",), err)
        self.assertEqual(seen, {(): (False, False, False, False),
                                ("--ssh=agent",): (True, False, True, True),
                                ("--ssh",): (True, True, True, True)})

    def start_x_server(self):
        """An X server with a key of this machine's name, as a display manager starts it."""
        program = tool("Xvfb")
        umask = os.umask(0)
        try:
            os.mkdir("/tmp/.X11-unix", 0o1777)
        except FileExistsError:
            pass
        finally:
            os.umask(umask)
        cookie = os.urandom(16)
        server_file = os.path.join(self.base, "server-auth")
        for path, number in ((server_file, b""), (os.path.join(self.home, ".Xauthority"), None)):
            with open(path, "wb") as file:
                if number is not None:
                    file.write(authority(socket.gethostname().encode(), number, cookie))
            os.chmod(path, 0o600)
        reader, writer = os.pipe()
        os.set_blocking(reader, False)
        os.set_inheritable(writer, True)
        self.start_program([program, "-displayfd", str(writer), "-auth", server_file, "-nolisten",
                            "tcp", "-screen", "0", "64x64x24", "-terminate"],
                           [self.null, self.null, self.null], keep=(writer,))
        os.close(writer)
        number = wait_for(lambda: read_line(reader), "the number of the display", 60).strip()
        os.close(reader)
        if not os.path.exists(f"/tmp/.X11-unix/X{number.decode()}"):
            raise unittest.SkipTest("Xvfb cannot make a socket in /tmp/.X11-unix")
        with open(os.path.join(self.home, ".Xauthority"), "wb") as file:
            file.write(authority(b"elsewhere", b"97", b"x" * 16))
            file.write(authority(socket.gethostname().encode(), number, cookie))
        self.env["DISPLAY"] = ":" + number.decode()

    def test_x11(self):
        tool("xdpyinfo")
        self.start_x_server()
        # A first client that stays: the server ends with its last one.
        argv = ["--", "sh", "-c", "xdpyinfo >/dev/null 2>&1; echo $?; wc -c <\"${XAUTHORITY:-/dev/null}\""]
        out, err = self.run_ok("--x11", *argv)
        self.assertEqual(out.split(), ["0", str(len(authority(b"", b"1", b"x" * 16)) - 1 +
                                                len(self.env["DISPLAY"]) - 1)])
        self.assertRegex(err, r"‼ [^\n]*watch[^\n]*\(--x11\)")

    def test_x11_needs_the_flag_and_the_key(self):
        tool("xdpyinfo")
        self.start_x_server()
        argv = ["--", "sh", "-c", "xdpyinfo >/dev/null 2>&1; echo $?; ls -A /tmp"]
        out, _ = self.run_ok("--env", "DISPLAY", *argv)
        self.assertEqual(out.split()[0], "1")
        self.assertNotIn(".X11-unix", out)
        os.unlink(os.path.join(self.home, ".Xauthority"))
        out, _ = self.run_ok("--x11", *argv)
        self.assertEqual(out.split()[0], "1")

    def test_x11_with_the_network_of_the_host(self):
        """The abstract name of the server is there, too, and cannot be reached."""
        tool("xdpyinfo")
        self.start_x_server()
        out, err = self.run_ok("--x11", "--network", "--", "sh", "-c",
                               "xdpyinfo 2>&1 | head -n 1; true")
        self.assertRegex(out, "^name of display:", err)


try:
    pwd.getpwuid(UID)
except KeyError:  # these programs refuse to run for a user without a name
    del RealPeers.test_session_bus, RealPeers.test_ssh_agent


def authority(host, number, cookie):
    """A record of an X11 authority file."""
    fields = (host, number, b"MIT-MAGIC-COOKIE-1", cookie)
    return struct.pack(">H", 256) + b"".join(struct.pack(">H", len(f)) + f for f in fields)


def read_line(fd):
    try:
        return os.read(fd, 100)
    except BlockingIOError:
        return None


class HomeParts(CapabilityTest):
    FILES = {
        "--aws": ".aws/credentials",
        "--kube": ".kube/config",
        "--gcloud": ".config/gcloud/credentials.db",
        "--github": ".config/gh/hosts.yml",
        "--pictures": "Pictures/cat.jpg",
        "--docker-config": ".docker/config.json",
        "--ssh": ".ssh/id_ed25519",
    }
    # One line for each file: its content or why not; then what writing says.
    SCRIPT = r"""
import errno, os, sys
for path in sys.argv[1:]:
    path = os.path.join(os.environ["HOME"], path)
    said = []
    for mode in ("r", "a"):
        try:
            with open(path, mode) as file:
                said.append(file.read() if mode == "r" else "written")
        except OSError as error:
            said.append(errno.errorcode[error.errno])
    print(*said)
"""

    def setUp(self):
        super().setUp()
        for name in self.FILES.values():
            self.write(os.path.join(self.home, name))
        self.write(os.path.join(self.home, ".docker/other"))

    def ask(self, *flags):
        """{flag: what its file says} and stderr."""
        out, err = self.run_ok(*flags, "--", ptyrun.PYTHON, "-c", self.SCRIPT, *self.FILES.values(),
                               env=dict(self.env, PATH="/usr/bin:/bin"))
        return dict(zip(self.FILES, out.splitlines())), err

    def check(self, found, shown):
        """A file that is shown is read-only; one that is not can be made in the private home, or not,
        but is never the host's."""
        for flag, said in found.items():
            if flag in shown:
                self.assertEqual(said, "canary EROFS", flag)
            else:
                self.assertRegex(said, "^ENOENT ", flag)
        for name in self.FILES.values():
            with open(os.path.join(self.home, name), encoding="utf-8") as file:
                self.assertEqual(file.read(), "canary")

    def test_none(self):
        """E-FS-01; P-AGT-5: in lockdown not even with the flags."""
        for flags in ((), ("--lockdown", *self.FILES)):
            with self.subTest(flags=flags):
                found, _ = self.ask(*flags)
                self.check(found, ())

    def test_each_alone(self):
        for flag in self.FILES:
            with self.subTest(flag=flag):
                found, err = self.ask(flag)
                self.check(found, {flag})
                self.assertRegex(err, f"▸ [^\n]*\\({flag}\\)")

    def test_one_file_of_docker(self):
        out, _ = self.run_ok("--docker-config", "--", "ls", "-A", os.path.join(self.home, ".docker"))
        self.assertEqual(out, "config.json\n")

    def test_without_a_private_home(self):
        """P-HOME-5: each is freed by its own flag, and stays read-only where all else is writable."""
        for flags in ((), ("--aws", "--gcloud"), ("--github",), tuple(self.FILES)):
            with self.subTest(flags=flags):
                out, _ = self.run_ok("--no-private-home", *flags, "--", ptyrun.PYTHON, "-c",
                                     self.SCRIPT, *self.FILES.values())
                found = dict(zip(self.FILES, out.splitlines()))
                self.check(found, set(flags))

    def test_hidden_stays_hidden(self):
        found, err = self.ask(*self.FILES, "--hide-dotdir", "aws", "--hide-dotdir", ".ssh",
                              "--hide-dotdir", "config")
        self.check(found, {"--kube", "--pictures", "--docker-config"})
        self.assertRegex(err, "⚠ --aws: ~/.aws is not shown: --hide-dotdir")

    def test_link_to_other_secrets(self):
        """A directory that a jail may have replaced by a link shows nothing else."""
        self.write(os.path.join(self.home, ".gnupg/key"))
        shutil.rmtree(os.path.join(self.home, ".aws"))
        os.symlink(".gnupg", os.path.join(self.home, ".aws"))
        _, err = self.run_ok("--aws", "--", "sh", "-c", "! test -e ~/.aws/key")
        self.assertRegex(err, "⚠ --aws: [^\n]*must not be shown")

    def test_twin_and_files(self):
        """The user's own file may ask; the command line takes it back."""
        self.write(os.path.join(self.home, ".ai-jail"), "aws = true\nkube = true\n")
        found, err = self.ask("--no-aws")
        self.check(found, {"--kube"})
        self.assertIn("~/.ai-jail:2: kube", err)


class GitHub(CapabilityTest):
    TOKEN = "gho_canary_4d2f"

    def setUp(self):
        super().setUp()
        self.bin = os.path.join(self.base, "bin")
        self.ran = os.path.join(self.base, "ran")
        self.env["PATH"] = f"{self.bin}:{ptyrun.PATH}"
        os.makedirs(os.path.join(self.home, ".config/gh"))

    def fake_gh(self, script, directory=None):
        path = os.path.join(directory or self.bin, "gh")
        self.write(path, f"#!/bin/sh\n{{ echo \"$*\"; pwd; env; }} >>{self.ran}\n{script}\n", 0o755)

    def token(self, *flags, **options):
        """What the command finds in GH_TOKEN, and stderr."""
        out, err = self.run_ok(*flags, "--", "sh", "-c", 'printf %s "${GH_TOKEN-unset}"', **options)
        return out, err

    def test_token(self):
        """P-AGT-12"""
        self.fake_gh(f"echo {self.TOKEN}")
        env = dict(self.env, DBUS_SESSION_BUS_ADDRESS="unix:path=/x", SECRET="canary", GH_DEBUG="1")
        out, err = self.token("-v", "--github", env=env)
        self.assertEqual(out, self.TOKEN)
        self.assertNotIn(self.TOKEN, err)
        with open(self.ran, encoding="utf-8") as file:
            said = file.read().splitlines()
        self.assertEqual(said[:2], ["auth token --hostname github.com", "/"])
        names = {line.split("=")[0] for line in said[2:]}
        self.assertLessEqual(names, {"HOME", "PWD", "_", "OLDPWD", "SHLVL"})

    def test_nothing_is_run_for_an_answer(self):
        self.fake_gh(f"echo {self.TOKEN}")
        for verb in (["--dry-run"], ["--dry-run", "--json"], ["--status"], ["--why", "/etc"]):
            code, out, err = self.run_piped(["--github", *verb])
            self.assertEqual(code, 0, err)
            self.assertNotIn(self.TOKEN.encode(), out)
            self.assertFalse(os.path.exists(self.ran), verb)
        self.assertEqual(self.token()[0], "unset")
        self.assertEqual(self.token("--lockdown", "--github")[0], "unset")
        self.assertFalse(os.path.exists(self.ran))

    def test_a_token_that_is_passed_wins(self):
        self.fake_gh(f"echo {self.TOKEN}")
        self.assertEqual(self.token("--github", "--env", "GH_TOKEN=mine")[0], "mine")
        self.assertEqual(self.token("--github", "--env", "GITHUB_TOKEN=mine")[0], "unset")
        self.assertFalse(os.path.exists(self.ran))

    def test_gh_of_the_project_is_not_run(self):
        self.fake_gh("echo evil", directory=self.project)
        path = f".:{self.project}:{ptyrun.PATH}"
        os.makedirs(self.bin)
        os.symlink(os.path.join(self.project, "gh"), os.path.join(self.bin, "gh"))
        out, err = self.token("--github", env=dict(self.env, PATH=f"{path}:{self.bin}"))
        if not shutil.which("gh", path=ptyrun.PATH):
            self.assertRegex(err, "⚠ --github: GH_TOKEN is not set")
        self.assertNotEqual(out, "evil")
        self.assertFalse(os.path.exists(self.ran))

    def test_answers_that_are_no_token(self):
        for script, reason in (("exit 4", "ended with 4"), ("true", "is no token"),
                               ("printf 'a\\nb'", "is no token"),
                               ("printf 'a\\033[m'", "is no token"),
                               ("head -c 5000 /dev/zero | tr '\\0' a", "is no token"),
                               ("head -c 99999 /dev/zero | tr '\\0' a", "GH_TOKEN is not set"),
                               ("kill -9 $$", "ended with 137")):
            with self.subTest(script=script):
                self.fake_gh(script)
                out, err = self.token("--github")
                self.assertEqual(out, "unset")
                self.assertRegex(err, f"⚠ --github: [^\n]*{reason}")

    def test_slow_gh(self):
        """Five seconds, then everything that it has started is gone."""
        self.fake_gh("sleep 60 & sleep 60")
        out, err = self.token("--github")
        self.assertEqual(out, "unset")
        self.assertRegex(err, "⚠ --github: [^\n]*did not answer within 5 s")


class Devices(CapabilityTest):
    def test_host_shm(self):
        path = f"/dev/shm/ai-jail-test-{os.getpid()}"
        self.write(path, "shared")
        try:
            for flags in ((), ("--lockdown", "--host-shm")):
                out, _ = self.run_ok(*flags, "--", "sh", "-c",
                                     f"test -e {path} || echo absent; echo x >{path}")
                self.assertEqual(out, "absent\n", flags)
            out, err = self.run_ok("--host-shm", "--", "sh", "-c", f"cat {path}; echo back >{path}")
            self.assertEqual(out, "shared")
            self.assertIn("(--host-shm)", err)
            with open(path, encoding="utf-8") as file:
                self.assertEqual(file.read(), "back\n")
        finally:
            os.unlink(path)

    # A /dev of this test's own: what stands in for the devices are the nodes of /dev/zero.
    SETUP = r"""
set -e
mkdir "$1"
mount -t tmpfs none "$1"
for node in null:3 zero:5 full:7 random:8 urandom:9 kvm:5 kfd:5 nvidia0:5 nvidiactl:5 mem:1 sda:5
do mknod -m 666 "$1/${node%:*}" c 1 "${node#*:}"; done
mknod -m 666 "$1/tty" c 5 0
mkdir "$1/dri" "$1/snd" "$1/pts" "$1/shm" "$1/input"
mknod -m 666 "$1/dri/card0" c 1 5
mknod -m 666 "$1/snd/controlC0" c 1 5
mknod -m 666 "$1/input/event0" c 1 5
mount --bind /dev/pts "$1/pts"
ln -s pts/ptmx "$1/ptmx"
ln -s /proc/self/fd "$1/fd"
mount --move "$1" /dev
shift
exec "$@"
"""
    NODES = ("kvm", "dri/card0", "snd/controlC0", "kfd", "nvidia0", "nvidiactl", "mem", "sda",
             "input/event0")
    OPEN = {
        (): set(),
        ("--kvm",): {"kvm"},
        ("--gpu",): {"dri/card0", "kfd", "nvidia0", "nvidiactl"},
        ("--audio",): {"snd/controlC0"},
        ("--lockdown", "--kvm", "--gpu", "--audio"): set(),
    }

    def test_devices(self):
        """E-FS-11: each flag gives its nodes, which work, and no others."""
        if UID != 0:
            self.check_real()
            return
        script = "".join(f"printf '{node} '; head -c 3 /dev/{node} 2>&1 | od -An -tx1; "
                         for node in self.NODES)
        probe = subprocess.run([tool("unshare"), "-m", "--propagation", "private", "sh", "-c",
                                self.SETUP, "sh", os.path.join(self.base, "probe"), "head", "-c1",
                                "/dev/kvm"], capture_output=True, check=False)
        if probe.stdout != b"\0":
            raise unittest.SkipTest(f"devices cannot be made here: {probe.stderr.decode()}")
        for flags, names in self.OPEN.items():
            with self.subTest(flags=flags):
                out = self.output()
                process = self.start_program(
                    [tool("unshare"), "-m", "--propagation", "private", "sh", "-c", self.SETUP, "sh",
                     os.path.join(self.base, "dev" + "".join(flags)), ptyrun.PROGRAM, *flags, "--",
                     "sh", "-c", script], [self.null, out.fd, out.fd])
                self.assertEqual(process.wait(), 0, out.text())
                read = set(re.findall(r"^(\S+)  00 00 00$", out.text(), re.M))
                self.assertEqual(read, names, out.text())

    def check_real(self):
        """Without root there is only what the machine has."""
        for flag, path in (("--kvm", "/dev/kvm"), ("--gpu", "/dev/dri")):
            out, err = self.run_ok(flag, "--", "sh", "-c", f"test -e {path} && echo there; true")
            self.assertEqual(out == "there\n", os.path.exists(path), err)
            if flag == "--kvm" and not os.path.exists(path):
                self.assertRegex(err, "⚠ --kvm: the host has no")
            out, _ = self.run_ok("--", "sh", "-c", f"test -e {path} && echo there; true")
            self.assertEqual(out, "")


if __name__ == "__main__":
    ptyrun.main()
