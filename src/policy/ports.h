// SPDX-License-Identifier: GPL-3.0-only
/*
 * ports: which TCP ports of the two loopbacks are connected: --forward-port brings one of the host
 * into the jail, --publish one of the jail to the host.
 */
#pragma once

#include "config/config.h"
#include "policy/environment.h"

/* Each is listened on in both families, and so is the proxy's. */
#define PORT_PAIRS_MAX 31

struct port_pair {
    uint16_t host; /* 0 (published): the kernel chooses */
    uint16_t jail;
};

struct port_pairs {
    struct port_pair v[PORT_PAIRS_MAX];
    size_t n;
};

/*
 * Reads "forward_ports" and "publish_ports". Without a network of the jail's own (full) both stay
 * empty, with a note. 0, or -EINVAL with the entry, where it was said, and how to write it.
 */
int ports_decide(struct port_pairs *forward, struct port_pairs *publish,
                 const struct config *config, enum network_mode mode, struct notes *notes,
                 struct error *error);
