// SPDX-License-Identifier: GPL-3.0-only
/*
 * overlay_apply: writes the changes of an overlay to the real directory.
 */
#pragma once

#include "backend/overlay_base.h"
#include "backend/overlay_changes.h"
#include "base/note.h"
#include "base/strv.h"

struct overlay_apply {
    int upper; /* borrowed descriptors of the two directories */
    int lower;
    const struct overlay_base *base;
    const struct overlay_changes *changes;
};

/* Adds a line for everything that stands against applying: what cannot be applied, and what changed
 * in the real directory since the overlay began (of a deleted directory also what is in it). */
void overlay_apply_check(const struct overlay_apply *apply, struct strv *conflicts);

/*
 * Applies all changes; to be called without conflicts and with the storage locked. Each file is
 * copied to a temporary name beside its own, written to the disk and renamed, if the old one is
 * still as it was; then directories get their permissions and what was deleted goes. Permissions
 * are those of 0777, nothing more. No link is followed. Sockets and pipes are left out with a note.
 * 0, or -errno with the reason: then a part may be applied, and the overlay still holds all of it.
 */
int overlay_apply_all(const struct overlay_apply *apply, struct notes *notes, struct error *error);
