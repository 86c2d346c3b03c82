// SPDX-License-Identifier: GPL-3.0-only
/*
 * report_place: where the file of --report goes.
 *
 * The directory is opened at the start, so that a place in which nothing can be written stops the launch,
 * and nothing that happens later leads the file elsewhere.
 */
#pragma once

#include "base/error.h"

struct report_place {
    int dir; /* -1: no report is wanted */
    char *name;
};

#define REPORT_PLACE_NONE ((struct report_place){.dir = -1})

/* path: absolute, or NULL. 0, or -errno with the line to print. */
int report_place_open(struct report_place *place, const char *path, struct error *error);
/* Puts a new file there, 0600, which fill() has written (0 or -errno). All of it or nothing. 0 or -errno. */
int report_place_put(const struct report_place *place, int (*fill)(void *arg, int fd), void *arg);
void report_place_close(struct report_place *place);
