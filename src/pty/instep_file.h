// SPDX-License-Identifier: GPL-3.0-only
/*
 * instep_file: one side of a file that is kept in step: read with suspicion, replaced as a whole.
 */
#pragma once

#include "base/buf.h"

#include <sys/stat.h>

#define INSTEP_SIZE_MAX (16 * MIB) /* of a file; a larger one is not copied */

struct instep_side {
    int dir;          /* the directory; -1: not open */
    int wd;           /* its watch, -1: none */
    const char *name; /* in the directory; borrowed */
    bool is_durable;  /* what is written must survive the machine */
};

/* What was found under the name. */
struct instep_content {
    struct buf bytes;
    struct stat st; /* st_nlink 0: nothing is there */
    int code; /* 0: a complete JSON object, or nothing is there; else positive errno: EBADMSG not
                     * one (the bytes are read), ENOTSUP not a regular file, ELOOP a link, EFBIG ... */
};

static inline bool instep_is_absent(const struct instep_content *content)
{
    return content->st.st_nlink == 0;
}

void instep_content_free(struct instep_content *content);
/* Fills content from scratch. Never waits for anybody. */
void instep_read(const struct instep_side *side, struct instep_content *content);

/*
 * Puts the bytes under the name to in the side's directory, all or nothing. was: to is
 * the side's own name, and must still be that, otherwise -EAGAIN and the last that others saved stays;
 * NULL: whatever is there. 0 or -errno.
 */
int instep_replace(const struct instep_side *side, const char *to, const struct buf *bytes,
                   mode_t mode, const struct stat *was);
