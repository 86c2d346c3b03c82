// SPDX-License-Identifier: GPL-3.0-only
/*
 * probe_cap: capabilities and identity.
 */
#include "probe.h"

#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/* Value of a line of /proc/PID/status, in the base; -1 if there is none. */
static long status_value(pid_t pid, const char *key, int base)
{
    static char text[8192];
    char path[64];
    const char *line;
    long n;

    snprintf(path, sizeof path, "/proc/%d/status", pid);
    n = file_read(path, text, sizeof text - 1);
    text[n > 0 ? n : 0] = '\0';
    line = strstr(text, key);
    return line == NULL ? -1 : strtol(line + strlen(key), NULL, base);
}

static void capability_sets(struct trial *t)
{
    static const char *const sets[] = {
        "\nCapInh:", "\nCapPrm:", "\nCapEff:", "\nCapBnd:", "\nCapAmb:"};
    const pid_t processes[] = {getpid(), getppid(), probe_command_parent, 1};

    for (size_t i = 0; i < 4; i++) {
        pid_t pid = processes[i];
        for (size_t k = 0; k < 5; k++)
            trial_must(t, status_value(pid, sets[k], 16) == 0, "%s of %d is not 0", sets[k] + 1,
                       pid);
        trial_must(t, status_value(pid, "\nNoNewPrivs:", 10) == 1, "NoNewPrivs of %d", pid);
        trial_must(t, t->no_seccomp || status_value(pid, "\nSeccomp:", 10) == 2, "Seccomp of %d",
                   pid);
    }
}

static long step_capset(const void *argument)
{
    struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2] = {{~0U, ~0U, ~0U}, {~0U, ~0U, ~0U}};

    (void)argument;
    return RESULT(syscall(SYS_capset, &head, data));
}

/* The bits that the process has: what only CAP_SETPCAP allows, without a change. */
static long step_securebits(const void *argument)
{
    (void)argument;
    return RESULT(prctl(PR_SET_SECUREBITS, SECBIT_NOROOT, 0, 0, 0));
}

static long step_drop_bounding(const void *argument)
{
    (void)argument;
    return RESULT(prctl(PR_CAPBSET_DROP, CAP_SYS_PACCT, 0, 0, 0));
}

static void capability_calls(struct trial *t)
{
    trial_call(t, 0, trial_fork(step_capset, NULL), "capset(all)");
    trial_call(t, 0, RESULT(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_NET_RAW, 0, 0)),
               "PR_CAP_AMBIENT_RAISE");
    trial_call(t, 0, trial_fork(step_drop_bounding, NULL), "PR_CAPBSET_DROP");
    trial_call(t, 0, trial_fork(step_securebits, NULL), "PR_SET_SECUREBITS");
    trial_call(t, 0, RESULT(prctl(PR_SET_MM, PR_SET_MM_START_CODE, 0x400000, 0, 0)), "PR_SET_MM");
}

static long step_setuid(const void *argument)
{
    return RESULT(syscall(SYS_setuid, (uid_t)(uintptr_t)argument));
}

static long step_setgid(const void *argument)
{
    return RESULT(syscall(SYS_setgid, (gid_t)(uintptr_t)argument));
}

static long step_setresuid(const void *argument)
{
    uid_t uid = (uid_t)(uintptr_t)argument;

    return RESULT(syscall(SYS_setresuid, uid, uid, uid));
}

static long step_setgroups(const void *argument)
{
    gid_t group = (gid_t)(uintptr_t)argument;

    return RESULT(syscall(SYS_setgroups, 1, &group));
}

static void other_identity(struct trial *t)
{
    const void *one = (const void *)1;

    trial_call(t, 0, trial_fork(step_setresuid, one), "setresuid(1, 1, 1)");
    trial_call(t, 0, trial_fork(step_setgroups, NULL), "setgroups({0})");
    if (t->by_root)
        return;
    trial_call(t, 0, trial_fork(step_setuid, NULL), "setuid(0)");
    trial_call(t, 0, trial_fork(step_setgid, NULL), "setgid(0)");
}

/* In a read-only map on purpose: a 0600 file of somebody else, an own file without any mode bit. */
static void foreign_files(struct trial *t)
{
    char path[PATH_MAX], buf[16];
    size_t at = 0;

    if (!fact_each("foreign_files", &at, path, sizeof path)) {
        trial_blind(t, "no file of another owner could be planted");
        return;
    }
    do {
        trial_call(t, 0, file_read(path, buf, sizeof buf), "open(%s)", path);
    } while (fact_each("foreign_files", &at, path, sizeof path));
}

const struct probe probes_cap[] = {
    {"E-CAP-01", capability_sets, "", EVERY, CONTROL_NONE, NULL, ""},
    {"E-CAP-02", capability_calls, "EPERM", EVERY, CONTROL_ROOT, NULL, "EPERM"},
    {"E-CAP-03", other_identity, "EINVAL EPERM", ONLY_USER, CONTROL_ROOT, NULL, "EINVAL EPERM"},
    {"E-CAP-04", other_identity, "EINVAL EPERM", ONLY_ROOT, CONTROL_ROOT, NULL, "EINVAL EPERM"},
    {"E-CAP-05", foreign_files, "EACCES", NORMAL, CONTROL_ROOT, NULL, "EACCES"},
    {"E-CAP-05", foreign_files, "ENOENT", ONLY_LOCKDOWN, CONTROL_ROOT, NULL, NULL}, /* of a map */
    {0},
};
