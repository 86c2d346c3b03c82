// SPDX-License-Identifier: GPL-3.0-only
/*
 * memfd: files in memory that nobody can change any more. Linux only.
 */
#pragma once

#include "base/base.h"

/*
 * A memfd holding the bytes, offset 0, sealed against every change (memfd_create(2)). executable
 * asks for MFD_EXEC, which vm.memfd_noexec may demand (Linux 6.3). Returns the descriptor or
 * -errno.
 */
int fd_sealed_memfd(const char *name, const void *bytes, size_t len, bool executable);
