// SPDX-License-Identifier: GPL-3.0-only
/*
 * probe: what the escape probes share.
 *
 * A probe is a row in one of the tables at the end of probe_*.c. Its function makes calls and
 * hands each result to trial_call(), which compares it with the outcomes the row accepts. Run
 * inside a jail a row comes out as "contained" or "escaped". The same function run outside is its
 * positive control: there it has to come out as "escaped", which proves that the probe works and
 * that the thing it attacks exists.
 *
 * Probes only do what is harmless if the jail fails to hold: the value that is there is written
 * back, objects that are not there are removed, own children are the targets of a control.
 */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <unistd.h>

/* Which runs a row belongs to. */
enum probe_mode {
    IN_DEFAULT = 1 << 0,  /* no option */
    IN_NETWORK = 1 << 1,  /* --network */
    BY_USER = 1 << 2,     /* started by an ordinary user */
    BY_ROOT = 1 << 3,     /* started by root */
    ON_TERMINAL = 1 << 4, /* started on a terminal */
    ALONE = 1 << 5,       /* in a jail of its own, started by name */
    NO_LANDLOCK = 1 << 6, /* the harness runs with --no-landlock */
    NO_SECCOMP = 1 << 7,  /* the harness runs with --no-seccomp */
    IN_LOCKDOWN = 1 << 8, /* --lockdown */
    NORMAL = IN_DEFAULT | IN_NETWORK | BY_USER | BY_ROOT,
    ONLY_LOCKDOWN = IN_LOCKDOWN | BY_USER | BY_ROOT,
    EVERY = NORMAL | IN_LOCKDOWN,
    ONLY_DEFAULT = IN_DEFAULT | IN_LOCKDOWN | BY_USER | BY_ROOT, /* no network of the host */
    ONLY_NETWORK = IN_NETWORK | BY_USER | BY_ROOT,
    ONLY_USER = IN_DEFAULT | IN_NETWORK | IN_LOCKDOWN | BY_USER,
    ONLY_ROOT = IN_DEFAULT | IN_NETWORK | IN_LOCKDOWN | BY_ROOT,
};

/* What the positive control of a row is. */
enum probe_control {
    CONTROL_NONE,  /* reverse control, statement, or nothing harmless exists */
    CONTROL_SAME,  /* the same user outside; a call must succeed */
    CONTROL_REACH, /* the same user outside; a call must end otherwise than accepted */
    CONTROL_ALL,   /* the same user outside; every call must succeed */
    CONTROL_ROOT,  /* as CONTROL_SAME, by root */
    CONTROL_ROOT_REACH,
    CONTROL_BWRAP,   /* as CONTROL_SAME, in a plain bubblewrap jail */
    CONTROL_HARNESS, /* the harness has its own */
};

struct trial;

struct probe {
    const char *id;
    void (*run)(struct trial *trial);
    /*
     * Accepted outcomes: a list of names per kind of call, lists separated by ';'. A name is an
     * errno, OK for success, or ZERO for a result of 0.
     */
    const char *accept;
    unsigned modes;
    enum probe_control control;
    const char *accept_no_landlock; /* NULL: as accept */
    const char *accept_no_seccomp;  /* NULL: not judged by errno in that run */
};

struct trial {
    const struct probe *probe;
    const char *accept;
    bool control; /* run outside, as a positive control */
    bool observe; /* layer switched off: errnos are reported, not judged */
    bool by_root;
    bool network; /* --network */
    bool lockdown;
    bool terminal;
    bool no_seccomp;
    bool no_landlock;
    unsigned calls;
    unsigned succeeded; /* calls that were not accepted and had succeeded */
    unsigned unaccepted;
    const char *blind; /* why it cannot be judged */
    char *notes;       /* JSON strings, comma separated */
    size_t notes_len;
    uint64_t errnos[3]; /* bit set of the errnos seen */
};

/* Table of one group, ended by an entry without id. */
extern const struct probe probes_fs[], probes_policy[], probes_proc[], probes_ptrace[], probes_ns[],
    probes_mount[], probes_kernel[], probes_socket[], probes_unix[], probes_signal[], probes_tty[],
    probes_fd[], probes_cap[], probes_abi[], probes_net[], probes_res[], probes_git[],
    probes_mask[], probes_lockdown[];

/* Turns the result of a libc call into 0 or positive, or a negative errno. */
#define RESULT(call) result_of((long)(call))
static inline long result_of(long rc)
{
    return rc < 0 ? -(long)errno : rc;
}

/* One call: rc (as RESULT) must be in list number list of the row. */
__attribute__((format(printf, 4, 5))) void trial_call(struct trial *trial, unsigned list, long rc,
                                                      const char *format, ...);
/* A statement that must hold. */
__attribute__((format(printf, 3, 4))) void trial_must(struct trial *trial, bool holds,
                                                      const char *format, ...);
/* The row says nothing here: reason is static. */
void trial_blind(struct trial *trial, const char *reason);

/*
 * Runs step(argument) in a forked child and returns what it returned; -EINTR if a signal ended it.
 * What changes a process (unshare, ptrace, credentials) is done there.
 */
long trial_fork(long (*step)(const void *argument), const void *argument);

/* Starts a child that sleeps until trial_reap(); never returns in the child. */
pid_t trial_child(void);
void trial_reap(pid_t pid);

/* Result of opening path and reading up to size bytes: bytes read or a negative errno. */
long file_read(const char *path, char *buf, size_t size);
/* Result of opening path for writing and writing text (nothing if NULL). */
long file_write(const char *path, const char *text);
/* Runs argv quietly; its exit status, 128 + signal, or a negative errno if it cannot be started. */
long program_run(const char *const argv[]);

/*
 * What the harness tells: NAME=VALUE lines of the file "facts" beside the program. fact() is never
 * NULL; fact_each() walks a ':' separated value and returns false at its end.
 */
const char *fact(const char *name);
long fact_number(const char *name);
bool fact_each(const char *name, size_t *at, char *item, size_t size);
/* The random token that must not be found inside; kept reversed in the facts. */
const char *fact_token(void);

/* Goes where files can be made: in lockdown that is not the project. */
void trial_go_where_writable(const struct trial *trial);

/* Directory of the program. */
const char *probe_dir(void);
/* Parent of the command, in the jail the launcher. */
extern pid_t probe_command_parent;
