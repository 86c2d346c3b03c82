// SPDX-License-Identifier: GPL-3.0-only
/*
 * overlay_remove: removes a tree that somebody hostile may have built.
 *
 * A tree may be deeper than any path is long. So it is made flat: directories inside the one that is
 * being emptied are moved beside it under a fresh name and wait there for their turn.
 */
#include "backend/overlay_remove.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_SIZE 64

/* The directories that wait are called by number; next is the first number never given. */
struct waiting {
    int dir;
    unsigned long next;
    unsigned long first;
};

static void waiting_name(char name[NAME_SIZE], unsigned long number)
{
    snprintf(name, NAME_SIZE, "removed.%ld.%lu", (long)getpid(), number);
}

/* Its owner may do everything with it afterwards. O_NOFOLLOW with chmod needs Linux 6.6; dir is ours
 * alone, so nobody swaps the name. */
static int open_for_removal(int dir, const char *name)
{
    int fd;

    if (fchmodat(dir, name, 0700, 0) < 0)
        return -errno;
    fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

static int put_aside(struct waiting *waiting, int from, const char *name)
{
    char aside[NAME_SIZE];

    /* Moving a directory elsewhere writes its "..": it must be writable itself. */
    if (fchmodat(from, name, 0700, 0) < 0)
        return -errno;
    do { /* a number may be left from a removal that was interrupted: it gets its turn, too */
        waiting_name(aside, waiting->next++);
        if (renameat(from, name, waiting->dir, aside) == 0)
            return 0;
    } while (errno == ENOTEMPTY || errno == EEXIST);
    return -errno;
}

static int remove_entry(struct waiting *waiting, int dir, const char *name)
{
    struct stat st;

    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT ? 0 : -errno;
    if (S_ISDIR(st.st_mode))
        return put_aside(waiting, dir, name);
    return unlinkat(dir, name, 0) < 0 && errno != ENOENT ? -errno : 0;
}

/* Everything that is in it goes or waits. */
static int empty_dir(struct waiting *waiting, const char *name)
{
    int fd = open_for_removal(waiting->dir, name);
    DIR *list = fd < 0 ? NULL : fdopendir(fd);
    bool found = true;
    int r = 0;

    if (!list) {
        if (fd >= 0)
            close(fd);
        return fd < 0 ? fd : -ENOMEM;
    }
    /* A directory that changes while it is read may hide an entry: read until there is none. */
    while (r == 0 && found) {
        const struct dirent *entry;

        found = false;
        rewinddir(list);
        while (r == 0 && (entry = readdir(list))) {
            if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
                continue;
            found = true;
            r = remove_entry(waiting, dirfd(list), entry->d_name);
        }
    }
    closedir(list);
    return r;
}

static int remove_dir(struct waiting *waiting, const char *name)
{
    int r = empty_dir(waiting, name);

    if (r == 0 && unlinkat(waiting->dir, name, AT_REMOVEDIR) < 0)
        r = -errno;
    return r;
}

int overlay_remove_tree(int dir, const char *name)
{
    struct waiting waiting = {.dir = dir};
    struct stat st;
    int r;

    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return -errno;
    if (!S_ISDIR(st.st_mode))
        return unlinkat(dir, name, 0) < 0 ? -errno : 0;
    r = remove_dir(&waiting, name);
    while (r == 0 && waiting.first < waiting.next) {
        char aside[NAME_SIZE];

        waiting_name(aside, waiting.first++);
        r = remove_dir(&waiting, aside);
    }
    return r;
}
