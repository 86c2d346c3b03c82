// SPDX-License-Identifier: GPL-3.0-only
/*
 * seatbelt: the profile, section by section.
 *
 * Nothing is permitted that no rule names, and of the rules that match, the last one decides: denies stand
 * behind the allows. A file is judged by the path that it has without links; but to get there, a process looks
 * at every directory and link on the way, so those may be looked at, and no more.
 *
 * What is not here, and why: no rule has "subpath /" or is without a filter where there could be one; no name
 * of a Mach service is a pattern; mach-register is never given; no terminal but that of the run, and those
 * that the command opens itself (which the kernel marks with an extension), can be opened; sockets of others are
 * out of reach in every network mode, unless the policy names them.
 */
#include "backend/seatbelt_parts.h"

#include "policy/hosts.h"

#include <stdlib.h>
#include <string.h>

bool seatbelt_has_state_of(const struct policy *policy, const char *agent)
{
    return policy->agent && str_eq(agents_name(policy->agent), agent) && !policy->lockdown &&
           policy->browser.profile == BROWSER_NONE && config_flag(policy->config, SET_AGENT_STATE);
}

bool seatbelt_has_keychain(const struct policy *policy)
{
    return seatbelt_has_state_of(policy, "claude");
}

/* ---- Mach services ---- */

static bool has_some_network(const struct policy *policy)
{
    return policy->network != NETWORK_OFF;
}

static bool has_full_network(const struct policy *policy)
{
    return policy->network == NETWORK_FULL;
}

/* Services by name, NULL behind the last; when: NULL means always. */
static const struct mach_group {
    const char *what;
    bool (*when)(const struct policy *policy);
    const char *names[3];
} mach_groups[] = {
    {"preferences, log", NULL, {"com.apple.cfprefsd.daemon", "com.apple.system.logger"}},
    {"users and groups",
     NULL,
     {"com.apple.system.opendirectoryd.libinfo", "com.apple.system.opendirectoryd.membership"}},
    {"certificates", has_some_network, {"com.apple.trustd", "com.apple.trustd.agent"}},
    {"network configuration", has_some_network, {"com.apple.SystemConfiguration.configd"}},
    {"names of hosts",
     has_full_network,
     {"com.apple.SystemConfiguration.DNSConfiguration", "com.apple.dnssd.service"}},
    {"keychain", seatbelt_has_keychain, {"com.apple.SecurityServer", "com.apple.securityd.xpc"}},
};

static void put_mach(struct seatbelt_text *text, const struct policy *policy)
{
    for (size_t i = 0; i < ARRAY_SIZE(mach_groups); i++) {
        const struct mach_group *group = &mach_groups[i];

        if (group->when && !group->when(policy))
            continue;
        seatbelt_put_comment(text, group->what);
        for (size_t k = 0; k < ARRAY_SIZE(group->names) && group->names[k]; k++) {
            seatbelt_put(text, "(allow mach-lookup (global-name ");
            seatbelt_put_string(text, group->names[k]);
            seatbelt_put(text, "))\n");
        }
    }
}

/* ---- processes, host IPC, terminals, devices ---- */

static void put_processes(struct seatbelt_text *text)
{
    seatbelt_put(text, "(version 1)\n(deny default)\n");
    seatbelt_put_comment(text, "processes");
    seatbelt_put(text, "(allow process-exec)\n"
                       "(allow process-fork)\n"
                       "(allow process-info* (target same-sandbox))\n"
                       "(allow signal (target same-sandbox))\n"
                       "(allow sysctl-read)\n");
}

static void put_host_ipc(struct seatbelt_text *text, const struct policy *policy)
{
    if (!config_flag(policy->config, SET_MACOS_HOST_IPC) || policy->lockdown ||
        policy->browser.profile != BROWSER_NONE)
        return;
    seatbelt_put_comment(text, "host IPC");
    seatbelt_put(text, "(allow signal)\n"
                       "(allow ipc-posix-shm-read-data ipc-posix-shm-write-data\n"
                       "  ipc-posix-shm-read-metadata ipc-posix-shm-write-create)\n"
                       "(allow ipc-posix-sem)\n"
                       "(allow mach-lookup)\n"
                       "(allow mach-host*)\n"
                       "(allow file-ioctl)\n"
                       "(allow iokit-open)\n");
}

static void put_terminals(struct seatbelt_text *text, const char *tty)
{
    static const char head[] = "allow file-read* file-write* file-ioctl";
    struct seatbelt_filters devices _cleanup_filters_ = {0};

    seatbelt_put_comment(text, "terminals");
    seatbelt_put(text, "(allow pseudo-tty)\n");
    seatbelt_filters_add(&devices, SEATBELT_LITERAL, "/dev/ptmx");
    if (tty) {
        seatbelt_filters_add(&devices, SEATBELT_LITERAL, tty);
        seatbelt_filters_add(&devices, SEATBELT_LITERAL, "/dev/tty");
    }
    seatbelt_put_rule(text, head, &devices, NULL);
    seatbelt_put(text, "(allow file-read* file-write* file-ioctl\n"
                       "  (require-all\n"
                       "    (regex \"^/dev/ttys[0-9]+$\")\n"
                       "    (extension \"com.apple.sandbox.pty\")))\n");
}

static void put_device_writes(struct seatbelt_text *text)
{
    static const char *const paths[] = {"/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"};
    struct seatbelt_filters devices _cleanup_filters_ = {0};

    for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
        seatbelt_filters_add(&devices, SEATBELT_LITERAL, paths[i]);
    seatbelt_put_comment(text, "device writes");
    seatbelt_put_rule(text, "allow file-write*", &devices, NULL);
}

/* ---- network ---- */

/* Addresses only: a rule without one would open the sockets of every service of the host. */
static const char full_network[] =
    "(allow network-outbound (remote ip \"*:*\"))\n"
    "(allow network-inbound network-bind (local ip \"*:*\"))\n"
    "(allow system-socket)\n"
    "(allow file-read*\n"
    "  (literal \"/private/var/run/mDNSResponder\")\n"
    "  (literal \"/private/var/run/resolv.conf\"))\n"
    "(allow network-outbound (literal \"/private/var/run/mDNSResponder\"))\n";

static void put_network(struct seatbelt_text *text, const struct policy *policy,
                        const struct seatbelt_grants *grants)
{
    seatbelt_put_comment(text, "network");
    if (policy->network == NETWORK_FULL)
        seatbelt_put(text, full_network);
    else if (policy->network == NETWORK_FILTERED)
        buf_printf(&text->out, "(allow network-outbound (remote tcp \"localhost:%u\"))\n",
                   policy->host->macos.port);
    seatbelt_put_comment(text, "sockets of its own");
    seatbelt_put_rule(text, "allow network-bind network-inbound network-outbound", &grants->sockets,
                      NULL);
}

char *seatbelt_profile(const struct policy *policy, const struct seatbelt_facts *facts,
                       struct error *error)
{
    struct seatbelt_text text CLEANUP(seatbelt_text_free);
    struct seatbelt_grants grants _cleanup_grants_ = {0};

    assert(policy->host->macos.is_on);
    seatbelt_text_init(&text);
    seatbelt_grants_collect(&grants, policy);
    put_processes(&text);
    put_mach(&text, policy);
    put_host_ipc(&text, policy);
    put_terminals(&text, facts->tty);
    put_device_writes(&text);
    put_network(&text, policy, &grants);
    seatbelt_put_grants(&text, policy, &grants);
    seatbelt_put_denies(&text, policy, &grants);
    return seatbelt_text_take(&text, error);
}
