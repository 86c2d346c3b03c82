// SPDX-License-Identifier: GPL-3.0-only
/*
 * host_sandbox_exec: sandbox-exec is there and root's; the names of the run are chosen.
 *
 * The policy wants to know where the command's temporary files will be and on which port the proxy will
 * listen, so both are fixed before it is made. Nothing is created here but the socket.
 */
#include "host_sandbox_exec.h"

#include "base/os.h"
#include "base/path.h"

#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static int check_program(struct error *error)
{
    const char *path = macos_sandbox_exec();
    struct stat st;

    if (lstat(path, &st) < 0)
        return error_set(error, errno, "%s: %s; without it there is no jail on macOS", path,
                         strerror(errno));
    if (!S_ISREG(st.st_mode) || st.st_uid != 0 || (st.st_mode & (S_IWGRP | S_IWOTH)))
        return error_set(error, EPERM, "%s is not a file that root alone can write: it is not used",
                         path);
    return 0;
}

/* The canonical root; whoever can write there could put something else in the place of our files. */
static int find_root(const struct host *host, char **root, struct error *error)
{
    _cleanup_free_ char *said = macos_temporary_root();
    _cleanup_free_ char *clean = said && said[0] == '/' ? path_clean(said) : NULL;
    struct stat st;
    int r;

    if (!clean)
        return error_set(error, ENOENT, "this user has no directory for temporary files");
    r = fs_resolve(host->fs, clean, root, NULL, NULL);
    if (r < 0 || stat(*root, &st) < 0)
        return error_set(error, r < 0 ? -r : errno, "%s: %s", clean, strerror(r < 0 ? -r : errno));
    if (!S_ISDIR(st.st_mode) || st.st_uid != host->uid ||
        ((st.st_mode & (S_IWGRP | S_IWOTH)) && !(st.st_mode & S_ISVTX)))
        return error_set(error, EPERM,
                         "%s: the directory for temporary files must be yours, and writable for "
                         "nobody else",
                         *root);
    return 0;
}

static void compare_tmpdir(const struct host *host, const char *root, struct notes *notes)
{
    const char *tmpdir = host_getenv(host, "TMPDIR");
    _cleanup_free_ char *clean = tmpdir && tmpdir[0] == '/' ? path_clean(tmpdir) : NULL;
    _cleanup_free_ char *canonical = NULL;

    if (!clean)
        return;
    if (fs_resolve(host->fs, clean, &canonical, NULL, NULL) < 0 || !str_eq(canonical, root))
        notes_add(notes, NOTE_WARNING,
                  "TMPDIR is %s, the jail's temporary files are made in %s all the same", tmpdir,
                  root);
}

/* On the host's loopback, which is the jail's, too: a port that nobody has. Whoever else finds it does not
 * know the password. */
static int open_listener(struct host_macos *macos, struct error *error)
{
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(name);
    int fd = os_stream_socket(AF_INET);

    if (fd < 0)
        return error_set(error, -fd, "socket for the proxy: %s", strerror(-fd));
    if (bind(fd, (const struct sockaddr *)(const void *)&name, sizeof(name)) < 0 ||
        getsockname(fd, (struct sockaddr *)(void *)&name, &len) < 0) {
        int code = errno;

        close(fd);
        return error_set(error, code, "socket for the proxy: %s", strerror(code));
    }
    macos->listener = fd;
    macos->port = ntohs(name.sin_port);
    return 0;
}

int host_find_backend(struct host *host, bool is_run, struct notes *notes, struct error *error)
{
    struct host_macos *macos = &host->macos;
    _cleanup_free_ char *root = NULL;
    uint64_t number, secret[2];
    int r;

    if (macos->tmp) /* the placeholders of a dry run */
        return 0;
    r = check_program(error);
    if (r == 0)
        r = find_root(host, &root, error);
    if (r < 0)
        return r;
    if (!is_run) {
        macos->tmp = path_join(root, "ai-jail-RUN");
        return 0;
    }
    compare_tmpdir(host, root, notes);
    notes_add(notes, NOTE_WARNING,
              "macOS: sandbox-exec is weaker than the jail on Linux, and Apple has marked it as "
              "deprecated");
    r = os_random(&number, sizeof(number));
    if (r == 0)
        r = os_random(secret, sizeof(secret));
    if (r < 0)
        return error_set(error, -r, "random numbers: %s", strerror(-r));
    macos->tmp = xasprintf("%s/ai-jail-%d-%016" PRIx64, root, (int)getpid(), number);
    macos->password = xasprintf("%016" PRIx64 "%016" PRIx64, secret[0], secret[1]);
    return open_listener(macos, error);
}

void host_drop_listener(struct host *host)
{
    if (host->macos.listener > 0)
        close(host->macos.listener);
    host->macos.listener = 0;
}
