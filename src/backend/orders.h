// SPDX-License-Identifier: GPL-3.0-only
/*
 * orders: what the launcher inside the jail is told, as one block of bytes in a sealed memfd.
 *
 * Encoded outside by orders_encode(), decoded inside by orders_decode(). Both sides are built from
 * this file. The block is written by us alone, but the decoder checks every length all the same.
 */
#pragma once

#include "base/buf.h"

#include <stdint.h>

/* Descriptors of the launcher, fixed numbers (its argv is fixed too). */
enum launcher_fd {
    LAUNCHER_FD_CONTROL = 3, /* SOCK_SEQPACKET to the supervisor */
    LAUNCHER_FD_ORDERS = 4,
    LAUNCHER_FD_SELF = 5,  /* the memfd it was started from */
    LAUNCHER_FD_STDIO = 6, /* 6, 7, 8: what becomes 0, 1, 2 (unless taken by the PTY) */
};

enum orders_flag {
    ORDERS_LANDLOCK = 1 << 0,
    ORDERS_RLIMITS = 1 << 1,
    ORDERS_SECCOMP = 1 << 2,   /* bubblewrap installed the filter: self-test it */
    ORDERS_PTY_STDIN = 1 << 3, /* descriptor 0 becomes the PTY slave */
    ORDERS_PTY_STDOUT = 1 << 4,
    ORDERS_PTY_STDERR = 1 << 5,
    ORDERS_FOREGROUND = 1 << 6, /* the command starts in the foreground of the PTY */
    ORDERS_NETWORK_OFF = 1 << 7,
    ORDERS_ALLOW_DEBUG = 1 << 8,
    ORDERS_STRICT = 1 << 9, /* a rule or limit that cannot be set ends the start */
    ORDERS_TRIAL = 1 << 10, /* no command: the walls are tried from inside (--doctor) */
};
#define ORDERS_PTY       (ORDERS_PTY_STDIN | ORDERS_PTY_STDOUT | ORDERS_PTY_STDERR)
#define ORDERS_FLAGS_ALL ((ORDERS_TRIAL << 1) - 1)

/* Above what the kernel takes for argv and environment together (6 MiB) plus any plan's rules. */
#define ORDERS_MAX (16 * MIB)

/* Ports of the jail's loopback that the launcher listens on and hands out. */
#define ORDERS_LISTEN_MAX 32
/* The proxy's: of 127.0.0.1 alone, the others of ::1, too. */
#define ORDERS_PROXY_PORT 15919

/* One path-beneath rule; access holds the bits of <linux/landlock.h>, already cut to the ABI. */
struct orders_rule {
    uint64_t access;
    char *path; /* inside the jail */
};

struct orders {
    uint32_t flags;
    uint64_t handled_fs; /* Landlock: attributes of the ruleset */
    uint64_t handled_net;
    uint64_t scoped;
    uint64_t fd_access; /* rights for the objects behind 0-2 (cut to what each is opened for) */
    uint64_t nproc;     /* UINT64_MAX: leave alone */
    uint64_t nofile_hard;
    uint64_t core;
    uint64_t fsize;
    uint32_t umask_bits; /* the caller's umask */
    uint64_t sigignore;  /* bit N-1: signal N is ignored by the caller and stays so */
    uint64_t sigmask;    /* bit N-1: signal N is blocked by the caller and stays so */
    uint32_t listen_count;
    /* Ports, each once; the unused ones are 0. Where Landlock handles TCP, the command may connect to
     * these and to no other. */
    uint16_t listen[ORDERS_LISTEN_MAX];
    char *cwd;
    char **argv; /* NULL-terminated */
    char **env;
    struct orders_rule *rules;
    size_t rule_count;
    char *mise;        /* program that is asked for the environment; NULL or "": none */
    char **mise_fixed; /* names that its answer does not change */
    uint32_t mise_ms;  /* how long it may take */
};

/* Appends the encoded block. 0, or -ENOSPC when out's maximum or ORDERS_MAX would be passed; out
 * then holds a part that orders_decode() refuses. Missing cwd, argv or env count as empty. */
int orders_encode(const struct orders *orders, struct buf *out);
/* Decodes a block of exactly len bytes. Strings point into bytes, which must live as long and may
 * be changed; the arrays argv, env, rules and mise_fixed are malloc'ed (the launcher keeps them for
 * life). Accepts only known flags, an absolute cwd, at least one word of argv, absolute rule paths, an
 * absolute program or none, and nothing behind the last string. 0, or -EBADMSG with orders zeroed. */
int orders_decode(struct orders *orders, char *bytes, size_t len);
