// SPDX-License-Identifier: GPL-3.0-only
/*
 * policy: the decision. A pure function of the merged configuration and the host's facts.
 */
#pragma once

#include "config/config.h"
#include "host.h"
#include "net/allow.h"
#include "net/credential.h"
#include "net/parent.h"
#include "policy/agents.h"
#include "policy/browsers.h"
#include "policy/command.h"
#include "policy/environment.h"
#include "policy/masks.h"
#include "policy/mise.h"
#include "policy/overlays.h"
#include "policy/plan.h"
#include "policy/ports.h"

/* Limits of the command; UINT64_MAX: not set. */
struct limits {
    uint64_t nproc;
    uint64_t nofile_hard;
    uint64_t core;
    uint64_t fsize;
};

struct policy {
    const struct host *host; /* borrowed */
    /* What was decided from: what policy_build() was given, or that without what lockdown or a browser drops. */
    const struct config *config; /* borrowed, or tightened */
    struct config tightened;
    struct config adapted; /* macOS: without what has no meaning there */
    char *project;         /* canonical */
    struct strv argv;
    struct strv env; /* NAME=VALUE */
    struct command command;
    const struct agent *agent; /* the known agent that the command is, or NULL */
    struct browser browser;    /* what kind of browser the command is, if one */
    struct plan plan;
    struct strv links;        /* macOS: links that the user's spellings of paths go over */
    struct mask_rules *masks; /* what is covered, also later */
    struct overlays overlays;
    struct in_step in_step; /* files that the mounter keeps equal inside and outside */
    struct mise mise;       /* who is asked for the environment, inside */
    struct limits limits;
    enum network_mode network;
    struct credentials credentials; /* NETWORK_FILTERED: values that the proxy puts in */
    struct allow_list hosts;        /* NETWORK_FILTERED: what may be reached */
    struct parents parents;         /* the same: proxies of the host that it is reached through */
    struct port_pairs forward;      /* not NETWORK_FULL: ports of the host in the jail */
    struct port_pairs publish;      /* the same: ports of the jail on the host */
    bool lockdown;                  /* the strictest mode */
    const char *report_file;        /* of --report, absolute; borrowed; NULL: none */
    bool private_home;
    bool landlock;
    bool seccomp;
    bool rlimits;
    bool allow_debug;
    bool protect_git; /* also repositories that appear */
    bool by_root;     /* started by uid 0 */
    bool is_trial;    /* no command is run: the walls are tried from inside; set by --doctor */
};

/*
 * command: words of the command, empty means bash. Fails with the line to print when the project
 * directory is refused or something contradicts itself. Notes are for main to print.
 */
int policy_build(struct policy *policy, const struct config *config, const struct host *host,
                 const struct strv *command, struct notes *notes, struct error *error);
void policy_free(struct policy *policy);

/* Names used inside. */
#define JAIL_HOSTNAME "ai-sandbox"
