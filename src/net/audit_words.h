// SPDX-License-Identifier: GPL-3.0-only
/*
 * audit_words: a command line without what must not be written down. Pure.
 *
 *     NAME=VALUE                     NAME            also behind --option= and inside a word
 *     --api-key=VALUE                --api-key=***   options that are named like a credential;
 *     --token VALUE                  --token ***     the next word if it is no option
 *     -u USER:PASSWORD               -u USER:***
 *     Authorization: VALUE           Authorization: ***
 *     https://USER@HOST/PATH?QUERY   https://HOST/...
 *     a known value                  <NAME>
 *
 * A word that is a credential and looks like nothing cannot be told from others, unless it is the
 * value of a variable that is known here.
 */
#pragma once

#include "base/strv.h"

/* True if one of the parts of the name (letters and digits between other characters) is a word for a
 * credential. */
bool audit_words_is_secret(const char *name, size_t len);

/* Appends the words to out. known: NAME=VALUE, whose values must not be there; NULL: none. */
void audit_words_clean(struct strv *out, const struct strv *words, const struct strv *known);
