// SPDX-License-Identifier: GPL-3.0-only
/*
 * instep: two directories stand for HOME outside and inside; the jail is not needed for what is
 * decided.
 */
#include "pty/instep.h"

#include "base/fd.h"
#include "pty/mounter_event.h"
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME    "state.json"
#define RUN_PID 4321
#define BESIDE  NAME ".ai-jail-4321"
#define WAIT_MS 20000

struct world {
    char base[64];
    char *host; /* the file outside */
    char *jail; /* inside */
    char *beside;
    struct in_step files;
    int sockets[2];
    struct instep *instep;
};

static char *at(const struct world *world, const char *name)
{
    return xasprintf("%s/%s", world->base, name);
}

static void put(const char *path, const char *text)
{
    _cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(fd_write_all(fd, text, strlen(text)), 0);
}

/* "" if it is not there; static. */
static const char *get(const char *path)
{
    static char text[256];
    _cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

    text[n < 0 ? 0 : n] = '\0';
    return text;
}

/* text NULL: the host has no file. */
static void world_init(struct world *world, const char *text)
{
    _cleanup_free_ char *outside = NULL;
    _cleanup_free_ char *inside = NULL;

    *world = (struct world){.base = "/tmp/ai-jail-instep.XXXXXX"};
    assert_non_null(mkdtemp(world->base));
    outside = at(world, "host");
    inside = at(world, "jail");
    assert_int_equal(mkdir(outside, 0700) | mkdir(inside, 0700), 0);
    world->host = at(world, "host/" NAME);
    world->jail = at(world, "jail/" NAME);
    world->beside = at(world, "host/" BESIDE);
    world->files.v[0] = (struct in_step_file){world->host, world->jail};
    world->files.n = 1;
    if (text)
        put(world->host, text);
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, world->sockets), 0);
    world->instep = instep_open(&world->files, RUN_PID, world->sockets[0]);
    assert_non_null(world->instep);
    instep_enter(world->instep);
}

static void world_free(struct world *world)
{
    _cleanup_free_ char *command = xasprintf("rm -rf %s", world->base);

    instep_free(world->instep);
    close(world->sockets[0]);
    close(world->sockets[1]);
    assert_int_equal(system(command), 0);
    free(world->host);
    free(world->jail);
    free(world->beside);
}

#define _cleanup_world_ CLEANUP(world_free)

/* Steps until the file holds the text. */
static void wait_text(struct world *world, const char *path, const char *text)
{
    for (int waited_ms = 0; !str_eq(get(path), text); waited_ms += 10) {
        struct pollfd poll_fd = {.fd = instep_fd(world->instep), .events = POLLIN};

        if (waited_ms > WAIT_MS)
            fail_msg("%s holds %s instead of %s", path, get(path), text);
        poll(&poll_fd, 1, 10);
        instep_step(world->instep);
    }
}

static void wait_idle(struct world *world)
{
    for (int waited_ms = 0; instep_timeout_ms(world->instep) >= 0; waited_ms += 10) {
        assert_true(waited_ms < WAIT_MS);
        poll(NULL, 0, 10);
        instep_step(world->instep);
    }
}

/* Type of the next event, 0: none. */
static unsigned next_event(struct world *world, int *code)
{
    struct mounter_event event;
    const char *path, *origin;

    if (mounter_event_receive(world->sockets[1], &event, &path, &origin) != 1)
        return 0;
    assert_string_equal(path, world->host);
    *code = event.code;
    return event.type;
}

static void check_event(struct world *world, unsigned type, int code)
{
    int found = 0;

    assert_int_equal(next_event(world, &found), type);
    if (type)
        assert_int_equal(found, code);
}

static void both_ways(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world, "{}");
    assert_string_equal(get(world.jail), "{}");
    put(world.jail, "{\"j\":1}");
    wait_text(&world, world.host, "{\"j\":1}");
    put(world.host, "{\"h\":1}");
    wait_text(&world, world.jail, "{\"h\":1}");
    wait_idle(&world);
    check_event(&world, 0, 0);
}

static void absent(void **state)
{
    _cleanup_world_ struct world world;
    struct stat st;

    (void)state;
    world_init(&world, NULL);
    assert_int_equal(access(world.jail, F_OK), -1);
    put(world.jail, "{\"j\":1}");
    assert_int_equal(chmod(world.jail, 0666), 0);
    instep_finish(world.instep);
    assert_string_equal(get(world.host), "{\"j\":1}");
    assert_int_equal(stat(world.host, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
}

/* What the host has is shown whole or not; the first valid version of the jail replaces it. */
static void invalid_from_the_start(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world, "{\"half");
    assert_string_equal(get(world.jail), "{\"half");
    instep_finish(world.instep);
    assert_string_equal(get(world.host), "{\"half");
    check_event(&world, 0, 0);
    put(world.jail, "{}");
    instep_finish(world.instep);
    assert_string_equal(get(world.host), "{}");
}

static void conflict(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world, "{}");
    put(world.jail, "{\"j\":1}");
    put(world.host, "{\"h\":1}");
    wait_text(&world, world.beside, "{\"j\":1}");
    wait_text(&world, world.jail, "{\"h\":1}");
    assert_string_equal(get(world.host), "{\"h\":1}");
    check_event(&world, MOUNTER_EVENT_STATE_BESIDE, 0);
    /* From here on they are in step again. */
    put(world.jail, "{\"j\":2}");
    wait_text(&world, world.host, "{\"j\":2}");
}

static void the_same_change(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world, "{}");
    put(world.jail, "{\"x\":1}");
    put(world.host, "{\"x\":1}");
    instep_finish(world.instep);
    assert_string_equal(get(world.beside), "");
    check_event(&world, 0, 0);
}

/* The host is writing its file: it is waited for, and not replaced. */
static void torn_host(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world, "{}");
    put(world.host, "{\"h\":");
    put(world.jail, "{\"j\":1}");
    instep_finish(world.instep);
    assert_string_equal(get(world.host), "{\"h\":");
    assert_string_equal(get(world.beside), "{\"j\":1}");
}

static void torn_host_is_not_copied(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world, "{}");
    put(world.host, "{\"h\":");
    wait_idle(&world);
    assert_string_equal(get(world.jail), "{}");
    put(world.host, "{\"h\":1}");
    wait_text(&world, world.jail, "{\"h\":1}");
}

/* A jail that stands in the way of its own file does not get a later one past the host's. */
static void jail_in_the_way(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world, "{}");
    assert_int_equal(unlink(world.jail) | mkdir(world.jail, 0700), 0);
    put(world.host, "{\"h\":1}");
    wait_idle(&world);
    assert_int_equal(rmdir(world.jail), 0);
    put(world.jail, "{\"j\":1}");
    instep_finish(world.instep);
    assert_string_equal(get(world.host), "{\"h\":1}");
    assert_string_equal(get(world.beside), "{\"j\":1}");
}

static void refused(void **state)
{
    static const struct {
        const char *text; /* NULL: a FIFO */
        int code;
    } cases[] = {{"[]", EBADMSG}, {"", EBADMSG}, {"{}{}", EBADMSG}, {NULL, ENOTSUP}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        _cleanup_world_ struct world world;

        world_init(&world, "{\"h\":1}");
        assert_int_equal(unlink(world.jail), 0);
        if (cases[i].text)
            put(world.jail, cases[i].text);
        else
            assert_int_equal(mkfifo(world.jail, 0600), 0);
        instep_finish(world.instep);
        assert_string_equal(get(world.host), "{\"h\":1}");
        check_event(&world, MOUNTER_EVENT_STATE_REFUSED, cases[i].code);
    }
}

static void links(void **state)
{
    _cleanup_world_ struct world world;
    _cleanup_free_ char *other = NULL;

    (void)state;
    world_init(&world, "{}");
    other = at(&world, "other");
    put(other, "{\"secret\":1}");
    assert_int_equal(unlink(world.jail) | symlink(other, world.jail), 0);
    instep_finish(world.instep);
    assert_string_equal(get(world.host), "{}");
    check_event(&world, MOUNTER_EVENT_STATE_REFUSED, ELOOP);
    assert_string_equal(get(other), "{\"secret\":1}");
}

/* Another mounter has its turn: it is waited for, and for the last copy not for ever. */
static void the_lock(void **state)
{
    _cleanup_world_ struct world world;
    _cleanup_free_ char *dir = NULL;
    _cleanup_close_ int fd = -1;

    (void)state;
    world_init(&world, "{}");
    dir = at(&world, "host");
    fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    put(world.jail, "{\"j\":1}");
    for (int i = 0; i < 80; i++) {
        poll(NULL, 0, 10);
        instep_step(world.instep);
        assert_string_equal(get(world.host), "{}");
    }
    assert_int_equal(flock(fd, LOCK_UN), 0);
    wait_text(&world, world.host, "{\"j\":1}");
    assert_int_equal(flock(fd, LOCK_EX), 0);
    put(world.jail, "{\"j\":2}");
    instep_finish(world.instep);
    assert_string_equal(get(world.host), "{\"j\":2}");
}

static void too_large_outside(void **state)
{
    _cleanup_world_ struct world world = {0};
    int code = 0;

    (void)state;
    world_init(&world, NULL);
    instep_free(world.instep);
    put(world.host, "{}");
    assert_int_equal(truncate(world.host, 17 << 20), 0);
    world.instep = instep_open(&world.files, RUN_PID, world.sockets[0]);
    instep_enter(world.instep);
    assert_int_equal(next_event(&world, &code), 0); /* the supervisor waits for something else */
    instep_step(world.instep);
    check_event(&world, MOUNTER_EVENT_STATE_OFF, EFBIG);
    put(world.jail, "{\"j\":1}");
    instep_finish(world.instep);
    assert_int_equal(truncate(world.host, 2), 0);
    assert_string_equal(get(world.host), "{}");
}

static void nothing_to_do(void **state)
{
    static const struct in_step none;

    (void)state;
    assert_null(instep_open(&none, RUN_PID, -1));
    assert_null(instep_open(NULL, RUN_PID, -1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ways),
        cmocka_unit_test(absent),
        cmocka_unit_test(invalid_from_the_start),
        cmocka_unit_test(conflict),
        cmocka_unit_test(the_same_change),
        cmocka_unit_test(torn_host),
        cmocka_unit_test(torn_host_is_not_copied),
        cmocka_unit_test(jail_in_the_way),
        cmocka_unit_test(refused),
        cmocka_unit_test(links),
        cmocka_unit_test(the_lock),
        cmocka_unit_test(too_large_outside),
        cmocka_unit_test(nothing_to_do),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
