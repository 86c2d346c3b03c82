// SPDX-License-Identifier: GPL-3.0-only
/*
 * fuzz_parent: what the environment says about proxies, and what a proxy answers.
 *
 * The input is the value of all_proxy, a line end, that of no_proxy, a line end, and the answer.
 */
#include "net/parent_talk.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The bytes up to a line end, which is taken, too; malloc'ed with prefix in front. */
static char *take_line(const uint8_t **data, size_t *size, const char *prefix)
{
    const uint8_t *end = *size ? memchr(*data, '\n', *size) : NULL;
    size_t len = end ? (size_t)(end - *data) : *size;
    char *line = xasprintf("%s%.*s", prefix, (int)len, *size ? (const char *)*data : "");

    *data += len + (end != NULL);
    *size -= len + (end != NULL);
    return line;
}

/* The same end however the answer is cut; returns how much of it was taken. */
static size_t talk(const struct parent *parent, const struct target *target, const uint8_t *data,
                   size_t size, size_t step, enum parent_talk_state *state)
{
    struct parent_talk talk CLEANUP(parent_talk_free);
    size_t at = 0;

    parent_talk_start(&talk, parent, target);
    while (talk.state == PARENT_TALK_MORE && at < size) {
        size_t n = parent_talk_wants(&talk);
        uint8_t *copy;

        assert(n > 0 && !talk.out.overflow);
        buf_reset(&talk.out);
        n = n < step ? n : step;
        n = n < size - at ? n : size - at;
        copy = malloc(n);
        memcpy(copy, data + at, n);
        parent_talk_feed(&talk, copy, n);
        free(copy);
        at += n;
    }
    *state = talk.state;
    return at;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    _cleanup_free_ char *proxy = take_line(&data, &size, "all_proxy=");
    _cleanup_free_ char *exceptions = take_line(&data, &size, "no_proxy=");
    struct strv environ CLEANUP(strv_free) = {0};
    struct notes notes CLEANUP(notes_free) = {0};
    struct parents parents CLEANUP(parents_free);
    struct target target;
    enum parent_talk_state states[2];
    size_t taken[2];

    target_parse(&target, "x.test:443", strlen("x.test:443"));
    strv_push(&environ, proxy);
    strv_push(&environ, exceptions);
    parents_read(&parents, &environ, &notes);
    parents_for(&parents, &target);
    assert((parents.other == NULL) == (parents.web == NULL));
    if (!parents.other || parents.other->fault)
        return 0;
    assert(parents.other->target.port != 0);
    taken[0] = talk(parents.other, &target, data, size, 1, &states[0]);
    taken[1] = talk(parents.other, &target, data, size, size + 1, &states[1]);
    assert(states[0] == states[1]);
    assert(states[0] != PARENT_TALK_OPEN || taken[0] == taken[1]);
    return 0;
}
