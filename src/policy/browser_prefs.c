// SPDX-License-Identifier: GPL-3.0-only
/*
 * browser_prefs: user.js, which Firefox reads at every start.
 *
 * Firefox copies what it reads there into its own prefs.js, where it stays. So every start says
 * everything that some start says, also what is the built-in value: a profile that is kept carries
 * nothing over from a run with another network.
 *
 * The names are documented in Firefox's modules/libpref/init/all.js and
 * browser/app/profile/firefox.js.
 */
#include "policy/browser_prefs.h"

#include "base/buf.h"

#include <string.h>

#define TEXT_MAX (64 * KIB)

struct pref {
    const char *name;
    const char *value;
};

/* In every network. */
static const struct pref always[] = {
    {"app.normandy.enabled", "false"},
    {"app.shield.optoutstudies.enabled", "false"},
    {"app.update.auto", "false"},
    {"browser.aboutwelcome.enabled", "false"},
    {"browser.newtabpage.activity-stream.feeds.telemetry", "false"},
    {"browser.newtabpage.activity-stream.telemetry", "false"},
    {"browser.ping-centre.telemetry", "false"},
    {"browser.places.speculativeConnect.enabled", "false"},
    {"browser.shell.checkDefaultBrowser", "false"},
    {"browser.urlbar.speculativeConnect.enabled", "false"},
    {"datareporting.healthreport.uploadEnabled", "false"},
    {"datareporting.policy.dataSubmissionEnabled", "false"},
    {"network.captive-portal-service.enabled", "false"},
    {"network.connectivity-service.enabled", "false"},
    {"network.dns.disablePrefetch", "true"},
    {"network.dns.disablePrefetchFromHTTPS", "true"},
    {"network.http.speculative-parallel-limit", "0"},
    {"network.predictor.enabled", "false"},
    {"network.prefetch-next", "false"},
    {"toolkit.telemetry.archive.enabled", "false"},
    {"toolkit.telemetry.bhrPing.enabled", "false"},
    {"toolkit.telemetry.enabled", "false"},
    {"toolkit.telemetry.firstShutdownPing.enabled", "false"},
    {"toolkit.telemetry.newProfilePing.enabled", "false"},
    {"toolkit.telemetry.shutdownPingSender.enabled", "false"},
    {"toolkit.telemetry.unified", "false"},
    {"toolkit.telemetry.updatePing.enabled", "false"},
};

/* By network: 0 none, 1 the proxy that follows, 5 the system's; 5 for DNS over HTTPS is off, whatever
 * Firefox thinks of it. */
static const struct pref off[] = {
    {"network.proxy.type", "0"},
    {"network.trr.mode", "5"},
};
static const struct pref filtered[] = {
    {"network.proxy.type", "1"},
    {"network.trr.mode", "5"},
};
static const struct pref full[] = {
    {"network.proxy.type", "5"},
    {"network.trr.mode", "0"},
};
static const struct pref proxy[] = {
    {"network.proxy.http", "\"127.0.0.1\""},
    {"network.proxy.ssl", "\"127.0.0.1\""},
    {"network.proxy.share_proxy_settings", "false"},
    {"network.proxy.socks", "\"\""},
    {"network.proxy.no_proxies_on", "\"\""},
    {"network.proxy.failover_direct", "false"}, /* to where there is no way */
};

static void add(struct buf *text, const char *name, const char *value)
{
    buf_printf(text, "user_pref(\"%s\", %s);\n", name, value);
}

static void add_all(struct buf *text, const struct pref *prefs, size_t n)
{
    for (size_t i = 0; i < n; i++)
        add(text, prefs[i].name, prefs[i].value);
}

/* As a string of JavaScript: no byte ends it or the line. malloc'ed. */
static char *quoted(const char *bytes)
{
    struct buf text CLEANUP(buf_free);

    buf_init(&text, TEXT_MAX);
    buf_append_byte(&text, '"');
    for (const char *c = bytes; *c; c++) {
        if (*c == '"' || *c == '\\')
            buf_append_byte(&text, '\\');
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            buf_printf(&text, "\\x%02x", (unsigned)*c);
        else
            buf_append_byte(&text, (uint8_t)*c);
    }
    buf_append_byte(&text, '"');
    return buf_take_cstr(&text);
}

/* 2: the directory that follows, 1: the one of the desktop. */
static void add_downloads(struct buf *text, const char *downloads)
{
    _cleanup_free_ char *dir = quoted(downloads ? downloads : "");

    add(text, "browser.download.folderList", downloads ? "2" : "1");
    add(text, "browser.download.dir", dir);
}

char *browser_prefs_text(enum network_mode network, unsigned proxy_port, const char *downloads)
{
    struct buf text CLEANUP(buf_free);

    buf_init(&text, TEXT_MAX);
    buf_append_str(&text, "// Written by ai-jail before every start.\n");
    add_all(&text, always, ARRAY_SIZE(always));
    switch (network) {
    case NETWORK_OFF:
        add_all(&text, off, ARRAY_SIZE(off));
        break;
    case NETWORK_FILTERED:
        add_all(&text, filtered, ARRAY_SIZE(filtered));
        break;
    case NETWORK_FULL:
        add_all(&text, full, ARRAY_SIZE(full));
        break;
    }
    add_all(&text, proxy, ARRAY_SIZE(proxy));
    buf_printf(&text, "user_pref(\"network.proxy.http_port\", %u);\n", proxy_port);
    buf_printf(&text, "user_pref(\"network.proxy.ssl_port\", %u);\n", proxy_port);
    add_downloads(&text, downloads);
    return buf_take_cstr(&text);
}
