# SPDX-License-Identifier: GPL-3.0-only
"""outside: what lies outside the jail while the probes run inside.

A World is a throw-away HOME with a project, a sibling project and maps, canary files in the usual
places, listening sockets, a stranger process, and, for root, a network namespace whose other end
holds servers on public-looking addresses. Everything it makes it removes again. It can tell
whether anything has changed: files, processes, mounts, sysctls, listening sockets, server logs.
"""

import contextlib
import ctypes
import fcntl
import hashlib
import os
import secrets
import selectors
import shutil
import signal
import socket
import stat
import struct
import subprocess
import threading
import time
from pathlib import Path

LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNET, CLONE_NEWNS = 0x40000000, 0x00020000
MS_REC, MS_PRIVATE, MNT_DETACH = 0x4000, 0x40000, 2
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36

CREDENTIALS = (
    ".ssh/id_ed25519 .gnupg/private-keys-v1.d/x .aws/credentials .netrc .config/gh/hosts.yml "
    ".kube/config .docker/config.json .npmrc .cargo/credentials.toml .m2/settings-security.xml .mozilla/x"
).split()

# The options for what _plant_masks() plants.
MASKED = ["--mask", "masked/secret", "--mask", "masked/dir", "--deny-path", "masked/denied",
          "--deny-path", "masked/denied-dir"]

# Variables of E-ENV-01: keys, tokens, ways back to the host, and what steers interpreters.
SECRET_NAMES = (
    "AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AZURE_CLIENT_SECRET "
    "GOOGLE_APPLICATION_CREDENTIALS GITHUB_TOKEN GH_TOKEN GITLAB_TOKEN NPM_TOKEN PYPI_TOKEN "
    "CARGO_REGISTRY_TOKEN HF_TOKEN ANTHROPIC_API_KEY OPENAI_API_KEY GEMINI_API_KEY "
    "GOOGLE_API_KEY XAI_API_KEY MOONSHOT_API_KEY MISTRAL_API_KEY DEEPSEEK_API_KEY "
    "DATABASE_URL PGPASSWORD MYSQL_PWD REDIS_URL VAULT_TOKEN CONSUL_HTTP_TOKEN "
    "DIGITALOCEAN_TOKEN CLOUDFLARE_API_TOKEN SLACK_TOKEN STRIPE_SECRET_KEY TWILIO_AUTH_TOKEN "
    "SENTRY_AUTH_TOKEN DOCKER_HOST DOCKER_CONFIG KUBECONFIG SSH_AGENT_PID GPG_AGENT_INFO "
    "DBUS_SESSION_BUS_ADDRESS TMUX TMUX_PANE STY VSCODE_IPC_HOOK_CLI VSCODE_GIT_IPC_HANDLE "
    "KITTY_LISTEN_ON WEZTERM_UNIX_SOCKET LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT NODE_OPTIONS "
    "BUN_OPTIONS PYTHONSTARTUP PYTHONPATH PERL5OPT RUBYOPT GIT_SSH_COMMAND GIT_CONFIG_GLOBAL "
    "JAVA_TOOL_OPTIONS BASH_ENV ENV PROMPT_COMMAND AI_JAIL_X SUDO_ASKPASS"
).split()
# These would stop the programs that the harness itself starts outside.
STEERS_LOADER = {"LD_AUDIT", "LD_PRELOAD", "LD_LIBRARY_PATH"}

SYSCTLS = (
    "kernel/core_pattern kernel/modprobe kernel/hotplug net/ipv4/ip_forward kernel/sysrq "
    "user/max_user_namespaces kernel/hostname"
).split()

PUBLIC4, PUBLIC6 = "203.0.113.10", "2001:db8:1::10"
METADATA = ("169.254.169.254", "fd00:ec2::254", "100.100.100.200")
LAN4 = "198.51.100.2"
HEARD_ALL = b"that is all\n"


def subreaper():
    """Orphans of this process become its children, so that none can hide."""
    LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def descendants(pid=None):
    """Pids below pid (default: this process)."""
    found, todo = [], [pid or os.getpid()]
    while todo:
        parent = todo.pop()
        try:
            for task in Path(f"/proc/{parent}/task").iterdir():
                for child in (task / "children").read_text().split():
                    found.append(int(child))
                    todo.append(int(child))
        except OSError:
            pass
    return found


def reap(pids):
    """Takes the end of those pids that are children of this process and have ended."""
    for pid in pids:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)


def end_others(spared, limit_s=60.0):
    """Ends and reaps what lies below this process and is not spared; returns the pids it met.

    A process may still have a parent of its own, which reaps it or leaves it to this one: only a
    look that finds nothing says that all are gone. Needs subreaper().
    """
    met, deadline = set(), time.monotonic() + limit_s
    while (left := set(descendants()) - spared) and time.monotonic() < deadline:
        met |= left
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        reap(left)
        time.sleep(0.005)
    return met


def process_name(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("latin-1")
    except OSError:
        return "?"


def read_quiet(path):
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""


class User:
    """Whom the jails belong to: root, or an ordinary user."""

    def __init__(self, kind):
        self.root = kind == "root"
        if self.root or os.geteuid() != 0:
            self.uid, self.gid = os.geteuid(), os.getegid()
            self.switch = {}
        else:
            # A uid nobody uses: a jail that does not hold can harm nobody's processes.
            self.uid = self.gid = self._free_uid()
            self.switch = {"user": self.uid, "group": self.gid, "extra_groups": []}

    @staticmethod
    def _free_uid():
        taken = {int(line.split(":")[2]) for line in open("/etc/passwd") if line.count(":") > 2}
        for entry in os.listdir("/proc"):
            if entry.isdigit():
                try:
                    taken.add(os.stat(f"/proc/{entry}").st_uid)
                except OSError:
                    pass
        return next(uid for uid in range(64000, 61200, -1) if uid not in taken)

    def own(self, path):
        if os.geteuid() == 0:
            os.chown(path, self.uid, self.gid, follow_symlinks=False)


class Listeners(threading.Thread):
    """Accepts on every socket given to it and writes down what came: they must hear nothing."""

    def __init__(self):
        super().__init__(daemon=True)
        self.selector, self._lock = selectors.DefaultSelector(), threading.Lock()
        self._lines = []

    def add(self, sock, name):
        sock.setblocking(False)
        self.selector.register(sock, selectors.EVENT_READ, name)
        return sock

    def run(self):
        while True:
            self.selector.select()
            with self._lock:
                self._take_all()

    def heard(self):
        """What has arrived since the last call, whether the thread has had its turn or not."""
        with self._lock:
            self._take_all()
            lines, self._lines = self._lines, []
        return lines

    def _take_all(self):
        for key in self.selector.get_map().values():
            with contextlib.suppress(OSError):  # above all: no more
                while True:
                    self._take(key.fileobj, key.data)

    def _take(self, sock, name):
        if sock.type == socket.SOCK_DGRAM:
            data, _ = sock.recvfrom(2048)
            self._lines.append(f"{name} got {data[:80]!r}")
        else:
            connection, _ = sock.accept()
            if not is_of_the_host(connection):
                self._lines.append(f"{name} accepted")
            connection.close()


def is_of_the_host(connection):
    """True if the peer surely is no process of a jail: programs of the machine, such as su, look
    for the system bus at its usual place too."""
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    pid = struct.unpack("3i", credentials)[0]
    try:
        return os.stat(f"/proc/{pid}/ns/mnt").st_ino == os.stat("/proc/self/ns/mnt").st_ino
    except OSError:
        return False


def tcp_listener(host, port):
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if family == socket.AF_INET6:
        sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    sock.bind((host, port))
    sock.listen(16)
    return sock


def udp_listener(host, port):
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_DGRAM)
    sock.bind((host, port))
    return sock


def ip(*words):
    subprocess.run(["ip", *words], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.PIPE)


def alone_on_machine():
    """Waits until no other harness runs: all plant in the same places. Held until the exit."""
    lock = os.open("/tmp/escape-harness.lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
    fcntl.flock(lock, fcntl.LOCK_EX)


def mount(source, target, kind, flags, options):
    words = [word.encode() if word else None for word in (source, target, kind)]
    if LIBC.mount(*words, flags, options.encode()) != 0:
        raise OSError(ctypes.get_errno(), f"mount on {target}: {options}")


def make_private(tops, place):
    """From here on what is made below tops is made for this process and its children alone: other
    tests run at the same time, plant in the same places (X servers do), and look what is there.
    place: an empty directory, needed meanwhile."""
    if LIBC.unshare(CLONE_NEWNS) != 0:
        raise OSError(ctypes.get_errno(), "unshare(CLONE_NEWNS)")
    mount(None, "/", None, MS_REC | MS_PRIVATE, "")
    mount("none", place, "tmpfs", 0, "mode=0700")
    for number, top in enumerate(tops):
        parts = [f"{place}/{number}{part}" for part in ("upper", "work")]
        for part in parts:
            os.mkdir(part)
        shutil.copystat(top, parts[0])
        mount("none", top, "overlay", 0, f"lowerdir={top},upperdir={parts[0]},workdir={parts[1]}")
    LIBC.umount2(place.encode(), MNT_DETACH)


class CanaryNet:
    """A veth pair: here the jails and their controls, at the other end the servers.

    Only for root. The namespace of the harness itself is a new one: it goes with the process.
    """

    def __init__(self):
        self.on = os.geteuid() == 0 and shutil.which("ip") is not None
        self.nameservers = [line.split()[1] for line in
                            read_quiet("/etc/resolv.conf").decode("latin-1").splitlines()
                            if line.startswith("nameserver ")]
        self.reader = self.ask = self.child = None
        if self.on and LIBC.unshare(CLONE_NEWNET) != 0:
            self.on = False
        if self.on:
            ip("link", "set", "lo", "up")
            Path("/proc/sys/net/ipv4/ping_group_range").write_text("0 2147483647")
            self._start()

    def _addresses(self):
        far = [a for a in self.nameservers if not a.startswith("127.") and a != "::1"]
        return [PUBLIC4, PUBLIC6, *METADATA, *far], far

    def _start(self):
        addresses, far = self._addresses()
        log_read, log_write = os.pipe()
        ready_read, ready_write = os.pipe()
        go_read, go_write = os.pipe()
        self.child = os.fork()
        if self.child == 0:
            LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            try:
                LIBC.unshare(CLONE_NEWNET)
                os.write(ready_write, b"x")
                os.read(go_read, 1)
                self._serve(addresses, far, log_write, ready_write, go_read)
            finally:
                os._exit(1)
        os.close(log_write)
        os.read(ready_read, 1)
        ip("link", "add", "escape0", "type", "veth", "peer", "name", "escape1", "netns",
           str(self.child))
        ip("addr", "add", f"{LAN4}/24", "dev", "escape0")
        ip("-6", "addr", "add", "2001:db8:2::2/64", "dev", "escape0", "nodad")
        ip("link", "set", "escape0", "up")
        ip("route", "add", "default", "via", "198.51.100.1")
        ip("-6", "route", "add", "default", "via", "2001:db8:2::1")
        os.write(go_write, b"x")
        os.read(ready_read, 1)
        self.reader, self.ask = log_read, go_write
        for address in (PUBLIC4, PUBLIC6):
            self._wait_for(address)
        self.heard()

    @staticmethod
    def _wait_for(address):
        """The kernel takes the new link into use when it gets round to it."""
        deadline = time.monotonic() + 60
        while True:
            try:
                socket.create_connection((address, 80), 1).close()
                return
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.01)

    @staticmethod
    def _serve(addresses, far, log, ready, ask):
        ip("link", "set", "lo", "up")
        ip("addr", "add", "198.51.100.1/24", "dev", "escape1")
        ip("-6", "addr", "add", "2001:db8:2::1/64", "dev", "escape1", "nodad")
        for address in addresses:
            ip("addr", "add", f"{address}/{128 if ':' in address else 32}", "dev", "escape1",
               *(["nodad"] if ":" in address else []))
        ip("link", "set", "escape1", "up")
        selector = selectors.DefaultSelector()
        for address in addresses:
            tcp, udp = ((80,), ()) if address in METADATA else ((80, 443, 853), (123, 443))
            for port in tcp:
                selector.register(tcp_listener(address, port), selectors.EVENT_READ,
                                  f"tcp {address} {port}")
            for port in udp:
                selector.register(udp_listener(address, port), selectors.EVENT_READ,
                                  f"udp {address} {port}")
        for address in {*far, PUBLIC4, PUBLIC6}:
            selector.register(udp_listener(address, 53), selectors.EVENT_READ, f"dns {address}")
        selector.register(udp_listener("0.0.0.0", 5353), selectors.EVENT_READ, "mdns")
        sockets = [(key.fileobj, key.data) for key in selector.get_map().values()]
        for sock, _ in sockets:
            sock.setblocking(False)
        selector.register(ask, selectors.EVENT_READ)
        os.write(ready, b"x")
        while True:
            asked = [key for key, _ in selector.select() if key.fileobj == ask]
            for sock, name in sockets:
                with contextlib.suppress(OSError):  # above all: no more
                    while True:
                        line = CanaryNet._take(sock, name)
                        os.write(log, line.encode() + b"\n")
            if asked:
                os.read(ask, 1)
                os.write(log, HEARD_ALL)

    @staticmethod
    def _take(sock, name):
        """One connection or datagram."""
        if name.startswith("tcp"):
            sock.accept()[0].close()
            return name
        data, peer = sock.recvfrom(2048)
        if name.startswith("dns") and len(data) > 12:
            # The question back with one A record.
            answer = (data[:2] + b"\x81\x80\0\1\0\1\0\0\0\0" + data[12:] +
                      b"\xc0\x0c\0\1\0\1\0\0\0\0\0\4\xcb\0\x71\x09")
            sock.sendto(answer, peer)
        return f"{name} {data[:80]!r}"

    def heard(self):
        """What has arrived at the servers since the last call; they say when that is all."""
        if self.reader is None:
            return []
        os.write(self.ask, b"?")
        text = b""
        while not text.endswith(HEARD_ALL):
            part = os.read(self.reader, 65536)
            if not part:
                raise EOFError("the canary servers are gone")
            text += part
        return text.removesuffix(HEARD_ALL).decode("latin-1").splitlines()


class World:
    """build() makes it; close() removes it, also when build() has failed half-way."""

    def __init__(self, user):
        self.user = user
        self.made = []    # paths to remove at the end, in order
        self.places = []  # directories with canaries, new for every launch
        self.modes, self.token = "", ""
        self.planted_at, self.key_serial = 0, 0
        self.stranger = None
        self.listeners = Listeners()
        self.heard = self.listeners.heard
        self.runtime = f"/run/user/{user.uid}"
        parent = "/home" if os.geteuid() == 0 else os.environ.get("HOME", "/")
        self.base = f"{parent}/escape-{secrets.token_hex(4)}"

    def build(self, options):
        self._directory(self.base, mode=0o755)
        if os.geteuid() == 0:
            make_private(("/run", "/tmp"), self.base)
        self.net = CanaryNet()
        self.home = self._directory(f"{self.base}/home", own=True)
        self.project = self._directory(f"{self.home}/src/project", own=True)
        self.sibling = self._directory(f"{self.home}/src/sibling", own=True)
        self.ro_map = self._directory(f"{self.base}/ro", own=True)
        self.ro_inside = self._directory(f"{self.project}/ro", own=True)
        self.rw_map = self._directory(f"{self.base}/rw", own=True)
        self.tools = self._directory(f"{self.base}/probe", mode=0o755)
        self._directory(f"{self.base}/files", own=True)
        self.probe = f"{self.tools}/probe"
        self._copy_tools(options.probe, options.i386, options.ai_jail)
        # An ordinary user may not be able to enter the build tree.
        self.ai_jail = shutil.copy(options.ai_jail,
                                   self._directory(f"{self.base}/program", mode=0o755))
        self._plant_fixed()
        self._listen()
        self.listeners.start()
        self.renew("D")

    # Making and removing

    def _directory(self, path, own=False, mode=0o700):
        missing = []
        at = Path(path)
        while not at.exists():
            missing.append(at)
            at = at.parent
        for part in reversed(missing):
            part.mkdir(mode=mode)
            part.chmod(mode)
            self.made.append(str(part))
            if own:
                self.user.own(part)
        return str(path)

    def _file(self, path, content, mode=0o600, own=True):
        Path(path).write_bytes(content)
        os.chmod(path, mode)
        if own:
            self.user.own(path)
        return str(path)

    def _copy_tools(self, probe, i386, ai_jail):
        shutil.copy(probe, self.probe)
        shutil.copy(ai_jail, f"{self.tools}/ai-jail")
        if i386:
            shutil.copy(i386, f"{self.tools}/probe-i386")
        for name in os.listdir(self.tools):
            os.chmod(f"{self.tools}/{name}", 0o755)
        if os.geteuid() == 0:
            shutil.copy(probe, f"{self.tools}/probe-suid")
            os.chmod(f"{self.tools}/probe-suid", 0o4755)

    def close(self):
        for pid in descendants():
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        for path in self.places:
            shutil.rmtree(path, ignore_errors=True)
        for path in reversed(self.made):
            if os.path.isdir(path) and path.startswith(self.base):
                shutil.rmtree(path, ignore_errors=True)
            elif os.path.isdir(path):
                try:
                    os.rmdir(path)
                except OSError:
                    pass
            elif os.path.lexists(path):
                os.unlink(path)

    # Planting

    def _plant_fixed(self):
        if os.geteuid() == 0:
            self._directory(self.runtime, own=True)
        self._plant_maps()
        self.foreign = []
        if os.geteuid() == 0:
            path = self._file(f"{self.ro_map}/foreign", b"secret\n", 0o600, own=False)
            os.chown(path, 12345, 12345)
            self.foreign.append(path)
        if self.user.root:
            self.foreign.append(self._file(f"{self.ro_map}/modeless", b"secret\n", 0))
        self.state = [self._directory(f"{self.home}/.local/{kind}/ai-jail", own=True)
                      for kind in ("state", "share")]
        self._file(f"{self.project}/source.c", b"int main(void) { return 0; }\n", 0o644)
        for directory in (self.project, self.sibling):
            self._plant_git(f"{directory}/.git")
        self.root_only = self._root_only()

    def _plant_git(self, top):
        """What makes a repository, with a submodule's below it."""
        for path in (top, f"{top}/modules/s"):
            for name in ("objects", "refs", "hooks"):
                self._directory(f"{path}/{name}", own=True)
            self._file(f"{path}/HEAD", b"ref: refs/heads/main\n", 0o644)
            self._file(f"{path}/hooks/post-commit", b"#!/bin/sh\n", 0o755)
            for name in ("config", "config.worktree"):
                self._file(f"{path}/{name}", b"[core]\n", 0o644)

    def _plant_maps(self):
        for directory in (self.ro_map, self.ro_inside, self._directory(
                f"{self.rw_map}/control", own=True)):
            for name in ("file", "other"):
                self._file(f"{directory}/{name}", b"content\n", 0o644)

    @staticmethod
    def _root_only():
        """Regular files of /etc and /opt that others may not read."""
        found = []
        for top in ("/etc", "/opt"):
            for directory, _, names in os.walk(top):
                for name in names:
                    path = f"{directory}/{name}"
                    try:
                        st = os.lstat(path)
                    except OSError:
                        continue
                    if stat.S_ISREG(st.st_mode) and not st.st_mode & 0o004 and st.st_size:
                        found.append(path)
        return [path for path in found if ":" not in path and "\n" not in path][:40]

    def renew(self, modes):
        """New token, new canaries, new facts: before every launch."""
        self.modes = modes
        self.token = secrets.token_hex(16)
        text = f"canary {self.token}\n".encode()
        self.planted_at = int(time.time()) - 2
        for name in CREDENTIALS:
            self._directory(os.path.dirname(f"{self.home}/{name}"), own=True)
            self._file(f"{self.home}/{name}", text)
        self._file(f"{self.sibling}/secret", text)
        self._file(f"{self.project}/.ai-jail", b"# " + text)
        self._plant_masks(text)
        self._plant_maps()
        self._plant_places(text)
        self._stranger()
        self.write_facts()

    def _plant_masks(self, text):
        """What MASKED names; programs, so that not being executable has one reason."""
        masked = self._directory(f"{self.project}/masked", own=True)
        for name in ("dir", "denied-dir"):
            self._file(f"{self._directory(f'{masked}/{name}', own=True)}/inner", text)
        for name in ("secret", "denied"):
            self._file(f"{masked}/{name}", b"#!/bin/sh\n# " + text, 0o755)

    def _plant_places(self, text):
        for path in self.places:
            shutil.rmtree(path, ignore_errors=True)
        parents = [self.home, self.sibling, "/tmp", "/var/tmp", self.runtime]
        if os.geteuid() == 0:
            parents += ["/srv", "/mnt", "/media", "/root"]
        self.places = []
        for parent in parents:
            path = f"{parent}/escape-{os.path.basename(self.base)}"
            if not os.path.isdir(parent) or os.path.exists(path):
                continue
            os.mkdir(path, 0o755)
            self.user.own(path)
            self._file(f"{path}/{self.token}", text, 0o644)
            self.places.append(path)

    def _stranger(self):
        """A process of the same user that nobody misses; it holds a key, too."""
        if self.stranger is not None:
            self.stranger.stdin.close()
            self.stranger.wait()
        self.write_facts()
        self.stranger = subprocess.Popen([self.probe, "--stranger"], stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, **self.user.switch)
        self.key_serial = int(self.stranger.stdout.readline())

    def stranger_lives(self):
        return self.stranger.poll() is None

    # Sockets

    def _unix(self, path, kind=socket.SOCK_STREAM):
        sock = socket.socket(socket.AF_UNIX, kind)
        sock.bind(path)
        if not path.startswith("\0"):
            os.chmod(path, 0o666)
            self.made.append(path)
        if kind != socket.SOCK_DGRAM:
            sock.listen(16)
        self.listeners.add(sock, "unix " + path.replace("\0", "@"))

    def _listen(self):
        name = secrets.token_hex(4)
        self.abstract = {}
        for kind in ("stream", "dgram", "seqpacket"):
            self.abstract[kind] = f"@escape-{name}-{kind}"
            self._unix("\0" + self.abstract[kind][1:],
                       getattr(socket, f"SOCK_{kind.upper()}"))
        self.abstract_known = []
        for known in ("/tmp/.X11-unix/X0", f"/tmp/dbus-{name}", f"/containerd-shim/{name}.sock"):
            try:
                self._unix("\0" + known)
                self.abstract_known.append("@" + known)
            except OSError:
                pass
        self._listen_paths()
        self._listen_tcp()

    def _listen_paths(self):
        uid = self.user.uid
        wanted = [f"{self.runtime}/{name}" for name in
                  ("bus", "systemd/private", "wayland-0", "pipewire-0", "pulse/native",
                   "gnupg/S.gpg-agent", "podman/podman.sock", "docker.sock")]
        wanted += [f"/tmp/tmux-{uid}/default", f"{self.home}/agent.sock"]
        if os.geteuid() == 0:
            wanted += ["/run/dbus/system_bus_socket", "/run/docker.sock",
                       "/run/containerd/containerd.sock", "/run/snapd.socket",
                       "/tmp/.X11-unix/X0", "/run/WSL/1_interop"]
        self.planted = []
        for path in wanted:
            if os.path.lexists(path):
                continue
            try:
                self._directory(os.path.dirname(path), own=path.startswith(
                    (self.runtime, self.home, "/tmp/tmux")), mode=0o755)
                self._unix(path)
                self.planted.append(path)
            except OSError:
                pass
        # These belong to the C library's name services: a planted one would stall the host.
        self.other_sockets = ["/run/nscd/socket", "/run/systemd/resolve/io.systemd.Resolve",
                              "/nix/var/nix/daemon-socket/socket", "/var/run/docker.sock"]

    def _listen_tcp(self):
        first = tcp_listener("127.0.0.1", 0)
        self.port = first.getsockname()[1]
        self.listeners.add(first, "tcp 127.0.0.1")
        self.loopback, self.loopback6 = ["127.0.0.1"], ""
        for host in ["127.0.0.2", "::1"] + ([LAN4] if self.net.on else []):
            try:
                self.listeners.add(tcp_listener(host, self.port), f"tcp {host}")
            except OSError:
                continue
            if ":" in host:
                self.loopback6 = host
            else:
                self.loopback.append(host)

    # Facts

    def environment(self):
        env = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": self.home,
               "USER": "escape", "LOGNAME": "escape", "TERM": "xterm-256color",
               "LANG": "C.UTF-8", "XDG_RUNTIME_DIR": self.runtime,
               "SSH_AUTH_SOCK": f"{self.home}/agent.sock"}
        for variable in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
            if variable in os.environ:
                env[variable] = os.environ[variable]
        return env

    def secret_environment(self):
        env = self.environment()
        for name in SECRET_NAMES:
            env[name] = f"/nonexistent/{self.token}" if name in STEERS_LOADER else self.token
        return env

    def _listings(self):
        """What may be seen above the project, level by level."""
        dots = sorted({name.split("/")[0] for name in CREDENTIALS} &
                      {".config", ".cargo", ".m2"})
        top = ("bin dev etc home lib lib32 lib64 libx32 nix opt proc run sbin sys tmp usr "
               "var").split()
        parts = Path(self.base).parts[1:]
        inside = {"src", ".cache", ".local", ".gitconfig", ".npm", ".gitignore", *dots}
        levels = [{"project"}, inside, {"home", "probe", "ro", "rw"}]
        levels += [{part} for part in reversed(parts[1:])]
        levels += [{*top, parts[0]}]
        return levels

    def write_facts(self, **extra):
        listings = {f"listing{i + 1}": ":".join(sorted(names))
                    for i, names in enumerate(self._listings())}
        dns = self.nameservers()
        facts = {
            "modes": self.modes, "home": self.home, "project": self.project,
            "token_reversed": self.token[::-1], "planted_at": self.planted_at,
            "credentials": ":".join(f"{self.home}/{name}" for name in CREDENTIALS),
            "canary_places": ":".join(p for p in self.places
                                      if self.user.root or not p.startswith("/root/")),
            "rw_map": self.rw_map, "ro_maps": f"{self.ro_map}:{self.ro_inside}",
            "foreign_files": ":".join(self.foreign), "root_only": ":".join(self.root_only),
            "state_dirs": ":".join(self.state),
            "policy_words": ":".join((f"{self.home}/.ai-jail", "--ro-bind", "bwrap", self.sibling,
                                      f"{self.home}/.config/ai-jail")),
            "stranger": self.stranger.pid if self.stranger else 0,
            "key_serial": self.key_serial,
            "oom_score_adj": read_quiet("/proc/self/oom_score_adj").decode().strip(),
            "caller_resource": int(self.user.root and self._may_raise_limits()),
            "pid_ns": os.stat("/proc/self/ns/pid").st_ino,
            "hostname": os.uname().nodename,
            "abstract_known": ":".join(self.abstract_known),
            "sockets_planted": ":".join(self.planted),
            "sockets_other": ":".join(self.other_sockets),
            "listener_port": self.port, "listener_v4": ":".join(self.loopback),
            "listener_v6": "yes" if self.loopback6 else "",
            "nameservers": ":".join(dns),
            "public4": PUBLIC4 if self.net.on else "", "public6": PUBLIC6 if self.net.on else "",
            **{f"abstract_{kind}": name for kind, name in self.abstract.items()},
            **listings, **extra,
        }
        text = "".join(f"{name}={value}\n" for name, value in facts.items())
        # In place: the jail may have the directory mapped.
        Path(f"{self.tools}/facts").write_text(text)
        os.chmod(f"{self.tools}/facts", 0o644)

    @staticmethod
    def _may_raise_limits():
        """CAP_SYS_RESOURCE: who has it sets a lower bound for oom_score_adj."""
        line = next(line for line in open("/proc/self/status") if line.startswith("CapEff:"))
        return bool(int(line.split()[1], 16) & 1 << 24)

    def nameservers(self):
        """IPv4 ones: the facts are separated by colons."""
        return [a for a in self.net.nameservers if ":" not in a] if self.net.on else []

    # Comparing

    def census(self):
        """Names, types, modes, owners, links and content of HOME with everything in it."""
        seen = {}
        # What the probes are meant to change.
        own_state = (*(f"{path}/" for path in self.state), f"{self.rw_map}/control/")
        for directory, names, files in os.walk(self.base):
            for name in names + files:
                path = f"{directory}/{name}"
                if path.startswith(own_state) or path == f"{self.tools}/facts":
                    continue
                try:
                    st = os.lstat(path)
                except OSError:
                    continue
                entry = [stat.S_IFMT(st.st_mode), st.st_mode & 0o7777, st.st_uid, st.st_gid,
                         st.st_ino]
                if stat.S_ISREG(st.st_mode) and st.st_size < 1 << 16:
                    entry += [st.st_nlink, hashlib.sha256(read_quiet(path)).hexdigest()]
                seen[path] = entry
        return seen

    def machine(self):
        """What no jail may change outside its project."""
        state = {name: read_quiet(f"/proc/sys/{name}") for name in SYSCTLS}
        state["mounts"] = read_quiet("/proc/self/mountinfo")
        state["etc"] = [os.stat(path).st_ctime_ns for path in
                        ("/etc", "/etc/passwd", "/etc/hosts", "/usr/bin/env")]
        state["tcp"] = sorted(line.split()[1] for line in
                              (read_quiet("/proc/net/tcp") + read_quiet("/proc/net/tcp6"))
                              .decode().splitlines() if " 0A " in line)
        return state
