// SPDX-License-Identifier: GPL-3.0-only
/*
 * install_root: which directory a program needs around itself.
 *
 * A table of shapes is tried in order; each row gives a directory or nothing. The first answer is
 * the root, unless it is a directory that is never shown as a whole (is_refused): then the file is
 * shown alone. Only the npm prefix gives way to the next row instead, because a package without its
 * node_modules cannot start, and that is the smaller directory.
 */
#include "policy/install_root.h"

#include "base/path.h"
#include "policy/macos.h"
#include "policy/secrets.h"

#include <stdlib.h>
#include <string.h>

struct place {
    const struct host *host;
    const char *project;
    const char *file;
    const char *tail; /* the part of file behind HOME, or all of it */
};

/* ---- what is never shown as a whole ---- */

/* With everything below. */
static const char *const refused_trees[] = {"/dev", "/proc", "/run", "/sys"};

/* Only the directory itself: holding places of many unrelated things. */
static const char *const refused_dirs[] = {
    "/",     "/boot", "/home", "/media", "/mnt",     "/nix",     "/root",
    "/snap", "/srv",  "/tmp",  "/var",   "/var/lib", "/var/tmp",
};

static const char *const refused_on_macos[] = {
    "/Applications", "/Users",       "/Users/Shared", "/Volumes",
    "/private",      "/private/tmp", "/private/var",  "/private/var/tmp",
};

static const char *const refused_in_home[] = {
    ".cache", ".config", ".local", ".local/share", ".local/state",
};

/* Somebody else's home, or a copy of one. */
static bool looks_like_a_home(const struct fs *fs, const char *dir)
{
    for (size_t i = 0; secret_dotdirs[i]; i++) {
        _cleanup_free_ char *path = path_join(dir, secret_dotdirs[i]);
        struct fs_stat st;

        if (fs_stat(fs, path, false, &st) == 0)
            return true;
    }
    return false;
}

static bool is_runtime_dir(const struct host *host, const char *dir)
{
    const char *runtime = host_getenv(host, "XDG_RUNTIME_DIR");
    _cleanup_free_ char *canonical = NULL;

    return runtime && fs_resolve(host->fs, runtime, &canonical, NULL, NULL) == 0 &&
           path_is_within(dir, canonical);
}

static bool is_refused(const struct place *place, const char *dir)
{
    const struct host *host = place->host;

    if (path_is_within(host->home, dir) || path_is_within(place->project, dir))
        return true;
    for (size_t i = 0; i < ARRAY_SIZE(refused_trees); i++)
        if (path_is_within(dir, refused_trees[i]))
            return true;
    for (size_t i = 0; i < ARRAY_SIZE(refused_dirs); i++)
        if (strcmp(dir, refused_dirs[i]) == 0)
            return true;
    for (size_t i = 0; host->macos.is_on && i < ARRAY_SIZE(refused_on_macos); i++)
        if (strcmp(dir, refused_on_macos[i]) == 0)
            return true;
    for (size_t i = 0; i < ARRAY_SIZE(refused_in_home); i++)
        if (path_is_below(dir, host->home) &&
            strcmp(path_rest(dir, host->home), refused_in_home[i]) == 0)
            return true;
    return secrets_hold(host, dir) || secrets_lie_within(host, dir) ||
           looks_like_a_home(host->fs, dir) || is_runtime_dir(host, dir);
}

/* ---- shapes ---- */

/* The slash in front of the first "NAME/" in the part behind HOME, if something follows it. */
static const char *find_component(const struct place *place, const char *name)
{
    _cleanup_free_ char *wanted = xasprintf("/%s/", name);
    const char *at = strstr(place->tail, wanted);

    return at && at[strlen(wanted)] ? at : NULL;
}

/* The file's path up to end; "/" for nothing. */
static char *up_to(const struct place *place, const char *end)
{
    return end == place->file ? xstrdup("/") : xstrndup(place->file, (size_t)(end - place->file));
}

static char *nix_store(const struct place *place)
{
    return path_is_below(place->file, "/nix/store") ? xstrdup("/nix/store") : NULL;
}

/* PREFIX/Cellar/NAME/VERSION/... */
static char *homebrew(const struct place *place)
{
    static const char *const names[] = {"Cellar", "Caskroom"};

    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        const char *at = find_component(place, names[i]);

        if (at && path_depth(at) >= 4)
            return up_to(place, at);
    }
    return NULL;
}

static char *npm_prefix(const struct place *place)
{
    const char *at = find_component(place, "lib/node_modules");
    char *prefix;

    if (!at)
        return NULL;
    prefix = up_to(place, at);
    if (is_refused(place, prefix)) {
        free(prefix);
        return NULL;
    }
    return prefix;
}

static char *node_modules(const struct place *place)
{
    static const char name[] = "/node_modules";
    const char *at = find_component(place, name + 1);

    return at ? up_to(place, at + strlen(name)) : NULL;
}

static char *venv(const struct place *place)
{
    _cleanup_free_ char *dir = path_parent(place->file);

    while (strcmp(dir, "/") != 0) {
        _cleanup_free_ char *mark = path_join(dir, "pyvenv.cfg");
        struct fs_stat st;
        char *parent;

        if (fs_stat(place->host->fs, mark, true, &st) == 0 && st.type == FS_FILE)
            return steal_ptr(&dir);
        parent = path_parent(dir);
        free(dir);
        dir = parent;
    }
    return NULL;
}

/* Version managers put every installation into a directory of its own below one of these. */
static char *managed_version(const struct place *place)
{
    static const char *const names[] = {"versions", "installs", "toolchains", "uv/python"};

    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        const char *at = find_component(place, names[i]);

        if (at) {
            at += strlen(names[i]) + 2;
            return up_to(place, at + strcspn(at, "/"));
        }
    }
    return NULL;
}

/* Shims find the real program in the manager's directory when they run. */
static char *shim(const struct place *place)
{
    static const struct {
        const char *dir;
        size_t root_len;
    } shims[] = {
        {".asdf/shims", sizeof(".asdf") - 1},
        {".pyenv/shims", sizeof(".pyenv") - 1},
        {".rbenv/shims", sizeof(".rbenv") - 1},
        {".volta/bin", sizeof(".volta") - 1},
    };

    for (size_t i = 0; i < ARRAY_SIZE(shims); i++) {
        const char *at = find_component(place, shims[i].dir);

        if (at)
            return up_to(place, at + 1 + shims[i].root_len);
    }
    return NULL;
}

/* A program of macOS needs what its bundle holds. */
static char *bundle(const struct place *place)
{
    return place->host->macos.is_on ? macos_bundle_of(place->file) : NULL;
}

static char *(*const shapes[])(const struct place *place) = {
    nix_store, homebrew, npm_prefix, node_modules, venv, managed_version, shim, bundle,
};

/* Anything else: the directory the file lies in. */
static char *other_parent(const struct place *place)
{
    char *parent = path_parent(place->file);
    bool in_home = path_is_below(parent, place->host->home) &&
                   !strchr(path_rest(parent, place->host->home), '/');

    if (in_home && strcmp(path_base(parent), "bin") != 0) {
        free(parent);
        return NULL;
    }
    return parent;
}

struct install_root install_root_find(const struct host *host, const char *project,
                                      const char *file, bool is_trusted)
{
    struct place place = {.host = host, .project = project, .file = file, .tail = file};
    struct install_root root = {0};

    if (path_is_below(file, host->home))
        place.tail = file + strlen(host->home);
    for (size_t i = 0; i < ARRAY_SIZE(shapes) && !root.path; i++) {
        root.path = shapes[i](&place);
        root.is_venv = root.path && shapes[i] == venv;
    }
    if (!root.path && is_trusted)
        root.path = other_parent(&place);
    if (root.path && is_refused(&place, root.path)) {
        free(root.path);
        root = (struct install_root){0};
    }
    if (!root.path)
        root.path = xstrdup(file);
    return root;
}

void install_root_free(struct install_root *root)
{
    free(root->path);
    *root = (struct install_root){0};
}
