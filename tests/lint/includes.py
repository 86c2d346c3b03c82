#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""includes: who may include whom.

The layers of the program are a promise about what a reader can ignore: the filter knows nothing of
policies, the policy nothing of bubblewrap, and one file alone knows libvterm. A link line cannot
keep that promise (a header crosses it unnoticed), so this table does. For every file below
src/ the first row whose pattern matches says what it may include of ours; rows for single files
stand before the row of their layer.
"""
import fnmatch
import os
import re
import sys

import tree

# (file, what it may include of ours): patterns of paths below src/.
OURS = (
    ("main.c", ("*",)),
    ("sanitize.[ch]", ("sanitize.h", "filter/filter.h", "pty/isolate.h", "backend/landlock.h",
                       "backend/seccomp.h", "base/*")),
    ("sanitizer.c", ()),
    ("status_facts.[ch]", ("status_facts.h", "pty/statusline_text.h", "policy/*", "config/*", "host.h",
                           "base/*")),
    ("browser_hint.[ch]", ("browser_hint.h", "policy/policy.h", "config/settings.h", "base/*")),
    ("audit_facts.[ch]", ("audit_facts.h", "net/audit.h", "policy/*", "config/*", "host.h", "base/*")),
    ("verbs/audit*.[ch]", ("verbs/*", "net/audit*.h", "config/args.h", "base/*")),
    ("host_run.[ch]", ("base/os.h", "base/reap.h", "host_run.h")),
    ("update.[ch]", ("update.h", "host_run.h", "pty/statusline_update.h", "policy/policy.h", "base/*")),
    ("host_gh.[ch]", ("host_gh.h", "host_run.h", "policy/capabilities.h", "policy/policy.h", "base/*")),
    ("verbs/doctor_tls.c", ("verbs/doctor.h", "net/tls.h", "base/*")),
    ("verbs/doctor_macos.c", ("verbs/doctor.h", "host_sandbox_exec.h", "base/*")),
    ("verbs/doctor_net.c", ("verbs/doctor.h", "net/parent.h", "base/*")),
    ("verbs/*", ("verbs/*", "host.h", "config/*", "policy/*", "backend/*", "pty/*", "base/*")),
    ("host_macos.c", ("host.h", "host_sandbox_exec.h", "backend/seatbelt.h", "base/*")),
    ("host*.[ch]", ("host*.h", "base/*", "backend/landlock.h", "backend/seccomp.h")),
    ("base/*", ("base/*",)),
    # What an entry for a host means is decided where it is matched.
    ("config/network.[ch]", ("config/network.h", "config/config.h", "net/allow.h", "base/*")),
    ("config/settings_table.c", ("config/settings.h", "net/allow.h", "base/*")),
    ("config/*", ("config/*", "base/*")),
    ("policy/*", ("policy/*", "config/*", "base/*", "host.h", "net/allow.h", "net/credential.h", "net/parent.h", "net/refusal.h", "net/target.h")),
    # The part of the network that decides knows no loop and no socket.
    ("net/target.[ch]", ("net/target.h", "base/*")),
    ("net/address.[ch]", ("net/address.h", "net/target.h", "base/*")),
    ("net/refusal.[ch]", ("net/refusal.h", "net/address.h", "net/target.h", "base/*")),
    ("net/allow.[ch]", ("net/allow.h", "net/address.h", "net/refusal.h", "net/target.h", "base/*")),
    ("net/http_head.[ch]", ("net/http_head.h", "base/*")),
    ("net/resolve.[ch]", ("net/resolve.h", "net/target.h", "base/*")),
    ("net/re*.[ch]", ("net/re*.h", "net/http_head.h", "net/target.h", "base/*")),
    ("net/parent*.[ch]", ("net/parent*.h", "net/address.h", "net/target.h", "base/*")),
    ("net/credential.[ch]", ("net/credential.h", "base/*")),
    ("net/tls.[ch]", ("net/tls.h", "base/*")),
    ("net/hello.[ch]", ("net/hello.h", "net/target.h", "base/*")),
    ("net/audit_record.[ch]", ("net/audit_record.h", "base/*")),
    ("net/audit_words.[ch]", ("net/audit_words.h", "base/*")),
    ("net/audit*.[ch]", ("net/audit*.h", "base/*")),
    ("net/*", ("net/*", "base/*")),
    ("filter/*", ("filter/*", "base/*")),
    # The launcher is a program of its own: a few files of ours, linked statically.
    ("backend/launcher*", ("backend/launcher*", "backend/orders.h", "backend/landlock.h",
                           "backend/mise_env.h", "pty/control.h", "base/*")),
    ("backend/mise_env.[ch]", ("backend/mise_env.h", "base/*")),
    ("backend/orders.[ch]", ("backend/orders.h", "base/*")),
    ("backend/landlock.[ch]", ("backend/landlock.h", "base/*")),
    ("backend/seccomp*", ("backend/seccomp*", "base/*")),
    ("backend/*", ("backend/*", "policy/*", "base/*", "host.h")),
    ("pty/control.[ch]", ("pty/control.h", "base/*")),
    ("pty/keeper.c", ("pty/*", "host_sandbox_exec.h", "base/*")),
    ("pty/start_macos.c", ("pty/*", "host_sandbox_exec.h", "backend/seatbelt.h", "base/*")),
    ("pty/traces.[ch]", ("pty/traces.h", "base/*")),
    ("pty/probe_replies.c", ("pty/probe_replies.h", "filter/colour.h", "filter/csi.h")),
    ("pty/statusline_text.[ch]", ("pty/statusline_text.h", "base/utf8.h", "filter/width.h",
                                  "base/*")),
    ("pty/*", ("pty/*", "net/audit.h", "net/proxy.h", "net/allow.h", "net/tls.h", "filter/filter.h", "backend/*", "policy/*", "base/*", "host.h")),
)

# (header of a library, the only files that may know it), below src/.
OWNERS = (
    ("vterm.h", ("filter/shadow.[ch]",)),
    ("vterm_keycodes.h", ("filter/shadow.[ch]",)),
    ("uv.h", ("net/flow.[ch]", "net/dial*", "net/door.[ch]", "net/resolve.[ch]", "net/proxy.[ch]", "net/connection*", "pty/session*", "pty/relay*", "pty/statusline*.[ch]")),
    ("openssl/ssl.h", ("net/tls.c",)),
    ("openssl/err.h", ("net/tls.c",)),
    ("seccomp.h", ("backend/seccomp_gen.c",)),
    ("jansson.h", ("backend/launch*.c", "backend/seatbelt_show.c", "backend/show_parts.[ch]", "backend/*json*", "verbs/*", "net/audit*.[ch]")),
    ("sha2.h", ("policy/*.c", "net/audit_record.c")),
    # Pseudo-terminals belong to the two sides that meet at one.
    ("pty.h", ("backend/launcher*", "pty/*")),
    ("termios.h", ("main.c", "backend/launcher*", "pty/*")),
)

# Made by the build.
GENERATED = ("backend/seccomp_programs.inc",)

INCLUDE = re.compile(r"""^\s*#\s*include\s*(<([^>]+)>|"([^"]+)")""")


def includes(root, path):
    """(line, name, is_system) of each include line."""
    for number, line in tree.numbered(tree.read(root, path)):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(2) or match.group(3), match.group(2) is not None


def matches(name, patterns):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def check_edges(root):
    for path in tree.c_files(root):
        if not path.startswith("src/"):
            continue
        name = path[len("src/"):]
        allowed = next((allowed for file, allowed in OURS if matches(name, (file,))), None)
        if allowed is None:
            yield path, 1, "no row of the table in tests/lint/includes.py covers this file"
            continue
        for line, target, is_system in includes(root, path):
            if not is_system and not matches(target, allowed):
                yield path, line, f"must not include {target}"


def check_owners(root):
    for path in tree.c_files(root):
        if not path.startswith("src/"):
            continue
        for line, target, _ in includes(root, path):
            for header, owners in OWNERS:
                if target == header and not matches(path[len("src/"):], owners):
                    yield path, line, f"<{header}> belongs to {', '.join(owners)}"


def check_spelling(root):
    """Headers of ours are written in quotes, from src/ (in tests also from tests/, or beside)."""
    for path in tree.c_files(root):
        bases = ["src"] + ([] if path.startswith("src/") else ["tests", os.path.dirname(path)])
        for line, target, is_system in includes(root, path):
            exists = [b for b in bases if os.path.exists(os.path.join(root, b, target))]
            if is_system and "/" in target and exists:
                yield path, line, f'write "{target}", it is ours'
            elif not is_system and not exists and target not in GENERATED:
                yield path, line, f'"{target}" is not the path of a header below {bases[0]}/'


CHECKS = (check_edges, check_owners, check_spelling)

if __name__ == "__main__":
    sys.exit(tree.main(CHECKS))
