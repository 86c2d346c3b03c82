// SPDX-License-Identifier: GPL-3.0-only
/*
 * prefs: what is remembered of the status row from one run to the next.
 *
 * $XDG_STATE_HOME/ai-jail/prefs.toml is written by ai-jail alone, with what the command line of a
 * run said and nothing else; it counts where neither a file nor an option says anything.
 */
#pragma once

#include "base/error.h"
#include "base/note.h"
#include "config/config.h"

#include <sys/types.h>

struct prefs {
    bool has_bar;
    bool bar;
    const char *style; /* a word of SET_STATUS_BAR_STYLE, NULL: nothing is known */
};

struct prefs_place {
    const char *home;          /* canonical */
    const char *environ_state; /* $XDG_STATE_HOME or NULL */
    const char *project;       /* canonical */
    uid_t uid;                 /* effective */
};

/* Whether there is to be a row, and in which style (static text). */
struct prefs_bar {
    bool on;
    bool is_asked; /* by this command line */
    const char *style;
};

/* The file's path; malloc'ed. */
char *prefs_path(const struct prefs_place *place);
/* What the file says. One that is broken, or not ours alone, says nothing and gets one warning:
 * nothing of a run depends on it. */
void prefs_read(struct prefs *prefs, const struct prefs_place *place, struct notes *notes);
/* Command line, then files, then what is remembered, then off. Pure. */
struct prefs_bar prefs_choose(const struct config *config, const struct prefs *prefs);
/* Stores what the command line says about the row, unless it is known or the run is for a script
 * (--exec). 0, or -errno with a line for a warning. May create the directories. */
int prefs_remember(const struct config *config, const struct prefs_place *place,
                   struct error *error);
