// SPDX-License-Identifier: GPL-3.0-only
/*
 * browsers: which commands are one, what is taken from the configuration, the words, the plan, and
 * the store of kept profiles on a real file system.
 */
#include "backend/browser_store.h"
#include "policy/browser_prefs.h"
#include "policy/tighten.h"
#include "support/jail.h"
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define STORE PLANNER_HOME "/.local/share/ai-jail/browsers"
#define HARD  "/tmp/ai-jail-browser-"
#define DL    PLANNER_HOME "/Downloads"

static const char tree[] = "f /usr/bin/chromium 0755 0 x\n"
                           "f /usr/bin/firefox 0755 0 x\n"
                           "d " DL " 0755 1000\n"
                           "d " PLANNER_HOME "/.ssh 0700 1000\n"
                           "d " PLANNER_HOME "/.mozilla 0700 1000\n"
                           "d /data 0755 1000\n"
                           "l /dl home/u/Downloads\n";

static const struct plan_entry *entry_at(const struct jail *jail, const char *dest)
{
    for (size_t i = 0; i < jail->policy.plan.n; i++)
        if (str_eq(jail->policy.plan.v[i].dest, dest))
            return &jail->policy.plan.v[i];
    return NULL;
}

static bool is_kind(const struct jail *jail, const char *dest, enum plan_kind kind)
{
    const struct plan_entry *entry = entry_at(jail, dest);

    return entry && entry->kind == kind;
}

static bool has_word(const struct jail *jail, const char *word)
{
    return strv_find(&jail->policy.argv, word) >= 0;
}

static unsigned writable_of_host(const struct jail *jail)
{
    unsigned n = 0;

    for (size_t i = 0; i < jail->policy.plan.n; i++)
        n += jail->policy.plan.v[i].kind == PLAN_RW || jail->policy.plan.v[i].kind == PLAN_OVERLAY;
    return n;
}

/* ---- which commands ---- */

static void known_names_and_what_is_said(void **state)
{
    static const struct {
        const char *words[4];
        enum browser_profile profile;
        const char *state;
    } rows[] = {
        {{"chromium"}, BROWSER_HARD, HARD "chromium"},
        {{"/usr/bin/firefox"}, BROWSER_HARD, HARD "firefox"},
        {{"firefox-esr"}, BROWSER_HARD, HARD "firefox-esr"},
        {{"google-chrome-stable"}, BROWSER_HARD, HARD "google-chrome-stable"},
        {{"librewolf"}, BROWSER_HARD, HARD "librewolf"},
        {{"chromiumx"}, BROWSER_NONE, NULL},
        {{"chrome"}, BROWSER_NONE, NULL},
        {{"bash"}, BROWSER_NONE, NULL},
        {{"--no-browser", "chromium"}, BROWSER_NONE, NULL},
        {{"--browser=off", "chromium"}, BROWSER_NONE, NULL},
        {{"--browser", "surf"}, BROWSER_HARD, HARD "surf"},
        {{"--browser=soft", "chromium"}, BROWSER_SOFT, STORE "/chromium"},
        {{"--browser=soft", "surf"}, BROWSER_SOFT, STORE "/surf"},
        {{"--browser=soft", "--no-browser", "surf"}, BROWSER_NONE, NULL},
        {{"--browser"}, BROWSER_HARD, HARD "bash"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_jail_ struct jail jail;

        jail_init(&jail, tree, NULL);
        assert_int_equal(jail_build(&jail, rows[i].words), 0);
        assert_int_equal(jail.policy.browser.profile, rows[i].profile);
        if (rows[i].state)
            assert_string_equal(jail.policy.browser.state, rows[i].state);
    }
}

static void names_that_are_no_directory(void **state)
{
    static const char *const names[] = {".", "..", "a/..", "/", "x/"};
    char longest[300] = "";

    (void)state;
    memset(longest, 'x', 201);
    for (size_t i = 0; i <= ARRAY_SIZE(names); i++) {
        const char *name = i < ARRAY_SIZE(names) ? names[i] : longest;
        const char *words[] = {"--browser=soft", "--", name, NULL};
        _cleanup_jail_ struct jail jail;

        jail_init(&jail, tree, NULL);
        if (str_eq(name, "x/") && jail_build(&jail, words) == 0)
            assert_string_equal(jail.policy.browser.state, STORE "/x");
        else if (!str_eq(name, "x/"))
            assert_int_equal(jail_build(&jail, words), -EINVAL);
    }
}

/* P-BRW-1: a stranger's command gets nothing that the user keeps; P-CFG-4: lockdown stays. */
static void strangers_and_lockdown_keep_nothing(void **state)
{
    static const char *const names[] = {"chromium", "evil"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        struct planner planner;
        struct config layer;
        struct browser browser;
        struct strv argv = {0};
        struct error error;

        planner_init(&planner, tree, NULL);
        config_init(&layer, LAYER_PROJECT);
        layer.place.is_untrusted = true;
        config_add(&layer, SET_COMMAND, names[i]);
        config_merge(&planner.config, &layer);
        config_free(&layer);
        config_init(&layer, LAYER_GLOBAL);
        config_set_word(&layer, SET_BROWSER_PROFILE, "soft");
        config_merge(&planner.config, &layer);
        strv_push(&argv, names[i]);
        assert_int_equal(
            browser_decide(&browser, &planner.config, &planner.host, &argv, &planner.notes, &error),
            0);
        assert_int_equal(browser.profile, BROWSER_HARD);
        assert_int_equal(planner_count_notes(&planner, NOTE_SECURITY, "not trusted"), 1);
        browser_free(&browser);
        strv_free(&argv);
        config_free(&layer);
        planner_free(&planner);
    }
}

static void lockdown_and_a_browser_are_both_there(void **state)
{
    _cleanup_jail_ struct jail jail;

    (void)state;
    jail_init(&jail, tree, NULL);
    assert_int_equal(
        jail_build(&jail, (const char *const[]){"--lockdown", "--browser=soft", "--network",
                                                "--downloads", DL, "--x11", "chromium", NULL}),
        0);
    assert_true(jail.policy.lockdown);
    assert_int_equal(jail.policy.browser.profile, BROWSER_HARD);
    assert_int_equal(jail.policy.network, NETWORK_OFF);
    assert_int_equal(writable_of_host(&jail), 0);
    assert_null(entry_at(&jail, DL));
    assert_int_equal(planner_count_notes(&jail.planner, NOTE_SECURITY, "lockdown keeps nothing"),
                     1);
    assert_int_equal(planner_count_notes(&jail.planner, NOTE_SECURITY, "--downloads"), 1);
    assert_true(has_word(&jail, "--no-sandbox"));
}

/* ---- what is dropped ---- */

static void each_setting_of_the_column_is_dropped(void **state)
{
    static const enum setting_id kept[] = {
        SET_GPU,       SET_DISPLAY,  SET_X11,         SET_AUDIO,    SET_HOST_SHM,
        SET_TAILSCALE, SET_MASK,     SET_ALLOW_HOSTS, SET_ENV_PASS, SET_NETWORK,
        SET_DOWNLOADS, SET_LOCKDOWN, SET_SECCOMP,     SET_LANDLOCK, SET_INHERIT_ENV,
    };
    static const enum setting_id dropped[] = {
        SET_RO_MAPS,    SET_RW_MAPS,       SET_OVERLAY_MAPS, SET_PRIVATE_HOME, SET_AGENT_STATE,
        SET_CLAUDE_DIR, SET_TOOLCHAINS,    SET_MISE,         SET_WORKTREE,     SET_KVM,
        SET_DOCKER,     SET_DOCKER_CONFIG, SET_SYSTEMD_USER, SET_SSH,          SET_PICTURES,
        SET_GITHUB,     SET_AWS,           SET_KUBE,         SET_GCLOUD,
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(kept); i++)
        assert_false(tighten_drops(MODE_BROWSER, kept[i]));
    for (size_t i = 0; i < ARRAY_SIZE(dropped); i++)
        assert_true(tighten_drops(MODE_BROWSER, dropped[i]));
}

static void what_is_dropped_is_said_once_each(void **state)
{
    _cleanup_jail_ struct jail jail;

    (void)state;
    jail_init(&jail, tree, NULL);
    assert_int_equal(
        jail_build(&jail, (const char *const[]){"--rw-map", "/data", "--map", DL, "--ssh=agent",
                                                "--systemd-user", "--docker", "--no-private-home",
                                                "--worktree", "firefox", NULL}),
        0);
    assert_int_equal(planner_count_notes(&jail.planner, NOTE_SECURITY, "the browser profile"), 7);
    assert_int_equal(planner_count_notes(&jail.planner, NOTE_SECURITY, "--systemd-user is"), 1);
    assert_int_equal(writable_of_host(&jail), 0);
    assert_null(entry_at(&jail, "/data"));
    assert_true(jail.policy.private_home);
    assert_true(is_kind(&jail, PLANNER_PROJECT, PLAN_RO));
    assert_true(is_kind(&jail, PLANNER_HOME, PLAN_TMPFS));
}

/* ---- network ---- */

static void no_host_is_open_that_nobody_named(void **state)
{
    static const struct {
        const char *words[6];
        enum network_mode network;
        size_t hosts;
    } rows[] = {
        {{"chromium"}, NETWORK_OFF, 0},
        {{"--toolchains", "firefox"}, NETWORK_OFF, 0},
        {{"--network", "firefox"}, NETWORK_FULL, 0},
        {{"--allow-host", "example.org", "firefox"}, NETWORK_FILTERED, 1},
        {{"--no-network", "--allow-host", "a.test", "chromium"}, NETWORK_FILTERED, 1},
        {{"--no-network", "chromium"}, NETWORK_OFF, 0},
        {{"--browser", "claude"}, NETWORK_OFF, 0},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_jail_ struct jail jail;
        bool filtered = rows[i].network == NETWORK_FILTERED;

        jail_init(&jail, tree, NULL);
        assert_int_equal(jail_build(&jail, rows[i].words), 0);
        assert_int_equal(jail.policy.network, rows[i].network);
        assert_int_equal(jail.policy.hosts.n, rows[i].hosts);
        if (jail.policy.browser.family == BROWSER_CHROMIUM)
            assert_int_equal(has_word(&jail, "--proxy-server=http://127.0.0.1:15919"), filtered);
        if (jail.policy.browser.family == BROWSER_FIREFOX)
            assert_int_equal(
                strstr(jail.policy.browser.prefs, "\"network.proxy.type\", 1)") != NULL, filtered);
    }
}

static void every_start_says_every_preference(void **state)
{
    static const enum network_mode modes[] = {NETWORK_OFF, NETWORK_FILTERED, NETWORK_FULL};
    _cleanup_free_ char *first = browser_prefs_text(NETWORK_OFF, 15919, NULL);

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
        _cleanup_free_ char *text = browser_prefs_text(modes[i], 15919, "/a\"b\\c\nd");
        _cleanup_strv_ struct strv lines = {0};
        _cleanup_strv_ struct strv others = {0};

        assert_non_null(strstr(text, "\"/a\\\"b\\\\c\\x0ad\");\n"));
        strv_split(&lines, text, '\n');
        strv_split(&others, first, '\n');
        assert_int_equal(lines.n, others.n);
        for (size_t j = 0; j < lines.n; j++)
            assert_int_equal(strcspn(lines.v[j], ","), strcspn(others.v[j], ","));
    }
}

/* ---- words ---- */

static void words_stand_before_the_users_dashes(void **state)
{
    _cleanup_jail_ struct jail jail;
    _cleanup_jail_ struct jail other;

    (void)state;
    jail_init(&jail, tree, NULL);
    assert_int_equal(
        jail_build(&jail, (const char *const[]){"firefox", "a", "--", "b", "--", NULL}), 0);
    assert_int_equal(jail.policy.argv.n, 8);
    assert_string_equal(jail.policy.argv.v[1], "a");
    assert_string_equal(jail.policy.argv.v[2], "--no-remote");
    assert_string_equal(jail.policy.argv.v[3], "--profile");
    assert_string_equal(jail.policy.argv.v[4], HARD "firefox");
    assert_string_equal(jail.policy.argv.v[5], "--");
    jail_init(&other, tree, NULL);
    assert_int_equal(jail_build(&other, (const char *const[]){"--gpu", "chromium", "x", NULL}), 0);
    assert_string_equal(other.policy.argv.v[1], "x");
    assert_false(has_word(&other, "--disable-gpu"));
    assert_false(has_word(&other, "--ozone-platform=wayland"));
    assert_true(has_word(&other, "--user-data-dir=" HARD "chromium/data"));
    assert_int_equal(planner_count_notes(&other.planner, NOTE_SECURITY, "--no-sandbox"), 1);
}

static void chromium_is_told_of_the_only_display(void **state)
{
    static const struct {
        const char *const words[5];
        bool is_told;
    } rows[] = {
        {{"--display", "chromium", NULL}, true},
        {{"--display", "chromium", "--headless", NULL}, false},
        {{"--display", "--x11", "chromium", NULL}, false},
        {{"--x11", "chromium", NULL}, false},
        {{"--display", "firefox", NULL}, false},
        {{"--display", "--lockdown", "chromium", NULL}, false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_jail_ struct jail jail;

        jail_init(&jail, tree, NULL);
        assert_int_equal(jail_build(&jail, rows[i].words), 0);
        assert_int_equal(has_word(&jail, "--ozone-platform=wayland"), rows[i].is_told);
    }
}

static void what_needs_no_display(void **state)
{
    static const struct {
        const char *word;
        bool headless;
        bool tells;
    } rows[] = {
        {"--headless", true, false},
        {"--headless=new", true, false},
        {"-headless", true, false},
        {"--screenshot=/x", true, false},
        {"--version", true, true},
        {"-v", true, true},
        {"--v=1", false, false},
        {"--headlessly", false, false},
        {"http://a/headless", false, false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_strv_ struct strv argv = {0};

        strv_push(&argv, "chromium");
        strv_push(&argv, rows[i].word);
        assert_int_equal(browser_is_headless(&argv), rows[i].headless);
        assert_int_equal(browser_only_tells(&argv), rows[i].tells);
    }
}

/* ---- plan ---- */

static void the_plan_of_a_kept_profile(void **state)
{
    _cleanup_jail_ struct jail jail;
    const struct plan_entry *entry;

    (void)state;
    jail_init(&jail, tree, NULL);
    assert_int_equal(jail_build(&jail, (const char *const[]){"--browser=soft", "firefox", NULL}),
                     0);
    entry = entry_at(&jail, STORE "/firefox");
    assert_non_null(entry);
    assert_int_equal(entry->kind, PLAN_RW);
    assert_true(entry->is_new);
    assert_string_equal(entry->source, entry->dest);
    assert_int_equal(writable_of_host(&jail), 1);
    assert_null(entry_at(&jail, STORE));
}

/* HOME as the project shows the store: what is beside the profile is gone all the same. */
static void nothing_beside_a_kept_profile(void **state)
{
    _cleanup_jail_ struct jail jail;

    (void)state;
    jail_init(&jail, tree, NULL);
    fakefs_add(jail.planner.fakefs, "d " STORE "/firefox 0700 1000\n"
                                    "d " STORE "/chromium 0700 1000\n");
    free(jail.planner.host.cwd);
    free(jail.planner.host.cwd_spelling);
    jail.planner.host.cwd = xstrdup(PLANNER_HOME);
    jail.planner.host.cwd_spelling = xstrdup(PLANNER_HOME);
    assert_int_equal(jail_build(&jail, (const char *const[]){"--allow-broad-project",
                                                             "--browser=soft", "firefox", NULL}),
                     0);
    assert_true(is_kind(&jail, STORE "/firefox", PLAN_RW));
    assert_int_equal(writable_of_host(&jail), 1);
    assert_non_null(entry_at(&jail, PLANNER_HOME "/.local/share/ai-jail"));
    assert_true(jail.policy.plan.n > 0);
    assert_int_equal(plan_look(&jail.policy.plan, STORE "/chromium").host_path == NULL, true);
}

static void a_link_is_no_profile(void **state)
{
    _cleanup_jail_ struct jail jail;

    (void)state;
    jail_init(&jail, tree, NULL);
    fakefs_add(jail.planner.fakefs, "l " STORE "/firefox /home/u/.ssh\n");
    assert_int_equal(jail_build(&jail, (const char *const[]){"--browser=soft", "firefox", NULL}),
                     -ENOTDIR);
}

static void downloads(void **state)
{
    static const char *const refused[] = {
        "/",     PLANNER_HOME,         PLANNER_PROJECT, "/home",
        "/usr",  PLANNER_HOME "/.ssh", "/etc",          PLANNER_HOME "/.mozilla",
        "/nope", "/usr/bin/chromium",  "/proc",         PLANNER_HOME "/.local/share/ai-jail",
        "/tmp",
    };
    _cleanup_jail_ struct jail jail;

    (void)state;
    jail_init(&jail, tree, NULL);
    assert_int_equal(
        jail_build(&jail, (const char *const[]){"--downloads", "/dl", "firefox", NULL}), 0);
    assert_true(is_kind(&jail, DL, PLAN_RW));
    assert_true(is_kind(&jail, "/dl", PLAN_SYMLINK));
    assert_int_equal(writable_of_host(&jail), 1);
    assert_string_equal(entry_at(&jail, PLANNER_HOME "/.config/user-dirs.dirs")->data,
                        "XDG_DOWNLOAD_DIR=\"" DL "\"\n");
    for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
        _cleanup_jail_ struct jail no;

        jail_init(&no, tree, NULL);
        fakefs_add(no.planner.fakefs, "d " PLANNER_HOME "/.local/share/ai-jail 0700 1000\n");
        if (jail_build(&no, (const char *const[]){"--downloads", refused[i], "firefox", NULL}) == 0)
            fail_msg("%s", refused[i]);
        assert_non_null(strstr(no.error.text, "--downloads"));
    }
}

static void downloads_are_for_browsers(void **state)
{
    _cleanup_jail_ struct jail jail;

    (void)state;
    jail_init(&jail, tree, NULL);
    assert_int_equal(jail_build(&jail, (const char *const[]){"--downloads", DL, "bash", NULL}),
                     -EINVAL);
    assert_non_null(strstr(jail.error.text, "--rw-map"));
}

/* ---- store ---- */

struct store {
    char base[64];
    char *path;
    struct browser browser;
};

static void store_init(struct store *store)
{
    strcpy(store->base, "/tmp/ai-jail-test-XXXXXX");
    assert_non_null(mkdtemp(store->base));
    store->path = xasprintf("%s/browsers", store->base);
    assert_int_equal(mkdir(store->path, 0700), 0);
    store->browser = (struct browser){
        .profile = BROWSER_SOFT,
        .name = xstrdup("firefox"),
        .state = xasprintf("%s/firefox", store->path),
        .prefs = xstrdup("user_pref(\"a\", 1);\n"),
    };
    assert_int_equal(mkdir(store->browser.state, 0755), 0);
}

static void store_free(struct store *store)
{
    _cleanup_free_ char *command = xasprintf("rm -rf %s", store->base);

    assert_int_equal(system(command), 0);
    browser_free(&store->browser);
    free(store->path);
}

/* The lock lives as long as a process. 0, or the code of the failure. */
static int hold_in_child(const struct store *store)
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        struct error error;

        _exit(-browser_store_hold(&store->browser, &error));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void a_kept_profile_is_settled_at_each_start(void **state)
{
    struct store store;
    _cleanup_free_ char *prefs = NULL;
    struct stat st;

    (void)state;
    store_init(&store);
    prefs = xasprintf("%s/user.js", store.browser.state);
    assert_int_equal(mkdir(prefs, 0), 0); /* a browser may leave anything */
    assert_int_equal(hold_in_child(&store), 0);
    assert_int_equal(stat(store.browser.state, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    assert_int_equal(lstat(prefs, &st), 0);
    assert_true(S_ISREG(st.st_mode));
    assert_int_equal(unlink(prefs), 0);
    assert_int_equal(symlink("/etc/passwd", prefs), 0);
    assert_int_equal(hold_in_child(&store), 0);
    assert_int_equal(lstat(prefs, &st), 0);
    assert_true(S_ISREG(st.st_mode));
    store_free(&store);
}

static void one_run_at_a_time(void **state)
{
    struct store store;
    struct browser_kept_list list;
    struct error error;
    _cleanup_free_ char *lock = NULL;
    int fd;

    (void)state;
    store_init(&store);
    assert_int_equal(hold_in_child(&store), 0);
    lock = xasprintf("%s/browser-locks/firefox", store.base);
    fd = open(lock, O_RDWR | O_CLOEXEC);
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
    assert_int_equal(hold_in_child(&store), EBUSY);
    assert_int_equal(browser_store_list(&list, store.path, &error), 0);
    assert_int_equal(list.n, 1);
    assert_string_equal(list.v[0].name, "firefox");
    assert_int_not_equal(list.v[0].holder, 0);
    browser_kept_free(&list);
    assert_int_equal(browser_store_forget(store.path, "firefox", &error), -EBUSY);
    close(fd);
    assert_int_equal(browser_store_list(&list, store.path, &error), 0);
    assert_int_equal(list.v[0].holder, 0);
    browser_kept_free(&list);
    assert_int_equal(hold_in_child(&store), 0);
    store_free(&store);
}

static void forgetting_follows_no_link(void **state)
{
    static const char *const names[] = {"nope", "", ".", "..", "firefox/", "../browsers", "link"};
    struct store store;
    struct error error;
    _cleanup_free_ char *outside = NULL;
    _cleanup_free_ char *inside = NULL;
    _cleanup_free_ char *link = NULL;

    (void)state;
    store_init(&store);
    outside = xasprintf("%s/outside", store.base);
    inside = xasprintf("%s/link", store.browser.state);
    link = xasprintf("%s/link", store.path);
    assert_int_equal(mkdir(outside, 0700), 0);
    assert_int_equal(symlink(outside, inside), 0);
    assert_int_equal(symlink(outside, link), 0);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        assert_int_equal(browser_store_forget(store.path, names[i], &error), -ENOENT);
    assert_int_equal(chmod(store.browser.state, 0), 0);
    assert_int_equal(browser_store_forget(store.path, "firefox", &error), 0);
    assert_int_equal(access(store.browser.state, F_OK), -1);
    assert_int_equal(access(outside, F_OK), 0);
    assert_int_equal(access(link, F_OK), 0);
    assert_int_equal(browser_store_forget(store.path, "firefox", &error), -ENOENT);
    store_free(&store);
}

static void a_store_that_others_may_change_is_refused(void **state)
{
    struct store store;
    struct error error;

    (void)state;
    store_init(&store);
    assert_int_equal(chmod(store.path, 0777), 0);
    assert_int_equal(hold_in_child(&store), EPERM);
    assert_int_equal(browser_store_forget(store.path, "firefox", &error), -EPERM);
    store_free(&store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_names_and_what_is_said),
        cmocka_unit_test(names_that_are_no_directory),
        cmocka_unit_test(strangers_and_lockdown_keep_nothing),
        cmocka_unit_test(lockdown_and_a_browser_are_both_there),
        cmocka_unit_test(each_setting_of_the_column_is_dropped),
        cmocka_unit_test(what_is_dropped_is_said_once_each),
        cmocka_unit_test(no_host_is_open_that_nobody_named),
        cmocka_unit_test(every_start_says_every_preference),
        cmocka_unit_test(words_stand_before_the_users_dashes),
        cmocka_unit_test(chromium_is_told_of_the_only_display),
        cmocka_unit_test(what_needs_no_display),
        cmocka_unit_test(the_plan_of_a_kept_profile),
        cmocka_unit_test(nothing_beside_a_kept_profile),
        cmocka_unit_test(a_link_is_no_profile),
        cmocka_unit_test(downloads),
        cmocka_unit_test(downloads_are_for_browsers),
        cmocka_unit_test(a_kept_profile_is_settled_at_each_start),
        cmocka_unit_test(one_run_at_a_time),
        cmocka_unit_test(forgetting_follows_no_link),
        cmocka_unit_test(a_store_that_others_may_change_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
