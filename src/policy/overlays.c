// SPDX-License-Identifier: GPL-3.0-only
/*
 * overlays: directories that can be changed inside while the real ones stay as they are.
 *
 * Each entry is made absolute, resolved once and checked: it must be a directory that may be shown at
 * its own place, touch no other overlay, and neither hold nor lie in ai-jail's own directories,
 * because the changes are kept there. The place of the storage is a hash of project and directory,
 * so two projects never share one.
 */
#include "policy/overlays.h"

#include "base/path.h"
#include "policy/maps.h"
#include "policy/project.h"

#include <errno.h>
#include <sha2.h>
#include <stdlib.h>
#include <string.h>

#define HASH_BYTES 16 /* first bytes of the digest, as 32 digits */

/* ---- places ---- */

char *overlays_state_dir(const struct host *host)
{
    _cleanup_free_ char *path =
        path_base_dir(host_getenv(host, "XDG_STATE_HOME"), host->home, ".local/state");
    _cleanup_free_ char *clean = path_clean(path);
    _cleanup_free_ char *resolved = fs_resolve_future(host->fs, clean);

    return path_clean(resolved);
}

char *overlays_root(const struct host *host)
{
    _cleanup_free_ char *state = overlays_state_dir(host);

    return path_join(state, "ai-jail/overlays");
}

char *overlays_storage(const struct host *host, const char *project, const char *path)
{
    static const char digits[] = "0123456789abcdef";
    _cleanup_free_ char *root = overlays_root(host);
    uint8_t digest[SHA256_DIGEST_LENGTH];
    char name[2 * HASH_BYTES + 1];
    SHA2_CTX context;

    SHA256Init(&context);
    SHA256Update(&context, (const uint8_t *)project, strlen(project) + 1);
    SHA256Update(&context, (const uint8_t *)path, strlen(path));
    SHA256Final(digest, &context);
    for (size_t i = 0; i < HASH_BYTES; i++) {
        name[2 * i] = digits[digest[i] >> 4];
        name[2 * i + 1] = digits[digest[i] & 15];
    }
    name[2 * HASH_BYTES] = '\0';
    return path_join(root, name);
}

/* ---- checks ---- */

/* Why the place cannot be an overlay; NULL if it can. Static text. */
static const char *place_problem(const struct host *host, const char *path)
{
    static const char *const trees[] = {"/proc", "/dev", "/sys"};
    static const char *const exact[] = {
        "/",      "/usr",   "/etc",    "/bin", "/sbin", "/lib",
        "/lib32", "/lib64", "/libx32", "/run", "/tmp",  "/var",
    };
    _cleanup_strv_ struct strv own = {0};
    _cleanup_free_ char *state = overlays_state_dir(host);

    for (size_t i = 0; i < ARRAY_SIZE(trees); i++)
        if (path_is_within(path, trees[i]))
            return "what the jail has there is made by itself; name another directory";
    for (size_t i = 0; i < ARRAY_SIZE(exact); i++)
        if (str_eq(path, exact[i]))
            return "the jail has its own view of it; name a directory below it";
    if (path_is_within(host->home, path))
        return "it is or holds your home directory; name a directory below it";
    project_own_dirs(host, &own);
    for (size_t i = 0; i < own.n; i++)
        if (path_is_within(path, own.v[i]))
            return "ai-jail's own files are never shown";
    if (path_is_within(state, path))
        return "the changes would be kept inside it ($XDG_STATE_HOME); name another directory";
    return NULL;
}

static const struct overlay *find_overlap(const struct overlays *overlays, const char *path)
{
    for (size_t i = 0; i < overlays->n; i++)
        if (path_is_within(path, overlays->v[i].path) || path_is_within(overlays->v[i].path, path))
            return &overlays->v[i];
    return NULL;
}

/* One entry while it is looked at. */
struct entry {
    const char *text;
    char *name;    /* as messages call it */
    char *spelled; /* absolute */
    char *path;    /* canonical */
    bool is_untrusted;
    struct fs_stat st;
};

static void entry_free(struct entry *entry)
{
    free(entry->name);
    free(entry->spelled);
    free(entry->path);
}

static int refuse(const struct entry *entry, struct notes *notes, struct error *error,
                  const char *why)
{
    if (!entry->is_untrusted)
        return error_set(error, EINVAL, "%s: %s", entry->name, why);
    notes_add(notes, NOTE_SECURITY, "%s is skipped: %s", entry->name, why);
    return 0;
}

static void add(struct overlays *overlays, struct plan *plan, struct entry *entry,
                const struct host *host, const char *project, struct notes *notes)
{
    bool inside = path_is_within(entry->path, project);
    struct plan_entry *bind = plan_add(plan, inside ? GROUP_MAPS_INSIDE : GROUP_MAPS_OUTSIDE,
                                       PLAN_OVERLAY, entry->path, entry->name);
    struct overlay *overlay;

    bind->source = xstrdup(entry->path);
    bind->st = entry->st;
    if (!entry->is_untrusted)
        maps_add_links(plan, host->fs, inside ? GROUP_MAPS_INSIDE : GROUP_MAPS_OUTSIDE,
                       entry->spelled, entry->name);
    overlays->v = xrealloc(overlays->v, overlays->n + 1, sizeof(*overlays->v));
    overlay = &overlays->v[overlays->n++];
    *overlay = (struct overlay){
        .path = xstrdup(entry->path),
        .project = xstrdup(project),
        .state = overlays_state_dir(host),
        .storage = overlays_storage(host, project, entry->path),
        .origin = xstrdup(entry->name),
        .st = entry->st,
    };
    notes_add(notes, NOTE_INFO, "%s: changes are kept in %s/upper", entry->name, overlay->storage);
}

static int add_entry(struct overlays *overlays, struct plan *plan, struct entry *entry,
                     const struct host *host, const char *project, struct notes *notes,
                     struct error *error)
{
    _cleanup_free_ char *expanded = path_expand_home(entry->text, host->home);
    const struct overlay *other;
    const char *problem;
    int r;

    entry->spelled = path_join(host->cwd, expanded);
    r = fs_resolve(host->fs, entry->spelled, &entry->path, NULL, NULL);
    if (r == 0)
        r = fs_stat(host->fs, entry->path, false, &entry->st);
    if (r < 0) {
        notes_add(notes, NOTE_WARNING, "%s is skipped: %s", entry->name, strerror(-r));
        return 0;
    }
    if (entry->is_untrusted && !maps_examine_inside(host, project, entry->path, &entry->st)) {
        notes_add(notes, NOTE_SECURITY, "%s is skipped: it does not stay inside the project",
                  entry->name);
        return 0;
    }
    if (entry->st.type != FS_DIR)
        return refuse(entry, notes, error, "not a directory; only directories can be overlays");
    problem = place_problem(host, entry->path);
    if (problem)
        return refuse(entry, notes, error, problem);
    other = find_overlap(overlays, entry->path);
    if (other) {
        _cleanup_free_ char *why =
            xasprintf("it overlaps %s (%s); name one of them alone", other->origin, other->path);

        return refuse(entry, notes, error, why);
    }
    add(overlays, plan, entry, host, project, notes);
    return 0;
}

int overlays_add(struct overlays *overlays, struct plan *plan, const struct config *config,
                 const struct host *host, const char *project, struct notes *notes,
                 struct error *error)
{
    const struct strv *said = config_list(config, SET_OVERLAY_MAPS);
    int r = 0;

    for (size_t i = 0; i < said->n && r == 0; i++) {
        _cleanup_free_ char *spelling = config_entry_spelling(config, SET_OVERLAY_MAPS, i);
        struct entry entry CLEANUP(entry_free) = {
            .text = said->v[i],
            .name = xasprintf("%s %s", spelling, said->v[i]),
            .is_untrusted = config->values[SET_OVERLAY_MAPS].origins[i].is_untrusted,
        };

        r = add_entry(overlays, plan, &entry, host, project, notes, error);
    }
    return r;
}

void overlays_free(struct overlays *overlays)
{
    for (size_t i = 0; i < overlays->n; i++) {
        free(overlays->v[i].path);
        free(overlays->v[i].project);
        free(overlays->v[i].state);
        free(overlays->v[i].storage);
        free(overlays->v[i].origin);
    }
    free(overlays->v);
    *overlays = (struct overlays){0};
}
