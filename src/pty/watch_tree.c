// SPDX-License-Identifier: GPL-3.0-only
/*
 * watch_tree: the watched directories of the host as a tree of names.
 *
 * Nodes live in one array and are named by their index; both hash tables are chains through the
 * nodes. Everything is iterative: the depth of a tree is chosen by others.
 */
#include "pty/watch_tree.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define BUCKETS 65536U /* power of two */
#define NONE    WATCH_NODE_NONE

void watch_tree_init(struct watch_tree *tree)
{
    *tree = (struct watch_tree){.free = NONE};
    tree->by_name = xcalloc(BUCKETS, sizeof(*tree->by_name));
    tree->by_wd = xcalloc(BUCKETS, sizeof(*tree->by_wd));
    if (getrandom(&tree->seed, sizeof(tree->seed), GRND_NONBLOCK) != sizeof(tree->seed))
        tree->seed = (uint64_t)(uintptr_t)tree->by_name;
}

static void free_content(struct watch_node *node)
{
    while (node->sticky) {
        struct watch_sticky *next = node->sticky->next;

        free(node->sticky);
        node->sticky = next;
    }
    free(node->name);
    free(node->old_name);
    node->name = node->old_name = NULL;
}

void watch_tree_free(struct watch_tree *tree)
{
    for (uint32_t i = 0; i < tree->n; i++)
        free_content(&tree->v[i]);
    free(tree->v);
    free(tree->by_name);
    free(tree->by_wd);
    *tree = (struct watch_tree){.free = NONE};
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
    return hash ^ hash >> 29;
}

/* Buckets hold the index + 1, so that empty memory is an empty table. */
static uint32_t *name_bucket(const struct watch_tree *tree, uint32_t parent, const char *name)
{
    uint64_t hash = mix(tree->seed, parent);

    for (; *name; name++)
        hash = mix(hash, (unsigned char)*name);
    return &tree->by_name[hash >> 40 & (BUCKETS - 1)];
}

static uint32_t *wd_bucket(const struct watch_tree *tree, int wd)
{
    return &tree->by_wd[(uint32_t)wd & (BUCKETS - 1)];
}

static void link_name(struct watch_tree *tree, uint32_t id)
{
    struct watch_node *node = &tree->v[id];
    uint32_t *bucket = name_bucket(tree, node->parent, node->name);

    node->next_by_name = *bucket;
    *bucket = id + 1;
}

static void unlink_name(struct watch_tree *tree, uint32_t id)
{
    struct watch_node *node = &tree->v[id];
    uint32_t *at = name_bucket(tree, node->parent, node->name);

    while (*at && *at != id + 1)
        at = &tree->v[*at - 1].next_by_name;
    if (*at)
        *at = node->next_by_name;
    node->next_by_name = 0;
}

static uint32_t new_node(struct watch_tree *tree, const char *name)
{
    uint32_t id = tree->free;

    if (tree->count >= WATCH_NODES_MAX)
        return NONE;
    if (id != NONE) {
        tree->free = tree->v[id].next_sibling;
    } else {
        if (tree->n == tree->cap) {
            tree->cap = tree->cap ? tree->cap * 2 : 64;
            tree->v = xrealloc(tree->v, tree->cap, sizeof(*tree->v));
        }
        id = tree->n++;
    }
    tree->count++;
    tree->v[id] = (struct watch_node){
        .parent = NONE,
        .first_child = NONE,
        .next_sibling = NONE,
        .previous_sibling = NONE,
        .old_parent = NONE,
        .wd = -1,
        .generation = ++tree->generation,
        .name = xstrdup(name),
    };
    return id;
}

uint32_t watch_tree_add_root(struct watch_tree *tree, const char *path)
{
    return new_node(tree, path);
}

static void hang(struct watch_tree *tree, uint32_t id, uint32_t parent)
{
    struct watch_node *node = &tree->v[id];
    uint32_t first = tree->v[parent].first_child;

    node->parent = parent;
    node->next_sibling = first;
    node->previous_sibling = NONE;
    if (first != NONE)
        tree->v[first].previous_sibling = id;
    tree->v[parent].first_child = id;
    link_name(tree, id);
}

uint32_t watch_tree_add(struct watch_tree *tree, uint32_t parent, const char *name)
{
    uint32_t id = new_node(tree, name);

    if (id != NONE)
        hang(tree, id, parent);
    return id;
}

uint32_t watch_tree_child(const struct watch_tree *tree, uint32_t parent, const char *name)
{
    uint32_t at = *name_bucket(tree, parent, name);

    while (at && !(tree->v[at - 1].parent == parent && strcmp(tree->v[at - 1].name, name) == 0))
        at = tree->v[at - 1].next_by_name;
    return at ? at - 1 : NONE;
}

uint32_t watch_tree_by_wd(const struct watch_tree *tree, int wd)
{
    uint32_t at = wd < 0 ? 0 : *wd_bucket(tree, wd);

    while (at && tree->v[at - 1].wd != wd)
        at = tree->v[at - 1].next_by_wd;
    return at ? at - 1 : NONE;
}

void watch_tree_set_wd(struct watch_tree *tree, uint32_t id, int wd)
{
    struct watch_node *node = &tree->v[id];

    if (node->wd >= 0) {
        uint32_t *at = wd_bucket(tree, node->wd);

        while (*at && *at != id + 1)
            at = &tree->v[*at - 1].next_by_wd;
        if (*at)
            *at = node->next_by_wd;
    }
    node->wd = wd;
    node->next_by_wd = 0;
    if (wd >= 0) {
        node->next_by_wd = *wd_bucket(tree, wd);
        *wd_bucket(tree, wd) = id + 1;
    }
}

void watch_tree_detach(struct watch_tree *tree, uint32_t id)
{
    struct watch_node *node = &tree->v[id];

    if (node->parent == NONE)
        return;
    unlink_name(tree, id);
    if (node->previous_sibling != NONE)
        tree->v[node->previous_sibling].next_sibling = node->next_sibling;
    else
        tree->v[node->parent].first_child = node->next_sibling;
    if (node->next_sibling != NONE)
        tree->v[node->next_sibling].previous_sibling = node->previous_sibling;
    node->old_parent = node->parent;
    free(node->old_name);
    node->old_name = xstrdup(node->name);
    node->parent = node->next_sibling = node->previous_sibling = NONE;
    node->flags |= WATCH_FLAG_ORPHAN;
}

void watch_tree_attach(struct watch_tree *tree, uint32_t id, uint32_t parent, const char *name)
{
    struct watch_node *node = &tree->v[id];
    char *copy = xstrdup(name);

    free(node->name);
    node->name = copy;
    node->flags &= ~(unsigned)WATCH_FLAG_ORPHAN;
    hang(tree, id, parent);
}

void watch_tree_remove(struct watch_tree *tree, uint32_t id, void (*gone)(void *arg, int wd),
                       void *arg)
{
    uint32_t at = id;

    watch_tree_detach(tree, id);
    while (at != NONE) {
        struct watch_node *node = &tree->v[at];
        uint32_t next = node->first_child;

        if (next == NONE) {
            /* A leaf: taken out, then its parent is looked at again. */
            next = at == id ? NONE : node->parent;
            if (at != id)
                watch_tree_detach(tree, at);
            if (node->wd >= 0)
                gone(arg, node->wd);
            watch_tree_set_wd(tree, at, -1);
            free_content(node);
            *node = (struct watch_node){.wd = -1, .parent = NONE, .next_sibling = tree->free};
            tree->free = at;
            tree->count--;
        }
        at = next;
    }
}

bool watch_tree_is_within(const struct watch_tree *tree, uint32_t id, uint32_t ancestor)
{
    while (id != NONE && id != ancestor)
        id = tree->v[id].parent;
    return id == ancestor;
}

uint32_t watch_tree_next(const struct watch_tree *tree, uint32_t top, uint32_t id)
{
    if (tree->v[id].first_child != NONE)
        return tree->v[id].first_child;
    while (id != top && tree->v[id].next_sibling == NONE)
        id = tree->v[id].parent;
    return id == top ? NONE : tree->v[id].next_sibling;
}

uint32_t watch_tree_path(const struct watch_tree *tree, uint32_t id, const char *name, bool use_old,
                         char *path, size_t size, const char **rest)
{
    char text[PATH_MAX];
    size_t at = sizeof(text);
    const char *part = name;
    size_t len;
    unsigned hops = 0;

    text[--at] = '\0';
    for (;;) {
        const struct watch_node *node = &tree->v[id];
        bool old =
            use_old && node->old_name && node->old_parent != NONE && tree->v[node->old_parent].name;

        if (part) {
            len = strlen(part);
            if (len + 1 > at)
                return NONE;
            at -= len;
            memcpy(text + at, part, len);
            text[--at] = '/';
        }
        /* Old places may form a ring: two directories that were moved into one another in turn. */
        if (!node->name || ++hops > PATH_MAX)
            return NONE;
        if (node->parent == NONE && (!old || !(node->flags & WATCH_FLAG_ORPHAN)))
            break;
        part = old ? node->old_name : node->name;
        id = old ? node->old_parent : node->parent;
    }
    if (tree->v[id].flags & WATCH_FLAG_ORPHAN)
        return NONE;
    len = strcmp(tree->v[id].name, "/") == 0 ? 0 : strlen(tree->v[id].name);
    if (len + (sizeof(text) - at) > size || size < 2)
        return NONE;
    memcpy(path, tree->v[id].name, len);
    memcpy(path + len, text + at, sizeof(text) - at);
    if (!path[0])
        memcpy(path, "/", 2);
    if (rest)
        *rest = path[len] == '/' ? path + len + 1 : path + len;
    return id;
}

struct watch_sticky *watch_tree_sticky(const struct watch_tree *tree, uint32_t id, const char *name)
{
    struct watch_sticky *sticky = tree->v[id].sticky;

    while (sticky && strcmp(sticky->name, name) != 0)
        sticky = sticky->next;
    return sticky;
}

void watch_tree_stick(struct watch_tree *tree, uint32_t id, const char *name, uint32_t kind,
                      const char *origin)
{
    struct watch_sticky *sticky = watch_tree_sticky(tree, id, name);
    size_t len = strlen(name) + 1;

    if (!sticky) {
        sticky = xcalloc(1, sizeof(*sticky) + len);
        memcpy(sticky->name, name, len);
        sticky->next = tree->v[id].sticky;
        tree->v[id].sticky = sticky;
    }
    sticky->kind = kind;
    sticky->origin = origin;
}

void watch_tree_unstick(struct watch_tree *tree, uint32_t id, const char *name)
{
    struct watch_sticky **at = &tree->v[id].sticky;

    while (*at && strcmp((*at)->name, name) != 0)
        at = &(*at)->next;
    if (*at) {
        struct watch_sticky *found = *at;

        *at = found->next;
        free(found);
    }
}
