// SPDX-License-Identifier: GPL-3.0-only
/*
 * home: a private, sized tmpfs at HOME, with the user's git settings read-only in it.
 *
 * Without a private home the dot directories of the host are added by a table: secrets never, agent
 * and build state writable, the rest read-only. Ordinary files and other directories of HOME are
 * not shown in any mode.
 */
#include "policy/home.h"

#include "base/path.h"
#include "policy/maps.h"
#include "policy/secrets.h"
#include "policy/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_git_file(struct plan *plan, const struct host *host, const char *path)
{
    _cleanup_free_ char *canonical = NULL;
    struct fs_stat st;

    if (fs_resolve(host->fs, path, &canonical, NULL, NULL) < 0 ||
        fs_stat(host->fs, canonical, false, &st) < 0 || st.type != FS_FILE ||
        (st.uid != host->uid && st.uid != 0))
        return;
    plan_add_bind(plan, host->fs, GROUP_HOME_PARTS, PLAN_RO, canonical, path, "git settings");
}

/* $XDG_CONFIG_HOME by HOME's canonical name, whichever spelling of HOME it uses. */
static char *config_dir(const struct host *host)
{
    const char *xdg = host_getenv(host, "XDG_CONFIG_HOME");
    _cleanup_free_ char *config = NULL;

    if (!xdg || xdg[0] != '/')
        return path_join(host->home, ".config");
    config = path_clean(xdg);
    if (!path_is_within(config, host->home) && path_is_below(config, host->home_spelling))
        return path_join(host->home, path_rest(config, host->home_spelling));
    return steal_ptr(&config);
}

static void add_git_files(struct plan *plan, const struct host *host)
{
    static const char *const in_home[] = {".gitconfig", ".gitignore"};
    static const char *const in_config[] = {"git/config", "git/ignore", "git/attributes"};
    _cleanup_free_ char *config = config_dir(host);

    for (size_t i = 0; i < ARRAY_SIZE(in_home); i++) {
        _cleanup_free_ char *path = path_join(host->home, in_home[i]);

        add_git_file(plan, host, path);
    }
    if (!path_is_below(config, host->home))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(in_config); i++) {
        _cleanup_free_ char *path = path_join(config, in_config[i]);

        add_git_file(plan, host, path);
    }
}

/* ---- without a private home ---- */

static bool in_list(const char *const *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i], name) == 0)
            return true;
    return false;
}

static bool is_secret(const char *name)
{
    for (size_t i = 0; secret_dotdirs[i]; i++)
        if (strcmp(secret_dotdirs[i], name) == 0)
            return true;
    return false;
}

static bool is_writable(const char *name)
{
    static const char *const names[] = {
        ".gemini", ".claude", ".crush",  ".codex", ".aider",     ".kiro",   ".soulforge", ".grok",
        ".jcode",  ".agents", ".omp",    ".pi",    ".pi-lens",   ".config", ".cargo",     ".cache",
        ".bundle", ".gem",    ".rustup", ".npm",   ".bun",       ".deno",   ".yarn",      ".pnpm",
        ".m2",     ".gradle", ".dotnet", ".nuget", ".pub-cache", ".mix",    ".hex",
    };

    return in_list(names, ARRAY_SIZE(names), name);
}

/* Profiles and credentials below directories that are shown. */
const char *const home_covered_parts[] = {
    ".config/BraveSoftware",
    ".config/Bitwarden",
    ".config/google-chrome",
    ".config/chromium",
    ".config/microsoft-edge",
    ".config/vivaldi",
    ".config/mozilla",
    ".config/gh",
    ".config/gcloud",
    ".cache/BraveSoftware",
    ".cache/basilisk-dev",
    ".cache/chromium",
    ".cache/spotify",
    ".cache/nvidia",
    ".cache/mesa_shader_cache",
    ".local/share/keyrings",
    NULL,
};

/* True if the canonical path lies in one of them; with is_around also if it holds one. */
static bool touches_covered_part(const struct host *host, const char *canonical, bool is_around,
                                 const char *freed)
{
    for (size_t i = 0; home_covered_parts[i]; i++) {
        _cleanup_free_ char *path = path_join(host->home, home_covered_parts[i]);
        _cleanup_free_ char *real = NULL;

        if (str_eq(home_covered_parts[i], freed) ||
            fs_resolve(host->fs, path, &real, NULL, NULL) < 0)
            continue;
        if (path_is_within(canonical, real) || (is_around && path_is_within(real, canonical)))
            return true;
    }
    return false;
}

bool home_holds_secrets(const struct host *host, const char *canonical)
{
    return secrets_lie_within(host, canonical) || touches_covered_part(host, canonical, true, NULL);
}

char *home_accept_dir(const struct host *host, const char *project, const char *path,
                      const char *freed)
{
    _cleanup_free_ char *canonical = NULL;
    struct fs_stat st;

    if (fs_resolve(host->fs, path, &canonical, NULL, NULL) < 0 ||
        fs_stat(host->fs, canonical, false, &st) < 0 || st.type != FS_DIR)
        return NULL;
    if (str_eq(canonical, path))
        return steal_ptr(&canonical);
    if (st.uid != host->uid || path_is_within(canonical, project) ||
        path_is_within(host->home, canonical) || secrets_hold_other(host, canonical, freed) ||
        touches_covered_part(host, canonical, false, freed))
        return NULL;
    return steal_ptr(&canonical);
}

struct dotdirs {
    struct plan *plan;
    const struct host *host;
    const char *project;
    struct notes *notes;
};

static int add_dotdir(void *arg, const char *name)
{
    static const char origin[] = "--no-private-home";
    const struct dotdirs *dotdirs = arg;
    const struct host *host = dotdirs->host;
    _cleanup_free_ char *path = path_join(host->home, name);
    _cleanup_free_ char *source = NULL;
    struct fs_stat st;

    if (name[0] != '.' || is_secret(name) || fs_stat(host->fs, path, true, &st) < 0 ||
        st.type != FS_DIR)
        return 0;
    source = home_accept_dir(host, dotdirs->project, path, NULL);
    if (!source)
        notes_add(dotdirs->notes, NOTE_WARNING,
                  "%s is not shown: it is a link to a place that must not be", path);
    else
        plan_add_bind(dotdirs->plan, host->fs, GROUP_HOME_PARTS,
                      is_writable(name) ? PLAN_RW : PLAN_RO, source, path, origin);
    return 0;
}

static void add_rw_parts(struct plan *plan, const struct host *host)
{
    static const char *const parts[] = {
        ".local/state",           ".local/share/ai-memory", ".local/share/zoxide",
        ".local/share/crush",     ".local/share/kiro-cli",  ".local/share/opencode",
        ".local/share/soulforge", ".local/share/atuin",     ".local/share/mise",
        ".local/share/yarn",      ".local/share/flutter",   ".local/share/kotlin",
        ".local/share/NuGet",     ".local/share/pipx",      ".local/share/ruby-advisory-db",
        ".local/share/uv",
    };

    for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
        _cleanup_free_ char *path = path_join(host->home, parts[i]);
        _cleanup_free_ char *canonical = NULL;

        if (fs_is_dir(host->fs, path) && fs_resolve(host->fs, path, &canonical, NULL, NULL) == 0 &&
            str_eq(canonical, path))
            plan_add_bind(plan, host->fs, GROUP_HOME_PARTS, PLAN_RW, path, path,
                          "--no-private-home");
    }
}

static void cover_both_names(struct plan *plan, const struct host *host, const char *path)
{
    static const char origin[] = "--no-private-home";
    _cleanup_free_ char *canonical = NULL;

    if (fs_resolve(host->fs, path, &canonical, NULL, NULL) < 0)
        return;
    plan_add(plan, GROUP_MASKS, PLAN_COVER_EMPTY, path, origin)->optional = true;
    if (!str_eq(canonical, path))
        plan_add(plan, GROUP_MASKS, PLAN_COVER_EMPTY, canonical, origin)->optional = true;
}

/* A secret directory that is a link keeps its content elsewhere: perhaps in a directory that is
 * shown. */
static void cover_secret_targets(struct plan *plan, const struct host *host)
{
    for (size_t i = 0; secret_dotdirs[i]; i++) {
        _cleanup_free_ char *path = path_join(host->home, secret_dotdirs[i]);
        struct fs_stat st;

        if (fs_stat(host->fs, path, false, &st) == 0 && st.type == FS_LINK)
            cover_both_names(plan, host, path);
    }
}

static void cover_parts(struct plan *plan, const struct host *host)
{
    for (size_t i = 0; home_covered_parts[i]; i++) {
        _cleanup_free_ char *path = path_join(host->home, home_covered_parts[i]);

        cover_both_names(plan, host, path);
    }
}

struct uncovering {
    const char *path;
    const char *canonical;
};

static bool is_cover_of(void *arg, const struct plan_entry *entry)
{
    const struct uncovering *uncovering = arg;

    return entry->group == GROUP_MASKS && entry->kind == PLAN_COVER_EMPTY && entry->optional &&
           (str_eq(entry->dest, uncovering->path) || str_eq(entry->dest, uncovering->canonical));
}

void home_uncover(struct plan *plan, const struct host *host, const char *name)
{
    _cleanup_free_ char *path = path_join(host->home, name);
    _cleanup_free_ char *canonical = NULL;

    if (fs_resolve(host->fs, path, &canonical, NULL, NULL) == 0)
        plan_remove_if(plan, is_cover_of, &(struct uncovering){path, canonical});
}

static void add_host_home(struct plan *plan, const struct host *host, const char *project,
                          struct notes *notes)
{
    struct dotdirs dotdirs = {.plan = plan, .host = host, .project = project, .notes = notes};

    host->fs->list(host->fs->ctx, host->home, add_dotdir, &dotdirs);
    add_rw_parts(plan, host);
    cover_parts(plan, host);
    cover_secret_targets(plan, host);
}

void home_add(struct plan *plan, const struct host *host, const char *project, bool private_home,
              struct notes *notes)
{
    struct plan_entry *home = plan_add(plan, GROUP_HOME, PLAN_TMPFS, host->home, "built-in");

    home->mode = 0700;
    home->size_bytes = system_tmpfs_bytes(host);
    maps_add_links(plan, host->fs, GROUP_HOME, host->home_spelling, "HOME");
    add_git_files(plan, host);
    if (!private_home)
        add_host_home(plan, host, project, notes);
}
