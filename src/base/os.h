// SPDX-License-Identifier: GPL-3.0-only
/*
 * os: what Linux and macOS do differently and everybody else need not know.
 *
 * Each function has one definition for each system, in os_linux.c and os_macos.c; the build takes one
 * of the two. What does the same on both, and what exists on one alone, is not here.
 */
#pragma once

#include "base/base.h"

/* For open(2): an object is named and neither read nor written (Linux: O_PATH). A Mac has no such
 * thing: the object is opened for reading without waiting, and must be readable. */
extern const int os_open_path;
/* For send(2) and recvmsg(2): no SIGPIPE; descriptors that come are CLOEXEC. 0 where the system has no
 * flag for it: SIGPIPE is ignored then (session.c), and os_receive_fds() does the other. */
extern const int os_send_quietly;
extern const int os_receive_closed;

enum os_links {
    OS_LINKS_INSIDE, /* links are followed as long as they do not leave the directory */
    OS_LINKS_NONE,   /* a link on the way is an error */
};

/* Opens path beneath the directory dir, "" being itself, with os_open_path. Descriptor or -errno. */
int os_open_beneath(int dir, const char *path, enum os_links links);
/* The path of the object behind a descriptor, as the kernel has it now; malloc'ed. NULL: unknown, or
 * longer than PATH_MAX. */
char *os_path_of(int fd);
/* A second file description of the terminal fd by its own name, with the flags of open(2). -1. */
int os_reopen_terminal(int fd, int flags);
/* True for the master side of a pseudo-terminal. */
bool os_is_pty_master(int fd);
/* True if both descriptors are the same terminal. */
bool os_is_same_terminal(int a, int b);

/* A regular file without a name in the directory dir, for writing; -EOPNOTSUPP where there is no such
 * thing, or -errno. os_link_unnamed() gives it one: 0, -EEXIST, -errno. */
int os_create_unnamed(int dir, unsigned mode);
int os_link_unnamed(int fd, int dir, const char *name);

/* All of these are CLOEXEC. 0 or -errno. */
int os_pipe(int fds[2]);
/* Two connected sockets that keep the bounds of messages. */
int os_message_pair(int fds[2]);
/* Two connected streams, non-blocking. */
int os_stream_pair(int fds[2]);
/* Non-blocking as well; the descriptor or -errno. */
int os_stream_socket(int domain);
/* The same; -1 and errno, as accept(2). */
int os_accept(int fd);

/* Closes every descriptor from first on. Async-signal-safe. */
void os_close_from(int first);
/* After fork(): this process is killed when its parent ends, where the system can do that. False: the
 * parent has ended already. */
bool os_end_with(int parent);

/* Random bytes, at most 256. 0 or -errno. Never waits: -EAGAIN early after boot. */
int os_random(void *bytes, size_t len);
/* Zeroes that no compiler leaves out. */
void os_wipe(void *bytes, size_t len);
/* Memory that is in no core file, and empty in children; as far as the system knows such things. */
void os_hide_memory(void *page, size_t size);
/* As qsort_r(3) of POSIX 2024. */
void os_sort(void *base, size_t count, size_t size,
             int (*compare)(const void *a, const void *b, void *arg), void *arg);
