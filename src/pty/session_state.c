// SPDX-License-Identifier: GPL-3.0-only
/*
 * session_state: says what became of the agent's state files (instep.h).
 */
#include "pty/session_state.h"

#include "base/log.h"

#include <errno.h>
#include <string.h>

/* Why a file is not taken. */
static const char *refusal(int code)
{
    switch (code) {
    case EBADMSG:
        return "it is not a complete JSON object";
    case EFBIG:
        return "it is larger than 16 MiB";
    case ELOOP:
        return "it is a symbolic link";
    case ENOTSUP:
    case ENXIO: /* a socket */
        return "it is not a regular file";
    default:
        return strerror(code);
    }
}

void session_state_take(const struct mounter_event *event, const char *path, const char *origin)
{
    switch ((enum mounter_event_type)event->type) {
    case MOUNTER_EVENT_STATE_BESIDE:
        log_line(NOTE_SECURITY,
                 "%s was changed by the jail and by others at the same time: it stays as it is, "
                 "the jail's version is %s",
                 path, origin);
        break;
    case MOUNTER_EVENT_STATE_REFUSED:
        log_line(NOTE_SECURITY, "%s is not updated with what the jail has in its place: %s", path,
                 refusal(event->code));
        break;
    case MOUNTER_EVENT_STATE_FAILED:
        log_line(NOTE_WARNING, "%s cannot be updated with what the jail changed in it: %s", path,
                 strerror(event->code));
        break;
    case MOUNTER_EVENT_STATE_OFF:
        log_line(NOTE_WARNING,
                 "%s is not kept in step, what the jail changes in it is lost at its end: %s", path,
                 refusal(event->code));
        break;
    default:
        break;
    }
}
