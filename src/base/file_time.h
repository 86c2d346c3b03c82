// SPDX-License-Identifier: GPL-3.0-only
/*
 * file_time: times of files that stat(2) does not tell everywhere in the same way.
 */
#pragma once

#include "base/base.h"

#include <sys/stat.h>
#include <time.h>

/* When the object was changed last (ctime): nobody without privileges can set that back. */
struct timespec file_time_changed(const struct stat *st);
/* When the object at name below dir came into being; no link is followed. 0, or -errno: not known. */
int file_time_born(int dir, const char *name, struct timespec *at);
/* A time that is not later than what files get that change from now on. */
void file_time_now(struct timespec *now);
