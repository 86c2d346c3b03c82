// SPDX-License-Identifier: GPL-3.0-only
/*
 * refusal: why the proxy says no, and how it says so.
 *
 * The body is four lines: what, why, which rule, and what the user can do. A model that reads it is
 * told that trying again will not help.
 */
#include "net/refusal.h"

#include "net/address.h"

#include <stdio.h>
#include <string.h>

/* Of a body, RFC 9110 has no limit; four lines are read whole, more are not. */
#define BODY_MAX 512
#define ELLIPSIS "..."
/* What is added to a port below 1024 for one that a forwarded port may have: 443, 10443. */
#define UNPRIVILEGED 10000

const struct refusal_row refusal_rows[REFUSAL_COUNT] = {
    [REFUSAL_NONE] = {"none", 0, 0},
    [REFUSAL_HOST_NOT_LISTED] = {"host-not-listed", 403, 2},
    [REFUSAL_PORT_NOT_LISTED] = {"port-not-listed", 403, 2},
    [REFUSAL_ADDRESS] = {"address-refused", 403, 2},
    [REFUSAL_LOOPBACK_CLOSED] = {"loopback-closed", 403, 2},
    [REFUSAL_SNI_MISSING] = {"sni-missing", 0, 2},
    [REFUSAL_SNI_MISMATCH] = {"sni-mismatch", 0, 2},
    [REFUSAL_NOT_TLS] = {"not-tls", 0, 2},
    [REFUSAL_HOST_HEADER] = {"host-header-mismatch", 403, 2},
    [REFUSAL_PLACEHOLDER] = {"placeholder-misdirected", 403, 2},
    [REFUSAL_MALFORMED] = {"malformed", 400, 1},
    [REFUSAL_METHOD] = {"method", 405, 7},
    [REFUSAL_HEAD_TOO_LARGE] = {"head-too-large", 431, 1},
    [REFUSAL_HEAD_TIMEOUT] = {"head-timeout", 408, 1},
    [REFUSAL_NAME_UNKNOWN] = {"name-unknown", 502, 4},
    [REFUSAL_NAME_TIMEOUT] = {"name-timeout", 502, 4},
    [REFUSAL_CONNECT_FAILED] = {"connect-failed", 502, 5},
    [REFUSAL_CONNECT_TIMEOUT] = {"connect-timeout", 502, 4},
    [REFUSAL_PARENT_FAILED] = {"parent-failed", 502, 1},
    [REFUSAL_UPSTREAM_TLS] = {"connect-failed", 502, 5},
    [REFUSAL_TOO_MANY] = {"too-many", 503, 1},
    [REFUSAL_LOGIN] = {"login", 407, 1},
};

/* Why, in one sentence; and the rule that says so. */
struct refusal_text {
    const char *why;
    const char *rule;
};

static const struct refusal_text texts[REFUSAL_COUNT] = {
    [REFUSAL_HOST_NOT_LISTED] = {"this sandbox may reach listed hosts only",
                                 "only hosts on the list"},
    [REFUSAL_PORT_NOT_LISTED] = {"the host is listed, this port of it is not",
                                 "ports 80 and 443 unless a port is listed"},
    [REFUSAL_ADDRESS] = {"the name leads to an address inside a network that this sandbox may not "
                         "reach",
                         "public addresses only"},
    [REFUSAL_LOOPBACK_CLOSED] = {"this sandbox may not reach this port of any loopback",
                                 "in lockdown no port leads in or out"},
    [REFUSAL_SNI_MISSING] = {"the TLS handshake names no server", "server name = host"},
    [REFUSAL_SNI_MISMATCH] = {"the TLS handshake names another server", "server name = host"},
    [REFUSAL_NOT_TLS] = {"port 443 is for TLS only", "TLS on port 443"},
    [REFUSAL_HOST_HEADER] = {"the Host header names another server", "Host = host"},
    [REFUSAL_PLACEHOLDER] =
        {"the request holds the placeholder of a credential that is for another "
         "host",
         "placeholders go to their own hosts only"},
    [REFUSAL_MALFORMED] = {"the request is malformed; use CONNECT for https", "strict HTTP"},
    [REFUSAL_METHOD] = {"this method is never passed on", "no TRACE, TRACK"},
    [REFUSAL_HEAD_TOO_LARGE] = {"the head of the request is larger than 8 KiB", "8 KiB of head"},
    [REFUSAL_HEAD_TIMEOUT] = {"the head of the request was not complete in 10 s",
                              "10 s for a head"},
    [REFUSAL_NAME_UNKNOWN] = {"the name cannot be resolved", "resolved outside"},
    [REFUSAL_NAME_TIMEOUT] = {"the name was not resolved in 10 s", "10 s for a name"},
    [REFUSAL_CONNECT_FAILED] = {"the host does not accept the connection", "connected outside"},
    [REFUSAL_CONNECT_TIMEOUT] = {"the host did not answer in 10 s", "10 s to connect"},
    [REFUSAL_PARENT_FAILED] = {"the proxy of the host did not connect", "through the host's proxy"},
    [REFUSAL_UPSTREAM_TLS] = {"the host did not prove by TLS that it is that host",
                              "credentials go out by TLS only"},
    [REFUSAL_TOO_MANY] = {"too many connections at once", "1024 connections"},
    [REFUSAL_LOGIN] = {"the password of this proxy was not given", "the password is in http_proxy"},
};

/* What is said of the jail's own loopback where the table speaks of another machine. */
static const struct refusal_text text_of_proxy = {"this port of the loopback is the proxy's own",
                                                  "the proxy does not serve itself"};
static const struct refusal_text text_of_own = {"nothing answers at this port inside this sandbox",
                                                "localhost is the sandbox itself"};

static const struct refusal_text *text_for(enum refusal_reason reason, const struct target *target)
{
    if (target && reason == REFUSAL_LOOPBACK_CLOSED && target->port == PROXY_PORT)
        return &text_of_proxy;
    if (target && reason == REFUSAL_CONNECT_FAILED && target_is_own_loopback(target))
        return &text_of_own;
    return &texts[reason];
}

static const char *status_text(int status)
{
    static const struct {
        int status;
        const char *text;
    } rows[] = {
        {400, "Bad Request"},        {403, "Forbidden"},
        {405, "Method Not Allowed"}, {407, "Proxy Authentication Required"},
        {408, "Request Timeout"},    {431, "Request Header Fields Too Large"},
        {502, "Bad Gateway"},        {503, "Service Unavailable"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (rows[i].status == status)
            return rows[i].text;
    return "Refused";
}

static bool helps_to_retry(enum refusal_reason reason)
{
    return reason == REFUSAL_TOO_MANY || reason == REFUSAL_CONNECT_TIMEOUT ||
           reason == REFUSAL_NAME_TIMEOUT || reason == REFUSAL_CONNECT_FAILED ||
           reason == REFUSAL_HEAD_TIMEOUT;
}

/* Only lockdown closes the loopback, and in lockdown no port leads in: the flag alone would not help.
 * What is bound in the jail is a port that needs no privilege. */
static void format_forward(uint16_t port, char *text, size_t size)
{
    if (port >= 1024 && port != PROXY_PORT)
        snprintf(text, size, "--forward-port %u, and without --lockdown", port);
    else if (port != PROXY_PORT)
        snprintf(text, size, "--forward-port %u:%u, and without --lockdown", port,
                 port + UNPRIVILEGED);
}

/* True for a literal that no list may hold: the flag would only stop the next start. */
static bool is_never_listed(const struct target *target)
{
    return target->kind != TARGET_NAME &&
           address_range_is_never(&target->address, target->address.is_v6 ? 128 : 32);
}

void refusal_flag(enum refusal_reason reason, const struct target *target, bool private_only,
                  char *text, size_t size)
{
    char shown[TARGET_TEXT_MAX];
    struct target host = *target;

    text[0] = '\0';
    /* What an entry without a port permits. */
    if ((reason == REFUSAL_HOST_NOT_LISTED || reason == REFUSAL_ADDRESS) &&
        (host.port == 80 || host.port == 443))
        host.port = 0;
    target_format(&host, shown, sizeof(shown));
    switch (reason) {
    case REFUSAL_HOST_NOT_LISTED:
    case REFUSAL_PORT_NOT_LISTED:
        if (!is_never_listed(target))
            snprintf(text, size, "--allow-host %s", shown);
        break;
    case REFUSAL_ADDRESS:
        if (private_only)
            snprintf(text, size, "--allow-private %s", shown);
        break;
    case REFUSAL_LOOPBACK_CLOSED:
        format_forward(target->port, text, size);
        break;
    case REFUSAL_SNI_MISSING:
    case REFUSAL_SNI_MISMATCH:
    case REFUSAL_NOT_TLS:
        snprintf(text, size, "--allow-host raw:%s", shown);
        break;
    default:
        break;
    }
}

/* What the last line says, in front of the flag. */
static const char *what_helps(enum refusal_reason reason, const char *flag)
{
    if (reason == REFUSAL_LOGIN)
        return "let the program take the proxy from its environment";
    if (reason == REFUSAL_PARENT_FAILED)
        return "check the proxy that the environment of the host names";
    return flag[0] ? "start ai-jail with " : "no flag changes it";
}

/* The four lines. The flag is there to be copied and stays whole; of a very long name the first line
 * shows the end, which tells whose it is. */
static void write_body(struct buf *body, enum refusal_reason reason, const struct target *target,
                       bool private_only, const char *detail)
{
    char shown[TARGET_TEXT_MAX] = "the request";
    char flag[REFUSAL_FLAG_MAX] = "";
    static const char first[] = "ai-jail refused ";
    const struct refusal_text *said = text_for(reason, target);
    _cleanup_free_ char *rest = NULL;
    size_t room;
    bool is_cut;

    if (target) {
        target_format(target, shown, sizeof(shown));
        refusal_flag(reason, target, private_only, flag, sizeof(flag));
    }
    rest = xasprintf("\n%s%s%s%s.\nrule: %s\nuser: %s%s\n", said->why, detail ? ": " : "",
                     detail ? detail : "", helps_to_retry(reason) ? "" : "; retrying will not help",
                     said->rule, what_helps(reason, flag), flag);
    room = BODY_MAX - strlen(first) - strlen(rest);
    is_cut = strlen(shown) > room;
    buf_printf(body, "%s%s%s%s", first, is_cut ? ELLIPSIS : "",
               shown + (is_cut ? strlen(shown) - (room - strlen(ELLIPSIS)) : 0), rest);
}

void refusal_http(struct buf *out, enum refusal_reason reason, const struct target *target,
                  bool private_only)
{
    refusal_http_detail(out, reason, target, private_only, NULL);
}

void refusal_http_detail(struct buf *out, enum refusal_reason reason, const struct target *target,
                         bool private_only, const char *detail)
{
    const struct refusal_row *row = &refusal_rows[reason];
    struct buf body CLEANUP(buf_free);

    buf_init(&body, BODY_MAX);
    write_body(&body, reason, target, private_only, detail);
    buf_printf(out,
               "HTTP/1.1 %d %s\r\n"
               "Content-Type: text/plain; charset=utf-8\r\n"
               "Content-Length: %zu\r\n"
               "Connection: close\r\n"
               "X-Ai-Jail: %s\r\n"
               "%s\r\n",
               row->status, status_text(row->status), body.len, row->id,
               reason == REFUSAL_TOO_MANY ? "Retry-After: 1\r\n"
               : reason == REFUSAL_LOGIN  ? "Proxy-Authenticate: Basic realm=\"ai-jail\"\r\n"
                                          : "");
    buf_append(out, body.data, body.len);
}

void refusal_tls_alert(struct buf *out, enum refusal_reason reason)
{
    /* Record: alert (21), version 3.3, two bytes: fatal (2) and what (RFC 8446, 6.2). */
    uint8_t alert[] = {21, 3, 3, 0, 2, 2, 40};

    if (reason == REFUSAL_SNI_MISSING || reason == REFUSAL_SNI_MISMATCH)
        alert[6] = 112;
    buf_append(out, alert, sizeof(alert));
}
