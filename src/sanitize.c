// SPDX-License-Identifier: GPL-3.0-only
/*
 * sanitize: stdin -> filter -> stdout.
 *
 * It is the filter of a live run with the fixed profile, so what comes out is what a terminal of 24
 * lines and 80 columns would have got; only the answers go nowhere. Chunks are filtered and written
 * as they are read. What time decides about (the last title of a burst, a synchronised update that
 * was forgotten) is done between the chunks, as the relay does it.
 *
 * The end of the input is not a flush: a sequence or character that is incomplete there is dropped,
 * and modes that the input left on stay on, because the output may be only one part of what the
 * terminal gets.
 *
 * The input is hostile. Before the first byte is read the process gives up everything but the
 * descriptors it has.
 */
#include "sanitize.h"

#include "backend/landlock.h"
#include "backend/seccomp.h"
#include "base/log.h"
#include "filter/filter.h"
#include "pty/isolate.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXIT_OWN_FAILURE 125

#define CHUNK_SIZE (64 * KIB)
#define OUT_MAX    (4 * MIB) /* filter_feed(): 32 times the chunk, and a little */
#define REPLY_MAX  (4 * KIB) /* thrown away after each chunk */

struct stream {
    struct filter *filter;
    struct buf out;
    struct buf reply;
    uint8_t chunk[CHUNK_SIZE];
};

/* Waits until fd is ready; 0 after timeout_ms (-1: never). A descriptor that is not pollable is
 * ready. */
static int wait_ready(int fd, short events, int timeout_ms)
{
    struct pollfd poll_fd = {.fd = fd, .events = events};
    int r = poll(&poll_fd, 1, timeout_ms);

    return r < 0 && errno == EINTR ? 0 : r < 0 ? -errno : r;
}

/* 0, or -errno. The descriptor may be one that does not block. */
static int write_out(const struct buf *out)
{
    size_t done = 0;

    while (done < out->len) {
        ssize_t n = write(STDOUT_FILENO, out->data + done, out->len - done);

        if (n >= 0)
            done += (size_t)n;
        else if (errno == EAGAIN && wait_ready(STDOUT_FILENO, POLLOUT, -1) >= 0)
            continue;
        else if (errno != EINTR)
            return -errno;
    }
    return 0;
}

/* Bytes of input, 0 at its end, -EAGAIN if nothing came within timeout_ms, -errno. */
static ssize_t read_in(struct stream *stream, int timeout_ms)
{
    int ready = wait_ready(STDIN_FILENO, POLLIN, timeout_ms);
    ssize_t n;

    if (ready <= 0)
        return ready < 0 ? ready : -EAGAIN;
    n = read(STDIN_FILENO, stream->chunk, sizeof(stream->chunk));
    if (n < 0 && errno == EINTR)
        return -EAGAIN;
    return n < 0 ? -errno : n;
}

/* Filters and writes len bytes of the chunk. *wait_ms: as filter_tick() says. */
static int pass(struct stream *stream, size_t len, int *wait_ms)
{
    buf_reset(&stream->out);
    buf_reset(&stream->reply);
    if (len)
        filter_feed(stream->filter, stream->chunk, len, &stream->out, &stream->reply);
    *wait_ms = filter_tick(stream->filter, &stream->out, &stream->reply);
    assert(!stream->out.overflow);
    return write_out(&stream->out);
}

static int fail(const char *what, int error)
{
    log_line(NOTE_FATAL, "%s: %s", what, strerror(-error));
    return EXIT_OWN_FAILURE;
}

static int copy(struct stream *stream)
{
    int wait_ms = -1;

    for (;;) {
        ssize_t n = read_in(stream, wait_ms);
        int r;

        if (n == 0)
            return 0;
        if (n < 0 && n != -EAGAIN)
            return fail("standard input cannot be read", (int)n);
        r = pass(stream, n > 0 ? (size_t)n : 0, &wait_ms);
        if (r == -EPIPE)
            return 0;
        if (r < 0)
            return fail("standard output cannot be written", r);
    }
}

static int confine(void)
{
    struct notes notes = {0};
    struct error error = {0};
    int r = isolate_stream(landlock_abi(), seccomp_arch() && seccomp_available(), &notes, &error);

    log_notes(&notes);
    if (r < 0)
        log_line(NOTE_FATAL, "%s", error.text);
    return r;
}

int sanitize_run(void)
{
    struct stream *stream;
    int code;

    /* A reader that has seen enough is the normal end of a pipeline. */
    signal(SIGPIPE, SIG_IGN);
    if (confine() < 0)
        return EXIT_OWN_FAILURE;
    stream = xcalloc(1, sizeof(*stream));
    stream->filter = filter_new(&filter_profile_fixed);
    buf_init(&stream->out, OUT_MAX);
    buf_init(&stream->reply, REPLY_MAX);
    code = copy(stream);
    filter_free(stream->filter);
    buf_free(&stream->out);
    buf_free(&stream->reply);
    free(stream);
    return code;
}
