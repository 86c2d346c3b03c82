// SPDX-License-Identifier: GPL-3.0-only
/*
 * The exact output of --dry-run for fixed flags on a made-up host.
 *
 * Each case is compared with NAME.txt and NAME.json. Beside that, for every case: the backend
 * section, read by a shell, gives back the very words (P-CLI-15); the JSON is valid and has the
 * promised fields; no value of a variable occurs (P-CLI-3); nothing in it acts on a terminal
 * (P-CLI-7).
 */
#include "backend/seccomp.h"
#include "base/fd.h"
#include "support/jail.h"
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CANARY   "canary-81c2"
#define TEXT_MAX (4 * MIB)

static const char *golden_dir;

/* Every name that passes, one that does not, and one that is removed. */
static const char *const environ_[] = {
    "HOME=/home/u",           "PATH=/usr/bin:/" CANARY, "TERM=xterm-" CANARY,
    "LANG=" CANARY,           "EDITOR=" CANARY,         "SECRET_TOKEN=" CANARY,
    "SSH_AUTH_SOCK=/" CANARY, "GIVEN=" CANARY,          NULL,
};

struct golden_case {
    const char *name;
    const char *tree;
    const char *words[24];
    uid_t uid;
    int landlock_abi;
    bool old_bwrap;
};

static const char machine_tree[] = "f /etc/hostname 0644 0 x\n"
                                   "f /etc/machine-id 0444 0 x\n"
                                   "l /etc/resolv.conf ../run/systemd/resolve/stub-resolv.conf\n"
                                   "f /run/systemd/resolve/stub-resolv.conf 0644 0 "
                                   "nameserver\\x20127.0.0.53\\n\n"
                                   "f /etc/shadow 0640 0 x\n"
                                   "f /etc/ssl/private/key 0600 0 x\n"
                                   "d /opt/app\n"
                                   "d /sys/firmware\n"
                                   "d /sys/kernel/debug\n"
                                   "d /var/lib/dpkg\n"
                                   "f /home/u/.gitconfig 0644 1000 x\n"
                                   "f /home/u/proj/.ai-jail 0644 1000 x\n"
                                   "d /home/u/.ssh 0700 1000\n"
                                   "d /home/u/.cargo 0755 1000\n"
                                   "d /home/u/.vim 0755 1000\n"
                                   "d /home/u/.config/gh 0755 1000\n"
                                   "d /home/u/.local/state/ai-jail 0700 1000\n"
                                   "d /data/in\n"
                                   "f /data/file 0644 0 x\n"
                                   "l /short data/in\n"
                                   "d /home/u/proj/sub 0755 1000\n";

static const struct golden_case cases[] = {
    {.name = "default", .landlock_abi = 7},
    {.name = "network", .words = {"--network", "--", "curl", "example.org"}, .landlock_abi = 7},
    {.name = "no-network", .words = {"--no-network"}, .landlock_abi = 7},
    {.name = "hosts",
     .words = {"--no-toolchains", "--allow-host", "Example.org:8080", "--allow-host",
               "raw:git.test:22", "--allow-private", "intranet.test", "--", "claude"},
     .landlock_abi = 7},
    {.name = "no-private-home", .words = {"--no-private-home"}, .landlock_abi = 7},
    {.name = "maps",
     .words = {"--map", "/short", "--map", "/data/file:/m/file", "--rw-map", "/data:/w", "--map",
               "sub", "--env", "GIVEN", "--env", "SAID=" CANARY},
     .landlock_abi = 7},
    {.name = "overlays",
     .words = {"--overlay-map", "/short", "--overlay-map", "sub"},
     .landlock_abi = 7},
    {.name = "root", .uid = 0, .words = {"id"}, .landlock_abi = 7},
    {.name = "weak",
     .words = {"--no-seccomp", "--no-landlock", "--no-rlimits"},
     .landlock_abi = 7,
     .old_bwrap = true},
    {.name = "lockdown",
     .words = {"--lockdown", "--network", "--allow-debug", "--map", "/data/file", "--env", "GIVEN",
               "--", "claude"},
     .landlock_abi = 7},
    {.name = "browser-hard",
     .tree = "d /home/u/Downloads 0755 1000\n",
     .words = {"--network", "--ssh", "--rw-map", "/data", "--downloads", "/home/u/Downloads",
               "chromium", "https://example.org", "--", "-x"},
     .landlock_abi = 7},
    {.name = "browser-soft",
     .words = {"--browser=soft", "--allow-host", "example.org", "firefox"},
     .landlock_abi = 7},
    {.name = "allow-debug", .words = {"--allow-debug", "gdb"}, .landlock_abi = 9},
    {.name = "abi-1", .landlock_abi = 1},
    {.name = "masks",
     .tree = "f /home/u/proj/.env 0600 1000 x\n"
             "f /home/u/proj/sub/\x1b[31m.pem 0600 1000 x\n"
             "f /home/u/proj/sub/key.pem 0600 1000 x\n"
             "f /home/u/proj/sub/public.pem 0644 1000 x\n"
             "l /home/u/proj/link ../../../data/in\n"
             "d /home/u/.foo 0700 1000\n",
     .words = {"--mask", ".env", "--mask", "*.pem", "--mask-except", "*/public.pem", "--deny-path",
               "sub/key.pem", "--deny-path", "later/file", "--mask", "link", "--map", "/data:/d",
               "--map", "/home/u:/everything", "--hide-dotdir", "foo", "--no-hide-config"},
     .landlock_abi = 7},
    {.name = "odd-names",
     .tree = "d /data/it's\n"
             "d /data/two\\nlines\n"
             "d /data/\\x1b[31mred\n"
             "d /data/\\xff\\xfe\n"
             "d /data/\\xc3\\xa4\\xe2\\x80\\xae\n"
             "d /data/back\\\\slash$(id)`id`\n"
             "d /--bind\n",
     .words = {"--map", "/data/it's", "--map", "/data/two\nlines", "--map", "/data/\x1b[31mred:/r",
               "--map=/--bind", "--", "odd 'word'", "\x1b]0;x\x07", "\xff"},
     .landlock_abi = 7},
    {.name = "odd-names-2",
     .tree = "d /data/\\xff\\xfe\n"
             "d /data/\\xc3\\xa4\\xe2\\x80\\xae\n"
             "d /data/back\\\\slash$(id)`id`\n",
     .words = {"--map", "/data/\xff\xfe", "--map", "/data/\xc3\xa4\xe2\x80\xae", "--map",
               "/data/back\\\\slash$(id)`id`", "--", ""},
     .landlock_abi = 7,
     .old_bwrap = true},
};

static void build(struct jail *jail, const struct golden_case *golden)
{
    struct host *host = &jail->planner.host;

    jail_init(jail, machine_tree, environ_);
    fakefs_add(jail->planner.fakefs, golden->tree);
    host->uid = str_eq(golden->name, "root") ? 0 : 1000;
    host->landlock_abi = golden->landlock_abi;
    host->bwrap.has_bind_fd = !golden->old_bwrap;
    host->bwrap.has_disable_userns = !golden->old_bwrap;
    if (jail_build(jail, golden->words) < 0)
        fail_msg("%s: %s", golden->name, jail->error.text);
}

/* ---- comparison ---- */

static char *read_file(const char *path)
{
    _cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct buf text CLEANUP(buf_free);

    buf_init(&text, TEXT_MAX);
    if (fd < 0 || fd_read_all(fd, &text, TEXT_MAX) < 0)
        fail_msg("%s cannot be read", path);
    return buf_take_cstr(&text);
}

static void write_file(const char *path, const char *text)
{
    _cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

    assert_true(fd >= 0);
    assert_int_equal(fd_write_all(fd, text, strlen(text)), 0);
}

/* The first line that differs is shown. */
static void compare(const char *name, const char *suffix, const char *text)
{
    _cleanup_free_ char *path = xasprintf("%s/%s.%s", golden_dir, name, suffix);
    _cleanup_free_ char *want = NULL;
    unsigned line = 1;
    size_t start = 0;

    if (getenv("UPDATE_GOLDEN")) {
        write_file(path, text);
        return;
    }
    want = read_file(path);
    for (size_t i = 0; want[i] == text[i]; i++) {
        if (!want[i])
            return;
        if (want[i] == '\n') {
            line++;
            start = i + 1;
        }
    }
    fail_msg("%s:%u\n wanted: %.*s\n found:  %.*s", path, line, (int)strcspn(want + start, "\n"),
             want + start, (int)strcspn(text + start, "\n"), text + start);
}

/* The architecture and the number of rules are those of the machine: seccomp has its own tests. */
static char *without_machine(const char *text, const struct launch *launch)
{
    unsigned rules = launch->seccomp_program < 0
                         ? 0
                         : seccomp_rule_count((enum seccomp_program)launch->seccomp_program);
    static const char *const neutral[] = {
        "\n  ARCH, N rules\n",
        "\"arch\": \"ARCH\",\n    \"rules\": 0\n",
    };
    char *result = xstrdup(text);

    for (size_t i = 0; i < ARRAY_SIZE(neutral) && launch->seccomp_program >= 0; i++) {
        _cleanup_free_ char *old =
            i == 0 ? xasprintf("\n  %s, %u rules\n", seccomp_arch(), rules)
                   : xasprintf("\"arch\": \"%s\",\n    \"rules\": %u\n", seccomp_arch(), rules);
        const char *at = strstr(result, old);
        char *changed;

        if (!at)
            continue;
        changed = xasprintf("%.*s%s%s", (int)(at - result), result, neutral[i], at + strlen(old));
        free(result);
        result = changed;
    }
    return result;
}

/* ---- properties of every case ---- */

static void check_is_harmless(const char *text)
{
    assert_null(strstr(text, CANARY));
    for (const unsigned char *at = (const unsigned char *)text; *at; at++)
        assert_true(*at == '\n' || (*at >= 0x20 && *at != 0x7F));
    assert_null(strstr(text, "\xe2\x80\xae"));
}

static void check_json(const char *text)
{
    static const char *const fields[] = {"version",     "command",    "backend",  "mounts",
                                         "environment", "network",    "landlock", "seccomp",
                                         "limits",      "late_masks", "in_step"};
    json_error_t error;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);

    if (!root)
        fail_msg("line %d: %s", error.line, error.text);
    assert_int_equal(json_object_size(root), ARRAY_SIZE(fields));
    for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
        if (!json_object_get(root, fields[i]))
            fail_msg("no field %s", fields[i]);
    assert_int_equal(json_integer_value(json_object_get(root, "version")), 1);
    json_decref(root);
}

/* What bash makes of "printf '%s\0' WORDS". */
static void ask_shell(const char *words, struct buf *out)
{
    _cleanup_free_ char *script = xasprintf("printf '%%s\\0' %s", words);
    char *const argv[] = {(char[]){"bash"}, (char[]){"-c"}, script, NULL};
    int pipe_fds[2];
    int status = -1;
    pid_t pid;

    assert_int_equal(pipe2(pipe_fds, O_CLOEXEC), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        dup2(pipe_fds[1], 1);
        execvp("bash", argv);
        _exit(127);
    }
    close(pipe_fds[1]);
    assert_int_equal(fd_read_all(pipe_fds[0], out, TEXT_MAX), 0);
    close(pipe_fds[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

/* The words that the text promises: descriptors by what they hold. */
static void push_expected(struct buf *want, const struct jail *jail)
{
    const struct launch *launch = &jail->launch;

    buf_append(want, "/usr/bin/bwrap", sizeof("/usr/bin/bwrap"));
    for (size_t i = 0; i < launch->words.n; i++) {
        const char *word = launch->words.v[i];
        _cleanup_free_ char *label = NULL;

        if (launch_is_fd_word(launch, i)) {
            const struct launch_fd *fd = &launch->fds[atoi(word + 1)];

            label = fd->kind == LAUNCH_FD_BIND
                        ? xstrdup(fd->entry->kind == PLAN_OVERLAY ? "<overlay>" : fd->entry->source)
                    : fd->kind == LAUNCH_FD_DATA ? xasprintf("<data:%s>", fd->entry->label)
                    : fd->kind == LAUNCH_FD_INFO ? xstrdup("<fd:info>")
                                                 : xstrdup("<fd:seccomp>");
            word = label;
        } else if (strcmp(word, "--bind-fd") == 0) {
            word = "--bind";
        } else if (strcmp(word, "--ro-bind-fd") == 0) {
            word = "--ro-bind";
        }
        buf_append(want, word, strlen(word) + 1);
    }
    buf_append(want, "--", sizeof("--"));
    buf_append(want, "<fd:launcher>", sizeof("<fd:launcher>"));
}

static void check_replay(const struct jail *jail, const char *text)
{
    const char *start = strstr(text, "\nbackend\n");
    const char *end = start ? strstr(start, "\nmounts\n") : NULL;
    struct buf want CLEANUP(buf_free);
    struct buf found CLEANUP(buf_free);
    _cleanup_free_ char *section = NULL;

    assert_non_null(end);
    start += strlen("\nbackend\n");
    section = xstrndup(start, (size_t)(end - start));
    buf_init(&want, TEXT_MAX);
    buf_init(&found, TEXT_MAX);
    push_expected(&want, jail);
    ask_shell(section, &found);
    assert_int_equal(found.len, want.len);
    assert_memory_equal(found.data, want.data, want.len);
}

static void check_command(const struct jail *jail, const char *text)
{
    const char *start = text + strlen("command\n");
    _cleanup_free_ char *line = xstrndup(start, strcspn(start, "\n"));
    struct buf want CLEANUP(buf_free);
    struct buf found CLEANUP(buf_free);

    buf_init(&want, TEXT_MAX);
    buf_init(&found, TEXT_MAX);
    for (size_t i = 0; i < jail->policy.argv.n; i++)
        buf_append(&want, jail->policy.argv.v[i], strlen(jail->policy.argv.v[i]) + 1);
    ask_shell(line, &found);
    assert_int_equal(found.len, want.len);
    assert_memory_equal(found.data, want.data, want.len);
}

static void sections_stand_in_order(const char *text)
{
    static const char *const names[] = {"command",  "backend", "mounts", "environment", "network",
                                        "landlock", "seccomp", "limits", "late masks"};
    size_t next = 0;

    for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
        if (line[0] == ' ')
            continue;
        assert_true(next < ARRAY_SIZE(names));
        assert_int_equal(strcspn(line, "\n"), strlen(names[next]));
        assert_memory_equal(line, names[next], strlen(names[next]));
        next++;
    }
    assert_int_equal(next, ARRAY_SIZE(names));
}

static void every_case_is_as_stored(void **state)
{
    (void)state;
    if (!seccomp_arch()) {
        test_skip("there is no system call filter for this architecture");
        return;
    }
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        _cleanup_jail_ struct jail jail;
        _cleanup_free_ char *text = NULL;
        _cleanup_free_ char *json = NULL;
        _cleanup_free_ char *neutral_text = NULL;
        _cleanup_free_ char *neutral_json = NULL;

        build(&jail, &cases[i]);
        text = launch_text(&jail.launch, &jail.policy);
        json = launch_json(&jail.launch, &jail.policy);
        assert_non_null(text);
        assert_non_null(json);
        check_is_harmless(text);
        check_is_harmless(json);
        sections_stand_in_order(text);
        check_json(json);
        check_replay(&jail, text);
        check_command(&jail, text);
        neutral_text = without_machine(text, &jail.launch);
        neutral_json = without_machine(json, &jail.launch);
        compare(cases[i].name, "txt", neutral_text);
        compare(cases[i].name, "json", neutral_json);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_case_is_as_stored)};

    if (argc != 2) {
        fprintf(stderr, "usage: %s DIRECTORY\n", argv[0]);
        return 2;
    }
    golden_dir = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
