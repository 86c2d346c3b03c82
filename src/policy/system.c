// SPDX-License-Identifier: GPL-3.0-only
/*
 * system: the base of the plan. Tables of destinations; what exists on the host is added.
 */
#include "policy/system.h"

#include "base/path.h"
#include "policy/generated.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ORIGIN "built-in"

uint64_t system_tmpfs_bytes(const struct host *host)
{
    uint64_t bytes = host->ram_bytes / 4;

    if (bytes < 256 * MIB)
        bytes = 256 * MIB;
    return bytes > 8 * GIB ? 8 * GIB : bytes;
}

static uint64_t shm_bytes(const struct host *host)
{
    uint64_t bytes = host->ram_bytes / 4;

    if (bytes < 64 * MIB)
        bytes = 64 * MIB;
    return bytes > 4 * GIB ? 4 * GIB : bytes;
}

static struct plan_entry *add_tmpfs(struct plan *plan, enum plan_group group, const char *dest,
                                    unsigned mode, uint64_t bytes)
{
    struct plan_entry *entry = plan_add(plan, group, PLAN_TMPFS, dest, ORIGIN);

    entry->mode = mode;
    entry->size_bytes = bytes;
    return entry;
}

static void add_symlink(struct plan *plan, const char *dest, const char *target)
{
    plan_add(plan, GROUP_BASE, PLAN_SYMLINK, dest, ORIGIN)->target = xstrdup(target);
}

/* A directory is bound, a link is made again with the host's own target. */
static void add_as_on_host(struct plan *plan, const struct fs *fs, const char *path)
{
    char target[4096];
    struct fs_stat st;

    if (fs_stat(fs, path, false, &st) < 0)
        return;
    if (st.type == FS_DIR)
        plan_add_bind(plan, fs, GROUP_BASE, PLAN_RO, path, path, ORIGIN);
    else if (st.type == FS_LINK && fs->readlink(fs->ctx, path, target, sizeof(target)) > 0)
        add_symlink(plan, path, target);
}

static void add_base(struct plan *plan, const struct host *host)
{
    static const char *const as_on_host[] = {
        "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/sys",
    };
    static const char *const var_lib[] = {
        "/var/lib/dpkg",        "/var/lib/texmf", "/var/lib/ghc",       "/var/lib/aspell",
        "/var/lib/ghostscript", "/var/lib/xkb",   "/var/lib/sgml-base", "/var/lib/xml-core",
    };
    char runtime[64];

    for (size_t i = 0; i < ARRAY_SIZE(as_on_host); i++)
        add_as_on_host(plan, host->fs, as_on_host[i]);
    plan_add(plan, GROUP_BASE, PLAN_DEV, "/dev", ORIGIN);
    plan_add(plan, GROUP_BASE, PLAN_PROC, "/proc", ORIGIN);
    add_tmpfs(plan, GROUP_BASE, "/tmp", 01777, system_tmpfs_bytes(host));
    add_tmpfs(plan, GROUP_BASE, "/run", 0755, 64 * MIB);
    plan_add(plan, GROUP_BASE, PLAN_DIR, "/run/lock", ORIGIN)->mode = 01777;
    snprintf(runtime, sizeof(runtime), "/run/user/%u", host->uid);
    plan_add(plan, GROUP_BASE, PLAN_DIR, runtime, ORIGIN)->mode = 0700;
    add_tmpfs(plan, GROUP_BASE, "/var", 0755, 64 * MIB);
    add_symlink(plan, "/var/run", "../run");
    add_symlink(plan, "/var/tmp", "../tmp");
    add_symlink(plan, "/var/lock", "../run/lock");
    for (size_t i = 0; i < ARRAY_SIZE(var_lib); i++)
        if (fs_is_dir(host->fs, var_lib[i]))
            plan_add_bind(plan, host->fs, GROUP_BASE, PLAN_RO, var_lib[i], var_lib[i], ORIGIN);
    add_tmpfs(plan, GROUP_DEVICES, "/dev/shm", 01777, shm_bytes(host));
    plan_add(plan, GROUP_OWN, PLAN_REMOUNT_RO, "/dev", ORIGIN);
    plan_add(plan, GROUP_OWN, PLAN_REMOUNT_RO, "/", ORIGIN);
}

static void add_covers(struct plan *plan, enum plan_group group, enum plan_kind kind,
                       const char *const *paths, size_t count, const struct fs *must_exist)
{
    for (size_t i = 0; i < count; i++)
        if (!must_exist || fs_exists(must_exist, paths[i]))
            plan_add(plan, group, kind, paths[i], ORIGIN)->optional = true;
}

static void add_masks(struct plan *plan, const struct host *host)
{
    static const char *const sys[] = {
        "/sys/firmware",       "/sys/kernel/security", "/sys/kernel/debug",
        "/sys/kernel/tracing", "/sys/fs/fuse",         "/sys/fs/bpf",
    };
    /* A jail started by root owns these files: without the cover it could write core_pattern. */
    static const char *const proc_read_only[] = {
        "/proc/sys", "/proc/bus", "/proc/fs", "/proc/irq", "/proc/mtrr", "/proc/sysrq-trigger",
    };
    static const char *const proc_empty[] = {
        "/proc/acpi",        "/proc/allocinfo",     "/proc/kcore",        "/proc/keys",
        "/proc/key-users",   "/proc/kmsg",          "/proc/kpagecount",   "/proc/kpageflags",
        "/proc/kpagecgroup", "/proc/latency_stats", "/proc/pagetypeinfo", "/proc/sched_debug",
        "/proc/scsi",        "/proc/slabinfo",      "/proc/timer_list",   "/proc/timer_stats",
        "/proc/vmallocinfo",
    };

    add_covers(plan, GROUP_SYS_MASKS, PLAN_COVER_EMPTY, sys, ARRAY_SIZE(sys), host->fs);
    add_covers(plan, GROUP_MASKS, PLAN_COVER_RO, proc_read_only, ARRAY_SIZE(proc_read_only), NULL);
    add_covers(plan, GROUP_MASKS, PLAN_COVER_EMPTY, proc_empty, ARRAY_SIZE(proc_empty), NULL);
}

void system_add(struct plan *plan, const struct host *host, enum network_mode network,
                struct notes *notes)
{
    add_base(plan, host);
    generated_add(plan, host, network, notes);
    add_masks(plan, host);
}

void system_add_lockdown(struct plan *plan, const struct host *host)
{
    static const char *const sys[] = {
        "/sys/module",
        "/sys/devices/virtual/dmi",
        "/sys/class/net",
    };

    add_covers(plan, GROUP_SYS_MASKS, PLAN_COVER_EMPTY, sys, ARRAY_SIZE(sys), host->fs);
}

/* ---- /var/tmp ---- */

static bool is_shown_below(const struct plan *plan, const char *dir)
{
    for (size_t i = 0; i < plan->n; i++)
        if (!plan_is_cover(plan->v[i].kind) && path_is_below(plan->v[i].dest, dir))
            return true;
    return false;
}

void system_settle(struct plan *plan, const struct host *host)
{
    static const char dir[] = "/var/tmp";

    if (!is_shown_below(plan, dir))
        return;
    for (size_t i = 0; i < plan->n; i++) {
        struct plan_entry *entry = &plan->v[i];

        if (entry->group != GROUP_BASE || entry->kind != PLAN_SYMLINK || !str_eq(entry->dest, dir))
            continue;
        entry->kind = PLAN_TMPFS;
        entry->mode = 01777;
        entry->size_bytes = system_tmpfs_bytes(host);
        free(steal_ptr(&entry->target));
    }
}

/* ---- Nix ---- */

static bool lies_in_store(const struct fs *fs, const char *path)
{
    _cleanup_free_ char *canonical = NULL;

    if (path[0] != '/' || fs_resolve(fs, path, &canonical, NULL, NULL) < 0)
        return false;
    return path_is_within(canonical, "/nix/store") || path_is_within(path, "/nix");
}

static bool needs_store(const struct host *host, const char *command_path)
{
    const char *search = host_getenv(host, "PATH");
    struct strv paths CLEANUP(strv_free) = {0};

    strv_push(&paths, "/etc/hosts");
    strv_push(&paths, "/etc/resolv.conf");
    if (command_path)
        strv_push(&paths, command_path);
    if (host->bwrap.path)
        strv_push(&paths, host->bwrap.path);
    if (search)
        strv_split(&paths, search, ':');
    for (size_t i = 0; i < paths.n; i++)
        if (lies_in_store(host->fs, paths.v[i]))
            return true;
    return false;
}

void system_add_nix(struct plan *plan, const struct host *host, const char *command_path)
{
    static const char *const dirs[] = {"/nix/store", "/nix/var/nix/profiles"};
    struct fs_stat st;

    if (!fs_is_dir(host->fs, "/nix/store") || !needs_store(host, command_path))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
        plan_add_bind(plan, host->fs, GROUP_BASE, PLAN_RO, dirs[i], dirs[i], ORIGIN);
    if (fs_stat(host->fs, "/run/current-system", false, &st) == 0 && st.type == FS_LINK)
        add_as_on_host(plan, host->fs, "/run/current-system");
}

/* ---- started by root ---- */

#define WALK_ENTRIES_MAX 100000
#define WALK_DEPTH_MAX   32

struct walk {
    struct plan *plan;
    const struct host *host;
    const char *dir;
    unsigned depth;
    unsigned *seen;
};

static int walk_entry(void *arg, const char *name, const struct fs_stat *st);

/* Our own file stands there: it hides nothing of the host. */
static bool is_generated(const struct plan *plan, const char *path)
{
    struct plan_view view = plan_look(plan, path);

    free(view.host_path);
    return view.entry && view.entry->kind == PLAN_DATA;
}

static int walk_dir(const struct walk *walk, const char *path)
{
    struct walk inner = *walk;
    int r;

    inner.dir = path;
    inner.depth++;
    if (inner.depth > WALK_DEPTH_MAX)
        return -E2BIG;
    r = fs_look(walk->host->fs, path, walk_entry, &inner);
    return r == -E2BIG ? r : 0;
}

/* Nearly all entries are readable files: for them no path is made. */
static int walk_entry(void *arg, const char *name, const struct fs_stat *st)
{
    const struct walk *walk = arg;
    _cleanup_free_ char *path = NULL;

    if (++*walk->seen > WALK_ENTRIES_MAX)
        return -E2BIG;
    if (st->type == FS_LINK || (st->type != FS_DIR && (st->mode & 0004)))
        return 0;
    path = path_join(walk->dir, name);
    if (st->type == FS_DIR && (st->mode & 0001))
        return walk_dir(walk, path);
    if (!is_generated(walk->plan, path))
        plan_add(walk->plan, GROUP_MASKS, PLAN_COVER_EMPTY, path, "started by root")->st = *st;
    return 0;
}

int system_mask_root_only(struct plan *plan, const struct host *host, struct error *error)
{
    const char *const roots[] = {host->macos.is_on ? "/private/etc" : "/etc", "/opt"};
    unsigned seen = 0;

    for (size_t i = 0; i < ARRAY_SIZE(roots); i++) {
        struct walk walk = {.plan = plan, .host = host, .dir = "/", .seen = &seen};
        struct fs_stat st;

        if (fs_stat(host->fs, roots[i], false, &st) == 0 &&
            walk_entry(&walk, roots[i] + 1, &st) == -E2BIG)
            return error_set(error, E2BIG,
                             "%s has too many entries to find the files that only root may read; "
                             "start ai-jail as an ordinary user",
                             roots[i]);
    }
    return 0;
}
