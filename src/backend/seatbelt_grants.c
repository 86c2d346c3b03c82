// SPDX-License-Identifier: GPL-3.0-only
/*
 * seatbelt_grants: what the command may read, write and connect to.
 *
 * The finished plan says it: a bind is the permission for its source, at the path that it has without links.
 * A directory means everything below, and so does what is not there yet; a file means itself. Whoever spelled a
 * path with links gets those links to look at, too.
 *
 * Lockdown and browser profiles have left the plan without what they drop. What may be written is asked a
 * second time here, since a mistake would be seen nowhere else.
 */
#include "backend/seatbelt_parts.h"

#include "base/path.h"
#include "policy/glob.h"
#include "policy/macos.h"

#include <stdlib.h>
#include <string.h>

void seatbelt_grants_free(struct seatbelt_grants *grants)
{
    seatbelt_filters_free(&grants->reads);
    seatbelt_filters_free(&grants->writes);
    seatbelt_filters_free(&grants->sockets);
    seatbelt_filters_free(&grants->services);
    seatbelt_filters_free(&grants->connected);
    seatbelt_filters_free(&grants->nodes);
    strv_free(&grants->roots);
}

/* ---- the way ---- */

static void add_above(struct seatbelt_grants *grants, const char *path)
{
    _cleanup_free_ char *above = path_parent(path);

    for (;;) {
        char *next;

        seatbelt_filters_add(&grants->nodes, SEATBELT_LITERAL, above);
        if (str_eq(above, "/"))
            return;
        next = path_parent(above);
        free(above);
        above = next;
    }
}

/* A directory or link that one passes, and what lies above it. */
static void add_node(struct seatbelt_grants *grants, const char *path)
{
    seatbelt_filters_add(&grants->nodes, SEATBELT_LITERAL, path);
    add_above(grants, path);
}

static void add_met_link(void *arg, const char *link, const char *target)
{
    (void)target;
    add_node(arg, link);
}

/* The links of a spelling that is not canonical. */
static void add_way(struct seatbelt_grants *grants, const struct host *host, const char *spelled)
{
    _cleanup_free_ char *canonical = NULL;

    fs_resolve(host->fs, spelled, &canonical, add_met_link, grants);
}

/* Programs look at these, whatever they are started with. */
static void add_common_nodes(struct seatbelt_grants *grants, const struct policy *policy)
{
    static const char *const nodes[] = {
        "/", "/tmp", "/private", "/private/tmp", "/var", "/private/var", "/etc",
    };

    for (size_t i = 0; i < ARRAY_SIZE(nodes); i++)
        seatbelt_filters_add(&grants->nodes, SEATBELT_LITERAL, nodes[i]);
    add_node(grants, policy->host->home);
    add_way(grants, policy->host, policy->host->home_spelling);
    add_way(grants, policy->host, policy->host->cwd_spelling);
    for (size_t i = 0; i < policy->links.n; i++)
        add_node(grants, policy->links.v[i]);
    if (policy->network == NETWORK_FULL) /* the resolver is there */
        add_node(grants, "/private/var/run");
}

/* ---- what is there ---- */

struct object {
    const char *path; /* canonical */
    bool is_dir;      /* or may become one */
};

static void add_object(struct seatbelt_grants *grants, struct seatbelt_filters *filters,
                       struct object object)
{
    seatbelt_filters_add(filters, object.is_dir ? SEATBELT_SUBPATH : SEATBELT_LITERAL, object.path);
    add_above(grants, object.path);
}

static void add_writable(struct seatbelt_grants *grants, struct object object)
{
    add_object(grants, &grants->writes, object);
    if (object.is_dir && strv_find(&grants->roots, object.path) < 0)
        strv_push(&grants->roots, object.path);
}

static bool may_write(const struct policy *policy, const struct plan_entry *entry)
{
    if (entry->kind != PLAN_RW || policy->lockdown)
        return false;
    return policy->browser.profile == BROWSER_NONE || entry->group == GROUP_BROWSER;
}

static void add_socket(struct seatbelt_grants *grants, const struct policy *policy,
                       const struct plan_entry *entry)
{
    if (policy->lockdown || policy->browser.profile != BROWSER_NONE)
        return;
    add_object(grants, &grants->connected, (struct object){entry->source, false});
    if (entry->kind == PLAN_RW)
        add_object(grants, &grants->services, (struct object){entry->source, false});
}

static void add_bind(struct seatbelt_grants *grants, const struct policy *policy,
                     const struct plan_entry *entry)
{
    struct object object = {entry->source, entry->is_new || entry->st.type == FS_DIR};

    if (entry->group == GROUP_RUNTIME) {
        add_socket(grants, policy, entry);
        return;
    }
    add_object(grants, &grants->reads, object);
    if (!str_eq(entry->source, entry->dest))
        add_way(grants, policy->host, entry->dest);
    if (!may_write(policy, entry))
        return;
    add_writable(grants, object);
    if (str_starts(entry->origin, AGENTS_ORIGIN) && object.is_dir)
        add_object(grants, &grants->sockets, object);
}

/* Files that an agent replaces: here the very ones of the host. */
static void add_in_step(struct seatbelt_grants *grants, const struct policy *policy)
{
    for (size_t i = 0; i < policy->in_step.n; i++) {
        const struct in_step_file *file = &policy->in_step.v[i];
        struct object object = {file->host, false};

        if (policy->lockdown || policy->browser.profile != BROWSER_NONE)
            continue;
        add_object(grants, &grants->reads, object);
        add_object(grants, &grants->writes, object);
        add_way(grants, policy->host, file->jail);
    }
}

static void add_system(struct seatbelt_grants *grants, const struct host *host)
{
    for (size_t i = 0; macos_system_dirs[i]; i++)
        add_object(grants, &grants->reads, (struct object){macos_system_dirs[i], true});
    for (size_t i = 0; macos_package_dirs[i]; i++)
        if (fs_is_dir(host->fs, macos_package_dirs[i]))
            add_object(grants, &grants->reads, (struct object){macos_package_dirs[i], true});
}

/* ---- what claude needs besides its directories ---- */

/* "^H/REST$"; malloc'ed. */
static char *home_expression(const struct policy *policy, const char *rest)
{
    struct buf out CLEANUP(buf_free);

    buf_init(&out, 64 * KIB);
    buf_append_str(&out, "^");
    glob_regex_quote(&out, policy->host->home, strlen(policy->host->home));
    buf_printf(&out, "/%s$", rest);
    return buf_take_cstr(&out);
}

char *seatbelt_keychain_files(const struct policy *policy)
{
    return home_expression(policy, "Library/Keychains/(login\\.keychain-db"
                                   "(\\.sb-[0-9a-f]+-[0-9A-Za-z]+)?|\\.fl[0-9A-F]+)");
}

/* It replaces its file by another one of a name beside it, and has a lock there. */
static void add_claude_files(struct seatbelt_grants *grants, const struct policy *policy)
{
    static const char *const beside[] = {
        "\\.claude\\.json\\.tmp\\.[0-9]+\\.[0-9a-f]+",
        "\\.claude\\.json\\.lock(/.*)?",
    };

    for (size_t i = 0; i < ARRAY_SIZE(beside) && policy->in_step.n; i++) {
        _cleanup_free_ char *expression = home_expression(policy, beside[i]);

        seatbelt_filters_add(&grants->reads, SEATBELT_REGEX, expression);
        seatbelt_filters_add(&grants->writes, SEATBELT_REGEX, expression);
    }
}

/* Names in /private/tmp that it makes itself, whatever TMPDIR says. */
static void add_claude_tmp(struct seatbelt_grants *grants, const struct policy *policy)
{
    _cleanup_free_ char *own =
        xasprintf("^/private/tmp/claude-%u(/.*)?$", (unsigned)policy->host->uid);
    const char *const expressions[] = {own, "^/private/tmp/claude-[0-9a-f]+-cwd$"};

    for (size_t i = 0; i < ARRAY_SIZE(expressions); i++) {
        seatbelt_filters_add(&grants->reads, SEATBELT_REGEX, expressions[i]);
        seatbelt_filters_add(&grants->writes, SEATBELT_REGEX, expressions[i]);
    }
}

static void add_keychain(struct seatbelt_grants *grants, const struct policy *policy)
{
    _cleanup_free_ char *own = path_join(policy->host->home, "Library/Keychains");
    _cleanup_free_ char *files = seatbelt_keychain_files(policy);
    const char *const dirs[] = {own, "/Library/Keychains", "/private/var/db/mds"};

    for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
        add_object(grants, &grants->reads, (struct object){dirs[i], true});
    seatbelt_filters_add(&grants->writes, SEATBELT_REGEX, files);
}

void seatbelt_grants_collect(struct seatbelt_grants *grants, const struct policy *policy)
{
    const struct object tmp = {policy->host->macos.tmp, true};

    add_common_nodes(grants, policy);
    add_system(grants, policy->host);
    add_object(grants, &grants->reads, tmp);
    add_writable(grants, tmp);
    add_object(grants, &grants->sockets, tmp);
    for (size_t i = 0; i < policy->plan.n; i++)
        if (plan_is_bind(policy->plan.v[i].kind) && policy->plan.v[i].source)
            add_bind(grants, policy, &policy->plan.v[i]);
    add_in_step(grants, policy);
    if (seatbelt_has_state_of(policy, "claude")) {
        add_claude_files(grants, policy);
        add_claude_tmp(grants, policy);
    }
    if (seatbelt_has_keychain(policy))
        add_keychain(grants, policy);
}

/* ---- writing ---- */

static bool is_covered(const struct seatbelt_filters *filters, const char *path, size_t but)
{
    for (size_t i = 0; i < filters->n; i++)
        if (i != but && filters->v[i].kind == SEATBELT_SUBPATH &&
            path_is_within(path, filters->v[i].text))
            return true;
    return false;
}

/* Writes filters without those that another one, or one of wider, makes superfluous. */
static void put_needed(struct seatbelt_text *text, const char *head,
                       const struct seatbelt_filters *filters, const struct seatbelt_filters *wider)
{
    struct seatbelt_filters needed _cleanup_filters_ = {0};

    for (size_t i = 0; i < filters->n; i++) {
        const struct seatbelt_filter *filter = &filters->v[i];

        if (filter->kind == SEATBELT_REGEX ||
            (!is_covered(filters, filter->text, i) &&
             !(wider && is_covered(wider, filter->text, SIZE_MAX))))
            seatbelt_filters_add(&needed, filter->kind, filter->text);
    }
    seatbelt_put_rule(text, head, &needed, NULL);
}

static void put_device_reads(struct seatbelt_text *text)
{
    static const char *const nodes[] = {"/dev",        "/dev/null",    "/dev/zero",
                                        "/dev/random", "/dev/urandom", "/dev/dtracehelper"};
    struct seatbelt_filters devices _cleanup_filters_ = {0};

    for (size_t i = 0; i < ARRAY_SIZE(nodes); i++)
        seatbelt_filters_add(&devices, SEATBELT_LITERAL, nodes[i]);
    seatbelt_filters_add(&devices, SEATBELT_SUBPATH, "/dev/fd");
    seatbelt_put_rule(text, "allow file-read*", &devices, NULL);
}

void seatbelt_put_grants(struct seatbelt_text *text, const struct policy *policy,
                         const struct seatbelt_grants *grants)
{
    (void)policy;
    seatbelt_put_comment(text, "on the way");
    put_needed(text, "allow file-read-metadata", &grants->nodes, &grants->reads);
    seatbelt_put_comment(text, "reads");
    seatbelt_put(text, "(allow file-read* (literal \"/\"))\n");
    put_device_reads(text);
    put_needed(text, "allow file-read*", &grants->reads, NULL);
    seatbelt_put_comment(text, "writes");
    put_needed(text, "allow file-write*", &grants->writes, NULL);
    if (grants->connected.n)
        seatbelt_put_comment(text, "sockets of others");
    seatbelt_put_rule(text, "allow file-read* file-write*", &grants->services, NULL);
    seatbelt_put_rule(text, "allow network-outbound", &grants->connected, NULL);
}
