// SPDX-License-Identifier: GPL-3.0-only
/*
 * rlimit: see rlimit.h.
 */
#include "base/rlimit.h"

#include <errno.h>
#include <sys/resource.h>

int rlimit_lower(int resource, uint64_t wanted)
{
    struct rlimit now;
    struct rlimit next;

    if (wanted == UINT64_MAX)
        return 0;
    if (getrlimit(resource, &now) < 0)
        return errno;
    next.rlim_max = now.rlim_max < wanted ? now.rlim_max : (rlim_t)wanted;
    next.rlim_cur = now.rlim_cur < next.rlim_max ? now.rlim_cur : next.rlim_max;
    return setrlimit(resource, &next) < 0 ? errno : 0;
}
