// SPDX-License-Identifier: GPL-3.0-only
/*
 * shell_word: a word as a shell reads it back.
 */
#pragma once

#include "base/buf.h"

/* Appends word as it is if it holds nothing of meaning to a shell, else in single quotes. Every other byte
 * stays what it is. */
void shell_word_append(struct buf *out, const char *word);
