// SPDX-License-Identifier: GPL-3.0-only
/*
 * watch_tree: the watched directories of the host as a tree of names.
 *
 * Data only. A node is a directory; the roots carry an absolute path, the others a name below their
 * parent. A node moves as its directory does, so that its path, which is made of the names, stays
 * right. Nodes are found by parent and name, and by the number of their watch (inotify(7)).
 *
 * The names are chosen by whoever may write there, also by the jail: the hash has a secret base.
 */
#pragma once

#include "base/base.h"

#include <sys/types.h>

#define WATCH_NODE_NONE UINT32_MAX
/* The watched ones and those for which no watch was left. More than this ends a run. */
#define WATCH_NODES_MAX 262144U

enum watch_flag {
    WATCH_FLAG_UNWATCHED = 1U << 0,  /* no watch was left: looked at every second */
    WATCH_FLAG_QUEUED = 1U << 1,     /* waits to be looked at as a whole */
    WATCH_FLAG_ORPHAN = 1U << 2,     /* moved away, nobody knows yet where to */
    WATCH_FLAG_REPOSITORY = 1U << 3, /* named .git */
    WATCH_FLAG_MODULE = 1U << 4,     /* modules/ of a repository, or below it */
    WATCH_FLAG_HOLDS = 1U << 6,      /* a rule has named something in it */
    WATCH_FLAG_LATE = 1U << 7,       /* something in it is to be covered later */
    WATCH_FLAG_LAUNCH = 1U << 8,     /* a repository that was there at launch */
    WATCH_FLAG_CANDIDATE = 1U << 5,  /* may become a repository that is not protected yet */
};

/* A name that stays covered although no rule names its path: its directory was moved. */
struct watch_sticky {
    struct watch_sticky *next;
    uint32_t kind;      /* enum plan_kind */
    const char *origin; /* borrowed from the rules */
    char name[];
};

struct watch_node {
    uint32_t parent; /* WATCH_NODE_NONE: a root, an orphan, or not in use */
    uint32_t first_child, next_sibling, previous_sibling;
    uint32_t next_by_name, next_by_wd; /* chains of the hash tables */
    int wd;                            /* -1: none */
    unsigned flags;
    uint32_t generation; /* tells apart what has had the same number */
    dev_t dev;
    ino_t ino;
    char *name;          /* of a root: its path; NULL: the node is not in use */
    uint32_t old_parent; /* where it was before its last move, for a path that is swapped */
    char *old_name;
    struct watch_sticky *sticky;
};

struct watch_tree {
    struct watch_node *v;
    uint32_t n; /* used so far, with those that are free again */
    uint32_t cap;
    uint32_t free; /* chain by next_sibling */
    uint32_t count;
    uint32_t *by_name;
    uint32_t *by_wd;
    uint64_t seed;
    uint32_t generation;
};

void watch_tree_init(struct watch_tree *tree);
void watch_tree_free(struct watch_tree *tree);

/* A new root; NONE when there are too many nodes. */
uint32_t watch_tree_add_root(struct watch_tree *tree, const char *path);
/* A new node below parent, which has no child of that name yet; NONE when there are too many. */
uint32_t watch_tree_add(struct watch_tree *tree, uint32_t parent, const char *name);
/* The child of that name, or NONE. */
uint32_t watch_tree_child(const struct watch_tree *tree, uint32_t parent, const char *name);
uint32_t watch_tree_by_wd(const struct watch_tree *tree, int wd);
void watch_tree_set_wd(struct watch_tree *tree, uint32_t id, int wd);

/* Takes a node with all below it out of its parent. It becomes an orphan. */
void watch_tree_detach(struct watch_tree *tree, uint32_t id);
/* Puts an orphan below parent, which has no child of that name. */
void watch_tree_attach(struct watch_tree *tree, uint32_t id, uint32_t parent, const char *name);
/* Removes a node and all below it; gone(arg, wd) is called for each watch that it had. */
void watch_tree_remove(struct watch_tree *tree, uint32_t id, void (*gone)(void *arg, int wd),
                       void *arg);
/* True if id is ancestor or below it. */
bool watch_tree_is_within(const struct watch_tree *tree, uint32_t id, uint32_t ancestor);
/* The next node of the subtree of top in an order in which parents come first; NONE at the end. */
uint32_t watch_tree_next(const struct watch_tree *tree, uint32_t top, uint32_t id);

/*
 * The path of a node, or of name in it (NULL: its own), into path. use_old: of the nodes that have
 * moved, where they were before. Returns the node's root; NONE if it does not fit or hangs on an
 * orphan. *rest, if wanted, is where the part below the root's path begins ("" for the root).
 */
uint32_t watch_tree_path(const struct watch_tree *tree, uint32_t id, const char *name, bool use_old,
                         char *path, size_t size, const char **rest);

/* The sticky name of a node, or NULL. */
struct watch_sticky *watch_tree_sticky(const struct watch_tree *tree, uint32_t id,
                                       const char *name);
/* Adds or replaces one. */
void watch_tree_stick(struct watch_tree *tree, uint32_t id, const char *name, uint32_t kind,
                      const char *origin);
void watch_tree_unstick(struct watch_tree *tree, uint32_t id, const char *name);
