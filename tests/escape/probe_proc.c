// SPDX-License-Identifier: GPL-3.0-only
/*
 * probe_proc: /proc and /sys. A jail started by root owns these files, so the modes do not help.
 */
#include "probe.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* E-PROC-09 asks again this often. */
#define LAUNCHER_ROUNDS 10000

static void process_list(struct trial *t)
{
    char path[64], buf[64];
    long stranger = fact_number("stranger");
    DIR *dir;

    snprintf(path, sizeof path, "/proc/%ld/status", stranger);
    trial_call(t, 0, file_read(path, buf, sizeof buf), "open(%s)", path);
    if (t->control)
        return;
    dir = opendir("/proc");
    for (struct dirent *e; dir != NULL && (e = readdir(dir)) != NULL;)
        if (isdigit((unsigned char)e->d_name[0]))
            trial_must(t, strtol(e->d_name, NULL, 10) <= getpid(), "/proc lists %s", e->d_name);
    if (dir != NULL)
        closedir(dir);
}

/* Writes back what is there. */
static long write_back(const char *path)
{
    char value[4096];
    long n = file_read(path, value, sizeof value - 1);

    if (n <= 0)
        return file_write(path, NULL);
    value[n] = '\0';
    return file_write(path, value);
}

static void sysctl_write(struct trial *t)
{
    static const char *const names[] = {"kernel/core_pattern", "kernel/modprobe", "kernel/hotplug",
                                        "fs/binfmt_misc/register", "net/ipv4/ip_forward"};
    char path[96];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "/proc/sys/%s", names[i]);
        trial_call(t, 0, write_back(path), "write(%s)", path);
    }
    /* Any value that is written there drops the caches: opening it is enough. */
    trial_call(t, 0, file_write("/proc/sys/vm/drop_caches", NULL), "open(drop_caches)");
}

static void sysctl_namespaces(struct trial *t)
{
    trial_call(t, 0, file_write("/proc/sys/user/max_user_namespaces", NULL),
               "open(max_user_namespaces)");
}

/* Opens every match of the patterns; a pattern without a match counts as ENOENT. */
static void open_all(struct trial *t, const char *const *patterns, int flags)
{
    glob_t found;

    for (; *patterns != NULL; patterns++) {
        if (glob(*patterns, GLOB_NOSORT, NULL, &found) != 0)
            continue;
        for (size_t i = 0; i < found.gl_pathc; i++) {
            long fd = RESULT(open(found.gl_pathv[i], flags | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
            if (fd >= 0)
                close((int)fd);
            if (fd != -EISDIR)
                trial_call(t, 0, fd, "open(%s)", found.gl_pathv[i]);
        }
        globfree(&found);
    }
}

static void proc_control_files(struct trial *t)
{
    static const char *const patterns[] = {"/proc/sysrq-trigger",
                                           "/proc/irq/*/smp_affinity",
                                           "/proc/irq/default_smp_affinity",
                                           "/proc/mtrr",
                                           "/proc/acpi/*",
                                           "/proc/scsi/scsi",
                                           "/proc/fs/*",
                                           "/proc/fs/*/*",
                                           "/proc/bus/pci/*",
                                           "/proc/bus/pci/*/*",
                                           "/proc/timer_list",
                                           NULL};

    open_all(t, patterns, O_WRONLY);
}

static void proc_kernel_memory(struct trial *t)
{
    static const char *const names[] = {"kcore",    "kmsg",        "kpagecount", "kpageflags",
                                        "slabinfo", "vmallocinfo", "timer_list", "pagetypeinfo"};
    char path[64], buf[16];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "/proc/%s", names[i]);
        trial_call(t, 0, file_read(path, buf, sizeof buf), "read(%s)", path);
    }
}

/* The harness holds a key with the token as its description. */
static void proc_keys(struct trial *t)
{
    static const char *const files[] = {"/proc/keys", "/proc/key-users"};
    static char text[65536];

    for (size_t i = 0; i < 2; i++) {
        long n = file_read(files[i], text, sizeof text);
        if (n > 0)
            n = memmem(text, (size_t)n, fact_token(), strlen(fact_token())) != NULL ||
                (!t->control && i == 1);
        trial_call(t, 0, n, "read(%s)", files[i]);
    }
}

static long kernel_addresses(const char *path)
{
    char line[512];
    long seen = 0;
    FILE *in = fopen(path, "re");

    if (in == NULL)
        return -errno;
    while (fgets(line, sizeof line, in) != NULL) {
        line[strcspn(line, " :")] = '\0';
        /* iomem lines are START-END : NAME, kallsyms lines ADDRESS TYPE NAME. */
        seen += strspn(line + strspn(line, " "), "0-") != strlen(line + strspn(line, " "));
    }
    fclose(in);
    return seen;
}

static void proc_addresses(struct trial *t)
{
    trial_call(t, 0, kernel_addresses("/proc/kallsyms"), "read(kallsyms)");
    trial_call(t, 0, kernel_addresses("/proc/iomem"), "read(iomem)");
}

/* What shows a process's memory, or leads to what it has open. */
static const char *const private_files[] = {"mem",     "environ", "maps",   "auxv",
                                            "syscall", "stack",   "pagemap"};
static const char *const private_links[] = {"root", "cwd", "exe", "fd/0", "ns/net", "ns/user"};

/* Opening some of them is only refused at the first read. */
static long private_open(const char *path, int flags)
{
    char buf[16];
    int fd = open(path, flags | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    long rc;

    if (fd < 0)
        return -errno;
    rc = flags == O_RDONLY ? RESULT(read(fd, buf, sizeof buf)) : 0;
    close(fd);
    return rc;
}

static void process_private(struct trial *t, pid_t pid)
{
    char path[64], target[64];

    for (size_t i = 0; i < sizeof private_files / sizeof *private_files; i++) {
        snprintf(path, sizeof path, "/proc/%d/%s", pid, private_files[i]);
        trial_call(t, 0, private_open(path, i == 0 ? O_RDWR : O_RDONLY), "open(%s)", path);
    }
    for (size_t i = 0; i < sizeof private_links / sizeof *private_links; i++) {
        snprintf(path, sizeof path, "/proc/%d/%s", pid, private_links[i]);
        trial_call(t, 0, RESULT(readlink(path, target, sizeof target)), "readlink(%s)", path);
        trial_call(t, 0, private_open(path, O_PATH), "open(%s)", path);
    }
}

static void first_process(struct trial *t)
{
    pid_t pid = t->control ? trial_child() : 1;

    process_private(t, pid);
    if (t->control)
        trial_reap(pid);
}

static void launcher_memory(struct trial *t)
{
    pid_t pid = t->control ? trial_child() : probe_command_parent;
    char path[64];
    long opened = 0, last = 0;

    snprintf(path, sizeof path, "/proc/%d/mem", pid);
    for (unsigned round = 0; round < LAUNCHER_ROUNDS && opened == 0; round++) {
        int fd = open(path, O_RDWR | O_CLOEXEC);
        last = fd < 0 ? -errno : 0;
        opened += fd >= 0;
    }
    trial_call(t, 0, last, "open(%s) in a loop", path);
    process_private(t, pid);
    if (t->control)
        trial_reap(pid);
}

static void identity_maps(struct trial *t)
{
    trial_call(t, 0, file_write("/proc/self/uid_map", "0 0 1"), "write(uid_map)");
    trial_call(t, 0, file_write("/proc/self/gid_map", "0 0 1"), "write(gid_map)");
    trial_call(t, 0, file_write("/proc/self/setgroups", "allow"), "write(setgroups)");
}

static long oom_score(pid_t pid)
{
    char path[64], value[32] = "";

    snprintf(path, sizeof path, "/proc/%d/oom_score_adj", pid);
    return file_read(path, value, sizeof value - 1) > 0 ? strtol(value, NULL, 10) : -9999;
}

/* Lowering may succeed, but never below the caller's value, nor at all where the caller had
 * CAP_SYS_RESOURCE: then what the process that became bwrap set is the lower bound. */
static void out_of_memory_score(struct trial *t)
{
    const pid_t targets[] = {getpid(), 1, probe_command_parent};
    long caller = fact_number("oom_score_adj");
    char path[64], value[32];

    for (size_t i = 0; i < 3; i++) {
        long start = oom_score(targets[i]);
        snprintf(path, sizeof path, "/proc/%d/oom_score_adj", targets[i]);
        for (long want = start - 1; want >= -1000; want -= 100) {
            snprintf(value, sizeof value, "%ld", want);
            trial_call(t, 0, file_write(path, value), "write(%s, %s)", path, value);
        }
        long now = oom_score(targets[i]);
        trial_must(t, now == -9999 || now >= caller, "%s is %ld, the caller's is %ld", path, now,
                   caller);
        trial_must(t, now == -9999 || fact_number("caller_resource") == 0 || now >= start,
                   "%s fell from %ld to %ld", path, start, now);
    }
    trial_must(t, file_write("/proc/self/oom_score_adj", "900") >= 0, "raising fails");
}

static void security_attributes(struct trial *t)
{
    static const char *const names[] = {"attr/current", "attr/exec", "attr/fscreate"};
    char path[64], uid[16] = "";

    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "/proc/self/%s", names[i]);
        trial_call(t, 0, file_write(path, "unconfined"), "write(%s)", path);
    }
    /* One that was never set may be set once by anybody. */
    if (file_read("/proc/self/loginuid", uid, sizeof uid - 1) > 0 && strcmp(uid, "4294967295") != 0)
        trial_call(t, 0, file_write("/proc/self/loginuid", uid), "write(loginuid)");
}

static void sys_control_files(struct trial *t)
{
    static const char *const patterns[] = {"/sys/kernel/uevent_helper",
                                           "/sys/power/state",
                                           "/sys/module/*/parameters/*",
                                           "/sys/fs/cgroup/cgroup.procs",
                                           "/sys/fs/cgroup/*/cgroup.procs",
                                           "/sys/fs/cgroup/*/*/cgroup.procs",
                                           "/sys/fs/cgroup/release_agent",
                                           "/sys/fs/cgroup/*/release_agent",
                                           "/sys/bus/*/drivers_probe",
                                           "/sys/kernel/mm/transparent_hugepage/enabled",
                                           NULL};

    open_all(t, patterns, O_WRONLY);
}

static void sys_masked(struct trial *t)
{
    static const char *const dirs[] = {"/sys/firmware",       "/sys/kernel/debug",
                                       "/sys/kernel/tracing", "/sys/kernel/security",
                                       "/sys/fs/fuse",        "/sys/fs/bpf"};

    for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++) {
        long entries = 0;
        DIR *dir = opendir(dirs[i]);
        if (dir == NULL) {
            entries = -errno;
        } else {
            for (struct dirent *e; (e = readdir(dir)) != NULL;)
                entries += e->d_name[0] != '.';
            closedir(dir);
        }
        trial_call(t, 0, entries, "readdir(%s)", dirs[i]);
    }
}

#define REFUSED "EACCES EPERM ENOENT"

const struct probe probes_proc[] = {
    {"E-PROC-09", launcher_memory, REFUSED, EVERY, CONTROL_SAME, NULL, REFUSED},
    {"E-PROC-01", process_list, "ENOENT", EVERY, CONTROL_SAME, NULL, "ENOENT"},
    {"E-PROC-02", sysctl_write, "EROFS EACCES ENOENT", ONLY_USER, CONTROL_NONE, NULL,
     "EROFS EACCES ENOENT"},
    {"E-PROC-02", sysctl_write, "EROFS EACCES ENOENT", ONLY_ROOT, CONTROL_BWRAP, "EROFS ENOENT",
     "EROFS EACCES ENOENT"},
    {"E-PROC-03", sysctl_namespaces, "EROFS EACCES", EVERY, CONTROL_NONE, NULL, "EROFS EACCES"},
    {"E-PROC-04", proc_control_files, "EROFS EACCES EPERM ENOENT", EVERY, CONTROL_NONE, NULL,
     "EROFS EACCES EPERM ENOENT"},
    {"E-PROC-05", proc_kernel_memory, "EACCES EPERM ENOENT ZERO", EVERY, CONTROL_ROOT, NULL,
     "EACCES EPERM ENOENT ZERO"},
    {"E-PROC-06", proc_keys, "EACCES ENOENT ZERO", EVERY, CONTROL_SAME, NULL, "EACCES ENOENT ZERO"},
    {"E-PROC-07", proc_addresses, "EACCES EPERM ENOENT ZERO", EVERY, CONTROL_ROOT, NULL,
     "EACCES EPERM ENOENT ZERO"},
    {"E-PROC-08", first_process, REFUSED, EVERY, CONTROL_SAME, NULL, REFUSED},
    {"E-PROC-10", identity_maps, "EPERM EACCES", EVERY, CONTROL_NONE, NULL, "EPERM EACCES"},
    {"E-PROC-11", out_of_memory_score, "EACCES EPERM OK", EVERY, CONTROL_NONE, NULL,
     "EACCES EPERM OK"},
    {"E-PROC-12", security_attributes, "EINVAL EPERM EACCES ENOENT", EVERY, CONTROL_NONE, NULL,
     "EINVAL EPERM EACCES ENOENT"},
    {"E-PROC-13", sys_control_files, "EROFS EACCES ENOENT", EVERY, CONTROL_NONE, NULL,
     "EROFS EACCES ENOENT"},
    {"E-PROC-14", sys_masked, "ZERO ENOENT", EVERY, CONTROL_ROOT, NULL, "ZERO ENOENT"},
    {0},
};
