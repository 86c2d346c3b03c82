// SPDX-License-Identifier: GPL-3.0-only
/*
 * watch_event: what an event of a watched directory means.
 *
 * An event is a hint, never a fact: by the time it is read everything may be different again. So what
 * is done about it looks at the file system as it is, and only the tree of names follows the events,
 * which come in the order of what has happened.
 *
 * A directory that is moved takes its covers with it, and its node: what is covered in it stays a name
 * to be covered again, under its new path. The event tells of the new place only after the old one;
 * in between the node is an orphan.
 */
#include "pty/watch_parts.h"

#include "pty/mounter_event.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

static bool path_of(const struct watch *watch, uint32_t id, const char *name, char *path)
{
    return watch_tree_path(&watch->tree, id, name, false, path, PATH_MAX, NULL) != WATCH_NODE_NONE;
}

/* ---- directories that move ---- */

static void forget_orphan(struct watch *watch, size_t index)
{
    free(watch->orphans[index].old_path);
    watch->orphans[index] = watch->orphans[--watch->orphan_n];
}

static bool holds_covers(const struct watch *watch, uint32_t top)
{
    for (uint32_t id = top; id != WATCH_NODE_NONE; id = watch_tree_next(&watch->tree, top, id))
        if (watch->tree.v[id].flags & WATCH_FLAG_HOLDS)
            return true;
    return false;
}

/* It is where nothing is watched. What is covered in it stays covered as long as it is not replaced
 * there. */
static void give_up(struct watch *watch, size_t index)
{
    struct watch_orphan *orphan = &watch->orphans[index];
    uint32_t id = watch_deref(watch, orphan->dir);

    if (id != WATCH_NODE_NONE && (watch->tree.v[id].flags & WATCH_FLAG_ORPHAN)) {
        if (holds_covers(watch, id))
            watch_say(watch, MOUNTER_EVENT_MOVED, 0, 0, orphan->old_path, NULL);
        watch_remove_dir(watch, id);
    }
    forget_orphan(watch, index);
}

void watch_drop_orphans(struct watch *watch, uint64_t before_ms)
{
    for (size_t i = watch->orphan_n; i-- > 0;)
        if (watch->orphans[i].since_ms <= before_ms)
            give_up(watch, i);
}

static void moved_away(struct watch *watch, uint32_t parent, const char *name, const char *path,
                       uint32_t cookie)
{
    struct mask_verdict verdict = watch_find(watch, parent, name, path);
    uint32_t id = watch_tree_child(&watch->tree, parent, name);

    if (verdict.kind != PLAN_KIND_COUNT) {
        watch->moved_name.cookie = cookie;
        watch->moved_name.verdict = verdict;
        watch_tree_unstick(&watch->tree, parent, name);
    }
    if (id == WATCH_NODE_NONE)
        return;
    if (watch->orphan_n == WATCH_ORPHANS_MAX)
        give_up(watch, 0);
    watch_tree_detach(&watch->tree, id);
    watch->orphans[watch->orphan_n++] = (struct watch_orphan){
        .dir = watch_ref(watch, id),
        .old_path = xstrdup(path),
        .cookie = cookie,
        .since_ms = watch_now_ms(),
    };
}

/* The names in one directory that a rule covered under the old path stick to the directory. */
static void stick_names(struct watch *watch, uint32_t id, const char *old_path)
{
    int fd = watch_open_dir(watch, id, O_RDONLY);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    char path[PATH_MAX];

    if (!dir && fd >= 0)
        close(fd);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        struct mask_verdict verdict;

        if (snprintf(path, sizeof(path), "%s/%s", old_path, entry->d_name) >= PATH_MAX)
            continue;
        verdict = mask_rules_find(watch->options.rules, path);
        if (verdict.kind != PLAN_KIND_COUNT)
            watch_tree_stick(&watch->tree, id, entry->d_name, verdict.kind, verdict.origin);
    }
    if (dir)
        closedir(dir);
}

void watch_carry(struct watch *watch, uint32_t top, const char *old_path, const char *new_path)
{
    if (!holds_covers(watch, top) || strcmp(old_path, new_path) == 0)
        return;
    watch_say(watch, MOUNTER_EVENT_MOVED, 0, 0, old_path, new_path);
    for (uint32_t id = top; id != WATCH_NODE_NONE; id = watch_tree_next(&watch->tree, top, id)) {
        char now[PATH_MAX], before[2 * PATH_MAX];

        if (!(watch->tree.v[id].flags & WATCH_FLAG_HOLDS) || !path_of(watch, id, NULL, now))
            continue;
        snprintf(before, sizeof(before), "%s%s", old_path, now + strlen(new_path));
        stick_names(watch, id, before);
    }
}

/* Under the new path other rules may apply. */
static void queue_all(struct watch *watch, uint32_t top)
{
    for (uint32_t id = top; id != WATCH_NODE_NONE; id = watch_tree_next(&watch->tree, top, id))
        watch_queue(watch, id);
}

static void moved_here(struct watch *watch, uint32_t parent, const char *name, const char *path,
                       uint32_t cookie)
{
    size_t i = 0;
    uint32_t id, there;

    if (watch->moved_name.cookie == cookie) {
        watch_tree_stick(&watch->tree, parent, name, watch->moved_name.verdict.kind,
                         watch->moved_name.verdict.origin);
        watch->moved_name.cookie = 0;
    }
    while (i < watch->orphan_n && watch->orphans[i].cookie != cookie)
        i++;
    if (i == watch->orphan_n)
        return;
    id = watch_deref(watch, watch->orphans[i].dir);
    /* It may have been found at its new place already. */
    if (id != WATCH_NODE_NONE && (watch->tree.v[id].flags & WATCH_FLAG_ORPHAN)) {
        there = watch_tree_child(&watch->tree, parent, name);
        if (there != WATCH_NODE_NONE)
            watch_remove_dir(watch, there);
        watch_tree_attach(&watch->tree, id, parent, name);
        watch_carry(watch, id, watch->orphans[i].old_path, path);
        queue_all(watch, id);
    }
    forget_orphan(watch, i);
}

/* ---- events ---- */

static void lost_events(struct watch *watch)
{
    watch_say(watch, MOUNTER_EVENT_OVERFLOW, 0, 0, "", NULL);
    watch_drop_orphans(watch, UINT64_MAX);
    for (uint32_t id = 0; id < watch->tree.n; id++)
        if (watch->tree.v[id].name)
            watch_queue(watch, id);
}

/* git makes this file before it finds out that it cannot replace the configuration: it is all that
 * such an attempt leaves behind. */
static void notice_git_config(struct watch *watch, const char *path)
{
    static const char suffix[] = "/config.lock";
    size_t len = strlen(path);
    char config[PATH_MAX];

    if (len < sizeof(suffix) || strcmp(path + len - (sizeof(suffix) - 1), suffix) != 0)
        return;
    memcpy(config, path, len);
    config[len - strlen(".lock")] = '\0';
    if (mask_rules_find(watch->options.rules, config).kind == PLAN_COVER_RO)
        watch_say(watch, MOUNTER_EVENT_GIT_CONFIG, PLAN_COVER_RO, 0, config, NULL);
}

static void on_name(struct watch *watch, uint32_t id, const struct inotify_event *event)
{
    bool is_dir = event->mask & IN_ISDIR;
    char path[PATH_MAX];

    if (!path_of(watch, id, event->name, path))
        return;
    if (event->mask & IN_MOVED_FROM)
        moved_away(watch, id, event->name, path, event->cookie);
    if (event->mask & IN_MOVED_TO)
        moved_here(watch, id, event->name, path, event->cookie);
    if (event->mask & IN_DELETE)
        watch_tree_unstick(&watch->tree, id, event->name);
    if (event->mask & IN_CREATE)
        notice_git_config(watch, path);
    if (event->mask & (IN_CREATE | IN_MOVED_TO)) {
        watch_check_name(watch, id, event->name, path);
        if (is_dir)
            watch_consider_dir(watch, id, event->name, path, true);
    }
    if ((event->mask & IN_ATTRIB) && is_dir)
        watch_consider_dir(watch, id, event->name, path, false);
}

static void on_event(struct watch *watch, const struct inotify_event *event)
{
    uint32_t id = watch_tree_by_wd(&watch->tree, event->wd);

    if (event->mask & IN_Q_OVERFLOW) {
        lost_events(watch);
        return;
    }
    if (id == WATCH_NODE_NONE)
        return;
    if (event->mask & IN_IGNORED) { /* removed */
        watch_tree_set_wd(&watch->tree, id, -1);
        watch->watch_count--;
        if (watch->tree.v[id].parent != WATCH_NODE_NONE ||
            (watch->tree.v[id].flags & WATCH_FLAG_ORPHAN))
            watch_remove_dir(watch, id);
        return;
    }
    if (watch->tree.v[id].flags & WATCH_FLAG_CANDIDATE)
        watch_git_found(watch, id);
    if (event->len > 0)
        on_name(watch, id, event);
    else if (event->mask & IN_ATTRIB)
        watch_queue(watch, id);
}

void watch_handle(struct watch *watch, const char *events, size_t size)
{
    for (size_t at = 0; at < size && !watch->fatal;) {
        struct inotify_event event;

        memcpy(&event, events + at, sizeof(event));
        on_event(watch, (const struct inotify_event *)(const void *)(events + at));
        at += sizeof(event) + event.len;
    }
    /* Once for all of them: a directory that is moved to and fro is looked at once. */
    watch_run_queue(watch);
}
