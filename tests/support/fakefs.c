// SPDX-License-Identifier: GPL-3.0-only
/*
 * fakefs: a file system in memory.
 *
 * All nodes are kept in one array sorted by their absolute path, so a look-up is a binary search
 * and everything below a directory is one run of the array. Links are resolved by walk(), the only
 * place that knows how a path is followed.
 */
#include "support/fakefs.h"

#include "base/buf.h"
#include "base/path.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINKS_MAX 40 /* path_resolution(7) */

struct node {
    char *path;
    struct fs_stat st;
    uint8_t *bytes; /* content of a file, target of a link (NUL behind it) */
    size_t len;
};

struct fakefs {
    struct fs fs;
    struct node **v;
    size_t n;
    size_t cap;
    uint64_t next_ino;
};

static _Noreturn void fail(const char *why, const char *what)
{
    fprintf(stderr, "fakefs: %s: %s\n", why, what);
    abort();
}

/* Index of the first node whose path is not before path. */
static size_t lower_bound(const struct fakefs *fakefs, const char *path)
{
    size_t low = 0;
    size_t high = fakefs->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (strcmp(fakefs->v[middle]->path, path) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct node *find(const struct fakefs *fakefs, const char *path)
{
    size_t at = lower_bound(fakefs, path);

    return at < fakefs->n && strcmp(fakefs->v[at]->path, path) == 0 ? fakefs->v[at] : NULL;
}

static struct node *insert(struct fakefs *fakefs, const char *path)
{
    size_t at = lower_bound(fakefs, path);
    struct node *node;

    if (at < fakefs->n && strcmp(fakefs->v[at]->path, path) == 0)
        return fakefs->v[at];
    if (fakefs->n == fakefs->cap) {
        fakefs->cap = fakefs->cap ? fakefs->cap * 2 : 64;
        fakefs->v = xrealloc(fakefs->v, fakefs->cap, sizeof(*fakefs->v));
    }
    memmove(fakefs->v + at + 1, fakefs->v + at, (fakefs->n - at) * sizeof(*fakefs->v));
    node = xcalloc(1, sizeof(*node));
    node->path = xstrdup(path);
    node->st = (struct fs_stat){
        .type = FS_DIR, .mode = 0755, .dev = 1, .ino = fakefs->next_ino++, .nlink = 1};
    fakefs->v[at] = node;
    fakefs->n++;
    return node;
}

static struct node *insert_with_parents(struct fakefs *fakefs, const char *spelled)
{
    _cleanup_free_ char *path = path_clean(spelled);

    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        insert(fakefs, path);
        *slash = '/';
    }
    return insert(fakefs, path);
}

static void set_bytes(struct node *node, const void *bytes, size_t len)
{
    free(node->bytes);
    node->bytes = xcalloc(len + 1, 1);
    if (len)
        memcpy(node->bytes, bytes, len);
    node->len = len;
    node->st.size = len;
}

static void free_node(struct node *node)
{
    free(node->path);
    free(node->bytes);
    free(node);
}

/* Replaces "done" by its parent. */
static void drop_last(char *done)
{
    char *slash = strrchr(done, '/');

    slash[slash == done ? 1 : 0] = '\0';
}

static int push_name(char *done, const char *name, size_t len)
{
    size_t at = strlen(done);

    if (at + len + 2 > PATH_MAX)
        return -ENAMETOOLONG;
    if (at > 1)
        done[at++] = '/';
    memcpy(done + at, name, len);
    done[at + len] = '\0';
    return 0;
}

/* Puts the target of a link in front of what is left to walk. */
static int follow_link(char *done, char *todo, const char *rest, const char *target)
{
    char joined[PATH_MAX];
    int len = snprintf(joined, sizeof(joined), "%s%s", target, rest);

    if (len < 0 || (size_t)len >= sizeof(joined))
        return -ENAMETOOLONG;
    memcpy(todo, joined, (size_t)len + 1);
    if (target[0] == '/')
        strcpy(done, "/");
    else
        drop_last(done);
    return 0;
}

/* Finds the node of a path as the kernel would. */
static int walk(const struct fakefs *fakefs, const char *path, bool follow, struct node **found)
{
    char done[PATH_MAX] = "/";
    char todo[PATH_MAX];
    char *at = todo;
    unsigned links = 0;

    if (path[0] != '/')
        fail("the planner asked for a relative path", path);
    if (strlen(path) >= sizeof(todo))
        return -ENAMETOOLONG;
    strcpy(todo, path);
    for (;;) {
        const struct node *here = find(fakefs, done);
        const char *name = at + strspn(at, "/");
        size_t len = strcspn(name, "/");
        const struct node *next;
        int r;

        if (!here)
            return -ENOENT;
        if (len == 0 && (at[0] != '/' || here->st.type == FS_DIR)) {
            *found = find(fakefs, done);
            return 0;
        }
        if (here->st.type != FS_DIR)
            return -ENOTDIR;
        if (!(here->st.mode & 0111))
            return -EACCES;
        at += (size_t)(name - at) + len;
        if (len == 1 && name[0] == '.')
            continue;
        if (len == 2 && name[0] == '.' && name[1] == '.') {
            drop_last(done);
            continue;
        }
        r = push_name(done, name, len);
        if (r < 0)
            return r;
        next = find(fakefs, done);
        if (!next || next->st.type != FS_LINK || (at[0] == '\0' && !follow))
            continue;
        if (++links > LINKS_MAX)
            return -ELOOP;
        r = follow_link(done, todo, at, (const char *)next->bytes);
        if (r < 0)
            return r;
        at = todo;
    }
}

static int fake_stat(void *ctx, const char *path, bool follow, struct fs_stat *out)
{
    struct node *node = NULL;
    int r = walk(ctx, path, follow, &node);

    if (r == 0)
        *out = node->st;
    return r;
}

static ssize_t fake_readlink(void *ctx, const char *path, char *target, size_t size)
{
    struct node *node = NULL;
    int r = walk(ctx, path, false, &node);

    if (r < 0)
        return r;
    if (node->st.type != FS_LINK)
        return -EINVAL;
    if (node->len >= size)
        return -ENAMETOOLONG;
    memcpy(target, node->bytes, node->len + 1);
    return (ssize_t)node->len;
}

static ssize_t fake_read_head(void *ctx, const char *path, void *bytes, size_t size)
{
    struct node *node = NULL;
    int r = walk(ctx, path, true, &node);
    size_t len;

    if (r < 0)
        return r;
    if (node->st.type != FS_FILE)
        return -EINVAL;
    if (!(node->st.mode & 0444))
        return -EACCES;
    len = node->len < size ? node->len : size;
    if (len)
        memcpy(bytes, node->bytes, len);
    return (ssize_t)len;
}

static int fake_list(void *ctx, const char *path, int (*each)(void *arg, const char *name),
                     void *arg)
{
    const struct fakefs *fakefs = ctx;
    _cleanup_free_ char *prefix = NULL;
    struct node *node = NULL;
    int r = walk(fakefs, path, true, &node);

    if (r < 0)
        return r;
    if (node->st.type != FS_DIR)
        return -ENOTDIR;
    if (!(node->st.mode & 0444))
        return -EACCES;
    prefix = str_eq(node->path, "/") ? xstrdup("/") : xasprintf("%s/", node->path);
    for (size_t i = lower_bound(fakefs, prefix); r == 0 && i < fakefs->n; i++) {
        const char *name = fakefs->v[i]->path;

        if (!str_starts(name, prefix))
            break;
        name += strlen(prefix);
        if (name[0] && !strchr(name, '/'))
            r = each(arg, name);
    }
    return r;
}

/* Appends text with its backslash escapes resolved. */
static void unescape(struct buf *out, const char *text, size_t len)
{
    static const char letters[] = "nrt0\\";
    static const char bytes[] = "\n\r\t\0\\";

    for (size_t i = 0; i < len; i++) {
        const char *letter;
        unsigned value;

        if (text[i] != '\\') {
            buf_append_byte(out, (uint8_t)text[i]);
            continue;
        }
        letter = ++i < len ? strchr(letters, text[i]) : NULL;
        if (letter && *letter) {
            buf_append_byte(out, (uint8_t)bytes[letter - letters]);
        } else if (i + 2 < len && sscanf(text + i, "x%2x", &value) == 1) {
            buf_append_byte(out, (uint8_t)value);
            i += 2;
        } else {
            fail("bad escape", text);
        }
    }
}

/* Cuts the next word off; "" at the end of the line. malloc'ed, escapes resolved. */
static char *next_word(const char **at)
{
    size_t len;
    _cleanup_buf_ struct buf word;

    *at += strspn(*at, " ");
    len = strcspn(*at, " ");
    buf_init(&word, 64 * KIB);
    unescape(&word, *at, len);
    *at += len;
    return buf_take_cstr(&word);
}

static unsigned long number(const char *word, int base, unsigned long preset)
{
    char *end;
    unsigned long value = strtoul(word, &end, base);

    if (!*word)
        return preset;
    if (*end)
        fail("not a number", word);
    return value;
}

static enum fs_type type_of(char letter)
{
    static const struct {
        char letter;
        enum fs_type type;
    } types[] = {
        {'d', FS_DIR},  {'f', FS_FILE},  {'l', FS_LINK}, {'s', FS_SOCKET},
        {'p', FS_FIFO}, {'b', FS_BLOCK}, {'c', FS_CHAR},
    };

    for (size_t i = 0; i < ARRAY_SIZE(types); i++)
        if (types[i].letter == letter)
            return types[i].type;
    return FS_NONE;
}

static void add_line(struct fakefs *fakefs, const char *line)
{
    enum fs_type type = type_of(line[0]);
    const char *at = line + 1;
    _cleanup_free_ char *path = NULL;
    struct node *node;

    if (type == FS_NONE || line[1] != ' ')
        fail("unknown line", line);
    path = next_word(&at);
    if (path[0] != '/')
        fail("the path is not absolute", line);
    node = insert_with_parents(fakefs, path);
    node->st.type = type;
    if (type == FS_LINK) {
        _cleanup_free_ char *target = next_word(&at);

        if (!*target)
            fail("a link needs a target", line);
        set_bytes(node, target, strlen(target));
        node->st.mode = 0777;
    } else {
        _cleanup_free_ char *mode = next_word(&at);
        _cleanup_free_ char *owner = next_word(&at);
        _cleanup_buf_ struct buf content;

        buf_init(&content, MIB);
        unescape(&content, *at ? at + 1 : at, strlen(*at ? at + 1 : at));
        set_bytes(node, content.data, content.len);
        node->st.mode = (mode_t)number(mode, 8, 0755);
        node->st.uid = (uid_t)number(owner, 10, 0);
        node->st.gid = (gid_t)node->st.uid;
    }
}

void fakefs_add(struct fakefs *fakefs, const char *spec)
{
    while (spec && *spec) {
        size_t len = strcspn(spec, "\n");
        _cleanup_free_ char *line = xstrndup(spec, len);
        const char *start = line + strspn(line, " \t");

        if (*start && *start != '#')
            add_line(fakefs, start);
        spec += len + (spec[len] == '\n');
    }
}

void fakefs_addf(struct fakefs *fakefs, const char *fmt, ...)
{
    _cleanup_buf_ struct buf line;
    va_list args;

    buf_init(&line, MIB);
    va_start(args, fmt);
    buf_vprintf(&line, fmt, args);
    va_end(args);
    fakefs_add(fakefs, buf_cstr(&line));
}

void fakefs_set_content(struct fakefs *fakefs, const char *path, const void *bytes, size_t len)
{
    struct node *node = insert_with_parents(fakefs, path);

    node->st.type = FS_FILE;
    set_bytes(node, bytes, len);
}

void fakefs_remove(struct fakefs *fakefs, const char *path)
{
    size_t kept = 0;

    for (size_t i = 0; i < fakefs->n; i++) {
        if (path_is_within(fakefs->v[i]->path, path))
            free_node(fakefs->v[i]);
        else
            fakefs->v[kept++] = fakefs->v[i];
    }
    fakefs->n = kept;
}

/* Every node has the name of its true place, so what is found by its name was reached over no link. */
static int fake_stat_beneath(void *ctx, const char *dir, const char *rest, struct fs_stat *out)
{
    _cleanup_free_ char *path = rest[0] ? path_join(dir, rest) : xstrdup(dir);
    const struct node *node = find(ctx, path);

    if (!node || node->st.type == FS_LINK)
        return node ? -ELOOP : -ENOENT;
    *out = node->st;
    return 0;
}

struct fs_stat *fakefs_node(struct fakefs *fakefs, const char *path)
{
    struct node *node = find(fakefs, path);

    if (!node)
        fail("no such node", path);
    return &node->st;
}

const struct fs *fakefs_fs(const struct fakefs *fakefs)
{
    return &fakefs->fs;
}

struct fakefs *fakefs_new(const char *spec)
{
    struct fakefs *fakefs = xcalloc(1, sizeof(*fakefs));

    fakefs->fs = (struct fs){.ctx = fakefs,
                             .stat = fake_stat,
                             .readlink = fake_readlink,
                             .read_head = fake_read_head,
                             .list = fake_list,
                             .stat_beneath = fake_stat_beneath};
    fakefs->next_ino = 2;
    insert(fakefs, "/");
    fakefs_add(fakefs, spec);
    return fakefs;
}

void fakefs_free(struct fakefs *fakefs)
{
    if (!fakefs)
        return;
    for (size_t i = 0; i < fakefs->n; i++)
        free_node(fakefs->v[i]);
    free(fakefs->v);
    free(fakefs);
}

void fakefs_cleanup(struct fakefs **slot)
{
    fakefs_free(steal_ptr(slot));
}
