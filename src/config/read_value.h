// SPDX-License-Identifier: GPL-3.0-only
/*
 * read_value: one value of a file, checked by its row and put into a layer.
 */
#pragma once

#include "config/read.h"
#include "config/toml.h"

/* node is the value of row's key; layer->place.layer and .table are set, line and column are changed.
 * 0 or -EINVAL as read_layers(). */
int read_value(const struct read_source *source, const struct setting *row,
               const struct toml_node *node, struct config *layer, struct error *error);

/* "FILE:LINE:COLUMN: KEY: REASON", returned as -EINVAL. */
int read_fail(const struct read_source *source, const struct toml_node *node, const char *key,
              struct error *error, const char *fmt, ...) PRINTF_LIKE(5, 6);
