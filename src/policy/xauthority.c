// SPDX-License-Identifier: GPL-3.0-only
/*
 * xauthority: the records of an X11 authority file.
 *
 * The file is walked twice: for the records of this machine, then for the others. A reader takes the
 * first record that matches, so one that an old name of the machine has left behind does not stand in
 * the way.
 */
#include "policy/xauthority.h"

#include <errno.h>
#include <string.h>

#define FAMILY_LOCAL 256
#define FAMILY_WILD  65535

struct field {
    const uint8_t *bytes;
    size_t len;
};

enum { FIELD_ADDRESS, FIELD_NUMBER, FIELD_NAME, FIELD_DATA, FIELD_COUNT };

struct record {
    unsigned family;
    struct field fields[FIELD_COUNT];
};

struct reader {
    const uint8_t *at;
    size_t left;
};

static bool take_number(struct reader *reader, unsigned *number)
{
    if (reader->left < 2)
        return false;
    *number = (unsigned)reader->at[0] << 8 | reader->at[1];
    reader->at += 2;
    reader->left -= 2;
    return true;
}

static bool take_record(struct reader *reader, struct record *record)
{
    if (!take_number(reader, &record->family))
        return false;
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        unsigned len;

        if (!take_number(reader, &len) || len > reader->left)
            return false;
        record->fields[i] = (struct field){reader->at, len};
        reader->at += len;
        reader->left -= len;
    }
    return true;
}

static bool is_text(const struct field *field, const char *text)
{
    return field->len == strlen(text) && memcmp(field->bytes, text, field->len) == 0;
}

/* A record without a number is for every display. */
static bool is_for_display(const struct record *record, const char *number)
{
    return (record->family == FAMILY_LOCAL || record->family == FAMILY_WILD) &&
           (!record->fields[FIELD_NUMBER].len || is_text(&record->fields[FIELD_NUMBER], number));
}

static void append_field(struct buf *out, const void *bytes, size_t len)
{
    const uint8_t head[2] = {(uint8_t)(len >> 8), (uint8_t)len};

    buf_append(out, head, sizeof(head));
    buf_append(out, bytes, len);
}

static void append_for_any(struct buf *out, const struct record *record, const char *number)
{
    static const uint8_t wild[2] = {0xFF, 0xFF};

    buf_append(out, wild, sizeof(wild));
    append_field(out, "", 0);
    append_field(out, number, strlen(number));
    for (size_t i = FIELD_NAME; i < FIELD_COUNT; i++)
        append_field(out, record->fields[i].bytes, record->fields[i].len);
}

int xauthority_select(struct buf *out, const uint8_t *bytes, size_t len, const char *host,
                      const char *number, const char *inside)
{
    size_t before = out->len;

    for (unsigned pass = 0; pass < 2; pass++) {
        struct reader reader = {bytes, len};

        while (reader.left) {
            struct record record;

            if (!take_record(&reader, &record)) {
                out->len = before;
                return -EBADMSG;
            }
            if (is_for_display(&record, number) &&
                is_text(&record.fields[FIELD_ADDRESS], host) == (pass == 0))
                append_for_any(out, &record, inside);
        }
    }
    return out->overflow ? -EBADMSG : 0;
}
