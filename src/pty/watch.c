// SPDX-License-Identifier: GPL-3.0-only
/*
 * watch: covers what appears while the jail runs.
 *
 * Arming goes over the directories that the rules name and everything the rules lead on to, and
 * remembers what is there without being covered by the plan. It happens outside, while bubblewrap
 * starts: the instance and the watches are taken before the jail could take them all. Entering opens
 * the destinations of the plan inside and covers what was remembered.
 *
 * Afterwards the process sleeps. It wakes up by the clock only while something is in motion, a new
 * repository is not quiet yet, or a directory could not be watched, which is then looked at every
 * second.
 */
#include "pty/watch.h"

#include "base/path.h"
#include "pty/mounter_event.h"
#include "pty/watch_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define EVENTS_SIZE 65536
#define READS_MAX   16   /* before anything else gets its turn */
#define AGAIN_MS    3    /* until what was in motion is tried again */
#define ORPHAN_MS   50   /* until a directory is taken to be gone */
#define GIT_MS      250  /* how often a new repository is asked whether it is quiet */
#define RESCAN_MS   1000 /* how often a directory without a watch is looked at */

uint64_t watch_now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

struct watch_ref watch_ref(const struct watch *watch, uint32_t id)
{
    return (struct watch_ref){id, watch->tree.v[id].generation};
}

uint32_t watch_deref(const struct watch *watch, struct watch_ref ref)
{
    const struct watch_node *node = &watch->tree.v[ref.id];

    return node->name && node->generation == ref.generation ? ref.id : WATCH_NODE_NONE;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; text && *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3ULL;
    return hash;
}

/* True the first time. When the memory is full nothing is new any more. */
static bool is_new(struct watch *watch, uint32_t type, const char *path, const char *origin)
{
    uint64_t hash = hash_text(hash_text(watch->tree.seed ^ type, path) * 31, origin) | 1;
    size_t at = (size_t)(hash >> 32) & (WATCH_SAID_MAX - 1);

    while (watch->said[at] && watch->said[at] != hash)
        at = (at + 1) & (WATCH_SAID_MAX - 1);
    if (watch->said[at])
        return false;
    if (watch->said_n >= WATCH_SAID_MAX / 4 * 3) {
        watch->options.counts->unsaid++;
        return false;
    }
    watch->said[at] = hash;
    watch->said_n++;
    return true;
}

void watch_say(struct watch *watch, uint32_t type, int kind, int code, const char *path,
               const char *origin)
{
    struct mounter_event event = {.type = type, .kind = kind, .code = code};

    if (watch->is_silent || !is_new(watch, type, path, origin))
        return;
    if (watch->events_n >= WATCH_EVENTS_MAX ||
        !mounter_event_send(watch->options.socket, &event, path, origin))
        watch->options.counts->unsaid++;
    watch->events_n++;
}

void watch_fail(struct watch *watch, int code, const char *path)
{
    struct mounter_event event = {.type = MOUNTER_EVENT_FAILED, .code = code};

    if (watch->fatal)
        return;
    watch->fatal = -code;
    if (!watch->is_silent)
        mounter_event_send(watch->options.socket, &event, path, NULL);
}

/* ---- arming ---- */

/* The directory that a bind shows and that contains the path; the outermost one, so that a directory
 * has one node. */
static const char *find_source(const struct plan *plan, const char *path)
{
    const char *best = NULL;

    for (size_t i = 0; i < plan->n; i++) {
        const struct plan_entry *entry = &plan->v[i];

        if (entry->source && plan_is_bind(entry->kind) && entry->st.type == FS_DIR &&
            path_is_within(path, entry->source) && (!best || strlen(entry->source) < strlen(best)))
            best = entry->source;
    }
    return best;
}

static uint32_t find_root(struct watch *watch, const char *path)
{
    struct watch_root *root;
    struct stat st;
    uint32_t id;
    int fd;

    for (size_t i = 0; i < watch->root_count; i++)
        if (strcmp(watch->tree.v[watch->roots[i].node].name, path) == 0)
            return watch->roots[i].node;
    fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) < 0 || fchdir(fd) < 0) {
        if (fd >= 0)
            close(fd);
        return WATCH_NODE_NONE;
    }
    id = watch_tree_add_root(&watch->tree, path);
    watch->roots = xrealloc(watch->roots, watch->root_count + 1, sizeof(*watch->roots));
    root = &watch->roots[watch->root_count++];
    *root = (struct watch_root){id, fd};
    watch->tree.v[id].dev = st.st_dev;
    watch->tree.v[id].ino = st.st_ino;
    watch_start(watch, id, fd);
    return id;
}

/* Watches a directory and all above it up to what the jail is shown: each may be moved away. */
static void arm_dir(struct watch *watch, const char *path)
{
    const char *source = find_source(watch->options.plan, path);
    uint32_t id = source ? find_root(watch, source) : WATCH_NODE_NONE;
    char name[NAME_MAX + 1];

    for (const char *rest = source ? path_rest(path, source) : "";
         id != WATCH_NODE_NONE && *rest;) {
        size_t len = strcspn(rest, "/");

        if (len > NAME_MAX)
            return;
        memcpy(name, rest, len);
        name[len] = '\0';
        id = watch_add_dir(watch, id, name, 0);
        rest += len + (rest[len] == '/');
    }
}

static void note_planned(struct watch *watch)
{
    const struct plan *plan = watch->options.plan;

    for (size_t i = 0; i < plan->n; i++)
        if (plan_is_cover(plan->v[i].kind))
            *path_table_put(&watch->planned, plan->v[i].dest) = 1;
}

/* A descriptor for each root and each destination. */
static void raise_descriptors(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

int watch_arm(struct watch **result, const struct watch_options *options)
{
    struct watch *watch = xcalloc(1, sizeof(*watch));
    const struct strv *dirs = mask_rules_watched(options->rules);

    *result = watch;
    watch->options = *options;
    watch->is_silent = true;
    watch->set = COVER_SET_NONE;
    watch_tree_init(&watch->tree);
    raise_descriptors();
    watch->host_root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    watch->inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (watch->inotify < 0 || watch->host_root < 0)
        return -errno;
    note_planned(watch);
    for (size_t i = 0; i < dirs->n && !watch->fatal; i++) {
        arm_dir(watch, dirs->v[i]);
        watch_run_queue(watch);
    }
    path_table_free(&watch->planned);
    if (fchdir(watch->host_root) < 0)
        return -errno;
    if (watch->no_watch_code)
        return -watch->no_watch_code;
    return watch->fatal;
}

/* ---- entering ---- */

static bool is_related(const struct watch *watch, const char *source)
{
    for (size_t i = 0; i < watch->root_count; i++) {
        const char *root = watch->tree.v[watch->roots[i].node].name;

        if (path_is_within(source, root) || path_is_within(root, source))
            return true;
    }
    return false;
}

static int open_view(struct watch *watch, const struct plan_entry *entry)
{
    struct watch_view *view;
    int fd = open(entry->dest, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (fd < 0)
        return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
    watch->views = xrealloc(watch->views, watch->view_count + 1, sizeof(*watch->views));
    view = &watch->views[watch->view_count++];
    *view = (struct watch_view){entry->dest, fd, entry->kind == PLAN_OVERLAY};
    return 0;
}

int watch_enter(struct watch *watch, const struct cover_set *set)
{
    const struct plan *plan = watch->options.plan;
    int r = 0;

    watch->set = *set;
    for (size_t i = 0; i < plan->n && r == 0; i++) {
        const struct plan_entry *entry = &plan->v[i];

        if (entry->source && plan_is_bind(entry->kind) && entry->st.type == FS_DIR &&
            is_related(watch, entry->source))
            r = open_view(watch, entry);
    }
    watch->is_inside = true;
    if (r == 0) {
        watch_try_again(watch);
        r = watch->fatal;
    }
    if (r == 0 && fchdir(watch->host_root) < 0)
        r = -errno;
    watch->is_silent = false;
    return r;
}

/* ---- running ---- */

int watch_fd(const struct watch *watch)
{
    return watch->inotify;
}

int watch_timeout_ms(const struct watch *watch)
{
    uint64_t now = watch_now_ms();

    if (watch->again_n > 0 || watch->has_late)
        return AGAIN_MS;
    if (watch->orphan_n > 0)
        return ORPHAN_MS;
    if (watch_git_waits(watch))
        return GIT_MS;
    if (watch->has_unwatched)
        return watch->rescan_at_ms > now ? (int)(watch->rescan_at_ms - now) : 0;
    return -1;
}

/* What cannot be watched is looked at, and asked again whether it can. */
static void rescan(struct watch *watch)
{
    uint64_t now = watch_now_ms();

    if (!watch->has_unwatched || now < watch->rescan_at_ms)
        return;
    watch->has_unwatched = false;
    for (uint32_t id = 0; id < watch->tree.n; id++) {
        struct watch_node *node = &watch->tree.v[id];

        if (!node->name || !(node->flags & WATCH_FLAG_UNWATCHED))
            continue;
        if (node->parent != WATCH_NODE_NONE)
            watch_add_dir(watch, node->parent, node->name, 0);
        else
            watch_queue(watch, id);
        watch->has_unwatched |= (watch->tree.v[id].flags & WATCH_FLAG_UNWATCHED) != 0;
    }
    watch_run_queue(watch);
    watch->rescan_at_ms = watch_now_ms() + RESCAN_MS;
}

int watch_step(struct watch *watch)
{
    static _Alignas(struct inotify_event) char events[EVENTS_SIZE];
    ssize_t n = 0;

    for (int i = 0; i < READS_MAX && !watch->fatal; i++) {
        n = read(watch->inotify, events, sizeof(events));
        if (n <= 0)
            break;
        watch_handle(watch, events, (size_t)n);
    }
    if (n < 0 && errno != EAGAIN && errno != EINTR)
        watch_fail(watch, errno, NULL);
    watch_try_again(watch);
    watch_drop_orphans(watch, watch_now_ms() - ORPHAN_MS);
    watch_git_step(watch);
    rescan(watch);
    if (fchdir(watch->host_root) < 0)
        watch_fail(watch, errno, NULL);
    return watch->fatal;
}
