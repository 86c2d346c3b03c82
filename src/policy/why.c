// SPDX-License-Identifier: GPL-3.0-only
/*
 * why: the plan asked about one path, and about the network.
 *
 * Verdicts of a path: read-write, read-only, empty (masked), denied, private (it exists only in the
X
 *
 * Flags in an advice come from the settings table.
 */
#include "policy/why.h"

#include "base/path.h"
#include "policy/capabilities.h"
#include "policy/hosts.h"
#include "policy/secrets.h"
#include "policy/view.h"

#include <stdlib.h>
#include <string.h>

#define FLAG(id)   settings[id].flag
#define HTTPS_PORT 443

static bool is_path(const char *query)
{
    return strchr(query, '/') || str_eq(query, ".") || query[0] == '~';
}

static char *absolute(const struct host *host, const char *query)
{
    _cleanup_free_ char *expanded = path_expand_home(query, host->home_spelling);

    return path_join(host->cwd, expanded);
}

static void set_rule(struct why_answer *answer, const struct view *view)
{
    const struct plan_entry *entry = view->entry;

    if (!entry) {
        answer->rule = xstrdup("nothing of the host is shown there");
        return;
    }
    answer->rule =
        entry->source && !str_eq(entry->source, entry->dest)
            ? xasprintf("%s %s from %s", plan_kind_name(entry->kind), entry->dest, entry->source)
            : xasprintf("%s %s", plan_kind_name(entry->kind), entry->dest);
    answer->origin = xstrdup(entry->origin);
}

/* ---- a path that is there ---- */

static bool is_in_group(const struct host *host, gid_t gid)
{
    bool found = host->gid == gid;

    for (size_t i = 0; i < host->group_count; i++)
        found = found || host->groups[i] == gid;
    return found;
}

/* The object's own permissions, which hold inside as outside; root has no privileges there. */
static bool is_forbidden_by_mode(const struct host *host, const struct view *view)
{
    const struct fs_stat *st = &view->st;
    unsigned want = st->type == FS_DIR ? 05 : 04;
    unsigned shift = st->uid == host->uid ? 6 : is_in_group(host, st->gid) ? 3 : 0;

    return st->type != FS_LINK && (st->mode >> shift & want) != want;
}

static bool is_git_protected(const struct view *view)
{
    return view->entry && view->entry->kind == PLAN_COVER_RO && view->entry->group == GROUP_GIT;
}

static void advise_writing(struct why_answer *answer, const struct host *host,
                           const struct view *view, const struct policy *policy)
{
    if (policy->lockdown)
        answer->advice = xasprintf("--%s: nothing of the host is writable", FLAG(SET_LOCKDOWN));
    else if (policy->browser.profile != BROWSER_NONE)
        answer->advice =
            xasprintf("a browser may write to one directory of the host, which --%s names",
                      FLAG(SET_DOWNLOADS));
    else if (is_git_protected(view))
        answer->advice = xasprintf("--no-%s makes hooks and configuration of git writable",
                                   FLAG(SET_PROTECT_GIT));
    else if (view->entry && view->entry->kind == PLAN_COVER_RO)
        answer->advice = xstrdup("it can be read, and is never writable");
    else if (view->host_path && path_is_below(view->host_path, host->home))
        answer->advice = xasprintf("--%s %s makes it writable", FLAG(SET_RW_MAPS), view->host_path);
}

static void answer_bind(struct why_answer *answer, const struct policy *policy,
                        const struct view *view)
{
    const struct host *host = policy->host;

    if (is_forbidden_by_mode(host, view)) {
        answer->verdict = "denied";
        answer->advice = xasprintf("its own permissions (%04o, owner %u) refuse it, inside as "
                                   "outside",
                                   (unsigned)view->st.mode, (unsigned)view->st.uid);
        return;
    }
    answer->is_accessible = true;
    answer->verdict = view->writable ? "read-write" : "read-only";
    if (!view->writable)
        advise_writing(answer, host, view, policy);
}

/* ---- a path that is covered ---- */

/* True if the user or a project said the rule: then it can be taken back. */
static bool is_said(const char *origin)
{
    return str_starts(origin, "--") || str_starts(origin, "~/.ai-jail") ||
           str_starts(origin, "./.ai-jail");
}

static void advise_uncovering(struct why_answer *answer, const struct policy *policy,
                              const struct view *view)
{
    _cleanup_free_ char *file = path_join(policy->project, ".ai-jail");
    bool denied = view->kind == VIEW_DENIED;

    if (str_eq(view->entry->dest, file))
        answer->advice =
            xasprintf("--no-%s lets it be read; it is never writable", FLAG(SET_HIDE_CONFIG));
    else if (is_said(view->entry->origin))
        answer->advice = xasprintf("--%s %s takes the rule away",
                                   FLAG(denied ? SET_DENY_PATH_EXCEPTIONS : SET_MASK_EXCEPTIONS),
                                   view->entry->dest);
    else
        answer->advice = xstrdup("it is never shown");
}

/* ---- a path that is not there ---- */

static bool is_own(const struct plan_entry *entry)
{
    return entry && entry->group == GROUP_OWN;
}

/* A name for which a rule waits. */
static bool is_armed(struct why_answer *answer, const struct policy *policy,
                     const struct view *view)
{
    struct mask_verdict verdict = {.kind = PLAN_KIND_COUNT};

    if (view->host_path && policy->masks)
        verdict = mask_rules_find(policy->masks, view->host_path);
    if (verdict.kind == PLAN_KIND_COUNT)
        return false;
    answer->advice = xasprintf("it is not there; when it appears it is covered (%s: %s)",
                               plan_kind_name(verdict.kind), verdict.origin);
    return true;
}

static void advise_showing(struct why_answer *answer, const struct policy *policy,
                           const struct view *view, const char *path)
{
    const struct host *host = policy->host;
    _cleanup_free_ char *canonical = NULL;

    if (is_armed(answer, policy, view))
        return;
    if (view->is_loop)
        answer->advice = xstrdup("more than 40 symbolic links");
    else if (is_own(view->entry))
        answer->advice = xstrdup("ai-jail's own files are never shown");
    else if (view->entry && plan_is_cover(view->entry->kind))
        advise_uncovering(answer, policy, view);
    else if (fs_resolve(host->fs, path, &canonical, NULL, NULL) < 0)
        answer->advice = xstrdup("the host has nothing there either");
    else if (policy->lockdown)
        answer->advice = xasprintf("--%s: of the host only the project is shown and what the "
                                   "command needs",
                                   FLAG(SET_LOCKDOWN));
    else if (policy->browser.profile != BROWSER_NONE)
        answer->advice = xasprintf("to a browser only the project is shown, what it needs, its "
                                   "profile, and what --%s names",
                                   FLAG(SET_DOWNLOADS));
    else if (capabilities_flag(host, path))
        answer->advice =
            xasprintf("%s--%s shows it", secrets_hold(host, canonical) ? "it holds keys: " : "",
                      capabilities_flag(host, path));
    else if (secrets_hold(host, canonical))
        answer->advice = xasprintf("it holds keys: only --%s %s, if you really mean it, shows it",
                                   FLAG(SET_RO_MAPS), canonical);
    else
        answer->advice = xasprintf("--%s %s shows it read-only, --%s writable", FLAG(SET_RO_MAPS),
                                   canonical, FLAG(SET_RW_MAPS));
}

static void answer_private(struct why_answer *answer, const struct policy *policy,
                           const struct view *view)
{
    answer->verdict = "private";
    answer->is_accessible = true;
    if (view->writable && (policy->lockdown || policy->browser.profile != BROWSER_NONE))
        answer->advice = xstrdup("what is written there is gone at the end");
    else if (view->writable && path_is_within(view->path, policy->host->home))
        answer->advice = xasprintf("what is written there is gone at the end; the project and "
                                   "--%s keep it",
                                   FLAG(SET_RW_MAPS));
}

/* A file that the mounter puts there is in no plan. */
static bool is_in_step(struct why_answer *answer, const struct policy *policy, const char *path)
{
    for (size_t i = 0; i < policy->in_step.n; i++) {
        if (!str_eq(policy->in_step.v[i].jail, path))
            continue;
        answer->verdict = "private";
        answer->is_accessible = true;
        answer->advice = xasprintf("a file of the jail's own that is kept equal to %s outside; "
                                   "--no-%s shows nothing",
                                   policy->in_step.v[i].host, FLAG(SET_AGENT_STATE));
        return true;
    }
    return false;
}

static void ask_path(struct why_answer *answer, const struct policy *policy, const char *query)
{
    _cleanup_free_ char *path = absolute(policy->host, query);
    _cleanup_view_ struct view view = {0};

    view_of(&view, &policy->plan, policy->host->fs, path);
    answer->kind = "path";
    set_rule(answer, &view);
    if (is_in_step(answer, policy, path))
        return;
    switch (view.kind) {
    case VIEW_BIND:
        answer_bind(answer, policy, &view);
        break;
    case VIEW_PRIVATE:
        answer_private(answer, policy, &view);
        break;
    case VIEW_MASKED:
        answer->verdict = "empty (masked)";
        advise_uncovering(answer, policy, &view);
        break;
    case VIEW_DENIED:
        answer->verdict = "denied";
        advise_uncovering(answer, policy, &view);
        break;
    case VIEW_ABSENT:
        answer->verdict = "absent";
        advise_showing(answer, policy, &view, path);
        break;
    }
}

/* ---- a host ---- */

/* Whatever the network is, these names never mean the host. */
static void ask_loopback(struct why_answer *answer, const struct policy *policy)
{
    answer->is_accessible = !policy->lockdown;
    answer->verdict = policy->lockdown ? "refused" : "allowed";
    answer->rule = xstrdup(policy->lockdown ? refusal_rows[REFUSAL_LOOPBACK_CLOSED].id
                                            : "the jail's own loopback, never the host's");
    answer->advice =
        xasprintf("%s--%s PORT shows a port of the host's loopback there",
                  policy->lockdown ? "without --lockdown " : "", FLAG(SET_FORWARD_PORTS));
}

/* Behind the proxy: what the list says, before the name is resolved. */
static void ask_list(struct why_answer *answer, const struct policy *policy,
                     const struct target *target)
{
    struct allow_decision decision = allow_decide(&policy->hosts, target, NULL, 0);
    char flag[REFUSAL_FLAG_MAX];

    answer->is_accessible = decision.reason == REFUSAL_NONE;
    answer->verdict = answer->is_accessible ? "allowed" : "refused";
    if (decision.entry) {
        answer->rule = xasprintf("host %s", decision.entry->text);
        answer->origin = xstrdup(decision.entry->origin);
    } else {
        answer->rule = xstrdup(refusal_rows[decision.reason].id);
    }
    refusal_flag(decision.reason, target, false, flag, sizeof(flag));
    if (answer->is_accessible && target->kind == TARGET_NAME)
        answer->advice =
            xstrdup("each address that the name has is judged, too, when it is reached");
    else if (flag[0])
        answer->advice = xasprintf("%s allows it", flag);
}

static void ask_closed(struct why_answer *answer, const struct target *target)
{
    char flag[REFUSAL_FLAG_MAX];

    refusal_flag(REFUSAL_HOST_NOT_LISTED, target, false, flag, sizeof(flag));
    if (flag[0])
        answer->advice = xasprintf("%s lets the command reach it", flag);
}

/* Without a port it is 443. False: no host can be written like that. */
static bool read_host(struct target *target, const char *query)
{
    if (target_parse(target, query, strlen(query)) < 0)
        return false;
    if (!target->port)
        target->port = HTTPS_PORT;
    return true;
}

static void ask_host(struct why_answer *answer, const struct policy *policy, const char *query)
{
    _cleanup_free_ char *path = path_join(policy->project, query);
    bool is_open = policy->network == NETWORK_FULL;
    struct target target;

    answer->kind = "host";
    answer->verdict = is_open ? "open" : policy->network == NETWORK_OFF ? "offline" : "refused";
    answer->is_accessible = is_open;
    if (!is_open && !read_host(&target, query)) {
        answer->rule = xstrdup(refusal_rows[REFUSAL_MALFORMED].id);
        answer->advice = xstrdup("a host is a name, an IPv4 address or an [IPv6] address, and "
                                 "perhaps a port: HOST or HOST:PORT");
    } else if (!is_open && target_is_own_loopback(&target)) {
        ask_loopback(answer, policy);
    } else if (policy->network == NETWORK_FILTERED) {
        ask_list(answer, policy, &target);
    } else if (!is_open) {
        ask_closed(answer, &target);
    }
    if (!answer->rule)
        answer->rule = xasprintf("network %s", hosts_mode_name(policy->network));
    if (fs_exists(policy->host->fs, path)) {
        free(answer->advice);
        answer->advice = xasprintf("this was taken for a host; ./%s is the file", query);
    }
}

void why_ask(struct why_answer *answer, const struct policy *policy, const char *query)
{
    *answer = (struct why_answer){0};
    if (is_path(query))
        ask_path(answer, policy, query);
    else
        ask_host(answer, policy, query);
}

void why_free(struct why_answer *answer)
{
    free(answer->rule);
    free(answer->origin);
    free(answer->advice);
    *answer = (struct why_answer){0};
}
