// SPDX-License-Identifier: GPL-3.0-only
/*
 * connection_audit: a connection as a record of the audit log.
 */
#pragma once

#include "net/audit.h"
#include "net/connection.h"

/* At the connection's end, while its handles are open. audit may be NULL. */
void connection_record(const struct connection *connection, struct audit *audit);
