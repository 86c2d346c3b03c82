// SPDX-License-Identifier: GPL-3.0-only
/*
 * masks_rules: what struct mask_rules holds, for masks.c and masks_walk.c.
 */
#pragma once

#include "base/path_table.h"
#include "policy/glob.h"
#include "policy/masks.h"

/* A literal as it was asked for. */
struct mask_asked {
    char *path; /* absolute, as spelled: neither cleaned nor resolved */
    enum plan_kind kind;
    char *origin;
    bool is_own; /* the program's: not announced when it is absent */
};

/* A name that is covered when something is there: the literal, and each link on the way. */
struct mask_armed {
    char *path; /* canonical, as far as it exists */
    enum plan_kind kind;
    const char *origin; /* of the literal or pattern */
    bool is_there;
};

struct mask_glob {
    char *text;
    char *root; /* canonical, if it exists */
    struct glob *glob;
    enum plan_kind kind;
    char *origin;
    bool has_matched;
};

/* What one of the two lists of exceptions says. Links are not followed: who can place a link could
 * lift a mask by it. */
struct mask_exceptions {
    struct strv literals; /* cleaned */
    struct path_table by_path;
    struct mask_glob *globs;
    size_t glob_count;
};

struct mask_rules {
    struct mask_asked *asked;
    size_t asked_count;
    struct mask_armed *armed;
    size_t armed_count;
    size_t armed_cap;
    struct path_table armed_by_path;
    struct strv parents; /* of armed paths, all of them */
    struct path_table is_parent;
    struct mask_glob *globs;
    size_t glob_count;
    struct mask_exceptions mask_exceptions;
    struct mask_exceptions deny_exceptions;
    struct strv watched;
    struct path_table is_watched;
    struct mask_budget budget;
};

/* Arms a canonical path; of two rules for one path the stronger stays. */
void mask_rules_arm(struct mask_rules *rules, const char *path, enum plan_kind kind,
                    const char *origin, bool is_there);
/* True if an exception of the kind's list takes path out. */
bool mask_rules_excepts(const struct mask_rules *rules, enum plan_kind kind, const char *path);
/* True for the directories in which nothing is watched unless a glob names them. */
bool mask_rules_skips(const struct mask_rules *rules, const char *name);
