// SPDX-License-Identifier: GPL-3.0-only
/*
 * toolchains: build tools in HOME read-only, and caches that belong to the jail.
 *
 * A tool that builds needs two things from HOME: itself, and a cache. The host's own caches are never
 * shown, because what a jail writes there a build outside would trust; nor is the directory around
 * them, because next to most caches lie credentials. So each row of the table names the parts: a tool
 * is bound read-only, a cache comes from the store, which is shared by the jails of all projects. A
 * row applies if its directory is there.
 *
 * A variable such as CARGO_HOME moves a row. Tools are followed wherever they are; caches only below
 * HOME, because elsewhere the jail may have no place for them: env_host.c then leaves the variable
 * out, and the tool falls back to its default in HOME.
 *
 * Version managers are shown whole if PATH leads into them: their programs are links and scripts that
 * need the rest. The fixed list keeps a stray PATH entry from showing anything else.
 *
 * What the user asked for comes first: a hidden directory, a map, a project among the caches each
 * remove a row; without a private home the host's directories are there already and are left alone.
 */
#include "policy/toolchains.h"

#include "base/path.h"
#include "net/refusal.h"
#include "policy/maps.h"
#include "policy/project.h"
#include "policy/secrets.h"
#include "policy/toolchain_store.h"

#include <stdlib.h>
#include <string.h>

#define TOOL_ORIGIN  "toolchain"
#define CACHE_ORIGIN "cache shared by all jails"
#define PROXY_ORIGIN "names the jail's proxy"

#define PARTS_MAX 3

#define TEXT_OF(number) #number
#define TEXT(macro)     TEXT_OF(macro)

struct tool_part {
    const char *below; /* the row's directory; "" is the directory itself */
    const char *store; /* NULL: the host's own, read-only; else its place in the store */
};

static const struct tool_row {
    const char *home;     /* the row's directory, below HOME */
    const char *variable; /* moves it; NULL: nothing does */
    struct tool_part parts[PARTS_MAX];
} rows[] = {
    {".cargo", "CARGO_HOME", {{"bin", NULL}, {"registry", "cargo/registry"}, {"git", "cargo/git"}}},
    {".rustup", "RUSTUP_HOME", {{"", NULL}}},
    {".cache", "XDG_CACHE_HOME", {{"", "xdg"}}},
    {"go", "GOPATH", {{"bin", NULL}, {"pkg/mod", "go/pkg-mod"}}},
    {".npm", NULL, {{"", "npm"}}},
    {".m2", NULL, {{"repository", "maven"}}},
    {".gradle", "GRADLE_USER_HOME", {{"caches", "gradle"}}},
    {".bun", "BUN_INSTALL", {{"bin", NULL}, {"install/cache", "bun"}}},
    {".local/share/pnpm", "PNPM_HOME", {{"store", "pnpm"}}},
    {".nuget", NULL, {{"packages", "nuget"}}},
    {".pub-cache", NULL, {{"", "pub"}}},
    {".hex", NULL, {{"", "hex"}}},
    {".mix", NULL, {{"", "mix"}}},
    {".gem", NULL, {{"", "gem"}}},
};

/* Shown if an entry of PATH lies within. The second one holds what the links in the first lead to. */
static const struct manager {
    const char *home;
    const char *with[2];
} managers[] = {
    {".nvm", {NULL}},
    {".volta", {NULL}},
    {".asdf", {NULL}},
    {".pyenv", {NULL}},
    {".rbenv", {NULL}},
    {".deno/bin", {NULL}},
    {".sdkman/candidates", {NULL}},
    {".local/share/fnm", {NULL}},
    {".local/share/uv", {NULL}},
    {".local/share/pipx", {NULL}},
    {".local/bin", {".local/share/uv", ".local/share/pipx"}},
};

/* Files that name the proxy: these two do not read the variables. */
static const struct proxy_file {
    const char *home;
    const char *variable;
    const char *file;
    const char *text;
} proxy_files[] = {
    {".m2", NULL, "settings.xml",
     "<settings>\n"
     "  <proxies>\n"
     "    <proxy><id>http</id><active>true</active><protocol>http</protocol>"
     "<host>127.0.0.1</host><port>" TEXT(
         PROXY_PORT) "</port></proxy>\n"
                     "    <proxy><id>https</id><active>true</active><protocol>https</protocol>"
                     "<host>127.0.0.1</host><port>" TEXT(PROXY_PORT) "</port></proxy>\n"
                                                                     "  </proxies>\n"
                                                                     "</settings>\n"},
    {".gradle", "GRADLE_USER_HOME", "gradle.properties",
     "systemProp.http.proxyHost=127.0.0.1\n"
     "systemProp.http.proxyPort=" TEXT(PROXY_PORT) "\n"
                                                   "systemProp.https.proxyHost=127.0.0.1\n"
                                                   "systemProp.https.proxyPort=" TEXT(
                                                       PROXY_PORT) "\n"},
};

struct adding {
    struct plan *plan;
    const struct config *config;
    const struct host *host;
    const char *project;
    struct notes *notes;
    struct toolchain_store store;
};

/* ---- where things are ---- */

/* path by HOME's canonical name, whichever spelling of HOME it uses. malloc'ed. */
static char *by_home(const struct host *host, const char *path)
{
    _cleanup_free_ char *clean = path_clean(path);

    if (!path_is_within(clean, host->home) && path_is_below(clean, host->home_spelling))
        return path_join(host->home, path_rest(clean, host->home_spelling));
    return steal_ptr(&clean);
}

/* What the variable says, its first entry if it is a list; NULL if it says nothing. malloc'ed. */
static char *said_place(const struct host *host, const char *variable)
{
    const char *said = variable ? host_getenv(host, variable) : NULL;
    _cleanup_free_ char *first = said ? xstrndup(said, strcspn(said, ":")) : NULL;

    return first && first[0] == '/' ? by_home(host, first) : NULL;
}

/* The row's directory for what must lie below HOME. malloc'ed. */
static char *place_in_home(const struct host *host, const char *home, const char *variable)
{
    _cleanup_free_ char *said = said_place(host, variable);

    return said && path_is_below(said, host->home) ? steal_ptr(&said) : path_join(host->home, home);
}

static char *part_of(const char *dir, const char *below)
{
    return below[0] ? path_join(dir, below) : xstrdup(dir);
}

/* True if --hide-dotdir names the directory of HOME in which path lies. */
static bool is_hidden(const struct adding *adding, const char *path)
{
    const struct strv *names = config_list(adding->config, SET_HIDE_DOTDIRS);

    for (size_t i = 0; i < names->n; i++) {
        _cleanup_free_ char *name = xasprintf(".%s", names->v[i] + (names->v[i][0] == '.'));
        _cleanup_free_ char *dir = path_join(adding->host->home, name);

        if (path_is_within(path, dir))
            return true;
    }
    return false;
}

/* Where the project is, its own content is shown and nothing else. */
static bool meets(const char *project, const char *path)
{
    return path_is_within(project, path) || path_is_within(path, project);
}

/* ---- tools ---- */

/* NULL if the canonical directory may be shown, else why not. */
static const char *refusal(const struct host *host, const char *project, const char *dir)
{
    _cleanup_strv_ struct strv own = {0};
    struct fs_stat st;

    if (path_is_within(host->home, dir))
        return "it holds the home directory";
    if (meets(project, dir))
        return "it holds the project, or lies in it";
    if (secrets_hold(host, dir) || secrets_lie_within(host, dir))
        return "secrets are kept there";
    project_own_dirs(host, &own);
    for (size_t i = 0; i < own.n; i++)
        if (path_is_within(dir, own.v[i]) || path_is_within(own.v[i], dir))
            return "ai-jail keeps its own files there";
    if (fs_stat(host->fs, dir, false, &st) < 0 || (st.uid != host->uid && st.uid != 0))
        return "it belongs to another user";
    return NULL;
}

static bool is_added(const struct plan *plan, const char *dest)
{
    struct plan_view view = plan_look(plan, dest);

    free(view.host_path);
    return view.entry && str_eq(view.entry->dest, dest) && str_eq(view.entry->origin, TOOL_ORIGIN);
}

void toolchains_bind_tool(struct plan *plan, const struct host *host, const char *project,
                          const char *path, const char *origin, struct notes *notes)
{
    _cleanup_free_ char *canonical = NULL;
    const char *why;

    if (!fs_is_dir(host->fs, path) || fs_resolve(host->fs, path, &canonical, NULL, NULL) < 0)
        return;
    why = refusal(host, project, canonical);
    if (why)
        notes_add(notes, NOTE_WARNING, "%s (%s) is not shown: %s", path, origin, why);
    else
        plan_add_bind(plan, host->fs, GROUP_HOME_PARTS, PLAN_RO, canonical, path, origin);
}

static void add_tool(struct adding *adding, const char *path)
{
    if (!is_hidden(adding, path) && !plan_shows(adding->plan, adding->host->fs, path) &&
        !is_added(adding->plan, path))
        toolchains_bind_tool(adding->plan, adding->host, adding->project, path, TOOL_ORIGIN,
                             adding->notes);
}

static void add_manager(struct adding *adding, const struct manager *manager)
{
    _cleanup_free_ char *dir = path_join(adding->host->home, manager->home);

    add_tool(adding, dir);
    for (size_t i = 0; i < ARRAY_SIZE(manager->with) && manager->with[i]; i++) {
        _cleanup_free_ char *with = path_join(adding->host->home, manager->with[i]);

        add_tool(adding, with);
    }
}

/* fnm puts a link of each shell's own into PATH. */
static void add_managers_of(struct adding *adding, const char *path_entry)
{
    const struct host *host = adding->host;
    _cleanup_free_ char *named = by_home(host, path_entry);
    _cleanup_free_ char *canonical = NULL;

    if (fs_resolve(host->fs, named, &canonical, NULL, NULL) < 0)
        return;
    for (size_t i = 0; i < ARRAY_SIZE(managers); i++) {
        _cleanup_free_ char *dir = path_join(host->home, managers[i].home);
        bool is_named = path_is_within(named, dir);

        if (!is_named && !path_is_within(canonical, dir))
            continue;
        add_manager(adding, &managers[i]);
        if (!is_named && !path_is_within(named, adding->project))
            maps_add_links(adding->plan, host->fs, GROUP_HOME_PARTS, named, TOOL_ORIGIN);
    }
}

static void add_managers(struct adding *adding)
{
    const char *path = host_getenv(adding->host, "PATH");
    _cleanup_strv_ struct strv entries = {0};

    strv_split(&entries, path ? path : "", ':');
    for (size_t i = 0; i < entries.n; i++)
        if (entries.v[i][0] == '/')
            add_managers_of(adding, entries.v[i]);
}

/* ---- caches ---- */

/* True if something of the host is there already: without a private home. */
static bool shows_host(const struct plan *plan, const char *path)
{
    struct plan_view view = plan_look(plan, path);
    bool shown = view.host_path != NULL;

    free(view.host_path);
    return shown;
}

static void add_cache(struct adding *adding, const char *dest, const char *name)
{
    _cleanup_free_ char *source = NULL;

    if (is_hidden(adding, dest) || meets(adding->project, dest) || shows_host(adding->plan, dest))
        return;
    source = toolchain_store_part(&adding->store, name, adding->notes);
    if (source)
        plan_add_new_dir(adding->plan, adding->host->fs, GROUP_HOME_PARTS, PLAN_RW, source, dest,
                         CACHE_ORIGIN);
}

static void add_row(struct adding *adding, const struct tool_row *row)
{
    const struct host *host = adding->host;
    _cleanup_free_ char *in_home = place_in_home(host, row->home, row->variable);
    _cleanup_free_ char *said = said_place(host, row->variable);
    const char *tools = said ? said : in_home;
    bool is_there = fs_is_dir(host->fs, tools) || fs_is_dir(host->fs, in_home);

    for (size_t i = 0; is_there && i < PARTS_MAX && row->parts[i].below; i++) {
        const struct tool_part *part = &row->parts[i];
        _cleanup_free_ char *path = part_of(part->store ? in_home : tools, part->below);

        if (part->store)
            add_cache(adding, path, part->store);
        else
            add_tool(adding, path);
    }
}

static void add_proxy_file(struct adding *adding, const struct proxy_file *file)
{
    _cleanup_free_ char *dir = place_in_home(adding->host, file->home, file->variable);
    _cleanup_free_ char *path = path_join(dir, file->file);
    struct plan_entry *entry;

    if (!fs_is_dir(adding->host->fs, dir) || is_hidden(adding, path) || meets(adding->project, dir))
        return;
    entry = plan_add(adding->plan, GROUP_HOME_PARTS, PLAN_DATA, path, PROXY_ORIGIN);
    entry->data = xstrdup(file->text);
    entry->label = file->file;
    entry->mode = 0600;
}

void toolchains_add(struct plan *plan, const struct config *config, const struct host *host,
                    const char *project, enum network_mode network, struct notes *notes)
{
    struct adding adding = {
        .plan = plan, .config = config, .host = host, .project = project, .notes = notes};

    toolchain_store_init(&adding.store, host, project);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        add_row(&adding, &rows[i]);
    add_managers(&adding);
    for (size_t i = 0; i < ARRAY_SIZE(proxy_files); i++)
        if (network == NETWORK_FILTERED && config_flag(config, SET_PRIVATE_HOME))
            add_proxy_file(&adding, &proxy_files[i]);
    toolchain_store_free(&adding.store);
}

/* ---- in the end ---- */

bool toolchains_own(const struct plan_entry *entry)
{
    return entry->group == GROUP_HOME_PARTS &&
           (str_eq(entry->origin, TOOL_ORIGIN) || str_eq(entry->origin, CACHE_ORIGIN) ||
            str_eq(entry->origin, PROXY_ORIGIN));
}

/* True if the derived bind has no mount point for the other entry, which lies below it. */
static bool is_in_the_way(const struct fs *fs, const struct plan_entry *derived,
                          const struct plan_entry *other)
{
    _cleanup_free_ char *place = NULL;
    struct fs_stat st;

    if (!derived->source || plan_is_cover(other->kind) || other->kind == PLAN_REMOUNT_RO)
        return false;
    place = path_join(derived->source, path_rest(other->dest, derived->dest));
    if (fs_stat(fs, place, false, &st) < 0)
        return true;
    return other->kind == PLAN_SYMLINK ||
           (st.type == FS_DIR) != (other->kind != PLAN_DATA && other->st.type == FS_DIR);
}

static bool must_yield(const struct plan *plan, const struct fs *fs, const struct plan_entry *entry,
                       struct notes *notes)
{
    for (size_t i = 0; i < plan->n; i++) {
        const struct plan_entry *other = &plan->v[i];
        bool is_below_map = other->group >= GROUP_MAPS_OUTSIDE && plan_is_bind(other->kind) &&
                            path_is_below(entry->dest, other->dest);

        if (!is_below_map &&
            !(path_is_below(other->dest, entry->dest) && is_in_the_way(fs, entry, other)))
            continue;
        notes_add(notes, NOTE_VERBOSE, "%s (%s) is left out: it meets %s (%s)", entry->dest,
                  entry->origin, other->dest, other->origin);
        return true;
    }
    return false;
}

struct settling {
    const struct plan *plan;
    const bool *yields; /* by number */
};

static bool yields(void *arg, const struct plan_entry *entry)
{
    const struct settling *settling = arg;

    return settling->yields[entry - settling->plan->v];
}

void toolchains_settle(struct plan *plan, const struct fs *fs, struct notes *notes)
{
    _cleanup_free_ bool *marks = xcalloc(plan->n + 1, sizeof(*marks));
    struct settling settling = {plan, marks};

    for (size_t i = 0; i < plan->n; i++)
        marks[i] = toolchains_own(&plan->v[i]) && must_yield(plan, fs, &plan->v[i], notes);
    plan_remove_if(plan, yields, &settling);
}
