// SPDX-License-Identifier: GPL-3.0-only
/*
 * What supervisor, mounter and the filter of --sanitize can no longer do once confined, tried
 * from inside (E-LIF-04). The confinement cannot be taken back, so each attempt runs in a child of
 * its own; the same attempts before the confinement are the controls.
 */
#include "backend/landlock.h"
#include "backend/seccomp.h"
#include "pty/isolate.h"
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static char scratch[] = "/tmp/ai-jail-isolate-XXXXXX";
static char file_path[64];
static char victim_path[64]; /* made anew before each attempt */

/* Each gives 0 or the errno of what was tried. */

static int try_write(void)
{
    int fd = open(file_path, O_WRONLY | O_CLOEXEC);

    return fd < 0 ? errno : 0;
}

static int try_read_secret(void)
{
    int fd = open(file_path, O_RDONLY | O_CLOEXEC);

    return fd < 0 ? errno : 0;
}

static int try_create(void)
{
    char path[80];
    int fd;

    snprintf(path, sizeof(path), "%s/new", scratch);
    fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return errno;
    unlink(path);
    return 0;
}

static int try_unlink(void)
{
    return unlink(victim_path) < 0 ? errno : 0;
}

static int try_read_etc(void)
{
    int fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC);

    return fd < 0 ? errno : 0;
}

static int try_exec(void)
{
    char *const argv[] = {(char[]){"true"}, NULL};
    pid_t pid = vfork();
    int status;

    if (pid == 0) {
        execv("/bin/true", argv);
        _exit(errno);
    }
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
}

static int try_ptrace(void)
{
    return ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0 ? errno : 0;
}

static int try_unshare(void)
{
    return unshare(CLONE_NEWUSER) < 0 ? errno : 0;
}

static int try_mount(void)
{
    /* ENOENT or EPERM of the kernel's own checks tell that the call was reached. */
    return mount("none", "/nonexistent", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ? errno : 0;
}

static int try_socket(void)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    return fd < 0 ? errno : 0;
}

static int try_inet(void)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    return fd < 0 ? errno : 0;
}

/* What late masks live on. */
static int try_watch(void)
{
    int fd = inotify_init1(IN_CLOEXEC);
    int dir = open(scratch, O_PATH | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0 || dir < 0 || fchdir(dir) < 0)
        return errno;
    return inotify_add_watch(fd, ".", IN_CREATE | IN_ONLYDIR) < 0 ? errno : 0;
}

static int try_thread_and_memory(void)
{
    void *memory = malloc(1 << 20);

    free(memory);
    return memory ? 0 : ENOMEM;
}

enum confinement { FREE, SUPERVISOR, MOUNTER, STREAM };

/* Runs the attempt in a child confined like that; gives its result. */
static int attempt(int (*what)(void), enum confinement confinement)
{
    int fd = open(victim_path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    int status;
    pid_t pid;

    assert_true(fd >= 0);
    close(fd);
    pid = fork();
    if (pid == 0) {
        struct error error = {0};
        int r = 0;

        if (confinement == SUPERVISOR)
            r = isolate_supervisor(landlock_abi(), true, NULL, &error);
        if (confinement == MOUNTER)
            r = isolate_mounter(true, &error);
        if (confinement == STREAM)
            r = isolate_stream(landlock_abi(), true, NULL, &error);
        _exit(r < 0 ? 255 : what());
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_not_equal(WEXITSTATUS(status), 255);
    return WEXITSTATUS(status);
}

static int setup(void **state)
{
    int fd;

    (void)state;
    if (!mkdtemp(scratch))
        return -1;
    snprintf(file_path, sizeof(file_path), "%s/file", scratch);
    snprintf(victim_path, sizeof(victim_path), "%s/victim", scratch);
    fd = open(file_path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    return fd < 0 ? -1 : close(fd);
}

static int teardown(void **state)
{
    (void)state;
    unlink(victim_path);
    unlink(file_path);
    return rmdir(scratch);
}

static void supervisor_loses_files(void **state)
{
    static int (*const attempts[])(void) = {try_write, try_read_secret, try_create, try_unlink};

    (void)state;
    if (landlock_abi() < 1) {
        test_skip("Landlock is not available");
        return;
    }
    for (size_t i = 0; i < ARRAY_SIZE(attempts); i++) {
        assert_int_equal(attempt(attempts[i], FREE), 0);
        assert_int_equal(attempt(attempts[i], SUPERVISOR), EACCES);
    }
}

static int try_chown(void)
{
    return chown(victim_path, 12345, (gid_t)-1) < 0 ? errno : 0;
}

/* Also where there is no Landlock: chown is none of its business. */
static void supervisor_of_root_loses_capabilities(void **state)
{
    (void)state;
    if (attempt(try_chown, FREE) != 0) {
        test_skip("not root");
        return;
    }
    assert_int_equal(attempt(try_chown, SUPERVISOR), EPERM);
}

static void supervisor_loses_power(void **state)
{
    static int (*const attempts[])(void) = {try_exec, try_ptrace};

    (void)state;
    if (!seccomp_available() || !seccomp_arch()) {
        test_skip("no system call filter");
        return;
    }
    for (size_t i = 0; i < ARRAY_SIZE(attempts); i++) {
        assert_int_equal(attempt(attempts[i], FREE), 0);
        assert_int_equal(attempt(attempts[i], SUPERVISOR), EPERM);
    }
    assert_int_equal(attempt(try_unshare, SUPERVISOR), EPERM);
    assert_int_equal(attempt(try_mount, SUPERVISOR), EPERM);
}

static void supervisor_keeps_what_it_needs(void **state)
{
    static int (*const attempts[])(void) = {try_read_etc, try_inet, try_socket,
                                            try_thread_and_memory};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(attempts); i++)
        assert_int_equal(attempt(attempts[i], SUPERVISOR), 0);
}

static void mounter_loses_exec_and_socket(void **state)
{
    (void)state;
    if (!seccomp_available() || !seccomp_arch()) {
        test_skip("no system call filter");
        return;
    }
    assert_int_equal(attempt(try_exec, FREE), 0);
    assert_int_equal(attempt(try_exec, MOUNTER), EPERM);
    assert_int_equal(attempt(try_socket, FREE), 0);
    assert_int_equal(attempt(try_socket, MOUNTER), EPERM);
    assert_int_equal(attempt(try_ptrace, MOUNTER), EPERM);
    /* It must still be able to join namespaces and to mount: the filter lets the calls through. */
    assert_int_equal(attempt(try_unshare, MOUNTER), attempt(try_unshare, FREE));
    assert_int_equal(attempt(try_mount, MOUNTER), attempt(try_mount, FREE));
    assert_int_equal(attempt(try_watch, MOUNTER), 0);
}

static void stream_loses_everything(void **state)
{
    static int (*const files[])(void) = {try_write, try_read_secret, try_create, try_unlink,
                                         try_read_etc};
    static int (*const power[])(void) = {try_exec, try_ptrace, try_socket, try_inet};

    (void)state;
    if (!seccomp_available() || !seccomp_arch() || landlock_abi() < 1) {
        test_skip("no Landlock or no system call filter");
        return;
    }
    for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
        assert_int_equal(attempt(files[i], FREE), 0);
        assert_int_equal(attempt(files[i], STREAM), EACCES);
    }
    for (size_t i = 0; i < ARRAY_SIZE(power); i++) {
        assert_int_equal(attempt(power[i], FREE), 0);
        assert_int_equal(attempt(power[i], STREAM), EPERM);
    }
    assert_int_equal(attempt(try_unshare, STREAM), EPERM);
    assert_int_equal(attempt(try_mount, STREAM), EPERM);
    assert_int_equal(attempt(try_thread_and_memory, STREAM), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(supervisor_loses_files),
        cmocka_unit_test(supervisor_loses_power),
        cmocka_unit_test(supervisor_of_root_loses_capabilities),
        cmocka_unit_test(supervisor_keeps_what_it_needs),
        cmocka_unit_test(mounter_loses_exec_and_socket),
        cmocka_unit_test(stream_loses_everything),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
