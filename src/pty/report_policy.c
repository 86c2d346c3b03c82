// SPDX-License-Identifier: GPL-3.0-only
/*
 * report_policy: a .ai-jail that may be the command's own work.
 *
 * Where trust_project_config trusts a directory, its .ai-jail is obeyed. The one of the project can
 * not be changed by the command while it is there; but it can be made where none was, and in
 * directories below the project. Such a file is marked when the jail has ended, and a marked file is
 * not trusted (config/gather.c). The mark is the sticky bit: it stays with the file wherever that is
 * moved, and needs no record that could be lost. Whoever has read the file takes it away with
 * chmod(1); an editor that saves a new file does so, too.
 */
#include "base/fd.h"
#include "base/policy_mark.h"
#include "pty/report_parts.h"

#include <fcntl.h>
#include <unistd.h>

void report_mark_policy(int dir, const char *name)
{
    _cleanup_close_ int fd =
        openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat st;

    /* What belongs to others is not trusted anyway. */
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid())
        fchmod(fd, (st.st_mode & 0777) | POLICY_MARK);
}
