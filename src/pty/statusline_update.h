// SPDX-License-Identifier: GPL-3.0-only
/*
 * statusline_update: the answer to "is there a newer version?", which comes while the run lasts.
 */
#pragma once

#include "base/base.h"

#include <sys/types.h>
#include <uv.h>

#define UPDATE_ANSWER_MAX  512
#define UPDATE_VERSION_MAX 32

struct statusline_update {
    pid_t pid; /* who was asked; a child of this process */
    int fd;    /* its output, non-blocking; -1: nobody is asked, version stays as it is */
    int stamp; /* the file where what is answered is kept, -1: nowhere */
    uv_poll_t poll;
    bool is_open;
    size_t len;
    char answer[UPDATE_ANSWER_MAX];
    char version[UPDATE_VERSION_MAX]; /* "" as long as none is known that is newer */
};

/* The file of the stamp begins with this many bytes: a version, blanks behind it, a newline. */
#define UPDATE_STAMP_SIZE UPDATE_VERSION_MAX

/* pid, fd and stamp are set. Waits in the loop; with the answer, or without one, the child is ended. */
void statusline_update_open(struct statusline_update *update, uv_loop_t *loop);
/* Nobody waits any more. Idempotent. */
void statusline_update_close(struct statusline_update *update);

/*
 * The version at the end of an address, "https://host/releases/tag/v1.2.3": the last part, which may
 * begin with a 'v', as two to four decimal numbers. True and version filled if it is newer than
 * current. The address is bytes from outside.
 */
bool statusline_update_parse(const char *address, const char *current,
                             char version[static UPDATE_VERSION_MAX]);
