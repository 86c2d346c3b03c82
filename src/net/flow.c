// SPDX-License-Identifier: GPL-3.0-only
/*
 * flow: one direction of a connection.
 *
 * Every callback may be the last one: when the owner closes a stream meanwhile, its requests end
 * with UV_ECANCELED and nothing is told any more.
 */
#include "net/flow.h"

#include <sys/socket.h>

static void read_on(struct flow *flow);

static void fail(struct flow *flow, int error)
{
    if (error != UV_ECANCELED)
        flow->events->on_error(flow, error);
}

static void stop_reading(struct flow *flow)
{
    flow->is_reading = false;
    uv_read_stop(flow->from);
}

/* Of a connection that broke off behind bytes which are still to be read, libuv tells the end and
 * not the error. For the other side that is a difference: it has not got everything. */
static int hidden_error(uv_stream_t *stream)
{
    int error = 0;
    socklen_t len = sizeof(error);
    uv_os_fd_t fd;

    if (uv_fileno((uv_handle_t *)stream, &fd) < 0 ||
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0)
        return 0;
    return uv_translate_sys_error(error);
}

static void on_shutdown(uv_shutdown_t *shutdown, int status)
{
    struct flow *flow = shutdown->data;

    /* The other side may have gone completely meanwhile: an end all the same. */
    if (status != UV_ECANCELED)
        flow->events->on_end(flow);
}

static void end(struct flow *flow)
{
    flow->is_ended = true;
    stop_reading(flow);
    flow->shutdown.data = flow;
    if (flow->keeps_open || uv_shutdown(&flow->shutdown, flow->to, on_shutdown) < 0)
        flow->events->on_end(flow);
}

static void on_written(uv_write_t *write, int status)
{
    struct flow *flow = write->data;

    if (flow->kept)
        rooms_give_back(flow->rooms, steal_ptr(&flow->kept));
    if (status < 0)
        fail(flow, status);
    else
        read_on(flow);
}

/* is_lent: data is what was lent for this read. */
static void pass_on(struct flow *flow, uint8_t *data, size_t len, bool is_lent)
{
    uv_buf_t bytes = uv_buf_init((char *)data, (unsigned)len);
    int r = uv_try_write(flow->to, &bytes, 1);

    flow->bytes += len;
    if (r < 0 && r != UV_EAGAIN) {
        fail(flow, r);
        return;
    }
    if (r == (int)len) { /* as usual: reading goes on */
        read_on(flow);
        return;
    }
    if (r > 0)
        bytes = uv_buf_init((char *)data + r, (unsigned)(len - (size_t)r));
    stop_reading(flow);
    if (is_lent)
        flow->kept = rooms_keep(flow->rooms);
    flow->write.data = flow;
    r = uv_write(&flow->write, flow->to, &bytes, 1, on_written);
    if (r < 0)
        on_written(&flow->write, r);
}

static void take(struct flow *flow, uint8_t *bytes, size_t len)
{
    ssize_t accepted = (ssize_t)len;

    if (flow->events->on_bytes)
        accepted = flow->events->on_bytes(flow, bytes, len);
    if (accepted < 0)
        fail(flow, (int)accepted);
    else if (flow->instead && flow->instead->len)
        pass_on(flow, flow->instead->data, flow->instead->len, false);
    else if (accepted > 0 && !flow->instead)
        pass_on(flow, bytes, (size_t)accepted, true);
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    struct flow *flow = stream->data;

    if (n == UV_EOF) {
        int error = hidden_error(stream);

        if (error)
            fail(flow, error);
        else
            end(flow);
    } else if (n > 0) {
        flow->has_had_turn = n == ROOM_LARGE;
        take(flow, (uint8_t *)buf->base, (size_t)n);
    } else if (n < 0 && buf->len > 0) { /* else it was not its turn */
        fail(flow, (int)n);
    }
}

/* libuv goes on reading while a read fills what it was given, up to 32 times. The terminal
 * should not wait for that: no room, and it looks at the others first. */
static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
    struct flow *flow = handle->data;
    size_t size = 0;
    uint8_t *bytes = NULL;

    (void)suggested;
    if (!flow->has_had_turn)
        bytes = rooms_lend(flow->rooms, &size);
    flow->has_had_turn = false;
    if (flow->events->on_bytes && size > FLOW_SIZE)
        size = FLOW_SIZE;
    *buf = uv_buf_init((char *)bytes, (unsigned)size);
}

static void read_on(struct flow *flow)
{
    int r;

    if (flow->is_reading)
        return;
    flow->is_reading = true;
    flow->has_had_turn = false;
    flow->from->data = flow;
    r = uv_read_start(flow->from, on_alloc, on_read);
    if (r < 0)
        fail(flow, r);
}

void flow_start(struct flow *flow, uint8_t *first, size_t len)
{
    if (len)
        pass_on(flow, first, len, false);
    else
        read_on(flow);
}
