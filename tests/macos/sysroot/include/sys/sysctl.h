// SPDX-License-Identifier: GPL-3.0-only
/*
 * sysctl(3), as far as it is used.
 */
#pragma once

#include <stddef.h>

#define CTL_KERN      1
#define KERN_PROC     14
#define KERN_PROC_PID 1

struct extern_proc {
    char p_comm[16 + 1];
};

struct kinfo_proc {
    struct extern_proc kp_proc;
};

int sysctl(int *name, unsigned name_len, void *old, size_t *old_size, void *fresh,
           size_t fresh_size);
int sysctlbyname(const char *name, void *old, size_t *old_size, void *fresh, size_t fresh_size);
