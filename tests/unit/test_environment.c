// SPDX-License-Identifier: GPL-3.0-only
/*
 * The command's environment: what passes by itself, what only on request, what never, and the few
 * files that a variable makes visible.
 */
#include "policy/env_names.h"
#include "policy/environment.h"
#include "support/planner.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ENTRIES_MAX 8
#define CANARY      "canary-5f3a"

/* One host, one request, and what becomes of one variable. */
struct row {
    const char *id;
    const char *host[ENTRIES_MAX];   /* inherited variables */
    const char *passed[ENTRIES_MAX]; /* --env */
    bool inherit;
    enum network_mode network;
    const char *argv0; /* NULL: claude */
    const char *tree;
    const char *name;
    const char *want;  /* NULL: not set */
    const char *parts; /* entries of GROUP_HOME_PARTS; NULL: not looked at */
};

static void build(struct planner *planner, const struct row *row, struct strv *env)
{
    struct error error = {0};

    planner_init(planner, row->tree, row->host);
    for (size_t i = 0; i < ENTRIES_MAX && row->passed[i]; i++)
        config_add(&planner->config, SET_ENV_PASS, row->passed[i]);
    if (row->inherit)
        config_set_bool(&planner->config, SET_INHERIT_ENV, true);
    assert_int_equal(environment_build(env, &planner->config, &planner->host, row->network,
                                       row->argv0 ? row->argv0 : "claude", &planner->plan,
                                       &planner->notes, &error),
                     0);
}

/* Value of name, NULL if not set; fails if it is there twice. */
static const char *value_of(const struct strv *env, const char *name)
{
    size_t len = strlen(name);
    const char *value = NULL;

    for (size_t i = 0; i < env->n; i++) {
        if (strncmp(env->v[i], name, len) != 0 || env->v[i][len] != '=')
            continue;
        if (value)
            fail_msg("%s is there twice", name);
        value = env->v[i] + len + 1;
    }
    return value;
}

static bool row_is_as_wanted(const struct row *row)
{
    _cleanup_planner_ struct planner planner;
    _cleanup_strv_ struct strv env = {0};
    const char *value;
    bool ok = true;

    build(&planner, row, &env);
    value = value_of(&env, row->name);
    if (!str_eq(value, row->want)) {
        print_error("%s is %s\n", row->name, value ? value : "not set");
        ok = false;
    }
    if (row->parts && !planner_has_exactly(&planner, GROUP_HOME_PARTS, row->parts))
        ok = false;
    return ok;
}

static void check_rows(const struct row *rows, size_t count)
{
    unsigned failed = 0;

    for (size_t i = 0; i < count; i++)
        if (!row_is_as_wanted(&rows[i])) {
            print_error("in the row: %s\n", rows[i].id);
            failed++;
        }
    assert_int_equal(failed, 0);
}

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
        struct row row = {
            .id = base_names[i], .host = {entry}, .name = base_names[i], .want = "dumb"};

        check_rows(&row, 1);
        row.inherit = true;
        check_rows(&row, 1);
    }
}

static void never_names_pass_only_by_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(never_names); i++) {
        _cleanup_free_ char *entry = xasprintf("%s=x", never_names[i]);
        struct row row = {.id = never_names[i], .host = {entry}, .name = never_names[i]};

        check_rows(&row, 1);
        row.inherit = true; /* P-ENV-3 */
        check_rows(&row, 1);
        row.passed[0] = never_names[i];
        row.want = "x";
        check_rows(&row, 1);
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
    assert_int_equal(environment_build(&env, &planner.config, &planner.host, NETWORK_FULL, "claude",
                                       &planner.plan, &planner.notes, NULL),
                     0);
    all = strv_join(&env, "\n");
    assert_null(strstr(all, CANARY));
    for (size_t i = 0; i < count; i++) {
        entries[i][strcspn(entries[i], "=")] = '\0';
        if (value_of(&env, entries[i]))
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

/* ---- one row per rule ---- */

static const struct row rules[] = {
    /* HOME */
    {.id = "HOME as spelled by the host's facts",
     .host = {"HOME=relative"},
     .name = "HOME",
     .want = PLANNER_HOME},
    {.id = "HOME unset", .name = "HOME", .want = PLANNER_HOME},
    {.id = "HOME on request", .passed = {"HOME=/x"}, .name = "HOME", .want = "/x"},
    {.id = "PATH is not pruned here",
     .host = {"PATH=/gone:/usr/bin::."},
     .name = "PATH",
     .want = "/gone:/usr/bin::."},

    /* P-ENV-7: XDG and TMPDIR */
    {.id = "TMPDIR", .host = {"TMPDIR=/data/t"}, .name = "TMPDIR", .want = "/tmp"},
    {.id = "TMPDIR, all inherited",
     .host = {"TMPDIR=/data/t"},
     .inherit = true,
     .name = "TMPDIR",
     .want = "/tmp"},
    {.id = "TMPDIR on request", .passed = {"TMPDIR=/data/t"}, .name = "TMPDIR", .want = "/data/t"},
    {.id = "runtime directory",
     .host = {"XDG_RUNTIME_DIR=/data/r"},
     .name = "XDG_RUNTIME_DIR",
     .want = "/run/user/1000"},
    {.id = "runtime directory, all inherited",
     .host = {"XDG_RUNTIME_DIR=/data/r"},
     .inherit = true,
     .name = "XDG_RUNTIME_DIR",
     .want = "/run/user/1000"},
    {.id = "XDG home below HOME",
     .host = {"XDG_CONFIG_HOME=/home/u/c"},
     .name = "XDG_CONFIG_HOME",
     .want = "/home/u/c"},
    {.id = "XDG home is HOME", .host = {"XDG_DATA_HOME=/home/u"}, .name = "XDG_DATA_HOME"},
    {.id = "XDG home outside", .host = {"XDG_CACHE_HOME=/data/c"}, .name = "XDG_CACHE_HOME"},
    {.id = "XDG home outside, by dots",
     .host = {"XDG_STATE_HOME=/home/u/../x"},
     .name = "XDG_STATE_HOME"},
    {.id = "XDG home with HOME's name in front",
     .host = {"XDG_STATE_HOME=/home/user2"},
     .name = "XDG_STATE_HOME"},
    {.id = "XDG home relative", .host = {"XDG_STATE_HOME=home/u/x"}, .name = "XDG_STATE_HOME"},
    {.id = "XDG home outside, all inherited",
     .host = {"XDG_CACHE_HOME=/data/c"},
     .inherit = true,
     .name = "XDG_CACHE_HOME"},
    {.id = "XDG dirs pruned",
     .tree = "d /usr/share\nd /data/share\nd /etc/xdg\n",
     .host = {"XDG_DATA_DIRS=/data/share:/usr/share:/gone::usr/share:/usr/lib/"},
     .name = "XDG_DATA_DIRS",
     .want = "/usr/share:/usr/lib/"},
    {.id = "XDG dirs pruned to nothing",
     .host = {"XDG_CONFIG_DIRS=/data/xdg"},
     .name = "XDG_CONFIG_DIRS"},
    {.id = "other XDG names", .host = {"XDG_SEAT=seat0"}, .name = "XDG_SEAT", .want = "seat0"},

    /* P-ENV-12: defaults */
    {.id = "marker", .name = "AI_JAIL", .want = "1"},
    {.id = "marker of an outer run",
     .host = {"AI_JAIL=2"},
     .inherit = true,
     .name = "AI_JAIL",
     .want = "1"},
    {.id = "zoxide", .name = "_ZO_DOCTOR", .want = "0"},
    {.id = "mise", .name = "MISE_NOT_FOUND_AUTO_INSTALL", .want = "false"},
    {.id = "mise on request",
     .passed = {"MISE_NOT_FOUND_AUTO_INSTALL=true"},
     .name = "MISE_NOT_FOUND_AUTO_INSTALL",
     .want = "true"},
    {.id = "prompt of bash", .argv0 = "bash", .name = "PS1", .want = "(jail) \\w \\$ "},
    {.id = "prompt of sh by path", .argv0 = "/bin/sh", .name = "PS1", .want = "(jail) \\w \\$ "},
    {.id = "no prompt for zsh", .argv0 = "zsh", .name = "PS1"},
    {.id = "no prompt for bash2", .argv0 = "/x/bash2", .name = "PS1"},
    {.id = "no prompt for an agent", .name = "PS1"},
    {.id = "prompt on request", .argv0 = "bash", .passed = {"PS1=> "}, .name = "PS1", .want = "> "},
    {.id = "Windows Terminal",
     .host = {"WT_SESSION=" CANARY},
     .name = "WT_SESSION",
     .want = "00000000-0000-4000-8000-000000000000"},
    {.id = "Windows Terminal, all inherited",
     .host = {"WT_SESSION=" CANARY},
     .inherit = true,
     .name = "WT_SESSION",
     .want = "00000000-0000-4000-8000-000000000000"},
    {.id = "no Windows Terminal", .name = "WT_SESSION"},
    {.id = "tar of an ordinary user", .name = "TAR_OPTIONS"},

    /* P-ENV-13: --env */
    {.id = "value", .passed = {"A=1"}, .name = "A", .want = "1"},
    {.id = "empty value", .passed = {"A="}, .name = "A", .want = ""},
    {.id = "value with =", .passed = {"A=b=c"}, .name = "A", .want = "b=c"},
    {.id = "last wins", .passed = {"A=1", "A=2", "A=1"}, .name = "A", .want = "1"},
    {.id = "copied from the host",
     .host = {"A=host"},
     .passed = {"A"},
     .name = "A",
     .want = "host"},
    {.id = "copied, then set",
     .host = {"A=host"},
     .passed = {"A", "A=1"},
     .name = "A",
     .want = "1"},
    {.id = "set, then copied",
     .host = {"A=host"},
     .passed = {"A=1", "A"},
     .name = "A",
     .want = "host"},
    {.id = "not on the host", .passed = {"A"}, .name = "A"},
    {.id = "set, then not on the host", .passed = {"A=1", "A"}, .name = "A"},
    {.id = "over the base set",
     .host = {"LANG=C"},
     .passed = {"LANG=de"},
     .name = "LANG",
     .want = "de"},
    {.id = "over the base set, all inherited",
     .host = {"LANG=C"},
     .inherit = true,
     .passed = {"LANG=de"},
     .name = "LANG",
     .want = "de"},
    {.id = "bytes that are no text",
     .host = {"A=\xff\xfe\n\x01"},
     .passed = {"A"},
     .name = "A",
     .want = "\xff\xfe\n\x01"},
    {.id = "a longer name is another", .passed = {"A=1", "AB=2"}, .name = "A", .want = "1"},

    /* duplicates on the host: getenv(3) sees the first */
    {.id = "duplicate in the base set",
     .host = {"LANG=first", "LANG=second"},
     .name = "LANG",
     .want = "first"},
    {.id = "duplicate, all inherited",
     .host = {"X=first", "X=second"},
     .inherit = true,
     .name = "X",
     .want = "first"},
    {.id = "unknown, all inherited",
     .host = {"X=1", "novalue", "=odd"},
     .inherit = true,
     .name = "X",
     .want = "1"},
    {.id = "unknown, not inherited", .host = {"X=1"}, .name = "X"},

    /* P-ENV-4, P-ENV-5: proxies */
    {.id = "proxy, network off", .host = {"http_proxy=http://p:1"}, .name = "http_proxy"},
    {.id = "proxy, network off, all inherited",
     .host = {"ALL_PROXY=socks5://p:1"},
     .inherit = true,
     .name = "ALL_PROXY"},
    {.id = "proxy of one program, network off",
     .host = {"npm_config_proxy=http://p:1"},
     .inherit = true,
     .name = "npm_config_proxy"},
    {.id = "proxy on request, network off",
     .passed = {"HTTPS_PROXY=http://p:1"},
     .name = "HTTPS_PROXY"},
    {.id = "no_proxy, network off", .host = {"no_proxy=*"}, .name = "no_proxy"},
    {.id = "proxy, network full",
     .network = NETWORK_FULL,
     .host = {"http_proxy=http://p:1"},
     .name = "http_proxy",
     .want = "http://p:1"},
    {.id = "password",
     .network = NETWORK_FULL,
     .host = {"https_proxy=http://u:pw@p:3128/"},
     .name = "https_proxy",
     .want = "http://p:3128/"},
    {.id = "password without scheme",
     .network = NETWORK_FULL,
     .host = {"HTTP_PROXY=u:pw@p:3128"},
     .name = "HTTP_PROXY",
     .want = "p:3128"},
    {.id = "password with @ and /",
     .network = NETWORK_FULL,
     .host = {"ALL_PROXY=socks5h://u:p@w/x:@p:1"},
     .name = "ALL_PROXY",
     .want = "socks5h://p:1"},
    {.id = "password with ://",
     .network = NETWORK_FULL,
     .host = {"ftp_proxy=http://u:a://b@p:1"},
     .name = "ftp_proxy",
     .want = "http://p:1"},
    {.id = "password before a false scheme",
     .network = NETWORK_FULL,
     .host = {"ftp_proxy=u:a://b@p:1"},
     .name = "ftp_proxy",
     .want = "p:1"},
    {.id = "proxy of one program",
     .network = NETWORK_FULL,
     .host = {"npm_config_proxy=http://u:pw@p:1"},
     .inherit = true,
     .name = "npm_config_proxy",
     .want = "http://p:1"},
    {.id = "proxy of one program, not inherited",
     .network = NETWORK_FULL,
     .host = {"npm_config_proxy=http://p:1"},
     .name = "npm_config_proxy"},
    {.id = "no_proxy, network full",
     .network = NETWORK_FULL,
     .host = {"NO_PROXY=a,.b"},
     .name = "NO_PROXY",
     .want = "a,.b"},
    {.id = "proxy on request comes whole",
     .network = NETWORK_FULL,
     .passed = {"http_proxy=http://u:pw@p:1"},
     .name = "http_proxy",
     .want = "http://u:pw@p:1"},
    {.id = "proxy copied on request comes whole",
     .network = NETWORK_FULL,
     .host = {"http_proxy=http://u:pw@p:1"},
     .passed = {"http_proxy"},
     .name = "http_proxy",
     .want = "http://u:pw@p:1"},

    /* P-ENV-10: certificates */
    {.id = "visible certificate",
     .tree = "f /etc/ssl/ca.pem 0644 0 x\n",
     .host = {"SSL_CERT_FILE=/etc/ssl/ca.pem"},
     .name = "SSL_CERT_FILE",
     .want = "/etc/ssl/ca.pem",
     .parts = ""},
    {.id = "certificate elsewhere",
     .tree = "f /data/ca.pem 0644 0 x\n",
     .host = {"NODE_EXTRA_CA_CERTS=/data/ca.pem"},
     .name = "NODE_EXTRA_CA_CERTS",
     .want = "/data/ca.pem",
     .parts = "ro /data/ca.pem\n"},
    {.id = "certificate in HOME",
     .tree = "f /home/u/.certs/ca.pem 0600 1000 x\n",
     .host = {"CURL_CA_BUNDLE=/home/u/.certs/ca.pem"},
     .name = "CURL_CA_BUNDLE",
     .want = "/home/u/.certs/ca.pem",
     .parts = "ro /home/u/.certs/ca.pem\n"},
    {.id = "two names for one certificate",
     .tree = "f /data/ca.pem 0644 0 x\n",
     .host = {"REQUESTS_CA_BUNDLE=/data/ca.pem", "GIT_SSL_CAINFO=/data/ca.pem"},
     .name = "GIT_SSL_CAINFO",
     .want = "/data/ca.pem",
     .parts = "ro /data/ca.pem\n"},
    {.id = "certificate behind links",
     .tree = "f /data/ca.pem 0644 0 x\n"
             "l /etc/ca.pem ../home/u/ca.pem\n"
             "l /home/u/ca.pem /data/ca.pem\n",
     .host = {"CARGO_HTTP_CAINFO=/etc/ca.pem"},
     .name = "CARGO_HTTP_CAINFO",
     .want = "/etc/ca.pem",
     .parts = "ro /data/ca.pem\nlink /home/u/ca.pem -> /data/ca.pem\n"},
    {.id = "certificate in the project",
     .tree = "f /home/u/proj/ca.pem 0644 1000 x\n",
     .host = {"SSL_CERT_FILE=ca.pem"},
     .name = "SSL_CERT_FILE",
     .want = "ca.pem",
     .parts = ""},
    {.id = "a link in the project is not followed",
     .tree = "l /home/u/proj/ca.pem ../.ssh/id\nf /home/u/.ssh/id 0600 1000 x\n",
     .host = {"SSL_CERT_FILE=/home/u/proj/ca.pem"},
     .name = "SSL_CERT_FILE",
     .parts = ""},
    {.id = "directory instead of a certificate",
     .tree = "d /data/certs\n",
     .host = {"NIX_SSL_CERT_FILE=/data/certs"},
     .name = "NIX_SSL_CERT_FILE",
     .parts = ""},
    {.id = "missing certificate",
     .host = {"SSL_CERT_FILE=/gone/ca.pem"},
     .name = "SSL_CERT_FILE",
     .parts = ""},
    {.id = "FIFO instead of a certificate",
     .tree = "p /data/ca.pem\n",
     .host = {"SSL_CERT_FILE=/data/ca.pem"},
     .name = "SSL_CERT_FILE",
     .parts = ""},
    {.id = "certificate on request: no file is bound",
     .tree = "f /data/ca.pem 0644 0 x\n",
     .passed = {"SSL_CERT_FILE=/data/ca.pem"},
     .name = "SSL_CERT_FILE",
     .want = "/data/ca.pem",
     .parts = ""},
    {.id = "certificate directories",
     .tree = "d /etc/ssl/certs\nd /data/certs\n",
     .host = {"SSL_CERT_DIR=/data/certs:/etc/ssl/certs"},
     .name = "SSL_CERT_DIR",
     .want = "/etc/ssl/certs",
     .parts = ""},
    {.id = "invisible certificate directory",
     .tree = "d /data/certs\n",
     .host = {"SSL_CERT_DIR=/data/certs"},
     .name = "SSL_CERT_DIR",
     .parts = ""},

    /* TERM */
    {.id = "TERM in a system database",
     .tree = "f /usr/share/terminfo/x/xterm-foo 0644 0 x\n",
     .host = {"TERM=xterm-foo"},
     .name = "TERM",
     .want = "xterm-foo",
     .parts = ""},
    {.id = "TERM in /lib, a link",
     .tree = "f /usr/lib/terminfo/78/xterm-foo 0644 0 x\n",
     .host = {"TERM=xterm-foo"},
     .name = "TERM",
     .want = "xterm-foo",
     .parts = ""},
    {.id = "TERM from $TERMINFO",
     .tree = "f /data/ti/x/xterm-foo 0644 0 \\x1A\\x01\\0\n",
     .host = {"TERM=xterm-foo", "TERMINFO=/data/ti"},
     .name = "TERM",
     .want = "xterm-foo",
     .parts = "ro /home/u/.terminfo/x/xterm-foo = /data/ti/x/xterm-foo\n"},
    {.id = "TERM from ~/.terminfo, 32 bit",
     .tree = "f /home/u/.terminfo/78/xterm-foo 0644 1000 \\x1E\\x02\\0\n",
     .host = {"TERM=xterm-foo"},
     .name = "TERM",
     .want = "xterm-foo",
     .parts = "ro /home/u/.terminfo/78/xterm-foo\n"},
    {.id = "$TERMINFO first",
     .tree = "f /data/ti/x/xterm-foo 0644 0 \\x1A\\x01\\0\n"
             "f /home/u/.terminfo/x/xterm-foo 0644 1000 \\x1A\\x01\\0\n",
     .host = {"TERM=xterm-foo", "TERMINFO=/data/ti"},
     .name = "TERM",
     .want = "xterm-foo",
     .parts = "ro /home/u/.terminfo/x/xterm-foo = /data/ti/x/xterm-foo\n"},
    {.id = "a file that is no terminfo entry",
     .tree = "f /home/u/.terminfo/x/xterm-foo 0644 1000 secret\n",
     .host = {"TERM=xterm-foo"},
     .name = "TERM",
     .want = "xterm-256color",
     .parts = ""},
    {.id = "no entry at all",
     .host = {"TERM=xterm-foo"},
     .name = "TERM",
     .want = "xterm-256color",
     .parts = ""},
    {.id = "TERM as a path",
     .tree = "f /home/u/.terminfo/./x 0644 1000 \\x1A\\x01\\0\n",
     .host = {"TERM=../x"},
     .name = "TERM",
     .want = "xterm-256color",
     .parts = ""},
    {.id = "TERM empty", .host = {"TERM="}, .name = "TERM", .want = "xterm-256color"},
    {.id = "TERM unset", .name = "TERM"},
    {.id = "TERM=dumb needs no entry", .host = {"TERM=dumb"}, .name = "TERM", .want = "dumb"},
    {.id = "TERM on request is kept",
     .passed = {"TERM=xterm-foo"},
     .name = "TERM",
     .want = "xterm-foo"},
    {.id = "TERM on request brings its entry",
     .tree = "f /home/u/.terminfo/x/xterm-foo 0644 1000 \\x1A\\x01\\0\n",
     .host = {"TERM=dumb"},
     .passed = {"TERM=xterm-foo"},
     .name = "TERM",
     .want = "xterm-foo",
     .parts = "ro /home/u/.terminfo/x/xterm-foo\n"},
};

static void every_rule_holds(void **state)
{
    (void)state;
    check_rows(rules, ARRAY_SIZE(rules));
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
    struct row row = {.host = {"USER=u", "LOGNAME=u", "PATH=/usr/bin", "SHELL=/bin/zsh",
                               "LANG=C.UTF-8", "LC_TIME=de_DE", "TERM=dumb"}};
    _cleanup_planner_ struct planner planner;
    _cleanup_strv_ struct strv env = {0};

    (void)state;
    build(&planner, &row, &env);
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
    assert_int_equal(environment_build(&env, &planner.config, &planner.host, NETWORK_OFF, "x",
                                       &planner.plan, &planner.notes, NULL),
                     0);
    assert_string_equal(value_of(&env, "TAR_OPTIONS"), "--no-same-owner");
    assert_string_equal(value_of(&env, "XDG_RUNTIME_DIR"), "/run/user/0");
}

/* P-ENV-5: sorted, and one entry per name whatever the sources. */
static void one_entry_per_name(void **state)
{
    struct row row = {.host = {"A=1", "B=2", "A=3", "LANG=C", "TMPDIR=/x", "B=4"},
                      .passed = {"A", "A=5", "LANG", "TMPDIR=/y", "B", "C=1", "C"},
                      .inherit = true};
    _cleanup_planner_ struct planner planner;
    _cleanup_strv_ struct strv env = {0};

    (void)state;
    build(&planner, &row, &env);
    for (size_t i = 1; i < env.n; i++) {
        size_t a = strcspn(env.v[i - 1], "=");
        size_t b = strcspn(env.v[i], "=");
        int r = memcmp(env.v[i - 1], env.v[i], a < b ? a : b);

        assert_true(r < 0 || (r == 0 && a < b));
    }
    assert_string_equal(value_of(&env, "A"), "5");
    assert_string_equal(value_of(&env, "B"), "2");
    assert_null(value_of(&env, "C"));
    assert_string_equal(value_of(&env, "TMPDIR"), "/y");
}

/* P-ENV-3: the count is what passed, not what there was. */
static void inheriting_everything_is_said(void **state)
{
    struct row row = {.host = {"A=1", "B=2", "A=3", "TMUX=x", "LANG=C", "http_proxy=http://p"},
                      .inherit = true};
    _cleanup_planner_ struct planner planner;
    _cleanup_strv_ struct strv env = {0};

    (void)state;
    build(&planner, &row, &env);
    assert_int_equal(planner_count_notes(&planner, NOTE_SECURITY, "3 variables"), 1);
}

static void absent_names_are_said_once(void **state)
{
    struct row row = {.passed = {"GONE", "GONE", "GONE2", "GONE2=1"}};
    _cleanup_planner_ struct planner planner;
    _cleanup_strv_ struct strv env = {0};

    (void)state;
    build(&planner, &row, &env);
    assert_int_equal(planner_count_notes(&planner, NOTE_WARNING, "GONE"), 1);
}

static void fallback_of_term_is_said_with_v(void **state)
{
    struct row row = {.host = {"TERM=xterm-foo"}};
    _cleanup_planner_ struct planner planner;
    _cleanup_strv_ struct strv env = {0};

    (void)state;
    build(&planner, &row, &env);
    assert_int_equal(planner_count_notes(&planner, NOTE_VERBOSE, "xterm-foo"), 1);
}

static void dropped_certificates_are_said(void **state)
{
    static const char *const names[] = {"SSL_CERT_FILE", "SSL_CERT_DIR"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        _cleanup_free_ char *entry = xasprintf("%s=/data/certs", names[i]);
        struct row row = {.host = {entry}, .tree = "d /data/certs\n"};
        _cleanup_planner_ struct planner planner;
        _cleanup_strv_ struct strv env = {0};

        build(&planner, &row, &env);
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
        assert_int_equal(environment_build(&env, &planner.config, &planner.host, NETWORK_OFF, "x",
                                           &planner.plan, &planner.notes, NULL),
                         0);
        assert_int_equal(value_of(&env, "SSL_CERT_FILE") != NULL, rows[i].passes);
    }
}

static void proxies_on_request_without_a_network_are_said(void **state)
{
    struct row row = {.passed = {"HTTP_PROXY=http://p"}, .host = {"http_proxy=http://q"}};
    _cleanup_planner_ struct planner planner;
    _cleanup_strv_ struct strv env = {0};

    (void)state;
    build(&planner, &row, &env);
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
    assert_int_equal(environment_build(&env, &planner.config, &planner.host, NETWORK_OFF, "x",
                                       &planner.plan, &planner.notes, &error),
                     -EINVAL);
    assert_non_null(strstr(error.text, "--env =x"));
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
    assert_int_equal(environment_build(&env, &planner.config, &planner.host, NETWORK_OFF, "x",
                                       &planner.plan, &planner.notes, NULL),
                     0);
    assert_string_equal(value_of(&env, "VARIABLE_7"), "7");
    assert_int_equal(planner_count_notes(&planner, NOTE_SECURITY, "40000 variables"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base_names_pass),
        cmocka_unit_test(never_names_pass_only_by_name),
        cmocka_unit_test(no_canary_is_inherited),
        cmocka_unit_test(every_name_is_found_in_the_table),
        cmocka_unit_test(every_rule_holds),
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
