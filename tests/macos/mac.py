# SPDX-License-Identifier: GPL-3.0-only
"""mac: what a program does on a Mac, in operations on objects that a profile decides.

A tree of host.tree is walked as the kernel does it: links are followed, a component that exists is
called by its own name whatever the case the program wrote it in (the file systems of a Mac ignore
case), and what does not exist is named as the program names it.

A question is asked twice. To say yes, every step must be permitted: the metadata of each directory
and of each link on the way, as programs look at them, and the operation. To say no, the operation
itself must be refused: it is not sure that the kernel asks for every directory on the way, so
nothing may depend on that. Where the two differ the answer is "unclear", which is never right.
"""
import re

import sbpl

HOPS_MAX = 32
ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|(.))")
VNODES = {"d": "DIRECTORY", "f": "REGULAR-FILE", "l": "SYMLINK", "s": "SOCKET", "p": "FIFO",
          "c": "CHARACTER-DEVICE", "b": "BLOCK-DEVICE"}
SEARCH_PATH = ("/opt/homebrew/bin", "/usr/local/bin", "/usr/bin", "/bin")


def unescape(word):
    return ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else
                      {"n": "\n", "r": "\r", "t": "\t", "0": "\0"}.get(m[2], m[2]), word)


class Tree:
    """nodes: canonical path -> (type, text). The text is a link's target or a file's content."""

    def __init__(self, lines):
        self.nodes = {"/": ("d", "")}
        self.lower = {"/": "/"}
        self.objects = {}
        for line in lines:
            line = line.strip(" ")
            if line and not line.startswith("#"):
                self._add(line)

    def _add(self, line):
        words = line.split(" ", 4)
        kind, path = words[0], unescape(words[1])
        if kind not in VNODES:
            raise ValueError(line)
        text = words[2] if kind == "l" else words[4] if len(words) > 4 else ""
        parent = path.rpartition("/")[0]
        while parent and parent not in self.nodes:
            self._set(parent, "d", "")
            parent = parent.rpartition("/")[0]
        self._set(path, kind, unescape(text))

    def _set(self, path, kind, text):
        self.nodes[path] = (kind, text)
        self.lower[path.lower()] = path

    def walk(self, path, follow=True):
        """(canonical path, directories and links on the way). What is missing keeps its spelling."""
        rest = path.split("/")[1:]
        at, way, hops = "/", ["/"], 0
        while rest:
            name = rest.pop(0)
            if name in ("", "."):
                continue
            if name == "..":
                at = at.rpartition("/")[0] or "/"
                continue
            spelled = at.rstrip("/") + "/" + name
            here = self.lower.get(spelled.lower(), spelled)
            kind, text = self.nodes.get(here, (None, ""))
            if kind == "l" and (follow or any(rest)):
                hops += 1
                if hops > HOPS_MAX:
                    raise ValueError(f"{path}: a loop of links")
                way.append(here)
                if text.startswith("/"):
                    at = "/"
                rest = text.split("/") + rest
                continue
            if any(rest):
                way.append(here)
            at = here
        return at, [step for step in dict.fromkeys(way) if step != at]

    def object(self, path, extensions=()):
        """Always the same one for the same words."""
        if (path, extensions) not in self.objects:
            self.objects[path, extensions] = self._object(path, extensions)
        return self.objects[path, extensions]

    def _object(self, path, extensions):
        kind = self.nodes.get(path, ("f", ""))[0]
        vnode = "TTY" if re.match(r"/dev/(tty|ptmx)", path) else VNODES[kind]
        return sbpl.Object(path=path, vnode=vnode, extensions=extensions)


# ---- questions ----

# What is asked of a path: the operations on the object at its end. A lone "*": links are followed.
ON_PATH = {
    "read": ("*", "file-read-data"),
    "list": ("*", "file-read-data"),
    "stat": ("*", "file-read-metadata"),
    "readlink": ("", "file-read-metadata"),
    "xattr": ("*", "file-read-xattr"),
    "write": ("*", "file-write-data"),
    "chmod": ("*", "file-write-mode"),
    "create": ("", "file-write-create"),
    "unlink": ("", "file-write-unlink"),
    "link": ("", "file-link"),
    "ioctl": ("*", "file-ioctl"),
    "exec": ("*", "process-exec", "file-read-data"),
    "connect": ("*", "network-outbound"),
    "listen": ("*", "network-inbound"),
    "bind": ("", "network-bind", "file-write-create"),
    "bind-only": ("", "network-bind"),
}
ADDRESS = re.compile(r"(tcp|udp) (.+):([0-9]+)")
ON_ADDRESS = {"connect": "network-outbound", "listen": "network-inbound", "bind": "network-bind"}
EXTENSION = re.compile(r"(.*) \+([a-z.]+)")
NOTHING = sbpl.Object()


def on_other(verb, word):
    """(operation, object) where the object is no path, or None."""
    if verb == "mach":
        return "mach-lookup", sbpl.Object(name=word)
    if verb == "mach-register":
        return verb, sbpl.Object(name=word)
    if verb == "sysctl":
        return "sysctl-read", sbpl.Object(name=word)
    if verb == "signal":
        return "signal", sbpl.Object(target=word)
    if verb == "look":
        return "process-info-pidinfo", sbpl.Object(target=word)
    if verb == "do":
        return word, NOTHING
    return None


def steps(tree, verb, word):
    """([(operation, object)] on the way, [(operation, object)] of the act itself). The first list
    is what programs want, each of the second is what the kernel asks."""
    match = ADDRESS.fullmatch(word)
    if match and verb in ON_ADDRESS:
        target = sbpl.Object(family=match[1], host=match[2], port=int(match[3]))
        return [], [(ON_ADDRESS[verb], target)]
    other = on_other(verb, word)
    if other:
        return [], [other]
    if verb == "rename":
        old, new = word.split(" -> ")
        way, acts = steps(tree, "unlink", old)
        way2, acts2 = steps(tree, "create", new)
        return way + way2, acts + acts2
    match = EXTENSION.fullmatch(word)
    path, extensions = (match[1], (match[2],)) if match else (word, ())
    follow, *ops = ON_PATH[verb]
    end, way = tree.walk(path, bool(follow))
    looks = [("file-read-metadata", tree.object(step)) for step in way]
    acts = [(op, tree.object(end, extensions)) for op in ops]
    if verb == "exec":
        way2, acts2 = interpreter(tree, end)
        return looks + way2, acts + acts2
    return looks, acts


def interpreter(tree, path):
    """What running a script needs besides the script."""
    content = tree.nodes.get(path, ("f", ""))[1]
    if not content.startswith("#!"):
        return [], []
    words = content[2:].split("\n")[0].split()
    way, acts = steps(tree, "exec", words[0])
    if words[0] == "/usr/bin/env":
        found = next(f"{d}/{words[1]}" for d in SEARCH_PATH if f"{d}/{words[1]}" in tree.nodes)
        way2, acts2 = steps(tree, "exec", found)
        return way + way2, acts + acts2
    return way, acts


class Question:
    def __init__(self, scenario, verb, word, want, why, line):
        self.scenario, self.verb, self.word = scenario, verb, word
        self.want, self.why, self.line = want, why, line

    def __str__(self):
        return f"line {self.line}: {self.scenario}: {self.verb} {self.word}: {self.want} ({self.why})"

    def prepare(self, tree):
        self.way, self.acts = steps(tree, self.verb, self.word)

    def answer(self, profile, without=(), allows=None):
        """yes, no or unclear."""
        allows = allows or (lambda op, obj: profile.allows(op, obj, without))
        if not all(allows(op, obj) for op, obj in self.acts):
            return "no"
        return "yes" if all(allows(op, obj) for op, obj in self.way) else "unclear"


# ---- files ----

class Scenario:
    def __init__(self, name):
        self.name = name
        self.words, self.tree, self.environ = [], [], []
        self.cwd, self.has_pty, self.is_fatal = "/Users/u/proj", True, False


def read_text(path):
    with open(path, encoding="latin-1", newline="\n") as file:
        return file.read()


def read_scenarios(path):
    found = {}
    scenario = None
    for line in read_text(path).split("\n"):
        key, _, rest = line.partition(" ")
        if not line or key.startswith("#"):
            continue
        if key == "scenario":
            scenario = found.setdefault(rest, Scenario(rest))
        elif key == "words":
            scenario.words = [unescape(word) for word in rest.split(" ")]
        elif key == "tree":
            scenario.tree.append(rest)
        elif key == "env":
            scenario.environ.append(rest)
        elif key == "cwd":
            scenario.cwd = unescape(rest)
        elif line == "fatal":
            scenario.is_fatal = True
        elif line == "pty none":
            scenario.has_pty = False
        else:
            raise ValueError(line)
    return found


def read_questions(path, names, short):
    """short: what $X means. A row for several scenarios ("a,b", "*" for all, "*,-a" for all but a)
    is that many questions."""
    found = []
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if not line or line.startswith("#"):
            continue
        fields = line.split("\t")
        if len(fields) != 5 or fields[3] not in ("yes", "no") or not fields[4]:
            raise ValueError(f"{path}:{number}: {line!r}")
        where, verb, word, want, why = fields
        word = word.replace("\\t", "\t").replace("\\n", "\n")
        for key, value in short.items():
            word = word.replace("$" + key, value)
        chosen = []
        for part in where.split(","):
            if part == "*":
                chosen += names
            elif part.startswith("-"):
                chosen.remove(part[1:])
            elif part in names:
                chosen.append(part)
            else:
                raise ValueError(f"{path}:{number}: no scenario {part!r}")
        found += [Question(name, verb, word, want, why, number) for name in chosen]
    return found
