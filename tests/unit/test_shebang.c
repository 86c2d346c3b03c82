// SPDX-License-Identifier: GPL-3.0-only
/*
 * The first line of a script, read as the kernel and env(1) read it.
 */
#include "policy/shebang.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct line {
    const char *text;
    size_t len; /* 0: strlen */
    const char *interpreter;
    const char *program;
};

static const struct line lines[] = {
    {"#!/bin/sh\n", 0, "/bin/sh", NULL},
    {"#!/bin/sh", 0, "/bin/sh", NULL},
    {"#! \t/bin/sh -e\nx", 0, "/bin/sh", NULL},
    {"#!bin/sh\n", 0, "bin/sh", NULL},
    {"#!/bin/sh\0x\n", 12, "/bin/sh", NULL},
    {"#!/bin\0/sh\n", 11, "/bin", NULL},
    {"#!/bin/sh\r\n", 0, "/bin/sh\r", NULL},
    {"#!/bin/\xff\n", 0, "/bin/\xff", NULL},
    {"", 0, NULL, NULL},
    {"#", 0, NULL, NULL},
    {"#!", 0, NULL, NULL},
    {"#!\n", 0, NULL, NULL},
    {"#! \t \n/bin/sh\n", 0, NULL, NULL},
    {"#!\0/bin/sh\n", 11, NULL, NULL},
    {" #!/bin/sh\n", 0, NULL, NULL},
    {"\x7f"
     "ELF",
     0, NULL, NULL},
    {"#!/usr/bin/env node\n", 0, "/usr/bin/env", "node"},
    {"#!/usr/bin/env  \tnode \n", 0, "/usr/bin/env", "node"},
    {"#!/usr/bin/env\n", 0, "/usr/bin/env", NULL},
    {"#!/usr/bin/env -i node\n", 0, "/usr/bin/env", "node"},
    {"#!/usr/bin/env - node\n", 0, "/usr/bin/env", "node"},
    {"#!/usr/bin/env -S node --harmony\n", 0, "/usr/bin/env", "node"},
    {"#!/usr/bin/env -Snode -x\n", 0, "/usr/bin/env", "node"},
    {"#!/usr/bin/env -vS node\n", 0, "/usr/bin/env", "node"},
    {"#!/usr/bin/env -iS A=1 B=2 node\n", 0, "/usr/bin/env", "node"},
    {"#!/usr/bin/env -S -i -u HOME -uX -C /tmp node\n", 0, "/usr/bin/env", "node"},
    {"#!/usr/bin/env -S --unset=X --chdir /tmp -- node\n", 0, "/usr/bin/env", "node"},
    {"#!/usr/bin/env --split-string=node -x\n", 0, "/usr/bin/env", "node"},
    {"#!/usr/bin/env --split-string node\n", 0, "/usr/bin/env", "node"},
    {"#!/usr/bin/env -S A=1\n", 0, "/usr/bin/env", NULL},
    {"#!/usr/bin/env -S 'no de'\n", 0, "/usr/bin/env", NULL},
    {"#!/usr/bin/env -S ${HOME}/x\n", 0, "/usr/bin/env", NULL},
    {"#!/usr/bin/env -S a\\_b\n", 0, "/usr/bin/env", NULL},
    {"#!/usr/bin/env -Z node\n", 0, "/usr/bin/env", NULL},
    {"#!/usr/bin/env -u\n", 0, "/usr/bin/env", NULL},
    {"#!/usr/bin/env -S -S -S node\n", 0, "/usr/bin/env", "node"},
    {"#!env node\n", 0, "env", "node"},
    {"#!/usr/bin/envy node\n", 0, "/usr/bin/envy", NULL},
};

static void reads_the_first_line_like_the_kernel(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
        const struct line *line = &lines[i];
        size_t len = line->len ? line->len : strlen(line->text);
        char *exact = xcalloc(len, 1); /* so that a sanitizer sees every byte too many */
        struct shebang shebang;
        bool found;

        memcpy(exact, line->text, len);
        found = shebang_parse(&shebang, exact, len);
        if (found != (line->interpreter != NULL) ||
            !str_eq(shebang.interpreter, line->interpreter) ||
            !str_eq(shebang.program, line->program))
            fail_msg("%s: interpreter %s, program %s", line->text,
                     shebang.interpreter ? shebang.interpreter : "none",
                     shebang.program ? shebang.program : "none");
        shebang_free(&shebang);
        free(exact);
    }
}

/* A name of a given length behind "#!", then more bytes. */
static bool parse_long(size_t name_len, char next, size_t total, size_t *got_len)
{
    char *head = xcalloc(total, 1);
    struct shebang shebang;
    bool found;

    memset(head, next, total);
    memcpy(head, "#!/", 3);
    memset(head + 3, 'x', name_len - 1);
    found = shebang_parse(&shebang, head, total);
    *got_len = found ? strlen(shebang.interpreter) : 0;
    shebang_free(&shebang);
    free(head);
    return found;
}

static void a_nul_ends_a_line_that_is_too_long(void **state)
{
    char head[400];
    struct shebang shebang;

    (void)state;
    memset(head, 'x', sizeof(head));
    memcpy(head, "#!/bin/sh", 10);
    assert_true(shebang_parse(&shebang, head, sizeof(head)));
    assert_string_equal(shebang.interpreter, "/bin/sh");
    shebang_free(&shebang);
}

/* BINPRM_BUF_SIZE is 256: 255 bytes of line, of which two are "#!". */
static void only_255_bytes_count(void **state)
{
    size_t len = 0;

    (void)state;
    assert_true(parse_long(253, '\n', 400, &len)); /* newline is byte 256 */
    assert_int_equal(len, 253);
    assert_false(parse_long(254, '\n', 400, &len)); /* newline is byte 257 */
    assert_true(parse_long(253, '\n', 255, &len));  /* end of file instead */
    assert_int_equal(len, 253);
    assert_false(parse_long(300, 'x', 400, &len));
    /* a complete name in front of arguments that are too long */
    assert_true(parse_long(100, ' ', 400, &len));
    assert_int_equal(len, 100);
    assert_true(parse_long(253, ' ', 400, &len));
    assert_int_equal(len, 253);
    assert_true(parse_long(100, '\0', 400, &len));
    assert_int_equal(len, 100);
    /* the name may go on behind what was read */
    assert_false(parse_long(254, ' ', 400, &len));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_the_first_line_like_the_kernel),
        cmocka_unit_test(only_255_bytes_count),
        cmocka_unit_test(a_nul_ends_a_line_that_is_too_long),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
