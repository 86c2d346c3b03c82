// SPDX-License-Identifier: GPL-3.0-only
/*
 * probe_ptrace: other processes' memory and descriptors. Targets are PID 1, which is the launcher,
 * and own children; a control has own children only.
 */
#include "probe.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/kcmp.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#ifndef SYS_process_mrelease
#define SYS_process_mrelease 448
#endif

/* The process that must be out of reach: PID 1, or an own child in a control. */
static pid_t target_take(const struct trial *t)
{
    return t->control ? trial_child() : 1;
}

static void target_leave(const struct trial *t, pid_t pid)
{
    if (t->control)
        trial_reap(pid);
}

static long step_traceme(const void *argument)
{
    (void)argument;
    return RESULT(ptrace(PTRACE_TRACEME, 0, 0, 0));
}

static long seize(pid_t pid)
{
    long rc = RESULT(ptrace(PTRACE_SEIZE, pid, 0, 0));

    if (rc >= 0) {
        ptrace(PTRACE_INTERRUPT, pid, 0, 0);
        waitpid(pid, NULL, __WALL);
        ptrace(PTRACE_DETACH, pid, 0, 0);
    }
    return rc;
}

static long attach(pid_t pid)
{
    long rc = RESULT(ptrace(PTRACE_ATTACH, pid, 0, 0));

    if (rc >= 0) {
        waitpid(pid, NULL, __WALL);
        ptrace(PTRACE_DETACH, pid, 0, 0);
    }
    return rc;
}

static void trace_child(struct trial *t)
{
    pid_t pid = trial_child();

    trial_call(t, 0, trial_fork(step_traceme, NULL), "PTRACE_TRACEME");
    trial_call(t, 0, seize(pid), "PTRACE_SEIZE own child");
    trial_call(t, 0, attach(pid), "PTRACE_ATTACH own child");
    trial_reap(pid);
}

static void trace_first(struct trial *t)
{
    pid_t pid = target_take(t);

    trial_call(t, 0, seize(pid), "PTRACE_SEIZE %d", pid);
    trial_call(t, 0, attach(pid), "PTRACE_ATTACH %d", pid);
    target_leave(t, pid);
}

/* The child is a copy of this process: the addresses are the same. */
static long memory_read(pid_t pid)
{
    static char here[8], there[8];
    struct iovec local = {here, sizeof here}, remote = {there, sizeof there};

    return RESULT(process_vm_readv(pid, &local, 1, &remote, 1, 0));
}

static long memory_write(pid_t pid)
{
    static char here[8], there[8];
    struct iovec local = {here, sizeof here}, remote = {there, sizeof there};

    return RESULT(process_vm_writev(pid, &local, 1, &remote, 1, 0));
}

static void memory_access(struct trial *t)
{
    pid_t child = trial_child(), first = target_take(t);

    trial_call(t, 0, memory_read(child), "process_vm_readv own child");
    trial_call(t, 0, memory_write(child), "process_vm_writev own child");
    trial_call(t, 1, memory_read(first), "process_vm_readv %d", first);
    trial_call(t, 1, memory_write(first), "process_vm_writev %d", first);
    target_leave(t, first);
    trial_reap(child);
}

static long take_descriptor(pid_t pid)
{
    int process = (int)syscall(SYS_pidfd_open, pid, 0);
    long rc;

    if (process < 0)
        return -errno;
    rc = RESULT(syscall(SYS_pidfd_getfd, process, 0, 0));
    if (rc >= 0)
        close((int)rc);
    close(process);
    return rc;
}

static void descriptor_theft(struct trial *t)
{
    pid_t pid = target_take(t);

    trial_call(t, 0, take_descriptor(pid), "pidfd_getfd(%d, 0)", pid);
    target_leave(t, pid);
}

static void compare(struct trial *t)
{
    pid_t pid = target_take(t);

    trial_call(t, 0, RESULT(syscall(SYS_kcmp, getpid(), pid, KCMP_FILE, 0, 0)), "kcmp(%d)", pid);
    target_leave(t, pid);
}

static void memory_advice(struct trial *t)
{
    int process = (int)syscall(SYS_pidfd_open, 1, 0);
    struct iovec range = {0, 4096};

    trial_call(t, 0, RESULT(syscall(SYS_process_madvise, process, &range, 1L, MADV_COLD, 0U)),
               "process_madvise(1)");
    trial_call(t, 1, RESULT(syscall(SYS_process_mrelease, process, 0U)), "process_mrelease(1)");
    close(process);
}

static void memory_placement(struct trial *t)
{
    pid_t pid = target_take(t);
    unsigned long node = 1;
    int status = 0;
    void *page = &status;

    trial_call(t, 0, RESULT(syscall(SYS_move_pages, pid, 1L, &page, NULL, &status, 0)),
               "move_pages(%d)", pid);
    trial_call(t, 0, RESULT(syscall(SYS_migrate_pages, pid, 2UL, &node, &node)),
               "migrate_pages(%d)", pid);
    target_leave(t, pid);
}

static long step_filter_then_trace(const void *argument)
{
    struct sock_filter allow[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {1, allow};
    long rc;

    (void)argument;
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    rc = RESULT(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program));
    return rc < 0 ? -EDOM : RESULT(ptrace(PTRACE_TRACEME, 0, 0, 0));
}

static void filter_on_top(struct trial *t)
{
    trial_call(t, 0, trial_fork(step_filter_then_trace, NULL),
               "own filter accepted, then PTRACE_TRACEME");
}

/* --allow-debug: own children only, and in lockdown not even those. */
static void debug_allowed(struct trial *t)
{
    pid_t child = trial_child();
    char path[64];

    trial_call(t, 0, seize(child), "PTRACE_SEIZE own child");
    trial_call(t, 0, memory_read(child), "process_vm_readv own child");
    trial_call(t, 0, take_descriptor(child), "pidfd_getfd own child");
    trial_reap(child);
    trial_call(t, 1, seize(1), "PTRACE_SEIZE 1");
    trial_call(t, 1, memory_read(1), "process_vm_readv 1");
    trial_call(t, 1, memory_write(1), "process_vm_writev 1");
    trial_call(t, 1, take_descriptor(1), "pidfd_getfd 1");
    snprintf(path, sizeof path, "/proc/%d/mem", probe_command_parent);
    trial_call(t, 1, RESULT(open(path, O_RDWR | O_CLOEXEC)), "open(%s)", path);
}

const struct probe probes_ptrace[] = {
    {"E-PT-01", trace_child, "EPERM", EVERY, CONTROL_SAME, NULL, NULL},
    {"E-PT-02", trace_first, "EPERM", EVERY, CONTROL_SAME, NULL, "EPERM"},
    {"E-PT-03", memory_access, "EPERM; EPERM", EVERY, CONTROL_SAME, NULL, "OK EPERM; EPERM EACCES"},
    {"E-PT-04", descriptor_theft, "EPERM", EVERY, CONTROL_SAME, NULL, "EPERM"},
    {"E-PT-05", compare, "EPERM", EVERY, CONTROL_REACH, NULL, "EPERM"},
    {"E-PT-06", memory_advice, "EPERM; EPERM EINVAL", EVERY, CONTROL_NONE, NULL,
     "EPERM EACCES; EPERM EINVAL"},
    {"E-PT-07", memory_placement, "EPERM", EVERY, CONTROL_ROOT, NULL, "EPERM"},
    {"E-PT-08", filter_on_top, "EPERM", EVERY, CONTROL_SAME, NULL, NULL},
    {"E-PT-09", debug_allowed, "OK; EPERM EACCES", NORMAL | ALONE, CONTROL_NONE, NULL,
     "OK; EPERM EACCES"},
    {"E-PT-09", debug_allowed, "EPERM; EPERM EACCES", ONLY_LOCKDOWN | ALONE, CONTROL_NONE, NULL,
     NULL},
    {0},
};
