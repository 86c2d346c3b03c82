// SPDX-License-Identifier: GPL-3.0-only
/*
 * settings_table: the table of settings.h.
 *
 * A row is there when the program does what the row says, never before. Flags are always positive;
 * a key that says the opposite (no_landlock) is marked as inverted, so that everything else in the
 * program thinks in flags. The strict column is in terms of the flag, too.
 */
#include "config/settings.h"

#include "net/allow.h"

#include <stdlib.h>
#include <string.h>

static const char *env_fault(const char *entry)
{
    return entry[0] == '=' ? "no name before the '=': write NAME or NAME=VALUE" : NULL;
}

static const char *const clipboard_order[] = {"off", "copy", NULL};
static const char *const clipboard_words[] = {"copy", "off", NULL};

static const char *dotdir_fault(const char *entry)
{
    if (strchr(entry, '/'))
        return "it is the name of a directory in HOME, without '/': write NAME or .NAME";
    return strspn(entry, ".") == strlen(entry) ? "no name behind the dot: write NAME or .NAME"
                                               : NULL;
}

static const char *port_fault(const char *entry)
{
    bool is_number = entry[strspn(entry, "0123456789")] == '\0';

    return is_number && strtoul(entry, NULL, 10) <= UINT16_MAX
               ? NULL
               : "a port is a number from 0 to 65535";
}

static const char *const style_words[] = {"pastel", "dark", "light", NULL};
static const char *const browser_words[] = {"hard", "soft", "off", NULL};
static const char *const browser_synonyms[] = {
    "isolated", "hard", "ephemeral", "hard",     "persistent", "soft", "survivable",
    "soft",     "none", "off",       "disabled", "off",        NULL,
};
static const char *const backend_words[] = {"bwrap", "seatbelt", NULL};
static const char *const ssh_words[] = {"agent", NULL};
static const char *const ssh_order[] = {"off", "agent", "on", NULL};

/* On or off, --FLAG or --no-FLAG; behind the help stands what differs from most. */
#define SWITCH(id_, key_, flag_, capability_, section_, help_, ...)                                \
    [id_] = {.id = id_,                                                                            \
             .key = key_,                                                                          \
             .flag = flag_,                                                                        \
             .has_twin = true,                                                                     \
             .capability = capability_,                                                            \
             .type = TYPE_BOOL,                                                                    \
             .form = FILE_BOOL,                                                                    \
             .merge = MERGE_REPLACE,                                                               \
             .trust = TRUST_TIGHTEN,                                                               \
             .section = section_,                                                                  \
             .help = help_,                                                                        \
             __VA_ARGS__}
/* Something of the host that the jail does not have by itself. */
#define CAPABILITY(id_, key_, flag_, help_)                                                        \
    SWITCH(id_, key_, flag_, FORM_FLAG, "Host capabilities", help_, .preset = false)
/* The key in files is the older one, which says the opposite. */
#define CAPABILITY_INVERTED(id_, key_, flag_, help_)                                               \
    SWITCH(id_, key_, flag_, FORM_FLAG, "Host capabilities", help_, .inverted = true)
/* A wall, which stands unless the key, which says the opposite, is set. */
#define WALL_INVERTED(id_, key_, flag_, help_)                                                     \
    SWITCH(id_, key_, flag_, FORM_FLAG | FORM_TWIN, "Protection", help_, .inverted = true,         \
           .preset = true, .strict = true)
/* A list of strings, to which every layer appends. */
#define CHECKED_LIST(id_, key_, flag_, capability_, section_, arg_, paths_, trust_, help_, fault_) \
    [id_] = {.id = id_,                                                                            \
             .key = key_,                                                                          \
             .flag = flag_,                                                                        \
             .capability = capability_,                                                            \
             .type = TYPE_LIST,                                                                    \
             .form = FILE_STRINGS,                                                                 \
             .paths = paths_,                                                                      \
             .merge = MERGE_APPEND,                                                                \
             .trust = trust_,                                                                      \
             .section = section_,                                                                  \
             .arg = arg_,                                                                          \
             .help = help_,                                                                        \
             .fault = fault_}
#define LIST(...) CHECKED_LIST(__VA_ARGS__, NULL)
/* A list in files alone. */
#define FILE_LIST(id_, key_, form_, paths_, merge_, trust_, support_)                              \
    [id_] = {.id = id_,                                                                            \
             .key = key_,                                                                          \
             .type = TYPE_LIST,                                                                    \
             .form = form_,                                                                        \
             .paths = paths_,                                                                      \
             .merge = merge_,                                                                      \
             .trust = trust_,                                                                      \
             .support = support_}

const struct setting settings[SET_COUNT] = {
    FILE_LIST(SET_COMMAND, "command", FILE_STRINGS, PATHS_NONE, MERGE_REPLACE, TRUST_FREE,
              SUPPORT_FULL),
    [SET_RO_MAPS] = {.id = SET_RO_MAPS,
                     .key = "ro_maps",
                     .flag = "map",
                     .alias = "ro-map",
                     /* "map" is too common a word to warn about */
                     .capability = FORM_ALIAS,
                     .type = TYPE_LIST,
                     .form = FILE_STRINGS,
                     .paths = PATHS_MAP,
                     .merge = MERGE_APPEND,
                     .trust = TRUST_INSIDE,
                     .section = "Files",
                     .arg = "PATH[:DST]",
                     .help = "Show PATH read-only, at DST if given. Repeatable; '\\:' is a colon "
                             "inside a name."},
    LIST(SET_RW_MAPS, "rw_maps", "rw-map", FORM_FLAG, "Files", "PATH[:DST]", PATHS_MAP,
         TRUST_INSIDE, "Show PATH writable, at DST if given. Repeatable."),
    LIST(SET_OVERLAY_MAPS, "overlay_maps", "overlay-map", FORM_FLAG, "Files", "DIR", PATHS_ABSOLUTE,
         TRUST_INSIDE,
         "Show DIR writable, with the changes kept beside it: "
         "--overlay-list shows them. Repeatable."),
    LIST(SET_MASK, "mask", "mask", 0, "Files", "PATH", PATHS_TILDE, TRUST_ADD,
         "Show PATH (a file, a directory, or a pattern such as '**/*.pem') as "
         "empty, for the whole run. Repeatable."),
    LIST(SET_DENY_PATHS, "deny_paths", "deny-path", FORM_FLAG, "Files", "PATH", PATHS_TILDE,
         TRUST_ADD,
         "Refuse every open of PATH (a path or a pattern), for the whole run. Repeatable."),
    LIST(SET_MASK_EXCEPTIONS, "mask_exceptions", "mask-except", 0, "Files", "PATH", PATHS_TILDE,
         TRUST_REFUSED, "Leave PATH (a path or a pattern) out of the masks. Repeatable."),
    LIST(SET_DENY_PATH_EXCEPTIONS, "deny_path_exceptions", "deny-path-except", 0, "Files", "PATH",
         PATHS_TILDE, TRUST_REFUSED,
         "Leave PATH (a path or a pattern) out of the refused paths. Repeatable."),
    [SET_HIDE_DOTDIRS] = {.id = SET_HIDE_DOTDIRS,
                          .key = "hide_dotdirs",
                          .flag = "hide-dotdir",
                          .capability = FORM_FLAG,
                          .type = TYPE_LIST,
                          .form = FILE_STRINGS,
                          .merge = MERGE_APPEND,
                          .trust = TRUST_ADD,
                          .section = "Files",
                          .arg = "NAME",
                          .help = "Never show ~/.NAME, whatever else asks for it. Repeatable.",
                          .fault = dotdir_fault},
    SWITCH(SET_PRIVATE_HOME, "private_home", "private-home", FORM_FLAG | FORM_TWIN, "Files",
           "HOME is an empty directory in memory. Off: the dot directories of HOME are "
           "shown, state of agents and build tools writable; credential stores never.",
           .preset = true, .strict = true),
    SWITCH(SET_AGENT_STATE, "agent_state", "agent-state", FORM_FLAG | FORM_TWIN, "Files",
           "Show the known agent that is started its own directories in HOME, writable, and "
           "pass its own API key.",
           .preset = true),
    [SET_CLAUDE_DIR] = {.id = SET_CLAUDE_DIR,
                        .key = "claude_dir",
                        .flag = "claude-dir",
                        .type = TYPE_TEXT,
                        .form = FILE_STRING,
                        .paths = PATHS_ABSOLUTE,
                        .merge = MERGE_REPLACE,
                        .trust = TRUST_REFUSED,
                        .section = "Files",
                        .arg = "DIR",
                        .help = "Give Claude Code the directory DIR instead of ~/.claude."},
    SWITCH(SET_TOOLCHAINS, "no_toolchains", "toolchains", 0, "Files",
           "Show the build tools installed in HOME, read-only, keep their "
           "caches apart from the host's, and let them reach the registries "
           "of package managers.",
           .inverted = true, .preset = true),
    SWITCH(SET_MISE, "no_mise", "mise", 0, "Files",
           "Show the tools that mise installed, read-only, and take over the "
           "environment it makes for the project.",
           .inverted = true, .preset = true),
    SWITCH(SET_WORKTREE, "no_worktree", "worktree", FORM_FLAG, "Files",
           "In a linked git worktree, show the repository that it belongs to, writable.",
           .inverted = true),
    SWITCH(SET_PROTECT_GIT, "protect_git", "protect-git", FORM_FLAG | FORM_TWIN, "Files",
           "Hooks and configuration of git repositories in the project are "
           "read-only: they would run on the host later.",
           .preset = true, .strict = true),
    SWITCH(SET_HIDE_CONFIG, "no_hide_config", "hide-config", 0, "Files",
           "The project's .ai-jail reads as empty. Off: it can be read, never written.",
           .inverted = true, .preset = true, .strict = true),
    [SET_ALLOW_BROAD_PROJECT] = {.id = SET_ALLOW_BROAD_PROJECT,
                                 .flag = "allow-broad-project",
                                 .type = TYPE_BOOL,
                                 .merge = MERGE_REPLACE,
                                 .trust = TRUST_CLI_ONLY,
                                 .section = "Files",
                                 .help = "Start in a directory that is refused as a project "
                                         "because it holds too much (/, HOME, /etc ...)."},
    SWITCH(SET_LOCKDOWN, "lockdown", "lockdown", FORM_FLAG | FORM_TWIN, "Protection",
           "The strictest jail: the project read-only, nothing of HOME, no "
           "network but the hosts named, every wall or no start.",
           .strict = true),
    WALL_INVERTED(SET_LANDLOCK, "no_landlock", "landlock",
                  "Check every file access a second time with Landlock."),
    WALL_INVERTED(SET_SECCOMP, "no_seccomp", "seccomp",
                  "Refuse dangerous system calls with a seccomp filter."),
    WALL_INVERTED(SET_RLIMITS, "no_rlimits", "rlimits",
                  "Limit processes and open files, and write no core files."),
    SWITCH(SET_ALLOW_DEBUG, "allow_debug", "allow-debug", 0, "Protection",
           "Let debuggers and tracers work inside the jail (ptrace).", .preset = false),
    [SET_BROWSER_PROFILE] =
        {.id = SET_BROWSER_PROFILE,
         .key = "browser_profile",
         .flag = "browser",
         .has_twin = true,
         .type = TYPE_WORD,
         .form = FILE_STRING,
         .merge = MERGE_REPLACE,
         .trust = TRUST_REFUSED,
         .section = "Protection",
         .help = "The command is a browser: hard, its profile is thrown away; soft, it is kept "
                 "apart from the real one. Known browsers are hard by themselves.",
         .words = browser_words,
         .bare_word = "hard",
         .twin_word = "off",
         .preset_word = "auto",
         .synonyms = browser_synonyms},
    [SET_DOWNLOADS] = {.id = SET_DOWNLOADS,
                       .flag = "downloads",
                       .type = TYPE_TEXT,
                       .paths = PATHS_ABSOLUTE,
                       .merge = MERGE_REPLACE,
                       .trust = TRUST_CLI_ONLY,
                       .section = "Protection",
                       .arg = "DIR",
                       .help = "The one directory that a browser may write to, at its own path."},
    CAPABILITY_INVERTED(SET_GPU, "no_gpu", "gpu", "The devices of graphics processors."),
    CAPABILITY(SET_KVM, "kvm", "kvm", "The device for virtual machines, /dev/kvm."),
    CAPABILITY_INVERTED(SET_DISPLAY, "no_display", "display",
                        "The Wayland display: windows, and the clipboard of the desktop."),
    CAPABILITY(SET_X11, "x11", "x11",
               "The X11 display. Its clients can watch the keys and the windows of one another."),
    CAPABILITY(SET_AUDIO, "audio", "audio", "Sound: PipeWire, PulseAudio, /dev/snd."),
    CAPABILITY(SET_HOST_SHM, "host_shm", "host-shm", "The shared memory of the host, /dev/shm."),
    CAPABILITY_INVERTED(SET_DOCKER, "no_docker", "docker",
                        "The socket of Docker: as good as root on the host."),
    CAPABILITY(SET_DOCKER_CONFIG, "docker_config", "docker-config",
               "~/.docker/config.json, read-only."),
    CAPABILITY(SET_SYSTEMD_USER, "systemd_user", "systemd-user",
               "The session bus and systemd of the user: it can start programs outside."),
    CAPABILITY(SET_TAILSCALE, "tailscale", "tailscale", "The socket of tailscaled."),
    [SET_SSH] = {.id = SET_SSH,
                 .key = "ssh",
                 .flag = "ssh",
                 .has_twin = true,
                 .type = TYPE_WORD,
                 .form = FILE_BOOL_OR_WORD,
                 .merge = MERGE_REPLACE,
                 .trust = TRUST_TIGHTEN,
                 .section = "Host capabilities",
                 .help = "~/.ssh, read-only, and the ssh-agent; agent: the agent and what is "
                         "public, no key.",
                 .words = ssh_words,
                 .bare_word = "on",
                 .twin_word = "off",
                 .preset_word = "off",
                 .strict_order = ssh_order},
    CAPABILITY(SET_PICTURES, "pictures", "pictures", "~/Pictures, read-only."),
    CAPABILITY(SET_GITHUB, "github", "github",
               "The configuration of gh, read-only, and its token as GH_TOKEN."),
    CAPABILITY(SET_AWS, "aws", "aws", "~/.aws, read-only."),
    CAPABILITY(SET_KUBE, "kube", "kube", "~/.kube, read-only."),
    CAPABILITY(SET_GCLOUD, "gcloud", "gcloud", "~/.config/gcloud, read-only."),
    SWITCH(SET_MACOS_HOST_IPC, "macos_host_ipc", "macos-host-ipc", FORM_FLAG, "Host capabilities",
           "macOS: Mach services, IOKit and shared memory of the host.",
           .support = SUPPORT_NO_EFFECT),
    /* Three-valued in files: unset means off as long as there is nothing between on and off. */
    SWITCH(SET_NETWORK, "network", "network", FORM_FLAG | FORM_TWIN, "Network",
           "Use the network of the host. Off: only a loopback of its own, no "
           "way out.",
           .preset = false),
    CHECKED_LIST(SET_ALLOW_HOSTS, "allow_hosts", "allow-host", FORM_FLAG, "Network", "HOST[:PORT]",
                 PATHS_NONE, TRUST_NARROW,
                 "Let the command reach HOST and its subdomains (ports 80 and 443, "
                 "or PORT) through a proxy; also an address, a network, or "
                 "raw:HOST:PORT for what is neither TLS nor HTTP. Repeatable.",
                 allow_fault),
    CHECKED_LIST(SET_ALLOW_PRIVATE, "allow_private", "allow-private", FORM_FLAG, "Network",
                 "HOST[:PORT]", PATHS_NONE, TRUST_REFUSED,
                 "The same for a host whose name leads into a private network. Repeatable.",
                 allow_fault),
    [SET_FORWARD_PORTS] =
        {.id = SET_FORWARD_PORTS,
         .key = "forward_ports",
         .flag = "forward-port",
         .capability = FORM_FLAG,
         .type = TYPE_LIST,
         .form = FILE_PORTS,
         .merge = MERGE_APPEND,
         .trust = TRUST_REFUSED,
         .section = "Network",
         .arg = "HOSTPORT[:JAILPORT]",
         .help =
             "Let the command reach a TCP port of this machine's loopback, at JAILPORT if given. "
             "Repeatable."},
    [SET_PUBLISH_PORTS] =
        {.id = SET_PUBLISH_PORTS,
         .key = "publish_ports",
         .flag = "publish",
         .capability = FORM_FLAG,
         .type = TYPE_LIST,
         .form = FILE_PORTS,
         .merge = MERGE_APPEND,
         .trust = TRUST_REFUSED,
         .section = "Network",
         .arg = "JAILPORT[:HOSTPORT]",
         .help = "Show a TCP port of the jail on this machine's loopback, at HOSTPORT if given (0: "
                 "any free one, which is said). Repeatable."},
    [SET_SECRET_HOSTS] =
        {.id = SET_SECRET_HOSTS,
         .key = "secret_hosts",
         .flag = "secret",
         .capability = FORM_FLAG,
         .type = TYPE_LIST,
         .form = FILE_HOSTS_BY_KEY,
         .merge = MERGE_APPEND,
         .trust = TRUST_REFUSED,
         .section = "Network",
         .arg = "NAME=HOST",
         .help = "Show the command a placeholder instead of the variable NAME; the proxy puts in "
                 "the value, for HOST alone. Repeatable."},
    [SET_ALLOW_TCP_PORTS] = {.id = SET_ALLOW_TCP_PORTS,
                             .key = "allow_tcp_ports",
                             .flag = "allow-tcp-port",
                             .type = TYPE_LIST,
                             .form = FILE_PORT_NUMBERS,
                             .merge = MERGE_APPEND,
                             .trust = TRUST_REFUSED,
                             .support = SUPPORT_REFUSED,
                             .section = "Network",
                             .arg = "PORT",
                             .help = "Not any more: --allow-host HOST:PORT.",
                             .fault = port_fault},
    [SET_ENV_PASS] = {.id = SET_ENV_PASS,
                      .key = "env_pass",
                      .flag = "env",
                      .type = TYPE_LIST,
                      .form = FILE_STRINGS,
                      .merge = MERGE_APPEND_ALL,
                      .trust = TRUST_REFUSED,
                      .section = "Environment",
                      .arg = "NAME[=VALUE]",
                      .help = "Pass one variable, or set it to VALUE. Repeatable; the last entry "
                              "for a name wins.",
                      .fault = env_fault},
    [SET_ENV_FROM_FILE] = {.id = SET_ENV_FROM_FILE,
                           .key = "env_from_file",
                           .flag = "env-from-file",
                           .type = TYPE_LIST,
                           .form = FILE_STRINGS,
                           .paths = PATHS_ABSOLUTE,
                           .merge = MERGE_APPEND,
                           .trust = TRUST_REFUSED,
                           .section = "Environment",
                           .arg = "FILE",
                           .help = "Pass the variables of FILE: one NAME=VALUE a line; the file "
                                   "must be yours alone. Repeatable; --env wins."},
    SWITCH(SET_INHERIT_ENV, "inherit_env", "inherit-env", FORM_FLAG, "Environment",
           "Pass the whole environment, secrets included, except variables "
           "that lead out of the jail.",
           .preset = false),
    /* Remembered in a file of the program's own (prefs.h). Alone: on, in the style that is known. */
    [SET_STATUS_BAR] = {.id = SET_STATUS_BAR,
                        .flag = "status-bar",
                        .short_flag = 's',
                        .has_twin = true,
                        .type = TYPE_WORD,
                        .merge = MERGE_REPLACE,
                        .trust = TRUST_CLI_ONLY,
                        .section = "Terminal and messages",
                        .help = "Reserve the last row of the terminal for a line that says what "
                                "the jail allows.",
                        .words = style_words,
                        .bare_word = "on",
                        .twin_word = "off",
                        .preset_word = "off"},
    [SET_EXEC] = {.id = SET_EXEC,
                  .flag = "exec",
                  .type = TYPE_BOOL,
                  .merge = MERGE_REPLACE,
                  .trust = TRUST_CLI_ONLY,
                  .section = "Terminal and messages",
                  .help = "Quiet, for scripts: only errors and security messages are shown."},
    SWITCH(SET_TERMINAL_PASSTHROUGH, "terminal_passthrough", "terminal-passthrough", FORM_FLAG,
           "Terminal and messages", "Give the command's output to the terminal unfiltered.",
           .preset = false),
    [SET_CLIPBOARD] = {.id = SET_CLIPBOARD,
                       .key = "clipboard",
                       .flag = "clipboard",
                       .has_twin = true,
                       .type = TYPE_WORD,
                       .form = FILE_STRING,
                       .merge = MERGE_REPLACE,
                       .trust = TRUST_TIGHTEN,
                       .section = "Terminal and messages",
                       .help = "Copy: the command may put text into the clipboard of the terminal. "
                               "It can never read it.",
                       .words = clipboard_words,
                       .bare_word = "copy",
                       .twin_word = "off",
                       .preset_word = "off",
                       .strict_order = clipboard_order},
    [SET_BACKEND] = {.id = SET_BACKEND,
                     .flag = "backend",
                     .type = TYPE_WORD,
                     .merge = MERGE_REPLACE,
                     .trust = TRUST_CLI_ONLY,
                     .section = "Terminal and messages",
                     .help = "With --dry-run: what the same run would be on the other system, as "
                             "bubblewrap's call or as a seatbelt profile.",
                     .words = backend_words,
                     .preset_word = "bwrap"},
    [SET_VERBOSE] = {.id = SET_VERBOSE,
                     .flag = "verbose",
                     .short_flag = 'v',
                     .type = TYPE_BOOL,
                     .merge = MERGE_REPLACE,
                     .trust = TRUST_CLI_ONLY,
                     .section = "Terminal and messages",
                     .help = "Say on stderr what was decided and why."},
    [SET_SAVE_CONFIG] = {.id = SET_SAVE_CONFIG,
                         .key = "no_save_config",
                         .flag = "save-config",
                         .has_twin = true,
                         .inverted = true,
                         .type = TYPE_BOOL,
                         .form = FILE_BOOL,
                         .merge = MERGE_REPLACE,
                         .trust = TRUST_FREE,
                         .preset = true,
                         .section = "Files that ai-jail writes",
                         .help = "The first run in a directory writes ./.ai-jail with the command "
                                 "and what was tightened."},
    SWITCH(SET_AUDIT_LOG, "audit_log", "audit-log", 0, "Files that ai-jail writes",
           "Keep a log of what was started, allowed and refused: --audit-show "
           "reads it.",
           .strict = true),
    [SET_REPORT] = {.id = SET_REPORT,
                    .flag = "report",
                    .type = TYPE_TEXT,
                    .paths = PATHS_ABSOLUTE,
                    .merge = MERGE_REPLACE,
                    .trust = TRUST_CLI_ONLY,
                    .section = "Files that ai-jail writes",
                    .arg = "FILE",
                    .help = "Write what was refused, changed and lost to FILE, as JSON, when the "
                            "run ends."},
    SWITCH(SET_UPDATE_CHECK, "update_check", "update-check", 0, "Files that ai-jail writes",
           "With a status bar: ask the page of releases, with curl, for a newer version.",
           .preset = false),
    FILE_LIST(SET_TRUST_PROJECT_CONFIG, "trust_project_config", FILE_STRINGS, PATHS_TILDE,
              MERGE_APPEND, TRUST_GLOBAL, SUPPORT_FULL),
    [SET_STATUS_BAR_SWITCH] = {.id = SET_STATUS_BAR_SWITCH,
                               .key = "no_status_bar",
                               .inverted = true,
                               .type = TYPE_BOOL,
                               .form = FILE_BOOL,
                               .merge = MERGE_REPLACE,
                               .trust = TRUST_IGNORED},
    [SET_STATUS_BAR_STYLE] = {.id = SET_STATUS_BAR_STYLE,
                              .key = "status_bar_style",
                              .type = TYPE_WORD,
                              .form = FILE_STRING,
                              .merge = MERGE_REPLACE,
                              .trust = TRUST_IGNORED,
                              .words = style_words,
                              .bare_word = "pastel",
                              .preset_word = "pastel"},
    [SET_RESIZE_REDRAW_KEY] = {.id = SET_RESIZE_REDRAW_KEY,
                               .key = "resize_redraw_key",
                               .type = TYPE_TEXT,
                               .form = FILE_STRING,
                               .merge = MERGE_REPLACE,
                               .trust = TRUST_IGNORED},
};
