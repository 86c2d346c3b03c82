// SPDX-License-Identifier: GPL-3.0-only
/*
 * hosts: which network a run has, and which hosts it may reach.
 */
#pragma once

#include "config/config.h"
#include "net/allow.h"
#include "policy/environment.h"

/*
 * Decides from the merged settings "network" and "allow_hosts":
 *
 *     on                     the host's network
 *     off                    none
 *     off and hosts          exactly these hosts
 *     unset                  these hosts, and the automatic ones: of the agent, of the registries of
 *                            package managers; none if the list stays empty
 *
 * An untrusted project that names hosts narrows the automatic ones, too: those stay that one of its
 * entries covers. An empty list that somebody trusted wrote is no list.
 *
 * agent: effective name of the command, NULL where automatic hosts of an agent do not apply.
 * list is filled from scratch and wants allow_free() either way. 0, or -EINVAL for an entry that
 * cannot be understood.
 */
int hosts_decide(enum network_mode *mode, struct allow_list *list, const struct config *config,
                 const char *agent, struct notes *notes, struct error *error);
/* What the command needs of the network beside hosts, and will not find in this mode. */
void hosts_note_command(const struct strv *argv, const char *agent, enum network_mode mode,
                        struct notes *notes);
/* "off", "filtered", "full": static text. */
const char *hosts_mode_name(enum network_mode mode);
