// SPDX-License-Identifier: GPL-3.0-only
/*
 * env_list: an environment that is being put together.
 */
#include "policy/env_list.h"

#include <stdlib.h>
#include <string.h>

size_t env_list_name_len(const char *entry)
{
    return strcspn(entry, "=");
}

bool env_list_same_name(const char *a, const char *b)
{
    size_t len = env_list_name_len(a);

    return len == env_list_name_len(b) && memcmp(a, b, len) == 0;
}

ptrdiff_t env_list_find(const struct strv *list, const char *name)
{
    for (size_t i = list->n; i > 0; i--)
        if (env_list_same_name(list->v[i - 1], name))
            return (ptrdiff_t)i - 1;
    return -1;
}

const char *env_list_get(const struct strv *list, const char *name)
{
    ptrdiff_t index = env_list_find(list, name);
    const char *equals = index < 0 ? NULL : strchr(list->v[index], '=');

    return equals ? equals + 1 : NULL;
}

void env_list_set(struct strv *list, const char *name, const char *value)
{
    strv_pushf(list, "%s=%s", name, value);
}

void env_list_add_absent(struct strv *list, const struct strv *entries)
{
    for (size_t i = 0; i < entries->n; i++)
        if (env_list_find(list, entries->v[i]) < 0)
            strv_push(list, entries->v[i]);
}

struct ranked {
    char *entry;
    size_t rank;
};

static int compare_ranked(const void *left, const void *right)
{
    const struct ranked *a = left;
    const struct ranked *b = right;
    size_t a_len = env_list_name_len(a->entry);
    size_t b_len = env_list_name_len(b->entry);
    int r = memcmp(a->entry, b->entry, a_len < b_len ? a_len : b_len);

    if (r)
        return r;
    if (a_len != b_len)
        return a_len < b_len ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

void env_list_settle(struct strv *list)
{
    struct ranked *ranked = xcalloc(list->n, sizeof(*ranked));
    size_t kept = 0;

    for (size_t i = 0; i < list->n; i++)
        ranked[i] = (struct ranked){list->v[i], i};
    qsort(ranked, list->n, sizeof(*ranked), compare_ranked);
    for (size_t i = 0; i < list->n; i++) {
        char *entry = ranked[i].entry;
        bool is_last = i + 1 == list->n || !env_list_same_name(entry, ranked[i + 1].entry);

        if (is_last && strchr(entry, '='))
            list->v[kept++] = entry;
        else
            free(entry);
    }
    free(ranked);
    list->n = kept;
    if (list->v)
        list->v[kept] = NULL;
}
