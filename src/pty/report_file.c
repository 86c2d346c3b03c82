// SPDX-License-Identifier: GPL-3.0-only
/*
 * report_file: the file of --report, written by the mounter with a text of the supervisor's.
 */
#include "pty/report_file.h"

#include "base/fd.h"
#include "pty/mounter_event.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

int report_file_open(struct report_file *file, const char *path, struct error *error)
{
    int r = report_place_open(&file->place, path, error);

    file->text = -1;
    if (r < 0 || !path)
        return r;
    file->text = memfd_create("report", MFD_CLOEXEC);
    if (file->text < 0)
        return error_set(error, errno, "--report: %s", strerror(errno));
    return 0;
}

static int copy(void *arg, int to)
{
    const int *text = arg;
    struct stat st;
    off_t at = 0;

    if (fstat(*text, &st) < 0)
        return -errno;
    while (at < st.st_size) {
        ssize_t n = sendfile(to, *text, &at, (size_t)(st.st_size - at));

        if (n <= 0)
            return n < 0 ? -errno : -EIO;
    }
    return 0;
}

void report_file_write(const struct report_file *file, int socket)
{
    int text = file->text;
    struct mounter_event event = {.type = MOUNTER_EVENT_WRITTEN};

    event.code = -report_place_put(&file->place, copy, &text);
    (void)mounter_event_send(socket, &event, file->place.name, NULL);
}

void report_file_close(struct report_file *file)
{
    if (file->text >= 0)
        close(file->text);
    report_place_close(&file->place);
    file->text = -1;
}
