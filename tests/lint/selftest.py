#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""selftest: each lint check finds the one fault of a small tree, and nothing in a clean one.

Two kinds of proof: a table of trees with one fault each, and the real tree, in which every file
must be covered by a row.
"""
import os
import sys
import tempfile
import unittest

import includes
import sources
import text
import tree

HEAD = "// SPDX-License-Identifier: GPL-3.0-only\n/*\n * name: what this file is for.\n */\n"
HEADER = HEAD + "#pragma once\n"


def c_source(*lines):
    return HEAD + "".join(line + "\n" for line in lines)


CLEAN = {
    "src/base/buf.h": HEADER,
    "src/base/buf.c": c_source('#include "base/buf.h"', "#include <string.h>"),
    "src/filter/filter.h": HEADER,
    "src/filter/shadow.c": c_source("#include <vterm.h>"),
    "src/policy/plan.h": c_source("#pragma once", '#include "base/buf.h"'),
    "src/backend/launch.h": c_source("#pragma once", '#include "policy/plan.h"'),
    "src/pty/control.h": HEADER,
    "src/pty/relay.h": c_source("#pragma once", '#include "filter/filter.h"', "#include <uv.h>"),
    "src/main.c": c_source('#include "pty/relay.h"', "#include <stdlib.h>", "", "int main(void)",
                           "{", "    exit(0);", "}"),
    "tests/unit/test_buf.c": c_source('#include "base/buf.h"', "#include <uv.h>"),
    "scripts/run": "#!/bin/bash\n# SPDX-License-Identifier: GPL-3.0-only\ntrue\n",
    "README.md": "# x\n",
}


def calls(code):
    return c_source("void f(void);", "void f(void)", "{", "    " + code, "}")


LONG_FUNCTION = c_source("void f(void)", "{", *["    g();"] * 101, "}")
# (check, path, content): the finding must be in path and come from check alone.
FAULTS = (
    (includes.check_edges, "src/base/bad.c", c_source('#include "policy/plan.h"')),
    (includes.check_edges, "src/filter/bad.c", c_source('#include "pty/control.h"')),
    (includes.check_edges, "src/filter/bad.c", c_source('#include "policy/plan.h"')),
    (includes.check_edges, "src/policy/bad.h", HEADER + '# include "backend/launch.h"\n'),
    (includes.check_edges, "src/config/bad.c", c_source('#include "policy/plan.h"')),
    (includes.check_edges, "src/backend/bad.c", c_source('#include "pty/control.h"')),
    (includes.check_edges, "src/backend/bad.c", c_source('#include "filter/filter.h"')),
    (includes.check_edges, "src/backend/launcher_bad.c", c_source('#include "policy/plan.h"')),
    (includes.check_edges, "src/backend/landlock.c", c_source('#include "policy/plan.h"')),
    (includes.check_edges, "src/host_bad.c", c_source('#include "backend/launch.h"')),
    (includes.check_edges, "src/pty/control.c", c_source('#include "filter/filter.h"')),
    (includes.check_edges, "src/stray/bad.c", c_source("int x;")),
    (includes.check_owners, "src/pty/bad.c", c_source("#include <vterm.h>")),
    (includes.check_owners, "src/filter/bad.c", c_source("#include <vterm.h>")),
    (includes.check_owners, "src/filter/bad.c", c_source("#include <uv.h>")),
    (includes.check_owners, "src/policy/bad.c", c_source("#include <uv.h>")),
    (includes.check_owners, "src/pty/mounter.c", c_source("#include <uv.h>")),
    (includes.check_owners, "src/backend/seccomp.c", c_source("#include <seccomp.h>")),
    (includes.check_owners, "src/policy/bad.c", c_source("#include <jansson.h>")),
    (includes.check_spelling, "src/base/bad.c", c_source('#include "base/nothing.h"')),
    (includes.check_spelling, "src/base/bad.c", c_source("#include <base/buf.h>")),
    (includes.check_spelling, "tests/unit/bad.c", c_source('#include "base/nothing.h"')),
    *((sources.check_banned, "src/base/bad.c", calls(code)) for code in (
        "strcpy(a, b);", "strcat(a, b);", "sprintf(a, b);", "vsprintf(a, b, c);", "gets(a);",
        "strtok(a, b);", "system(a);", "popen (a, b);", "tmpnam(a);", "tempnam(a, b);",
        "mktemp(a);", "alloca(1);", 'printf("x");', 'puts("x");', "putchar(1);",
        "fputs(a, stdout);", "fputs(a, stderr);", "perror(a);", "exit(1);")),
    (sources.check_banned, "src/pty/relay.c", calls('printf("x");')),
    (sources.check_heading, "src/base/bad.c", "/*\n * x: a heading without a license.\n */\n"),
    (sources.check_heading, "src/base/bad.c", HEAD.split("\n", 1)[0] + "\nint x;\n"),
    (sources.check_heading, "src/base/bad.c", HEAD.split("\n", 1)[0] + "\n/* bad */\nint x;\n"),
    (sources.check_heading, "src/base/bad.h", HEAD + "int x;\n#pragma once\n"),
    (sources.check_heading, "src/base/bad.h", HEAD + "// #pragma once\n"),
    (sources.check_heading, "src/base/bad.c", HEADER),
    (sources.check_length, "src/base/bad.c", c_source(*["int x;"] * 600)),
    (sources.check_length, "tests/unit/bad.c", c_source(*["int x;"] * 1200)),
    (sources.check_length, "src/base/bad.c", LONG_FUNCTION),
    (sources.check_length, "tests/unit/bad.c", LONG_FUNCTION),
    (text.check_lines, "docs/bad.md", "a \n"),
    (text.check_lines, "docs/bad.md", "a"),
    (text.check_lines, "docs/bad.md", "a\n\n"),
    (text.check_lines, "docs/bad.md", "see /wo" + "rk/main/here\n"),
    (text.check_lines, "docs/bad.md", "a TO" + "DO\n"),
    (text.check_lines, "docs/bad.md", "FIX" + "ME: later\n"),
    (text.check_pages, "src/base/bad.c", c_source("/* see nothing.md 4 */")),
    (text.check_scripts, "scripts/check", "#!/bin/sh\ntrue\n"),
)
# Things that look like faults and are none.
HARMLESS = (
    ("src/base/ok.c", calls("strtok_r(a, b, c);")),
    ("src/base/ok.c", calls("xsprintf(a);")),
    ("src/base/ok.c", calls("snprintf(a, b, c); _exit(1);")),
    ("src/base/ok.c", calls('log("system(1) // strcpy(a, b)"); /* exit(1) */')),
    ("src/base/ok.c", calls("x = '\"'; /* \" */ y = '\"';")),
    ("src/base/ok.c", c_source('// #include "policy/plan.h" would be wrong')),
    ("src/base/ok.c", c_source("static const int x[] = {", *["    1,"] * 150, "};")),
    ("src/base/ok.c", c_source("void f(void)", "{", *["    g();"] * 100, "}")),
    ("src/backend/launcher_ok.c", calls("exit(1);")),
    ("docs/ok.md", "TO" + "DO: say more about pipes\n"),
    ("docs/ok.md", "--rw-map ~/lib:/wo" + "rk/lib\n"),
    ("fuzz/corpus/x/ok", "#!/bin/sh \n"),
)


def findings(content, checks):
    """Writes content {path: text} to a new tree and returns the (check, path) that find something."""
    found = set()
    with tempfile.TemporaryDirectory() as root:
        for path, body in content.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)) or root, exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as f:
                f.write(body)
        for check in checks:
            found |= {(check.__name__, path) for path, _, _ in check(root)}
    return found


ALL = includes.CHECKS + sources.CHECKS + text.CHECKS


class LintTest(unittest.TestCase):
    def test_clean_tree_has_no_findings(self):
        self.assertEqual(findings(CLEAN, ALL), set())

    def test_each_fault_is_found_by_its_check_alone(self):
        for check, path, body in FAULTS:
            with self.subTest(check=check.__name__, path=path, body=body[-60:]):
                self.assertEqual(findings({**CLEAN, path: body}, ALL), {(check.__name__, path)})

    def test_what_only_looks_like_a_fault_is_none(self):
        for path, body in HARMLESS:
            with self.subTest(path=path, body=body[-60:]):
                self.assertEqual(findings({**CLEAN, path: body}, ALL), set())

    def test_blanking_keeps_line_numbers(self):
        code = '/* a\n b */ x("\\"//"); // c\n\'"\' /* " */ y\n'
        self.assertEqual(tree.bare_code(code).count("\n"), code.count("\n"))
        self.assertNotIn("//", tree.bare_code(code))
        self.assertIn("y", tree.bare_code(code).split("\n")[2])

    def test_every_row_of_the_table_is_used(self):
        """A row that matches no file of the real tree is out of date."""
        names = [f[len("src/"):] for f in tree.c_files(REAL) if f.startswith("src/")]
        for pattern, _ in includes.OURS:
            self.assertTrue(any(includes.matches(n, (pattern,)) for n in names), pattern)


if __name__ == "__main__":
    REAL = sys.argv.pop(1)
    unittest.main(argv=[sys.argv[0]])
