// SPDX-License-Identifier: GPL-3.0-only
/*
 * silent: a ring of names.
 */
#include "net/silent.h"

#include <string.h>

/* SILENT_NAMES_MAX: it is not among them. */
static size_t find(const struct silent_names *names, const char *name)
{
    size_t i = 0;

    while (i < SILENT_NAMES_MAX && (!names->v[i].name[0] || !str_eq(names->v[i].name, name)))
        i++;
    return i;
}

void silent_note(struct silent_names *names, const char *name, enum silent_kind kind,
                 uint64_t now_ms)
{
    size_t i = find(names, name);

    if (i == SILENT_NAMES_MAX && kind == SILENT_NOT)
        return;
    if (i == SILENT_NAMES_MAX) {
        i = names->next;
        names->next = (i + 1) % SILENT_NAMES_MAX;
        memccpy(names->v[i].name, name, '\0', sizeof(names->v[i].name));
    }
    if (kind == SILENT_NOT)
        names->v[i].name[0] = '\0';
    names->v[i].kind = kind;
    names->v[i].until_ms = now_ms + SILENT_MS;
}

enum silent_kind silent_look(const struct silent_names *names, const char *name, uint64_t now_ms)
{
    size_t i = find(names, name);

    return i < SILENT_NAMES_MAX && now_ms < names->v[i].until_ms ? names->v[i].kind : SILENT_NOT;
}
