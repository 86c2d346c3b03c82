// SPDX-License-Identifier: GPL-3.0-only
/*
 * overlay_list: the changes of overlays as text and as JSON.
 *
 * Every name comes from the command: nothing of it reaches the terminal unescaped.
 */
#include "backend/json_text.h"
#include "base/path.h"
#include "verbs/overlay.h"
#include "verbs/print.h"

#include <stdlib.h>
#include <string.h>

#define TEXT_MAX (512 * MIB)

static int compare_shown(const void *left, const void *right)
{
    const struct overlay_change *a = left;
    const struct overlay_change *b = right;

    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return strcmp(a->path, b->path);
}

static void sort(struct overlay_changes *changes)
{
    if (changes->n)
        qsort(changes->v, changes->n, sizeof(*changes->v), compare_shown);
}

/* Of what is new, or of what is gone. */
static const char *type_of(const struct overlay_change *change)
{
    return overlay_type_name(change->mode ? change->mode : change->old_mode);
}

static bool has_size(const struct overlay_change *change)
{
    return S_ISREG(change->mode ? change->mode : change->old_mode);
}

static char *detail_of(const struct overlay_change *change)
{
    if (change->problem)
        return xasprintf(" (%s)", change->problem);
    if (change->target)
        return xasprintf(" -> %s", change->target);
    if (change->kind == OVERLAY_MODE)
        return xasprintf(" (%04o, was %04o)", change->mode & 07777, change->old_mode & 07777);
    if (change->kind == OVERLAY_CHANGED && ((change->mode ^ change->old_mode) & S_IFMT))
        return xasprintf(" (was a %s)", overlay_type_name(change->old_mode));
    return xstrdup("");
}

static void print_change(struct buf *out, const struct overlay_change *change)
{
    _cleanup_free_ char *detail = detail_of(change);
    _cleanup_free_ char *size =
        has_size(change) ? xasprintf("%llu", (unsigned long long)change->size) : xstrdup("-");

    print_line(out, "  %-8s %-6s %10s  %s%s", overlay_change_name(change->kind), type_of(change),
               size, change->path, detail);
}

char *overlay_list_text(struct overlay_listed *listed, size_t n)
{
    struct buf out CLEANUP(buf_free);

    buf_init(&out, TEXT_MAX);
    if (n == 0)
        print_line(&out, "no overlays of this project");
    for (size_t i = 0; i < n; i++) {
        struct overlay_changes *changes = &listed[i].changes;
        _cleanup_free_ char *user = listed[i].holder > 0
                                        ? xasprintf(", in use by pid %ld", listed[i].holder)
                                        : xstrdup(listed[i].holder ? ", in use" : "");

        sort(changes);
        print_line(&out, "%s%s%s", listed[i].path,
                   listed[i].is_there ? "" : " (there is no such directory any more)", user);
        print_line(&out, "  kept in %s/upper, %zu change%s", listed[i].storage, changes->n,
                   changes->n == 1 ? "" : "s");
        for (size_t j = 0; j < changes->n; j++)
            print_change(&out, &changes->v[j]);
    }
    return buf_take_cstr(&out);
}

static json_t *json_mode(mode_t mode)
{
    _cleanup_free_ char *text = mode ? xasprintf("%04o", mode & 07777) : NULL;

    return json_text(text);
}

static json_t *json_change(const struct overlay_change *change)
{
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "kind",
                     overlay_change_name(change->kind), "type", type_of(change), "path",
                     json_text(change->path), "size",
                     has_size(change) ? json_integer((json_int_t)change->size) : json_null(),
                     "mode", json_mode(change->mode), "old_mode", json_mode(change->old_mode),
                     "target", json_text(change->target), "problem", json_text(change->problem));
}

char *overlay_list_json(const char *project, struct overlay_listed *listed, size_t n)
{
    json_t *overlays = json_array();

    for (size_t i = 0; i < n; i++) {
        json_t *changes = json_array();

        sort(&listed[i].changes);
        for (size_t j = 0; j < listed[i].changes.n; j++)
            json_array_append_new(changes, json_change(&listed[i].changes.v[j]));
        json_array_append_new(
            overlays,
            json_pack("{s:o, s:o, s:b, s:o, s:o}", "path", json_text(listed[i].path), "storage",
                      json_text(listed[i].storage), "exists", (int)listed[i].is_there, "holder",
                      listed[i].holder ? json_integer(listed[i].holder) : json_null(), "changes",
                      changes));
    }
    return json_document(json_pack("{s:i, s:o, s:o}", "version", 1, "project", json_text(project),
                                   "overlays", overlays));
}
