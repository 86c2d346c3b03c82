// SPDX-License-Identifier: GPL-3.0-only
/*
 * masks: which paths of the host are to be covered, now and when they appear.
 *
 * Rules come from the configuration (--mask, --deny-path and their exceptions) and from the program
 * itself (the policy file, git protection). A rule is a literal path or a glob (policy/glob.h).
 *
 *  - mask_rules_build() reads the configuration, mask_rules_add() adds the program's own literals;
 *  - mask_rules_walk() resolves the literals and walks the host once for all globs; what is there gets
 *    a cover in the plan, and the directories to be watched are remembered;
 *  - mask_rules_find() then says what is to become of one path. It reads only what the rules hold,
 *    makes no system call and allocates nothing, so a process that was forked later may use it.
 *
 * All paths are paths of the host, and canonical where they exist. Where the jail shows such a path
 * is for plan_each_view() to say.
 */
#pragma once

#include "config/config.h"
#include "host.h"
#include "policy/plan.h"

struct mask_rules;

/* kind is PLAN_COVER_EMPTY, PLAN_COVER_DENY or PLAN_COVER_RO; PLAN_KIND_COUNT: no rule. */
struct mask_verdict {
    enum plan_kind kind;
    const char *origin; /* "--mask *.pem" ...; borrowed from the rules, NULL without a rule */
};

/* A path that is covered as soon as something is there. */
struct mask_literal {
    const char *path;
    enum plan_kind kind;
    const char *origin;
    bool is_there; /* it existed when the host was walked; a link counts as what it leads to */
};

/* A glob, as it was written. */
struct mask_pattern {
    const char *text;
    const char *root; /* the directory below which it matches */
    enum plan_kind kind;
    const char *origin;
};

/*
 * Reads the four lists. Relative entries belong to project (canonical). *rules is set on success.
 * -EINVAL names the entry, the position and what is wrong with it.
 */
int mask_rules_build(struct mask_rules **rules, const struct config *config,
                     const struct host *host, const char *project, struct notes *notes,
                     struct error *error);
/* rules may be NULL. */
void mask_rules_free(struct mask_rules *rules);

/* Adds a literal of the program itself: cleaned absolute path, present or not. No exception lifts it,
 * and nothing is said when it is not there. Before mask_rules_walk(). */
void mask_rules_add(struct mask_rules *rules, enum plan_kind kind, const char *path,
                    const char *origin);

/* Limits of the walk. */
struct mask_budget {
    size_t entries;
    size_t directories; /* to be watched */
    uint64_t ms;
    uint64_t (*now_ms)(void *ctx); /* monotonic */
    void *ctx;
};

#define MASK_ENTRIES_MAX     1000000
#define MASK_DIRECTORIES_MAX 65536
#define MASK_WALK_MS_MAX     10000

/* Replaces the limits above and CLOCK_MONOTONIC; for tests. */
void mask_rules_set_budget(struct mask_rules *rules, const struct mask_budget *budget);

/*
 * To be called once, before somebody asks the plan what is masked. Adds a cover by host path for
 * everything that is there (a link is followed: what it leads to is covered, the link stays). Security notes: a
 * literal that is not there, a glob without a match, a covered file with further hard links, a
 * directory that cannot be searched. -E2BIG or -ETIME names the pattern that is too much work.
 */
int mask_rules_walk(struct mask_rules *rules, struct plan *plan, const struct host *host,
                    struct notes *notes, struct error *error);

/* What is to become of path. Only the path itself counts, not what lies above it; the strongest rule
 * decides. After mask_rules_walk(). */
struct mask_verdict mask_rules_find(const struct mask_rules *rules, const char *path);

/* True if a directory at path must be watched: a literal lies below it, or a glob can match there.
 * Says no for the directories that are never watched (.git, node_modules ...) unless a rule names
 * them. */
bool mask_rules_leads_on(const struct mask_rules *rules, const char *path);

/* The directories of the host to be watched: canonical, without repetition. After
 * mask_rules_walk(). */
const struct strv *mask_rules_watched(const struct mask_rules *rules);

/* The literals (with every link on the way to one) and the globs, in a fixed order. After
 * mask_rules_walk(). Strings are borrowed from the rules. */
size_t mask_rules_literal_count(const struct mask_rules *rules);
struct mask_literal mask_rules_literal(const struct mask_rules *rules, size_t number);
size_t mask_rules_pattern_count(const struct mask_rules *rules);
struct mask_pattern mask_rules_pattern(const struct mask_rules *rules, size_t number);
