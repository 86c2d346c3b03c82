// SPDX-License-Identifier: GPL-3.0-only
/*
 * cover: enters a jail from outside and places the covers of its plan.
 *
 * Used by the mounter process only: it changes the caller's namespaces for good.
 */
#pragma once

#include "policy/plan.h"
#include "pty/overlay.h"

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
    COVER_STAGE_COUNT
};

struct cover_result {
    int32_t stage; /* enum cover_stage; COVER_OK: everything is placed */
    int32_t code;  /* positive errno */
    int32_t index; /* of the plan's entry, -1 if none is concerned */
};

/* pid is a process of the jail as seen from here. pid_limit: most tasks in its PID namespace, 0:
 * not limited. marks: one for each entry of the plan, NULL where it has no overlay. The calling
 * process must have one thread. */
struct cover_result cover_place(pid_t pid, const struct plan *plan,
                                const struct overlay_mark *marks, uint64_t pid_limit);
