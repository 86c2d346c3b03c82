// SPDX-License-Identifier: GPL-3.0-only
/*
 * own_peer: connections that have met themselves.
 */
#pragma once

#include "base/base.h"

/*
 * True if both ends of the connected socket are the same one. Where nobody listens on a port of this machine
 * that the kernel may also choose for the near end, a connection can meet itself (RFC 9293, 3.5: both sides
 * open). Nobody is there; whoever finds that resets it, so that the port is free for whoever is to listen on it.
 */
bool socket_is_own_peer(int fd);
