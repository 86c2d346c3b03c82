// SPDX-License-Identifier: GPL-3.0-only
/*
 * bootstrap_file: one file of an agent's in HOME, read and replaced with a copy of the old one kept.
 */
#pragma once

#include "base/buf.h"
#include "base/error.h"

#include <sys/types.h>

struct bootstrap_file {
    int dir;    /* of the file; -1: it is not there, and would have to be made */
    char *path; /* for messages */
    char *name;
    struct buf old;
    bool exists;
    mode_t mode;
    uid_t owner;
};

/*
 * Opens the directory of rest below top (canonical, owner's) without following a link, and reads what is
 * there. makes: missing directories are made, 0700. 0, or -errno with the line to print: a component
 * that is a link or somebody else's, a file that is none or larger than 1 MiB. file wants
 * bootstrap_file_close() either way.
 */
int bootstrap_file_open(struct bootstrap_file *file, const char *top, const char *rest, uid_t owner,
                        bool makes, struct error *error);
/* Replaces the file atomically; the old one is copied to NAME.bak.N, 0600, with the next free N (0 in
 * *backup: there was none). 0 or -errno with the line to print. */
int bootstrap_file_replace(struct bootstrap_file *file, const char *text, unsigned *backup,
                           struct error *error);
void bootstrap_file_close(struct bootstrap_file *file);
