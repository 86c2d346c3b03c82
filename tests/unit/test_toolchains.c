// SPDX-License-Identifier: GPL-3.0-only
/*
 * Toolchains: each row of the table on a host that has it, and what removes or moves it.
 */
#include "policy/env_place.h"
#include "policy/home.h"
#include "policy/maps.h"
#include "policy/toolchains.h"
#include "support/planner.h"
#include "support/test.h"

#include <string.h>

#define S "/home/u/.local/share/ai-jail/cache"

/* A store can be made in it. */
#define USER_DIRS "d /home/u/.local 0755 1000\nd /home/u/.local/share 0755 1000\n"

struct row {
    const char *id;
    const char *tree;
    const char *environ[4];
    const char *want; /* entries of GROUP_HOME_PARTS */
    const char *hide; /* --hide-dotdir */
    const char *map;  /* --rw-map */
    bool is_filtered;
    const char *note; /* part of a warning or security note; NULL: none may be there */
};

static void set_list(struct planner *planner, enum setting_id id, const char *text)
{
    struct config cli;

    config_init(&cli, LAYER_CLI);
    config_add(&cli, id, text);
    config_merge(&planner->config, &cli);
    config_free(&cli);
}

static void plan_row(struct planner *planner, const struct row *row)
{
    struct error error = {0};

    planner_init(planner, USER_DIRS, row->environ);
    if (row->tree)
        fakefs_add(planner->fakefs, row->tree);
    if (row->hide)
        set_list(planner, SET_HIDE_DOTDIRS, row->hide);
    if (row->map)
        set_list(planner, SET_RW_MAPS, row->map);
    toolchains_add(&planner->plan, &planner->config, &planner->host, PLANNER_PROJECT,
                   row->is_filtered ? NETWORK_FILTERED : NETWORK_OFF, &planner->notes);
    assert_int_equal(maps_add(&planner->plan, &planner->config, &planner->host, PLANNER_PROJECT,
                              &planner->notes, &error),
                     0);
    toolchains_settle(&planner->plan, planner->host.fs, &planner->notes);
}

static bool row_is_right(const struct row *row)
{
    struct planner planner _cleanup_planner_;
    bool right;

    plan_row(&planner, row);
    right = planner_has_exactly(&planner, GROUP_HOME_PARTS, row->want);
    for (size_t i = 0; i < planner.notes.n; i++) {
        const struct note *note = &planner.notes.v[i];
        bool is_loud = note->class != NOTE_VERBOSE && note->class != NOTE_INFO;

        if (is_loud && (!row->note || !strstr(note->text, row->note))) {
            print_error("%s: %s\n", row->id, note->text);
            right = false;
        }
    }
    if (row->note && !planner_count_notes(&planner, NOTE_WARNING, row->note) &&
        !planner_count_notes(&planner, NOTE_SECURITY, row->note)) {
        print_error("%s: no note \"%s\"\n", row->id, row->note);
        right = false;
    }
    return right;
}

static void check_rows(const struct row *rows, size_t count)
{
    size_t wrong = 0;

    for (size_t i = 0; i < count; i++)
        if (!row_is_right(&rows[i])) {
            print_error("row \"%s\" is wrong\n", rows[i].id);
            wrong++;
        }
    assert_int_equal(wrong, 0);
}

/* P-TOOL-2, P-TOOL-3: one row of the table each, with the credentials that lie beside. */
static void test_table(void **state)
{
    static const struct row rows[] = {
        {.id = "nothing there", .want = ""},
        {.id = "cargo",
         .tree = "d /home/u/.cargo/bin 0755 1000\nd /home/u/.cargo/registry 0755 1000\n"
                 "f /home/u/.cargo/credentials.toml 0600 1000 x\n",
         .want = "ro /home/u/.cargo/bin\n"
                 "rw /home/u/.cargo/registry = " S "/cargo/registry\n"
                 "rw /home/u/.cargo/git = " S "/cargo/git\n"},
        {.id = "cargo of the distribution: caches alone",
         .tree = "d /home/u/.cargo 0755 1000\n",
         .want = "rw /home/u/.cargo/registry = " S "/cargo/registry\n"
                 "rw /home/u/.cargo/git = " S "/cargo/git\n"},
        {.id = "rustup", .tree = "d /home/u/.rustup 0755 1000\n", .want = "ro /home/u/.rustup\n"},
        {.id = "xdg",
         .tree = "d /home/u/.cache 0755 1000\n",
         .want = "rw /home/u/.cache = " S "/xdg\n"},
        {.id = "go",
         .tree = "d /home/u/go/bin 0755 1000\nd /home/u/go/pkg/mod 0755 1000\n",
         .want = "ro /home/u/go/bin\nrw /home/u/go/pkg/mod = " S "/go/pkg-mod\n"},
        {.id = "npm",
         .tree = "d /home/u/.npm 0755 1000\nf /home/u/.npmrc 0600 1000 x\n",
         .want = "rw /home/u/.npm = " S "/npm\n"},
        {.id = "maven",
         .tree = "d /home/u/.m2 0755 1000\nf /home/u/.m2/settings.xml 0600 1000 x\n",
         .want = "rw /home/u/.m2/repository = " S "/maven\n"},
        {.id = "gradle",
         .tree = "d /home/u/.gradle 0755 1000\n",
         .want = "rw /home/u/.gradle/caches = " S "/gradle\n"},
        {.id = "maven and gradle behind the proxy",
         .tree = "d /home/u/.m2 0755 1000\nd /home/u/.gradle 0755 1000\n",
         .is_filtered = true,
         .want =
             "rw /home/u/.m2/repository = " S "/maven\nro /home/u/.m2/settings.xml\n"
             "rw /home/u/.gradle/caches = " S "/gradle\nro /home/u/.gradle/gradle.properties\n"},
        {.id = "proxy files only beside their row", .is_filtered = true, .want = ""},
        {.id = "bun",
         .tree = "d /home/u/.bun/bin 0755 1000\n",
         .want = "ro /home/u/.bun/bin\nrw /home/u/.bun/install/cache = " S "/bun\n"},
        {.id = "pnpm",
         .tree = "d /home/u/.local/share/pnpm 0755 1000\n",
         .want = "rw /home/u/.local/share/pnpm/store = " S "/pnpm\n"},
        {.id = "nuget",
         .tree = "d /home/u/.nuget 0755 1000\n",
         .want = "rw /home/u/.nuget/packages = " S "/nuget\n"},
        {.id = "pub, hex, mix, gem",
         .tree = "d /home/u/.pub-cache 0755 1000\nd /home/u/.hex 0755 1000\n"
                 "d /home/u/.mix 0755 1000\nd /home/u/.gem 0755 1000\n",
         .want = "rw /home/u/.pub-cache = " S "/pub\nrw /home/u/.hex = " S "/hex\n"
                 "rw /home/u/.mix = " S "/mix\nrw /home/u/.gem = " S "/gem\n"},
        {.id = "a file is no cache", .tree = "f /home/u/.npm 0600 1000 x\n", .want = ""},
    };

    (void)state;
    check_rows(rows, ARRAY_SIZE(rows));
}

/* P-TOOL-8: only what PATH leads to, and only what is on the list. */
static void test_managers(void **state)
{
    static const struct row rows[] = {
        {.id = "nvm",
         .tree = "d /home/u/.nvm/versions/node/v22/bin 0755 1000\n",
         .environ = {"PATH=/usr/bin:/home/u/.nvm/versions/node/v22/bin:/bin"},
         .want = "ro /home/u/.nvm\n"},
        {.id = "not on PATH",
         .tree = "d /home/u/.nvm 0755 1000\nd /home/u/.pyenv 0755 1000\n",
         .environ = {"PATH=/usr/bin"},
         .want = ""},
        {.id = "each",
         .tree = "d /home/u/.volta/bin 0755 1000\nd /home/u/.asdf/shims 0755 1000\n"
                 "d /home/u/.pyenv/shims 0755 1000\nd /home/u/.rbenv/shims 0755 1000\n"
                 "d /home/u/.deno/bin 0755 1000\nd /home/u/.sdkman/candidates/java/bin 0755 1000\n",
         .environ = {"PATH=/home/u/.volta/bin:/home/u/.asdf/shims:/home/u/.pyenv/shims:"
                     "/home/u/.rbenv/shims:/home/u/.deno/bin:/home/u/.sdkman/candidates/java/bin"},
         .want = "ro /home/u/.volta\nro /home/u/.asdf\nro /home/u/.pyenv\nro /home/u/.rbenv\n"
                 "ro /home/u/.deno/bin\nro /home/u/.sdkman/candidates\n"},
        {.id = "~/.local/bin brings what its links lead to",
         .tree = "d /home/u/.local/bin 0755 1000\nd /home/u/.local/share/uv 0755 1000\n"
                 "d /home/u/.local/share/pipx 0755 1000\n",
         .environ = {"PATH=/home/u/.local/bin"},
         .want = "ro /home/u/.local/bin\nro /home/u/.local/share/uv\n"
                 "ro /home/u/.local/share/pipx\n"},
        {.id = "twice on PATH",
         .tree = "d /home/u/.nvm/a 0755 1000\nd /home/u/.nvm/b 0755 1000\n",
         .environ = {"PATH=/home/u/.nvm/a:/home/u/.nvm/b"},
         .want = "ro /home/u/.nvm\n"},
        {.id = "a name that only begins like one",
         .tree = "d /home/u/.nvm2/bin 0755 1000\n",
         .environ = {"PATH=/home/u/.nvm2/bin"},
         .want = ""},
        {.id = "other directories of HOME",
         .tree = "d /home/u/bin 0755 1000\nd /home/u/.ssh 0700 1000\n",
         .environ = {"PATH=/home/u/bin:/home/u/.ssh"},
         .want = ""},
        {.id = "fnm's link of this shell",
         .tree = "d /home/u/.local/share/fnm/node-versions/v22/installation/bin 0755 1000\n"
                 "l /run/user/1000/fnm_multishells "
                 "/home/u/.local/share/fnm/node-versions/v22/installation\n",
         .environ = {"PATH=/run/user/1000/fnm_multishells/bin"},
         .want = "ro /home/u/.local/share/fnm\nlink /run/user/1000/fnm_multishells -> "
                 "/home/u/.local/share/fnm/node-versions/v22/installation\n"},
        {.id = "a link to a directory of the user's",
         .tree = "d /data/nvm/bin 0755 1000\nl /home/u/.nvm /data/nvm\n",
         .environ = {"PATH=/home/u/.nvm/bin"},
         .want = "ro /home/u/.nvm = /data/nvm\n"},
        {.id = "a link to somebody else's",
         .tree = "d /data/nvm/bin 0755 1001\nl /home/u/.nvm /data/nvm\nd /data/nvm 0755 1001\n",
         .environ = {"PATH=/home/u/.nvm/bin"},
         .want = "",
         .note = "another user"},
        {.id = "a link to HOME",
         .tree = "l /home/u/.nvm /home/u\n",
         .environ = {"PATH=/home/u/.nvm/bin:/home/u/.nvm"},
         .want = "",
         .note = "home directory"},
        {.id = "a link into the secrets",
         .tree = "d /home/u/.ssh 0700 1000\nl /home/u/.nvm /home/u/.ssh\n",
         .environ = {"PATH=/home/u/.nvm"},
         .want = "",
         .note = "secrets"},
        {.id = "a link into the project",
         .tree = "d /home/u/proj/nvm 0755 1000\nl /home/u/.nvm /home/u/proj/nvm\n",
         .environ = {"PATH=/home/u/.nvm"},
         .want = "",
         .note = "project"},
        {.id = "a link to ai-jail's own files",
         .tree = "d /home/u/.local/state/ai-jail 0700 1000\n"
                 "l /home/u/.nvm /home/u/.local/state/ai-jail\n",
         .environ = {"PATH=/home/u/.nvm"},
         .want = "",
         .note = "ai-jail keeps"},
    };

    (void)state;
    check_rows(rows, ARRAY_SIZE(rows));
}

static void test_moved(void **state)
{
    static const struct row rows[] = {
        {.id = "CARGO_HOME in HOME",
         .tree = "d /home/u/rust/bin 0755 1000\n",
         .environ = {"CARGO_HOME=/home/u/rust"},
         .want = "ro /home/u/rust/bin\nrw /home/u/rust/registry = " S "/cargo/registry\n"
                 "rw /home/u/rust/git = " S "/cargo/git\n"},
        {.id = "CARGO_HOME outside: the tool is there, the caches are in HOME",
         .tree = "d /data/cargo/bin 0755 0\n",
         .environ = {"CARGO_HOME=/data/cargo"},
         .want = "ro /data/cargo/bin\nrw /home/u/.cargo/registry = " S "/cargo/registry\n"
                 "rw /home/u/.cargo/git = " S "/cargo/git\n"},
        {.id = "CARGO_HOME in /usr is shown already",
         .tree = "d /usr/local/cargo/bin 0755 0\n",
         .environ = {"CARGO_HOME=/usr/local/cargo"},
         .want = "rw /home/u/.cargo/registry = " S "/cargo/registry\n"
                 "rw /home/u/.cargo/git = " S "/cargo/git\n"},
        {.id = "RUSTUP_HOME outside",
         .tree = "d /data/rustup 0755 0\n",
         .environ = {"RUSTUP_HOME=/data/rustup"},
         .want = "ro /data/rustup\n"},
        {.id = "RUSTUP_HOME is HOME",
         .environ = {"RUSTUP_HOME=/home/u"},
         .want = "",
         .note = "home directory"},
        {.id = "CARGO_HOME is relative",
         .tree = "d /home/u/proj/x/bin 0755 1000\n",
         .environ = {"CARGO_HOME=x"},
         .want = ""},
        {.id = "GOPATH is a list",
         .tree = "d /home/u/g/bin 0755 1000\nd /home/u/h/bin 0755 1000\n",
         .environ = {"GOPATH=/home/u/g:/home/u/h"},
         .want = "ro /home/u/g/bin\nrw /home/u/g/pkg/mod = " S "/go/pkg-mod\n"},
        {.id = "XDG_CACHE_HOME",
         .tree = "d /home/u/c 0755 1000\n",
         .environ = {"XDG_CACHE_HOME=/home/u/c"},
         .want = "rw /home/u/c = " S "/xdg\n"},
        {.id = "XDG_DATA_HOME moves the store",
         .tree = "d /home/u/.npm 0755 1000\nd /home/u/d 0755 1000\n",
         .environ = {"XDG_DATA_HOME=/home/u/d"},
         .want = "rw /home/u/.npm = /home/u/d/ai-jail/cache/npm\n"},
        {.id = "a link on the way to the store",
         .tree = "d /home/u/.npm 0755 1000\nd /data/d 0755 1000\nl /home/u/d /data/d\n",
         .environ = {"XDG_DATA_HOME=/home/u/d"},
         .want = "rw /home/u/.npm = /data/d/ai-jail/cache/npm\n"},
    };

    (void)state;
    check_rows(rows, ARRAY_SIZE(rows));
}

static void test_removed(void **state)
{
    static const struct row rows[] = {
        {.id = "hidden",
         .tree = "d /home/u/.cargo/bin 0755 1000\nd /home/u/.m2 0755 1000\n",
         .hide = "cargo",
         .is_filtered = true,
         .want = "rw /home/u/.m2/repository = " S "/maven\nro /home/u/.m2/settings.xml\n"},
        {.id = "hidden with its proxy file",
         .tree = "d /home/u/.m2 0755 1000\n",
         .hide = ".m2",
         .is_filtered = true,
         .want = ""},
        {.id = "hidden .local",
         .tree = "d /home/u/.local/bin 0755 1000\nd /home/u/.local/share/pnpm 0755 1000\n",
         .environ = {"PATH=/home/u/.local/bin"},
         .hide = ".local",
         .want = ""},
        {.id = "a map of the same place",
         .tree = "d /home/u/.npm 0755 1000\n",
         .map = "/home/u/.npm",
         .want = ""},
        {.id = "a map above",
         .tree = "d /home/u/.cargo/bin 0755 1000\nd /home/u/.cargo/registry 0755 1000\n",
         .map = "/home/u/.cargo",
         .want = ""},
        {.id = "a map of the proxy's file",
         .tree = "d /home/u/.m2 0755 1000\nf /home/u/.m2/settings.xml 0600 1000 x\n",
         .map = "/home/u/.m2/settings.xml",
         .is_filtered = true,
         .want = "rw /home/u/.m2/repository = " S "/maven\n"},
        {.id = "a map into a cache that has no place for it",
         .tree = "d /home/u/.cache/models 0755 1000\n",
         .map = "/home/u/.cache/models",
         .want = ""},
        {.id = "a map into a cache that has one",
         .tree =
             "d /home/u/.cache/models 0755 1000\nd " S "/xdg/models 0700 1000\n"
             "d /home/u/.local/share/ai-jail 0700 1000\nd " S " 0700 1000\nd " S "/xdg 0700 1000\n",
         .map = "/home/u/.cache/models",
         .want = "rw /home/u/.cache = " S "/xdg\n"},
    };

    (void)state;
    check_rows(rows, ARRAY_SIZE(rows));
}

/* P-TOOL-10 */
static void test_store(void **state)
{
    static const struct row rows[] = {
        {.id = "a link in place of the store",
         .tree = "d /home/u/.npm 0755 1000\nd /data/x 0755 1001\n"
                 "l /home/u/.local/share/ai-jail /data/x\n",
         .want = "",
         .note = "another user"},
        {.id = "a link that leads nowhere",
         .tree = "d /home/u/.npm 0755 1000\nl /home/u/.local/share/ai-jail /gone\n",
         .want = "",
         .note = "not a directory"},
        {.id = "a file in place of the store",
         .tree = "d /home/u/.npm 0755 1000\nd /home/u/.local/share/ai-jail 0700 1000\n"
                 "f " S " 0600 1000 x\n",
         .want = "",
         .note = "not a directory"},
        {.id = "others may write",
         .tree = "d /home/u/.npm 0755 1000\nd /home/u/.local/share/ai-jail 0700 1000\n"
                 "d " S " 0777 1000\n",
         .want = "",
         .note = "chmod 700"},
        {.id = "somebody else's directory, as for root with a user's HOME",
         .tree = "d /home/u/.npm 0755 1000\nd /home/u/.local/share 0755 1001\n",
         .want = "",
         .note = "another user"},
        {.id = "a link in place of a part",
         .tree = "d /home/u/.npm 0755 1000\nd /home/u/.local/share/ai-jail 0700 1000\n"
                 "d " S " 0700 1000\nl " S "/npm /home/u\nd /home/u/.gem 0755 1000\n",
         .want = "rw /home/u/.gem = " S "/gem\n",
         .note = "not a directory"},
        {.id = "a link above a part",
         .tree = "d /home/u/.cargo 0755 1000\nd /home/u/.local/share/ai-jail 0700 1000\n"
                 "d " S " 0700 1000\nd /data/cargo/registry 0755 1000\nl " S "/cargo /data/cargo\n",
         .want = "",
         .note = "not a directory"},
        {.id = "a store in the project",
         .tree = "d /home/u/.npm 0755 1000\n",
         .environ = {"XDG_DATA_HOME=/home/u/proj/d"},
         .want = "",
         .note = "lies in the project"},
    };

    (void)state;
    check_rows(rows, ARRAY_SIZE(rows));
}

/* What --no-private-home shows stays as it is; the rest is there all the same. */
static void test_shown_home(void **state)
{
    struct planner planner _cleanup_planner_;
    static const char *const environ[] = {"PATH=/home/u/.nvm/bin", NULL};

    (void)state;
    planner_init(&planner,
                 USER_DIRS "d /home/u/.cargo/bin 0755 1000\nd /home/u/.cargo/registry 0755 1000\n"
                           "d /home/u/.nvm/bin 0755 1000\nd /home/u/.m2 0755 1000\n"
                           "d /home/u/go/bin 0755 1000\n",
                 environ);
    plan_free(&planner.plan);
    config_set_bool(&planner.config, SET_PRIVATE_HOME, false);
    home_add(&planner.plan, &planner.host, PLANNER_PROJECT, false, &planner.notes);
    toolchains_add(&planner.plan, &planner.config, &planner.host, PLANNER_PROJECT, NETWORK_FILTERED,
                   &planner.notes);
    toolchains_settle(&planner.plan, planner.host.fs, &planner.notes);
    assert_true(planner_has_exactly(&planner, GROUP_HOME_PARTS,
                                    "rw /home/u/.cargo\nro /home/u/.nvm\nrw /home/u/.m2\n"
                                    "ro /home/u/.local\nro /home/u/go/bin\n"
                                    "rw /home/u/go/pkg/mod = " S "/go/pkg-mod\n"));
}

static const struct plan_entry *entry_at(const struct plan *plan, const char *dest)
{
    for (size_t i = 0; i < plan->n; i++)
        if (str_eq(plan->v[i].dest, dest))
            return &plan->v[i];
    return NULL;
}

static void test_proxy_files(void **state)
{
    static const struct row row = {.tree = "d /home/u/.m2 0755 1000\nd /home/u/.gradle 0755 1000\n",
                                   .is_filtered = true};
    struct planner planner _cleanup_planner_;
    const struct plan_entry *maven;
    const struct plan_entry *gradle;

    (void)state;
    plan_row(&planner, &row);
    maven = entry_at(&planner.plan, "/home/u/.m2/settings.xml");
    gradle = entry_at(&planner.plan, "/home/u/.gradle/gradle.properties");
    assert_non_null(maven);
    assert_non_null(gradle);
    assert_int_equal(maven->mode, 0600);
    assert_int_equal(gradle->mode, 0600);
    assert_non_null(strstr(maven->data, "<protocol>https</protocol><host>127.0.0.1</host>"
                                        "<port>15919</port>"));
    assert_non_null(strstr(gradle->data, "systemProp.https.proxyPort=15919\n"));
}

static void test_store_path(void **state)
{
    struct planner planner _cleanup_planner_;
    _cleanup_free_ char *store = NULL;

    (void)state;
    planner_init(&planner, NULL, NULL);
    store = toolchains_store(&planner.host);
    assert_string_equal(store, S);
}

/* Variables that say where a tool keeps its things, against the finished rows. */
static void test_places(void **state)
{
    static const struct row row = {.tree =
                                       "d /home/u/.cargo/bin 0755 1000\n"
                                       "d /usr/local/rust 0755 0\nf /usr/local/file 0644 0 x\n"};
    static const struct {
        const char *value;
        bool is_readable, is_writable;
    } cases[] = {
        {"/home/u/.cargo", true, true},
        {"/home/u/.cargo/", true, true},
        {"/home/u/.cargo/bin", true, false},
        {"/home/u/.cargo/registry", false, false}, /* not made yet: nothing to look at */
        {"/home/u/.rustup", false, false},
        {"/usr/local/rust", true, false},
        {"/usr/local/file", false, false},
        {"/usr/local/gone", false, false},
        {"/data/rust", false, false},
        {"/home/u/.cargo:/usr/local/rust", true, false},
        {"/home/u/.cargo:/data/x", false, false},
        {"/home/u/proj", true, true},
        {"relative", false, false},
        {"", false, false},
    };
    struct planner planner _cleanup_planner_;

    (void)state;
    plan_row(&planner, &row);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        bool readable = env_place_is_usable(&planner.plan, &planner.host, cases[i].value, false);
        bool writable = env_place_is_usable(&planner.plan, &planner.host, cases[i].value, true);

        if (readable != cases[i].is_readable || writable != cases[i].is_writable)
            fail_msg("%s: %d %d", cases[i].value, readable, writable);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),       cmocka_unit_test(test_managers),
        cmocka_unit_test(test_moved),       cmocka_unit_test(test_removed),
        cmocka_unit_test(test_store),       cmocka_unit_test(test_shown_home),
        cmocka_unit_test(test_proxy_files), cmocka_unit_test(test_store_path),
        cmocka_unit_test(test_places),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
