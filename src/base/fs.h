// SPDX-License-Identifier: GPL-3.0-only
/*
 * fs: what the planner may know about the host's file system.
 *
 * The planner is a pure function of its input and of this interface: it never opens anything by
 * itself. Production code uses fs_real; tests hand in a tree of their own.
 */
#pragma once

#include "base/base.h"

#include <sys/types.h>

enum fs_type { FS_NONE, FS_FILE, FS_DIR, FS_LINK, FS_CHAR, FS_BLOCK, FS_FIFO, FS_SOCKET };

struct fs_stat {
    enum fs_type type;
    mode_t mode; /* permission bits only */
    uid_t uid;
    gid_t gid;
    uint64_t dev;
    uint64_t ino;
    uint64_t size;
    uint64_t nlink;
};

struct fs {
    void *ctx;
    /* 0 or -errno. Without follow a link is reported as FS_LINK. */
    int (*stat)(void *ctx, const char *path, bool follow, struct fs_stat *out);
    /* Length of the target (NUL-terminated in target) or -errno; -ENAMETOOLONG if it does not fit. */
    ssize_t (*readlink)(void *ctx, const char *path, char *target, size_t size);
    /* Up to size first bytes of a regular file; their number or -errno. Never blocks on a FIFO. */
    ssize_t (*read_head)(void *ctx, const char *path, void *bytes, size_t size);
    /* Calls each(arg, name) for every entry but "." and ".." until it returns non-zero; returns that
     * value, 0, or -errno. The order is that of the file system. */
    int (*list)(void *ctx, const char *path, int (*each)(void *arg, const char *name), void *arg);
    /* The object at rest below the directory dir, reached in one walk that leaves dir nowhere and
     * follows no link; -EXDEV or -ELOOP where it would. Never remembered. May be NULL. */
    int (*stat_beneath)(void *ctx, const char *dir, const char *rest, struct fs_stat *out);
    /* As list, with the type of each entry; FS_NONE where the directory does not tell it. May be
     * NULL. */
    int (*scan)(void *ctx, const char *path,
                int (*each)(void *arg, const char *name, enum fs_type type), void *arg);
    /* As list, with the facts of each entry, links not followed, asked of the open directory: for a
     * walk of many entries, each looked at once. Of a link that the directory tells apart nothing but
     * the type is filled in; what has gone meanwhile is left out. Never remembered. May be NULL. */
    int (*look)(void *ctx, const char *path,
                int (*each)(void *arg, const char *name, const struct fs_stat *st), void *arg);
};

extern const struct fs fs_real;

/* Short forms. */
int fs_stat(const struct fs *fs, const char *path, bool follow, struct fs_stat *out);
/* -ENOSYS where the file system cannot tell. rest is "" for dir itself. */
int fs_stat_beneath(const struct fs *fs, const char *dir, const char *rest, struct fs_stat *out);
/* list() with types, where the file system tells them. */
int fs_scan(const struct fs *fs, const char *path,
            int (*each)(void *arg, const char *name, enum fs_type type), void *arg);
/* list() with facts, by a stat() of each entry where the file system has nothing better. */
int fs_look(const struct fs *fs, const char *path,
            int (*each)(void *arg, const char *name, const struct fs_stat *st), void *arg);
bool fs_is_dir(const struct fs *fs, const char *path);
bool fs_exists(const struct fs *fs, const char *path);
/* Whole regular file of at most max bytes as a NUL-terminated string, or NULL. */
char *fs_read_text(const struct fs *fs, const char *path, size_t max);

/*
 * Walks an absolute path component by component and gives its canonical form. Every symbolic link
 * met is reported to hop (which may be NULL) with the link's own canonical location and its target
 * text. At most 40 links, as in the kernel. Result malloc'ed in *canonical. 0 or -errno (-ELOOP,
 * -ENOENT, -ENOTDIR ...).
 */
int fs_resolve(const struct fs *fs, const char *path, char **canonical,
               void (*hop)(void *arg, const char *link, const char *target), void *arg);
/* The path with its longest existing beginning made canonical. malloc'ed. */
char *fs_resolve_future(const struct fs *fs, const char *path) MUST_CHECK;
