// SPDX-License-Identifier: GPL-3.0-only
/*
 * watch_parts: what the files of the watch share.
 *
 *   watch.c        arming, entering, timers, lost events
 *   watch_dir.c    directories of the host: open, watch, look at their names
 *   watch_event.c  what an event means
 *   watch_cover.c  rules, and the cover inside
 *   watch_git.c    repositories that appear
 */
#pragma once

#include "base/path_table.h"
#include "pty/watch.h"
#include "pty/watch_tree.h"

#include <limits.h>

#define WATCH_AGAIN_MAX   256
#define WATCH_ORPHANS_MAX 64
#define WATCH_SAID_MAX    4096U /* power of two */
#define WATCH_EVENTS_MAX  2000U /* lines of a run */

/* A node by number and generation. */
struct watch_ref {
    uint32_t id;
    uint32_t generation;
};

struct watch_root {
    uint32_t node;
    int fd; /* O_PATH, of the host */
};

/* A destination of the plan, seen from inside. */
struct watch_view {
    const char *dest; /* borrowed from the plan */
    int fd;           /* O_PATH, of the jail */
    bool is_overlay;  /* its inodes are not those of the host */
};

/* A name that could not be covered because its directory moved meanwhile. */
struct watch_again {
    struct watch_ref dir;
    char *name;
    unsigned tries;
};

/* A directory that was moved away, until it is known where to. */
struct watch_orphan {
    struct watch_ref dir;
    char *old_path;
    uint32_t cookie;
    uint64_t since_ms;
};

struct watch {
    struct watch_options options;
    struct watch_tree tree;
    struct cover_set set;
    bool is_inside; /* covers can be placed */
    bool is_silent; /* nothing is announced */
    int inotify;
    int host_root; /* where the process stands between two steps */
    struct watch_root *roots;
    size_t root_count;
    struct watch_view *views;
    size_t view_count;
    uint32_t watch_count;
    uint32_t new_count; /* directories that were ever watched for repositories alone */
    bool has_unwatched; /* there are nodes without a watch */
    bool has_late;      /* there are nodes with WATCH_FLAG_LATE */
    int no_watch_code;  /* of the first that failed */
    uint64_t rescan_at_ms;

    uint32_t *queue; /* nodes to be looked at */
    size_t queue_n, queue_cap;

    struct path_table extra; /* literals of the run: index into extra_v */
    struct watch_extra {
        char *path;
        enum plan_kind kind;
    } * extra_v;
    size_t extra_n;
    struct path_table planned; /* destinations that the plan covers; while arming */

    struct watch_again again[WATCH_AGAIN_MAX];
    size_t again_n;
    struct watch_orphan orphans[WATCH_ORPHANS_MAX];
    size_t orphan_n;
    struct {
        uint32_t cookie; /* of the covered name that was moved away last */
        struct mask_verdict verdict;
    } moved_name;
    struct watch_candidates *candidates;

    uint64_t said[WATCH_SAID_MAX];
    uint32_t said_n;
    uint32_t events_n;
    int fatal; /* -errno: the jail has to be ended */
};

uint64_t watch_now_ms(void);
struct watch_ref watch_ref(const struct watch *watch, uint32_t id);
/* The node, or WATCH_NODE_NONE if it is gone. */
uint32_t watch_deref(const struct watch *watch, struct watch_ref ref);
/* Ends the jail. path may be NULL. */
void watch_fail(struct watch *watch, int code, const char *path);
/* Tells the supervisor. Each path is told of once. */
void watch_say(struct watch *watch, uint32_t type, int kind, int code, const char *path,
               const char *origin);

/* ---- watch_dir.c ---- */

/* Opens the directory of a node on the host and makes sure that it is the one. flags: O_PATH or
 * O_RDONLY. -ESTALE if something else is there now. */
int watch_open_dir(const struct watch *watch, uint32_t id, int flags);
/* Watches the directory name in the node and queues it. The node, or NONE if there is none. */
uint32_t watch_add_dir(struct watch *watch, uint32_t parent, const char *name, unsigned flags);
/* Watches the open directory of a node that has no watch, and queues it. */
void watch_start(struct watch *watch, uint32_t id, int dir);
/* Watches the directory if it has to be. path is that of name. is_new: it was made during the run. */
void watch_consider_dir(struct watch *watch, uint32_t parent, const char *name, const char *path,
                        bool is_new);
void watch_remove_dir(struct watch *watch, uint32_t id);
void watch_queue(struct watch *watch, uint32_t id);
/* Looks at every name in every queued directory, until none is left. */
void watch_run_queue(struct watch *watch);

/* ---- watch_event.c ---- */

/* Handles up to size bytes of events. */
void watch_handle(struct watch *watch, const char *events, size_t size);
/* The directory has moved: what was covered in it stays to be covered. */
void watch_carry(struct watch *watch, uint32_t top, const char *old_path, const char *new_path);
/* Gives up directories that have been moved out of what is watched. */
void watch_drop_orphans(struct watch *watch, uint64_t before_ms);

/* ---- watch_cover.c ---- */

/* The strongest rule for name in the directory; path is that of name. */
struct mask_verdict watch_find(const struct watch *watch, uint32_t dir, const char *name,
                               const char *path);
/* Covers name in the directory if a rule says so and something is there. path is that of name. */
void watch_check_name(struct watch *watch, uint32_t dir, const char *name, const char *path);
/* Tries again what was in motion. */
void watch_try_again(struct watch *watch);

/* ---- watch_git.c ---- */

/* A directory that is, or may become, the directory of a repository. */
void watch_git_found(struct watch *watch, uint32_t id);
/* Protects those that have become quiet. */
void watch_git_step(struct watch *watch);
/* True if one is waited for. */
bool watch_git_waits(const struct watch *watch);
