// SPDX-License-Identifier: GPL-3.0-only
/*
 * env_host: the variables of the host that the command gets without being asked for.
 *
 * What happens to one is a matter of its name (env_names): it is copied as it is, copied so far as what it
 * names is there inside, stripped of a password, or left out. A certificate that one of them names is
 * added to the plan.
 */
#include "policy/env_host.h"

#include "base/path.h"
#include "policy/certificate.h"
#include "policy/env_list.h"
#include "policy/env_names.h"
#include "policy/env_place.h"

#include <stdlib.h>
#include <string.h>

struct copier {
    const struct host *host;
    struct strv *list;
    struct plan *plan;
    struct notes *notes;
    bool has_proxies;
};

/* A proxy's URL without user and password: everything up to the last "@" behind the scheme (RFC
 * 3986, 3.1) goes, because a password may hold any character. malloc'ed. */
static char *without_password(const char *url)
{
    static const char scheme_bytes[] =
        "+-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    size_t scheme = strspn(url, scheme_bytes);
    size_t keep = str_starts(url + scheme, "://") ? scheme + 3 : 0;
    const char *at = strrchr(url + keep, '@');

    return at ? xasprintf("%.*s%s", (int)keep, url, at + 1) : xstrdup(url);
}

static void copy_proxy(const struct copier *copier, const char *name, const char *value)
{
    _cleanup_free_ char *url = without_password(value);

    if (copier->has_proxies)
        env_list_set(copier->list, name, url);
}

/* Keeps the directories of a list that are visible inside. Returns how many were left out. */
static size_t copy_visible(const struct copier *copier, const char *name, const char *value)
{
    _cleanup_strv_ struct strv all = {0};
    _cleanup_strv_ struct strv visible = {0};
    _cleanup_free_ char *joined = NULL;

    strv_split(&all, value, ':');
    for (size_t i = 0; i < all.n; i++)
        if (all.v[i][0] == '/' && plan_shows(copier->plan, copier->host->fs, all.v[i]))
            strv_push(&visible, all.v[i]);
    joined = strv_join(&visible, ":");
    if (visible.n)
        env_list_set(copier->list, name, joined);
    return all.n - visible.n;
}

static void copy_cert_dirs(const struct copier *copier, const char *name, const char *value)
{
    if (copy_visible(copier, name, value))
        notes_add(copier->notes, NOTE_WARNING,
                  "%s: only directories that are visible inside are passed of %s", name, value);
}

static void copy_xdg_home(const struct copier *copier, const char *name, const char *value)
{
    _cleanup_free_ char *dir = value[0] == '/' ? path_clean(value) : NULL;

    if (dir &&
        (path_is_below(dir, copier->host->home) || path_is_below(dir, copier->host->home_spelling)))
        env_list_set(copier->list, name, value);
}

static void copy_known(const struct copier *copier, enum env_treatment treatment, const char *name,
                       const char *value)
{
    switch (treatment) {
    case ENV_COPY:
        env_list_set(copier->list, name, value);
        break;
    case ENV_CERTIFICATE:
        if (certificate_show(copier->plan, copier->host, name, value, copier->notes))
            env_list_set(copier->list, name, value);
        break;
    case ENV_CERT_DIRS:
        copy_cert_dirs(copier, name, value);
        break;
    case ENV_XDG_HOME:
        copy_xdg_home(copier, name, value);
        break;
    case ENV_XDG_DIRS:
        copy_visible(copier, name, value);
        break;
    case ENV_PROXY:
    case ENV_PROXY_LIKE:
        copy_proxy(copier, name, value);
        break;
    case ENV_TOOL_DIR:
    case ENV_TOOL_HOME:
        if (env_place_is_usable(copier->plan, copier->host, value, treatment == ENV_TOOL_HOME))
            env_list_set(copier->list, name, value);
        break;
    default:
        break;
    }
}

static void copy_inherited(const struct copier *copier, const char *entry, bool inherit)
{
    size_t len = env_list_name_len(entry);
    enum env_treatment treatment = env_treatment_of(entry, len);
    _cleanup_free_ char *name = NULL;
    const char *value = entry + len + 1;

    if (treatment == ENV_NEVER || entry[len] != '=' || len == 0)
        return;
    if (!inherit && (treatment == ENV_UNKNOWN || treatment == ENV_PROXY_LIKE))
        return;
    if (treatment == ENV_UNKNOWN) {
        strv_push(copier->list, entry);
        return;
    }
    name = xstrndup(entry, len);
    if (host_getenv(copier->host, name) == value)
        copy_known(copier, treatment, name, value);
}

void env_host_copy(struct strv *list, const struct host *host, const struct env_host_wish *wish,
                   struct plan *plan, struct notes *notes)
{
    const struct copier copier = {
        .host = host,
        .list = list,
        .plan = plan,
        .notes = notes,
        .has_proxies = wish->proxies,
    };

    /* Backwards: of two entries with one name the first counts, as for getenv(3). */
    for (size_t i = host->environ.n; i > 0; i--)
        copy_inherited(&copier, host->environ.v[i - 1], wish->everything);
    env_list_settle(list);
}
