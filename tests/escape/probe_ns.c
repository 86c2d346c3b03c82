// SPDX-License-Identifier: GPL-3.0-only
/*
 * probe_ns: new namespaces by every call, and joining existing ones.
 */
#include "probe.h"

#include <fcntl.h>
#include <linux/nsfs.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

extern char **environ;

static const struct {
    const char *name;
    unsigned long flag;
} kinds[] = {
    {"NEWUSER", CLONE_NEWUSER},     {"NEWNS", CLONE_NEWNS},   {"NEWNET", CLONE_NEWNET},
    {"NEWPID", CLONE_NEWPID},       {"NEWIPC", CLONE_NEWIPC}, {"NEWUTS", CLONE_NEWUTS},
    {"NEWCGROUP", CLONE_NEWCGROUP}, {"NEWTIME", 0x80},
};
#define KIND_COUNT (sizeof kinds / sizeof *kinds)

static long step_unshare(const void *argument)
{
    return RESULT(syscall(SYS_unshare, *(const unsigned long *)argument));
}

/* Lists: 0 alone, 1 with NEWUSER (which --disable-userns answers with ENOSPC). */
static void unshare_each(struct trial *t)
{
    for (size_t i = 0; i < KIND_COUNT; i++) {
        unsigned long both = kinds[i].flag | CLONE_NEWUSER;
        if (kinds[i].flag != CLONE_NEWUSER)
            trial_call(t, 0, trial_fork(step_unshare, &kinds[i].flag), "unshare(%s)",
                       kinds[i].name);
        trial_call(t, 1, trial_fork(step_unshare, &both), "unshare(NEWUSER|%s)", kinds[i].name);
    }
}

/* Raw clone without a stack is a fork; the child ends at once. */
static long clone_raw(unsigned long flags)
{
    long pid = syscall(SYS_clone, flags | SIGCHLD, 0UL, 0UL, 0UL, 0UL);

    if (pid == 0)
        _exit(0);
    if (pid < 0)
        return -errno;
    waitpid((pid_t)pid, NULL, 0);
    return 0;
}

static void clone_each(struct trial *t)
{
    for (size_t i = 0; i < KIND_COUNT; i++) {
        /* NEWTIME shares its bit with the exit signal. */
        if (kinds[i].flag == 0x80)
            continue;
        if (kinds[i].flag != CLONE_NEWUSER)
            trial_call(t, 0, clone_raw(kinds[i].flag), "clone(%s)", kinds[i].name);
        trial_call(t, 1, clone_raw(kinds[i].flag | CLONE_NEWUSER), "clone(NEWUSER|%s)",
                   kinds[i].name);
    }
}

static void clone_upper_bits(struct trial *t)
{
    static const unsigned shifts[] = {32, 33, 40, 62, 63};

    for (size_t i = 0; i < sizeof shifts / sizeof *shifts; i++)
        trial_call(t, 0, clone_raw((1UL << shifts[i]) | CLONE_NEWUSER), "clone(1<<%u|NEWUSER)",
                   shifts[i]);
}

static long clone3_raw(unsigned long flags)
{
    struct clone_args args = {.flags = flags, .exit_signal = SIGCHLD, .cgroup = 0};
    long pid = syscall(SYS_clone3, &args, sizeof args);

    if (pid == 0)
        _exit(0);
    if (pid < 0)
        return -errno;
    waitpid((pid_t)pid, NULL, 0);
    return 0;
}

static void clone3_each(struct trial *t)
{
    trial_call(t, 0, RESULT(syscall(SYS_clone3, NULL, 0UL)), "clone3(NULL, 0)");
    trial_call(t, 0, clone3_raw(0), "clone3()");
    trial_call(t, 0, clone3_raw(CLONE_NEWUSER), "clone3(NEWUSER)");
    trial_call(t, 0, clone3_raw(CLONE_INTO_CGROUP), "clone3(INTO_CGROUP)");
}

static void *thread_body(void *argument)
{
    return argument;
}

static int clone_body(void *argument)
{
    (void)argument;
    return 7;
}

/* What every runtime does must go on working. */
static void processes_work(struct trial *t)
{
    static char stack[65536] __attribute__((aligned(16)));
    char program[] = "/bin/true", *argv[] = {program, NULL};
    pthread_t thread;
    pid_t pid;
    int status = 0;
    long rc;

    trial_call(t, 0, clone_raw(0), "fork");
    pid = vfork();
    if (pid == 0)
        _exit(0);
    trial_must(t, pid > 0 && waitpid(pid, &status, 0) == pid && status == 0, "vfork");
    rc = posix_spawn(&pid, program, NULL, NULL, argv, environ);
    trial_must(t, rc == 0 && waitpid(pid, &status, 0) == pid && status == 0, "posix_spawn: %ld",
               rc);
    rc = pthread_create(&thread, NULL, thread_body, NULL);
    trial_must(t, rc == 0 && pthread_join(thread, NULL) == 0, "pthread_create: %ld", rc);
    pid = clone(clone_body, stack + sizeof stack,
                CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | SIGCHLD, NULL);
    trial_must(t, pid > 0 && waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 7,
               "clone(VM|FS|FILES|SIGHAND)");
}

static long step_setns(const void *argument)
{
    int fd = open(argument, O_RDONLY | O_CLOEXEC);

    return fd < 0 ? -errno : RESULT(setns(fd, 0));
}

static long step_setns_process(const void *argument)
{
    int fd = (int)syscall(SYS_pidfd_open, 1, 0);

    (void)argument;
    return fd < 0 ? -errno : RESULT(setns(fd, CLONE_NEWNS | CLONE_NEWUSER));
}

static void join_namespaces(struct trial *t)
{
    static const char *const names[] = {"user", "net", "mnt", "pid", "ipc", "uts", "cgroup"};
    char path[64];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "/proc/self/ns/%s", names[i]);
        trial_call(t, 0, trial_fork(step_setns, path), "setns(%s)", path);
    }
    trial_call(t, 0, trial_fork(step_setns_process, NULL), "setns(pidfd of 1)");
}

static long ns_ioctl(const char *path, unsigned long request)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    long rc;

    if (fd < 0)
        return -errno;
    rc = RESULT(ioctl(fd, request));
    if (rc >= 0)
        close((int)rc);
    close(fd);
    return rc;
}

static long step_ns_parents(const void *argument)
{
    const char *path = argument;

    if (unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0)
        return -errno;
    return ns_ioctl(path, NS_GET_USERNS);
}

static void parent_namespaces(struct trial *t)
{
    if (t->control) {
        /* A namespace below the own one has the own one as owner. */
        trial_call(t, 0, trial_fork(step_ns_parents, "/proc/self/ns/net"),
                   "NS_GET_USERNS in a child namespace");
        return;
    }
    trial_call(t, 0, ns_ioctl("/proc/self/ns/user", NS_GET_USERNS), "NS_GET_USERNS(user)");
    trial_call(t, 0, ns_ioctl("/proc/self/ns/pid", NS_GET_USERNS), "NS_GET_USERNS(pid)");
    trial_call(t, 0, ns_ioctl("/proc/self/ns/net", NS_GET_USERNS), "NS_GET_USERNS(net)");
    trial_call(t, 0, ns_ioctl("/proc/self/ns/user", NS_GET_PARENT), "NS_GET_PARENT(user)");
    trial_call(t, 0, ns_ioctl("/proc/self/ns/pid", NS_GET_PARENT), "NS_GET_PARENT(pid)");
}

/* Programs that make namespaces: a status other than 0 stands for the refusal. */
static void namespace_programs(struct trial *t)
{
    static const char *const programs[][8] = {
        {"bwrap", "--ro-bind", "/", "/", "true", NULL},
        {"unshare", "-Ur", "true", NULL},
        {"newuidmap", "1", "0", "0", "1", NULL},
    };
    struct stat before, after;

    stat("/proc/self/ns/user", &before);
    for (size_t i = 0; i < 3; i++) {
        long rc = program_run(programs[i]);
        trial_call(t, 0, rc > 0 ? -EPERM : rc, "%s", programs[i][0]);
    }
    stat("/proc/self/ns/user", &after);
    trial_must(t, before.st_ino == after.st_ino, "the user namespace changed");
}

const struct probe probes_ns[] = {
    {"E-NS-01", unshare_each, "EPERM; EPERM", EVERY, CONTROL_SAME, NULL, "EPERM; ENOSPC EPERM"},
    {"E-NS-02", clone_each, "EPERM; EPERM", EVERY, CONTROL_SAME, NULL, "EPERM; ENOSPC EPERM"},
    {"E-NS-03", clone_upper_bits, "EPERM", EVERY, CONTROL_SAME, NULL, "EPERM ENOSPC"},
    {"E-NS-04", clone3_each, "ENOSYS", EVERY, CONTROL_SAME, NULL, NULL},
    {"E-NS-05", processes_work, "OK", EVERY, CONTROL_NONE, NULL, "OK"},
    {"E-NS-06", join_namespaces, "EPERM", EVERY, CONTROL_ROOT_REACH, NULL, "EPERM EINVAL"},
    {"E-NS-07", parent_namespaces, "EPERM", EVERY, CONTROL_SAME, NULL, "EPERM"},
    {"E-NS-08", namespace_programs, "EPERM ENOENT", EVERY, CONTROL_SAME, NULL, "EPERM ENOENT"},
    {0},
};
