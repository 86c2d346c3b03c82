// SPDX-License-Identifier: GPL-3.0-only
/*
 * toolchain_store: the path, and what must hold for each directory on the way.
 */
#include "policy/toolchain_store.h"

#include "base/path.h"
#include "policy/toolchains.h"

#include <errno.h>
#include <stdlib.h>

char *toolchains_store(const struct host *host)
{
    _cleanup_free_ char *data =
        path_base_dir(host_getenv(host, "XDG_DATA_HOME"), host->home, ".local/share");
    _cleanup_free_ char *joined = path_join(data, "ai-jail/cache");
    _cleanup_free_ char *clean = path_clean(joined);

    return fs_resolve_future(host->fs, clean);
}

/* Looks at one directory at or below which the store is. malloc'ed reason, or NULL. */
static char *trouble_at(const struct host *host, const char *path, bool is_ours)
{
    struct fs_stat st;
    int r = fs_stat(host->fs, path, false, &st);

    if (r == -ENOENT)
        return NULL;
    if (r < 0 || st.type != FS_DIR)
        return xasprintf("%s is not a directory", path);
    if (st.uid != host->uid)
        return xasprintf("%s belongs to another user", path);
    if (is_ours && (st.mode & 022))
        return xasprintf("others may write in %s; chmod 700 makes it private again", path);
    return NULL;
}

/* The deepest directory that exists above path, which must be the user's to make more in it. */
static char *trouble_above(const struct host *host, const char *path)
{
    _cleanup_free_ char *at = xstrdup(path);
    struct fs_stat st;

    while (!str_eq(at, "/") && fs_stat(host->fs, at, false, &st) == -ENOENT) {
        char *parent = path_parent(at);

        free(at);
        at = parent;
    }
    return trouble_at(host, at, false);
}

void toolchain_store_init(struct toolchain_store *store, const struct host *host,
                          const char *project)
{
    _cleanup_free_ char *own = NULL;

    *store = (struct toolchain_store){.host = host, .path = toolchains_store(host)};
    own = path_parent(store->path);
    if (path_is_within(store->path, project) || path_is_within(project, own))
        store->trouble = xasprintf("%s lies in the project", store->path);
    if (!store->trouble)
        store->trouble = trouble_above(host, store->path);
    if (!store->trouble)
        store->trouble = trouble_at(host, own, true);
    if (!store->trouble)
        store->trouble = trouble_at(host, store->path, true);
}

void toolchain_store_free(struct toolchain_store *store)
{
    free(store->path);
    free(store->trouble);
    *store = (struct toolchain_store){0};
}

/* The part and what lies between it and the store. */
static char *trouble_of_part(const struct toolchain_store *store, const char *part)
{
    _cleanup_free_ char *at = xstrdup(part);
    char *trouble = NULL;

    while (!trouble && path_is_below(at, store->path)) {
        char *parent = path_parent(at);

        trouble = trouble_at(store->host, at, true);
        free(at);
        at = parent;
    }
    return trouble;
}

char *toolchain_store_part(struct toolchain_store *store, const char *name, struct notes *notes)
{
    _cleanup_free_ char *part = path_join(store->path, name);
    _cleanup_free_ char *trouble = NULL;

    if (store->trouble) {
        if (!store->is_told)
            notes_add(notes, NOTE_WARNING, "the caches of build tools are thrown away: %s",
                      store->trouble);
        store->is_told = true;
        return NULL;
    }
    trouble = trouble_of_part(store, part);
    if (!trouble)
        return steal_ptr(&part);
    notes_add(notes, NOTE_SECURITY, "a cache of build tools is not used: %s", trouble);
    return NULL;
}
