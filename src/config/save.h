// SPDX-License-Identifier: GPL-3.0-only
/*
 * save: the text of a project file, new or changed. Pure functions on text.
 *
 * A file that is there belongs to the user: its comments, its order and what ai-jail does not know
 * stay as they are, byte for byte. What comes out is parsed again and compared with what was meant
 * before anybody gets to see it.
 */
#pragma once

#include "base/buf.h"
#include "base/error.h"
#include "base/strv.h"

/* One key and what is to be said of it. */
struct save_change {
    const char *key;    /* borrowed */
    bool only_if_there; /* the built-in value: written only over another one */
    bool is_list;
    bool extends;        /* a list: put behind the entries that are there; else it replaces them */
    char *scalar;        /* as TOML writes it; NULL for a list */
    struct strv entries; /* of the list, plain text */
};

struct save_changes {
    struct save_change *v;
    size_t n;
};

void save_changes_free(struct save_changes *changes);

#define _cleanup_save_changes_ CLEANUP(save_changes_free)

void save_add_bool(struct save_changes *changes, const char *key, bool on);
void save_add_string(struct save_changes *changes, const char *key, const char *text);
/* An empty list, to be filled; valid until the next call. */
struct save_change *save_add_list(struct save_changes *changes, const char *key, bool extends);

/* True if TOML can hold the text: valid UTF-8. */
bool save_can_hold(const char *text);

/* Far above what a command line can ask for. */
#define SAVE_TEXT_MAX (1 * MIB)

/* A new file. 0, or -errno with a line. */
int save_new(const struct save_changes *changes, struct buf *out, struct error *error);
/*
 * text with the changes in it: values that are there are replaced in place, a list that is to be
 * extended gets its new entries behind the old ones, other keys go before the first table. 0, or
 * -errno with a line that says which key stands in a form that cannot be changed without losing
 * something; the file is then to be left alone.
 */
int save_edit(const char *text, size_t len, const struct save_changes *changes, struct buf *out,
              struct error *error);
