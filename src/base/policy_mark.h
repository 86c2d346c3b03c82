// SPDX-License-Identifier: GPL-3.0-only
/*
 * policy_mark: the mode bit of a policy file that a jailed command may have made or changed.
 *
 * Set when the run is over (pty/report_policy.c), asked for before a file is trusted
 * (config/gather.c). It is the sticky bit, which means nothing else on a file (inode(7)).
 */
#pragma once

#define POLICY_MARK 01000
