// SPDX-License-Identifier: GPL-3.0-only
/*
 * directories: makes what the plan shows and is not there yet, just before the launch.
 *
 * One descriptor per component, none of which may be a link: what is mounted is then what was made.
 */
#include "backend/directories.h"

#include "base/fd.h"
#include "base/os.h"
#include "base/path.h"
#include "policy/plan_index.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int directories_open(const char *path, bool create, bool *made)
{
    int dir = open("/", os_open_path | O_DIRECTORY | O_CLOEXEC);
    const char *name = path;

    if (made)
        *made = false;
    if (dir < 0)
        return -errno;
    while (dir >= 0 && *(name += strspn(name, "/"))) {
        size_t len = strcspn(name, "/");
        _cleanup_free_ char *component = xstrndup(name, len);
        int next = fd_enter_directory(dir, component, create, made);

        close(dir);
        dir = next;
        name += len;
    }
    return dir;
}

static int make(struct plan_entry *entry, bool *made, struct error *error)
{
    int dir = directories_open(entry->source, true, made);
    struct stat st;

    if (dir == -EPERM)
        return error_set(error, EPERM,
                         "%s (%s) cannot be made: the directory above it belongs to another user",
                         entry->source, entry->origin);
    if (dir < 0 || fstat(dir, &st) < 0) {
        int code = dir < 0 ? -dir : errno;

        if (dir >= 0)
            close(dir);
        return error_set(error, code, "%s (%s) cannot be made: %s", entry->source, entry->origin,
                         strerror(code));
    }
    close(dir);
    entry->st = (struct fs_stat){
        .type = FS_DIR,
        .mode = st.st_mode & 07777,
        .uid = st.st_uid,
        .gid = st.st_gid,
        .dev = st.st_dev,
        .ino = st.st_ino,
        .nlink = st.st_nlink,
    };
    entry->is_new = false;
    return 0;
}

/* What a cover is for; the directory may lie where nobody can make one, the jail neither. */
static void make_covered(const struct plan *plan, struct plan_entry *entry, struct notes *notes)
{
    const struct plan_entry *below = plan_find(plan, entry->dest, false).mount;
    _cleanup_free_ char *path =
        below && below->source ? plan_path_behind(below, entry->dest) : NULL;
    bool made = false;
    _cleanup_close_ int dir = path ? directories_open(path, true, &made) : -1;

    entry->is_new = false;
    if (dir >= 0 && made)
        notes_add(notes, NOTE_INFO, "%s was made (%s)", path, entry->origin);
}

int directories_make(struct plan *plan, const char *quiet, struct notes *notes, struct error *error)
{
    for (size_t i = 0; i < plan->n; i++) {
        struct plan_entry *entry = &plan->v[i];
        bool made;
        int r;

        if (!entry->is_new)
            continue;
        if (plan_is_cover(entry->kind)) {
            make_covered(plan, entry, notes);
            continue;
        }
        r = make(entry, &made, error);
        if (r < 0)
            return r;
        if (made && !(quiet && path_is_within(entry->source, quiet)))
            notes_add(notes, NOTE_INFO, "%s was made (%s)", entry->source, entry->origin);
    }
    return 0;
}
