// SPDX-License-Identifier: GPL-3.0-only
/*
 * Bytes between two connections: all of them, in order, both ways at once; what a reader that stops
 * costs; ends of one side; resets; and that a full source lets others have their turn.
 *
 * Each pair of flows stands between two connections over the loopback. The test plays client and
 * server and turns the loop by hand.
 */
#include "net/flow.h"

#include "support/test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define LIMIT_MS 60000
#define MANY     20 /* more than ROOM_LARGE_MAX */

struct pair {
    uv_tcp_t client; /* what the flows see */
    uv_tcp_t server;
    int client_end; /* what the test holds */
    int server_end;
    struct flow up;
    struct flow down;
    unsigned ends;
    int error;
    bool is_closed;
};

static uv_loop_t loop;
static struct rooms rooms;
static struct pair pairs[MANY];

/* ---- what the flows tell ---- */

static void close_pair(struct pair *pair)
{
    if (pair->is_closed)
        return;
    pair->is_closed = true;
    uv_close((uv_handle_t *)&pair->client, NULL);
    uv_close((uv_handle_t *)&pair->server, NULL);
}

static void on_end(struct flow *flow)
{
    struct pair *pair = flow->owner;

    if (++pair->ends == 2)
        close_pair(pair);
}

static void on_error(struct flow *flow, int error)
{
    struct pair *pair = flow->owner;

    if (!pair->is_closed)
        pair->error = error;
    close_pair(pair);
}

static const struct flow_events events = {.on_end = on_end, .on_error = on_error};

/* ---- the rig ---- */

/* Two ends of a connection over the loopback, which do not block. */
static void connect_ends(int ends[2])
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(address);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_true(listener >= 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, len), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &len), 0);
    ends[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(ends[0], (struct sockaddr *)&address, len), 0);
    ends[1] = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    assert_true(ends[1] >= 0);
    assert_int_equal(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
    close(listener);
}

static void start_flow(struct pair *pair, struct flow *flow, uv_tcp_t *from, uv_tcp_t *to)
{
    *flow = (struct flow){.from = (uv_stream_t *)from,
                          .to = (uv_stream_t *)to,
                          .events = &events,
                          .owner = pair,
                          .rooms = &rooms};
    flow_start(flow, NULL, 0);
}

/* Little in the kernel, so that a stopped reader is felt soon. */
static void shrink(int fd)
{
    const int little = 200 * KIB;

    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &little, sizeof(little));
}

static void open_pair(struct pair *pair)
{
    int client[2];
    int server[2];

    connect_ends(client);
    connect_ends(server);
    for (int i = 0; i < 2; i++) {
        shrink(client[i]);
        shrink(server[i]);
    }
    memset(pair, 0, sizeof(*pair));
    pair->client_end = client[0];
    pair->server_end = server[0];
    assert_int_equal(uv_tcp_init(&loop, &pair->client), 0);
    assert_int_equal(uv_tcp_init(&loop, &pair->server), 0);
    assert_int_equal(uv_tcp_open(&pair->client, client[1]), 0);
    assert_int_equal(uv_tcp_open(&pair->server, server[1]), 0);
    start_flow(pair, &pair->up, &pair->client, &pair->server);
    start_flow(pair, &pair->down, &pair->server, &pair->client);
}

static void drop_pair(struct pair *pair)
{
    close_pair(pair);
    if (pair->client_end >= 0)
        close(pair->client_end);
    if (pair->server_end >= 0)
        close(pair->server_end);
}

static int open_loop(void **state)
{
    (void)state;
    return uv_loop_init(&loop);
}

static void close_handle(uv_handle_t *handle, void *arg)
{
    (void)arg;
    if (!uv_is_closing(handle))
        uv_close(handle, NULL);
}

/* Whatever was kept was given back. */
static int close_loop(void **state)
{
    (void)state;
    uv_walk(&loop, close_handle, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
    rooms_free(&rooms);
    assert_int_equal(rooms.large, 0);
    return 0;
}

static void turn(void)
{
    uv_run(&loop, UV_RUN_NOWAIT);
}

/* Bytes that nobody can mistake for others: a generator of George Marsaglia. */
static void fill(uint8_t *bytes, size_t len, uint32_t seed)
{
    const size_t period = 65521; /* a prime: no size of a buffer is a multiple of it */

    for (size_t i = 0; i < len && i < period; i++) {
        seed ^= seed << 13;
        seed ^= seed >> 17;
        seed ^= seed << 5;
        bytes[i] = (uint8_t)seed;
    }
    for (size_t i = period; i < len; i += period)
        memcpy(bytes + i, bytes, len - i < period ? len - i : period);
}

/* One way of a transfer, as far as it has come. */
struct transfer {
    int from;
    int to;
    uint8_t *sent;
    uint8_t *got;
    size_t len;
    size_t out;
    size_t in;
};

static void transfer_begin(struct transfer *transfer, int from, int to, size_t len, uint32_t seed)
{
    *transfer = (struct transfer){
        .from = from, .to = to, .sent = xcalloc(1, len), .got = xcalloc(1, len), .len = len};
    fill(transfer->sent, len, seed);
}

/* As much as goes without waiting, and not more than that many bytes; then the end. */
static void push(struct transfer *transfer, size_t most)
{
    size_t left = transfer->len - transfer->out;
    ssize_t n;

    if (!left)
        return;
    n = send(transfer->from, transfer->sent + transfer->out, left < most ? left : most,
             MSG_NOSIGNAL);
    assert_true(n > 0 || errno == EAGAIN);
    if (n > 0)
        transfer->out += (size_t)n;
    if (transfer->out == transfer->len)
        shutdown(transfer->from, SHUT_WR);
}

static void pull(struct transfer *transfer, size_t most)
{
    size_t left = transfer->len - transfer->in;
    ssize_t n;

    if (!left)
        return;
    n = recv(transfer->to, transfer->got + transfer->in, left < most ? left : most, 0);
    assert_true(n > 0 || (n < 0 && errno == EAGAIN));
    if (n > 0)
        transfer->in += (size_t)n;
}

static void transfer_check(struct transfer *transfer)
{
    assert_int_equal(transfer->in, transfer->len);
    assert_memory_equal(transfer->sent, transfer->got, transfer->len);
    free(transfer->sent);
    free(transfer->got);
}

/* Until all has arrived. */
static void finish(struct transfer *transfers, size_t count)
{
    uint64_t end = uv_hrtime() / 1000000 + LIMIT_MS;
    size_t done = 0;

    while (done < count) {
        assert_true(uv_hrtime() / 1000000 < end);
        turn();
        done = 0;
        for (size_t i = 0; i < count; i++) {
            push(&transfers[i], SIZE_MAX);
            pull(&transfers[i], SIZE_MAX);
            done += transfers[i].in == transfers[i].len;
        }
    }
}

static void wait_for_end(const struct pair *pair)
{
    uint64_t end = uv_hrtime() / 1000000 + LIMIT_MS;

    while (!pair->is_closed) {
        assert_true(uv_hrtime() / 1000000 < end);
        turn();
    }
}

/* ---- cases ---- */

static void test_rooms_are_few(void **state)
{
    struct room *kept[ROOM_LARGE_MAX + 1];
    struct rooms own = {0};
    uint8_t *first;
    size_t size;

    (void)state;
    first = rooms_lend(&own, &size);
    assert_int_equal(size, ROOM_LARGE);
    assert_ptr_equal(rooms_lend(&own, &size), first); /* nobody kept it */
    for (int i = 0; i < ROOM_LARGE_MAX + 1; i++) {
        rooms_lend(&own, &size);
        assert_int_equal(size, i < ROOM_LARGE_MAX ? ROOM_LARGE : ROOM_SMALL);
        kept[i] = rooms_keep(&own);
    }
    assert_int_equal(own.large, ROOM_LARGE_MAX);
    rooms_give_back(&own, kept[ROOM_LARGE_MAX]);
    rooms_lend(&own, &size);
    assert_int_equal(size, ROOM_SMALL);
    rooms_give_back(&own, kept[0]); /* the better one is lent from now on */
    rooms_lend(&own, &size);
    assert_int_equal(size, ROOM_LARGE);
    for (int i = 1; i < ROOM_LARGE_MAX; i++)
        rooms_give_back(&own, kept[i]);
    assert_int_equal(own.large, 1);
    rooms_free(&own);
    assert_int_equal(own.large, 0);
}

static void test_both_ways_at_once(void **state)
{
    struct pair *pair = &pairs[0];
    struct transfer ways[2];
    uint64_t end = uv_hrtime() / 1000000 + LIMIT_MS;

    (void)state;
    open_pair(pair);
    transfer_begin(&ways[0], pair->client_end, pair->server_end, 9 * MIB + 1, 1);
    transfer_begin(&ways[1], pair->server_end, pair->client_end, 7 * MIB + 3, 2);
    for (size_t i = 0; ways[0].in < ways[0].len || ways[1].in < ways[1].len; i++) {
        assert_true(uv_hrtime() / 1000000 < end);
        /* Odd sizes, from a byte to more than a room; now the sender is faster, now the reader. */
        push(&ways[i % 2], 1 + (i * 7919) % (700 * KIB));
        pull(&ways[i / 3 % 2], 1 + (i * 104729) % (900 * KIB));
        turn();
    }
    wait_for_end(pair);
    assert_int_equal(pair->error, 0);
    assert_int_equal(pair->up.bytes, ways[0].len);
    assert_int_equal(pair->down.bytes, ways[1].len);
    transfer_check(&ways[0]);
    transfer_check(&ways[1]);
    drop_pair(pair);
}

/* The loop until a sender cannot send any more, the flow keeps what it cannot pass on, and nothing has
 * woken it for a while. */
static void stall(struct transfer *transfer, const struct flow *flow, int quiet_ms)
{
    uint64_t end = uv_hrtime() / 1000000 + LIMIT_MS;
    struct pollfd wakes = {.fd = uv_backend_fd(&loop), .events = POLLIN};

    for (;;) {
        size_t before = transfer->out;

        assert_true(uv_hrtime() / 1000000 < end);
        push(transfer, SIZE_MAX);
        turn();
        if (transfer->out == before && flow->kept && poll(&wakes, 1, quiet_ms) == 0)
            return;
    }
}

static void test_a_reader_that_stops_stops_its_sender(void **state)
{
    struct pair *pair = &pairs[0];
    struct transfer way;

    (void)state;
    open_pair(pair);
    transfer_begin(&way, pair->client_end, pair->server_end, 8 * MIB, 3);
    stall(&way, &pair->up, 400);
    assert_true(way.out < way.len);
    assert_false(pair->up.is_reading);
    /* And the other direction is free. */
    assert_int_equal(send(pair->server_end, "x", 1, 0), 1);
    for (char byte = 0; byte != 'x';) {
        turn();
        if (recv(pair->client_end, &byte, 1, 0) < 0)
            assert_int_equal(errno, EAGAIN);
    }
    finish(&way, 1);
    transfer_check(&way);
    drop_pair(pair);
}

static void test_many_readers_that_stop_hold_little(void **state)
{
    static struct transfer ways[MANY];
    size_t kept = 0;

    (void)state;
    for (int i = 0; i < MANY; i++) {
        open_pair(&pairs[i]);
        transfer_begin(&ways[i], pairs[i].client_end, pairs[i].server_end, 3 * MIB + (size_t)i,
                       (uint32_t)i + 1);
    }
    for (int i = 0; i < MANY; i++)
        stall(&ways[i], &pairs[i].up, 10);
    for (int i = 0; i < MANY; i++)
        kept += pairs[i].up.kept != NULL;
    assert_int_equal(kept, MANY);
    assert_in_range(rooms.large, 1, ROOM_LARGE_MAX);
    finish(ways, MANY);
    for (int i = 0; i < MANY; i++) {
        transfer_check(&ways[i]);
        drop_pair(&pairs[i]);
    }
    assert_in_range(rooms.large, 0, 1);
}

/* The end of one side is the end of the other; the way back stays open until it ends, too. */
static void half_close(struct pair *pair, int first, int second)
{
    struct transfer ways[2];
    char byte;

    transfer_begin(&ways[0], first, second, MIB + 1, 4);
    finish(ways, 1);
    while (recv(second, &byte, 1, 0) != 0) {
        assert_int_equal(errno, EAGAIN);
        turn();
    }
    assert_false(pair->is_closed);
    transfer_begin(&ways[1], second, first, 3 * MIB, 5);
    finish(&ways[1], 1);
    wait_for_end(pair);
    assert_int_equal(pair->error, 0);
    transfer_check(&ways[0]);
    transfer_check(&ways[1]);
}

static void test_half_closes(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct pair *pair = &pairs[i];

        open_pair(pair);
        if (i == 0)
            half_close(pair, pair->client_end, pair->server_end);
        else
            half_close(pair, pair->server_end, pair->client_end);
        drop_pair(pair);
    }
}

static void reset(int *fd)
{
    const struct linger now = {.l_onoff = 1};

    assert_int_equal(setsockopt(*fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now)), 0);
    close(*fd);
    *fd = -1;
}

/* While a flow waits to write, and while it waits to read. */
static void test_resets(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct pair *pair = &pairs[i];
        struct transfer way;

        open_pair(pair);
        transfer_begin(&way, pair->client_end, pair->server_end, 8 * MIB, 6);
        if (i >= 2)
            stall(&way, &pair->up, 10);
        reset(i % 2 == 0 ? &pair->client_end : &pair->server_end);
        /* Of a client that nothing is read from the reset is heard once there is room again. */
        while (i == 2 && !pair->is_closed) {
            pull(&way, SIZE_MAX);
            turn();
        }
        wait_for_end(pair);
        assert_true(pair->error == UV_ECONNRESET || pair->error == UV_EPIPE);
        turn(); /* the write ends as cancelled */
        assert_null(pair->up.kept);
        assert_null(pair->down.kept);
        free(way.sent);
        free(way.got);
        drop_pair(pair);
    }
}

/* Bytes of the owner come first, however many fit. */
static void test_first_bytes(void **state)
{
    struct pair *pair = &pairs[0];
    struct transfer way;
    struct flow *flow = &pair->up;
    int client[2];
    int server[2];

    (void)state;
    connect_ends(client);
    connect_ends(server);
    memset(pair, 0, sizeof(*pair));
    pair->client_end = client[0];
    pair->server_end = server[0];
    uv_tcp_init(&loop, &pair->client);
    uv_tcp_init(&loop, &pair->server);
    assert_int_equal(uv_tcp_open(&pair->client, client[1]), 0);
    assert_int_equal(uv_tcp_open(&pair->server, server[1]), 0);
    transfer_begin(&way, pair->client_end, pair->server_end, 20 * MIB, 7);
    *flow = (struct flow){.from = (uv_stream_t *)&pair->client,
                          .to = (uv_stream_t *)&pair->server,
                          .events = &events,
                          .owner = pair,
                          .rooms = &rooms};
    way.out = 18 * MIB; /* more than the kernel takes */
    flow_start(flow, way.sent, way.out);
    assert_false(flow->is_reading);
    assert_null(flow->kept);
    finish(&way, 1);
    transfer_check(&way);
    drop_pair(pair);
}

/* A pipe holds more than one room, so the first read is a full one for certain. */
static void test_others_have_their_turn(void **state)
{
    static uint8_t bytes[ROOM_LARGE * 2];
    struct pair pair = {0};
    uv_pipe_t from;
    uv_pipe_t to;
    int in[2];
    int out[2];

    (void)state;
    assert_int_equal(pipe2(in, O_NONBLOCK | O_CLOEXEC), 0);
    assert_int_equal(pipe2(out, O_NONBLOCK | O_CLOEXEC), 0);
    if (fcntl(in[1], F_SETPIPE_SZ, sizeof(bytes)) < (int)sizeof(bytes) ||
        fcntl(out[1], F_SETPIPE_SZ, sizeof(bytes)) < (int)sizeof(bytes))
        skip(); /* pipe(7): what a user may have in pipes is used up */
    assert_int_equal(write(in[1], bytes, sizeof(bytes)), (ssize_t)sizeof(bytes));
    uv_pipe_init(&loop, &from, 0);
    uv_pipe_init(&loop, &to, 0);
    assert_int_equal(uv_pipe_open(&from, in[0]), 0);
    assert_int_equal(uv_pipe_open(&to, out[1]), 0);
    pair.up = (struct flow){.from = (uv_stream_t *)&from,
                            .to = (uv_stream_t *)&to,
                            .events = &events,
                            .owner = &pair,
                            .rooms = &rooms};
    flow_start(&pair.up, NULL, 0);
    for (size_t round = 1; round <= 2; round++) {
        turn();
        assert_int_equal(pair.up.bytes, round * ROOM_LARGE);
    }
    turn();
    assert_int_equal(pair.error, 0);
    close(in[1]);
    close_handle((uv_handle_t *)&from, NULL);
    close_handle((uv_handle_t *)&to, NULL);
    turn();
    close(out[0]);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, open_loop, close_loop)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rooms_are_few),
        CASE(test_both_ways_at_once),
        CASE(test_a_reader_that_stops_stops_its_sender),
        CASE(test_many_readers_that_stop_hold_little),
        CASE(test_half_closes),
        CASE(test_resets),
        CASE(test_first_bytes),
        CASE(test_others_have_their_turn),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
