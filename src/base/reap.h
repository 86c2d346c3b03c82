// SPDX-License-Identifier: GPL-3.0-only
/*
 * reap: the end of a child that is not needed any more.
 */
#pragma once

#include "base/base.h"

#include <sys/types.h>

/*
 * Gives a child of ours patience_ms to end by itself (0: none), then kills it. Reaps it either way and
 * leaves 0 behind; does nothing if *pid is not positive. Blocks for that long, and until the kernel has let
 * a killed one go.
 */
void reap_child(pid_t *pid, int patience_ms);
