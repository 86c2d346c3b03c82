// SPDX-License-Identifier: GPL-3.0-only
/*
 * audit_file: the files of the audit log: where they are, who may have touched them, their locks,
 * their rotation, and the append that keeps the chain.
 */
#pragma once

#include "base/error.h"
#include "net/audit_record.h"

#include <sys/types.h>

#define AUDIT_FILE        "history.jsonl"
#define AUDIT_KEPT        4 /* older files, history.jsonl.1 the youngest */
#define AUDIT_NAME_MAX    32
#define AUDIT_ROTATE_SIZE (16 * MIB)

struct audit_file {
    int fd;   /* history.jsonl */
    int lock; /* history.lock, held shared as long as it is open: nobody rotates meanwhile */
    struct audit_link before; /* the end of the file before this one */
    bool was_damaged;         /* at some append the last line was no record */
};

#define AUDIT_FILE_NONE                                                                            \
    (struct audit_file)                                                                            \
    {                                                                                              \
        .fd = -1, .lock = -1                                                                       \
    }

/* The directory; malloc'ed. data: $XDG_DATA_HOME or NULL; home: canonical. */
char *audit_directory(const char *data, const char *home);
/* "history.jsonl" for 0, "history.jsonl.1" ... */
void audit_file_name(unsigned number, char name[AUDIT_NAME_MAX]);

/* Opens the directory; below home no link is followed, above it the user's are. create: makes what
 * is missing. Descriptor, -ENOENT without a line in error, or another -errno with one. */
int audit_open_directory(const char *path, const char *home, bool create, struct error *error);

/* For a run: opens, makes, rotates, takes the shared lock. 0, or -errno with a line. */
int audit_file_open(struct audit_file *file, const char *path, const char *home,
                    struct error *error);
void audit_file_close(struct audit_file *file);

/* For a reader: one of the files, checked as far as reading wants it. Descriptor or -errno. */
int audit_file_open_read(int directory, unsigned number);
/* For a reader: how many bytes of it are whole records; more may follow at any time. Or -errno. */
off_t audit_file_settled(int fd);
/* For a reader: the lock that keeps the files from being renamed meanwhile. Descriptor; -1 if there
 * is none or it cannot be had soon. */
int audit_file_hold(int directory);

/* Waits for the file (at most AUDIT_WAIT_MS) and says what is to be continued. 0 or -errno. */
int audit_file_begin(struct audit_file *file, struct audit_link *last);
/* After begin: appends the line and a newline, or nothing, and lets the next one in. 0 or -errno. */
int audit_file_append(struct audit_file *file, const char *line, size_t len);
/* After begin, instead. */
void audit_file_abandon(struct audit_file *file);
