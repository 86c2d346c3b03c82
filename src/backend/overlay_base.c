// SPDX-License-Identifier: GPL-3.0-only
/*
 * overlay_base: what a directory held when its overlay began.
 *
 * The file is text: a line that names the format, a record for each object,
 *
 *     MODE INODE SECONDS.NANOSECONDS PATH NUL
 *
 * (octal, hexadecimal, decimal), and a last record that counts them, so that a record cut short is
 * known as such. It is written beside its name and renamed when it is complete and on the disk.
 */
#include "backend/overlay_base.h"

#include "backend/overlay_walk.h"
#include "base/buf.h"
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD     "ai-jail overlay base 1"
#define FILE_MAX (1 * GIB)
#define CHUNK    (256 * KIB)

/* ---- writing ---- */

struct writer {
    int fd;
    struct buf text;
    size_t n;
};

static int flush(struct writer *writer)
{
    int r = fd_write_all(writer->fd, writer->text.data, writer->text.len);

    buf_reset(&writer->text);
    return r;
}

static int write_entry(void *arg, const char *path, const struct stat *st)
{
    struct writer *writer = arg;

    buf_printf(&writer->text, "%o %llx %lld.%09ld %s", (unsigned)st->st_mode,
               (unsigned long long)st->st_ino, (long long)st->st_ctim.tv_sec, st->st_ctim.tv_nsec,
               path);
    buf_append_byte(&writer->text, '\0');
    writer->n++;
    return writer->text.len > CHUNK ? flush(writer) : 0;
}

static int write_all(struct writer *writer, int lower)
{
    int r;

    buf_append(&writer->text, HEAD, sizeof(HEAD));
    r = overlay_walk(lower, write_entry, writer);
    if (r < 0)
        return r;
    buf_printf(&writer->text, "end %zu", writer->n);
    buf_append_byte(&writer->text, '\0');
    r = flush(writer);
    return r < 0 ? r : fsync(writer->fd) < 0 ? -errno : 0;
}

int overlay_base_write(int storage, int lower)
{
    struct writer writer = {.n = 0};
    int r;

    unlinkat(storage, "base.new", 0);
    writer.fd =
        openat(storage, "base.new", O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (writer.fd < 0)
        return -errno;
    buf_init(&writer.text, 2 * CHUNK);
    r = write_all(&writer, lower);
    if (r == 0 && renameat(storage, "base.new", storage, "base") < 0)
        r = -errno;
    close(writer.fd);
    buf_free(&writer.text);
    return r;
}

/* ---- reading ---- */

/* A number and the character behind it; false if it is something else. */
static bool read_number(char **at, int radix, char behind, uint64_t *value)
{
    char *end;

    if (**at == '\0' || strchr(" +", **at))
        return false;
    errno = 0;
    *value = strtoull(*at, &end, radix);
    if (errno || end == *at || *end != behind)
        return false;
    *at = end + 1;
    return true;
}

/* One record; *path points behind it. */
static bool read_entry(char *at, struct overlay_base_entry *entry, char **path)
{
    uint64_t mode;
    uint64_t seconds;
    uint64_t nanoseconds;

    if (!read_number(&at, 8, ' ', &mode) || !read_number(&at, 16, ' ', &entry->ino) ||
        !read_number(&at, 10, '.', &seconds) || !read_number(&at, 10, ' ', &nanoseconds) ||
        *at == '\0')
        return false;
    entry->mode = (mode_t)mode;
    entry->ctime_s = (int64_t)seconds;
    entry->ctime_ns = (uint32_t)nanoseconds;
    *path = at;
    return true;
}

static bool read_end(const char *at, size_t n)
{
    char want[32];

    snprintf(want, sizeof(want), "end %zu", n);
    return str_eq(at, want);
}

static int parse(struct overlay_base *base, char *at, const char *end)
{
    size_t cap = 0;

    if (!str_eq(at, HEAD))
        return -EBADMSG;
    for (at += strlen(at) + 1; at < end; at += strlen(at) + 1) {
        char *path;

        if (read_end(at, base->n))
            return at + strlen(at) + 1 == end ? 0 : -EBADMSG;
        if (base->n == cap) {
            cap = cap ? cap * 2 : 1024;
            base->v = xrealloc(base->v, cap, sizeof(*base->v));
        }
        if (!read_entry(at, &base->v[base->n], &path))
            return -EBADMSG;
        *path_table_put(&base->by_path, path) = (uint32_t)base->n++;
        at = path;
    }
    return -EBADMSG;
}

int overlay_base_read(struct overlay_base *base, int storage)
{
    _cleanup_close_ int fd =
        openat(storage, "base", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct buf text CLEANUP(buf_free);
    size_t len;
    int r;

    *base = (struct overlay_base){0};
    if (fd < 0)
        return -errno;
    buf_init(&text, FILE_MAX + MIB);
    r = fd_read_all(fd, &text, FILE_MAX);
    if (r < 0)
        return r;
    len = text.len;
    base->text = buf_take_cstr(&text);
    return parse(base, base->text, base->text + len);
}

void overlay_base_free(struct overlay_base *base)
{
    path_table_free(&base->by_path);
    free(base->v);
    free(base->text);
    *base = (struct overlay_base){0};
}

bool overlay_base_is_unchanged(const struct overlay_base *base, const char *path,
                               const struct stat *st)
{
    uint32_t number = path_table_get(&base->by_path, path);
    const struct overlay_base_entry *then = number == PATH_TABLE_NONE ? NULL : &base->v[number];

    if (!then || !st)
        return !then && !st;
    if (then->ino != st->st_ino || (then->mode & S_IFMT) != (st->st_mode & S_IFMT))
        return false;
    if (S_ISDIR(st->st_mode))
        return then->mode == st->st_mode;
    return then->ctime_s == st->st_ctim.tv_sec && then->ctime_ns == (uint32_t)st->st_ctim.tv_nsec;
}
