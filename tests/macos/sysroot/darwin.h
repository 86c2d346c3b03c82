// SPDX-License-Identifier: GPL-3.0-only
/*
 * darwin: what a source file sees of a Mac's headers, made on Linux.
 *
 * Included before everything else by the compile test (compile.py). It takes the system's headers
 * without GNU's extensions, adds what Darwin's have beyond POSIX and ai-jail uses, and then forbids every
 * name that Darwin does not have: GCC and clang refuse a poisoned identifier wherever it is written.
 * From there on __linux__ is gone and __APPLE__ is there. Headers of Linux alone are traps, which
 * compile.py makes.
 *
 * It proves that nothing is used that a Mac lacks, as far as the list below goes; it cannot prove that
 * what is used does there what it does here.
 */
#pragma once

#include <arpa/inet.h>
#include <assert.h>
#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <getopt.h>
#include <grp.h>
#include <ifaddrs.h>
#include <inttypes.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/ttydefaults.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

/* Libraries, which have their own words for a Mac. */
#include <jansson.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <uv.h>

/* ---- what Darwin has beyond POSIX ---- */

int asprintf(char **text, const char *format, ...);
int vasprintf(char **text, const char *format, va_list args);
char *strcasestr(const char *text, const char *word);
void *memmem(const void *bytes, size_t len, const void *word, size_t word_len);
size_t strlcpy(char *out, const char *text, size_t size);
void arc4random_buf(void *bytes, size_t len);
int getentropy(void *bytes, size_t len);
int memset_s(void *bytes, size_t size, int byte, size_t len);
int getdtablesize(void);
void qsort_r(void *base, size_t count, size_t size, void *arg,
             int (*compare)(void *arg, const void *a, const void *b));

/* <sys/mman.h> */
#define VM_INHERIT_NONE 2
int minherit(void *page, size_t size, int how);

/* <limits.h> */
#ifndef OPEN_MAX
#define OPEN_MAX 10240
#endif

/* <sys/stat.h> */
#define st_atimespec     st_atim
#define st_mtimespec     st_mtim
#define st_ctimespec     st_ctim
#define st_birthtimespec st_mtim

/* <sys/fcntl.h> */
#define O_NOFOLLOW_ANY 0x20000000
#define F_GETPATH      50

/* <unistd.h>, confstr(3) */
#define _CS_DARWIN_USER_TEMP_DIR 65537

/* <sys/signal.h> */
#ifndef NSIG
#define NSIG 32
#endif

/* <sys/socket.h> */
#ifndef SO_NOSIGPIPE
#define SO_NOSIGPIPE 0x1022
#endif

/* ---- and what it does not have ---- */

#undef __linux__
#undef __linux
#undef linux
#undef __gnu_linux__
#define __APPLE__ 1

/* Calls of Linux, or of GNU. */
#pragma GCC poison accept4 pipe2 dup3 epoll_create1 epoll_ctl epoll_wait inotify_init1 eventfd
#pragma GCC poison signalfd timerfd_create memfd_create setns unshare clone clone3 pidfd_open
#pragma GCC poison statx openat2 close_range renameat2 getrandom prctl syscall sysinfo umount2
#pragma GCC poison pivot_root execvpe fexecve ppoll sendfile vmsplice copy_file_range
#pragma GCC poison fallocate posix_fallocate getdents64 sched_setaffinity program_invocation_name
#pragma GCC poison strchrnul memrchr mempcpy rawmemchr strndupa strdupa explicit_bzero reallocarray
#pragma GCC poison canonicalize_file_name secure_getenv get_current_dir_name euidaccess eaccess
#pragma GCC poison versionsort strverscmp fopencookie open_memstream64 sigtimedwait
#pragma GCC poison sigwaitinfo sigqueue pthread_setname_np getauxval sigabbrev_np
#pragma GCC poison sigdescr_np strerrorname_np strerrordesc_np ptsname_r posix_openpt_r utimensat2
#pragma GCC poison closefrom getresuid getresgid setresuid setresgid fstatat64 lseek64 open64
#pragma GCC poison mkostemp64 accept_4 recvmmsg sendmmsg process_vm_readv ptrace

/* Constants. */
#undef AT_EMPTY_PATH
#undef AT_NO_AUTOMOUNT
#undef EBADFD
#undef ECHRNG
#undef EKEYEXPIRED
#undef ELIBACC
#undef ENOMEDIUM
#undef ENOTUNIQ
#undef EPOLLIN
#undef EREMOTEIO
#undef ERESTART
#undef ESTRPIPE
#undef EUCLEAN
#undef FNM_EXTMATCH
#undef F_ADD_SEALS
#undef F_GETPIPE_SZ
#undef F_GET_SEALS
#undef F_OFD_SETLK
#undef F_SEAL_WRITE
#undef F_SETPIPE_SZ
#undef IUCLC
#undef MADV_DONTDUMP
#undef MAP_POPULATE
#undef MFD_CLOEXEC
#undef MSG_CMSG_CLOEXEC
#undef MSG_NOSIGNAL
#undef OLCUC
#undef O_DIRECT
#undef O_LARGEFILE
#undef O_NOATIME
#undef O_PATH
#undef O_TMPFILE
#undef POLLRDHUP
#undef RENAME_EXCHANGE
#undef RENAME_NOREPLACE
#undef RLIMIT_MSGQUEUE
#undef RLIMIT_NICE
#undef RLIMIT_RTPRIO
#undef RLIMIT_SIGPENDING
#undef RTLD_DEEPBIND
#undef SECCOMP_MODE_FILTER
#undef SIGPOLL
#undef SIGPWR
#undef SIGRTMAX
#undef SIGRTMIN
#undef SIGSTKFLT
#undef SOCK_CLOEXEC
#undef SOCK_NONBLOCK
#undef SO_DOMAIN
#undef SO_PEERCRED
#undef SO_PROTOCOL
#undef SO_REUSEPORT_LB
#undef TCP_CORK
#undef TCP_KEEPIDLE
#undef TCP_QUICKACK
#undef TCP_USER_TIMEOUT
#undef TIOCGPTN
#undef TIOCGPTPEER
#undef TIOCSPTLCK
#undef XCASE
#undef makedev
#pragma GCC poison O_PATH O_TMPFILE O_DIRECT O_NOATIME O_LARGEFILE SOCK_CLOEXEC SOCK_NONBLOCK
#pragma GCC poison AT_EMPTY_PATH AT_NO_AUTOMOUNT MSG_CMSG_CLOEXEC MSG_NOSIGNAL SO_PEERCRED SO_DOMAIN
#pragma GCC poison SO_PROTOCOL SO_REUSEPORT_LB F_ADD_SEALS F_GET_SEALS F_SETPIPE_SZ F_GETPIPE_SZ
#pragma GCC poison F_OFD_SETLK F_SEAL_WRITE MFD_CLOEXEC TIOCGPTN TIOCSPTLCK TIOCGPTPEER POLLRDHUP
#pragma GCC poison EPOLLIN MAP_POPULATE SIGRTMAX SIGRTMIN SIGPOLL SIGSTKFLT SIGPWR EBADFD ERESTART
#pragma GCC poison EREMOTEIO ENOTUNIQ ECHRNG EUCLEAN EKEYEXPIRED ENOMEDIUM ESTRPIPE ELIBACC
#pragma GCC poison RLIMIT_NICE RLIMIT_SIGPENDING RLIMIT_MSGQUEUE RLIMIT_RTPRIO TCP_USER_TIMEOUT
#pragma GCC poison TCP_QUICKACK TCP_CORK TCP_KEEPIDLE IUCLC OLCUC XCASE FNM_EXTMATCH
#pragma GCC poison RENAME_NOREPLACE RENAME_EXCHANGE MADV_DONTDUMP RTLD_DEEPBIND SECCOMP_MODE_FILTER
#pragma GCC poison makedev

/* Members. */
#pragma GCC poison st_atim st_mtim st_ctim d_off ucred
