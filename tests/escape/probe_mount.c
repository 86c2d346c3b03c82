// SPDX-License-Identifier: GPL-3.0-only
/*
 * probe_mount: the mount calls, old and new. As controls they run in a fresh user and mount
 * namespace outside, where they work and change nothing of the machine.
 */
#include "probe.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/mount.h>
#include <sys/quota.h>
#include <sys/swap.h>
#include <sys/syscall.h>

#ifndef SYS_statmount
#define SYS_statmount 457
#define SYS_listmount 458
#endif
#ifndef SYS_open_tree_attr
#define SYS_open_tree_attr 467
#endif
#ifndef SYS_quotactl_fd
#define SYS_quotactl_fd 443
#endif

/* Makes a control harmless; nothing happens inside a jail. */
static void mounts_own(struct trial *t)
{
    char map[64];
    unsigned uid = geteuid();

    if (!t->control)
        return;
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0) {
        trial_blind(t, "no user namespace outside");
        return;
    }
    snprintf(map, sizeof map, "0 %u 1", uid);
    file_write("/proc/self/setgroups", "deny");
    file_write("/proc/self/uid_map", map);
    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

static void mount_calls(struct trial *t)
{
    mounts_own(t);
    trial_call(t, 0, RESULT(mount("t", "/tmp", "tmpfs", 0, NULL)), "mount(tmpfs)");
    trial_call(t, 0, RESULT(mount("/etc", "/tmp", NULL, MS_BIND, NULL)), "mount(bind)");
    trial_call(t, 0, RESULT(mount(NULL, "/usr", NULL, MS_REMOUNT | MS_BIND, NULL)),
               "mount(remount)");
    trial_call(t, 0, RESULT(mount("/usr", "/tmp", NULL, MS_MOVE, NULL)), "mount(move)");
    trial_call(t, 0, RESULT(mount(NULL, "/", NULL, MS_SHARED, NULL)), "mount(shared)");
    trial_call(t, 0, RESULT(mount("p", "/tmp", "proc", 0, NULL)), "mount(proc)");
    trial_call(t, 0, RESULT(mount("o", "/tmp", "overlay", 0, "lowerdir=/usr:/etc")),
               "mount(overlay)");
    trial_call(t, 0, RESULT(mount("f", "/tmp", "fuse", 0, "fd=0")), "mount(fuse)");
}

static void umount_calls(struct trial *t)
{
    trial_call(t, 0, RESULT(umount2("/usr", MNT_DETACH)), "umount2(/usr)");
    trial_call(t, 0, RESULT(umount2("/proc", 0)), "umount2(/proc)");
    trial_call(t, 0, RESULT(umount2(fact("project"), MNT_DETACH)), "umount2(project)");
    trial_call(t, 0, RESULT(umount2(".ai-jail", MNT_DETACH)), "umount2(.ai-jail)");
    trial_call(t, 0, RESULT(umount2("/proc/sys", MNT_DETACH)), "umount2(/proc/sys)");
}

static void pivot(struct trial *t)
{
    trial_call(t, 0, RESULT(syscall(SYS_pivot_root, "/tmp", "/tmp")), "pivot_root");
}

static void fs_contexts(struct trial *t)
{
    mounts_own(t);
    trial_call(t, 0, RESULT(syscall(SYS_fsopen, "tmpfs", 0)), "fsopen(tmpfs)");
    trial_call(t, 0, RESULT(syscall(SYS_fsopen, "proc", 0)), "fsopen(proc)");
    trial_call(t, 0, RESULT(syscall(SYS_fspick, AT_FDCWD, "/tmp", 0)), "fspick(/tmp)");
    if (t->control)
        return;
    trial_call(t, 0, RESULT(syscall(SYS_fsconfig, -1, 6, NULL, NULL, 0)), "fsconfig(-1)");
    trial_call(t, 0, RESULT(syscall(SYS_fsmount, -1, 0, 0)), "fsmount(-1)");
}

static void open_trees(struct trial *t)
{
    mounts_own(t);
    trial_call(t, 0, RESULT(syscall(SYS_open_tree, AT_FDCWD, "/etc", OPEN_TREE_CLONE)),
               "open_tree(CLONE)");
    trial_call(t, 0, RESULT(syscall(SYS_open_tree, AT_FDCWD, "/etc", 0)), "open_tree(0)");
    trial_call(t, 0,
               RESULT(syscall(SYS_open_tree_attr, AT_FDCWD, "/etc", OPEN_TREE_CLONE, NULL, 0UL)),
               "open_tree_attr");
}

static void move_mounts(struct trial *t)
{
    struct mount_attr attr = {.attr_clr = MOUNT_ATTR_RDONLY};
    int tree;

    mounts_own(t);
    tree = (int)syscall(SYS_open_tree, AT_FDCWD, "/etc", OPEN_TREE_CLONE | O_CLOEXEC);
    if (tree >= 0)
        trial_call(t, 0, RESULT(syscall(SYS_move_mount, tree, "", AT_FDCWD, "/tmp", 4)),
                   "move_mount(tree, /tmp)");
    trial_call(t, 0, RESULT(syscall(SYS_move_mount, AT_FDCWD, "/etc", AT_FDCWD, "/tmp", 0)),
               "move_mount(/etc, /tmp)");
    trial_call(t, 0, RESULT(syscall(SYS_mount_setattr, AT_FDCWD, "/usr", 0, &attr, sizeof attr)),
               "mount_setattr(/usr, writable)");
}

static void list_mounts(struct trial *t)
{
    struct {
        uint32_t size, spare;
        uint64_t mnt_id, param, mnt_ns_id;
    } request = {.size = 24, .mnt_id = UINT64_MAX};
    uint64_t ids[16];

    trial_call(t, 0, RESULT(syscall(SYS_listmount, &request, ids, 16UL, 0)), "listmount");
    trial_call(t, 0, RESULT(syscall(SYS_statmount, &request, ids, sizeof ids, 0)), "statmount");
}

static void fanotify(struct trial *t)
{
    trial_call(t, 0, RESULT(fanotify_init(0, O_RDONLY)), "fanotify_init(0)");
    trial_call(t, 0, RESULT(fanotify_init(FAN_REPORT_FID, O_RDONLY)), "fanotify_init(FID)");
}

/* Each aims at a file that is not there. */
static void storage_calls(struct trial *t)
{
    trial_call(t, 0, RESULT(quotactl(QCMD(Q_GETFMT, USRQUOTA), "/escape-absent", 0, NULL)),
               "quotactl");
    trial_call(t, 0, RESULT(syscall(SYS_quotactl_fd, -1, QCMD(Q_GETFMT, USRQUOTA), 0, NULL)),
               "quotactl_fd");
    trial_call(t, 0, RESULT(swapon("/escape-absent", 0)), "swapon");
    trial_call(t, 0, RESULT(swapoff("/escape-absent")), "swapoff");
    trial_call(t, 0, RESULT(acct("/escape-absent")), "acct");
}

const struct probe probes_mount[] = {
    {"E-MNT-01", mount_calls, "EPERM", EVERY, CONTROL_SAME, NULL, "EPERM"},
    {"E-MNT-02", umount_calls, "EPERM", EVERY, CONTROL_NONE, NULL, "EPERM"},
    {"E-MNT-03", pivot, "EPERM", EVERY, CONTROL_ROOT_REACH, NULL, "EPERM"},
    {"E-MNT-04", fs_contexts, "EPERM", EVERY, CONTROL_SAME, NULL, NULL},
    {"E-MNT-05", open_trees, "EPERM ENOSYS", EVERY, CONTROL_SAME, NULL, NULL},
    {"E-MNT-06", move_mounts, "EPERM", EVERY, CONTROL_SAME, NULL, "EPERM"},
    {"E-MNT-07", list_mounts, "EPERM ENOSYS", EVERY, CONTROL_SAME, NULL, NULL},
    {"E-MNT-08", fanotify, "EPERM", EVERY, CONTROL_SAME, NULL, NULL},
    {"E-MNT-09", storage_calls, "EPERM ENOSYS", EVERY, CONTROL_ROOT_REACH, NULL, NULL},
    {0},
};
