// SPDX-License-Identifier: GPL-3.0-only
/*
 * session_net: what a launcher that was taken over may hand out for a connected socket.
 */
#include "pty/session_net.h"
#include "support/test.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

static void what_is_no_stream_is_not_taken(void **state)
{
    static struct session_net net = {.is_asking = true};
    const struct control_message message = {.type = CONTROL_CONNECTED, .a = 1};
    const int others[] = {open("/dev/null", O_RDWR | O_CLOEXEC),
                          socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), -1};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
        int fd = others[i];

        assert_false(session_net_takes(&net, &message, &fd));
        assert_int_equal(fd, others[i]); /* still the caller's */
        assert_true(net.is_asking);
        if (fd >= 0)
            close(fd);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_stream_is_not_taken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
