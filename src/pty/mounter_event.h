// SPDX-License-Identifier: GPL-3.0-only
/*
 * mounter_event: what the mounter tells the supervisor during a run.
 *
 * One datagram each, on the socket over which the orders go the other way. Paths are bytes that
 * others have chosen; whoever prints them escapes them.
 */
#pragma once

#include "base/base.h"

#include <sys/types.h>

enum mounter_event_type {
    MOUNTER_EVENT_COVERED = 1, /* path appeared and is covered; kind, origin */
    MOUNTER_EVENT_LINK,        /* path appeared as a link, which is left alone; origin */
    MOUNTER_EVENT_MOVED,       /* the directory path, with covered things in it, is origin now */
    MOUNTER_EVENT_REPOSITORY,  /* path is a new repository and is protected */
    MOUNTER_EVENT_NO_WATCH,    /* path and perhaps others cannot be watched; code */
    MOUNTER_EVENT_OVERFLOW,    /* events were lost, everything has been looked at again */
    MOUNTER_EVENT_FAILED,      /* path cannot be covered; code. The jail has been ended */
    MOUNTER_EVENT_GIT_CONFIG,  /* somebody tried to change the protected configuration path */
    /* at the end, after mounter_look(): */
    MOUNTER_EVENT_CHANGED, /* path will be used by the host; kind: enum report_class, code: it is new;
                            * origin: of how many in that directory, in decimal */
    MOUNTER_EVENT_LOST, /* with HOME: code files; the largest is path; origin: bytes of all and of
                            * the largest, in decimal */
    MOUNTER_EVENT_LOOKED, /* that is all; code: findings that were not sent; kind: 1 not all was looked at */
    MOUNTER_EVENT_WRITTEN,       /* after mounter_write_report(); code */
    MOUNTER_EVENT_STATE_BESIDE,  /* path has changed inside and outside; the jail's is origin */
    MOUNTER_EVENT_STATE_REFUSED, /* path: what the jail has in its place is not copied; code */
    MOUNTER_EVENT_STATE_FAILED,  /* path cannot be written; code */
    MOUNTER_EVENT_STATE_OFF,     /* path cannot be kept in step; code */
    MOUNTER_EVENT_COUNT
};

#define MOUNTER_EVENT_TEXT_MAX 8192 /* two paths */

struct mounter_event {
    uint32_t type;
    int32_t kind; /* enum plan_kind */
    int32_t code; /* positive errno */
    uint32_t path_len, origin_len;
    char text[MOUNTER_EVENT_TEXT_MAX]; /* the path and the origin, one behind the other */
};

/* Sends one without waiting; what does not fit is cut. False if the socket takes no more. */
bool mounter_event_send(int socket, struct mounter_event *event, const char *path,
                        const char *origin);
/* Receives one without waiting. 1; 0 at the end of the socket; -EAGAIN if there is none; -EBADMSG if
 * it is not one; other -errno. Path and origin become NUL-terminated strings in the event. */
int mounter_event_receive(int socket, struct mounter_event *event, const char **path,
                          const char **origin);
