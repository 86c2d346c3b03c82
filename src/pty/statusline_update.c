// SPDX-License-Identifier: GPL-3.0-only
/*
 * statusline_update: see statusline_update.h. Whatever goes wrong, the row says nothing of it.
 */
#include "pty/statusline_update.h"

#include "base/reap.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NUMBERS_MIN 2
#define NUMBERS_MAX 4
#define DIGITS_MAX  6 /* of one number */

/* Fills numbers, the rest with zero. False if text is no version. */
static bool parse_version(const char *text, unsigned long numbers[static NUMBERS_MAX])
{
    unsigned n = 0;

    memset(numbers, 0, NUMBERS_MAX * sizeof(*numbers));
    for (;;) {
        size_t digits = strspn(text, "0123456789");

        if (digits == 0 || digits > DIGITS_MAX || n == NUMBERS_MAX)
            return false;
        numbers[n++] = strtoul(text, NULL, 10);
        text += digits;
        if (!*text)
            return n >= NUMBERS_MIN;
        if (*text++ != '.')
            return false;
    }
}

bool statusline_update_parse(const char *address, const char *current,
                             char version[static UPDATE_VERSION_MAX])
{
    unsigned long ours[NUMBERS_MAX];
    unsigned long theirs[NUMBERS_MAX];
    const char *text = strrchr(address, '/');

    version[0] = '\0';
    if (!text)
        return false;
    text += text[1] == 'v' ? 2 : 1;
    if (!parse_version(text, theirs) || !parse_version(current, ours))
        return false;
    for (unsigned i = 0; i < NUMBERS_MAX; i++) {
        if (theirs[i] < ours[i])
            return false;
        if (theirs[i] > ours[i]) {
            /* At most 4 numbers of 6 digits and 3 dots. */
            memcpy(version, text, strlen(text) + 1);
            return true;
        }
    }
    return false;
}

/* For the next runs, which ask nobody for a while. */
static void keep(const struct statusline_update *update)
{
    char record[UPDATE_STAMP_SIZE + 1];

    snprintf(record, sizeof(record), "%-*s\n", UPDATE_STAMP_SIZE - 1, update->version);
    if (update->stamp >= 0)
        (void)!pwrite(update->stamp, record, UPDATE_STAMP_SIZE, 0);
}

/* Its output is complete or of no use: nothing that it does from here on matters. */
static void finish(struct statusline_update *update)
{
    update->answer[update->len] = '\0';
    if (update->len && strlen(update->answer) == update->len) {
        statusline_update_parse(update->answer, AI_JAIL_VERSION, update->version);
        keep(update);
    }
    statusline_update_close(update);
}

static void on_answer(uv_poll_t *poll, int status, int events)
{
    struct statusline_update *update = poll->data;
    size_t room = sizeof(update->answer) - 1 - update->len;
    ssize_t n;

    (void)events;
    n = status < 0 || room == 0 ? 0 : read(update->fd, update->answer + update->len, room);
    if (n > 0)
        update->len += (size_t)n;
    else if (n == 0 || (errno != EAGAIN && errno != EINTR))
        finish(update);
}

void statusline_update_open(struct statusline_update *update, uv_loop_t *loop)
{
    if (update->fd < 0)
        return;
    uv_poll_init(loop, &update->poll, update->fd);
    update->poll.data = update;
    uv_poll_start(&update->poll, UV_READABLE | UV_DISCONNECT, on_answer);
    /* An answer that does not come keeps no run alive. */
    uv_unref((uv_handle_t *)&update->poll);
    update->is_open = true;
}

void statusline_update_close(struct statusline_update *update)
{
    if (!update->is_open)
        return;
    update->is_open = false;
    uv_close((uv_handle_t *)&update->poll, NULL);
    close(update->fd);
    if (update->stamp >= 0)
        close(update->stamp);
    reap_child(&update->pid, 0);
}
