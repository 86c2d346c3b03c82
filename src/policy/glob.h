// SPDX-License-Identifier: GPL-3.0-only
/*
 * glob: patterns over paths, by components and bytes.
 *
 *     *        any bytes of one component, also a leading dot
 *     ?        one byte
 *     [a-z]    one byte of the set; [!a-z] and [^a-z] one that is not in it; "]" as first member is
 *              itself
 *     \x       the byte x
 *     **       alone in a component: any number of components, at the end at least one
 *
 * Everything else that other tools know ({a,b}, leading !, @(a|b), ** beside text) is an error and not
 * a literal: a pattern that protects something else than its author thinks is worse than none.
 *
 * A pattern is used component by component, by keeping the set of places in it that a path has
 * reached: so a walk over a tree asks each pattern once per name. One step costs at most the length
 * of the pattern times the length of the name.
 */
#pragma once

#include "base/base.h"
#include "base/buf.h"

struct glob;

/* True if text holds a character that has a meaning in a pattern, or would have one elsewhere. */
bool glob_is_pattern(const char *text);

/* Number of bytes of text that are a literal directory prefix with its slash: "a/b/" of "a/b/ *.c",
 * 0 of "*.c". A component with a backslash ends it. */
size_t glob_prefix_len(const char *text);

struct glob_fault {
    size_t position; /* byte offset in the text, from 0 */
    const char *why; /* static */
};

#define GLOB_COMPONENTS_MAX 63

/* Compiles a pattern; components are separated by "/", empty ones and "." are left out. NULL and
 * *fault filled if it is not one. */
struct glob *glob_compile(const char *text, struct glob_fault *fault) MUST_CHECK;
/* glob may be NULL. */
void glob_free(struct glob *glob);

/* True if some component is exactly this name, without any special character. */
bool glob_names(const struct glob *glob, const char *name);

/* Places reached in a pattern: bit n stands for n components. */
typedef uint64_t glob_places;
#define GLOB_START ((glob_places)1)

/* The places behind one more component; 0: the pattern cannot match there or below. */
glob_places glob_step(const struct glob *glob, glob_places places, const char *name, size_t len);
/* True if the components read so far match as a whole. */
bool glob_is_match(const struct glob *glob, glob_places places);
/* The places behind all components of a relative path. */
glob_places glob_walk(const struct glob *glob, const char *path);
/* True if something below the place can still match. */
bool glob_leads_on(const struct glob *glob, glob_places places);

/* Number of components, and whether one of them is "**". */
size_t glob_component_count(const struct glob *glob);
bool glob_is_deep(const struct glob *glob, size_t component);

/* What a regular expression becomes where it cannot say what the pattern says: bytes of a set that are not
 * printable ASCII. */
enum glob_rounding {
    GLOB_ROUND_UP,   /* the expression matches them all */
    GLOB_ROUND_DOWN, /* it matches none */
};

/*
 * Appends an extended regular expression for the first count components, without anchors, with "/"
 * between components and none at the ends; special characters of expressions are escaped by a backslash.
 * False, and something appended, if nothing would match.
 */
bool glob_regex(const struct glob *glob, size_t count, enum glob_rounding rounding,
                struct buf *out) MUST_CHECK;
/* Appends bytes that stand for themselves. */
void glob_regex_quote(struct buf *out, const char *text, size_t len);
