// SPDX-License-Identifier: GPL-3.0-only
/*
 * session_say: what the launcher tells on the way.
 */
#include "pty/session_say.h"

#include "base/log.h"

#include <string.h>
#include <sys/wait.h>

static void say_mise(const struct control_message *message, const char *program)
{
    static const char rest[] = "the command starts without its environment (--no-mise asks nobody)";
    int status = message->b;

    switch (message->a) {
    case MISE_NOT_STARTED:
        log_line(NOTE_WARNING, "%s could not be asked: %s; %s", program, strerror(message->b),
                 rest);
        break;
    case MISE_TOO_SLOW:
        log_line(NOTE_WARNING, "%s did not answer in time; %s", program, rest);
        break;
    case MISE_FAILED:
        log_line(NOTE_WARNING, "%s ended with %s %d; %s", program,
                 WIFSIGNALED(status) ? "signal" : "exit code",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), rest);
        break;
    case MISE_TOO_MUCH:
        log_line(NOTE_WARNING, "%s answered more than a command can be given; %s", program, rest);
        break;
    default:
        log_line(NOTE_WARNING, "%s did not answer with an object of strings; %s", program, rest);
        break;
    }
}

void session_say_warning(const struct control_message *message, const struct orders *orders)
{
    if (message->type == CONTROL_PATH_PRUNED) {
        log_line(NOTE_VERBOSE, "PATH: %d of %d directories exist in the jail", message->a,
                 message->b);
    } else if (message->type == CONTROL_WARN_LIMIT) {
        log_line(NOTE_WARNING, "a resource limit could not be set (RLIMIT %d): %s", message->a,
                 strerror(message->b));
    } else if (message->type == CONTROL_WARN_MISE) {
        say_mise(message, orders->mise ? orders->mise : "mise");
    } else {
        bool named = message->a >= 0 && (size_t)message->a < orders->rule_count;

        log_line(NOTE_SECURITY, "Landlock: no rule for %s: %s",
                 named ? orders->rules[message->a].path : "a standard descriptor",
                 strerror(message->b));
    }
}
