// SPDX-License-Identifier: GPL-3.0-only
/*
 * launcher_exec: finding the command inside the jail and becoming it.
 *
 * The search is that of execvp(3), over the PATH of the orders without the entries that do not
 * exist in here. What differs is only the report: "not found" (127) and "found but not executable"
 * (126) are told apart by looking, because execve() answers ENOENT for a missing interpreter as
 * well.
 */
#include "backend/launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SHELL "/bin/sh"
/* As in glibc's execvp() when PATH is not set: without the current directory. */
#define DEFAULT_PATH "/bin:/usr/bin"

static size_t count_words(char *const *list)
{
    size_t count = 0;

    while (list[count])
        count++;
    return count;
}

/* The entry "PATH=...", or the final NULL. */
static char **find_path_entry(char **env)
{
    while (*env && !str_starts(*env, "PATH="))
        env++;
    return env;
}

void exec_prepare(struct launcher_child *child)
{
    const struct orders *orders = child->orders;
    const char *path = *find_path_entry(orders->env);
    size_t argc = count_words(orders->argv);

    child->env = orders->env;
    child->script_argv = xcalloc(argc + 2, sizeof(*child->script_argv));
    for (size_t i = 1; i <= argc; i++)
        child->script_argv[i + 1] = orders->argv[i];
    /* An entry, a slash, the name, a NUL; an empty entry becomes ".". Whatever mise makes of PATH, the
     * kernel must take it as one string. */
    child->path_size = (path ? strlen(path) : 0) + (child->mise.output ? STRING_MAX : 0) +
                       sizeof(DEFAULT_PATH) + strlen(orders->argv[0]) + 2;
    child->path = xcalloc(child->path_size, 1);
}

static bool is_directory(const char *path)
{
    struct stat st;

    return stat(*path ? path : ".", &st) == 0 && S_ISDIR(st.st_mode);
}

void exec_prune_path(char *value, int *kept, int *total)
{
    char *out = value;
    char *in = value;
    bool is_last;

    *kept = 0;
    *total = 0;
    do {
        char *end = strchrnul(in, ':');
        size_t len = (size_t)(end - in);

        is_last = *end == '\0';
        *end = '\0';
        ++*total;
        if (is_directory(in)) {
            if ((*kept)++)
                *out++ = ':';
            memmove(out, in, len);
            out += len;
        }
        in = end + 1;
    } while (!is_last);
    *out = '\0';
}

/* Returns the list to search. A PATH without any entry left is removed: empty, it would mean the
 * current directory. */
static const char *prune_environment(const struct launcher_child *child)
{
    char **entry = find_path_entry(child->env);
    char *value;
    int kept;
    int total;

    if (!*entry)
        return DEFAULT_PATH;
    value = *entry + strlen("PATH=");
    exec_prune_path(value, &kept, &total);
    if (kept < total)
        child_report(child, CONTROL_PATH_PRUNED, kept, total);
    if (kept > 0)
        return value;
    for (; *entry; entry++)
        entry[0] = entry[1];
    return DEFAULT_PATH;
}

/* A file without "#!" that could be meant for the shell: no ELF file and no NUL in its first line.
 * What we may not read the shell may not either. */
static bool is_script(const char *path)
{
    _cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    char head[256];
    const char *line_end;
    ssize_t n;

    if (fd < 0)
        return false;
    n = read(fd, head, sizeof(head));
    if (n < 0 || (n >= 4 && memcmp(head, "\177ELF", 4) == 0))
        return false;
    line_end = memchr(head, '\n', (size_t)n);
    return !memchr(head, '\0', line_end ? (size_t)(line_end - head) : (size_t)n);
}

/* Returns only if it did not work, with the errno. */
static int try_exec(const struct launcher_child *child, char *path)
{
    static char shell[] = SHELL;

    execve(path, child->orders->argv, child->env);
    if (errno != ENOEXEC || !is_script(path))
        return errno;
    child->script_argv[0] = shell;
    child->script_argv[1] = path;
    execve(SHELL, child->script_argv, child->env);
    return ENOEXEC;
}

static bool is_absence(int error)
{
    return error == ENOENT || error == ENOTDIR;
}

static bool exists(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0;
}

static _Noreturn void exec_by_path(const struct launcher_child *child, char *path)
{
    int error = try_exec(child, path);
    bool is_missing = is_absence(error) && !exists(path);

    child_fail(child, is_missing ? STAGE_NOT_FOUND : STAGE_EXEC, error);
}

/* Puts "ENTRY/NAME" into child->path. */
static void join_entry(const struct launcher_child *child, const char *entry, size_t len)
{
    const char *name = child->orders->argv[0];
    size_t name_size = strlen(name) + 1;
    char *out = child->path;

    if (len == 0) {
        entry = ".";
        len = 1;
    }
    assert(len + 1 + name_size <= child->path_size);
    out = mempcpy(out, entry, len);
    *out++ = '/';
    memcpy(out, name, name_size);
}

/* Errors that let execvp(3) look further. */
static bool is_passable(int error)
{
    return is_absence(error) || error == EACCES || error == ESTALE || error == ENODEV ||
           error == ETIMEDOUT;
}

static _Noreturn void exec_by_name(const struct launcher_child *child, const char *list)
{
    int found = 0; /* why the first file of that name did not start */

    for (const char *entry = list, *end;; entry = end + 1) {
        int error;

        end = strchrnul(entry, ':');
        join_entry(child, entry, (size_t)(end - entry));
        error = try_exec(child, child->path);
        if (!is_passable(error))
            child_fail(child, STAGE_EXEC, error);
        if (!found && exists(child->path))
            found = error;
        if (*end == '\0')
            break;
    }
    child_fail(child, found ? STAGE_EXEC : STAGE_NOT_FOUND, found ? found : ENOENT);
}

_Noreturn void exec_command(const struct launcher_child *child)
{
    const char *list = prune_environment(child);
    char *name = child->orders->argv[0];

    if (*name == '\0')
        child_fail(child, STAGE_NOT_FOUND, ENOENT);
    if (strchr(name, '/'))
        exec_by_path(child, name);
    exec_by_name(child, list);
}
