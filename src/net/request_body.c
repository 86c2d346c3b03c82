// SPDX-License-Identifier: GPL-3.0-only
/*
 * request_body: where the body of a request ends (RFC 9112, 6 and 7.1).
 *
 * The bytes are passed on as they are; here they are only counted. A chunked body that is not
 * exactly what the grammar says is broken: the origin server might see its end elsewhere.
 */
#include "net/request.h"

#include "base/hex.h"

#include <string.h>

#define SIZE_DIGITS_MAX 15
#define LINE_MAX_BYTES  1024 /* of a chunk's extension or a trailer */

/* Where in the chunked coding we are. The low bits of step, above them the bytes of the line. */
enum {
    CHUNK_SIZE,
    CHUNK_EXTENSION,
    CHUNK_SIZE_LF,
    CHUNK_DATA,
    CHUNK_DATA_CR,
    CHUNK_DATA_LF,
    TRAILER_START,
    TRAILER_LINE,
    TRAILER_LF,
    TRAILER_END_LF,
    STEP_BITS = 4,
};

void request_body_init(struct request_body *body, const struct request *request)
{
    *body = (struct request_body){
        .is_chunked = request->is_chunked,
        .left = request->is_chunked ? 0 : request->length,
    };
    body->is_done = !body->is_chunked && body->left == 0;
}

static unsigned step_of(const struct request_body *body)
{
    return body->step & ((1u << STEP_BITS) - 1);
}

static unsigned count_of(const struct request_body *body)
{
    return body->step >> STEP_BITS;
}

static void go(struct request_body *body, unsigned step)
{
    body->step = step;
}

static void count(struct request_body *body, unsigned most)
{
    if (count_of(body) >= most)
        body->is_broken = true;
    body->step += 1u << STEP_BITS;
}

static void on_size(struct request_body *body, uint8_t byte)
{
    int value = hex_digit((char)byte);

    if (value >= 0) {
        body->left = body->left << 4 | (unsigned)value;
        count(body, SIZE_DIGITS_MAX);
    } else if (count_of(body) == 0) {
        body->is_broken = true;
    } else if (byte == ';') {
        go(body, CHUNK_EXTENSION);
    } else if (byte == '\r') {
        go(body, CHUNK_SIZE_LF);
    } else {
        body->is_broken = true;
    }
}

/* One byte that must be there; what comes next. */
static void expect(struct request_body *body, uint8_t byte, uint8_t wanted, unsigned next)
{
    if (byte == wanted)
        go(body, next);
    else
        body->is_broken = true;
}

/* A line whose content does not matter; its CR leads to next. */
static void on_line(struct request_body *body, uint8_t byte, unsigned next)
{
    if (byte == '\r')
        go(body, next);
    else if (byte == '\n' || byte == '\0')
        body->is_broken = true;
    else
        count(body, LINE_MAX_BYTES);
}

static void on_byte(struct request_body *body, uint8_t byte)
{
    switch (step_of(body)) {
    case CHUNK_SIZE:
        on_size(body, byte);
        break;
    case CHUNK_EXTENSION:
        on_line(body, byte, CHUNK_SIZE_LF);
        break;
    case CHUNK_SIZE_LF:
        expect(body, byte, '\n', body->left ? CHUNK_DATA : TRAILER_START);
        break;
    case CHUNK_DATA_CR:
        expect(body, byte, '\r', CHUNK_DATA_LF);
        break;
    case CHUNK_DATA_LF:
        expect(body, byte, '\n', CHUNK_SIZE);
        break;
    case TRAILER_START:
        go(body, byte == '\r' ? TRAILER_END_LF : TRAILER_LINE);
        if (byte == '\n' || byte == '\0')
            body->is_broken = true;
        break;
    case TRAILER_LINE:
        on_line(body, byte, TRAILER_LF);
        break;
    case TRAILER_LF:
        expect(body, byte, '\n', TRAILER_START);
        break;
    default:
        expect(body, byte, '\n', TRAILER_END_LF);
        body->is_done = !body->is_broken;
    }
}

static size_t take_data(struct request_body *body, size_t len)
{
    size_t part = body->left < len ? (size_t)body->left : len;

    body->left -= part;
    return part;
}

uint64_t request_body_content(const struct request_body *body)
{
    if (body->is_done || body->is_broken || (body->is_chunked && step_of(body) != CHUNK_DATA))
        return 0;
    return body->left;
}

size_t request_body_feed(struct request_body *body, const uint8_t *bytes, size_t len)
{
    size_t at = 0;

    if (!body->is_chunked) {
        at = take_data(body, len);
        body->is_done = body->left == 0;
        return at;
    }
    while (at < len && !body->is_done && !body->is_broken) {
        if (step_of(body) != CHUNK_DATA) {
            on_byte(body, bytes[at++]);
            continue;
        }
        at += take_data(body, len - at);
        if (body->left == 0)
            go(body, CHUNK_DATA_CR);
    }
    return at;
}
