// SPDX-License-Identifier: GPL-3.0-only
/*
 * session_net: the network of a run.
 *
 * The jail's listeners were made there and came before the launcher's hello. The proxy outside
 * accepts on them; for the jail's own loopback it asks the launcher for a socket, over the control
 * channel.
 */
#include "pty/session_net.h"

#include "base/log.h"
#include "policy/macos.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define SHOWN_MAX 10 /* hosts in the summary */
#define TOLD_MAX  64
/* Two sockets for each connection, four where TLS with a proxy of the host is in between, and what
 * else is open. */
#define DESCRIPTORS (4 * PROXY_CONNECTIONS_MAX + 256)

static void raise_descriptors(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= DESCRIPTORS)
        return;
    limit.rlim_cur = limit.rlim_max < DESCRIPTORS ? limit.rlim_max : DESCRIPTORS;
    setrlimit(RLIMIT_NOFILE, &limit);
}

/* One at a time: the channel carries signals, too, and must not be full of this. */
static void ask_launcher(struct session_net *net)
{
    while (net->asked_count > 0 && !net->is_asking) {
        struct session_net_asked asked = net->asked[0];
        int r = control_send(net->control, CONTROL_CONNECT, (int32_t)asked.id, asked.port, -1);

        net->is_asking = r == 0;
        memmove(net->asked, net->asked + 1, --net->asked_count * sizeof(asked));
        if (r < 0)
            proxy_connected(net->proxy, asked.id, -1, -r);
    }
}

static void connect_inside(void *arg, uint32_t id, uint16_t port)
{
    struct session_net *net = arg;

    if (net->asked_count == ARRAY_SIZE(net->asked)) {
        proxy_connected(net->proxy, id, -1, EAGAIN);
        return;
    }
    net->asked[net->asked_count++] = (struct session_net_asked){.id = id, .port = port};
    ask_launcher(net);
}

static void on_refused(void *arg, const struct target *target, enum refusal_reason reason)
{
    struct session_net *net = arg;

    (void)target;
    (void)reason;
    if (net->refused < UINT_MAX)
        net->refused++;
}

/* Of what the jail does a hundred times a line is written once. */
static bool is_new(struct session_net *net, const char *key, const char *host)
{
    _cleanup_free_ char *text = xasprintf("%s %s", key, host);

    if (net->told.n == TOLD_MAX || strv_find(&net->told, text) >= 0)
        return false;
    strv_push(&net->told, text);
    return true;
}

/* A forwarded port has a door for each family, and is one port to the user. */
static void say_closed(void *arg, enum door_kind kind, uint16_t port)
{
    const char *flag = settings[kind == DOOR_FORWARD ? SET_FORWARD_PORTS : SET_PUBLISH_PORTS].flag;
    _cleanup_free_ char *number = xasprintf("%u", port);

    if (is_new(arg, flag, number))
        log_line(NOTE_WARNING, "--%s: nothing listens on port %s %s", flag, number,
                 kind == DOOR_FORWARD ? "of this machine" : "in the jail");
}

static void on_secret(void *arg, const char *key, const struct target *target, bool is_inserted)
{
    struct session_net *net = arg;

    audit_secret(net->audit, key, target->name, is_inserted ? "substituted" : "misdirected");
    if (is_inserted || !is_new(net, key, target->name))
        return;
    audit_skip_line(net->audit);
    log_line(NOTE_SECURITY, "the placeholder of %s went to %s, which it is not for: refused", key,
             target->name);
}

static void on_unproved(void *arg, const struct target *target, const char *why)
{
    struct session_net *net = arg;

    if (is_new(net, "TLS", target->name))
        log_line(NOTE_SECURITY, "--%s: %s did not prove its name, nothing was sent: %s",
                 settings[SET_SECRET_HOSTS].flag, target->name, why);
}

int session_net_open(struct session_net *net, uv_loop_t *loop, struct jail *jail,
                     struct error *error)
{
    struct proxy_options options = {
        .loop = loop,
        .list = &jail->policy->hosts,
        .parents = &jail->policy->parents,
        .audit = net->audit,
        .credentials = jail->policy->credentials.n ? &jail->policy->credentials : NULL,
        .password = macos_proxy_password(jail->policy),
        .tls = jail->net.tls,
        .on_secret = on_secret,
        .on_unproved = on_unproved,
        /* In lockdown the command reaches its own loopback no more than any other; on macOS that is
         * the host's. */
        .connect_inside =
            jail->policy->lockdown || jail->policy->host->macos.is_on ? NULL : connect_inside,
        .on_refused = on_refused,
        .on_closed = say_closed,
        .arg = net,
    };
    int r;

    net->control = jail->control;
    if (jail->net.n == 0)
        return 0;
    raise_descriptors();
    r = proxy_new(&net->proxy, &options, error);
    while (r == 0 && jail->net.n > 0) {
        const struct start_net_listener *from = &jail->net.v[--jail->net.n];

        r = proxy_add_door(net->proxy, from->kind, from->port, from->fd, error);
    }
    return r;
}

/* Anything else would end the loop, which expects a stream. */
static bool is_stream(int fd)
{
    int type = 0;
    socklen_t len = sizeof(type);

    return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) == 0 && type == SOCK_STREAM;
}

bool session_net_takes(struct session_net *net, const struct control_message *message, int *fd)
{
    if (message->type != CONTROL_CONNECTED || !net->is_asking || (message->b == 0) != (*fd >= 0) ||
        (*fd >= 0 && !is_stream(*fd)))
        return false;
    net->is_asking = false;
    proxy_connected(net->proxy, (uint32_t)message->a, *fd, message->b);
    *fd = -1;
    ask_launcher(net);
    return true;
}

void session_net_close(struct session_net *net)
{
    if (net->proxy)
        proxy_close(net->proxy);
}

static void say_refused(const struct proxy_refused *refused, struct audit *audit)
{
    char shown[TARGET_TEXT_MAX];
    char flag[REFUSAL_FLAG_MAX];

    target_format(&refused->target, shown, sizeof(shown));
    refusal_flag(refused->reason, &refused->target, refused->private_only, flag, sizeof(flag));
    audit_skip_line(audit); /* the record of the end has it */
    log_line(NOTE_WARNING, "network: refused %s (%s, %llu time%s)%s%s", shown,
             refusal_rows[refused->reason].id, (unsigned long long)refused->count,
             refused->count == 1 ? "" : "s", flag[0] ? "; to allow it: " : "", flag);
}

size_t session_net_refused(const struct session_net *net,
                           struct run_refused refused[SESSION_NET_REFUSED_MAX])
{
    static char flags[SESSION_NET_REFUSED_MAX][REFUSAL_FLAG_MAX];
    const struct proxy_refused *rows;
    uint64_t more;
    size_t n = 0;

    if (!net->proxy)
        return 0;
    rows = proxy_refusals(net->proxy, &n, &more);
    n = n > SESSION_NET_REFUSED_MAX ? SESSION_NET_REFUSED_MAX : n;
    for (size_t i = 0; i < n; i++) {
        refusal_flag(rows[i].reason, &rows[i].target, rows[i].private_only, flags[i],
                     sizeof(flags[i]));
        refused[i] = (struct run_refused){
            .host = rows[i].target.name,
            .port = rows[i].target.port,
            .count = rows[i].count,
            .flag = flags[i],
        };
    }
    return n;
}

static void record_refused(struct audit *audit, const struct proxy_refused *refused, size_t n)
{
    for (size_t i = 0; audit && i < n; i++) {
        char flag[REFUSAL_FLAG_MAX];

        refusal_flag(refused[i].reason, &refused[i].target, refused[i].private_only, flag,
                     sizeof(flag));
        audit_add_refused(audit, refused[i].target.name, refused[i].target.port, refused[i].count,
                          flag);
    }
}

void session_net_finish(struct session_net *net)
{
    const struct proxy_refused *refused;
    uint64_t more;
    size_t n;

    if (!net->proxy)
        return;
    refused = proxy_refusals(net->proxy, &n, &more);
    record_refused(net->audit, refused, n);
    for (size_t i = 0; i < n && i < SHOWN_MAX; i++)
        say_refused(&refused[i], net->audit);
    for (size_t i = SHOWN_MAX; i < n; i++)
        more += refused[i].count;
    if (more)
        log_line(NOTE_WARNING, "network: refused %llu time%s more", (unsigned long long)more,
                 more == 1 ? "" : "s");
    strv_free(&net->told);
    proxy_free(net->proxy);
    net->proxy = NULL;
}
