// SPDX-License-Identifier: GPL-3.0-only
/*
 * install_root: which directory a program needs around itself.
 */
#pragma once

#include "host.h"

struct install_root {
    char *path;   /* directory to show, or the file itself when only that may be shown */
    bool is_venv; /* path is a Python environment: pyvenv.cfg names another interpreter */
};

/*
 * The root of the regular file at the canonical path. project is canonical. A file that an
 * untrusted one has named gets a root only if its place has the shape of an installation; otherwise
 * it is shown alone. Free with install_root_free().
 */
struct install_root install_root_find(const struct host *host, const char *project,
                                      const char *file, bool is_trusted);
void install_root_free(struct install_root *root);

#define _cleanup_install_root_ CLEANUP(install_root_free)
