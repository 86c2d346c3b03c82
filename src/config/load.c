// SPDX-License-Identifier: GPL-3.0-only
/*
 * load: safe reading of one file.
 *
 * 1. Open without following a link and without waiting for the other end of a FIFO. A link is opened
 *    a second time, through it, only for a kind that follows links; then the kernel has resolved it
 *    once and /proc/self/fd tells where that was.
 * 2. fstat: regular, not too large, owner, mode, place.
 * 3. Read at most the maximum, whatever fstat said: the file may grow.
 * 4. The bytes: no NUL, valid UTF-8; a byte order mark is skipped.
 */
#include "config/load.h"

#include "base/fd.h"
#include "base/path.h"
#include "base/policy_mark.h"
#include "base/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum owner { OWNER_ANY, OWNER_SELF, OWNER_SELF_OR_ROOT };

/* What a kind demands. */
struct demands {
    bool follows_link;
    enum owner owner;
    mode_t forbidden;       /* mode bits */
    const char *chmod_mode; /* how chmod(1) takes them away */
    bool outside_project;
};

static const struct demands all_demands[LOAD_KIND_COUNT] = {
    [LOAD_PROJECT] = {.owner = OWNER_ANY},
    [LOAD_GLOBAL] = {.follows_link = true,
                     .owner = OWNER_SELF_OR_ROOT,
                     .forbidden = S_IWGRP | S_IWOTH,
                     .chmod_mode = "go-w",
                     .outside_project = true},
    [LOAD_STATE] = {.owner = OWNER_SELF, .forbidden = S_IWGRP | S_IWOTH, .chmod_mode = "go-w"},
    [LOAD_ENV] = {.owner = OWNER_SELF,
                  .forbidden = S_IRWXG | S_IRWXO,
                  .chmod_mode = "go=",
                  .outside_project = true},
};

static const char *type_name(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFDIR:
        return "a directory";
    case S_IFIFO:
        return "a FIFO";
    case S_IFSOCK:
        return "a socket";
    case S_IFCHR:
    case S_IFBLK:
        return "a device";
    default:
        return "something unknown";
    }
}

static int fail_link(const char *path, struct error *error)
{
    return error_set(error, ELOOP,
                     "%s is a symbolic link and is not read: replace it by the file itself, or "
                     "remove it",
                     path);
}

/* The descriptor or -errno; *was_link tells that a link was passed. */
static int open_file(const struct load_request *request, bool *was_link, struct error *error)
{
    const int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    int fd = open(request->path, flags | O_NOFOLLOW);

    /* ELOOP also stands for a loop on the way; opening it again fails with the same errno. */
    if (fd < 0 && errno == ELOOP && all_demands[request->kind].follows_link) {
        *was_link = true;
        fd = open(request->path, flags);
        if (fd < 0)
            return error_set(error, errno,
                             "%s is a symbolic link that leads nowhere (%s): correct it or remove "
                             "it",
                             request->path, strerror(errno));
        return fd;
    }
    if (fd >= 0)
        return fd;
    if (errno == ENOENT)
        return -ENOENT;
    if (errno == ELOOP)
        return fail_link(request->path, error);
    /* open(2) of a socket. */
    if (errno == ENXIO)
        return error_set(error, ENXIO, "%s is %s, not a regular file: move it away", request->path,
                         type_name(S_IFSOCK));
    return error_set(error, errno, "cannot open %s: %s", request->path, strerror(errno));
}

/* The kernel's name for what was opened; malloc'ed, or NULL. */
static char *opened_path(int fd)
{
    char name[64];
    char target[PATH_MAX];
    ssize_t len;

    snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
    len = readlink(name, target, sizeof(target));
    if (len <= 0 || (size_t)len == sizeof(target) || target[0] != '/')
        return NULL;
    return xstrndup(target, (size_t)len);
}

static int check_owner(const struct load_request *request, const struct stat *st,
                       struct error *error)
{
    enum owner owner = all_demands[request->kind].owner;

    if (owner == OWNER_ANY || st->st_uid == request->uid ||
        (owner == OWNER_SELF_OR_ROOT && st->st_uid == 0))
        return 0;
    return error_set(error, EPERM,
                     "%s belongs to user id %lu, not to you, and is not read: make it yours with "
                     "chown, or move it away",
                     request->path, (unsigned long)st->st_uid);
}

static int check_mode(const struct load_request *request, const struct loaded *loaded,
                      const struct stat *st, struct error *error)
{
    const struct demands *demands = &all_demands[request->kind];

    if (!(st->st_mode & demands->forbidden))
        return 0;
    return error_set(error, EPERM,
                     "%s can be %s by others (mode %04o) and is not read: run chmod %s '%s'",
                     request->path, demands->forbidden & S_IROTH ? "read or changed" : "changed",
                     (unsigned)(st->st_mode & 07777), demands->chmod_mode, loaded->path);
}

static int check_place(const struct load_request *request, const struct loaded *loaded,
                       struct error *error)
{
    _cleanup_free_ char *same = NULL;

    if (!all_demands[request->kind].outside_project ||
        !path_is_within(loaded->path, request->project))
        return 0;
    same = path_join(request->project, LOAD_FILE_NAME);
    if (request->kind == LOAD_GLOBAL && !loaded->was_link && str_eq(loaded->path, same))
        return 0;
    return error_set(error, EPERM,
                     "%s lies inside the project directory (%s), where the command could change "
                     "it, and is not read: move it, or start elsewhere",
                     request->path, loaded->path);
}

static int check_file(const struct load_request *request, int fd, struct loaded *loaded,
                      struct error *error)
{
    struct stat st;
    int r;

    if (fstat(fd, &st) < 0)
        return error_set(error, errno, "cannot examine %s: %s", request->path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return error_set(error, EINVAL, "%s is %s, not a regular file: move it away", request->path,
                         type_name(st.st_mode));
    if (st.st_size > (off_t)LOAD_BYTES_MAX)
        return error_set(error, EFBIG, "%s is larger than 1 MiB and is not read: shorten it",
                         request->path);
    loaded->path = opened_path(fd);
    if (!loaded->path)
        return error_set(error, EIO, "cannot tell where %s lies: is /proc mounted?", request->path);
    loaded->dev = st.st_dev;
    loaded->ino = st.st_ino;
    loaded->is_own = st.st_uid == request->uid;
    loaded->loose_mode = st.st_mode & (S_IWGRP | S_IWOTH);
    loaded->has_links = st.st_nlink > 1;
    loaded->is_marked = st.st_mode & POLICY_MARK;
    r = check_owner(request, &st, error);
    if (r == 0)
        r = check_mode(request, loaded, &st, error);
    return r < 0 ? r : check_place(request, loaded, error);
}

/* Refuses what is no text; the line is where it was met. */
static int check_text(const char *path, const uint8_t *bytes, size_t len, struct error *error)
{
    unsigned long line = 1;
    size_t at = 0;

    while (at < len) {
        uint32_t code;
        int n = utf8_decode(bytes + at, len - at, &code);

        if (n <= 0)
            return error_set(error, EILSEQ, "%s:%lu: not valid UTF-8: save the file as UTF-8", path,
                             line);
        if (code == 0)
            return error_set(error, EILSEQ, "%s:%lu: a NUL byte: this is not a text file", path,
                             line);
        line += code == '\n';
        at += (size_t)n;
    }
    return 0;
}

static int read_text(const char *path, int fd, struct buf *bytes, struct error *error)
{
    static const char mark[] = "\xEF\xBB\xBF";
    int r;

    /* A page more than the maximum: fd_read_all() asks for room first. */
    buf_init(bytes, LOAD_BYTES_MAX + 4 * KIB);
    r = fd_read_all(fd, bytes, LOAD_BYTES_MAX);
    if (r == -EFBIG)
        return error_set(error, EFBIG, "%s is larger than 1 MiB and is not read: shorten it", path);
    if (r < 0)
        return error_set(error, -r, "cannot read %s: %s", path, strerror(-r));
    if (bytes->len >= strlen(mark) && memcmp(bytes->data, mark, strlen(mark)) == 0)
        buf_consume(bytes, strlen(mark));
    return check_text(path, bytes->data, bytes->len, error);
}

int load_file(const struct load_request *request, struct loaded *loaded, struct error *error)
{
    _cleanup_close_ int fd = -1;
    int r;

    *loaded = (struct loaded){0};
    fd = open_file(request, &loaded->was_link, error);
    if (fd == -ENOENT && !loaded->was_link) {
        loaded->is_absent = true;
        return 0;
    }
    if (fd < 0)
        return fd;
    r = check_file(request, fd, loaded, error);
    return r < 0 ? r : read_text(request->path, fd, &loaded->bytes, error);
}

void load_free(struct loaded *loaded)
{
    buf_free(&loaded->bytes);
    free(loaded->path);
    *loaded = (struct loaded){0};
}
