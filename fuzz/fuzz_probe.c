// SPDX-License-Identifier: GPL-3.0-only
/*
 * fuzz_probe: any bytes in answer to the start-up questions. The first byte says how the stream is
 * cut, which must not matter; nothing may come out that did not go in; and a filter must take the
 * profile.
 */
#include "pty/probe_replies.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void run(const uint8_t *data, size_t size, size_t step, struct buf *typed,
                struct filter_profile *profile)
{
    struct probe_replies replies;

    *profile = (struct filter_profile){.rows = 24, .cols = 80};
    buf_init(typed, size);
    probe_replies_init(&replies, typed);
    for (size_t i = 0; i < size; i += step)
        probe_replies_feed(&replies, data + i, size - i < step ? size - i : step);
    probe_replies_finish(&replies, profile);
    if (typed->overflow || replies.len)
        abort();
}

/* What was typed is a subsequence of what came. */
static bool is_part(const struct buf *typed, const uint8_t *data, size_t size)
{
    size_t at = 0;

    for (size_t i = 0; i < size && at < typed->len; i++)
        at += data[i] == typed->data[at];
    return at == typed->len;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf whole CLEANUP(buf_free) = {0};
    struct buf cut CLEANUP(buf_free) = {0};
    struct filter_profile a;
    struct filter_profile b;
    size_t step;

    if (size < 2)
        return 0;
    step = 1 + data[0] % 16;
    data++;
    size--;
    run(data, size, size, &whole, &a);
    run(data, size, step, &cut, &b);
    if (whole.len != cut.len || (whole.len && memcmp(whole.data, cut.data, whole.len) != 0) ||
        memcmp(&a, &b, sizeof(a)) != 0 || !is_part(&whole, data, size))
        abort();
    filter_free(filter_new(&a));
    return 0;
}
