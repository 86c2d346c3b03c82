// SPDX-License-Identifier: GPL-3.0-only
/*
 * project: refuses project directories that would hand over the machine or the keys.
 *
 * Directories are compared by device and inode as well as by name, so that a bind mount or another
 * spelling of HOME is still HOME. What is refused with everything below it is compared with every
 * directory above the project.
 */
#include "policy/project.h"

#include "base/path.h"
#include "policy/macos.h"
#include "policy/secrets.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static bool same_dir(const struct fs *fs, const char *a, const char *b)
{
    struct fs_stat sa;
    struct fs_stat sb;

    if (str_eq(a, b))
        return true;
    return fs_stat(fs, a, true, &sa) == 0 && fs_stat(fs, b, true, &sb) == 0 && sa.dev == sb.dev &&
           sa.ino == sb.ino;
}

/* True if the working directory is dir or lies below it, under whatever name. */
static bool is_inside(const struct host *host, const char *dir)
{
    _cleanup_free_ char *at = xstrdup(host->cwd);

    for (;;) {
        char *parent;

        if (same_dir(host->fs, at, dir))
            return true;
        if (str_eq(at, "/"))
            return false;
        parent = path_parent(at);
        free(at);
        at = parent;
    }
}

static bool is_home_or_above(const struct host *host)
{
    _cleanup_free_ char *dir = xstrdup(host->home);

    for (;;) {
        char *parent;

        if (same_dir(host->fs, host->cwd, dir))
            return true;
        if (str_eq(dir, "/"))
            return false;
        parent = path_parent(dir);
        free(dir);
        dir = parent;
    }
}

static const char *exact_match(const struct host *host)
{
    static const char *const exact[] = {
        "/home", "/root", "/tmp", "/var",   "/var/tmp", "/run",  "/run/user",
        "/opt",  "/srv",  "/mnt", "/media", "/nix",     "/snap",
    };
    char runtime[64];

    for (size_t i = 0; i < ARRAY_SIZE(exact); i++)
        if (same_dir(host->fs, host->cwd, exact[i]))
            return exact[i];
    snprintf(runtime, sizeof(runtime), "/run/user/%u", host->uid);
    return same_dir(host->fs, host->cwd, runtime) ? "your runtime directory" : NULL;
}

static const char *system_match(const struct host *host)
{
    static const char *const trees[] = {
        "/usr",    "/etc",  "/bin", "/sbin", "/lib", "/lib32",     "/lib64",
        "/libx32", "/boot", "/dev", "/proc", "/sys", "/nix/store",
    };

    for (size_t i = 0; i < ARRAY_SIZE(trees); i++)
        if (is_inside(host, trees[i]))
            return trees[i];
    return NULL;
}

void project_own_dirs(const struct host *host, struct strv *dirs)
{
    static const struct {
        const char *variable;
        const char *below_home;
    } own[] = {{"XDG_STATE_HOME", ".local/state"}, {"XDG_DATA_HOME", ".local/share"}};

    for (size_t i = 0; i < ARRAY_SIZE(own); i++) {
        _cleanup_free_ char *root =
            path_base_dir(host_getenv(host, own[i].variable), host->home, own[i].below_home);
        _cleanup_free_ char *joined = path_join(root, "ai-jail");
        _cleanup_free_ char *clean = path_clean(joined);
        char *canonical = NULL;

        if (fs_resolve(host->fs, joined, &canonical, NULL, NULL) < 0)
            canonical = fs_resolve_future(host->fs, clean);
        strv_push_owned(dirs, canonical);
    }
}

/* Directories that are refused whatever is said. malloc'ed, NULL if none. */
static char *secret_match(const struct host *host)
{
    _cleanup_strv_ struct strv own = {0};

    for (size_t i = 0; secret_dotdirs[i]; i++) {
        _cleanup_free_ char *dir = path_join(host->home, secret_dotdirs[i]);

        if (is_inside(host, dir))
            return steal_ptr(&dir);
    }
    project_own_dirs(host, &own);
    for (size_t i = 0; i < own.n; i++)
        if (is_inside(host, own.v[i]))
            return xstrdup(own.v[i]);
    return NULL;
}

int project_check(const struct host *host, bool allow_broad, struct error *error)
{
    _cleanup_free_ char *secret = secret_match(host);
    const char *match;

    if (secret)
        return error_set(error, EPERM,
                         "project directory %s lies in %s, which a jail never shows; start in a "
                         "project directory",
                         host->cwd, secret);
    /* It holds the memory and the open files of every process of the user. */
    if (is_inside(host, "/proc"))
        return error_set(error, EPERM,
                         "project directory %s is in /proc; start in a project directory",
                         host->cwd);
    if (allow_broad)
        return 0;
    if (is_home_or_above(host))
        return error_set(
            error, EPERM,
            "project directory %s is your home directory or holds it: everything in it "
            "would be writable; start in a project directory (or say "
            "--allow-broad-project)",
            host->cwd);
    match = host->macos.is_on ? macos_refuses_project(host->cwd) : NULL;
    if (!match)
        match = exact_match(host);
    if (!match)
        match = system_match(host);
    if (match)
        return error_set(error, EPERM,
                         "project directory %s is refused (%s is shared or belongs to the system); "
                         "start in a project directory (or say --allow-broad-project)",
                         host->cwd, match);
    return 0;
}
