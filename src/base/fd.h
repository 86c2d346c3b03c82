// SPDX-License-Identifier: GPL-3.0-only
/*
 * fd: descriptors. Every descriptor made here is CLOEXEC.
 */
#pragma once

#include "base/buf.h"
#include "base/error.h"

/* Writes everything, over EINTR and short writes (blocking descriptors only). 0 or -errno. */
int fd_write_all(int fd, const void *bytes, size_t len);

/* Appends the rest of the file to out, at most limit bytes. 0, -EFBIG if there is more, -errno. */
int fd_read_all(int fd, struct buf *out, size_t limit);

/*
 * The directory name in the directory dir, never through a link; opened with os_open_path (os.h). create: where it is missing
 * it is made, 0700, if dir is the caller's own: started by root with the HOME of a user, directories
 * of root would be left there. *made (may be NULL) says whether it was. Descriptor or -errno; -EPERM:
 * dir is somebody else's.
 */
int fd_enter_directory(int dir, const char *name, bool create, bool *made);

/* Sets or clears FD_CLOEXEC; 0 or -errno. */
int fd_set_cloexec(int fd, bool on);
int fd_set_nonblocking(int fd, bool on);

/* Opens /dev/null on every closed descriptor of 0, 1, 2. 0 or -errno. */
int fd_fill_stdio(void);
