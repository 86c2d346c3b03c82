// SPDX-License-Identifier: GPL-3.0-only
/*
 * view: what a path means inside the jail.
 *
 * The walk keeps a canonical part that is done and the rest that is not. Each step asks the plan for
 * the deepest entry at or above the next place: a bind is looked at on the host, anything else
 * exists exactly where the plan has an entry at or below it.
 */
#include "policy/view.h"

#include "base/path.h"

#include <stdlib.h>
#include <string.h>

#define LINKS_MAX  40 /* as in the kernel, path_resolution(7) */
#define TARGET_MAX 4096

/* True if the plan makes a directory at path because something lies below it. */
static bool is_on_the_way(const struct plan *plan, const char *path)
{
    for (size_t i = 0; i < plan->n; i++)
        if (!plan_is_cover(plan->v[i].kind) && path_is_within(plan->v[i].dest, path))
            return true;
    return false;
}

static void look_at_bind(struct view *view, const struct fs *fs, char *host_path)
{
    view->host_path = host_path;
    view->kind = fs_stat(fs, host_path, false, &view->st) < 0 ? VIEW_ABSENT : VIEW_BIND;
    view->writable = view->entry->kind != PLAN_RO && view->entry->kind != PLAN_COVER_RO;
}

/* What stands at path, a link not followed. */
static void look(struct view *view, const struct plan *plan, const struct fs *fs, const char *path)
{
    struct plan_view at = plan_look(plan, path);
    bool is_exact = at.entry && str_eq(at.entry->dest, path);

    free(view->host_path);
    free(view->path);
    *view = (struct view){.kind = VIEW_ABSENT, .path = xstrdup(path), .entry = at.entry};
    if (at.entry && at.entry->kind == PLAN_COVER_DENY) {
        view->kind = VIEW_DENIED;
    } else if (at.entry && at.entry->kind == PLAN_COVER_EMPTY) {
        view->kind = is_exact ? VIEW_MASKED : VIEW_ABSENT;
    } else if (at.host_path) {
        look_at_bind(view, fs, steal_ptr(&at.host_path));
    } else if (is_exact || is_on_the_way(plan, path) ||
               (at.entry && (at.entry->kind == PLAN_PROC || at.entry->kind == PLAN_DEV))) {
        view->kind = VIEW_PRIVATE;
        view->writable = at.entry && at.entry->kind == PLAN_TMPFS;
    }
    free(at.host_path);
}

/* Target of the link that stands there; -1 if it is none. */
static ssize_t read_link(const struct view *view, const struct fs *fs, char *target)
{
    const struct plan_entry *entry = view->entry;

    if (view->kind == VIEW_PRIVATE && entry && entry->kind == PLAN_SYMLINK &&
        str_eq(entry->dest, view->path) && strlen(entry->target) < TARGET_MAX) {
        memcpy(target, entry->target, strlen(entry->target) + 1);
        return (ssize_t)strlen(target);
    }
    if (view->kind != VIEW_BIND || view->st.type != FS_LINK)
        return -1;
    return fs->readlink(fs->ctx, view->host_path, target, TARGET_MAX);
}

static char *take_component(char **todo)
{
    size_t skip = strspn(*todo, "/");
    size_t len = strcspn(*todo + skip, "/");
    char *name = xstrndup(*todo + skip, len);

    memmove(*todo, *todo + skip + len, strlen(*todo + skip + len) + 1);
    return name;
}

static void go_up(struct view *view, const struct plan *plan, const struct fs *fs)
{
    _cleanup_free_ char *parent = path_parent(view->path);

    look(view, plan, fs, parent);
}

void view_of(struct view *view, const struct plan *plan, const struct fs *fs, const char *path)
{
    _cleanup_free_ char *todo = xstrdup(path);
    unsigned links = 0;

    assert(path[0] == '/');
    *view = (struct view){0};
    look(view, plan, fs, "/");
    for (;;) {
        _cleanup_free_ char *name = take_component(&todo);
        _cleanup_free_ char *next = path_join(view->path, name[0] ? name : ".");
        _cleanup_free_ char *joined = NULL;
        char target[TARGET_MAX];

        if (!name[0] || (view->kind != VIEW_PRIVATE && view->kind != VIEW_BIND))
            break;
        if (str_eq(name, "."))
            continue;
        if (str_eq(name, "..")) {
            go_up(view, plan, fs);
            continue;
        }
        look(view, plan, fs, next);
        if (read_link(view, fs, target) < 0)
            continue;
        if (++links > LINKS_MAX) {
            view->kind = VIEW_ABSENT;
            view->is_loop = true;
            break;
        }
        joined = xasprintf("%s%s", target, todo);
        free(todo);
        todo = steal_ptr(&joined);
        if (target[0] == '/')
            look(view, plan, fs, "/");
        else
            go_up(view, plan, fs);
    }
}

void view_free(struct view *view)
{
    free(view->path);
    free(view->host_path);
    *view = (struct view){0};
}
