// SPDX-License-Identifier: GPL-3.0-only
/*
 * probe_signal: signals and process control across the boundary. Rows that end the run or disturb
 * the launcher have a jail of their own.
 */
#include "probe.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define IOPRIO_WHO_PROCESS 1
#define IOPRIO_CLASS_RT    1

/* The stranger is a process of the same user outside that nobody misses. */
static void stranger(struct trial *t)
{
    static const int signals[] = {0, SIGTERM, SIGKILL};
    pid_t pid = (pid_t)fact_number("stranger");
    siginfo_t info;
    long process;

    if (pid <= 1) {
        trial_blind(t, "there is no stranger");
        return;
    }
    /* In a control a signal that ends it would end it for the next probe too. */
    for (size_t i = 0; i < (t->control ? 1 : 3); i++)
        trial_call(t, 0, RESULT(kill(pid, signals[i])), "kill(%d)", signals[i]);
    trial_call(t, 0, RESULT(syscall(SYS_tgkill, pid, pid, 0)), "tgkill");
    memset(&info, 0, sizeof info);
    info.si_code = SI_QUEUE;
    trial_call(t, 0, RESULT(syscall(SYS_rt_sigqueueinfo, pid, SIGURG, &info)), "rt_sigqueueinfo");
    process = RESULT(syscall(SYS_pidfd_open, pid, 0));
    trial_call(t, 0, process, "pidfd_open");
    if (process >= 0)
        trial_call(t, 0, RESULT(syscall(SYS_pidfd_send_signal, (int)process, SIGURG, NULL, 0)),
                   "pidfd_send_signal");
}

/* True in a PID namespace other than the harness's, where kill(-1) cannot harm. */
static bool pids_are_own(struct trial *t)
{
    struct stat st;

    if (stat("/proc/self/ns/pid", &st) == 0 && (long)st.st_ino != fact_number("pid_ns"))
        return true;
    trial_must(t, false, "no PID namespace of its own");
    return false;
}

static void kill_all(struct trial *t)
{
    if (!pids_are_own(t))
        return;
    trial_child();
    trial_call(t, 0, RESULT(kill(-1, SIGKILL)), "kill(-1, KILL)");
}

static char first_state(void)
{
    char text[512] = "";
    const char *end;

    file_read("/proc/1/stat", text, sizeof text - 1);
    end = strrchr(text, ')');
    return end != NULL && end[1] == ' ' ? end[2] : '?';
}

static void kill_first(struct trial *t)
{
    static const int signals[] = {SIGKILL, SIGSTOP, SIGTERM, SIGSEGV};

    if (!pids_are_own(t))
        return;
    for (size_t i = 0; i < 4; i++) {
        trial_call(t, 0, RESULT(kill(1, signals[i])), "kill(1, %d)", signals[i]);
        trial_must(t, strchr("SRD", first_state()) != NULL, "PID 1 is in state %c", first_state());
    }
}

static void signal_owner(struct trial *t)
{
    pid_t pid = (pid_t)fact_number("stranger");
    int ends[2];

    trial_call(t, 0, RESULT(fcntl(0, F_SETOWN, pid)), "fcntl(0, F_SETOWN)");
    trial_call(t, 0, RESULT(fcntl(0, F_SETOWN, -pid)), "fcntl(0, F_SETOWN, group)");
    if (pipe2(ends, O_CLOEXEC) == 0)
        trial_call(t, 0, RESULT(fcntl(ends[0], F_SETOWN, pid)), "fcntl(pipe, F_SETOWN)");
}

static long step_realtime(const void *argument)
{
    struct sched_param param = {.sched_priority = 1};

    (void)argument;
    return RESULT(sched_setscheduler(0, SCHED_FIFO, &param));
}

static long step_priority(const void *argument)
{
    (void)argument;
    return RESULT(setpriority(PRIO_PROCESS, 0, -5));
}

static long step_io_priority(const void *argument)
{
    (void)argument;
    return RESULT(syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_CLASS_RT << 13));
}

static void priorities(struct trial *t)
{
    pid_t pid = t->control ? trial_child() : 1;
    struct rlimit limit;

    prlimit(pid, RLIMIT_NOFILE, NULL, &limit);
    limit.rlim_max++;
    trial_call(t, 0, RESULT(prlimit(pid, RLIMIT_NOFILE, &limit, NULL)), "prlimit(%d, raise)", pid);
    trial_call(t, 0, trial_fork(step_realtime, NULL), "sched_setscheduler(FIFO)");
    trial_call(t, 0, trial_fork(step_priority, NULL), "setpriority(-5)");
    trial_call(t, 0, trial_fork(step_io_priority, NULL), "ioprio_set(RT)");
    if (t->control)
        trial_reap(pid);
}

/* May succeed; the run must end all the same, which the harness sees. */
static void launcher_limit(struct trial *t)
{
    struct rlimit limit = {3, 3};

    if (pids_are_own(t))
        trial_call(t, 0, RESULT(prlimit(1, RLIMIT_NOFILE, &limit, NULL)), "prlimit(1, NOFILE, 3)");
}

/* Children that do all they can to stay; the harness looks for them after the end. */
static void survivors(struct trial *t)
{
    for (unsigned i = 0; i < 4; i++) {
        pid_t pid = fork();
        if (pid != 0) {
            trial_must(t, pid > 0, "fork");
            continue;
        }
        alarm(0);
        setsid();
        if (fork() != 0)
            _exit(0);
        for (int sig = 1; sig < 32; sig++)
            signal(sig, SIG_IGN);
        close(0);
        close(1);
        close(2);
        for (;;)
            pause();
    }
    while (wait(NULL) > 0)
        continue;
}

const struct probe probes_signal[] = {
    {"E-SIG-01", stranger, "ESRCH", EVERY, CONTROL_SAME, NULL, "ESRCH"},
    {"E-SIG-02", kill_all, "OK EPERM", EVERY | ALONE, CONTROL_NONE, NULL, "OK EPERM"},
    {"E-SIG-03", kill_first, "OK EPERM", EVERY | ALONE, CONTROL_NONE, NULL, "OK EPERM"},
    {"E-SIG-05", signal_owner, "ESRCH", EVERY, CONTROL_SAME, NULL, "ESRCH"},
    {"E-SIG-06", priorities, "EPERM EACCES", EVERY, CONTROL_ROOT, NULL, "EPERM EACCES"},
    {"E-SIG-06-limit", launcher_limit, "OK EPERM EACCES ESRCH", EVERY | ALONE, CONTROL_NONE, NULL,
     "OK EPERM EACCES ESRCH"},
    {"E-SIG-07", survivors, "OK", EVERY | ALONE, CONTROL_HARNESS, NULL, "OK"},
    {0},
};
