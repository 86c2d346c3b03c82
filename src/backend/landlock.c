// SPDX-License-Identifier: GPL-3.0-only
/*
 * landlock: the three system calls, called by number.
 *
 * The C library has no wrappers, and the headers of the build machine may be older than the kernel
 * of the running one, so the structures are written out here as landlock(7) and the kernel's
 * Documentation/userspace-api/landlock.rst give them. A kernel that knows less than the structure
 * accepts it as long as what it does not know is zero.
 */
#include "backend/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The same number on every architecture that has them (Linux 5.13). */
#define NR_LANDLOCK_CREATE_RULESET 444L
#define NR_LANDLOCK_ADD_RULE       445L
#define NR_LANDLOCK_RESTRICT_SELF  446L

#define CREATE_RULESET_VERSION        1U
#define RULE_PATH_BENEATH             1
#define RULE_NET_PORT                 2  /* ABI 4 */
#define RESTRICT_SELF_LOG_NEW_EXEC_ON 2U /* ABI 7 */

struct ruleset_attr {
    uint64_t handled_access_fs;
    uint64_t handled_access_net; /* ABI 4 */
    uint64_t scoped;             /* ABI 6 */
};

struct path_beneath_attr {
    uint64_t allowed_access;
    int32_t parent_fd;
} __attribute__((packed));

struct net_port_attr {
    uint64_t allowed_access;
    uint64_t port; /* host byte order */
};

struct abi_rights {
    int abi; /* first that knows them */
    uint64_t rights;
};

static const struct abi_rights fs_rights[] = {
    {1, (LL_MAKE_SYM << 1) - 1}, {2, LL_REFER},        {3, LL_TRUNCATE},
    {5, LL_IOCTL_DEV},           {9, LL_RESOLVE_UNIX},
};

int landlock_abi(void)
{
    long abi = syscall(NR_LANDLOCK_CREATE_RULESET, NULL, 0UL, CREATE_RULESET_VERSION);

    return abi < 0 ? 0 : (int)abi;
}

uint64_t landlock_fs_rights(int abi)
{
    uint64_t rights = 0;

    for (size_t i = 0; i < ARRAY_SIZE(fs_rights); i++)
        if (abi >= fs_rights[i].abi)
            rights |= fs_rights[i].rights;
    return rights;
}

uint64_t landlock_net_rights(int abi)
{
    return abi >= 4 ? LL_NET_BIND_TCP | LL_NET_CONNECT_TCP : 0;
}

uint64_t landlock_scopes(int abi)
{
    return abi >= 6 ? LL_SCOPE_ABSTRACT_UNIX | LL_SCOPE_SIGNAL : 0;
}

int landlock_create(uint64_t handled_fs, uint64_t handled_net, uint64_t scoped)
{
    struct ruleset_attr attr = {
        .handled_access_fs = handled_fs, .handled_access_net = handled_net, .scoped = scoped};
    long fd = syscall(NR_LANDLOCK_CREATE_RULESET, &attr, sizeof(attr), 0U);

    return fd < 0 ? -errno : (int)fd;
}

int landlock_allow_fd(int ruleset, int fd, uint64_t access)
{
    struct path_beneath_attr attr = {.allowed_access = access, .parent_fd = fd};
    struct stat st;

    if (fstat(fd, &st) < 0)
        return -errno;
    if (!S_ISDIR(st.st_mode))
        attr.allowed_access &= LL_ON_FILES;
    /* The kernel refuses a rule that allows nothing. */
    if (attr.allowed_access == 0)
        return 0;
    if (syscall(NR_LANDLOCK_ADD_RULE, ruleset, RULE_PATH_BENEATH, &attr, 0U) < 0)
        return -errno;
    return 0;
}

int landlock_allow_path(int ruleset, const char *path, uint64_t access)
{
    _cleanup_close_ int fd = open(path, O_PATH | O_CLOEXEC);

    return fd < 0 ? -errno : landlock_allow_fd(ruleset, fd, access);
}

int landlock_allow_port(int ruleset, uint16_t port, uint64_t access)
{
    struct net_port_attr attr = {.allowed_access = access, .port = port};

    return syscall(NR_LANDLOCK_ADD_RULE, ruleset, RULE_NET_PORT, &attr, 0U) < 0 ? -errno : 0;
}

int landlock_enforce(int ruleset, int abi)
{
    unsigned flags = abi >= 7 ? RESTRICT_SELF_LOG_NEW_EXEC_ON : 0U;

    if (prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) < 0)
        return -errno;
    return syscall(NR_LANDLOCK_RESTRICT_SELF, ruleset, flags) < 0 ? -errno : 0;
}
