// SPDX-License-Identifier: GPL-3.0-only
/*
 * live_refusals: every refused call, every number that nobody reviewed, foreign entries.
 */
#include "seccomp/live.h"

#include "seccomp/expected.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#ifdef __x86_64__
#define NATIVE x86_64
#else
#define NATIVE generic
#endif

enum { FIRST_UNREVIEWED = 470, NUMBERS_TRIED = 1024, X32 = 0x40000000 };

static unsigned current;

static void check_refusals(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(expected_refusals); i++) {
        const struct expected_refusal *row = &expected_refusals[i];
        int number = row->call.NATIVE;
        long result;

        if (number < 0 || !(row->where & (1u << current)))
            continue;
        errno = 0;
        result = syscall(number, 0, 0, 0, 0, 0, 0);
        live_check_errno(__FILE__, __LINE__, row->call.name, result, row->refusal);
    }
}

static void test_every_refusal(void **state)
{
    (void)state;
    for (current = 0; current < SECCOMP_PROGRAM_COUNT; current++)
        live_run((int)current, check_refusals);
}

/* Of the calls above, those that do no harm: the kernel itself answers something else. */
static void check_refusals_unfiltered(void)
{
    CHECK(syscall(SYS_ptrace, PTRACE_TRACEME, 0, 0, 0) == 0);
    CHECK_ERRNO(syscall(SYS_setns, 0, 0), EINVAL);
    CHECK_ERRNO(syscall(SYS_open_tree, -1, NULL, 0), EFAULT);
    CHECK_ERRNO(syscall(SYS_process_madvise, -1, 0, 0, 0, 0), EBADF);
    CHECK_ERRNO(syscall(SYS_process_vm_readv, getpid(), 0, 0, 0, 0, 1), EINVAL);
    CHECK_ERRNO(syscall(SYS_name_to_handle_at, -1, NULL, NULL, NULL, 0), EFAULT);
    CHECK_ERRNO(syscall(SYS_clone3, NULL, 0), EINVAL);
    CHECK(syscall(SYS_get_mempolicy, NULL, NULL, 0, NULL, 0) == 0);
    CHECK_ERRNO(syscall(SYS_set_mempolicy, -1, NULL, 0), EINVAL);
    CHECK_ERRNO(syscall(SYS_sethostname, NULL, -1), geteuid() == 0 ? EINVAL : EPERM);
}

/* The mounter has to do what the jail must not; the kernel answers it, not the filter. */
static void check_mounter(void)
{
    static char *const no_arguments[] = {NULL};

    CHECK_ERRNO(syscall(SYS_setns, -1, 0), EBADF);
    CHECK_ERRNO(syscall(SYS_open_tree, -1, NULL, 0), EFAULT);
    CHECK_ERRNO(execve("/bin/true", no_arguments, no_arguments), EPERM);
    CHECK_ERRNO(syscall(SYS_execveat, -1, "/bin/true", no_arguments, no_arguments, 0), EPERM);
    CHECK_ERRNO(syscall(SYS_socket, 1, 1, 0), EPERM);
}

static void check_supervisor(void)
{
    static char *const no_arguments[] = {NULL};
    pid_t pid;
    int status;

    CHECK_ERRNO(execve("/bin/true", no_arguments, no_arguments), EPERM);
    CHECK_ERRNO(syscall(SYS_execveat, -1, "/bin/true", no_arguments, no_arguments, 0), EPERM);
    CHECK(syscall(SYS_socket, 2, 1, 0) >= 0);
    pid = fork();
    CHECK(pid >= 0);
    if (pid == 0)
        _exit(7);
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

static void test_helpers(void **state)
{
    (void)state;
    live_run(SECCOMP_MOUNTER, check_mounter);
    live_run(SECCOMP_SUPERVISOR, check_supervisor);
    live_run(LIVE_UNFILTERED, check_refusals_unfiltered);
}

/* P-SEC-15: own children only is Landlock's and the kernel's business; here: no EPERM. */
static void check_debug(void)
{
    CHECK_ERRNO(syscall(SYS_process_vm_readv, getpid(), 0, 0, 0, 0, 1), EINVAL);
    CHECK_ERRNO(syscall(SYS_pidfd_getfd, -1, 0, 0), EBADF);
    CHECK(syscall(SYS_ptrace, PTRACE_TRACEME, 0, 0, 0) == 0);
}

static void test_debug(void **state)
{
    (void)state;
    live_run(SECCOMP_JAIL_DEBUG, check_debug);
    live_run(SECCOMP_JAIL_ROOT_DEBUG, check_debug);
}

/* E-KRN-14. */
static void check_unreviewed(void)
{
    for (long number = FIRST_UNREVIEWED; number < NUMBERS_TRIED; number++)
        CHECK_ERRNO(syscall(number, 0, 0, 0, 0, 0, 0), ENOSYS);
    CHECK_ERRNO(syscall(-1, 0, 0, 0, 0, 0, 0), ENOSYS);
    CHECK_ERRNO(syscall(-2, 0, 0, 0, 0, 0, 0), ENOSYS);
}

static void test_unreviewed(void **state)
{
    (void)state;
    live_run(SECCOMP_JAIL, check_unreviewed);
    live_run(SECCOMP_LOCKDOWN, check_unreviewed);
    live_run(SECCOMP_MOUNTER, check_unreviewed);
}

#ifdef __x86_64__
/* E-ABI-01. */
static void check_x32(void)
{
    static const long numbers[] = {SYS_read, SYS_getpid, 514, 521, 539};

    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
        CHECK_ERRNO(syscall(X32 | numbers[i], 0, 0, 0, 0, 0, 0), ENOSYS);
}

static long call_i386(long number)
{
    long result;

    __asm__ volatile("int $0x80"
                     : "=a"(result)
                     : "a"(number), "b"(0), "c"(0), "d"(0), "S"(0), "D"(0)
                     : "memory", "r8", "r9", "r10", "r11");
    return result;
}

static void check_i386_works(void)
{
    CHECK(call_i386(20) == getpid());
}

/* E-ABI-02: getpid, ptrace, ioctl, mount, clone, unshare, socketcall, io_uring_setup, keyctl. */
static void check_i386(void)
{
    static const long numbers[] = {20, 26, 54, 21, 120, 310, 102, 425, 288};

    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
        CHECK(call_i386(numbers[i]) == -ENOSYS);
}

static void test_foreign_entries(void **state)
{
    (void)state;
    live_run(SECCOMP_JAIL, check_x32);
    /* A kernel without the 32-bit entry answers with a signal: there is nothing to refuse. */
    if (live_status(LIVE_UNFILTERED, check_i386_works) != 0) {
        print_message("this kernel has no 32-bit entry\n");
        return;
    }
    for (int program = 0; program < SECCOMP_PROGRAM_COUNT; program++)
        live_run(program, check_i386);
}
#else
static void test_foreign_entries(void **state)
{
    (void)state;
    print_message("32-bit entries are tested on x86_64 alone\n");
}
#endif

/* P-SEC-7. */
static void check_status(void)
{
    _cleanup_fclose_ FILE *file = fopen("/proc/self/status", "re");
    unsigned found = 0;
    char line[256];

    CHECK(file);
    while (fgets(line, sizeof(line), file)) {
        if (strcmp(line, "Seccomp:\t2\n") == 0 || strcmp(line, "NoNewPrivs:\t1\n") == 0)
            found++;
    }
    CHECK(found == 2);
}

static void test_status(void **state)
{
    (void)state;
    live_run(SECCOMP_JAIL, check_status);
}

/* E-PT-08: a filter of one's own that allows everything changes nothing. */
static void check_second_filter(void)
{
    struct sock_filter allow = {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
    struct sock_fprog filter = {1, &allow};

    CHECK(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0);
    CHECK_ERRNO(syscall(SYS_ptrace, PTRACE_TRACEME, 0, 0, 0), EPERM);
}

static void test_second_filter(void **state)
{
    (void)state;
    live_run(SECCOMP_JAIL, check_second_filter);
}

int live_run_refusals(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_refusal),   cmocka_unit_test(test_helpers),
        cmocka_unit_test(test_debug),           cmocka_unit_test(test_unreviewed),
        cmocka_unit_test(test_foreign_entries), cmocka_unit_test(test_status),
        cmocka_unit_test(test_second_filter),
    };

    return cmocka_run_group_tests_name("refusals", tests, NULL, NULL);
}
