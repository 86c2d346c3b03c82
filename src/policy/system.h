// SPDX-License-Identifier: GPL-3.0-only
/*
 * system: the part of the plan that is the same for every command: system directories read-only,
 * private /dev /proc /tmp /run /var, generated files in /etc, masks in /proc, /sys and, for a jail
 * started by root, over what others may not read.
 */
#pragma once

#include "host.h"
#include "policy/environment.h"
#include "policy/plan.h"

/* Adds the groups 1 to 4. */
void system_add(struct plan *plan, const struct host *host, enum network_mode network,
                struct notes *notes);

/* What lockdown hides of /sys beside that: modules, mainboard, network cards. */
void system_add_lockdown(struct plan *plan, const struct host *host);

/* /nix/store and the profiles, when one of the paths that matter lies there: PATH entries, the
 * command, bubblewrap, the targets of /etc/hosts and /etc/resolv.conf. */
void system_add_nix(struct plan *plan, const struct host *host, const char *command_path);

/* /var/tmp is a link to /tmp, through which nothing can be mounted: where the plan has something below it,
 * HOME perhaps or the project, it becomes a directory of its own. After the last entry was added. */
void system_settle(struct plan *plan, const struct host *host);

/* Started by uid 0: masks files below /etc and /opt that others may not read. -E2BIG when there are
 * more entries than the walk is allowed to see. */
int system_mask_root_only(struct plan *plan, const struct host *host, struct error *error);

/* Sizes of the tmpfs mounts in bytes. */
uint64_t system_tmpfs_bytes(const struct host *host);
