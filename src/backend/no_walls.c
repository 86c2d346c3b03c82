// SPDX-License-Identifier: GPL-3.0-only
/*
 * no_walls: Landlock and seccomp on a system that has neither. They say what they say on a Linux without
 * them, so nobody has to ask for the system.
 */
#include "backend/landlock.h"
#include "backend/seccomp.h"

#include <errno.h>

int landlock_abi(void)
{
    return 0;
}

uint64_t landlock_fs_rights(int abi)
{
    (void)abi;
    return 0;
}

uint64_t landlock_net_rights(int abi)
{
    (void)abi;
    return 0;
}

uint64_t landlock_scopes(int abi)
{
    (void)abi;
    return 0;
}

const void *seccomp_program(enum seccomp_program which, size_t *len)
{
    (void)which;
    *len = 0;
    return NULL;
}

const char *seccomp_arch(void)
{
    return NULL;
}

unsigned seccomp_rule_count(enum seccomp_program which)
{
    (void)which;
    return 0;
}

int seccomp_install(enum seccomp_program which)
{
    (void)which;
    return -EOPNOTSUPP;
}

bool seccomp_available(void)
{
    return false;
}
