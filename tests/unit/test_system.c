// SPDX-License-Identifier: GPL-3.0-only
/*
 * The base of the plan: system directories, private directories and their sizes, covers, and what
 * a jail of root must not see.
 */
#include "policy/system.h"
#include "support/fakefs.h"
#include "support/test.h"

#include <errno.h>
#include <string.h>

struct world {
    struct fakefs *fakefs;
    struct host host;
    struct plan plan;
    struct notes notes;
};

static void world_init(struct world *world, const char *tree)
{
    *world = (struct world){.fakefs = fakefs_new(tree)};
    world->host = (struct host){
        .fs = fakefs_fs(world->fakefs),
        .uid = 1000,
        .home = xstrdup("/home/u"),
        .machine_id = xstrdup("x"),
        .ram_bytes = 4 * GIB,
        .bwrap.fd = -1,
    };
}

static void world_free(struct world *world)
{
    host_free(&world->host);
    plan_free(&world->plan);
    notes_free(&world->notes);
    fakefs_free(world->fakefs);
}

#define _cleanup_world_ CLEANUP(world_free)

static void build(struct world *world)
{
    system_add(&world->plan, &world->host, NETWORK_OFF, &world->notes);
    plan_finish(&world->plan, world->host.fs, &world->notes);
}

/* The last of the entries there: a cover, if there is one. */
static const struct plan_entry *find(const struct world *world, const char *dest)
{
    for (size_t i = world->plan.n; i > 0; i--)
        if (world->plan.v[i - 1].kind != PLAN_REMOUNT_RO && str_eq(world->plan.v[i - 1].dest, dest))
            return &world->plan.v[i - 1];
    return NULL;
}

static void check(const struct world *world, const char *dest, const char *want)
{
    const struct plan_entry *entry = find(world, dest);
    const char *found = entry ? plan_kind_name(entry->kind) : "none";

    if (entry && entry->kind == PLAN_SYMLINK)
        found = entry->target;
    if (strcmp(found, want) != 0)
        fail_msg("%s: %s instead of %s", dest, found, want);
}

/* ---- system directories ---- */

/* P-BW-8: the host's own link texts. */
static void merged_usr_gives_the_same_links(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world, "d /usr/bin\nl /bin usr/bin\nl /sbin /usr/sbin\nl /lib usr/lib\n"
                       "l /lib32 usr/lib32\nl /lib64 usr/lib64\nl /libx32 usr/libx32\nd /etc\n");
    build(&world);
    check(&world, "/usr", "ro");
    check(&world, "/bin", "usr/bin");
    check(&world, "/sbin", "/usr/sbin");
    check(&world, "/lib", "usr/lib");
    check(&world, "/lib32", "usr/lib32");
    check(&world, "/lib64", "usr/lib64");
    check(&world, "/libx32", "usr/libx32");
    check(&world, "/etc", "ro");
    assert_int_equal(world.notes.n, 0);
}

static void unmerged_usr_gives_binds_and_nothing_is_invented(void **state)
{
    static const char *const absent[] = {"/lib32", "/lib64", "/libx32", "/opt", "/sys",
                                         "/boot",  "/root",  "/home",   "/srv", "/mnt"};
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world, "d /usr/bin\nd /bin\nd /sbin\nd /lib\nd /etc\nd /boot\nd /root\n"
                       "d /home/u\nd /srv\nd /mnt\nf /lib32 0644 0 x\n");
    build(&world);
    check(&world, "/bin", "ro");
    check(&world, "/sbin", "ro");
    check(&world, "/lib", "ro");
    for (size_t i = 0; i < ARRAY_SIZE(absent); i++)
        check(&world, absent[i], "none");
    assert_int_equal(world.notes.n, 0);
}

static void private_directories(void **state)
{
    static const struct {
        const char *dest;
        const char *kind;
        unsigned mode;
    } rows[] = {
        {"/tmp", "tmpfs", 01777},     {"/run", "tmpfs", 0755},     {"/var", "tmpfs", 0755},
        {"/dev/shm", "tmpfs", 01777}, {"/run/lock", "dir", 01777}, {"/run/user/1000", "dir", 0700},
        {"/dev", "dev", 0},           {"/proc", "proc", 0},
    };
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world, "d /var/lib/dpkg\nd /var/lib/docker\nf /var/lib/xkb 0644 0 x\n");
    build(&world);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        check(&world, rows[i].dest, rows[i].kind);
        assert_int_equal(find(&world, rows[i].dest)->mode, rows[i].mode);
    }
    check(&world, "/var/run", "../run");
    check(&world, "/var/tmp", "../tmp");
    check(&world, "/var/lock", "../run/lock");
    check(&world, "/var/lib/dpkg", "ro");
    check(&world, "/var/lib/docker", "none");
    check(&world, "/var/lib/xkb", "none");
}

static void root_and_dev_become_read_only_at_the_end(void **state)
{
    _cleanup_world_ struct world world;
    size_t last = 0;

    (void)state;
    world_init(&world, "d /usr\n");
    build(&world);
    for (size_t i = 0; i < world.plan.n; i++)
        if (!plan_is_cover(world.plan.v[i].kind))
            last = i;
    assert_true(world.plan.v[last].kind == PLAN_REMOUNT_RO);
    assert_string_equal(world.plan.v[last].dest, "/");
    assert_true(world.plan.v[last - 1].kind == PLAN_REMOUNT_RO);
    assert_string_equal(world.plan.v[last - 1].dest, "/dev");
}

/* P-RL-3 */
static void every_tmpfs_has_a_size_that_fits_the_machine(void **state)
{
    static const struct {
        uint64_t ram;
        uint64_t tmp;
        uint64_t shm;
    } rows[] = {
        {0, 256 * MIB, 64 * MIB},          {128 * MIB, 256 * MIB, 64 * MIB},
        {512 * MIB, 256 * MIB, 128 * MIB}, {4 * GIB, GIB, GIB},
        {20 * GIB, 5 * GIB, 4 * GIB},      {512 * GIB, 8 * GIB, 4 * GIB},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_world_ struct world world;

        world_init(&world, NULL);
        world.host.ram_bytes = rows[i].ram;
        build(&world);
        assert_true(system_tmpfs_bytes(&world.host) == rows[i].tmp);
        assert_true(find(&world, "/tmp")->size_bytes == rows[i].tmp);
        assert_true(find(&world, "/dev/shm")->size_bytes == rows[i].shm);
        assert_true(find(&world, "/run")->size_bytes == 64 * MIB);
        assert_true(find(&world, "/var")->size_bytes == 64 * MIB);
        for (size_t j = 0; j < world.plan.n; j++)
            assert_true(world.plan.v[j].kind != PLAN_TMPFS || world.plan.v[j].size_bytes > 0);
    }
}

/* P-BW-1, P-BW-13 */
static void covers_of_proc_and_sys(void **state)
{
    static const char *const read_only[] = {"/proc/sys", "/proc/bus",  "/proc/fs",
                                            "/proc/irq", "/proc/mtrr", "/proc/sysrq-trigger"};
    static const char *const empty[] = {
        "/proc/acpi",        "/proc/allocinfo",     "/proc/kcore",        "/proc/keys",
        "/proc/key-users",   "/proc/kmsg",          "/proc/kpagecount",   "/proc/kpageflags",
        "/proc/kpagecgroup", "/proc/latency_stats", "/proc/pagetypeinfo", "/proc/sched_debug",
        "/proc/scsi",        "/proc/slabinfo",      "/proc/timer_list",   "/proc/timer_stats",
        "/proc/vmallocinfo", "/sys/firmware",       "/sys/kernel/debug",  "/sys/fs/bpf",
    };
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world, "d /sys/firmware\nd /sys/kernel/debug\nd /sys/fs/bpf\nd /sys/class\n");
    build(&world);
    for (size_t i = 0; i < ARRAY_SIZE(read_only); i++)
        check(&world, read_only[i], "protect");
    for (size_t i = 0; i < ARRAY_SIZE(empty); i++)
        check(&world, empty[i], "mask");
    check(&world, "/sys/kernel/security", "none");
    check(&world, "/sys/class", "none");
    check(&world, "/sys", "ro");
    assert_int_equal(world.notes.n, 0);
}

/* ---- Nix ---- */

static void store_is_shown_when_something_lies_in_it(void **state)
{
    static const struct {
        const char *tree;
        const char *path;
        const char *command;
        const char *bwrap;
        bool shown;
    } rows[] = {
        {"", "/usr/bin", "/usr/bin/bash", "/usr/bin/bwrap", false},
        {"", "/usr/bin:/nix/store/h-tool/bin", NULL, NULL, true},
        {"l /home/u/.nix-profile /nix/store/h-tool", "/home/u/.nix-profile/bin", NULL, NULL, true},
        {"", NULL, "/nix/store/h-tool/bin/x", NULL, true},
        {"", NULL, NULL, "/nix/store/h-tool/bin/x", true},
        {"l /etc/hosts /nix/store/h-tool/bin/x", NULL, NULL, NULL, true},
        {"l /etc/resolv.conf /nix/store/h-tool/bin/x", NULL, NULL, NULL, true},
        {"", "nix/store:", NULL, NULL, false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_world_ struct world world;

        world_init(&world,
                   "f /nix/store/h-tool/bin/x 0555 0 x\nd /nix/var/nix/profiles\n"
                   "d /nix/var/nix/daemon-socket\nl /run/current-system /nix/store/h-tool\n");
        fakefs_add(world.fakefs, rows[i].tree);
        if (rows[i].path)
            strv_pushf(&world.host.environ, "PATH=%s", rows[i].path);
        if (rows[i].bwrap)
            world.host.bwrap.path = xstrdup(rows[i].bwrap);
        system_add(&world.plan, &world.host, NETWORK_OFF, &world.notes);
        system_add_nix(&world.plan, &world.host, rows[i].command);
        plan_finish(&world.plan, world.host.fs, &world.notes);
        check(&world, "/nix/store", rows[i].shown ? "ro" : "none");
        check(&world, "/nix/var/nix/profiles", rows[i].shown ? "ro" : "none");
        check(&world, "/run/current-system", rows[i].shown ? "/nix/store/h-tool" : "none");
        check(&world, "/nix/var/nix/daemon-socket", "none");
    }
}

/* ---- started by root ---- */

static void check_root_mask(const char *tree, const char *path, const char *want)
{
    _cleanup_world_ struct world world;
    struct error error = {0};

    world_init(&world, tree);
    world.host.uid = 0;
    system_add(&world.plan, &world.host, NETWORK_OFF, &world.notes);
    assert_int_equal(system_mask_root_only(&world.plan, &world.host, &error), 0);
    plan_finish(&world.plan, world.host.fs, &world.notes);
    check(&world, path, want);
    if (world.notes.n)
        fail_msg("%s: %s", tree, world.notes.v[0].text);
}

/* P-BW-2 */
static void what_others_may_not_read_is_masked_for_root(void **state)
{
    static const struct {
        const char *tree;
        const char *path;
        const char *want;
    } rows[] = {
        {"f /etc/shadow 0640 0 x", "/etc/shadow", "mask"},
        {"f /etc/passwd 0644 0 x", "/etc/passwd", "none"},
        {"f /etc/odd 0002 0 x", "/etc/odd", "mask"},
        {"s /etc/socket 0600 0", "/etc/socket", "mask"},
        {"d /etc/private 0700 0", "/etc/private", "mask"},
        {"d /etc/private 0700 0\nf /etc/private/key 0644 0 x", "/etc/private/key", "none"},
        {"d /etc/listed 0744 0", "/etc/listed", "mask"},
        {"d /etc/pass 0711 0\nf /etc/pass/key 0600 0 x", "/etc/pass", "none"},
        {"d /etc/pass 0711 0\nf /etc/pass/key 0600 0 x", "/etc/pass/key", "mask"},
        {"d /etc/a/b/c\nf /etc/a/b/c/key 0600 0 x", "/etc/a/b/c/key", "mask"},
        {"f /etc/real 0600 0 x\nl /etc/link real", "/etc/link", "none"},
        {"d /srv/x\nf /srv/x/key 0600 0 x\nl /etc/link /srv/x", "/etc/link/key", "none"},
        {"f /opt/app/key 0600 0 x", "/opt/app/key", "mask"},
        {"d /opt 0750 0\nf /opt/app/file 0644 0 x", "/opt", "mask"},
        {"d /data\nf /data/key 0600 0 x\nl /opt /data", "/opt/key", "none"},
        /* our own file stands in front of it */
        {"f /etc/machine-id 0400 0 x", "/etc/machine-id", "data"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        check_root_mask(rows[i].tree, rows[i].path, rows[i].want);
}

/* A file system with one directory of very many files, and one of very many levels. */
struct endless {
    struct fs fs;
    const struct fs *real;
    unsigned names;
    bool deep;
};

static int endless_stat(void *ctx, const char *path, bool follow, struct fs_stat *out)
{
    const struct endless *endless = ctx;

    if (!str_starts(path, "/etc/"))
        return endless->real->stat(endless->real->ctx, path, follow, out);
    *out = (struct fs_stat){
        .type = endless->deep ? FS_DIR : FS_FILE, .mode = 0755, .dev = 1, .ino = 2};
    return 0;
}

static int endless_list(void *ctx, const char *path, int (*each)(void *arg, const char *name),
                        void *arg)
{
    const struct endless *endless = ctx;
    int r = 0;

    (void)path;
    for (unsigned i = 0; r == 0 && i < endless->names; i++)
        r = each(arg, "name");
    return r;
}

static void check_walk(unsigned names, bool deep, int want)
{
    _cleanup_world_ struct world world;
    struct endless endless = {.names = names, .deep = deep};
    struct error error = {0};

    world_init(&world, "d /etc\n");
    endless.real = world.host.fs;
    endless.fs = *world.host.fs;
    endless.fs.ctx = &endless;
    endless.fs.stat = endless_stat;
    endless.fs.list = endless_list;
    world.host.fs = &endless.fs;
    assert_int_equal(system_mask_root_only(&world.plan, &world.host, &error), want);
    assert_true(want == 0 || strstr(error.text, "/etc"));
}

static void walk_is_bounded(void **state)
{
    (void)state;
    check_walk(99000, false, 0);
    check_walk(100001, false, -E2BIG);
    check_walk(1, true, -E2BIG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merged_usr_gives_the_same_links),
        cmocka_unit_test(unmerged_usr_gives_binds_and_nothing_is_invented),
        cmocka_unit_test(private_directories),
        cmocka_unit_test(root_and_dev_become_read_only_at_the_end),
        cmocka_unit_test(every_tmpfs_has_a_size_that_fits_the_machine),
        cmocka_unit_test(covers_of_proc_and_sys),
        cmocka_unit_test(store_is_shown_when_something_lies_in_it),
        cmocka_unit_test(what_others_may_not_read_is_masked_for_root),
        cmocka_unit_test(walk_is_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
