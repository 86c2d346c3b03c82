// SPDX-License-Identifier: GPL-3.0-only
/*
 * helper: what the harness needs done by a program inside a jail, or outside by another user,
 * that is no probe by itself.
 */
#pragma once

#include <stdbool.h>

/* True if argv[0] names a helper; it has run then and *status is the exit status. */
bool helper_run(int argc, char **argv, int *status);
