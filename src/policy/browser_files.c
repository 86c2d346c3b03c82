// SPDX-License-Identifier: GPL-3.0-only
/*
 * browser_files: where a browser keeps its profile, what stands in it before it starts, and the one
 * directory of --downloads.
 *
 * A profile that is thrown away lies on the jail's /tmp. One that is kept is a directory of ai-jail's
 * own, bound at its own path; nothing beside it is shown.
 */
#include "base/path.h"
#include "policy/browser_prefs.h"
#include "policy/browsers.h"
#include "policy/home.h"
#include "policy/maps.h"
#include "policy/project.h"
#include "policy/secrets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ORIGIN "browser profile"

/* ---- state ---- */

char *browser_store(const struct host *host)
{
    _cleanup_free_ char *data =
        path_base_dir(host_getenv(host, "XDG_DATA_HOME"), host->home, ".local/share");
    _cleanup_free_ char *clean = path_clean(data);

    _cleanup_free_ char *real = fs_resolve_future(host->fs, clean);

    /* Links lead to where the user keeps data; below that everything is made by ai-jail. */
    return path_join(real, "ai-jail/browsers");
}

static void add_data(struct plan *plan, const char *path, const char *label, char *text)
{
    struct plan_entry *entry = plan_add(plan, GROUP_BROWSER, PLAN_DATA, path, ORIGIN);

    entry->label = label;
    entry->data = text;
    entry->mode = 0444;
}

static int add_state(const struct browser *browser, struct plan *plan, const struct host *host,
                     struct error *error)
{
    if (browser->profile == BROWSER_HARD) {
        plan_add(plan, GROUP_BROWSER, PLAN_DIR, browser->state, ORIGIN)->mode = 0700;
        if (browser->prefs) {
            _cleanup_free_ char *path = path_join(browser->state, "user.js");

            add_data(plan, path, "user.js", xstrdup(browser->prefs));
        }
        return 0;
    }
    if (!plan_add_new_dir(plan, host->fs, GROUP_BROWSER, PLAN_RW, browser->state, browser->state,
                          ORIGIN))
        return error_set(error, ENOTDIR,
                         "the profile of %s cannot be kept: %s is not a directory; remove it, or "
                         "use --%s=hard",
                         browser->name, browser->state, settings[SET_BROWSER_PROFILE].flag);
    return 0;
}

void browser_uncover(const struct browser *browser, struct plan *plan, const char *own)
{
    struct plan_view view;
    struct plan_entry *entry;

    if (browser->profile != BROWSER_SOFT || !path_is_below(browser->state, own))
        return;
    view = plan_look(plan, own);
    if (str_eq(view.host_path, own)) {
        entry = plan_add(plan, GROUP_OWN, PLAN_TMPFS, own, "ai-jail's own files");
        entry->mode = 0755;
        entry->size_bytes = 1 * MIB;
        plan_add(plan, GROUP_OWN, PLAN_REMOUNT_RO, own, "ai-jail's own files");
    }
    free(view.host_path);
}

/* ---- downloads ---- */

static bool holds_our_own(const struct host *host, const char *dir)
{
    _cleanup_strv_ struct strv own = {0};

    project_own_dirs(host, &own);
    for (size_t i = 0; i < own.n; i++)
        if (path_is_within(own.v[i], dir))
            return true;
    return false;
}

static bool is_the_systems(const char *dir)
{
    static const char *const trees[] = {"/boot", "/dev", "/etc", "/proc", "/sys", "/usr"};

    for (size_t i = 0; i < ARRAY_SIZE(trees); i++)
        if (path_is_within(dir, trees[i]))
            return true;
    return maps_refused_dest(dir) != NULL;
}

/* NULL: it may be written to. */
static const char *refused_downloads(const struct host *host, const char *project, const char *dir)
{
    if (path_is_within(host->home, dir))
        return "it is, or holds, your home directory";
    if (path_is_within(project, dir))
        return "it is, or holds, the project, which is read-only for a browser";
    if (is_the_systems(dir))
        return "it belongs to the system";
    if (maps_is_own(host, dir) || holds_our_own(host, dir))
        return "ai-jail's own files are there";
    if (secrets_hold(host, dir) || home_holds_secrets(host, dir))
        return "keys or profiles are there";
    return NULL;
}

static int add_downloads(struct browser *browser, struct plan *plan, const struct config *config,
                         const struct host *host, const char *project, struct error *error)
{
    const char *said = config_text(config, SET_DOWNLOADS);
    const char *flag = settings[SET_DOWNLOADS].flag;
    const char *refused;
    _cleanup_free_ char *dir = NULL;
    int r;

    if (!said)
        return 0;
    r = fs_resolve(host->fs, said, &dir, NULL, NULL);
    if (r == 0 && !fs_is_dir(host->fs, dir))
        r = -ENOTDIR;
    if (r < 0)
        return error_set(error, -r, "--%s %s: %s; name a directory that exists", flag, said,
                         strerror(-r));
    refused = refused_downloads(host, project, dir);
    if (refused)
        return error_set(error, EINVAL,
                         "--%s %s: %s; name a directory that holds nothing but downloads", flag,
                         said, refused);
    if (!plan_add_bind(plan, host->fs, GROUP_BROWSER, PLAN_RW, dir, dir, "--downloads"))
        return error_set(error, ENOENT, "--%s %s: it has just gone", flag, said);
    maps_add_links(plan, host->fs, GROUP_BROWSER, said, "--downloads");
    browser->downloads = steal_ptr(&dir);
    return 0;
}

/* Where browsers and their dialogs look for the directory of downloads: xdg-user-dirs. */
static void add_user_dirs(const struct browser *browser, struct plan *plan, const struct host *host)
{
    _cleanup_free_ char *config =
        path_base_dir(host_getenv(host, "XDG_CONFIG_HOME"), host->home, ".config");
    _cleanup_free_ char *path = path_join(config, "user-dirs.dirs");
    struct buf text CLEANUP(buf_free);

    if (!browser->downloads || !path_is_below(config, host->home))
        return;
    buf_init(&text, 16 * KIB);
    buf_append_str(&text, "XDG_DOWNLOAD_DIR=\"");
    for (const char *c = browser->downloads; *c; c++) {
        if (*c == '\n') /* the format has no way to say it */
            return;
        if (strchr("\"\\$`", *c))
            buf_append_byte(&text, '\\');
        buf_append_byte(&text, (uint8_t)*c);
    }
    buf_append_str(&text, "\"\n");
    add_data(plan, path, "user-dirs.dirs", buf_take_cstr(&text));
}

int browser_add(struct browser *browser, struct plan *plan, const struct config *config,
                const struct host *host, const char *project, enum network_mode network,
                struct error *error)
{
    int r;

    if (browser->profile == BROWSER_NONE)
        return 0;
    r = add_downloads(browser, plan, config, host, project, error);
    if (r < 0)
        return r;
    add_user_dirs(browser, plan, host);
    if (browser->family == BROWSER_FIREFOX)
        browser->prefs = browser_prefs_text(network, browser->proxy_port, browser->downloads);
    return add_state(browser, plan, host, error);
}
