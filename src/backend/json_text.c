// SPDX-License-Identifier: GPL-3.0-only
/*
 * json_text: bytes from outside as JSON strings.
 */
#include "backend/json_text.h"

#include "base/log.h"

#include <stdlib.h>
#include <string.h>

#define TEXT_MAX (64 * MIB)

json_t *json_text(const char *text)
{
    struct buf escaped CLEANUP(buf_free);

    if (!text)
        return json_null();
    buf_init(&escaped, TEXT_MAX);
    log_escape(&escaped, text, strlen(text));
    return json_string(buf_cstr(&escaped));
}

json_t *json_texts(const struct strv *texts)
{
    json_t *array = json_array();

    for (size_t i = 0; i < texts->n; i++)
        json_array_append_new(array, json_text(texts->v[i]));
    return array;
}

char *json_document(json_t *root)
{
    _cleanup_free_ char *text =
        root ? json_dumps(root, JSON_INDENT(2) | JSON_PRESERVE_ORDER) : NULL;
    char *line = text ? xasprintf("%s\n", text) : NULL;

    json_decref(root);
    return line;
}
