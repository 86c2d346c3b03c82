// SPDX-License-Identifier: GPL-3.0-only
/*
 * helper: see helper.h.
 *
 *   --identity EUID     0 if the effective uid is that one and no capability is held
 *   --stranger          holds a key with the token in the user's keyring, prints its serial,
 *                       stays until the end of its input
 *   --wait              says "ready", then stays
 *   --survive           leaves processes behind that ignore everything
 *   --make FILE         makes FILE with all mode bits that the umask leaves
 *   --describe          says type and device of 0 to 2, and the working directory
 *   --emit FILE         writes the content of FILE to 1, 2 and the terminal
 *   --ask FILE          writes "ready" and FILE to the terminal, and then in hexadecimal digits what
 *                       came back, as "answer:DIGITS:". A FILE that ends with the question for the
 *                       status (CSI 5 n) has its answer at the end of what is waited for.
 *   --modes FILE        raw mode and terminal modes on (sequences of FILE), "ready", then stays
 *   --find FILE         says "ready" and waits for FILE, a list of pids: 0 if none can be signalled
 *                       or seen
 *
 * What they say goes to stdout, which the harness reads while they run: in lockdown no file of the
 * host can be written.
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

#define STATUS_QUESTION "\033[5n"
#define STATUS_ANSWER   "\033[0n"
#define ANSWER_WAIT_MS  60000
#define MORE_WAIT_MS    200 /* for what nobody asked for */
#define FILE_WAIT_MS    60000
#define STAY_LIMIT_S    300

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

static int say_ready(void)
{
    return puts("ready") < 0 || fflush(stdout) != 0;
}

static int wait_there(int argc, char **argv)
{
    (void)argv;
    if (argc != 1 || say_ready() != 0)
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

    (void)argv;
    if (argc != 1)
        return 1;
    for (int fd = 0; fd < 3; fd++)
        if (fstat(fd, &st) == 0)
            printf("%d %o %llu %llu\n", fd, st.st_mode & S_IFMT, (unsigned long long)st.st_rdev,
                   (unsigned long long)st.st_ino);
    printf("cwd %s\n", getcwd(cwd, sizeof cwd) != NULL ? cwd : "?");
    return fflush(stdout) != 0;
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

static bool ends_with(const void *data, size_t n, const char *end)
{
    return n >= strlen(end) && memcmp((const char *)data + n - strlen(end), end, strlen(end)) == 0;
}

static int ask(int argc, char **argv)
{
    long n = argc == 2 ? file_read(argv[1], content, sizeof content) : -1;
    int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    struct pollfd wait = {.fd = terminal, .events = POLLIN};
    unsigned char answer[4096];
    ssize_t got = 0, more;
    bool waits = n > 0 && ends_with(content, (size_t)n, STATUS_QUESTION);

    if (terminal < 0 || n < 0)
        return 1;
    raw_mode(terminal);
    dprintf(terminal, "ready\r\n");
    if (write(terminal, content, (size_t)n) != n)
        return 1;
    while (got < (ssize_t)sizeof answer &&
           poll(&wait, 1, waits ? ANSWER_WAIT_MS : MORE_WAIT_MS) == 1) {
        more = read(terminal, answer + got, sizeof answer - (size_t)got);
        if (more <= 0)
            break;
        got += more;
        waits = waits && !ends_with(answer, (size_t)got, STATUS_ANSWER);
    }
    dprintf(terminal, "\r\nanswer:");
    for (ssize_t i = 0; i < got; i++)
        dprintf(terminal, "%02x", answer[i]);
    return dprintf(terminal, ":\r\n") < 0;
}

static int modes(int argc, char **argv)
{
    long n = argc == 2 ? file_read(argv[1], content, sizeof content) : -1;

    if (n < 0)
        return 1;
    raw_mode(0);
    if (write(1, content, (size_t)n) != n || say_ready() != 0)
        return 1;
    stay();
    return 0;
}

static int find(int argc, char **argv)
{
    const struct timespec nap = {.tv_nsec = 5000000};
    char text[4096] = "", path[64], *save = NULL;
    int found = 0;

    if (argc != 2 || say_ready() != 0)
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
