// SPDX-License-Identifier: GPL-3.0-only
/*
 * report_file: the file of --report, written by the mounter with a text of the supervisor's.
 *
 */
#pragma once

#include "pty/report_place.h"

struct report_file {
    int text; /* memory file that both processes have, -1: no report is wanted */
    struct report_place place;
};

#define REPORT_FILE_NONE ((struct report_file){.text = -1, .place = REPORT_PLACE_NONE})

/* path: absolute, or NULL. 0, or -errno with the line to print. */
int report_file_open(struct report_file *file, const char *path, struct error *error);
/* In the mounter: puts the text there, 0600, by a new file that is renamed; says how it went over the
 * socket. */
void report_file_write(const struct report_file *file, int socket);
void report_file_close(struct report_file *file);
