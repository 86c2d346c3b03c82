// SPDX-License-Identifier: GPL-3.0-only
/*
 * env_row: one variable of the command's environment as a row of a table, for cmocka tests.
 */
#pragma once

#include "policy/environment.h"
#include "support/planner.h"

#define ENV_ROW_ENTRIES 8

/* One host, one request, and what becomes of one variable. */
struct env_row {
    const char *id;
    const char *host[ENV_ROW_ENTRIES];   /* inherited variables */
    const char *passed[ENV_ROW_ENTRIES]; /* --env */
    bool inherit;
    enum network_mode network;
    const char *argv0; /* NULL: claude */
    const char *tree;
    const char *name;
    const char *want;  /* NULL: not set */
    const char *parts; /* entries of GROUP_HOME_PARTS; NULL: not looked at */
};

/* Makes the host and the plan of row, and builds the environment, which must succeed. */
void env_row_build(struct planner *planner, const struct env_row *row, struct strv *env);

/* Value of name, NULL if not set; fails the test if it is there twice. Borrowed. */
const char *env_value(const struct strv *env, const char *name);

/* Fails the test after every row has been tried, if one was not as wanted. */
void env_rows_check(const struct env_row *rows, size_t count);
