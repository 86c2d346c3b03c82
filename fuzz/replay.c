// SPDX-License-Identifier: GPL-3.0-only
/*
 * replay: runs a fuzz target once over every file of the directories given as arguments.
 */
#include "base/fd.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_dir(const char *path)
{
    DIR *dir = opendir(path);
    const struct dirent *entry;
    int runs = 0;

    if (!dir)
        return -1;
    while ((entry = readdir(dir))) {
        _cleanup_close_ int fd = openat(dirfd(dir), entry->d_name, O_RDONLY | O_CLOEXEC);
        struct buf bytes CLEANUP(buf_free);

        buf_init(&bytes, 16 * MIB);
        if (entry->d_name[0] == '.' || fd < 0 || fd_read_all(fd, &bytes, 16 * MIB) < 0)
            continue;
        LLVMFuzzerTestOneInput(bytes.data ? bytes.data : (const uint8_t *)"", bytes.len);
        runs++;
    }
    closedir(dir);
    return runs;
}

int main(int argc, char **argv)
{
    int total = 0;

    for (int i = 1; i < argc; i++) {
        int runs = replay_dir(argv[i]);

        if (runs < 0) {
            fprintf(stderr, "cannot read the corpus %s\n", argv[i]);
            return 1;
        }
        total += runs;
    }
    printf("%d inputs replayed\n", total);
    return total > 0 ? 0 : 1;
}
