// SPDX-License-Identifier: GPL-3.0-only
/*
 * audit_file: opening, locking, rotating, appending.
 *
 * Two locks. history.lock is held shared by every run for as long as it may write, so only a run that
 * is alone may rename files: it takes the lock exclusively, for a moment, at its start. The lock of
 * history.jsonl itself is held for one record: read the last line, write the next one.
 *
 * After audit_file_open() nothing is opened any more, so that the supervisor may write although it
 * has given up opening files. The end of the file before (for the first record after a rotation) is
 * read then, and stays true: nobody rotates as long as the lock is held.
 *
 * All waiting is bounded: whoever holds a lock may be stopped.
 */
#include "net/audit_file.h"

#include "base/fd.h"
#include "base/os.h"
#include "base/path.h"
#include "net/audit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOCK_NAME  "history.lock"
#define BELOW_HOME ".local/share"
#define OTHERS     (S_IWGRP | S_IWOTH)
#define FIRST_LOOK (4 * KIB)                    /* most lines are shorter */
#define WHOLE_LOOK (2 * (AUDIT_RECORD_MAX + 1)) /* the last line, and one before it */
#define STEP_US    500

char *audit_directory(const char *data, const char *home)
{
    _cleanup_free_ char *base = path_base_dir(data, home, BELOW_HOME);
    _cleanup_free_ char *clean = path_clean(base);

    return path_join(clean, "ai-jail");
}

void audit_file_name(unsigned number, char name[AUDIT_NAME_MAX])
{
    if (number == 0)
        snprintf(name, AUDIT_NAME_MAX, "%s", AUDIT_FILE);
    else
        snprintf(name, AUDIT_NAME_MAX, "%s.%u", AUDIT_FILE, number);
}

/* ---- the way there ---- */

static int problem_of(const char *path, int code, struct error *error)
{
    if (code == ELOOP || code == ENOTDIR)
        return error_set(error, code,
                         "%s is a link or no directory; it must be a directory of yours", path);
    return error_set(error, code, "%s: %s", path, strerror(code));
}

/* Nobody else may have written there; that nobody else reads is seen to. */
static int check_directory(int fd, const char *path, bool create, struct error *error)
{
    struct stat st;

    if (fstat(fd, &st) < 0)
        return problem_of(path, errno, error);
    if (st.st_uid != geteuid() || (st.st_mode & OTHERS))
        return error_set(error, EPERM, "%s must be yours alone (owner and mode 0700)", path);
    if (create && (st.st_mode & 07777) != 0700) {
        _cleanup_free_ char *self = xasprintf("/proc/self/fd/%d", fd);

        if (chmod(self, 0700) < 0)
            return problem_of(path, errno, error);
    }
    return 0;
}

int audit_open_directory(const char *path, const char *home, bool create, struct error *error)
{
    _cleanup_free_ char *parent = path_parent(path);
    const char *top = path_is_within(parent, home) ? home : create ? "/" : parent;
    _cleanup_close_ int dir = -1;
    const char *name;

    /* Outside of HOME what leads to the data directory may be links, if it is there. */
    if (top != home && access(parent, F_OK) == 0)
        top = parent;
    dir = open(top, os_open_path | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0)
        return errno == ENOENT ? -ENOENT : problem_of(top, errno, error);
    name = path_rest(path, top);
    while (*name) {
        size_t len = strcspn(name, "/");
        _cleanup_free_ char *component = xstrndup(name, len);
        _cleanup_free_ char *so_far = xstrndup(path, (size_t)(name - path) + len);
        int next = fd_enter_directory(dir, component, create, NULL);

        if (next == -ENOENT && !create)
            return next;
        if (next == -EPERM)
            return error_set(error, EPERM,
                             "%s cannot be made: the directory above it belongs to another user",
                             so_far);
        if (next < 0)
            return problem_of(so_far, -next, error);
        close(dir);
        dir = next;
        name += len;
        name += strspn(name, "/");
    }
    if (check_directory(dir, path, create, error) < 0)
        return -error->code;
    return steal_fd(&dir);
}

/* ---- files ---- */

/* A regular file with one name, ours; what others may read is closed to them. */
static int check_file(int fd)
{
    struct stat st;

    if (fstat(fd, &st) < 0)
        return -errno;
    if (!S_ISREG(st.st_mode))
        return -EINVAL;
    if (st.st_uid != geteuid() || st.st_nlink != 1 || (st.st_mode & OTHERS))
        return -EPERM;
    if ((st.st_mode & 07777) != 0600 && fchmod(fd, 0600) < 0)
        return -errno;
    return 0;
}

static int open_file(int dir, const char *name, int flags)
{
    int fd =
        openat(dir, name, flags | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
    int r = fd < 0 ? -errno : check_file(fd);

    if (r < 0 && fd >= 0)
        close(fd);
    return r < 0 ? r : fd;
}

static int problem_of_file(const char *path, const char *name, int code, struct error *error)
{
    switch (code) {
    case ELOOP:
    case EINVAL:
    case ENXIO:
    case EISDIR:
        return error_set(error, code, "%s/%s is a link or no file; remove it", path, name);
    case EPERM:
        return error_set(error, code,
                         "%s/%s must be yours alone (owner, mode 0600, one name); remove it", path,
                         name);
    case ETIMEDOUT:
        return error_set(error, code, "%s/%s is locked by a process that does not go on", path,
                         name);
    default:
        return error_set(error, code, "%s/%s: %s", path, name, strerror(code));
    }
}

/* 0, -EWOULDBLOCK if it is not tried again, -ETIMEDOUT, other -errno. */
static int take_lock(int fd, int how, bool wait)
{
    const struct timespec step = {.tv_nsec = STEP_US * 1000};

    for (unsigned tries = 0; flock(fd, how | LOCK_NB) < 0; tries++) {
        if (errno == EINTR)
            continue;
        if (errno != EWOULDBLOCK)
            return -errno;
        if (!wait)
            return -EWOULDBLOCK;
        if (tries >= AUDIT_WAIT_MS * 1000 / STEP_US)
            return -ETIMEDOUT;
        nanosleep(&step, NULL);
    }
    return 0;
}

/* ---- the last line ---- */

/* The last bytes of the file, at most size of them. */
static int read_tail(int fd, struct buf *tail, off_t end, size_t size)
{
    off_t from = end > (off_t)size ? end - (off_t)size : 0;
    size_t wanted = (size_t)(end - from);
    uint8_t *room;

    buf_reset(tail);
    room = buf_reserve(tail, wanted);
    for (size_t have = 0; have < wanted;) {
        ssize_t n = pread(fd, room + have, wanted - have, from + (off_t)have);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -EIO;
        have += (size_t)n;
    }
    buf_commit(tail, wanted);
    return 0;
}

/* Takes the last line off the text: *len becomes what is left, the line's place is returned. NULL:
 * it begins before the text. is_start: the text begins a file, or a line. */
static const char *last_line(const char *text, size_t *len, bool is_start, size_t *line_len)
{
    size_t end = *len - (text[*len - 1] == '\n');
    const char *newline = mem_last(text, '\n', end);

    if (!newline && !is_start)
        return NULL;
    *len = newline ? (size_t)(newline + 1 - text) : 0;
    *line_len = end - *len;
    return text + *len;
}

/* What the text of the tail says. False: more of it is needed. */
static bool find_link(const struct buf *tail, bool is_start, struct audit_link *link, bool *damaged)
{
    const char *text = (const char *)tail->data;
    size_t len = tail->len;
    uint64_t behind = 0; /* lines behind the last one that is a record */
    bool has_hash = false;

    *damaged = false;
    while (len > 0) {
        struct audit_link found;
        size_t line_len;
        const char *line = last_line(text, &len, is_start, &line_len);

        if (!line)
            return false;
        if (!has_hash)
            audit_hash(line, line_len, link->hash);
        has_hash = true;
        if (!audit_record_read(line, line_len, NULL, &found, NULL)) {
            link->seq = found.seq + behind;
            return true;
        }
        *damaged = true;
        behind++;
    }
    link->seq = behind;
    return is_start;
}

/* Where the file stands. A last line that is no record is continued as it is: the check will name
 * it, and what follows is still chained. */
static int read_link(int fd, off_t end, const struct audit_link *empty, struct audit_link *link,
                     bool *damaged)
{
    static const size_t looks[] = {FIRST_LOOK, WHOLE_LOOK};
    struct buf tail CLEANUP(buf_free);

    buf_init(&tail, WHOLE_LOOK);
    *link = *empty;
    if (end == 0)
        return 0;
    for (size_t i = 0; i < ARRAY_SIZE(looks); i++) {
        int r = read_tail(fd, &tail, end, looks[i]);

        if (r < 0)
            return r;
        if (find_link(&tail, end <= (off_t)looks[i], link, damaged))
            return 0;
    }
    link->seq = 0; /* nothing that could be gone on from */
    return 0;
}

/* ---- open ---- */

/* Older ones move up; a step that fails leaves what is there in order. */
static int rotate(int dir)
{
    for (unsigned i = AUDIT_KEPT; i > 0; i--) {
        char from[AUDIT_NAME_MAX], to[AUDIT_NAME_MAX];

        audit_file_name(i - 1, from);
        audit_file_name(i, to);
        if (renameat(dir, from, dir, to) < 0 && errno != ENOENT)
            return -errno;
    }
    return 0;
}

/* Rotates if nobody else may be writing; the lock is held shared afterwards. */
static int take_turn(int dir, int lock)
{
    struct stat st;
    int r = take_lock(lock, LOCK_EX, false);

    if (r < 0 && r != -EWOULDBLOCK)
        return r;
    if (r == 0 && fstatat(dir, AUDIT_FILE, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
        st.st_size > (off_t)AUDIT_ROTATE_SIZE)
        r = rotate(dir);
    if (r < 0 && r != -EWOULDBLOCK)
        return r;
    return take_lock(lock, LOCK_SH, true);
}

/* The end of the file before, for one that is empty. */
static int read_before(struct audit_file *file, int dir)
{
    _cleanup_close_ int before = audit_file_open_read(dir, 1);
    bool damaged = false;
    struct stat st;

    file->before = audit_link_first;
    if (before == -ENOENT)
        return 0;
    if (before < 0)
        return before;
    if (fstat(before, &st) < 0)
        return -errno;
    return read_link(before, st.st_size, &audit_link_first, &file->before, &damaged);
}

static int open_files(struct audit_file *file, const char *path, int dir, struct error *error)
{
    int r;

    file->lock = open_file(dir, LOCK_NAME, O_RDWR);
    r = file->lock < 0 ? file->lock : take_turn(dir, file->lock);
    if (r < 0)
        return problem_of_file(path, LOCK_NAME, -r, error);
    file->fd = open_file(dir, AUDIT_FILE, O_RDWR | O_APPEND);
    r = file->fd < 0 ? file->fd : read_before(file, dir);
    return r < 0 ? problem_of_file(path, AUDIT_FILE, -r, error) : 0;
}

int audit_file_open(struct audit_file *file, const char *path, const char *home,
                    struct error *error)
{
    _cleanup_close_ int dir = -1;
    int r;

    *file = AUDIT_FILE_NONE;
    dir = audit_open_directory(path, home, true, error);
    if (dir < 0)
        return dir;
    r = open_files(file, path, dir, error);
    if (r < 0)
        audit_file_close(file);
    return r;
}

void audit_file_close(struct audit_file *file)
{
    if (file->fd >= 0)
        close(steal_fd(&file->fd));
    if (file->lock >= 0)
        close(steal_fd(&file->lock));
}

int audit_file_open_read(int directory, unsigned number)
{
    char name[AUDIT_NAME_MAX];
    int fd, r = 0;
    struct stat st;

    audit_file_name(number, name);
    fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    if (fstat(fd, &st) < 0)
        r = -errno;
    else if (!S_ISREG(st.st_mode))
        r = -EINVAL;
    else if (st.st_uid != geteuid())
        r = -EPERM;
    if (r < 0)
        close(fd);
    return r < 0 ? r : fd;
}

off_t audit_file_settled(int fd)
{
    bool is_locked = take_lock(fd, LOCK_SH, true) == 0;
    struct stat st;
    off_t size = fstat(fd, &st) < 0 ? -errno : st.st_size;

    if (is_locked)
        (void)flock(fd, LOCK_UN);
    return size;
}

int audit_file_hold(int directory)
{
    int fd =
        openat(directory, LOCK_NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

    if (fd >= 0 && take_lock(fd, LOCK_SH, true) < 0)
        close(steal_fd(&fd));
    return fd;
}

/* ---- append ---- */

int audit_file_begin(struct audit_file *file, struct audit_link *last)
{
    bool damaged = false;
    struct stat st;
    int r = take_lock(file->fd, LOCK_EX, true);

    if (r < 0)
        return r;
    r = fstat(file->fd, &st) < 0 ? -errno
                                 : read_link(file->fd, st.st_size, &file->before, last, &damaged);
    file->was_damaged |= damaged;
    if (r < 0)
        audit_file_abandon(file);
    return r;
}

void audit_file_abandon(struct audit_file *file)
{
    (void)flock(file->fd, LOCK_UN);
}

/* A line that somebody left without its end is ended. */
static bool ends_open(int fd, off_t end)
{
    char last = '\n';

    return end > 0 && (pread(fd, &last, 1, end - 1) != 1 || last != '\n');
}

/* All of it or nothing: what was written in part is taken back. */
static int write_once(int fd, const struct buf *text, off_t end)
{
    ssize_t n;
    int r;

    do
        n = write(fd, text->data, text->len);
    while (n < 0 && errno == EINTR);
    if (n == (ssize_t)text->len)
        return 0;
    r = n < 0 ? -errno : -ENOSPC;
    if (n > 0 && ftruncate(fd, end) < 0)
        return -errno;
    return r;
}

int audit_file_append(struct audit_file *file, const char *line, size_t len)
{
    struct buf text CLEANUP(buf_free);
    struct stat st;
    int r = 0;

    buf_init(&text, len + 2);
    if (fstat(file->fd, &st) < 0)
        r = -errno;
    if (r == 0 && ends_open(file->fd, st.st_size))
        buf_append_byte(&text, '\n');
    buf_append(&text, line, len);
    buf_append_byte(&text, '\n');
    if (r == 0)
        r = write_once(file->fd, &text, st.st_size);
    audit_file_abandon(file);
    return r;
}
