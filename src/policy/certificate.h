// SPDX-License-Identifier: GPL-3.0-only
/*
 * certificate: files of trusted certificates that a variable names (SSL_CERT_FILE and its like).
 */
#pragma once

#include "host.h"
#include "policy/plan.h"

/*
 * True if the file at value is visible inside or was made so: a regular file of at most 4 MiB is
 * bound read-only, links on the way are made again. False, with a note that names the variable:
 * drop it. The plan must hold the project and the maps.
 */
bool certificate_show(struct plan *plan, const struct host *host, const char *name,
                      const char *value, struct notes *notes);
