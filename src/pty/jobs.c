// SPDX-License-Identifier: GPL-3.0-only
/*
 * jobs: who has the user's terminal.
 *
 * Bytes go past the relay here, directly to the terminal, and only when the relay has written out
 * what it had and is paused, or is gone: nothing can come in between.
 */
#include "pty/jobs.h"

#include <signal.h>
#include <unistd.h>

#define TERMINAL_MS 2000 /* a stopped terminal is given up */
#define TYPED_MAX   512

void jobs_keep_restore(struct jobs *jobs)
{
    struct buf bytes CLEANUP(buf_free);

    buf_init(&bytes, FILTER_RESTORE_MAX);
    if (jobs->filter)
        filter_restore(jobs->filter, &bytes);
    restore_page_set(jobs->page, jobs->terminal, bytes.data, bytes.len);
}

static void on_change(void *arg)
{
    jobs_keep_restore(arg);
}

int jobs_set_raw(struct jobs *jobs)
{
    return terminal_set_raw(jobs->terminal, on_change, jobs);
}

void jobs_take_terminal(struct jobs *jobs)
{
    struct winsize size;

    jobs->owns_terminal = true;
    if (jobs_set_raw(jobs) < 0)
        return;
    terminal_size(jobs->terminal, &size);
    relay_resize(jobs->relay, &size);
    relay_set_input(jobs->relay, true);
}

void jobs_give_terminal_back(struct jobs *jobs)
{
    static const char cut[] = "\030\033\\"; /* CAN, ST: half a sequence may stand there */
    struct buf bytes CLEANUP(buf_free);
    struct buf typed CLEANUP(buf_free);

    /* What has been given back and was not taken again is somebody else's screen now. */
    if (jobs->terminal->fd < 0 ||
        (!jobs->terminal->is_raw && !terminal_is_foreground(jobs->terminal)))
        return;
    buf_init(&bytes, FILTER_RESTORE_MAX + sizeof(cut));
    buf_init(&typed, TYPED_MAX);
    if (jobs->was_cut || (jobs->relay && relay_was_cut(jobs->relay)))
        buf_append(&bytes, cut, sizeof(cut) - 1);
    if (jobs->filter)
        filter_restore(jobs->filter, &bytes);
    if (bytes.len)
        terminal_write(jobs->terminal, bytes.data, bytes.len, TERMINAL_MS);
    if (jobs->filter)
        filter_release_row(jobs->filter);
    probe_drain(jobs->probe, jobs->terminal, &typed);
    if (jobs->relay) /* it was typed while the command had the terminal */
        relay_type_late(jobs->relay, typed.data, typed.len);
    terminal_restore(jobs->terminal);
    restore_page_set(jobs->page, jobs->terminal, NULL, 0);
}

/* By the signal that a user's ^Z would send, for which the kernel does not stop an orphaned process
 * group (setpgid(2), kill(2)): nobody is there to continue it, as in a terminal that was opened for
 * ai-jail alone. */
static void stop_own_group(void)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    struct sigaction old;

    sigaction(SIGTSTP, &action, &old);
    kill(0, SIGTSTP);
    sigaction(SIGTSTP, &old, NULL);
}

void jobs_stop(struct jobs *jobs)
{
    if (jobs->relay) {
        jobs->was_cut |= relay_flush(jobs->relay, TERMINAL_MS) < 0;
        relay_pause(jobs->relay, true);
    }
    jobs_give_terminal_back(jobs);
    stop_own_group();
}

void jobs_wait_foreground(struct jobs *jobs)
{
    while (!terminal_is_foreground(jobs->terminal))
        kill(0, SIGSTOP);
    jobs_take_terminal(jobs);
}

/* Where other programs have left the cursor. */
static void find_cursor(struct jobs *jobs)
{
    struct buf typed CLEANUP(buf_free);
    unsigned row;
    unsigned col;

    buf_init(&typed, PROBE_TYPED_MAX);
    probe_cursor(jobs->probe, jobs->terminal, &row, &col, &typed);
    filter_move_cursor(jobs->filter, row, col);
    if (jobs->relay)
        relay_type_late(jobs->relay, typed.data, typed.len);
}

bool jobs_resume(struct jobs *jobs)
{
    bool foreground = jobs->owns_terminal && terminal_is_foreground(jobs->terminal);

    if (foreground) {
        struct buf bytes CLEANUP(buf_free);

        jobs_take_terminal(jobs);
        buf_init(&bytes, FILTER_RESUME_MAX);
        if (jobs->filter) {
            find_cursor(jobs);
            filter_resume(jobs->filter, &bytes);
        }
        if (bytes.len)
            terminal_write(jobs->terminal, bytes.data, bytes.len, TERMINAL_MS);
    } else if (jobs->relay) {
        /* Reading somebody else's keys would stop us with SIGTTIN. */
        relay_set_input(jobs->relay, false);
    }
    if (jobs->relay)
        relay_pause(jobs->relay, false);
    return foreground;
}

bool jobs_retake(struct jobs *jobs)
{
    if (!jobs_is_waiting(jobs) || !terminal_is_foreground(jobs->terminal))
        return false;
    jobs_resume(jobs);
    return true;
}

bool jobs_is_waiting(const struct jobs *jobs)
{
    return jobs->relay && jobs->owns_terminal && !jobs->terminal->is_raw;
}

bool jobs_terminal_is_gone(const struct jobs *jobs)
{
    struct termios modes;

    return jobs->terminal->fd >= 0 && tcgetattr(jobs->terminal->fd, &modes) < 0;
}
