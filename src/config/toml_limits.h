// SPDX-License-Identifier: GPL-3.0-only
/*
 * toml_limits: what is too much for a configuration file.
 */
#pragma once

#include "config/toml.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TOML_BYTES_MAX (1024 * 1024)
/* Brackets within brackets; parts of one dotted key; levels of the finished tree. */
#define TOML_DEPTH_MAX 16
/* Keys, tables and members of arrays, all together: toml++ finds dotted tables by linear search. */
#define TOML_NODES_MAX 16384
/* Bytes of one key. */
#define TOML_KEY_MAX 1024

/* Looks at the bytes of a file as a lexer would, without recursion or memory. True, or false with
 * error filled. Whether it is TOML at all is not judged here. */
bool toml_within_limits(const char *bytes, size_t len, struct toml_error *error);

#ifdef __cplusplus
}
#endif
