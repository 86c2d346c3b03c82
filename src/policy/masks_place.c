// SPDX-License-Identifier: GPL-3.0-only
/*
 * masks_place: from one name to a cover in the plan.
 *
 * A name is resolved as the kernel would do it, link by link, because each link on the way is armed
 * too: whoever replaces it by a file has made a file of a protected name. What the last link leads to
 * is covered, the links stay. Nothing there: the name is armed, and the deepest directory above it is
 * watched.
 */
#include "policy/masks_walk.h"

#include "base/path.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define LINKS_MAX 40 /* path_resolution(7) */
#define NAMES_MAX 8

void mask_list_add(struct mask_list *list, const char *name)
{
    if (list->n++ < NAMES_MAX)
        strv_push(&list->names, name);
}

void mask_watch(struct mask_rules *rules, const char *dir)
{
    if (path_table_get(&rules->is_watched, dir) != PATH_TABLE_NONE)
        return;
    strv_push(&rules->watched, dir);
    *path_table_put(&rules->is_watched, rules->watched.v[rules->watched.n - 1]) = 0;
}

/* The canonical form of the deepest part of path that is there; *rest is what is left of path. */
static char *resolve_part(const struct fs *fs, const char *path, const char **rest)
{
    _cleanup_free_ char *at = xstrdup(path);

    for (;;) {
        char *canonical = NULL;
        char *above;

        if (str_eq(at, "/") || fs_resolve(fs, at, &canonical, NULL, NULL) == 0) {
            *rest = path_rest(path, at);
            return canonical ? canonical : xstrdup("/");
        }
        above = path_parent(at);
        free(at);
        at = above;
    }
}

char *mask_deepest_dir(const struct fs *fs, const char *path)
{
    const char *rest;
    char *part = resolve_part(fs, path, &rest);
    char *dir = part;

    if (!fs_is_dir(fs, part)) {
        dir = path_parent(part);
        free(part);
    }
    return dir;
}

/* The name that the last component of path has in its canonical directory. Where a directory is
 * missing the rest is kept as spelled. */
static char *name_of(const struct fs *fs, const char *path)
{
    _cleanup_free_ char *trimmed = xstrdup(path);
    _cleanup_free_ char *dir = NULL;
    _cleanup_free_ char *part = NULL;
    _cleanup_free_ char *cleaned = NULL;
    const char *rest;

    for (size_t len = strlen(trimmed); len > 1 && trimmed[len - 1] == '/'; len--)
        trimmed[len - 1] = '\0';
    if (str_eq(path_base(trimmed), "") || str_eq(path_base(trimmed), ".") ||
        str_eq(path_base(trimmed), "..")) {
        if (fs_resolve(fs, trimmed, &part, NULL, NULL) == 0)
            return steal_ptr(&part);
    } else {
        dir = path_parent(trimmed);
        if (fs_resolve(fs, dir, &part, NULL, NULL) == 0)
            return path_join(part, path_base(trimmed));
    }
    cleaned = path_clean(trimmed);
    part = resolve_part(fs, cleaned, &rest);
    return rest[0] ? path_join(part, rest) : steal_ptr(&part);
}

/* ---- covering ---- */

/* A link of the project must not take the system away from the jail. */
static bool holds_the_jail(const struct mask_walk *walk, const char *dir)
{
    static const char *const system[] = {
        "/bin", "/dev", "/etc",  "/lib", "/lib32", "/lib64", "/libx32", "/nix/store",
        "/opt", "/run", "/sbin", "/sys", "/tmp",   "/usr",   "/var",
    };

    if (path_is_within(walk->host->cwd, dir) || path_is_within(walk->host->home, dir) ||
        path_is_within(dir, "/proc") || path_is_within("/usr/bin", dir) ||
        path_is_within("/usr/lib", dir))
        return true;
    for (size_t i = 0; i < ARRAY_SIZE(system); i++)
        if (str_eq(system[i], dir))
            return true;
    return false;
}

static void add_found(struct mask_walk *walk, const struct mask_wish *wish, const char *path,
                      const struct fs_stat *st, bool is_needed)
{
    if (walk->found_count == walk->found_cap) {
        walk->found_cap = walk->found_cap ? walk->found_cap * 2 : 64;
        walk->found = xrealloc(walk->found, walk->found_cap, sizeof(*walk->found));
    }
    walk->found[walk->found_count++] =
        (struct mask_found){xstrdup(path), wish->kind, wish->origin, *st, is_needed};
    if (st->type != FS_DIR && st->nlink > 1 && plan_hides(wish->kind))
        mask_list_add(&walk->hard_links, path);
}

void mask_place_found(struct mask_walk *walk, const struct mask_wish *wish, const char *path,
                      const struct fs_stat *st)
{
    add_found(walk, wish, path, st, false);
}

/* Follows path to what is there: 1 and *place and *st filled, 0 if nothing is, -ELOOP. Each name on
 * the way is armed. */
static int chase(struct mask_walk *walk, const struct mask_wish *wish, const char *path,
                 char **place, struct fs_stat *st, bool *is_linked)
{
    const struct fs *fs = walk->host->fs;
    _cleanup_free_ char *at = xstrdup(path);

    *is_linked = false;
    for (unsigned links = 0; links <= LINKS_MAX; links++) {
        _cleanup_free_ char *name = name_of(fs, at);
        _cleanup_free_ char *dir = path_parent(name);
        _cleanup_free_ char *watched = mask_deepest_dir(fs, dir);
        bool is_there = fs_stat(fs, name, false, st) == 0;
        char target[PATH_MAX];

        mask_rules_arm(walk->rules, name, wish->kind, wish->origin,
                       is_there && st->type != FS_LINK);
        mask_watch(walk->rules, watched);
        if (!is_there)
            return 0;
        if (st->type != FS_LINK) {
            *place = steal_ptr(&name);
            return 1;
        }
        *is_linked = true;
        if (fs->readlink(fs->ctx, name, target, sizeof(target)) < 0)
            return 0;
        free(at);
        at = path_join(dir, target);
    }
    return -ELOOP;
}

/* True if something is covered. */
static bool place(struct mask_walk *walk, const struct mask_wish *wish, const char *path)
{
    _cleanup_free_ char *found = NULL;
    struct fs_stat st = {0};
    bool is_linked;
    int r = chase(walk, wish, path, &found, &st, &is_linked);

    if (r == -ELOOP)
        notes_add(walk->notes, NOTE_SECURITY,
                  "%s: %s is a loop of links, there is nothing to cover", wish->origin, path);
    if (r <= 0)
        return r < 0;
    if (is_linked && st.type == FS_DIR && holds_the_jail(walk, found)) {
        notes_add(walk->notes, NOTE_SECURITY,
                  "%s is not applied: %s leads to %s, without which there is no jail", wish->origin,
                  path, found);
        return true;
    }
    add_found(walk, wish, found, &st, wish->is_own && !is_linked);
    return true;
}

void mask_place(struct mask_walk *walk, const struct mask_wish *wish, const char *path)
{
    if (!place(walk, wish, path) && !wish->is_own)
        mask_list_add(&walk->absent, wish->origin);
}

void mask_place_link(struct mask_walk *walk, const struct mask_wish *wish, const char *path)
{
    place(walk, wish, path);
}
