// SPDX-License-Identifier: GPL-3.0-only
/*
 * test: cmocka with its prerequisites, and the one way to skip.
 */
#pragma once

#include "base/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* A test that finds a feature missing says why; where every test must run, that is a failure. The
 * caller returns afterwards. */
static inline void test_skip(const char *why)
{
    if (getenv("AI_JAIL_TESTS_MUST_RUN"))
        fail_msg("skipped where every test must run: %s", why);
    print_message("skipped: %s\n", why);
    skip();
}
