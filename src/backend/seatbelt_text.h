// SPDX-License-Identifier: GPL-3.0-only
/*
 * seatbelt_text: the text of a sandbox profile (sandbox-exec(1)), written so that no name can become
 * a form of it.
 *
 * Everything that comes from outside goes through seatbelt_put_string(): quoted, escaped, and refused if
 * it holds a control character or is no UTF-8. A refusal is remembered; the caller asks once, at the end.
 */
#pragma once

#include "base/buf.h"
#include "base/error.h"
#include "base/strv.h"

struct seatbelt_text {
    struct buf out;
    char *refused; /* the first path that cannot be written, NULL: none */
};

void seatbelt_text_init(struct seatbelt_text *text);
void seatbelt_text_free(struct seatbelt_text *text);
/* The profile; malloc'ed. NULL and *error if a path was refused or the text is too long. */
char *seatbelt_text_take(struct seatbelt_text *text, struct error *error);

enum seatbelt_filter_kind { SEATBELT_LITERAL, SEATBELT_SUBPATH, SEATBELT_REGEX };

struct seatbelt_filter {
    enum seatbelt_filter_kind kind;
    char *text; /* a cleaned absolute path, or an expression */
};

struct seatbelt_filters {
    struct seatbelt_filter *v;
    size_t n;
    size_t cap;
};

void seatbelt_filters_free(struct seatbelt_filters *filters);
/* text is copied; what is there already is not added again. */
void seatbelt_filters_add(struct seatbelt_filters *filters, enum seatbelt_filter_kind kind,
                          const char *text);
/* The path and everything below it, as two filters: a path that does not exist yet may become either. */
void seatbelt_filters_add_tree(struct seatbelt_filters *filters, const char *path);

/* A line that explains; note is written as it is. */
void seatbelt_put_comment(struct seatbelt_text *text, const char *note);
/* A form that is written as it is. */
void seatbelt_put(struct seatbelt_text *text, const char *form);
void seatbelt_put_string(struct seatbelt_text *text, const char *value);

/*
 * "(head any...)": head is "allow file-read*" or the like. Without a filter nothing is written, for the rule
 * would hold for everything. With but, what one of those matches is left out.
 */
void seatbelt_put_rule(struct seatbelt_text *text, const char *head,
                       const struct seatbelt_filters *any, const struct seatbelt_filters *but);

#define _cleanup_filters_ CLEANUP(seatbelt_filters_free)
