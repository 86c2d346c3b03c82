// SPDX-License-Identifier: GPL-3.0-only
/*
 * tighten: modes that are a configuration with fewer requests in it.
 */
#pragma once

#include "base/note.h"
#include "config/config.h"

enum mode { MODE_LOCKDOWN, MODE_BROWSER, MODE_COUNT };

/* "lockdown", "the browser profile": static text. */
const char *tighten_mode_name(enum mode mode);
/* True if the mode gives nothing of this setting, whoever asks for it. */
bool tighten_drops(enum mode mode, enum setting_id id);
/* The same, and somebody asks: status marks these. */
bool tighten_drops_value(enum mode mode, const struct config *config, enum setting_id id);

/* Fills out with a copy, to be tightened. out wants config_free(). */
void tighten_begin(struct config *out, const struct config *config);
/* Takes out what the mode drops; each request that is dropped is one security note. Both modes may
 * follow one another: what the first dropped is no request any more. */
void tighten_apply(struct config *config, enum mode mode, struct notes *notes);
