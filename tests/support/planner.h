// SPDX-License-Identifier: GPL-3.0-only
/*
 * planner: a host made of a fakefs, and the plan of an ordinary run on it, for tests of the parts
 * that are added last (the command, the environment).
 *
 * The user is 1000 with the home /home/u, the project is /home/u/proj, the machine has /usr with
 * the usual links in front of it, /etc, and /run/user/1000.
 */
#pragma once

#include "config/config.h"
#include "host.h"
#include "policy/plan.h"
#include "support/fakefs.h"

#define PLANNER_HOME    "/home/u"
#define PLANNER_PROJECT "/home/u/proj"

struct planner {
    struct fakefs *fakefs;
    struct host host;
    struct config config; /* the built-in layer */
    struct plan plan;     /* holds the base, HOME and the project; not finished */
    struct notes notes;
};

/* tree: more lines for fakefs, may be NULL. environ: NAME=VALUE, NULL at the end, may be NULL. */
void planner_init(struct planner *planner, const char *tree, const char *const *environ);
void planner_free(struct planner *planner);

/* How many notes of the class hold part. */
unsigned planner_count_notes(const struct planner *planner, enum note_class class,
                             const char *part);

/* Finishes the plan. True if its entries of the group are those of want, in any order; otherwise
 * both lists are printed. One line each: "ro /a", "rw /a", "ro /a = /source", "link /a -> b". */
bool planner_has_exactly(struct planner *planner, enum plan_group group, const char *want);

#define _cleanup_planner_ CLEANUP(planner_free)
