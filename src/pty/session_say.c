// SPDX-License-Identifier: GPL-3.0-only
/*
 * session_say: what the launcher tells on the way.
 */
#include "pty/session_say.h"

#include "base/log.h"

#include <string.h>

void session_say_warning(const struct control_message *message, const struct orders *orders)
{
    if (message->type == CONTROL_PATH_PRUNED) {
        log_line(NOTE_VERBOSE, "PATH: %d of %d directories exist in the jail", message->a,
                 message->b);
    } else if (message->type == CONTROL_WARN_LIMIT) {
        log_line(NOTE_WARNING, "a resource limit could not be set (RLIMIT %d): %s", message->a,
                 strerror(message->b));
    } else {
        bool named = message->a >= 0 && (size_t)message->a < orders->rule_count;

        log_line(NOTE_SECURITY, "Landlock: no rule for %s: %s",
                 named ? orders->rules[message->a].path : "a standard descriptor",
                 strerror(message->b));
    }
}
