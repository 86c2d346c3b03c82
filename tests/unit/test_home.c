// SPDX-License-Identifier: GPL-3.0-only
/*
 * HOME: the private tmpfs, the git files, and the dot directories of the host without it.
 */
#include "base/path.h"
#include "policy/command.h"
#include "policy/home.h"
#include "policy/secrets.h"
#include "support/fakefs.h"
#include "support/test.h"

#include <string.h>

struct world {
    struct fakefs *fakefs;
    struct host host;
    struct plan plan;
    struct notes notes;
};

static void world_init(struct world *world, const char *tree)
{
    *world = (struct world){.fakefs = fakefs_new("d /home/u 0700 1000\n"
                                                 "d /home/u/proj 0755 1000\n")};
    fakefs_add(world->fakefs, tree);
    world->host = (struct host){
        .fs = fakefs_fs(world->fakefs),
        .uid = 1000,
        .home = xstrdup("/home/u"),
        .home_spelling = xstrdup("/home/u"),
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

static void build(struct world *world, bool private_home)
{
    home_add(&world->plan, &world->host, "/home/u/proj", private_home, &world->notes);
    plan_finish(&world->plan, world->host.fs, &world->notes);
}

/* "rw", "ro", "mask", "none" (memory) or "-> target" for a path inside. Static. */
static const char *shown(const struct world *world, const char *path)
{
    struct plan_view view = plan_look(&world->plan, path);
    const char *kind = view.entry ? plan_kind_name(view.entry->kind) : "none";
    bool is_there = view.host_path && fs_exists(world->host.fs, view.host_path);

    free(view.host_path);
    if (!view.entry || view.entry->kind == PLAN_TMPFS)
        return "none";
    if (view.entry->kind == PLAN_SYMLINK)
        return view.entry->target;
    return view.entry->source && !is_there ? "none" : kind;
}

static void check(const struct world *world, const char *path, const char *want)
{
    if (strcmp(shown(world, path), want) != 0)
        fail_msg("%s: %s instead of %s", path, shown(world, path), want);
}

static void check_source(const struct world *world, const char *path, const char *want)
{
    struct plan_view view = plan_look(&world->plan, path);
    _cleanup_free_ char *host_path = view.host_path;

    if (!str_eq(host_path, want))
        fail_msg("%s shows %s instead of %s", path, host_path ? host_path : "nothing", want);
}

/* ---- private ---- */

static void private_home_is_a_sized_tmpfs(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world, "d /home/u/.config/app\nd /home/u/.cargo\nf /home/u/.bashrc 0644 1000 x\n"
                       "d /home/u/.ssh 0700 1000\nd /home/u/src\n");
    build(&world, true);
    assert_int_equal(world.plan.n, 1);
    assert_true(world.plan.v[0].kind == PLAN_TMPFS);
    assert_int_equal(world.plan.v[0].mode, 0700);
    assert_int_equal(world.plan.v[0].size_bytes, GIB);
    assert_string_equal(world.plan.v[0].dest, "/home/u");
    assert_int_equal(world.notes.n, 0);
}

/* P-HOME-7 */
static void other_spelling_of_home_becomes_a_link(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world, "d /var/home/u 0700 1000\nl /home var/home\nf /var/home/u/.gitconfig\n"
                       "f /var/home/u/.config/git/config\n");
    free(world.host.home);
    world.host.home = xstrdup("/var/home/u");
    strv_push(&world.host.environ, "XDG_CONFIG_HOME=/home/u/.config");
    build(&world, true);
    check(&world, "/home", "var/home");
    check(&world, "/var/home/u/.gitconfig", "ro");
    check(&world, "/var/home/u/.config/git/config", "ro");
    assert_int_equal(world.notes.n, 0);
}

/* ---- git files ---- */

static void git_files_are_read_only(void **state)
{
    static const char *const files[] = {
        ".gitconfig",
        ".gitignore",
        ".config/git/config",
        ".config/git/ignore",
        ".config/git/attributes",
    };
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world, "f /home/u/.config/git/credentials 0600 1000 secret\n"
                       "f /home/u/.git-credentials 0600 1000 secret\n");
    for (size_t i = 0; i < ARRAY_SIZE(files); i++)
        fakefs_addf(world.fakefs, "f /home/u/%s 0644 %d x", files[i], i % 2 ? 0 : 1000);
    build(&world, true);
    for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
        _cleanup_free_ char *path = path_join("/home/u", files[i]);

        check(&world, path, "ro");
    }
    assert_int_equal(world.plan.n, 1 + ARRAY_SIZE(files));
}

static void only_regular_files_of_the_user_or_root_count(void **state)
{
    static const struct {
        const char *node;
        const char *want;
    } rows[] = {
        {"f /home/u/.gitconfig 0600 1000 x", "ro"},
        {"f /home/u/.gitconfig 0644 0 x", "ro"},
        {"f /home/u/.gitconfig 0644 1001 x", "none"},
        {"d /home/u/.gitconfig 0755 1000", "none"},
        {"p /home/u/.gitconfig 0644 1000", "none"},
        {"s /home/u/.gitconfig 0644 1000", "none"},
        {"c /home/u/.gitconfig 0644 0", "none"},
        {"l /home/u/.gitconfig /home/u/none", "none"},
        {"l /home/u/.gitconfig dots/git\nf /home/u/dots/git 0644 1000 x", "ro"},
        {"l /home/u/.gitconfig dots/git\nf /home/u/dots/git 0644 1001 x", "none"},
        {"l /home/u/.gitconfig /dev/tty\nc /dev/tty 0666 0", "none"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_world_ struct world world;

        world_init(&world, rows[i].node);
        build(&world, true);
        check(&world, "/home/u/.gitconfig", rows[i].want);
        check(&world, "/home/u/dots/git", "none");
    }
}

static void linked_git_file_stands_at_the_link(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world, "f /home/u/dots/git/config 0644 1000 x\n"
                       "l /home/u/.gitconfig dots/git/config\nl /home/u/.config dots\n");
    build(&world, true);
    check_source(&world, "/home/u/.gitconfig", "/home/u/dots/git/config");
    check_source(&world, "/home/u/.config/git/config", "/home/u/dots/git/config");
}

static void config_directory_may_be_elsewhere_in_home(void **state)
{
    static const struct {
        const char *variable;
        const char *shown;
        const char *hidden;
    } rows[] = {
        {"XDG_CONFIG_HOME=/home/u/cfg/", "/home/u/cfg/git/config", "/home/u/.config/git/config"},
        {"XDG_CONFIG_HOME=relative", "/home/u/.config/git/config", "/home/u/cfg/git/config"},
        {"XDG_CONFIG_HOME=", "/home/u/.config/git/config", "/home/u/cfg/git/config"},
        {"XDG_CONFIG_HOME=/home/u/cfg/../../../etc/xdg", "/home/u/.gitconfig",
         "/etc/xdg/git/config"},
        {"XDG_CONFIG_HOME=/etc/xdg", "/home/u/.gitconfig", "/etc/xdg/git/config"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_world_ struct world world;

        world_init(&world, "f /home/u/.config/git/config 0644 1000 x\nf /home/u/.gitconfig\n"
                           "f /home/u/cfg/git/config 0644 1000 x\nf /etc/xdg/git/config\n");
        strv_push(&world.host.environ, rows[i].variable);
        build(&world, true);
        check(&world, rows[i].shown, "ro");
        check(&world, rows[i].hidden, "none");
    }
}

/* ---- without a private home ---- */

static const char *const writable[] = {
    ".gemini", ".claude", ".crush",  ".codex", ".aider",     ".kiro",   ".soulforge", ".grok",
    ".jcode",  ".agents", ".omp",    ".pi",    ".pi-lens",   ".config", ".cargo",     ".cache",
    ".bundle", ".gem",    ".rustup", ".npm",   ".bun",       ".deno",   ".yarn",      ".pnpm",
    ".m2",     ".gradle", ".dotnet", ".nuget", ".pub-cache", ".mix",    ".hex",
};

static const char *const never[] = {
    ".gnupg",  ".aws",  ".ssh",   ".mozilla",        ".thunderbird", ".basilisk-dev", ".sparrow",
    ".docker", ".kube", ".azure", ".password-store", ".kimi",        ".kimi-code",
};

static const char *const writable_parts[] = {
    ".local/state",           ".local/share/ai-memory", ".local/share/zoxide",
    ".local/share/crush",     ".local/share/kiro-cli",  ".local/share/opencode",
    ".local/share/soulforge", ".local/share/atuin",     ".local/share/mise",
    ".local/share/yarn",      ".local/share/flutter",   ".local/share/kotlin",
    ".local/share/NuGet",     ".local/share/pipx",      ".local/share/ruby-advisory-db",
    ".local/share/uv",
};

static const char *const covered[] = {
    ".config/BraveSoftware",    ".config/Bitwarden",
    ".config/google-chrome",    ".config/chromium",
    ".config/microsoft-edge",   ".config/vivaldi",
    ".config/mozilla",          ".config/gh",
    ".config/gcloud",           ".cache/BraveSoftware",
    ".cache/basilisk-dev",      ".cache/chromium",
    ".cache/spotify",           ".cache/nvidia",
    ".cache/mesa_shader_cache", ".local/share/keyrings",
};

/* Every name of the list with a file in it. */
static void check_list(const char *const *names, size_t count, const char *want)
{
    for (size_t i = 0; i < count; i++) {
        _cleanup_world_ struct world world;
        _cleanup_free_ char *dir = path_join("/home/u", names[i]);
        _cleanup_free_ char *file = path_join(dir, "file");

        world_init(&world, NULL);
        fakefs_addf(world.fakefs, "d %s 0700 1000", dir);
        fakefs_addf(world.fakefs, "f %s 0600 1000 x", file);
        build(&world, false);
        check(&world, dir, want);
        check(&world, file, want);
        assert_int_equal(world.notes.n, 0);
    }
}

static void table_of_dot_directories(void **state)
{
    static const char *const others[] = {
        ".emacs.d",           ".vim",       ".oh-my-zsh", ".local",   ".local/share",
        ".local/share/other", ".local/bin", ".dotfiles",  ".configs", ".terraform.d"};

    (void)state;
    check_list(writable, ARRAY_SIZE(writable), "rw");
    check_list(never, ARRAY_SIZE(never), "none");
    check_list(writable_parts, ARRAY_SIZE(writable_parts), "rw");
    check_list(covered, ARRAY_SIZE(covered), "mask");
    check_list(others, ARRAY_SIZE(others), "ro");
}

static void list_of_secrets_is_that_of_the_table(void **state)
{
    size_t n = 0;

    (void)state;
    for (; secret_dotdirs[n]; n++) {
        bool found = false;

        for (size_t i = 0; i < ARRAY_SIZE(never); i++)
            found |= str_eq(never[i], secret_dotdirs[n]);
        assert_true(found);
    }
    assert_int_equal(n, ARRAY_SIZE(never));
}

static void ordinary_names_of_home_stay_absent(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world, "d /home/u/Documents\nf /home/u/.bashrc 0644 1000 x\nf /home/u/notes\n"
                       "f /home/u/.netrc 0600 1000 x\ns /home/u/.sock 0600 1000\n"
                       "l /home/u/.link .bashrc\nl /home/u/.dangling none\n");
    build(&world, false);
    assert_int_equal(world.plan.n, 1);
    assert_int_equal(world.notes.n, 0);
}

static void linked_dot_directory_is_followed_to_the_users_own(void **state)
{
    static const struct {
        const char *tree;
        const char *want;
        bool warns;
    } rows[] = {
        {"d /data/vim 0755 1000\nl /home/u/.vim /data/vim", "ro", false},
        {"d /data/vim 0755 0\nl /home/u/.vim /data/vim", "none", true},
        {"d /home/u/proj/vim 0755 1000\nl /home/u/.vim proj/vim", "none", true},
        {"l /home/u/.vim proj", "none", true},
        {"l /home/u/.vim /home/u", "none", true},
        {"l /home/u/.vim /home", "none", true},
        {"l /home/u/.vim /", "none", true},
        {"d /home/u/.ssh 0700 1000\nl /home/u/.vim .ssh", "none", true},
        {"d /home/u/.ssh/deep 0700 1000\nl /home/u/.vim .ssh/deep", "none", true},
        {"d /data/k 0700 1000\nl /home/u/.ssh /data/k\nl /home/u/.vim /data/k", "none", true},
        {"f /data/file 0700 1000\nl /home/u/.vim /data/file", "none", false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_world_ struct world world;

        world_init(&world, rows[i].tree);
        build(&world, false);
        check(&world, "/home/u/.vim", rows[i].want);
        if ((world.notes.n != 0) != rows[i].warns)
            fail_msg("%s: %zu notes", rows[i].tree, world.notes.n);
        check(&world, "/home/u/.ssh", "none");
    }
}

static void linked_writable_directory_is_bound_at_the_link(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world, "d /data/cargo 0755 1000\nf /data/cargo/x\nl /home/u/.cargo /data/cargo\n");
    build(&world, false);
    check(&world, "/home/u/.cargo/x", "rw");
    check_source(&world, "/home/u/.cargo/x", "/data/cargo/x");
    check(&world, "/data/cargo/x", "none");
}

/* P-HOME-5: the secrets under another name. */
static void secret_kept_in_a_shown_directory_is_covered(void **state)
{
    static const struct {
        const char *tree;
        const char *path;
    } rows[] = {
        {"f /home/u/.dots/ssh/id 0600 1000 x\nl /home/u/.ssh .dots/ssh", "/home/u/.dots/ssh/id"},
        {"f /home/u/.config/aws/id 0600 1000 x\nl /home/u/.aws .config/aws",
         "/home/u/.config/aws/id"},
        {"d /data 0755 1000\nf /data/k/id 0600 1000 x\nl /home/u/.gnupg /data/k\n"
         "l /home/u/.dots /data",
         "/home/u/.dots/k/id"},
        {"f /home/u/.dots/gh/hosts 0600 1000 x\nd /home/u/.config 0755 1000\n"
         "l /home/u/.config/gh ../.dots/gh",
         "/home/u/.dots/gh/hosts"},
        {"d /data/cfg 0755 1000\nf /data/cfg/gh/hosts 0600 1000 x\nl /home/u/.config /data/cfg",
         "/home/u/.config/gh/hosts"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_world_ struct world world;

        world_init(&world, rows[i].tree);
        build(&world, false);
        check(&world, rows[i].path, "mask");
        assert_int_equal(world.notes.n, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(private_home_is_a_sized_tmpfs),
        cmocka_unit_test(other_spelling_of_home_becomes_a_link),
        cmocka_unit_test(git_files_are_read_only),
        cmocka_unit_test(only_regular_files_of_the_user_or_root_count),
        cmocka_unit_test(linked_git_file_stands_at_the_link),
        cmocka_unit_test(config_directory_may_be_elsewhere_in_home),
        cmocka_unit_test(table_of_dot_directories),
        cmocka_unit_test(list_of_secrets_is_that_of_the_table),
        cmocka_unit_test(ordinary_names_of_home_stay_absent),
        cmocka_unit_test(linked_dot_directory_is_followed_to_the_users_own),
        cmocka_unit_test(linked_writable_directory_is_bound_at_the_link),
        cmocka_unit_test(secret_kept_in_a_shown_directory_is_covered),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
