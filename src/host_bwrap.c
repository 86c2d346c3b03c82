// SPDX-License-Identifier: GPL-3.0-only
/*
 * host_bwrap: finds a bubblewrap that nobody but root can have written, and learns its options.
 *
 * The candidates are looked at in order ($BWRAP_BIN, the system directories, PATH). A candidate is
 * opened once; mode and owner of that descriptor and of every parent directory decide, and the same
 * descriptor is executed later, so a name swapped in between changes nothing. Its options come from
 * one run of `bwrap --help`, whose answer is cached by device, inode, size and time of change.
 */
#include "host.h"

#include "base/fd.h"
#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define HELP_MAX  (64 * KIB)
#define STORE_DIR "/nix/store"

static const char *const system_dirs[] = {
    "/usr/bin", "/bin", "/usr/local/bin", "/run/wrappers/bin", "/run/current-system/sw/bin",
};

static const char *const required_options[] = {
    "--args",         "--unshare-user", "--unshare-pid", "--unshare-ipc",
    "--unshare-uts",  "--unshare-net",  "--perms",       "--size",
    "--ro-bind-data", "--symlink",      "--remount-ro",  "--seccomp",
    "--info-fd",      "--clearenv",     "--cap-drop",    "--die-with-parent",
    "--new-session",  "--as-pid-1",
};

/* ---- trust ---- */

/* NULL if fine, otherwise why not. */
static const char *store_problem(const struct stat *file)
{
    struct stat store;

    if (file->st_mode & 0222)
        return "writable file in the Nix store";
    if (stat(STORE_DIR, &store) < 0)
        return "the Nix store cannot be examined";
    if ((store.st_mode & S_IWGRP) && !(store.st_mode & S_ISVTX))
        return "the Nix store is group-writable without the sticky bit";
    if (store.st_uid == 0 || store.st_uid == 65534)
        return store.st_mode & S_IWOTH ? "the Nix store is world-writable" : NULL;
    return store.st_mode & 0222 ? "the Nix store belongs to an ordinary user" : NULL;
}

static const char *parents_problem(const char *path)
{
    _cleanup_free_ char *dir = path_parent(path);

    for (;;) {
        struct stat st;
        char *parent;

        if (stat(dir, &st) < 0)
            return "a parent directory cannot be examined";
        if (st.st_uid != 0)
            return "a parent directory does not belong to root";
        if (st.st_mode & (S_IWGRP | S_IWOTH))
            return "a parent directory is writable for others than root";
        if (strcmp(dir, "/") == 0)
            return NULL;
        parent = path_parent(dir);
        free(dir);
        dir = parent;
    }
}

static const char *file_problem(const char *path, const struct stat *st)
{
    if (!S_ISREG(st->st_mode))
        return "not a regular file";
    if (!(st->st_mode & 0111))
        return "not executable";
    if (st->st_mode & (S_ISUID | S_ISGID))
        return "set-user-ID: its namespaces could not be entered to place masks";
    if (path_is_below(path, STORE_DIR))
        return store_problem(st);
    if (st->st_uid != 0)
        return "does not belong to root";
    if (st->st_mode & (S_IWGRP | S_IWOTH))
        return "writable for others than root";
    return parents_problem(path);
}

/* Takes the candidate if it can be trusted. 0, -ENOENT if there is nothing, -EPERM with *why. */
static int try_candidate(struct host *host, const char *candidate, const char **why)
{
    _cleanup_free_ char *path = NULL;
    _cleanup_close_ int fd = -1;
    struct stat st;

    if (fs_resolve(host->fs, candidate, &path, NULL, NULL) < 0)
        return -ENOENT;
    fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) < 0)
        return -ENOENT;
    /* A jail that root started leaves files of root there. */
    *why = path_is_within(path, host->cwd) ? "lies inside the project" : file_problem(path, &st);
    if (*why)
        return -EPERM;
    host->bwrap.path = steal_ptr(&path);
    host->bwrap.fd = steal_fd(&fd);
    return 0;
}

struct search {
    struct host *host;
    struct notes *notes;
    struct buf rejected; /* "path: why; path: why" */
};

/* True when found. */
static bool look_at(struct search *search, const char *path)
{
    const char *why = NULL;
    int r = try_candidate(search->host, path, &why);

    if (r == -EPERM && !strstr(buf_cstr(&search->rejected), path))
        buf_printf(&search->rejected, "%s%s: %s", search->rejected.len ? "; " : "", path, why);
    return r == 0;
}

static bool find_file(struct search *search)
{
    const char *chosen = host_getenv(search->host, "BWRAP_BIN");
    const char *search_path = host_getenv(search->host, "PATH");
    struct strv dirs CLEANUP(strv_free) = {0};

    if (chosen && chosen[0]) {
        const char *why = "not found";

        if (chosen[0] == '/' && try_candidate(search->host, chosen, &why) == 0)
            return true;
        notes_add(search->notes, NOTE_SECURITY, "BWRAP_BIN=%s is not used: %s", chosen,
                  chosen[0] == '/' ? why : "not an absolute path");
    }
    for (size_t i = 0; i < ARRAY_SIZE(system_dirs); i++)
        strv_push(&dirs, system_dirs[i]);
    if (search_path)
        strv_split(&dirs, search_path, ':');
    for (size_t i = 0; i < dirs.n; i++) {
        _cleanup_free_ char *path = path_join(dirs.v[i], "bwrap");

        if (path[0] == '/' && look_at(search, path))
            return true;
    }
    return false;
}

/* ---- options ---- */

static _Noreturn void run_help(int bwrap_fd, int out)
{
    char *const argv[] = {(char[]){"bwrap"}, (char[]){"--help"}, NULL};
    char *const env[] = {NULL};
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    if (null < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(null, 2) < 0)
        _exit(126);
    close_range(3, (unsigned)bwrap_fd - 1, 0);
    fexecve(bwrap_fd, argv, env);
    _exit(126);
}

static int read_help(int bwrap_fd, struct buf *help)
{
    int pipe_fds[2];
    int status;
    pid_t pid;
    int r;

    if (pipe2(pipe_fds, O_CLOEXEC) < 0)
        return -errno;
    pid = fork();
    if (pid == 0)
        run_help(bwrap_fd, pipe_fds[1]);
    close(pipe_fds[1]);
    r = pid < 0 ? -errno : fd_read_all(pipe_fds[0], help, HELP_MAX);
    close(pipe_fds[0]);
    if (pid < 0)
        return r;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -errno;
    return r < 0 ? r : status == 0 ? 0 : -ENOEXEC;
}

/* True if option stands in the text as a whole word. */
static bool has_option(const char *text, const char *option)
{
    size_t len = strlen(option);

    for (const char *at = text; (at = strstr(at, option)); at += len) {
        bool starts = at == text || at[-1] == ' ' || at[-1] == '\n';
        bool ends = at[len] == ' ' || at[len] == '\n' || at[len] == '\0';

        if (starts && ends)
            return true;
    }
    return false;
}

/* First line of the cache: what the answer belongs to. */
static char *cache_key(int bwrap_fd)
{
    struct stat st;

    if (fstat(bwrap_fd, &st) < 0)
        return NULL;
    return xasprintf("1 %llx %llx %llx %lld.%09ld\n", (unsigned long long)st.st_dev,
                     (unsigned long long)st.st_ino, (unsigned long long)st.st_size,
                     (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
}

static bool read_cache(const struct host *host, const char *path, const char *key, struct buf *help)
{
    _cleanup_close_ int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat st;

    if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_uid != host->uid ||
        (st.st_mode & (S_IWGRP | S_IWOTH)))
        return false;
    if (fd_read_all(fd, help, HELP_MAX) == 0 && str_starts(buf_cstr(help), key)) {
        buf_consume(help, strlen(key));
        return true;
    }
    buf_reset(help);
    return false;
}

/* Started by root with the HOME of a user, we would leave directories there that the user cannot
 * write: the deepest directory that exists must be the caller's. */
static bool may_write_below(const struct host *host, const char *path)
{
    _cleanup_free_ char *dir = xstrdup(path);
    struct stat st = {0};

    while (stat(dir, &st) < 0 && !str_eq(dir, "/")) {
        char *parent = path_parent(dir);

        free(dir);
        dir = parent;
    }
    return S_ISDIR(st.st_mode) && st.st_uid == host->uid;
}

static void make_dirs(const char *path)
{
    _cleanup_free_ char *parent = path_parent(path);

    if (mkdir(path, 0700) == 0 || errno != ENOENT || str_eq(parent, "/"))
        return;
    make_dirs(parent);
    (void)!mkdir(path, 0700);
}

/* Best effort: without it the next start asks again. */
static void write_cache(const char *dir, const char *path, const char *key, const struct buf *help)
{
    _cleanup_free_ char *fresh = xasprintf("%s.%d", path, (int)getpid());
    _cleanup_close_ int fd = -1;

    make_dirs(dir);
    fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    if (fd_write_all(fd, key, strlen(key)) < 0 || fd_write_all(fd, help->data, help->len) < 0 ||
        rename(fresh, path) < 0)
        unlink(fresh);
}

static int learn_options(struct host *host, bool use_cache, struct error *error)
{
    struct host_bwrap *bwrap = &host->bwrap;
    _cleanup_free_ char *dir = host_state_dir(host);
    _cleanup_free_ char *path = path_join(dir, "bwrap-probe");
    _cleanup_free_ char *key = cache_key(bwrap->fd);
    struct buf help CLEANUP(buf_free);
    const char *text;
    int r;

    buf_init(&help, HELP_MAX + 4096);
    if (!key || !use_cache || !read_cache(host, path, key, &help)) {
        r = read_help(bwrap->fd, &help);
        if (r < 0)
            return error_set(error, -r, "%s --help: %s", bwrap->path, strerror(-r));
        if (key && use_cache && may_write_below(host, dir)) {
            write_cache(dir, path, key, &help);
            fs_cache_forget(host->cache);
        }
    }
    text = buf_cstr(&help);
    for (size_t i = 0; i < ARRAY_SIZE(required_options); i++)
        if (!has_option(text, required_options[i]))
            return error_set(error, ENOTSUP,
                             "%s has no option %s; ai-jail needs bubblewrap 0.8 or newer",
                             bwrap->path, required_options[i]);
    bwrap->has_disable_userns = has_option(text, "--disable-userns");
    bwrap->has_cgroup_try = has_option(text, "--unshare-cgroup-try");
    bwrap->has_bind_fd = has_option(text, "--bind-fd") && has_option(text, "--ro-bind-fd");
    return 0;
}

int host_find_bwrap(struct host *host, bool use_cache, struct notes *notes)
{
    struct search search = {.host = host, .notes = notes};
    struct error *why = &host->bwrap.why;
    int r = 0;

    buf_init(&search.rejected, 8 * KIB);
    if (!find_file(&search))
        r = error_set(why, ENOENT,
                      "%s%s; install the distribution's package: apt install bubblewrap (Debian), "
                      "dnf install bubblewrap (Fedora), pacman -S bubblewrap (Arch)",
                      search.rejected.len ? "no bubblewrap that can be trusted: "
                                          : "bubblewrap not found",
                      buf_cstr(&search.rejected));
    else
        r = learn_options(host, use_cache, why);
    buf_free(&search.rejected);
    return r;
}
