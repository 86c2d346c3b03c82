// SPDX-License-Identifier: GPL-3.0-only
/*
 * load: bytes of a configuration file, read safely. The one place in config that opens files.
 *
 * Whoever wrote the file may be hostile, and so may be the name: a link, a FIFO, a device, somebody
 * else's file. One descriptor is opened; what is checked and what is read is that descriptor, never
 * the name again.
 */
#pragma once

#include "base/buf.h"
#include "base/error.h"

#include <sys/types.h>

/* Each kind is a row of what is demanded of the file (load.c). */
enum load_kind {
    LOAD_PROJECT, /* ./.ai-jail: owner and mode are reported, the caller decides */
    LOAD_GLOBAL,  /* ~/.ai-jail: own or root's, nobody else may write; may be a link */
    LOAD_STATE,   /* written by ai-jail itself: own, nobody else may write */
    LOAD_ENV,     /* an environment file: own, nobody else may do anything */
    LOAD_KIND_COUNT
};

struct load_request {
    enum load_kind kind;
    const char *path;    /* absolute */
    const char *project; /* canonical directory; of no meaning for LOAD_PROJECT */
    uid_t uid;           /* effective */
};

struct loaded {
    bool is_absent;   /* there is no such file; nothing else is filled */
    struct buf bytes; /* valid UTF-8 without NUL and byte order mark */
    uint64_t dev;     /* two files with the same dev and ino are the same file */
    uint64_t ino;
    bool is_own;     /* owner is uid */
    bool loose_mode; /* group or others may write */
    bool has_links;  /* more than one name leads to it */
    bool is_marked;  /* POLICY_MARK is set */
    bool was_link;
    char *path; /* canonical, of what was opened */
};

/*
 * 0, also for a file that is not there; or -errno with a line that names the file, the reason and
 * what to do: a link (unless the kind follows it), not a regular file, larger than 1 MiB, owner or
 * mode against the kind, inside the project (LOAD_GLOBAL, LOAD_ENV), unreadable, not UTF-8, a NUL.
 * The project's own ./.ai-jail counts as outside for LOAD_GLOBAL when it is no link: the two files
 * may be one. Does not block on a FIFO. loaded wants load_free() either way.
 */
int load_file(const struct load_request *request, struct loaded *loaded, struct error *error);
void load_free(struct loaded *loaded);

#define _cleanup_loaded_ CLEANUP(load_free)

#define LOAD_BYTES_MAX (1 * MIB)

/* The name of the file in HOME and in a project. */
#define LOAD_FILE_NAME ".ai-jail"
