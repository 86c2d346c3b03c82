// SPDX-License-Identifier: GPL-3.0-only
/*
 * report_loss: what is lost with a HOME that lived in memory.
 *
 * Only the tmpfs itself is looked at: what is mounted below it stays. Caches are no loss.
 */
#include "base/fd.h"
#include "pty/report_parts.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ENTRIES_MAX 100000
#define DEPTH_MAX   64

static const char *const caches[] = {
    ".cache", "Cache", "cache", "Caches", "_cacache", "__pycache__", "node_modules", "tmp",
};

struct sum {
    struct report_loss *loss;
    dev_t device;
    unsigned seen;
};

static bool is_cache(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(caches); i++)
        if (strcmp(name, caches[i]) == 0)
            return true;
    return false;
}

static void count_file(struct sum *sum, const struct stat *st, const char *path, const char *name)
{
    struct report_loss *loss = sum->loss;

    loss->files++;
    loss->bytes += (uint64_t)st->st_size;
    if (loss->largest && (uint64_t)st->st_size <= loss->largest_bytes)
        return;
    loss->largest_bytes = (uint64_t)st->st_size;
    free(loss->largest);
    loss->largest = xasprintf("%s/%s", path, name);
}

/* fd is taken. */
static void add_up(struct sum *sum, int fd, const char *path, unsigned depth)
{
    DIR *dir = fdopendir(fd);
    const struct dirent *entry;
    struct stat st;

    if (!dir) {
        close(fd);
        return;
    }
    while ((entry = readdir(dir)) && sum->seen++ < ENTRIES_MAX) {
        const char *name = entry->d_name;

        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
            fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || st.st_dev != sum->device)
            continue;
        if (S_ISREG(st.st_mode)) {
            count_file(sum, &st, path, name);
        } else if (S_ISDIR(st.st_mode) && !is_cache(name) && depth < DEPTH_MAX) {
            _cleanup_free_ char *below = xasprintf("%s/%s", path, name);
            int next = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

            if (next >= 0)
                add_up(sum, next, below, depth + 1);
        }
    }
    closedir(dir);
}

void report_count_loss(struct report_loss *loss, const char *home)
{
    struct sum sum = {.loss = loss};
    int fd = open(home, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;

    *loss = (struct report_loss){0};
    if (fd < 0)
        return;
    if (fstat(fd, &st) < 0) {
        close(fd);
        return;
    }
    sum.device = st.st_dev;
    add_up(&sum, fd, home, 0);
}
