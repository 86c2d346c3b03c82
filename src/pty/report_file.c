// SPDX-License-Identifier: GPL-3.0-only
/*
 * report_file: the file of --report, written by the mounter with a text of the supervisor's.
 */
#include "pty/report_file.h"

#include "base/fd.h"
#include "base/path.h"
#include "pty/mounter_event.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

int report_file_open(struct report_file *file, const char *path, struct error *error)
{
    _cleanup_free_ char *dir = path ? path_parent(path) : NULL;
    struct stat st;

    *file = REPORT_FILE_NONE;
    if (!path)
        return 0;
    file->dir = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file->dir < 0 || faccessat(file->dir, ".", W_OK, AT_EACCESS) < 0)
        return error_set(error, errno, "--report %s: %s: %s", path, dir, strerror(errno));
    file->name = xstrdup(path_base(path));
    if (fstatat(file->dir, file->name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(st.st_mode))
        return error_set(error, EINVAL,
                         "--report %s: what is there is no ordinary file: choose another name",
                         path);
    file->text = memfd_create("report", MFD_CLOEXEC);
    if (file->text < 0)
        return error_set(error, errno, "--report: %s", strerror(errno));
    return 0;
}

static int copy(const struct report_file *file, const char *name)
{
    _cleanup_close_ int to =
        openat(file->dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    struct stat st;
    off_t at = 0;

    if (to < 0 || fstat(file->text, &st) < 0)
        return -errno;
    while (at < st.st_size) {
        ssize_t n = sendfile(to, file->text, &at, (size_t)(st.st_size - at));

        if (n <= 0)
            return n < 0 ? -errno : -EIO;
    }
    return fsync(to) < 0 ? -errno : 0;
}

void report_file_write(const struct report_file *file, int socket)
{
    _cleanup_free_ char *name = xasprintf(".%s.ai-jail-%d", file->name, (int)getpid());
    struct mounter_event event = {.type = MOUNTER_EVENT_WRITTEN};
    int r = copy(file, name);

    if (r == 0 && renameat(file->dir, name, file->dir, file->name) < 0)
        r = -errno;
    if (r < 0 && r != -EEXIST)
        unlinkat(file->dir, name, 0);
    event.code = -r;
    (void)mounter_event_send(socket, &event, file->name, NULL);
}

void report_file_close(struct report_file *file)
{
    if (file->text >= 0)
        close(file->text);
    if (file->dir >= 0)
        close(file->dir);
    free(file->name);
    *file = REPORT_FILE_NONE;
}
