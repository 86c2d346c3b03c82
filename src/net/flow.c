// SPDX-License-Identifier: GPL-3.0-only
/*
 * flow: one direction of a connection.
 *
 * Every callback may be the last one: when the owner closes a stream meanwhile, its requests end
 * with UV_ECANCELED and nothing is told any more.
 */
#include "net/flow.h"

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

    if (status < 0)
        fail(flow, status);
    else
        read_on(flow);
}

static void pass_on(struct flow *flow, uint8_t *data, size_t len)
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
    flow->write.data = flow;
    r = uv_write(&flow->write, flow->to, &bytes, 1, on_written);
    if (r < 0)
        fail(flow, r);
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    struct flow *flow = stream->data;
    ssize_t accepted = n;

    (void)buf;
    if (n == UV_EOF) {
        end(flow);
    } else if (n < 0) {
        fail(flow, (int)n);
    } else if (n > 0) {
        if (flow->events->on_bytes)
            accepted = flow->events->on_bytes(flow, flow->buffer, (size_t)n);
        if (accepted < 0)
            fail(flow, (int)accepted);
        else if (flow->instead && flow->instead->len)
            pass_on(flow, flow->instead->data, flow->instead->len);
        else if (accepted > 0 && !flow->instead)
            pass_on(flow, flow->buffer, (size_t)accepted);
    }
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
    struct flow *flow = handle->data;

    (void)suggested;
    *buf = uv_buf_init((char *)flow->buffer, sizeof(flow->buffer));
}

static void read_on(struct flow *flow)
{
    int r;

    if (flow->is_reading)
        return;
    flow->is_reading = true;
    flow->from->data = flow;
    r = uv_read_start(flow->from, on_alloc, on_read);
    if (r < 0)
        fail(flow, r);
}

void flow_start(struct flow *flow, size_t len)
{
    if (len)
        pass_on(flow, flow->buffer, len);
    else
        read_on(flow);
}
