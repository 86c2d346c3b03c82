// SPDX-License-Identifier: GPL-3.0-only
/*
 * planner: a host and a plan for tests.
 */
#include "support/planner.h"

#include "policy/home.h"
#include "policy/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char machine[] = "d /usr/bin\n"
                              "d /usr/lib\n"
                              "d /usr/lib64\n"
                              "d /usr/sbin\n"
                              "l /bin usr/bin\n"
                              "l /lib usr/lib\n"
                              "l /lib64 usr/lib64\n"
                              "l /sbin usr/sbin\n"
                              "f /usr/bin/env 0755 0 \n"
                              "f /usr/bin/bash 0755 0 \n"
                              "l /usr/bin/sh bash\n"
                              "f /etc/hosts 0644 0 \n"
                              "d /tmp 1777 0\n"
                              "d /run/user/1000 0700 1000\n"
                              "d /home/u 0700 1000\n"
                              "d /home/u/proj 0755 1000\n"
                              "d /proc\n"
                              "d /dev\n"
                              "d /sys\n";

void planner_init(struct planner *planner, const char *tree, const char *const *environ)
{
    struct host *host = &planner->host;

    *planner = (struct planner){.fakefs = fakefs_new(machine)};
    fakefs_add(planner->fakefs, tree);
    *host = (struct host){
        .fs = fakefs_fs(planner->fakefs),
        .uid = 1000,
        .gid = 1000,
        .home = xstrdup(PLANNER_HOME),
        .home_spelling = xstrdup(PLANNER_HOME),
        .cwd = xstrdup(PLANNER_PROJECT),
        .cwd_spelling = xstrdup(PLANNER_PROJECT),
        .machine_id = xstrdup("0123456789abcdef0123456789abcdef"),
        .ram_bytes = 4 * GIB,
        .kernel = {6, 1},
        .bwrap = {.fd = -1},
    };
    for (size_t i = 0; environ && environ[i]; i++)
        strv_push(&host->environ, environ[i]);
    config_builtin(&planner->config);
    system_add(&planner->plan, host, NETWORK_OFF, &planner->notes);
    home_add(&planner->plan, host, PLANNER_PROJECT, true, &planner->notes);
    plan_add_bind(&planner->plan, host->fs, GROUP_PROJECT, PLAN_RW, PLANNER_PROJECT,
                  PLANNER_PROJECT, "project");
}

void planner_free(struct planner *planner)
{
    host_free(&planner->host);
    config_free(&planner->config);
    plan_free(&planner->plan);
    notes_free(&planner->notes);
    fakefs_cleanup(&planner->fakefs);
}

unsigned planner_count_notes(const struct planner *planner, enum note_class class, const char *part)
{
    unsigned count = 0;

    for (size_t i = 0; i < planner->notes.n; i++)
        count += planner->notes.v[i].class == class && strstr(planner->notes.v[i].text, part);
    return count;
}

static void describe(struct strv *out, const struct plan_entry *entry)
{
    const char *kind = entry->kind == PLAN_RW ? "rw" : "ro";

    if (entry->kind == PLAN_SYMLINK)
        strv_pushf(out, "link %s -> %s", entry->dest, entry->target);
    else if (entry->source && strcmp(entry->source, entry->dest) != 0)
        strv_pushf(out, "%s %s = %s", kind, entry->dest, entry->source);
    else
        strv_pushf(out, "%s %s", kind, entry->dest);
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *sorted(struct strv *lines)
{
    if (lines->n)
        qsort(lines->v, lines->n, sizeof(*lines->v), compare_lines);
    return strv_join(lines, "\n");
}

bool planner_has_exactly(struct planner *planner, enum plan_group group, const char *want)
{
    _cleanup_strv_ struct strv wanted = {0};
    _cleanup_strv_ struct strv found = {0};
    _cleanup_free_ char *wanted_text = NULL;
    _cleanup_free_ char *found_text = NULL;

    plan_finish(&planner->plan, planner->host.fs, &planner->notes);
    for (size_t i = 0; i < planner->plan.n; i++)
        if (planner->plan.v[i].group == group)
            describe(&found, &planner->plan.v[i]);
    strv_split(&wanted, want, '\n');
    strv_remove(&wanted, wanted.n - 1); /* behind the last newline */
    wanted_text = sorted(&wanted);
    found_text = sorted(&found);
    if (str_eq(wanted_text, found_text))
        return true;
    fprintf(stderr, "--- wanted\n%s\n--- found\n%s\n---\n", wanted_text, found_text);
    return false;
}
