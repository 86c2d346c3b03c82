// SPDX-License-Identifier: GPL-3.0-only
/*
 * dial_tls: bytes between a plain socket and TLS.
 *
 *   up    plain → tls_write() → cipher → TCP.  cipher is collected while flight is being written
 *   down  TCP → tls_feed(), tls_read() → text → plain
 *
 * Each side is read only when what came before has been written, so a slow reader stops its sender,
 * and no buffer holds more than one read has made. What TLS has to say by itself (answers to key
 * updates) goes the way of cipher; a proxy that demands more of it than there is room for has broken
 * the connection. The end of one direction is passed on as the end of that direction.
 */
#include "net/dial_tls.h"

#include "base/os.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define OUTER_BYTES (32 * KIB)
#define INNER_BYTES (16 * KIB) /* of a record of TLS */
#define TEXT_MAX    (2 * OUTER_BYTES + INNER_BYTES)
#define CIPHER_MAX  (4 * INNER_BYTES)
#define DRAIN_MS    5000
#define KEEPALIVE_S 60

struct dial_tls {
    struct dial_tls **list;
    struct dial_tls *next;
    struct dial_tls *previous;
    struct tls_session *tls;
    dial_tls_broken_fn *on_broken; /* NULL: nobody listens any more */
    void *arg;
    unsigned handles; /* that are not closed yet */
    bool is_proved;
    bool is_left;
    bool is_closed;
    bool is_writing_up;
    bool is_up_over;   /* nothing more comes from plain */
    bool is_ending_up; /* the end is being passed on */
    bool is_up_ended;  /* and that was passed on */
    bool is_down_over; /* the same, from the proxy */
    uv_tcp_t outer;
    uv_pipe_t inner;
    uv_timer_t drain;
    struct buf cipher;
    struct buf flight;
    struct buf text;
    uv_write_t up_write;
    uv_write_t down_write;
    uv_shutdown_t up_shutdown;
    uv_shutdown_t down_shutdown;
    uint8_t from_outer[OUTER_BYTES];
    uint8_t from_inner[INNER_BYTES];
};

/* ---- the end ---- */

static void on_handle_closed(uv_handle_t *handle)
{
    struct dial_tls *leg = handle->data;

    if (--leg->handles)
        return;
    tls_close(leg->tls);
    buf_free(&leg->cipher);
    buf_free(&leg->flight);
    buf_free(&leg->text);
    free(leg);
}

static void leave_list(struct dial_tls *leg)
{
    if (leg->previous)
        leg->previous->next = leg->next;
    else
        *leg->list = leg->next;
    if (leg->next)
        leg->next->previous = leg->previous;
}

static void close_all_handles(struct dial_tls *leg)
{
    if (leg->is_closed)
        return;
    leg->is_closed = true;
    leave_list(leg);
    uv_close((uv_handle_t *)&leg->outer, on_handle_closed);
    uv_close((uv_handle_t *)&leg->inner, on_handle_closed);
    uv_close((uv_handle_t *)&leg->drain, on_handle_closed);
}

static void reset_outer(struct dial_tls *leg)
{
    const struct linger reset = {.l_onoff = 1};
    uv_os_fd_t fd;

    if (uv_fileno((uv_handle_t *)&leg->outer, &fd) == 0)
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
}

static void break_off(struct dial_tls *leg, const char *why)
{
    dial_tls_broken_fn *on_broken = leg->on_broken;

    if (leg->is_closed)
        return;
    if (leg->is_proved)
        reset_outer(leg);
    close_all_handles(leg);
    leg->on_broken = NULL;
    if (on_broken)
        on_broken(leg->arg, why);
}

/* Never before the caller has left: it still has the pointer. */
static void close_if_over(struct dial_tls *leg)
{
    if (leg->is_left && leg->is_up_ended)
        close_all_handles(leg);
}

/* ---- up ---- */

static void read_inner(struct dial_tls *leg);
static void flush_up(struct dial_tls *leg);

static void on_up_shutdown(uv_shutdown_t *shutdown, int status)
{
    struct dial_tls *leg = shutdown->data;

    if (status == UV_ECANCELED)
        return;
    leg->is_up_ended = true;
    close_if_over(leg);
}

static void end_up(struct dial_tls *leg)
{
    leg->is_ending_up = true;
    leg->up_shutdown.data = leg;
    if (uv_shutdown(&leg->up_shutdown, (uv_stream_t *)&leg->outer, on_up_shutdown) < 0) {
        leg->is_up_ended = true;
        close_if_over(leg);
    }
}

static void on_up_written(uv_write_t *write, int status)
{
    struct dial_tls *leg = write->data;

    leg->is_writing_up = false;
    if (status == UV_ECANCELED)
        return;
    if (status < 0)
        break_off(leg, "the connection broke");
    else
        flush_up(leg);
}

/* What does not fit waits, and plain with it. */
static void write_up(struct dial_tls *leg)
{
    struct buf empty = leg->flight;
    uv_buf_t bytes = uv_buf_init((char *)leg->cipher.data, (unsigned)leg->cipher.len);
    int r = uv_try_write((uv_stream_t *)&leg->outer, &bytes, 1);

    if (r == (int)bytes.len) {
        buf_reset(&leg->cipher);
        return;
    }
    buf_consume(&leg->cipher, r > 0 ? (size_t)r : 0);
    buf_reset(&empty);
    leg->flight = leg->cipher;
    leg->cipher = empty;
    bytes = uv_buf_init((char *)leg->flight.data, (unsigned)leg->flight.len);
    uv_read_stop((uv_stream_t *)&leg->inner);
    leg->up_write.data = leg;
    leg->is_writing_up = true;
    if (uv_write(&leg->up_write, (uv_stream_t *)&leg->outer, &bytes, 1, on_up_written) < 0)
        break_off(leg, "the connection broke");
}

/* What is ready for the proxy; behind it the end, or what comes next. */
static void flush_up(struct dial_tls *leg)
{
    if (leg->is_writing_up || leg->is_closed)
        return;
    if (leg->is_ending_up) /* TLS has said its last word */
        buf_reset(&leg->cipher);
    if (leg->cipher.len)
        write_up(leg);
    if (leg->is_writing_up || leg->is_closed)
        return;
    if (leg->is_up_over && !leg->is_ending_up)
        end_up(leg);
    else if (leg->is_proved && !leg->is_up_over)
        read_inner(leg);
}

/* False: it broke. */
static bool take_cipher(struct dial_tls *leg)
{
    if (tls_take(leg->tls, &leg->cipher) == 0)
        return true;
    break_off(leg, "it demands too much of TLS");
    return false;
}

static void on_inner_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
    struct dial_tls *leg = handle->data;

    (void)suggested;
    *buf = uv_buf_init((char *)leg->from_inner, sizeof(leg->from_inner));
}

static void on_inner(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    struct dial_tls *leg = stream->data;

    if (n == 0)
        return;
    if (n < 0) {
        uv_read_stop(stream);
        leg->is_up_over = true;
        tls_end(leg->tls);
    } else if (tls_write(leg->tls, buf->base, (size_t)n) < 0) {
        break_off(leg, tls_fault(leg->tls));
        return;
    }
    if (take_cipher(leg))
        flush_up(leg);
}

static void read_inner(struct dial_tls *leg)
{
    int r = uv_read_start((uv_stream_t *)&leg->inner, on_inner_alloc, on_inner);

    if (r < 0 && r != UV_EALREADY)
        break_off(leg, "the connection broke");
}

/* ---- down ---- */

static void read_outer(struct dial_tls *leg);

static void on_down_shutdown(uv_shutdown_t *shutdown, int status)
{
    (void)shutdown; /* whoever is gone at the other end needs no end */
    (void)status;
}

static void end_down(struct dial_tls *leg)
{
    if (leg->is_down_over)
        return;
    leg->is_down_over = true;
    uv_read_stop((uv_stream_t *)&leg->outer);
    uv_shutdown(&leg->down_shutdown, (uv_stream_t *)&leg->inner, on_down_shutdown);
    close_if_over(leg);
}

static void on_down_written(uv_write_t *write, int status)
{
    struct dial_tls *leg = write->data;

    if (status == UV_ECANCELED || leg->is_closed)
        return;
    if (status < 0)
        end_down(leg);
    else
        read_outer(leg);
}

/* Behind the last byte the queue of the stream keeps the order: an end may be asked for at once. */
static void write_text(struct dial_tls *leg)
{
    uv_buf_t bytes = uv_buf_init((char *)leg->text.data, (unsigned)leg->text.len);
    int r = bytes.len ? uv_try_write((uv_stream_t *)&leg->inner, &bytes, 1) : 0;

    if (r == (int)bytes.len)
        return;
    buf_consume(&leg->text, r > 0 ? (size_t)r : 0);
    bytes = uv_buf_init((char *)leg->text.data, (unsigned)leg->text.len);
    uv_read_stop((uv_stream_t *)&leg->outer);
    leg->down_write.data = leg;
    if (uv_write(&leg->down_write, (uv_stream_t *)&leg->inner, &bytes, 1, on_down_written) < 0)
        end_down(leg);
}

/* What TLS has read out of the bytes that came. */
static void pull(struct dial_tls *leg)
{
    ssize_t n;

    buf_reset(&leg->text);
    do {
        uint8_t *room = buf_reserve(&leg->text, INNER_BYTES);

        if (!room) {
            break_off(leg, "it sends more than TLS allows");
            return;
        }
        n = tls_read(leg->tls, room, INNER_BYTES);
        buf_commit(&leg->text, n > 0 ? (size_t)n : 0);
    } while (n > 0);
    if (n < 0 && n != -EPIPE) {
        break_off(leg, tls_fault(leg->tls));
        return;
    }
    if (!take_cipher(leg))
        return;
    write_text(leg);
    if (n == -EPIPE)
        end_down(leg);
    if (leg->cipher.len)
        flush_up(leg);
}

static void shake_hands(struct dial_tls *leg)
{
    int r = tls_handshake(leg->tls);

    if (!take_cipher(leg))
        return;
    if (r < 0) {
        uv_buf_t bytes = uv_buf_init((char *)leg->cipher.data, (unsigned)leg->cipher.len);

        if (bytes.len) /* what it is to hear of the failure */
            uv_try_write((uv_stream_t *)&leg->outer, &bytes, 1);
        break_off(leg, tls_fault(leg->tls));
        return;
    }
    leg->is_proved = r == 1;
    flush_up(leg);
    if (leg->is_proved && !leg->is_closed)
        pull(leg);
}

static void on_outer_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
    struct dial_tls *leg = handle->data;

    (void)suggested;
    *buf = uv_buf_init((char *)leg->from_outer, sizeof(leg->from_outer));
}

static void on_outer(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    struct dial_tls *leg = stream->data;

    if (n == 0)
        return;
    if (n < 0 && !leg->is_proved)
        break_off(leg, "it ended the handshake");
    else if (n == UV_EOF)
        end_down(leg);
    else if (n < 0)
        break_off(leg, "the connection broke");
    else if (tls_feed(leg->tls, buf->base, (size_t)n) < 0)
        break_off(leg, "out of memory");
    else if (leg->is_proved)
        pull(leg);
    else
        shake_hands(leg);
}

static void read_outer(struct dial_tls *leg)
{
    int r = uv_read_start((uv_stream_t *)&leg->outer, on_outer_alloc, on_outer);

    if (r < 0 && r != UV_EALREADY)
        break_off(leg, "the connection broke");
}

/* ---- begin, leave ---- */

static struct dial_tls *make(struct dial_tls **list, uv_loop_t *loop, dial_tls_broken_fn *on_broken,
                             void *arg)
{
    struct dial_tls *leg = xcalloc(1, sizeof(*leg));

    leg->list = list;
    leg->next = *list;
    if (leg->next)
        leg->next->previous = leg;
    *list = leg;
    leg->on_broken = on_broken;
    leg->arg = arg;
    leg->handles = 3;
    uv_tcp_init(loop, &leg->outer);
    uv_pipe_init(loop, &leg->inner, 0);
    uv_timer_init(loop, &leg->drain);
    leg->outer.data = leg->inner.data = leg->drain.data = leg;
    buf_init(&leg->cipher, CIPHER_MAX);
    buf_init(&leg->flight, CIPHER_MAX);
    buf_init(&leg->text, TEXT_MAX);
    return leg;
}

/* 0, or -1; whatever is not taken is closed. */
static int take_sockets(struct dial_tls *leg, int fd, int inner)
{
    int outer_taken = uv_tcp_open(&leg->outer, fd);
    int inner_taken = uv_pipe_open(&leg->inner, inner);

    if (outer_taken < 0)
        close(fd);
    if (inner_taken < 0)
        close(inner);
    return outer_taken < 0 || inner_taken < 0 ? -1 : 0;
}

struct dial_tls *dial_tls_open(struct dial_tls **list, uv_loop_t *loop, struct tls *tls,
                               const char *host, int fd, int *plain, dial_tls_broken_fn *on_broken,
                               void *arg)
{
    struct dial_tls *leg;
    int pair[2];

    if (os_stream_pair(pair) < 0) {
        close(fd);
        return NULL;
    }
    leg = make(list, loop, on_broken, arg);
    leg->tls = tls_open(tls, host);
    if (take_sockets(leg, fd, pair[1]) < 0 || !leg->tls) {
        close(pair[0]);
        close_all_handles(leg);
        return NULL;
    }
    uv_tcp_nodelay(&leg->outer, 1);
    uv_tcp_keepalive(&leg->outer, 1, KEEPALIVE_S);
    *plain = pair[0];
    tls_handshake(leg->tls); /* the first message: it cannot fail before an answer */
    tls_take(leg->tls, &leg->cipher);
    leg->on_broken = NULL; /* it is too early to be heard; what breaks here breaks again */
    flush_up(leg);
    if (!leg->is_closed)
        read_outer(leg);
    if (leg->is_closed) {
        close(pair[0]);
        return NULL;
    }
    leg->on_broken = on_broken;
    return leg;
}

bool dial_tls_is_proved(const struct dial_tls *leg)
{
    return leg->is_proved;
}

static void on_drain_timeout(uv_timer_t *timer)
{
    close_all_handles(timer->data);
}

void dial_tls_leave(struct dial_tls *leg, bool is_abort)
{
    leg->on_broken = NULL;
    leg->is_left = true;
    if (is_abort || !leg->is_proved) {
        reset_outer(leg);
        close_all_handles(leg);
        return;
    }
    uv_timer_start(&leg->drain, on_drain_timeout, DRAIN_MS, 0);
    close_if_over(leg);
}

void dial_tls_close_all(struct dial_tls **list)
{
    while (*list) {
        struct dial_tls *leg = *list;

        leg->on_broken = NULL;
        close_all_handles(leg);
    }
}
