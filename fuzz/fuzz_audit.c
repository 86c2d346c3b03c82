// SPDX-License-Identifier: GPL-3.0-only
/*
 * fuzz_audit: lines of an audit log that somebody else has written, and words of a command line.
 */
#include "net/audit_record.h"
#include "net/audit_words.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct state {
    struct audit_chain chain;
    uint64_t numbers;
    size_t bytes;
};

/* A record that was read can be written again, in bounds, and is a record then. */
static void write_again(json_t *record)
{
    _cleanup_free_ char *line = audit_record_line(record);
    struct audit_link link;

    if (!line)
        return;
    assert(strlen(line) <= AUDIT_RECORD_MAX && !strchr(line, '\n'));
    assert(!audit_record_read(line, strlen(line), NULL, &link, NULL) ||
           json_object_get(record, "cut"));
}

static bool take_line(void *arg, uint64_t number, const char *line, size_t len, bool is_whole)
{
    struct state *state = arg;
    struct audit_chain before = state->chain;
    json_t *record = NULL;
    struct audit_link link;
    char prev[AUDIT_HASH_SIZE];
    uint64_t seq;
    const char *fault = audit_record_read(line, len, &record, &link, prev);

    assert(number == ++state->numbers && len <= AUDIT_RECORD_MAX && !line[len]);
    assert((fault == NULL) == (record != NULL));
    if (audit_chain_check(&state->chain, line, len, &seq)) {
        assert(memcmp(&before, &state->chain, sizeof(before)) == 0);
    } else {
        assert(!fault && seq == link.seq && seq == state->chain.last.seq);
        assert(!before.has_begun || seq == before.last.seq + 1);
        assert(!before.has_begun || str_eq(prev, before.last.hash));
    }
    if (record)
        write_again(record);
    json_decref(record);
    state->bytes += len + is_whole;
    return true;
}

static void clean_words(const uint8_t *data, size_t size)
{
    struct strv words CLEANUP(strv_free) = {0};
    struct strv clean CLEANUP(strv_free) = {0};
    struct strv known CLEANUP(strv_free) = {0};

    while (size > 0 && words.n < 64) {
        size_t len = strnlen((const char *)data, size);

        strv_push_owned(&words, xstrndup((const char *)data, len));
        data += len + (len < size);
        size -= len + (len < size);
    }
    if (words.n)
        strv_pushf(&known, "KNOWN=%s", words.v[0]);
    audit_words_clean(&clean, &words, &known);
    assert(clean.n == words.n);
    for (size_t i = 1; i < clean.n; i++)
        assert(strlen(words.v[0]) < 8 || str_starts("<KNOWN>/...:***", words.v[0]) ||
               !strstr(clean.v[i], words.v[0]) || strstr(words.v[0], "***") ||
               strstr(words.v[0], "<KNOWN>") || strstr(words.v[0], "/..."));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct state state = {0};
    struct audit_lines lines = {.each = take_line, .arg = &state};
    size_t half = size / 2;

    state.chain.may_begin_late = size > 0 && data[0] != '{';
    audit_lines_feed(&lines, data, half);
    audit_lines_feed(&lines, data + half, size - half);
    audit_lines_end(&lines);
    assert(state.bytes <= size);
    clean_words(data, size < 64 * KIB ? size : 64 * KIB);
    return 0;
}
