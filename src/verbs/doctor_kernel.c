// SPDX-License-Identifier: GPL-3.0-only
/*
 * doctor_kernel: what ai-jail asks of the kernel beside bubblewrap, each in a process that it may
 * ruin.
 */
#include "verbs/doctor.h"

#include "backend/landlock.h"
#include "backend/seccomp.h"
#include "base/fs.h"
#include "pty/userns.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/nsfs.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FEW_WATCHES   4096
#define FEW_INSTANCES 4

/* 0 or errno. */
static int enter_namespaces(void)
{
    return userns_enter(geteuid(), getegid()) == USERNS_DONE ? 0 : errno;
}

/* Everything on a tmpfs that only this process sees. */
static int mount_overlay(void *arg)
{
    int r = enter_namespaces();

    (void)arg;
    if (r)
        return r;
    if (mount("tmpfs", "/tmp", "tmpfs", 0, NULL) < 0 || mkdir("/tmp/lower", 0700) < 0 ||
        mkdir("/tmp/upper", 0700) < 0 || mkdir("/tmp/work", 0700) < 0 ||
        mkdir("/tmp/merged", 0700) < 0 ||
        mount("overlay", "/tmp/merged", "overlay", 0,
              "lowerdir=/tmp/lower,upperdir=/tmp/upper,workdir=/tmp/work,userxattr") < 0 ||
        mkdir("/tmp/merged/new", 0700) < 0)
        return errno;
    return 0;
}

/* As the mounter does: another process's mount namespace, by the namespace that owns it. */
static int join_and_mount(void *arg)
{
    char path[64];
    int mounts;
    int users;

    snprintf(path, sizeof(path), "/proc/%d/ns/mnt", (int)*(pid_t *)arg);
    mounts = open(path, O_RDONLY | O_CLOEXEC);
    users = mounts < 0 ? -1 : ioctl(mounts, NS_GET_USERNS);
    if (users < 0 || setns(users, CLONE_NEWUSER) < 0 || setns(mounts, CLONE_NEWNS) < 0 ||
        mount("tmpfs", "/tmp", "tmpfs", 0, NULL) < 0)
        return errno;
    return 0;
}

/* Makes the namespaces, tells whether it could, and waits to be joined. */
static _Noreturn void be_joined(int ready)
{
    int r = enter_namespaces();

    (void)!write(ready, &r, sizeof(r));
    if (r == 0)
        pause();
    _exit(0);
}

static int join_other(void *arg)
{
    int ready[2];
    pid_t pid;
    int r = EPIPE;

    (void)arg;
    if (pipe2(ready, O_CLOEXEC) < 0)
        return errno;
    pid = fork();
    if (pid < 0)
        return errno;
    if (pid == 0)
        be_joined(ready[1]);
    close(ready[1]);
    if (read(ready[0], &r, sizeof(r)) != sizeof(r))
        r = EPIPE;
    if (r == 0)
        r = doctor_in_child(join_and_mount, &pid);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    return r;
}

/* 0 if what is not allowed is refused by Landlock. */
static int enforce_landlock(void *arg)
{
    int abi = landlock_abi();
    int ruleset = landlock_create(landlock_fs_rights(abi), 0, landlock_scopes(abi));

    (void)arg;
    if (ruleset < 0)
        return -ruleset;
    if (landlock_enforce(ruleset, abi) < 0)
        return EINVAL;
    if (open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC) >= 0)
        return EBADE;
    return errno == EACCES ? 0 : errno;
}

/* 0 if the filter refuses what it must. */
static int enforce_filter(void *arg)
{
    int r = seccomp_install(SECCOMP_JAIL);

    (void)arg;
    if (r < 0)
        return -r;
    if (unshare(CLONE_NEWUSER) == 0)
        return EBADE;
    return errno == EPERM ? 0 : errno;
}

static void check_namespaces(struct doctor *doctor)
{
    int r = doctor_in_child(mount_overlay, NULL);

    if (r == 0)
        doctor_add(doctor, "overlay", DOCTOR_OK, NULL, "copy-on-write directories work");
    else
        doctor_add(doctor, "overlay", DOCTOR_DEGRADED,
                   "needs Linux 5.11 and user namespaces for this program; only --overlay-map is "
                   "affected",
                   "no overlay in a user namespace: %s", strerror(r));
    r = doctor_in_child(join_other, NULL);
    if (r == 0)
        doctor_add(doctor, "enter-namespace", DOCTOR_OK, NULL,
                   "masks can be placed while a jail runs");
    else
        doctor_add(doctor, "enter-namespace", DOCTOR_MISSING,
                   "no jail can start without it: look at the security module's log",
                   "another process's mount namespace cannot be joined: %s", strerror(r));
}

static void check_landlock(struct doctor *doctor)
{
    int abi = landlock_abi();
    int r;

    if (abi == 0) {
        doctor_add(doctor, "landlock", DOCTOR_MISSING,
                   "a kernel with CONFIG_SECURITY_LANDLOCK and landlock in the list lsm=",
                   "not available: one wall less");
        return;
    }
    r = doctor_in_child(enforce_landlock, NULL);
    if (r)
        doctor_add(doctor, "landlock", DOCTOR_MISSING, NULL, "ABI %d, but it does not hold: %s",
                   abi, strerror(r));
    else if (abi < 6)
        doctor_add(doctor, "landlock", DOCTOR_DEGRADED, "Linux 6.12 or newer has everything",
                   "ABI %d: holds, without scopes for abstract sockets and signals", abi);
    else
        doctor_add(doctor, "landlock", DOCTOR_OK, NULL, "ABI %d: holds", abi);
}

static void check_filter(struct doctor *doctor)
{
    int r = seccomp_arch() ? doctor_in_child(enforce_filter, NULL) : ENOTSUP;

    if (r == 0)
        doctor_add(doctor, "seccomp", DOCTOR_OK, NULL, "%s: holds, %u rules", seccomp_arch(),
                   seccomp_rule_count(SECCOMP_JAIL));
    else
        doctor_add(doctor, "seccomp", DOCTOR_MISSING,
                   "a kernel with CONFIG_SECCOMP_FILTER on x86_64, aarch64 or riscv64",
                   "the system call filter cannot be installed: %s", strerror(r));
}

/* ---- inotify(7) ---- */

static unsigned long read_number(const char *path)
{
    _cleanup_free_ char *text = fs_read_text(&fs_real, path, 64);

    return text ? strtoul(text, NULL, 10) : 0;
}

struct usage {
    unsigned long instances;
    unsigned long watches;
};

/* One descriptor of a process: proc_pid_fdinfo(5) has one line for each watch. */
static void count_descriptor(struct usage *usage, const char *process, const char *name)
{
    char path[320];
    char target[64];
    _cleanup_free_ char *text = NULL;
    ssize_t n;

    snprintf(path, sizeof(path), "/proc/%.16s/fd/%.16s", process, name);
    n = readlink(path, target, sizeof(target) - 1);
    if (n < 0)
        return;
    target[n] = '\0';
    if (!str_eq(target, "anon_inode:inotify"))
        return;
    usage->instances++;
    snprintf(path, sizeof(path), "/proc/%.16s/fdinfo/%.16s", process, name);
    text = fs_read_text(&fs_real, path, 16 * MIB);
    for (const char *at = text; at && (at = strstr(at, "inotify wd:")); at++)
        usage->watches++;
}

static void count_process(struct usage *usage, const char *process)
{
    char path[64];
    DIR *dir;
    struct dirent *entry;

    snprintf(path, sizeof(path), "/proc/%.16s/fd", process);
    dir = opendir(path);
    while (dir && (entry = readdir(dir)))
        if (entry->d_name[0] != '.')
            count_descriptor(usage, process, entry->d_name);
    if (dir)
        closedir(dir);
}

static struct usage count_usage(void)
{
    struct usage usage = {0};
    DIR *dir = opendir("/proc");
    struct dirent *entry;

    while (dir && (entry = readdir(dir)))
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
            count_process(&usage, entry->d_name);
    if (dir)
        closedir(dir);
    return usage;
}

static void check_inotify(struct doctor *doctor)
{
    unsigned long watches = read_number("/proc/sys/fs/inotify/max_user_watches");
    unsigned long instances = read_number("/proc/sys/fs/inotify/max_user_instances");
    struct usage used = count_usage();
    _cleanup_close_ int fd = inotify_init1(IN_CLOEXEC);

    if (fd < 0 || inotify_add_watch(fd, "/", IN_CREATE) < 0)
        doctor_add(doctor, "inotify", DOCTOR_MISSING,
                   "sysctl -w fs.inotify.max_user_instances=512 fs.inotify.max_user_watches=524288",
                   "no watch can be made: %s", strerror(errno));
    else if (used.watches + FEW_WATCHES > watches || used.instances + FEW_INSTANCES > instances)
        doctor_add(doctor, "inotify", DOCTOR_DEGRADED,
                   "sysctl -w fs.inotify.max_user_instances=512 fs.inotify.max_user_watches=524288",
                   "%lu of %lu watches and %lu of %lu instances are in use", used.watches, watches,
                   used.instances, instances);
    else
        doctor_add(doctor, "inotify", DOCTOR_OK, NULL,
                   "%lu of %lu watches and %lu of %lu instances are in use", used.watches, watches,
                   used.instances, instances);
}

void doctor_check_kernel(struct doctor *doctor)
{
    check_namespaces(doctor);
    check_landlock(doctor);
    check_filter(doctor);
    check_inotify(doctor);
}
