// SPDX-License-Identifier: GPL-3.0-only
/*
 * env_row: one variable of the command's environment.
 */
#include "support/env_row.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

void env_row_build(struct planner *planner, const struct env_row *row, struct strv *env)
{
    const struct environment_needs needs = {
        .network = row->network,
        .argv0 = row->argv0 ? row->argv0 : "claude",
    };
    struct error error = {0};

    planner_init(planner, row->tree, row->host);
    for (size_t i = 0; i < ENV_ROW_ENTRIES && row->passed[i]; i++)
        config_add(&planner->config, SET_ENV_PASS, row->passed[i]);
    if (row->inherit)
        config_set_bool(&planner->config, SET_INHERIT_ENV, true);
    assert_int_equal(environment_build(env, &planner->config, &planner->host, &needs,
                                       &planner->plan, &planner->notes, &error),
                     0);
}

const char *env_value(const struct strv *env, const char *name)
{
    size_t len = strlen(name);
    const char *value = NULL;

    for (size_t i = 0; i < env->n; i++) {
        if (strncmp(env->v[i], name, len) != 0 || env->v[i][len] != '=')
            continue;
        if (value)
            fail_msg("%s is there twice", name);
        value = env->v[i] + len + 1;
    }
    return value;
}

static bool row_is_as_wanted(const struct env_row *row)
{
    _cleanup_planner_ struct planner planner;
    _cleanup_strv_ struct strv env = {0};
    const char *value;
    bool ok = true;

    env_row_build(&planner, row, &env);
    value = env_value(&env, row->name);
    if (!str_eq(value, row->want)) {
        print_error("%s is %s\n", row->name, value ? value : "not set");
        ok = false;
    }
    if (row->parts && !planner_has_exactly(&planner, GROUP_HOME_PARTS, row->parts))
        ok = false;
    return ok;
}

void env_rows_check(const struct env_row *rows, size_t count)
{
    unsigned failed = 0;

    for (size_t i = 0; i < count; i++)
        if (!row_is_as_wanted(&rows[i])) {
            print_error("in the row: %s\n", rows[i].id);
            failed++;
        }
    assert_int_equal(failed, 0);
}
