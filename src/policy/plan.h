// SPDX-License-Identifier: GPL-3.0-only
/*
 * plan: the ordered list of mounts. It is the only source for the bubblewrap options, the mounter's
 * covers, the Landlock rules and --dry-run.
 *
 * Entries are added in any order, each in a group. plan_finish() sorts them:
 * ancestors before descendants, otherwise by group; of several with the same destination the one of
 * the later group stays, of several covers the strongest. It then walks the view as it will be built and drops, with a warning,
 * every entry whose mount point is neither there with the right type nor on a tmpfs of the jail, so
 * that no inode is ever created on the host.
 */
#pragma once

#include "base/buf.h"
#include "base/fs.h"
#include "base/note.h"

enum plan_group {
    GROUP_BASE = 1,
    GROUP_GENERATED = 2,
    GROUP_SYS_MASKS = 3,
    GROUP_DEVICES = 4,
    GROUP_HOME = 5,
    GROUP_HOME_PARTS = 6,
    GROUP_COMMAND = 7,
    GROUP_RUNTIME = 8,
    GROUP_WORKTREE = 9,
    GROUP_BROWSER = 10,
    GROUP_MAPS_OUTSIDE = 11,
    GROUP_PROJECT = 12,
    GROUP_MAPS_INSIDE = 13,
    GROUP_GIT = 14,
    GROUP_MASKS = 15,
    GROUP_OWN = 16,
};

enum plan_kind {
    PLAN_TMPFS,   /* size_bytes, mode */
    PLAN_DIR,     /* directory on a tmpfs, mode */
    PLAN_RO,      /* bind of source, read-only */
    PLAN_OVERLAY, /* bind of source, writable, the changes kept elsewhere: source is the lower one */
    PLAN_RW,      /* bind of source, writable */
    PLAN_DEVICE,  /* bind of source, writable, device nodes in it work */
    PLAN_SYMLINK, /* target text */
    PLAN_DATA,    /* generated read-only file, content in data */
    PLAN_PROC,
    PLAN_DEV,
    PLAN_REMOUNT_RO, /* dest made read-only after everything else */
    /* placed by the mounter, no bubblewrap words */
    PLAN_COVER_EMPTY, /* file: empty, 0400; directory: empty, 0555; both read-only */
    PLAN_COVER_DENY,  /* file: empty, 000; directory: empty, 000; both read-only */
    PLAN_COVER_RO,    /* the object itself, read-only */
    PLAN_KIND_COUNT
};

/* True for the kinds that show source; what is behind an overlay is its lower directory. */
static inline bool plan_is_bind(enum plan_kind kind)
{
    return kind == PLAN_RO || kind == PLAN_RW || kind == PLAN_OVERLAY || kind == PLAN_DEVICE;
}

/* True for the kinds that the mounter places. */
static inline bool plan_is_cover(enum plan_kind kind)
{
    return kind == PLAN_COVER_EMPTY || kind == PLAN_COVER_DENY || kind == PLAN_COVER_RO;
}

/* True for the covers that show nothing of what they cover. */
static inline bool plan_hides(enum plan_kind kind)
{
    return kind == PLAN_COVER_EMPTY || kind == PLAN_COVER_DENY;
}

/* Of two covers of the same destination the stronger one stays: deny beats mask, mask beats
 * protect. 0 for everything else. */
static inline unsigned plan_cover_strength(enum plan_kind kind)
{
    return kind == PLAN_COVER_DENY    ? 3
           : kind == PLAN_COVER_EMPTY ? 2
           : kind == PLAN_COVER_RO    ? 1
                                      : 0;
}

/* "tmpfs", "ro", "mask", "deny" ... for the user. */
const char *plan_kind_name(enum plan_kind kind);

struct plan_entry {
    enum plan_group group;
    enum plan_kind kind;
    char *dest;        /* cleaned absolute path inside */
    char *source;      /* binds: canonical host path; otherwise NULL */
    char *target;      /* PLAN_SYMLINK */
    char *data;        /* PLAN_DATA: the content */
    size_t data_len;   /* PLAN_DATA: its bytes; 0: data is a text and ends with its NUL */
    const char *label; /* PLAN_DATA: name for --dry-run, static */
    uint64_t size_bytes;
    unsigned mode;
    bool optional; /* dropped without a warning when it cannot be placed */
    bool by_host;  /* of plan_add_host_cover(), gone after plan_finish() */
    bool is_new;   /* binds: the source is made before the launch, see plan_add_new_dir(); covers:
                        * the directory that they cover, where the caller has said so */
    struct fs_stat st; /* binds: the source as it was examined */
    char *origin;      /* who asked: "built-in", "--map ~/x" ...; malloc'ed */
};

struct plan_index;

struct plan {
    struct plan_entry *v;
    size_t n;
    size_t cap;
    struct plan_index *index; /* by destination, made by plan_add() */
};

void plan_free(struct plan *plan);

/* Adds an entry and returns it to be filled further; valid until the next call. dest is cleaned. */
struct plan_entry *plan_add(struct plan *plan, enum plan_group group, enum plan_kind kind,
                            const char *dest, const char *origin);
/* Adds a bind of source (which must be canonical) if it exists; NULL and nothing added otherwise.
 */
struct plan_entry *plan_add_bind(struct plan *plan, const struct fs *fs, enum plan_group group,
                                 enum plan_kind kind, const char *source, const char *dest,
                                 const char *origin);

/*
 * Adds a bind of a directory that is not there yet: nothing is made here; directories_make() makes
 * it, 0700, before the launch, and fills in what it found. Where source exists, this is
 * plan_add_bind(), and only a directory will do. NULL and nothing added if something else is there.
 */
struct plan_entry *plan_add_new_dir(struct plan *plan, const struct fs *fs, enum plan_group group,
                                    enum plan_kind kind, const char *source, const char *dest,
                                    const char *origin);

/* Adds a cover for what is at a canonical host path, wherever the jail shows it: plan_finish() makes a
 * cover for each such place. It is optional as long as the caller does not change that. */
struct plan_entry *plan_add_host_cover(struct plan *plan, enum plan_group group,
                                       enum plan_kind kind, const char *host_path,
                                       const char *origin);

/* Takes out every entry for which is_unwanted says true. */
void plan_remove_if(struct plan *plan,
                    bool (*is_unwanted)(void *arg, const struct plan_entry *entry), void *arg);

/* Sorts and checks, see above. */
void plan_finish(struct plan *plan, const struct fs *fs, struct notes *notes);

/* What an inside path shows. */
struct plan_view {
    const struct plan_entry
        *entry;      /* the deepest entry at or above the path; NULL: only the root */
    char *host_path; /* host path behind it (binds), else NULL; malloc'ed */
};

/*
 * Which entry decides about path (cleaned, absolute). Binds and covers are seen as the jail will
 * see them; symlinks are not followed. Works before and after plan_finish (before: the entry that
 * would win). Returned host_path is the caller's.
 */
struct plan_view plan_look(const struct plan *plan, const char *path);

/* Calls each(arg, dest) for every inside path at which the finished plan's binds show the canonical
 * host path, be it there or not; what lies below a mask or deny is left out, a cover at dest itself is
 * not. */
void plan_each_view(const struct plan *plan, const char *host_path,
                    void (*each)(void *arg, const char *dest), void *arg);

/* True if path (host spelling) exists inside with the same content: behind a bind of itself, over
 * every link on the way. */
bool plan_shows(const struct plan *plan, const struct fs *fs, const char *path);
