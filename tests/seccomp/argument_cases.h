// SPDX-License-Identifier: GPL-3.0-only
/*
 * argument_cases: calls that depend on their arguments, at the edges of each rule.
 *
 * Written down independently of the generator's table, like expected.h.
 */
#pragma once

#include "seccomp/expected.h"

#include <stdint.h>

enum { ALLOWED = 0 };

/* One call with arguments. Evaluated in every program of where; again with the upper halves of the
 * arguments filled in several ways, which must change nothing. */
struct argument_case {
    struct numbered call;
    unsigned where;
    int refusal; /* ALLOWED or errno */
    uint64_t args[6];
};

/* clang-format off */
#define CLONE       {"clone", 56, 220}
#define UNSHARE     {"unshare", 272, 97}
#define PERSONALITY {"personality", 135, 92}
#define SOCKET      {"socket", 41, 198}
#define SOCKETPAIR  {"socketpair", 53, 199}
#define IOCTL       {"ioctl", 16, 29}
#define CHMOD       {"chmod", 90, -1}
#define FCHMOD      {"fchmod", 91, 52}
#define FCHMODAT    {"fchmodat", 268, 53}
#define FCHMODAT2   {"fchmodat2", 452, 452}
#define CREAT       {"creat", 85, -1}
#define MKNOD       {"mknod", 133, -1}
#define MKNODAT     {"mknodat", 259, 33}
#define OPEN        {"open", 2, -1}
#define OPENAT      {"openat", 257, 56}
#define OPENAT2     {"openat2", 437, 437}
/* clang-format on */

static const struct argument_case argument_cases[] = {
    /* P-SEC-2: what fork, vfork and pthread_create pass is fine, each namespace is not. */
    {CLONE, IN_ALL, ALLOWED, {0x11}},
    {CLONE, IN_ALL, ALLOWED, {0x1200011}},
    {CLONE, IN_ALL, ALLOWED, {0x4111}},
    {CLONE, IN_ALL, ALLOWED, {0x3d0f00}},
    {CLONE, IN_ALL, ALLOWED, {0x80}},
    {CLONE, IN_ALL, ALLOWED, {0x81fdffff}},
    {CLONE, IN_ALL, ALLOWED, {0x11, 0x10000000, 0x10000000, 0x10000000, 0x10000000, 0x10000000}},
    {CLONE, IN_TABLE, EPERM, {0x00020011}},
    {CLONE, IN_TABLE, EPERM, {0x02000011}},
    {CLONE, IN_TABLE, EPERM, {0x04000011}},
    {CLONE, IN_TABLE, EPERM, {0x08000011}},
    {CLONE, IN_TABLE, EPERM, {0x10000011}},
    {CLONE, IN_TABLE, EPERM, {0x20000011}},
    {CLONE, IN_TABLE, EPERM, {0x40000011}},
    {CLONE, IN_TABLE, EPERM, {0xffffffff}},
    {CLONE, IN_MOUNTER, ALLOWED, {0x10000011}},
    {UNSHARE, IN_ALL, ALLOWED, {0}},
    {UNSHARE, IN_ALL, ALLOWED, {0x600}},
    {UNSHARE, IN_ALL, ALLOWED, {0x81fdff7f}},
    {UNSHARE, IN_TABLE, EPERM, {0x80}},
    {UNSHARE, IN_TABLE, EPERM, {0x00020000}},
    {UNSHARE, IN_TABLE, EPERM, {0x02000000}},
    {UNSHARE, IN_TABLE, EPERM, {0x04000000}},
    {UNSHARE, IN_TABLE, EPERM, {0x08000000}},
    {UNSHARE, IN_TABLE, EPERM, {0x10000000}},
    {UNSHARE, IN_TABLE, EPERM, {0x20000000}},
    {UNSHARE, IN_TABLE, EPERM, {0x40000000}},
    {UNSHARE, IN_MOUNTER, ALLOWED, {0x00020000}},
    /* P-SEC-16. */
    {PERSONALITY, IN_ALL, ALLOWED, {0}},
    {PERSONALITY, IN_ALL, ALLOWED, {0x8}},
    {PERSONALITY, IN_ALL, ALLOWED, {0x20000}},
    {PERSONALITY, IN_ALL, ALLOWED, {0x20008}},
    {PERSONALITY, IN_ALL, ALLOWED, {0xffffffff}},
    {PERSONALITY, IN_STRICT, EPERM, {0x40000}},
    {PERSONALITY, IN_DEBUG, ALLOWED, {0x40000}},
    {PERSONALITY, IN_TABLE, EPERM, {0x40008}},
    {PERSONALITY, IN_TABLE, EPERM, {0x400000}},
    {PERSONALITY, IN_TABLE, EPERM, {0x200000}},
    {PERSONALITY, IN_TABLE, EPERM, {0x1}},
    {PERSONALITY, IN_TABLE, EPERM, {0x7}},
    {PERSONALITY, IN_TABLE, EPERM, {0x9}},
    {PERSONALITY, IN_TABLE, EPERM, {0xfffffffe}},
    {PERSONALITY, IN_MOUNTER, ALLOWED, {0x400000}},
    /* P-SEC-9, P-SEC-12: family and protocol decide, whatever the type. */
    {SOCKET, IN_TABLE, ALLOWED, {16, 3, 0}},
    {SOCKET, IN_TABLE, ALLOWED, {16, 2, 0}},
    {SOCKET, IN_TABLE, ALLOWED, {16, 0x80003, 0}},
    {SOCKET, IN_TABLE, EPROTONOSUPPORT, {16, 3, 1}},
    {SOCKET, IN_TABLE, EPROTONOSUPPORT, {16, 2, 1}},
    {SOCKET, IN_TABLE, EPROTONOSUPPORT, {16, 0x80802, 22}},
    {SOCKET, IN_TABLE, EPROTONOSUPPORT, {16, 2, 0xffffffff}},
    {SOCKET, IN_TABLE, EPROTONOSUPPORT, {16, 10, 15}},
    {SOCKET, IN_TABLE, ALLOWED, {2, 1, 6}},
    {SOCKET, IN_TABLE, ALLOWED, {2, 2, 17}},
    {SOCKET, IN_TABLE, ALLOWED, {2, 0x80801, 0}},
    {SOCKET, IN_TABLE, ALLOWED, {10, 2, 0}},
    {SOCKET, IN_TABLE, ALLOWED, {10, 4, 255}},
    {SOCKET, IN_TABLE, ALLOWED, {2, 9, 0}},
    {SOCKET, IN_TABLE, ALLOWED, {2, 11, 0}},
    {SOCKET, IN_TABLE, EPERM, {2, 3, 1}},
    {SOCKET, IN_TABLE, EPERM, {2, 3, 0}},
    {SOCKET, IN_TABLE, EPERM, {2, 0x80003, 255}},
    {SOCKET, IN_TABLE, EPERM, {2, 0x803, 6}},
    {SOCKET, IN_TABLE, EPERM, {2, 10, 768}},
    {SOCKET, IN_TABLE, EPERM, {10, 3, 58}},
    {SOCKET, IN_TABLE, EPERM, {10, 0x8080a, 0}},
    {SOCKET, IN_TABLE, ALLOWED, {1, 3, 0}},
    {SOCKET, IN_TABLE, ALLOWED, {1, 1, 0}},
    {SOCKET, IN_TABLE, ALLOWED, {1, 10, 9}},
    {SOCKET, IN_MOUNTER, EPERM, {1, 1, 0}},
    {SOCKET, IN_MOUNTER, EPERM, {2, 1, 0}},
    /* P-SEC-1, P-SEC-10. */
    {IOCTL, IN_ALL, ALLOWED, {0, 0x5411}},
    {IOCTL, IN_ALL, EPERM, {0, 0x5412}},
    {IOCTL, IN_ALL, ALLOWED, {0, 0x5413}},
    {IOCTL, IN_ALL, ALLOWED, {0, 0x541b}},
    {IOCTL, IN_ALL, EPERM, {0, 0x541c}},
    {IOCTL, IN_ALL, EPERM, {0, 0x541d}},
    {IOCTL, IN_ALL, ALLOWED, {0, 0x541e}},
    {IOCTL, IN_ALL, ALLOWED, {0, 0x5422}},
    {IOCTL, IN_ALL, EPERM, {0, 0x5423}},
    {IOCTL, IN_ALL, ALLOWED, {0, 0x5424}},
    {IOCTL, IN_ALL, ALLOWED, {0x5412, 0x5401, 0x5412}},
    {IOCTL, IN_ALL, ALLOWED, {0, 0x80005412}},
    /* P-SEC-8. */
    {CHMOD, IN_ALL, ALLOWED, {04755, 03777}},
    {CHMOD, IN_TABLE, EPERM, {0, 04755}},
    {CHMOD, IN_TABLE, EPERM, {0, 04000}},
    {CHMOD, IN_MOUNTER, ALLOWED, {0, 04755}},
    {FCHMOD, IN_ALL, ALLOWED, {04755, 03777}},
    {FCHMOD, IN_TABLE, EPERM, {0, 04000}},
    {FCHMODAT, IN_ALL, ALLOWED, {04755, 04755, 03777, 04000}},
    {FCHMODAT, IN_TABLE, EPERM, {0, 0, 04000}},
    {FCHMODAT2, IN_ALL, ALLOWED, {04755, 04755, 03777, 04000}},
    {FCHMODAT2, IN_TABLE, EPERM, {0, 0, 04000}},
    {CREAT, IN_ALL, ALLOWED, {04755, 03777}},
    {CREAT, IN_TABLE, EPERM, {0, 04000}},
    {MKNOD, IN_ALL, ALLOWED, {04755, 0103777, 04000}},
    {MKNOD, IN_TABLE, EPERM, {0, 0104000}},
    {MKNODAT, IN_ALL, ALLOWED, {04755, 04755, 0103777, 04000}},
    {MKNODAT, IN_TABLE, EPERM, {0, 0, 0104000}},
    {OPEN, IN_ALL, ALLOWED, {04755, 0x40, 03777}},
    {OPEN, IN_ALL, ALLOWED, {0, 0, 04755}},
    {OPEN, IN_ALL, ALLOWED, {0, 0xffbfffbf, 04755}},
    {OPEN, IN_TABLE, EPERM, {0, 0x40, 04000}},
    {OPEN, IN_TABLE, EPERM, {0, 0x410000, 04000}},
    {OPEN, IN_TABLE, EPERM, {0, 0x400000, 04000}},
    {OPENAT, IN_ALL, ALLOWED, {0xffffff9c, 04755, 0x40, 03777}},
    {OPENAT, IN_ALL, ALLOWED, {0xffffff9c, 0, 0, 04755}},
    {OPENAT, IN_ALL, ALLOWED, {0xffffff9c, 0, 0xffbfffbf, 04755}},
    {OPENAT, IN_TABLE, EPERM, {0xffffff9c, 0, 0x40, 04000}},
    {OPENAT, IN_TABLE, EPERM, {0xffffff9c, 0, 0x241, 06755}},
    {OPENAT, IN_TABLE, EPERM, {0xffffff9c, 0, 0x410000, 04000}},
    {OPENAT, IN_TABLE, EPERM, {0xffffff9c, 0, 0x404000, 04000}},
    {OPENAT, IN_MOUNTER, ALLOWED, {0xffffff9c, 0, 0x40, 04755}},
    {OPENAT2, IN_ALL & ~(unsigned)IN_ROOT, ALLOWED, {0}},
};

static const struct numbered argument_calls[] = {
    CLONE, UNSHARE,   PERSONALITY, SOCKET, SOCKETPAIR, IOCTL, CHMOD,  FCHMOD,
    CREAT, FCHMODAT2, FCHMODAT,    MKNOD,  MKNODAT,    OPEN,  OPENAT,
};
