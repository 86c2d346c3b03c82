// SPDX-License-Identifier: GPL-3.0-only
/*
 * Capabilities of the host: for each one what it opens where it is there, and that nothing is opened
 * where it is absent, somebody else's, of another type, or a link.
 */
#include "policy/capabilities.h"
#include "policy/hidden.h"
#include "policy/home.h"
#include "policy/xauthority.h"
#include "support/planner.h"
#include "support/test.h"

#include <errno.h>
#include <string.h>

#define R "/run/user/1000"

struct row {
    enum setting_id id;
    const char *tree;
    const char *environ[4]; /* NULL behind the last one */
    const char *want;       /* what is in the plan: "kind dest[ = source]\n" for each, sorted */
    const char *variables;  /* "NAME=VALUE NAME=VALUE", in order */
    enum note_class class;
    const char *note; /* part of a note of that class */
};

static const struct row rows[] = {
    /* devices */
    {SET_GPU,
     "d /dev/dri\nc /dev/dri/card0\nc /dev/nvidia0\nc /dev/nvidiactl\nd /dev/nvidia-caps\n"
     "c /dev/kfd\nd /dev/accel\nc /dev/dxg\nf /dev/nvidia-notes\n",
     {NULL},
     "device /dev/accel\ndevice /dev/dri\ndevice /dev/dxg\ndevice /dev/kfd\n"
     "device /dev/nvidia-caps\ndevice /dev/nvidia0\ndevice /dev/nvidiactl\n",
     "",
     NOTE_INFO,
     "graphics processor (--gpu)"},
    {SET_GPU, "", {NULL}, "", "", NOTE_WARNING, "--gpu: the host has no graphics device"},
    {SET_GPU,
     "l /dev/dri /home\nb /dev/kfd\nl /dev/nvidia0 sda\n",
     {NULL},
     "",
     "",
     NOTE_WARNING,
     "--gpu: the host has no graphics device"},
    {SET_KVM,
     "c /dev/kvm 0666 0\n",
     {NULL},
     "device /dev/kvm\n",
     "",
     NOTE_INFO,
     "virtual machines (--kvm)"},
    {SET_KVM, "", {NULL}, "", "", NOTE_WARNING, "--kvm: the host has no device /dev/kvm"},
    {SET_KVM, "f /dev/kvm\n", {NULL}, "", "", NOTE_WARNING, "/dev/kvm"},
    {SET_KVM, "c /dev/sda0\nl /dev/kvm sda0\n", {NULL}, "", "", NOTE_WARNING, "/dev/kvm"},
    {SET_HOST_SHM, "d /dev/shm 1777 0\n", {NULL}, "rw /dev/shm\n", "", NOTE_INFO, "(--host-shm)"},
    {SET_HOST_SHM, "f /dev/shm\n", {NULL}, "", "", NOTE_WARNING, "no directory /dev/shm"},
    /* sound */
    {SET_AUDIO,
     "s " R "/pipewire-0 0666 1000\ns " R "/pipewire-0-manager 0666 1000\n"
     "s " R "/pulse/native 0666 1000\nd /dev/snd\ns " R "/bus 0666 1000\n",
     {"XDG_RUNTIME_DIR=" R},
     "device /dev/snd\ndir " R "/pulse\nrw " R "/pipewire-0\nrw " R "/pipewire-0-manager\n"
     "rw " R "/pulse/native\n",
     "",
     NOTE_INFO,
     "record sound (--audio)"},
    {SET_AUDIO,
     "s " R "/pipewire-0 0666 1000\n",
     {NULL},
     "",
     "",
     NOTE_WARNING,
     "--audio: the host has neither"},
    {SET_AUDIO,
     "s /tmp/s 0666 1000\nl " R "/pipewire-0 /tmp/s\nf " R "/pulse/native\n",
     {"XDG_RUNTIME_DIR=" R},
     "",
     "",
     NOTE_WARNING,
     "--audio: the host has neither"},
    {SET_AUDIO,
     "d /other 0700 1000\ns /other/native 0666 1000\nl " R "/pulse /other\n",
     {"XDG_RUNTIME_DIR=" R},
     "",
     "",
     NOTE_WARNING,
     "--audio: the host has neither"},
    /* Wayland */
    {SET_DISPLAY,
     "s " R "/wayland-1 0700 1000\ns " R "/wayland-0 0700 1000\n",
     {"XDG_RUNTIME_DIR=" R, "WAYLAND_DISPLAY=wayland-1", "XDG_SESSION_TYPE=wayland"},
     "rw " R "/wayland-1\n",
     "WAYLAND_DISPLAY=wayland-1 XDG_SESSION_TYPE=wayland",
     NOTE_INFO,
     "clipboard of the desktop (--display)"},
    {SET_DISPLAY, "", {"XDG_RUNTIME_DIR=" R}, "", "", NOTE_WARNING, "WAYLAND_DISPLAY is not set"},
    {SET_DISPLAY,
     "",
     {"XDG_RUNTIME_DIR=" R, "WAYLAND_DISPLAY=wayland-1"},
     "",
     "",
     NOTE_WARNING,
     "no socket " R "/wayland-1"},
    {SET_DISPLAY,
     "s " R "/../bus 0700 1000\n",
     {"XDG_RUNTIME_DIR=" R, "WAYLAND_DISPLAY=../bus"},
     "",
     "",
     NOTE_WARNING,
     "not the name"},
    {SET_DISPLAY,
     "s /tmp/w 0700 1000\n",
     {"XDG_RUNTIME_DIR=" R, "WAYLAND_DISPLAY=/tmp/w"},
     "",
     "",
     NOTE_WARNING,
     "not the name"},
    {SET_DISPLAY,
     "",
     {"XDG_RUNTIME_DIR=" R, "WAYLAND_DISPLAY=.."},
     "",
     "",
     NOTE_WARNING,
     "not the name"},
    {SET_DISPLAY,
     "s " R "/bus 0700 1000\nl " R "/wayland-1 bus\n",
     {"XDG_RUNTIME_DIR=" R, "WAYLAND_DISPLAY=wayland-1"},
     "",
     "",
     NOTE_WARNING,
     "no socket"},
    {SET_DISPLAY,
     "f " R "/wayland-1 0700 1000\n",
     {"XDG_RUNTIME_DIR=" R, "WAYLAND_DISPLAY=wayland-1"},
     "",
     "",
     NOTE_WARNING,
     "no socket"},
    {SET_DISPLAY,
     "s " R "/wayland-1 0700 1000\n",
     {"WAYLAND_DISPLAY=wayland-1"},
     "",
     "",
     NOTE_WARNING,
     "no usable runtime directory"},
    /* a runtime directory that is not the user's alone (P-BW-15) */
    {SET_DISPLAY,
     "d " R " 0777 1000\ns " R "/wayland-1 0700 1000\n",
     {"XDG_RUNTIME_DIR=" R, "WAYLAND_DISPLAY=wayland-1"},
     "",
     "",
     NOTE_SECURITY,
     "XDG_RUNTIME_DIR " R " is not used (--display): others may write there"},
    {SET_DISPLAY,
     "d " R " 0720 1000\ns " R "/wayland-1 0700 1000\n",
     {"XDG_RUNTIME_DIR=" R, "WAYLAND_DISPLAY=wayland-1"},
     "",
     "",
     NOTE_SECURITY,
     "others may write"},
    {SET_DISPLAY,
     "d " R " 0755 1000\ns " R "/wayland-1 0700 1000\n",
     {"XDG_RUNTIME_DIR=" R, "WAYLAND_DISPLAY=wayland-1"},
     "rw " R "/wayland-1\n",
     "WAYLAND_DISPLAY=wayland-1",
     NOTE_INFO,
     "(--display)"},
    {SET_DISPLAY,
     "d " R " 0700 1001\ns " R "/wayland-1 0700 1000\n",
     {"XDG_RUNTIME_DIR=" R, "WAYLAND_DISPLAY=wayland-1"},
     "",
     "",
     NOTE_SECURITY,
     "another user"},
    {SET_DISPLAY,
     "l /rt " R "\ns " R "/wayland-1 0700 1000\n",
     {"XDG_RUNTIME_DIR=/rt", "WAYLAND_DISPLAY=wayland-1"},
     "",
     "",
     NOTE_SECURITY,
     "canonical"},
    {SET_DISPLAY,
     "",
     {"XDG_RUNTIME_DIR=run", "WAYLAND_DISPLAY=wayland-1"},
     "",
     "",
     NOTE_SECURITY,
     "no absolute path"},
    {SET_DISPLAY,
     "f /rt 0700 1000\n",
     {"XDG_RUNTIME_DIR=/rt", "WAYLAND_DISPLAY=wayland-1"},
     "",
     "",
     NOTE_SECURITY,
     "no directory"},
    {SET_DISPLAY,
     "",
     {"XDG_RUNTIME_DIR=/gone", "WAYLAND_DISPLAY=wayland-1"},
     "",
     "",
     NOTE_SECURITY,
     "cannot be found"},
    {SET_DISPLAY,
     "d /rt 0700 1000\ns /rt/wayland-1 0700 1000\n",
     {"XDG_RUNTIME_DIR=/rt", "WAYLAND_DISPLAY=wayland-1"},
     "rw " R "/wayland-1 = /rt/wayland-1\n",
     "WAYLAND_DISPLAY=wayland-1",
     NOTE_INFO,
     "(--display)"},
    /* X11 */
    {SET_X11,
     "d /tmp/.X11-unix 1777 0\ns /tmp/.X11-unix/X0 0777 0\ns /tmp/.X11-unix/X1 0777 0\n",
     {"DISPLAY=:0.0"},
     "dir /tmp/.X11-unix\nrw /tmp/.X11-unix/X0\n",
     "DISPLAY=:0.0",
     NOTE_SECURITY,
     "watch one another's windows"},
    {SET_X11,
     "s /tmp/.X11-unix/X12 0777 0\n",
     {"DISPLAY=unix:12"},
     "dir /tmp/.X11-unix\nrw /tmp/.X11-unix/X12\n",
     "DISPLAY=:12",
     NOTE_SECURITY,
     "(--x11)"},
    {SET_X11, "s /tmp/.X11-unix/X0 0777 0\n", {NULL}, "", "", NOTE_WARNING, "DISPLAY is not set"},
    {SET_X11,
     "s /tmp/.X11-unix/X10 0777 0\n",
     {"DISPLAY=localhost:10.0"},
     "",
     "",
     NOTE_WARNING,
     "no display of this machine"},
    {SET_X11,
     "s /tmp/.X11-unix/X0/../../x 0777 0\n",
     {"DISPLAY=:0/../../x"},
     "",
     "",
     NOTE_WARNING,
     "no display of this machine"},
    {SET_X11, "", {"DISPLAY=:"}, "", "", NOTE_WARNING, "no display of this machine"},
    {SET_X11, "", {"DISPLAY=:123456"}, "", "", NOTE_WARNING, "no display of this machine"},
    {SET_X11, "f /tmp/.X11-unix/X0\n", {"DISPLAY=:0"}, "", "", NOTE_WARNING, "no socket"},
    {SET_X11,
     "s /tmp/s\nl /tmp/.X11-unix/X0 /tmp/s\n",
     {"DISPLAY=:0"},
     "",
     "",
     NOTE_WARNING,
     "no socket"},
    /* Docker */
    {SET_DOCKER,
     "l /var/run ../run\ns /run/docker.sock 0660 0\n",
     {NULL},
     "rw /run/docker.sock\n",
     "DOCKER_HOST=unix:///run/docker.sock",
     NOTE_SECURITY,
     "equals root on the host (--docker)"},
    {SET_DOCKER,
     "l /var/run ../run\ns /run/docker.sock 0660 0\ns /srv/d.sock 0660 1000\n",
     {"DOCKER_HOST=unix:///srv/d.sock"},
     "rw /run/docker.sock = /srv/d.sock\n",
     "DOCKER_HOST=unix:///run/docker.sock",
     NOTE_SECURITY,
     "equals root"},
    {SET_DOCKER,
     "l /var/run ../run\ns /run/docker.sock 0660 0\n",
     {"DOCKER_HOST=unix://rel.sock"},
     "rw /run/docker.sock\n",
     "DOCKER_HOST=unix:///run/docker.sock",
     NOTE_SECURITY,
     "equals root"},
    {SET_DOCKER,
     "s " R "/docker.sock 0660 1000\n",
     {"XDG_RUNTIME_DIR=" R},
     "rw /run/docker.sock = " R "/docker.sock\n",
     "DOCKER_HOST=unix:///run/docker.sock",
     NOTE_SECURITY,
     "equals root"},
    {SET_DOCKER,
     "s /home/u/.docker/run/docker.sock 0660 1000\nd /mnt/wsl/docker-desktop/cli-tools\n",
     {NULL},
     "ro /mnt/wsl/docker-desktop/cli-tools\n"
     "rw /run/docker.sock = /home/u/.docker/run/docker.sock\n",
     "DOCKER_HOST=unix:///run/docker.sock",
     NOTE_SECURITY,
     "equals root"},
    {SET_DOCKER,
     "l /var/run/docker.sock /nowhere\n",
     {NULL},
     "",
     "",
     NOTE_WARNING,
     "no Docker socket was found: /var/run/docker.sock, /home/u/.docker/run/docker.sock"},
    {SET_DOCKER,
     "f /var/run/docker.sock\n",
     {"DOCKER_HOST=tcp://1.2.3.4:2375"},
     "",
     "",
     NOTE_WARNING,
     "no Docker socket"},
    {SET_DOCKER_CONFIG,
     "f /home/u/.docker/config.json 0600 1000 {}\n"
     "f /home/u/.docker/other.json 0600 1000 {}\n",
     {NULL},
     "ro /home/u/.docker/config.json\n",
     "",
     NOTE_INFO,
     "(--docker-config)"},
    {SET_DOCKER_CONFIG,
     "f /data/d.json 0600 1000 {}\nl /home/u/.docker/config.json /data/d.json\n",
     {NULL},
     "ro /home/u/.docker/config.json = /data/d.json\n",
     "",
     NOTE_INFO,
     "(--docker-config)"},
    {SET_DOCKER_CONFIG, "", {NULL}, "", "", NOTE_WARNING, "no file /home/u/.docker/config.json"},
    {SET_DOCKER_CONFIG,
     "d /home/u/.docker/config.json 0700 1000\n",
     {NULL},
     "",
     "",
     NOTE_WARNING,
     "no file"},
    {SET_DOCKER_CONFIG,
     "f /data/d.json 0600 1001 {}\nl /home/u/.docker/config.json /data/d.json\n",
     {NULL},
     "",
     "",
     NOTE_WARNING,
     "must not be shown"},
    {SET_DOCKER_CONFIG,
     "f /home/u/.ssh/id 0600 1000 k\nl /home/u/.docker/config.json ../.ssh/id\n",
     {NULL},
     "",
     "",
     NOTE_WARNING,
     "must not be shown"},
    {SET_DOCKER_CONFIG,
     "f /home/u/proj/c 0600 1000 k\nl /home/u/.docker/config.json ../proj/c\n",
     {NULL},
     "",
     "",
     NOTE_WARNING,
     "must not be shown"},
    /* services */
    {SET_TAILSCALE,
     "s /run/tailscale/tailscaled.sock 0666 0\n",
     {NULL},
     "rw /run/tailscale/tailscaled.sock\n",
     "",
     NOTE_INFO,
     "(--tailscale)"},
    {SET_TAILSCALE,
     "f /run/tailscale/tailscaled.sock 0666 0\n",
     {NULL},
     "",
     "",
     NOTE_WARNING,
     "no socket /run/tailscale/tailscaled.sock"},
    {SET_SYSTEMD_USER,
     "s " R "/bus 0666 1000\ns " R "/systemd/private 0666 1000\n"
     "s " R "/systemd/notify 0666 1000\n",
     {"XDG_RUNTIME_DIR=" R},
     "dir " R "/systemd\nrw " R "/bus\nrw " R "/systemd/private\n",
     "DBUS_SESSION_BUS_ADDRESS=unix:path=" R "/bus",
     NOTE_SECURITY,
     "start programs outside"},
    {SET_SYSTEMD_USER, "", {"XDG_RUNTIME_DIR=" R}, "", "", NOTE_WARNING, "no socket " R "/bus"},
    {SET_SYSTEMD_USER, "s " R "/bus 0666 1000\n", {NULL}, "", "", NOTE_WARNING, "XDG_RUNTIME_DIR"},
    /* directories of HOME */
    {SET_AWS,
     "f /home/u/.aws/credentials 0600 1000 k\n",
     {NULL},
     "ro /home/u/.aws\n",
     "",
     NOTE_INFO,
     "~/.aws with its keys (--aws)"},
    {SET_AWS, "", {NULL}, "", "", NOTE_WARNING, "no directory /home/u/.aws"},
    {SET_AWS, "f /home/u/.aws 0600 1000 k\n", {NULL}, "", "", NOTE_WARNING, "no directory"},
    {SET_AWS,
     "d /data/aws 0700 1000\nl /home/u/.aws /data/aws\n",
     {NULL},
     "protect /home/u/.aws\nro /home/u/.aws = /data/aws\n",
     "",
     NOTE_INFO,
     "(--aws)"},
    {SET_AWS,
     "d /data/aws 0700 1001\nl /home/u/.aws /data/aws\n",
     {NULL},
     "",
     "",
     NOTE_WARNING,
     "must not be shown"},
    {SET_AWS,
     "d /home/u/.gnupg 0700 1000\nl /home/u/.aws .gnupg\n",
     {NULL},
     "",
     "",
     NOTE_WARNING,
     "must not be shown"},
    {SET_AWS, "l /home/u/.aws .\n", {NULL}, "", "", NOTE_WARNING, "must not be shown"},
    {SET_AWS,
     "d /home/u/proj/aws 0700 1000\nl /home/u/.aws proj/aws\n",
     {NULL},
     "",
     "",
     NOTE_WARNING,
     "must not be shown"},
    {SET_KUBE,
     "d /home/u/.kube 0700 1000\n",
     {NULL},
     "ro /home/u/.kube\n",
     "",
     NOTE_INFO,
     "(--kube)"},
    {SET_KUBE, "", {NULL}, "", "", NOTE_WARNING, "--kube: there is no directory"},
    {SET_GCLOUD,
     "d /home/u/.config/gcloud 0700 1000\nd /home/u/.config/gh\n",
     {NULL},
     "ro /home/u/.config/gcloud\n",
     "",
     NOTE_INFO,
     "(--gcloud)"},
    {SET_GCLOUD, "", {NULL}, "", "", NOTE_WARNING, "--gcloud: there is no directory"},
    {SET_PICTURES,
     "d /home/u/Pictures 0700 1000\n",
     {NULL},
     "ro /home/u/Pictures\n",
     "",
     NOTE_INFO,
     "(--pictures)"},
    {SET_PICTURES,
     "d /home/u/.ssh 0700 1000\nl /home/u/Pictures .ssh\n",
     {NULL},
     "",
     "",
     NOTE_WARNING,
     "must not be shown"},
    /* GitHub */
    {SET_GITHUB,
     "d /home/u/.config/gh 0700 1000\n",
     {NULL},
     "ro /home/u/.config/gh\n",
     "GH_TOKEN=",
     NOTE_INFO,
     "(--github)"},
    {SET_GITHUB,
     "d /home/u/cfg/gh 0700 1000\n",
     {"XDG_CONFIG_HOME=/home/u/cfg"},
     "ro /home/u/cfg/gh\n",
     "GH_CONFIG_DIR=/home/u/cfg/gh GH_TOKEN=",
     NOTE_INFO,
     "(--github)"},
    {SET_GITHUB,
     "d /data/gh 0700 1000\n",
     {"GH_CONFIG_DIR=/data/gh"},
     "ro /data/gh\n",
     "GH_CONFIG_DIR=/data/gh GH_TOKEN=",
     NOTE_INFO,
     "(--github)"},
    {SET_GITHUB, "", {NULL}, "", "GH_TOKEN=", NOTE_WARNING, "no directory /home/u/.config/gh"},
    {SET_GITHUB,
     "d /home/u/proj/gh 0700 1000\n",
     {"GH_CONFIG_DIR=/home/u/proj/gh"},
     "",
     "",
     NOTE_WARNING,
     "cannot be the directory of gh"},
    {SET_GITHUB,
     "d /home/u/.gnupg 0700 1000\n",
     {"GH_CONFIG_DIR=/home/u/.gnupg"},
     "",
     "",
     NOTE_WARNING,
     "cannot be the directory of gh"},
    {SET_GITHUB,
     "d /home/u/.gnupg 0700 1000\nl /home/u/.config/gh ../.gnupg\n",
     {NULL},
     "",
     "GH_TOKEN=",
     NOTE_WARNING,
     "must not be shown"},
};

static void ask(struct planner *planner, enum setting_id id)
{
    planner->config.place.layer = LAYER_CLI;
    config_set_bool(&planner->config, id, true);
}

static void add(struct planner *planner)
{
    struct environment_parts parts CLEANUP(environment_parts_free) = {0};

    capabilities_add(&planner->plan, &parts, &planner->config, &planner->host, PLANNER_PROJECT,
                     &planner->notes);
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* What capabilities have put into the finished plan; malloc'ed. */
static char *opened(const struct planner *planner)
{
    _cleanup_strv_ struct strv lines = {0};

    for (size_t i = 0; i < planner->plan.n; i++) {
        const struct plan_entry *entry = &planner->plan.v[i];
        bool is_elsewhere = entry->source && !str_eq(entry->source, entry->dest);

        if (str_starts(entry->origin, "--"))
            strv_pushf(&lines, "%s %s%s%s\n", plan_kind_name(entry->kind), entry->dest,
                       is_elsewhere ? " = " : "", is_elsewhere ? entry->source : "");
    }
    if (!lines.n)
        return xstrdup("");
    qsort(lines.v, lines.n, sizeof(*lines.v), compare_lines);
    return strv_join(&lines, "");
}

static void check_row(const struct row *row)
{
    _cleanup_planner_ struct planner planner;
    struct environment_parts parts CLEANUP(environment_parts_free) = {0};
    _cleanup_free_ char *found = NULL;
    _cleanup_free_ char *variables = NULL;

    planner_init(&planner, row->tree, row->environ);
    ask(&planner, row->id);
    capabilities_add(&planner.plan, &parts, &planner.config, &planner.host, PLANNER_PROJECT,
                     &planner.notes);
    plan_finish(&planner.plan, planner.host.fs, &planner.notes);
    found = opened(&planner);
    variables = parts.capabilities.n ? strv_join(&parts.capabilities, " ") : xstrdup("");
    if (strcmp(found, row->want) != 0 || strcmp(variables, row->variables) != 0)
        fail_msg("row %d: %s\nopened:\n%svariables: %s", (int)(row - rows), row->tree, found,
                 variables);
    if (planner_count_notes(&planner, row->class, row->note) != 1)
        fail_msg("row %d: %s\nno note \"%s\" (%zu notes, first: %s)", (int)(row - rows), row->tree,
                 row->note, planner.notes.n, planner.notes.n ? planner.notes.v[0].text : "");
}

static void every_row(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        check_row(&rows[i]);
}

/* Everything is there, nothing was asked for. */
static void nothing_by_itself(void **state)
{
    static const char *const environ[] = {"XDG_RUNTIME_DIR=" R, "WAYLAND_DISPLAY=w", "DISPLAY=:0",
                                          "SSH_AUTH_SOCK=/tmp/agent", NULL};
    _cleanup_planner_ struct planner planner;
    struct environment_parts parts CLEANUP(environment_parts_free) = {0};
    size_t before;

    (void)state;
    planner_init(&planner, NULL, environ);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (!rows[i].environ[0])
            fakefs_add(planner.fakefs, rows[i].tree);
    before = planner.plan.n;
    capabilities_add(&planner.plan, &parts, &planner.config, &planner.host, PLANNER_PROJECT,
                     &planner.notes);
    assert_int_equal(planner.plan.n, before);
    assert_int_equal(parts.capabilities.n, 0);
    assert_int_equal(planner.notes.n, 0);
}

/* A runtime directory is complained about once, whoever depends on it. */
static void one_line_about_the_runtime_directory(void **state)
{
    static const char *const environ[] = {"XDG_RUNTIME_DIR=/rt", "WAYLAND_DISPLAY=w", NULL};
    _cleanup_planner_ struct planner planner;

    (void)state;
    planner_init(&planner, "d /rt 0777 1000\n", environ);
    ask(&planner, SET_DISPLAY);
    ask(&planner, SET_AUDIO);
    ask(&planner, SET_SYSTEMD_USER);
    ask(&planner, SET_DOCKER);
    add(&planner);
    assert_int_equal(planner_count_notes(&planner, NOTE_SECURITY, "XDG_RUNTIME_DIR"), 1);
}

/* ---- ssh ---- */

static const char ssh_tree[] = "d /home/u/.ssh 0700 1000\n"
                               "f /home/u/.ssh/config 0600 1000 x\n"
                               "f /home/u/.ssh/known_hosts 0600 1000 x\n"
                               "f /home/u/.ssh/known_hosts.old 0600 1000 x\n"
                               "f /home/u/.ssh/id_ed25519 0600 1000 x\n"
                               "f /home/u/.ssh/id_ed25519.pub 0644 1000 x\n"
                               "l /home/u/.ssh/sly.pub id_ed25519\n"
                               "f /home/u/.ssh/theirs.pub 0644 1001 x\n"
                               "d /home/u/.ssh/dir.pub 0700 1000\n"
                               "d /etc/ssh/ssh_config.d 0755 0\n"
                               "s /tmp/agent 0600 1000\n"
                               "s /tmp/other 0600 1001\n"
                               "l /tmp/link agent\n";

static void check_ssh(const char *word, const char *agent, const char *want, const char *variable,
                      enum note_class class, const char *note)
{
    _cleanup_planner_ struct planner planner;
    struct environment_parts parts CLEANUP(environment_parts_free) = {0};
    const char *environ[] = {agent, NULL};
    _cleanup_free_ char *found = NULL;

    planner_init(&planner, ssh_tree, environ);
    planner.config.place.layer = LAYER_CLI;
    config_set_word(&planner.config, SET_SSH, word);
    capabilities_add(&planner.plan, &parts, &planner.config, &planner.host, PLANNER_PROJECT,
                     &planner.notes);
    plan_finish(&planner.plan, planner.host.fs, &planner.notes);
    found = opened(&planner);
    assert_string_equal(found, want);
    assert_string_equal(parts.capabilities.n ? parts.capabilities.v[0] : "", variable);
    assert_int_equal(planner_count_notes(&planner, class, note), 1);
}

#define SSH_ALL "mask /etc/ssh/ssh_config.d\nro /home/u/.ssh\n"
/* P-AGT-13: what is public, and no name that leads to a key. */
#define SSH_PUBLIC                                                                                 \
    "dir /home/u/.ssh\nmask /etc/ssh/ssh_config.d\nro /home/u/.ssh/config\n"                       \
    "ro /home/u/.ssh/id_ed25519.pub\nro /home/u/.ssh/known_hosts\n"
#define SSH_AGENT    "rw " R "/ssh-agent = /tmp/agent\n"
#define SSH_VARIABLE "SSH_AUTH_SOCK=" R "/ssh-agent"

static void ssh_forms(void **state)
{
    (void)state;
    check_ssh("on", NULL, SSH_ALL, "", NOTE_INFO, "your private keys (--ssh)");
    check_ssh("on", "SSH_AUTH_SOCK=/tmp/agent", SSH_ALL SSH_AGENT, SSH_VARIABLE, NOTE_INFO,
              "keys of ssh-agent (--ssh)");
    check_ssh("agent", "SSH_AUTH_SOCK=/tmp/agent", SSH_PUBLIC SSH_AGENT, SSH_VARIABLE, NOTE_WARNING,
              "/home/u/.ssh/sly.pub is not shown");
    check_ssh("agent", NULL, SSH_PUBLIC, "", NOTE_WARNING, "SSH_AUTH_SOCK is not set");
    check_ssh("agent", "SSH_AUTH_SOCK=/tmp/other", SSH_PUBLIC, "", NOTE_WARNING,
              "SSH_AUTH_SOCK /tmp/other is no socket of yours");
    check_ssh("agent", "SSH_AUTH_SOCK=/tmp/link", SSH_PUBLIC, "", NOTE_WARNING,
              "SSH_AUTH_SOCK /tmp/link is no socket of yours");
    check_ssh("on", "SSH_AUTH_SOCK=agent", SSH_ALL, "", NOTE_WARNING, "SSH_AUTH_SOCK agent");
}

/* ---- together with what hides ---- */

/* P-HOME-5 */
static void hide_dotdir_beats_every_flag(void **state)
{
    static const enum setting_id ids[] = {SET_AWS,    SET_KUBE,   SET_DOCKER_CONFIG,
                                          SET_GITHUB, SET_GCLOUD, SET_DOCKER};
    _cleanup_planner_ struct planner planner;
    _cleanup_free_ char *found = NULL;

    (void)state;
    planner_init(
        &planner,
        "d /home/u/.aws 0700 1000\nd /home/u/.kube 0700 1000\nd /home/u/.ssh 0700 1000\n"
        "f /home/u/.docker/config.json 0600 1000 x\nd /home/u/.config/gh 0700 1000\n"
        "d /home/u/.config/gcloud 0700 1000\ns /home/u/.docker/run/docker.sock 0600 1000\n",
        NULL);
    for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
        ask(&planner, ids[i]);
    config_set_word(&planner.config, SET_SSH, "on");
    config_add(&planner.config, SET_HIDE_DOTDIRS, "aws");
    config_add(&planner.config, SET_HIDE_DOTDIRS, ".kube");
    config_add(&planner.config, SET_HIDE_DOTDIRS, "docker");
    config_add(&planner.config, SET_HIDE_DOTDIRS, ".config");
    config_add(&planner.config, SET_HIDE_DOTDIRS, "ssh");
    add(&planner);
    plan_finish(&planner.plan, planner.host.fs, &planner.notes);
    found = opened(&planner);
    assert_string_equal(found, "");
    assert_int_equal(planner_count_notes(&planner, NOTE_INFO, ""), 0);
    assert_int_equal(planner_count_notes(&planner, NOTE_WARNING, "--hide-dotdir hides it"), 7);
}

/* What --no-private-home covers is uncovered by its own flag, and only read. */
static void freed_without_a_private_home(void **state)
{
    static const struct {
        enum setting_id id;
        const char *path;
    } freed[] = {{SET_AWS, "/home/u/.aws"},
                 {SET_GCLOUD, "/home/u/.config/gcloud"},
                 {SET_GITHUB, "/home/u/.config/gh"}};

    (void)state;
    for (size_t with = 0; with <= ARRAY_SIZE(freed); with++) {
        _cleanup_planner_ struct planner planner;

        planner_init(&planner,
                     "d /home/u/.config/gh 0700 1000\nd /home/u/.config/gcloud 0700 1000\n"
                     "d /home/u/.config/aws 0700 1000\nl /home/u/.aws .config/aws\n",
                     NULL);
        home_add(&planner.plan, &planner.host, PLANNER_PROJECT, false, &planner.notes);
        if (with < ARRAY_SIZE(freed))
            ask(&planner, freed[with].id);
        add(&planner);
        plan_finish(&planner.plan, planner.host.fs, &planner.notes);
        for (size_t i = 0; i < ARRAY_SIZE(freed); i++) {
            struct plan_view view = plan_look(&planner.plan, freed[i].path);
            bool is_shown = view.host_path && !plan_hides(view.entry->kind);
            bool is_read_only =
                view.entry && (view.entry->kind == PLAN_RO || view.entry->kind == PLAN_COVER_RO);

            free(view.host_path);
            if (is_shown != (i == with) || (is_shown && !is_read_only))
                fail_msg("%s with flag %zu: %s", freed[i].path, with,
                         view.entry ? plan_kind_name(view.entry->kind) : "nothing");
        }
        /* Under its other name the link's target is not writable either. */
        if (with == 0) {
            struct plan_view view = plan_look(&planner.plan, "/home/u/.config/aws");

            free(view.host_path);
            assert_true(view.entry->kind == PLAN_COVER_RO);
        }
    }
}

/* ---- X11 keys ---- */

#define BYTES(text) (const uint8_t *)(text), sizeof(text) - 1

#define KEY "\0\x12MIT-MAGIC-COOKIE-1\0\x04"

static void check_keys(const uint8_t *bytes, size_t len, const uint8_t *want, size_t want_len)
{
    struct buf out CLEANUP(buf_free);

    buf_init(&out, 4096);
    assert_int_equal(xauthority_select(&out, bytes, len, "box", "0", "0"), 0);
    assert_int_equal(out.len, want_len);
    assert_memory_equal(out.data ? out.data : (const uint8_t *)"", want, want_len);
}

static void keys_for_one_display(void **state)
{
    struct buf out CLEANUP(buf_free);
    static const char two[] = "\1\0\0\3box\0\1"
                              "0" KEY "abcd"
                              "\1\0\0\3old\0\1"
                              "0" KEY "wxyz";

    (void)state;
    check_keys(BYTES(""), BYTES(""));
    check_keys(BYTES("\1\0\0\3box\0\1"
                     "0" KEY "abcd"),
               BYTES("\xff\xff\0\0\0\1"
                     "0" KEY "abcd"));
    /* of another display, by the network */
    check_keys(BYTES("\1\0\0\3box\0\1"
                     "1" KEY "abcd"),
               BYTES(""));
    check_keys(BYTES("\0\0\0\4\x7f\0\0\1\0\1"
                     "0" KEY "abcd"),
               BYTES(""));
    /* any machine, any display */
    check_keys(BYTES("\xff\xff\0\0\0\0" KEY "abcd"), BYTES("\xff\xff\0\0\0\1"
                                                           "0" KEY "abcd"));
    /* this machine first */
    check_keys(BYTES("\1\0\0\3old\0\1"
                     "0" KEY "wxyz"
                     "\1\0\0\3box\0\1"
                     "0" KEY "abcd"),
               BYTES("\xff\xff\0\0\0\1"
                     "0" KEY "abcd"
                     "\xff\xff\0\0\0\1"
                     "0" KEY "wxyz"));
    /* cut anywhere but between two records */
    buf_init(&out, 4096);
    for (size_t len = 1; len < sizeof(two) - 1; len++) {
        int r = xauthority_select(&out, (const uint8_t *)two, len, "box", "0", "0");

        assert_int_equal(r, len == (sizeof(two) - 1) / 2 ? 0 : -EBADMSG);
        buf_reset(&out);
    }
}

static void check_authority(const char *file, const char *environ_entry, bool is_copied,
                            enum note_class class, const char *note)
{
    _cleanup_planner_ struct planner planner;
    const char *environ[] = {"DISPLAY=:0", environ_entry, NULL};
    struct plan_view view;

    planner_init(&planner,
                 "s /tmp/.X11-unix/X0 0777 0\nf /proc/sys/kernel/hostname 0644 0 box\\n\n",
                 environ);
    fakefs_add(planner.fakefs, file);
    ask(&planner, SET_X11);
    add(&planner);
    plan_finish(&planner.plan, planner.host.fs, &planner.notes);
    view = plan_look(&planner.plan, R "/xauthority");
    free(view.host_path);
    assert_int_equal(view.entry && view.entry->kind == PLAN_DATA, is_copied);
    if (is_copied) {
        assert_int_equal(view.entry->mode, 0600);
        assert_int_equal(view.entry->data_len, 33);
        assert_memory_equal(view.entry->data,
                            "\xff\xff\0\0\0\1"
                            "0" KEY "abcd",
                            33);
    }
    if (note)
        assert_int_equal(planner_count_notes(&planner, class, note), 1);
}

#define KEY_TEXT " \\x01\\0\\0\\x03box\\0\\x010\\0\\x12MIT-MAGIC-COOKIE-1\\0\\x04abcd\n"

static void authority_files(void **state)
{
    (void)state;
    check_authority("f /home/u/.Xauthority 0600 1000" KEY_TEXT, NULL, true, NOTE_SECURITY,
                    "(--x11)");
    check_authority("f " R "/x 0600 1000" KEY_TEXT, "XAUTHORITY=" R "/x", true, NOTE_SECURITY,
                    "(--x11)");
    check_authority("", NULL, false, NOTE_SECURITY, "(--x11)");
    check_authority("", "XAUTHORITY=/gone", false, NOTE_WARNING, "no file /gone");
    check_authority("f /x 0600 1001" KEY_TEXT, "XAUTHORITY=/x", false, NOTE_SECURITY,
                    "XAUTHORITY /x is not used (--x11): it belongs to another user");
    check_authority("f /x 0622 1000" KEY_TEXT, "XAUTHORITY=/x", false, NOTE_SECURITY,
                    "others may write");
    check_authority("f /y 0600 1000" KEY_TEXT "l /x y\n", "XAUTHORITY=/x", false, NOTE_SECURITY,
                    "it is a link");
    check_authority("p /x 0600 1000\n", "XAUTHORITY=/x", false, NOTE_SECURITY, "no regular file");
    check_authority("f /x 0600 1000" KEY_TEXT, "XAUTHORITY=x", false, NOTE_SECURITY,
                    "no absolute path");
    check_authority("f /home/u/proj/x 0600 1000" KEY_TEXT, "XAUTHORITY=/home/u/proj/x", false,
                    NOTE_SECURITY, "in the project");
    check_authority("f /x 0600 1000 garbage\n", "XAUTHORITY=/x", false, NOTE_WARNING, "damaged");
}

static void authority_has_a_limit(void **state)
{
    static const char *const environ[] = {"DISPLAY=:0", NULL};
    _cleanup_planner_ struct planner planner;

    (void)state;
    planner_init(&planner, "s /tmp/.X11-unix/X0 0777 0\nf /home/u/.Xauthority 0600 1000" KEY_TEXT,
                 environ);
    fakefs_node(planner.fakefs, "/home/u/.Xauthority")->size = 64 * KIB + 1;
    ask(&planner, SET_X11);
    add(&planner);
    assert_int_equal(planner_count_notes(&planner, NOTE_SECURITY, "more than 64 KiB"), 1);
}

/* ---- the GitHub token ---- */

static bool wants_token(const char *passed, const char *in_file, bool inherits)
{
    static const char *const environ[] = {"GITHUB_TOKEN=x", NULL};
    _cleanup_planner_ struct planner planner;

    planner_init(&planner, NULL, environ);
    ask(&planner, SET_GITHUB);
    if (passed)
        config_add(&planner.config, SET_ENV_PASS, passed);
    if (in_file)
        strv_push(&planner.config.env_file, in_file);
    config_set_bool(&planner.config, SET_INHERIT_ENV, inherits);
    return capabilities_want_token(&planner.config, &planner.host);
}

static void token_is_wanted(void **state)
{
    _cleanup_planner_ struct planner planner;

    (void)state;
    assert_true(wants_token(NULL, NULL, false));
    assert_true(wants_token("GH_TOKENS=x", NULL, false));
    assert_false(wants_token("GH_TOKEN", NULL, false));
    assert_false(wants_token("GITHUB_TOKEN=x", NULL, false));
    assert_false(wants_token(NULL, "GH_TOKEN=x", false));
    assert_false(wants_token(NULL, NULL, true));
    planner_init(&planner, NULL, NULL);
    assert_false(capabilities_want_token(&planner.config, &planner.host));
}

static void check_gh(const char *tree, const char *path, const char *want)
{
    _cleanup_planner_ struct planner planner;
    const char *environ[] = {path, NULL};
    _cleanup_free_ char *found = NULL;

    planner_init(&planner, tree, environ);
    found = capabilities_find_gh(&planner.host, &planner.plan);
    if (want ? !str_eq(found, want) : found != NULL)
        fail_msg("%s%s: %s instead of %s", tree, path, found ? found : "none",
                 want ? want : "none");
}

/* P-AGT-12: nothing that the project or a relative name leads to. */
static void gh_is_never_the_projects(void **state)
{
    (void)state;
    check_gh("f /usr/bin/gh 0755 0 x\n", "PATH=/bin", "/usr/bin/gh");
    check_gh("f /usr/bin/gh 0755 0 x\nf /home/u/proj/gh 0755 1000 x\n",
             "PATH=.::proj:/home/u/proj:/usr/bin", "/usr/bin/gh");
    check_gh("f /home/u/proj/gh 0755 1000 x\nl /opt/gh /home/u/proj/gh\n", "PATH=/opt", NULL);
    check_gh("f /home/u/proj/bin/gh 0755 1000 x\nl /opt/bin /home/u/proj/bin\n", "PATH=/opt/bin",
             NULL);
    check_gh("f /usr/bin/real 0755 0 x\nl /home/u/proj/gh /usr/bin/real\n", "PATH=/home/u/proj",
             NULL);
    check_gh("f /usr/bin/gh 0644 0 x\nd /opt/gh\n", "PATH=/usr/bin:/opt:", NULL);
}

/* ---- for --why ---- */

static void flags_of_places(void **state)
{
    _cleanup_planner_ struct planner planner;

    (void)state;
    planner_init(&planner, NULL, NULL);
    assert_string_equal(capabilities_flag(&planner.host, "/home/u/.aws/credentials"), "aws");
    assert_string_equal(capabilities_flag(&planner.host, "/home/u/.ssh"), "ssh");
    assert_string_equal(capabilities_flag(&planner.host, "/dev/kvm"), "kvm");
    assert_null(capabilities_flag(&planner.host, "/home/u/.docker"));
    assert_null(capabilities_flag(&planner.host, "/home/u/.gnupg"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row),
        cmocka_unit_test(nothing_by_itself),
        cmocka_unit_test(one_line_about_the_runtime_directory),
        cmocka_unit_test(ssh_forms),
        cmocka_unit_test(hide_dotdir_beats_every_flag),
        cmocka_unit_test(freed_without_a_private_home),
        cmocka_unit_test(keys_for_one_display),
        cmocka_unit_test(authority_files),
        cmocka_unit_test(authority_has_a_limit),
        cmocka_unit_test(token_is_wanted),
        cmocka_unit_test(gh_is_never_the_projects),
        cmocka_unit_test(flags_of_places),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
