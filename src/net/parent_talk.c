// SPDX-License-Identifier: GPL-3.0-only
/*
 * parent_talk: what is said to a parent proxy, and what it answers.
 *
 * Each step knows how long its answer is, or at least how many bytes are missing from it in any
 * case: so much may be read.
 */
#include "net/parent_talk.h"

#include "base/base64.h"
#include "base/os.h"

#include <stdio.h>
#include <string.h>

#define OUT_MAX (4 * KIB) /* a name twice, and credentials of 510 bytes in base 64 */

/* ---- HTTP ---- */

static void append_basic(struct buf *out, const struct parent *parent)
{
    char both[2 * PARENT_SECRET_MAX + 2];
    int n = snprintf(both, sizeof(both), "%s:%s", parent->user, parent->password);

    buf_append_str(out, "Proxy-Authorization: Basic ");
    base64_append(out, both, (size_t)n);
    buf_append_str(out, "\r\n");
    os_wipe(both, sizeof(both));
}

static void say_connect(struct parent_talk *talk)
{
    char host[TARGET_TEXT_MAX];

    target_format(talk->target, host, sizeof(host));
    buf_printf(&talk->out, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n", host, host);
    if (talk->parent->user)
        append_basic(&talk->out, talk->parent);
    buf_append_str(&talk->out, "\r\n");
}

/* "HTTP/1.x NNN" and a blank or the end of the line; 0: something else. */
static int http_status(const struct buf *head)
{
    const char *at = (const char *)head->data;
    int status = 0;

    if (head->len < 13 || memcmp(at, "HTTP/1.", 7) != 0 || at[8] != ' ' ||
        (at[12] != ' ' && at[12] != '\r'))
        return 0;
    for (size_t i = 9; i < 12; i++) {
        if (at[i] < '0' || at[i] > '9')
            return 0;
        status = status * 10 + (at[i] - '0');
    }
    return status;
}

/* How many of the last bytes are the beginning of the empty line. */
static size_t http_ending(const struct buf *head)
{
    static const char end[] = "\r\n\r\n";

    for (size_t n = 4; n > 0; n--)
        if (head->len >= n && memcmp(head->data + head->len - n, end, n) == 0)
            return n;
    return 0;
}

static size_t http_wants(const struct parent_talk *talk)
{
    return 4 - http_ending(&talk->in);
}

static enum parent_talk_state http_step(struct parent_talk *talk)
{
    static const char begin[] = "HTTP/1.";
    size_t len = talk->in.len < strlen(begin) ? talk->in.len : strlen(begin);

    /* What is no HTTP is not waited for. */
    if (memcmp(talk->in.data, begin, len) != 0)
        return PARENT_TALK_FAILED;
    if (http_ending(&talk->in) < 4)
        return talk->in.len + 4 > PARENT_REPLY_MAX ? PARENT_TALK_FAILED : PARENT_TALK_MORE;
    talk->status = http_status(&talk->in);
    return talk->status == 200 ? PARENT_TALK_OPEN : PARENT_TALK_FAILED;
}

/* ---- SOCKS5 ---- */

enum socks_step { SOCKS_METHOD, SOCKS_PASSWORD, SOCKS_REPLY };

static void say_methods(struct parent_talk *talk)
{
    static const uint8_t plain[] = {5, 1, 0};
    static const uint8_t with_password[] = {5, 2, 0, 2};

    if (talk->parent->user)
        buf_append(&talk->out, with_password, sizeof(with_password));
    else
        buf_append(&talk->out, plain, sizeof(plain));
}

static void say_password(struct parent_talk *talk)
{
    const char *const words[] = {talk->parent->user, talk->parent->password};

    buf_append_byte(&talk->out, 1);
    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
        buf_append_byte(&talk->out, (uint8_t)strlen(words[i]));
        buf_append_str(&talk->out, words[i]);
    }
}

static void say_target(struct parent_talk *talk)
{
    static const uint8_t begin[] = {5, 1, 0};
    const struct target *target = talk->target;

    buf_append(&talk->out, begin, sizeof(begin));
    if (target->kind == TARGET_NAME) {
        buf_append_byte(&talk->out, 3);
        buf_append_byte(&talk->out, (uint8_t)strlen(target->name));
        buf_append_str(&talk->out, target->name);
    } else {
        bool is_v6 = target->kind == TARGET_IPV6;

        buf_append_byte(&talk->out, is_v6 ? 4 : 1);
        buf_append(&talk->out, target->address.bytes, is_v6 ? 16 : 4);
    }
    buf_append_byte(&talk->out, (uint8_t)(target->port >> 8));
    buf_append_byte(&talk->out, (uint8_t)target->port);
}

/* Length of the answer of this step, as far as its bytes tell; 0: it is none. */
static size_t socks_length(const struct parent_talk *talk)
{
    const uint8_t *in = talk->in.data;

    if (talk->step != SOCKS_REPLY)
        return 2;
    if (talk->in.len < 4)
        return 4;
    if (in[3] == 1)
        return 4 + 4 + 2;
    if (in[3] == 4)
        return 4 + 16 + 2;
    if (in[3] == 3)
        return talk->in.len < 5 ? 5 : (size_t)(4 + 1 + in[4] + 2);
    return 0;
}

static size_t socks_wants(const struct parent_talk *talk)
{
    return socks_length(talk) - talk->in.len;
}

static enum parent_talk_state socks_method(struct parent_talk *talk)
{
    const uint8_t *in = talk->in.data;

    if (in[0] != 5 || (in[1] != 0 && (in[1] != 2 || !talk->parent->user)))
        return PARENT_TALK_FAILED;
    talk->step = in[1] == 0 ? SOCKS_REPLY : SOCKS_PASSWORD;
    if (in[1] == 0)
        say_target(talk);
    else
        say_password(talk);
    return PARENT_TALK_MORE;
}

static enum parent_talk_state socks_password(struct parent_talk *talk)
{
    if (talk->in.data[0] != 1 || talk->in.data[1] != 0)
        return PARENT_TALK_FAILED;
    talk->step = SOCKS_REPLY;
    say_target(talk);
    return PARENT_TALK_MORE;
}

static enum parent_talk_state socks_reply(struct parent_talk *talk)
{
    const uint8_t *in = talk->in.data;

    talk->status = in[1];
    return in[0] == 5 && in[1] == 0 ? PARENT_TALK_OPEN : PARENT_TALK_FAILED;
}

static enum parent_talk_state socks_step(struct parent_talk *talk)
{
    static enum parent_talk_state (*const steps[])(struct parent_talk * talk) = {
        [SOCKS_METHOD] = socks_method,
        [SOCKS_PASSWORD] = socks_password,
        [SOCKS_REPLY] = socks_reply,
    };
    size_t length = socks_length(talk);
    enum parent_talk_state state;

    /* A refusal may come without the address behind it. */
    if (talk->step == SOCKS_REPLY && talk->in.len >= 2 && talk->in.data[1] != 0)
        return socks_reply(talk);
    if (length == 0)
        return PARENT_TALK_FAILED;
    if (talk->in.len < length)
        return PARENT_TALK_MORE;
    state = steps[talk->step](talk);
    buf_reset(&talk->in);
    return state;
}

/* ---- both ---- */

void parent_talk_start(struct parent_talk *talk, const struct parent *parent,
                       const struct target *target)
{
    *talk = (struct parent_talk){.parent = parent, .target = target};
    buf_init(&talk->in, PARENT_REPLY_MAX);
    buf_init(&talk->out, OUT_MAX);
    buf_reserve(&talk->out, OUT_MAX); /* it never moves, and leaves no copy behind */
    if (parent->kind == PARENT_HTTP)
        say_connect(talk);
    else
        say_methods(talk);
}

size_t parent_talk_wants(const struct parent_talk *talk)
{
    return talk->parent->kind == PARENT_HTTP ? http_wants(talk) : socks_wants(talk);
}

void parent_talk_feed(struct parent_talk *talk, const uint8_t *bytes, size_t len)
{
    if (talk->state != PARENT_TALK_MORE)
        return;
    assert(len <= parent_talk_wants(talk));
    buf_append(&talk->in, bytes, len);
    talk->state = talk->parent->kind == PARENT_HTTP ? http_step(talk) : socks_step(talk);
}

void parent_talk_free(struct parent_talk *talk)
{
    if (talk->out.data)
        os_wipe(talk->out.data, talk->out.cap);
    buf_free(&talk->in);
    buf_free(&talk->out);
}
