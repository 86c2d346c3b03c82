# SPDX-License-Identifier: GPL-3.0-only
"""sbpl: reads a sandbox profile of macOS and says what it permits.

The language is the part of Apple's sandbox profile language that a profile without imports needs.
Everything is strict: a form, operation, filter or modifier that is not in the tables below is an
error, and so is a combination whose meaning on a real Mac is not certain (a quote or a control byte
inside a raw string, a brace in a regular expression). A profile that this reader takes means one
thing.

Meaning: of the rules that match an operation on an object the last one decides; without any the
default does. A rule for file-read* holds for every operation below it in PARENT. The objects are
those of the kernel: paths have no symbolic link in them. What a program spells is made into such
objects by mac.py.

Text is bytes: files are read as latin-1, so that one character is one byte.
"""
import re


class Error(Exception):
    """The text is no profile, or none whose meaning is certain."""


# ---- the reader ----

class Str(str):
    """A string of the profile; a plain str is a symbol."""


TOKEN = re.compile(r'\s+|;[^\n]*|(?P<par>[()])|(?P<raw>#"[^"]*")|(?P<str>"(?:[^"\\]|\\.)*")'
                   r"|(?P<num>[0-9]+)(?=[\s()])|(?P<sym>[a-z][a-zA-Z0-9*-]*|[A-Z][A-Z_-]*)(?=[\s()])",
                   re.DOTALL)
ESCAPES = {"\\": "\\", '"': '"', "n": "\n", "r": "\r", "t": "\t"}
CONTROL = re.compile(r"[\x00-\x1f\x7f]")
DEPTH_MAX = 16


def unquote(body):
    if CONTROL.search(body):
        raise Error(f"control byte inside the string {body!r}")

    def one(match):
        if match.group(1) not in ESCAPES:
            raise Error(f"escape \\{match.group(1)} in the string {body!r}")
        return ESCAPES[match.group(1)]
    return Str(re.sub(r"\\(.)", one, body))


def raw(body):
    """What a raw string holds. A backslash before its end might be meant for the quote."""
    if CONTROL.search(body) or body.endswith("\\"):
        raise Error(f"uncertain raw string {body!r}")
    return Str(body)


def tokens(text):
    at = 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            raise Error(f"unreadable at {text[at:at + 40]!r}")
        at = match.end()
        if match["par"]:
            yield match["par"]
        elif match["raw"]:
            yield raw(match["raw"][2:-1])
        elif match["str"]:
            yield unquote(match["str"][1:-1])
        elif match["num"]:
            yield int(match["num"])
        elif match["sym"]:
            yield match["sym"]


def read(text):
    """The forms of the text: nested lists of Str, int and symbols."""
    stack = [[]]
    for token in tokens(text):
        if isinstance(token, Str) or token not in ("(", ")"):
            if len(stack) == 1:
                raise Error(f"{token!r} outside of a form")
            stack[-1].append(token)
        elif token == "(":
            if len(stack) > DEPTH_MAX:
                raise Error("too deep")
            stack.append([])
        else:
            if len(stack) == 1:
                raise Error("a closing parenthesis too many")
            done = stack.pop()
            stack[-1].append(done)
    if len(stack) > 1:
        raise Error("a parenthesis is not closed")
    return stack[0]


# ---- operations ----

TREE = """
file*: file-ioctl file-link file-map-executable file-read* file-write* file-mount file-chroot
file-read*: file-read-data file-read-metadata file-read-xattr
file-write*: file-write-create file-write-data file-write-flags file-write-mode file-write-owner
file-write*: file-write-setugid file-write-times file-write-unlink file-write-xattr
ipc*: ipc-posix* ipc-sysv*
ipc-posix*: ipc-posix-sem ipc-posix-shm*
ipc-posix-shm*: ipc-posix-shm-read* ipc-posix-shm-write*
ipc-posix-shm-read*: ipc-posix-shm-read-data ipc-posix-shm-read-metadata
ipc-posix-shm-write*: ipc-posix-shm-write-create ipc-posix-shm-write-data ipc-posix-shm-write-unlink
ipc-sysv*: ipc-sysv-msg ipc-sysv-sem ipc-sysv-shm
iokit*: iokit-open iokit-get-properties iokit-set-properties
mach*: mach-host* mach-lookup mach-register mach-priv* mach-task-name mach-cross-domain-lookup
mach-host*: mach-host-exception-port-set mach-host-special-port-set
mach-priv*: mach-priv-host-port mach-priv-task-port
network*: network-bind network-inbound network-outbound
process*: process-exec* process-fork process-info*
process-exec*: process-exec process-exec-interpreter
process-info*: process-info-pidinfo process-info-pidfdinfo process-info-setcontrol
process-info*: process-info-listpids process-info-rusage process-info-dirtycontrol
sysctl*: sysctl-read sysctl-write
system*: system-socket system-info system-fsctl system-acct system-reboot system-kext-load
default: appleevent-send lsopen user-preference-read user-preference-write
default: file* ipc* iokit* mach* network* process* sysctl* system* pseudo-tty signal job-creation
"""
PARENT = {}
for _line in TREE.split("\n"):
    if _line:
        _parent, _children = _line.split(":")
        for _child in _children.split():
            PARENT[_child] = _parent
LEAVES = frozenset(PARENT) - frozenset(PARENT.values())


def chain(op):
    """The operation and everything it belongs to, without default."""
    while op != "default":
        yield op
        op = PARENT[op]


# ---- regular expressions ----

PLAIN = re.compile(r"[^\\\[\](){}.*+?^$|]")


def compile_regex(text):
    """The common part of what Apple's matcher and Python's read alike. Atoms: plain characters,
    escaped punctuation, ".", "[...]" without backslash, groups; quantifiers: * + ?; | ^ $."""
    out, at, depth = [], 0, 0
    quantifiable = False
    while at < len(text):
        char = text[at]
        size = 1
        if char == "\\":
            size = 2
            if not re.match(r"\\[^\w\s]", text[at:at + 2]):
                raise Error(f"escape in the regex {text!r}")
            out.append(re.escape(text[at + 1]))
        elif char == "[":
            match = re.match(r"\[\^?\]?[^\]\\\[]*\]", text[at:])
            if not match or match.group() in ("[]", "[^]"):
                raise Error(f"uncertain bracket in the regex {text!r}")
            size = len(match.group())
            head = "[^" if match.group().startswith("[^") else "["
            inside = match.group()[len(head):-1]
            out.append(head + re.sub(r"[\\\]\[&~|^]", r"\\\g<0>", inside) + "]")
        elif char in "*+?":
            if not quantifiable:
                raise Error(f"nothing to repeat in the regex {text!r}")
            out.append(char)
        elif char == "$":
            out.append(r"\Z")
        elif char in "()|^.":
            depth += {"(": 1, ")": -1}.get(char, 0)
            if depth < 0 or text[at:at + 2] == "(?":
                raise Error(f"parentheses of the regex {text!r}")
            out.append("(?:" if char == "(" else char)
        elif PLAIN.match(char):
            out.append(re.escape(char))
        else:
            raise Error(f"{char!r} in the regex {text!r}")
        quantifiable = char not in "*+?(|^$"
        at += size
    if depth:
        raise Error(f"parentheses of the regex {text!r}")
    return re.compile("".join(out), re.DOTALL)


# ---- filters ----

PATHS = ("file", "process-exec", "network")
# filter: prefixes of the operations that may have it
USES = {
    "literal": PATHS, "path-literal": PATHS, "subpath": PATHS, "regex": PATHS, "path-regex": PATHS,
    "vnode-type": ("file",), "extension": ("file", "mach-lookup"),
    "global-name": ("mach-lookup", "mach-register"),
    "target": ("signal", "process-info"),
    "remote": ("network-outbound",),
    "local": ("network-inbound", "network-bind"),
    "ipc-posix-name": ("ipc-posix",), "sysctl-name": ("sysctl",),
    "sysctl-name-prefix": ("sysctl",),
    "require-any": ("",), "require-all": ("",), "require-not": ("",),
}
VNODE_TYPES = ("REGULAR-FILE", "DIRECTORY", "SYMLINK", "TTY", "CHARACTER-DEVICE", "BLOCK-DEVICE",
               "SOCKET", "FIFO")
TARGETS = ("self", "same-sandbox", "others")


def a_path(word):
    if not isinstance(word, Str) or not word.startswith("/"):
        raise Error(f"{word!r} is no absolute path")
    if word != "/" and (word.endswith("/") or re.search(r"//|/\.\.?(/|\Z)", word)):
        raise Error(f"{word!r} is no path as the kernel has it")
    return str(word)


def path_filter(name, word):
    if name in ("literal", "path-literal"):
        path = a_path(word)
        return lambda obj: obj.path == path
    if name == "subpath":
        path = a_path(word)
        below = path if path == "/" else path + "/"
        return lambda obj: obj.path == path or (obj.path or "").startswith(below)
    if not isinstance(word, Str):
        raise Error(f"{word!r} is no string")
    regex = compile_regex(word)
    return lambda obj: obj.path is not None and bool(regex.search(obj.path))


def address_filter(form):
    """(remote tcp "localhost:443"), (local unix-socket (subpath "/x"))"""
    if len(form) < 2:
        raise Error(f"{form!r} without an address")
    family, rest = form[1], form[2:]
    if family == "unix-socket":
        inner = [compile_filter(sub, ("network",), addresses=False) for sub in rest]
        return lambda obj: obj.path is not None and (not inner or any(f(obj) for f in inner))
    if family not in ("tcp", "udp", "ip") or len(rest) != 1 or not isinstance(rest[0], Str):
        raise Error(f"{form!r} is no address")
    match = re.fullmatch(r"(localhost|\*):([0-9]{1,5}|\*)", rest[0])
    if not match or (match[2] != "*" and not 0 < int(match[2]) < 65536):
        raise Error(f"{rest[0]!r} is no address that a profile can have")
    host, port = match[1], match[2]
    return lambda obj: (obj.host is not None and family in ("ip", obj.family) and
                        (host == "*" or obj.is_local) and port in ("*", str(obj.port)))


def compile_filter(form, ops, addresses=True):
    """A function of an object. ops: every operation of the rule must be able to have the filter."""
    if not isinstance(form, list) or not form or isinstance(form[0], (Str, int, list)):
        raise Error(f"{form!r} is no filter")
    name, words = form[0], form[1:]
    if name not in USES or (name in ("remote", "local") and not addresses):
        raise Error(f"unknown filter {name!r}")
    for op in ops:
        if not op.startswith(USES[name]):
            raise Error(f"{name} is no filter of {op}")
    if name.startswith("require-"):
        inner = [compile_filter(sub, ops, addresses) for sub in words]
        if not inner or (name == "require-not" and len(inner) != 1):
            raise Error(f"{name} with {len(inner)} filters")
        if name == "require-any":
            return lambda obj: any(f(obj) for f in inner)
        if name == "require-all":
            return lambda obj: all(f(obj) for f in inner)
        return lambda obj: not inner[0](obj)
    if name in ("remote", "local"):
        return address_filter(form)
    if len(words) != 1:
        raise Error(f"{form!r}: one word is wanted")
    word = words[0]
    if name in ("target", "vnode-type"):
        if isinstance(word, Str) or word not in (TARGETS if name == "target" else VNODE_TYPES):
            raise Error(f"{form!r}: unknown word")
        if name == "target":
            return lambda obj: obj.target == word or (word == "same-sandbox" and obj.target == "self")
        return lambda obj: obj.vnode == word
    if USES[name] is PATHS:
        return path_filter(name, word)
    if not isinstance(word, Str) or not word or "*" in word:
        raise Error(f"{form!r}: a name is wanted")
    if name == "extension":
        return lambda obj: word in obj.extensions
    if name == "sysctl-name-prefix":
        return lambda obj: (obj.name or "").startswith(word)
    return lambda obj: obj.name == word


# ---- objects ----

class Object:
    """What an operation is done to. A file and a unix socket have a path; a process has a target."""

    def __init__(self, path=None, vnode=None, extensions=(), name=None, target=None, family=None,
                 host=None, port=None):
        self.path, self.vnode, self.extensions = path, vnode, extensions
        self.name, self.target = name, target
        self.family, self.host, self.port = family, host, port
        self.is_local = host is not None and (host in ("localhost", "::1") or
                                              host.startswith("127."))

    def __repr__(self):
        said = (f"{k}={v!r}" for k, v in vars(self).items() if v not in (None, (), False))
        return "Object(" + ", ".join(said) + ")"


# ---- profiles ----

def show(form):
    if isinstance(form, list):
        return "(" + " ".join(show(sub) for sub in form) + ")"
    if isinstance(form, Str):
        return '"' + form.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return str(form)


class Unit:
    """One operation with one filter (or none) of a rule: the smallest thing that can be missing."""

    def __init__(self, rule, is_allow, op, form, match):
        self.rule, self.is_allow, self.op, self.form, self.match = rule, is_allow, op, form, match

    def __str__(self):
        words = ["allow" if self.is_allow else "deny", self.op]
        return "(" + " ".join(words + ([show(self.form)] if self.form else [])) + ")"


class Profile:
    """units: in order. Units of one rule share their number and their action."""

    def __init__(self, text):
        self.forms = read(text)
        self.units = []
        self.default_allows = None
        self.has_version = False
        for number, form in enumerate(self.forms):
            self._add(number, form)
        if not self.has_version or self.default_allows is None:
            raise Error("without a version or without a default")
        self.index()

    def _add(self, number, form):
        if not form or isinstance(form[0], (Str, int, list)):
            raise Error(f"{show(form)} is no rule")
        if form[0] == "version":
            if form != ["version", 1] or number:
                raise Error(f"{show(form)} where version 1 belongs first")
            self.has_version = True
            return
        if form[0] not in ("allow", "deny"):
            raise Error(f"unknown form {form[0]!r}")
        is_allow = form[0] == "allow"
        ops = [word for word in form[1:] if not isinstance(word, list)]
        filters = form[1 + len(ops):]
        if not ops or any(isinstance(op, (Str, int)) for op in ops) or form[1:1 + len(ops)] != ops:
            raise Error(f"{show(form)}: operations first, then filters")
        if ops == ["default"]:
            if filters or self.default_allows is not None:
                raise Error(f"{show(form)}: one default without a filter")
            self.default_allows = is_allow
            return
        for op in ops:
            if op not in PARENT:
                raise Error(f"unknown operation {op!r}")
        if any(sub and sub[0] == "with" for sub in filters):
            raise Error(f"{show(form)}: modifiers are not used")
        compiled = [(sub, compile_filter(sub, ops)) for sub in filters] or [(None, lambda obj: True)]
        for op in ops:
            for sub, match in compiled:
                self.units.append(Unit(number, is_allow, op, sub, match))

    def index(self):
        """For each leaf the units that can decide it, last first. To be called after a change."""
        by_op = {}
        for unit in reversed(self.units):
            by_op.setdefault(unit.op, []).append(unit)
        order = {id(unit): i for i, unit in enumerate(self.units)}
        self.deciders, self.decided = {}, {}
        for leaf in LEAVES:
            mine = [unit for op in chain(leaf) for unit in by_op.get(op, ())]
            self.deciders[leaf] = sorted(mine, key=lambda unit: -order[id(unit)])

    def decider(self, op, obj, without=()):
        """The unit that decides, or None for the default."""
        if without:
            return next((unit for unit in self.deciders[op]
                         if unit not in without and unit.match(obj)), None)
        if (op, obj) not in self.decided:
            self.decided[op, obj] = next((u for u in self.deciders[op] if u.match(obj)), None)
        return self.decided[op, obj]

    def allows(self, op, obj, without=()):
        unit = self.decider(op, obj, without)
        return self.default_allows if unit is None else unit.is_allow

    def allows_narrow(self, op, obj):
        """As allows(), if a rule for an operation beat the rules for what it belongs to. Nobody
        promises that this is not so; a good profile means the same either way."""
        for level in chain(op):
            for unit in self.deciders[op]:
                if unit.op == level and unit.match(obj):
                    return unit.is_allow
        return self.default_allows
