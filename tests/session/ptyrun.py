# SPDX-License-Identifier: GPL-3.0-only
"""ptyrun: drives the real program as a user does, under fresh pseudo-terminals.

Terminal  a pseudo-terminal of which the test is the terminal emulator
Process   a program on such a terminal, on pipes, or on a mix of both, without a shell in between
Job       the same with a shell that leads the session, so that it can be stopped
SessionTest  a test with a home and a project of its own; it fails if a process is left behind

The test process is the subreaper of all it starts: whatever outlives its parent becomes its child,
so "nothing is left" is a look at its own descendants and needs no name or token.

Nothing here sleeps for a fixed time: wait_for() polls until a deadline. Where a limit of time is what
is tested, at_times() lets the machine be slow.
"""
import ctypes
import errno
import fcntl
import os
import pty
import re
import resource
import select
import shutil
import signal
import struct
import sys
import tempfile
import termios
import time
import unittest

PROGRAM = os.environ["AI_JAIL"]  # absolute path of the program under test
with open(PROGRAM, "rb") as _file:
    SANITIZED = b"__asan_init" in _file.read()
DEADLINE = 60.0     # for what takes a second on an idle machine
STEP = 0.01
PR_SET_CHILD_SUBREAPER = 36
PYTHON = "/usr/bin/python3"
LAST_QUESTION = b"\x1b[c"           # of ai-jail to its terminal
TITLE_SAVED = b"\x1b[22;0;0t"       # comes next if it has been answered in time
PATH = "/usr/local/bin:/usr/bin:/bin"


def wait_for(check, what, timeout=DEADLINE):
    """Polls check() until it is true and returns its value; fails after timeout seconds."""
    end = time.monotonic() + timeout
    while True:
        value = check()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"not within {timeout:g} s: {what() if callable(what) else what}")
        time.sleep(STEP)


def at_times(attempt, what, attempts=30):
    """The value of the first attempt() that is true. For what has a limit of time: a machine with other
    work is too slow for it at times, and a program that is wrong is so every time."""
    for _ in range(attempts):
        value = attempt()
        if value:
            return value
    raise AssertionError(f"not in {attempts} attempts: {what}")


# ---- processes of this machine ------------------------------------------------------------------

def stat_fields(pid):
    """(comm, state, ppid, pgrp, session), or None if there is no such process."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            text = file.read().decode(errors="replace")
    except OSError:
        return None
    comm, rest = text[text.index("(") + 1:].rsplit(")", 1)
    words = rest.split()
    return comm, words[0], int(words[1]), int(words[2]), int(words[3])


def processes():
    """All processes as {pid: fields}."""
    found = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            fields = stat_fields(int(name))
            if fields:
                found[int(name)] = fields
    return found


def descendants(of=None):
    """[(pid, comm)] of everything below a process that has not ended, nearest first."""
    table = processes()
    children = {}
    for pid, fields in table.items():
        children.setdefault(fields[2], []).append(pid)
    found, queue = [], [of or os.getpid()]
    while queue:
        for pid in sorted(children.get(queue.pop(0), [])):
            queue.append(pid)
            if table[pid][1] != "Z":
                found.append((pid, table[pid][0]))
    return found


def status_value(pid, key):
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
        for line in file:
            if line.startswith(key + ":"):
                return line.split(None, 1)[1].strip()
    raise KeyError(key)


def kill_quietly(pid, sig=signal.SIGKILL):
    try:
        os.kill(pid, sig)
        return True
    except ProcessLookupError:
        return False


def become_subreaper():
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")


def reap_orphans():
    """Collects what was re-parented to us. Only when every Process has been waited for."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def decode(status):
    """A wait status as the shell shows it."""
    if os.WIFSIGNALED(status):
        return 128 + os.WTERMSIG(status)
    return os.WEXITSTATUS(status)


# ---- terminals ----------------------------------------------------------------------------------

class Terminal:
    """A pseudo-terminal. output holds everything that was read from it so far."""

    def __init__(self, rows=24, cols=80, xpixel=0, ypixel=0):
        self.master, self.slave = pty.openpty()
        for fd in (self.master, self.slave):
            os.set_inheritable(fd, False)
        os.set_blocking(self.master, False)
        self.output = bytearray()
        self.mark = 0
        self.ended = False
        self.resize(rows, cols, xpixel, ypixel)

    def resize(self, rows, cols, xpixel=0, ypixel=0):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ,
                    struct.pack("HHHH", rows, cols, xpixel, ypixel))

    def modes(self):
        """The modes, comparable."""
        modes = termios.tcgetattr(self.slave)
        return modes[:4] + [tuple(bytes(c) if isinstance(c, bytes) else c for c in modes[6])]

    def is_raw(self):
        return not termios.tcgetattr(self.slave)[3] & (termios.ICANON | termios.ECHO)

    def foreground(self):
        return os.tcgetpgrp(self.master)

    def read(self, timeout=0.0, size=65536):
        """Reads once if something is there. False at the end of the terminal or after timeout."""
        if self.ended or not select.select([self.master], [], [], timeout)[0]:
            return False
        try:
            data = os.read(self.master, size)
        except BlockingIOError:
            return False
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            data = b""
        if not data:
            self.ended = True
        self.output += data
        return bool(data)

    def drain(self):
        while self.read():
            pass

    def expect(self, pattern, timeout=DEADLINE):
        """Waits for a pattern (bytes regex) after the last one found."""
        regex = re.compile(pattern, re.S)
        end = time.monotonic() + timeout
        while True:
            match = regex.search(self.output, self.mark)
            if match:
                self.mark = match.end()
                return
            left = end - time.monotonic()
            if left <= 0 or self.ended:
                raise AssertionError(f"no {pattern!r} in {self.output[self.mark:][-2000:]!r}")
            self.read(min(left, 0.1))

    def send(self, data, timeout=DEADLINE):
        """Types, reading meanwhile, so that a program that echoes is never blocked."""
        end = time.monotonic() + timeout
        while data:
            readable, writable, _ = select.select([self.master], [self.master], [], 0.1)
            if readable:
                self.read()
            if writable:
                try:
                    data = data[os.write(self.master, data[:4096]):]
                except BlockingIOError:
                    pass
            if time.monotonic() > end:
                raise AssertionError(f"{len(data)} bytes could not be typed")

    def hang_up(self):
        """As when the window is closed."""
        os.close(self.slave)
        os.close(self.master)
        self.master = self.slave = -1
        self.ended = True

    def close(self):
        for fd in (self.master, self.slave):
            if fd >= 0:
                os.close(fd)
        self.master = self.slave = -1


# ---- programs -----------------------------------------------------------------------------------

class Process:
    """A program whose descriptors 0-2 are given: a descriptor, a Terminal, or None for closed.

    With a terminal among them (or as `terminal`) the program leads a session on it. `prepare` is
    called in the child just before the exec."""

    def __init__(self, argv, stdio, terminal=None, cwd=None, env=None, prepare=None, keep=()):
        self.terminal = terminal or next((s for s in stdio if isinstance(s, Terminal)), None)
        self.status = None
        self.pid = os.fork()
        if self.pid == 0:
            try:
                self._become(argv, stdio, cwd, env, prepare, keep)
            except BaseException as error:  # pylint: disable=broad-except
                os.write(2, f"exec of {argv[0]!r}: {error!r}\n".encode())
            os._exit(99)

    def _lead_session(self):
        os.setsid()
        if self.terminal:
            fcntl.ioctl(self.terminal.slave, termios.TIOCSCTTY, 0)

    def _become(self, argv, stdio, cwd, env, prepare, keep):
        self._lead_session()
        self._execute(argv, stdio, cwd, env, prepare, keep)

    def _execute(self, argv, stdio, cwd, env, prepare, keep):
        numbers = [s.slave if isinstance(s, Terminal) else s for s in stdio]
        high = [None if n is None else fcntl.fcntl(n, fcntl.F_DUPFD_CLOEXEC, 400) for n in numbers]
        if cwd:
            os.chdir(cwd)
        for sig in range(1, signal.NSIG):
            if sig not in (signal.SIGKILL, signal.SIGSTOP) and sig not in (32, 33):
                try:
                    signal.signal(sig, signal.SIG_DFL)
                except (OSError, ValueError):
                    pass
        for fd, source in enumerate(high):
            if source is not None:
                os.dup2(source, fd)
        if prepare:
            prepare()
        for fd, source in enumerate(high):
            if source is None:
                try:
                    os.close(fd)
                except OSError:
                    pass
        for fd in keep:
            os.set_inheritable(fd, True)
        os.execve(argv[0], argv, env if env is not None else os.environ)

    def poll(self, flags=0):
        """The wait status once it has ended; with WUNTRACED also the status of a stop."""
        if self.status is not None:
            return self.status
        pid, status = os.waitpid(self.pid, os.WNOHANG | flags)
        if not pid:
            return None
        if not os.WIFSTOPPED(status) and not os.WIFCONTINUED(status):
            self.status = status
        return status

    def is_running(self):
        return self.poll() is None

    def wait(self, timeout=DEADLINE):
        """The exit code as a shell shows it; the terminal is read meanwhile."""
        def ended():
            if self.terminal and not self.terminal.ended:
                self.terminal.drain()
            return self.poll() is not None
        wait_for(ended, lambda: f"the end of {self.pid}; {tree_text()}", timeout)
        if self.terminal and not self.terminal.ended:
            self.terminal.drain()
        return decode(self.status)

    def wait_stopped(self, timeout=DEADLINE):
        def stopped():
            if self.terminal:
                self.terminal.drain()
            status = self.poll(os.WUNTRACED)
            return status is not None and (os.WIFSTOPPED(status) or self.status is not None)
        wait_for(stopped, lambda: f"the stop of {self.pid}; {tree_text()}", timeout)
        if self.terminal:
            self.terminal.drain()   # what it has said last
        if self.status is not None:
            raise AssertionError(f"ended with {decode(self.status)} instead of stopping: "
                                 f"{self.terminal and self.terminal.output[-2000:]!r}")

    def kill(self, sig=signal.SIGKILL):
        if self.status is None:
            kill_quietly(self.pid, sig)


class Job(Process):
    """A program in the foreground of a session that a shell leads: a group that can be stopped.

    The shell is a process of the test's own. It starts the one job, passes on what wait tells of it,
    and ends with it."""

    def __init__(self, argv, stdio, **options):
        self.reports, self.report = os.pipe()
        os.set_blocking(self.reports, False)
        self.stops = []
        super().__init__(argv, stdio, **options)
        os.close(self.report)
        self.shell = self.pid
        self.pid = wait_for(self._read, "the job's number")

    def _read(self):
        try:
            record = os.read(self.reports, 4)
        except BlockingIOError:
            return None
        return struct.unpack("i", record)[0] if record else None

    def _become(self, argv, stdio, cwd, env, prepare, keep):
        self._lead_session()
        job = os.fork()
        if job == 0:
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTTOU])
            os.setpgid(0, 0)
            if self.terminal:
                os.tcsetpgrp(self.terminal.slave, os.getpid())
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTTOU])
            os.close(self.reports)
            os.set_inheritable(self.report, False)
            self._execute(argv, stdio, cwd, env, prepare, keep)
        os.write(self.report, struct.pack("i", job))
        status = 0x7F
        while os.WIFSTOPPED(status) or os.WIFCONTINUED(status):
            status = os.waitpid(job, os.WUNTRACED)[1]
            os.write(self.report, struct.pack("i", status))
        os._exit(0)

    def poll(self, flags=0):
        while self.status is None:
            status = self._read()
            if status is None:
                break
            if os.WIFSTOPPED(status):
                self.stops.append(status)
            else:
                self.status = status
                os.waitpid(self.shell, 0)
                os.close(self.reports)
        if self.status is None and flags & os.WUNTRACED and self.stops:
            return self.stops.pop(0)
        return self.status


def tree_text():
    return "processes: " + " ".join(f"{pid}({comm})" for pid, comm in descendants())


class Output:
    """A file that collects what a program writes; reading it never blocks."""

    def __init__(self):
        self.file = tempfile.TemporaryFile()

    @property
    def fd(self):
        return self.file.fileno()

    def bytes(self):
        size = os.fstat(self.fd).st_size
        return os.pread(self.fd, size, 0) if size else b""

    def text(self):
        return self.bytes().decode(errors="replace")

    def close(self):
        self.file.close()


# ---- tests --------------------------------------------------------------------------------------

class SessionTest(unittest.TestCase):
    """Gives every test a home, a project and an environment, and takes everything back."""

    maxDiff = None

    def setUp(self):
        self.base = os.path.realpath(tempfile.mkdtemp(prefix="ai-jail-test."))
        self.home = os.path.join(self.base, "home")
        self.project = os.path.join(self.base, "project")
        os.mkdir(self.home, 0o700)
        os.mkdir(self.project, 0o755)
        self.env = {"HOME": self.home, "PATH": PATH, "LANG": "C.UTF-8", "TERM": "xterm-256color"}
        self.started = []
        self.opened = []
        self.null = os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)

    def tearDown(self):
        for process in self.started:
            process.kill()
            if process.status is None:
                process.wait()
        for thing in self.opened:
            thing.close()
        os.close(self.null)
        try:
            self.assert_nothing_left()
        finally:
            for pid, _ in descendants():
                kill_quietly(pid)
            reap_orphans()
            shutil.rmtree(self.base, ignore_errors=True)

    # -- starting --

    def terminal(self, *size):
        terminal = Terminal(*size)
        self.opened.append(terminal)
        return terminal

    def output(self):
        output = Output()
        self.opened.append(output)
        return output

    def pipe(self):
        """(read end, write end), non-inheritable; the test closes them or leaves them."""
        ends = [os.fdopen(fd, mode, buffering=0) for fd, mode in zip(os.pipe(), ("rb", "wb"))]
        self.opened.extend(ends)
        return ends

    def start(self, argv, stdio, **options):
        """ai-jail with argv behind it."""
        options.setdefault("cwd", self.project)
        options.setdefault("env", self.env)
        process = Process([PROGRAM] + list(argv), stdio, **options)
        self.started.append(process)
        return process

    def start_job(self, argv, stdio, **options):
        """ai-jail as the job of a shell."""
        options.setdefault("cwd", self.project)
        options.setdefault("env", self.env)
        process = Job([PROGRAM] + list(argv), stdio, **options)
        self.started.append(process)
        return process

    def start_program(self, argv, stdio, **options):
        options.setdefault("cwd", self.project)
        options.setdefault("env", self.env)
        process = Process(list(argv), stdio, **options)
        self.started.append(process)
        return process

    def on_terminal(self, argv, terminal=None, **options):
        """(terminal, process) with all of 0-2 on one terminal."""
        terminal = terminal or self.terminal()
        return terminal, self.start(argv, [terminal] * 3, **options)

    def job_on_terminal(self, argv, **options):
        terminal = self.terminal()
        return terminal, self.start_job(argv, [terminal] * 3, **options)

    def answered(self, start, *pieces, after=0.0):
        """(terminal, process) of start() whose terminal has answered ai-jail's questions in time. It waits
        for the fifth part of a second, so on a machine with other work the reply may come too late."""
        def attempt():
            terminal, process = start()
            terminal.expect(re.escape(LAST_QUESTION))
            end = time.monotonic() + after
            wait_for(lambda: time.monotonic() >= end, "the moment")
            for piece in pieces:
                terminal.send(piece)
            if self.has_saved_title(terminal, process):
                return terminal, process
            process.kill()
            process.wait()
            return None
        return at_times(attempt, "an answer in time")

    @staticmethod
    def has_saved_title(terminal, process):
        def next_output():
            ended = not process.is_running()
            terminal.drain()
            said = bytes(terminal.output[terminal.mark:])
            is_clear = said == TITLE_SAVED or not TITLE_SAVED.startswith(said)
            return [said] if ended or is_clear else None
        return wait_for(next_output, "a word of ai-jail")[0].startswith(TITLE_SAVED)

    def run_piped(self, argv, data=b"", timeout=DEADLINE, **options):
        """(code, stdout, stderr) of ai-jail without any terminal."""
        source, out, err = self.output(), self.output(), self.output()
        source.file.write(data)
        source.file.flush()
        os.lseek(source.fd, 0, os.SEEK_SET)
        process = self.start(argv, [source.fd, out.fd, err.fd], **options)
        code = process.wait(timeout)
        return code, out.bytes(), err.text()

    # -- looking --

    def assert_nothing_left(self, timeout=DEADLINE):
        """No process of this test is left, the test's own aside."""
        def gone():
            for process in self.started:
                process.poll()
            waited = {p.pid for p in self.started if p.status is None}
            left = [d for d in descendants() if d[0] not in waited]
            if not waited:
                reap_orphans()
            return not left
        wait_for(gone, tree_text, timeout)

    def child(self, process, comm, timeout=DEADLINE):
        """The pid of the descendant with that name."""
        def find():
            return next((pid for pid, name in descendants(process.pid) if name == comm), None)
        return wait_for(find, lambda: f"a process {comm}; {tree_text()}", timeout)

    def jail_parts(self, process):
        """{role: pid} of what is there: supervisor, mounter, bwrap, launcher, command."""
        table = processes()
        parts = {"supervisor": process.pid}
        for pid, fields in table.items():
            if fields[1] == "Z" or fields[2] != process.pid:
                continue
            parts["bwrap" if fields[0] == "bwrap" else "mounter"] = pid
        for role, parent in (("launcher", "bwrap"), ("command", "launcher")):
            for pid, fields in table.items():
                if fields[1] != "Z" and fields[2] == parts.get(parent):
                    parts[role] = pid
        return parts

    def census(self):
        """{path: (inode, mode, size)} of home and project, without the cache of ai-jail."""
        cache = os.path.join(self.home, ".local/state/ai-jail")
        allowed = {os.path.join(self.home, ".local"), os.path.join(self.home, ".local/state"),
                   cache, os.path.join(cache, "bwrap-probe")}
        found = {}
        for top in (self.home, self.project):
            for root, dirs, files in os.walk(top):
                for path in [root] + [os.path.join(root, n) for n in dirs + files]:
                    st = os.lstat(path)
                    if path not in allowed:
                        size = st.st_size if path != self.home else 0
                        found[path] = (st.st_ino, st.st_mode, size)
        return found


def mounts():
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as file:
        return file.read()


def enter_own_mounts():
    """Root gets a mount namespace of its own, where nobody else mounts anything; what a jail left behind
    would be seen there, because its mounts are shared, as on most machines. False for others."""
    clone_newns, ms_rec, ms_private, ms_shared = 0x20000, 1 << 14, 1 << 18, 1 << 20
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(clone_newns) < 0:
        return False
    for propagation in (ms_private, ms_shared):
        if libc.mount(b"none", b"/", None, ctypes.c_ulong(ms_rec | propagation), None) < 0:
            raise OSError(ctypes.get_errno(), "mount(/)")
    return True


def tool(name):
    """Path of a program, or a skip."""
    path = shutil.which(name, path=PATH)
    if not path:
        raise unittest.SkipTest(f"{name} is not installed")
    return path


def limit(which, value):
    return lambda: resource.setrlimit(which, (value, value))


def main():
    """Runs the tests of __main__: 77 if all were skipped; with AI_JAIL_TESTS_MUST_RUN=1 a skip
    fails."""
    become_subreaper()
    program = unittest.main(exit=False, verbosity=2)
    result = program.result
    if not result.wasSuccessful():
        sys.exit(1)
    if result.skipped and os.environ.get("AI_JAIL_TESTS_MUST_RUN") == "1":
        print("skipped tests count as failures", file=sys.stderr)
        sys.exit(1)
    if result.testsRun == len(result.skipped):
        sys.exit(77)
    sys.exit(0)
