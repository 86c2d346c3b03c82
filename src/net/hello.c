// SPDX-License-Identifier: GPL-3.0-only
/*
 * hello: the server name in a TLS ClientHello.
 *
 * First the record headers alone are walked, to see whether the message is whole; only then is it
 * put together and read, once. The walk goes on where it stopped, so feeding byte by byte costs no
 * more than feeding it whole, however small the records are. Every length is checked against what
 * is really there; anything left over or missing makes it no ClientHello.
 */
#include "net/hello.h"

#include <stdlib.h>
#include <string.h>

#define RECORD_HEADER    5
#define RECORD_HANDSHAKE 22
#define VERSION_MAJOR    3
#define RECORD_MAX       16384 /* RFC 8446, 5.1 */
#define CLIENT_HELLO     1
#define EXT_SERVER_NAME  0 /* RFC 6066, 3 */
#define NAME_HOST        0

/* A part of the message that is read from the front. */
struct reader {
    const uint8_t *at;
    size_t len;
    bool is_broken;
};

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

static const uint8_t *take(struct reader *reader, size_t len)
{
    const uint8_t *at = reader->at;

    if (reader->is_broken || len > reader->len) {
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

/* The header of the record at hello->at. HELLO_NAME: it is there and read. */
static enum hello_verdict enter_record(struct hello *hello, const uint8_t *bytes, size_t len)
{
    const uint8_t *record = bytes + hello->at;
    size_t have = len - hello->at;

    if (record[0] != RECORD_HANDSHAKE || (have > 1 && record[1] != VERSION_MAJOR))
        return HELLO_NOT_TLS;
    if (have < RECORD_HEADER)
        return HELLO_MORE;
    hello->left = (size_t)record[3] << 8 | record[4];
    hello->at += RECORD_HEADER;
    return hello->left == 0 || hello->left > RECORD_MAX ? HELLO_NOT_TLS : HELLO_NAME;
}

/* What is known of the message's own header: its type, and at last how long it is. */
static bool check_header(struct hello *hello)
{
    const uint8_t *header = hello->header;

    if (hello->carried == HELLO_MESSAGE_HEADER)
        hello->whole =
            HELLO_MESSAGE_HEADER + ((size_t)header[1] << 16 | (size_t)header[2] << 8 | header[3]);
    return header[0] == CLIENT_HELLO && hello->whole <= HELLO_MAX;
}

/* What the record at hello->at carries, as far as it is there. */
static void take_part(struct hello *hello, const uint8_t *bytes, size_t len, uint8_t *out)
{
    size_t part = min_size(hello->left, len - hello->at);

    part = min_size(part, hello->whole - hello->carried);
    if (out)
        memcpy(out + hello->carried - HELLO_MESSAGE_HEADER, bytes + hello->at, part);
    hello->carried += part;
    hello->at += part;
    hello->left -= part;
}

/* Goes on through the records from where it stopped. HELLO_NAME: the message is whole, and its body
 * is in out (NULL: nowhere) if the walk began with it. */
static enum hello_verdict walk_records(struct hello *hello, const uint8_t *bytes, size_t len,
                                       uint8_t *out)
{
    while (hello->at < len && (!hello->whole || hello->carried < hello->whole)) {
        if (hello->left == 0) {
            enum hello_verdict verdict = enter_record(hello, bytes, len);

            if (verdict != HELLO_NAME)
                return verdict;
        } else if (hello->carried < HELLO_MESSAGE_HEADER) {
            hello->header[hello->carried++] = bytes[hello->at++];
            hello->left--;
            if (!check_header(hello))
                return HELLO_NOT_TLS;
        } else {
            take_part(hello, bytes, len, out);
        }
    }
    return hello->whole && hello->carried == hello->whole ? HELLO_NAME : HELLO_MORE;
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
        target.kind == TARGET_IPV6 || /* no such thing there */
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

enum hello_verdict hello_judge(struct hello *hello, const uint8_t *bytes, size_t len, char *name,
                               size_t size)
{
    struct hello again = {0};
    _cleanup_free_ uint8_t *message = NULL;
    enum hello_verdict verdict = walk_records(hello, bytes, len, NULL);

    if (verdict == HELLO_MORE)
        return len >= HELLO_MAX ? HELLO_NOT_TLS : HELLO_MORE;
    if (verdict != HELLO_NAME)
        return verdict;
    message = xcalloc(hello->whole, 1);
    walk_records(&again, bytes, hello->at, message);
    verdict = read_message(
        (struct reader){.at = message, .len = hello->whole - HELLO_MESSAGE_HEADER}, name, size);
    if (verdict != HELLO_NAME)
        name[0] = '\0';
    return verdict;
}
