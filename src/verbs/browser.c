// SPDX-License-Identifier: GPL-3.0-only
/*
 * browser: --browser-list and --browser-forget, over the kept profiles.
 */
#include "backend/browser_store.h"
#include "backend/json_text.h"
#include "base/path.h"
#include "verbs/print.h"
#include "verbs/verbs.h"

#include <stdlib.h>
#include <time.h>

#define TEXT_MAX (16 * MIB)

/* "2026-11-29 23:45" in the user's time zone, or in the form of RFC 3339 in UTC. malloc'ed. */
static char *time_text(int64_t seconds, bool is_json)
{
    time_t when = (time_t)seconds;
    char text[64] = "";
    struct tm tm;

    if (is_json ? gmtime_r(&when, &tm) : localtime_r(&when, &tm))
        strftime(text, sizeof(text), is_json ? "%Y-%m-%dT%H:%M:%SZ" : "%Y-%m-%d %H:%M", &tm);
    return xstrdup(text);
}

static char *as_text(const char *store, const struct browser_kept_list *list)
{
    struct buf out CLEANUP(buf_free);

    buf_init(&out, TEXT_MAX);
    if (list->n == 0)
        print_line(&out, "no browser profile is kept in %s", store);
    for (size_t i = 0; i < list->n; i++) {
        const struct browser_kept *kept = &list->v[i];
        _cleanup_free_ char *last_use = time_text(kept->last_use, false);
        _cleanup_free_ char *holder = kept->holder > 0 ? xasprintf("in use (pid %ld)", kept->holder)
                                                       : xstrdup(kept->holder ? "in use" : "");

        print_line(&out, "%-24s %9.1f MiB  %s  %s", kept->name, (double)kept->bytes / (double)MIB,
                   last_use, holder);
    }
    return buf_take_cstr(&out);
}

static char *as_json(const char *store, const struct browser_kept_list *list)
{
    json_t *profiles = json_array();

    for (size_t i = 0; i < list->n; i++) {
        const struct browser_kept *kept = &list->v[i];
        _cleanup_free_ char *last_use = time_text(kept->last_use, true);
        _cleanup_free_ char *path = path_join(store, kept->name);

        json_array_append_new(
            profiles, json_pack("{s:o, s:o, s:I, s:s, s:b, s:o}", "name", json_text(kept->name),
                                "path", json_text(path), "bytes", (json_int_t)kept->bytes,
                                "last_use", last_use, "in_use", (int)(kept->holder != 0), "pid",
                                kept->holder > 0 ? json_integer(kept->holder) : json_null()));
    }
    return json_document(json_pack("{s:i, s:o, s:o}", "version", 1, "store", json_text(store),
                                   "profiles", profiles));
}

int verb_browser(const struct verb_call *call, struct error *error)
{
    _cleanup_free_ char *store = browser_store(call->host);
    struct browser_kept_list list CLEANUP(browser_kept_free) = {0};
    int r;

    if (call->args->verb == VERB_BROWSER_FORGET) {
        r = browser_store_forget(store, call->args->operand, error);
        return r < 0 ? r : print_text(xstrdup("the profile is removed\n"), error);
    }
    r = browser_store_list(&list, store, error);
    if (r < 0)
        return r;
    return print_text(call->args->json ? as_json(store, &list) : as_text(store, &list), error);
}
