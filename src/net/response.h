// SPDX-License-Identifier: GPL-3.0-only
/*
 * response: the head of an answer to an absolute-form request, on its way to the client.
 *
 * One request is served on a connection: the client must know that it ends with the answer. So what
 * the server says about its own connection is taken out, and "Connection: close" put in; interim
 * answers (1xx) pass, and everything behind the head does.
 */
#pragma once

#include "base/buf.h"

#define RESPONSE_HEAD_MAX (64 * KIB)

struct response {
    struct buf head; /* until it is whole */
    size_t from;     /* of the head: where its end is looked for */
    bool is_body;    /* the head has gone: bytes pass */
    bool is_broken;
};

void response_init(struct response *response);
void response_free(struct response *response);
/* Takes bytes and appends to out what the client gets now (nothing while a head is incomplete). */
void response_feed(struct response *response, const uint8_t *bytes, size_t len, struct buf *out);
