// SPDX-License-Identifier: GPL-3.0-only
/*
 * certificate: files of trusted certificates that a variable names.
 *
 * The variable is the user's word, a link in the project is not: such a link could make any file of
 * the host visible by pointing at it.
 */
#include "policy/certificate.h"

#include "base/path.h"
#include "policy/trail.h"

#include <stdlib.h>
#include <string.h>

#define SIZE_MAX_BYTES (4 * MIB)

/* NULL if the file at the end of the trail may be bound; otherwise why not. */
static const char *refusal(const struct plan *plan, const struct fs *fs, const struct trail *trail)
{
    struct plan_view view = plan_look(plan, trail->canonical);
    struct fs_stat st;

    free(view.host_path);
    if (fs_stat(fs, trail->canonical, false, &st) < 0)
        return "it is not there";
    if (st.type == FS_DIR)
        return "a directory is not made visible";
    if (st.type != FS_FILE)
        return "it is not a regular file";
    if (st.size > SIZE_MAX_BYTES)
        return "it is larger than 4 MiB";
    if (trail->is_untrusted)
        return "a link in a writable place leads to it";
    if (view.entry && plan_is_cover(view.entry->kind))
        return "it is masked";
    return NULL;
}

bool certificate_show(struct plan *plan, const struct host *host, const char *name,
                      const char *value, struct notes *notes)
{
    _cleanup_free_ char *path = path_join(host->cwd, value);
    _cleanup_trail_ struct trail trail = {0};
    const char *why;

    if (plan_shows(plan, host->fs, path))
        return true;
    if (trail_walk(&trail, host->fs, plan, path) < 0)
        why = "it is not there";
    else
        why = refusal(plan, host->fs, &trail);
    if (!why) {
        plan_add_bind(plan, host->fs, GROUP_HOME_PARTS, PLAN_RO, trail.canonical, trail.canonical,
                      name);
        trail_add_links(&trail, plan, GROUP_HOME_PARTS, name);
        if (plan_shows(plan, host->fs, path))
            return true;
        why = "something else is in its place";
    }
    notes_add(notes, NOTE_WARNING, "%s is not passed: %s is not visible inside: %s", name, value,
              why);
    return false;
}
