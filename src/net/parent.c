// SPDX-License-Identifier: GPL-3.0-only
/*
 * parent: what the host's environment says about proxies.
 *
 * The variables are a custom, not a standard: a URL, or HOST:PORT alone, which means http. Of
 * several spellings the first one counts that is not empty.
 */
#include "net/parent.h"

#include "base/hex.h"
#include "base/os.h"
#include "net/address.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define EXCEPTIONS_MAX 1024
#define BLANKS         " \t\r\n"

static const struct scheme {
    const char *name;
    enum parent_kind kind;
    bool is_tls;
    uint16_t port; /* where the URL has none */
} schemes[] = {
    {"http", PARENT_HTTP, false, 80},
    {"https", PARENT_HTTP, true, 443},
    {"socks5", PARENT_SOCKS, false, 1080},
    {"socks5h", PARENT_SOCKS, false, 1080},
};

/* ---- a URL ---- */

/* malloc'ed; NULL: too long, badly encoded, or bytes that no credential has. */
static char *decode(const char *text, size_t len)
{
    char *result = xcalloc(len + 1, 1);
    size_t n = 0;

    for (size_t i = 0; i < len; i++) {
        int byte = (unsigned char)text[i];

        if (byte == '%') {
            int high = i + 2 < len ? hex_digit(text[i + 1]) : -1;
            int low = i + 2 < len ? hex_digit(text[i + 2]) : -1;

            byte = high < 0 || low < 0 ? 0 : high << 4 | low;
            i += 2;
        }
        if (byte < ' ' || byte == 0x7F || n == PARENT_SECRET_MAX) {
            os_wipe(result, len);
            free(result);
            return NULL;
        }
        result[n++] = (char)byte;
    }
    return result;
}

static void free_secret(char *secret)
{
    if (secret)
        os_wipe(secret, strlen(secret));
    free(secret);
}

static void free_parent(struct parent *parent)
{
    if (!parent)
        return;
    free_secret(parent->user);
    free_secret(parent->password);
    free(parent);
}

/* USER[:PASSWORD] */
static bool take_credentials(struct parent *parent, const char *text, size_t len)
{
    const char *colon = memchr(text, ':', len);
    size_t user = colon ? (size_t)(colon - text) : len;

    parent->user = decode(text, user);
    parent->password = colon ? decode(colon + 1, len - user - 1) : xstrdup("");
    return parent->user && parent->user[0] && parent->password &&
           (parent->kind != PARENT_HTTP || !strchr(parent->user, ':'));
}

/* NULL: of another kind. *rest: what stands behind the scheme. */
static const struct scheme *find_scheme(const char *url, const char **rest)
{
    const char *colon = strstr(url, "://");

    *rest = colon ? colon + 3 : url;
    if (!colon)
        return &schemes[0];
    for (size_t i = 0; i < ARRAY_SIZE(schemes); i++)
        if (strlen(schemes[i].name) == (size_t)(colon - url) &&
            strncasecmp(schemes[i].name, url, (size_t)(colon - url)) == 0)
            return &schemes[i];
    return NULL;
}

/* [USER[:PASSWORD]@]HOST[:PORT][/...]. What is wrong, or NULL. */
static const char *parse_url(struct parent *parent, const struct scheme *scheme, const char *rest)
{
    size_t len = strcspn(rest, "/?#");
    const char *at = mem_last(rest, '@', len);
    size_t host = at ? (size_t)(at + 1 - rest) : 0;

    parent->kind = scheme->kind;
    parent->is_tls = scheme->is_tls;
    if (target_parse(&parent->target, rest + host, len - host) < 0)
        return "it is not written SCHEME://[USER:PASSWORD@]HOST:PORT";
    if (!parent->target.port)
        parent->target.port = scheme->port;
    if (at && at > rest && !take_credentials(parent, rest, (size_t)(at - rest)))
        return "its credentials are badly written: special bytes are %XX, at most 255 each";
    return NULL;
}

/* ---- exceptions ---- */

/* An address without its port may stand without brackets, too. */
static int parse_host(struct target *target, const char *text, size_t len)
{
    char bracketed[INET6_ADDRSTRLEN + 2];
    int n;

    if (target_parse(target, text, len) == 0)
        return 0;
    if (len >= INET6_ADDRSTRLEN || !memchr(text, ':', len))
        return -1;
    n = snprintf(bracketed, sizeof(bracketed), "[%.*s]", (int)len, text);
    return target_parse(target, bracketed, (size_t)n);
}

/* A decimal number of exactly len bytes, at most max; -1 if it is none. */
static int parse_prefix(const char *text, size_t len, int max)
{
    int value = 0;

    if (len == 0 || len > 3)
        return -1;
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9')
            return -1;
        value = value * 10 + (text[i] - '0');
    }
    return value <= max ? value : -1;
}

/* "*", NAME, .NAME, *.NAME, ADDRESS, ADDRESS/BITS; a port behind a name or an address. */
static bool parse_exception(struct parent_exception *exception, const char *text, size_t len)
{
    const char *end = text + len;
    const char *slash = memchr(text, '/', len);
    int bits;

    *exception = (struct parent_exception){.is_all = len == 1 && text[0] == '*'};
    if (exception->is_all)
        return true;
    if (len > 2 && text[0] == '*' && text[1] == '.')
        text++;
    if (text[0] == '.')
        text++;
    if (parse_host(&exception->target, text, (size_t)((slash ? slash : end) - text)) < 0)
        return false;
    bits = exception->target.kind == TARGET_IPV6 ? 128 : 32;
    if (slash && exception->target.kind == TARGET_NAME)
        return false;
    if (slash)
        bits = parse_prefix(slash + 1, (size_t)(end - slash - 1), bits);
    exception->prefix = (unsigned)bits;
    return bits >= 0;
}

static void read_exceptions(struct parents *parents, const char *text)
{
    while (text && *text && parents->exception_count < EXCEPTIONS_MAX) {
        size_t len = strcspn(text, "," BLANKS);
        struct parent_exception exception;

        if (len && parse_exception(&exception, text, len)) {
            parents->exceptions =
                xrealloc(parents->exceptions, parents->exception_count + 1, sizeof(exception));
            parents->exceptions[parents->exception_count++] = exception;
        }
        text += len + (text[len] != '\0');
    }
}

static bool is_excepted(const struct parent_exception *exception, const struct target *target)
{
    if (exception->is_all)
        return true;
    if (exception->target.port && exception->target.port != target->port)
        return false;
    if (exception->target.kind == TARGET_NAME)
        return target->kind == TARGET_NAME &&
               target_name_is_within(target->name, exception->target.name);
    return target->kind != TARGET_NAME &&
           address_is_within(&target->address, &exception->target.address, exception->prefix);
}

/* ---- the environment ---- */

static const char *find(const struct strv *environ, const char *name)
{
    size_t len = strlen(name);

    for (size_t i = 0; i < environ->n; i++)
        if (strncmp(environ->v[i], name, len) == 0 && environ->v[i][len] == '=' &&
            environ->v[i][len + 1])
            return environ->v[i] + len + 1;
    return NULL;
}

/* The first of the names that says something; NULL behind the last one: none does. */
static const char *first_of(const struct strv *environ, const char *const *names)
{
    while (*names && !find(environ, *names))
        names++;
    return *names;
}

static struct parent *read_parent(const struct strv *environ, const char *variable,
                                  struct notes *notes)
{
    const struct scheme *scheme;
    struct parent *parent;
    const char *rest;

    if (!variable)
        return NULL;
    scheme = find_scheme(find(environ, variable), &rest);
    if (!scheme) {
        notes_add(notes, NOTE_SECURITY,
                  "the proxy that %s names is of a kind that cannot be used (none of http, https, "
                  "socks5, socks5h): hosts are dialled directly",
                  variable);
        return NULL;
    }
    parent = xcalloc(1, sizeof(*parent));
    parent->variable = variable;
    parent->fault = parse_url(parent, scheme, rest);
    if (parent->fault)
        notes_add(notes, NOTE_SECURITY,
                  "the proxy that %s names cannot be used (%s): no host is reached through it, nor "
                  "directly; correct the variable or unset it",
                  variable, parent->fault);
    return parent;
}

void parents_read(struct parents *parents, const struct strv *environ, struct notes *notes)
{
    static const char *const web[] = {"http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY",
                                      "ALL_PROXY",  "all_proxy",  NULL};
    static const char *const other[] = {"https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY",
                                        "ALL_PROXY",   "all_proxy",   NULL};
    const char *exceptions = find(environ, "no_proxy");

    const char *for_web = first_of(environ, web);
    const char *for_other = first_of(environ, other);

    *parents = (struct parents){0};
    parents->other = read_parent(environ, for_other, notes);
    /* What one variable says is told once. */
    parents->web = read_parent(environ, for_web, str_eq(for_web, for_other) ? NULL : notes);
    read_exceptions(parents, exceptions ? exceptions : find(environ, "NO_PROXY"));
}

void parents_free(struct parents *parents)
{
    free_parent(parents->web);
    free_parent(parents->other);
    free(parents->exceptions);
    *parents = (struct parents){0};
}

const struct parent *parents_for(const struct parents *parents, const struct target *target)
{
    if (!parents)
        return NULL;
    for (size_t i = 0; i < parents->exception_count; i++)
        if (is_excepted(&parents->exceptions[i], target))
            return NULL;
    return target->port == 80 ? parents->web : parents->other;
}

bool parents_want_tls(const struct parents *parents)
{
    const struct parent *const all[] = {parents->web, parents->other};

    for (size_t i = 0; i < ARRAY_SIZE(all); i++)
        if (all[i] && all[i]->is_tls && !all[i]->fault)
            return true;
    return false;
}

void parent_format(const struct parent *parent, char *text, size_t size)
{
    char host[TARGET_TEXT_MAX];

    target_format(&parent->target, host, sizeof(host));
    snprintf(text, size, "%s://%s",
             parent->kind == PARENT_SOCKS ? "socks5"
             : parent->is_tls             ? "https"
                                          : "http",
             host);
}

static char *describe(const struct parent *parent)
{
    char text[PARENT_TEXT_MAX];

    if (!parent)
        return xstrdup("directly");
    if (parent->fault)
        return xasprintf("nowhere: what %s says cannot be used", parent->variable);
    parent_format(parent, text, sizeof(text));
    return xasprintf("through %s%s (%s)", text, parent->user ? " with credentials" : "",
                     parent->variable);
}

char *parents_describe(const struct parents *parents)
{
    _cleanup_free_ char *web = describe(parents->web);
    _cleanup_free_ char *other = describe(parents->other);
    const char *but = parents->exception_count ? "; no_proxy has exceptions" : "";

    if (!parents->web && !parents->other)
        return NULL;
    if (str_eq(web, other))
        return xasprintf("%s%s", other, but);
    return xasprintf("%s, port 80 %s%s", other, web, but);
}
