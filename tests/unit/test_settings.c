// SPDX-License-Identifier: GPL-3.0-only
/*
 * The settings table and what is made from it: complete, in order, every name once, every row
 * consistent in itself, and each default and polarity as documented.
 */
#include "config/args.h"
#include "config/nearest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The facts again, written down a second time and by hand: a slip in the table shows here. */
struct fact {
    enum setting_id id;
    const char *flag; /* NULL: files only */
    const char *key;  /* with a leading '!' if inverted */
    bool has_twin;
    bool preset;
    bool strict;
    enum setting_trust trust;
    enum setting_form_in_file form;
    enum setting_support support;
};

#define N SUPPORT_NO_EFFECT
#define R SUPPORT_REFUSED

static const struct fact facts[] = {
    {SET_COMMAND, NULL, "command", 0, 0, 0, TRUST_FREE, FILE_STRINGS, 0},
    {SET_RO_MAPS, "map", "ro_maps", 0, 0, 0, TRUST_INSIDE, FILE_STRINGS, 0},
    {SET_RW_MAPS, "rw-map", "rw_maps", 0, 0, 0, TRUST_INSIDE, FILE_STRINGS, 0},
    {SET_OVERLAY_MAPS, "overlay-map", "overlay_maps", 0, 0, 0, TRUST_INSIDE, FILE_STRINGS, 0},
    {SET_MASK, "mask", "mask", 0, 0, 0, TRUST_ADD, FILE_STRINGS, 0},
    {SET_DENY_PATHS, "deny-path", "deny_paths", 0, 0, 0, TRUST_ADD, FILE_STRINGS, 0},
    {SET_MASK_EXCEPTIONS, "mask-except", "mask_exceptions", 0, 0, 0, TRUST_REFUSED, FILE_STRINGS,
     0},
    {SET_DENY_PATH_EXCEPTIONS, "deny-path-except", "deny_path_exceptions", 0, 0, 0, TRUST_REFUSED,
     FILE_STRINGS, 0},
    {SET_HIDE_DOTDIRS, "hide-dotdir", "hide_dotdirs", 0, 0, 0, TRUST_ADD, FILE_STRINGS, 0},
    {SET_PRIVATE_HOME, "private-home", "private_home", 1, 1, 1, TRUST_TIGHTEN, FILE_BOOL, 0},
    {SET_AGENT_STATE, "agent-state", "agent_state", 1, 1, 0, TRUST_TIGHTEN, FILE_BOOL, 0},
    {SET_CLAUDE_DIR, "claude-dir", "claude_dir", 0, 0, 0, TRUST_REFUSED, FILE_STRING, 0},
    {SET_TOOLCHAINS, "toolchains", "!no_toolchains", 1, 1, 0, TRUST_TIGHTEN, FILE_BOOL, 0},
    {SET_MISE, "mise", "!no_mise", 1, 1, 0, TRUST_TIGHTEN, FILE_BOOL, 0},
    {SET_WORKTREE, "worktree", "!no_worktree", 1, 0, 0, TRUST_TIGHTEN, FILE_BOOL, 0},
    {SET_PROTECT_GIT, "protect-git", "protect_git", 1, 1, 1, TRUST_TIGHTEN, FILE_BOOL, 0},
    {SET_HIDE_CONFIG, "hide-config", "!no_hide_config", 1, 1, 1, TRUST_TIGHTEN, FILE_BOOL, 0},
    {SET_ALLOW_BROAD_PROJECT, "allow-broad-project", NULL, 0, 0, 0, TRUST_CLI_ONLY, FILE_NONE, 0},
    {SET_LOCKDOWN, "lockdown", "lockdown", 1, 0, 1, TRUST_TIGHTEN, FILE_BOOL, 0},
    {SET_LANDLOCK, "landlock", "!no_landlock", 1, 1, 1, TRUST_TIGHTEN, FILE_BOOL, 0},
    {SET_SECCOMP, "seccomp", "!no_seccomp", 1, 1, 1, TRUST_TIGHTEN, FILE_BOOL, 0},
    {SET_RLIMITS, "rlimits", "!no_rlimits", 1, 1, 1, TRUST_TIGHTEN, FILE_BOOL, 0},
    {SET_ALLOW_DEBUG, "allow-debug", "allow_debug", 1, 0, 0, TRUST_TIGHTEN, FILE_BOOL, 0},
    {SET_BROWSER_PROFILE, "browser", "browser_profile", 1, 0, 0, TRUST_REFUSED, FILE_STRING, 0},
    {SET_DOWNLOADS, "downloads", NULL, 0, 0, 0, TRUST_CLI_ONLY, FILE_NONE, 0},
    {SET_GPU, "gpu", "!no_gpu", 1, 0, 0, TRUST_TIGHTEN, FILE_BOOL, 0},
    {SET_KVM, "kvm", "kvm", 1, 0, 0, TRUST_TIGHTEN, FILE_BOOL, 0},
    {SET_DISPLAY, "display", "!no_display", 1, 0, 0, TRUST_TIGHTEN, FILE_BOOL, 0},
    {SET_X11, "x11", "x11", 1, 0, 0, TRUST_TIGHTEN, FILE_BOOL, 0},
    {SET_AUDIO, "audio", "audio", 1, 0, 0, TRUST_TIGHTEN, FILE_BOOL, 0},
    {SET_HOST_SHM, "host-shm", "host_shm", 1, 0, 0, TRUST_TIGHTEN, FILE_BOOL, 0},
    {SET_DOCKER, "docker", "!no_docker", 1, 0, 0, TRUST_TIGHTEN, FILE_BOOL, 0},
    {SET_DOCKER_CONFIG, "docker-config", "docker_config", 1, 0, 0, TRUST_TIGHTEN, FILE_BOOL, 0},
    {SET_SYSTEMD_USER, "systemd-user", "systemd_user", 1, 0, 0, TRUST_TIGHTEN, FILE_BOOL, 0},
    {SET_TAILSCALE, "tailscale", "tailscale", 1, 0, 0, TRUST_TIGHTEN, FILE_BOOL, 0},
    {SET_SSH, "ssh", "ssh", 1, 0, 0, TRUST_TIGHTEN, FILE_BOOL_OR_WORD, 0},
    {SET_PICTURES, "pictures", "pictures", 1, 0, 0, TRUST_TIGHTEN, FILE_BOOL, 0},
    {SET_GITHUB, "github", "github", 1, 0, 0, TRUST_TIGHTEN, FILE_BOOL, 0},
    {SET_AWS, "aws", "aws", 1, 0, 0, TRUST_TIGHTEN, FILE_BOOL, 0},
    {SET_KUBE, "kube", "kube", 1, 0, 0, TRUST_TIGHTEN, FILE_BOOL, 0},
    {SET_GCLOUD, "gcloud", "gcloud", 1, 0, 0, TRUST_TIGHTEN, FILE_BOOL, 0},
    {SET_MACOS_HOST_IPC, "macos-host-ipc", "macos_host_ipc", 1, 0, 0, TRUST_TIGHTEN, FILE_BOOL, N},
    {SET_NETWORK, "network", "network", 1, 0, 0, TRUST_TIGHTEN, FILE_BOOL, 0},
    {SET_ALLOW_HOSTS, "allow-host", "allow_hosts", 0, 0, 0, TRUST_NARROW, FILE_STRINGS, 0},
    {SET_ALLOW_PRIVATE, "allow-private", "allow_private", 0, 0, 0, TRUST_REFUSED, FILE_STRINGS, 0},
    {SET_FORWARD_PORTS, "forward-port", "forward_ports", 0, 0, 0, TRUST_REFUSED, FILE_PORTS, 0},
    {SET_PUBLISH_PORTS, "publish", "publish_ports", 0, 0, 0, TRUST_REFUSED, FILE_PORTS, 0},
    {SET_SECRET_HOSTS, "secret", "secret_hosts", 0, 0, 0, TRUST_REFUSED, FILE_HOSTS_BY_KEY, 0},
    {SET_ALLOW_TCP_PORTS, "allow-tcp-port", "allow_tcp_ports", 0, 0, 0, TRUST_REFUSED,
     FILE_PORT_NUMBERS, R},
    {SET_ENV_PASS, "env", "env_pass", 0, 0, 0, TRUST_REFUSED, FILE_STRINGS, 0},
    {SET_ENV_FROM_FILE, "env-from-file", "env_from_file", 0, 0, 0, TRUST_REFUSED, FILE_STRINGS, 0},
    {SET_INHERIT_ENV, "inherit-env", "inherit_env", 1, 0, 0, TRUST_TIGHTEN, FILE_BOOL, 0},
    {SET_STATUS_BAR, "status-bar", NULL, 1, 0, 0, TRUST_CLI_ONLY, FILE_NONE, 0},
    {SET_EXEC, "exec", NULL, 0, 0, 0, TRUST_CLI_ONLY, FILE_NONE, 0},
    {SET_TERMINAL_PASSTHROUGH, "terminal-passthrough", "terminal_passthrough", 1, 0, 0,
     TRUST_TIGHTEN, FILE_BOOL, 0},
    {SET_CLIPBOARD, "clipboard", "clipboard", 1, 0, 0, TRUST_TIGHTEN, FILE_STRING, 0},
    {SET_BACKEND, "backend", NULL, 0, 0, 0, TRUST_CLI_ONLY, FILE_NONE, 0},
    {SET_VERBOSE, "verbose", NULL, 0, 0, 0, TRUST_CLI_ONLY, FILE_NONE, 0},
    {SET_SAVE_CONFIG, "save-config", "!no_save_config", 1, 1, 0, TRUST_FREE, FILE_BOOL, 0},
    {SET_AUDIT_LOG, "audit-log", "audit_log", 1, 0, 1, TRUST_TIGHTEN, FILE_BOOL, 0},
    {SET_REPORT, "report", NULL, 0, 0, 0, TRUST_CLI_ONLY, FILE_NONE, 0},
    {SET_UPDATE_CHECK, "update-check", "update_check", 1, 0, 0, TRUST_TIGHTEN, FILE_BOOL, 0},
    {SET_TRUST_PROJECT_CONFIG, NULL, "trust_project_config", 0, 0, 0, TRUST_GLOBAL, FILE_STRINGS,
     0},
    {SET_STATUS_BAR_SWITCH, NULL, "!no_status_bar", 0, 0, 0, TRUST_IGNORED, FILE_BOOL, 0},
    {SET_STATUS_BAR_STYLE, NULL, "status_bar_style", 0, 0, 0, TRUST_IGNORED, FILE_STRING, 0},
    {SET_RESIZE_REDRAW_KEY, NULL, "resize_redraw_key", 0, 0, 0, TRUST_IGNORED, FILE_STRING, 0},
};
static_assert(ARRAY_SIZE(facts) == SET_COUNT, "one fact per row");

#undef N
#undef R

static void test_rows_are_the_documented_ones(void **state)
{
    (void)state;
    for (size_t i = 0; i < SET_COUNT; i++) {
        const struct setting *row = &settings[i];
        const struct fact *fact = &facts[i];
        bool inverted = fact->key && fact->key[0] == '!';

        assert_int_equal(row->id, i);
        assert_int_equal(fact->id, i);
        assert_true(str_eq(row->flag, fact->flag));
        assert_true(str_eq(row->key, inverted ? fact->key + 1 : fact->key));
        assert_int_equal(row->inverted, inverted);
        assert_int_equal(row->has_twin, fact->has_twin);
        assert_int_equal(row->preset, fact->preset);
        assert_int_equal(row->strict, fact->strict);
        assert_int_equal(row->trust, fact->trust);
        assert_int_equal(row->form, fact->form);
        assert_int_equal(row->support, fact->support);
    }
    assert_string_equal(settings[SET_RO_MAPS].alias, "ro-map");
    assert_int_equal(settings[SET_VERBOSE].short_flag, 'v');
    assert_int_equal(settings[SET_STATUS_BAR].short_flag, 's');
}

static bool is_of_type(enum setting_form_in_file form, enum setting_type type)
{
    switch (form) {
    case FILE_NONE:
        return true;
    case FILE_BOOL:
        return type == TYPE_BOOL;
    case FILE_STRING:
        return type == TYPE_WORD || type == TYPE_TEXT;
    case FILE_BOOL_OR_WORD:
        return type == TYPE_WORD;
    default:
        return type == TYPE_LIST;
    }
}

static void check_words(const struct setting *row)
{
    bool is_word = row->type == TYPE_WORD;
    bool has_order = is_word && row->trust == TRUST_TIGHTEN;

    assert_int_equal(is_word, row->words != NULL);
    assert_int_equal(is_word && row->id != SET_BACKEND, row->bare_word != NULL);
    assert_int_equal(is_word, row->preset_word != NULL);
    assert_int_equal(has_order, row->strict_order != NULL);
    assert_true(is_word || (!row->twin_word && !row->synonyms));
    assert_true(row->twin_word || !is_word || !row->has_twin);
    assert_true(row->twin_word || row->form != FILE_BOOL_OR_WORD);
    for (size_t i = 0; row->synonyms && row->synonyms[i]; i += 2) {
        assert_null(settings_find_word(row, row->synonyms[i]));
        assert_non_null(settings_find_word(row, row->synonyms[i + 1]));
    }
}

/* A row with a flag can be written and is explained; one without is of files alone. */
static void check_flag(const struct setting *row)
{
    bool wants_argument = row->flag && (row->type == TYPE_LIST || row->type == TYPE_TEXT);

    assert_int_equal(wants_argument, row->arg != NULL);
    assert_int_equal(row->flag != NULL, row->section != NULL);
    assert_int_equal(row->flag != NULL, row->help != NULL);
    assert_true(row->flag || row->key);
    assert_true(row->flag || (!row->alias && !row->short_flag && !row->has_twin));
    assert_true(row->flag || !row->capability);
    assert_true(!row->help || (strlen(row->help) > 10 && row->help[strlen(row->help) - 1] == '.'));
    assert_true(!row->has_twin || row->type == TYPE_BOOL || row->type == TYPE_WORD);
    assert_true(!(row->capability & FORM_ALIAS) || row->alias);
    assert_true(!(row->capability & FORM_TWIN) || row->has_twin);
}

static void test_rows_are_consistent(void **state)
{
    (void)state;
    for (size_t i = 0; i < SET_COUNT; i++) {
        const struct setting *row = &settings[i];
        bool appends = row->type == TYPE_LIST && row->id != SET_COMMAND;

        assert_int_equal(appends, row->merge != MERGE_REPLACE);
        assert_int_equal(row->key == NULL, row->trust == TRUST_CLI_ONLY);
        assert_int_equal(row->key == NULL, row->form == FILE_NONE);
        assert_true(is_of_type(row->form, row->type));
        assert_true(!row->inverted || (row->type == TYPE_BOOL && str_starts(row->key, "no_")));
        assert_true(row->type == TYPE_BOOL || (!row->preset && !row->strict));
        assert_true(!row->fault || row->type == TYPE_LIST);
        assert_true(row->paths == PATHS_NONE || row->type == TYPE_LIST || row->type == TYPE_TEXT);
        check_flag(row);
        check_words(row);
    }
    assert_int_equal(settings[SET_RO_MAPS].paths, PATHS_MAP);
    assert_int_equal(settings[SET_OVERLAY_MAPS].paths, PATHS_ABSOLUTE);
    assert_int_equal(settings[SET_MASK].paths, PATHS_TILDE);
    assert_int_equal(settings[SET_ENV_PASS].merge, MERGE_APPEND_ALL);
}

/* What is off unless it is said cannot be missed: a value that cannot be fulfilled never opens. */
static void test_unsupported_keys_are_closed_by_default(void **state)
{
    (void)state;
    for (size_t i = 0; i < SET_COUNT; i++)
        if (settings[i].support != SUPPORT_FULL)
            assert_false(settings[i].preset);
}

static void test_sections_stand_together(void **state)
{
    const char *seen[SET_COUNT];
    size_t n = 0;

    (void)state;
    for (size_t i = 0; i < SET_COUNT; i++) {
        if (!settings[i].flag || (n && str_eq(settings[i].section, seen[n - 1])))
            continue;
        for (size_t j = 0; j < n; j++)
            assert_string_not_equal(settings[i].section, seen[j]);
        seen[n++] = settings[i].section;
    }
    assert_true(n > 3);
}

static void test_names_are_unique(void **state)
{
    struct option_words words;

    (void)state;
    options_list(&words);
    for (size_t i = 0; i < words.n; i++) {
        assert_true(strspn(words.v[i].name, "abcdefghijklmnopqrstuvwxyz0123456789-") ==
                    strlen(words.v[i].name));
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(words.v[i].name, words.v[j].name);
            assert_true(!words.v[i].short_flag || words.v[i].short_flag != words.v[j].short_flag);
        }
    }
    for (size_t i = 0; i < SET_COUNT; i++)
        for (size_t j = 0; j < i; j++)
            assert_true(!settings[i].key || !str_eq(settings[i].key, settings[j].key));
}

static void test_capability_spellings(void **state)
{
    static const char *const expected[] = {
        "ro-map",
        "rw-map",
        "overlay-map",
        "deny-path",
        "hide-dotdir",
        "private-home",
        "no-private-home",
        "agent-state",
        "no-agent-state",
        "worktree",
        "protect-git",
        "no-protect-git",
        "lockdown",
        "no-lockdown",
        "landlock",
        "no-landlock",
        "seccomp",
        "no-seccomp",
        "rlimits",
        "no-rlimits",
        "gpu",
        "kvm",
        "display",
        "x11",
        "audio",
        "host-shm",
        "docker",
        "docker-config",
        "systemd-user",
        "tailscale",
        "pictures",
        "github",
        "aws",
        "kube",
        "gcloud",
        "macos-host-ipc",
        "network",
        "no-network",
        "allow-host",
        "allow-private",
        "forward-port",
        "publish",
        "secret",
        "inherit-env",
        "terminal-passthrough",
    };
    struct option_words words;
    size_t found = 0;

    (void)state;
    options_list(&words);
    for (size_t i = 0; i < words.n; i++) {
        const struct option_word *word = &words.v[i];

        if (word->kind != OPTION_SETTING || !(settings[word->setting].capability & word->form))
            continue;
        assert_true(found < ARRAY_SIZE(expected));
        assert_string_equal(word->name, expected[found]);
        found++;
    }
    assert_int_equal(found, ARRAY_SIZE(expected));
}

static void test_lookup_by_key(void **state)
{
    (void)state;
    for (size_t i = 0; i < SET_COUNT; i++)
        if (settings[i].key)
            assert_ptr_equal(settings_by_key(settings[i].key), &settings[i]);
    assert_null(settings_by_key("status_bar"));
    assert_null(settings_by_key("Network"));
    assert_null(settings_by_key(""));
}

static void test_env_entries(void **state)
{
    const char *(*fault)(const char *) = settings[SET_ENV_PASS].fault;

    (void)state;
    assert_non_null(fault);
    assert_null(fault("NAME"));
    assert_null(fault("NAME="));
    assert_null(fault("NAME=a=b"));
    assert_null(fault("\xff=\xfe"));
    assert_non_null(fault("="));
    assert_non_null(fault("=secret"));
    assert_null(strstr(fault("=secret"), "secret"));
}

static void test_words(void **state)
{
    const struct setting *row = &settings[SET_CLIPBOARD];
    _cleanup_free_ char *joined = settings_join_words(row, "|");
    char copy[] = "copy";

    (void)state;
    assert_string_equal(joined, "copy|off");
    assert_string_equal(row->bare_word, "copy");
    assert_string_equal(row->twin_word, "off");
    assert_string_equal(row->preset_word, "off");
    assert_string_equal(row->strict_order[0], "off");
    assert_ptr_equal(settings_find_word(row, copy), row->words[0]);
    assert_null(settings_find_word(row, "cop"));
    assert_null(settings_find_word(row, "copyx"));
    assert_null(settings_find_word(row, "COPY"));
    assert_null(settings_find_word(row, ""));
}

/* A file may know more spellings than the command line. */
static void test_file_words(void **state)
{
    static const char *const meanings[][2] = {
        {"hard", "hard"}, {"isolated", "hard"},   {"ephemeral", "hard"},
        {"soft", "soft"}, {"persistent", "soft"}, {"survivable", "soft"},
        {"off", "off"},   {"none", "off"},        {"disabled", "off"},
    };
    const struct setting *row = &settings[SET_BROWSER_PROFILE];

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(meanings); i++)
        assert_string_equal(settings_find_file_word(row, meanings[i][0]), meanings[i][1]);
    assert_null(settings_find_file_word(row, "auto"));
    assert_null(settings_find_word(row, "isolated"));
    assert_string_equal(settings_find_file_word(&settings[SET_SSH], "agent"), "agent");
    assert_null(settings_find_file_word(&settings[SET_SSH], "on"));
}

static void test_dotdir_entries(void **state)
{
    const char *(*fault)(const char *) = settings[SET_HIDE_DOTDIRS].fault;

    (void)state;
    assert_non_null(fault);
    assert_null(fault(".ssh"));
    assert_null(fault("ssh"));
    assert_null(fault("..a"));
    assert_non_null(fault("."));
    assert_non_null(fault(".."));
    assert_non_null(fault("canary/x"));
    assert_null(strstr(fault("canary/x"), "canary"));
}

static const char *nearest_of(const char *word, const char *const *candidates, size_t limit)
{
    struct nearest nearest;

    nearest_init(&nearest, word, strlen(word), limit);
    for (; *candidates; candidates++)
        nearest_offer(&nearest, *candidates);
    return nearest.best;
}

static void test_nearest(void **state)
{
    static const char *const words[] = {"network", "no-network", "landlock", "map", "rw-map", NULL};
    static const char *const empty[] = {"", NULL};
    static const char *const twins[] = {"ab", "ac", NULL};
    char *huge = xcalloc(100001, 1);

    (void)state;
    memset(huge, 'n', 100000);
    assert_string_equal(nearest_of("netwrok", words, 2), "network"); /* swapped: two edits */
    assert_string_equal(nearest_of("network", words, 0), "network");
    assert_string_equal(nearest_of("nnetwork", words, 1), "network"); /* insert */
    assert_string_equal(nearest_of("etwork", words, 1), "network");   /* delete */
    assert_string_equal(nearest_of("netw0rk", words, 1), "network");  /* replace */
    assert_null(nearest_of("netw", words, 2));
    assert_null(nearest_of("netwrok", words, 1));
    assert_null(nearest_of("", words, 2));
    assert_string_equal(nearest_of("", words, 3), "map");
    assert_string_equal(nearest_of("ab", empty, 2), "");
    assert_string_equal(nearest_of("ad", twins, 2), "ab");
    assert_null(nearest_of(huge, words, 2));
    free(huge);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_the_documented_ones),
        cmocka_unit_test(test_rows_are_consistent),
        cmocka_unit_test(test_unsupported_keys_are_closed_by_default),
        cmocka_unit_test(test_sections_stand_together),
        cmocka_unit_test(test_names_are_unique),
        cmocka_unit_test(test_capability_spellings),
        cmocka_unit_test(test_lookup_by_key),
        cmocka_unit_test(test_env_entries),
        cmocka_unit_test(test_dotdir_entries),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_file_words),
        cmocka_unit_test(test_nearest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
