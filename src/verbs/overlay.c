// SPDX-License-Identifier: GPL-3.0-only
/*
 * overlay: --overlay-list, --overlay-apply, --overlay-discard.
 *
 * An overlay is found by its real directory: the name of its storage is a hash of project and
 * directory, and what the storage says of itself must agree. So the verbs of one project never touch
 * what belongs to another.
 */
#include "verbs/overlay.h"

#include "backend/overlay_apply.h"
#include "backend/overlay_base.h"
#include "backend/overlay_store.h"
#include "backend/overlay_walk.h"
#include "base/log.h"
#include "base/path.h"
#include "verbs/print.h"
#include "verbs/verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXIT_CONFLICT 1

/* One overlay, opened. */
struct opened {
    char *path;
    char *storage;
    struct overlay_store store;
    int upper;
    int lower; /* -1: the directory is gone */
};

#define OPENED_NONE                                                                                \
    (struct opened)                                                                                \
    {                                                                                              \
        .store = OVERLAY_STORE_NONE, .upper = -1, .lower = -1                                      \
    }

static void opened_close(struct opened *opened)
{
    free(opened->path);
    free(opened->storage);
    overlay_store_close(&opened->store);
    cleanup_close(&opened->upper);
    cleanup_close(&opened->lower);
    *opened = OPENED_NONE;
}

/* The operand as the planner resolves it; as it is written where the directory is gone. */
static char *real_path(const struct host *host, const char *operand)
{
    _cleanup_free_ char *expanded = path_expand_home(operand, host->home);
    _cleanup_free_ char *spelled = path_join(host->cwd, expanded);
    char *canonical = NULL;

    return fs_resolve(host->fs, spelled, &canonical, NULL, NULL) == 0 ? canonical
                                                                      : path_clean(spelled);
}

static int open_parts(struct opened *opened)
{
    opened->upper = overlay_open_dir(opened->store.dir, "upper", 0);
    opened->lower = overlay_open_exact(opened->path);
    return opened->upper < 0 ? opened->upper : 0;
}

/* The storage of a directory in this project. */
static int open_overlay(struct opened *opened, const struct host *host, const char *path,
                        struct error *error)
{
    _cleanup_free_ char *project = NULL;
    _cleanup_free_ char *said = NULL;
    int r;

    opened->path = xstrdup(path);
    opened->storage = overlays_storage(host, host->cwd, path);
    r = overlay_store_open(&opened->store, opened->storage, error);
    if (r == -ENOENT)
        return error_set(error, ENOENT,
                         "%s has no overlay in this project; --overlay-list shows those there are",
                         path);
    if (r < 0)
        return r;
    r = overlay_store_read_source(&opened->store, &project, &said);
    if (r == 0 && (!str_eq(project, host->cwd) || !str_eq(said, path)))
        r = -EBADMSG;
    return r < 0 ? error_set(error, -r, "overlay storage: %s/source: %s", opened->storage,
                             strerror(-r))
                 : 0;
}

/* ---- list ---- */

/* The directories that have an overlay in this project, sorted. */
static int find_overlays(const struct host *host, struct strv *paths)
{
    _cleanup_free_ char *root = overlays_root(host);
    _cleanup_close_ int dir = overlay_open_exact(root);
    _cleanup_strv_ struct strv names = {0};
    int r = dir < 0 ? dir : overlay_names(dir, &names);

    for (size_t i = 0; i < names.n && r == 0; i++) {
        struct overlay_store store = OVERLAY_STORE_NONE;
        _cleanup_free_ char *project = NULL;
        _cleanup_free_ char *path = NULL;
        _cleanup_free_ char *own = NULL;

        store.dir = overlay_open_dir(dir, names.v[i], 0);
        if (store.dir >= 0 && overlay_store_read_source(&store, &project, &path) == 0)
            own = overlays_storage(host, project, path);
        if (own && str_eq(path_base(own), names.v[i]) && str_eq(project, host->cwd))
            strv_push(paths, path);
        overlay_store_close(&store);
    }
    return r == -ENOENT ? 0 : r;
}

static int read_listed(struct overlay_listed *listed, struct opened *opened, struct error *error)
{
    int r = open_parts(opened);

    if (r < 0)
        return error_set(error, -r, "overlay storage: %s/upper: %s", opened->storage, strerror(-r));
    *listed = (struct overlay_listed){
        .path = opened->path,
        .storage = opened->storage,
        .holder = overlay_store_holder(&opened->store),
        .is_there = opened->lower >= 0,
    };
    return overlay_changes_collect(&listed->changes, opened->upper, opened->lower, error);
}

static int list_all(const struct verb_call *call, const struct strv *paths, struct error *error)
{
    struct overlay_listed *listed = xcalloc(paths->n + 1, sizeof(*listed));
    struct opened *opened = xcalloc(paths->n + 1, sizeof(*opened));
    int r = 0;

    for (size_t i = 0; i < paths->n; i++)
        opened[i] = OPENED_NONE;
    for (size_t i = 0; i < paths->n && r == 0; i++) {
        r = open_overlay(&opened[i], call->host, paths->v[i], error);
        if (r == 0)
            r = read_listed(&listed[i], &opened[i], error);
    }
    if (r == 0)
        r = print_text(call->args->json ? overlay_list_json(call->host->cwd, listed, paths->n)
                                        : overlay_list_text(listed, paths->n),
                       error);
    for (size_t i = 0; i < paths->n; i++) {
        overlay_changes_free(&listed[i].changes);
        opened_close(&opened[i]);
    }
    free(listed);
    free(opened);
    return r;
}

static int list(const struct verb_call *call, struct error *error)
{
    _cleanup_strv_ struct strv paths = {0};
    int r = 0;

    if (call->args->operand)
        strv_push_owned(&paths, real_path(call->host, call->args->operand));
    else
        r = find_overlays(call->host, &paths);
    return r < 0 ? error_set(error, -r, "the overlays cannot be listed: %s", strerror(-r))
                 : list_all(call, &paths, error);
}

/* ---- apply and discard ---- */

static int apply_changes(const struct opened *opened, const struct overlay_base *base,
                         size_t *applied, struct error *error)
{
    struct overlay_changes changes CLEANUP(overlay_changes_free) = {0};
    struct overlay_apply apply = {opened->upper, opened->lower, base, &changes};
    _cleanup_strv_ struct strv conflicts = {0};
    struct notes notes = {0};
    int r = overlay_changes_collect(&changes, opened->upper, opened->lower, error);

    if (r < 0)
        return r;
    overlay_apply_check(&apply, &conflicts);
    for (size_t i = 0; i < conflicts.n; i++)
        log_line(NOTE_FATAL, "%s", conflicts.v[i]);
    if (conflicts.n) {
        log_line(NOTE_FATAL,
                 "nothing is applied; the changes are in %s/upper, --overlay-discard throws them "
                 "away",
                 opened->storage);
        return EXIT_CONFLICT;
    }
    r = overlay_apply_all(&apply, &notes, error);
    *applied = changes.n - notes.n; /* each is about one that is left out */
    log_notes(&notes);
    notes_free(&notes);
    return r < 0 ? error_wrap(error, "%s is applied in part", opened->path) : 0;
}

static int apply(struct opened *opened, struct error *error)
{
    struct overlay_base base CLEANUP(overlay_base_free) = {0};
    size_t applied = 0;
    char *text;
    int r = open_parts(opened);

    if (r < 0)
        return error_set(error, -r, "overlay storage: %s/upper: %s", opened->storage, strerror(-r));
    if (opened->lower < 0)
        return error_set(error, -opened->lower, "%s: %s: there is nothing to apply the changes to",
                         opened->path, strerror(-opened->lower));
    r = overlay_base_read(&base, opened->store.dir);
    if (r < 0)
        return error_set(error, -r,
                         "overlay storage: %s/base cannot be read (%s): what changed since the "
                         "overlay began is unknown",
                         opened->storage, strerror(-r));
    r = apply_changes(opened, &base, &applied, error);
    if (r != 0)
        return r;
    r = overlay_store_remove(&opened->store, opened->storage, error);
    if (r < 0)
        return r;
    text = xasprintf("%zu change%s applied\n", applied, applied == 1 ? "" : "s");
    return print_text(text, error);
}

static int discard(struct opened *opened, struct error *error)
{
    int r = overlay_store_remove(&opened->store, opened->storage, error);

    return r < 0 ? r : print_text(xstrdup("the changes are thrown away\n"), error);
}

int verb_overlay(const struct verb_call *call, struct error *error)
{
    struct opened opened CLEANUP(opened_close) = OPENED_NONE;
    _cleanup_free_ char *path = NULL;
    int r;

    if (call->args->verb == VERB_OVERLAY_LIST)
        return list(call, error);
    path = real_path(call->host, call->args->operand);
    r = open_overlay(&opened, call->host, path, error);
    if (r == 0)
        r = overlay_store_lock(&opened.store, opened.storage, error);
    if (r < 0)
        return r;
    return call->args->verb == VERB_OVERLAY_APPLY ? apply(&opened, error) : discard(&opened, error);
}
