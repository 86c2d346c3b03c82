// SPDX-License-Identifier: GPL-3.0-only
/*
 * Which directories may be a project (P-PLAN-1).
 */
#include "policy/command.h"
#include "policy/project.h"
#include "policy/secrets.h"
#include "support/fakefs.h"
#include "support/test.h"

#include <errno.h>
#include <string.h>

static const char tree[] = "d /home/u/src/app\n"
                           "d /home/u/.local/state/ai-jail/x\n"
                           "d /home/u/.local/share/ai-jail\n"
                           "d /home/u/.config/app\n"
                           "d /srv/app\n"
                           "d /usr/share/app\n"
                           "l /bin usr/bin\n"
                           "d /run/user/1000/app\n";

struct world {
    struct fakefs *fakefs;
    struct host host;
};

static void world_init(struct world *world)
{
    *world = (struct world){.fakefs = fakefs_new(tree)};
    world->host = (struct host){
        .fs = fakefs_fs(world->fakefs),
        .uid = 1000,
        .home = xstrdup("/home/u"),
        .home_spelling = xstrdup("/home/u"),
        .bwrap.fd = -1,
    };
}

static void world_free(struct world *world)
{
    host_free(&world->host);
    fakefs_free(world->fakefs);
}

#define _cleanup_world_ CLEANUP(world_free)

enum answer { ALLOWED, LIFTABLE, NEVER };

/* Makes the directory if it is not there, and asks with and without --allow-broad-project. */
static void check(struct world *world, const char *dir, enum answer want)
{
    struct error error = {0};
    struct fs_stat st;
    int plain;
    int broad;

    if (fs_stat(world->host.fs, dir, false, &st) < 0)
        fakefs_addf(world->fakefs, "d %s", dir);
    free(world->host.cwd);
    world->host.cwd = xstrdup(dir);
    plain = project_check(&world->host, false, &error);
    if (plain != (want == ALLOWED ? 0 : -EPERM))
        fail_msg("%s: %d", dir, plain);
    if (plain < 0) {
        assert_int_equal(error.code, EPERM);
        assert_non_null(strstr(error.text, dir));
        assert_true(!strstr(error.text, "--allow-broad-project") == (want == NEVER));
    }
    broad = project_check(&world->host, true, &error);
    if (broad != (want == NEVER ? -EPERM : 0))
        fail_msg("%s with --allow-broad-project: %d", dir, broad);
}

static void ordinary_directories_are_allowed(void **state)
{
    static const char *const dirs[] = {
        "/home/u/src/app", "/home/u/src",  "/home/v/src",         "/srv/app",
        "/opt/app",        "/tmp/app",     "/var/tmp/app",        "/var/lib/app",
        "/mnt/disk",       "/media/u/usb", "/run/user/1000/app",  "/home/user",
        "/home/u/.config", "/nix/app",     "/home/u/.config/app", "/home/u/.sshx",
        "/usrx",           "/home/u/.ss",  "/home/u/.local",      "/home/u/.local/state",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
        _cleanup_world_ struct world world;

        world_init(&world);
        check(&world, dirs[i], ALLOWED);
    }
}

static void broad_directories_are_refused_exactly(void **state)
{
    static const char *const dirs[] = {
        "/",    "/home", "/home/u",   "/root",          "/tmp", "/var",   "/var/tmp", "/run",
        "/opt", "/srv",  "/run/user", "/run/user/1000", "/mnt", "/media", "/nix",     "/snap",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
        _cleanup_world_ struct world world;

        world_init(&world);
        check(&world, dirs[i], LIFTABLE);
    }
}

static void system_directories_are_refused_with_all_below(void **state)
{
    static const char *const dirs[] = {
        "/usr",  "/etc",  "/sbin", "/lib", "/lib32",     "/lib64",
        "/boot", "/proc", "/sys",  "/dev", "/nix/store", "/libx32",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
        _cleanup_world_ struct world world;
        _cleanup_free_ char *deeper = xasprintf("%s/deep/er", dirs[i]);

        world_init(&world);
        check(&world, dirs[i], str_eq(dirs[i], "/proc") ? NEVER : LIFTABLE);
        check(&world, deeper, str_eq(dirs[i], "/proc") ? NEVER : LIFTABLE);
    }
}

static void every_directory_above_home_is_refused(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world);
    free(world.host.home);
    world.host.home = xstrdup("/data/people/u");
    fakefs_addf(world.fakefs, "d /data/people/u/src");
    check(&world, "/data/people/u/src", ALLOWED);
    check(&world, "/data/people/u", LIFTABLE);
    check(&world, "/data/people", LIFTABLE);
    check(&world, "/data", LIFTABLE);
    check(&world, "/data/other", ALLOWED);
}

static void make_same(struct world *world, const char *name, const char *as)
{
    struct fs_stat st = *fakefs_node(world->fakefs, as);

    fakefs_addf(world->fakefs, "d %s", name);
    fakefs_node(world->fakefs, name)->dev = st.dev;
    fakefs_node(world->fakefs, name)->ino = st.ino;
}

/* A bind mount shows the same directory under another name. */
static void other_names_of_the_same_directory_are_refused(void **state)
{
    static const struct {
        const char *as;
        const char *below;
        enum answer exact;
        enum answer deeper;
    } rows[] = {
        {"/home/u", "x", LIFTABLE, ALLOWED}, {"/home", "x", LIFTABLE, ALLOWED},
        {"/", "x", LIFTABLE, ALLOWED},       {"/srv", "x", LIFTABLE, ALLOWED},
        {"/usr", "x", LIFTABLE, LIFTABLE},   {"/home/u/.ssh", "x", NEVER, NEVER},
        {"/etc", "x", LIFTABLE, LIFTABLE},   {"/home/u/.local/state/ai-jail", "x", NEVER, NEVER},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_world_ struct world world;
        _cleanup_free_ char *deeper = xasprintf("/elsewhere/%s", rows[i].below);

        world_init(&world);
        fakefs_addf(world.fakefs, "d /home/u/.ssh");
        fakefs_addf(world.fakefs, "d /etc");
        make_same(&world, "/elsewhere", rows[i].as);
        check(&world, "/elsewhere", rows[i].exact);
        check(&world, deeper, rows[i].deeper);
    }
}

static void secrets_are_never_a_project(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world);
    for (size_t i = 0; secret_dotdirs[i]; i++) {
        _cleanup_free_ char *dir = xasprintf("/home/u/%s", secret_dotdirs[i]);
        _cleanup_free_ char *deeper = xasprintf("/home/u/%s/x/y", secret_dotdirs[i]);

        check(&world, dir, NEVER);
        check(&world, deeper, NEVER);
    }
}

/* P-HOME-5: the canonical path of the working directory does not tell that it is ~/.ssh. */
static void secret_that_is_a_link_is_recognised_by_its_target(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world);
    fakefs_addf(world.fakefs, "d /srv/keys/sub");
    fakefs_addf(world.fakefs, "l /home/u/.ssh /srv/keys");
    check(&world, "/srv/keys", NEVER);
    check(&world, "/srv/keys/sub", NEVER);
    check(&world, "/srv/app", ALLOWED);
}

static void own_directories_are_never_a_project(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world);
    check(&world, "/home/u/.local/state/ai-jail", NEVER);
    check(&world, "/home/u/.local/state/ai-jail/x", NEVER);
    check(&world, "/home/u/.local/share/ai-jail", NEVER);
    strv_push(&world.host.environ, "XDG_STATE_HOME=/srv/state/../st/");
    strv_push(&world.host.environ, "XDG_DATA_HOME=relative");
    check(&world, "/srv/st/ai-jail", NEVER);
    check(&world, "/home/u/.local/state/ai-jail", ALLOWED);
    check(&world, "/home/u/.local/share/ai-jail", NEVER);
}

static void own_directories_are_canonical(void **state)
{
    _cleanup_world_ struct world world;
    _cleanup_strv_ struct strv dirs = {0};

    (void)state;
    world_init(&world);
    fakefs_addf(world.fakefs, "d /srv/state/ai-jail");
    fakefs_addf(world.fakefs, "l /home/u/st /srv/state");
    strv_push(&world.host.environ, "XDG_STATE_HOME=/home/u/st");
    strv_push(&world.host.environ, "XDG_DATA_HOME=/none/.");
    project_own_dirs(&world.host, &dirs);
    assert_int_equal(dirs.n, 2);
    assert_string_equal(dirs.v[0], "/srv/state/ai-jail");
    assert_string_equal(dirs.v[1], "/none/ai-jail");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ordinary_directories_are_allowed),
        cmocka_unit_test(broad_directories_are_refused_exactly),
        cmocka_unit_test(system_directories_are_refused_with_all_below),
        cmocka_unit_test(every_directory_above_home_is_refused),
        cmocka_unit_test(other_names_of_the_same_directory_are_refused),
        cmocka_unit_test(secrets_are_never_a_project),
        cmocka_unit_test(secret_that_is_a_link_is_recognised_by_its_target),
        cmocka_unit_test(own_directories_are_never_a_project),
        cmocka_unit_test(own_directories_are_canonical),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
