// SPDX-License-Identifier: GPL-3.0-only
/*
 * seccomp: hands out and installs the embedded programs. What they refuse is in seccomp_table.h.
 */
#include "backend/seccomp.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

struct embedded {
    const struct sock_filter *code;
    size_t len; /* bytes */
    unsigned rules;
};

#include "backend/seccomp_programs.inc"

const void *seccomp_program(enum seccomp_program which, size_t *len)
{
    *len = embedded[which].len;
    return embedded[which].code;
}

const char *seccomp_arch(void)
{
    return EMBEDDED_ARCH;
}

unsigned seccomp_rule_count(enum seccomp_program which)
{
    return embedded[which].rules;
}

int seccomp_install(enum seccomp_program which)
{
    struct sock_fprog program = {
        .len = (unsigned short)(embedded[which].len / sizeof(struct sock_filter)),
        /* The kernel only reads, its structure says otherwise. */
        .filter = (struct sock_filter *)(uintptr_t)embedded[which].code,
    };
    long result;

    if (program.len == 0)
        return -EOPNOTSUPP;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -errno;
    result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
    /* Some sandboxes hide the newer call and leave the older one. */
    if (result < 0 && errno == ENOSYS)
        result = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
    /* The id of a thread that has a filter of its own. */
    if (result > 0)
        return -EBUSY;
    return result == 0 ? 0 : -errno;
}

bool seccomp_available(void)
{
    uint32_t action = SECCOMP_RET_ERRNO;

    if (syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0)
        return true;
    /* Linux before 4.14 does not know the question; with filters, it would read from NULL. */
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL, 0, 0) != 0 && errno == EFAULT;
}
