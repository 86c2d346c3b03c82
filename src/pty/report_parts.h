// SPDX-License-Identifier: GPL-3.0-only
/*
 * report_parts: what the files of the report share. For report*.c alone.
 */
#pragma once

#include "pty/report.h"

#include <sys/stat.h>
#include <time.h>

struct report_finding {
    enum report_class class;
    bool is_new;
    uint32_t count; /* of several of a kind in one directory: path is the directory */
    char *path;
};

struct report_findings {
    struct report_finding v[REPORT_FINDINGS_MAX];
    size_t n;
    uint32_t more; /* did not fit */
};

/* A directory of the project whose name makes what lies in it matter, as it was at the start. */
struct report_mark {
    uint64_t dev, ino; /* ino 0: it was not there */
};

/* Names in the project's top directory that lead to what matters. */
#define REPORT_MARKS_MAX 10
extern const char *const report_marked[REPORT_MARKS_MAX];

struct report_walk {
    struct report_findings *findings;
    const struct report_mark *marks;  /* REPORT_MARKS_MAX */
    const struct report_mark *policy; /* the project's policy file at the start */
    const char *project;
    struct timespec began;
    unsigned seen;   /* entries so far */
    bool is_cut;     /* too many of them: the rest is not looked at */
    bool is_partial; /* something was not looked at */
};

/* One more entry: sets is_cut if that is too many. */
void report_count(struct report_walk *walk);
/* The directory at name below dir, no link: descriptor or -1. Never waits. */
int report_open_directory(int dir, const char *name);

/* Looks through the project below fd, which is taken. */
void report_walk_project(struct report_walk *walk, int fd);
/* Counts new programs in the directory fd, which is taken; path names it. */
void report_walk_programs(struct report_walk *walk, int fd, const char *path);
/* Settings and hooks in a directory of an agent's state; fd is taken. */
void report_walk_agent(struct report_walk *walk, int fd, const char *path);

/* True if git would take the directory for a repository. */
bool report_is_repository(int dir);
/* Configuration and hooks of the repository fd, which stays open, of its submodules and worktrees. is_fresh:
 * whatever is in it counts as new. */
void report_walk_repository(struct report_walk *walk, int fd, const char *path, bool is_fresh);

void report_add(struct report_findings *findings, enum report_class class, bool is_new,
                uint32_t count, char *path);
/* True if the object was made or changed after began. */
bool report_is_later(const struct stat *st, const struct timespec *began);
/* True if the object at name below dir came into being after began. */
bool report_is_born_later(int dir, const char *name, const struct timespec *began);

/* Marks the policy file at name below dir, if it is a file of the caller's (report_policy.c). */
void report_mark_policy(int dir, const char *name);

/* HOME of the run; borrowed. */
const char *report_home(const struct report *report);

/* What is lost with HOME. */
struct report_loss {
    uint64_t bytes, largest_bytes;
    uint32_t files;
    char *largest; /* path; malloc'ed, NULL: nothing */
};

/* Adds up the files on the tmpfs at home that are no caches. */
void report_count_loss(struct report_loss *loss, const char *home);

/* Where the value of the member "scripts" of a JSON object lies: *start and its length, 0 if there is
 * none. False if the text is no object as far as that (then all of it counts). */
bool report_find_scripts(const char *text, size_t len, size_t *start, size_t *value_len);
