// SPDX-License-Identifier: GPL-3.0-only
/*
 * agents: the known agents, and what each keeps on the host.
 */
#pragma once

#include "config/config.h"
#include "host.h"
#include "policy/environment.h"
#include "policy/masks.h"
#include "policy/plan.h"

struct agent; /* one row of the table in agents.c */

/* By effective name (wrapper.h), exact match; NULL: no known agent. */
const struct agent *agents_find(const char *name);
/* Its name: of several, the first. Static. */
const char *agents_name(const struct agent *agent);
/* The hosts that it needs, NULL behind the last one. Static. */
const char *const *agents_hosts(const struct agent *agent);

/* A file in HOME that the agent replaces when it saves: the jail has one of its own, and the mounter
 * keeps the two in step. */
struct in_step_file {
    char *host; /* canonical path; may be absent */
    char *jail; /* inside; on the tmpfs of HOME */
};

struct in_step {
    struct in_step_file v[4];
    size_t n;
};

void in_step_free(struct in_step *files);

/* How plan entries of agents are named. */
#define AGENTS_ORIGIN "agent state"

/*
 * Adds the agent's state: binds of the group GROUP_HOME_PARTS (directories that are absent as new
 * ones), its files kept in step, its own keys and defaults in parts. With agent NULL nothing is added;
 * in lockdown, or with agent_state off, only what the agent needs to work in a jail at all. project is
 * canonical. What cannot be shown is a note; -EINVAL or -EPERM for a claude_dir that cannot be used.
 */
int agents_add(struct plan *plan, struct environment_parts *parts, struct in_step *in_step,
               const struct agent *agent, const struct config *config, const struct host *host,
               const char *project, struct notes *notes, struct error *error);

/* With the finished plan: takes the files out that a map shows or a mask hides, because then they are
 * nothing that the jail has of its own. masks may be NULL. */
void agents_settle(struct in_step *in_step, const struct plan *plan, const struct mask_rules *masks,
                   const struct host *host);
