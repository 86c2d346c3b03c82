// SPDX-License-Identifier: GPL-3.0-only
/*
 * show_parts: what --dry-run says in the same words for either system.
 *
 * Values of variables are never shown, only names. The text can be replayed: a word outside a safe set
 * is quoted for a shell. json_network.h is the network's part of the document.
 */
#pragma once

#include "policy/policy.h"

#include <jansson.h>

/* Quoted so that a shell reads the same bytes again; nothing in it acts on a terminal. */
void show_word(struct buf *out, const char *word);
/* The command, each word with a space before it. */
void show_words(struct buf *out, const struct strv *words);
/* The lines of a section, without its heading. */
void show_environment(struct buf *out, const struct strv *env);
void show_limits(struct buf *out, const struct limits *limits);
/* With its heading. */
void show_network(struct buf *out, const struct policy *policy);

/* New references. */
json_t *show_environment_json(const struct strv *env);
json_t *show_limits_json(const struct limits *limits);
