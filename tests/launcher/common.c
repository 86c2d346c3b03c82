// SPDX-License-Identifier: GPL-3.0-only
/*
 * common: the fixture of the launcher's tests.
 */
#include "launcher/common.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS_MAX 16

static struct buf probe_image;
static char *words[WORDS_MAX];

int fixture_setup(void **state)
{
    struct fixture *fixture = xcalloc(1, sizeof(*fixture));

    fixture->jail.launcher_end = -1;
    fixture->jail.control = -1;
    fixture->jail.master = -1;
    fixture->output = memfd_create("output", MFD_CLOEXEC);
    fixture->options.stdio[1] = fixture->output;
    fixture->options.files[0] = (struct jail_file){
        .path = PROBE, .perms = "0555", .bytes = probe_image.data, .len = probe_image.len};
    *state = fixture;
    return fixture->output < 0 ? -1 : 0;
}

int fixture_teardown(void **state)
{
    struct fixture *fixture = *state;

    jail_free(&fixture->jail);
    close(fixture->output);
    free(fixture);
    return 0;
}

void fixture_again(struct fixture *fixture)
{
    jail_free(&fixture->jail);
    (void)!ftruncate(fixture->output, 0);
    lseek(fixture->output, 0, SEEK_SET);
}

void fixture_command(struct fixture *fixture, const char *first, ...)
{
    size_t count = 0;
    va_list args;

    va_start(args, first);
    for (const char *word = first; word; word = va_arg(args, const char *)) {
        assert_true(count + 1 < WORDS_MAX);
        words[count++] = (char *)(uintptr_t)word;
    }
    va_end(args);
    words[count] = NULL;
    fixture->options.orders.argv = words;
}

int fixture_run(struct fixture *fixture)
{
    struct control_message message;

    assert_int_equal(jail_start(&fixture->jail, &fixture->options), 0);
    assert_true(jail_runs(&fixture->jail));
    assert_true(jail_receives(&fixture->jail, CONTROL_EXITED, &message));
    return message.a;
}

int fixture_probe(struct fixture *fixture, const char *name, const char *a, const char *b)
{
    int status;

    fixture_command(fixture, PROBE, name, a, a ? b : NULL, NULL);
    status = fixture_run(fixture);
    assert_true(WIFEXITED(status));
    fixture_again(fixture);
    return WEXITSTATUS(status);
}

void fixture_fails(struct fixture *fixture, enum launch_stage stage, int error)
{
    struct jail *jail = &fixture->jail;
    struct control_message message;

    assert_int_equal(jail_start(jail, &fixture->options), 0);
    assert_true(jail_receives(jail, CONTROL_HELLO, NULL));
    assert_int_equal(control_send(jail->control, CONTROL_GO, 0, 0, -1), 0);
    assert_true(jail_receives(jail, CONTROL_FAILED, &message));
    assert_int_equal(message.a, stage);
    assert_int_equal(message.b, error);
    /* It is the last message, and the jail ends. */
    assert_int_equal(jail_receive(jail, &message), 0);
    assert_int_equal(jail_wait(jail), 125 << 8);
    fixture_again(fixture);
}

const char *fixture_output(struct fixture *fixture)
{
    ssize_t n = pread(fixture->output, fixture->text, sizeof(fixture->text) - 1, 0);

    fixture->text[n < 0 ? 0 : n] = '\0';
    return fixture->text;
}

static bool become_user(const char *text)
{
    uid_t uid = (uid_t)strtoul(text, NULL, 10);

    return setgroups(0, NULL) == 0 && setresgid(uid, uid, uid) == 0 &&
           setresuid(uid, uid, uid) == 0 &&
           /* The change of user hides our own /proc entries from us. */
           prctl(PR_SET_DUMPABLE, 1L, 0L, 0L, 0L) == 0 && chdir("/") == 0;
}

static int skip_all(const char *reason)
{
    const char *must_run = getenv("AI_JAIL_TESTS_MUST_RUN");

    printf("skipped: %s\n", reason);
    return must_run && strcmp(must_run, "1") == 0 ? 1 : 77;
}

int common_main(int (*run)(void))
{
    const char *uid = getenv("AI_JAIL_TEST_UID");
    const char *reason;
    int fd = open(PROBE_FILE, O_RDONLY | O_CLOEXEC);

    buf_init(&probe_image, 8 * MIB);
    if (fd < 0 || fd_read_all(fd, &probe_image, 7 * MIB) < 0) {
        fprintf(stderr, "cannot read %s\n", PROBE_FILE);
        return 1;
    }
    close(fd);
    if (uid && geteuid() != 0)
        return skip_all("only root can become another user");
    if (uid && !become_user(uid)) {
        perror("cannot become an ordinary user");
        return 1;
    }
    reason = jail_unavailable();
    return reason ? skip_all(reason) : run();
}
