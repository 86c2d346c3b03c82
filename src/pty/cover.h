// SPDX-License-Identifier: GPL-3.0-only
/*
 * cover: enters a jail from outside and covers what its command must not read or change.
 *
 * Used by the mounter process only: cover_enter() changes the caller's namespaces for good.
 */
#pragma once

#include "policy/plan.h"
#include "pty/overlay.h"

#include <sys/stat.h>

enum cover_stage {
    COVER_OK,
    COVER_OPEN_NAMESPACE,
    COVER_JOIN,
    COVER_PRIVATE,
    COVER_COMPARE, /* something else is bound than was examined */
    COVER_TMPFS,
    COVER_OPEN,
    COVER_PLACE,
    COVER_PID_LIMIT,
    COVER_WATCH, /* the directories of late masks cannot be watched */
    COVER_STAGE_COUNT
};

struct cover_result {
    int32_t stage; /* enum cover_stage; COVER_OK: everything is placed */
    int32_t code;  /* positive errno */
    int32_t index; /* of the plan's entry, -1 if none is concerned */
};

/* What covers are made of, in the jail that was entered. */
struct cover_set {
    int root;  /* O_PATH: root of the tmpfs with the empty objects, -1: not made */
    dev_t dev; /* of that tmpfs */
};

#define COVER_SET_NONE                                                                             \
    (struct cover_set)                                                                             \
    {                                                                                              \
        .root = -1                                                                                 \
    }

/* Enters the jail of which pid, as seen from here, is a process, compares what is bound with what was
 * examined (overlays: with marks, one for each entry of the plan, or NULL), and limits the tasks in
 * its PID namespace to pid_limit (0: not limited). The calling process must have one thread. */
struct cover_result cover_enter(pid_t pid, const struct plan *plan,
                                const struct overlay_mark *marks, uint64_t pid_limit);

/* Places the covers of the plan. Afterwards the set serves cover_put(). */
struct cover_result cover_place(struct cover_set *set, const struct plan *plan);

/* Opens the object at path (relative to dir, O_PATH) without following a link or leaving dir. The
 * descriptor or -errno. flags: added to O_PATH | O_NOFOLLOW | O_CLOEXEC. */
int cover_open_below(int dir, const char *path, int flags);

/* True if the object (O_PATH, with its status) is covered already in the way that kind asks for. */
bool cover_is_on(const struct cover_set *set, enum plan_kind kind, int object,
                 const struct stat *st);
/* Puts a cover onto the object, whatever its name is by now. 0 or -errno; -ENOENT if it has been
 * removed. */
int cover_put(const struct cover_set *set, enum plan_kind kind, int object, const struct stat *st);
