// SPDX-License-Identifier: GPL-3.0-only
/*
 * memfd: files in memory that nobody can change any more. Linux only.
 */
#include "base/memfd.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

/* Linux 6.3, <linux/memfd.h> */
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif
#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

int fd_sealed_memfd(const char *name, const void *bytes, size_t len, bool executable)
{
    unsigned int base = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    _cleanup_close_ int fd = -1;
    int r;

    fd = memfd_create(name, base | (executable ? MFD_EXEC : MFD_NOEXEC_SEAL));
    if (fd < 0 && errno == EINVAL) /* before Linux 6.3 */
        fd = memfd_create(name, base);
    if (fd < 0)
        return -errno;
    r = fd_write_all(fd, bytes, len);
    if (r < 0)
        return r;
    if (lseek(fd, 0, SEEK_SET) < 0)
        return -errno;
    if (fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) < 0)
        return -errno;
    return steal_fd(&fd);
}
