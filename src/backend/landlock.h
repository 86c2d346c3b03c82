// SPDX-License-Identifier: GPL-3.0-only
/*
 * landlock: the three system calls, and which rights an ABI knows (landlock(7)).
 *
 * Used by the launcher (for the command) and by the supervisor (for itself). Async-signal-safe.
 */
#pragma once

#include "base/base.h"

/* Bits of struct landlock_ruleset_attr; newer than the headers of Debian 12. */
#define LL_EXECUTE      (1ULL << 0)
#define LL_WRITE_FILE   (1ULL << 1)
#define LL_READ_FILE    (1ULL << 2)
#define LL_READ_DIR     (1ULL << 3)
#define LL_REMOVE_DIR   (1ULL << 4)
#define LL_REMOVE_FILE  (1ULL << 5)
#define LL_MAKE_CHAR    (1ULL << 6)
#define LL_MAKE_DIR     (1ULL << 7)
#define LL_MAKE_REG     (1ULL << 8)
#define LL_MAKE_SOCK    (1ULL << 9)
#define LL_MAKE_FIFO    (1ULL << 10)
#define LL_MAKE_BLOCK   (1ULL << 11)
#define LL_MAKE_SYM     (1ULL << 12)
#define LL_REFER        (1ULL << 13) /* ABI 2 */
#define LL_TRUNCATE     (1ULL << 14) /* ABI 3 */
#define LL_IOCTL_DEV    (1ULL << 15) /* ABI 5 */
#define LL_RESOLVE_UNIX (1ULL << 16) /* ABI 9 */

#define LL_NET_BIND_TCP    (1ULL << 0) /* ABI 4 */
#define LL_NET_CONNECT_TCP (1ULL << 1)

#define LL_SCOPE_ABSTRACT_UNIX (1ULL << 0) /* ABI 6 */
#define LL_SCOPE_SIGNAL        (1ULL << 1)

/* What a read-only and a writable place grant. */
#define LL_SET_READ (LL_EXECUTE | LL_READ_FILE | LL_READ_DIR)
#define LL_SET_WRITE                                                                               \
    (LL_WRITE_FILE | LL_REMOVE_DIR | LL_REMOVE_FILE | LL_MAKE_DIR | LL_MAKE_REG | LL_MAKE_SOCK |   \
     LL_MAKE_FIFO | LL_MAKE_SYM | LL_REFER | LL_TRUNCATE)
/* Rights that have a meaning on something that is not a directory. */
#define LL_ON_FILES                                                                                \
    (LL_EXECUTE | LL_WRITE_FILE | LL_READ_FILE | LL_TRUNCATE | LL_IOCTL_DEV | LL_RESOLVE_UNIX)

/* The kernel's ABI version, 0 when Landlock is not there or switched off. */
int landlock_abi(void);
/* Every file-system right that this ABI knows (0 for ABI 0). */
uint64_t landlock_fs_rights(int abi);
/* Every network right that this ABI knows. */
uint64_t landlock_net_rights(int abi);
uint64_t landlock_scopes(int abi);

/* A new ruleset descriptor (CLOEXEC) or -errno. Arguments of 0 are not handled at all. */
int landlock_create(uint64_t handled_fs, uint64_t handled_net, uint64_t scoped);
/* Adds a path-beneath rule for the object behind fd (O_PATH is enough). Rights that do not fit a
 * non-directory are removed here. 0 or -errno. */
int landlock_allow_fd(int ruleset, int fd, uint64_t access);
/* Opens path with O_PATH and adds the rule. 0 or -errno. */
int landlock_allow_path(int ruleset, const char *path, uint64_t access);
/* Allows a TCP port (ABI 4): access of LL_NET_*. 0 or -errno. */
int landlock_allow_port(int ruleset, uint16_t port, uint64_t access);
/* Sets no_new_privs and enforces the ruleset on the calling thread. From ABI 7 on, denials of
 * programs started later are logged too. 0 or -errno. */
int landlock_enforce(int ruleset, int abi);
