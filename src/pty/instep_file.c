// SPDX-License-Identifier: GPL-3.0-only
/*
 * instep_file: one side of a file that is kept in step.
 *
 * The jail's side is hostile: it may hold a link, a FIFO, a directory, a file of any size or one with
 * a lease on it, and all that may change at any moment. It is opened below the directory that was
 * there before the command was, following nothing and waiting for nothing, and only what was read
 * and checked is written outside.
 *
 * A file is replaced as a whole: written under a name of its own, which then changes places with it, so
 * that nothing is lost that others save in the same moment.
 */
#include "pty/instep_file.h"

#include "base/fd.h"
#include "base/json_check.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TURNS_MAX 8 /* of somebody who saves at every moment */

/* ---- reading ---- */

void instep_content_free(struct instep_content *content)
{
    buf_free(&content->bytes);
}

static int open_file(const struct instep_side *side)
{
    struct open_how how = {
        .flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    long fd = syscall(SYS_openat2, side->dir, side->name, &how, sizeof(how));

    return fd < 0 ? -errno : (int)fd;
}

static bool is_json_object(const struct buf *bytes)
{
    struct json_check check;

    json_check_init(&check);
    json_check_feed(&check, bytes->data, bytes->len);
    return json_check_is_complete(&check);
}

static int read_open(int fd, struct instep_content *content)
{
    int r;

    if (fstat(fd, &content->st) < 0)
        return errno;
    if (!S_ISREG(content->st.st_mode))
        return ENOTSUP;
    if ((uint64_t)content->st.st_size > INSTEP_SIZE_MAX)
        return EFBIG;
    r = fd_read_all(fd, &content->bytes, INSTEP_SIZE_MAX);
    if (r < 0)
        return -r;
    return is_json_object(&content->bytes) ? 0 : EBADMSG;
}

void instep_read(const struct instep_side *side, struct instep_content *content)
{
    _cleanup_close_ int fd = open_file(side);

    *content = (struct instep_content){0};
    buf_init(&content->bytes, INSTEP_SIZE_MAX + KIB);
    if (fd >= 0)
        content->code = read_open(fd, content);
    else if (fd != -ENOENT) {
        content->code = -fd;
        content->st.st_nlink = 1;
    }
}

/* ---- writing ---- */

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static bool is_still(const struct instep_side *side, const struct stat *was)
{
    struct stat is;

    if (fstatat(side->dir, side->name, &is, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT && was->st_nlink == 0;
    return is_same_file(&is, was) && is.st_ctim.tv_sec == was->st_ctim.tv_sec &&
           is.st_ctim.tv_nsec == was->st_ctim.tv_nsec;
}

/* A new file beside the name; its own name in temporary. Descriptor or -errno. */
static int make_temporary(const struct instep_side *side, char *temporary, size_t size)
{
    uint64_t number;
    int fd;

    if (getrandom(&number, sizeof(number), 0) != sizeof(number))
        return -EIO;
    snprintf(temporary, size, "%.200s.ai-jail-%016llx", side->name, (unsigned long long)number);
    fd = openat(side->dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    return fd < 0 ? -errno : fd;
}

static int fill(int fd, const struct buf *bytes, mode_t mode, bool is_durable)
{
    int r = fd_write_all(fd, bytes->data, bytes->len);

    if (r < 0)
        return r;
    if (fchmod(fd, mode) < 0 || (is_durable && fsync(fd) < 0))
        return -errno;
    return 0;
}

/*
 * The two change places, and what was there is looked at afterwards: no look before a rename can see
 * what is saved in between. If it is not the file that was read it goes back, and what was saved
 * meanwhile after it, so that the last that others saved stays. The temporary name holds the rest.
 */
static int exchange(const struct instep_side *side, const char *temporary, const struct stat *was)
{
    struct stat expected = *was;
    struct stat placed;
    struct stat found;

    if (fstatat(side->dir, temporary, &placed, AT_SYMLINK_NOFOLLOW) < 0)
        return -errno;
    for (unsigned turn = 0; turn < TURNS_MAX; turn++) {
        if (renameat2(side->dir, temporary, side->dir, side->name, RENAME_EXCHANGE) < 0)
            return errno == ENOENT ? -EAGAIN : -errno;
        if (fstatat(side->dir, temporary, &found, AT_SYMLINK_NOFOLLOW) < 0)
            return -errno;
        if (is_same_file(&found, &expected))
            return turn == 0 ? 0 : -EAGAIN;
        expected = placed;
        placed = found;
    }
    return -EAGAIN;
}

/* -EAGAIN if the side's file is not the one any more that it was. */
static int take_place(const struct instep_side *side, const char *temporary, const struct stat *was)
{
    int r;

    if (!is_still(side, was))
        return -EAGAIN;
    if (was->st_nlink)
        r = exchange(side, temporary, was);
    else if (renameat2(side->dir, temporary, side->dir, side->name, RENAME_NOREPLACE) == 0)
        r = 0;
    else
        r = errno == EEXIST ? -EAGAIN : -errno;
    /* Not every filesystem can do that. */
    if (r == -EINVAL || r == -ENOSYS)
        r = renameat(side->dir, temporary, side->dir, side->name) < 0 ? -errno : 0;
    return r;
}

int instep_replace(const struct instep_side *side, const char *to, const struct buf *bytes,
                   mode_t mode, const struct stat *was)
{
    char temporary[NAME_MAX + 1];
    _cleanup_close_ int fd = make_temporary(side, temporary, sizeof(temporary));
    int r;

    assert(!was || strcmp(to, side->name) == 0);
    if (fd < 0)
        return fd;
    r = fill(fd, bytes, mode, side->is_durable);
    if (r == 0 && was)
        r = take_place(side, temporary, was);
    else if (r == 0 && renameat(side->dir, temporary, side->dir, to) < 0)
        r = -errno;
    unlinkat(side->dir, temporary, 0);
    return r;
}
