// SPDX-License-Identifier: GPL-3.0-only
/*
 * bwrap: the plan as bubblewrap options.
 *
 * A word "@N" stands for the descriptor that the session makes for fds[N]; no other word can begin
 * with "@" in that place. Everything goes into one NUL-separated block behind --args, so a path
 * that begins with a dash is still a path.
 */
#include "backend/bwrap.h"

#include "backend/seccomp.h"

#include <errno.h>

/* bubblewrap stops at 9000 arguments. */
#define WORDS_MAX 9000

static void words(struct launch *launch, const char *first, const char *second, const char *third)
{
    const char *all[] = {first, second, third};

    for (size_t i = 0; i < ARRAY_SIZE(all) && all[i]; i++)
        strv_push(&launch->words, all[i]);
}

static void push_fd(struct launch *launch, enum launch_fd_kind kind, const struct plan_entry *entry)
{
    launch->fds = xrealloc(launch->fds, launch->fd_count + 1, sizeof(*launch->fds));
    launch->fds[launch->fd_count] = (struct launch_fd){.kind = kind, .entry = entry};
    strv_pushf(&launch->words, "@%zu", launch->fd_count++);
}

static void push_perms(struct launch *launch, unsigned mode)
{
    strv_push(&launch->words, "--perms");
    strv_pushf(&launch->words, "%04o", mode);
}

static void push_bind(struct launch *launch, const struct plan_entry *entry, bool by_fd)
{
    bool writable = entry->kind != PLAN_RO;

    if (by_fd) {
        strv_push(&launch->words, writable ? "--bind-fd" : "--ro-bind-fd");
        push_fd(launch, LAUNCH_FD_BIND, entry);
        strv_push(&launch->words, entry->dest);
    } else {
        words(launch, writable ? "--bind" : "--ro-bind", entry->source, entry->dest);
    }
}

/* bubblewrap takes devices by name only: the mounter compares what it has bound. */
static void push_device(struct launch *launch, const struct plan_entry *entry)
{
    words(launch, "--dev-bind", entry->source, entry->dest);
}

static void push_entry(struct launch *launch, const struct plan_entry *entry, bool by_fd)
{
    switch (entry->kind) {
    case PLAN_TMPFS:
        push_perms(launch, entry->mode);
        strv_push(&launch->words, "--size");
        strv_pushf(&launch->words, "%llu", (unsigned long long)entry->size_bytes);
        words(launch, "--tmpfs", entry->dest, NULL);
        break;
    case PLAN_DIR:
        push_perms(launch, entry->mode);
        words(launch, "--dir", entry->dest, NULL);
        break;
    case PLAN_RO:
    case PLAN_RW:
    case PLAN_OVERLAY: /* the session has mounted it at the path */
        push_bind(launch, entry, by_fd);
        break;
    case PLAN_DEVICE:
        push_device(launch, entry);
        break;
    case PLAN_SYMLINK:
        words(launch, "--symlink", entry->target, entry->dest);
        break;
    case PLAN_DATA:
        push_perms(launch, entry->mode);
        strv_push(&launch->words, "--ro-bind-data");
        push_fd(launch, LAUNCH_FD_DATA, entry);
        strv_push(&launch->words, entry->dest);
        break;
    case PLAN_PROC:
        words(launch, "--proc", entry->dest, NULL);
        break;
    case PLAN_DEV:
        words(launch, "--dev", entry->dest, NULL);
        break;
    case PLAN_REMOUNT_RO:
        words(launch, "--remount-ro", entry->dest, NULL);
        break;
    default: /* covers are placed by the mounter */
        break;
    }
}

static void push_namespaces(struct launch *launch, const struct policy *policy)
{
    const struct host_bwrap *bwrap = &policy->host->bwrap;

    words(launch, "--unshare-user", "--unshare-pid", "--unshare-ipc");
    words(launch, "--unshare-uts", NULL, NULL);
    if (bwrap->has_cgroup_try)
        words(launch, "--unshare-cgroup-try", NULL, NULL);
    if (policy->network != NETWORK_FULL)
        words(launch, "--unshare-net", NULL, NULL);
    if (bwrap->has_disable_userns)
        words(launch, "--disable-userns", NULL, NULL);
    words(launch, "--cap-drop", "ALL", NULL);
    words(launch, "--die-with-parent", "--new-session", "--as-pid-1");
    words(launch, "--hostname", JAIL_HOSTNAME, "--clearenv");
}

int bwrap_options(struct launch *launch, const struct policy *policy, struct error *error)
{
    push_namespaces(launch, policy);
    for (size_t i = 0; i < policy->plan.n; i++)
        push_entry(launch, &policy->plan.v[i], policy->host->bwrap.has_bind_fd);
    words(launch, "--chdir", policy->project, NULL);
    if (launch->seccomp_program >= 0) {
        strv_push(&launch->words, "--seccomp");
        push_fd(launch, LAUNCH_FD_SECCOMP, NULL);
    }
    strv_push(&launch->words, "--info-fd");
    push_fd(launch, LAUNCH_FD_INFO, NULL);
    if (launch->words.n > WORDS_MAX)
        return error_set(error, E2BIG,
                         "the plan has %zu bubblewrap words, more than the %d it accepts; use "
                         "fewer maps",
                         launch->words.n, WORDS_MAX);
    return 0;
}
