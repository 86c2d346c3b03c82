// SPDX-License-Identifier: GPL-3.0-only
/*
 * json_text: bytes from outside as JSON strings.
 *
 * A JSON string is Unicode; bytes that are not valid UTF-8 or would act on a terminal are escaped as
 * in every other output (base/log.h).
 */
#pragma once

#include "base/strv.h"

#include <jansson.h>

/* A new reference; NULL gives JSON's null. */
json_t *json_text(const char *text);
/* A new array. */
json_t *json_texts(const struct strv *texts);
/* The document as text for stdout, with a newline at the end, malloc'ed; takes the reference. */
char *json_document(json_t *root);
