// SPDX-License-Identifier: GPL-3.0-only
/*
 * http_head: the head of an HTTP/1 request, read strictly (RFC 9112).
 *
 * What two programs could read in two ways is an error here: bare CR or LF, obsolete folding, a
 * blank before a colon, control bytes.
 */
#pragma once

#include "base/base.h"

#include <sys/types.h>

#define HTTP_HEADERS_MAX 200

/* A part of the head; borrowed, not NUL-terminated. */
struct http_text {
    const char *at;
    size_t len;
};

struct http_header {
    struct http_text name;
    struct http_text value; /* without blanks around it */
};

struct http_head {
    struct http_text method;
    struct http_text target;
    unsigned minor; /* of HTTP/1.x */
    struct http_header headers[HTTP_HEADERS_MAX];
    size_t count;
};

/* Length of the head with its empty line, 0 if it is not whole yet. Looks from *from on, which is
 * moved for the next call. */
size_t http_head_length(const char *bytes, size_t len, size_t *from);
/* Parses a whole head. 0 or -EINVAL. */
int http_head_parse(struct http_head *head, const char *bytes, size_t len);

/* Case-insensitive (RFC 9110, 5.1). */
bool http_text_is(struct http_text text, const char *word);
/* How many headers have the name; *value is that of the first. */
size_t http_head_find(const struct http_head *head, const char *name, struct http_text *value);
/* True if the list of a header, over all its lines, has the word (RFC 9110, 5.6.1). */
bool http_head_lists(const struct http_head *head, const char *name, struct http_text word);
