// SPDX-License-Identifier: GPL-3.0-only
/*
 * Rows of --lockdown alone: a project that nothing changes, files of a limited size, system calls and
 * parts of /sys that the default leaves open.
 */
#include "probe.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define GIB (1L << 30)
/* Newer than some headers; the same number everywhere. */
#define NR_SET_MEMPOLICY_HOME_NODE 450L

static long map_writable(const char *path)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);
    void *map;
    long rc = 0;

    if (fd < 0)
        fd = open(path, O_RDONLY | O_CLOEXEC);
    map = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED)
        rc = -errno;
    else
        munmap(map, 1);
    close(fd);
    return rc;
}

static void read_only_project(struct trial *t)
{
    char file[PATH_MAX], fresh[PATH_MAX], other[PATH_MAX];
    const char *dir = fact("project");
    struct stat st = {0};
    long rc;

    snprintf(file, sizeof file, "%s/source.c", dir);
    snprintf(fresh, sizeof fresh, "%s/escape-fresh", dir);
    snprintf(other, sizeof other, "%s/escape-away", dir);
    if (stat(file, &st) < 0)
        trial_must(t, false, "stat(%s)", file);
    rc = RESULT(open(fresh, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600));
    trial_call(t, 0, rc, "open(%s, O_CREAT)", fresh);
    if (rc >= 0)
        close((int)rc);
    trial_call(t, 0, file_write(file, NULL), "open(%s, O_WRONLY)", file);
    trial_call(t, 0, RESULT(truncate(file, st.st_size)), "truncate(%s)", file);
    trial_call(t, 0, RESULT(chmod(file, st.st_mode & 0777)), "chmod(%s)", file);
    rc = RESULT(rename(file, other));
    trial_call(t, 0, rc, "rename(%s)", file);
    if (rc >= 0)
        rename(other, file);
    trial_call(t, 0, map_writable(file), "mmap(%s, MAP_SHARED, PROT_WRITE)", file);
    rc = RESULT(unlink(t->control ? fresh : file));
    trial_call(t, 0, rc, "unlink");
}

static void big_file(struct trial *t, const char *dir)
{
    char path[PATH_MAX];
    int fd;

    snprintf(path, sizeof path, "%s/.escape-big", dir);
    fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    trial_call(t, 0, RESULT(ftruncate(fd, GIB + 1)), "ftruncate(%s)", path);
    trial_call(t, 0, RESULT(pwrite(fd, "x", 1, GIB)), "pwrite(%s)", path);
    close(fd);
    unlink(path);
}

static void file_sizes(struct trial *t)
{
    signal(SIGXFSZ, SIG_IGN);
    big_file(t, "/tmp");
    big_file(t, "/dev/shm");
    big_file(t, fact("home"));
}

/* Every call is harmless where it works: what is asked for is what is the case. */
static void memory_and_names(struct trial *t)
{
    unsigned long page = 0;

    trial_call(t, 0, RESULT(syscall(SYS_get_mempolicy, NULL, NULL, 0, NULL, 0)), "get_mempolicy");
    trial_call(t, 0, RESULT(syscall(SYS_set_mempolicy, 0, NULL, 0)), "set_mempolicy");
    trial_call(t, 0, RESULT(syscall(SYS_mbind, &page, 0, 0, NULL, 0, 0)), "mbind");
    trial_call(t, 0, RESULT(syscall(SYS_move_pages, 0, 0, NULL, NULL, NULL, 0)), "move_pages");
    trial_call(t, 0, RESULT(syscall(NR_SET_MEMPOLICY_HOME_NODE, 0, 0, 0, 0)),
               "set_mempolicy_home_node");
    if (!t->control)
        trial_call(t, 0, RESULT(syscall(SYS_sethostname, "ai-sandbox", 10)), "sethostname");
}

static void hardware(struct trial *t)
{
    static const char *const dirs[] = {"/sys/class/net", "/sys/devices/virtual/dmi/id",
                                       "/sys/module"};

    for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++) {
        DIR *dir = opendir(dirs[i]);
        long entries = dir == NULL ? -errno : 0;

        for (struct dirent *e; dir != NULL && (e = readdir(dir)) != NULL;)
            entries += e->d_name[0] != '.';
        if (dir != NULL)
            closedir(dir);
        trial_call(t, 0, entries, "readdir(%s)", dirs[i]);
    }
}

const struct probe probes_lockdown[] = {
    {"E-FS-20", read_only_project, "EROFS EACCES", ONLY_LOCKDOWN, CONTROL_ALL, NULL, NULL},
    {"E-RES-04", file_sizes, "EFBIG", ONLY_LOCKDOWN, CONTROL_ALL, NULL, NULL},
    {"E-KRN-13", memory_and_names, "EPERM", ONLY_LOCKDOWN, CONTROL_SAME, NULL, NULL},
    {"E-PROC-15", hardware, "ZERO ENOENT", ONLY_LOCKDOWN, CONTROL_REACH, NULL, NULL},
    {0},
};
