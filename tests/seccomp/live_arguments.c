// SPDX-License-Identifier: GPL-3.0-only
/*
 * live_arguments: the argument rules, with real calls, upper halves of arguments included.
 */
#include "seccomp/live.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

enum { SET_USER_ID = 04755, UNSET = 0755, NEW_TIME = 0x80, NEW_USER = 0x10000000 };

static const unsigned long upper_halves[] = {0, 1UL << 32, 0xffffffffUL << 32};
static const unsigned long namespaces[] = {0x00020000, 0x02000000, 0x04000000, 0x08000000,
                                           NEW_USER,   0x20000000, 0x40000000};

/* E-NS-01, E-NS-02, E-NS-03. */
static void check_namespaces(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(upper_halves); i++) {
        for (size_t j = 0; j < ARRAY_SIZE(namespaces); j++) {
            unsigned long flags = upper_halves[i] | namespaces[j];

            CHECK_ERRNO(syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0), EPERM);
            CHECK_ERRNO(syscall(SYS_clone, flags | NEW_USER | SIGCHLD, 0, 0, 0, 0), EPERM);
            CHECK_ERRNO(syscall(SYS_unshare, flags), EPERM);
            CHECK_ERRNO(syscall(SYS_unshare, flags | NEW_USER), EPERM);
        }
        CHECK_ERRNO(syscall(SYS_unshare, upper_halves[i] | NEW_TIME), EPERM);
    }
    CHECK(syscall(SYS_unshare, CLONE_FILES) == 0);
}

/* Root may always; others where the system lets them, and then the filter is what refuses above. */
static void check_namespaces_unfiltered(void)
{
    CHECK(geteuid() != 0 || syscall(SYS_unshare, 0x04000000) == 0);
}

static void test_namespaces(void **state)
{
    (void)state;
    live_run(SECCOMP_JAIL, check_namespaces);
    live_run(SECCOMP_LOCKDOWN, check_namespaces);
    live_run(SECCOMP_JAIL_ROOT_DEBUG, check_namespaces);
    live_run(SECCOMP_SUPERVISOR, check_namespaces);
    live_run(LIVE_UNFILTERED, check_namespaces_unfiltered);
}

static void check_family(unsigned long family, unsigned long upper)
{
    static const unsigned long types[] = {1, 2, 4, 5, 1 | SOCK_CLOEXEC, 2 | SOCK_NONBLOCK};
    int pair[2];

    for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
        CHECK_ERRNO(syscall(SYS_socket, family | upper, types[i], 0), EAFNOSUPPORT);
        CHECK_ERRNO(syscall(SYS_socketpair, family | upper, types[i], 0, pair), EAFNOSUPPORT);
    }
}

static void check_raw(unsigned long upper)
{
    static const unsigned long families[] = {2, 10};
    static const unsigned long types[] = {SOCK_RAW, SOCK_PACKET, SOCK_RAW | SOCK_CLOEXEC};

    for (size_t i = 0; i < ARRAY_SIZE(families); i++) {
        for (size_t j = 0; j < ARRAY_SIZE(types); j++)
            CHECK_ERRNO(syscall(SYS_socket, families[i], types[j] | upper, 1), EPERM);
    }
    for (unsigned long protocol = 1; protocol <= 22; protocol++) {
        CHECK_ERRNO(syscall(SYS_socket, 16, SOCK_RAW | upper, protocol), EPROTONOSUPPORT);
        CHECK_ERRNO(syscall(SYS_socket, 16 | upper, SOCK_DGRAM, protocol), EPROTONOSUPPORT);
    }
}

/* E-SOC-01 to E-SOC-08. */
static void check_sockets(void)
{
    int pair[2];

    for (size_t i = 0; i < ARRAY_SIZE(upper_halves); i++) {
        for (unsigned long family = 0; family <= 46; family++) {
            if (family != 1 && family != 2 && family != 10 && family != 16)
                check_family(family, upper_halves[i]);
        }
        check_raw(upper_halves[i]);
    }
    CHECK(syscall(SYS_socket, 2, SOCK_STREAM, 0) >= 0);
    CHECK(syscall(SYS_socket, 16, SOCK_RAW, 0) >= 0);
    CHECK(syscall(SYS_socket, 16, SOCK_DGRAM, 0) >= 0);
    CHECK(syscall(SYS_socketpair, 1, SOCK_SEQPACKET, 0, pair) == 0);
}

/* NETLINK_GENERIC is open to everybody and always there. */
static void check_sockets_unfiltered(void)
{
    CHECK(syscall(SYS_socket, 16 | 1UL << 40, SOCK_DGRAM, 16) >= 0);
    CHECK(geteuid() != 0 || syscall(SYS_socket, 2, SOCK_RAW, 1) >= 0);
}

static void test_sockets(void **state)
{
    (void)state;
    live_run(SECCOMP_JAIL, check_sockets);
    live_run(SECCOMP_LOCKDOWN, check_sockets);
    live_run(SECCOMP_JAIL_ROOT_DEBUG, check_sockets);
    live_run(LIVE_UNFILTERED, check_sockets_unfiltered);
}

static int open_pty_slave(void)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    int slave;

    CHECK(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    CHECK(slave >= 0);
    return slave;
}

/* E-TTY-01 to E-TTY-04. */
static void check_ioctls(void)
{
    static const unsigned long requests[] = {0x5412, 0x541c, 0x541d, 0x5423};
    int slave = open_pty_slave();
    struct winsize size;
    int argument = 0;

    for (size_t i = 0; i < ARRAY_SIZE(upper_halves); i++) {
        for (size_t j = 0; j < ARRAY_SIZE(requests); j++) {
            unsigned long request = requests[j] | upper_halves[i];

            CHECK_ERRNO(syscall(SYS_ioctl, slave, request, &argument), EPERM);
            CHECK_ERRNO(syscall(SYS_ioctl, -1, request, &argument), EPERM);
        }
    }
    CHECK(ioctl(slave, TIOCGWINSZ, &size) == 0);
}

/* The kernel does not look at the upper half: N_TTY is accepted. */
static void check_ioctls_unfiltered(void)
{
    int line_discipline = 0;

    CHECK(syscall(SYS_ioctl, open_pty_slave(), 0x5423 | 1UL << 40, &line_discipline) == 0);
}

static void test_ioctls(void **state)
{
    (void)state;
    live_run(SECCOMP_JAIL, check_ioctls);
    live_run(SECCOMP_MOUNTER, check_ioctls);
    live_run(LIVE_UNFILTERED, check_ioctls_unfiltered);
}

/* E-KRN-11. */
static void check_personality(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(upper_halves); i++) {
        CHECK_ERRNO(syscall(SYS_personality, 0x400000 | upper_halves[i]), EPERM);
        CHECK_ERRNO(syscall(SYS_personality, 0x200000 | upper_halves[i]), EPERM);
        CHECK_ERRNO(syscall(SYS_personality, 0x40000 | upper_halves[i]), EPERM);
    }
    CHECK(syscall(SYS_personality, 0xffffffff) == 0);
    CHECK(syscall(SYS_personality, 0x20008) == 0);
    CHECK(syscall(SYS_personality, 0) == 0x20008);
}

static void check_personality_debug(void)
{
    CHECK_ERRNO(syscall(SYS_personality, 0x400000), EPERM);
    CHECK(syscall(SYS_personality, 0x40000) == 0);
    CHECK(syscall(SYS_personality, 0xffffffff) == 0x40000);
}

static void check_personality_unfiltered(void)
{
    CHECK(syscall(SYS_personality, 0x400000 | 1UL << 32) == 0);
    CHECK(syscall(SYS_personality, 0xffffffff) == 0x400000);
}

static void test_personality(void **state)
{
    (void)state;
    live_run(SECCOMP_JAIL, check_personality);
    live_run(SECCOMP_JAIL_DEBUG, check_personality_debug);
    live_run(LIVE_UNFILTERED, check_personality_unfiltered);
}

static bool has_set_user_id(void)
{
    struct stat info;

    CHECK(fstat(live_file, &info) == 0);
    return (info.st_mode & S_ISUID) != 0;
}

/* The calls that only x86_64 has. */
static void check_old_modes(const char *new_path, unsigned long mode)
{
#ifdef SYS_chmod
    CHECK_ERRNO(syscall(SYS_chmod, live_path, mode), EPERM);
    CHECK_ERRNO(syscall(SYS_creat, new_path, mode), EPERM);
    CHECK_ERRNO(syscall(SYS_mknod, new_path, S_IFREG | mode, 0), EPERM);
    CHECK_ERRNO(syscall(SYS_open, new_path, O_CREAT | O_WRONLY, mode), EPERM);
    CHECK_ERRNO(syscall(SYS_open, "/tmp", O_TMPFILE | O_WRONLY, mode), EPERM);
#else
    (void)new_path;
    (void)mode;
#endif
}

/* E-FS-15. */
static void check_modes(void)
{
    static const char new_path[] = "/tmp/ai-jail-seccomp-must-not-appear";

    for (size_t i = 0; i < ARRAY_SIZE(upper_halves); i++) {
        unsigned long mode = upper_halves[i] | SET_USER_ID;
        unsigned long creates = upper_halves[i] | O_CREAT | O_WRONLY;

        check_old_modes(new_path, mode);
        CHECK_ERRNO(syscall(SYS_fchmod, live_file, mode), EPERM);
        CHECK_ERRNO(syscall(SYS_fchmodat, AT_FDCWD, live_path, mode), EPERM);
        CHECK_ERRNO(syscall(SYS_fchmodat2, AT_FDCWD, live_path, mode, 0), EPERM);
        CHECK_ERRNO(syscall(SYS_mknodat, AT_FDCWD, new_path, S_IFREG | mode, 0), EPERM);
        CHECK_ERRNO(syscall(SYS_openat, AT_FDCWD, new_path, creates, mode), EPERM);
        CHECK_ERRNO(syscall(SYS_openat, AT_FDCWD, "/tmp", O_TMPFILE | O_WRONLY, mode), EPERM);
    }
    CHECK(!has_set_user_id());
    CHECK_ERRNO(access(new_path, F_OK), ENOENT);
    CHECK(syscall(SYS_fchmod, live_file, UNSET) == 0);
    CHECK(syscall(SYS_fchmodat, AT_FDCWD, live_path, UNSET) == 0);
    CHECK(syscall(SYS_openat, AT_FDCWD, live_path, O_RDONLY, SET_USER_ID) >= 0);
    CHECK(syscall(SYS_openat, AT_FDCWD, live_path, O_CREAT | O_WRONLY, UNSET) >= 0);
}

/* How openat2(2) describes an opening. */
static const struct {
    uint64_t flags, mode, resolve;
} how = {O_RDONLY, 0, 0};

static void check_openat2(void)
{
    CHECK(syscall(SYS_openat2, AT_FDCWD, live_path, &how, sizeof(how)) >= 0);
}

static void check_openat2_root(void)
{
    CHECK_ERRNO(syscall(SYS_openat2, AT_FDCWD, live_path, &how, sizeof(how)), ENOSYS);
}

static void check_modes_unfiltered(void)
{
    CHECK(syscall(SYS_fchmod, live_file, SET_USER_ID) == 0 && has_set_user_id());
    CHECK(syscall(SYS_fchmod, live_file, UNSET) == 0 && !has_set_user_id());
}

static void test_modes(void **state)
{
    (void)state;
    live_run(LIVE_UNFILTERED, check_modes_unfiltered);
    live_run(SECCOMP_JAIL, check_modes);
    live_run(SECCOMP_JAIL_ROOT, check_modes);
    live_run(SECCOMP_JAIL, check_openat2);
    live_run(SECCOMP_JAIL_ROOT, check_openat2_root);
}

int live_run_arguments(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_namespaces), cmocka_unit_test(test_sockets),
        cmocka_unit_test(test_ioctls),     cmocka_unit_test(test_personality),
        cmocka_unit_test(test_modes),
    };

    return cmocka_run_group_tests_name("arguments", tests, NULL, NULL);
}
