// SPDX-License-Identifier: GPL-3.0-only
/*
 * generated: files of /etc whose content ai-jail makes.
 *
 * They are placed at the canonical target of the host's name, because the jail shows the host's
 * /etc with its links. A target below /run or /tmp lies on a tmpfs of the jail and is made there.
 */
#include "policy/generated.h"

#include "base/path.h"
#include "policy/policy.h"

#include <errno.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define ORIGIN          "built-in"
#define RESOLV_CONF     "/etc/resolv.conf"
#define RESOLVED_CONF   "/run/systemd/resolve/resolv.conf"
#define RESOLV_CONF_MAX (64 * KIB)
#define LINKS_MAX       40 /* path_resolution(7) */

struct first_hop {
    char *target; /* absolute, cleaned; NULL while no link was met */
};

static void take_first_hop(void *arg, const char *link, const char *target)
{
    struct first_hop *hop = arg;
    _cleanup_free_ char *dir = path_parent(link);
    _cleanup_free_ char *joined = path_join(dir, target);

    if (!hop->target)
        hop->target = path_clean(joined);
}

static bool on_jail_tmpfs(const char *path)
{
    return path_is_below(path, "/run") || path_is_below(path, "/tmp") ||
           path_is_below(path, "/var");
}

/* Where a name that leads nowhere on the host would lie: every link on the way is followed as far as
 * there are any. NULL: too many. */
static char *follow_dangling(const struct fs *fs, const char *path)
{
    char *at = path_clean(path);
    size_t from = 1;

    for (unsigned links = 0; links < LINKS_MAX;) {
        size_t len = from + strcspn(at + from, "/");
        _cleanup_free_ char *prefix = xstrndup(at, len);
        _cleanup_free_ char *dir = path_parent(prefix);
        _cleanup_free_ char *joined = NULL;
        char target[4096];

        if (fs->readlink(fs->ctx, prefix, target, sizeof(target)) > 0) {
            _cleanup_free_ char *start = path_join(dir, target);

            joined = xasprintf("%s%s", start, at + len);
            free(at);
            at = path_clean(joined);
            from = 1;
            links++;
        } else if (at[len] == '\0') {
            return at;
        } else {
            from = len + 1;
        }
    }
    free(at);
    return NULL;
}

/* Where path really lies, also when a target on one of our tmpfs is missing on the host. NULL:
 * there is no such file. *first is the first link's target or NULL. */
static char *find_target(const struct fs *fs, const char *path, char **first)
{
    struct first_hop hop = {0};
    char *canonical = NULL;
    int r = fs_resolve(fs, path, &canonical, take_first_hop, &hop);

    if (r == -ENOENT && hop.target) {
        _cleanup_free_ char *missing = follow_dangling(fs, path);

        if (missing && on_jail_tmpfs(missing))
            canonical = steal_ptr(&missing);
    }
    if (first)
        *first = steal_ptr(&hop.target);
    free(hop.target);
    return canonical;
}

static void add_data(struct plan *plan, const char *dest, const char *label, const char *text)
{
    struct plan_entry *entry = plan_add(plan, GROUP_GENERATED, PLAN_DATA, dest, ORIGIN);

    entry->label = label;
    entry->data = xstrdup(text);
    entry->mode = 0444;
    entry->optional = true;
}

static void add_at_target(struct plan *plan, const struct fs *fs, const char *path,
                          const char *label, const char *text)
{
    _cleanup_free_ char *target = find_target(fs, path, NULL);

    if (target)
        add_data(plan, target, label, text);
}

static char *jail_machine_id(const struct host *host)
{
    uint8_t digest[SHA256_DIGEST_LENGTH];
    SHA2_CTX context;
    char hex[33];

    SHA256Init(&context);
    SHA256Update(&context, (const uint8_t *)"ai-jail", 7);
    SHA256Update(&context, (const uint8_t *)host->machine_id, strlen(host->machine_id));
    SHA256Final(digest, &context);
    for (size_t i = 0; i < 16; i++) {
        hex[2 * i] = "0123456789abcdef"[digest[i] >> 4];
        hex[2 * i + 1] = "0123456789abcdef"[digest[i] & 15];
    }
    hex[32] = '\0';
    return xasprintf("%s\n", hex);
}

/* ---- resolv.conf ---- */

/* Calls each with the words of every line of text; words beyond three are left out. */
static bool any_line(const char *text, bool (*each)(const struct strv *words))
{
    struct strv lines CLEANUP(strv_free) = {0};
    bool found = false;

    strv_split(&lines, text, '\n');
    for (size_t i = 0; i < lines.n && !found; i++) {
        struct strv words CLEANUP(strv_free) = {0};
        char *save = NULL;

        for (char *word = strtok_r(lines.v[i], " \t\r", &save); word;
             word = strtok_r(NULL, " \t\r", &save))
            strv_push(&words, word);
        found = words.n >= 2 && each(&words);
    }
    return found;
}

static bool names_stub(const struct strv *words)
{
    return str_eq(words->v[0], "nameserver") && str_eq(words->v[1], "127.0.0.53");
}

static bool is_tailnet(char *domain)
{
    size_t len = strlen(domain);

    if (len && domain[len - 1] == '.')
        domain[--len] = '\0';
    return strcasecmp(domain, "ts.net") == 0 ||
           (len > 7 && strcasecmp(domain + len - 7, ".ts.net") == 0);
}

/* A resolver in 100.64.0.0/10 or 169.254.0.0/16, or a search domain of a tailnet. */
static bool marks_split_dns(const struct strv *words)
{
    unsigned a;
    unsigned b;

    if (str_eq(words->v[0], "nameserver"))
        return sscanf(words->v[1], "%3u.%3u.", &a, &b) == 2 &&
               ((a == 100 && b >= 64 && b <= 127) || (a == 169 && b == 254));
    if (str_eq(words->v[0], "search") || str_eq(words->v[0], "domain"))
        for (size_t i = 1; i < words->n; i++)
            if (is_tailnet(words->v[i]))
                return true;
    return false;
}

/* The host's resolver file as the jail with the host's network shall see it; NULL: unreadable. */
static char *host_resolv_conf(const struct fs *fs)
{
    char *text = fs_read_text(fs, RESOLV_CONF, RESOLV_CONF_MAX);
    char *upstream;

    if (!text || !any_line(text, names_stub))
        return text;
    upstream = fs_read_text(fs, RESOLVED_CONF, RESOLV_CONF_MAX);
    if (!upstream || any_line(upstream, marks_split_dns) || any_line(text, marks_split_dns)) {
        free(upstream);
        return text;
    }
    free(text);
    return upstream;
}

/* Names fail at once, and the host's resolvers are not told. malloc'ed. */
static char *closed_resolv_conf(enum network_mode network)
{
    return xasprintf("# %s: names do not resolve.\n"
                     "nameserver 127.0.0.1\n"
                     "options timeout:1 attempts:1\n",
                     network == NETWORK_FILTERED
                         ? "The network of this jail is a proxy, which the environment names"
                         : "The network is off in this jail");
}

static void add_resolv_conf(struct plan *plan, const struct host *host, enum network_mode network,
                            struct notes *notes)
{
    _cleanup_free_ char *first = NULL;
    _cleanup_free_ char *target = find_target(host->fs, RESOLV_CONF, &first);
    _cleanup_free_ char *text = NULL;

    if (!target)
        return;
    text = network == NETWORK_FULL ? host_resolv_conf(host->fs) : closed_resolv_conf(network);
    if (!text) {
        notes_add(notes, NOTE_WARNING, "%s cannot be read: names may not resolve in the jail",
                  RESOLV_CONF);
        return;
    }
    add_data(plan, target, "resolv.conf", text);
    if (first && on_jail_tmpfs(first) && !str_eq(first, target))
        add_data(plan, first, "resolv.conf", text);
}

void generated_add(struct plan *plan, const struct host *host, enum network_mode network,
                   struct notes *notes)
{
    static const char hosts[] = "127.0.0.1 localhost " JAIL_HOSTNAME "\n"
                                "::1 localhost " JAIL_HOSTNAME "\n";
    _cleanup_free_ char *machine_id = jail_machine_id(host);

    add_at_target(plan, host->fs, "/etc/hosts", "hosts", hosts);
    add_at_target(plan, host->fs, "/etc/hostname", "hostname", JAIL_HOSTNAME "\n");
    add_at_target(plan, host->fs, "/etc/machine-id", "machine-id", machine_id);
    add_resolv_conf(plan, host, network, notes);
}
