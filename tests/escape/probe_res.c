// SPDX-License-Identifier: GPL-3.0-only
/*
 * probe_res: limits. The bombs are bounded: they stop where a limit should have stopped them.
 */
#include "probe.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>

#define PROCESSES_PUBLISHED 4096
#define PROCESSES_LOCKDOWN  1024
#define PROCESSES_MORE      64
#define PROCESSES_FORKED    128
#define NOFILE_PUBLISHED    65536
#define NOFILE_LOCKDOWN     4096
#define MIB                 (1024L * 1024)
/* A tmpfs up to this size is filled, of larger ones only the size is checked. */
#define FILL_MAX        (128 * MIB)
#define INSTANCES_TRIED 70000
/* The kernel has some three thousand terminals for all the jails of the machine: others, above all
 * other tests, need some at the same time. */
#define TERMINALS_MAX 1500

static void *thread_body(void *argument)
{
    for (;;)
        pause();
    return argument;
}

/* Threads count like processes and cost less: the first few are processes, the rest threads. */
static long multiply(unsigned limit, unsigned *count)
{
    static pid_t children[PROCESSES_FORKED];
    pthread_attr_t small;
    pthread_t thread;
    long rc = 0;

    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 16384);
    for (*count = 0; *count < limit && rc == 0; ++*count) {
        if (*count >= PROCESSES_FORKED)
            rc = -(long)pthread_create(&thread, &small, thread_body, NULL);
        else if ((children[*count] = trial_child()) < 0)
            rc = -errno;
    }
    for (unsigned i = 0; i < PROCESSES_FORKED; i++)
        trial_reap(children[i]);
    return rc;
}

/* Only where the PID namespace is an own one: all of it goes with the probe. */
static void process_bomb(struct trial *t)
{
    struct stat st;
    unsigned limit = t->lockdown ? PROCESSES_LOCKDOWN : PROCESSES_PUBLISHED;
    unsigned count;
    long rc;

    if (stat("/proc/self/ns/pid", &st) < 0 || (long)st.st_ino == fact_number("pid_ns")) {
        trial_must(t, false, "no PID namespace of its own");
        return;
    }
    rc = multiply(limit + PROCESSES_MORE, &count);
    trial_call(t, 0, rc, "number %u", count);
}

static long published_size(unsigned long divisor, long least, long most)
{
    struct sysinfo info;
    unsigned long ram;

    sysinfo(&info);
    ram = info.totalram * info.mem_unit / divisor;
    return (long)ram < least ? least : (long)ram > most ? most : (long)ram;
}

static long fill(const char *dir, long limit)
{
    static char block[MIB];
    char path[PATH_MAX + 16];
    long rc = 0, written = 0;
    int fd;

    snprintf(path, sizeof path, "%s/escape-fill", dir);
    fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    while (written <= limit && rc >= 0) {
        rc = RESULT(write(fd, block, sizeof block));
        written += rc > 0 ? rc : 0;
    }
    close(fd);
    unlink(path);
    return rc;
}

static void fill_places(struct trial *t)
{
    const long quarter = published_size(4, 256 * MIB, 8192 * MIB);
    char home[PATH_MAX];
    const struct {
        const char *dir;
        long size;
    } places[] = {{home, quarter},       {"/tmp", quarter},
                  {"/run", 64 * MIB},    {"/var", 64 * MIB},
                  {"/var/tmp", quarter}, {"/dev/shm", published_size(4, 64 * MIB, 4096 * MIB)}};
    struct statvfs st;

    snprintf(home, sizeof home, "%s", fact("home"));
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        long size;
        if (statvfs(places[i].dir, &st) < 0) {
            trial_must(t, false, "statvfs(%s): %s", places[i].dir, strerror(errno));
            continue;
        }
        size = (long)(st.f_blocks * st.f_frsize);
        trial_must(t, size > 0 && size <= places[i].size + MIB, "%s: %ld MiB, published %ld",
                   places[i].dir, size / MIB, places[i].size / MIB);
        if (size > 0 && size <= FILL_MAX)
            trial_call(t, 0, fill(places[i].dir, places[i].size), "fill(%s)", places[i].dir);
    }
    trial_call(t, 1, fill("/", MIB), "fill(/)");
    trial_call(t, 1, fill("/dev", MIB), "fill(/dev)");
}

static long raise_limit(int resource, unsigned long more)
{
    struct rlimit limit;

    getrlimit(resource, &limit);
    if (limit.rlim_max == RLIM_INFINITY)
        return 0;
    limit.rlim_max += more;
    limit.rlim_cur = limit.rlim_max;
    return RESULT(setrlimit(resource, &limit));
}

static void limits(struct trial *t)
{
    struct rlimit files, core;
    long opened = 0;

    getrlimit(RLIMIT_NOFILE, &files);
    getrlimit(RLIMIT_CORE, &core);
    trial_must(t, files.rlim_max <= (t->lockdown ? NOFILE_LOCKDOWN : NOFILE_PUBLISHED),
               "NOFILE hard is %lu", (unsigned long)files.rlim_max);
    trial_must(t, core.rlim_max == 0, "CORE hard is %lu", (unsigned long)core.rlim_max);
    while (opened >= 0)
        opened = RESULT(open("/dev/null", O_RDONLY | O_CLOEXEC));
    trial_call(t, 0, opened, "open until it fails");
    trial_call(t, 1, raise_limit(RLIMIT_NOFILE, 1), "setrlimit(NOFILE)");
    trial_call(t, 1, raise_limit(RLIMIT_NPROC, 1), "setrlimit(NPROC)");
    trial_call(t, 1, raise_limit(RLIMIT_CORE, 1), "setrlimit(CORE)");
}

/* Own budgets run out; that the supervisor still ends the run is seen by the harness. */
static void budgets(struct trial *t)
{
    struct rlimit limit;
    long rc = 0;
    unsigned n;

    for (n = 0; n < INSTANCES_TRIED && rc >= 0; n++)
        rc = RESULT(inotify_init1(IN_CLOEXEC));
    trial_call(t, 0, rc, "inotify_init number %u", n);
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = TERMINALS_MAX;
    setrlimit(RLIMIT_NOFILE, &limit);
    for (n = 0, rc = 0; n < INSTANCES_TRIED && rc >= 0; n++)
        rc = RESULT(open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC));
    trial_call(t, 0, rc, "open(/dev/ptmx) number %u", n);
}

static void crash(struct trial *t)
{
    struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        setrlimit(RLIMIT_CORE, &all);
        if (chdir("/tmp") == 0)
            raise(SIGSEGV);
        _exit(0);
    }
    waitpid(pid, &status, 0);
    trial_must(t, !WIFSIGNALED(status) || !WCOREDUMP(status), "a core was dumped");
    if (t->control)
        trial_blind(t, "the core handler of this machine takes nothing");
    unlink("/tmp/core");
}

const struct probe probes_res[] = {
    {"E-RES-01", process_bomb, "EAGAIN", ONLY_USER | ALONE, CONTROL_BWRAP, NULL, "EAGAIN"},
    {"E-RES-02", fill_places, "ENOSPC; EROFS EACCES", EVERY | ALONE, CONTROL_NONE, NULL,
     "ENOSPC; EROFS EACCES"},
    {"E-RES-03", limits, "EMFILE; EPERM", EVERY, CONTROL_NONE, NULL, "EMFILE; EPERM"},
    {"E-RES-05", budgets, "EMFILE ENOSPC", ONLY_USER | ALONE, CONTROL_NONE, NULL, "EMFILE ENOSPC"},
    {"E-RES-06", crash, "", EVERY, CONTROL_SAME, NULL, ""},
    {0},
};
