// SPDX-License-Identifier: GPL-3.0-only
/*
 * probe: asks the real terminal what it is.
 *
 * All questions go out in one write, the ones that the most terminals understand first, so that one
 * that stops at something it does not know has said most before. The last is DA1, which every
 * terminal answers and answers last: its reply ends the wait. Right before it stands the question
 * for the cursor, which belongs to the moment at which the command starts.
 *
 * A reply that comes later than the wait is dropped by the input filter. Only the cursor is asked for
 * again, when other programs have had the terminal; the same sentinel ends that wait.
 */
#include "pty/probe.h"

#include "pty/probe_replies.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define WRITE_MS        200
#define ALL_MS          1000
#define AFTER_BYTE_MS   300
#define LOCAL_MS        200 /* for the first reply; a local terminal needs a few */
#define DRAIN_MS        20
#define DRAIN_MAX       4096 /* bytes; all answers together are fewer */
#define LATE_MS         3000
#define QUESTIONS_MAX   1024
#define READ_SIZE       1024
#define VTE_HAS_VERSION 6800 /* older ones print the rest of XTVERSION */

/* Terminals that would show a question instead of answering it. */
enum trait {
    TRAIT_LINUX = 1 << 0, /* the console of the kernel */
    TRAIT_APPLE = 1 << 1, /* Terminal.app */
    TRAIT_OLD_VTE = 1 << 2,
    TRAIT_NO_TITLE_STACK = 1 << 3,
    TRAIT_REMOTE = 1 << 4,
};

static const struct {
    unsigned skip_for; /* enum trait */
    const char *text;
} questions[] = {
    {TRAIT_LINUX, "\033[?u"},
    {TRAIT_LINUX | TRAIT_APPLE, "\033[?2026$p"},
    {TRAIT_LINUX | TRAIT_APPLE, "\033[?2031$p"},
    {TRAIT_LINUX | TRAIT_APPLE, "\033[?1007$p"},
    {TRAIT_LINUX | TRAIT_APPLE, "\033[?12$p"},
    {TRAIT_LINUX, "\033]10;?\033\\"},
    {TRAIT_LINUX, "\033]11;?\033\\"},
    {TRAIT_LINUX, "\033]12;?\033\\"},
    {TRAIT_LINUX, "\033]4;0;?\033\\\033]4;1;?\033\\\033]4;2;?\033\\\033]4;3;?\033\\"},
    {TRAIT_LINUX, "\033]4;4;?\033\\\033]4;5;?\033\\\033]4;6;?\033\\\033]4;7;?\033\\"},
    {TRAIT_LINUX, "\033]4;8;?\033\\\033]4;9;?\033\\\033]4;10;?\033\\\033]4;11;?\033\\"},
    {TRAIT_LINUX, "\033]4;12;?\033\\\033]4;13;?\033\\\033]4;14;?\033\\\033]4;15;?\033\\"},
    {TRAIT_LINUX, "\033[14t"},
    {TRAIT_LINUX, "\033[16t"},
    {TRAIT_LINUX, "\033[?996n"},
    {TRAIT_LINUX | TRAIT_APPLE | TRAIT_OLD_VTE, "\033[>0q"},
    {TRAIT_LINUX | TRAIT_APPLE, "\033P$q q\033\\"},
    {TRAIT_LINUX, "\033[?4m"},
    {TRAIT_LINUX, "\033[>c"},
    {0, "\033[6n"},
    {0, "\033[c"},
};

static const char title_push[] = "\033[22;0;0t";

static uint64_t clock_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static bool is_set(const struct host *host, const char *name)
{
    const char *value = host_getenv(host, name);

    return value && *value;
}

static unsigned find_traits(const struct host *host)
{
    const char *term = host_getenv(host, "TERM");
    const char *vte = host_getenv(host, "VTE_VERSION");
    unsigned traits = 0;

    if (str_eq(term, "linux"))
        traits |= TRAIT_LINUX | TRAIT_NO_TITLE_STACK;
    if (str_eq(host_getenv(host, "TERM_PROGRAM"), "Apple_Terminal"))
        traits |= TRAIT_APPLE;
    if (vte && *vte && strtol(vte, NULL, 10) < VTE_HAS_VERSION)
        traits |= TRAIT_OLD_VTE;
    /* tmux calls itself that, too, and has a stack. */
    if (term && str_starts(term, "screen") && !is_set(host, "TMUX"))
        traits |= TRAIT_NO_TITLE_STACK;
    if (is_set(host, "SSH_CONNECTION") || is_set(host, "SSH_TTY") || is_set(host, "SSH_CLIENT"))
        traits |= TRAIT_REMOTE;
    return traits;
}

void probe_assume(const struct terminal *terminal, const struct host *host,
                  char *const *environment, struct filter_profile *profile)
{
    struct winsize size;

    terminal_size(terminal, &size);
    *profile = (struct filter_profile){
        .rows = size.ws_row,
        .cols = size.ws_col,
        .cell_width_px = size.ws_xpixel / size.ws_col,
        .cell_height_px = size.ws_ypixel / size.ws_row,
        .is_linux_console = str_eq(host_getenv(host, "TERM"), "linux"),
        .is_dark = true,
    };
    for (; environment && *environment; environment++)
        if (str_starts(*environment, "TERM="))
            snprintf(profile->term, sizeof(profile->term), "%s", *environment + strlen("TERM="));
}

static bool is_terminal(int fd, dev_t device)
{
    struct stat st;

    return fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) && st.st_rdev == device;
}

bool probe_is_wanted(const struct terminal *terminal, const struct host *host)
{
    const char *term = host_getenv(host, "TERM");
    struct stat st;

    if (!term || !*term || str_eq(term, "dumb") || str_eq(term, "unknown"))
        return false;
    /* /dev/tty, which the descriptor may be, has a number of its own. */
    if (terminal->fd < 0 || fstat(STDIN_FILENO, &st) < 0 || !isatty(STDIN_FILENO))
        return false;
    return is_terminal(STDOUT_FILENO, st.st_rdev) && terminal_is_foreground(terminal);
}

static int write_questions(const struct terminal *terminal, unsigned traits)
{
    _cleanup_buf_ struct buf bytes = {0};

    buf_init(&bytes, QUESTIONS_MAX);
    for (size_t i = 0; i < ARRAY_SIZE(questions); i++)
        if (!(questions[i].skip_for & traits))
            buf_append_str(&bytes, questions[i].text);
    assert(!bytes.overflow);
    return terminal_write(terminal, bytes.data, bytes.len, WRITE_MS);
}

/* True if the terminal has something to read before the deadline. */
static bool wait_readable(const struct terminal *terminal, uint64_t deadline_ms)
{
    struct pollfd poll_fd = {.fd = terminal->fd, .events = POLLIN};
    int r;

    do {
        uint64_t now = clock_ms();

        r = poll(&poll_fd, 1, now < deadline_ms ? (int)(deadline_ms - now) : 0);
    } while (r < 0 && errno == EINTR);
    return r > 0;
}

/* What was typed before the first question cannot be an answer. */
static void read_typed(struct probe *probe, const struct terminal *terminal)
{
    uint8_t bytes[READ_SIZE];
    ssize_t n;

    while (probe->typed.len < PROBE_TYPED_MAX / 2 &&
           (n = terminal_read_some(terminal, bytes, sizeof(bytes))) > 0)
        buf_append(&probe->typed, bytes, (size_t)n);
}

/* Until the last question is answered, the time is over, or more is typed than anybody types. */
static void read_replies(struct probe_replies *replies, const struct terminal *terminal,
                         bool is_remote)
{
    uint64_t start = clock_ms();
    uint64_t end = start + ALL_MS;
    uint64_t deadline = start + (is_remote ? ALL_MS : LOCAL_MS);
    uint8_t bytes[READ_SIZE];

    while (!replies->is_done && clock_ms() <= end && wait_readable(terminal, deadline) &&
           replies->typed->len + REPLY_MAX + READ_SIZE < replies->typed->max) {
        unsigned count = replies->count;
        ssize_t n = terminal_read_some(terminal, bytes, sizeof(bytes));

        if (n == -EAGAIN)
            continue;
        if (n <= 0)
            return; /* hung up: the relay will find out */
        probe_replies_feed(replies, bytes, (size_t)n);
        if (replies->count != count || probe_replies_is_inside(replies)) {
            uint64_t next = clock_ms() + AFTER_BYTE_MS;

            deadline = next < end ? next : end;
        }
    }
}

static void push_title(struct probe *probe, const struct terminal *terminal, unsigned traits)
{
    if (traits & TRAIT_NO_TITLE_STACK)
        return;
    probe->has_pushed_title =
        terminal_write(terminal, title_push, sizeof(title_push) - 1, WRITE_MS) == 0;
}

void probe_ask(struct probe *probe, const struct terminal *terminal, const struct host *host,
               struct filter_profile *profile)
{
    unsigned traits = find_traits(host);
    struct probe_replies replies;

    buf_init(&probe->typed, PROBE_TYPED_MAX);
    read_typed(probe, terminal);
    probe->asked_ms = clock_ms();
    probe->is_remote = traits & TRAIT_REMOTE;
    if (write_questions(terminal, traits) < 0)
        return;
    probe_replies_init(&replies, &probe->typed);
    read_replies(&replies, terminal, probe->is_remote);
    probe_replies_finish(&replies, profile);
    probe->is_answered = replies.is_done;
    if (probe->is_answered)
        push_title(probe, terminal, traits);
    profile->title_is_pushed = probe->has_pushed_title;
}

bool probe_cursor(const struct probe *probe, const struct terminal *terminal, unsigned *row,
                  unsigned *col, struct buf *typed)
{
    static const char question[] = "\033[6n\033[c";
    struct probe_replies replies;

    *row = *col = 0;
    if (!probe->is_answered || !terminal->is_raw ||
        terminal_write(terminal, question, sizeof(question) - 1, WRITE_MS) < 0)
        return false;
    probe_replies_init(&replies, typed);
    read_replies(&replies, terminal, probe->is_remote);
    probe_replies_end(&replies);
    *row = replies.found.start_row;
    *col = replies.found.start_col;
    return *row > 0;
}

void probe_free(struct probe *probe)
{
    buf_free(&probe->typed);
}

/* Byte by byte: nothing behind the last reply, or behind what is none, is taken away from whoever reads
 * next. */
void probe_drain(const struct probe *probe, const struct terminal *terminal, struct buf *typed)
{
    uint64_t now = clock_ms();
    uint64_t deadline = now + DRAIN_MS;
    struct probe_replies replies;
    size_t len = 0;
    uint8_t byte;

    if (!terminal->is_raw || !probe->asked_ms || probe->is_answered ||
        now > probe->asked_ms + LATE_MS)
        return;
    probe_replies_init(&replies, typed);
    /* What is there is read also when it is late: half a reply is worse for the next than none. */
    while (!replies.is_done && !typed->len && len++ < DRAIN_MAX &&
           wait_readable(terminal, deadline)) {
        if (terminal_read_some(terminal, &byte, 1) <= 0)
            break;
        probe_replies_feed(&replies, &byte, 1);
    }
    probe_replies_end(&replies);
}
