// SPDX-License-Identifier: GPL-3.0-only
/*
 * macos: a policy for macOS' sandbox-exec.
 *
 * The same policy is built for both systems; a profile has no mounts, though, it permits. So the plan holds
 * binds of paths at themselves, and everything that would move something is taken out before anybody
 * decides from it: this file has the tables. HOME stays an empty directory in the plan. That means:
 * nothing of it is visible but what the plan adds, although it keeps its real place.
 */
#include "policy/macos.h"

#include "base/buf.h"
#include "base/path.h"
#include "policy/policy.h"
#include "policy/tighten.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ORIGIN        "built-in"
#define PATH_TEXT_MAX (64 * KIB)

/* ---- the configuration ---- */

/* Flags that mean nothing there, and how loudly that is said. */
static const struct silent_flag {
    enum setting_id id;
    enum note_class class;
} without_effect[] = {
    {SET_GPU, NOTE_INFO},
    {SET_KVM, NOTE_INFO},
    {SET_DISPLAY, NOTE_INFO},
    {SET_X11, NOTE_INFO},
    {SET_AUDIO, NOTE_INFO},
    {SET_HOST_SHM, NOTE_INFO},
    {SET_SYSTEMD_USER, NOTE_WARNING},
    {SET_TAILSCALE, NOTE_WARNING},
};

/* What has no meaning there and needs no word: caches would have to be mounted, walls do not exist. */
static const struct fixed_flag {
    enum setting_id id;
    bool value;
} fixed[] = {
    {SET_TOOLCHAINS, false},
    {SET_LANDLOCK, true},
    {SET_SECCOMP, true},
};

static void drop_flags(struct config *out, struct notes *notes)
{
    for (size_t i = 0; i < ARRAY_SIZE(without_effect); i++) {
        enum setting_id id = without_effect[i].id;
        _cleanup_free_ char *spelling = config_spelling(out, id);

        if (!config_flag(out, id))
            continue;
        notes_add(notes, without_effect[i].class, "%s has no effect on macOS", spelling);
        config_set_bool(out, id, false);
    }
    for (size_t i = 0; i < ARRAY_SIZE(fixed); i++)
        config_set_bool(out, fixed[i].id, fixed[i].value);
}

/* A profile cannot keep changes apart, so there are none. */
static void turn_overlays(struct config *out, const struct config *config, struct notes *notes)
{
    const struct value *overlays = &config->values[SET_OVERLAY_MAPS];

    for (size_t i = 0; i < overlays->list.n; i++) {
        _cleanup_free_ char *spelling = config_entry_spelling(config, SET_OVERLAY_MAPS, i);
        const char *path = overlays->list.v[i];
        struct buf text CLEANUP(buf_free);

        buf_init(&text, PATH_TEXT_MAX);
        notes_add(notes, NOTE_WARNING, "%s %s is read-only: there are no overlays on macOS",
                  spelling, path);
        for (const char *at = path; *at; at++) { /* as map_text_split() reads it */
            if (*at == ':' || *at == '\\')
                buf_append_byte(&text, '\\');
            buf_append_byte(&text, (uint8_t)*at);
        }
        out->place = overlays->origins[i];
        config_add(out, SET_RO_MAPS, buf_cstr(&text));
    }
    config_set_empty(out, SET_OVERLAY_MAPS);
}

static int drop_ports(struct config *out, const struct config *config, enum setting_id id,
                      struct notes *notes, struct error *error)
{
    const struct value *ports = &config->values[id];

    for (size_t i = 0; i < ports->list.n; i++) {
        _cleanup_free_ char *spelling = config_entry_spelling(config, id, i);

        if (ports->origins[i].layer == LAYER_CLI)
            return error_set(error, ENOTSUP,
                             "%s %s cannot be done on macOS: a run has no loopback of its own; "
                             "leave it out",
                             spelling, ports->list.v[i]);
        notes_add(notes, NOTE_WARNING,
                  "%s %s is ignored: on macOS a run has no loopback of its own", spelling,
                  ports->list.v[i]);
    }
    config_set_empty(out, id);
    return 0;
}

int macos_adapt(struct config *out, const struct config *config, struct notes *notes,
                struct error *error)
{
    int r;

    tighten_begin(out, config);
    out->place = (struct origin){.layer = LAYER_BUILTIN};
    drop_flags(out, notes);
    turn_overlays(out, config, notes);
    r = drop_ports(out, config, SET_FORWARD_PORTS, notes, error);
    return r < 0 ? r : drop_ports(out, config, SET_PUBLISH_PORTS, notes, error);
}

/* ---- the plan ---- */

const char *const macos_system_dirs[] = {
    "/System",
    "/usr",
    "/bin",
    "/sbin",
    "/Library",
    "/private/etc",
    "/private/var/select",
    "/private/var/db/timezone",
    "/private/var/db/xcode_select_link",
    NULL,
};

const char *const macos_package_dirs[] = {"/opt", "/nix/store", NULL};

static void add_dirs(struct plan *plan, const struct host *host, const char *const *dirs)
{
    for (size_t i = 0; dirs[i]; i++) {
        struct fs_stat st;

        if (fs_stat(host->fs, dirs[i], false, &st) == 0 && st.type != FS_LINK)
            plan_add_bind(plan, host->fs, GROUP_BASE, PLAN_RO, dirs[i], dirs[i], ORIGIN);
    }
}

void macos_add_system(struct plan *plan, const struct host *host)
{
    add_dirs(plan, host, macos_system_dirs);
    add_dirs(plan, host, macos_package_dirs);
}

void macos_add_caches(struct plan *plan, const struct host *host)
{
    _cleanup_free_ char *path = path_join(host->home, "Library/Caches");
    _cleanup_free_ char *canonical = NULL;

    if (fs_is_dir(host->fs, path) && fs_resolve(host->fs, path, &canonical, NULL, NULL) == 0 &&
        str_eq(canonical, path))
        plan_add_bind(plan, host->fs, GROUP_HOME_PARTS, PLAN_RW, path, path, "--no-private-home");
}

static bool take_link(void *arg, const struct plan_entry *entry)
{
    struct strv *links = arg;

    if (entry->kind != PLAN_SYMLINK)
        return false;
    if (strv_find(links, entry->dest) < 0)
        strv_push(links, entry->dest);
    return true;
}

void macos_take_links(struct strv *links, struct plan *plan)
{
    plan_remove_if(plan, take_link, links);
}

/* ---- the proxy ---- */

/* No browser takes a password from its command line or its preferences: it would ask the user. */
const char *macos_proxy_password(const struct policy *policy)
{
    return policy->host->macos.is_on && policy->browser.profile == BROWSER_NONE
               ? policy->host->macos.password
               : NULL;
}

/* ---- places ---- */

const char *macos_refuses_project(const char *dir)
{
    static const char *const exact[] = {
        "/Applications", "/Library",     "/Users",       "/Users/Shared",    "/Volumes",
        "/private",      "/private/tmp", "/private/var", "/private/var/tmp", "/private/var/folders",
    };
    static const char *const trees[] = {"/System", "/private/etc", "/private/var/db"};

    for (size_t i = 0; i < ARRAY_SIZE(exact); i++)
        if (str_eq(dir, exact[i]))
            return exact[i];
    for (size_t i = 0; i < ARRAY_SIZE(trees); i++)
        if (path_is_within(dir, trees[i]))
            return trees[i];
    return NULL;
}

char *macos_bundle_of(const char *file)
{
    static const char mark[] = ".app/Contents/";
    const char *at = strstr(file, mark);

    return at && at > file && at[-1] != '/' ? xstrndup(file, (size_t)(at - file) + strlen(".app"))
                                            : NULL;
}
