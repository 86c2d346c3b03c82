// SPDX-License-Identifier: GPL-3.0-only
/*
 * Sockets of the jail's own loopback, in a network namespace of this test.
 */
#include "backend/launcher.h"
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define PORT  40000
#define TRIES 16

enum { FINE, NO_NAMESPACE, NEVER_MET, WAS_CONNECTED, IS_TAKEN };

static bool set_up(void)
{
    static const char range[] = "40000 40001";
    struct ifreq lo = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
    _cleanup_close_ int fd = -1;
    _cleanup_close_ int file = -1;

    if (unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0)
        return false;
    fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    file = open("/proc/sys/net/ipv4/ip_local_port_range", O_WRONLY | O_CLOEXEC);
    return ioctl(fd, SIOCSIFFLAGS, &lo) == 0 &&
           write(file, range, sizeof(range) - 1) == (ssize_t)sizeof(range) - 1;
}

static struct sockaddr_in address(void)
{
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons(PORT), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

/* The control: what connects without a look is connected with itself before long. */
static bool meets_itself(void)
{
    struct sockaddr_in to = address();
    bool met = false;

    for (int i = 0; i < TRIES && !met; i++) {
        const struct linger reset = {.l_onoff = 1};
        _cleanup_close_ int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

        met = connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0;
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
    }
    return met;
}

static bool can_listen(void)
{
    struct sockaddr_in at = address();
    _cleanup_close_ int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    return bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0 && listen(fd, 1) == 0;
}

static int try_it(void)
{
    if (!set_up())
        return NO_NAMESPACE;
    if (!meets_itself())
        return NEVER_MET;
    for (int i = 0; i < TRIES; i++)
        if (net_connect(PORT) != -ECONNREFUSED)
            return WAS_CONNECTED;
    return can_listen() ? FINE : IS_TAKEN;
}

static void test_nobody_meets_itself(void **state)
{
    int status;
    pid_t child = fork();

    (void)state;
    assert_true(child >= 0);
    if (child == 0)
        _exit(try_it());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == NO_NAMESPACE)
        test_skip("no network namespace of its own");
    assert_int_equal(WEXITSTATUS(status), FINE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nobody_meets_itself),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
