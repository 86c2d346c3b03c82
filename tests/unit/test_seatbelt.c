// SPDX-License-Identifier: GPL-3.0-only
/*
 * Profiles for macOS, by the rules that they hold: one test for each promise of the generator. What a profile
 * means as a whole is asked in tests/macos.
 */
#include "support/mac.h"
#include "support/test.h"

#include <string.h>

static const char tree[] = "l /tmp private/tmp\n"
                           "l /var private/var\n"
                           "l /etc private/etc\n"
                           "d /private/etc\n"
                           "d /private/tmp 1777 0\n"
                           "d /System\n"
                           "d /Library\n"
                           "f /usr/bin/env 0755 0 x\n"
                           "f /bin/bash 0755 0 x\n"
                           "f /opt/homebrew/Cellar/claude/1/bin/claude 0755 501 x\n"
                           "l /opt/homebrew/bin/claude ../Cellar/claude/1/bin/claude\n"
                           "f /Applications/Edit.app/Contents/MacOS/edit 0755 0 x\n"
                           "l /usr/local/bin/edit /Applications/Edit.app/Contents/MacOS/edit\n"
                           "d " MAC_PROJECT " 0755 501\n"
                           "f " MAC_PROJECT "/src/main.c 0644 501 x\n"
                           "f " MAC_PROJECT "/a/b/key 0600 501 x\n"
                           "d " MAC_HOME " 0755 501\n"
                           "d " MAC_HOME "/.claude 0700 501\n"
                           "d " MAC_HOME "/.local/state/claude 0700 501\n"
                           "f " MAC_HOME "/.claude.json 0600 501 {}\n"
                           "d " MAC_HOME "/.codex 0700 501\n"
                           "d " MAC_HOME "/.vim 0755 501\n"
                           "d " MAC_HOME "/.ssh 0700 501\n"
                           "f " MAC_HOME "/.ssh/config 0600 501 x\n"
                           "d " MAC_HOME "/code 0755 501\n"
                           "l " MAC_HOME "/code/short ../proj\n"
                           "d /Volumes/in\n"
                           "d /Volumes/out 0755 501\n"
                           "s /private/var/folders/ab/cd/T/agent 0600 501\n"
                           "s /private/var/run/docker.sock 0660 501\n";

/* words: separated by blanks. */
static void build(struct mac *mac, const char *words, const char *cwd)
{
    struct strv argv CLEANUP(strv_free) = {0};

    assert_true(mac_init(mac, tree, cwd));
    strv_push(&argv, "ai-jail");
    strv_split(&argv, words, ' ');
    mac_build(mac, &argv, true);
    if (!mac->profile)
        fail_msg("%s: %s", words, mac->error.text);
}

static bool has(const struct mac *mac, const char *text)
{
    return strstr(mac->profile, text) != NULL;
}

static void must_have(const struct mac *mac, const char *text)
{
    if (!has(mac, text))
        fail_msg("missing: %s\n%s", text, mac->profile);
}

static void must_lack(const struct mac *mac, const char *text)
{
    if (has(mac, text))
        fail_msg("not wanted: %s\n%s", text, mac->profile);
}

/* The rule that begins with head, up to the end of its form; malloc'ed. */
static char *rule(const struct mac *mac, const char *head)
{
    const char *at = strstr(mac->profile, head);
    const char *end = at ? strstr(at, ")\n") : NULL;

    while (end && end[2] == ' ')
        end = strstr(end + 1, ")\n");
    if (!end)
        fail_msg("no rule %s\n%s", head, mac->profile);
    return xstrndup(at, (size_t)(end - at) + 1);
}

static void nothing_is_permitted_by_default(void **state)
{
    struct mac mac _cleanup_mac_ = {0};

    (void)state;
    build(&mac, "bash", NULL);
    assert_true(str_starts(mac.profile, "(version 1)\n(deny default)\n"));
    must_lack(&mac, "subpath \"/\"");
    must_lack(&mac, "(allow file-read*)");
    must_lack(&mac, "(allow file-write*)");
    must_have(&mac, "(allow file-read* (literal \"/\"))");
}

static void denies_follow_allows(void **state)
{
    static const char *const words[] = {"claude", "--mask .env --deny-path src bash",
                                        "--no-private-home bash", "--lockdown claude"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
        struct mac mac _cleanup_mac_ = {0};
        const char *deny;

        build(&mac, words[i], NULL);
        deny = strstr(mac.profile, "\n(deny file");
        assert_non_null(deny);
        assert_null(strstr(deny, "(allow "));
    }
}

static void services_follow_need(void **state)
{
    static const struct {
        const char *words;
        bool trust, resolver, keychain;
    } rows[] = {
        {"bash", false, false, false},
        {"--allow-host example.org bash", true, false, false},
        {"--network bash", true, true, false},
        {"claude", true, false, true},
        {"--no-network claude", false, false, true},
        {"--lockdown claude", false, false, false},
        {"--no-agent-state claude", true, false, false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct mac mac _cleanup_mac_ = {0};

        build(&mac, rows[i].words, NULL);
        must_have(&mac, "\"com.apple.cfprefsd.daemon\"");
        must_have(&mac, "\"com.apple.system.opendirectoryd.libinfo\"");
        assert_int_equal(has(&mac, "\"com.apple.trustd\""), rows[i].trust);
        assert_int_equal(has(&mac, "\"com.apple.dnssd.service\""), rows[i].resolver);
        assert_int_equal(has(&mac, "\"com.apple.SecurityServer\""), rows[i].keychain);
        must_lack(&mac, "mach-register");
    }
}

static void networks_are_what_they_say(void **state)
{
    struct mac off _cleanup_mac_ = {0};
    struct mac filtered _cleanup_mac_ = {0};
    struct mac full _cleanup_mac_ = {0};

    (void)state;
    build(&off, "bash", NULL);
    must_lack(&off, "(remote ");
    must_lack(&off, "mDNSResponder");
    build(&filtered, "--allow-host example.org bash", NULL);
    must_have(&filtered, "(allow network-outbound (remote tcp \"localhost:54321\"))");
    must_lack(&filtered, "(local ");
    must_lack(&filtered, "mDNSResponder");
    build(&full, "--network bash", NULL);
    must_have(&full, "(allow network-outbound (remote ip \"*:*\"))");
    must_have(&full, "(allow network-outbound (literal \"/private/var/run/mDNSResponder\"))");
    must_lack(&full, "(allow network-outbound)");
    must_lack(&full, "docker.sock");
}

static void only_the_own_terminal_is_open(void **state)
{
    struct strv words CLEANUP(strv_free) = {0};
    struct mac with _cleanup_mac_ = {0};
    struct mac without _cleanup_mac_ = {0};
    const char *regex;

    (void)state;
    build(&with, "bash", NULL);
    must_have(&with, "(literal \"/dev/ttys007\")\n  (literal \"/dev/tty\"))");
    regex = strstr(with.profile, "/dev/ttys[0-9]+");
    assert_non_null(regex);
    assert_null(strstr(regex + 1, "/dev/ttys[0-9]+"));
    must_have(&with, "(require-all\n    (regex \"^/dev/ttys[0-9]+$\")\n"
                     "    (extension \"com.apple.sandbox.pty\"))");
    assert_true(mac_init(&without, tree, NULL));
    strv_push(&words, "ai-jail");
    strv_push(&words, "bash");
    assert_true(mac_build(&without, &words, false));
    must_lack(&without, "ttys007");
    must_lack(&without, "(literal \"/dev/tty\")");
}

static void claude_has_rules_of_its_own(void **state)
{
    struct mac claude _cleanup_mac_ = {0};
    struct mac codex _cleanup_mac_ = {0};

    (void)state;
    build(&claude, "claude", NULL);
    must_have(&claude, "\"^/Users/u/\\\\.claude\\\\.json\\\\.tmp\\\\.[0-9]+\\\\.[0-9a-f]+$\"");
    must_have(&claude, "\"^/private/tmp/claude-501(/.*)?$\"");
    must_have(&claude, "(literal \"/Users/u/.claude.json\")");
    build(&codex, "codex", NULL);
    must_lack(&codex, "claude");
    must_have(&codex, "(subpath \"/Users/u/.codex\")");
}

static void sockets_lie_in_agent_state(void **state)
{
    struct mac mac _cleanup_mac_ = {0};
    _cleanup_free_ char *sockets = NULL;

    (void)state;
    build(&mac, "codex", NULL);
    sockets = rule(&mac, "(allow network-bind network-inbound network-outbound");
    assert_non_null(strstr(sockets, "(subpath \"/Users/u/.codex\")"));
    assert_non_null(strstr(sockets, "(subpath \"" MAC_TMP "\")"));
    assert_null(strstr(sockets, MAC_PROJECT));
}

static void masks_refuse_reading_and_writing(void **state)
{
    struct mac mac _cleanup_mac_ = {0};

    (void)state;
    build(&mac, "--mask a/b/key --mask absent/x --mask *.pem --deny-path src bash", NULL);
    must_have(&mac, "(deny file-read-data file-write*\n  (literal \"" MAC_PROJECT "/a/b/key\")\n"
                    "  (subpath \"" MAC_PROJECT "/a/b/key\"))");
    must_have(&mac, "(deny file-read-data file-write*\n  (literal \"" MAC_PROJECT "/absent/x\")");
    must_have(&mac, "\"^" MAC_PROJECT "/[Aa][Bb][Ss][Ee][Nn][Tt]/[Xx](/.*)?$\"");
    must_have(&mac, "(deny file-read-data file-write*\n  (regex \"^" MAC_PROJECT
                    "/([^/]+/)*[^/]*\\\\.pem(/.*)?$\"))");
    must_have(&mac, "(deny file-read* file-write*\n  (literal \"" MAC_PROJECT "/src\")");
    must_have(&mac, "(deny file-read-data file-write*\n  (literal \"" MAC_PROJECT "/.ai-jail\")");
}

static void no_directory_above_a_mask_is_renamed(void **state)
{
    struct mac mac _cleanup_mac_ = {0};
    _cleanup_free_ char *pins = NULL;

    (void)state;
    build(&mac, "--mask a/b/key --mask conf*/x bash", NULL);
    must_have(&mac, "(deny file-write-unlink\n  (regex \"^" MAC_PROJECT "/conf[^/]*$\"))");
    pins = rule(&mac, "(deny file-write-unlink\n  (literal");
    assert_non_null(strstr(pins, "(literal \"" MAC_PROJECT "\")"));
    assert_non_null(strstr(pins, "(literal \"" MAC_PROJECT "/a\")"));
    assert_non_null(strstr(pins, "(literal \"" MAC_PROJECT "/a/b\")"));
    assert_null(strstr(pins, "/key"));
    assert_null(strstr(pins, "(literal \"" MAC_HOME "\")"));
}

static void exceptions_stand_in_the_same_rule(void **state)
{
    struct mac mac _cleanup_mac_ = {0};

    (void)state;
    build(&mac, "--mask *.pem --mask-except public.pem --mask-except *.pub.pem bash", NULL);
    must_have(&mac,
              "    (require-not (literal \"" MAC_PROJECT "/public.pem\"))\n"
              "    (require-not (subpath \"" MAC_PROJECT "/public.pem\"))\n"
              "    (require-not (regex \"^" MAC_PROJECT "/([^/]+/)*[^/]*\\\\.pub\\\\.pem$\"))))");
}

static void links_to_the_project_can_be_looked_at(void **state)
{
    struct mac mac _cleanup_mac_ = {0};
    _cleanup_free_ char *nodes = NULL;

    (void)state;
    build(&mac, "bash", MAC_HOME "/code/short");
    nodes = rule(&mac, "(allow file-read-metadata");
    assert_non_null(strstr(nodes, "(literal \"" MAC_HOME "/code/short\")"));
    assert_non_null(strstr(nodes, "(literal \"" MAC_HOME "/code\")"));
    assert_non_null(strstr(nodes, "(literal \"/tmp\")"));
    must_have(&mac, "(subpath \"" MAC_PROJECT "\")");
    must_lack(&mac, "(subpath \"" MAC_HOME "/code");
}

static void commands_are_found_where_macos_keeps_them(void **state)
{
    struct mac brew _cleanup_mac_ = {0};
    struct mac bundle _cleanup_mac_ = {0};

    (void)state;
    build(&brew, "claude", NULL);
    must_have(&brew, "(subpath \"/opt\")");
    must_have(&brew, "(deny file-read* file-write*\n  (literal \"/opt/homebrew/var\")\n"
                     "  (subpath \"/opt/homebrew/var\"))");
    build(&bundle, "edit", NULL);
    must_have(&bundle, "(subpath \"/Applications/Edit.app\")");
    must_have(&bundle, "(literal \"/Applications\")");
    must_lack(&bundle, "(subpath \"/Applications\")");
}

static void hidden_directories_beat_agents(void **state)
{
    struct mac mac _cleanup_mac_ = {0};

    (void)state;
    build(&mac, "--hide-dotdir claude claude", NULL);
    must_have(&mac, "(deny file-read* file-write*\n  (literal \"/Users/u/.claude\")");
    must_have(&mac, "(deny file-read* file-write*\n  (literal \"/Users/u/.claude.json\")");
    must_lack(&mac, "  (subpath \"/Users/u/.claude\")\n  (subpath");
    must_lack(&mac, "claude\\\\.json");
}

static void lockdown_writes_nothing_but_temporary_files(void **state)
{
    struct mac mac _cleanup_mac_ = {0};
    const char *writes;

    (void)state;
    build(&mac, "--lockdown --rw-map /Volumes/out --map /Volumes/in --worktree --docker claude",
          NULL);
    writes = strstr(mac.profile, "; writes\n");
    assert_non_null(writes);
    assert_true(str_starts(writes, "; writes\n(allow file-write*\n  (subpath \"" MAC_TMP "\"))\n"));
    must_lack(&mac, "/Volumes/in");
    must_lack(&mac, "docker.sock");
    must_lack(&mac, "/Users/u/.claude");
}

static void flags_free_their_directories(void **state)
{
    struct mac without _cleanup_mac_ = {0};
    struct mac with _cleanup_mac_ = {0};

    (void)state;
    build(&without, "bash", NULL);
    must_have(&without, "(deny file-read* file-write*\n  (literal \"/Users/u/.ssh\")");
    build(&with, "--ssh bash", NULL);
    must_lack(&with, "(deny file-read* file-write*\n  (literal \"/Users/u/.ssh\")");
    must_have(&with, "(subpath \"/Users/u/.ssh\")");
}

static void sockets_of_others_need_a_flag(void **state)
{
    struct strv words CLEANUP(strv_free) = {0};
    struct mac docker _cleanup_mac_ = {0};
    struct mac ssh _cleanup_mac_ = {0};

    (void)state;
    build(&docker, "--docker bash", NULL);
    must_have(&docker,
              "(allow file-read* file-write*\n  (literal \"/private/var/run/docker.sock\"))\n"
              "(allow network-outbound\n  (literal \"/private/var/run/docker.sock\"))");
    assert_true(strv_find(&docker.policy.env, "DOCKER_HOST=unix:///var/run/docker.sock") >= 0);
    assert_true(mac_init(&ssh, tree, NULL));
    strv_push(&ssh.host.environ, "SSH_AUTH_SOCK=/var/folders/ab/cd/T/agent");
    strv_split(&words, "ai-jail --ssh bash", ' ');
    assert_true(mac_build(&ssh, &words, true));
    must_have(&ssh, "(allow network-outbound\n  (literal \"/private/var/folders/ab/cd/T/agent\"))");
    must_lack(&ssh,
              "(allow file-read* file-write*\n  (literal \"/private/var/folders/ab/cd/T/agent");
    assert_true(strv_find(&ssh.policy.env, "SSH_AUTH_SOCK=/var/folders/ab/cd/T/agent") >= 0);
}

static void host_ipc_needs_its_flag(void **state)
{
    struct mac on _cleanup_mac_ = {0};
    struct mac lockdown _cleanup_mac_ = {0};

    (void)state;
    build(&on, "--macos-host-ipc bash", NULL);
    must_have(&on, "(allow mach-lookup)\n");
    must_lack(&on, "mach-register");
    build(&lockdown, "--lockdown --macos-host-ipc bash", NULL);
    must_lack(&lockdown, "(allow mach-lookup)\n");
    must_lack(&lockdown, "iokit");
}

static void the_environment_fits(void **state)
{
    struct mac mac _cleanup_mac_ = {0};
    struct mac lockdown _cleanup_mac_ = {0};

    (void)state;
    build(&mac, "--allow-host example.org bash", NULL);
    assert_true(strv_find(&mac.policy.env, "TMPDIR=" MAC_TMP) >= 0);
    assert_true(strv_find(&mac.policy.env, "HTTPS_PROXY=http://127.0.0.1:54321") >= 0);
    for (size_t i = 0; i < mac.policy.env.n; i++)
        assert_false(str_starts(mac.policy.env.v[i], "XDG_RUNTIME_DIR="));
    build(&lockdown, "--lockdown claude", NULL);
    assert_true(strv_find(&lockdown.policy.env, "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:"
                                                "/opt/homebrew/bin") >= 0);
}

static bool has_note(const struct mac *mac, enum note_class class, const char *part)
{
    for (size_t i = 0; i < mac->notes.n; i++)
        if (mac->notes.v[i].class == class && strstr(mac->notes.v[i].text, part))
            return true;
    return false;
}

static void options_without_effect_are_said(void **state)
{
    struct mac mac _cleanup_mac_ = {0};
    struct mac silent _cleanup_mac_ = {0};

    (void)state;
    build(&mac, "--gpu --systemd-user --tailscale --overlay-map /Volumes/in bash", NULL);
    assert_true(has_note(&mac, NOTE_INFO, "--gpu has no effect on macOS"));
    assert_true(has_note(&mac, NOTE_WARNING, "--systemd-user has no effect on macOS"));
    assert_true(has_note(&mac, NOTE_WARNING, "--tailscale has no effect on macOS"));
    assert_true(has_note(&mac, NOTE_WARNING, "--overlay-map /Volumes/in is read-only"));
    must_have(&mac, "(subpath \"/Volumes/in\")");
    build(&silent, "--no-landlock --no-seccomp bash", NULL);
    assert_false(has_note(&silent, NOTE_SECURITY, ""));
}

static void what_cannot_be_done_is_refused(void **state)
{
    static const struct {
        const char *words;
        const char *why;
    } rows[] = {
        {"--map /Volumes/in:/elsewhere bash", "another destination"},
        {"--rw-map /Volumes/out:/Volumes/in bash", "another destination"},
        {"--forward-port 5432 bash", "cannot be done on macOS"},
        {"--publish 3000 bash", "cannot be done on macOS"},
        {"--map /Volumes/a\x07 bash", "control character"},
        {"--map /Volumes/a\xff bash", "UTF-8"},
        {"--map /Volumes/a\xc2\x9b bash", "control character"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct strv words CLEANUP(strv_free) = {0};
        struct mac mac _cleanup_mac_ = {0};

        assert_true(mac_init(&mac, tree, NULL));
        fakefs_add(mac.fakefs, "d /Volumes/a\\x07\nd /Volumes/a\\xff\nd /Volumes/a\\xc2\\x9b\n");
        strv_push(&words, "ai-jail");
        strv_split(&words, rows[i].words, ' ');
        assert_false(mac_build(&mac, &words, true));
        if (!strstr(mac.error.text, rows[i].why))
            fail_msg("%s: %s", rows[i].words, mac.error.text);
    }
}

static void a_map_to_itself_is_no_other_place(void **state)
{
    struct mac mac _cleanup_mac_ = {0};

    (void)state;
    build(&mac, "--map /Volumes/in:/Volumes/in bash", NULL);
    must_have(&mac, "(subpath \"/Volumes/in\")");
}

static void names_cannot_become_forms(void **state)
{
    struct strv words CLEANUP(strv_free) = {0};
    struct mac mac _cleanup_mac_ = {0};

    (void)state;
    assert_true(mac_init(&mac, tree, NULL));
    fakefs_add(mac.fakefs, "d /Volumes/a\")(allow\\x20file-read*)(\"\\\\b\\nc\n");
    strv_push(&words, "ai-jail");
    strv_push(&words, "--map");
    strv_push(&words, "/Volumes/a\")(allow file-read*)(\"\\b\nc");
    strv_push(&words, "--mask");
    strv_push(&words, "x\"(.*)[y]*");
    strv_push(&words, "bash");
    if (!mac_build(&mac, &words, true))
        fail_msg("%s", mac.error.text);
    must_have(&mac, "(subpath \"/Volumes/a\\\")(allow file-read*)(\\\"\\\\b\\nc\")");
    must_have(&mac, "x\\\"\\\\(\\\\.[^/]*\\\\)([y])[^/]*");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_permitted_by_default),
        cmocka_unit_test(denies_follow_allows),
        cmocka_unit_test(services_follow_need),
        cmocka_unit_test(networks_are_what_they_say),
        cmocka_unit_test(only_the_own_terminal_is_open),
        cmocka_unit_test(claude_has_rules_of_its_own),
        cmocka_unit_test(sockets_lie_in_agent_state),
        cmocka_unit_test(masks_refuse_reading_and_writing),
        cmocka_unit_test(no_directory_above_a_mask_is_renamed),
        cmocka_unit_test(exceptions_stand_in_the_same_rule),
        cmocka_unit_test(links_to_the_project_can_be_looked_at),
        cmocka_unit_test(commands_are_found_where_macos_keeps_them),
        cmocka_unit_test(hidden_directories_beat_agents),
        cmocka_unit_test(lockdown_writes_nothing_but_temporary_files),
        cmocka_unit_test(flags_free_their_directories),
        cmocka_unit_test(sockets_of_others_need_a_flag),
        cmocka_unit_test(host_ipc_needs_its_flag),
        cmocka_unit_test(the_environment_fits),
        cmocka_unit_test(options_without_effect_are_said),
        cmocka_unit_test(what_cannot_be_done_is_refused),
        cmocka_unit_test(a_map_to_itself_is_no_other_place),
        cmocka_unit_test(names_cannot_become_forms),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
