// SPDX-License-Identifier: GPL-3.0-only
/*
 * audit_record: lines of the audit log.
 *
 * A record is written as jansson writes it, compact and in the order in which it was put together, so
 * that the bytes which were hashed are the bytes that stand there. Readers never write a line again
 * to hash it: they hash what they read.
 */
#include "net/audit_record.h"

#include "base/log.h"

#include <sha2.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX (4 * AUDIT_RECORD_MAX) /* before it is cut; escaping makes four bytes of one */
#define SEQ_MAX  (1LL << 53)            /* what every reader of JSON can count to */
#define ZEROS    "0000000000000000000000000000000000000000000000000000000000000000"

const struct audit_link audit_link_first = {.seq = 0, .hash = ZEROS};

void audit_hash(const void *line, size_t len, char hash[AUDIT_HASH_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    uint8_t digest[SHA256_DIGEST_LENGTH];
    SHA2_CTX context;

    static_assert(2 * SHA256_DIGEST_LENGTH + 1 == AUDIT_HASH_SIZE, "the hash fits");
    SHA256Init(&context);
    SHA256Update(&context, line, len);
    SHA256Final(digest, &context);
    for (size_t i = 0; i < sizeof(digest); i++) {
        hash[2 * i] = digits[digest[i] >> 4];
        hash[2 * i + 1] = digits[digest[i] & 0xF];
    }
    hash[AUDIT_HASH_SIZE - 1] = '\0';
}

/* ---- writing ---- */

json_t *audit_text(const char *bytes)
{
    struct buf escaped CLEANUP(buf_free);

    buf_init(&escaped, TEXT_MAX);
    if (!bytes)
        return json_null();
    log_escape(&escaped, bytes, strnlen(bytes, AUDIT_RECORD_MAX));
    return json_string(buf_cstr(&escaped));
}

/* How much of the strings and arrays stays, in the order in which it is tried. */
static const struct cut {
    size_t text;
    size_t entries;
} cuts[] = {{16 * KIB, 4096}, {4 * KIB, 1024}, {1 * KIB, 256}, {256, 64}, {64, 16}, {16, 4}};

static json_t *cut_text(const json_t *text, size_t max)
{
    const char *bytes = json_string_value(text);
    size_t len = max;

    while (len > 0 && ((uint8_t)bytes[len] & 0xC0) == 0x80) /* in the middle of a character */
        len--;
    return json_stringn(bytes, len);
}

static bool cut_object(json_t *object, const struct cut *cut);

/* The value cut to size, as a new reference; NULL if it fits. What is inside it is cut in place. */
static json_t *cut_value(json_t *value, const struct cut *cut, bool *was_cut)
{
    if (json_is_string(value) && json_string_length(value) > cut->text) {
        *was_cut = true;
        return cut_text(value, cut->text);
    }
    if (json_is_object(value))
        *was_cut |= cut_object(value, cut);
    return NULL;
}

static bool cut_array(json_t *array, const struct cut *cut)
{
    bool was_cut = json_array_size(array) > cut->entries;

    while (json_array_size(array) > cut->entries)
        json_array_remove(array, json_array_size(array) - 1);
    for (size_t i = 0; i < json_array_size(array); i++) {
        json_t *other = cut_value(json_array_get(array, i), cut, &was_cut);

        if (other)
            json_array_set_new(array, i, other);
    }
    return was_cut;
}

/* Of our own making: two levels deep. */
static bool cut_object(json_t *object, const struct cut *cut)
{
    bool was_cut = false;
    const char *key;
    json_t *value;

    json_object_foreach(object, key, value)
    {
        json_t *other;

        if (json_is_array(value)) {
            was_cut |= cut_array(value, cut);
            continue;
        }
        if (str_eq(key, "prev"))
            continue;
        other = cut_value(value, cut, &was_cut);
        if (other)
            json_object_set_new(object, key, other);
    }
    return was_cut;
}

char *audit_record_line(json_t *object)
{
    for (size_t i = 0; i < ARRAY_SIZE(cuts); i++) {
        _cleanup_free_ char *line = NULL;

        if (cut_object(object, &cuts[i]))
            json_object_set_new(object, "cut", json_true());
        line = json_dumps(object, JSON_COMPACT | JSON_PRESERVE_ORDER);
        if (!line || strlen(line) <= AUDIT_RECORD_MAX)
            return steal_ptr(&line);
    }
    return NULL;
}

/* ---- reading ---- */

static bool is_hash(const json_t *value)
{
    const char *text = json_string_value(value);

    return text && strlen(text) == AUDIT_HASH_SIZE - 1 &&
           strspn(text, "0123456789abcdef") == AUDIT_HASH_SIZE - 1;
}

static const char *fault_of(const json_t *json)
{
    static const char *const texts[] = {"time", "run", "event"};

    if (!json_is_object(json))
        return "not a JSON object";
    if (json_integer_value(json_object_get(json, "seq")) < 1 ||
        json_integer_value(json_object_get(json, "seq")) > SEQ_MAX)
        return "no sequence number";
    if (!is_hash(json_object_get(json, "prev")))
        return "no hash of the record before";
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
        if (!json_is_string(json_object_get(json, texts[i])))
            return "no time, run or event";
    return NULL;
}

const char *audit_record_read(const char *line, size_t len, json_t **json, struct audit_link *link,
                              char prev[AUDIT_HASH_SIZE])
{
    json_t *read =
        len > AUDIT_RECORD_MAX ? NULL : json_loadb(line, len, JSON_REJECT_DUPLICATES, NULL);
    const char *fault = len > AUDIT_RECORD_MAX ? "too long" : fault_of(read);

    if (fault) {
        json_decref(read);
        return fault;
    }
    if (link) {
        link->seq = (uint64_t)json_integer_value(json_object_get(read, "seq"));
        audit_hash(line, len, link->hash);
    }
    if (prev)
        memcpy(prev, json_string_value(json_object_get(read, "prev")), AUDIT_HASH_SIZE);
    if (json)
        *json = read;
    else
        json_decref(read);
    return NULL;
}

const char *audit_chain_check(struct audit_chain *chain, const char *line, size_t len,
                              uint64_t *seq)
{
    const struct audit_link *last = chain->has_begun ? &chain->last : &audit_link_first;
    bool begins_late = !chain->has_begun && chain->may_begin_late;
    char prev[AUDIT_HASH_SIZE];
    struct audit_link link;
    const char *fault;

    *seq = 0;
    fault = audit_record_read(line, len, NULL, &link, prev);
    if (fault)
        return fault;
    *seq = link.seq;
    if (!begins_late && link.seq != last->seq + 1)
        return link.seq <= last->seq ? "out of order: its number has been there already"
                                     : "records before it are missing";
    if (!begins_late && !str_eq(prev, last->hash))
        return "the record before it was changed";
    chain->has_begun = true;
    chain->last = link;
    return NULL;
}

/* ---- lines ---- */

/* False: no more is wanted. */
static bool give(struct audit_lines *lines, bool has_newline)
{
    bool goes_on = lines->each(lines->arg, ++lines->number, buf_cstr(&lines->line), lines->line.len,
                               has_newline && !lines->is_long);

    buf_reset(&lines->line);
    lines->is_long = false;
    lines->is_over = !goes_on;
    return goes_on;
}

bool audit_lines_feed(struct audit_lines *lines, const uint8_t *bytes, size_t len)
{
    if (!lines->line.max)
        buf_init(&lines->line, AUDIT_RECORD_MAX);
    while (len > 0 && !lines->is_over) {
        const uint8_t *end = memchr(bytes, '\n', len);
        size_t part = end ? (size_t)(end - bytes) : len;
        size_t room = AUDIT_RECORD_MAX - lines->line.len;

        lines->is_long |= part > room;
        buf_append(&lines->line, bytes, part < room ? part : room);
        bytes += part + (end != NULL);
        len -= part + (end != NULL);
        if (end)
            give(lines, true);
    }
    return !lines->is_over;
}

void audit_lines_end(struct audit_lines *lines)
{
    if (!lines->is_over && (lines->line.len > 0 || lines->is_long))
        give(lines, false);
    buf_free(&lines->line);
}
