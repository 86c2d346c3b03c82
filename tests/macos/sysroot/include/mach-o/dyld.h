// SPDX-License-Identifier: GPL-3.0-only
/*
 * dyld(3), as far as it is used.
 */
#pragma once

#include <stdint.h>

int _NSGetExecutablePath(char *path, uint32_t *size);
