// SPDX-License-Identifier: GPL-3.0-only
/*
 * env_names: the table of variable names. Exact names first (sorted, searched by halves), then
 * prefixes, then endings.
 */
#include "policy/env_names.h"

#include <stdlib.h>
#include <string.h>

struct env_name {
    const char *name;
    enum env_treatment treatment;
};

/* In the order of strcmp(). HOME, TMPDIR, XDG_RUNTIME_DIR and WT_SESSION are never copied because
 * the jail has its own. */
static const struct env_name names[] = {
    {"ALACRITTY_SOCKET", ENV_NEVER},
    {"ALL_PROXY", ENV_PROXY},
    {"ASDF_DATA_DIR", ENV_TOOL_DIR},
    {"ASDF_DIR", ENV_TOOL_DIR},
    {"BUN_INSTALL", ENV_TOOL_DIR},
    {"BWRAP_BIN", ENV_NEVER},
    {"CARGO_HOME", ENV_TOOL_HOME},
    {"CARGO_HTTP_CAINFO", ENV_CERTIFICATE},
    {"COLORFGBG", ENV_COPY},
    {"COLORTERM", ENV_COPY},
    {"CURL_CA_BUNDLE", ENV_CERTIFICATE},
    {"DBUS_SESSION_BUS_ADDRESS", ENV_NEVER},
    {"DENO_INSTALL", ENV_TOOL_DIR},
    {"DISPLAY", ENV_NEVER},
    {"DOCKER_HOST", ENV_NEVER},
    {"DOTNET_ROOT", ENV_TOOL_DIR},
    {"EDITOR", ENV_COPY},
    {"FNM_DIR", ENV_TOOL_DIR},
    {"FORCE_COLOR", ENV_COPY},
    {"FTP_PROXY", ENV_PROXY},
    {"GHOSTTY_BIN_DIR", ENV_NEVER},
    {"GIT_SSL_CAINFO", ENV_CERTIFICATE},
    {"GOPATH", ENV_TOOL_HOME},
    {"GOROOT", ENV_TOOL_DIR},
    {"GPG_AGENT_INFO", ENV_NEVER},
    {"GRADLE_USER_HOME", ENV_TOOL_HOME},
    {"HOME", ENV_NEVER},
    {"HTTPS_PROXY", ENV_PROXY},
    {"HTTP_PROXY", ENV_PROXY},
    {"ITERM_SESSION_ID", ENV_NEVER},
    {"JAVA_HOME", ENV_TOOL_DIR},
    {"KITTY_LISTEN_ON", ENV_NEVER},
    {"KITTY_PUBLIC_KEY", ENV_NEVER},
    {"LANG", ENV_COPY},
    {"LANGUAGE", ENV_COPY},
    {"LOGNAME", ENV_COPY},
    {"MAVEN_HOME", ENV_TOOL_DIR},
    {"MISE_CONFIG_DIR", ENV_TOOL_DIR},
    {"MISE_DATA_DIR", ENV_TOOL_DIR},
    {"NIX_SSL_CERT_FILE", ENV_CERTIFICATE},
    {"NODE_EXTRA_CA_CERTS", ENV_CERTIFICATE},
    {"NO_COLOR", ENV_COPY},
    {"NO_PROXY", ENV_PROXY},
    {"NVM_DIR", ENV_TOOL_DIR},
    {"PATH", ENV_COPY},
    {"PIPX_HOME", ENV_TOOL_DIR},
    {"PNPM_HOME", ENV_TOOL_DIR},
    {"PYENV_ROOT", ENV_TOOL_DIR},
    {"RBENV_ROOT", ENV_TOOL_DIR},
    {"REQUESTS_CA_BUNDLE", ENV_CERTIFICATE},
    {"RUSTUP_HOME", ENV_TOOL_DIR},
    {"SDKMAN_DIR", ENV_TOOL_DIR},
    {"SHELL", ENV_COPY},
    {"SSH_AGENT_PID", ENV_NEVER},
    {"SSH_AUTH_SOCK", ENV_NEVER},
    {"SSL_CERT_DIR", ENV_CERT_DIRS},
    {"SSL_CERT_FILE", ENV_CERTIFICATE},
    {"STY", ENV_NEVER},
    {"TERM", ENV_COPY},
    {"TERM_SESSION_ID", ENV_NEVER},
    {"TMPDIR", ENV_NEVER},
    {"TMUX", ENV_NEVER},
    {"TMUX_PANE", ENV_NEVER},
    {"TZ", ENV_COPY},
    {"USER", ENV_COPY},
    {"VISUAL", ENV_COPY},
    {"VOLTA_HOME", ENV_TOOL_DIR},
    {"VTE_VERSION", ENV_COPY},
    {"WAYLAND_DISPLAY", ENV_NEVER},
    {"WEZTERM_UNIX_SOCKET", ENV_NEVER},
    {"WINDOWID", ENV_NEVER},
    {"WT_SESSION", ENV_NEVER},
    {"XAUTHORITY", ENV_NEVER},
    {"XDG_CACHE_HOME", ENV_XDG_HOME},
    {"XDG_CONFIG_HOME", ENV_XDG_HOME},
    {"XDG_DATA_HOME", ENV_XDG_HOME},
    {"XDG_RUNTIME_DIR", ENV_NEVER},
    {"XDG_STATE_HOME", ENV_XDG_HOME},
    {"all_proxy", ENV_PROXY},
    {"ftp_proxy", ENV_PROXY},
    {"http_proxy", ENV_PROXY},
    {"https_proxy", ENV_PROXY},
    {"no_proxy", ENV_PROXY},
};

/* AI_JAIL is set inside; whatever else begins with it is ours and tells about the host. */
static const struct env_name prefixes[] = {
    {"AI_JAIL", ENV_NEVER},     {"HERDR_", ENV_NEVER},      {"LC_", ENV_COPY},
    {"TERM_PROGRAM", ENV_COPY}, {"VSCODE_IPC_", ENV_NEVER}, {"XDG_", ENV_COPY},
    {"ZELLIJ", ENV_NEVER},
};

struct key {
    const char *name;
    size_t len;
};

static int compare(const void *wanted, const void *row)
{
    const struct key *key = wanted;
    const char *name = ((const struct env_name *)row)->name;
    int r = strncmp(key->name, name, key->len);

    return r ? r : -(name[key->len] != '\0');
}

static bool ends_with(const char *name, size_t len, const char *ending)
{
    size_t ending_len = strlen(ending);

    return len > ending_len && memcmp(name + len - ending_len, ending, ending_len) == 0;
}

enum env_treatment env_treatment_of(const char *name, size_t len)
{
    struct key key = {name, len};
    const struct env_name *row = bsearch(&key, names, ARRAY_SIZE(names), sizeof(names[0]), compare);

    if (row)
        return row->treatment;
    for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
        size_t prefix_len = strlen(prefixes[i].name);

        if (len < prefix_len || memcmp(name, prefixes[i].name, prefix_len) != 0)
            continue;
        if (str_eq(prefixes[i].name, "XDG_") && ends_with(name, len, "_DIRS"))
            return ENV_XDG_DIRS;
        return prefixes[i].treatment;
    }
    if (ends_with(name, len, "_proxy") || ends_with(name, len, "_PROXY"))
        return ENV_PROXY_LIKE;
    return ENV_UNKNOWN;
}
