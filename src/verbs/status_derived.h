// SPDX-License-Identifier: GPL-3.0-only
/*
 * status_derived: what a run would show of HOME although nobody named it: build tools and caches.
 */
#pragma once

#include "base/buf.h"
#include "policy/policy.h"

#include <jansson.h>

/* Nothing if there is nothing. */
void status_derived_text(struct buf *out, const struct policy *policy);
/* [{"dest", "source", "writable", "new", "origin"}] */
json_t *status_derived_json(const struct policy *policy);
