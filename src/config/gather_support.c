// SPDX-License-Identifier: GPL-3.0-only
/*
 * gather_support: what was asked for and cannot be done by this version.
 *
 * Less open than asked for: one line, and the launch goes on. Less closed than asked for: no launch.
 */
#include "config/gather.h"

#include <errno.h>

/* True if the value wants something else than what is the case anyway. */
static bool asks(const struct config *config, const struct setting *row)
{
    const struct value *value = &config->values[row->id];

    if (!config_is_set(config, row->id))
        return false;
    switch (row->type) {
    case TYPE_BOOL:
        return value->on != row->preset;
    case TYPE_WORD:
        return !str_eq(value->word, row->preset_word) && !str_eq(value->word, row->twin_word);
    case TYPE_LIST:
        return value->list.n > 0;
    case TYPE_TEXT:
        return value->list.n > 0 && !str_eq(value->list.v[0], "none");
    }
    return false;
}

/* The name of the setting where it was said. malloc'ed. */
static char *spelling_of(const struct config *config, const struct setting *row)
{
    return config->values[row->id].list.n ? config_entry_spelling(config, row->id, 0)
                                          : config_spelling(config, row->id);
}

struct advice {
    enum setting_id id;
    const char *text;
};

/* Behind "... has no effect" or "... cannot be done by this version". */
static const struct advice advices[] = {
    {SET_ALLOW_TCP_PORTS,
     "; name the host: --allow-host HOST:PORT, or allow_hosts = [\"HOST:PORT\"]"},
    {SET_MACOS_HOST_IPC, " on Linux: what it opens is there on macOS alone"},
};

static const char *advice_for(enum setting_id id)
{
    for (size_t i = 0; i < ARRAY_SIZE(advices); i++)
        if (advices[i].id == id)
            return advices[i].text;
    return "";
}

static int check_row(const struct gathered *gathered, const struct setting *row,
                     struct notes *notes, struct error *error)
{
    _cleanup_free_ char *spelling = NULL;

    if (row->support == SUPPORT_FULL || !asks(&gathered->config, row) ||
        (row->id == SET_MACOS_HOST_IPC &&
         str_eq(config_word(&gathered->config, SET_BACKEND), "seatbelt")))
        return 0;
    spelling = spelling_of(&gathered->config, row);
    if (row->support == SUPPORT_REFUSED)
        return error_set(error, ENOTSUP, "%s cannot be done by this version%s", spelling,
                         advice_for(row->id));
    notes_add(notes, NOTE_WARNING, "%s has no effect%s", spelling, advice_for(row->id));
    return 0;
}

int gather_check_support(const struct gathered *gathered, struct notes *notes, struct error *error)
{
    if (gathered->contradiction)
        return error_set(error, EINVAL,
                         "%s contradict each other: say that the network is on, or which hosts",
                         gathered->contradiction);
    for (size_t i = 0; i < SET_COUNT; i++) {
        int r = check_row(gathered, &settings[i], notes, error);

        if (r < 0)
            return r;
    }
    return 0;
}
