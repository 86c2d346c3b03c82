// SPDX-License-Identifier: GPL-3.0-only
/*
 * host: facts about the machine and the caller, read once at the start.
 *
 * Everything up to the session is a pure function of the command line and of this struct; tests
 * fill it by hand. Nothing here changes the host.
 */
#pragma once

#include "base/error.h"
#include "base/fs.h"
#include "base/fs_cache.h"
#include "base/note.h"
#include "base/strv.h"

#include <sys/types.h>

/* What the trusted bubblewrap can do beyond the options that are required. */
struct host_bwrap {
    char *path; /* canonical; NULL: none was found, why says the rest */
    int fd;     /* O_PATH descriptor of the checked file, -1 in tests */
    bool has_disable_userns;
    bool has_cgroup_try;
    bool has_bind_fd; /* --bind-fd and --ro-bind-fd */
    struct error why;
};

/* What a run under macOS' sandbox-exec has that the policy must know. */
struct host_macos {
    bool is_on;     /* the policy is made for that back end; everything else is unset without it */
    char *tmp;      /* the run's own directory for temporary files; need not exist yet */
    uint16_t port;  /* of the proxy, on the host's loopback */
    char *password; /* of the proxy, made for the run; NULL: of a dry run */
    int listener;   /* that has this port, 0: none */
};

struct host {
    const struct fs *fs;    /* borrowed, or cache's */
    struct fs_cache *cache; /* NULL in tests */
    uid_t uid;              /* effective */
    gid_t gid;
    gid_t *groups; /* supplementary groups */
    size_t group_count;
    char *home;          /* canonical; never "/" */
    char *home_spelling; /* as HOME said it, cleaned */
    char *cwd;           /* canonical working directory */
    char *cwd_spelling;  /* as PWD said it if that is the same directory, else cwd */
    struct strv environ; /* NAME=VALUE, as inherited */
    char *exe;           /* canonical path of this program; NULL if unknown */
    char *machine_id;    /* text of /etc/machine-id or a host id; "" if none */
    uint64_t ram_bytes;
    uint64_t user_tasks; /* tasks of this uid at launch (for NPROC before Linux 5.14) */
    unsigned kernel[2];  /* major, minor */
    int landlock_abi;    /* 0: not available */
    bool has_seccomp;    /* seccomp filters can be installed */
    bool is_tty[3];      /* descriptor 0, 1, 2 is a terminal */
    uint64_t sigignore;  /* bit N-1: signal N is ignored by the caller */
    uint64_t sigmask;    /* bit N-1: signal N is blocked by the caller */
    struct host_bwrap bwrap;
    struct host_macos macos;
    int (*random)(void *bytes, size_t len); /* fills; 0 or -errno. NULL: there is none, in tests */
};

/*
 * Reads the facts. Fails (text in error) when HOME or the working directory is unusable. Does not
 * look for bubblewrap. The caller's signals are noted before two of them change: SIGCHLD, ignored,
 * would make the kernel reap our children unseen, and SIGXFSZ would end us without a word.
 */
int host_read(struct host *host, struct error *error);

/*
 * Finds and checks bubblewrap and learns its options by running `bwrap --help` once (the answer is
 * cached in the state directory unless use_cache is false). 0, or -errno with host->bwrap.why
 * filled. A rejected $BWRAP_BIN adds a security note.
 */
int host_find_bwrap(struct host *host, bool use_cache, struct notes *notes);

/*
 * What runs a jail on this system, found and checked: bubblewrap, or sandbox-exec. Nothing to do where a
 * dry run shows the other system. is_run: a command will be started. 0 or -errno.
 */
int host_find_backend(struct host *host, bool is_run, struct notes *notes, struct error *error);

/* For host_read() alone: the facts that each system tells in its own way. */
void host_read_machine(struct host *host);

void host_free(struct host *host);

/* Value of an inherited variable or NULL. Borrowed from host. */
const char *host_getenv(const struct host *host, const char *name);
/* Our own directory for what is remembered between runs; it need not exist. malloc'ed. */
char *host_state_dir(const struct host *host);
