// SPDX-License-Identifier: GPL-3.0-only
/*
 * The command's environment: what passes by itself, what only on request, what never, and the few
 * files that a variable makes visible.
 */
#include "policy/env_names.h"
#include "support/env_row.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CANARY "canary-5f3a"

/* ---- names ---- */

static const char *const base_names[] = {
    "PATH",
    "USER",
    "LOGNAME",
    "SHELL",
    "TERM",
    "COLORTERM",
    "COLORFGBG",
    "VTE_VERSION",
    "NO_COLOR",
    "FORCE_COLOR",
    "LANG",
    "LANGUAGE",
    "TZ",
    "EDITOR",
    "VISUAL",
    "LC_ALL",
    "LC_X_Y",
    "TERM_PROGRAM",
    "TERM_PROGRAM_VERSION",
    "XDG_SESSION_TYPE",
    "XDG_CURRENT_DESKTOP",
};

static const char *const never_names[] = {
    "SSH_AUTH_SOCK",
    "SSH_AGENT_PID",
    "GPG_AGENT_INFO",
    "DOCKER_HOST",
    "BWRAP_BIN",
    "DBUS_SESSION_BUS_ADDRESS",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "TMUX",
    "TMUX_PANE",
    "STY",
    "KITTY_LISTEN_ON",
    "KITTY_PUBLIC_KEY",
    "WEZTERM_UNIX_SOCKET",
    "ALACRITTY_SOCKET",
    "GHOSTTY_BIN_DIR",
    "ITERM_SESSION_ID",
    "WINDOWID",
    "TERM_SESSION_ID",
    "ZELLIJ",
    "ZELLIJ_SESSION_NAME",
    "HERDR_SOCKET",
    "VSCODE_IPC_HOOK_CLI",
    "AI_JAIL_X",
};

/* P-ENV-1, P-ENV-2: secrets, and variables that steer programs. With the never-list 60 names. */
static const char *const canary_names[] = {
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AZURE_CLIENT_SECRET",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "GEMINI_API_KEY",
    "XAI_API_KEY",
    "MOONSHOT_API_KEY",
    "GITHUB_TOKEN",
    "GH_TOKEN",
    "GITLAB_TOKEN",
    "NPM_TOKEN",
    "PYPI_TOKEN",
    "DATABASE_URL",
    "PGPASSWORD",
    "KUBECONFIG",
    "VAULT_TOKEN",
    "SLACK_TOKEN",
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "LD_AUDIT",
    "NODE_OPTIONS",
    "BUN_OPTIONS",
    "PYTHONSTARTUP",
    "PYTHONPATH",
    "PERL5OPT",
    "RUBYOPT",
    "GIT_SSH_COMMAND",
    "GIT_CONFIG_GLOBAL",
    "JAVA_TOOL_OPTIONS",
    "BASH_ENV",
    "ENV",
    "PROMPT_COMMAND",
};

static void base_names_pass(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(base_names); i++) {
        _cleanup_free_ char *entry = xasprintf("%s=dumb", base_names[i]);
        struct env_row row = {
            .id = base_names[i], .host = {entry}, .name = base_names[i], .want = "dumb"};

        env_rows_check(&row, 1);
        row.inherit = true;
        env_rows_check(&row, 1);
    }
}

static void never_names_pass_only_by_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(never_names); i++) {
        _cleanup_free_ char *entry = xasprintf("%s=x", never_names[i]);
        struct env_row row = {.id = never_names[i], .host = {entry}, .name = never_names[i]};

        env_rows_check(&row, 1);
        row.inherit = true; /* P-ENV-3 */
        env_rows_check(&row, 1);
        row.passed[0] = never_names[i];
        row.want = "x";
        env_rows_check(&row, 1);
    }
}

static void no_canary_is_inherited(void **state)
{
    static const size_t count = ARRAY_SIZE(canary_names) + ARRAY_SIZE(never_names);
    char *entries[ARRAY_SIZE(canary_names) + ARRAY_SIZE(never_names) + 1] = {NULL};
    _cleanup_planner_ struct planner planner;
    _cleanup_strv_ struct strv env = {0};
    _cleanup_free_ char *all = NULL;

    (void)state;
    assert_int_equal(count, 60);
    for (size_t i = 0; i < count; i++)
        entries[i] = xasprintf("%s=" CANARY, i < ARRAY_SIZE(canary_names)
                                                 ? canary_names[i]
                                                 : never_names[i - ARRAY_SIZE(canary_names)]);
    planner_init(&planner, NULL, (const char *const *)entries);
    assert_int_equal(planner.host.environ.n, 60);
    assert_int_equal(
        environment_build(&env, &planner.config, &planner.host,
                          &(struct environment_needs){.network = NETWORK_FULL, .argv0 = "claude"},
                          &planner.plan, &planner.notes, NULL),
        0);
    all = strv_join(&env, "\n");
    assert_null(strstr(all, CANARY));
    for (size_t i = 0; i < count; i++) {
        entries[i][strcspn(entries[i], "=")] = '\0';
        if (env_value(&env, entries[i]))
            fail_msg("%s is set", entries[i]);
        free(entries[i]);
    }
}

static void every_name_is_found_in_the_table(void **state)
{
    static const struct {
        const char *name;
        enum env_treatment want;
    } rows[] = {
        {"", ENV_UNKNOWN},
        {"PAT", ENV_UNKNOWN},
        {"PATH", ENV_COPY},
        {"PATHS", ENV_UNKNOWN},
        {"ALACRITTY_SOCKET", ENV_NEVER},
        {"no_proxy", ENV_PROXY},
        {"npm_config_https_proxy", ENV_PROXY_LIKE},
        {"CARGO_HTTP_PROXY", ENV_PROXY_LIKE},
        {"_proxy", ENV_UNKNOWN},
        {"LC_", ENV_COPY},
        {"LCX", ENV_UNKNOWN},
        {"XDG_DATA_DIRS", ENV_XDG_DIRS},
        {"XDG_DATA_HOME", ENV_XDG_HOME},
        {"XDG_RUNTIME_DIR", ENV_NEVER},
        {"XDG_DIRS", ENV_XDG_DIRS},
        {"SSL_CERT_DIR", ENV_CERT_DIRS},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (env_treatment_of(rows[i].name, strlen(rows[i].name)) != rows[i].want)
            fail_msg("%s", rows[i].name);
    for (size_t i = 0; i < ARRAY_SIZE(base_names); i++)
        assert_int_equal(env_treatment_of(base_names[i], strlen(base_names[i])), ENV_COPY);
    for (size_t i = 0; i < ARRAY_SIZE(never_names); i++)
        assert_int_equal(env_treatment_of(never_names[i], strlen(never_names[i])), ENV_NEVER);
    /* the name ends where the caller says */
    assert_int_equal(env_treatment_of("PATH=/bin", 4), ENV_COPY);
}

/* ---- the whole list ---- */

static void an_ordinary_run_has_exactly_this(void **state)
{
    static const char *const want[] = {
        "AI_JAIL=1",     "HOME=/home/u",   "LANG=C.UTF-8",
        "LC_TIME=de_DE", "LOGNAME=u",      "MISE_NOT_FOUND_AUTO_INSTALL=false",
        "PATH=/usr/bin", "SHELL=/bin/zsh", "TERM=dumb",
        "TMPDIR=/tmp",   "USER=u",         "XDG_RUNTIME_DIR=/run/user/1000",
        "_ZO_DOCTOR=0"};
    struct env_row row = {.host = {"USER=u", "LOGNAME=u", "PATH=/usr/bin", "SHELL=/bin/zsh",
                                   "LANG=C.UTF-8", "LC_TIME=de_DE", "TERM=dumb"}};
    _cleanup_planner_ struct planner planner;
    _cleanup_strv_ struct strv env = {0};

    (void)state;
    env_row_build(&planner, &row, &env);
    assert_int_equal(env.n, ARRAY_SIZE(want));
    for (size_t i = 0; i < env.n; i++)
        assert_string_equal(env.v[i], want[i]);
    assert_null(env.v[env.n]);
    assert_int_equal(planner_count_notes(&planner, NOTE_WARNING, ""), 0);
    assert_int_equal(planner_count_notes(&planner, NOTE_SECURITY, ""), 0);
}

static void root_gets_tar_options(void **state)
{
    _cleanup_planner_ struct planner planner;
    _cleanup_strv_ struct strv env = {0};

    (void)state;
    planner_init(&planner, NULL, NULL);
    planner.host.uid = 0;
    assert_int_equal(
        environment_build(&env, &planner.config, &planner.host,
                          &(struct environment_needs){.network = NETWORK_OFF, .argv0 = "x"},
                          &planner.plan, &planner.notes, NULL),
        0);
    assert_string_equal(env_value(&env, "TAR_OPTIONS"), "--no-same-owner");
    assert_string_equal(env_value(&env, "XDG_RUNTIME_DIR"), "/run/user/0");
}

/* P-ENV-5: sorted, and one entry per name whatever the sources. */
static void one_entry_per_name(void **state)
{
    struct env_row row = {.host = {"A=1", "B=2", "A=3", "LANG=C", "TMPDIR=/x", "B=4"},
                          .passed = {"A", "A=5", "LANG", "TMPDIR=/y", "B", "C=1", "C"},
                          .inherit = true};
    _cleanup_planner_ struct planner planner;
    _cleanup_strv_ struct strv env = {0};

    (void)state;
    env_row_build(&planner, &row, &env);
    for (size_t i = 1; i < env.n; i++) {
        size_t a = strcspn(env.v[i - 1], "=");
        size_t b = strcspn(env.v[i], "=");
        int r = memcmp(env.v[i - 1], env.v[i], a < b ? a : b);

        assert_true(r < 0 || (r == 0 && a < b));
    }
    assert_string_equal(env_value(&env, "A"), "5");
    assert_string_equal(env_value(&env, "B"), "2");
    assert_null(env_value(&env, "C"));
    assert_string_equal(env_value(&env, "TMPDIR"), "/y");
}

/* P-ENV-3: the count is what passed, not what there was. */
static void inheriting_everything_is_said(void **state)
{
    struct env_row row = {.host = {"A=1", "B=2", "A=3", "TMUX=x", "LANG=C", "http_proxy=http://p"},
                          .inherit = true};
    _cleanup_planner_ struct planner planner;
    _cleanup_strv_ struct strv env = {0};

    (void)state;
    env_row_build(&planner, &row, &env);
    assert_int_equal(planner_count_notes(&planner, NOTE_SECURITY, "3 variables"), 1);
}

static void absent_names_are_said_once(void **state)
{
    struct env_row row = {.passed = {"GONE", "GONE", "GONE2", "GONE2=1"}};
    _cleanup_planner_ struct planner planner;
    _cleanup_strv_ struct strv env = {0};

    (void)state;
    env_row_build(&planner, &row, &env);
    assert_int_equal(planner_count_notes(&planner, NOTE_WARNING, "GONE"), 1);
}

static void fallback_of_term_is_said_with_v(void **state)
{
    struct env_row row = {.host = {"TERM=xterm-foo"}};
    _cleanup_planner_ struct planner planner;
    _cleanup_strv_ struct strv env = {0};

    (void)state;
    env_row_build(&planner, &row, &env);
    assert_int_equal(planner_count_notes(&planner, NOTE_VERBOSE, "xterm-foo"), 1);
}

static void dropped_certificates_are_said(void **state)
{
    static const char *const names[] = {"SSL_CERT_FILE", "SSL_CERT_DIR"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        _cleanup_free_ char *entry = xasprintf("%s=/data/certs", names[i]);
        struct env_row row = {.host = {entry}, .tree = "d /data/certs\n"};
        _cleanup_planner_ struct planner planner;
        _cleanup_strv_ struct strv env = {0};

        env_row_build(&planner, &row, &env);
        assert_int_equal(planner_count_notes(&planner, NOTE_WARNING, names[i]), 1);
    }
}

static void certificates_have_a_maximum(void **state)
{
    static const struct {
        uint64_t size;
        bool passes;
    } rows[] = {{4 * MIB, true}, {4 * MIB + 1, false}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        static const char *const environ[] = {"SSL_CERT_FILE=/data/ca.pem", NULL};
        _cleanup_planner_ struct planner planner;
        _cleanup_strv_ struct strv env = {0};

        planner_init(&planner, "f /data/ca.pem 0644\n", environ);
        fakefs_node(planner.fakefs, "/data/ca.pem")->size = rows[i].size;
        assert_int_equal(
            environment_build(&env, &planner.config, &planner.host,
                              &(struct environment_needs){.network = NETWORK_OFF, .argv0 = "x"},
                              &planner.plan, &planner.notes, NULL),
            0);
        assert_int_equal(env_value(&env, "SSL_CERT_FILE") != NULL, rows[i].passes);
    }
}

static void proxies_on_request_without_a_network_are_said(void **state)
{
    struct env_row row = {.passed = {"HTTP_PROXY=http://p"}, .host = {"http_proxy=http://q"}};
    _cleanup_planner_ struct planner planner;
    _cleanup_strv_ struct strv env = {0};

    (void)state;
    env_row_build(&planner, &row, &env);
    assert_int_equal(planner_count_notes(&planner, NOTE_WARNING, "proxy"), 0);
    assert_int_equal(planner_count_notes(&planner, NOTE_WARNING, "HTTP_PROXY"), 1);
}

static void an_empty_name_is_refused(void **state)
{
    _cleanup_planner_ struct planner planner;
    _cleanup_strv_ struct strv env = {0};
    struct error error = {0};

    (void)state;
    planner_init(&planner, NULL, NULL);
    config_add(&planner.config, SET_ENV_PASS, "=x");
    assert_int_equal(
        environment_build(&env, &planner.config, &planner.host,
                          &(struct environment_needs){.network = NETWORK_OFF, .argv0 = "x"},
                          &planner.plan, &planner.notes, &error),
        -EINVAL);
    assert_non_null(strstr(error.text, "env_pass"));
    assert_null(strstr(error.text, "=x"));
    assert_int_equal(env.n, 0);
}

/* Nothing quadratic in the size of the host's environment. */
static void large_environments_pass(void **state)
{
    _cleanup_planner_ struct planner planner;
    _cleanup_strv_ struct strv env = {0};

    (void)state;
    planner_init(&planner, NULL, NULL);
    for (int i = 0; i < 50000; i++)
        strv_pushf(&planner.host.environ, "VARIABLE_%d=%d", i % 40000, i);
    config_set_bool(&planner.config, SET_INHERIT_ENV, true);
    assert_int_equal(
        environment_build(&env, &planner.config, &planner.host,
                          &(struct environment_needs){.network = NETWORK_OFF, .argv0 = "x"},
                          &planner.plan, &planner.notes, NULL),
        0);
    assert_string_equal(env_value(&env, "VARIABLE_7"), "7");
    assert_int_equal(planner_count_notes(&planner, NOTE_SECURITY, "40000 variables"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base_names_pass),
        cmocka_unit_test(never_names_pass_only_by_name),
        cmocka_unit_test(no_canary_is_inherited),
        cmocka_unit_test(every_name_is_found_in_the_table),
        cmocka_unit_test(an_ordinary_run_has_exactly_this),
        cmocka_unit_test(root_gets_tar_options),
        cmocka_unit_test(one_entry_per_name),
        cmocka_unit_test(inheriting_everything_is_said),
        cmocka_unit_test(absent_names_are_said_once),
        cmocka_unit_test(fallback_of_term_is_said_with_v),
        cmocka_unit_test(dropped_certificates_are_said),
        cmocka_unit_test(certificates_have_a_maximum),
        cmocka_unit_test(proxies_on_request_without_a_network_are_said),
        cmocka_unit_test(an_empty_name_is_refused),
        cmocka_unit_test(large_environments_pass),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
