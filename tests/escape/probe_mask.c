// SPDX-License-Identifier: GPL-3.0-only
/*
 * probe_mask: what is masked or denied, from inside. The harness plants the directory "masked" in the
 * project. That a name can be changed at all is shown on one that is not masked.
 */
#include "probe.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define DIRECTORY "masked"
#define SECRET    DIRECTORY "/secret"
#define MASK_DIR  DIRECTORY "/dir"
#define DENIED    DIRECTORY "/denied"
#define DENY_DIR  DIRECTORY "/denied-dir"
#define OPEN      "escape-open"
#define OTHER     "escape-other"

static void make(const char *path)
{
    close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
}

static void masked_read(struct trial *t)
{
    int from = open(SECRET, O_RDONLY | O_CLOEXEC);
    int to = memfd_create("escape", MFD_CLOEXEC);
    char buf[256];
    struct stat st;

    trial_call(t, 0, file_read(SECRET, buf, sizeof buf), "read(masked)");
    trial_call(t, 0, RESULT(sendfile(to, from, NULL, sizeof buf)), "sendfile(masked)");
    lseek(from, 0, SEEK_SET);
    if (!t->control)
        trial_call(t, 1, RESULT(copy_file_range(from, NULL, to, NULL, sizeof buf, 0)),
                   "copy_file_range(masked)");
    trial_call(t, 0, RESULT(fstat(from, &st)) < 0 ? -EIO : (long)st.st_size, "size of masked");
    trial_call(t, 2, file_read(MASK_DIR "/inner", buf, sizeof buf), "read(masked directory/inner)");
    close(from);
    close(to);
}

static void masked_write(struct trial *t)
{
    static const struct timespec now[2] = {{0, UTIME_NOW}, {0, UTIME_NOW}};

    trial_call(t, 0, file_write(SECRET, NULL), "open(masked, O_WRONLY)");
    if (t->control)
        return;
    trial_call(t, 0, RESULT(open(SECRET, O_RDWR | O_TRUNC | O_CLOEXEC)), "open(masked, O_TRUNC)");
    trial_call(t, 0, RESULT(truncate(SECRET, 0)), "truncate(masked)");
    trial_call(t, 1, RESULT(open(SECRET, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600)),
               "open(masked, O_EXCL)");
    trial_call(t, 0, RESULT(chmod(SECRET, 0644)), "chmod(masked)");
    trial_call(t, 0, RESULT(utimensat(AT_FDCWD, SECRET, now, 0)), "utimensat(masked)");
    trial_call(t, 0, RESULT(open(MASK_DIR "/new", O_CREAT | O_WRONLY | O_CLOEXEC, 0600)),
               "create in a masked directory");
}

static void denied(struct trial *t)
{
    const char *const argv[] = {"./" DENIED, NULL};
    char buf[64];
    DIR *dir;

    trial_call(t, 0, file_read(DENIED, buf, sizeof buf), "read(denied)");
    dir = opendir(DENY_DIR);
    trial_call(t, 0, dir ? 0 : -(long)errno, "opendir(denied)");
    if (dir)
        closedir(dir);
    trial_call(t, 0, file_read(DENY_DIR "/inner", buf, sizeof buf), "read(denied directory/inner)");
    if (t->control)
        return;
    /* 126: it is there and cannot be started. */
    trial_call(t, 0, program_run(argv) == 126 ? -EACCES : 0, "execve(denied)");
    trial_call(t, 1, RESULT(chmod(DENIED, 0644)), "chmod(denied)");
    trial_call(t, 1, RESULT(chmod(DENY_DIR, 0755)), "chmod(denied directory)");
}

static void removed(struct trial *t)
{
    if (!t->lockdown)
        make(OTHER);
    trial_call(t, 0, RESULT(unlink(SECRET)), "unlink(masked)");
    trial_call(t, 0, RESULT(rename(SECRET, OPEN)), "rename(masked, other)");
    trial_call(t, 0, RESULT(rename(OTHER, SECRET)), "rename(other, masked)");
    trial_call(t, 0, RESULT(syscall(SYS_renameat2, AT_FDCWD, OTHER, AT_FDCWD, SECRET, 2)),
               "exchange with masked");
    trial_call(t, 0, RESULT(rmdir(MASK_DIR)), "rmdir(masked)");
    trial_call(t, 0, RESULT(rename(MASK_DIR, OPEN)), "rename(masked directory)");
    trial_call(t, 0, RESULT(unlink(DENIED)), "unlink(denied)");
    if (t->lockdown)
        return;
    /* What is not masked can be changed. */
    make(OPEN);
    trial_must(t, rename(OTHER, OPEN) == 0, "rename over an open file");
    trial_must(t, unlink(OPEN) == 0, "unlink(an open file)");
}

static void linked(struct trial *t)
{
    int fd = open(SECRET, O_PATH | O_CLOEXEC);
    char path[64];

    trial_call(t, 0, RESULT(link(SECRET, OTHER)), "link(masked)");
    trial_call(t, 0, RESULT(linkat(fd, "", AT_FDCWD, OTHER, AT_EMPTY_PATH)), "linkat(O_PATH)");
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    trial_call(t, 0, RESULT(linkat(AT_FDCWD, path, AT_FDCWD, OTHER, AT_SYMLINK_FOLLOW)),
               "linkat(/proc/self/fd)");
    close(fd);
    if (t->lockdown)
        return;
    make(OPEN);
    trial_must(t, link(OPEN, OTHER) == 0, "link(an open file)");
    unlink(OTHER);
    unlink(OPEN);
}

static void unmounted(struct trial *t)
{
    trial_call(t, 0, RESULT(umount2(SECRET, MNT_DETACH)), "umount2(masked, MNT_DETACH)");
    trial_call(t, 0, RESULT(umount2(SECRET, 0)), "umount2(masked)");
    trial_call(t, 0, RESULT(mount(SECRET, "source.c", NULL, MS_MOVE, NULL)), "move the mask");
}

static void other_names(struct trial *t)
{
    char path[PATH_MAX], cwd[PATH_MAX / 2] = "", buf[64];
    int dir = open(DIRECTORY, O_PATH | O_DIRECTORY | O_CLOEXEC);

    if (!getcwd(cwd, sizeof cwd))
        trial_must(t, false, "getcwd");
    snprintf(path, sizeof path, "/proc/self/root%s/%s", cwd, SECRET);
    trial_call(t, 0, file_read(path, buf, sizeof buf), "read by /proc/self/root");
    trial_call(t, 0, file_read("/proc/self/cwd/" SECRET, buf, sizeof buf), "by /proc/self/cwd");
    snprintf(path, sizeof path, "/proc/self/fd/%d/secret", dir);
    trial_call(t, 0, file_read(path, buf, sizeof buf), "by a descriptor of the directory");
    if (!t->control) {
        const char *link = t->lockdown ? "/tmp/" OTHER : OTHER;

        snprintf(path, sizeof path, "%s/%s", cwd, SECRET);
        trial_must(t, symlink(path, link) == 0, "symlink");
        trial_call(t, 0, file_read(link, buf, sizeof buf), "by a link");
        unlink(link);
    }
    close(dir);
}

const struct probe probes_mask[] = {
    {"E-MSK-01", masked_read, "ZERO; ZERO EXDEV EBADF; ENOENT", EVERY, CONTROL_ALL, NULL,
     "ZERO; ZERO EXDEV EBADF; ENOENT"},
    {"E-MSK-02", masked_write, "EACCES EROFS; EEXIST", EVERY, CONTROL_SAME, NULL,
     "EACCES EROFS; EEXIST"},
    {"E-MSK-03", denied, "EACCES; EROFS EPERM", EVERY, CONTROL_ALL, NULL, "EACCES; EROFS EPERM"},
    {"E-MSK-04", removed, "EBUSY EXDEV EROFS", EVERY, CONTROL_NONE, NULL, "EBUSY EXDEV EROFS"},
    {"E-MSK-05", linked, "EXDEV EROFS ENOENT EPERM", EVERY, CONTROL_NONE, NULL,
     "EXDEV EROFS ENOENT EPERM"},
    {"E-MSK-06", unmounted, "EPERM", EVERY, CONTROL_NONE, NULL, "EPERM EINVAL"},
    {"E-MSK-08", other_names, "ZERO ENOENT", EVERY, CONTROL_ALL, NULL, "ZERO ENOENT"},
    {0},
};
