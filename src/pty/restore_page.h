// SPDX-License-Identifier: GPL-3.0-only
/*
 * restore_page: what another process needs to put the user's terminal back if the supervisor is killed.
 *
 * Lies in memory that both share. The supervisor writes, without a lock: the other side reads only when
 * the supervisor is gone. That may be at any moment, so there are two pages, and the one that counts is
 * never the one that is being written.
 */
#pragma once

#include "pty/terminal.h"

#include <stdint.h>

#define RESTORE_PAGE_MAX 4096

struct restore_side {
    uint32_t is_raw;      /* the terminal's modes are changed now, or will be the next moment */
    uint32_t restore_len; /* bytes of restore that undo what is on */
    struct termios saved; /* as the terminal was found */
    struct termios raw;   /* as we set it */
    uint8_t restore[RESTORE_PAGE_MAX];
};

struct restore_page {
    uint32_t current; /* the side that counts */
    struct restore_side sides[2];
};

/* Keeps the page fresh. Cheap: no system call. page and terminal may be NULL. */
void restore_page_set(struct restore_page *page, const struct terminal *terminal, const void *bytes,
                      size_t len);
/* The writer is gone: undoes what it left on, and its modes if they are still the ones that it set: the
 * user's shell may be quicker. fd may be -1. */
void restore_page_apply(const struct restore_page *page, int fd);
