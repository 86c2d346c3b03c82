// SPDX-License-Identifier: GPL-3.0-only
/*
 * seccomp_table: every system call that a program refuses, with the errno and the reason.
 *
 * The single source of all programs. Included only by the generator, which resolves the names with
 * libseccomp, skips the calls that an architecture lacks and compiles the rest. Whatever has no row
 * is allowed, up to SECCOMP_LAST_REVIEWED; what the kernel may add above it is refused with ENOSYS
 * until somebody has read what it does.
 *
 * A row matches when all its conditions hold; a row without conditions always matches. Rows of one
 * call are tried in the order of the table and the first match decides. Conditions see the low 32
 * bits of an argument, which is all that the kernel looks at for each argument used here: comparing
 * 64 bits would let TIOCSTI | 1 << 32 pass.
 *
 * ENOSYS is for calls whose users have a way to do without (clone3, io_uring) and for calls that
 * an old kernel may lack; EPERM is for those where a refusal must be visible as one.
 */
#pragma once

#include "backend/seccomp.h"

#include <errno.h>

enum {
    SECCOMP_LAST_REVIEWED = 469, /* file_setattr, Linux 6.17 */
    SECCOMP_CONDITIONS_MAX = 2,
    SECCOMP_VALUES_MAX = 6,
    SECCOMP_ARGUMENTS = 6,
};

enum condition_test {
    CONDITION_NONE,
    CONDITION_ANY_BIT, /* argument & mask is not 0 */
    CONDITION_IN,      /* argument & mask is one of values */
    CONDITION_NOT_IN,  /* argument & mask is none of values */
};

struct condition {
    enum condition_test test;
    unsigned argument; /* 0 to 5 */
    uint32_t mask;
    unsigned value_count;
    uint32_t values[SECCOMP_VALUES_MAX];
};

struct seccomp_row {
    const char *call;
    /* 0, or the number for a libseccomp that does not know the name. Only possible from 424 on:
     * since then a new call has the same number on every architecture. */
    int number;
    unsigned where; /* set of programs */
    int refusal;    /* errno */
    const char *reason;
    struct condition conditions[SECCOMP_CONDITIONS_MAX];
};

/* Sets of programs. */
#define IN(program) (1u << (program))
#define DEBUG       (IN(SECCOMP_JAIL_DEBUG) | IN(SECCOMP_JAIL_ROOT_DEBUG))
#define LOCKDOWN    (IN(SECCOMP_LOCKDOWN) | IN(SECCOMP_LOCKDOWN_ROOT))
#define ROOT        (IN(SECCOMP_JAIL_ROOT) | IN(SECCOMP_JAIL_ROOT_DEBUG) | IN(SECCOMP_LOCKDOWN_ROOT))
#define MOUNTER     IN(SECCOMP_MOUNTER)
/* The supervisor and the mounter: both have started everything they will ever start. */
#define HELPERS (IN(SECCOMP_SUPERVISOR) | MOUNTER)
/* The jails that cannot debug, and the supervisor. */
#define STRICT (IN(SECCOMP_JAIL) | IN(SECCOMP_JAIL_ROOT) | LOCKDOWN | IN(SECCOMP_SUPERVISOR))
/* Every jail, and the supervisor. The mounter has to mount and lists what it gives up. */
#define TABLE (STRICT | DEBUG)
#define ALL   (TABLE | MOUNTER)

/* clang-format off */
/* A row, and a row with conditions. */
#define DENY(name, nr, set, error, why) \
    {.call = (name), .number = (nr), .where = (set), .refusal = (error), .reason = (why)}
#define DENY_IF(name, nr, set, error, why, ...) \
    {.call = (name), .number = (nr), .where = (set), .refusal = (error), .reason = (why), \
     .conditions = {__VA_ARGS__}}

/* Conditions. */
#define VALUES(...) \
    .value_count = sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), .values = {__VA_ARGS__}
#define ANY_BIT(nr, bits)            {CONDITION_ANY_BIT, (nr), (bits), 0, {0}}
#define ONE_OF(nr, ...)              {CONDITION_IN, (nr), UINT32_MAX, VALUES(__VA_ARGS__)}
#define NONE_OF(nr, ...)             {CONDITION_NOT_IN, (nr), UINT32_MAX, VALUES(__VA_ARGS__)}
#define ONE_OF_MASKED(nr, bits, ...) {CONDITION_IN, (nr), (bits), VALUES(__VA_ARGS__)}
/* clang-format on */

/* Values of the kernel's interface, as numbers where no header may be relied on (clone(2),
 * unshare(2), personality(2), socket(2), open(2), ioctl_tty(2)). */
#define NEW_NAMESPACES    0x7E020000u /* NEWNS NEWCGROUP NEWUTS NEWIPC NEWUSER NEWPID NEWNET */
#define NEW_TIME          0x80u       /* in clone() these bits are the exit signal */
#define LINUX32           0x8u
#define UNAME26           0x20000u
#define NO_RANDOMIZE      0x40000u
#define PERSONALITY_QUERY 0xFFFFFFFFu
#define FAMILY_UNIX       1u
#define FAMILY_INET       2u
#define FAMILY_INET6      10u
#define FAMILY_NETLINK    16u
#define PROTOCOL_ROUTE    0u
#define SOCKET_TYPE       0xFu /* without SOCK_CLOEXEC and SOCK_NONBLOCK */
#define TYPE_RAW          3u
#define TYPE_PACKET       10u
#define SET_USER_ID       04000u
#define CREATES           0x400040u /* O_CREAT, and O_TMPFILE without its O_DIRECTORY */
#define PUSH_INPUT        0x5412u   /* TIOCSTI */
#define CONSOLE_CONTROL   0x541Cu   /* TIOCLINUX */
#define CONSOLE_OUTPUT    0x541Du   /* TIOCCONS */
#define LINE_DISCIPLINE   0x5423u   /* TIOCSETD */

/* clang-format off */
static const struct seccomp_row seccomp_rows[] = {
    /* The mounter keeps the mount family, setns and the handles; of the rest it keeps what every C
     * program needs. It loses what nobody would miss and an intruder would use first. */
    DENY("init_module",       0, ALL, EPERM, "kernel modules"),
    DENY("finit_module",      0, ALL, EPERM, "kernel modules"),
    DENY("delete_module",     0, ALL, EPERM, "kernel modules"),

    DENY("kexec_load",        0, ALL, EPERM, "machine control"),
    DENY("kexec_file_load",   0, ALL, EPERM, "machine control"),
    DENY("reboot",            0, ALL, EPERM, "machine control"),

    DENY("acct",              0, ALL, EPERM, "system accounting"),
    DENY("swapon",            0, ALL, EPERM, "system storage"),
    DENY("swapoff",           0, ALL, EPERM, "system storage"),
    DENY("quotactl",          0, ALL, EPERM, "system storage"),
    DENY("quotactl_fd",     443, ALL, EPERM, "system storage"),

    DENY("mount",             0, TABLE, EPERM, "change of the view"),
    DENY("umount2",           0, TABLE, EPERM, "change of the view"),
    DENY("pivot_root",        0, TABLE, EPERM, "change of the view"),
    DENY("open_tree",       428, TABLE, EPERM, "change of the view"),
    DENY("move_mount",      429, TABLE, EPERM, "change of the view"),
    DENY("fsopen",          430, TABLE, EPERM, "change of the view"),
    DENY("fsconfig",        431, TABLE, EPERM, "change of the view"),
    DENY("fsmount",         432, TABLE, EPERM, "change of the view"),
    DENY("fspick",          433, TABLE, EPERM, "change of the view"),
    DENY("mount_setattr",   442, TABLE, EPERM, "change of the view"),
    DENY("statmount",       457, TABLE, ENOSYS, "newer mount interface"),
    DENY("listmount",       458, TABLE, ENOSYS, "newer mount interface"),
    DENY("open_tree_attr",  467, TABLE, ENOSYS, "newer mount interface"),

    DENY("ptrace",            0, STRICT | MOUNTER, EPERM, "memory of other processes"),
    DENY("process_vm_readv",  0, STRICT | MOUNTER, EPERM, "memory of other processes"),
    DENY("process_vm_writev", 0, STRICT | MOUNTER, EPERM, "memory of other processes"),
    DENY("kcmp",              0, STRICT | MOUNTER, EPERM, "layout of other processes"),
    DENY("pidfd_getfd",     438, STRICT | MOUNTER, EPERM, "descriptors of other processes"),

    DENY("userfaultfd",       0, ALL, EPERM, "stops the kernel in the middle of a copy"),
    DENY("bpf",               0, ALL, EPERM, "programs inside the kernel"),
    DENY("perf_event_open",   0, ALL, EPERM, "spies on the kernel and on others"),

    DENY("io_uring_setup",    425, ALL, ENOSYS, "makes calls that no filter sees"),
    DENY("io_uring_enter",    426, ALL, ENOSYS, "makes calls that no filter sees"),
    DENY("io_uring_register", 427, ALL, ENOSYS, "makes calls that no filter sees"),

    DENY("open_by_handle_at", 0, TABLE, EPERM, "opens files outside the view"),
    DENY("name_to_handle_at", 0, TABLE, EOPNOTSUPP, "its counterpart; callers know this answer"),
    DENY("fanotify_init",     0, TABLE, EPERM, "watches whole file systems"),
    DENY("setns",             0, TABLE, EPERM, "enters namespaces"),

    DENY("settimeofday",      0, ALL, EPERM, "the clock"),
    DENY("clock_settime",     0, ALL, EPERM, "the clock"),
    DENY("clock_adjtime",     0, ALL, EPERM, "the clock"),
    DENY("adjtimex",          0, ALL, EPERM, "the clock"),

    DENY("add_key",           0, ALL, ENOSYS, "the keyring is shared with the login"),
    DENY("request_key",       0, ALL, ENOSYS, "the keyring is shared with the login"),
    DENY("keyctl",            0, ALL, ENOSYS, "the keyring is shared with the login"),

    DENY("lookup_dcookie",    0, ALL, ENOSYS, "obsolete"),
    DENY("uselib",            0, ALL, ENOSYS, "obsolete"),
    DENY("nfsservctl",        0, ALL, ENOSYS, "obsolete"),

    DENY("syslog",            0, ALL, EPERM, "the kernel's log"),
    DENY("vhangup",           0, ALL, EPERM, "the terminal"),
    DENY("memfd_secret",    447, ALL, ENOSYS, "memory that no inspection reaches"),
    DENY("process_madvise", 440, ALL, EPERM, "acts on memory of other processes"),
    DENY("migrate_pages",     0, ALL, EPERM, "acts on memory of other processes"),

    DENY("ioperm",            0, ALL, EPERM, "hardware ports"),
    DENY("iopl",              0, ALL, EPERM, "hardware ports"),
    DENY("modify_ldt",        0, ALL, EPERM, "segment tables"),

    DENY("mbind",                     0, LOCKDOWN, EPERM, "NUMA"),
    DENY("set_mempolicy",             0, LOCKDOWN, EPERM, "NUMA"),
    DENY("get_mempolicy",             0, LOCKDOWN, EPERM, "NUMA"),
    DENY("set_mempolicy_home_node", 450, LOCKDOWN, EPERM, "NUMA"),
    DENY("move_pages",                0, LOCKDOWN, EPERM, "NUMA"),
    DENY("sethostname",               0, LOCKDOWN, EPERM, "the host name"),
    DENY("setdomainname",             0, LOCKDOWN, EPERM, "the host name"),

    DENY("clone3", 435, TABLE, ENOSYS, "its flags are behind a pointer; the C library uses clone"),
    DENY_IF("clone",    0, TABLE, EPERM, "new namespaces", ANY_BIT(0, NEW_NAMESPACES)),
    DENY_IF("unshare",  0, TABLE, EPERM, "new namespaces", ANY_BIT(0, NEW_NAMESPACES | NEW_TIME)),

    DENY_IF("personality", 0, STRICT, EPERM, "weakens the address space",
            NONE_OF(0, 0, LINUX32, UNAME26, UNAME26 | LINUX32, PERSONALITY_QUERY)),
    DENY_IF("personality", 0, DEBUG, EPERM, "weakens the address space, beyond what debuggers need",
            NONE_OF(0, 0, LINUX32, UNAME26, UNAME26 | LINUX32, NO_RANDOMIZE, PERSONALITY_QUERY)),

    DENY("socket", 0, MOUNTER, EPERM, "it talks to the supervisor alone, over what it inherited"),
    DENY_IF("socket", 0, TABLE, EAFNOSUPPORT, "families that no network namespace holds back",
            NONE_OF(0, FAMILY_UNIX, FAMILY_INET, FAMILY_INET6, FAMILY_NETLINK)),
    DENY_IF("socket", 0, TABLE, EPROTONOSUPPORT, "netlink other than routes, whatever the type",
            ONE_OF(0, FAMILY_NETLINK), NONE_OF(2, PROTOCOL_ROUTE)),
    DENY_IF("socket", 0, TABLE, EPERM, "raw packets",
            ONE_OF(0, FAMILY_INET, FAMILY_INET6),
            ONE_OF_MASKED(1, SOCKET_TYPE, TYPE_RAW, TYPE_PACKET)),
    DENY_IF("socketpair", 0, TABLE, EAFNOSUPPORT, "families that no network namespace holds back",
            NONE_OF(0, FAMILY_UNIX, FAMILY_INET, FAMILY_INET6, FAMILY_NETLINK)),

    DENY_IF("ioctl", 0, ALL, EPERM, "types, pastes or loads line disciplines into the terminal",
            ONE_OF(1, PUSH_INPUT, CONSOLE_CONTROL, CONSOLE_OUTPUT, LINE_DISCIPLINE)),

    /* A jail run by root would leave a program on the host that makes everybody root. */
    DENY_IF("chmod",     0, TABLE, EPERM, "set-user-id", ANY_BIT(1, SET_USER_ID)),
    DENY_IF("fchmod",    0, TABLE, EPERM, "set-user-id", ANY_BIT(1, SET_USER_ID)),
    DENY_IF("fchmodat",  0, TABLE, EPERM, "set-user-id", ANY_BIT(2, SET_USER_ID)),
    DENY_IF("fchmodat2", 452, TABLE, EPERM, "set-user-id", ANY_BIT(2, SET_USER_ID)),
    DENY_IF("creat",     0, TABLE, EPERM, "set-user-id", ANY_BIT(1, SET_USER_ID)),
    DENY_IF("mknod",     0, TABLE, EPERM, "set-user-id", ANY_BIT(1, SET_USER_ID)),
    DENY_IF("mknodat",   0, TABLE, EPERM, "set-user-id", ANY_BIT(2, SET_USER_ID)),
    DENY_IF("open", 0, TABLE, EPERM, "set-user-id",
            ANY_BIT(1, CREATES), ANY_BIT(2, SET_USER_ID)),
    DENY_IF("openat", 0, TABLE, EPERM, "set-user-id",
            ANY_BIT(2, CREATES), ANY_BIT(3, SET_USER_ID)),
    DENY("openat2", 437, ROOT, ENOSYS, "set-user-id: its mode is behind a pointer"),

    DENY("execve",   0, HELPERS, EPERM, "nothing is left to start"),
    DENY("execveat", 0, HELPERS, EPERM, "nothing is left to start"),
};

/*
 * Calls that programs make most, with a weight. The search tree is balanced by weight, so these
 * come out on short paths. Calls with conditions weigh more than their share: since Linux 5.11 the
 * kernel remembers which calls a program allows whatever the arguments and does not run it for
 * them, so only the others still pay.
 */
static const struct {
    const char *call;
    unsigned weight;
} seccomp_hot[] = {
    {"openat", 400}, {"ioctl", 200},      {"open", 60},        {"clone", 40},      {"socket", 20},
    {"read", 100},   {"write", 100},      {"futex", 100},      {"close", 60},      {"mmap", 40},
    {"fstat", 40},   {"newfstatat", 60},  {"statx", 40},       {"lseek", 20},      {"munmap", 20},
    {"poll", 20},    {"epoll_pwait", 30}, {"epoll_wait", 30},  {"recvmsg", 20},    {"sendmsg", 20},
    {"sendto", 20},  {"recvfrom", 20},    {"sched_yield", 20}, {"madvise", 20},    {"readlink", 20},
    {"pread64", 30}, {"pwrite64", 20},    {"mprotect", 20},    {"getdents64", 20}, {"access", 20},
};
/* clang-format on */
