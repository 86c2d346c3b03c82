// SPDX-License-Identifier: GPL-3.0-only
/*
 * agents_parts: what the files about agents share.
 *
 *   agents.c        the table
 *   agents_add.c    what a row brings into the plan and the environment
 *   agents_devin.c  what no column of the table says
 */
#pragma once

#include "policy/agents.h"

#define CLAUDE_DIR ".claude" /* what --claude-dir stands in for */

struct adding {
    struct plan *plan;
    struct environment_parts *parts;
    struct in_step *in_step;
    const struct config *config;
    const struct host *host;
    const char *project;
    struct notes *notes;
};

/* A directory below HOME. */
struct state_dir {
    const char *path;
    bool is_made; /* if it is absent */
};

/* Lists end with NULL. */
struct agent {
    const char *names[4];
    struct state_dir dirs[4];
    struct state_dir macos_dirs[4]; /* instead of these, where they are others */
    const char *files[2];           /* below HOME, kept in step */
    const char *keys[3];            /* variables */
    const char *defaults[2];        /* NAME=VALUE: without them it does not work in a jail */
    const char *hosts[5];
    const char *hint;                         /* about its use in a jail */
    bool has_own_dir;                         /* --claude-dir is about it */
    void (*add)(const struct adding *adding); /* what no column says */
};

/* True if --hide-dotdir names the first component of a path below HOME. */
bool agents_is_hidden(const struct config *config, const char *below_home);
/* Canonical source of a directory of HOME that is there and may be shown as path; malloc'ed, or NULL. */
char *agents_accept(const struct adding *adding, const char *path, const char *below_home);
/* The directories of devin. */
void agents_add_devin(const struct adding *adding);
