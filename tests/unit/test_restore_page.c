// SPDX-License-Identifier: GPL-3.0-only
/*
 * restore_page: whoever writes it may be killed at any moment, and what it changed is put back.
 */
#include "pty/jobs.h"
#include "support/ptypair.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define SOON_MS PTYPAIR_SOON_MS
#define KILLS   200
#define TEXT    2000 /* bytes of a restoration */

#define TCSETS2_NUMBER 0x402C542BU /* <asm/ioctls.h>, which <termios.h> does not go with */

static struct restore_page *new_page(void)
{
    void *page = mmap(NULL, sizeof(struct restore_page), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    assert_true(page != MAP_FAILED);
    return page;
}

static void make_raw(int fd)
{
    struct termios modes;

    assert_int_equal(tcgetattr(fd, &modes), 0);
    cfmakeraw(&modes);
    modes.c_cc[VMIN] = 1;
    modes.c_cc[VTIME] = 0;
    assert_int_equal(tcsetattr(fd, TCSANOW, &modes), 0);
}

static void assert_modes(int fd, const struct termios *wanted)
{
    struct termios now;

    assert_int_equal(tcgetattr(fd, &now), 0);
    assert_true(ptypair_is_same_modes(&now, wanted));
}

/* Two texts by turns, for ever. */
static int write_page(int slave, void *arg)
{
    struct terminal terminal = {.fd = slave};
    char text[TEXT];

    if (terminal_set_raw(&terminal, NULL, NULL) < 0)
        return 1;
    for (unsigned i = 0;; i++) {
        memset(text, i % 2 ? 'b' : 'a', sizeof(text));
        restore_page_set(arg, &terminal, text, sizeof(text));
        (void)!write(slave, "x", i == 0);
    }
}

static void test_killed_while_it_writes(void **state)
{
    (void)state;
    for (unsigned i = 0; i < KILLS; i++) {
        struct restore_page *page = new_page();
        struct ptypair pair;
        struct termios before;
        char text[TEXT];
        pid_t pid;

        ptypair_open(&pair, false);
        assert_int_equal(tcgetattr(pair.slave, &before), 0);
        pid = ptypair_spawn(&pair, false, write_page, page);
        ptypair_read(pair.master, text, 1, SOON_MS);
        assert_int_equal(kill(pid, SIGKILL), 0);
        ptypair_wait(pid, SOON_MS);
        make_raw(pair.slave);
        restore_page_apply(page, pair.slave);
        assert_modes(pair.slave, &before);
        ptypair_read(pair.master, text, sizeof(text), SOON_MS);
        for (size_t k = 0; k < sizeof(text); k++)
            assert_int_equal(text[k], text[0]);
        ptypair_close(&pair);
        munmap(page, sizeof(*page));
    }
}

/* The next change of a terminal's modes ends this process. */
static bool die_at_change_of_modes(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, TCSETS, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, TCSETS2_NUMBER, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = ARRAY_SIZE(code), .filter = code};

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static int take_terminal(int slave, void *arg)
{
    struct terminal terminal = {.fd = slave};
    struct probe probe = {0};
    struct jobs jobs = {.terminal = &terminal, .page = arg, .probe = &probe};
    struct host host = {.bwrap.fd = -1};

    if (!die_at_change_of_modes())
        return 1;
    if (jobs_set_raw(&jobs) == 0)
        probe_ask(&probe, &terminal, &host, &(struct filter_profile){0});
    host_free(&host);
    return 2;
}

/* Before the modes are changed the page says how to change them back. */
static void test_killed_while_it_takes_the_terminal(void **state)
{
    struct restore_page *page = new_page();
    struct ptypair pair;
    struct termios before;
    int status;

    (void)state;
    ptypair_open(&pair, false);
    assert_int_equal(tcgetattr(pair.slave, &before), 0);
    status = ptypair_wait(ptypair_spawn(&pair, false, take_terminal, page), SOON_MS);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGSYS);
    /* It was not yet done: nothing to undo. */
    restore_page_apply(page, pair.slave);
    assert_modes(pair.slave, &before);
    /* Had it been done, the very next moment: */
    make_raw(pair.slave);
    restore_page_apply(page, pair.slave);
    assert_modes(pair.slave, &before);
    ptypair_close(&pair);
    munmap(page, sizeof(*page));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_killed_while_it_writes),
        cmocka_unit_test(test_killed_while_it_takes_the_terminal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
