// SPDX-License-Identifier: GPL-3.0-only
/*
 * base64: bytes as text, RFC 4648, 4.
 */
#pragma once

#include "base/buf.h"

/* With padding, without line breaks. */
void base64_append(struct buf *out, const void *bytes, size_t len);
