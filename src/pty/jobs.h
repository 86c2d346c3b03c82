// SPDX-License-Identifier: GPL-3.0-only
/*
 * jobs: who has the user's terminal: the command, or whoever started us.
 *
 * Taking it means raw mode, our size and our input; giving it back means that exactly what the
 * command left on is undone, and then the modes. The restore page is kept fresh on every change,
 * so that another process can do the same if we cannot.
 */
#pragma once

#include "filter/filter.h"
#include "pty/probe.h"
#include "pty/relay.h"
#include "pty/restore_page.h"
#include "pty/terminal.h"

struct jobs {
    struct terminal *terminal; /* borrowed; fd -1: none */
    struct restore_page *page; /* borrowed; NULL: nobody else would restore the terminal */
    struct filter *filter;     /* borrowed; NULL: no filter */
    struct relay *relay;       /* borrowed; NULL: no PTY */
    const struct probe *probe; /* borrowed */
    bool owns_terminal;        /* the command is to have it whenever it runs */
    bool was_cut;              /* the relay, gone by now, may have left half a sequence */
};

/* Writes the bytes that would undo what is on now into the page. */
void jobs_keep_restore(struct jobs *jobs);
/* terminal_set_raw(), with the page written first: who kills us then leaves nothing behind. */
int jobs_set_raw(struct jobs *jobs);
/* Raw mode, size, input. In the background only the wish is noted: jobs_is_waiting(). */
void jobs_take_terminal(struct jobs *jobs);
/* Undoes what the command left on, then the modes. Idempotent. */
void jobs_give_terminal_back(struct jobs *jobs);

/* The command has stopped: output is written out, the terminal given back, and our whole process
 * group stops. Returns when it is continued. */
void jobs_stop(struct jobs *jobs);
/* Stops our group until it is in the foreground of the terminal; then takes the terminal. For a
 * command in a pipeline that asks for it by reading. */
void jobs_wait_foreground(struct jobs *jobs);
/* After jobs_stop: takes the terminal again if it was ours and we are in the foreground, and turns
 * the command's modes on again. True if the command belongs into the foreground. */
bool jobs_resume(struct jobs *jobs);
/* Continued by the shell while the command runs (`fg` after `bg`): takes the terminal if that is due.
 * False if there was nothing to do. */
bool jobs_retake(struct jobs *jobs);
/* The terminal is due to the command and was not to be had: jobs_retake() is worth a try now and
 * then. bash sends no SIGCONT when it brings a job to the foreground that runs already. */
bool jobs_is_waiting(const struct jobs *jobs);
/* There was a terminal, and it has hung up. */
bool jobs_terminal_is_gone(const struct jobs *jobs);
