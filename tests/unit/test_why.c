// SPDX-License-Identifier: GPL-3.0-only
/*
 * --why: verdict, deciding rule and advice for paths of every kind.
 */
#include "policy/why.h"
#include "support/jail.h"
#include "support/test.h"

#include <string.h>

static const char tree[] = "f /home/u/proj/README 0644 1000 x\n"
                           "f /home/u/proj/secret 0600 1000 x\n"
                           "f /home/u/proj/foreign 0600 0 x\n"
                           "f /home/u/proj/.ai-jail 0644 1000 x\n"
                           "l /home/u/proj/out /data/in/file\n"
                           "l /home/u/proj/up ../other\n"
                           "l /home/u/proj/loop loop\n"
                           "l /home/u/proj/system /usr/bin/env\n"
                           "d /home/u/proj/sub 0755 1000\n"
                           "f /home/u/other 0644 1000 x\n"
                           "d /home/u/.ssh 0700 1000\n"
                           "f /home/u/.ssh/id 0600 1000 x\n"
                           "f /home/u/.gitconfig 0644 1000 x\n"
                           "d /home/u/.local/state/ai-jail 0700 1000\n"
                           "f /data/in/file 0644 0 x\n"
                           "f /etc/shadow 0640 0 x\n"
                           "f /proc/kcore 0400 0 x\n";

static const struct question {
    const char *query;
    const char *flag;
    const char *value;
    const char *verdict;
    const char *rule;   /* part of the deciding rule */
    const char *advice; /* part, NULL: none */
} questions[] = {
    {".", NULL, NULL, "read-write", "rw /home/u/proj", NULL},
    {"./README", NULL, NULL, "read-write", "rw /home/u/proj", NULL},
    {"sub/", NULL, NULL, "read-write", "rw /home/u/proj", NULL},
    {"./foreign", NULL, NULL, "denied", "rw /home/u/proj", "own permissions (0600, owner 0)"},
    {"./nothing", NULL, NULL, "absent", "rw /home/u/proj", "host has nothing"},
    {"./nothing/below", NULL, NULL, "absent", "rw /home/u/proj", "host has nothing"},
    {"./README/below", NULL, NULL, "absent", "rw /home/u/proj", "host has nothing"},
    {"./.ai-jail", NULL, NULL, "empty (masked)", "mask /home/u/proj/.ai-jail", "--no-hide-config"},
    {"./secret", "--mask", "secret", "empty (masked)", "mask /home/u/proj/secret",
     "--mask-except /home/u/proj/secret"},
    {"./secret", "--deny-path", "secret", "denied", "deny /home/u/proj/secret",
     "--deny-path-except /home/u/proj/secret"},
    {"./later.pem", "--mask", "*.pem", "absent", "rw /home/u/proj", "when it appears"},
    {"/proc/kcore", NULL, NULL, "empty (masked)", "mask /proc/kcore", "never shown"},
    {"./out", NULL, NULL, "absent", "nothing of the host", "--map /data/in/file"},
    {"./out", "--map", "/data/in", "read-only", "ro /data/in", NULL},
    {"./up", NULL, NULL, "absent", "tmpfs /home/u", "--map /home/u/other"},
    {"./loop", NULL, NULL, "absent", "rw /home/u/proj", "40 symbolic links"},
    {"./system", NULL, NULL, "read-only", "ro /usr", NULL},
    {"/bin/env", NULL, NULL, "read-only", "ro /usr", NULL},
    {"/usr/bin/../../etc/shadow", NULL, NULL, "denied", "ro /etc", "own permissions (0640"},
    {"~", NULL, NULL, "private", "tmpfs /home/u", "gone at the end"},
    {"~/other", NULL, NULL, "absent", "tmpfs /home/u", "--map /home/u/other"},
    {"~/.ssh/id", NULL, NULL, "absent", "tmpfs /home/u", "it holds keys"},
    {"~/.gitconfig", NULL, NULL, "read-only", "ro /home/u/.gitconfig", "--rw-map"},
    {"~/.local/state/ai-jail", NULL, NULL, "absent", "tmpfs /home/u", "--map"},
    {"/home", NULL, NULL, "private", "nothing of the host", NULL},
    {"/", NULL, NULL, "private", "nothing of the host", NULL},
    {"/tmp", NULL, NULL, "private", "tmpfs /tmp", NULL},
    {"/tmp/x", NULL, NULL, "absent", "tmpfs /tmp", "host has nothing"},
    {"/dev/null", NULL, NULL, "private", "dev /dev", NULL},
    {"/etc/hosts", NULL, NULL, "private", "data /etc/hosts", NULL},
    {"/data/in/file", "--rw-map", "/data/in:/w", "absent", "nothing of the host", "--map"},
    {"/w/file", "--rw-map", "/data/in:/w", "read-write", "rw /w from /data/in", NULL},
    {"example.org", NULL, NULL, "refused", "host-not-listed", "--allow-host example.org allows"},
    {"example.org", "--allow-host", "example.org", "allowed", "host example.org", "each address"},
    {"www.example.org:80", "--allow-host", "example.org", "allowed", "host example.org",
     "each address"},
    {"example.org:8080", "--allow-host", "example.org", "refused", "port-not-listed",
     "--allow-host example.org:8080"},
    {"github.com", NULL, NULL, "allowed", "host github.com", "each address"},
    {"127.0.0.1", NULL, NULL, "allowed", "own loopback", "--forward-port"},
    {"exa mple", NULL, NULL, "refused", "malformed", "HOST:PORT"},
    {"1.2.3", "--no-network", NULL, "offline", "malformed", "HOST:PORT"},
    {"169.254.169.254", NULL, NULL, "refused", "host-not-listed", NULL},
    {"169.254.169.254", "--no-network", NULL, "offline", "network off", NULL},
    {"localhost:3000", "--no-network", NULL, "allowed", "own loopback", "--forward-port"},
    {"localhost:3000", "--lockdown", NULL, "refused", "loopback-closed", "without --lockdown"},
    {"README", NULL, NULL, "refused", "host-not-listed", "./README is the file"},
    {"example.org:80", "--no-network", NULL, "offline", "network off", "--allow-host"},
    {"example.org", "--network", NULL, "open", "network full", NULL},
};

static void ask(const struct question *question)
{
    const char *const words[] = {question->flag, question->value, NULL};
    _cleanup_jail_ struct jail jail;
    _cleanup_why_ struct why_answer answer = {0};
    bool accessible;

    jail_init(&jail, tree, NULL);
    if (jail_build(&jail, words) < 0)
        fail_msg("%s: %s", question->query, jail.error.text);
    why_ask(&answer, &jail.policy, question->query);
    if (!str_eq(answer.verdict, question->verdict))
        fail_msg("%s: %s, not %s", question->query, answer.verdict, question->verdict);
    if (!strstr(answer.rule, question->rule))
        fail_msg("%s: rule %s, not %s", question->query, answer.rule, question->rule);
    if (question->advice ? !answer.advice || !strstr(answer.advice, question->advice)
                         : answer.advice && !str_eq(answer.verdict, "private"))
        fail_msg("%s: advice %s, not %s", question->query, answer.advice ? answer.advice : "none",
                 question->advice ? question->advice : "none");
    accessible = str_eq(answer.verdict, "read-only") || str_eq(answer.verdict, "read-write") ||
                 str_eq(answer.verdict, "private") || str_eq(answer.verdict, "open") ||
                 str_eq(answer.verdict, "allowed");
    assert_int_equal(answer.is_accessible, accessible);
}

static void test_questions(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(questions); i++)
        ask(&questions[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_questions)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
