// SPDX-License-Identifier: GPL-3.0-only
/*
 * capabilities_sockets: sockets of the host, one by one.
 *
 * The user's runtime directory is judged once: where another user may write, or the name leads
 * elsewhere, a socket may be anybody's. Inside there is always a private one, into which the named
 * sockets are bound; everything else in the host's stays outside.
 */
#include "base/path.h"
#include "policy/capabilities_parts.h"
#include "policy/maps.h"
#include "policy/xauthority.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANYBODY ((uid_t)-1)

char *grant_inside(const struct granting *granting, const char *name)
{
    return xasprintf("/run/user/%u/%s", granting->host->uid, name);
}

struct plan_entry *grant_socket(const struct granting *granting, const char *path, const char *dest,
                                uid_t owner)
{
    const struct fs *fs = granting->host->fs;
    _cleanup_free_ char *dir = path_parent(path);
    _cleanup_free_ char *canonical_dir = NULL;
    _cleanup_free_ char *source = NULL;
    struct fs_stat st;

    if (fs_resolve(fs, dir, &canonical_dir, NULL, NULL) < 0)
        return NULL;
    source = path_join(canonical_dir, path_base(path));
    if (fs_stat(fs, source, false, &st) < 0 || st.type != FS_SOCKET ||
        (owner != ANYBODY && st.uid != owner))
        return NULL;
    if (granting->host->macos.is_on) { /* it stays where it is */
        maps_add_links(granting->plan, fs, GROUP_RUNTIME, dir, granting->origin);
        dest = source;
    }
    return plan_add_bind(granting->plan, fs, GROUP_RUNTIME, PLAN_RW, source, dest,
                         granting->origin);
}

/* ---- the runtime directory ---- */

/* NULL: it is good. */
static const char *fault_of_runtime(const struct host *host, const char *path)
{
    _cleanup_free_ char *canonical = NULL;
    struct fs_stat st;

    if (path[0] != '/')
        return "it is no absolute path";
    if (fs_resolve(host->fs, path, &canonical, NULL, NULL) < 0 ||
        fs_stat(host->fs, canonical, false, &st) < 0)
        return "it cannot be found";
    if (!str_eq(canonical, path))
        return "it is not written as its canonical path";
    if (st.type != FS_DIR)
        return "it is no directory";
    if (st.uid != host->uid)
        return "it belongs to another user";
    return st.mode & 022 ? "others may write there" : NULL;
}

/* The host's runtime directory, or NULL. What is wrong with it is said once. */
static const char *find_runtime(struct granting *granting)
{
    const char *path = host_getenv(granting->host, "XDG_RUNTIME_DIR");
    const char *fault;

    if (granting->is_runtime_judged || !path || !path[0])
        return granting->runtime;
    granting->is_runtime_judged = true;
    fault = fault_of_runtime(granting->host, path);
    if (fault)
        notes_add(granting->notes, NOTE_SECURITY, "XDG_RUNTIME_DIR %s is not used (%s): %s", path,
                  granting->origin, fault);
    else
        granting->runtime = xstrdup(path);
    return granting->runtime;
}

/* The same, and without it there is nothing to open. */
static const char *need_runtime(struct granting *granting)
{
    const char *runtime = find_runtime(granting);

    if (!runtime)
        grant_refuse(granting, "there is no usable runtime directory (XDG_RUNTIME_DIR)");
    return runtime;
}

/* NAME of the host's runtime directory, at the same name in the jail's. */
static bool show_in_runtime(const struct granting *granting, const char *name)
{
    _cleanup_free_ char *path = path_join(granting->runtime, name);
    _cleanup_free_ char *canonical = NULL;
    _cleanup_free_ char *dest = grant_inside(granting, name);
    bool is_plain = fs_resolve(granting->host->fs, path, &canonical, NULL, NULL) == 0 &&
                    str_eq(canonical, path);

    return is_plain && grant_socket(granting, path, dest, ANYBODY) != NULL;
}

/* A directory of the jail's own runtime directory: clients look at its owner and mode. */
static void make_in_runtime(const struct granting *granting, const char *name)
{
    _cleanup_free_ char *dest = grant_inside(granting, name);

    plan_add(granting->plan, GROUP_RUNTIME, PLAN_DIR, dest, granting->origin)->mode = 0700;
}

/* ---- windows ---- */

static void copy_variable(const struct granting *granting, const char *name)
{
    const char *value = host_getenv(granting->host, name);

    if (value)
        grant_variable(granting, name, value);
}

bool grant_display(struct granting *granting)
{
    const char *name = host_getenv(granting->host, "WAYLAND_DISPLAY");

    if (!name || !name[0]) {
        grant_refuse(granting,
                     "WAYLAND_DISPLAY is not set: there is no Wayland display to show; "
                     "--%s is for X11",
                     settings[SET_X11].flag);
        return false;
    }
    if (strchr(name, '/') || str_eq(name, ".") || str_eq(name, "..")) {
        grant_refuse(granting, "WAYLAND_DISPLAY %s is not the name of a socket in XDG_RUNTIME_DIR",
                     name);
        return false;
    }
    if (!need_runtime(granting))
        return false;
    if (!show_in_runtime(granting, name)) {
        grant_refuse(granting, "there is no socket %s/%s", granting->runtime, name);
        return false;
    }
    grant_variable(granting, "WAYLAND_DISPLAY", name);
    copy_variable(granting, "XDG_SESSION_TYPE");
    copy_variable(granting, "XDG_CURRENT_DESKTOP");
    return true;
}

#define X11_DIR          "/tmp/.X11-unix"
#define X11_MOVED_BY     1000
#define DISPLAY_DIGITS   5
#define XAUTHORITY_BYTES (64 * KIB)

/* Number of a display of this machine (X(7)): ":N", ":N.SCREEN" or "unix:N", as its digits; malloc'ed,
 * NULL for any other. */
static char *local_display(const char *display)
{
    const char *number = str_starts(display, "unix:") ? display + 5
                         : display[0] == ':'          ? display + 1
                                                      : "";
    size_t len = strspn(number, "0123456789");
    const char *rest = number + len;

    if (rest[0] == '.' && rest[1])
        rest += 1 + strspn(rest + 1, "0123456789");
    return len > 0 && len <= DISPLAY_DIGITS && !rest[0] ? xstrndup(number, len) : NULL;
}

/* NULL: the file may be used. */
static const char *fault_of_authority(const struct granting *granting, const char *path,
                                      const struct fs_stat *st)
{
    const struct host *host = granting->host;

    if (st->type != FS_FILE)
        return st->type == FS_LINK ? "it is a link" : "it is no regular file";
    if (st->uid != host->uid)
        return "it belongs to another user";
    if (st->mode & 022)
        return "others may write it";
    if (st->size > XAUTHORITY_BYTES)
        return "it has more than 64 KiB";
    return path_is_within(path, granting->project) ? "it lies in the project" : NULL;
}

/* The bytes of the authority file, their number in *len; malloc'ed. NULL: there is none to use. */
static uint8_t *read_authority(const struct granting *granting, size_t *len)
{
    const struct host *host = granting->host;
    const char *said = host_getenv(host, "XAUTHORITY");
    bool is_said = said && said[0];
    _cleanup_free_ char *path = is_said ? xstrdup(said) : path_join(host->home, ".Xauthority");
    _cleanup_free_ uint8_t *bytes = NULL;
    _cleanup_free_ char *canonical = NULL;
    const char *fault = NULL;
    struct fs_stat st;
    ssize_t n;

    if (path[0] != '/')
        fault = "it is no absolute path";
    else if (fs_stat(host->fs, path, false, &st) < 0)
        return is_said ? (grant_refuse(granting, "there is no file %s (XAUTHORITY)", path), NULL)
                       : NULL; /* a server may do without */
    else if (fs_resolve(host->fs, path, &canonical, NULL, NULL) < 0)
        fault = "it cannot be found";
    else
        fault = fault_of_authority(granting, canonical, &st);
    if (fault) {
        notes_add(granting->notes, NOTE_SECURITY, "XAUTHORITY %s is not used (%s): %s", path,
                  granting->origin, fault);
        return NULL;
    }
    bytes = xcalloc(XAUTHORITY_BYTES, 1);
    n = host->fs->read_head(host->fs->ctx, canonical, bytes, XAUTHORITY_BYTES);
    if (n < 0) {
        grant_refuse(granting, "%s cannot be read", path);
        return NULL;
    }
    *len = (size_t)n;
    return steal_ptr(&bytes);
}

/* The keys for this one display. They name the host, which has another name inside. */
static void add_authority(const struct granting *granting, const char *number, const char *inside)
{
    const struct host *host = granting->host;
    _cleanup_free_ char *dest = grant_inside(granting, "xauthority");
    _cleanup_free_ char *name = fs_read_text(host->fs, "/proc/sys/kernel/hostname", 256);
    size_t len = 0;
    _cleanup_free_ uint8_t *bytes = read_authority(granting, &len);
    struct buf keys CLEANUP(buf_free);
    struct plan_entry *entry;

    buf_init(&keys, 2 * XAUTHORITY_BYTES);
    if (!bytes)
        return;
    if (name)
        name[strcspn(name, "\n")] = '\0';
    if (xauthority_select(&keys, bytes, len, name ? name : "", number, inside) < 0) {
        grant_refuse(granting, "the X11 authority file is damaged: its keys are not used");
        return;
    }
    if (!keys.len)
        return;
    entry = plan_add(granting->plan, GROUP_RUNTIME, PLAN_DATA, dest, granting->origin);
    entry->label = "xauthority";
    entry->mode = 0600;
    entry->data_len = keys.len;
    entry->data = buf_take_cstr(&keys);
    grant_variable(granting, "XAUTHORITY", dest);
}

/* The number that the display has inside. In the host's network the abstract name of the server is there,
 * too. Clients try it first and give up when Landlock refuses it, so the display gets a number for
 * which there is no such name. */
static char *number_inside(const struct granting *granting, const char *number)
{
    return config_flag(granting->config, SET_NETWORK)
               ? xasprintf("%lu", strtoul(number, NULL, 10) + X11_MOVED_BY)
               : xstrdup(number);
}

bool grant_x11(struct granting *granting)
{
    const char *display = host_getenv(granting->host, "DISPLAY");
    _cleanup_free_ char *number = display ? local_display(display) : NULL;
    _cleanup_free_ char *inside = NULL;
    _cleanup_free_ char *path = NULL;
    _cleanup_free_ char *dest = NULL;
    _cleanup_free_ char *display_inside = NULL;

    if (!number) {
        if (display && display[0])
            grant_refuse(granting, "DISPLAY %s is no display of this machine (:N)", display);
        else
            grant_refuse(granting, "DISPLAY is not set: there is no X11 display to show");
        return false;
    }
    inside = number_inside(granting, number);
    path = xasprintf(X11_DIR "/X%s", number);
    dest = xasprintf(X11_DIR "/X%s", inside);
    if (!grant_socket(granting, path, dest, ANYBODY)) {
        grant_refuse(granting, "there is no socket %s", path);
        return false;
    }
    display_inside = xasprintf(":%s%s", inside, display + strcspn(display, "."));
    plan_add(granting->plan, GROUP_RUNTIME, PLAN_DIR, X11_DIR, granting->origin)->mode = 01777;
    grant_variable(granting, "DISPLAY", display_inside);
    add_authority(granting, number, inside);
    return true;
}

/* ---- sound ---- */

bool grant_audio(struct granting *granting)
{
    static const char *const names[] = {"pipewire-0", "pipewire-0-manager", "pulse/native"};
    size_t found = grant_device(granting, "/dev/snd", FS_DIR);

    for (size_t i = 0; find_runtime(granting) && i < ARRAY_SIZE(names); i++) {
        bool is_shown = show_in_runtime(granting, names[i]);

        found += is_shown;
        if (is_shown && str_starts(names[i], "pulse/"))
            make_in_runtime(granting, "pulse");
    }
    if (!found)
        grant_refuse(granting, "the host has neither PipeWire nor PulseAudio in XDG_RUNTIME_DIR, "
                               "nor /dev/snd");
    return found;
}

/* ---- services ---- */

/* The places where a Docker socket may be, in the order in which they are tried. */
static void docker_places(struct strv *places, struct granting *granting)
{
    static const char scheme[] = "unix://";
    const struct host *host = granting->host;
    const char *said = host_getenv(host, "DOCKER_HOST");
    const char *runtime = find_runtime(granting);

    if (said && str_starts(said, scheme) && said[strlen(scheme)] == '/')
        strv_push_owned(places, path_clean(said + strlen(scheme)));
    strv_push(places, "/var/run/docker.sock");
    if (runtime)
        strv_push_owned(places, path_join(runtime, "docker.sock"));
    strv_push_owned(places, path_join(host->home, ".docker/run/docker.sock"));
}

bool grant_docker(struct granting *granting)
{
    static const char dest[] = "/run/docker.sock";
    static const char tools[] = "/mnt/wsl/docker-desktop/cli-tools";
    const struct host *host = granting->host;
    _cleanup_strv_ struct strv places = {0};
    _cleanup_free_ char *own = path_join(host->home, ".docker");
    _cleanup_free_ char *canonical = NULL;
    _cleanup_free_ char *address = NULL;
    const char *found = NULL;

    docker_places(&places, granting);
    for (size_t i = 0; i < places.n && !found; i++)
        if ((!path_is_within(places.v[i], own) || !grant_is_hidden(granting, ".docker")) &&
            grant_socket(granting, places.v[i], dest, ANYBODY))
            found = places.v[i];
    if (!found) {
        _cleanup_free_ char *tried = strv_join(&places, ", ");

        grant_refuse(granting, "no Docker socket was found: %s", tried);
        return false;
    }
    address = xasprintf("unix://%s", host->macos.is_on ? found : dest);
    grant_variable(granting, "DOCKER_HOST", address);
    if (fs_is_dir(host->fs, tools) && fs_resolve(host->fs, tools, &canonical, NULL, NULL) == 0 &&
        str_eq(canonical, tools))
        plan_add_bind(granting->plan, host->fs, GROUP_RUNTIME, PLAN_RO, tools, tools,
                      granting->origin);
    return true;
}

bool grant_tailscale(struct granting *granting)
{
    static const char path[] = "/run/tailscale/tailscaled.sock";

    if (grant_socket(granting, path, path, ANYBODY))
        return true;
    grant_refuse(granting, "there is no socket %s", path);
    return false;
}

bool grant_systemd_user(struct granting *granting)
{
    _cleanup_free_ char *bus = grant_inside(granting, "bus");
    _cleanup_free_ char *address = xasprintf("unix:path=%s", bus);
    bool has_bus;
    bool has_private;

    if (!need_runtime(granting))
        return false;
    has_bus = show_in_runtime(granting, "bus");
    has_private = show_in_runtime(granting, "systemd/private");
    if (has_bus)
        grant_variable(granting, "DBUS_SESSION_BUS_ADDRESS", address);
    if (has_private)
        make_in_runtime(granting, "systemd");
    if (!has_bus)
        grant_refuse(granting, "there is no socket %s/bus", granting->runtime);
    return has_bus || has_private;
}
