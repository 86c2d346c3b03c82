// SPDX-License-Identifier: GPL-3.0-only
/*
 * helper: see helper.h.
 *
 *   --identity EUID     0 if the effective uid is that one and no capability is held
 *   --stranger          holds a key with the token in the user's keyring, prints its serial,
 *                       stays until the end of its input
 *   --wait FILE         makes FILE, then stays
 *   --survive           leaves processes behind that ignore everything
 *   --make FILE         makes FILE with all mode bits that the umask leaves
 *   --describe FILE     writes type and device of 0 to 2, and the working directory, to FILE
 *   --emit FILE         writes the content of FILE to 1, 2 and the terminal
 *   --ask FILE OUT      writes FILE to the terminal and what comes back within the wait to OUT
 *   --modes FILE        raw mode and terminal modes on (sequences of FILE), then stays
 *   --find FILE         waits for FILE, a list of pids: 0 if none can be signalled or seen
 */
#include "helper.h"
#include "probe.h"

#include <fcntl.h>
#include <linux/keyctl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <termios.h>
#include <time.h>

#define ANSWER_WAIT_MS 200
#define FILE_WAIT_MS   10000
#define STAY_LIMIT_S   120

static void stay(void)
{
    alarm(STAY_LIMIT_S);
    for (;;)
        pause();
}

static int identity(int argc, char **argv)
{
    char text[8192] = "";
    const char *line;

    file_read("/proc/self/status", text, sizeof text - 1);
    line = strstr(text, "\nCapPrm:");
    return argc == 2 && geteuid() == (uid_t)atol(argv[1]) && line != NULL &&
                   strtoul(line + 8, NULL, 16) == 0
               ? 0
               : 1;
}

static int stranger(int argc, char **argv)
{
    const char *token = fact_token();
    long serial = syscall(SYS_add_key, "user", token, token, strlen(token), KEY_SPEC_USER_KEYRING);
    char byte;

    (void)argc;
    (void)argv;
    printf("%ld\n", serial);
    fflush(stdout);
    while (read(0, &byte, 1) > 0)
        continue;
    if (serial > 0)
        syscall(SYS_keyctl, KEYCTL_UNLINK, serial, KEY_SPEC_USER_KEYRING, 0L, 0L);
    return 0;
}

static int file_make(const char *path)
{
    int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0666);

    close(fd);
    return fd < 0;
}

static int wait_there(int argc, char **argv)
{
    if (argc != 2 || file_make(argv[1]) != 0)
        return 1;
    stay();
    return 0;
}

static int survive(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    if (fork() == 0) {
        setsid();
        if (fork() != 0)
            _exit(0);
        for (int sig = 1; sig < 32; sig++)
            signal(sig, SIG_IGN);
        for (int fd = 0; fd < 3; fd++)
            close(fd);
        stay();
    }
    return 0;
}

static int make(int argc, char **argv)
{
    return argc == 2 ? file_make(argv[1]) : 1;
}

static int describe(int argc, char **argv)
{
    char cwd[4096] = "";
    struct stat st;
    FILE *out = argc == 2 ? fopen(argv[1], "we") : NULL;

    if (out == NULL)
        return 1;
    for (int fd = 0; fd < 3; fd++)
        if (fstat(fd, &st) == 0)
            fprintf(out, "%d %o %llu %llu\n", fd, st.st_mode & S_IFMT,
                    (unsigned long long)st.st_rdev, (unsigned long long)st.st_ino);
    fprintf(out, "cwd %s\n", getcwd(cwd, sizeof cwd) != NULL ? cwd : "?");
    return fclose(out) != 0;
}

static char content[1 << 20];

static int emit(int argc, char **argv)
{
    long n = argc == 2 ? file_read(argv[1], content, sizeof content) : -1;
    int to[3] = {1, 2, open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)};

    for (int i = 0; i < 3 && n >= 0; i++)
        for (long done = 0; to[i] >= 0 && done < n;) {
            ssize_t wrote = write(to[i], content + done, (size_t)(n - done));
            if (wrote <= 0)
                break;
            done += wrote;
        }
    return n < 0;
}

static void raw_mode(int fd)
{
    struct termios mode;

    if (tcgetattr(fd, &mode) == 0) {
        cfmakeraw(&mode);
        tcsetattr(fd, TCSANOW, &mode);
    }
}

static int ask(int argc, char **argv)
{
    long n = argc == 3 ? file_read(argv[1], content, sizeof content) : -1;
    int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    int out = n < 0 ? -1 : open(argv[2], O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
    struct pollfd wait = {.fd = terminal, .events = POLLIN};
    char answer[4096];

    if (terminal < 0 || out < 0)
        return 1;
    raw_mode(terminal);
    if (write(terminal, content, (size_t)n) != n)
        return 1;
    while (poll(&wait, 1, ANSWER_WAIT_MS) == 1) {
        ssize_t got = read(terminal, answer, sizeof answer);
        if (got <= 0 || write(out, answer, (size_t)got) != got)
            break;
    }
    return 0;
}

static int modes(int argc, char **argv)
{
    char ready[4096];
    long n = argc == 3 ? file_read(argv[1], content, sizeof content) : -1;

    if (n < 0)
        return 1;
    raw_mode(0);
    if (write(1, content, (size_t)n) != n)
        return 1;
    snprintf(ready, sizeof ready, "%s", argv[2]);
    if (file_make(ready) != 0)
        return 1;
    stay();
    return 0;
}

static int find(int argc, char **argv)
{
    const struct timespec nap = {.tv_nsec = 5000000};
    char text[4096] = "", path[64], *save = NULL;
    int found = 0;

    if (argc != 3 || file_make(argv[2]) != 0)
        return 2;
    for (int i = 0; i < FILE_WAIT_MS / 5 && strchr(text, '\n') == NULL; i++) {
        memset(text, 0, sizeof text);
        file_read(argv[1], text, sizeof text - 1);
        nanosleep(&nap, NULL);
    }
    if (strchr(text, '\n') == NULL)
        return 2;
    for (char *word = strtok_r(text, " \n", &save); word != NULL;
         word = strtok_r(NULL, " \n", &save)) {
        pid_t pid = (pid_t)atol(word);
        snprintf(path, sizeof path, "/proc/%d/status", pid);
        found += kill(pid, 0) == 0 || errno != ESRCH;
        found += access(path, F_OK) == 0 || errno != ENOENT;
        found += syscall(SYS_pidfd_open, pid, 0) >= 0;
    }
    return found != 0;
}

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} helpers[] = {
    {"--ask", ask},         {"--describe", describe}, {"--emit", emit},
    {"--find", find},       {"--identity", identity}, {"--make", make},
    {"--modes", modes},     {"--stranger", stranger}, {"--survive", survive},
    {"--wait", wait_there},
};

bool helper_run(int argc, char **argv, int *status)
{
    for (size_t i = 0; i < sizeof helpers / sizeof *helpers; i++)
        if (strcmp(helpers[i].name, argv[0]) == 0) {
            *status = helpers[i].run(argc, argv);
            return true;
        }
    return false;
}
