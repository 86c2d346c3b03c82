// SPDX-License-Identifier: GPL-3.0-only
/*
 * overlay_changes: what an overlay would change in the real directory, as it is now.
 *
 * upper/ is compared with the directory: a file that was only opened for writing, or that holds the
 * same bytes again, is no change. Times, owners and extended attributes are not looked at.
 */
#pragma once

#include "base/error.h"

#include <sys/stat.h>

/* In the order in which they are shown. */
enum overlay_change_kind {
    OVERLAY_REFUSED, /* cannot be applied: problem says why */
    OVERLAY_DELETED, /* with everything below it */
    OVERLAY_MODE,    /* permissions alone */
    OVERLAY_CHANGED, /* other bytes, another target or type */
    OVERLAY_ADDED,
    OVERLAY_KIND_COUNT
};

struct overlay_change {
    enum overlay_change_kind kind;
    char *path;          /* below the directory */
    mode_t mode;         /* with the type; 0: deleted */
    mode_t old_mode;     /* of the real object; 0: there is none */
    uint64_t size;       /* of the new file, or of the deleted one */
    char *target;        /* of a new link; otherwise NULL */
    const char *problem; /* static text; otherwise NULL */
};

struct overlay_changes {
    struct overlay_change *v; /* sorted by path, so a directory comes before what is in it */
    size_t n;
    size_t cap;
};

/* upper, lower: descriptors of the two directories; lower may be -1: everything is new. 0, or
 * -errno with the reason. Wants overlay_changes_free() either way. */
int overlay_changes_collect(struct overlay_changes *changes, int upper, int lower,
                            struct error *error);
void overlay_changes_free(struct overlay_changes *changes);

/* "deleted", "mode" ...; "file", "dir", "link" ... Static text. */
const char *overlay_change_name(enum overlay_change_kind kind);
const char *overlay_type_name(mode_t mode);
