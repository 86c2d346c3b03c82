// SPDX-License-Identifier: GPL-3.0-only
/*
 * overlay: makes the overlay mounts of a plan, in the process that becomes bubblewrap.
 *
 * bubblewrap then binds what it finds at the path. Its own --overlay (0.11) is not used: it takes the
 * directories by name, so somebody could exchange them after they were examined.
 */
#pragma once

#include "backend/overlay_store.h"
#include "policy/overlays.h"
#include "policy/plan.h"

#include <sys/stat.h>

/* What an overlay looks like from inside: no one can know that before it is mounted. In shared
 * memory, written by the one who mounts, read by the one who compares. */
struct overlay_mark {
    uint64_t dev;
    uint64_t ino; /* 0: not mounted */
};

/* One overlay of the plan, ready to be mounted. */
struct overlay_mount {
    const struct overlay *overlay; /* borrowed from the policy */
    struct overlay_store store;    /* locked */
    struct overlay_mark *mark;     /* borrowed, in shared memory */
    int *bind_fd;                  /* the bind's descriptor, to be replaced; NULL: bound by name */
};

struct overlay_mounts {
    struct overlay_mount *v;
    size_t n;
    struct overlay_mark
        *marks; /* shared memory, one for each entry of the plan; NULL: no overlay */
    size_t mark_count;
};

/*
 * Makes and locks the storage of every overlay of the finished plan. 0, or -errno with the line to
 * print. Afterwards overlay_mounts_free(), which releases the locks.
 */
int overlay_prepare(struct overlay_mounts *mounts, const struct plan *plan,
                    const struct overlays *overlays, struct error *error);
void overlay_mounts_free(struct overlay_mounts *mounts);

/* Steps of overlay_mount_all(), for the report of a failure. */
enum overlay_stage {
    OVERLAY_OK,
    OVERLAY_NAMESPACE,
    OVERLAY_MAP,
    OVERLAY_PRIVATE,
    OVERLAY_REPLACED,
    OVERLAY_MOUNT,
    OVERLAY_BIND,
    OVERLAY_STAGE_COUNT
};
const char *overlay_stage_text(enum overlay_stage stage);

/*
 * Between fork and exec: enters a user and a mount namespace of its own (the ids mapped to
 * themselves) and mounts every overlay at its path; each bind descriptor becomes one of what was
 * mounted. Async-signal-safe. OVERLAY_OK, or the stage that failed, with errno, and *index the
 * overlay (-1: none). Nothing to do where there is no overlay or bubblewrap mounts.
 */
enum overlay_stage overlay_mount_all(const struct overlay_mounts *mounts, uid_t uid, gid_t gid,
                                     int *index);

/* In the jail: true if fd (O_PATH) is the overlay of mark. */
bool overlay_is_marked(int fd, const struct stat *st, const struct overlay_mark *mark);
