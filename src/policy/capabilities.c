// SPDX-License-Identifier: GPL-3.0-only
/*
 * capabilities: devices, sockets and credentials of the host, each by its own flag.
 *
 * A row names the setting, what is opened, and the line that says so at the start. Devices, directories
 * of HOME and the GitHub token are here; sockets are in capabilities_sockets.c, ssh is in
 * capabilities_ssh.c. Nothing is shown for being near to what was asked for: one socket, never its
 * directory; one file of ~/.docker, never the rest.
 *
 * What lies in HOME stays at its path. A link is followed only to where home_accept_dir() lets it, and
 * --hide-dotdir beats the flag. What --no-private-home covers is uncovered by the flag that shows it.
 */
#include "policy/capabilities.h"

#include "base/path.h"
#include "policy/capabilities_parts.h"
#include "policy/home.h"
#include "policy/secrets.h"
#include "policy/trail.h"

#include <stdlib.h>
#include <string.h>

/* ---- for all files of capabilities ---- */

void grant_refuse(const struct granting *granting, const char *fmt, ...)
{
    struct buf text CLEANUP(buf_free);
    va_list args;

    buf_init(&text, 16 * KIB);
    va_start(args, fmt);
    buf_vprintf(&text, fmt, args);
    va_end(args);
    notes_add(granting->notes, NOTE_WARNING, "%s: %s", granting->origin, buf_cstr(&text));
}

void grant_variable(const struct granting *granting, const char *name, const char *value)
{
    strv_pushf(&granting->parts->capabilities, "%s=%s", name, value);
}

static bool is_hidden(const struct config *config, const char *below_home)
{
    const struct strv *names = config_list(config, SET_HIDE_DOTDIRS);
    size_t len = strcspn(below_home, "/");

    for (size_t i = 0; i < names->n; i++) {
        const char *bare = names->v[i] + (names->v[i][0] == '.');

        if (below_home[0] == '.' && strlen(bare) == len - 1 &&
            strncmp(bare, below_home + 1, len - 1) == 0)
            return true;
    }
    return false;
}

bool grant_is_hidden(const struct granting *granting, const char *below_home)
{
    if (!is_hidden(granting->config, below_home))
        return false;
    grant_refuse(granting, "~/%s is not shown: --%s hides it", below_home,
                 settings[SET_HIDE_DOTDIRS].flag);
    return true;
}

/* ---- devices ---- */

bool grant_device(const struct granting *granting, const char *path, enum fs_type type)
{
    struct fs_stat st;

    if (fs_stat(granting->host->fs, path, false, &st) < 0 || st.type != type)
        return false;
    return plan_add_bind(granting->plan, granting->host->fs, GROUP_DEVICES, PLAN_DEVICE, path, path,
                         granting->origin) != NULL;
}

struct device {
    const char *path;
    enum fs_type type;
};

static int collect_nvidia(void *arg, const char *name)
{
    struct strv *paths = arg;

    if (str_starts(name, "nvidia"))
        strv_pushf(paths, "/dev/%s", name);
    return 0;
}

static bool grant_gpu(struct granting *granting)
{
    static const struct device devices[] = {
        {"/dev/accel", FS_DIR}, {"/dev/dri", FS_DIR},         {"/dev/dxg", FS_CHAR},
        {"/dev/kfd", FS_CHAR},  {"/dev/nvidia-caps", FS_DIR},
    };
    const struct fs *fs = granting->host->fs;
    _cleanup_strv_ struct strv nvidia = {0};
    size_t found = 0;

    for (size_t i = 0; i < ARRAY_SIZE(devices); i++)
        found += grant_device(granting, devices[i].path, devices[i].type);
    fs->list(fs->ctx, "/dev", collect_nvidia, &nvidia);
    for (size_t i = 0; i < nvidia.n; i++)
        found += grant_device(granting, nvidia.v[i], FS_CHAR);
    if (!found)
        grant_refuse(granting,
                     "the host has no graphics device (/dev/dri, /dev/nvidia*, /dev/kfd)");
    return found;
}

static bool grant_kvm(struct granting *granting)
{
    if (grant_device(granting, "/dev/kvm", FS_CHAR))
        return true;
    grant_refuse(granting, "the host has no device /dev/kvm");
    return false;
}

/* Takes the place of the jail's own /dev/shm. */
static bool grant_host_shm(struct granting *granting)
{
    static const char path[] = "/dev/shm";
    const struct host *host = granting->host;
    _cleanup_free_ char *canonical = NULL;

    if (fs_is_dir(host->fs, path) && fs_resolve(host->fs, path, &canonical, NULL, NULL) == 0)
        return plan_add_bind(granting->plan, host->fs, GROUP_DEVICES, PLAN_RW, canonical, path,
                             granting->origin) != NULL;
    grant_refuse(granting, "the host has no directory %s", path);
    return false;
}

/* ---- what lies in HOME ---- */

/* A directory of the host, read-only at its own path. freed: its name below HOME, which may be one of
 * those that are never shown otherwise. */
static bool show_dir(const struct granting *granting, const char *path, const char *freed)
{
    const struct host *host = granting->host;
    _cleanup_free_ char *source = NULL;

    if (!fs_is_dir(host->fs, path)) {
        grant_refuse(granting, "there is no directory %s", path);
        return false;
    }
    source = home_accept_dir(host, granting->project, path, freed);
    if (!source) {
        grant_refuse(granting, "%s is a link to a place that must not be shown", path);
        return false;
    }
    if (freed)
        home_uncover(granting->plan, host, freed);
    plan_add_bind(granting->plan, host->fs, GROUP_HOME_PARTS, PLAN_RO, source, path,
                  granting->origin);
    /* Where another bind shows the target of a link, too, it is not writable there either. */
    if (!str_eq(source, path))
        plan_add(granting->plan, GROUP_MASKS, PLAN_COVER_RO, source, granting->origin)->optional =
            true;
    return true;
}

static bool show_home_dir(const struct granting *granting, const char *below_home)
{
    _cleanup_free_ char *path = path_join(granting->host->home, below_home);

    return !grant_is_hidden(granting, below_home) && show_dir(granting, path, below_home);
}

static bool grant_pictures(struct granting *granting)
{
    return show_home_dir(granting, "Pictures");
}

static bool grant_aws(struct granting *granting)
{
    return show_home_dir(granting, ".aws");
}

static bool grant_kube(struct granting *granting)
{
    return show_home_dir(granting, ".kube");
}

static bool grant_gcloud(struct granting *granting)
{
    return show_home_dir(granting, ".config/gcloud");
}

static bool grant_docker_config(struct granting *granting)
{
    static const char below_home[] = ".docker/config.json";
    const struct host *host = granting->host;
    _cleanup_free_ char *path = path_join(host->home, below_home);
    _cleanup_free_ char *source = NULL;
    struct fs_stat st;

    if (grant_is_hidden(granting, below_home))
        return false;
    if (fs_resolve(host->fs, path, &source, NULL, NULL) < 0 ||
        fs_stat(host->fs, source, false, &st) < 0 || st.type != FS_FILE) {
        grant_refuse(granting, "there is no file %s", path);
        return false;
    }
    if ((st.uid != host->uid && st.uid != 0) || path_is_within(source, granting->project) ||
        secrets_hold_other(host, source, ".docker")) {
        grant_refuse(granting, "%s leads to a file that must not be shown", path);
        return false;
    }
    plan_add_bind(granting->plan, host->fs, GROUP_HOME_PARTS, PLAN_RO, source, path,
                  granting->origin);
    return true;
}

/* ---- GitHub ---- */

static bool is_named(const struct strv *entries, const char *name)
{
    size_t len = strlen(name);

    for (size_t i = 0; i < entries->n; i++)
        if (strncmp(entries->v[i], name, len) == 0 &&
            (entries->v[i][len] == '=' || entries->v[i][len] == '\0'))
            return true;
    return false;
}

bool capabilities_want_token(const struct config *config, const struct host *host)
{
    static const char *const names[] = {"GH_TOKEN", "GITHUB_TOKEN"};

    if (!config_flag(config, SET_GITHUB))
        return false;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (is_named(config_list(config, SET_ENV_PASS), names[i]) ||
            is_named(&config->env_file, names[i]) ||
            (config_flag(config, SET_INHERIT_ENV) && host_getenv(host, names[i])))
            return false;
    return true;
}

/* Where gh keeps its settings; it must be told inside if that is not where it would look. */
static char *gh_dir(const struct host *host, bool *is_usual)
{
    const char *said = host_getenv(host, "GH_CONFIG_DIR");
    _cleanup_free_ char *config = NULL;
    _cleanup_free_ char *usual = path_join(host->home, ".config/gh");
    char *dir;

    config = path_base_dir(host_getenv(host, "XDG_CONFIG_HOME"), host->home, ".config");
    dir = said && said[0] == '/' ? path_clean(said) : path_join(config, "gh");
    if (path_is_below(dir, host->home_spelling) && !path_is_below(dir, host->home)) {
        char *moved = path_join(host->home, path_rest(dir, host->home_spelling));

        free(dir);
        dir = moved;
    }
    *is_usual = str_eq(dir, usual);
    return dir;
}

static bool grant_github(struct granting *granting)
{
    const struct host *host = granting->host;
    bool is_usual;
    _cleanup_free_ char *dir = gh_dir(host, &is_usual);
    bool is_in_home = path_is_below(dir, host->home);

    if (is_in_home && grant_is_hidden(granting, path_rest(dir, host->home)))
        return false;
    if (path_is_within(dir, granting->project) || path_is_within(host->home, dir) ||
        secrets_hold(host, dir)) {
        grant_refuse(granting, "%s cannot be the directory of gh", dir);
        return false;
    }
    if (show_dir(granting, dir, is_in_home ? path_rest(dir, host->home) : NULL) && !is_usual)
        grant_variable(granting, "GH_CONFIG_DIR", dir);
    if (capabilities_want_token(granting->config, host))
        strv_push(&granting->parts->capabilities, CAPABILITIES_TOKEN);
    return true;
}

char *capabilities_find_gh(const struct host *host, const struct plan *plan)
{
    const char *search = host_getenv(host, "PATH");
    _cleanup_strv_ struct strv dirs = {0};

    if (search)
        strv_split(&dirs, search, ':');
    for (size_t i = 0; i < dirs.n; i++) {
        _cleanup_free_ char *path = path_join(dirs.v[i], "gh");
        _cleanup_trail_ struct trail trail = {0};
        struct fs_stat st;

        if (path[0] != '/' || trail_walk(&trail, host->fs, plan, path) < 0 || trail.is_untrusted ||
            trail_is_untrusted(plan, trail.canonical) ||
            fs_stat(host->fs, trail.canonical, false, &st) < 0 || st.type != FS_FILE ||
            !(st.mode & 0111))
            continue;
        return steal_ptr(&trail.canonical);
    }
    return NULL;
}

/* ---- the table ---- */

/* In the order of the settings. */
static const struct capability {
    enum setting_id id;
    bool (*grant)(struct granting *granting);
    enum note_class class;
    const char *text; /* NULL: the function says it */
} capabilities[] = {
    {SET_GPU, grant_gpu, NOTE_INFO, "the command can use the graphics processor"},
    {SET_KVM, grant_kvm, NOTE_INFO, "the command can run virtual machines"},
    {SET_DISPLAY, grant_display, NOTE_INFO,
     "the command can open windows and use the clipboard of the desktop"},
    {SET_X11, grant_x11, NOTE_SECURITY,
     "X11 clients can watch one another's windows and keys, and type: the command can, too"},
    {SET_AUDIO, grant_audio, NOTE_INFO, "the command can play and record sound"},
    {SET_HOST_SHM, grant_host_shm, NOTE_INFO,
     "the command can read and change what programs outside share in /dev/shm"},
    {SET_DOCKER, grant_docker, NOTE_SECURITY,
     "the Docker socket is in the jail: it equals root on the host"},
    {SET_DOCKER_CONFIG, grant_docker_config, NOTE_INFO,
     "the command can read ~/.docker/config.json, with what it holds of passwords"},
    {SET_SYSTEMD_USER, grant_systemd_user, NOTE_SECURITY,
     "the session bus is in the jail: by it the command can start programs outside"},
    {SET_TAILSCALE, grant_tailscale, NOTE_INFO, "the command can talk to tailscaled"},
    {SET_SSH, grant_ssh, NOTE_INFO, NULL},
    {SET_PICTURES, grant_pictures, NOTE_INFO, "the command can read ~/Pictures"},
    {SET_GITHUB, grant_github, NOTE_INFO, "the command acts with your account at GitHub"},
    {SET_AWS, grant_aws, NOTE_INFO, "the command can read ~/.aws with its keys"},
    {SET_KUBE, grant_kube, NOTE_INFO, "the command can read ~/.kube with its keys"},
    {SET_GCLOUD, grant_gcloud, NOTE_INFO, "the command can read ~/.config/gcloud with its keys"},
};

static bool is_asked(const struct config *config, enum setting_id id)
{
    return settings[id].type == TYPE_WORD ? !str_eq(config_word(config, id), "off")
                                          : config_flag(config, id);
}

void capabilities_add(struct plan *plan, struct environment_parts *parts,
                      const struct config *config, const struct host *host, const char *project,
                      struct notes *notes)
{
    struct granting granting = {
        .plan = plan,
        .parts = parts,
        .config = config,
        .host = host,
        .project = project,
        .notes = notes,
    };

    for (size_t i = 0; i < ARRAY_SIZE(capabilities); i++) {
        const struct capability *row = &capabilities[i];
        _cleanup_free_ char *origin = config_spelling(config, row->id);

        granting.origin = origin;
        if (is_asked(config, row->id) && row->grant(&granting) && row->text)
            notes_add(notes, row->class, "%s (%s)", row->text, origin);
    }
    free(granting.runtime);
}

/* ---- for --why ---- */

const char *capabilities_flag(const struct host *host, const char *path)
{
    static const struct place {
        const char *path; /* absolute, or below HOME */
        enum setting_id id;
    } places[] = {
        {"/dev/dri", SET_GPU},
        {"/dev/kfd", SET_GPU},
        {"/dev/kvm", SET_KVM},
        {"/dev/snd", SET_AUDIO},
        {"/run/docker.sock", SET_DOCKER},
        {"/run/tailscale/tailscaled.sock", SET_TAILSCALE},
        {"/tmp/.X11-unix", SET_X11},
        {".aws", SET_AWS},
        {".config/gcloud", SET_GCLOUD},
        {".config/gh", SET_GITHUB},
        {".docker/config.json", SET_DOCKER_CONFIG},
        {".kube", SET_KUBE},
        {".ssh", SET_SSH},
        {"Pictures", SET_PICTURES},
    };

    for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
        _cleanup_free_ char *place = path_join(host->home, places[i].path);

        if (path_is_within(path, place))
            return settings[places[i].id].flag;
    }
    return NULL;
}
