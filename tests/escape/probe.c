// SPDX-License-Identifier: GPL-3.0-only
/*
 * probe: runs rows of the probe tables.
 *
 *   probe ID...            one row after the other, each in a process of its own; a --HELPER
 *                          behind them runs in the end
 *   probe --batch MODES    every row that belongs to MODES (letters of mode_letters)
 *   probe --control ID...  rows as positive controls, outside
 *   probe --list [MODES]   the rows: id, modes, control
 *   probe --HELPER ...     see helper.c
 *
 * Every row prints one line of JSON: id, calls, errno (all that were seen), verdict, notes. The
 * exit status is 0 if all were contained, else 1 if one escaped, else 2 if one cannot be judged.
 * In a control "escaped" is the good answer; the harness knows that.
 *
 * A row that dies from a signal, or does not end within its time, has escaped: a filter answers
 * with an errno.
 */
#include "probe.h"
#include "helper.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>

/* Seconds after which a row has failed. */
#define ROW_LIMIT_S 120
/* Bytes of notes kept per row: a row with thousands of calls must not flood the log. */
#define NOTES_MAX 4000

pid_t probe_command_parent;

static char program_dir[4096];
static char facts_text[65536];

static const struct probe *const groups[] = {
    /* First, before anything else has happened in the jail: the launcher's memory. */
    probes_proc,  probes_fs,     probes_policy,   probes_ptrace, probes_ns,
    probes_mount, probes_kernel, probes_socket,   probes_unix,   probes_tty,
    probes_fd,    probes_cap,    probes_abi,      probes_net,    probes_res,
    probes_git,   probes_mask,   probes_lockdown, probes_signal,
};
#define GROUP_COUNT (sizeof groups / sizeof *groups)

static const struct {
    char letter;
    unsigned bit;
} mode_letters[] = {
    {'D', IN_DEFAULT},  {'N', IN_NETWORK},  {'U', BY_USER},
    {'R', BY_ROOT},     {'T', ON_TERMINAL}, {'A', ALONE},
    {'L', NO_LANDLOCK}, {'S', NO_SECCOMP},  {'K', IN_LOCKDOWN},
};

static const char *const control_names[] = {
    [CONTROL_NONE] = "none",   [CONTROL_SAME] = "same",       [CONTROL_REACH] = "reach",
    [CONTROL_ALL] = "all",     [CONTROL_ROOT] = "root",       [CONTROL_ROOT_REACH] = "root-reach",
    [CONTROL_BWRAP] = "bwrap", [CONTROL_HARNESS] = "harness",
};

static const struct {
    int number;
    const char *name;
} errno_names[] = {
#define NAME(e)                                                                                    \
    {                                                                                              \
        e, #e                                                                                      \
    }
    NAME(EPERM),        NAME(ENOENT),       NAME(ESRCH),           NAME(EINTR),
    NAME(EIO),          NAME(ENXIO),        NAME(E2BIG),           NAME(ENOEXEC),
    NAME(EBADF),        NAME(ECHILD),       NAME(EAGAIN),          NAME(ENOMEM),
    NAME(EACCES),       NAME(EFAULT),       NAME(EBUSY),           NAME(EEXIST),
    NAME(EXDEV),        NAME(ENODEV),       NAME(ENOTDIR),         NAME(EISDIR),
    NAME(EINVAL),       NAME(ENFILE),       NAME(EMFILE),          NAME(ENOTTY),
    NAME(ETXTBSY),      NAME(EFBIG),        NAME(ENOSPC),          NAME(EROFS),
    NAME(EPIPE),        NAME(ENOSYS),       NAME(ENOTEMPTY),       NAME(ELOOP),
    NAME(ENODATA),      NAME(EOVERFLOW),    NAME(EUSERS),          NAME(ENOTSOCK),
    NAME(EPROTOTYPE),   NAME(ENOPROTOOPT),  NAME(EPROTONOSUPPORT), NAME(ESOCKTNOSUPPORT),
    NAME(EOPNOTSUPP),   NAME(EAFNOSUPPORT), NAME(EADDRINUSE),      NAME(EADDRNOTAVAIL),
    NAME(ENETUNREACH),  NAME(ECONNREFUSED), NAME(EHOSTUNREACH),    NAME(EINPROGRESS),
    NAME(ETIMEDOUT),    NAME(EDQUOT),       NAME(ENOKEY),          NAME(ENOTCONN),
    NAME(EDESTADDRREQ), NAME(ECONNRESET),   NAME(EISCONN),         NAME(EKEYREVOKED),
    NAME(ENAMETOOLONG), NAME(ENOBUFS),      NAME(EMSGSIZE),        NAME(EDOM),
#undef NAME
};

static const char *errno_name(long number, char text[static 24])
{
    for (size_t i = 0; i < sizeof errno_names / sizeof *errno_names; i++)
        if (errno_names[i].number == number)
            return errno_names[i].name;
    snprintf(text, 24, "E%ld", number);
    return text;
}

/* True if the word of len bytes stands for the outcome rc. */
static bool word_accepts(const char *word, size_t len, long rc)
{
    char number[24];
    const char *name;

    if (rc >= 0)
        name = rc == 0 && len == 4 ? "ZERO" : "OK";
    else
        name = errno_name(-rc, number);
    return strlen(name) == len && memcmp(name, word, len) == 0;
}

/* True if list number list of accept holds rc; the last list stands for all that follow. */
static bool list_accepts(const char *accept, unsigned list, long rc)
{
    const char *next;

    while (list > 0 && (next = strchr(accept, ';')) != NULL) {
        accept = next + 1;
        list--;
    }
    for (;;) {
        accept += strspn(accept, " ");
        size_t len = strcspn(accept, " ;");
        if (len == 0)
            return false;
        if (word_accepts(accept, len, rc))
            return true;
        accept += len;
    }
}

/* Appends one JSON string to the notes. */
static void note(struct trial *trial, const char *text)
{
    size_t need = strlen(text) * 6 + 4;
    char *out;

    if (trial->notes_len > NOTES_MAX)
        return;
    out = realloc(trial->notes, trial->notes_len + need);
    if (out == NULL)
        abort();
    trial->notes = out;
    out += trial->notes_len;
    if (trial->notes_len > 0)
        *out++ = ',';
    *out++ = '"';
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\' || c < 0x20 || c >= 0x7f)
            out += sprintf(out, "\\u%04x", c);
        else
            *out++ = (char)c;
    }
    *out++ = '"';
    *out = '\0';
    trial->notes_len = (size_t)(out - trial->notes);
}

void trial_call(struct trial *trial, unsigned list, long rc, const char *format, ...)
{
    char what[512], line[600], number[24];
    bool accepted = list_accepts(trial->accept, list, rc);
    va_list args;

    trial->calls++;
    if (rc < 0 && -rc < 192)
        trial->errnos[-rc / 64] |= UINT64_C(1) << (-rc % 64);
    if (accepted && !trial->observe)
        return;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    snprintf(line, sizeof line, "%s: %s", what, rc >= 0 ? "OK" : errno_name(-rc, number));
    note(trial, line);
    if (accepted || trial->observe)
        return;
    trial->unaccepted++;
    if (rc >= 0)
        trial->succeeded++;
}

void trial_must(struct trial *trial, bool holds, const char *format, ...)
{
    char line[600];
    va_list args;

    trial->calls++;
    if (holds)
        return;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    note(trial, line);
    if (trial->observe)
        return;
    trial->unaccepted++;
    trial->succeeded++;
}

void trial_blind(struct trial *trial, const char *reason)
{
    trial->blind = reason;
    note(trial, reason);
}

long trial_fork(long (*step)(const void *argument), const void *argument)
{
    long rc = -EINTR;
    int ends[2], status;
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC) < 0)
        return -errno;
    pid = fork();
    if (pid == 0) {
        rc = step(argument);
        if (write(ends[1], &rc, sizeof rc) != sizeof rc)
            _exit(1);
        _exit(0);
    }
    close(ends[1]);
    if (pid < 0 || read(ends[0], &rc, sizeof rc) != sizeof rc)
        rc = pid < 0 ? -errno : -EINTR;
    close(ends[0]);
    if (pid > 0)
        waitpid(pid, &status, 0);
    return rc;
}

pid_t trial_child(void)
{
    pid_t pid = fork();

    if (pid == 0) {
        alarm(ROW_LIMIT_S);
        for (;;)
            pause();
    }
    return pid;
}

void trial_reap(pid_t pid)
{
    if (pid <= 0)
        return;
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

void trial_go_where_writable(const struct trial *trial)
{
    if (trial->lockdown && !trial->control && chdir("/tmp") < 0)
        abort();
}

long file_read(const char *path, char *buf, size_t size)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    size_t have = 0;
    long rc;

    if (fd < 0)
        return -errno;
    /* A file of /proc gives a page at a time. */
    do {
        rc = RESULT(read(fd, buf + have, size - have));
        have += rc > 0 ? (size_t)rc : 0;
    } while (rc > 0 && have < size);
    close(fd);
    return have ? (long)have : rc;
}

long file_write(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    long rc = 0;

    if (fd < 0)
        return -errno;
    if (text != NULL)
        rc = RESULT(write(fd, text, strlen(text)));
    close(fd);
    return rc;
}

long program_run(const char *const argv[])
{
    int status, fd;
    pid_t pid = fork();

    if (pid < 0)
        return -errno;
    if (pid == 0) {
        fd = open("/dev/null", O_RDWR);
        for (int i = 0; i < 3 && fd >= 0; i++)
            dup2(fd, i);
        /* execvp would give what the kernel cannot start to a shell. */
        if (strchr(argv[0], '/') != NULL)
            execv(argv[0], (char *const *)(uintptr_t)argv);
        else
            execvp(argv[0], (char *const *)(uintptr_t)argv);
        _exit(errno == ENOENT ? 127 : 126);
    }
    if (waitpid(pid, &status, 0) < 0)
        return -errno;
    status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return status == 127 ? -ENOENT : status;
}

/* Facts */

static void facts_load(const char *program)
{
    char path[4200];
    const char *slash = strrchr(program, '/');
    long n;

    snprintf(program_dir, sizeof program_dir, "%.*s", slash ? (int)(slash - program) : 1,
             slash ? program : ".");
    snprintf(path, sizeof path, "%s/facts", program_dir);
    n = file_read(path, facts_text, sizeof facts_text - 1);
    facts_text[n > 0 ? n : 0] = '\0';
}

const char *probe_dir(void)
{
    return program_dir;
}

const char *fact(const char *name)
{
    static char values[8][16384];
    static unsigned turn;
    size_t len = strlen(name);

    for (const char *line = facts_text; line != NULL && *line != '\0';) {
        const char *end = line + strcspn(line, "\n");
        if (strncmp(line, name, len) == 0 && line[len] == '=') {
            char *value = values[turn++ % 8];
            snprintf(value, sizeof values[0], "%.*s", (int)(end - line - (long)len - 1),
                     line + len + 1);
            return value;
        }
        line = *end == '\n' ? end + 1 : NULL;
    }
    return "";
}

long fact_number(const char *name)
{
    return strtol(fact(name), NULL, 10);
}

bool fact_each(const char *name, size_t *at, char *item, size_t size)
{
    const char *value = fact(name);
    size_t len;

    if (*at >= strlen(value))
        return false;
    value += *at;
    len = strcspn(value, ":");
    snprintf(item, size, "%.*s", (int)len, value);
    *at += len + (value[len] == ':');
    return true;
}

const char *fact_token(void)
{
    static char token[128];
    const char *reversed = fact("token_reversed");
    size_t len = strlen(reversed);

    for (size_t i = 0; i < len && i < sizeof token - 1; i++)
        token[i] = reversed[len - 1 - i];
    return token;
}

/* Running rows */

static unsigned modes_parse(const char *letters)
{
    unsigned modes = 0;

    for (; *letters != '\0'; letters++)
        for (size_t i = 0; i < sizeof mode_letters / sizeof *mode_letters; i++)
            if (mode_letters[i].letter == *letters)
                modes |= mode_letters[i].bit;
    return modes;
}

/* True if the row belongs to a batch with these modes. */
static bool row_matches(const struct probe *row, unsigned modes)
{
    const unsigned network = IN_DEFAULT | IN_NETWORK | IN_LOCKDOWN, who = BY_USER | BY_ROOT;

    return (row->modes & modes & network) != 0 && (row->modes & modes & who) != 0 &&
           (row->modes & ON_TERMINAL) == (modes & ON_TERMINAL) &&
           (row->modes & ALONE) == (modes & ALONE);
}

/* The layer-off runs judge errnos only where the row names them. */
static void trial_start(struct trial *trial, const struct probe *row, bool control)
{
    unsigned modes = modes_parse(fact("modes"));

    *trial = (struct trial){.probe = row, .accept = row->accept, .control = control};
    trial->by_root = geteuid() == 0;
    trial->network = (modes & IN_NETWORK) != 0;
    trial->lockdown = (modes & IN_LOCKDOWN) != 0;
    trial->terminal = (modes & ON_TERMINAL) != 0;
    if (control)
        return;
    trial->no_landlock = (modes & NO_LANDLOCK) != 0;
    trial->no_seccomp = (modes & NO_SECCOMP) != 0;
    if (trial->no_landlock && row->accept_no_landlock != NULL)
        trial->accept = row->accept_no_landlock;
    if (trial->no_seccomp && row->accept_no_seccomp != NULL)
        trial->accept = row->accept_no_seccomp;
    else if (trial->no_seccomp)
        trial->observe = true;
}

/* Verdict and exit status of a finished trial. */
static int trial_verdict(const struct trial *trial, const char **verdict)
{
    bool reach =
        trial->probe->control == CONTROL_REACH || trial->probe->control == CONTROL_ROOT_REACH;
    bool escaped = trial->unaccepted > 0;

    if (trial->control && trial->probe->control == CONTROL_ALL)
        escaped = trial->calls > 0 && trial->succeeded == trial->calls;
    else if (trial->control && !reach)
        escaped = trial->succeeded > 0;
    if (trial->blind != NULL && !escaped) {
        *verdict = "cannot judge";
        return 2;
    }
    *verdict = escaped ? "escaped" : trial->observe ? "observed" : "contained";
    return escaped ? 1 : 0;
}

static void line_print(const char *id, unsigned calls, const char *errnos, const char *verdict,
                       const char *notes)
{
    printf("{\"id\":\"%s\",\"calls\":%u,\"errno\":[%s],\"verdict\":\"%s\",\"notes\":[%s]}\n", id,
           calls, errnos, verdict, notes ? notes : "");
    fflush(stdout);
}

static int trial_report(const struct trial *trial)
{
    char errnos[4096] = "", number[24];
    size_t len = 0;
    const char *verdict;
    int status = trial_verdict(trial, &verdict);

    for (int e = 1; e < 192; e++)
        if (trial->errnos[e / 64] & (UINT64_C(1) << (e % 64)))
            len += (size_t)snprintf(errnos + len, sizeof errnos - len, "%s\"%s\"",
                                    len > 0 ? "," : "", errno_name(e, number));
    line_print(trial->probe->id, trial->calls, errnos, verdict, trial->notes);
    return status;
}

/* What a control does outside as root can succeed: it must not be the machine whose mounts change.
 * Where /tmp is a mount, for example, pivot_root works. */
static bool mounts_are_own(void)
{
    return geteuid() != 0 ||
           (unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0);
}

/* One row in a process of its own. */
static int row_run(const struct probe *row, bool control)
{
    struct trial trial;
    int status;
    pid_t pid;

    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        alarm(ROW_LIMIT_S);
        trial_start(&trial, row, control);
        if (control && !mounts_are_own())
            trial_blind(&trial, "no mount namespace outside");
        else
            row->run(&trial);
        _exit(trial_report(&trial));
    }
    if (pid < 0 || waitpid(pid, &status, 0) < 0) {
        line_print(row->id, 0, "", "escaped", "\"the probe could not be started\"");
        return 1;
    }
    if (WIFSIGNALED(status)) {
        char text[64];
        snprintf(text, sizeof text, "\"signal %d ended the probe\"", WTERMSIG(status));
        line_print(row->id, 0, "", control ? "cannot judge" : "escaped", text);
        return control ? 2 : 1;
    }
    return WEXITSTATUS(status);
}

/* 1 beats 2 beats 0. */
static int status_worse(int a, int b)
{
    return a == 1 || b == 1 ? 1 : a > b ? a : b;
}

static int batch_run(unsigned modes)
{
    int worst = 0;

    for (size_t g = 0; g < GROUP_COUNT; g++)
        for (const struct probe *row = groups[g]; row->id != NULL; row++)
            if (row_matches(row, modes))
                worst = status_worse(worst, row_run(row, false));
    return worst;
}

/* An id may have several rows, for different modes; the facts say which one is meant. */
static int named_run(const char *id, bool control)
{
    unsigned modes = modes_parse(fact("modes")) | (geteuid() == 0 ? BY_ROOT : BY_USER);
    int worst = 0;
    bool found = false;

    for (size_t g = 0; g < GROUP_COUNT; g++)
        for (const struct probe *row = groups[g]; row->id != NULL; row++)
            if (strcmp(row->id, id) == 0 &&
                (row->modes & modes & (IN_DEFAULT | IN_NETWORK | IN_LOCKDOWN)) != 0) {
                found = true;
                worst = status_worse(worst, row_run(row, control));
            }
    if (!found)
        line_print(id, 0, "", "cannot judge", "\"no such probe in this mode\"");
    return found ? worst : 2;
}

static void row_list(unsigned modes)
{
    for (size_t g = 0; g < GROUP_COUNT; g++) {
        for (const struct probe *row = groups[g]; row->id != NULL; row++) {
            if (modes != 0 && !row_matches(row, modes))
                continue;
            printf("%s ", row->id);
            for (size_t i = 0; i < sizeof mode_letters / sizeof *mode_letters; i++)
                if (row->modes & mode_letters[i].bit)
                    putchar(mode_letters[i].letter);
            printf(" %s\n", control_names[row->control]);
        }
    }
}

int main(int argc, char **argv)
{
    int worst = 0, status;
    bool control = argc > 1 && strcmp(argv[1], "--control") == 0;

    probe_command_parent = getppid();
    facts_load(argv[0]);
    if (argc > 1 && helper_run(argc - 1, argv + 1, &status))
        return status;
    if (argc > 1 && strcmp(argv[1], "--list") == 0) {
        row_list(argc > 2 ? modes_parse(argv[2]) : 0);
        return 0;
    }
    if (argc > 2 && strcmp(argv[1], "--batch") == 0)
        return batch_run(modes_parse(argv[2]));
    if (argc < 2 || (control && argc < 3) || (!control && argv[1][0] == '-')) {
        fprintf(stderr, "usage: probe [--control] ID... | --batch MODES | --list [MODES]\n");
        return 2;
    }
    for (int i = control ? 2 : 1; i < argc; i++) {
        if (helper_run(argc - i, argv + i, &status))
            return status;
        worst = status_worse(worst, named_run(argv[i], control));
    }
    return worst;
}
