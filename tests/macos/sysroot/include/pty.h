// SPDX-License-Identifier: GPL-3.0-only
#ifdef __APPLE__
#error "<pty.h> belongs to Linux: a Mac has nothing of that name, or something else"
#else
#include_next <pty.h>
#endif
