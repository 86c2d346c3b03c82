// SPDX-License-Identifier: GPL-3.0-only
/*
 * Lockdown: what is dropped, what is demanded, and that nothing is weaker with it than without.
 */
#include "backend/landlock.h"
#include "backend/seccomp.h"
#include "policy/lockdown.h"
#include "policy/tighten.h"
#include "support/jail.h"
#include "support/test.h"

#include <errno.h>
#include <string.h>

static const char *const environ_[] = {
    "HOME=/home/u",
    "PATH=/home/u/.local/bin:/opt/tool/bin:/usr/bin",
    "USER=u",
    "LOGNAME=u",
    "LANG=C.UTF-8",
    "LC_ALL=C",
    "LC_CTYPE=C",
    "LC_TIME=de",
    "TZ=UTC",
    "TERM=dumb",
    "COLORTERM=truecolor",
    "TERM_PROGRAM=t",
    "TERM_PROGRAM_VERSION=1",
    "SHELL=/bin/zsh",
    "EDITOR=vi",
    "XDG_CONFIG_HOME=/home/u/.config",
    "SSL_CERT_FILE=/etc/ssl/x",
    "SECRET=canary",
    "ANTHROPIC_API_KEY=canary",
    NULL,
};

static const char machine[] = "f /data/file 0644 0 x\n"
                              "d /data/dir\n"
                              "d /sys/firmware\n"
                              "d /sys/module\n"
                              "d /sys/devices/virtual/dmi\n"
                              "d /sys/class/net\n"
                              "d /home/u/.claude 0700 1000\n"
                              "d /home/u/.ssh 0700 1000\n"
                              "d /home/u/.cargo/bin 0755 1000\n"
                              "d /home/u/.vim 0755 1000\n"
                              "d /home/u/proj/sub 0755 1000\n"
                              "f /home/u/proj/.env 0600 1000 x\n"
                              "f /home/u/.gitconfig 0644 1000 x\n"
                              "f /usr/bin/node 0755 0 x\n";

static void init(struct jail *jail)
{
    jail_init(jail, machine, environ_);
}

static void build(struct jail *jail, const char *const *words)
{
    init(jail);
    if (jail_build(jail, words) < 0)
        fail_msg("%s", jail->error.text);
}

static const struct plan_entry *find(const struct jail *jail, const char *dest)
{
    for (size_t i = 0; i < jail->policy.plan.n; i++)
        if (str_eq(jail->policy.plan.v[i].dest, dest))
            return &jail->policy.plan.v[i];
    return NULL;
}

static unsigned security_lines(const struct jail *jail, const char *part)
{
    return planner_count_notes(&jail->planner, NOTE_SECURITY, part);
}

/* ---- the column ---- */

static void project_is_read_only_and_home_is_a_tmpfs(void **state)
{
    _cleanup_jail_ struct jail jail;

    (void)state;
    build(&jail, (const char *const[]){"--lockdown", NULL});
    assert_int_equal(find(&jail, "/home/u/proj")->kind, PLAN_RO);
    assert_int_equal(find(&jail, "/home/u")->kind, PLAN_TMPFS);
    assert_int_equal(find(&jail, "/home/u/.gitconfig")->kind, PLAN_RO);
    assert_null(find(&jail, "/home/u/.claude"));
    assert_null(find(&jail, "/home/u/.cargo/bin"));
    assert_int_equal(security_lines(&jail, ""), 0);
}

static void more_of_sys_is_masked(void **state)
{
    static const char *const masks[] = {"/sys/firmware", "/sys/module", "/sys/devices/virtual/dmi",
                                        "/sys/class/net"};
    _cleanup_jail_ struct jail jail;
    _cleanup_jail_ struct jail normal;

    (void)state;
    build(&jail, (const char *const[]){"--lockdown", NULL});
    build(&normal, NULL);
    for (size_t i = 0; i < ARRAY_SIZE(masks); i++) {
        const struct plan_entry *entry = find(&jail, masks[i]);

        assert_non_null(entry);
        assert_int_equal(entry->kind, PLAN_COVER_EMPTY);
        assert_int_equal(find(&normal, masks[i]) != NULL, i == 0);
    }
}

static void limits_are_lower(void **state)
{
    _cleanup_jail_ struct jail jail;

    (void)state;
    build(&jail, (const char *const[]){"--lockdown", NULL});
    assert_int_equal(jail.launch.orders.nproc, 1024);
    assert_int_equal(jail.launch.orders.nofile_hard, 4096);
    assert_int_equal(jail.launch.orders.core, 0);
    assert_int_equal(jail.launch.orders.fsize, GIB);
    assert_true(jail.launch.orders.flags & ORDERS_STRICT);
}

static void programs_are_its_own(void **state)
{
    static const struct {
        uid_t uid;
        int program;
    } rows[] = {{1000, SECCOMP_LOCKDOWN}, {0, SECCOMP_LOCKDOWN_ROOT}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_jail_ struct jail jail;

        init(&jail);
        jail.planner.host.uid = rows[i].uid;
        assert_int_equal(
            jail_build(&jail, (const char *const[]){"--lockdown", "--allow-debug", NULL}), 0);
        assert_int_equal(jail.launch.seccomp_program, rows[i].program);
        assert_false(jail.launch.orders.flags & ORDERS_ALLOW_DEBUG);
    }
}

/* Landlock: TCP from ABI 4 on; the proxy's port can be connected to if there is a proxy. */
static void tcp_is_handled(void **state)
{
    (void)state;
    for (int abi = 3; abi < 10; abi++) {
        for (int named = 0; named < 2; named++) {
            const char *const words[] = {"--lockdown", named ? "--allow-host" : NULL, "a.test",
                                         NULL};
            _cleanup_jail_ struct jail jail;
            const struct orders *orders = &jail.launch.orders;

            init(&jail);
            jail.planner.host.landlock_abi = abi;
            assert_int_equal(jail_build(&jail, words), 0);
            assert_int_equal(orders->handled_net,
                             abi >= 4 ? LL_NET_BIND_TCP | LL_NET_CONNECT_TCP : 0);
            assert_int_equal(orders->listen_count, named);
            assert_int_equal(orders->listen[0], named ? ORDERS_PROXY_PORT : 0);
        }
    }
}

static void an_old_landlock_is_no_lockdown(void **state)
{
    (void)state;
    for (int abi = 0; abi < 3; abi++) {
        _cleanup_jail_ struct jail jail;

        init(&jail);
        jail.planner.host.landlock_abi = abi;
        assert_int_equal(jail_build(&jail, (const char *const[]){"--lockdown", NULL}), -ENOTSUP);
        assert_non_null(strstr(jail.error.text, "Landlock ABI 3"));
    }
}

static void no_filters_is_no_lockdown(void **state)
{
    _cleanup_jail_ struct jail jail;

    (void)state;
    init(&jail);
    jail.planner.host.has_seccomp = false;
    assert_int_equal(jail_build(&jail, (const char *const[]){"--lockdown", NULL}), -ENOTSUP);
}

/* ---- what is asked for ---- */

static const struct request {
    const char *words[3];
    const char *line; /* of the one security line */
} requests[] = {
    {{"--map", "/data/file"}, "--map /data/file"},
    {{"--rw-map", "/data/dir"}, "--rw-map /data/dir"},
    {{"--overlay-map", "/data/dir"}, "--overlay-map /data/dir"},
    {{"--no-private-home"}, "--no-private-home"},
    {{"--agent-state"}, "--agent-state"},
    {{"--claude-dir", "/data/dir"}, "--claude-dir /data/dir"},
    {{"--toolchains"}, "--toolchains"},
    {{"--mise"}, "--mise"},
    {{"--allow-debug"}, "--allow-debug"},
    {{"--gpu"}, "--gpu"},
    {{"--kvm"}, "--kvm"},
    {{"--display"}, "--display"},
    {{"--x11"}, "--x11"},
    {{"--audio"}, "--audio"},
    {{"--host-shm"}, "--host-shm"},
    {{"--docker"}, "--docker"},
    {{"--docker-config"}, "--docker-config"},
    {{"--systemd-user"}, "--systemd-user"},
    {{"--tailscale"}, "--tailscale"},
    {{"--ssh"}, "--ssh"},
    {{"--ssh=agent"}, "--ssh"},
    {{"--pictures"}, "--pictures"},
    {{"--github"}, "--github"},
    {{"--aws"}, "--aws"},
    {{"--kube"}, "--kube"},
    {{"--gcloud"}, "--gcloud"},
    {{"--network"}, "--network"},
    {{"--forward-port", "5432"}, "--forward-port 5432"},
    {{"--publish", "3000"}, "--publish 3000"},
    {{"--env", "SECRET=said"}, "--env SECRET is"},
    {{"--inherit-env"}, "--inherit-env"},
    {{"--terminal-passthrough"}, "--terminal-passthrough"},
};

static char *plan_of(const struct jail *jail)
{
    struct strv lines CLEANUP(strv_free) = {0};

    for (size_t i = 0; i < jail->policy.plan.n; i++) {
        const struct plan_entry *entry = &jail->policy.plan.v[i];

        strv_pushf(&lines, "%d %s %s", (int)entry->kind, entry->dest,
                   entry->source ? entry->source : "");
    }
    strv_push_all(&lines, &jail->policy.env);
    strv_push_all(&lines, &jail->launch.words);
    return strv_join(&lines, "\n");
}

/* P-CLI-9: one line for each, and nothing but the line is different. */
static void each_request_is_dropped_with_one_line(void **state)
{
    _cleanup_jail_ struct jail plain;
    _cleanup_free_ char *want = NULL;

    (void)state;
    build(&plain, (const char *const[]){"--lockdown", NULL});
    want = plan_of(&plain);
    for (size_t i = 0; i < ARRAY_SIZE(requests); i++) {
        const char *const words[] = {"--lockdown", requests[i].words[0], requests[i].words[1],
                                     NULL};
        _cleanup_jail_ struct jail jail;
        _cleanup_free_ char *found = NULL;

        build(&jail, words);
        found = plan_of(&jail);
        if (security_lines(&jail, requests[i].line) != 1 || security_lines(&jail, "") != 1)
            fail_msg("%s: %u lines", requests[i].line, security_lines(&jail, ""));
        if (strcmp(found, want) != 0)
            fail_msg("%s: the plan is another one:\n%s", requests[i].line, found);
        assert_int_equal(security_lines(&jail, "said"), 0);
    }
}

/* A row of the settings table is either dropped, demanded, or known to open nothing. */
static void every_setting_has_been_thought_of(void **state)
{
    static const enum setting_id harmless[] = {
        SET_COMMAND,
        SET_MASK,
        SET_DENY_PATHS,
        SET_MASK_EXCEPTIONS,
        SET_HIDE_DOTDIRS,
        SET_DENY_PATH_EXCEPTIONS,
        SET_WORKTREE, /* read-only */
        SET_PROTECT_GIT,
        SET_HIDE_CONFIG, /* of a project that is read-only */
        SET_LOCKDOWN,
        SET_ALLOW_BROAD_PROJECT,
        SET_LANDLOCK,
        SET_SECCOMP,
        SET_RLIMITS, /* demanded */
        SET_ALLOW_HOSTS,
        SET_ALLOW_PRIVATE,
        SET_SECRET_HOSTS, /* what is named leads out, through the proxy */
        SET_STATUS_BAR,
        SET_EXEC,
        SET_CLIPBOARD,
        SET_VERBOSE,
        SET_SAVE_CONFIG,
        SET_AUDIT_LOG,
        SET_REPORT,
        SET_TRUST_PROJECT_CONFIG,
        SET_STATUS_BAR_SWITCH,
        SET_STATUS_BAR_STYLE,
        SET_BROWSER_PROFILE,
        SET_BACKEND,
        SET_UPDATE_CHECK,
        SET_ALLOW_TCP_PORTS,
        SET_RESIZE_REDRAW_KEY,
    };

    (void)state;
    for (enum setting_id id = 0; id < SET_COUNT; id++) {
        bool is_harmless = false;

        for (size_t i = 0; i < ARRAY_SIZE(harmless); i++)
            is_harmless |= harmless[i] == id;
        if (is_harmless == tighten_drops(MODE_LOCKDOWN, id))
            fail_msg("%s", settings[id].key ? settings[id].key : settings[id].flag);
    }
}

static void walls_that_are_switched_off_end_the_start(void **state)
{
    static const enum setting_id walls[] = {SET_LANDLOCK, SET_SECCOMP, SET_RLIMITS};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(walls); i++) {
        _cleanup_free_ char *flag = xasprintf("--no-%s", settings[walls[i]].flag);
        _cleanup_jail_ struct jail typed;
        _cleanup_jail_ struct jail written;

        init(&typed);
        assert_int_equal(jail_build(&typed, (const char *const[]){"--lockdown", flag, NULL}),
                         -EINVAL);
        assert_non_null(strstr(typed.error.text, flag));
        /* The same from a file that is merged below. */
        init(&written);
        written.planner.config.place =
            (struct origin){.layer = LAYER_GLOBAL, .line = 3, .column = 1};
        config_set_bool(&written.planner.config, walls[i], false);
        assert_int_equal(jail_build(&written, (const char *const[]){"--lockdown", NULL}), -EINVAL);
        assert_non_null(strstr(written.error.text, "~/.ai-jail:3"));
    }
}

/* P-NET-14: hosts that are named stay. */
static void network_is_off_or_exactly_what_is_named(void **state)
{
    static const struct {
        const char *words[6];
        enum network_mode mode;
        size_t hosts;
    } rows[] = {
        {{"--lockdown", NULL}, NETWORK_OFF, 0},
        {{"--lockdown", "--", "claude", NULL}, NETWORK_OFF, 0},
        {{"--lockdown", "--network", NULL}, NETWORK_OFF, 0},
        {{"--lockdown", "--no-network", NULL}, NETWORK_OFF, 0},
        {{"--lockdown", "--allow-host", "a.test", "--", "claude", NULL}, NETWORK_FILTERED, 1},
        {{"--lockdown", "--no-network", "--allow-host", "a.test", NULL}, NETWORK_FILTERED, 1},
        {{"--lockdown", "--allow-private", "a.test", NULL}, NETWORK_FILTERED, 1},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_jail_ struct jail jail;

        build(&jail, rows[i].words);
        assert_int_equal(jail.policy.network, rows[i].mode);
        assert_int_equal(jail.policy.hosts.n, rows[i].hosts);
        assert_true(strv_find(&jail.launch.words, "--unshare-net") >= 0);
        assert_true(jail.launch.orders.flags & ORDERS_NETWORK_OFF);
    }
}

static bool has(const struct jail *jail, const char *entry)
{
    return strv_find(&jail->policy.env, entry) >= 0;
}

static void environment_is_a_fixed_set(void **state)
{
    static const char *const there[] = {
        "USER=u",
        "LOGNAME=u",
        "LANG=C.UTF-8",
        "LC_ALL=C",
        "LC_CTYPE=C",
        "TZ=UTC",
        "TERM=dumb",
        "HOME=/home/u",
        "TERM_PROGRAM=t",
        "COLORTERM=truecolor",
        "TERM_PROGRAM_VERSION=1",
        "AI_JAIL=1",
    };
    static const char *const names[] = {
        "AI_JAIL",
        "COLORTERM",
        "HOME",
        "LANG",
        "LC_ALL",
        "LC_CTYPE",
        "LOGNAME",
        "PATH",
        "PS1",
        "TERM",
        "TERM_PROGRAM",
        "TERM_PROGRAM_VERSION",
        "TMPDIR",
        "TZ",
        "USER",
        "_ZO_DOCTOR",
        "XDG_RUNTIME_DIR",
        "MISE_NOT_FOUND_AUTO_INSTALL",
    };
    _cleanup_jail_ struct jail jail;

    (void)state;
    build(&jail, (const char *const[]){"--lockdown", "--env", "SECRET", "--inherit-env", NULL});
    for (size_t i = 0; i < ARRAY_SIZE(there); i++)
        if (!has(&jail, there[i]))
            fail_msg("%s is missing", there[i]);
    for (size_t i = 0; i < jail.policy.env.n; i++) {
        const char *entry = jail.policy.env.v[i];
        bool known = false;

        for (size_t j = 0; j < ARRAY_SIZE(names); j++)
            known |=
                strncmp(entry, names[j], strlen(names[j])) == 0 && entry[strlen(names[j])] == '=';
        if (!known)
            fail_msg("%s", entry);
    }
    assert_true(has(&jail, "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"));
}

/* Where the command was found comes behind the fixed directories, and its interpreter's, too. */
static void path_leads_to_the_command(void **state)
{
    _cleanup_jail_ struct jail jail;

    (void)state;
    init(&jail);
    fakefs_add(jail.planner.fakefs,
               "f /opt/tool/bin/thing 0755 0 x\n"
               "f /home/u/.local/bin/agent 0755 1000 #!/usr/bin/env\\x20thing\\n\n");
    assert_int_equal(jail_build(&jail, (const char *const[]){"--lockdown", "agent", NULL}), 0);
    assert_true(has(&jail, "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:"
                           "/home/u/.local/bin:/opt/tool/bin"));
    assert_int_equal(find(&jail, "/home/u/.local/bin")->kind, PLAN_RO);
}

/* What an agent must be told to work in a jail is no part of its state. */
static void agents_are_told_that_it_is_a_jail(void **state)
{
    _cleanup_jail_ struct jail jail;

    (void)state;
    build(&jail, (const char *const[]){"--lockdown", "gemini", NULL});
    assert_true(has(&jail, "GEMINI_SANDBOX=false"));
    assert_null(find(&jail, "/home/u/.gemini"));
}

/* ---- stricter, never weaker ---- */

static bool is_writable_bind(const struct plan_entry *entry)
{
    return entry->kind == PLAN_RW || entry->kind == PLAN_OVERLAY;
}

static uint64_t granted(const struct orders *orders, const char *path)
{
    for (size_t i = 0; i < orders->rule_count; i++)
        if (str_eq(orders->rules[i].path, path))
            return orders->rules[i].access;
    return 0;
}

/* strict may show, grant and allow nothing that normal does not. */
static void check_is_not_weaker(const char *what, const struct jail *strict,
                                const struct jail *normal)
{
    const struct orders *a = &strict->launch.orders;
    const struct orders *b = &normal->launch.orders;

    for (size_t i = 0; i < strict->policy.plan.n; i++) {
        const struct plan_entry *entry = &strict->policy.plan.v[i];
        const struct plan_entry *other = find(normal, entry->dest);

        if (is_writable_bind(entry))
            fail_msg("%s: %s is writable", what, entry->dest);
        if (plan_is_bind(entry->kind) && (!other || !str_eq(entry->source, other->source)))
            fail_msg("%s: %s is shown", what, entry->dest);
    }
    for (size_t i = 0; i < normal->policy.plan.n; i++)
        if (plan_hides(normal->policy.plan.v[i].kind) &&
            plan_shows(&strict->policy.plan, strict->policy.host->fs,
                       normal->policy.plan.v[i].dest))
            fail_msg("%s: %s is not covered", what, normal->policy.plan.v[i].dest);
    for (size_t i = 0; i < a->rule_count; i++)
        if (normal->policy.landlock && find(normal, a->rules[i].path) &&
            granted(b, a->rules[i].path) && a->rules[i].access & ~granted(b, a->rules[i].path))
            fail_msg("%s: %s has more rights", what, a->rules[i].path);
    if (a->nproc > b->nproc || a->nofile_hard > b->nofile_hard || a->fsize > b->fsize ||
        a->core > b->core)
        fail_msg("%s: higher limits", what);
    if ((b->handled_fs & ~a->handled_fs) || (b->scoped & ~a->scoped))
        fail_msg("%s: Landlock handles less", what);
    if (strict->launch.seccomp_program < 0 || strict->policy.network > normal->policy.network)
        fail_msg("%s: filter or network", what);
    if (strict->policy.hosts.n > normal->policy.hosts.n && normal->policy.network != NETWORK_FULL)
        fail_msg("%s: more hosts", what);
    for (size_t i = 0; i < strict->policy.env.n; i++)
        if (!str_starts(strict->policy.env.v[i], "PATH=") &&
            strv_find(&normal->policy.env, strict->policy.env.v[i]) < 0)
            fail_msg("%s: %s", what, strict->policy.env.v[i]);
}

static void no_setting_is_weaker_with_it(void **state)
{
    static const struct request more[] = {
        {{NULL}, ""},
        {{"--mask", ".env"}, ""},
        {{"--deny-path", "sub"}, ""},
        {{"--mask-except", ".env"}, ""},
        {{"--hide-dotdir", "gitconfig"}, ""},
        {{"--no-protect-git"}, ""},
        {{"--no-hide-config"}, ""},
        {{"--worktree"}, ""},
        {{"--no-toolchains"}, ""},
        {{"--no-agent-state"}, ""},
        {{"--allow-host", "a.test"}, ""},
        {{"--no-network"}, ""},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(requests) + ARRAY_SIZE(more); i++) {
        const struct request *row =
            i < ARRAY_SIZE(requests) ? &requests[i] : &more[i - ARRAY_SIZE(requests)];
        const char *const with[] = {"--lockdown", row->words[0], row->words[1], NULL};
        _cleanup_jail_ struct jail strict;
        _cleanup_jail_ struct jail normal;

        build(&strict, with);
        build(&normal, with + 1);
        check_is_not_weaker(row->words[0] ? row->words[0] : "nothing", &strict, &normal);
    }
}

/* Whichever part adds it, no directory of the host is writable. */
static void the_plan_is_sealed(void **state)
{
    struct plan plan CLEANUP(plan_free) = {0};

    (void)state;
    plan_add(&plan, GROUP_PROJECT, PLAN_RW, "/a", "test")->source = xstrdup("/a");
    plan_add(&plan, GROUP_MAPS_OUTSIDE, PLAN_OVERLAY, "/b", "test")->source = xstrdup("/b");
    plan_add(&plan, GROUP_HOME, PLAN_TMPFS, "/c", "test");
    lockdown_seal(&plan);
    assert_int_equal(plan.v[0].kind, PLAN_RO);
    assert_int_equal(plan.v[1].kind, PLAN_RO);
    assert_int_equal(plan.v[2].kind, PLAN_TMPFS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(project_is_read_only_and_home_is_a_tmpfs),
        cmocka_unit_test(more_of_sys_is_masked),
        cmocka_unit_test(limits_are_lower),
        cmocka_unit_test(programs_are_its_own),
        cmocka_unit_test(tcp_is_handled),
        cmocka_unit_test(an_old_landlock_is_no_lockdown),
        cmocka_unit_test(no_filters_is_no_lockdown),
        cmocka_unit_test(each_request_is_dropped_with_one_line),
        cmocka_unit_test(every_setting_has_been_thought_of),
        cmocka_unit_test(walls_that_are_switched_off_end_the_start),
        cmocka_unit_test(network_is_off_or_exactly_what_is_named),
        cmocka_unit_test(environment_is_a_fixed_set),
        cmocka_unit_test(path_leads_to_the_command),
        cmocka_unit_test(agents_are_told_that_it_is_a_jail),
        cmocka_unit_test(no_setting_is_weaker_with_it),
        cmocka_unit_test(the_plan_is_sealed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
