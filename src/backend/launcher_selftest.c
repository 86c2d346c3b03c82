// SPDX-License-Identifier: GPL-3.0-only
/*
 * launcher_selftest: tries what must be refused, just before the command starts.
 *
 * A probe proves a layer only if nothing else could have given its answer, so each asks for
 * something that is allowed everywhere else:
 *
 *   Landlock, files   making a whiteout (character device 0:0) in a directory where we may make
 *                     files. The kernel asks Landlock before anything else, and without it any user
 *                     may; the right is handled by every ABI and granted by no rule. A plain
 *                     forbidden open would prove nothing: whatever the rules do not cover is not
 *                     mounted, read-only or another user's as well, with an errno of its own.
 *   Landlock, scope   signal 0 to PID 1, which has our uid.
 *   Landlock, TCP     bind to any port and connect to loopback.
 *   filter            unshare(CLONE_NEWUSER): the kernel's own limits answer ENOSPC, the filter
 *                     EPERM; a netlink socket of a protocol that always exists; an AF_VSOCK socket.
 *
 * What comes back has to be that layer's errno and no other. If Landlock is ordered and no probe
 * fits the ruleset, the test fails: a wall that cannot be seen counts as missing.
 */
#include "backend/landlock.h"
#include "backend/launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define PROBE_NAME ".ai-jail-self-test"

/* What a probe found; an errno otherwise, 0 when it was let through. */
#define NOT_APPLICABLE (-1)

static int errno_of(int result)
{
    return result < 0 ? errno : 0;
}

static bool is_granted_anywhere(const struct orders *orders, uint64_t right)
{
    for (size_t i = 0; i < orders->rule_count; i++)
        if (orders->rules[i].access & right)
            return true;
    return false;
}

/* NOT_APPLICABLE if the directory could refuse for a reason of its own. */
static int probe_whiteout_in(const char *path)
{
    _cleanup_close_ int dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int answer;

    if (dir < 0 || faccessat(dir, ".", W_OK | X_OK, 0) < 0)
        return NOT_APPLICABLE;
    answer = errno_of(mknodat(dir, PROBE_NAME, S_IFCHR | 0600, makedev(0, 0)));
    if (answer == 0)
        (void)unlinkat(dir, PROBE_NAME, 0);
    /* EEXIST and EROFS come before Landlock, EPERM from file systems without device nodes. */
    return answer == 0 || answer == EACCES ? answer : NOT_APPLICABLE;
}

static int probe_whiteout(const struct orders *orders)
{
    int answer;

    if (!(orders->handled_fs & LL_MAKE_CHAR) || is_granted_anywhere(orders, LL_MAKE_CHAR))
        return NOT_APPLICABLE;
    answer = probe_whiteout_in("/tmp");
    for (size_t i = 0; answer == NOT_APPLICABLE && i < orders->rule_count; i++)
        if (orders->rules[i].access & LL_MAKE_REG)
            answer = probe_whiteout_in(orders->rules[i].path);
    /* In lockdown each wall is seen by itself, not one for the others. */
    if (answer == NOT_APPLICABLE && (orders->flags & ORDERS_STRICT))
        return EOPNOTSUPP;
    return answer;
}

static int probe_signal(const struct orders *orders)
{
    return orders->scoped & LL_SCOPE_SIGNAL ? errno_of(kill(1, 0)) : NOT_APPLICABLE;
}

static int probe_tcp(uint64_t handled, uint64_t right,
                     int (*attempt)(int, const struct sockaddr *, socklen_t), uint16_t port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    _cleanup_close_ int fd = -1;

    if (!(handled & right))
        return NOT_APPLICABLE;
    fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return errno;
    return errno_of(attempt(fd, (const struct sockaddr *)&address, sizeof(address)));
}

static int probe_bind(const struct orders *orders)
{
    return probe_tcp(orders->handled_net, LL_NET_BIND_TCP, bind, 0);
}

static int probe_connect(const struct orders *orders)
{
    return probe_tcp(orders->handled_net, LL_NET_CONNECT_TCP, connect, 1);
}

static int probe_unshare(const struct orders *orders)
{
    (void)orders;
    return errno_of(unshare(CLONE_NEWUSER));
}

static int probe_netlink(const struct orders *orders)
{
    _cleanup_close_ int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_USERSOCK);

    (void)orders;
    return errno_of(fd);
}

static int probe_vsock(const struct orders *orders)
{
    _cleanup_close_ int fd = socket(AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC, 0);

    (void)orders;
    return errno_of(fd);
}

static const struct probe {
    unsigned layer; /* ORDERS_LANDLOCK or ORDERS_SECCOMP */
    enum launch_stage stage;
    int expected;
    int (*run)(const struct orders *orders);
} probes[] = {
    {ORDERS_LANDLOCK, STAGE_SELF_TEST_OPEN, EACCES, probe_whiteout},
    {ORDERS_LANDLOCK, STAGE_SELF_TEST_OPEN, EPERM, probe_signal},
    {ORDERS_LANDLOCK, STAGE_SELF_TEST_SOCKET, EACCES, probe_bind},
    {ORDERS_LANDLOCK, STAGE_SELF_TEST_SOCKET, EACCES, probe_connect},
    {ORDERS_SECCOMP, STAGE_SELF_TEST_UNSHARE, EPERM, probe_unshare},
    {ORDERS_SECCOMP, STAGE_SELF_TEST_SOCKET, EPROTONOSUPPORT, probe_netlink},
    {ORDERS_SECCOMP, STAGE_SELF_TEST_SOCKET, EAFNOSUPPORT, probe_vsock},
};

bool selftest_passes(const struct orders *orders, struct selftest *result)
{
    unsigned proven = 0;

    for (size_t i = 0; i < ARRAY_SIZE(probes); i++) {
        const struct probe *probe = &probes[i];
        int answer = orders->flags & probe->layer ? probe->run(orders) : NOT_APPLICABLE;

        if (answer == NOT_APPLICABLE)
            continue;
        *result = (struct selftest){.stage = probe->stage, .answer = answer};
        if (answer != probe->expected)
            return false;
        proven |= probe->layer;
    }
    *result = (struct selftest){.stage = STAGE_SELF_TEST_OPEN, .answer = EOPNOTSUPP};
    return !(orders->flags & ORDERS_LANDLOCK) || (proven & ORDERS_LANDLOCK);
}
