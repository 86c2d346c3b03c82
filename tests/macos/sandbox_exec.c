// SPDX-License-Identifier: GPL-3.0-only
/*
 * sandbox_exec: stands in for a Mac's sandbox-exec in tests of the driver.
 *
 *     sandbox-exec -f FILE -- COMMAND WORD...
 *
 * Notes how it was called, in FILE.call beside the directory of FILE: the words, the mode of FILE, the
 * open descriptors above 2, whether the environment's TMPDIR is a directory and with which mode, the proxy; and copies
 * the profile to FILE.profile there. Then it becomes the command, or ends with the number in AI_JAIL_TEST_REFUSE
 * as if it could not. It confines nothing.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static unsigned mode_of(const char *path)
{
    struct stat st;

    return path && stat(path, &st) == 0 ? (unsigned)st.st_mode & 07777 : 0;
}

/* Beside the directory that the profile is in. */
static FILE *open_beside(const char *profile, const char *suffix)
{
    char path[4096];
    const char *slash = strrchr(profile, '/');

    if (!slash)
        return NULL;
    snprintf(path, sizeof(path), "%.*s/../last%s", (int)(slash - profile), profile, suffix);
    return fopen(path, "we");
}

static void note_descriptors(FILE *out)
{
    DIR *dir = opendir("/proc/self/fd");
    const struct dirent *entry;

    while (dir && (entry = readdir(dir))) {
        int fd = atoi(entry->d_name);

        if (fd > 2 && fd != dirfd(dir) && fd != fileno(out))
            fprintf(out, "descriptor\t%d\n", fd);
    }
    if (dir)
        closedir(dir);
}

static void note_call(char **argv, const char *profile)
{
    FILE *out = open_beside(profile, ".call");

    if (!out)
        exit(64);
    for (char **word = argv; *word; word++)
        fprintf(out, "word\t%s\n", *word);
    fprintf(out, "profile-mode\t%o\n", mode_of(profile));
    fprintf(out, "tmpdir\t%s\t%o\n", getenv("TMPDIR") ? getenv("TMPDIR") : "",
            mode_of(getenv("TMPDIR")));
    if (getenv("http_proxy"))
        fprintf(out, "proxy\t%s\n", getenv("http_proxy"));
    note_descriptors(out);
    fclose(out);
}

static void copy_profile(const char *profile)
{
    FILE *in = fopen(profile, "re");
    FILE *out = open_beside(profile, ".profile");
    int byte;

    if (!in || !out)
        exit(65);
    while ((byte = getc(in)) != EOF)
        putc(byte, out);
    fclose(in);
    fclose(out);
}

int main(int argc, char **argv)
{
    if (argc < 5 || strcmp(argv[1], "-f") != 0 || strcmp(argv[3], "--") != 0) {
        fprintf(stderr, "sandbox-exec: usage\n");
        return 64;
    }
    note_call(argv, argv[2]);
    copy_profile(argv[2]);
    if (getenv("AI_JAIL_TEST_REFUSE")) {
        fprintf(stderr, "sandbox-exec: unbound variable\n");
        return atoi(getenv("AI_JAIL_TEST_REFUSE"));
    }
    execv(argv[4], argv + 4);
    fprintf(stderr, "sandbox-exec: execvp() of '%s' failed: %s\n", argv[4], strerror(errno));
    return 71;
}
