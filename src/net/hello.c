// SPDX-License-Identifier: GPL-3.0-only
/*
 * hello: the server name in a TLS ClientHello.
 *
 * First the record headers alone are walked, to see whether the message is whole; only then is it
 * put together and read. So feeding byte by byte costs little. Every length is checked against what
 * is really there; anything left over or missing makes it no ClientHello.
 */
#include "net/hello.h"

#include <stdlib.h>
#include <string.h>

#define RECORD_HEADER    5
#define RECORD_HANDSHAKE 22
#define RECORD_MAX       16384 /* RFC 8446, 5.1 */
#define MESSAGE_HEADER   4
#define CLIENT_HELLO     1
#define EXT_SERVER_NAME  0 /* RFC 6066, 3 */
#define NAME_HOST        0

/* A part of the message that is read from the front. */
struct reader {
    const uint8_t *at;
    size_t len;
    bool is_broken;
};

static const uint8_t *take(struct reader *reader, size_t len)
{
    const uint8_t *at = reader->at;

    if (len > reader->len) {
        reader->is_broken = true;
        reader->len = 0;
        return NULL;
    }
    reader->at += len;
    reader->len -= len;
    return at;
}

static unsigned take_number(struct reader *reader, unsigned bytes)
{
    const uint8_t *at = take(reader, bytes);
    unsigned value = 0;

    for (unsigned i = 0; at && i < bytes; i++)
        value = value << 8 | at[i];
    return value;
}

/* A vector with a length of so many bytes in front of it. */
static struct reader take_vector(struct reader *reader, unsigned length_bytes)
{
    unsigned len = take_number(reader, length_bytes);
    struct reader part = {.at = take(reader, len), .len = len};

    if (reader->is_broken)
        part = (struct reader){.is_broken = true};
    return part;
}

/* ---- the message out of its records ---- */

/* Copies what the records carry, at most size bytes of it; returns how much they carry in all.
 * HELLO_MORE: the last record is not whole; HELLO_NOT_TLS: no such record. */
static enum hello_verdict walk_records(const uint8_t *bytes, size_t len, uint8_t *out, size_t size,
                                       size_t *carried)
{
    size_t at = 0;

    *carried = 0;
    while (at < len && *carried < size) {
        size_t have = len - at < RECORD_HEADER ? len - at : RECORD_HEADER;
        size_t part;

        if (bytes[at] != RECORD_HANDSHAKE || (have > 1 && bytes[at + 1] != 3))
            return HELLO_NOT_TLS;
        if (have < RECORD_HEADER)
            return HELLO_MORE;
        part = (size_t)bytes[at + 3] << 8 | bytes[at + 4];
        if (part == 0 || part > RECORD_MAX)
            return HELLO_NOT_TLS;
        at += RECORD_HEADER;
        have = len - at < part ? len - at : part;
        for (size_t i = 0; i < have && *carried < size; i++)
            out[(*carried)++] = bytes[at + i];
        at += have;
    }
    return *carried < size ? HELLO_MORE : HELLO_NAME;
}

/* ---- the message ---- */

static enum hello_verdict read_server_name(struct reader extension, char *name, size_t size)
{
    struct reader list = take_vector(&extension, 2);
    struct target target;
    unsigned type = take_number(&list, 1);
    struct reader host = take_vector(&list, 2);

    /* Exactly one name, and nothing behind it. */
    if (extension.is_broken || extension.len || list.is_broken || list.len || host.is_broken ||
        type != NAME_HOST)
        return HELLO_BAD_NAME;
    if (target_parse_host(&target, (const char *)host.at, host.len) < 0 ||
        strlen(target.name) >= size)
        return HELLO_BAD_NAME;
    memcpy(name, target.name, strlen(target.name) + 1);
    return HELLO_NAME;
}

static enum hello_verdict read_extensions(struct reader extensions, char *name, size_t size)
{
    enum hello_verdict verdict = HELLO_NO_NAME;

    while (extensions.len && !extensions.is_broken) {
        unsigned type = take_number(&extensions, 2);
        struct reader body = take_vector(&extensions, 2);

        if (body.is_broken)
            return HELLO_NOT_TLS;
        if (type != EXT_SERVER_NAME)
            continue;
        if (verdict != HELLO_NO_NAME)
            return HELLO_BAD_NAME;
        verdict = read_server_name(body, name, size);
    }
    return extensions.is_broken ? HELLO_NOT_TLS : verdict;
}

static enum hello_verdict read_message(struct reader message, char *name, size_t size)
{
    struct reader extensions = {0};

    take(&message, 2);        /* legacy_version */
    take(&message, 32);       /* random */
    take_vector(&message, 1); /* legacy_session_id */
    take_vector(&message, 2); /* cipher_suites */
    take_vector(&message, 1); /* legacy_compression_methods */
    if (!message.is_broken && message.len == 0)
        return HELLO_NO_NAME; /* before RFC 3546 there were no extensions */
    extensions = take_vector(&message, 2);
    if (message.is_broken || message.len)
        return HELLO_NOT_TLS;
    return read_extensions(extensions, name, size);
}

enum hello_verdict hello_judge(const uint8_t *bytes, size_t len, char *name, size_t size)
{
    uint8_t header[MESSAGE_HEADER];
    _cleanup_free_ uint8_t *message = NULL;
    enum hello_verdict verdict;
    size_t carried;
    size_t whole;

    verdict = walk_records(bytes, len, header, sizeof(header), &carried);
    if (carried > 0 && header[0] != CLIENT_HELLO)
        return HELLO_NOT_TLS;
    if (verdict != HELLO_NAME)
        return verdict;
    whole = (size_t)header[1] << 16 | (size_t)header[2] << 8 | header[3];
    if (whole + MESSAGE_HEADER > HELLO_MAX)
        return HELLO_NOT_TLS;
    whole += MESSAGE_HEADER;
    if (len < whole) /* records only add to it */
        return len >= HELLO_MAX ? HELLO_NOT_TLS : HELLO_MORE;
    message = xcalloc(whole, 1);
    verdict = walk_records(bytes, len, message, whole, &carried);
    if (verdict == HELLO_MORE)
        return len >= HELLO_MAX ? HELLO_NOT_TLS : HELLO_MORE;
    if (verdict != HELLO_NAME)
        return verdict;
    return read_message(
        (struct reader){.at = message + MESSAGE_HEADER, .len = whole - MESSAGE_HEADER}, name, size);
}
